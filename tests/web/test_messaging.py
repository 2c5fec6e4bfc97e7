"""The messaging REST API, v1 to v3."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from mqtriage.commands.emulator.switches import set_switches
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.support.web_server import ADMIN, APP, Got, WebServer

QUEUE = "/messaging/qmgr/QM1/queue/ORDERS.IN"
V1, V2, V3 = (f"/ibmmq/rest/v{number}" for number in (1, 2, 3))
TEXT = {"Content-Type": "text/plain;charset=utf-8"}
CORREL = "000000000000000000000000000000000000000000000a01"


@pytest.fixture
def web(new_web: Callable[..., WebServer]) -> WebServer:
    server = new_web()
    server.run("DEFINE QLOCAL(ORDERS.IN) DEFPSIST(YES) DEFPRTY(2)")
    return server


def put(web: WebServer, body: str = "order 17", prefix: str = V3, **headers: str) -> str:
    """The id of a message that is put."""
    named = {f"ibm-mq-md-{name}": value for name, value in headers.items()}
    got = web.request(
        "POST",
        f"{QUEUE}/message",
        body.encode(),
        user=APP,
        headers={**TEXT, **named},
        prefix=prefix,
    )
    assert (got.status, got.body, got.headers["content-length"]) == (201, b"", "0"), got
    return got.headers["ibm-mq-md-messageid"]


def ask(web: WebServer, method: str, tail: str, prefix: str = V3) -> Got:
    return web.request(method, QUEUE + tail, user=APP, prefix=prefix)


def shown(got: Got) -> dict[str, str]:
    """The headers that say something of a message."""
    return {name: value for name, value in got.headers.items() if name.startswith("ibm-mq-")}


@pytest.mark.parametrize("prefix", [V1, V2])
def test_a_message_is_put_browsed_and_got_by_its_ids(web: WebServer, prefix: str) -> None:
    number = put(web, prefix=prefix, correlationId=CORREL, persistence="persistent", expiry="60000")
    assert len(number) == 48
    for method in ("GET", "DELETE"):
        got = ask(web, method, f"/message?messageId={number}&correlationId={CORREL}", prefix)
        assert (got.status, got.body) == (200, b"order 17")
        assert got.headers["content-type"] == "text/plain; charset=utf-8"
        answer = shown(got)
        assert 0 < int(answer.pop("ibm-mq-md-expiry")) <= 60000
        assert answer == {
            "ibm-mq-md-messageid": number, "ibm-mq-md-correlationid": CORREL,
            "ibm-mq-md-persistence": "persistent",
        }  # fmt: skip
    assert ask(web, "GET", "/message", prefix).status == 204


def test_what_is_put_is_text_without_persistence_unless_it_is_asked_for(web: WebServer) -> None:
    put(web, prefix=V2)
    with web.beside() as backend:
        handle = backend.open("ORDERS.IN", cmqc.MQOO_BROWSE)
        (message,) = handle.browse()
    md = message.md
    assert (md.format, md.ccsid, md.persistence, md.priority) == ("MQSTR", 1208, 0, 4)
    assert (md.user_identifier, md.put_appl_name, message.body) == ("app", "mqweb", b"order 17")


def test_v3_has_priority_properties_and_ids_of_the_application(web: WebServer) -> None:
    usr = 'colour;"red, \\"dark\\"";string, items;3;integer, paid;true;boolean, at;1.5;double'
    got = web.request(
        "POST", f"{QUEUE}/message", b'{"order":17}', user=APP,
        headers={
            "Content-Type": "application/json;charset=utf-8", "ibm-mq-md-priority": "7",
            "ibm-mq-md-correlationId": "order-17", "ibm-mq-md-replyTo": "ORDERS.REPLY@QM1",
            "ibm-mq-usr": usr,
        },
    )  # fmt: skip
    number = got.headers["ibm-mq-md-messageid"]
    assert number.startswith("ID:414d51")
    for method in ("GET", "DELETE"):
        answer = ask(web, method, "/message?correlationId=order-17")
        assert answer.body == b'{"order":17}'
        assert shown(answer) == {
            "ibm-mq-md-correlationid": "order-17", "ibm-mq-md-expiry": "unlimited",
            "ibm-mq-md-messageid": number, "ibm-mq-md-persistence": "nonPersistent",
            "ibm-mq-md-priority": "7", "ibm-mq-md-replyto": "ORDERS.REPLY@QM1",
            "ibm-mq-usr": usr,
        }  # fmt: skip


def test_a_list_has_ids_and_formats_and_no_more_than_its_limit(web: WebServer) -> None:
    ids = [put(web, f"order {n}", V2, correlationId=CORREL) for n in range(12)]
    with web.beside() as backend:
        backend.put1("ORDERS.IN", MQMD(format="MQPCF"), b"pcf")
        backend.commit()
    listed = ask(web, "GET", "/messagelist", V2).json["messages"]
    assert [one["messageId"] for one in listed] == ids[:10]
    assert listed[0] == {"correlationId": CORREL, "format": "MQSTR", "messageId": ids[0]}
    assert len(ask(web, "GET", "/messagelist?limit=100", V2).json["messages"]) == 13
    by_id = ask(web, "GET", f"/messagelist?messageId=ID:{ids[3]}").json["messages"]
    assert [one["messageId"] for one in by_id] == [f"ID:{ids[3]}"]
    web.run("ALTER QLOCAL(ORDERS.IN) GET(DISABLED)")
    assert ask(web, "GET", "/messagelist").json == {"messages": []}


def test_what_is_no_text_is_501_and_stays_until_it_is_poison(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(ORDERS.BO)", "ALTER QLOCAL(ORDERS.IN) BOTHRESH(2) BOQNAME(ORDERS.BO)")
    with web.beside() as backend:
        backend.put1("ORDERS.IN", MQMD(format="MQPCF"), b"pcf")
        backend.commit()
    for method in ("GET", "DELETE", "DELETE"):
        got = ask(web, method, "/message")
        assert (got.status, got.error["msgId"]) == (501, "MQWB0309E")
    assert ask(web, "DELETE", "/message").status == 204
    with web.beside() as backend:
        assert [backend.status(q).curdepth for q in ("ORDERS.IN", "ORDERS.BO")] == [0, 1]


def test_a_get_waits_as_long_as_it_says_and_no_longer_than_the_message(web: WebServer) -> None:
    began_s = time.monotonic()
    assert ask(web, "DELETE", "/message?wait=300").status == 204
    assert 0.3 <= time.monotonic() - began_s < 5
    later = threading.Timer(0.3, put, (WebServerClient(web),))
    later.start()
    began_s = time.monotonic()
    got = ask(web, "DELETE", "/message?wait=20000")
    later.join()
    assert (got.status, got.body) == (200, b"order 17")
    assert time.monotonic() - began_s < 10


def WebServerClient(web: WebServer) -> WebServer:
    """The same server by another socket."""
    other = object.__new__(WebServer)
    other.__dict__.update(web.__dict__, _connection=None)
    return other


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("expiry", "never"), ("expiry", "-1"), ("expiry", "99999999901"), ("persistence", "yes"),
        ("priority", "10"), ("replyTo", "A B"), ("replyTo", "@QM1"), ("correlationId", "ID:12"),
    ],
)  # fmt: skip
def test_a_header_with_a_wrong_value_is_named(web: WebServer, name: str, value: str) -> None:
    headers = {**TEXT, f"ibm-mq-md-{name}": value}
    got = web.request("POST", f"{QUEUE}/message", b"x", user=APP, headers=headers)
    assert (got.status, got.error["msgId"]) == (400, "MQWB0302E")
    assert name in got.error["message"]
    assert ask(web, "GET", "/message").status == 204


@pytest.mark.parametrize(
    ("headers", "body", "answer"),
    [
        ({"Content-Type": "application/octet-stream"}, b"x", (415, "MQWB0306E")),
        ({"Content-Type": "text/plain;charset=latin1"}, b"x", (400, "MQWB0305E")),
        ({**TEXT, "Accept-Charset": "latin1"}, b"x", (400, "MQWB0305E")),
        (TEXT, b"\xff", (400, "MQWB0301E")),
        ({**TEXT, "ibm-mq-usr": "items;x;integer"}, b"x", (400, "MQWB0302E")),
        ({**TEXT, "ibm-mq-usr": "items;3;integer colour"}, b"x", (400, "MQWB0302E")),
    ],
)
def test_what_is_no_text_in_utf8_is_refused(
    web: WebServer, headers: dict[str, str], body: bytes, answer: tuple[int, str]
) -> None:
    got = web.request("POST", f"{QUEUE}/message", body, user=APP, headers=headers)
    assert (got.status, got.error["msgId"]) == answer


def test_messages_are_for_the_role_of_users_alone(web: WebServer) -> None:
    got = web.request("POST", f"{QUEUE}/message", b"x", user=ADMIN, headers=TEXT)
    assert (got.status, got.error["msgId"]) == (403, "MQWB0108E")
    assert got.error["message"] == (
        "MQWB0108E: The authenticated principal 'admin' is not granted access to any of the "
        "required roles: 'MQWebUser'."
    )


def test_reasons_of_the_queue_manager_become_answers(web: WebServer) -> None:
    got = web.request(
        "POST", "/messaging/qmgr/QM1/queue/NONE/message", b"x", user=APP, headers=TEXT
    )
    assert (got.status, got.error["msgId"], got.error["reasonCode"]) == (404, "MQWB0300E", 2085)
    web.run("ALTER QLOCAL(ORDERS.IN) PUT(DISABLED)")
    got = web.request("POST", f"{QUEUE}/message", b"x", user=APP, headers=TEXT)
    assert (got.status, got.error["reasonCode"]) == (405, 2051)
    web.run("ALTER QLOCAL(ORDERS.IN) PUT(ENABLED) MAXMSGL(3)")
    got = web.request("POST", f"{QUEUE}/message", b"long", user=APP, headers=TEXT)
    assert (got.status, got.error["reasonCode"]) == (500, 2030)
    got = web.request("GET", "/messaging/qmgr/QM2/queue/A/message", user=APP)
    assert (got.status, got.error["reasonCode"]) == (404, 2058)


def test_the_authority_of_the_user_counts(web: WebServer) -> None:
    with web.beside() as backend:
        set_switches(backend.manager, ["authority=on"])
    got = web.request("POST", f"{QUEUE}/message", b"x", user=APP, headers=TEXT)
    assert (got.status, got.error["msgId"], got.error["reasonCode"]) == (403, "MQWB0103E", 2035)
    web.run(
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ)",
        "SET AUTHREC PROFILE(ORDERS.IN) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)",
    )
    put(web)
    got = ask(web, "GET", "/message")
    assert got.status == 403
    assert got.error["message"] == "MQWB0103E: Not authorized to browse from ORDERS.IN."


def test_v2_and_v3_publish_and_v1_has_no_topics(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(SUBBED)", "DEFINE SUB(S) TOPICSTR('price/fruit') DEST(SUBBED)")
    path = "/messaging/qmgr/QM1/topic/price/fruit/message"
    got = web.request("POST", path, b"apples", user=APP, headers=TEXT, prefix=V2)
    assert (got.status, len(got.headers["ibm-mq-md-messageid"])) == (201, 48)
    path = "/messaging/qmgr/QM1/topic/price%2Ffruit/message"
    assert web.request("POST", path, b"pears", user=APP, headers=TEXT).status == 201
    listed = web.request("GET", "/messaging/qmgr/QM1/queue/SUBBED/messagelist", user=APP)
    assert len(listed.json["messages"]) == 2
    assert web.request("POST", path, b"x", user=APP, headers=TEXT, prefix=V1).status == 404


def test_names_in_a_path_are_decoded_once_after_it_was_split(web: WebServer) -> None:
    web.run("DEFINE QLOCAL('A/B%2F.C')")
    path = "/messaging/qmgr/QM1/queue/A%2FB%252F%2EC/message"
    assert web.request("POST", path, b"x", user=APP, headers=TEXT).status == 201
    assert web.request("GET", path, user=APP).body == b"x"
    assert web.request("HEAD", path, user=APP)._replace(headers={}) == Got(200, {}, b"")
