"""/admin/qmgr/{name}/queue, which v1 alone has."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.web import queues
from mqtriage.mq.attributes.catalogue import attribute
from mqtriage.mq.descriptor import MQMD
from tests.support.web_server import APP, Got, WebServer

QUEUES = "/admin/qmgr/QM1/queue"
V1 = "/ibmmq/rest/v1"


def ask(web: WebServer, method: str, tail: str = "", body: object = None, **more: Any) -> Got:
    return web.request(method, QUEUES + tail, body, prefix=V1, **more)


def test_a_queue_is_made_changed_and_deleted(web: WebServer) -> None:
    content = {
        "name": "ORDERS.IN", "type": "local",
        "general": {"description": "orders, new", "inhibitPut": True},
        "storage": {"maximumDepth": 500, "messageDeliverySequence": "fifo"},
        "extended": {"allowSharedInput": False, "backoutRequeueQueueName": "ORDERS.BO"},
        "events": {"depth": {"highEnabled": True, "highPercentage": 70}},
    }  # fmt: skip
    got = ask(web, "POST", body=content)
    assert (got.status, got.body) == (201, b"")
    assert got.headers["location"] == f"{V1}{QUEUES}/ORDERS.IN"
    (shown,) = ask(web, "GET", "/ORDERS.IN?attributes=*&status=*").json["queue"]
    assert shown["general"] == {
        "description": "orders, new", "inhibitGet": False, "inhibitPut": True,
        "isTransmissionQueue": False,
    }  # fmt: skip
    assert shown["storage"]["messageDeliverySequence"] == "fifo"
    assert shown["extended"]["allowSharedInput"] is False
    assert shown["events"]["depth"]["highPercentage"] == 70
    assert shown["status"] == {"currentDepth": 0, "openInputCount": 0, "openOutputCount": 0}
    assert set(shown["timestamps"]) == {"altered", "created"}
    change = {"type": "local", "general": {"inhibitPut": False}, "trigger": {"enabled": True}}
    assert ask(web, "PATCH", "/ORDERS.IN", change).status == 204
    (shown,) = ask(web, "GET", "/ORDERS.IN?attributes=trigger.enabled,general").json["queue"]
    assert (shown["trigger"], shown["general"]["inhibitPut"]) == ({"enabled": True}, False)
    assert "storage" not in shown
    with web.beside() as backend:
        backend.put1("ORDERS.IN", MQMD(), b"x")
        backend.commit()
    got = ask(web, "DELETE", "/ORDERS.IN")
    assert (got.status, got.error["reasonCode"]) == (400, 2055)
    assert ask(web, "DELETE", "/ORDERS.IN?purge").status == 204
    got = ask(web, "GET", "/ORDERS.IN")
    assert (got.status, got.error["msgId"], got.error["reasonCode"]) == (404, "MQWB0037E", 2085)


def test_queues_are_listed_by_name_type_and_filter(web: WebServer) -> None:
    web.run(
        "DEFINE QLOCAL(DEV.A) MAXDEPTH(7)", "DEFINE QALIAS(DEV.B) TARGET(DEV.A)", "DEFINE QLOCAL(X)"
    )
    assert ask(web, "GET", "?name=DEV*").json["queue"] == [
        {"name": "DEV.A", "type": "local"}, {"name": "DEV.B", "type": "alias"},
    ]  # fmt: skip
    assert ask(web, "GET", "?name=DEV*&type=alias&attributes=alias").json["queue"] == [
        {"name": "DEV.B", "type": "alias", "alias": {"targetName": "DEV.A", "targetType": "queue"}}
    ]
    listed = ask(web, "GET", "?filter=storage.maximumDepth:equalTo:7").json["queue"]
    assert [one["name"] for one in listed] == ["DEV.A"]
    assert ask(web, "GET", "?name=NONE*").json == {"queue": []}


def test_what_is_there_is_replaced_unless_it_is_not_to_be(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(A) DESCR('first')")
    got = ask(web, "POST", "?noReplace", {"name": "A"})
    assert (got.status, got.error["reasonCode"]) == (409, 4001)
    assert ask(web, "POST", "", {"name": "A", "general": {"description": "second"}}).status == 201


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ({"name": "A", "general": {"descr": "x"}}, "MQWB0120E"),
        ({"name": "A", "type": "qlocal"}, "MQWB2004E"),
        ({"name": "A", "general": {"inhibitPut": "yes"}}, "MQWB2004E"),
        ({"name": "A", "type": "alias", "storage": {"maximumDepth": 5}}, "MQWB0120E"),
        ({"name": "A", "storage": {"maximumDepth": -5}}, "MQWB0004E"),
        ({"type": "local"}, "MQWB2004E"),
        ([], "MQWB2004E"),
    ],
)
def test_what_is_wrong_in_a_body_is_told(web: WebServer, content: Any, answer: str) -> None:
    got = ask(web, "POST", "", content)
    assert (got.status, got.error["msgId"]) == (400, answer)


@pytest.mark.parametrize("query", ["?type=qlocal", "?attributes=none", "?filter=a:b:c", "?name=A'"])
def test_what_is_wrong_in_a_query_is_told(web: WebServer, query: str) -> None:
    got = ask(web, "GET", query)
    assert (got.status, got.error["msgId"]) == (400, "MQWB0120E")


def test_it_is_in_v1_alone_and_a_reader_changes_nothing(web: WebServer) -> None:
    assert web.request("GET", QUEUES).status == 404
    web.close()
    web = WebServer(web.home, web_roles=("app=MQWebAdminRO",))
    try:
        assert ask(web, "GET", user=APP).status == 200
        assert ask(web, "POST", "", {"name": "A"}, user=APP).status == 403
    finally:
        web.close()


@pytest.mark.slow
def test_every_attribute_is_one_of_mqsc_with_all_its_words() -> None:
    kinds = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
    for name, field in queues._FIELDS.items():
        entries = [entry for kind in kinds if (entry := attribute(kind, field.keyword))]
        assert entries, name
        words = set(entries[0].words) | ({"YES", "NO"} if entries[0].kind == "flag" else set())
        assert set(field.words) <= words, name
