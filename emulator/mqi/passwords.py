"""Passwords of a file: as they are, or as `openssl passwd -6` writes them (SHA-512 crypt).

Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

_HASHED: Final = re.compile(r"\$6\$(?:rounds=(\d{4,9})\$)?([^$:]{1,16})\$([./0-9A-Za-z]{86})")
_ROUNDS: Final = 5000
_MOST_ROUNDS: Final = 1_000_000
_DIGITS: Final = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SIZE: Final = 64
_LONGEST: Final = 256


def is_hashed(kept: str) -> bool:
    """Whether a password of the file is a hash."""
    return _HASHED.fullmatch(kept) is not None


def is_right(kept: str, given: str) -> bool:
    """Whether a password is the one that the file has."""
    hashed = _HASHED.fullmatch(kept)
    if hashed is None:
        return hmac.compare_digest(kept.encode(), given.encode("utf-8", "replace"))
    if len(given) > _LONGEST:
        return False  # the work grows with the square of its length
    rounds = min(int(hashed[1] or _ROUNDS), _MOST_ROUNDS)
    digits = _sha512_crypt(given.encode("utf-8", "replace"), hashed[2].encode(), rounds)
    return hmac.compare_digest(hashed[3], digits)


def _sha512_crypt(password: bytes, salt: bytes, rounds: int) -> str:
    sha, length = hashlib.sha512, len(password)
    other = sha(password + salt + password).digest()
    digest = sha(password + salt + _long(other, length))
    bits = length
    while bits:
        digest.update(other if bits & 1 else password)
        bits >>= 1
    result = digest.digest()
    by_password = _long(sha(password * length).digest(), length)
    by_salt = _long(sha(salt * (16 + result[0])).digest(), len(salt))
    for number in range(rounds):
        odd = number & 1
        parts = by_password if odd else result
        parts += by_salt if number % 3 else b""
        parts += by_password if number % 7 else b""
        result = sha(parts + (result if odd else by_password)).digest()
    return _as_text(result)


def _long(digest: bytes, length: int) -> bytes:
    """The digest again and again, *length* bytes of it."""
    return (digest * (length // _SIZE + 1))[:length]


def _as_text(digest: bytes) -> str:
    text = ""
    for start in range(21):
        places = [start, start + 21, start + 42]
        turn = start % 3
        first, second, third = places[turn:] + places[:turn]
        number = digest[first] << 16 | digest[second] << 8 | digest[third]
        text += "".join(_DIGITS[number >> shift & 63] for shift in (0, 6, 12, 18))
    return text + _DIGITS[digest[63] & 63] + _DIGITS[digest[63] >> 6]
