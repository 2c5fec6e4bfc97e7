"""A failure as two lines for people, and as one JSON object for scripts."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.json_text import compact
from mqtriage.formatters.pairs import red
from mqtriage.model.result import SCHEMA
from mqtriage.mq.errors import MQIError, MQTriageError, reason_name

_INNER_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z][a-z])")


def error_text(error: MQTriageError, *, colour: bool = False) -> str:
    """What was being done, to what, and the answer; then what to try. No line end at the end."""
    text = f"{red('error:', colour)} {visible(error.text)}"
    return f"{text}\nhint: {visible(error.hint)}" if error.hint else text


def error_code(error: MQTriageError) -> str:
    """``MQRC_Q_FULL`` for an MQI failure, else the kind of error: ``USAGE_ERROR``, ``REFUSED``."""
    if isinstance(error, MQIError):
        return reason_name(error.reason)
    if type(error) is MQTriageError:
        return "FAILED"
    return _INNER_CAPITAL.sub("_", type(error).__name__).upper()


def error_json(error: MQTriageError, exit_code: int, *, where: str = "") -> str:
    """One line of JSON with the same keys for every failure; no line end at the end.

    Args:
        error: the failure; mqcc and mqrc are null when no MQI call failed.
        exit_code: the exit code that the command ends with.
        where: what the text begins with: ``QM2: ``, where others were asked, too.
    """
    from_mqi = error if isinstance(error, MQIError) else None
    return compact(
        {
            "schema": SCHEMA,
            "kind": "Error",
            "code": error_code(error),
            "mqcc": from_mqi.comp_code if from_mqi else None,
            "mqrc": from_mqi.reason if from_mqi else None,
            "object": error.object_name or None,
            "text": f"{where}{error.text}",
            "hint": error.hint,
            "exit": int(exit_code),
            "op": error.op or None,
        }
    )
