"""Passwords of a file: as they are, and hashed as the program openssl does it."""

from __future__ import annotations

import subprocess

import pytest

from mqtriage.emulator.mqi.passwords import is_hashed, is_right
from tests.support.tools import tool

# from "Unix crypt using SHA-256 and SHA-512", version 0.6
PUBLISHED = (
    (
        "Hello world!",
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJue"
        "sI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    ),
    (
        "Hello world!",
        "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sb"
        "HbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
    ),
    (
        "the minimum number is still observed",
        "$6$rounds=1000$roundstoolow$kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1x"
        "hLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.",
    ),
)


@pytest.mark.parametrize(("password", "kept"), PUBLISHED)
def test_published_hashes(password: str, kept: str) -> None:
    assert is_hashed(kept)
    assert is_right(kept, password)
    assert not is_right(kept, password + "x")
    assert not is_right(kept, kept)


@pytest.mark.parametrize("password", ["a", "passw0rd", "x" * 63, "x" * 64, "x" * 129, "grün€"])
def test_what_openssl_writes(password: str) -> None:
    kept = subprocess.run(
        [tool("openssl"), "passwd", "-6", password], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert is_right(kept, password)
    assert not is_right(kept, password[:-1])


@pytest.mark.parametrize("kept", ["", "secret", "$6$", "$6$salt$short", "$5$salt$x", "$6$salt"])
def test_anything_else_is_the_password_itself(kept: str) -> None:
    assert not is_hashed(kept)
    assert is_right(kept, kept)
    assert not is_right(kept, kept + "x")
