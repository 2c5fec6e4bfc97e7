"""`mqtriage plan`, `apply`, `drift`: whole commands, and the queue manager asked again after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqtriage.definitions.desired import OTHER_KINDS
from mqtriage.definitions.desired import settable as settable_values
from mqtriage.definitions.live_definitions import read_live
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import QueueFull
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

TEXT = """\
* what we want
ALTER QMGR MAXMSGL(8388608) DEADQ(MY.DLQ)
DEFINE QALIAS(ORDERS) TARGET(ORDERS.IN)
DEFINE QLOCAL(ORDERS.IN) REPLACE +
       MAXDEPTH(77) BOTHRESH(3) BOQNAME(ORDERS.BO) MAXMSGL(8388608)
DEFINE QLOCAL(ORDERS.BO) LIKE(ORDERS.IN) BOTHRESH(0) BOQNAME(' ')
DEFINE QLOCAL(MY.DLQ)
"""


def file(bench: Bench, text: str | bytes = TEXT, name: str = "want.mqsc") -> str:
    path = bench.home / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def settable(bench: Bench, name: str = "QM1") -> dict[str, Any]:
    """Every definition but its dates."""
    with bench.connected(name) as backend:
        definitions = {q.name: (q.kind, dict(q.attributes)) for q in backend.queues("*")}
        definitions["QMGR"] = ("QMGR", dict(backend.queue_manager_attributes()))
    for _, attributes in definitions.values():
        for key in ("ALTDATE", "ALTTIME", "CRDATE", "CRTIME"):
            attributes.pop(key, None)
    return definitions


@pytest.mark.slow
def test_inserts_and_topics_of_mq_are_no_placeholders(bench: Bench) -> None:
    """IBM MQ keeps inserts of a service and fills in its own name elsewhere; $SYS is a topic."""
    text = """\
DEFINE SERVICE(S) STARTCMD('+MQ_INSTALL_PATH+/bin/run') STARTARG('-m +QMNAME+') +
       STOPARG('+MQ_SERVER_PID+') STDOUT('+MQ_DATA_PATH+/out')
DEFINE TOPIC(T) TOPICSTR('$SYS/Broker')
DEFINE TOPIC(U) TOPICSTR($SYS/BROKER/A)
DEFINE QLOCAL(OF.+QMNAME+) DESCR('of +QMNAME+')
DEFINE CHANNEL(TO.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER(+AUTOCL+) CONNAME(+CONNAME+)
"""
    left_out = "warning: not compared, and not changed: 1 x DEFINE CHANNEL with +AUTOCL+"
    applied = bench.ok("apply", file(bench, text), "--yes")
    assert left_out in applied.err
    shown = bench.ok("mqsc", "-", answer="DISPLAY SERVICE(S) ALL\nDISPLAY TOPIC(T)\n").out
    assert "STARTCMD(+MQ_INSTALL_PATH+/bin/run)" in shown
    assert "TOPICSTR($SYS/Broker)" in shown
    assert settable(bench)["OF.QM1"][1]["DESCR"] == "of QM1"
    drift = bench.ok("drift", file(bench, text))
    assert left_out in drift.err
    assert "OF.QM1" not in drift.out
    refused = bench.run("plan", file(bench, "DEFINE QLOCAL(A) DESCR('${WHAT}')\n"))
    assert (refused.code, "placeholder" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("NOSHARE", "NOSHARE of a queue that is open for input (1) needs FORCE"),
        ("USAGE(XMITQ)", "USAGE(XMITQ) of a queue that is open (1) needs FORCE"),
    ],
)
def test_what_needs_force_on_a_queue_in_use_is_told_before_anything_runs(
    bench: Bench, asked: str, why: str
) -> None:
    bench.ok("mqsc", "-", "--yes", answer="DEFINE QLOCAL(IN.USE)\n")
    asking = file(bench, f"DEFINE QLOCAL(NEW)\nALTER QLOCAL(IN.USE) {asked}\n")
    with bench.connected() as backend:
        handle = backend.open("IN.USE", cmqc.MQOO_INPUT_SHARED)
        for verb in (("plan",), ("apply", "--yes")):
            refused = bench.run(verb[0], asking, *verb[1:])
            assert refused.code == 8
            assert f"ALTER QLOCAL(IN.USE): {why}" in refused.err
            assert "mqtriage queue status IN.USE --handles" in refused.err
        ran = bench.run("mqsc", "-", "--yes", answer=f"ALTER QLOCAL(IN.USE) {asked}\n")
        assert "AMQ8148E: IBM MQ object in use." in ran.out
        handle.close()
    assert "NEW" not in settable(bench)
    bench.ok("apply", asking, "--yes")


def test_all_authority_is_taken_before_any_is_given(bench: Bench) -> None:
    """IBM MQ "SET AUTHREC", usage notes: AUTHRMV(ALL) is done first, wherever it stands."""
    head = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g')"
    text = f"{head} AUTHADD(GET)\n{head} AUTHADD(PUT) AUTHRMV(ALL)\n"
    bench.ok("apply", file(bench, text), "--yes")
    assert "AUTHLIST(PUT)" in bench.ok("mqsc", "-", answer="DISPLAY AUTHREC PROFILE(Q)\n").out
    bench.ok("mqsc", file(bench, text.replace("(Q)", "(R)")), "--yes")
    assert "AUTHLIST(PUT)" in bench.ok("mqsc", "-", answer="DISPLAY AUTHREC PROFILE(R)\n").out
    assert bench.ok("drift", file(bench, text)).out.count("\n") <= 1


RECORDS = """\
DEFINE QLOCAL(PAY.IN)
DEFINE CHANNEL(PAY.SVR) CHLTYPE(SVRCONN)
SET AUTHREC PROFILE(PAY.IN) OBJTYPE(QUEUE) GROUP('app') AUTHADD(PUT)
SET CHLAUTH(PAY.SVR) TYPE(BLOCKUSER) USERLIST('nobody')
"""


@pytest.mark.slow
def test_exact_sees_what_was_granted_by_hand_and_takes_it_back(bench: Bench) -> None:
    """AUTHADD and ACTION(ADD) say what to add; with --exact the files say all of a record."""
    path = file(bench, RECORDS)
    bench.ok("apply", path, "--yes")
    by_hand = """\
SET AUTHREC PROFILE(PAY.IN) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET,BROWSE)
SET CHLAUTH(PAY.SVR) TYPE(BLOCKUSER) USERLIST('somebody') ACTION(ADD)
"""
    bench.ok("mqsc", file(bench, by_hand, "hand.mqsc"), "--yes")
    assert bench.ok("drift", path, "-o", "json").items == []
    ran = bench.run("drift", path, "--exact", "-o", "json")
    differences = {item["attribute"]: (item["expected"], item["actual"]) for item in ran.items}
    assert ran.code == 4
    assert differences["AUTHLIST"] == ("PUT", "BROWSE,GET,PUT")
    assert differences["USERLIST"] == ("nobody", "nobody,somebody")
    bench.ok("apply", path, "--exact", "--yes")
    assert bench.ok("drift", path, "--exact", "-o", "json").items == []


def test_exact_takes_no_ids_of_the_default_subscription(bench: Bench) -> None:
    path = file(bench, "DEFINE QLOCAL(Q)\nDEFINE SUB(S) TOPICSTR('a') DEST(Q)\n")
    bench.ok("apply", path, "--yes")
    assert bench.ok("drift", path, "--exact", "-o", "json").items == []


BASE_TOPIC = """\
DEFINE TOPIC('SYSTEM.BASE.TOPIC') TOPICSTR('') COMMINFO('SYSTEM.DEFAULT.COMMINFO.MULTICAST') +
  DESCR('Base topic for resolving attributes') DEFPRESP(SYNC) DEFPRTY(0) DEFPSIST(NO) +
  DURSUB(YES) MCAST(DISABLED) MDURMDL('SYSTEM.DURABLE.MODEL.QUEUE') PUB(ENABLED) SUB(ENABLED) +
  MNDURMDL('SYSTEM.NDURABLE.MODEL.QUEUE') NPMSGDLV(ALLAVAIL) PMSGDLV(ALLDUR) +
  PUBSCOPE(ALL) SUBSCOPE(ALL) USEDLQ(YES) REPLACE
