"""An MQDLH in front of what is moved or copied by hand: why, and where it should have gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.messages.filters.literals import read_literal
from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.errors import UsageError
from mqtriage.operations.copies.copy import CopyOptions, DeadLetter
from mqtriage.operations.engine.plan import local_attributes

OPTION: Final = "--add-dlh"


def read_reason(text: str) -> int:
    """The reason that *text* is: ``MQRC_Q_FULL``, ``2053`` or a feedback code."""
    try:
        value = read_literal("reason", "number" if text.isdecimal() else "word", text)
    except UsageError as error:
        raise UsageError(f"{OPTION} {text[:40]!r}: {error.text}", hint=error.hint) from error
    if not isinstance(value, int) or not name_of_dlh_reason(value).startswith(("MQRC_", "MQFB_")):
        raise UsageError(
            f"{OPTION} {text[:40]!r}: no reason code", hint=f"for example {OPTION} MQRC_Q_FULL"
        )
    return value


def with_letter(backend: Backend, queue: str, copy: CopyOptions, reason: int) -> CopyOptions:
    """The same copies with an MQDLH that says *reason*, and *queue* as their destination."""
    if copy.strip:
        given = "drop" if copy.strip == "dropped" else "strip"
        raise UsageError(f"{OPTION} and --headers {given}: give one of them")
    local = str(local_attributes(backend, queue)["QNAME"])
    return replace(copy, dead_letter=DeadLetter(reason, local, backend.queue_manager))
