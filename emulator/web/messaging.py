"""The messaging REST API: put, browse, get and list messages of a queue, publish to a topic.

Each request is a connection of its own, for the user that is logged in. A get is under syncpoint:
a message that is not text stays, and is a poison message once it has come back too often.
Source: IBM MQ documentation, the resources below /messaging/qmgr/{qmgrName}.
"""

from __future__ import annotations

import time
from typing import Any, Final

from mqtriage.emulator.clients.events import EventLog
from mqtriage.emulator.clients.poison import PoisonHandler
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import browse
from mqtriage.emulator.core.get import get as getting
from mqtriage.emulator.core.get.rows import MatchOptions
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.put import put
from mqtriage.emulator.mqi.session import Session
from mqtriage.emulator.pubsub import publications, topics
from mqtriage.emulator.web import text_messages
from mqtriage.emulator.web.exchange import (
    TEXT_TYPE,
    Answer,
    Request,
    RestError,
    json_answer,
)
from mqtriage.mq import cmqc
from mqtriage.mq.backout import Disposition, PoisonDiscard, ReceivedBy
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import ConnectionFailed, MQIError
from mqtriage.mq.message import Message

_OPEN_TO_BROWSE: Final = cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING
_OPEN_TO_GET: Final = _OPEN_TO_BROWSE | cmqc.MQOO_INPUT_AS_Q_DEF
_PUT: Final = cmqc.MQPMO_NO_SYNCPOINT | cmqc.MQPMO_FAIL_IF_QUIESCING
_MOST_WAIT_MS: Final = 2**31 - 1
_USUAL_LIMIT: Final = 10
_JMS_VERSION: Final = "9.4"
_VERBS: Final = {
    "POST": "put to",
    "GET": "browse from",
    "HEAD": "browse from",
    "DELETE": "get from",
}
_INHIBITED: Final = (cmqc.MQRC_PUT_INHIBITED, cmqc.MQRC_GET_INHIBITED)
_MISSING: Final = (
    cmqc.MQRC_UNKNOWN_OBJECT_NAME,
    cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR,
    cmqc.MQRC_UNKNOWN_ALIAS_BASE_Q,
)
_GONE: Final = (
    cmqc.MQRC_Q_MGR_NOT_AVAILABLE,
    cmqc.MQRC_Q_MGR_QUIESCING,
    cmqc.MQRC_Q_MGR_STOPPING,
    cmqc.MQRC_CONNECTION_STOPPING,
)


def failure(error: MQIError, request: Request) -> RestError:
    """What a call that the queue manager refused is to who made the request."""
    codes = error.comp_code, error.reason
    manager, where = request.path[2], request.path[4]
    if error.reason == cmqc.MQRC_NOT_AUTHORIZED:
        doing = "publish to" if request.path[3] == "topic" else _VERBS[request.method]
        return RestError("MQWB0103E", f"{doing} {where}", codes=codes, error_type="pcf")
    more: Any = {"codes": codes, "explanation": error.text, "action": error.hint or ""}
    if error.reason in _MISSING or isinstance(error, ConnectionFailed) or error.reason in _GONE:
        status = 404 if error.reason in _MISSING else 503
        return RestError("MQWB0300E", where, manager, status=status, **more)
    status = 405 if error.reason in _INHIBITED else 500
    return RestError("MQWB0303E", error.reason, name_of_reason(error.reason), status=status, **more)


def put_message(connection: Connection, request: Request) -> Answer:
    """POST .../queue/{name}/message."""
    name = request.path[4]
    given = text_messages.message_of(request.headers, request.body, request.version)
    there = connection.at(name)
    doing = f"put to {name}"
    now_ms = there.look(doing) // 1000
    topic = topics.string_behind_alias(there.manager, name, doing)
    md, body = text_messages.encoded(given, f"queue:///{name}", now_ms)
    if topic is not None:
        put_md = publications.send(there, topic, md, body, _PUT, alias=name).md
    else:
        put_md = put.put1(there, name, md, body, _PUT)
    return _put(put_md, request.version)


def publish(connection: Connection, request: Request) -> Answer:
    """POST .../topic/{string}/message."""
    topic = request.path[4]
    given = text_messages.message_of(request.headers, request.body, request.version)
    now_ms = connection.look(f"publish to {topic}") // 1000
    md, body = text_messages.encoded(given, f"topic://{topic}", now_ms)
    return _put(publications.send(connection, topic, md, body, _PUT).md, request.version)


def _put(md: MQMD, version: int) -> Answer:
    headers = (
        ("Content-Type", TEXT_TYPE),
        ("ibm-mq-md-messageId", text_messages.shown_id(md.msg_id, version)),
    )
    return Answer(201, headers=headers)


