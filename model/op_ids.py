"""Ids of operations: 26 characters that sort as the operations were begun (the form of a ULID).

48 bits of time in milliseconds and 80 random bits, five bits a character in Crockford's base 32.
"""

from __future__ import annotations

from typing import Final

LENGTH: Final = 26
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS: Final = 80
_TIME_BITS: Final = 48


def new_op_id(now_ms: int, random: int, last: str = "") -> str:
    """An id for an operation that begins now.

    Args:
        now_ms: milliseconds since 1970.
        random: 80 random bits.
        last: the greatest id there is. A clock that was set back must not make an older one of
            the new operation, so what it has is then counted on.
    """
    value = (now_ms % (1 << _TIME_BITS)) << _RANDOM_BITS | random % (1 << _RANDOM_BITS)
    if last and (before := _number(last)) >= value:
        value = before + 1 + random % (1 << 16)
    return "".join(_DIGITS[value >> shift & 31] for shift in range(5 * LENGTH - 5, -1, -5))


def began_ms(op: str) -> int:
    """When the operation was begun, in milliseconds since 1970."""
    return _number(op.upper()) >> _RANDOM_BITS


def _number(op: str) -> int:
    return sum(_DIGITS.index(c) << 5 * at for at, c in enumerate(reversed(op)))
