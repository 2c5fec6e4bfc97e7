"""The rules: what each finds, the nearest estate in which it does not, and that its fix mends."""

from __future__ import annotations

from functools import cache

import pytest

from mqtriage.definitions.estate import Estate, LiveStatus
from mqtriage.definitions.rules.finding import Finding, Severity
from mqtriage.definitions.rules.registry import lint, rules
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse
from tests.support.scale import for_all
from tests.support.timing import shortest_s
from tests.unit.definitions.rules.asserting import estate_of, findings, lint_errors, lint_ok
from tests.unit.definitions.rules.rows import (
    DELAYED,
    DLQ,
    IN,
    ORDERS,
    ROWS,
    SENDER,
    STAGING,
    ZOS,
    Row,
)

WITHOUT_ROWS = {"EXP005", "DLQ006", "DLY014"}
"""Tested below: they need a live queue, or a load model alone."""


@cache
def bad(row: Row) -> Estate:
    """What the rule finds something in."""
    return estate_of(row.bad, toml=row.toml, whole=row.whole)


@cache
def violations(row: Row) -> list[Finding]:
    """What it finds there; fails when that is nothing."""
    by_the_rule = findings(row.code, bad(row))
    assert by_the_rule, f"{row.code} finds nothing"
    return by_the_rule


def fixes(row: Row) -> list[str]:
    """The fixes of what it finds, as MQSC."""
    return [finding.fix_mqsc for finding in violations(row) if finding.fix]


@cache
def fixed(row: Row) -> Estate:
    """The same estate once its fixes have run."""
    return estate_of(row.bad, *fixes(row), toml=row.toml, whole=row.whole)


@cache
def before_and_after(row: Row) -> tuple[list[Finding], list[Finding]]:
    """What all rules find without the fixes, and with them."""
    return lint(bad(row)), lint(fixed(row))


@for_all(ROWS)
def test_the_rule_finds_it(row: Row) -> None:
    assert violations(row)


@for_all(ROWS)
def test_the_nearest_other_estate_is_left_alone(row: Row) -> None:
    lint_ok(row.code, row.good, toml=row.toml, whole=row.whole)


@for_all(ROWS)
def test_each_fix_is_good_mqsc_and_mends_what_was_found(row: Row) -> None:
    script = parse("\n".join(fixes(row)))
    assert [d for d in check_script(script) if d.severity == "error"] == []
    mended = {(finding.kind, finding.name) for finding in violations(row) if finding.fix}
    remaining = {(finding.kind, finding.name) for finding in findings(row.code, fixed(row))}
    assert not mended & remaining
    assert len(fixed(row).refused) == len(bad(row).refused), "the fix itself is refused"


@for_all(ROWS)
def test_a_fix_brings_no_new_errors(row: Row) -> None:
    before, after = (
        {f.code for f in findings if not f.severity.rank} for findings in before_and_after(row)
    )
    assert after <= before


NEWS = {"BKO014", "DLY011", "SEC021"}
"""A queue that nothing names as its backout queue any more; a storage class to choose; CONNAUTH,
which is to be refreshed."""


@for_all(ROWS)
def test_a_fix_brings_nothing_new(row: Row) -> None:
    before, after = (
        {(f.code, f.kind, f.name) for f in findings if f.code not in NEWS}
        for findings in before_and_after(row)
    )
    assert after <= before, "a rule that only this fix triggers belongs in NEWS"


def test_a_threshold_that_an_alter_takes_away_is_shown_there() -> None:
    text = "DEFINE QLOCAL(IN) BOTHRESH(3) +\nBOQNAME(BO)\n"
    (finding,) = lint_errors("BKO002", text + "ALTER QLOCAL(IN) BOTHRESH(0)")
    assert finding.place.line == 3
    (finding,) = lint_errors("BKO002", text.replace("3", "0"))
    assert finding.place.line == 2


USED = "DEFINE QLOCAL(X) USAGE(XMITQ) {}\nDEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(X)\n"


