"""`mqtriage queue` and `mqtriage qmgr`, whole commands on an emulated queue manager."""

from __future__ import annotations

import pytest

from tests.acceptance.conftest import ON_A_TERMINAL, Bench

LONG = "Q" * 49
MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"


def test_define_creates_the_queue_with_the_attributes_given(bench: Bench) -> None:
    ran = bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "NOSHARE", "MAXMSGL=4KiB", "--yes")
    assert "DEFINE QLOCAL('APP.IN') MAXDEPTH(7) NOSHARE MAXMSGL(4096)" in ran.out
    assert bench.attribute("APP.IN", "MAXDEPTH") == 7
    assert bench.attribute("APP.IN", "SHARE") == "NO"
    assert bench.attribute("APP.IN", "MAXMSGL") == 4096


def test_define_says_unchanged_the_second_time(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "-o", "json")
    assert ran.json["changed"] is False


def test_define_of_a_queue_that_differs_is_2100_and_changes_nothing(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.run("queue", "define", "APP.IN", "MAXDEPTH=8", "--yes")
    assert ran.code == 1
    assert "MQRC_OBJECT_ALREADY_EXISTS (2100): it differs in MAXDEPTH" in ran.error_line
    assert bench.attribute("APP.IN", "MAXDEPTH") == 7


def test_define_like_takes_what_is_not_given_from_the_model(bench: Bench) -> None:
    bench.ok("queue", "define", "A", "MAXDEPTH=7", "DEFPSIST=YES", "--yes")
    bench.ok("queue", "define", "B", "--like", "A", "MAXDEPTH=9", "--yes")
    assert bench.attribute("B", "DEFPSIST") == "YES"
    assert bench.attribute("B", "MAXDEPTH") == 9


@pytest.mark.parametrize("verb", ["define", "set"])
@pytest.mark.parametrize(
    ("boq", "problem"),
    [
        pytest.param("MISSPELT", "BOQNAME(MISSPELT) names no queue", id="no-queue"),
        pytest.param("T1", "BOQNAME is the queue itself", id="itself"),
    ],
)
def test_the_plan_warns_of_a_backout_queue_that_poison_messages_cannot_be_moved_to(
    bench: Bench, verb: str, boq: str, problem: str
) -> None:
    if verb == "set":
        bench.define("T1")
    settings = ("T1", f"BOQNAME={boq}", "BOTHRESH=3")
    plan = bench.ok("queue", verb, *settings, "-n")
    assert f"poison messages cannot be moved to the backout queue: {problem}" in plan.out + plan.err
    bench.ok("queue", verb, *settings, "--yes")
    assert bench.attribute("T1", "BOQNAME") == boq


def test_a_threshold_for_a_backout_queue_that_is_gone_is_warned_of(bench: Bench) -> None:
    bench.ok("queue", "define", "T1", "BOQNAME=GONE", "--yes")
    ran = bench.ok("queue", "set", "T1", "BOTHRESH=3", "-n")
    assert "BOQNAME(GONE) names no queue" in ran.out + ran.err
    other = bench.ok("queue", "set", "T1", "MAXDEPTH=9", "-n")
    assert "BOQNAME(GONE)" not in other.out + other.err


def test_a_backout_queue_that_takes_the_messages_is_not_warned_of(bench: Bench) -> None:
    bench.define("T1")
    bench.define("T1.BO")
    ran = bench.ok("queue", "set", "T1", "BOQNAME=T1.BO", "BOTHRESH=3", "-n")
    assert "poison" not in ran.out + ran.err


def test_a_target_makes_an_alias(bench: Bench) -> None:
    bench.define("BASE")
    bench.ok("queue", "define", "ALIAS", "TARGET=BASE", "--yes")
    shown = bench.ok("queue", "show", "ALIAS", "-o", "json").item
    assert shown["type"] == "QALIAS"
    assert shown["attributes"]["TARGET"] == "BASE"
    assert shown["alias_problem"] == ""


def test_an_alias_whose_target_is_missing_is_defined_with_a_warning(bench: Bench) -> None:
    ran = bench.ok("queue", "define", "ALIAS", "TARGET=NOPE", "--yes")
    assert "warning: applications would currently fail" in ran.err
    assert "2082" in ran.err


def test_set_shows_old_and_new_and_leaves_the_others_alone(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "DESCR=mine", "--yes")
    ran = bench.ok("queue", "set", "APP.IN", "MAXDEPTH=50", "--yes")
    assert "7 -> 50" in ran.out
    assert "ALTER QLOCAL('APP.IN') MAXDEPTH(50)" in ran.out
    assert bench.attribute("APP.IN", "MAXDEPTH") == 50
    assert bench.attribute("APP.IN", "DESCR") == "mine"


def test_set_says_unchanged_the_second_time_and_needs_no_consent(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.ok("queue", "set", "APP.IN", "MAXDEPTH=7")
    assert ran.out.startswith("unchanged: APP.IN")


def test_a_change_without_yes_in_a_script_is_refused_and_nothing_changes(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.run("queue", "set", "APP.IN", "MAXDEPTH=8")
    assert ran.code == 8
    assert "--yes" in ran.error_line
    assert ran.out == ""
    assert bench.attribute("APP.IN", "MAXDEPTH") == 7


@pytest.mark.parametrize(("answer", "code", "depth"), [("y\n", 0, 8), ("n\n", 8, 7), ("", 8, 7)])
def test_on_a_terminal_it_asks(bench: Bench, answer: str, code: int, depth: int) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.run("queue", "set", "APP.IN", "MAXDEPTH=8", answer=answer, terminals=ON_A_TERMINAL)
    assert ran.code == code
    assert bench.attribute("APP.IN", "MAXDEPTH") == depth


def test_a_dry_run_shows_the_mqsc_and_changes_nothing(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=7", "--yes")
    ran = bench.ok("queue", "set", "APP.IN", "MAXDEPTH=8", "-n", "-o", "mqsc")
    assert ran.out == "ALTER QLOCAL('APP.IN') MAXDEPTH(8)\n"
    assert bench.attribute("APP.IN", "MAXDEPTH") == 7


def test_set_on_an_alias_changes_the_alias_itself(bench: Bench) -> None:
    bench.define("BASE")
    bench.ok("queue", "define", "ALIAS", "TARGET=BASE", "--yes")
    bench.ok("queue", "set", "ALIAS", "PUT=DISABLED", "--yes")
    assert bench.attribute("ALIAS", "PUT") == "DISABLED"
    assert bench.attribute("BASE", "PUT") == "ENABLED"


def test_an_attribute_that_an_alias_lacks_points_to_its_target(bench: Bench) -> None:
    bench.define("BASE")
    bench.ok("queue", "define", "ALIAS", "TARGET=BASE", "--yes")
    ran = bench.run("queue", "set", "ALIAS", "BOTHRESH=3", "--yes")
    assert ran.code == 2
    assert "'BOTHRESH': not an attribute of QALIAS" in ran.error_line
    assert "mqtriage queue set BASE" in ran.err


def test_maxdepth_below_curdepth_is_warned_of(bench: Bench) -> None:
    bench.define("APP.IN")
    file = bench.home / "m.bin"
    file.write_bytes(b"x")
    bench.ok("msg", "put", "APP.IN", "--file", str(file), "--file", str(file), "--yes")
    ran = bench.ok("queue", "set", "APP.IN", "MAXDEPTH=1", "--yes")
    assert "MAXDEPTH(1) is below CURDEPTH(2)" in ran.err
    assert bench.depth("APP.IN") == 2


@pytest.mark.seed("DD-90")
def test_put_disabled_on_the_zos_staging_queue_stops_the_processor(zos_bench: Bench) -> None:
    zos_bench.ok("delay", "define", "--stgclass", "DDLY", "--yes")
    ran = zos_bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "PUT=DISABLED", "--yes")
    assert "stops the delivery delay processor" in ran.err
    (status,) = zos_bench.ok("delay", "status", "-o", "json").items
    assert status["processor"] == "stopped: SYSTEM.DDELAY.LOCAL.QUEUE has PUT(DISABLED)"


def test_delete_takes_the_definition_away(bench: Bench) -> None:
    bench.define("APP.IN")
    ran = bench.ok("queue", "delete", "APP.IN", "--yes", "-o", "json")
    assert ran.json["details"]["mqsc"] == ["DELETE QLOCAL('APP.IN')"]
    assert bench.run("queue", "show", "APP.IN").code == 5


def test_delete_of_what_is_not_there_is_done_where_that_will_do(bench: Bench) -> None:
    assert bench.run("queue", "delete", "NOPE", "--yes").code == 5
    assert (
        "unchanged: NOPE at QM1 does not exist"
        in bench.ok("queue", "delete", "NOPE", "--missing-ok", "--yes").out
    )
    bench.define("APP.IN")
    bench.ok("queue", "delete", "APP.IN", "--missing-ok", "--yes")
    assert bench.run("queue", "show", "APP.IN").code == 5


def test_delete_says_who_names_the_queue(bench: Bench) -> None:
    bench.define("BASE")
    bench.ok("queue", "define", "ALIAS", "TARGET=BASE", "--yes")
    assert "QALIAS(ALIAS) names it in TARGET" in bench.ok("queue", "delete", "BASE", "-n").out


def test_delete_with_messages_is_refused_without_purge(bench: Bench) -> None:
    bench.define("APP.IN")
    _put(bench, "APP.IN")
    ran = bench.run("queue", "delete", "APP.IN", "--yes")
    assert ran.code == 8
    assert "CURDEPTH(1)" in ran.error_line
    assert bench.depth("APP.IN") == 1


def test_delete_with_purge_takes_the_name_and_not_just_yes(bench: Bench) -> None:
    bench.define("APP.IN")
    _put(bench, "APP.IN")
    assert bench.run("queue", "delete", "APP.IN", "--purge", "--yes").code == 8
    assert bench.run("queue", "delete", "APP.IN", "--purge", "--confirm", "APP").code == 8
    assert bench.depth("APP.IN") == 1
    bench.ok("queue", "delete", "APP.IN", "--purge", "--confirm", "APP.IN")
    assert bench.run("queue", "show", "APP.IN").code == 5


def test_delete_of_an_open_queue_is_2042_and_leaves_it(bench: Bench) -> None:
    bench.define("APP.IN")
    with bench.connected() as other:
        from mqtriage.mq import cmqc

        other.open("APP.IN", cmqc.MQOO_OUTPUT)
        ran = bench.run("queue", "delete", "APP.IN", "--yes")
        assert ran.code == 1
        assert "MQRC_OBJECT_IN_USE (2042)" in ran.error_line
    bench.ok("queue", "show", "APP.IN")


def test_ls_takes_a_generic_name_and_shows_depth_in_percent(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=3", "--yes")
    bench.define("APP.OUT")
    bench.define("OTHER")
    _put(bench, "APP.IN")
    items = bench.ok("queue", "ls", "APP.*", "-o", "json").items
    assert [(item["queue"], item["curdepth"], item["percent_full"]) for item in items] == [
        ("APP.IN", 1, 33.3),
        ("APP.OUT", 0, 0.0),
    ]


def test_ls_writes_definitions_that_make_the_same_queue_again(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "MAXDEPTH=3", "NOSHARE", "DESCR=it's mine", "--yes")
    script = bench.home / "q.mqsc"
    script.write_text(bench.ok("queue", "ls", "APP.*", "-o", "mqsc").out)
    bench.ok("emulator", "create", "QM2")
    bench.ok("mqsc", str(script), "-m", "QM2", "--yes")
    for keyword in ("MAXDEPTH", "SHARE", "DESCR", "BOTHRESH"):
        assert bench.attribute("APP.IN", keyword, "QM2") == bench.attribute("APP.IN", keyword)


def test_status_of_an_alias_is_that_of_its_target_and_says_so(bench: Bench) -> None:
    bench.define("BASE")
    bench.ok("queue", "define", "ALIAS", "TARGET=BASE", "--yes")
    _put(bench, "BASE")
    ran = bench.ok("queue", "status", "ALIAS", "-o", "json")
    assert (ran.item["queue"], ran.item["curdepth"]) == ("BASE", 1)
    assert "ALIAS is an alias of BASE" in ran.err


def test_qmgr_show_has_the_attributes_of_display_qmgr(bench: Bench) -> None:
    shown = bench.ok("qmgr", "show", "-o", "json").item
    assert shown["queue_manager"] == "QM1"
    assert shown["attributes"]["PLATFORM"] == "UNIX"
    assert shown["attributes"]["MAXMSGL"] == 4_194_304
    assert "ALTER QMGR" in bench.ok("qmgr", "show", "-o", "mqsc").out


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        pytest.param(["show", "A B"], 2, "a blank at position 2", id="wrong-character"),
        pytest.param(["show", LONG], 2, "49 characters long, MQ allows 48", id="49-characters"),
        pytest.param(["show", ""], 2, "'QUEUE': it is empty", id="no-name"),
        pytest.param(["show", "NOPE"], 5, "MQRC_UNKNOWN_OBJECT_NAME (2085)", id="unknown"),
        pytest.param(["status", "NOPE"], 5, "2085", id="status-unknown"),
        pytest.param(["ls", "NOPE"], 5, "2085", id="ls-unknown"),
        pytest.param(["ls", "A*B"], 2, "'*' at position 2", id="generic-name"),
        pytest.param(["set", "APP.IN", "--yes"], 2, "nothing to set", id="nothing"),
        pytest.param(["set", "NOPE", "GET=DISABLED", "--yes"], 5, "2085", id="set-unknown"),
        pytest.param(["delete", "NOPE", "--yes"], 5, "2085", id="delete-unknown"),
        pytest.param(["set", "APP.IN", "BOQUEUE=X"], 2, "not an attribute of QLOCAL", id="keyword"),
        pytest.param(
            ["set", "APP.IN", "CURDEPTH=0"], 2, "can be displayed, but not set", id="read-only"
        ),
        pytest.param(["set", "APP.IN", "MAXDEPTH=-1"], 2, "allowed 0 to 999999999", id="negative"),
        pytest.param(
            ["set", "APP.IN", "MAXDEPTH=99999999999999999999999"], 2, "allowed 0 to", id="huge"
        ),
        pytest.param(["set", "APP.IN", "GET=MAYBE"], 2, "allowed ENABLED, DISABLED", id="word"),
        pytest.param(["set", "APP.IN", "MAXDEPTH"], 2, "needs a value", id="no-value"),
        pytest.param(["set", "APP.IN", "NOSHARE=YES"], 2, "takes no value", id="switch-value"),
        pytest.param(["set", "APP.IN", "SHARE", "NOSHARE"], 2, "given twice", id="switch-twice"),
        pytest.param(["set", "APP.IN", "GET=ENABLED", "GET=ENABLED"], 2, "twice", id="twice"),
        pytest.param(["set", "APP.IN", "BOQNAME=A B"], 2, "is not allowed in a name", id="boqname"),
        pytest.param(["set", "APP.IN", "INDXTYPE=NONE"], 2, "on distributed", id="platform"),
        pytest.param(["define", "X", "--like", "NOPE", "--yes"], 5, "2085", id="like-unknown"),
        pytest.param(
            ["define", "X", "--like", "APP.IN", "TARGET=APP.IN"],
            2,
            "an alias cannot be defined like it",
            id="like-and-alias",
        ),
        pytest.param(["define", "X", "TARGET=A", "TARGET=B"], 2, "is given twice", id="targets"),
        pytest.param(["define", "X", "TARGET="], 2, "needs the name of its target", id="blank"),
        pytest.param(["status", "TO.NOTHING"], 5, "which does not exist", id="alias-to-nothing"),
        pytest.param(["status", "TO.ALIAS"], 1, "which is a QALIAS", id="alias-of-alias"),
        pytest.param(["status", "LOOP"], 1, "LOOP is an alias of LOOP", id="alias-loop"),
        pytest.param(["show", "APP.IN", "--columns", "nope"], 2, "no key 'nope'", id="column"),
        pytest.param(["ls", "--sort", "nope"], 2, "no column 'nope'", id="sort"),
    ],
)
def test_wrong_input_is_one_clear_line(
    bench: Bench, arguments: list[str], code: int, text: str
) -> None:
    aliases = {"TO.NOTHING": "TARGET=NOPE", "TO.ALIAS": "TARGET=TO.NOTHING", "LOOP": "TARGET=LOOP"}
    bench.define("APP.IN", **aliases)
    ran = bench.run("queue", *arguments)
    assert ran.code == code, ran.err
    assert text in ran.error_line
    assert ran.out == ""


def test_nothing_that_matches_is_exit_9_with_fail_empty(bench: Bench) -> None:
    assert bench.run("queue", "ls", "NOPE.*").code == 0
    assert bench.run("queue", "ls", "NOPE.*", "--fail-empty").code == 9


def _put(bench: Bench, queue: str) -> None:
    file = bench.home / "one.bin"
    file.write_bytes(b"one")
    bench.ok("msg", "put", queue, "--file", str(file), "--yes")


@pytest.mark.parametrize("name", ["APP.IN", MODEL])
def test_a_maxmsgl_above_the_queue_managers_is_set_with_a_warning(bench: Bench, name: str) -> None:
    bench.define("APP.IN")
    ran = bench.ok("queue", "set", name, "MAXMSGL=9999999", "--yes")
    assert "longer messages need ALTER QMGR MAXMSGL(9999999)" in ran.err
    assert bench.attribute(name, "MAXMSGL") == 9_999_999


@pytest.mark.parametrize(
    "words",
    [
        ("queue", "set", "ORDERS.IN", "MAXDEPTH=4711"),
        ("backout", "set", "ORDERS.IN", "--threshold", "7"),
        ("queue", "define", "APP.NEW"),
        ("queue", "delete", "APP.OUT", "--confirm", "APP.OUT"),
    ],
)
def test_a_change_of_definitions_counts_its_changes_as_done(
    sample: Bench, words: tuple[str, ...]
) -> None:
    sample.define("APP.OUT")
    yes = () if "--confirm" in words else ("--yes",)
    counts = sample.ok(*words, *yes, "-o", "json").item["counts"]
    assert counts["done"] == counts["planned"] > 0


@pytest.mark.parametrize(
    ("condition", "queues"),
    [
        ("CURDEPTH GT 0", ["FULL.Q", "HALF.Q"]),
        ("curdepth>0", ["FULL.Q", "HALF.Q"]),
        ("curdepth > 0 AND put = DISABLED", ["HALF.Q"]),
        ("percent_full >= 50", ["FULL.Q", "HALF.Q"]),
        ("%full > 50%", ["FULL.Q"]),
        ("depth>=100%", ["FULL.Q"]),
        ("type=QALIAS", ["AN.ALIAS"]),
        ("queue LK 'F*' and MAXDEPTH NE 5000", ["FULL.Q"]),
        ("BOQNAME NE ' '", ["EMPTY.Q"]),
        ("TARGET EQ FULL.Q", ["AN.ALIAS"]),
        ("DEFPSIST EQ YES", []),
    ],
)
@pytest.mark.slow
def test_queues_are_listed_by_conditions_as_display_takes_them(
    bench: Bench, condition: str, queues: list[str]
) -> None:
    lines = [
        "DEFINE QLOCAL(EMPTY.Q) MAXDEPTH(5000) BOTHRESH(3) BOQNAME(FULL.Q)",
        "DEFINE QLOCAL(FULL.Q) MAXDEPTH(2)",
        "DEFINE QLOCAL(HALF.Q) MAXDEPTH(4)",
        "DEFINE QALIAS(AN.ALIAS) TARGET(FULL.Q)",
    ]
    assert bench.run("mqsc", "--yes", answer="\n".join(lines)).code == 0
    for queue in ("FULL.Q", "HALF.Q"):
        bench.ok("msg", "put", queue, "x", "--count", "2", "--yes")
    bench.ok("queue", "set", "HALF.Q", "PUT=DISABLED", "--yes")
    ran = bench.ok("queue", "ls", "--where", condition, "-o", "json")
    assert [item["queue"] for item in ran.items] == queues
    assert ran.json["summary"]["queues"] == len(queues)


def test_an_attribute_that_a_condition_names_is_a_column(bench: Bench) -> None:
    bench.define(A="DEFPSIST=YES")
    out = bench.ok("queue", "ls", "--where", "DEFPSIST EQ YES").out
    assert "DEFPSIST" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("curdepth > 0 or curdepth < 9", "not a condition on queues, or several joined by AND"),
        ("curdepth >", "not a condition on queues"),
        ("", "'' is not a condition on queues"),
        ("a" * 30_000, "not a condition on queues"),
        ("age > 1h", "AGE is not an attribute of queues"),
        ("curdepth LIKE 5", "LIKE is not an operator"),
        ("put > DISABLED", "PUT is a word; use EQ or NE"),
        ("curdepth > lots", "CURDEPTH(lots): allowed 0 to 999999999"),
        ("percent_full > lots", "not a percentage"),
        ("percent_full LK 7", "percent_full is a number, not compared with LK"),
    ],
)
def test_what_is_no_condition_on_queues_is_refused_in_one_line(
    bench: Bench, condition: str, text: str
) -> None:
    ran = bench.run("queue", "ls", "--where", condition)
    assert (ran.code, ran.out, text in ran.error_line) == (2, "", True), ran.err


def test_a_condition_on_queues_goes_to_several_queue_managers(bench: Bench) -> None:
    bench.define(A="", B="")
    bench.ok("emulator", "create", "QM2")
    bench.ok("queue", "define", "A", "-m", "QM2", "--yes")
    bench.ok("msg", "put", "A", "x", "-m", "QM2", "--yes")
    ran = bench.ok("queue", "ls", "-m", "*", "--where", "CURDEPTH GT 0", "-o", "json")
    assert [(item["queue_manager"], item["queue"]) for item in ran.items] == [("QM2", "A")]
