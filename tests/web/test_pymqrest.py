"""pymqrest, a client for the REST API by somebody else: every one of its command methods.

What each was answered is the table in docs/rest-programs.md, which `pytest --update-golden` writes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.mqsc.verbs import only_platform
from tests.support.web_server import WebServer

pymqrest = pytest.importorskip("pymqrest", reason="pymqrest needs Python 3.12")

PAGE: Final = Path(__file__).parents[2] / "docs/rest-programs.md"
BEGIN, END = "<!-- pymqrest -->\n", "<!-- end -->\n"
CALLS: Final[tuple[tuple[str, str | None, dict[str, Any]], ...]] = (
    ("ping_qmgr", None, {}),
    ("display_qmgr", None, {}),
    ("display_qmstatus", None, {}),
    ("alter_qmgr", None, {"DESCR": "tried", "MAXHANDS": 300}),
    ("define_qlocal", "A", {"DESCR": "it's new", "MAXDEPTH": 10, "REPLACE": "NO"}),
    ("define_qlocal", "B", {"LIKE": "A", "SHARE": "NO"}),
    ("alter_qlocal", "A", {"GET": "DISABLED", "TRIGGER": "YES", "TRIGTYPE": "EVERY"}),
    ("define_qmodel", "M", {"DEFTYPE": "PERMDYN"}),
    ("alter_qmodel", "M", {"MAXDEPTH": 20}),
    ("define_qalias", "AL", {"TARGET": "A"}),
    ("alter_qalias", "AL", {"PUT": "DISABLED"}),
    ("define_qremote", "R", {"RNAME": "Q", "RQMNAME": "QM2", "XMITQ": ""}),
    ("alter_qremote", "R", {"DESCR": "far"}),
    ("display_queue", "*", {}),
    ("display_qstatus", "A", {}),
    ("reset_qstats", "A", {}),
    ("move_qlocal", "A", {"TOQLOCAL": "B"}),
    ("clear_qlocal", "A", {}),
    ("define_channel", "C", {"CHLTYPE": "SVRCONN", "MAXINST": 5}),
    ("alter_channel", "C", {"CHLTYPE": "SVRCONN", "MAXINSTC": 2}),
    ("display_channel", "*", {}),
    ("display_chstatus", "*", {}),
    ("stop_channel", "C", {}),
    ("display_chstatus", "*", {}),
    ("start_channel", "C", {}),
    ("ping_channel", "C", {}),
    ("reset_channel", "C", {}),
    ("resolve_channel", "C", {"ACTION": "COMMIT"}),
    ("purge_channel", "C", {}),
    ("set_chlauth", "C", {"TYPE": "BLOCKUSER", "USERLIST": ["a", "b"]}),
    ("display_chlauth", "*", {}),
    ("define_listener", "L", {"TRPTYPE": "TCP", "PORT": 1414}),
    ("alter_listener", "L", {"PORT": 1415}),
    ("display_listener", "*", {}),
    ("start_listener", "L", {}),
    ("display_lsstatus", "*", {}),
    ("stop_listener", "L", {}),
    ("define_namelist", "N", {"NAMES": ["A", "B"]}),
    ("alter_namelist", "N", {"NAMES": ["A"]}),
    ("display_namelist", "*", {}),
    ("define_process", "P", {"APPLICID": "/bin/true"}),
    ("alter_process", "P", {"USERDATA": "x"}),
    ("display_process", "*", {}),
    ("define_service", "S", {"STARTCMD": "/bin/true"}),
    ("alter_service", "S", {"DESCR": "one"}),
    ("display_service", "*", {}),
    ("start_service", "S", {}),
    ("display_svstatus", "*", {}),
    ("stop_service", "S", {}),
    ("define_topic", "T", {"TOPICSTR": "price/fruit"}),
    ("alter_topic", "T", {"PUB": "DISABLED"}),
    ("display_topic", "*", {}),
    ("display_tpstatus", "#", {}),
    ("display_tcluster", "*", {}),
    ("clear_topicstr", "price/fruit", {"CLRTYPE": "RETAINED"}),
    ("define_sub", "U", {"TOPICSTR": "price/#", "DEST": "B"}),
    ("alter_sub", "U", {"USERDATA": "x"}),
    ("display_sub", "*", {}),
    ("display_sbstatus", "*", {}),
    ("define_authinfo", "AI", {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "OPTIONAL"}),
    ("alter_authinfo", "AI", {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "NONE"}),
    ("display_authinfo", "*", {}),
    ("define_comminfo", "CI", {"TYPE": "MULTICAST"}),
    ("alter_comminfo", "CI", {"DESCR": "one"}),
    ("display_comminfo", "*", {}),
    ("set_authrec", None, {
        "PROFILE": "A", "OBJTYPE": "QUEUE", "PRINCIPAL": ["app"], "AUTHADD": ["GET", "PUT"],
    }),
    ("display_authrec", None, {"PROFILE": "A", "OBJTYPE": "QUEUE"}),
    ("delete_authrec", None, {"PROFILE": "A", "OBJTYPE": "QUEUE", "PRINCIPAL": ["app"]}),
    ("display_authserv", None, {}),
    ("display_entauth", None, {"PRINCIPAL": "app", "OBJTYPE": "QUEUE", "OBJNAME": "A"}),
    ("display_conn", "*", {}),
    ("stop_conn", "0", {}),
    ("display_pubsub", None, {}),
    ("display_clusqmgr", "*", {}),
    ("display_apstatus", "*", {}),
    ("display_policy", "*", {}),
    ("set_policy", "A", {"SIGNALG": "NONE"}),
    ("delete_policy", "A", {}),
    ("refresh_security", None, {}),
    ("refresh_qmgr", None, {"TYPE": "CONFIGEV"}),
    ("refresh_cluster", "*", {}),
    ("reset_cluster", "CLUS", {"ACTION": "FORCEREMOVE", "QMNAME": "QM2"}),
    ("reset_qmgr", None, {"TYPE": "STATISTICS"}),
    ("suspend_qmgr", None, {"CLUSTER": "CLUS"}),
    ("resume_qmgr", None, {"CLUSTER": "CLUS"}),
    ("set_log", None, {"ARCHIVED": "S0000000.LOG"}),
    ("start_chinit", None, {}),
    ("start_cmdserv", None, {}),
    ("stop_cmdserv", None, {}),
    ("delete_sub", "U", {}),
    ("delete_topic", "T", {}),
    ("delete_service", "S", {}),
    ("delete_process", "P", {}),
    ("delete_namelist", "N", {}),
    ("delete_listener", "L", {}),
    ("delete_comminfo", "CI", {}),
    ("delete_authinfo", "AI", {}),
    ("delete_channel", "C", {}),
    ("delete_qremote", "R", {}),
    ("delete_qalias", "AL", {}),
    ("delete_qmodel", "M", {}),
    ("delete_qlocal", "A", {"PURGE": "YES"}),
    ("delete_qlocal", "A", {}),
    ("delete_queue", "B", {}),
)  # fmt: skip
"""Those that a queue manager of Multiplatforms has, in an order in which each has its object."""
TRIED: Final = (
    "qmgr", "qmstatus", "queue", "qstatus", "channel", "listener", "topic", "namelist", "process",
)  # fmt: skip
"""What its authors display on queue managers of 9.4; its names of others lack some, as SERVICE."""


@pytest.fixture
def session(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", web.serving.ca_file)
    yield pymqrest.MQRESTSession(
        f"{web.url}/ibmmq/rest/v2", "QM1",
        credentials=pymqrest.BasicAuth("admin", "passw0rd"), map_attributes=False,
    )  # fmt: skip


def methods() -> dict[str, Callable[..., Any]]:
    from pymqrest.commands import MQRESTCommandMixin

    members = inspect.getmembers(MQRESTCommandMixin, inspect.isfunction)
    return {name: function for name, function in members if not name.startswith("_")}


def answered(session: Any, method: str, name: str | None, given: dict[str, Any]) -> str:
    """What a call was answered, in a cell of the table."""
    named = {} if name is None else {"name": name}
    try:
        result = getattr(session, method)(**named, request_parameters=given)
    except pymqrest.MQRESTCommandError as error:
        (element,) = error.payload["commandResponse"]
        text = element["message"][0].partition(":")[0]
        reason = element["reasonCode"]
        return f"{reason} {name_of_reason(reason)}, {text}"
    payload = session.last_response_payload
    if session.last_http_status != 200:  # pymqrest takes no notice of that
        (wrong,) = payload["error"]
        return f"{session.last_http_status} {wrong['msgId']}"
    if isinstance(result, list):
        return f"{len(result)} objects" if len(result) != 1 else "1 object"
    if isinstance(result, dict):
        return f"{len(result)} attributes"
    return str(payload["commandResponse"][0].get("message", [""])[0]).partition(":")[0] or "done"


def table(session: Any) -> str:
    """Markdown: each method with what it was answered."""
    rows = [(method, answered(session, method, name, given)) for method, name, given in CALLS]
    named = {method for method, _, _ in CALLS}
    for method, function in methods().items():
        if method not in named:
            takes_name = "name" in inspect.signature(function).parameters
            rows.append((method, answered(session, method, "1" if takes_name else None, {})))
    lines = [f"| `{method}` | {answer} |\n" for method, answer in sorted(dict(rows[::-1]).items())]
    return "".join(["| method | response |\n", "|---|---|\n", *lines])


def test_every_command_method_is_answered_as_the_page_says(
    session: Any, request: pytest.FixtureRequest
) -> None:
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    there, _, after = rest.partition(END)
    written = table(session)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(f"{before}{BEGIN}{written}{END}{after}", "utf-8")
        there = written
    assert there == written, "docs/rest-programs.md is not what was run: pytest --update-golden"
    assert written.count("\n") == 2 + len(methods())


def test_what_only_zos_has_is_a_syntax_error_and_nothing_else_is(session: Any) -> None:
    """A refusal is one that IBM documents: no such command here, or what the object says."""
    named = {method: (name, given) for method, name, given in CALLS}
    for method, function in methods().items():
        verb, _, noun = method.upper().partition("_")
        takes_name = "name" in inspect.signature(function).parameters
        name, given = named.get(method, ("1" if takes_name else None, {}))
        answer = answered(session, method, name, given)
        is_of_zos = only_platform(verb, noun) == "zos"
        assert is_of_zos == (answer == "3008 MQRCCF_COMMAND_FAILED, AMQ8405I"), (method, answer)


def strict(web: WebServer, **more: Any) -> Any:
    return pymqrest.MQRESTSession(
        f"{web.url}/ibmmq/rest/v2", "QM1", credentials=pymqrest.BasicAuth("admin", "passw0rd"),
        **more,
    )  # fmt: skip


def test_its_strict_names_are_all_that_displays_answer(web: WebServer, session: Any) -> None:
    """Its authors read these from queue managers of 9.4; a name that they never saw raises."""
    for method, name, given in CALLS:
        if method.startswith("define_"):
            answered(session, method, name, given)
    for noun in TRIED:
        named = {} if noun.startswith("qm") else {"name": "A" if noun == "qstatus" else "*"}
        assert getattr(strict(web), f"display_{noun}")(**named), noun


ENSURED: Final = {
    "ensure_qlocal": ("Q.E", {"description": "one", "max_queue_depth": 9}, {"max_queue_depth": 8}),
    "ensure_qremote": ("R.E", {"remote_queue_name": "X"}, {"remote_queue_name": "Y"}),
    "ensure_qalias": ("A.E", {"target_queue_name": "Q.E"}, {"target_queue_name": "R.E"}),
    "ensure_qmodel": ("M.E", {"description": "one"}, {"description": "two"}),
    "ensure_channel": (
        "C.E", {"channel_type": "SVRCONN", "description": "one"},
        {"channel_type": "SVRCONN", "description": "two"},
    ),
    "ensure_listener": (
        "L.E", {"transport_type": "TCP", "port": 1414}, {"transport_type": "TCP", "port": 1415},
    ),
    "ensure_namelist": ("N.E", {"names": ["A", "B"]}, {"names": ["A"]}),
    "ensure_process": ("P.E", {"description": "one"}, {"description": "two"}),
    "ensure_topic": ("T.E", {"topic_string": "e"}, {"topic_string": "e", "description": "two"}),
}  # fmt: skip


@pytest.mark.parametrize("method", ENSURED)
def test_ensure_creates_once_finds_it_right_and_changes_what_differs(
    web: WebServer, session: Any, method: str
) -> None:
    name, first, second = ENSURED[method]
    ensure = getattr(strict(web), method)
    actions = [
        ensure(name, attributes).action.value for attributes in (first, first, second, second)
    ]
    assert actions == ["created", "unchanged", "updated", "unchanged"]


def test_ensure_of_the_queue_manager_changes_what_differs(web: WebServer, session: Any) -> None:
    ensure = strict(web).ensure_qmgr
    actions = [ensure({"description": text}).action.value for text in ("one", "one", "two")]
    assert actions == ["updated", "unchanged", "updated"]


def test_it_logs_in_by_token_where_the_cookie_has_the_name_that_it_knows(
    new_web: Callable[..., WebServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = new_web(web_properties=("ltpaCookieName=LtpaToken2",))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", web.serving.ca_file)
    url = f"{web.url}/ibmmq/rest/v2"
    session = pymqrest.MQRESTSession(url, "QM1", credentials=pymqrest.LTPAAuth("admin", "passw0rd"))
    assert session.display_qmgr()["queue_manager_name"] == "QM1"
    with pytest.raises(pymqrest.MQRESTAuthError):
        pymqrest.MQRESTSession(url, "QM1", credentials=pymqrest.LTPAAuth("admin", "wrong"))


def test_a_gateway_is_named_in_the_answer(
    new_web: Callable[..., WebServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = new_web("QM1", "QM2")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", web.serving.ca_file)
    session = pymqrest.MQRESTSession(
        f"{web.url}/ibmmq/rest/v2", "QM2", gateway_qmgr="QM1",
        credentials=pymqrest.BasicAuth("admin", "passw0rd"),
    )  # fmt: skip
    assert session.display_qmgr()["queue_manager_name"] == "QM2"