@pytest.mark.parametrize(
    ("attributes", "more"),
    [
        pytest.param("", SENDER, id="channel"),
        pytest.param("", "DEFINE QREMOTE(R) RNAME(A) RQMNAME(QM2) XMITQ(X)", id="remote-queue"),
        pytest.param("", "DEFINE QREMOTE(R) RNAME(A) RQMNAME(X)", id="queue-manager"),
        pytest.param("", "ALTER QMGR DEFXMITQ(X)", id="default"),
        pytest.param("TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)", "", id="triggered"),
        pytest.param("CLCHNAME('C.*')", "", id="cluster"),
    ],
)
def test_a_transmission_queue_in_use_stays_one(attributes: str, more: str) -> None:
    text = f"{USED.format(attributes)}{more}\nALTER QMGR DEADQ(X)"
    (backout,) = lint_errors("BKO022", text)
    assert "QLOCAL('X')" not in backout.fix_mqsc
    assert "ALTER QLOCAL('IN') BOQNAME('IN.BO')" in backout.fix_mqsc
    lint_ok("BKO022", text, backout.fix_mqsc)
    assert [finding.fix for finding in lint_errors("DLQ008", text)] == [()]


@pytest.mark.parametrize(
    "more",
    [
        "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(X)",
        "DEFINE QALIAS(A) TARGET(X)",
        "DEFINE SUB(S) TOPICSTR('a') DEST(X)",
        "ALTER QMGR DEADQ(X)",
        "ALTER QLOCAL(X) CLUSTER(C)",
    ],
)
def test_an_ordinary_queue_in_use_is_made_no_transmission_queue(more: str) -> None:
    text = f"DEFINE QLOCAL(X)\n{SENDER}\n"
    assert all(finding.fix for finding in lint_errors("QUE009", text))
    assert not any(finding.fix for finding in lint_errors("QUE009", text + more))


def test_every_rule_has_a_row() -> None:
    assert {row.code for row in ROWS} == {rule.code for rule in rules()} - WITHOUT_ROWS


@for_all(ROWS)
def test_a_message_carries_the_place_and_the_values(row: Row) -> None:
    for finding in violations(row):
        assert finding.message
        assert finding.name or finding.kind == "QMGR"
        missing = finding.code in ("DLY001", "DLY009") and row.whole
        assert missing or finding.place.line >= 1


def full(curdepth: int, expired: int, ipprocs: int = 0) -> dict[str, LiveStatus]:
    return {"Q": LiveStatus(curdepth, ipprocs, expired)}


@pytest.mark.seed("EX-35")
def test_a_queue_full_of_expired_messages_is_found() -> None:
    text = "DEFINE QLOCAL(Q) MAXDEPTH(5)"
    assert findings("EXP005", estate_of(text, status=full(5, 5)))
    assert not findings("EXP005", estate_of(text, status=full(5, 2)))
    assert not findings("EXP005", estate_of(text, status=full(3, 3)))


def test_expired_messages_that_nobody_reads_are_found() -> None:
    text = "DEFINE QLOCAL(Q) MAXDEPTH(5)"
    assert findings("EXP001", estate_of(text, status=full(2, 1)))
    assert not findings("EXP001", estate_of(text, status=full(2, 1, ipprocs=1)))


def test_a_full_dead_letter_queue_is_an_error_and_a_nearly_full_one_a_warning() -> None:
    text = "DEFINE QLOCAL(Q) MAXDEPTH(10)\nALTER QMGR DEADQ(Q)"
    assert [f.severity for f in findings("DLQ006", estate_of(text, status=full(10, 0)))] == [
        Severity.ERROR
    ]
    assert [f.severity for f in findings("DLQ006", estate_of(text, status=full(8, 0)))] == [
        Severity.WARNING
    ]
    assert not findings("DLQ006", estate_of(text, status=full(7, 0)))


