"""POST /admin/action/qmgr/{name}/mqsc, as text and in JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.descriptor import MQMD
from tests.support.web_server import APP, WebServer


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


def done(message: str) -> dict[str, Any]:
    return {
        "commandResponse": [{"completionCode": 0, "reasonCode": 0, "message": [message]}],
        "overallCompletionCode": 0, "overallReasonCode": 0,
    }  # fmt: skip


def failed(reason: int, *texts: str, form: str = "message") -> dict[str, Any]:
    return {
        "commandResponse": [{"completionCode": 2, "reasonCode": reason, form: list(texts)}],
        "overallCompletionCode": 2, "overallReasonCode": 3008,
    }  # fmt: skip


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_a_queue_is_defined_altered_and_deleted(web: WebServer, version: str) -> None:
    prefix = f"/ibmmq/rest/{version}"
    attributes = {
        "descr": "orders, new", "maxdepth": 500, "defpsist": "yes", "noshare": "yes",
        "boqname": "ORDERS.BO", "bothresh": 3, "noreplace": "yes",
    }  # fmt: skip
    define = {"parameters": attributes, "prefix": prefix}
    assert web.command("define qlocal", "Q", **define) == done("AMQ8006I: IBM MQ queue created.")
    (one,) = web.command("define qlocal", "Q", **define)["commandResponse"]
    assert (one["completionCode"], one["reasonCode"]) == (2, 4001)
    assert one["message"][0].startswith("AMQ8150E: ")
    change = {"put": "disabled", "maxmsgl": 1048576}
    answer = web.command("alter qlocal", "Q", parameters=change, prefix=prefix)
    assert answer == done("AMQ8008I: IBM MQ queue changed.")
    answer = web.command("display qlocal", "Q", responseParameters=["all"], prefix=prefix)
    shown = answer["commandResponse"][0]["parameters"]
    assert (shown["put"], shown["maxmsgl"], shown["bothresh"]) == ("DISABLED", 1048576, 3)
    assert (shown["noshare"], "share" in shown, shown["descr"]) == ("YES", False, "orders, new")
    answer = web.command("delete qlocal", "Q", parameters={"purge": "yes"}, prefix=prefix)
    assert answer == done("AMQ8007I: IBM MQ queue deleted.")


def test_codes_of_what_cannot_be_done(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)")
    with web.beside() as backend:
        backend.put1("A", MQMD(format="MQSTR"), b"x")
        backend.commit()
        answer = web.command("delete qlocal", "A")
        assert answer == failed(2055, "AMQ8143E: IBM MQ queue not empty.")
        backend.open("B", cmqc.MQOO_OUTPUT)
        (one,) = web.command("delete qlocal", "B")["commandResponse"]
        assert (one["reasonCode"], one["message"][0][:8]) == (4004, "AMQ8148E")
    nouns = {"channel": 4032, "sub": 2428, "listener": 2085, "qlocal": 2085}
    for noun, reason in nouns.items():
        (one,) = web.command(f"delete {noun}", "NONE")["commandResponse"]
        assert (one["reasonCode"], one["message"][0][:8]) == (reason, "AMQ8147E"), noun
    answer = web.command("display chstatus", "*")
    assert answer == failed(3065, "AMQ8420I: Channel Status not found.")
    (one,) = web.command("display chlauth", "NONE")["commandResponse"]
    assert one["reasonCode"] == cmqcfc.MQRCCF_CHLAUTH_NOT_FOUND
    (one,) = web.command("start listener", "SYSTEM.DEFAULT.LISTENER.TCP")["commandResponse"]
    assert (one["reasonCode"], one["message"]) == (
        3007,
        ["not emulated: START LISTENER works only for the port that 'emulator serve --tcp' uses"],
    )


def test_errors_of_syntax(web: WebServer) -> None:
    first = "AMQ8405I: Syntax error detected at or near end of command segment below:-"
    assert web.mqsc("DISPLAY QLOKAL") == failed(3008, first, "DISPLAY QLOKAL", form="text")
    answer = web.mqsc("DISPLAY QLOCAL(NONE)")
    assert answer == failed(2085, "AMQ8147E: IBM MQ object NONE not found.", form="text")
    (one,) = web.command("define qlocal", "A", parameters={"maxdepth": -1})["commandResponse"]
    assert (one["reasonCode"], one["message"][0]) == (3008, first)


def test_status_of_a_queue_and_of_its_handles(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(A) MONQ(HIGH)")
    with web.beside() as backend:
        backend.open("A", cmqc.MQOO_INPUT_SHARED)
        backend.open("A", cmqc.MQOO_OUTPUT)
        backend.put1("A", MQMD(format="MQSTR"), b"x")
        backend.commit()
        answer = web.command(
            "display qstatus", "A", parameters={"type": "queue"}, responseParameters=["all"]
        )
        (one,) = (element["parameters"] for element in answer["commandResponse"])
        assert {"lputdate", "lputtime", "lgetdate", "monq", "medialog", "uncom"} <= set(one)
        assert (one["queue"], one["type"], one["curdepth"], one["ipprocs"]) == ("A", "QUEUE", 1, 1)
        assert (one["monq"], one["opprocs"], one["qtime"]) == ("HIGH", 1, [])
        answer = web.command(
            "display qstatus", "A", parameters={"type": "handle"}, responseParameters=["all"]
        )
    (one,) = (element["parameters"] for element in answer["commandResponse"])
    assert (one["queue"], one["type"], set(one)) == ("A", "HANDLE", {"queue", "type", "objects"})
    assert [handle["input"] for handle in one["objects"]] == ["SHARED", "NO"]


def test_channel_authentication_records(web: WebServer) -> None:
    given = {"type": "addressmap", "address": "10.1.*", "usersrc": "map", "mcauser": "app"}
    web.command("set chlauth", "APP.SVRCONN", parameters={**given, "chckclnt": "required"})
    assert web.command(
        "display chlauth", "APP.SVRCONN", parameters={"type": "addressmap"},
        responseParameters=["address", "chckclnt", "mcauser", "usersrc"],
    )["commandResponse"] == [{"completionCode": 0, "reasonCode": 0, "parameters": {
        "chlauth": "APP.SVRCONN", "type": "ADDRESSMAP", "address": "10.1.*",
        "chckclnt": "REQUIRED", "mcauser": "app", "usersrc": "MAP",
    }}]  # fmt: skip


def test_a_filter_keeps_what_it_says(web: WebServer) -> None:
    web.run("DEFINE QLOCAL(A) MAXDEPTH(7)", "DEFINE QLOCAL(B)")
    answer = web.command("display queue", "*", parameters={"where": "maxdepth eq 7"})
    assert [one["parameters"] for one in answer["commandResponse"]] == [
        {"queue": "A", "type": "QLOCAL", "maxdepth": 7}
    ]


def test_a_queue_manager_that_ends_is_told_and_is_there_again(web: WebServer) -> None:
    path = qmgr_path(web.home, "QM1")
    with closing(open_manager(path)) as manager:
        lifecycle.stop(manager)
    assert web.request("GET", "/admin/qmgr").json["qmgr"] == [
        {"name": "QM1", "state": "endedNormally"}
    ]
    got = web.command_got("display qmgr")
    assert (got.status, got.error["msgId"], got.error["reasonCode"]) == (503, "MQWB0004E", 2059)
    got = web.request("GET", "/messaging/qmgr/QM1/queue/A/message", user=APP)
    assert (got.status, got.error["reasonCode"]) == (503, 2059)
    with closing(open_manager(path)) as manager:
        lifecycle.start(manager)
    assert web.command("ping qmgr") == done("AMQ8415I: Ping IBM MQ Queue Manager command complete.")


def test_zos_answers_in_its_own_messages(new_web: Callable[..., WebServer]) -> None:
    web = new_web(platform="zos")
    web.run("DEFINE QLOCAL(A)")
    (one,) = web.mqsc("DISPLAY QLOCAL(A) CURDEPTH")["commandResponse"]
    assert one["text"][0].startswith("CSQN205I   COUNT=")
    assert one["text"][-1].endswith("NORMAL COMPLETION")
    (one,) = web.command("display qlocal", "A", responseParameters=["curdepth"])["commandResponse"]
    assert one["parameters"] == {"queue": "A", "type": "QLOCAL", "curdepth": 0}


def test_several_queue_managers_stand_behind_one_port(new_web: Callable[..., WebServer]) -> None:
    web = new_web("QM2", "QM1")
    assert [one["name"] for one in web.request("GET", "/admin/qmgr").json["qmgr"]] == ["QM1", "QM2"]
    for name in ("QM1", "QM2"):
        assert web.request("GET", f"/admin/qmgr/{name}").json["qmgr"][0]["name"] == name
        assert f"QMNAME({name})" in web.mqsc("DISPLAY QMGR", name)["commandResponse"][0]["text"][0]
    content = {"type": "runCommand", "parameters": {"command": "PING QMGR"}}
    path, gateway = "/admin/action/qmgr/QM2/mqsc", "ibm-mq-rest-gateway-qmgr"
    got = web.request("POST", path, content, headers={gateway: "QM1"})
    assert (got.status, got.headers[gateway]) == (200, "QM1")
    got = web.request("POST", path, content, headers={gateway: "QM3"})
    assert (got.status, got.error["msgId"]) == (404, "MQWB0009E")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_a_method_that_a_resource_has_not_is_405(web: WebServer, method: str) -> None:
    got = web.request(method, "/admin/action/qmgr/QM1/mqsc")
    assert (got.status, got.error["msgId"]) == (405, "MQWB2005E")


def test_no_such_uri_is_told_to_users_alone(web: WebServer) -> None:
    got = web.request("GET", "/admin/qmgrs")
    assert (got.status, got.error["msgId"]) == (404, "MQWB0116E")
    assert "/ibmmq/rest/v3/admin/qmgrs" in got.error["message"]
    assert web.request("GET", "/admin/qmgrs", user=None).status == 401
    assert web.request("GET", "/admin/qmgr", prefix="/ibmmq/rest/v4").status == 404


def test_the_installation_is_there_before_any_queue_manager_is_asked(web: WebServer) -> None:
    (one,) = web.request("GET", "/admin/installation").json["installation"]
    assert (one["name"], one["version"]) == ("Installation1", "9.4.0.0")
    (one,) = web.request("GET", "/admin/installation/Installation1?attributes=*").json[
        "installation"
    ]
    assert set(one) == {"name", "platform", "version", "extended"}
    assert web.request("GET", "/admin/installation/Installation2").status == 404


def test_a_queue_manager_tells_its_status_where_it_is_asked(web: WebServer) -> None:
    with web.beside() as backend:
        backend.open("SYSTEM.DEFAULT.LOCAL.QUEUE", cmqc.MQOO_INPUT_SHARED)
        (one,) = web.request("GET", "/admin/qmgr/QM1?status=*&attributes=*").json["qmgr"]
    assert one["status"]["connectionCount"] == 1
    assert one["extended"]["installationName"] == "Installation1"
    assert web.request("GET", "/admin/qmgr?state=running").json["qmgr"] == [
        {"name": "QM1", "state": "running"}
    ]
    assert web.request("GET", "/admin/qmgr?state=ended").json == {"qmgr": []}
