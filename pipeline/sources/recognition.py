"""Which logs lie at a path, told from how each file begins."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from mqtriage.files.compressed import opened
from mqtriage.mq.errors import StorageError
from mqtriage.pipeline.sources.amqsevt_text import BEGINS
from mqtriage.pipeline.sources.events_in_text import KEYS
from mqtriage.pipeline.sources.wrappings import (
    Wrapping,
    has_messages_in_objects,
    is_restored,
    restored,
    unwrapped,
    wrapping_of_events,
)

_LOOKED_AT_BYTES: Final = 65_536
_EVENT: Final = re.compile(rf'\{{\s*"(?:{KEYS})"\s*:'.encode())
_EVENT_INSIDE: Final = re.compile(rb'\\?"eventSource\\?"\s*:\s*\{')
"""Whatever is around it: what cannot be read of it is then counted."""
_EVENT_AS_TEXT: Final = re.compile(rf"^{BEGINS}".encode(), re.M)
_EVENT_LINE: Final = re.compile(rf'^[ \t]*\{{[ \t]*"(?:{KEYS})"'.encode(), re.M)
_OPEN_LINE: Final = re.compile(rb"^\{\s*$", re.M)


class LogForm(StrEnum):
    """What a file is, in the words of warnings: "3 ... that cannot be read"."""

    EVENTS = "events of amqsevt"
    EVENT_LINES = "lines of amqsevt -o json_compact"
    ERROR_LINES = "lines of an error log in JSON"
    ERROR_BLOCKS = "blocks of an error log"
    CONSOLE = "lines of a console"
    AMQSMON = "records of amqsmon"
    METRICS = "series of metrics"
    METRICS_CSV = "lines or values of metrics in CSV"
    METRIC_LINES = "lines of metrics"


OF_QUEUES: Final = frozenset({LogForm.METRICS, LogForm.METRICS_CSV, LogForm.METRIC_LINES})
"""Forms that tell how deep queues were, and of no event."""
_COUNTED: Final = ("activity", "expiry")
_JOBS: Final = {
    **dict.fromkeys(LogForm, ("events",)),
    **dict.fromkeys((LogForm.EVENTS, LogForm.EVENT_LINES), ("events", *_COUNTED)),
    LogForm.AMQSMON: _COUNTED,
    **dict.fromkeys(OF_QUEUES, ("depth",)),
}
"""Forms to the jobs that read them."""
_ERROR_LOGS: Final = (
    (LogForm.ERROR_LINES, re.compile(rb'^\s*\{.*"ibm_(datetime|messageId)"\s*:', re.M)),
    (LogForm.ERROR_BLOCKS, re.compile(rb'^[^|"{\[\n]{6,40} - Process\([0-9.]+\) User\(', re.M)),
    (LogForm.CONSOLE, re.compile(rb"^\d{4}-\d\d-\d\dT\S+\s+AMQ\d{4,5}[A-Z]?:", re.M)),
)
"""Forms of error logs to how one of their messages begins."""
_AMQSMON: Final = LogForm.AMQSMON, re.compile(rb"^MonitoringType: (MQI|Queue|Channel)[AS]", re.M)
_METRICS: Final = (
    (LogForm.METRIC_LINES, re.compile(rb'^\{ *"metric" *: *\{[^{}]*"ibmmq_.*"timestamps"', re.M)),
    (LogForm.METRIC_LINES, re.compile(rb'^ibmmq_\w+\{[^\n]*\} [-+.\w]+(?: [\d.]+)?\s*$', re.M)),
    (LogForm.METRIC_LINES, re.compile(rb'^\{__name__="\w[^\n]*\} [-+.\w]+ \d+\s*$', re.M)),
    (LogForm.METRICS, re.compile(rb'"metric"\s*:\s*\{[^{}]*"__name__"\s*:\s*"ibmmq_')),
    (LogForm.METRICS_CSV, re.compile(rb'\A"?(?i:time|timestamp|date)"?,.*\bibmmq_\w*(?:""|\{)')),
    (LogForm.METRICS_CSV, re.compile(rb"\A(?=[^\n]*\bvalue\b)(?=[^\n]*\bqueue\b)[^\n]*\bqmgr\b"
                                     rb".*\n[^\n]*\bibmmq_", re.DOTALL)),
)  # fmt: skip
"""Forms of metrics to how they begin: a heading of CSV, the first series of an answer."""


class Log(NamedTuple):
    """A file on this machine, and its form."""

    path: Path
    form: LogForm


def jobs_of(form: LogForm) -> tuple[str, ...]:
    """The jobs that read logs of a form."""
    return _JOBS[form]


def logs_at(path: Path) -> list[Log]:
    """The log that *path* is, or those that lie in it; what is no log is left out."""
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
    except OSError:
        return []
    forms = ((file, form_of(file)) for file in files if file.is_file())
    return [Log(file.absolute(), form) for file, form in forms if form is not None]


def form_of(file: Path) -> LogForm | None:
    """The form of a file, None when it is no log that is known, or cannot be read."""
    try:
        with opened(file) as stream:
            return recognised(stream.read(_LOOKED_AT_BYTES))
    except (OSError, StorageError):
        return None


def utf_16_of(beginning: bytes) -> str | None:
    """The encoding of what begins so, where that is UTF-16, as PowerShell redirects output."""
    if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    # without a mark: each second byte of letters, digits and braces is zero
    for encoding, zeros, others in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        if len(beginning) > 7 and not any(beginning[zeros:8:2]) and all(beginning[others:8:2]):
            return encoding
    return None


def is_text(beginning: bytes) -> bool:
    """Whether what begins so has events as ``amqsevt -o text`` prints them."""
    return _EVENT_AS_TEXT.search(beginning) is not None


def recognised(beginning: bytes) -> LogForm | None:
    """The form of what begins so."""
    text = _decoded(beginning)
    for wrapping in (None, *Wrapping):
        form = _form(_without(text, wrapping))
        if form is not None:
            # those in strings may have line feeds
            return LogForm.EVENTS if wrapping and form is LogForm.EVENT_LINES else form
    return LogForm.EVENTS if _EVENT_INSIDE.search(text) else None


def wrapping_of(beginning: bytes) -> Wrapping | None:
    """How the lines of a log are wrapped that begins so; None for as they were written."""
    text = _decoded(beginning)
    wrapped = wrapping_of_events(text)
    if wrapped is not None and _form(_without(text, wrapped)) is not None:
        return wrapped
    form = _form(text)
    if form is LogForm.ERROR_LINES and has_messages_in_objects(text):
        return Wrapping.OBJECTS
    if form is not None:
        return None
    return next((one for one in Wrapping if _form(_without(text, one)) is not None), None)


def _decoded(beginning: bytes) -> bytes:
    encoding = utf_16_of(beginning)
    text = beginning.decode(encoding, "replace").encode() if encoding else beginning
    text = text.removeprefix(b"\xef\xbb\xbf")
    return b"\n".join(map(restored, text.split(b"\n"))) if is_restored(text) else text


def _without(text: bytes, wrapping: Wrapping | None) -> bytes:
    lines = text.split(b"\n")
    return text if wrapping is None else b"".join(unwrapped(lines[:-1] or lines, wrapping))


def _form(beginning: bytes) -> LogForm | None:
    """The form of what begins so and is not wrapped."""
    if _EVENT_LINE.search(beginning) and not _OPEN_LINE.search(beginning):
        return LogForm.EVENT_LINES
    if _EVENT.search(beginning) or is_text(beginning):
        return LogForm.EVENTS
    forms = (*_ERROR_LOGS, _AMQSMON, *_METRICS)
    return next((form for form, begins in forms if begins.search(beginning)), None)
