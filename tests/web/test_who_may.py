"""Logging in and out, the CSRF header, roles: who is let in, and what the others are told."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.commands.emulator.switches import set_switches
from mqtriage.mq.errors import UsageError
from tests.channel.test_tls import Certificates
from tests.support.web_server import ADMIN, APP, Got, WebServer

LOGIN = {"username": "app", "password": "passw0rd"}
HASH = (
    "$6$mqtriage$I4SWw2PB.uN5Mqc.qvEqzZI.D/DYyU0l.ODo.Iw30mqzLEJp"
    "7fcia5GvKQh.vUJc5vZ.07wAeLR1StHWu7ZUu0"
)
COOKIE = re.compile(r"(LtpaToken2_\d{19})=([^;]+); Path=/; Secure; HttpOnly; SameSite=Strict")


def told(got: Got) -> tuple[int, str]:
    return got.status, got.error["msgId"]


def cookie_of(web: WebServer, user: tuple[str, str] = APP) -> str:
    """What a browser keeps of a log-in."""
    content = {"username": user[0], "password": user[1]}
    got = web.request(
        "POST", "/login", content, user=None, headers={"ibm-mq-rest-csrf-token": None}
    )
    assert (got.status, got.body) == (204, b"")
    match = COOKIE.fullmatch(got.headers["set-cookie"])
    assert match is not None
    return f"{match[1]}={match[2]}"


def test_every_answer_has_the_headers_that_browsers_heed(web: WebServer) -> None:
    for got in (web.request("GET", "/admin/qmgr"), web.request("GET", "/admin/qmgr", user=None)):
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["x-xss-protection"] == "1;mode=block"
        assert got.headers["x-frame-options"] == "DENY"
        assert got.headers["cache-control"] == "no-cache, no-store, must-revalidate"
        assert got.headers["content-security-policy"].startswith("default-src 'none'; script-src")
        assert got.headers["content-language"] == "en-US"
        assert got.headers["content-type"] == "application/json;charset=utf-8"


def test_a_token_does_what_a_password_does(web: WebServer) -> None:
    cookie = cookie_of(web)
    got = web.request("GET", "/login", user=None, headers={"Cookie": cookie})
    assert got.json == {"user": [{"name": "app", "role": ["MQWebUser"]}]}
    assert web.request("GET", "/login", user=ADMIN).json == {
        "user": [{"name": "admin", "role": ["MQWebAdmin"]}]
    }
    assert web.request("GET", "/admin/qmgr", user=None, headers={"Cookie": cookie}).status == 200


def test_logging_out_takes_the_cookie_away_and_the_token_holds_on(web: WebServer) -> None:
    """IBM: the token itself is valid until it expires."""
    cookie = cookie_of(web)
    got = web.request("DELETE", "/login", user=None, headers={"Cookie": cookie})
    assert got.status == 204
    assert got.headers["set-cookie"].startswith(
        f'{cookie.partition("=")[0]}=""; Expires=Thu, 01 Jan'
    )
    assert web.request("GET", "/login", user=None, headers={"Cookie": cookie}).status == 200


def test_a_token_ends_with_its_time(
    new_web: Callable[..., WebServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = new_web(web_properties=("ltpaExpiration=1",))
    cookie = cookie_of(web)
    now_s = time.time()
    monkeypatch.setattr("mqtriage.emulator.web.users.time.time", lambda: now_s + 61)
    got = web.request("GET", "/admin/qmgr", user=None, headers={"Cookie": cookie})
    assert told(got) == (401, "MQWB0112E")


@pytest.mark.parametrize("change", [lambda c: "garbage", lambda c: c[:-6] + "AAAAAA", lambda c: ""])
def test_a_token_that_was_changed_is_none(web: WebServer, change: Callable[[str], str]) -> None:
    name, _, value = cookie_of(web).partition("=")
    headers: dict[str, str | None] = {"Cookie": f"{name}={change(value)}"}
    got = web.request("GET", "/admin/qmgr", user=None, headers=headers)
    assert told(got) == (401, "MQWB0112E")
    assert got.error["message"].startswith(f"MQWB0112E: The '{name}' ")
    assert got.headers["set-cookie"].startswith(f'{name}=""; Expires=Thu, 01 Jan 1970 00:00:00 GMT')


def test_nobody_is_told_so_without_a_cookie(web: WebServer) -> None:
    got = web.request("GET", "/admin/qmgr", user=None)
    assert told(got) == (401, "MQWB0104E")
    assert "set-cookie" not in got.headers
    assert set(got.error) == {
        "action", "completionCode", "explanation", "message", "msgId", "reasonCode", "type",
    }  # fmt: skip
    assert list(got.error) == sorted(got.error)
    assert (got.error["completionCode"], got.error["reasonCode"], got.error["type"]) == (
        0,
        0,
        "rest",
    )


@pytest.mark.parametrize(
    "user", [("admin", "wrong"), ("nobody", "passw0rd"), ("Admin", "passw0rd")]
)
def test_a_wrong_password_and_a_wrong_user_are_told_alike(
    web: WebServer, user: tuple[str, str]
) -> None:
    got = web.request("GET", "/admin/qmgr", user=user)
    assert told(got) == (401, "MQWB0105E")
    assert got.error["message"] == "MQWB0105E: HTTP basic authentication failed."
    content = {"username": user[0], "password": user[1]}
    assert web.request("POST", "/login", content, user=None).status == 401


@pytest.mark.parametrize("content", [[], {}, {"username": "app"}, {"username": 1, "password": "x"}])
def test_a_log_in_without_user_and_password_is_400(web: WebServer, content: object) -> None:
    assert web.request("POST", "/login", content, user=None).status == 400


@pytest.mark.parametrize("header", ["Basic", "Basic !", "Basic YWRtaW4=", "Bearer x", "Digest y"])
def test_credentials_that_cannot_be_read_let_nobody_in(web: WebServer, header: str) -> None:
    got = web.request("GET", "/admin/qmgr", user=None, headers={"Authorization": header})
    assert got.status == 401


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", "/login"), ("POST", "/admin/action/qmgr/QM1/mqsc")]
)
def test_what_changes_something_needs_the_csrf_header_whatever_its_value(
    web: WebServer, method: str, path: str
) -> None:
    content = {"type": "runCommand", "parameters": {"command": "PING QMGR"}}
    got = web.request(method, path, content, headers={"ibm-mq-rest-csrf-token": None})
    assert told(got) == (403, "MQWB0100E")
    assert web.request(method, path, content, headers={"ibm-mq-rest-csrf-token": ""}).status < 300


ROLES = (
    ("MQWebAdmin", True, True, False),
    ("MQWebAdminRO", True, False, False),
    ("MQWebUser", True, True, True),
)


@pytest.mark.parametrize(("role", "looks", "changes", "sends"), ROLES)
def test_a_role_does_what_ibm_says_of_it(
    new_web: Callable[..., WebServer], role: str, looks: bool, changes: bool, sends: bool
) -> None:
    web = new_web(web_roles=(f"app={role}",))
    web.run("DEFINE QLOCAL(A)")
    assert (web.command_got("display qlocal", "A", user=APP).status == 200) is looks
    got = web.command_got("define qlocal", "B", user=APP)
    assert (got.status == 200) is changes
    if not changes:
        assert told(got) == (403, "MQWB0108E")
    path = "/messaging/qmgr/QM1/queue/A/message"
    got = web.request("POST", path, b"x", user=APP, headers={"Content-Type": "text/plain"})
    assert (got.status == 201) is sends
    if not sends:
        assert told(got) == (403, "MQWB0108E")


def test_of_several_roles_the_strongest_for_the_command_counts(
    new_web: Callable[..., WebServer],
) -> None:
    """With RO and User a DISPLAY runs as the server's user, a DEFINE as the one logged in."""
    web = new_web(web_roles=("app=MQWebAdminRO", "app=MQWebUser"))
    web.run("DEFINE QLOCAL(A)")
    with web.beside() as backend:
        set_switches(backend.manager, ["authority=on"])
    assert web.command("display qlocal", "A", user=APP)["overallReasonCode"] == 0
    answer = web.command("define qlocal", "B", user=APP)["commandResponse"]
    assert answer == [
        {"completionCode": 2, "reasonCode": 2035, "message": ["AMQ8135E: Not authorized."]}
    ]
    web.run("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CRT)")
    web.run("SET AUTHREC PROFILE(B) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(CRT)")
    assert web.command("define qlocal", "B", user=APP)["overallReasonCode"] == 0