def browse_message(connection: Connection, request: Request) -> Answer:
    """GET .../queue/{name}/message: the first that matches."""
    match = _match(request)
    there = connection.at(request.path[4])
    handle = there.open(request.path[4], _OPEN_TO_BROWSE)
    try:
        options = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_NO_WAIT | cmqc.MQGMO_FAIL_IF_QUIESCING
        message = getting.get(there, handle, options, match)
    except MQIError as error:
        return _nothing(error)
    finally:
        there.close(handle)
    return _answered(_read(message), request.version)


def get_message(connection: Connection, request: Request, session: Session) -> Answer:
    """DELETE .../queue/{name}/message; others may call while it waits.

    Args:
        session: that waits, with the connection.
    """
    match = _match(request)
    until_s = time.monotonic() + _number(request, "wait", 0, _MOST_WAIT_MS) / 1000
    name = request.path[4]
    there = connection.at(name)
    handle = there.open(name, _OPEN_TO_GET)
    poison = PoisonHandler(
        there, name, EventLog(), client_version=_JMS_VERSION, poison_discard=PoisonDiscard.ANY
    )
    while True:
        try:
            got = _take(there, handle, match, poison)
        except MQIError as error:
            answer = _nothing(error)
            if time.monotonic() >= until_s:
                return answer
            session.sleep(until_s)
            continue
        if got is not None:
            return _answered(got, request.version)


def _take(
    connection: Connection, handle: Handle, match: MatchOptions, poison: PoisonHandler
) -> text_messages.TextMessage | None:
    """The next message, which is gone then; None where a poison message was moved instead.

    Raises:
        MQIError: 2033 and others.
        RestError: 501, it is not text, and is there again.
    """
    options = cmqc.MQGMO_SYNCPOINT | cmqc.MQGMO_NO_WAIT | cmqc.MQGMO_FAIL_IF_QUIESCING
    message = getting.get(connection, handle, options, match)
    decision = poison.decide(message)
    if decision.action is not Disposition.DELIVER:
        moved = poison.move(connection, message, decision, ReceivedBy.SYNC_TRANSACTED)
        if moved.action not in (Disposition.RETURN, Disposition.HOLD):
            connection.commit()
            return None
    try:
        text = _read(message)
    except RestError:
        connection.back_out()
        raise
    connection.commit()
    return text


def list_messages(connection: Connection, request: Request) -> Answer:
    """GET .../queue/{name}/messagelist."""
    match = _match(request)
    most = _number(request, "limit", _USUAL_LIMIT, _MOST_WAIT_MS)
    there = connection.at(request.path[4])
    handle = there.open(request.path[4], _OPEN_TO_BROWSE)
    listed: list[dict[str, str]] = []
    try:
        for message in browse.walk(there, handle, match):
            if len(listed) >= most:
                break
            listed.append(_summary(message, request.version))
    except MQIError as error:
        if error.reason != cmqc.MQRC_GET_INHIBITED:
            raise
    finally:
        there.close(handle)
    return json_answer({"messages": listed})


def _summary(message: Message, version: int) -> dict[str, str]:
    text = text_messages.read(message)
    summary = {
        "format": message.md.format,
        "messageId": text_messages.shown_id(message.md.msg_id, version),
    }
    own = text.correlation_id if text is not None else ""
    if correlation := text_messages.correlation_id(message.md, own, version):
        summary["correlationId"] = correlation
    return summary


def _read(message: Message) -> text_messages.TextMessage:
    text = text_messages.read(message)
    if text is None:
        raise RestError(
            "MQWB0309E",
            explanation="Only text (format MQSTR) and JMS TextMessages can be returned. Other "
            f"messages of format {message.md.format or 'MQFMT_NONE'} stay on the queue.",
        )
    return text


def _answered(message: text_messages.TextMessage, version: int) -> Answer:
    return Answer(200, message.text.encode(), text_messages.headers_of(message, version))


def _nothing(error: MQIError) -> Answer:
    """204 where no message matches."""
    if error.reason != cmqc.MQRC_NO_MSG_AVAILABLE:
        raise error
    return Answer(204)


def check_accepted(request: Request) -> None:
    """Refuse a client that takes no UTF-8."""
    asked = request.headers.get("accept-charset", "*").lower()
    if not any(one.split(";")[0].strip() in ("utf-8", "*") for one in asked.split(",")):
        raise RestError("MQWB0305E", asked[:40])


def _match(request: Request) -> MatchOptions:
    ids: dict[str, bytes | None] = {}
    for name in ("messageId", "correlationId"):
        text = request.query.get(name)
        if text is None:
            continue
        if name == "messageId" and request.version >= 3 and not text.startswith("ID:"):
            raise text_messages.wrong_header(name, text)
        number, _ = text_messages.identifier(text, request.version, name)
        ids[name] = None if number == NO_ID else number
    return MatchOptions(ids.get("messageId"), ids.get("correlationId"))


def _number(request: Request, name: str, usual: int, most: int) -> int:
    text = request.query.get(name, str(usual))
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= most):
        raise text_messages.wrong_header(name, text)
    return int(text)