"""


@pytest.mark.parametrize(
    ("head", "version", "expected"),
    [
        ("", "9.4", ["CAPEXPRY"]),  # DEFINE REPLACE takes it from SYSTEM.DEFAULT.TOPIC
        ("", "9.2", []),
        ("* Queue manager command level: (920/920)\n", "9.4", []),
        ("* Queue manager command level: (940/940)\n", "9.4", ["CAPEXPRY"]),
    ],
)
@pytest.mark.slow
def test_exact_expects_no_attribute_that_is_newer_than_the_queue_manager_or_the_dump(
    bench: Bench, head: str, version: str, expected: list[str]
) -> None:
    bench.ok("emulator", "create", "OTHER", "--mq-version", version)
    path = file(bench, head + BASE_TOPIC)
    differences = bench.run("drift", path, "-m", "OTHER", "--exact", "-o", "json").items
    assert [item["attribute"] for item in differences] == expected


@pytest.fixture
def network(bench: Bench) -> str:
    """A folder with a folder of scripts for each of three queue managers, and these."""
    for name, text in (
        ("QM1", "DEFINE QLOCAL(ORDERS) MAXDEPTH(5)\nDEFINE QLOCAL(MORE)\n"),
        ("QM2", "DEFINE QLOCAL(ORDERS) MAXDEPTH(6)\n"),
        ("QM3", "DEFINE QLOCAL(ORDERS) MAXDEPTH(7)\n"),
    ):
        folder = bench.home / "estate" / name
        folder.mkdir(parents=True)
        (folder / "queues.mqsc").write_text(text)
        if name != "QM1":
            bench.ok("emulator", "create", name)
    return str(bench.home / "estate")


@pytest.mark.slow
def test_each_queue_manager_has_the_scripts_of_its_own_folder(bench: Bench, network: str) -> None:
    bench.ok("apply", network, "--yes", "-m", "QM2")
    assert settable(bench, "QM2")["ORDERS"][1]["MAXDEPTH"] == 6
    bench.ok("mqsc", "-", "--yes", "-m", "QM3", answer="DEFINE QLOCAL(ORDERS) MAXDEPTH(9)\n")

    planned = bench.run("plan", network, "-m", "QM*", "--detailed-exitcode", "-o", "json")
    rows = [(r["queue_manager"], r["action"], r["object"], r["detail"]) for r in planned.items]
    assert planned.code == 4
    assert rows == [
        ("QM1", "define", "ORDERS", "DEFINE QLOCAL('ORDERS') MAXDEPTH(5)"),
        ("QM1", "define", "MORE", "DEFINE QLOCAL('MORE')"),
        ("QM3", "alter", "ORDERS", "ALTER QLOCAL('ORDERS') MAXDEPTH(7)"),
    ]
    assert planned.json["summary"] == {"define": 2, "alter": 1, "delete": 0, "refused": 0}

    drift = bench.run("drift", network, "-m", "QM*", "-o", "json")
    differences = [
        (r["queue_manager"], r["object"], r["expected"], r["actual"]) for r in drift.items
    ]
    assert differences == [
        ("QM1", "ORDERS", "defined", "missing"),
        ("QM1", "MORE", "defined", "missing"),
        ("QM3", "ORDERS", 7, 9),
    ]
    assert (
        "nothing to change"
        in bench.ok("plan", network, "-m", "QM2,QM2").err
        + bench.ok("plan", network, "-m", "QM2").out
    )


@pytest.mark.slow
def test_a_queue_manager_without_a_folder_is_named_and_the_others_are_planned(
    bench: Bench, network: str
) -> None:
    bench.ok("emulator", "create", "QM9")
    alone = bench.run("plan", network, "-m", "QM9")
    assert (alone.code, alone.out) == (5, "")
    assert "no folder of scripts for QM9" in alone.err
    assert "it has QM1, QM2, QM3" in alone.err
    several = bench.run("plan", network, "-m", "QM9,QM2", "-o", "json")
    assert several.code == 3
    assert [row["queue_manager"] for row in several.items] == ["QM2"]
    assert "QM9: " in several.err
    bench.ok("apply", network, "--yes", "-m", "QM2")
    nothing = bench.run("plan", network, "-m", "QM9,QM2")
    assert (nothing.code, nothing.out) == (3, ""), "no headings above nothing"
    assert "nothing to change" in nothing.err


@pytest.mark.slow
def test_what_one_of_several_would_refuse_is_a_row_and_exit_8(bench: Bench, network: str) -> None:
    bench.ok("mqsc", "-", "--yes", "-m", "QM2", answer="DEFINE QALIAS(ORDERS) TARGET(X)\n")
    planned = bench.run("plan", network, "-m", "QM2,QM3", "-o", "json")
    assert planned.code == 8
    assert [row["action"] for row in planned.items] == ["refused", "define"]
    for option in ("--out", "--back"):
        value = [str(bench.home / "p")] if option == "--out" else []
        refused = bench.run("plan", network, "-m", "QM2,QM3", option, *value)
        assert (refused.code, f"{option} is for one queue manager" in refused.err) == (2, True)


@pytest.mark.slow
def test_plan_reads_the_scripts_of_a_folder_by_name(bench: Bench) -> None:
    folder = bench.home / "QM1"
    folder.mkdir()
    (folder / "b.mqsc").write_text("DEFINE QALIAS(A) TARGET(B) REPLACE DESCR('second')\n")
    (folder / "a.mqsc").write_text("DEFINE QLOCAL(B)\nDEFINE QALIAS(A) TARGET(B)\n")
    (folder / "notes.txt").write_text("not MQSC\n")
    bench.ok("apply", str(folder), "--yes")
    assert bench.attribute("A", "DESCR") == "second"
    assert bench.ok("drift", str(folder), "-o", "json").items == []
    assert bench.ok("drift", str(bench.home), "-o", "json").items == [], "of QM1 there"
    (bench.home / "empty").mkdir()
    refused = bench.run("plan", str(bench.home / "empty"))
    assert (refused.code, "no scripts in this folder" in refused.error_line) == (2, True)


@pytest.mark.slow
def test_complete_sees_what_no_file_names(bench: Bench) -> None:
    path = file(bench, RECORDS)
    bench.ok("apply", path, "--yes")
    assert bench.ok("drift", path, "--complete", "-o", "json").items == []
    by_hand = """\
