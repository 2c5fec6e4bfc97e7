"""Kubernetes resources in YAML: kind, name, and what a QueueManager uses of MQSC.

IBM MQ Operator, "API reference for the QueueManager": `spec.queueManager.mqsc` lists ConfigMaps and
Secrets whose items are MQSC; `spec.queueManager.name` is the name of the queue manager.
Only block style is read, which `helm template`, `kustomize build` and `oc get -o yaml` print.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Final

from mqtriage.records import NamedTuple

_SEPARATOR: Final = re.compile(r"^---(?=[ \t\r\n]|$)", re.MULTILINE)
_KIND: Final = re.compile(r"^kind:[ \t]*['\"]?(\w+)", re.MULTILINE)
_NAME: Final = re.compile(
    r"^metadata:[^\n]*\n(?:[ \t][^\n]*\n|\n)*?[ \t]+name:[ \t]*['\"]?([\w.-]+)", re.MULTILINE
)
_USES: Final = re.compile(
    r"\b(configMap|secret):[ \t\r]*\n(?:[ \t][^\n]*\n)??[ \t]+name:[ \t]*['\"]?([\w.-]+)"
)
_ITEMS: Final = re.compile(
    r"\b(configMap|secret):[ \t\r]*\n[ \t]+items:[ \t\r]*\n(?:[ \t]+- [^\n]*\n)*"
    r"[ \t]+name:[ \t]*['\"]?([\w.-]+)"
)
_MANAGER: Final = re.compile(
    r"^([ \t]+)queueManager:[ \t\r]*\n(?:\1[ \t][^\n]*\n)*?\1  name:[ \t]*['\"]?([\w.%/]+)",
    re.MULTILINE,
)
_DATA: Final = re.compile(r"^data:[ \t\r]*\n((?:[ \t][^\n]*\n|\n)*)", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"^[ \t]+['\"]?([\w.-]+)['\"]?:[ \t]*['\"]?([A-Za-z0-9+/=]+)['\"]?[ \t\r]*$", re.MULTILINE
)
_MQSC_KEY: Final = re.compile(r"mqsc?(?![a-z])", re.IGNORECASE)
_KINDS: Final = {"configMap": "ConfigMap", "secret": "Secret"}


class Manifest(NamedTuple):
    """One document.

    Attributes:
        start, end: span in the file's text.
        uses: kind and name of the ConfigMaps and Secrets of a QueueManager.
        queue_manager: its name, "" where it says none.
    """

    start: int
    end: int
    kind: str
    name: str
    uses: frozenset[tuple[str, str]]
    queue_manager: str


class EncodedScript(NamedTuple):
    """A value of a Secret in base64 whose key says mqsc; *line* is where it begins."""

    secret: str
    key: str
    line: int
    data: bytes


def manifests(text: str) -> list[Manifest]:
    """The documents of a stream, in their order."""
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    return [_manifest(text, start, end) for start, end in zip(starts, ends, strict=True)]


def _manifest(text: str, start: int, end: int) -> Manifest:
    body = text[start:end] + "\n"
    kind, name, manager = _KIND.search(body), _NAME.search(body), _MANAGER.search(body)
    word = kind[1] if kind else ""
    is_manager = word == "QueueManager"
    uses = {
        (_KINDS[use[1]], use[2])
        for pattern in (_USES, _ITEMS)
        for use in pattern.finditer(body if is_manager else "")
    }
    return Manifest(
        start, end, word, name[1] if name else "", frozenset(uses),
        manager[2] if is_manager and manager else "",
    )  # fmt: skip


def encoded_scripts(text: str) -> Iterator[EncodedScript]:
    """The MQSC in Secrets; a value that is not base64 is left out."""
    for one in manifests(text):
        body = text[one.start : one.end] + "\n"
        data = _DATA.search(body) if one.kind == "Secret" else None
        if data is None:
            continue
        for entry in _ENTRY.finditer(body, *data.span(1)):
            if not _MQSC_KEY.search(entry[1]):
                continue
            try:
                decoded = b64decode(entry[2], validate=True)
            except (Error, ValueError):
                continue
            line = text.count("\n", 0, one.start + entry.start()) + 1
            yield EncodedScript(one.name, entry[1], line, decoded)