def test_users_come_from_the_file_of_passwords(
    new_web: Callable[..., WebServer], tmp_path: Path
) -> None:
    file = tmp_path / "users"
    file.write_text("bank:se:cret\nadmin:other\n")
    file.chmod(0o600)
    web = new_web(passwords=str(file))
    assert web.request("GET", "/login", user=("bank", "se:cret")).json["user"][0]["role"] == [
        "MQWebUser"
    ]
    assert web.request("GET", "/login", user=("admin", "other")).status == 200
    assert web.request("GET", "/login", user=ADMIN).status == 401


def test_a_file_may_hold_hashes(new_web: Callable[..., WebServer], tmp_path: Path) -> None:
    """As `openssl passwd -6` writes them; a password is worked out once."""
    file = tmp_path / "users"
    file.write_text(f"app:{HASH}\n")
    file.chmod(0o600)
    web = new_web(passwords=str(file))
    for _ in range(2):
        assert web.request("GET", "/login", user=APP).status == 200
        for wrong in (("app", "passw0re"), ("app", HASH), ("app", "x" * 10_000), ("", "")):
            assert web.request("GET", "/login", user=wrong).status == 401


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"web_roles": ("app=MQWeb",)}, "roles are MQWebAdmin, MQWebAdminRO, MQWebUser"),
        ({"web_roles": ("who=MQWebUser",)}, "there is no user who"),
        ({"web_properties": ("ltpaCookieName=a b",)}, "ltpaCookieName=NAME"),
        ({"web_properties": ("ltpaExpiration=0",)}, "ltpaExpiration=MINUTES"),
        ({"web_properties": ("mqRestCsrfValidation=false",)}, "--web-property mqRest"),
        ({"address": "0.0.0.0"}, "accepts programs on other machines"),
        ({"address": "0.0.0.0", "allow_remote": True}, "needs TLS or passwords"),
        (
            {"address": "0.0.0.0", "allow_remote": True, "tls_cert": "c", "tls_key": "k"},
            "--web for other machines needs --passwords",
        ),
    ],
)
def test_what_the_owner_says_wrongly_is_told(
    new_web: Callable[..., WebServer], options: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        new_web(**options)


def test_the_key_that_the_server_made_is_for_its_owner_alone(web: WebServer) -> None:
    certificate = Path(web.serving.ca_file)
    assert os.stat(certificate.with_suffix(".key")).st_mode & 0o777 == 0o600
    before = certificate.read_bytes()
    web.close()
    again = WebServer(web.home)
    try:
        assert certificate.read_bytes() == before
        assert again.request("GET", "/admin/qmgr").status == 200
    finally:
        again.close()


@pytest.mark.slow
def test_a_certificate_whose_common_name_is_a_user_is_enough(
    new_web: Callable[..., WebServer], tmp_path: Path
) -> None:
    certificates = Certificates(tmp_path)
    file = tmp_path / "users"
    file.write_text("app1:unknown\n")
    file.chmod(0o600)
    web = new_web(passwords=str(file), **certificates.options())
    web.context = certificates.client("app")
    got = web.request("GET", "/login", user=None)
    assert got.json == {"user": [{"name": "app1", "role": ["MQWebUser"]}]}
    web.forget_connection()
    web.context = certificates.client("ops")
    assert told(web.request("GET", "/login", user=None)) == (401, "MQWB0104E")