DEFINE QLOCAL(PAY.EXTRA)
DEFINE QMODEL(PAY.MODEL) DEFTYPE(PERMDYN)
DEFINE TOPIC(OTHER) TOPICSTR('x')
DEFINE LISTENER(PAY.TCP) TRPTYPE(TCP) PORT(1500)
SET AUTHREC PROFILE(PAY.**) OBJTYPE(QUEUE) PRINCIPAL('eve') AUTHADD(GET)
SET CHLAUTH(OTHER.*) TYPE(ADDRESSMAP) ADDRESS('10.0.0.1') USERSRC(CHANNEL)
"""
    bench.ok("mqsc", file(bench, by_hand, "hand.mqsc"), "--yes")
    assert bench.ok("drift", path, "--exact", "-o", "json").items == []

    def extra(*options: str) -> set[str]:
        ran = bench.run("drift", path, "--complete", *options, "-o", "json")
        assert {item["difference"] for item in ran.items} <= {"in no file"}
        return {item["object"].partition(" ")[0] for item in ran.items}

    assert extra() == {"PAY.EXTRA", "PAY.MODEL", "OTHER", "PAY.TCP", "PAY.**", "OTHER.*"}
    assert extra("--only", "PAY.*") == {"PAY.EXTRA", "PAY.MODEL", "PAY.TCP", "PAY.**"}
    assert extra("--only", "NONE,OTHER*") == {"OTHER", "OTHER.*"}
    assert "SYSTEM.DEFAULT.LOCAL.QUEUE" in extra("--system")


def test_plan_shows_changes_in_order_and_changes_nothing(bench: Bench) -> None:
    before = bench.ok("emulator", "ls", "QM1").out
    ran = bench.ok("plan", file(bench), "-o", "json")
    assert [(c["action"], c["object_type"], c["object"]) for c in ran.item["changes"]] == [
        ("alter", "QMGR", None),
        ("define", "QLOCAL", "ORDERS.BO"),
        ("define", "QLOCAL", "ORDERS.IN"),
        ("define", "QALIAS", "ORDERS"),
        ("define", "QLOCAL", "MY.DLQ"),
        ("alter", "QMGR", None),
    ]
    assert ran.item["rehearsed"] is True
    assert ran.item["changes"][2]["line"] == 4
    assert ran.item["changes"][5]["attributes"] == [
        {"attribute": "DEADQ", "from": "", "to": "MY.DLQ"}
    ]
    assert bench.ok("emulator", "ls", "QM1").out == before


def test_apply_does_it_and_says_unchanged_the_second_time(bench: Bench) -> None:
    path = file(bench)
    ran = bench.ok("apply", path, "--yes", "-o", "json")
    assert len(ran.json["details"]["mqsc"]) == 6
    assert bench.attribute("ORDERS.IN", "BOQNAME") == "ORDERS.BO"
    assert bench.attribute("ORDERS.BO", "MAXDEPTH") == 77
    assert bench.attribute("ORDERS.BO", "BOTHRESH") == 0
    again = bench.ok("apply", path)
    assert again.out.startswith("unchanged: QM1")
    assert bench.ok("plan", path, "--detailed-exitcode", "-o", "json").item["empty"] is True


def test_the_way_back_restores_every_definition(bench: Bench) -> None:
    bench.define(OLD="MAXDEPTH=3 SHARE=NO DESCR=gone", **{"ORDERS.IN": "MAXDEPTH=5 PUT=DISABLED"})
    before = settable(bench)
    path = file(bench, TEXT + "DELETE QLOCAL(OLD)\n")
    back = bench.ok("plan", path, "--back", "-o", "mqsc").out
    bench.ok("apply", path, "--confirm", "OLD")
    assert settable(bench) != before
    bench.ok("mqsc", file(bench, back, "back.mqsc"), "--confirm", "QM1")
    assert settable(bench) == before


def test_forward_mqsc_run_by_hand_is_what_apply_does(bench: Bench) -> None:
    path = file(bench)
    forward = bench.ok("plan", path, "-o", "mqsc").out
    bench.ok("mqsc", file(bench, forward, "forward.mqsc"), "--yes")
    assert bench.ok("plan", path, "-o", "json").item["empty"] is True


def test_attributes_that_the_file_does_not_name_stay_and_so_do_messages(bench: Bench) -> None:
    bench.define(**{"ORDERS.IN": "DESCR=keep MAXDEPTH=9"})
    with bench.connected() as backend:
        backend.put1("ORDERS.IN", MQMD(), b"x")
    bench.ok("apply", file(bench), "--yes")
    assert bench.attribute("ORDERS.IN", "DESCR") == "keep"
    assert bench.depth("ORDERS.IN") == 1
    bench.ok("apply", file(bench), "--exact", "--yes")
    assert bench.attribute("ORDERS.IN", "DESCR") == ""
    assert bench.depth("ORDERS.IN") == 1


def test_detailed_exitcode_says_4_when_something_would_change(bench: Bench) -> None:
    path = file(bench)
    assert bench.run("plan", path).code == 0
    assert bench.run("plan", path, "--detailed-exitcode").code == 4


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("ALTER QLOCAL(NO) MAXDEPTH(1)\n", "there is no such queue"),
        ("DELETE QLOCAL(FULL)\n", "it contains 1 message"),
        ("DEFINE QALIAS(FULL) TARGET(X)\n", "a QLOCAL of that name is there"),
    ],
)
def test_what_the_queue_manager_would_refuse_is_found_before_anything_runs(
    bench: Bench, text: str, error: str
) -> None:
    bench.define("FULL")
    with bench.connected() as backend:
        backend.put1("FULL", MQMD(), b"x")
    before = settable(bench)
    path = file(bench, "DEFINE QLOCAL(FINE)\n" + text)
    for command in (["plan", path], ["apply", path, "--yes"]):
        ran = bench.run(*command)
        assert ran.code == 8, ran.err
        assert error in ran.error_line
    assert settable(bench) == before


def test_apply_asks_and_needs_the_name_where_it_deletes(bench: Bench) -> None:
    bench.define("OLD")
    path = file(bench, "DEFINE QLOCAL(N)\n")
    assert bench.run("apply", path).code == 8
    assert bench.run("apply", path, "-n").code == 0
    asked = bench.run("apply", path, answer="y\n", terminals=ON_A_TERMINAL)
    assert asked.code == 0
    assert bench.depth("N") == 0
    gone = file(bench, "DELETE QLOCAL(OLD)\n", "gone.mqsc")
    assert bench.run("apply", gone, "--yes").code == 8
    assert bench.depth("OLD") == 0
    assert bench.run("apply", gone, "--confirm", "OLD").code == 0
    assert bench.run("queue", "show", "OLD").code == 5


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("DEFINE QLOCAL(N)\n", " --yes"),
        ("DELETE QLOCAL(OLD)\n", "--yes --confirm OLD"),
        ("DEFINE QLOCAL(N)\nDELETE QLOCAL(OLD)\n", "--yes --confirm OLD"),
        ("DELETE QLOCAL(OLD)\nDELETE QLOCAL(OLDER)\n", "--yes --confirm QM1"),
        ("DELETE TOPIC(T)\n", "--yes --confirm T"),
        ("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('x') ACTION(REMOVE)\n", "--yes --confirm C"),
        ("DELETE AUTHREC PROFILE(OLD) OBJTYPE(QUEUE) GROUP('app')\n", "--yes --confirm QM1"),
        ("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('y') ACTION(REPLACE)\n", " --yes"),
    ],
)
@pytest.mark.slow
def test_apply_and_mqsc_ask_the_same_of_the_same_commands(
    bench: Bench, text: str, hint: str
) -> None:
    bench.define("OLD", "OLDER")
    there = """\
