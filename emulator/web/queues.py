"""/admin/qmgr/{name}/queue of v1: queues by the names that the REST API had before it took MQSC.

Every request becomes MQSC commands, which are carried out as those of `mqsc`.
Source: IBM MQ documentation, "/admin/qmgr/{qmgrName}/queue", "REST API and PCF equivalents for
queues".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pkgutil import get_data
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.web.exchange import (
    Answer,
    Request,
    RestError,
    bad_body,
    json_answer,
    unknown_attribute,
)
from mqtriage.emulator.web.mqsc import CommandRequest, carried_out, content_of, reason_of
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.catalogue import AttributeValue
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.mqsc.reply import CommandEnding, Reply

Values = Mapping[str, AttributeValue]


class QueueField(NamedTuple):
    """An attribute: its MQSC keyword, and its values where they are words of their own."""

    keyword: str
    words: Mapping[str, object] = {}


_WORDS: Final = {"false": False, "true": True}


def _fields() -> Iterator[tuple[str, QueueField]]:
    """The rows of queue_fields.tsv: attribute, MQSC keyword, MQSC's words with those of REST."""
    for row in (get_data(__package__, "queue_fields.tsv") or b"").decode().splitlines():
        name, keyword, *pairs = row.split("\t")
        words = dict(pair.split("=") for pair in " ".join(pairs).split())
        yield name, QueueField(keyword, {ours: _WORDS.get(one, one) for ours, one in words.items()})


_FIELDS: Final = dict(_fields())
_TIMES: Final = {"altered": ("ALTDATE", "ALTTIME"), "created": ("CRDATE", "CRTIME")}
_STATUS: Final = {
    "status.currentDepth": QueueField("CURDEPTH"),
    "status.openInputCount": QueueField("IPPROCS"),
    "status.openOutputCount": QueueField("OPPROCS"),
}
_EVERY: Final = {**_FIELDS, **_STATUS}
_TYPES: Final = {"QLOCAL": "local", "QALIAS": "alias", "QREMOTE": "remote", "QMODEL": "model"}
_KINDS: Final = {name: kind for kind, name in _TYPES.items()}
_OPERATORS: Final = {
    "lessThan": "LT", "greaterThan": "GT", "equalTo": "EQ", "notEqualTo": "NE",
    "lessThanOrEqualTo": "LE", "greaterThanOrEqualTo": "GE",
}  # fmt: skip
_NAME: Final = re.compile(r"[A-Za-z0-9._/%]{1,48}\*?|\*")


def listed(connection: Connection, request: Request) -> Answer:
    """GET: queues by name, type and filter, with the attributes that are asked for."""
    exact = request.path[4] if len(request.path) > 4 else ""
    name = exact or request.query.get("name", "*")
    kind = request.query.get("type", "all")
    if kind not in ("all", *_KINDS) or _NAME.fullmatch(name) is None:
        raise unknown_attribute(name if kind in _KINDS else kind)
    parameters: dict[str, Any] = {} if kind == "all" else {"type": _KINDS[kind]}
    if "filter" in request.query:
        parameters["where"] = _filter(request.query["filter"])
    ran = _run(
        connection, "DISPLAY", "QUEUE", name, parameters=parameters, responseParameters=["all"]
    )
    if exact:
        ran.need(exact)
    shown = _asked(request.query.get("attributes", ""), _FIELDS, _TIMES)
    status = _asked(request.query.get("status", ""), _STATUS, {})
    return json_answer({"queue": [_queue(values, shown, status) for values in ran.objects]})


def created(connection: Connection, request: Request) -> Answer:
    """POST: define a queue, which replaces one that is there unless `noReplace` is said."""
    content = content_of(request)
    name = content.pop("name", None)
    kind = _kind(content)
    replaces = "noreplace" if "noReplace" in request.query else "replace"
    parameters = dict(_given(content)) | {replaces: "yes"}
    if "like" in request.query:
        parameters["like"] = request.query["like"]
    if not isinstance(name, str):
        raise bad_body("'name' is needed")
    _run(connection, "DEFINE", kind, name, parameters=parameters).need(name)
    place = f"/ibmmq/rest/v1/admin/qmgr/{quote(request.path[2], '')}/queue/{quote(name, '')}"
    return Answer(201, headers=(("Location", place),))


def changed(connection: Connection, request: Request) -> Answer:
    """PATCH: alter a queue."""
    content, name = content_of(request), request.path[4]
    kind = _kind(content) if "type" in content else _kind_of(connection, name)
    parameters = dict(_given(content)) | ({"force": "yes"} if "force" in request.query else {})
    _run(connection, "ALTER", kind, name, parameters=parameters).need(name)
    return Answer(204)


