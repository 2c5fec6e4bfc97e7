"""Each field and option of selection on each kind of queue: it selects what its column shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields as fields_of
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.tree import GROUPS
from mqtriage.cli.frame.verb import verb_function
from mqtriage.messages.filters.expression import Compare, leaves, to_text
from mqtriage.messages.filters.fields import FIELDS, FieldSpec, Kind, Need, find_field, spec_of
from mqtriage.messages.filters.selection import build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import OPT
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers import dlh
from tests.acceptance.messages.estate import STAGING, Estate

PROBES = ("1", "1h", "2026-01-31T10:00:00Z", "ID:" + "41" * 24)
EVERYTHING = {
    ("<", Kind.TIME): "2099-01-01T00:00:00Z", (">", Kind.TIME): "2000-01-01T00:00:00Z",
    ("<", Kind.DURATION): "1000d", (">", Kind.DURATION): "0s", ("<=", Kind.EXPIRY): "1000d",
}  # fmt: skip

ANY = {Kind.TEXT: "*", Kind.NUMBER: ">=0"}


class Listed:
    """A `browse` of one queue: what each of its columns shows, and what selections choose."""

    def __init__(self, estate: Estate, noun: str, queue: str) -> None:
        self.estate = estate
        self.verb = (noun, "browse") if noun == "delay" else (noun, "browse", queue)

    def run(self, *argv: str) -> Any:
        return self.estate.run(*self.verb, *argv)

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """By field of the selection language, the values that its column shows, in queue order."""
        headings = re.split("  +", self.run("--wide").out.splitlines()[0].strip())
        records = self.run("--columns", ",".join(headings), "-o", "ndjson").lines
        rows = [[record[key] for key in record] for record in records]
        named = {find_field(heading): at for at, heading in enumerate(headings)}
        return {name: [row[at] for row in rows] for name, at in named.items() if name}

    @cached_property
    def ids(self) -> list[str]:
        return list(self.run("-o", "ids").out.split())

    def check(self, name: str, value: Any, *selection: str, exactly: bool = True) -> str:
        """What is wrong with the answer to *selection*, "" where it is right."""
        ran = self.run(*selection, "-o", "ids")
        shown = self.columns.get(name, [])
        if value is None:
            refused = ran.code != 0 and bool(ran.err.split("hint: ")[1:])
            right = refused or bool(ran.out.split()) or "warning: " in ran.err
        else:
            showing = [i for i, v in zip(self.ids, shown, strict=True) if v == value]
            chosen = ran.out.split()
            right = chosen == showing if exactly else set(showing) <= set(chosen)
        return "" if right else f"{self.verb} {selection}: {ran.code} {ran.out!r} {ran.err!r}"


def dead(reason: int, dest: str, program: str, form: str, hour: int, body: bytes) -> bytes:
    header = dlh.DLH(reason=reason, dest_q_name=dest, dest_q_mgr_name="QM1", encoding=546,
                     ccsid=1208, format=form, put_appl_type=6, put_appl_name=program,
                     put_date="20260131", put_time=f"{hour:02}000000")  # fmt: skip
    return dlh.encode(header) + body


@pytest.fixture
def listings(estate: Estate) -> list[Listed]:
    """A queue of each kind with two different messages, browsed by each verb that fits it."""
    put = {"put_date": "20260130", "put_time": "08000000", "put_appl_name": "first.app"}
    estate.put("IN", b'{"n": 1}', reply_to_q="R1", expiry_tenths=36_000, **put)
    estate.put("IN", b'{"n": 2}', format="", priority=7)
    estate.queue("PARKED")
    estate.put("PARKED", b'{"n": 1}', b"<n>2</n>")
    estate.alter("OUT", BOQNAME="PARKED")
    estate.delayed("IN", b"one", delay_ms=60_000)
    estate.delayed("OUT", b"two", delay_ms=90_000)
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    estate.put("DEAD", dead(2053, "IN", "amqrmppa", "MQSTR", 9, b"1"), format="MQDEAD", **put)
    estate.put("DEAD", dead(2051, "OUT", "runmqchi", "", 10, b"2"), format="MQDEAD")
    estate.queue("TO.QM2", USAGE="XMITQ")
    with estate.connected() as backend:
        attributes = {"RNAME": "FAR", "RQMNAME": "QM2", "XMITQ": "TO.QM2"}
        backend.define("QREMOTE", "REMOTE", attributes)
    estate.put("REMOTE", b"one", b"two")
    estate.advance(1)  # older than 0s, wherever within a hundredth of a second the clock stands
    nouns = [noun for noun, group in GROUPS.items() if "browse" in group.verbs]
    of_all = ("IN", "PARKED", "DEAD", "TO.QM2", STAGING)
    queues = {"delay": (STAGING,), "dlq": ("DEAD",)}
    return [Listed(estate, n, q) for n in nouns for q in queues.get(n, of_all)]


def condition(spec: FieldSpec, value: Any) -> str:
    """The `--where` by what a column shows."""
    if value is None:
        return f"{spec.name} IS NOT NULL"
    if spec.kind is Kind.ID:
        value = bytes.fromhex(value)
    elif spec.kind is Kind.EXPIRY and value == -1:
        return f"{spec.name} = unlimited"
    elif spec.kind is Kind.TIME or (spec.kind is Kind.NUMBER and isinstance(value, str)):
        return f"{spec.name} = {value}"
    return to_text(Compare(spec.name, "=", value))


@pytest.mark.slow
def test_a_field_selects_what_its_column_shows_or_is_refused(listings: list[Listed]) -> None:
    wrong = []
    for listed in listings:
        assert len(listed.ids) == 2
        for spec in FIELDS:
            values = listed.columns.get(spec.name, [None])
            if spec.need is Need.BODY or (values == [None] and not spec.nullable):
                continue
            for value in dict.fromkeys(values if values[0] != values[-1] else values[:1]):
                wrong.append(listed.check(spec.name, value, "--where", condition(spec, value)))
    assert not any(wrong), "\n".join(text for text in wrong if text)


def conditions() -> Iterator[tuple[str, Compare]]:
    """Each option that asks for one field, with the test that it makes."""
    for option in fields_of(SelectionOptions):
        for probe in (*((one,) for one in PROBES), True):
            try:
                given: Any = {option.name: probe}
                tests = [*leaves(build_selection(SelectionOptions(**given)).tree)]
            except (UsageError, TypeError, AttributeError):
                continue
            if len(tests) == 1 and isinstance(tests[0], Compare):
                name = option.metadata[OPT].words(option.name)[0].split("/")[0]
                yield name, tests[0]
                break


@pytest.mark.slow
def test_an_option_selects_what_its_column_shows_or_is_refused(listings: list[Listed]) -> None:
    options = dict(conditions())
    assert {
        "--target",
        "--put-appl",
        "--md-format",
        "--older-than",
        "--due-before",
    } <= options.keys()
    wrong = []
    for listed in listings:
        for option, test in options.items():
            values = listed.columns.get(test.field, [None])
            kind = spec_of(test.field).kind
            text = EVERYTHING.get((test.op, kind))
            for value in dict.fromkeys(values):
                if value == -1 and test.field == "expiry":
                    continue
                given = text or (str(value) if value is not None else ANY.get(kind, ""))
                argument = [option] if test.value is True else [option, given]
                wrong.append(listed.check(test.field, value, *argument, exactly=text is None))
    assert not any(wrong), "\n".join(text for text in wrong if text)


def test_delayed_messages_are_chosen_by_the_queue_they_are_for(estate: Estate) -> None:
    estate.delayed("IN", b"one", b"two")
    estate.delayed("OUT", b"three")
    for choice in (("--dest", "IN"), ("--where", "target = 'IN' and dest_qmgr = 'QM1'")):
        assert len(estate.run("delay", "browse", *choice, "-o", "ids").out.split()) == 2
    ran = estate.run("delay", "release", "--dest", "IN", "--yes")
    assert (ran.code, len(estate.messages("IN")), len(estate.messages(STAGING))) == (0, 2, 1)


def test_target_works_on_every_verb_of_delay_that_looks_at_messages(estate: Estate) -> None:
    estate.delayed("OUT", b"x")
    verbs = GROUPS["delay"].verbs
    looking = [
        name
        for name, (target, _) in verbs.items()
        if SelectionOptions in verb_function(target).verb.groups
    ]
    assert {"browse", "cancel", "release", "reschedule"} <= set(looking)
    for name in (*looking, "forecast"):
        more = {"reschedule": ("--delay", "1h", "-n"), "browse": (), "forecast": ()}
        words = ("delay", name, *more.get(name, ("-n",)), "-o", "json", "--target")
        for target, count in (("OUT", 1), ("NO.SUCH", 0)):
            ran = estate.run(*words, target)
            document = ran.json
            there = len(document["items"]) if "items" in document else document["item"]["count"]
            assert there == count, (words, target, ran)


def test_an_archive_of_delayed_messages_is_chosen_from_by_their_queue(
    estate: Estate, tmp_path: Path
) -> None:
    estate.delayed("IN", b"one")
    estate.delayed("OUT", b"two")
    copy = str(tmp_path / "copy.ndjson")
    assert estate.run("msg", "archive", STAGING, "--out", copy).code == 0
    argv = ("archive", "copy", copy, "--dest", "OUT", "--out", str(tmp_path / "out.ndjson"))
    assert estate.run(*argv, "-o", "json").json["item"]["message_count"] == 1


@pytest.fixture
def dead_letters(estate: Estate) -> Estate:
    """One that a channel put on DEAD at 9, its sender the day before; and one without an MQDLH."""
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    sent = {"put_date": "20260130", "put_time": "08000000", "put_appl_name": "orders.app"}
    estate.put("DEAD", dead(2053, "IN", "amqrmppa", "MQSTR", 9, b"1"), format="MQDEAD", **sent)
    estate.put("DEAD", b"bare", **sent)
    return estate


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        (("--put-appl", "amqrmppa"), 1),
        (("--put-appl", "orders.app"), 0),
        (("--where", "mqmd_put_appl = 'orders.app'"), 2),
        (("--md-format", "MQSTR"), 2),
        (("--where", "mqmd_format = MQFMT_DEAD_LETTER_HEADER"), 1),
        (("--where", "put_time > 2026-01-31T00:00:00Z"), 1),
        (("--where", "put_time < 2026-01-31T00:00:00Z"), 1),
        (("--where", "mqmd_put_time < 2026-01-31T00:00:00Z"), 2),
        (("--where", "target = 'IN'"), 1),
    ],
)
@pytest.mark.slow
def test_the_verbs_of_dlq_choose_by_what_dlq_browse_shows(
    dead_letters: Estate, selection: tuple[str, ...], count: int
) -> None:
    browsed = dead_letters.run("dlq", "browse", *selection, "-o", "ids")
    assert len(browsed.out.split()) == count
    causes = dead_letters.run("dlq", "causes", *selection, "-o", "json")
    assert causes.json["summary"]["message_count"] == count
    for act in (("requeue", "--to", "OUT"), ("purge",)):
        plan = dead_letters.run("dlq", *act, *selection, "-n", "-o", "json").json
        assert plan["item"]["count"] == count, act
    rules = dead_letters.folder / "all.rules"
    rules.write_text("ACTION(DISCARD)\n")
    ran = dead_letters.run("dlq", "run", "-f", str(rules), *selection, "-n", "-o", "ndjson")
    assert len(ran.lines) == count


def test_target_is_the_queue_in_the_header_in_commands_on_other_queues_and_on_files(
    dead_letters: Estate, tmp_path: Path
) -> None:
    dead_letters.delayed("OUT", b"x")
    chosen = ("--where", "target = 'IN' and target_qmgr = 'QM1'", "-o", "ids")
    for verb, queue in (("msg", "DEAD"), ("dlq", "DEAD")):
        assert len(dead_letters.run(verb, "browse", queue, *chosen).out.split()) == 1
    for queue, counted in (("DEAD", {"IN": 1, None: 1}), (STAGING, {"OUT": 1})):
        copy = str(tmp_path / f"{queue}.ndjson")
        assert dead_letters.run("msg", "archive", queue, "--out", copy).code == 0
        by_target = (
            ("msg", "count", queue, "--by", "target"),
            ("archive", "ls", copy, "--group", "target"),
        )
        for line in by_target:
            items = dead_letters.run(*line, "-o", "json").json["items"]
            assert {item["target"]: item["message_count"] for item in items} == counted, line
    copy = str(tmp_path / "DEAD.ndjson")
    assert len(dead_letters.run("archive", "ls", copy, *chosen).out.split()) == 1


def test_a_name_of_both_headers_is_refused_where_dead_letters_are_shown(
    dead_letters: Estate,
) -> None:
    """JSON has put_appl_name of the MQMD, and the MQDLH has a PutApplName as well."""
    for word in ("put_appl_name", "PutApplName"):
        condition = f"reason = 2053 and {word} = 'orders.app'"
        ran = dead_letters.run("dlq", "browse", "--where", condition)
        assert (ran.code, ran.out) == (2, "")
        assert "mqmd_put_appl the MQMD's" in ran.err
        assert dead_letters.run("msg", "browse", "DEAD", "--where", condition, "-o", "ids").out
    text = dead_letters.run("dlq", "browse", "--where", "dest = 'put_appl_name'")
    assert text.code == 0


def test_what_dlq_causes_says_of_a_group_selects_it_in_dlq_browse(dead_letters: Estate) -> None:
    dead_letters.put("DEAD", dead(2051, "IN", "amqrmppa", "MQSTR", 9, b"2"), format="MQDEAD")
    ran = dead_letters.run("dlq", "causes", "--put-appl", "amqrmppa", "-o", "json")
    for item in ran.json["items"]:
        for where in (item["where"], *item["also_share"]):
            chosen = dead_letters.run("dlq", "browse", "--where", where, "-o", "ids").out.split()
            assert item["sample_msg_id"] in chosen
        ran = dead_letters.run("dlq", "browse", "--where", item["where"], "-o", "ids")
        assert len(ran.out.split()) == item["message_count"]


def test_a_selection_by_a_header_that_no_message_has_selects_none_and_says_so(
    estate: Estate,
) -> None:
    argv = ("msg", "purge", "IN", "--reason", "MQRC_Q_FULL", "--yes")
    assert estate.run(*argv).code == 0  # an empty queue holds nothing to be wrong about
    estate.put("IN", b"one", b"two")
    for selection in (("--reason", "2053"), ("--where", "not reason in (1) and format = 'MQSTR'")):
        ran = estate.run("msg", "purge", "IN", *selection, "--yes")
        assert ran.code == 0
        assert "IN: reason (MQDLH.Reason) selects nothing: 2 messages read, none" in ran.err
    for where in ("reason is null", "reason = 2053 or format = 'MQSTR'"):
        ran = estate.run("msg", "browse", "IN", "--where", where, "-o", "ids")
        assert (ran.code, len(ran.out.split())) == (0, 2)
    estate.delayed("IN", b"three")
    ran = estate.run("msg", "browse", STAGING, "--reason", "2053")
    assert ran.code == 0
    assert "these messages have delay, dest, dest_qmgr, due_time" in ran.err


@pytest.mark.slow
def test_a_property_or_body_field_that_looks_misspelt_is_refused(estate: Estate) -> None:
    argv = ("msg", "purge", "IN", "--where", "body.pay.curency = 'XXX'", "--yes")
    assert estate.run(*argv).code == 0  # an empty queue holds nothing to be wrong about
    body = '{"pay": {"currency": "EUR", "amount": 1}}'
    for prop, copies in (("region=EU", "1"), ("size=1", "1000")):
        put = ("msg", "put", "IN", body, "--count", copies, "--prop", prop, "--yes")
        assert estate.run(*put).code == 0
    ran = estate.run(*argv)
    assert ran.code == 8
    assert (
        "IN: body.pay.curency (a value inside the body) selects nothing: 1001 messages read, none "
        "has it; did you mean body.pay.currency?\n"
    ) in ran.err
    assert "hint: the first 1000 messages have body.pay.amount, body.pay.currency\n" in ran.err
    ran = estate.run("msg", "move", "IN", "--to", "OUT", "--where", "prop.regoin = 'EU'", "--yes")
    assert ran.code == 8
    assert "prop.regoin (a message property)" in ran.err
    assert (
        "did you mean prop.region?\nhint: the first 1000 messages have prop.region, prop.size\n"
        in ran.err
    )
    for where, count in {
        "body.pay.currency = 'XXX'": 0,  # the field is there: no message has the value
        "body.pay.curency is null and body.pay.amount = 2": 0,
        "body.pay.curency = 'XXX' or prop.region = 'US'": 0,
        "body.pay.curency = 'XXX' or prop.region = 'EU'": 1,
        "prop.regoin is null": 1_001,
    }.items():
        ran = estate.run("msg", "browse", "IN", "--where", where, "-o", "ids")
        assert (ran.code, len(ran.out.split())) == (0, count), where
    for where in ("prop.regoin is not null", "body.pay.curency = 'X' or prop.regoin = 'EU'"):
        assert estate.run("msg", "browse", "IN", "--where", where).code == 8, where
    estate.put("IN", b'{"pay": {"curency": "EUR"}}')  # far behind all that lack it
    assert estate.run(*argv).code == 0


PROPERTY = ("--prop", "region=EU")


@pytest.mark.parametrize(
    "argv",
    [
        "msg browse DEAD",
        "msg count DEAD",
        "msg count DEAD --by format",
        "msg purge DEAD --yes",
        "msg move DEAD --to OUT --yes",
        "msg copy DEAD --to OUT --yes",
        "msg archive DEAD",
        "backout browse DEAD",
        "backout causes DEAD",
        "backout requeue DEAD --to IN --yes",
        "backout requeue DEAD --to origin --yes",
        "backout move DEAD --min-backout 0 --yes",
        "backout purge DEAD --yes",
        "dlq browse",
        "dlq causes",
        "dlq requeue --to IN --yes",
        "dlq requeue --yes",
        "dlq purge --yes",
        "dlq run -f all.rules --yes",
        "expiry browse DEAD",
        "expiry extend DEAD --expiry 1h --yes",
    ],
)
@pytest.mark.slow
def test_a_field_of_messages_that_are_gone_is_a_warning_and_a_misspelt_one_refused_by_every_verb(
    dead_letters: Estate, monkeypatch: pytest.MonkeyPatch, argv: str
) -> None:
    """A strict script of every night finds only other messages, or damaged ones."""
    monkeypatch.chdir(dead_letters.folder)
    Path("all.rules").write_text("ACTION(DISCARD)\n")
    dead_letters.alter("DEAD", BOQNAME="OUT")
    dead_letters.run("msg", "put", "DEAD", '{"currency": "EUR"}', *PROPERTY, "--yes")
    gone = dead_letters.run(*argv.split(), "--where", "body.order.country = 'XX'")
    assert gone.code == 0, gone.err
    assert gone.err.count("selects nothing: 3 messages read, none has it; these messages have") == 1
    misspelt = dead_letters.run(*argv.split(), "--where", "body.curency = 'XXX'")
    assert misspelt.code == 8, misspelt.err
    assert "did you mean body.currency?\nhint: these messages have " in misspelt.err
    assert len(dead_letters.run("msg", "browse", "DEAD", "-o", "ids").out.split()) == 3


@pytest.mark.parametrize(
    ("where", "shown"),
    {
        "body.order.country = 'XX'": "no body with paths: 2 damaged, 1 text",
        "prop.country = 'XX'": "no properties",
        "body.a = 1 and prop.b = 2": "no body with paths: 2 damaged, 1 text; no properties",
        "reason = 2053": "only the fields of the descriptor, prop.NAME and body.PATH",
    }.items(),
)
def test_where_messages_have_no_fields_of_that_kind_this_is_said(
    estate: Estate, where: str, shown: str
) -> None:
    estate.put("IN", b'{"order": {"coun', b'{"order": [', b"plain text")
    purge = ("msg", "purge", "IN", "--where", where, "--yes")
    ran = estate.run(*purge)
    assert ran.code == 0
    assert f"none has it; these messages have {shown}\n" in ran.err
    assert estate.run(*purge, "--fail-empty").code == 9


@pytest.mark.parametrize("queue", ["IN", "I*"])
def test_a_warning_ends_its_question_before_the_fields(estate: Estate, queue: str) -> None:
    estate.put("IN", b'{"currency": "EUR"}')
    ran = estate.run("msg", "browse", queue, "--where", "body.curenci = 'EUR'")
    assert ran.code == 0
    assert "none has it; did you mean body.currency? These messages have body.currency\n" in ran.err


def test_json_has_the_warning_that_no_message_has_the_field(estate: Estate) -> None:
    estate.put("IN", b"plain")
    argv = ("msg", "purge", "IN", "--where", "body.id = 1", "--quiet", "-o", "json")
    for more in ("--yes", "-n"):
        ran = estate.run(*argv, more)
        assert (ran.code, ran.err) == (0, "")
        assert "IN: body.id (a value inside the body) selects nothing" in ran.out


def test_a_round_of_backout_move_without_the_field_does_not_end_the_rounds(estate: Estate) -> None:
    estate.put("IN", b'{"amount": 1}')
    move = ("backout", "move", "IN", "--where", "body.amuont = 1", "--min-backout", "0")
    assert estate.run(*move, "--yes").code == 8
    ran = estate.run(*move, "--yes", "--interval", "10ms", "--for", "50ms")
    assert ran.code == 0, ran.err
    assert ran.err.count("warning: IN: body.amuont") == 1


def test_of_several_queues_one_without_the_header_is_said_and_the_others_are_read(
    dead_letters: Estate,
) -> None:
    dead_letters.put("IN", b"plain")
    for argv in (("msg", "browse"), ("msg", "count"), ("msg", "count", "--by", "reason")):
        ran = dead_letters.run(*argv, "*", "--reason", "2053", "-o", "json")
        assert (ran.code, ran.json["summary"]["message_count"]) == (0, 1), ran.err
        assert "warning: IN: reason (MQDLH.Reason) selects nothing" in ran.err