DEFINE TOPIC(T) TOPICSTR('t')
SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('x')
SET AUTHREC PROFILE(OLD) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
"""
    bench.ok("mqsc", file(bench, there, "there.mqsc"), "--yes")
    yes = () if hint.endswith("--yes") else ("--yes",)
    for verb in ("apply", "mqsc"):
        ran = bench.run(verb, file(bench, text), *yes)
        assert ran.code == 8, (verb, ran.err)
        assert ran.err.splitlines()[-1].endswith(hint), (verb, ran.err)


def test_apply_that_stops_half_way_says_what_ran_and_exits_3(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.backends.emulated import EmulatedBackend

    define = EmulatedBackend.define

    def failing(self: EmulatedBackend, kind: str, name: str, attributes: Any) -> None:
        if name == "B":
            raise QueueFull(2053, "define B")
        define(self, kind, name, attributes)

    monkeypatch.setattr(EmulatedBackend, "define", failing)
    ran = bench.run("apply", file(bench, "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nDEFINE QLOCAL(C)\n"),
                    "--yes", "-o", "json")  # fmt: skip
    assert ran.code == 3
    assert ran.json["details"]["mqsc"] == ["DEFINE QLOCAL('A')"]
    assert ran.json["details"]["back"] == ["DELETE QLOCAL('A')"]
    assert ran.json["details"]["not_run"] == ["DEFINE QLOCAL('B')", "DEFINE QLOCAL('C')"]
    assert "2053" in ran.err
    first = bench.run("apply", file(bench, "DEFINE QLOCAL(B)\n"), "--yes")
    assert first.code == 1


def test_apply_reads_back_and_a_change_that_was_not_made_is_an_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.backends.emulated import EmulatedBackend

    bench.define("A")
    monkeypatch.setattr(EmulatedBackend, "alter", lambda *_: None)
    ran = bench.run("apply", file(bench, "ALTER QLOCAL(A) MAXDEPTH(9)\n"), "--yes")
    assert ran.code == 1
    assert "shows a different value" in ran.error_line


@pytest.mark.parametrize("command", ["plan", "drift", "apply"])
@pytest.mark.parametrize(
    ("data", "code", "error"),
    [
        (b"DEFINE QLOCAL(A) BOQUEUE(B)\nfoo\n", 2, "want.mqsc:1:18: error: BOQUEUE"),
        (b"DEFINE QLOCAL(A) STGCLASS(X)\n", 2, "known on z/OS only"),
        (bytes(range(256)) * 10, 2, "more)"),
        (b"DEFINE QLOCAL(A) MAXDEPTH('{{depth}}')\n", 2, "placeholder"),
        (b"DEFINE QLOCAL('${APP}.IN')\n", 2, "${APP} of DEFINE QLOCAL is a placeholder"),
        (b"DELETE QLOCAL('${APP}.IN')\n", 2, "${APP} of DELETE QLOCAL is a placeholder"),
        (
            b"SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('${APP}') AUTHADD(PUT)\n",
            2,
            "${APP} of SET AUTHREC is a placeholder",
        ),
    ],
)
@pytest.mark.slow
def test_wrong_files_are_one_error_with_file_and_line(
    bench: Bench, command: str, data: bytes, code: int, error: str
) -> None:
    ran = bench.run(command, file(bench, data))
    assert ran.code == code
    assert error in ran.error_line


@pytest.mark.slow
def test_topics_are_compared_defined_altered_deleted_and_taken_back(bench: Bench) -> None:
    bench.ok("mqsc", "-", "--yes", answer="DEF TOPIC(OLD) TOPICSTR('x') PUB(DISABLED)\n")
    text = (
        "DEFINE TOPIC(T) TOPICSTR('a/b') DEFPSIST(YES) MDURMDL(M)\nDEFINE QMODEL(M)\n"
        "ALTER TOPIC(SYSTEM.BASE.TOPIC) PMSGDLV(ALLAVAIL)\nDELETE TOPIC(OLD)\n"
    )
    path = file(bench, text)
    display = ("mqsc", "-", "-o", "json")
    shown = bench.ok(*display, answer="DISPLAY TOPIC(*) ALL\n").items[0]["objects"]
    back = bench.ok("plan", path, "--back", "-o", "mqsc").out
    mqsc = bench.ok("apply", path, "--confirm", "OLD", "-o", "json").json["details"]["mqsc"]
    assert [" ".join(line.split()[:2]) for line in mqsc] == [
        "DEFINE QMODEL('M')", "DEFINE TOPIC('T')", "ALTER TOPIC('SYSTEM.BASE.TOPIC')",
        "DELETE TOPIC('OLD')",
    ]  # fmt: skip
    assert bench.ok("apply", path).out.startswith("unchanged")
    bench.ok("mqsc", "-", "--yes", answer="ALTER TOPIC(T) DEFPSIST(NO)\n")
    (record,) = bench.run("drift", path, "-o", "json").items
    assert (record["object_type"], record["attribute"], record["actual"]) == (
        "TOPIC",
        "DEFPSIST",
        "NO",
    )
    bench.ok("mqsc", file(bench, back, "back.mqsc"), "--confirm", "QM1")
    again = bench.ok(*display, answer="DISPLAY TOPIC(*) ALL\n").items[0]["objects"]
    dates = {"ALTDATE", "ALTTIME"}
    assert [{k: v for k, v in t.items() if k not in dates} for t in again] == [
        {k: v for k, v in t.items() if k not in dates} for t in shown
    ]


def test_a_topic_string_cannot_be_altered(bench: Bench) -> None:
    bench.ok("mqsc", "-", "--yes", answer="DEF TOPIC(T) TOPICSTR('x')\n")
    ran = bench.run("plan", file(bench, "DEFINE TOPIC(T) TOPICSTR('y')\n"))
    assert ran.code == 8
    assert "TOPIC(T): TOPICSTR(x) cannot be altered" in ran.error_line


OTHERS = """\
SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP(APPS) AUTHADD(BROWSE) AUTHRMV(PUT)
SET CHLAUTH('APP.*') TYPE(BLOCKUSER) USERLIST('c')
SET CHLAUTH('APP.*') TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('app') ACTION(REPLACE)
DEFINE SUB(S) TOPICOBJ(T) DEST(Q)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('qm2(1414)') XMITQ(XQ)
DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('app') REPLACE
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415)
DEFINE TOPIC(T) TOPICSTR('a/b')
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE QLOCAL(Q)
DEFINE NAMELIST(N) NAMES(Q,XQ)
DELETE CHANNEL(OLD)
"""


@pytest.mark.slow
def test_all_kinds_come_in_order_of_need_and_are_taken_back(bench: Bench) -> None:
    now = (
        "DEF CHANNEL(OLD) CHLTYPE(RCVR) DESCR(x)\nDEF CHANNEL(APP) CHLTYPE(SVRCONN)\n"
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP(APPS) AUTHADD(GET,PUT)\n"
        "SET CHLAUTH('APP.*') TYPE(BLOCKUSER) USERLIST('a','b')\n"
        "SET CHLAUTH('APP.*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS) DESCR(d)\n"
    )
    bench.ok("mqsc", "-", "--yes", answer=now)
    path, before = file(bench, OTHERS), everything(bench)
    back = bench.ok("plan", path, "--back", "-o", "mqsc").out
    mqsc = bench.ok("apply", path, "--confirm", "OLD", "-o", "json").json["details"]["mqsc"]
    assert [" ".join(text.replace("+", "").split()) for text in mqsc] == [
        "DEFINE NAMELIST('N') NAMES('Q','XQ')",
        "DEFINE QLOCAL('XQ') USAGE(XMITQ)",
        "DEFINE QLOCAL('Q')",
        "DEFINE TOPIC('T') TOPICSTR('a/b')",
        "DEFINE CHANNEL('TO.QM2') CHLTYPE(SDR) CONNAME('qm2(1414)') XMITQ('XQ')",
        "ALTER CHANNEL('APP') CHLTYPE(SVRCONN) MCAUSER('app')",
        "DEFINE LISTENER('L') TRPTYPE(TCP) PORT(1415)",
        "DEFINE SUB('S') TOPICOBJ('T') DEST('Q')",
        "SET CHLAUTH('APP.*') TYPE(BLOCKUSER) USERLIST('a','b','c') ACTION(REPLACE)",
        "SET CHLAUTH('APP.*') TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('app') USERSRC(MAP)"
        " ACTION(REPLACE)",
        "SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) GROUP('APPS') AUTHADD(BROWSE) AUTHRMV(PUT)",
        "DELETE CHANNEL('OLD')",
    ]
    assert bench.ok("apply", path).out.startswith("unchanged")
    assert bench.ok("drift", path, "-o", "json").items == []
    assert everything(bench) != before
    bench.ok("mqsc", file(bench, back, "back.mqsc"), "--confirm", "QM1")
    assert everything(bench) == before


def everything(bench: Bench) -> list[Any]:
    """All that a plan compares, as it is."""
    with bench.connected("QM1") as backend:
        live = read_live(backend, kinds=OTHER_KINDS)
    definitions = [
        *live.queues.values(),
        *(o for kind in live.others.values() for o in kind.values()),
    ]
    return [
        (definition.kind, definition.name, settable_values(definition.kind, definition.attributes))
        for definition in definitions
    ]


def test_drift_between_two_queue_managers_shows_objects_of_every_kind(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("apply", file(bench, OTHERS), "-m", "QM2", "--yes")
    answer = "DEF TOPIC(T) TOPICSTR('a/b') PUB(ENABLED)\n"
    bench.ok("mqsc", "-", "-m", "QM1", "--yes", answer=answer)
    ran = bench.run("drift", "-m", "QM1", "--against", "QM2", "-o", "json")
    differences = {
        (r["object_type"], r["object"], r["attribute"], r["difference"]) for r in ran.items
    }
    there = "only on QM2"
    assert ran.code == 4
    assert differences == {
        ("QLOCAL", "Q", None, there), ("QLOCAL", "XQ", None, there),
        ("NAMELIST", "N", None, there), ("LISTENER", "L", None, there),
        ("CHANNEL", "TO.QM2", None, there), ("CHANNEL", "APP", None, there),
        ("SUB", "S", None, there), ("AUTHREC", "Q QUEUE GROUP(APPS)", None, there),
        ("CHLAUTH", "APP.* BLOCKUSER", None, there),
        ("CHLAUTH", "APP.* ADDRESSMAP 10.*", None, there),
        ("TOPIC", "T", "PUB", "differs"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("there", "asked", "error"),
    [
        (
            "DEF CHANNEL(C) CHLTYPE(RCVR)",
            "ALT CHANNEL(C) CHLTYPE(SVRCONN)",
            "CHLTYPE(RCVR) cannot be",
        ),
        (
            "DEF QL(Q)\nDEF SUB(S) TOPICSTR('x') DEST(Q)",
            "DEF SUB(S) TOPICSTR('y') DEST(Q)",
            "TOPICSTR(x) cannot be",
        ),
        ("DEF QL(Q)", "ALTER LISTENER(L) TRPTYPE(TCP) PORT(1)", "there is no such listener"),
    ],
    ids=["type of a channel", "topic of a subscription", "a listener that is missing"],
)
def test_what_cannot_be_altered_is_refused(
    bench: Bench, there: str, asked: str, error: str
) -> None:
    bench.ok("mqsc", "-", "--yes", answer=f"{there}\n")
    ran = bench.run("plan", file(bench, f"{asked}\n"))
    assert ran.code == 8
    assert error in ran.error_line


def test_passwords_and_other_commands_are_told_once_and_left_out(bench: Bench) -> None:
    text = (
        "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(h) XMITQ(X) USERID(u) PASSWORD(hidden)\n"
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(h)\nSTART LISTENER(L)\n"
    )
    ran = bench.ok("plan", file(bench, text))
    ignored = "1 x PASSWORD of CHANNEL, 1 x DEFINE CHANNEL CHLTYPE(CLNTCONN), 1 x START LISTENER"
    assert f"not compared, and not changed: {ignored}\n" in ran.err
    assert "hidden" not in ran.out + ran.err
    assert "1 to define" in ran.out


def test_a_file_without_commands_is_wrong_usage(bench: Bench) -> None:
    """A path that was mistyped must not pass for a queue manager that is as it should be."""
    ran = bench.run("plan", file(bench, "* nothing yet\n"))
    assert ran.code == 2
    assert "no MQSC in" in ran.error_line


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "mqsc"])
def test_every_form_shows_a_plan(bench: Bench, form: str) -> None:
    ran = bench.ok("plan", file(bench), "-o", form)
    assert "ORDERS.BO" in ran.out


# -- drift ----------------------------------------------------------------------------------------


def test_drift_names_object_attribute_values_and_who_says_so(bench: Bench) -> None:
    path = file(bench)
    bench.ok("apply", path, "--yes")
    assert bench.run("drift", path).code == 0
    with bench.connected() as backend:
        backend.alter("QLOCAL", "ORDERS.IN", {"MAXDEPTH": 5, "DESCR": "not ours to say"})
        backend.delete("QALIAS", "ORDERS")
    ran = bench.run("drift", path, "-o", "json")
    assert ran.code == 4
    missing, differs = sorted(ran.items, key=lambda item: item["object"])
    assert (missing["object"], missing["difference"]) == ("ORDERS", "missing")
    assert missing["expected_from"] == f"{path}:3"
    assert differs == {
        "object_type": "QLOCAL",
        "object": "ORDERS.IN",
        "attribute": "MAXDEPTH",
        "expected": 77,
        "actual": 5,
        "difference": "differs",
        "expected_from": f"{path}:4",
        "actual_from": "QM1",
    }
    assert bench.run("drift", path, "--ignore", "maxdepth", "-o", "json").items == [missing]


@pytest.mark.slow
def test_drift_between_two_queue_managers(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2", "--clock", "frozen")
    assert bench.run("drift", "-m", "QM1", "--against", "QM2").code == 0
    bench.define("ONLY.ONE", BOTH="MAXDEPTH=5")
    bench.ok("queue", "define", "BOTH", "MAXDEPTH=6", "--yes", "-m", "QM2")
    bench.ok("mqsc", file(bench, "ALTER QMGR MAXHANDS(9)\n"), "--yes", "-m", "QM2")
    ran = bench.run("drift", "-m", "QM2", "--against", "QM1", "-o", "json")
    assert ran.code == 4
    assert "EXPECTED is" not in ran.err
    differences = [(i["object"], i["attribute"], i["expected"], i["actual"]) for i in ran.items]
    assert differences == [
        ("BOTH", "MAXDEPTH", 5, 6),
        ("ONLY.ONE", None, "there", "missing"),
        (None, "MAXHANDS", 256, 9),
    ]
    assert {(i["expected_from"], i["actual_from"]) for i in ran.items} == {("QM1", "QM2")}
    assert ran.items[1]["difference"] == "only on QM1"
    only = bench.run("drift", "-m", "QM1", "--against", "QM2", "--only", "B*", "-o", "json")
    assert [item["object"] for item in only.items] == ["BOTH"]
    shown = bench.run("drift", "-m", "QM2", "--against", "QM1", terminals=ON_A_TERMINAL)
    assert "EXPECTED is QM1, ACTUAL is QM2\n" in shown.err
    several = bench.run("drift", "-m", "QM*", "--against", "QM1", terminals=ON_A_TERMINAL)
    assert "EXPECTED is QM1, ACTUAL is the queue manager under QMGR\n" in several.err


@pytest.mark.parametrize("names", ["QM1,QM2", "QM*"])
def test_what_takes_one_queue_manager_names_no_new_one_to_create(bench: Bench, names: str) -> None:
    against = bench.run("drift", "--against", names)
    error = f"drift: --against takes the name of one queue manager, not '{names}'"
    assert (against.code, against.error_line) == (2, error)
    changed = bench.run("queue", "set", "A", "MAXDEPTH=1", "-m", names)
    error = "-m names several queue managers; this command takes one"
    assert (changed.code, changed.error_line) == (2, error)
    loop = "hint: for name in {}; do mqtriage queue set A MAXDEPTH=1 -m $name; done"
    assert loop.format("QM1 QM2" if "," in names else "QM1") in changed.err
    bench.environ["MQTRIAGE_QMGR"] = names
    assert "emulator create" not in bench.run("queue", "set", "A", "MAXDEPTH=1").err


@pytest.mark.parametrize(
    "command", ["mqsc", "mqsc --yes", "mqsc -", "msg put A - --yes", "msg put A --file=- --yes"]
)
def test_a_loop_does_not_share_standard_input(bench: Bench, command: str) -> None:
    """The first would read it all, and the others would put an empty message."""
    ran = bench.run(*command.split(), "-m", "QM1,QM2", answer="ALTER QMGR DESCR(X)\n")
    assert ran.code == 2
    hint = f"hint: for name in QM1 QM2; do mqtriage {command} -m $name < FILE; done\n"
    assert hint in ran.err


def test_a_loop_over_commands_in_a_file_reads_no_other_file(bench: Bench) -> None:
    path = file(bench)
    ran = bench.run("mqsc", path, "-m", "QM1,QM2")
    assert f"hint: for name in QM1 QM2; do mqtriage mqsc {path} -m $name; done\n" in ran.err
    typed = bench.run("mqsc", "-m", "QM1,QM2", terminals=ON_A_TERMINAL)
    assert "hint: for name in QM1 QM2; do mqtriage mqsc -m $name; done\n" in typed.err


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["drift"], 2, "name files, or a queue manager"),
        (["drift", "FILE", "--against", "QM1"], 2, "not both"),
        (["drift", "FILE", "--only", "A*"], 2, "need --against"),
        (["drift", "--against", "NOPE"], 5, "NOPE"),
        (["drift", "FILE", "--ignore", "NONSENSE"], 2, "not an attribute"),
        (["plan"], 2, "FILE"),
        (["plan", "FILE", "FILE2"], 5, "FILE2"),
        (["plan", "-", "-"], 2, "twice"),
    ],
)
def test_wrong_usage(bench: Bench, arguments: list[str], code: int, error: str) -> None:
    path = file(bench)
    ran = bench.run(*[path if word == "FILE" else word for word in arguments])
    assert ran.code == code, ran.err
    assert error in ran.error_line


def test_a_file_may_come_from_standard_input(bench: Bench) -> None:
    ran = bench.run("plan", "-", "-o", "mqsc", answer="def ql(n)\n")
    assert ran.out == "DEFINE QLOCAL('N')\n"


def test_the_rules_judge_the_definitions_as_they_would_be(bench: Bench) -> None:
    bench.define(OLD="BOTHRESH=3")  # is so already: nothing new to say
    path = file(bench, "DEFINE QLOCAL(N) BOTHRESH(3)\n")
    ran = bench.ok("plan", path, "-o", "json")
    findings = [(f["code"], f["object"]) for f in ran.item["findings"]]
    assert ("BKO001", "N") in findings
    assert all(name != "OLD" for _, name in findings)
    assert "BKO001" in bench.ok("plan", path).out
    mended = file(bench, "DEFINE QLOCAL(N) BOTHRESH(3) BOQNAME(N.BO)\nDEFINE QLOCAL(N.BO)\n")
    codes = {f["code"] for f in bench.ok("plan", mended, "-o", "json").item["findings"]}
    assert "BKO001" not in codes


def test_on_zos_there_and_back_again(zos_bench: Bench) -> None:
    zos_bench.define(IN="STGCLASS=OLD INDXTYPE=MSGID")
    before = settable(zos_bench)
    path = file(
        zos_bench,
        "ALTER QMGR EXPRYINT(60)\nDEFINE QLOCAL(IN) REPLACE INDXTYPE(CORRELID) STGCLASS(NEW)\n"
        "DEFINE QREMOTE(R) RNAME(X) RQMNAME(OTHER) XMITQ(XQ)\n"
        "DEFINE QLOCAL(XQ) USAGE(XMITQ)\nDEFINE QMODEL(M) DEFTYPE(PERMDYN)\n",
    )
    changes = zos_bench.ok("plan", path, "-o", "json").item["changes"]
    names = [change["object"] for change in changes]
    assert names.index("XQ") < names.index("R")
    back = zos_bench.ok("plan", path, "--back", "-o", "mqsc").out
    zos_bench.ok("apply", path, "--yes")
    assert zos_bench.attribute("IN", "INDXTYPE") == "CORRELID"
    zos_bench.ok("mqsc", file(zos_bench, back, "back.mqsc"), "--confirm", "QM1")
    assert settable(zos_bench) == before


def test_shared_queues_of_a_group_are_planned_and_applied(zos_bench: Bench) -> None:
    zos_bench.ok("emulator", "lab", "switch", "qsg=QSG1")
    path = file(zos_bench, "DEFINE QLOCAL(S) QSGDISP(SHARED) CFSTRUCT(C) MAXDEPTH(5)\n")
    zos_bench.ok("apply", path, "--yes")
    assert zos_bench.attribute("S", "MAXDEPTH") == 5
    more = file(zos_bench, "ALTER QLOCAL(S) MAXDEPTH(6)\n")
    zos_bench.ok("apply", more, "--yes")
    assert zos_bench.attribute("S", "MAXDEPTH") == 6
    assert zos_bench.ok("plan", more, "-o", "json").item["empty"] is True


def test_mqsc_in_yaml_is_planned_and_applied_for_one_queue_manager(bench: Bench) -> None:
    text = "a.mqsc: |\n    DEFINE QLOCAL(YAML.IN) +\n      DESCR('in-\n    side')\n"
    path = file(bench, text, "a.yaml")
    bench.ok("apply", path, "--yes")
    assert settable(bench)["YAML.IN"][1]["DESCR"] == "inside"
    assert bench.run("drift", path).code == 0
    several = "runmqsc QM1 <<EOF\nDEFINE QLOCAL(A)\nEOF\nrunmqsc QM2 <<EOF\nDEFINE QLOCAL(B)\nEOF\n"
    refused = bench.run("plan", file(bench, several, "a.sh"))
    assert (refused.code, "QM1, QM2" in refused.error_line) == (2, True)
    wrong = bench.run("plan", file(bench, "a.mqsc: |\n\n  DEFINE QLOCAL(A) NO(1)\n", "b.yaml"))
    assert "b.yaml:3:" in wrong.err


@pytest.mark.slow
def test_a_folder_with_scripts_says_which_folders_below_it_are_not_read(bench: Bench) -> None:
    folder = bench.home / "defs"
    (folder / "QM1").mkdir(parents=True)
    (folder / "base.mqsc").write_text("DEFINE QLOCAL(BASE)\n")
    (folder / "QM1" / "own.mqsc").write_text("DEFINE QLOCAL(OWN)\n")
    for verb in (("plan",), ("drift",), ("apply", "--yes")):
        ran = bench.run(verb[0], str(folder), *verb[1:])
        assert f"{folder / 'QM1'}: not read: the scripts in this folder" in ran.err, verb
        assert "OWN" not in ran.out
    origin = bench.ok("plan", str(folder), "-o", "json").json["item"]["made"]
    assert [Path(one["file"]).name for one in origin["files"]] == ["base.mqsc"]
    (folder / "base.mqsc").unlink()
    ran = bench.ok("plan", str(folder), "-m", "QM1")  # a folder for each queue manager
    assert ("OWN" in ran.out, "not read" in ran.err) == (True, False)