def deleted(connection: Connection, request: Request) -> Answer:
    """DELETE: with its messages where `purge` is said."""
    name = request.path[4]
    parameters = {"purge": "yes"} if "purge" in request.query else {}
    kind = _kind_of(connection, name)
    _run(connection, "DELETE", kind, name, parameters=parameters).need(name)
    return Answer(204)


class _Ran(NamedTuple):
    """A command and its reply."""

    asked: CommandRequest
    reply: Reply

    @property
    def objects(self) -> list[Values]:
        return [line.object for line in self.reply.lines if line.object is not None]

    def need(self, name: str) -> _Ran:
        """The same, where it was done."""
        if self.reply.ending is not CommandEnding.DONE:
            raise _refused(self, name)
        return self


def _run(connection: Connection, verb: str, noun: str, name: str, **members: Any) -> _Ran:
    asked = CommandRequest(
        {"type": "runCommandJSON", "command": verb, "qualifier": noun, "name": name, **members}
    )
    return _Ran(asked, carried_out(connection, asked))


def _refused(ran: _Ran, name: str) -> RestError:
    command, reply = ran.asked.command, ran.reply
    reason = cmqcfc.MQRCCF_COMMAND_FAILED if command is None else reason_of(command, reply)
    named: Any = {"codes": (2, reason), "error_type": "pcf"}
    if reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME:
        return RestError("MQWB0037E", name, reason, name_of_reason(reason), **named)
    if reason == cmqc.MQRC_NOT_AUTHORIZED:
        return RestError("MQWB0103E", f"change or display {name}", **named)
    is_conflict = reason in (cmqcfc.MQRCCF_OBJECT_ALREADY_EXISTS, cmqcfc.MQRCCF_OBJECT_OPEN)
    named |= {"explanation": "; ".join(line.text for line in reply.lines)}
    status = 409 if is_conflict else 400
    return RestError("MQWB0004E", reason, name_of_reason(reason), status=status, **named)


def _kind_of(connection: Connection, name: str) -> str:
    return str(_run(connection, "DISPLAY", "QUEUE", name).need(name).objects[0]["TYPE"])


def _kind(content: dict[str, Any]) -> str:
    kind = content.pop("type", "local")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise bad_body(f"'type' is one of {', '.join(_KINDS)}")
    return _KINDS[kind]


def _given(content: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Keywords and values of the attributes in a body."""
    for member, value in content.items():
        name = f"{path}{member}"
        if isinstance(value, dict):
            yield from _given(value, f"{name}.")
            continue
        field = _FIELDS.get(name)
        if field is None:
            raise unknown_attribute(name)
        yield field.keyword, _as_mqsc(name, field, value)


def _as_mqsc(name: str, field: QueueField, value: Any) -> Any:
    if not field.words:
        return value
    for word, meaning in field.words.items():
        if type(meaning) is type(value) and meaning == value:
            return word
    raise bad_body(f"'{name}' is one of {', '.join(map(str, field.words.values()))}".lower())


def _filter(text: str) -> str:
    name, _, rest = text.partition(":")
    operator, _, value = rest.partition(":")
    field = _EVERY.get(name)
    if field is None or operator not in _OPERATORS or not value:
        raise unknown_attribute(text)
    texts = {str(meaning).lower(): word for word, meaning in field.words.items()}
    return f"{field.keyword} {_OPERATORS[operator]} {texts.get(value.lower(), value)}"


def _asked(
    text: str, fields: Mapping[str, QueueField], times: Mapping[str, tuple[str, str]]
) -> list[str]:
    """The names of attributes that a query asks for: `*`, groups, or single ones."""
    every = [*fields, *(f"timestamps.{name}" for name in times)]
    if text in ("", "*"):
        return every if text else []
    chosen = []
    for part in text.split(","):
        names = [name for name in every if name == part or name.startswith(f"{part}.")]
        if not names and part != "status":
            raise unknown_attribute(part)
        chosen += names or every
    return chosen


def _queue(values: Values, shown: list[str], status: list[str]) -> dict[str, Any]:
    queue: dict[str, Any] = {
        "name": values["QUEUE"], "type": _TYPES.get(str(values["TYPE"]), "cluster"),
    }  # fmt: skip
    for name in (*shown, *status):
        *groups, last = name.split(".")
        if groups == ["timestamps"]:
            date, time = (str(values.get(keyword, "")) for keyword in _TIMES[last])
            value: object = f"{date}T{time.replace('.', ':')}.000Z" if date else None
        else:
            field = _EVERY[name]
            kept = values.get(field.keyword)
            value = field.words.get(str(kept), kept) if field.words else kept
        if value is None:
            continue
        inner = queue
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = value
    return queue