def test_a_backout_queue_that_is_nearly_full_is_found() -> None:
    text = "DEFINE QLOCAL(Q) MAXDEPTH(10)\nDEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(Q) MAXDEPTH(10)"
    assert findings("BKO006", estate_of(text, status=full(8, 0)))
    assert not findings("BKO006", estate_of(text, status=full(7, 0)))


@pytest.mark.seed("DD-23")
def test_a_lifetime_below_the_delay_is_found_and_an_equal_one_is_not() -> None:
    load = '[load]\nlongest_delay = "5m"\ntime_to_live = '
    assert lint_errors("DLY014", "", toml=load + '"299s"')
    lint_ok("DLY014", "", toml=load + '"5m"')


@pytest.mark.seed("PM-42")
def test_a_threshold_without_a_backout_queue_is_an_error() -> None:
    lint_ok("BKO001", "DEFINE QLOCAL(ORDERS.IN) BOTHRESH(0) BOQNAME(' ')")
    for threshold in (1, 2, 999_999_999):
        script = f"DEFINE QLOCAL(ORDERS.IN) BOTHRESH({threshold}) BOQNAME(' ')"
        (finding,) = lint_errors("BKO001", script)
        assert finding.severity is Severity.ERROR
        assert f"BOTHRESH({threshold})" in finding.message


@pytest.mark.seed("PM-42")
@pytest.mark.parametrize(
    ("length", "room"),
    [(4_190_207, "MAXMSGL(4194303)"), (4_194_303, "MAXMSGL(4194304)"), (4_194_304, "")],
)
def test_the_backout_queue_that_is_proposed_has_room_for_the_header_as_far_as_there_is_any(
    length: int, room: str
) -> None:
    """4 KB more than its queue, but no more than the queue manager takes."""
    (finding,) = lint_errors("BKO001", f"DEFINE QLOCAL(IN) BOTHRESH(3) MAXMSGL({length})")
    assert finding.fix_mqsc.count("MAXMSGL") == bool(room)
    assert room in finding.fix_mqsc


@pytest.mark.seed("DD-19")
def test_a_clustered_queue_bound_at_open_is_reported() -> None:
    assert lint_errors("DLY007", ORDERS + "CLUSTER(C) DEFBIND(OPEN)")


@pytest.mark.seed("DD-22")
def test_a_queue_outside_a_cluster_may_be_bound_at_open() -> None:
    lint_ok("DLY007", ORDERS + "DEFBIND(OPEN)", toml=DELAYED)


@pytest.mark.seed("DD-45", "DD-48", "DD-111")
@pytest.mark.parametrize("toml", ["", ZOS], ids=["dist", "zos"])
def test_staging_of_the_shipped_size_is_too_small_for_the_load(toml: str) -> None:
    load = '[load]\nrate = "50/s"\nlongest_delay = "15m"\ndelayed_queues = ["ORDERS.*"]\n'
    text = f"DEFINE QLOCAL({STAGING}) MAXDEPTH(5000)\n{ORDERS}"
    assert "50/s x 900 s" in lint_errors("DLY002", text, toml=toml + load)[0].message
    assert lint_errors("DLY003", text, toml=toml + load)


@pytest.mark.seed("DD-49", "DD-50")
def test_a_group_that_may_use_the_staging_queue_is_named_with_its_profile() -> None:
    text = f"SET AUTHREC PROFILE({STAGING}) OBJTYPE(QUEUE) GROUP('users') AUTHADD(PUT,GET)"
    (finding,) = lint_errors("DLY006", text)
    assert "GROUP(users)" in finding.message
    assert STAGING in finding.message
    assert "maintenance and monitoring" in finding.message
    lint_ok("DLY006", text.replace("'users'", "'mqm'"))


@pytest.mark.seed("DD-39")
def test_senders_are_not_asked_to_have_put_on_the_staging_queue() -> None:
    load = DELAYED + '[[load.readers]]\nentity = "GROUP(app)"\nqueues = ["ORDERS.*"]\n'
    text = f"{ORDERS}\nSET AUTHREC PROFILE(ORDERS.IN) OBJTYPE(QUEUE) GROUP('app') AUTHADD(PUT,INQ)"
    for code in ("DLY006", "BKO011"):
        lint_ok(code, text, toml=load)


