"""Signatures of plan files, made and checked by ssh-keygen or gpg, which people have.

``PLAN.sig`` is one of ssh (`ssh-keygen -Y sign`, namespace mqtriage), ``PLAN.asc`` one of OpenPGP.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mqtriage.files.private import create_private
from mqtriage.files.whole import read_whole
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import NotFound, Refused, StorageError, UsageError, unreadable

NAMESPACE: Final = "mqtriage"
_SSH: Final = ".sig"
_PGP: Final = ".asc"
_LONGEST_S: Final = 120
"""For a passphrase that is asked for."""


def sign(plan: Path, key: str) -> Path:
    """Sign a file with a private key of ssh, or the OpenPGP key of that id or address.

    Returns:
        The new file with the signature.
    """
    is_ssh = Path(key).is_file()
    signature = Path(f"{plan}{_SSH if is_ssh else _PGP}")
    if is_ssh:
        words = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", key, str(plan)]
    else:
        words = ["gpg", "--armor", "--detach-sign", "--local-user", key, "--output", str(signature)]
        words += ["--", str(plan)]
    done = _run(words)
    if done.returncode:
        raise StorageError(
            f"plan {plan} is written and not signed: {_last_line(done.stderr)}",
            hint="--sign takes a file with a private key of ssh, or the id of an OpenPGP key",
        )
    return signature


def how_to_sign(plan: str) -> str:
    """The command that signs a plan file with a key of ssh."""
    return f"ssh-keygen -Y sign -n {NAMESPACE} -f KEY {shell_word(plan)}"


def signed_plan(plan: Path, signers: Path) -> tuple[bytes, str]:
    """What the plan file contains as it was signed, with the signer: ``alice@bank (ssh)``.

    Args:
        signers: allowed signers of ssh, or public OpenPGP keys, by the signature that is there.

    Raises:
        NotFound: The plan or *signers* is not there.
        Refused: It is not signed, changed since, or signed by somebody else.
        StorageError: A file cannot be read, or there is no program to check with.
    """
    content = _content(plan)
    known = _content(signers)
    with TemporaryDirectory(prefix="mqtriage-") as name:
        folder = Path(name)
        copy = folder / plan.name
        _write(copy, content)
        ssh, pgp = Path(f"{plan}{_SSH}"), Path(f"{plan}{_PGP}")
        if ssh.is_file():
            who = _ssh_signer(folder, content, _content(ssh), known, plan)
        elif pgp.is_file():
            who = _pgp_signer(folder, copy, _content(pgp), known, plan)
        else:
            raise Refused(
                f"plan {plan} is not signed: neither {ssh.name} nor {pgp.name} is next to it",
                hint=f"{how_to_sign(str(plan))} signs it",
            )
        return content, who


def _ssh_signer(folder: Path, content: bytes, signature: bytes, known: bytes, plan: Path) -> str:
    _write(folder / "signature", signature)
    _write(folder / "signers", known)
    of = ["-s", str(folder / "signature"), "-f", str(folder / "signers")]
    principals = _run(["ssh-keygen", "-Y", "find-principals", *of])
    for who in principals.stdout.decode(errors="replace").splitlines():
        words = ["ssh-keygen", "-Y", "verify", "-n", NAMESPACE, "-I", who, *of]
        done = _run(words, content)
        if not done.returncode:
            return f"{who} (ssh)"
        raise Refused(
            f"plan {plan}: its signature does not match: {_last_line(done.stdout + done.stderr)}",
            hint="it was changed after it was signed, or signed for something else",
        )
    raise Refused(
        f"plan {plan}: it is not signed by any of the allowed signers",
        hint=_last_line(principals.stderr) or None,
    )


def _pgp_signer(folder: Path, copy: Path, signature: bytes, known: bytes, plan: Path) -> str:
    _write(folder / "signature", signature)
    _write(folder / "keys", known)
    home = folder / "gnupg"
    home.mkdir(0o700)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--no-autostart", "--status-fd", "1"]
    _run([*gpg, "--import", str(folder / "keys")])
    done = _run([*gpg, "--verify", str(folder / "signature"), str(copy)])
    lines = [line.split(" ") for line in done.stdout.decode(errors="replace").splitlines()]
    good = [words for words in lines if words[1:2] == ["GOODSIG"]]
    if done.returncode or not good or not any(words[1:2] == ["VALIDSIG"] for words in lines):
        raise Refused(
            f"plan {plan}: its signature is not valid: {_last_line(done.stderr)}",
            hint="it was changed after it was signed, or signed by somebody else",
        )
    return f"{' '.join(good[0][3:])} (OpenPGP {good[0][2]})"


def _run(words: Sequence[str], given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The program, with the terminal for a passphrase where nothing is given to it."""
    try:
        return subprocess.run(
            words, input=given, capture_output=True, timeout=_LONGEST_S, check=False
        )
    except FileNotFoundError:
        text = f"{words[0]}: there is no such program to sign with"
        raise StorageError(text, hint="it comes with OpenSSH or GnuPG") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise StorageError(f"{words[0]}: {error}") from error


def _content(file: Path) -> bytes:
    try:
        return read_whole(file)
    except FileNotFoundError:
        raise NotFound(f"{file}: no such file", object_name=str(file)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise unreadable(str(file), error) from error
        raise UsageError(f"{file}: {error}") from error


def _write(path: Path, content: bytes) -> None:
    with open(create_private(path), "wb") as file:
        file.write(content)


def _last_line(text: bytes) -> str:
    lines = [line.strip() for line in text.decode(errors="replace").splitlines() if line.strip()]
    return "".join(c for c in lines[-1][:200] if c.isprintable()) if lines else ""
