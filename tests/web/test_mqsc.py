"""POST /admin/action/qmgr/{name}/mqsc, as text and in JSON."""

from __future__ import annotations

from tests.support.web_server import WebServer


def test_queues_are_displayed_in_json(web: WebServer) -> None:
    web.run(
        "DEFINE QLOCAL(ORDERS.IN) DESCR('orders, new')", "DEFINE QLOCAL(ORDERS.OUT) GET(DISABLED)"
    )
    assert web.command(
        "display qlocal", "ORDERS.*", responseParameters=["curdepth", "maxdepth", "get", "descr"]
    ) == {
        "commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": {
                "queue": "ORDERS.IN", "type": "QLOCAL", "curdepth": 0, "maxdepth": 5000,
                "get": "ENABLED", "descr": "orders, new",
            }},
            {"completionCode": 0, "reasonCode": 0, "parameters": {
                "queue": "ORDERS.OUT", "type": "QLOCAL", "curdepth": 0, "maxdepth": 5000,
                "get": "DISABLED", "descr": "",
            }},
        ],
        "overallCompletionCode": 0, "overallReasonCode": 0,
    }  # fmt: skip


def test_a_queue_is_displayed_as_text(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(ORDERS.IN)")
    assert web.mqsc("DISPLAY QLOCAL(ORDERS.IN) CURDEPTH MAXDEPTH") == {
        "commandResponse": [{"completionCode": 0, "reasonCode": 0, "text": [
            "AMQ8409I: Display Queue details.   QUEUE(ORDERS.IN)   TYPE(QLOCAL)   CURDEPTH(0)"
            "   MAXDEPTH(5000)"
        ]}],
        "overallCompletionCode": 0, "overallReasonCode": 0,
    }  # fmt: skip


def test_an_object_that_is_not_there_is_answered_by_its_codes_and_http_200(web: WebServer) -> None:
    got = web.command_got("display qlocal", "NONE", responseParameters=["curdepth"])
    assert got.status == 200
    assert got.json == {
        "commandResponse": [{
            "completionCode": 2, "reasonCode": 2085,
            "message": ["AMQ8147E: IBM MQ object NONE not found."],
        }],
        "overallCompletionCode": 2, "overallReasonCode": 3008,
    }  # fmt: skip


def test_a_keyword_that_the_command_has_not_is_refused_by_its_name(web: WebServer) -> None:
    got = web.command_got("define qlocal", "A", parameters={"maxmsglen": 5})
    assert (got.status, got.error["msgId"]) == (400, "MQWB0120E")
    assert "maxmsglen" in got.error["message"]


def test_no_queue_manager_of_that_name_is_404(web: WebServer) -> None:
    got = web.request("GET", "/admin/qmgr/qm1")
    assert (got.status, got.error["msgId"], got.error["reasonCode"]) == (404, "MQWB0009E", 2058)