@pytest.mark.seed("DD-47", "DD-56")
def test_on_zos_a_missing_staging_queue_is_an_error_with_its_definition() -> None:
    (finding,) = lint_errors("DLY001", ORDERS, toml=ZOS + DELAYED)
    assert "INDXTYPE(NONE)" in finding.fix_mqsc
    assert "MSGDLVSQ(FIFO)" in finding.fix_mqsc
    lint_ok("DLY001", ORDERS, toml=DELAYED)


@pytest.mark.seed("DD-57", "DD-58", "DD-59", "DD-65")
def test_on_zos_the_staging_queue_has_its_own_class_no_index_fifo_and_is_private() -> None:
    text = f"DEFINE QLOCAL({STAGING}) INDXTYPE(CORRELID) MSGDLVSQ(PRIORITY) QSGDISP(SHARED)"
    codes = {finding.code for finding in lint(estate_of(text, toml=ZOS))}
    assert {"DLY005", "DLY011", "DLY012"} <= codes
    assert len(lint_errors("DLY005", text, toml=ZOS)) == 2


@pytest.mark.seed("DD-67")
def test_delayed_nonpersistent_messages_for_a_shared_queue_are_a_risk() -> None:
    lint_errors("DLY010", ORDERS + "QSGDISP(SHARED)", toml=ZOS + DELAYED)


@pytest.mark.seed("DD-85", "DD-90")
@pytest.mark.parametrize("keyword", ["PUT", "GET"])
def test_a_disabled_staging_queue_is_an_error(keyword: str) -> None:
    (finding,) = lint_errors("DLY004", f"ALTER QLOCAL({STAGING}) {keyword}(DISABLED)", toml=ZOS)
    assert finding.severity is Severity.ERROR


@pytest.mark.seed("DD-116", "DD-117", "DD-118")
def test_topic_delivery_is_resolved_up_the_tree_to_what_ibm_ships() -> None:
    load = '[load]\ndelayed_topics = ["a/b"]\n'
    violations = lint_errors("DLY008", "DEFINE TOPIC(A) TOPICSTR('a')", toml=load, whole=True)
    assert ["PMSGDLV" in f.message for f in violations] == [True]
    lint_ok("DLY008", "DEFINE TOPIC(A) TOPICSTR('a')", toml=load + "persistent = false\n")


@pytest.mark.seed("PM-14")
def test_a_backout_queue_without_threshold_is_reported() -> None:
    lint_errors("BKO002", "DEFINE QLOCAL(BOQ)\nDEFINE QLOCAL(IN) BOTHRESH(0) BOQNAME(BOQ)")


@pytest.mark.seed("PM-17", "PM-19")
def test_changes_that_running_consumers_or_aliases_do_not_take_are_reported() -> None:
    lint_errors("BKO021", "ALTER QLOCAL(Q1) BOTHRESH(9) BOQNAME(OTHER)")
    lint_errors("BKO018", "ALTER QALIAS(A1) BOTHRESH(9)")


@pytest.mark.seed("BO-30", "BO-31", "BO-12")
@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        pytest.param("", "BKO014", id="neither"),
        pytest.param("BOTHRESH(3)", "BKO001", id="threshold-alone"),
        pytest.param("BOQNAME(BO)", "BKO002", id="name-alone"),
    ],
)
def test_an_input_queue_with_half_its_handling_is_named(attributes: str, code: str) -> None:
    violations = lint_errors(code, f"DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) {attributes}")
    assert "IN" in [finding.name for finding in violations]


