"""Several queues, generic names and several queue managers in one reading command."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent
from mqtriage.cli.frame.verb import verb_function
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

VERBS = [
    line.split("\t")[:3] for line in Path("cli/frame/verbs.tsv").read_text("utf-8").splitlines()
]


@pytest.fixture
def two(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """QM1 of the bench and QM2, each with ORDERS.A and ORDERS.B, and a group of contexts."""
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    monkeypatch.chdir(tmp_path)
    bench.ok("emulator", "create", "QM2")
    for name, number in (("QM1", 2), ("QM2", 3)):
        for queue in ("ORDERS.A", "ORDERS.B"):
            bench.ok("queue", "define", queue, "-m", name, "--yes")
        for n in range(number):
            body = f'{{"country": "{"DE" if n else "FR"}"}}'
            bench.ok("msg", "put", "ORDERS.A", body, "-m", name, "--yes")
        bench.ok("msg", "put", "ORDERS.B", "plain", "--prop", "Color=red", "-m", name, "--yes")
    bench.ok("context", "add", "one", "-m", "QM1")
    bench.ok("context", "add", "two", "-m", "QM2")
    with (tmp_path / "config.toml").open("a") as file:
        file.write('\n[group]\nboth = ["one", "two"]\n')
    return bench


def test_counts_of_several_queues_are_a_row_each(two: Bench) -> None:
    ran = two.run("msg", "count", "ORDERS.*", "-m", "QM1", "-o", "json")
    assert ran.code == 0, ran.err
    assert [(row["queue"], row["message_count"]) for row in ran.items] == [
        ("ORDERS.A", 2),
        ("ORDERS.B", 1),
    ]
    assert ran.json["summary"] == {"queues": 2, "message_count": 3}
    named = two.run("msg", "count", "ORDERS.B", "ORDERS.A", "ORDERS.*", "-m", "QM1", "-o", "json")
    assert [row["queue"] for row in named.items] == ["ORDERS.B", "ORDERS.A"]


def test_counts_by_field_add_up_to_the_messages_that_where_selects(two: Bench) -> None:
    argv = ("msg", "count", "ORDERS.*", "-m", "QM2")
    ran = two.run(*argv, "--by", "queue,$.country,prop.Color,body_kind", "-o", "json")
    assert ran.code == 0, ran.err
    assert [
        (
            row["queue"],
            row["body.country"],
            row["prop.Color"],
            row["body_kind"],
            row["message_count"],
        )
        for row in ran.items
    ] == [
        ("ORDERS.A", "DE", None, "json", 2),
        ("ORDERS.A", "FR", None, "json", 1),
        ("ORDERS.B", None, "red", "text", 1),
    ]
    assert ran.json["summary"] == {"message_count": 4, "groups": 3}
    some = two.run(*argv, "--by", "format", "--where", "body.country = 'DE'", "-o", "json")
    assert [row["message_count"] for row in some.items] == [2]


def test_messages_of_several_queues_say_their_queue(two: Bench) -> None:
    ran = two.run("msg", "browse", "ORDERS.B", "ORDERS.A", "-m", "QM1", "-o", "json")
    assert [row["queue"] for row in ran.items] == ["ORDERS.B", "ORDERS.A", "ORDERS.A"]
    first = two.run("msg", "browse", "ORDERS.*", "-m", "QM1", "--limit", "1", "-o", "json")
    assert [row["queue"] for row in first.items] == ["ORDERS.A", "ORDERS.B"]
    assert "QUEUE" in two.ok("msg", "browse", "ORDERS.*", "-m", "QM1").out.splitlines()[0]


def test_queues_are_listed_once_whatever_names_them(two: Bench) -> None:
    ran = two.run("queue", "ls", "ORDERS.B", "ORDERS.*", "-m", "QM1", "-o", "json")
    assert [row["queue"] for row in ran.items] == ["ORDERS.B", "ORDERS.A"]


def test_each_row_of_several_queue_managers_says_which(two: Bench) -> None:
    for which in (("-m", "QM1,QM2"), ("-m", "QM1", "-m", "QM2"), ("--context", "both")):
        ran = two.run("msg", "count", "ORDERS.A", *which, "-o", "json")
        assert ran.code == 0, ran.err
        rows = [(row["queue_manager"], row["queue"], row["message_count"]) for row in ran.items]
        assert rows == [("QM1", "ORDERS.A", 2), ("QM2", "ORDERS.A", 3)]
        assert ran.json["summary"] == {"queues": 2, "message_count": 5}
        assert ran.json["queue_manager"] is None


@pytest.mark.parametrize(
    "argv",
    [
        "queue ls", "queue status ORDERS.A", "msg browse ORDERS.A", "msg count ORDERS.A --by user",
        "backout ls ORDERS.*", "backout ls ORDERS.A", "backout causes ORDERS.A", "qmgr show",
        "expiry status", "expiry browse ORDERS.A", "delay status",
    ],
)  # fmt: skip
@pytest.mark.slow
def test_listings_of_several_queue_managers_have_those_of_each(two: Bench, argv: str) -> None:
    ran = two.run(*argv.split(), "-m", "QM1,QM2", "-o", "json")
    assert ran.code == 0, ran.err
    counts = Counter(row["queue_manager"] for row in ran.items)
    for name in ("QM1", "QM2"):
        alone = two.run(*argv.split(), "-m", name, "-o", "json").json
        assert counts[name] == len(alone.get("items", [1])) > 0
    assert "QMGR" in two.ok(*argv.split(), "-m", "QM1,QM2").out.splitlines()[0]


def test_a_command_in_a_warning_names_the_queue_manager_that_the_warning_is_of(two: Bench) -> None:
    for name in ("QM1", "QM2"):
        two.ok("queue", "define", "HERE.IN", "-m", name, "--yes")
        two.ok("queue", "define", "HERE.BO", "-m", name, "--yes")
        two.ok("msg", "put", "HERE.IN", "{}", "--count", "30", "-m", name, "--yes")
        two.ok("msg", "put", "HERE.BO", "{", "--count", "5", "-m", name, "--yes")
        two.ok("msg", "put", "HERE.BO", "{}", "-m", name, "--yes")
    err = two.ok("backout", "causes", "HERE.BO", "--against", "HERE.IN", "-m", "QM1,QM2").err
    for name in ("QM1", "QM2"):
        command = f"mqtriage msg browse -m {name} HERE.BO --where"
        assert f"{name}: HERE.BO: 1 of 6 messages is in no row: {command}" in err


def test_a_backout_queue_of_several_queue_managers_is_named_once(two: Bench) -> None:
    for name in ("QM1", "QM2"):
        for queue in ("HERE.BO", "HERE.IN"):
            two.ok("queue", "define", queue, "-m", name, "--yes")
        two.ok("msg", "put", "HERE.BO", "x", "--count", "2", "-m", name, "--yes")
        where = ("-m", name, "--yes")
        two.ok("backout", "set", "HERE.IN", "--threshold", "3", "--boq", "HERE.BO", *where)
    two.ok("msg", "put", "HERE.IN", "x", "-m", "QM2", "--yes")
    two_of = "contains 2 messages of at most 5000: mqtriage backout causes"
    for which, text in (
        ("QM1", f"{two_of} -m QM1 HERE.BO\n"),
        ("QM1,QM2", f"{two_of} HERE.BO -m QM1\n"),
        ("QM1,QM2", "causes HERE.BO --against HERE.IN -m QM2\n"),
    ):
        assert text in two.ok("backout", "ls", "HERE.*", "-m", which).err
    two.ok("msg", "put", "HERE.IN", "x", "-m", "QM1", "--yes")
    command = "mqtriage backout causes HERE.BO --against HERE.IN -m QM1,QM2"
    err = two.ok("backout", "ls", "HERE.*", "-m", "QM1,QM2").err
    assert f"HERE.BO contains 4 messages on 2 queue managers: {command}\n" in err
    assert err.count("HERE.BO contains") == 1
    two.ok(*command.split()[1:])


@pytest.mark.parametrize("order", ["QM1,QM2", "QM2,QM1"])
@pytest.mark.slow
def test_top_adds_up_a_number_that_one_queue_manager_has_and_another_has_not(
    two: Bench, order: str
) -> None:
    two.ok("queue", "define", "ORDERS.BO", "-m", "QM1", "--yes")
    two.ok("backout", "set", "ORDERS.A", "--boq", "ORDERS.BO", "-m", "QM1", "--yes")
    two.ok("msg", "put", "ORDERS.BO", "x", "-m", "QM1", "--yes")
    summary = two.ok("top", "-m", order, "-o", "json").json["summary"]
    assert summary["on_backout_queues"] == 1
    assert "QMGR" in two.ok("top", "--count", "1", "-m", order).out
    assert two.ok("top", "-m", "QM2,QM2", "-o", "json").json["summary"]["on_backout_queues"] is None


def test_a_queue_manager_that_cannot_be_asked_is_said_and_the_others_are_listed(two: Bench) -> None:
    ran = two.run("msg", "count", "ORDERS.A", "-m", "QM1,NONE", "-o", "json")
    assert ran.code == 3
    assert [row["queue_manager"] for row in ran.items] == ["QM1"]
    assert "NONE: no emulated queue manager NONE" in ran.err
    assert two.run("msg", "count", "ORDERS.A", "-m", "NO,NONE").code == 5


@pytest.mark.parametrize(
    "argv",
    ["backout ls --problems", "queue ls", "lint --fail-on never", "incident ORDERS.A --out i.zip"],
)
@pytest.mark.slow
def test_one_that_cannot_be_asked_is_an_error_also_with_quiet_and_in_json(
    two: Bench, argv: str
) -> None:
    two.ok("emulator", "stop", "QM2")
    words = [*argv.split(), "-m", "QM1,QM2", "-q"]
    ran = two.run(*words)
    assert (ran.code, ran.error_line[:5]) == (3, "QM2: "), ran.err
    Path("i-QM1.zip").unlink(missing_ok=True)
    again = two.run(*words, "-o", "json")
    (error,) = [json.loads(line) for line in again.err.splitlines()]
    assert (again.code, error["kind"], error["exit"]) == (3, "Error", 3)
    assert error["text"] in again.json["warnings"]
    assert again.json["warnings"].count(ran.error_line) == 1


def test_what_is_done_at_one_queue_manager_refuses_several(two: Bench) -> None:
    for argv in ("msg purge ORDERS.A --yes", "msg put ORDERS.A x --yes"):
        ran = two.run(*argv.split(), "-m", "QM1,QM2")
        assert ran.code == 2, argv
    ran = two.run("msg", "purge", "ORDERS.A", "--yes", "--context", "both")
    assert (ran.code, "both is a group of contexts" in ran.err) == (2, True)
    assert "run it for each: --context one or two" in ran.err


def test_a_group_that_is_no_list_of_contexts_is_one_line(two: Bench, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[group]\nboth = "one"\n')
    ran = two.run("queue", "ls", "--context", "both")
    assert (ran.code, "group.both is 'one'; expected a list of names" in ran.err) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    "argv",
    [
        "queue show ORDERS.A", "delay forecast", "backout explain ORDERS.A",
        "expiry explain ORDERS.A", "expiry reports",
        "snapshot take", "snapshot ls", "journal ls",
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_generic_name_asks_each_queue_manager_that_it_names(two: Bench, argv: str) -> None:
    for name in ("QM1", "QM2"):
        two.ok("msg", "put", "ORDERS.A", "x", "--delay", "1h", "-m", name, "--yes")
        two.ok("snapshot", "take", "-m", name)
    ran = two.run(*argv.split(), "-m", "QM*", "-o", "json")
    assert ran.code == 0, ran.err
    named = two.run(*argv.split(), "-m", "QM1,QM2", "-o", "json")
    places = [row["queue_manager"] for row in ran.items]
    assert places == [row["queue_manager"] for row in named.items]
    assert set(places) == ({"QM1", "QM2"} if argv != "expiry reports" else set())
    if argv != "journal ls":
        assert places == sorted(places)


def test_the_order_is_as_asked_and_what_is_not_there_is_said(two: Bench) -> None:
    ran = two.run("queue", "ls", "ORDERS.A", "-m", "QM2,NONE,QM1", "-o", "json")
    assert ran.code == 3
    assert [row["queue_manager"] for row in ran.items] == ["QM2", "QM1"]
    assert "NONE: no emulated queue manager NONE" in ran.err
    missing = two.run("queue", "ls", "-m", "PROD*")
    assert (missing.code, missing.error_line) == (5, "no queue manager PROD* here")
    assert "QM1, QM2" in missing.err
    contexts = two.run("queue", "ls", "ORDERS.A", "--context", "*", "-o", "json")
    assert [row["queue_manager"] for row in contexts.items] == ["QM1", "QM2"]


@pytest.mark.slow
def test_more_records_than_are_held_come_in_order_from_each(two: Bench) -> None:
    for name in ("QM1", "QM2"):
        two.ok("msg", "put", "ORDERS.B", "x", "--count", "1200", "-m", name, "--yes")
    ran = two.run("msg", "browse", "ORDERS.B", "-m", "*", "-o", "ndjson")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    for name in ("QM1", "QM2"):
        alone = two.run("msg", "browse", "ORDERS.B", "-m", name, "-o", "ndjson").out
        ids = [row["msg_id"] for row in rows if row["queue_manager"] == name]
        assert len(ids) == 1201
        assert ids == [json.loads(line)["msg_id"] for line in alone.splitlines()]


def test_a_message_is_shown_by_the_queue_managers_that_have_it_and_the_others_are_named(
    two: Bench,
) -> None:
    ident = two.run("msg", "browse", "ORDERS.B", "-m", "QM2", "-o", "json").items[0]["msg_id"]
    ran = two.ok("msg", "show", "ORDERS.B", ident, "-m", "QM1,QM2")
    assert re.match(rf"queue manager +QM2\nmsg id +{ident}\n", ran.out)
    assert "QM1: no such message on ORDERS.B\n" in ran.err
    rows = two.ok("msg", "show", "ORDERS.B", ident, "-m", "QM1,QM2", "-o", "json").items
    alone = two.ok("msg", "show", "ORDERS.B", ident, "-m", "QM2", "-o", "json").item
    assert rows == [{"queue_manager": "QM2", **alone}]
    assert two.ok("msg", "show", "ORDERS.B", ident, "-m", "QM*", "-o", "ids").out == f"{ident}\n"
    partly = two.run("msg", "show", "ORDERS.B", ident, "-m", "NONE,QM2,QM1")
    assert partly.code == 3
    assert "NONE: no emulated queue manager NONE" in partly.error_line


def test_the_first_message_of_several_queue_managers_is_shown_in_full_of_each(two: Bench) -> None:
    out = two.ok("msg", "show", "ORDERS.A", "-m", "QM2,QM1").out
    assert re.findall(r"^queue manager +(\w+)", out, re.MULTILINE) == ["QM2", "QM1"]
    assert len(re.findall(r"^correl id  ", out, re.MULTILINE)) == 2


def test_a_message_that_none_has_is_one_error_with_all_their_names(two: Bench) -> None:
    ran = two.run("msg", "show", "ORDERS.A", "99999999", "-m", "QM1,QM2")
    assert (ran.code, ran.error_line) == (5, "QM1, QM2: no such message on ORDERS.A")
    assert "hint: mqtriage msg browse -m QM1,QM2 ORDERS.A" in ran.err


READING = "DISPLAY QLOCAL(ORDERS.A) CURDEPTH\nPING QMGR\n"


def test_a_script_that_only_displays_has_a_session_of_each_queue_manager(two: Bench) -> None:
    ran = two.ok("mqsc", "-m", "QM2,QM1", answer=READING)
    of_each = [two.ok("mqsc", "-m", name, answer=READING).out for name in ("QM2", "QM1")]
    assert ran.out == "\n".join(of_each)
    assert "queue manager QM2.\n" in of_each[0]
    rows = two.ok("mqsc", "-m", "QM*", "-o", "json", answer=READING).items
    places = [(row["queue_manager"], row["number"]) for row in rows]
    assert places == [("QM1", 1), ("QM1", 2), ("QM2", 1), ("QM2", 2)]
    partly = two.run("mqsc", "-m", "QM1,NONE", answer=READING)
    assert partly.code == 3
    assert "NONE: no emulated queue manager NONE" in partly.error_line
    assert partly.out == of_each[1]


@pytest.mark.parametrize(
    ("script", "code"),
    [("DISPLAY QLOCAL(NO)\nPING QMGR\n", 3), ("DISPLAY QLOCAL(NO)\n", 1), ("FOO\n", 1)],
)
@pytest.mark.slow
def test_the_exit_code_of_several_sessions_is_that_of_all_their_commands(
    two: Bench, script: str, code: int
) -> None:
    for form in ((), ("-o", "json")):
        ran = two.run("mqsc", "-m", "QM1,QM2", *form, answer=script)
        assert ran.code == code, ran.err


@pytest.mark.parametrize("which", ["-m QM1,QM2", "-m QM1*", "--context both", "--context one,two"])
@pytest.mark.slow
def test_a_script_that_changes_something_is_refused_for_several(two: Bench, which: str) -> None:
    script = "DISPLAY QMGR\nALTER QMGR DESCR(X)\n"
    for more in ("-n", "--yes"):
        ran = two.run("mqsc", *which.split(), more, answer=script)
        option = which.split()[0]
        error = f"{option} names several queue managers; this command takes one"
        assert (ran.code, ran.out, ran.error_line) == (2, "", error)
        names = {"-m QM1,QM2": "QM1 QM2", "-m QM1*": "QM1"}.get(which, "one two")
        assert f"for name in {names}; do mqtriage mqsc {more} {option} $name < FILE" in ran.err


def test_a_name_that_nothing_in_a_listing_has_is_named(two: Bench) -> None:
    two.ok("snapshot", "take", "-m", "QM1", "--no-expiry-effects")
    assert "no snapshot of NONE in " in two.ok("snapshot", "ls", "-m", "QM1,NONE").err
    assert "no snapshot" not in two.ok("snapshot", "ls", "-m", "QM1").err
    assert "no operation on NONE\n" in two.ok("journal", "ls", "-m", "QM1,NONE", "--limit", "1").err
    assert "no operation" not in two.ok("journal", "ls", "-m", "QM1,QM2").err
    assert "no operation on NONE (--qmgr)" in two.ok("journal", "ls", "-m", "NONE").err


def test_doctor_names_on_standard_error_what_it_cannot_reach(two: Bench) -> None:
    ran = two.run("doctor", "-m", "QM1,NONE,QM2", "--quiet")
    assert ran.code == 3
    assert ran.error_line.startswith("NONE: no emulated queue manager NONE")


def test_notes_of_several_queue_managers_come_in_their_order(two: Bench) -> None:
    for name in ("S1", "S2", "S3"):
        two.ok("emulator", "create", name, "--sample")
    err = two.run("backout", "pending", "-m", "S3,S1,NONE,S2").err
    assert re.findall(r"note: (\w+) discarded", err) == ["S3", "S1", "S2"]


ONE_ONLY = {
    "emulator": "their queue manager is an argument, or they list all of them",
    "context": "they are about settings, not about queue managers",
    "msg archive": "one file, which goes back to one queue",
    "msg diff": "compares two sides",
    "snapshot diff": "compares two snapshots of one queue manager",
    "snapshot export": "a copy of a folder: of one queue manager, or of all",
    "journal show": "one operation",
    "mcp": "each call of an assistant says which, several too",
    "lint fix": "prints MQSC that is run at one queue manager",
}
"""Verbs that connect, change nothing and take one queue manager, with the reason."""


def test_what_looks_takes_several_queue_managers_or_says_why_not() -> None:
    unused = set(ONE_ONLY)
    for group, verb, target in VERBS:
        name = f"{group} {verb}".strip()
        groups = verb_function(target).verb.groups
        if Connections in groups or ConnectionOptions not in groups:
            continue
        if any(issubclass(one, Consent) for one in groups):
            continue
        reasons = {one for one in (group, name) if one in ONE_ONLY}
        assert reasons, f"{name} takes one queue manager: Connections in its @takes, or a reason"
        unused -= reasons
    assert not unused, "no such verb, or it takes several"


def test_lint_compares_queue_managers_with_one_another(two: Bench) -> None:
    commands = (
        "DEFINE QLOCAL(QM2) USAGE(XMITQ)\n"
        "DEFINE QREMOTE(TO.QM2) RNAME(NOT.THERE) RQMNAME(QM2) XMITQ(QM2)\n"
        "DEFINE CHANNEL(QM1.QM2) CHLTYPE(SDR) CONNAME(x) XMITQ(QM2)\n"
    )
    two.ok("mqsc", "run", "-", "-m", "QM1", "--yes", answer=commands)
    alone = two.run("lint", "-m", "QM1", "-o", "json")
    both = two.run("lint", "-m", "QM1,QM2", "-o", "json")
    assert {row["queue_manager"] for row in both.items} == {"QM1", "QM2"}
    own = [row for row in both.items if row["queue_manager"] == "QM1"]
    new = {row["code"] for row in own} - {row["code"] for row in alone.items}
    assert new == {"CHL006", "REF011"}, "no such channel, no such queue on QM2"
    assert "QMGR" in two.run("lint", "-m", "QM1,QM2").out
    partly = two.run("lint", "-m", "NONE,QM1", "--fail-on", "never")
    assert partly.code == 3
    assert "NONE: no emulated queue manager NONE" in partly.err


def test_doctor_has_a_row_for_each(two: Bench) -> None:
    ran = two.run("doctor", "ORDERS.A", "-m", "QM*", "-o", "json")
    assert ran.code == 0, ran.err
    rows = [(r["queue_manager"], r["reached"], r["missing"]) for r in ran.items]
    assert rows == [("QM1", True, 0), ("QM2", True, 0)]
    assert ran.items[1]["connection"]["queue_manager"] == "QM2"
    partly = two.run("doctor", "-m", "QM1,NONE")
    assert partly.code == 3
    assert "no emulated queue manager NONE" in partly.out
    assert two.run("doctor", "-m", "NO,NONE").code == 5
    assert two.run("doctor", "QUEUE.X", "-m", "QM1,QM2").code == 5


def test_an_incident_of_several_is_a_file_of_each(two: Bench, tmp_path: Path) -> None:
    ran = two.run(
        "incident", "ORDERS.A", "-m", "QM1,QM2,NONE", "--out", str(tmp_path / "t.zip"), "-o", "json"
    )
    assert ran.code == 3, ran.err
    assert [(r["queue_manager"], r["message_count"]) for r in ran.items] == [("QM1", 2), ("QM2", 3)]
    assert sorted(file.name for file in tmp_path.glob("*.zip")) == ["t-QM1.zip", "t-QM2.zip"]


def test_watches_follow_several_side_by_side(two: Bench) -> None:
    argv = ("watch", "ORDERS.A", "-m", "QM1,QM2,NONE", "--existing", "--limit", "5", "-o", "ndjson")
    ran = two.run(*argv)
    assert ran.code == 3, ran.err
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert Counter(row["queue_manager"] for row in rows) == {"QM1": 2, "QM2": 3}
    assert "NONE: no emulated queue manager NONE" in ran.err
    for name in ("QM1", "QM2"):
        two.ok("emulator", "lab", "rollback", "ORDERS.B", "--times", "2", "-m", name)
    pending = ("backout", "pending", "--interval", "2s", "-m", "QM*", "--existing", "--for", "0s")
    events = [json.loads(line) for line in two.ok(*pending, "-o", "ndjson").out.splitlines()]
    assert sorted(event["queue_manager"] for event in events) == ["QM1", "QM2"]


@pytest.mark.slow
def test_drift_of_several_is_one_listing(two: Bench, tmp_path: Path) -> None:
    file = tmp_path / "wanted.mqsc"
    file.write_text("DEFINE QLOCAL(ORDERS.A) MAXDEPTH(77)\n")
    ran = two.run("drift", str(file), "-m", "QM1,QM2", "-o", "json")
    assert ran.code == 4, ran.err
    differing = [(row["queue_manager"], row["object"], row["attribute"]) for row in ran.items]
    assert differing == [("QM1", "ORDERS.A", "MAXDEPTH"), ("QM2", "ORDERS.A", "MAXDEPTH")]
    assert ran.json["summary"]["differences"] == 2
    same = two.run("drift", "-m", "QM1,QM2", "--against", "QM1", "--only", "ORDERS.*")
    assert same.code == 0, same.out


def test_the_journal_of_several_is_proven_at_once(two: Bench) -> None:
    for name in ("QM1", "QM2"):
        two.ok("msg", "move", "ORDERS.A", "--to", "ORDERS.B", "-m", name, "--yes")
    ran = two.run("journal", "verify", "-m", "QM1,QM2", "-o", "json")
    assert len(ran.items) == 2
    assert [
        len(two.run("journal", "verify", "-m", n, "-o", "json").items) for n in ("QM1", "QM2")
    ] == [1, 1]


@pytest.mark.parametrize(
    "argv",
    [("snapshot", "take"), ("queue", "ls"), ("backout", "ls"), ("delay", "browse"), ("lint",)],
    ids=" ".join,
)
@pytest.mark.slow
def test_behind_many_records_it_is_said_again_which_queue_manager_is_missing(
    bench: Bench, argv: tuple[str, ...]
) -> None:
    """On 24 rows, the error before the records has scrolled off."""
    names = [f"FLEET{number}" for number in range(1, 7)]
    for name in names:
        bench.ok("emulator", "create", name, "--sample")
    bench.ok("emulator", "stop", "FLEET3")
    ran = bench.run(*argv, "-m", "FLEET*")
    assert ran.code in {3, 4}
    missing = "error: FLEET3 is missing: 5 of 6 queue managers answered in full"
    assert missing in ran.err.splitlines()[-6:], ran.err
    quiet = bench.run(*argv, "-m", "FLEET*", "-o", "json")
    assert "is missing" not in quiet.err
    assert "is missing" not in bench.run(*argv, "-m", "FLEET1,FLEET2").err


@pytest.mark.slow
def test_drift_says_which_of_many_queue_managers_is_missing_and_exits_4_if_others_differ(
    bench: Bench,
) -> None:
    for number in range(1, 7):
        bench.ok("emulator", "create", f"FLEET{number}")
    bench.ok("emulator", "stop", "FLEET3")
    missing = "error: FLEET3 is missing: 5 of 6 queue managers answered in full"
    argv = ("drift", "-m", "FLEET*", "--against", "FLEET1")
    same = bench.run(*argv)
    assert (same.code, same.err.count("2059")) == (3, 1), same.err
    assert same.err.splitlines()[-2:] == ["no differences from FLEET1", missing]
    bench.ok("queue", "define", "OTHER", "-m", "FLEET2", "--yes")
    other = bench.run(*argv)
    assert (other.code, other.err.splitlines()[-1]) == (4, missing)


def test_snapshots_of_several_queue_managers_are_one_row_each_at_80_columns(bench: Bench) -> None:
    for name in ("FLEET1", "FLEET2"):
        bench.ok("emulator", "create", name, "--sample")
    bench.environ["COLUMNS"] = "80"
    ran = bench.run("snapshot", "take", "-m", "FLEET*", terminals=ON_A_TERMINAL)
    rows = [line for line in ran.out.splitlines() if line.startswith("FLEET")]
    assert len(rows) == 2, ran.out
    for heading in ("QUEUES", "MESSAGE_COUNT", "PROBLEMS"):
        assert heading in ran.out


def test_definitions_of_several_queue_managers_begin_with_what_tells_them_apart(two: Bench) -> None:
    for command, first in (
        ("qmgr show", ["QMGR", "DEADQ", "CMDLEVEL", "PLATFORM", "MAXMSGL"]),
        ("queue show ORDERS.A", ["QMGR", "QUEUE", "TYPE", "MAXDEPTH", "BOTHRESH"]),
    ):
        ran = two.ok(*command.split(), "-m", "QM1,QM2")
        assert ran.out.split()[: len(first)] == first
        assert re.search(r"^note: \d+ more columns with --wide$", ran.err, re.M), command
        wide = two.ok(*command.split(), "-m", "QM1,QM2", "--wide")
        assert "ALTTIME" in wide.out
        assert "more columns" not in wide.err
    assert "more columns" not in two.ok("qmgr", "show", "-m", "QM1,QM2", "-o", "csv").err


def test_the_blank_dead_letter_queue_of_several_queue_managers_is_shown(two: Bench) -> None:
    for name in ("QM1", "QM2"):
        two.ok("mqsc", "-", "--yes", "-m", name, answer="ALTER QMGR DEADQ(' ')\n")
    ran = two.run("check", "dlq", "-m", "QM1,QM2")
    assert ran.err.endswith("qmgr show -m QM1,QM2\n")
    two.environ["COLUMNS"] = "40"
    assert "DEADQ" in two.ok("qmgr", "show", "-m", "QM1,QM2", "-o", "table").out
