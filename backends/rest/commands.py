"""MQSC over HTTP: as text, just as it was planned or typed, and DISPLAY in JSON for what we read.

Text (runCommand) loses nothing of a command. JSON (runCommandJSON) loses nothing of an answer: text
leaves open what belongs to a value with a parenthesis in it.
Source: IBM MQ documentation, "/admin/action/qmgr/{qmgrName}/mqsc", and recorded answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mqtriage.backends.mqsc_text import (
    SAME_REASON,
    explained,
    messages_in,
    reply_from,
    reply_of_zos,
    text_of,
)
from mqtriage.backends.readonly import READ_VERBS
from mqtriage.backends.rest.session import WebSession, failure, segment, unexpected
from mqtriage.backends.rest.transport import ANSWER_S
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.errors import mqi_error, reason_name
from mqtriage.mq.mqsc import zos_reply
from mqtriage.mq.mqsc.reply import Reply, ReplyLine, syntax_error
from mqtriage.mq.mqsc.tree import Command, Script

_MARGIN_S: Final = 5
_DETAILS: Final = re.compile(
    r"(AMQ[0-9]{4,5}[A-Z]?: .{0,80}?[.:])   (?=[A-Z][A-Z0-9]*(?:\(|   |$))"
)
_CELL: Final = re.compile(r" *([A-Z][A-Z0-9]*)")
_NEXT_CELL: Final = re.compile(r" *$| {3}[A-Z][A-Z0-9]*(?:\(| {3}| *$)")
_PARENTHESIS: Final = re.compile(r"[()]")

Attributes = Mapping[str, Any]


class RestCommands:
    """What asks one queue manager to run commands."""

    def __init__(self, session: WebSession, queue_manager: str) -> None:
        self._session = session
        self._path = f"/admin/action/qmgr/{segment(queue_manager)}/mqsc"

    def display(
        self, qualifier: str, doing: str, name: str = "", **parameters: str
    ) -> list[Attributes]:
        """All attributes of the objects that a DISPLAY shows, by keyword in lower case.

        Args:
            name: of one object, or generic.

        Raises:
            ObjectNotFound: 2085, also where nothing has a generic name.
            NotAuthorized: 2035.
            MQIError: What the queue manager said.
            ConnectionFailed, Unreachable: As `WebSession.ask`.
        """
        document: dict[str, Any] = {
            "type": "runCommandJSON",
            "command": "display",
            "qualifier": qualifier,
            "responseParameters": ["all"],
        }
        if name:
            document["name"] = name
        if parameters:
            document["parameters"] = parameters
        responses, failed = self._run(document, doing, changes=False)
        if failed is not None:
            raise _error(responses, failed, doing, name)
        return [
            response["parameters"]
            for response in responses
            if isinstance(response.get("parameters"), dict)
        ]

    def change(self, text: str, doing: str, name: str) -> None:
        """Run a command that changes something.

        Raises:
            MQIError: What the queue manager said; the others as `display`.
        """
        document = {"type": "runCommand", "parameters": {"command": text}}
        responses, failed = self._run(document, doing, changes=True)
        if failed is not None:
            raise _error(responses, failed, doing, name)

    def run(self, script: Script, command: Command, wait_ms: int | None, *, zos: bool) -> Reply:
        """Run one command of *script*; what the queue manager refuses is part of the reply."""
        if command.error is not None:
            reply = syntax_error(script, command, command.error)
            return zos_reply.on_zos(reply, command) if zos else reply
        doing = f"{command.verb} {command.noun}".rstrip()
        document = {"type": "runCommand", "parameters": {"command": text_of(script, command)}}
        answer_s = ANSWER_S if wait_ms is None else wait_ms / 1000 + _MARGIN_S
        changes = command.verb not in READ_VERBS
        responses, failed = self._run(document, doing, changes=changes, answer_s=answer_s)
        texts = [text for response in responses for text in texts_of(response)]
        header = zos_reply.header_of(texts[0]) if zos and texts else None
        if header is not None:
            reply = reply_of_zos(header, texts[1:], command)
            return explained(reply, "zos", script, command)
        messages: list[ReplyLine] = []
        for response in responses:
            text = "\n".join(line for text in texts_of(response) for line in lines_of(text))
            messages += messages_in(text) or [ReplyLine("", one) for one in text.split("\n") if one]
        return explained(reply_from(messages, failed, doing), "dist", script, command)

    def _run(
        self, document: Attributes, doing: str, *, changes: bool, answer_s: float = ANSWER_S
    ) -> tuple[list[Attributes], list[int] | None]:
        """Send a command.

        Returns:
            What came of each object; and the reasons of what failed, None where nothing did.
        """
        answer = self._session.ask(
            "POST", self._path, doing, document=document, changes=changes, answer_s=answer_s
        )
        if answer.status != 200:
            raise failure(doing, answer, self._session.host)
        known = answer.json()
        if not isinstance(known, dict) or not isinstance(known.get("commandResponse"), list):
            raise unexpected(doing, answer, self._session.host)
        responses = known["commandResponse"]
        if not all(isinstance(response, dict) for response in responses):
            raise unexpected(doing, answer, self._session.host)
        failed = [
            _number(response.get("reasonCode"))
            for response in responses
            if _number(response.get("completionCode")) >= cmqc.MQCC_FAILED
        ]
        whole = _number(known.get("overallCompletionCode", known.get("overAllCompletionCode")))
        if not failed and whole >= cmqc.MQCC_FAILED:
            failed = [_number(known.get("overallReasonCode", known.get("overAllReasonCode")))]
        return responses, failed or None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def texts_of(response: Attributes) -> list[str]:
    """The messages of one part of an answer, whichever form was asked for."""
    texts = response.get("text") or response.get("message") or []
    if isinstance(texts, str):
        texts = [texts]
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def _error(
    responses: Sequence[Attributes], failed: Sequence[int], doing: str, name: str
) -> Exception:
    """The error of a command that failed."""
    texts = [text for response in responses for text in texts_of(response)]
    reply = reply_from(messages_in("\n".join(texts)), failed, doing)
    given = reply.reason or next(iter(failed), 0) or cmqcfc.MQRCCF_COMMAND_FAILED
    reason = SAME_REASON.get(given, given)
    detail = " ".join(texts)[:300]
    if reason != given and not detail:
        detail = f"{reason_name(given)} ({given})"
    return mqi_error(reason, doing, detail=detail, object_name=name)


def lines_of(text: str) -> Iterator[str]:
    """The text of one object as runmqsc has it: its message on a line, and each attribute.

    mqweb writes all on one line, with three blanks between them.
    """
    head = _DETAILS.match(text)
    if head is None:
        yield text
        return
    yield head[1]
    at, size = head.end(), len(text)
    while at < size and (word := _CELL.match(text, at)) is not None:
        end = word.end()
        if text[end : end + 1] == "(":
            end = _value_end(text, end, size) + 1
        yield f"   {text[word.start(1) : end]}"
        at = end


def _value_end(text: str, opening: int, size: int) -> int:
    """Where the parenthesis that is opened at *opening* is closed.

    A value may hold parentheses: where they do not balance, the next attribute tells.
    """
    depth = 0
    for parenthesis in _PARENTHESIS.finditer(text, opening, size):
        depth += 1 if parenthesis[0] == "(" else -1
        if depth == 0:
            if _NEXT_CELL.match(text, parenthesis.end()):
                return parenthesis.start()
            break
    at = opening
    while (at := text.find(")", at + 1)) >= 0:
        if _NEXT_CELL.match(text, at + 1):
            return at
    return size - 1