@pytest.mark.seed("PM-32", "PM-34", "PM-35", "PM-36")
def test_a_reader_needs_inquire_on_the_queue_and_put_and_passall_on_its_backout_queue() -> None:
    load = '[[load.readers]]\nentity = "GROUP(g)"\nqueues = ["IN"]\n'
    text = (
        f"DEFINE QLOCAL(BO)\n{IN}\nSET AUTHREC PROFILE(BO) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)"
    )
    messages = [finding.message for finding in lint_errors("BKO011", text, toml=load)]
    assert len(messages) == 2
    assert "lacks INQ on IN" in messages[0]
    assert "lacks PASSALL on BO" in messages[1]


@pytest.mark.seed("PM-46", "BO-28", "BO-49")
@pytest.mark.parametrize(
    ("attributes", "code"),
    [("PUT(DISABLED)", "DLQ005"), ("USAGE(XMITQ)", "DLQ008"), ("GET(DISABLED)", "DLQ007")],
)
def test_a_dead_letter_queue_that_cannot_do_its_work_is_found(attributes: str, code: str) -> None:
    assert code in {finding.code for finding in lint(estate_of(DLQ + attributes))}


def test_one_backout_queue_lacking_in_a_part_is_a_warning_and_in_a_whole_an_error() -> None:
    assert lint_errors("BKO003", IN)[0].severity is Severity.WARNING
    assert lint_errors("BKO003", IN, whole=True)[0].severity is Severity.ERROR


def test_a_long_chain_of_backout_queues_is_followed_once() -> None:
    """Each queue leads to the next: 20,000 walks of the rest of it would take minutes."""
    from mqtriage.definitions.estate import Definition, Estate
    from mqtriage.definitions.rules.backout_queues import loops

    count = 20_000
    names = [f"Q{number}" for number in range(count)]
    queues = {
        name: Definition("QLOCAL", name, {"BOTHRESH": 1, "BOQNAME": after})
        for name, after in zip(names, [*names[1:], names[count // 2]], strict=True)
    }
    (ring,) = loops(Estate(queues=queues))
    assert len(ring) == count // 2
    assert shortest_s(lambda: loops(Estate(queues=queues)), 2) < 2


@pytest.mark.parametrize(
    ("queues", "says"),
    [
        pytest.param("DEFINE QALIAS(BO) TARGET(T) TARGTYPE(TOPIC)", "alias of a topic", id="topic"),
        pytest.param("DEFINE QALIAS(BO)", "without a target", id="blank"),
        pytest.param("DEFINE QALIAS(BO) TARGET(GONE)", "GONE, which is not defined", id="missing"),
        pytest.param(
            "DEFINE QALIAS(BO) TARGET(R)\nDEFINE QREMOTE(R) RNAME(X)",
            "R, which is a QREMOTE",
            id="remote-behind-it",
        ),
        pytest.param("DEFINE QREMOTE(BO) RNAME(X)", "is a remote queue", id="remote"),
        pytest.param("DEFINE QMODEL(BO)", "is a model queue", id="model"),
        pytest.param("DELETE QLOCAL(BO)", "is deleted in line 1", id="deleted"),
        pytest.param("", "is not defined", id="nothing"),
        pytest.param("DEFINE QALIAS(BO) TARGET(R)\nDEFINE QLOCAL(R)", "", id="alias-of-local"),
        pytest.param("ALTER QALIAS(BO) PUT(ENABLED)", "", id="target-not-known"),
    ],
)
def test_where_a_backout_queue_name_leads(queues: str, says: str) -> None:
    violations = findings("BKO003", estate_of(f"{queues}\n{IN}", whole=True))
    assert [says in finding.message for finding in violations] == ([True] if says else [])


def test_a_queue_of_the_queue_manager_is_taken_to_be_there_in_a_part() -> None:
    text = "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(SYSTEM.OTHER)"
    lint_ok("BKO003", text)
    lint_errors("BKO003", text, whole=True)


@pytest.mark.parametrize(
    ("backout_bytes", "severity"),
    [(99_999, Severity.ERROR), (100_000, Severity.INFO), (104_095, Severity.INFO)],
)
def test_a_short_backout_queue_is_an_error_and_lack_of_room_for_a_header_an_info(
    backout_bytes: int, severity: Severity
) -> None:
    text = f"DEFINE QLOCAL(BO) MAXMSGL({backout_bytes})\n{IN} MAXMSGL(100000)"
    assert [f.severity for f in lint_errors("BKO005", text)] == [severity]


def test_the_longest_of_several_input_queues_counts() -> None:
    more = "\nDEFINE QLOCAL(L) BOTHRESH(1) BOQNAME(BO) MAXMSGL(9000)"
    (finding,) = lint_errors("BKO005", f"DEFINE QLOCAL(BO) MAXMSGL(1)\n{IN} MAXMSGL(5)" + more)
    assert "of L" in finding.message


def test_a_queue_that_is_its_own_backout_queue_has_a_fix_and_a_ring_is_for_people() -> None:
    assert lint_errors("BKO007", "DEFINE QLOCAL(A) BOTHRESH(1) BOQNAME(A)")[0].fix
    ring = "DEFINE QLOCAL(A) BOTHRESH(1) BOQNAME(B)\nDEFINE QLOCAL(B) BOTHRESH(1) BOQNAME(A)"
    (finding,) = lint_errors("BKO007", ring)
    assert not finding.fix
    assert "A -> B -> A" in finding.message
    lint_ok("BKO013", ring)


@pytest.mark.parametrize(("queues", "more"), [(3, ""), (5, " and 2 more")])
def test_a_shared_backout_queue_is_told_with_at_most_three_names(queues: int, more: str) -> None:
    names = [f"Q{number}" for number in range(queues)]
    text = "\n".join(f"DEFINE QLOCAL({name}) BOTHRESH(1) BOQNAME(BO)" for name in names)
    (finding,) = lint_errors("BKO009", text)
    assert finding.message.endswith(f"{queues} queues: Q0, Q1, Q2{more}")


@pytest.mark.parametrize("attributes", ["BOTHRESH(3)", "BOQNAME(BO)", ""])
def test_a_topics_model_queue_needs_both_attributes(attributes: str) -> None:
    topic = "DEFINE TOPIC(T) TOPICSTR('t') MDURMDL(M)"
    lint_errors("BKO010", f"DEFINE QMODEL(M) {attributes}\n{topic}")
    lint_ok("BKO010", f"DEFINE QLOCAL(M) {attributes}\n{topic}")
    lint_ok("BKO010", f"ALTER QMODEL(M) {attributes or 'MAXDEPTH(1)'}\n{topic}")


def test_a_reader_of_a_queue_without_threshold_needs_nothing_on_the_backout_queue() -> None:
    load = '[[load.readers]]\nentity = "GROUP(g)"\nqueues = ["IN"]\n'
    grant = "\nSET AUTHREC PROFILE(IN) OBJTYPE(QUEUE) GROUP('g') AUTHADD(INQ)"
    lint_ok("BKO011", "DEFINE QLOCAL(IN) BOTHRESH(0) BOQNAME(BO)" + grant, toml=load)
    lint_errors("BKO011", IN + grant, toml=load)


@pytest.mark.parametrize(
    "text",
    [
        "DEFINE QLOCAL(Q)\nALTER QMGR DEADQ(Q)",
        "DEFINE QLOCAL(Q)\nDEFINE QLOCAL(O) BOTHRESH(1) BOQNAME(B) INITQ(Q)",
        "DEFINE QLOCAL(Q)\nDEFINE QLOCAL(O) BOTHRESH(1) BOQNAME(B) STREAMQ(Q)",
        "DEFINE QLOCAL(Q)\nDEFINE QLOCAL(O) BOTHRESH(1) BOQNAME(Q)",
        "DEFINE QLOCAL(Q) BOTHRESH(1)",
        "DEFINE QLOCAL(Q) BOQNAME(B)",
        "ALTER QLOCAL(Q) MAXDEPTH(1)",
    ],
)
def test_queues_with_another_purpose_are_not_asked_for_poison_handling(text: str) -> None:
    lint_ok("BKO014", text)


@pytest.mark.parametrize(
    "text", ["DEFINE QALIAS(A) BOQUEUE(B)", "DISPLAY QLOCAL(A) BOQUEUE", "CLEAR QLOCAL(A)"]
)
def test_the_misprint_is_told_of_where_it_could_be_meant(text: str) -> None:
    lint_ok("BKO019", text)


@pytest.mark.parametrize(
    "text", ["ALTER QMODEL(M) BOTHRESH(3)", "DISPLAY QLOCAL(Q) BOTHRESH", "ALTER QMGR MAXHANDS(5)"]
)
def test_only_a_change_of_a_local_queue_concerns_running_consumers(text: str) -> None:
    lint_ok("BKO021", text)


def test_a_blank_deadq_is_mended_with_the_usual_queue_which_is_defined_where_it_lacks() -> None:
    usual = "SYSTEM.DEAD.LETTER.QUEUE"
    blank = "ALTER QMGR DEADQ(' ')"
    assert len(lint_errors("DLQ001", blank)[0].fix) == 1
    assert len(lint_errors("DLQ001", blank, whole=True)[0].fix) == 1  # it comes with the manager
    gone = f"DELETE QLOCAL({usual})\n{blank}"
    assert len(lint_errors("DLQ001", gone, whole=True)[0].fix) == 2
    there = f"DEFINE QLOCAL({usual})\n{blank}"
    assert len(lint_errors("DLQ001", there, whole=True)[0].fix) == 1


def test_the_dead_letter_queue_and_its_own_backout_queue_do_not_drive_each_other_up() -> None:
    text = DLQ + "MAXMSGL(5000) BOTHRESH(1) BOQNAME(DBO)\nDEFINE QLOCAL(DBO) MAXMSGL(9096)"
    lint_ok("DLQ002", text)
    lint_errors("DLQ002", text + "\nDEFINE QLOCAL(OTHER) MAXMSGL(9096)")


def test_a_dead_letter_queue_is_made_as_long_as_its_message_asks() -> None:
    text = DLQ + "MAXMSGL(4096)\nDEFINE QLOCAL(Q) MAXMSGL(52428800)\n"
    for more, length in ("", 52428800), ("ALTER QMGR MAXMSGL(40000)", 40000):
        (finding,) = lint_errors("DLQ002", text + more)
        assert finding.message.startswith(f"MAXMSGL(4096) is below {length} bytes")
        assert f"MAXMSGL({length})" in finding.fix_mqsc


def test_a_dead_letter_queue_that_takes_the_message_but_not_its_header_is_an_info() -> None:
    text = DLQ + "MAXMSGL({})\nDEFINE QLOCAL(Q) MAXMSGL(1000)"
    assert [f.severity for f in lint_errors("DLQ002", text.format(999))] == [Severity.WARNING]
    assert [f.severity for f in lint_errors("DLQ002", text.format(1000))] == [Severity.INFO]


def test_a_deadq_that_is_not_in_a_part_is_a_warning_and_a_deleted_one_an_error() -> None:
    text = "ALTER QMGR DEADQ(DEAD)"
    assert lint_errors("DLQ001", text)[0].severity is Severity.WARNING
    deleted = f"{text}\nDELETE QLOCAL(DEAD)"
    assert lint_errors("DLQ001", deleted)[0].severity is Severity.ERROR
    lint_ok("DLQ001", DLQ, whole=True)
    lint_ok("DLQ001", DLQ)


@pytest.mark.parametrize("load", ['rate = "9/s"', 'longest_delay = "9h"', ""])
def test_staging_is_not_sized_without_rate_and_delay(load: str) -> None:
    text = f"ALTER QLOCAL({STAGING}) MAXDEPTH(1)"
    lint_ok("DLY002", text, toml=f"[load]\n{load}\n")


def test_an_exact_profile_on_staging_is_an_error_and_a_generic_one_a_warning() -> None:
    text = "SET AUTHREC PROFILE('{}') OBJTYPE(QUEUE) GROUP('users') AUTHADD(GET)"
    (exact,) = lint_errors("DLY006", text.format(STAGING))
    assert (exact.severity, "AUTHRMV(GET)" in exact.fix_mqsc) == (Severity.ERROR, True)
    (generic,) = lint_errors("DLY006", text.format("SYSTEM.**"))
    assert (generic.severity, "AUTHADD(NONE)" in generic.fix_mqsc) == (Severity.WARNING, True)


@pytest.mark.parametrize(
    ("topic", "whole", "severity"),
    [
        ("DEFINE TOPIC(A) TOPICSTR('a')", False, Severity.WARNING),
        ("DEFINE TOPIC(A) TOPICSTR('a')", True, Severity.ERROR),
        ("DEFINE TOPIC(A) TOPICSTR('a') PMSGDLV(ALL)", False, Severity.ERROR),
    ],
)
def test_what_only_the_shipped_default_says_is_a_warning_in_a_part(
    topic: str, whole: bool, severity: Severity
) -> None:
    load = '[load]\ndelayed_topics = ["a"]\npersistent = true\n'
    assert [f.severity for f in lint_errors("DLY008", topic, toml=load, whole=whole)] == [severity]


def test_the_altered_base_topic_counts_where_no_other_says_anything() -> None:
    load = '[load]\ndelayed_topics = ["a"]\n'
    lint_ok(
        "DLY008", "ALTER TOPIC(SYSTEM.BASE.TOPIC) PMSGDLV(ALLAVAIL) NPMSGDLV(ALLAVAIL)", toml=load
    )


def test_a_delayed_target_is_full_at_maxdepth_and_not_before() -> None:
    text, load = "DEFINE QLOCAL(Q) MAXDEPTH(5)", '[load]\ndelayed_queues = ["Q"]\n'
    assert findings("DLY009", estate_of(text, toml=load, status=full(5, 0)))
    assert not findings("DLY009", estate_of(text, toml=load, status=full(4, 0)))


def test_a_cap_on_a_queue_without_delayed_messages_is_left_alone() -> None:
    load = '[load]\nlongest_delay = "5m"\ndelayed_queues = ["ORDERS.*"]\n'
    lint_ok("DLY013", "DEFINE QLOCAL(PAY) CAPEXPRY(1)", toml=load)


def test_expired_messages_count_from_half_of_a_queue_that_is_four_fifths_full() -> None:
    text = "DEFINE QLOCAL(Q) MAXDEPTH(10)"
    assert findings("EXP005", estate_of(text, status=full(8, 4)))
    assert not findings("EXP005", estate_of(text, status=full(8, 3)))
    assert not findings("EXP005", estate_of(text, status=full(7, 7)))


def test_the_right_to_create_queues_is_an_info_where_a_dump_has_it() -> None:
    text = "SET AUTHREC PROFILE('{}') OBJTYPE(QUEUE) GROUP('ops') AUTHADD({})"
    for profile, words, severity in (
        ("@class", "CRT", Severity.INFO),
        ("@class", "ALLADM", Severity.WARNING),
        ("A.*", "CRT", Severity.WARNING),
    ):
        (finding,) = lint_errors("SEC015", text.format(profile, words))
        assert finding.severity is severity, (profile, words)


def test_a_command_that_the_queue_manager_rejects_is_an_error() -> None:
    for code, text in (
        ("CHL010", "DEFINE CHANNEL(C) TRPTYPE(TCP) CHLTYPE(SVRCONN)"),
        ("CHL015", "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) BATCHSZ(50)"),
        ("SEC019", "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('10.1.1.1')"),
        ("QUE010", "DEFINE QLOCAL(Q)\nDEFINE QALIAS(Q) TARGET(R) REPLACE"),
    ):
        (finding,) = lint_errors(code, text)
        assert finding.severity is Severity.ERROR, code
        assert "rejected" in finding.message
