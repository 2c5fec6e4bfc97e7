"""Every id that is printed can be pasted back, and an act says whose it is before it asks."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from mqtriage.cli.frame.main import main
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of
from tests.support.application import app_for_test
from tests.support.named_options import commands_with

A, B = bytes(19) + b"\x01\x05\x02AA", bytes(19) + b"\x02\x05\x02AA"


@pytest.fixture
def two(estate: Estate) -> Estate:
    estate.put("IN", b"first", msg_id=A, correl_id=B)
    estate.put("IN", b"second", msg_id=B, correl_id=B)
    return estate


@pytest.mark.parametrize("columns", ["80", "120"])
def test_what_a_table_shows_of_an_id_is_enough_for_a_read_and_an_act(
    estate: Estate, columns: str
) -> None:
    first, _ = estate.put("IN", b"first", b"second")
    estate.environ["COLUMNS"] = columns
    table = estate.run("msg", "browse", "IN", terminals=TERMINAL).out
    shown = re.findall("…?[0-9A-F]{8,}", table)[0]
    shown = shown if "…" in shown else shown[-16:]
    item = estate.run("msg", "show", "IN", shown, "-o", "json").json["item"]
    assert item["msg_id"] == hex_of(first)
    ran = estate.run("msg", "purge", "IN", "--msgid", shown, "--yes")
    assert ran.code == 0
    assert f"is {hex_of(first)}" in ran.err
    assert estate.bodies("IN") == [b"second"]


@pytest.mark.parametrize(
    "given", ["0105024141", "…0105024141", "..0105024141", "0x0105024141", hex_of(A),
              "*0105024141", "ID:*0105024141", "ID:…0105024141", "id:...0105024141",
              f"0x{hex_of(A)}", f"X'{hex_of(A)}'", f"{hex_of(A)[:42]}*"],
)  # fmt: skip
def test_an_id_is_taken_in_every_form(two: Estate, given: str) -> None:
    assert two.run("msg", "purge", "IN", "--msgid", given, "--yes").code == 0
    assert two.bodies("IN") == [b"second"]


@pytest.mark.parametrize("given", ["05024141", "…05024141", "00000000*"])
@pytest.mark.parametrize("argv", [("msg", "move", "IN", "--to", "OUT"), ("msg", "purge", "IN")])
def test_what_is_of_several_ids_is_refused_with_these(
    two: Estate, given: str, argv: tuple[str, ...]
) -> None:
    ran = two.run(*argv, "--msgid", given, "--yes")
    assert ran.code == 8
    assert f"fits 2 ids on IN: {hex_of(A)}, {hex_of(B)}" in ran.err
    assert two.bodies("IN") == [b"first", b"second"]


@pytest.mark.parametrize("given", ["05024141", "00000000*"])
def test_the_archives_list_the_messages_where_several_msgids_fit(two: Estate, given: str) -> None:
    assert two.run("msg", "purge", "IN", "--confirm", "IN").code == 0
    ran = two.run("archive", "ls", "--msgid", given, "-o", "json")
    assert [(row["msg_id"], row["queue"]) for row in ran.json["items"]] == [
        (hex_of(A), "IN"),
        (hex_of(B), "IN"),
    ]
    assert {row["queue_manager"] for row in ran.json["items"]} == {"QM1"}
    assert "note: several MsgIds fit; give more digits" in ran.err
    second = two.run("archive", "ls", "--msgid", given, "--nth", "2", "-o", "json").json
    assert (second["item"]["msg_id"], second["item"]["queue_manager"]) == (hex_of(B), "QM1")
    assert "2 messages have an id like that; this is number 2" in second["warnings"][0]
    one = two.run("archive", "ls", "--msgid", "0105024141", "-o", "json")
    assert (one.json["item"]["body"], one.json["warnings"]) == ("first", [])
    ran = two.run("journal", "ls", "--msgid", given)
    assert "note: 2 MsgIds fit; give more digits" in ran.err
    assert "MsgIds fit" not in two.run("journal", "ls", "--msgid", hex_of(A)).err


def test_an_archived_message_of_another_queue_manager_than_the_selected_one_is_named(
    two: Estate,
) -> None:
    assert two.run("msg", "purge", "IN", "--confirm", "IN").code == 0
    assert "archive ls searches all" not in two.run("archive", "ls", "--msgid", hex_of(A)).err
    two.environ["MQTRIAGE_QMGR"] = "QM14"
    ran = two.run("archive", "ls", "--msgid", hex_of(A))
    assert "note: the message is from QM1, not QM14 (MQTRIAGE_QMGR)" in ran.err


def test_a_copy_of_archives_refuses_the_end_of_several_ids(two: Estate, tmp_path: Path) -> None:
    assert two.run("msg", "archive", "IN", "--out", str(tmp_path / "in.ndjson")).code == 0
    words = ("archive", "copy", str(tmp_path / "in.ndjson"), "--out", str(tmp_path / "out.ndjson"))
    ran = two.run(*words, "--msgid", "05024141")
    assert (ran.code, "fits 2 ids on in.ndjson" in ran.err) == (8, True)
    assert two.run(*words, "--msgid", "0105024141", "-o", "json").json["item"]["message_count"] == 1


def test_one_message_is_shown_of_a_beginning_only_where_it_is_of_one_id(two: Estate) -> None:
    ran = two.run("msg", "show", "IN", "00000000*")
    assert (ran.code, f"fits 2 ids on IN: {hex_of(A)}, {hex_of(B)}" in ran.err) == (8, True)
    ran = two.run("msg", "show", "IN", "00000000*", "--nth", "2", "-o", "json")
    assert ran.json["item"]["body"] == "second"
    assert ran.json["warnings"] == [
        "2 messages on IN have an id like that; this is number 2 (--nth)"
    ]
    assert two.run("msg", "show", "IN", f"{hex_of(B)[:42]}*").code == 0


def test_the_end_of_an_id_that_two_messages_have_shows_the_first_and_says_so_above(
    two: Estate,
) -> None:
    two.put("IN", b"third", msg_id=A)
    app = app_for_test(environ=two.environ)
    app.run.stderr = app.output.stdout
    assert main(("msg", "show", "IN", "0105024141"), app) == 0
    assert isinstance(app.output.stdout, io.StringIO)
    above, _, shown = app.output.stdout.getvalue().partition("msg id  ")
    assert "2 messages on IN have that id; this is number 1" in above
    assert hex_of(A) in shown


def test_messages_that_share_a_correlation_id_are_all_meant_by_its_end(two: Estate) -> None:
    (counted,) = two.run("msg", "count", "IN", "--correlid", "4141", "-o", "json").json["items"]
    assert counted["message_count"] == 2


def test_the_message_that_is_shown_says_its_whole_id_once(two: Estate) -> None:
    ran = two.run("msg", "show", "IN", "0105024141")
    assert hex_of(A) in ran.out
    assert "--msgid" not in ran.err
    assert ran.err.count("0105024141") == 1  # the note on how it was read


def test_the_plan_says_the_whole_id_before_it_asks(two: Estate) -> None:
    ran = two.run("msg", "purge", "IN", "--msgid", "0105024141", stdin="n\n", terminals=TERMINAL)
    assert ran.code == 8
    output = " ".join(ran.err.split())
    assert output.index(f"--msgid …0105024141 is {hex_of(A)}") < output.index("Continue?")
    assert two.bodies("IN") == [b"first", b"second"]


def test_an_archived_message_is_shown_by_the_end_of_its_id(two: Estate) -> None:
    two.run("msg", "purge", "IN", "--msgid", hex_of(A), "--yes")
    ran = two.run("archive", "ls", "--msgid", "…0105024141", "-o", "json")
    assert ran.json["item"]["msg_id"] == hex_of(A)


def test_a_restore_takes_the_end_of_one_id_alone(two: Estate) -> None:
    two.run("msg", "purge", "IN", "--confirm", "IN")
    (archive,) = (two.folder / "archive").glob("*.ndjson")
    ran = two.run("archive", "restore", str(archive), "--msgid", "05024141", "--yes")
    assert (ran.code, two.bodies("IN")) == (8, [])
    assert f"{hex_of(A)}, {hex_of(B)}" in ran.err
    assert two.run("archive", "restore", str(archive), "--msgid", "0105024141", "--yes").code == 0
    assert two.bodies("IN") == [b"first"]


def test_a_staged_message_is_found_by_each_id_that_its_sender_knows(estate: Estate) -> None:
    sent = estate.run(
        "msg", "put", "OUT", "x", "--delay", "1h", "--correlid", "text:ORDER-7", "--yes"
    )
    original = sent.out.strip()
    estate.delayed("OUT", b"another")
    (staged, _) = estate.messages(STAGING)
    correl_id = b"ORDER-7".ljust(24, b"\0").hex().upper()
    (record,) = estate.run("delay", "browse", "--correlid", "text:ORDER-7", "-o", "ndjson").lines
    assert record["sender_correl_id"] == correl_id
    for option, value, is_what in (
        ("--correlid", "text:ORDER-7", "is the CorrelId that the sender gave"),
        ("--correlid", original, None),
        ("--msgid", original, "is the MsgId that the sender got"),
        ("--msgid", hex_of(staged.md.msg_id), None),
    ):
        ran = estate.run("delay", "cancel", option, value, "--to", "IN", "-n", "-o", "json")
        (planned,) = ran.json["item"]["messages"]
        assert planned["msg_id"] == hex_of(staged.md.msg_id), value
        notes = " ".join(ran.json["item"]["notes"])
        assert (is_what is None and "sender" not in notes) or (is_what or "") in notes


@pytest.mark.parametrize("given", ["options", "lines", "ends", "correl ids"])
@pytest.mark.parametrize("verb", ["cancel", "release", "browse"])
@pytest.mark.slow
def test_several_staged_messages_are_found_by_whichever_ids_their_senders_know(
    estate: Estate, verb: str, given: str
) -> None:
    for number in range(4):
        correl_id = ("--correlid", f"text:ORDER-{number}")
        assert estate.run("msg", "put", "OUT", "x", "--delay", "1h", *correl_id, "--yes").code == 0
    staged = [message.md for message in estate.messages(STAGING)]
    ids = [hex_of(staged[0].msg_id), *(hex_of(md.correl_id) for md in staged[1:3])]
    argv = [verb, *(("--to", "IN") if verb == "cancel" else ()), *(("-n",) * (verb != "browse"))]
    if given == "correl ids":
        argv += ["--correlid", hex_of(staged[0].correl_id)]
        argv += ["--correlid", "text:ORDER-1", "--correlid", "text:ORDER-2"]
    elif given == "lines":
        argv += ["--ids-from", "-"]
    else:
        cut = -8 if given == "ends" else 0
        argv += [word for ident in ids for word in ("--msgid", ident[cut:])]
    ran = estate.run("delay", *argv, "-o", "json", stdin="\n".join(ids))
    assert ran.code == 0, ran.err
    messages = ran.json["items"] if verb == "browse" else ran.json["item"]["messages"]
    assert [record["msg_id"] for record in messages] == [hex_of(md.msg_id) for md in staged[:3]]
    if verb != "browse" and given in ("options", "lines"):
        notes = " ".join(ran.json["item"]["notes"])
        assert "2 of 3 ids are MsgIds that senders got" in notes
    assert "not on" not in ran.err


@pytest.mark.parametrize("queue", ["IN", STAGING])
@pytest.mark.parametrize("ending", ["", "…"])
def test_several_correl_ids_take_no_other_message_of_the_same_msg_id(
    estate: Estate, queue: str, ending: str
) -> None:
    correl_ids = [bytes([number]) * 24 for number in (0xB1, 0xC2, 0xD3, 0xE4)]
    for correl_id in correl_ids:
        estate.put(queue, b"x", msg_id=A, correl_id=correl_id)
    given = [*map(hex_of, correl_ids[:2]), f"{ending}{hex_of(correl_ids[2])[24 * bool(ending) :]}"]
    options = [word for ident in given for word in ("--correlid", ident)]
    ran = estate.run("msg", "purge", queue, *options, "--expect", "3", "--yes")
    assert ran.code == 0, ran.err
    assert [message.md.correl_id for message in estate.messages(queue)] == correl_ids[3:]


def test_the_start_of_ids_finds_staged_messages_by_what_their_senders_gave(
    estate: Estate,
) -> None:
    for number in range(12):
        correl_id = ("--correlid", f"text:{'AB'[number > 9]}-{number:04}")
        assert estate.run("msg", "put", "OUT", "x", "--delay", "1h", *correl_id, "--yes").code == 0
    for start, count in (("412D*", 10), ("422D*", 2), ("412D30303039*", 1)):
        ran = estate.run("delay", "browse", "--correlid", start, "-o", "json")
        assert (ran.code, len(ran.json["items"])) == (0, count), (start, ran.err)
    own = b"A-own".ljust(24, b"\0")
    estate.put(STAGING, b"put by hand", correl_id=own)
    ran = estate.run("delay", "browse", "--correlid", "412D*", "-o", "json")
    assert len(ran.json["items"]) == 11, "by their own CorrelIds and by those that senders gave"
    refused = estate.run("delay", "cancel", "--correlid", "422D3030*", "--yes")
    assert (refused.code, "fits 2 ids" in refused.err) == (8, True), refused.err


def test_of_several_ids_those_that_no_staged_message_has_are_named(estate: Estate) -> None:
    estate.delayed("OUT", b"another")
    (staged,) = estate.messages(STAGING)
    absent = "EE" * 24
    for option, ident in (("--msgid", staged.md.correl_id), ("--correlid", staged.md.correl_id)):
        argv = (option, hex_of(ident), option, absent, "--to", "IN", "-n")
        ran = estate.run("delay", "cancel", *argv)
        assert ran.code == 0
        output = " ".join((ran.out + ran.err).split())
        assert re.search(f"1 of 2 (MsgIds|ids).*: {absent}", output), output


def test_an_id_that_is_on_no_staged_message_says_what_was_looked_at(estate: Estate) -> None:
    estate.delayed("OUT", b"another")
    ran = estate.run("delay", "browse", "--correlid", "text:NOPE")
    assert "not a CorrelId, nor one that a sender gave" in ran.err


TAKING_IDS = [
    "msg browse IN", "msg count IN", "msg archive IN --out {out}", "msg purge IN --yes",
    "msg move IN --to OUT --yes", "msg copy IN --to OUT --yes",
    "msg load {kept} --to OUT --yes", "archive ls {kept}", "archive copy {kept} --out {out}",
    "archive restore {kept} --yes", "msg browse IN --group put_appl",
]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        (verb, given)
        for verb in TAKING_IDS
        for given in ("options", "lines", "ends")
        if given == "lines" or verb != "archive ls {kept}"  # it has a --msgid of its own
    ],
)
@pytest.mark.slow
def test_ids_that_are_not_there_are_counted_and_the_first_are_named(
    estate: Estate, tmp_path: Path, verb: str, given: str
) -> None:
    present = [hex_of(ident) for ident in estate.put("IN", b"1", b"2")]
    path = tmp_path / "kept.ndjson"
    assert estate.run("msg", "archive", "IN", "--out", str(path)).code == 0
    absent = [f"{0xEEEE0000 + number:048X}" for number in range(1, 6)]
    ids = [*absent, *present]
    if given == "lines":
        argv, lines = ["--ids-from", "-"], "".join(f"{ident}\n" for ident in ids)
    else:
        ends = [ident[-8:] for ident in ids] if given == "ends" else ids
        argv, lines = [word for ident in ends for word in ("--msgid", ident)], ""
    words = verb.format(kept=path, out=tmp_path / "out").split()
    ran = estate.run(*words, *argv, stdin=lines)
    assert ran.code in (0, 4), ran.err
    note = " ".join(ran.err.split())
    where = "in .*kept.ndjson" if "{kept}" in verb else "on IN"
    assert re.search(f"5 of 7 MsgIds are not {where}: ", note), note
    first = "*EEEE0001, " if given == "ends" else f"{absent[0]}, "
    assert first in note
    assert "and 2 more" in note


def test_ids_of_which_the_rest_selects_no_message_are_there(two: Estate) -> None:
    ids = two.run("msg", "browse", "IN", "-o", "ids").out
    ran = two.run("msg", "browse", "IN", "--ids-from", "-", "--priority", "9", stdin=ids)
    assert (ran.code, "MsgIds" in ran.err) == (0, False), ran.err


@pytest.mark.parametrize("verb", ["browse", "count", "purge"])
def test_of_several_queues_each_has_only_some_of_the_ids(estate: Estate, verb: str) -> None:
    assert estate.run("queue", "define", "IN.2", "--yes").code == 0
    idents = [*estate.put("IN", b"1"), *estate.put("IN.2", b"2")]
    lines = "".join(f"{hex_of(ident)}\n" for ident in idents)
    queues = ["IN*"] if verb == "purge" else ["IN", "IN.2"]
    more = ["-n"] if verb == "purge" else []
    ran = estate.run("msg", verb, *queues, "--ids-from", "-", *more, stdin=lines)
    assert (ran.code, "of 2 MsgIds" in ran.err + ran.out) == (0, False), ran.err


def test_with_a_limit_that_is_reached_nothing_is_said_of_ids_not_read(two: Estate) -> None:
    ids = two.run("msg", "browse", "IN", "-o", "ids").out
    ran = two.run(
        "msg", "browse", "IN", "--ids-from", "-", "--limit", "1", stdin=f"{ids}{'0' * 47}1\n"
    )
    assert (ran.code, "MsgIds" in ran.err) == (0, False), ran.err


def repaired_on_one_queue(estate: Estate, tmp_path: Path) -> tuple[Path, Path]:
    """Files of two messages of IN, as they are and repaired."""
    estate.put("IN", b"broken 1", msg_id=A)
    estate.put("IN", b"broken 2", msg_id=B)
    broken, repaired = tmp_path / "broken.ndjson", tmp_path / "repaired.ndjson"
    broken.write_text(estate.run("msg", "browse", "IN", "-o", "ndjson").out)
    repaired.write_text(broken.read_text().replace("broken", "whole"))
    return broken, repaired


def both_on_one_queue(estate: Estate, tmp_path: Path) -> Path:
    """A file of two messages of IN, of which the repaired ones are on IN too."""
    broken, repaired = repaired_on_one_queue(estate, tmp_path)
    assert estate.run("msg", "load", str(repaired), "--to", "IN", "--yes").code == 0
    return broken


def test_the_recipe_for_repairs_on_one_queue_leaves_the_repaired_messages(
    estate: Estate, tmp_path: Path
) -> None:
    broken, repaired = repaired_on_one_queue(estate, tmp_path)
    estate.run("msg", "purge", "IN", "--ids-from", str(broken), "--expect", "2", "--yes")
    assert estate.run("msg", "load", str(repaired), "--to", "IN", "--yes").code == 0
    assert estate.bodies("IN") == [b"whole 1", b"whole 2"]


@pytest.mark.parametrize("argv", [("msg", "purge", "IN"), ("msg", "move", "IN", "--to", "OUT")])
@pytest.mark.parametrize("by", ["--ids-from", "--msgid"])
def test_messages_that_share_a_given_msgid_are_taken_only_with_their_number(
    estate: Estate, tmp_path: Path, argv: tuple[str, ...], by: str
) -> None:
    broken = both_on_one_queue(estate, tmp_path)
    ids = (by, str(broken)) if by == "--ids-from" else (by, hex_of(A), by, hex_of(A)[-10:])
    count, shared = ("4", "2 MsgIds") if by == "--ids-from" else ("2", "2 messages have MsgId")
    assert shared in (rehearsed := estate.run(*argv, *ids, "-n")).out
    assert (rehearsed.code, "needs --expect" in rehearsed.err) == (0, True)
    ran = estate.run(*argv, *ids, "--yes")
    assert (ran.code, len(estate.bodies("IN"))) == (8, 4)
    assert shared in ran.err
    assert hex_of(A) in ran.err
    assert f"--expect {count}" in ran.err
    assert estate.run(*argv, *ids, "--expect", count, "--yes").code == 0
    assert len(estate.bodies("IN")) == 4 - int(count)


def test_of_a_pattern_the_queue_with_a_shared_msgid_is_named(
    estate: Estate, tmp_path: Path
) -> None:
    broken = both_on_one_queue(estate, tmp_path)
    ran = estate.run("msg", "purge", "I*", "--ids-from", str(broken), "--yes")
    assert (ran.code, len(estate.bodies("IN"))) == (8, 4)
    assert "hint: give IN in place of I*" in ran.err


def test_another_field_selects_one_of_the_messages_that_share_a_msgid(
    estate: Estate, tmp_path: Path
) -> None:
    broken = both_on_one_queue(estate, tmp_path)
    argv = ("msg", "purge", "IN", "--ids-from", str(broken), "--where", "length > 7")
    assert estate.run(*argv, "--yes").code == 0
    assert estate.bodies("IN") == [b"whole 1", b"whole 2"]


def test_a_copy_of_messages_that_share_a_msgid_needs_no_number(
    estate: Estate, tmp_path: Path
) -> None:
    broken = both_on_one_queue(estate, tmp_path)
    ran = estate.run("msg", "copy", "IN", "--to", "OUT", "--ids-from", str(broken), "--yes")
    assert (ran.code, len(estate.bodies("OUT"))) == (0, 4)


def test_a_plan_is_no_list_of_ids_and_its_ids_can_be_browsed(two: Estate) -> None:
    plan = str(two.folder / "a.plan")
    assert two.run("msg", "purge", "IN", "--plan", plan).code == 0
    ran = two.run("msg", "browse", "IN", "--ids-from", plan)
    assert (ran.code, "this is a saved plan" in ran.err) == (2, True)
    assert "mqtriage plan FILE -o ids | COMMAND --ids-from -" in ran.err
    ids = two.run("plan", plan, "-o", "ids").out
    ran = two.run("msg", "browse", "IN", "--ids-from", "-", "-o", "json", stdin=ids)
    assert len(ran.json["items"]) == 2


_READS = {
    "msg browse": "IN",
    "msg count": "IN",
    "msg archive": "IN",
    "msg diff": "IN IN",
    "delay browse": "",
    "backout explain": "IN",
    "backout browse": "IN",
    "backout causes": "IN",
    "expiry browse": "IN",
    "expiry explain": "IN",
    "expiry reports": "IN",
    "dlq browse": "IN",
    "dlq causes": "IN",
    "archive ls": "a.ndjson",
    "archive copy": "a.ndjson --out b.ndjson",
    "journal ls": "",
    "watch": "IN --existing --limit 1",
    "incident": "--out incident",
    "emulator lab rollback": "IN --times 1",
}


def test_every_command_that_changes_no_message_is_tried_with_four_digits() -> None:
    assert set(_READS) == set(commands_with("--msgid")) - set(commands_with("--yes"))


@pytest.mark.parametrize("command", _READS)
@pytest.mark.parametrize("option", ["--msgid", "--correlid"])
@pytest.mark.slow
def test_four_digits_are_enough_where_no_message_changes(
    two: Estate, command: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command not in commands_with(option):
        return
    two.put("IN", b"third", msg_id=bytes(22) + b"\x00\x03", correl_id=bytes(22) + b"\x00\x03")
    monkeypatch.chdir(two.folder)
    assert two.run("msg", "archive", "IN", "--out", "a.ndjson").code == 0
    ran = two.run(*command.split(), *_READS[command].split(), option, "0003")
    assert ran.code in (0, 1, 5), ran.err
    assert "4 bytes are needed" not in ran.err


@pytest.mark.parametrize("given", ["*0105024141", "…0105024141", "ID:*0105024141"])
def test_the_end_of_an_id_is_taken_wherever_an_id_is_read(two: Estate, given: str) -> None:
    item = two.run("msg", "show", "IN", given, "-o", "json").json["item"]
    assert item["msg_id"] == hex_of(A)
    (counted,) = two.run("msg", "count", "IN", "--correlid", "*4141", "-o", "json").json["items"]
    assert counted["message_count"] == 2
    two.run("msg", "purge", "IN", "--msgid", given, "--yes")
    assert len(two.run("journal", "ls", "--msgid", given, "-o", "json").json["items"]) == 1
    ran = two.run("archive", "ls", "--msgid", given, "-o", "json")
    assert ran.json["item"]["msg_id"] == hex_of(A)
    assert "journal ls --msgid" in two.run("journal", "ls", given).err


@pytest.mark.parametrize(
    ("given", "pattern"), [("*05024141", "%05024141"), ("…4141", "%4141"), ("0000*", "0000%")]
)
def test_a_condition_on_a_part_of_an_id_leads_to_like(
    two: Estate, given: str, pattern: str
) -> None:
    ran = two.run("msg", "browse", "IN", "--where", f"msg_id = '{given}'")
    assert (ran.code, f"hint: msg_id LIKE '{pattern}'\n" in ran.err) == (2, True), ran.err
    ran = two.run("msg", "purge", "IN", "--where", f"msg_id = '{given}'", "-n")  # LIKE only reads
    assert ("hint: --msgid " in ran.err) is (len(given) > 8), ran.err
    like = f"msg_id LIKE '{pattern}'"
    assert len(two.run("msg", "browse", "IN", "--where", like, "-o", "json").json["items"]) == 2


def test_a_pattern_that_fits_a_message_is_not_called_absent(estate: Estate) -> None:
    estate.put("IN", b"one", msg_id=A)
    where = f"msg_id like '%{hex_of(A)[2:-2]}%' or msg_id like '{hex_of(A)[:6]}%'"
    ran = estate.run("msg", "browse", "IN", "--where", where)
    assert (ran.code, "not on IN" in ran.err) == (0, False), ran.err


@pytest.mark.parametrize("pad", [b"\0", b" "], ids=["NUL", "blanks"])
@pytest.mark.parametrize("queue", ["IN", STAGING])
def test_a_text_finds_its_id_in_either_padding_and_says_in_which(
    estate: Estate, queue: str, pad: bytes
) -> None:
    ident = b"PY-90017".ljust(24, pad)
    estate.put(queue, b"x", msg_id=ident, correl_id=ident)
    estate.put(queue, b"another")
    name = "NUL" if pad == b"\0" else "blanks"
    which = f"text:PY-90017 is {hex_of(ident)}, padded with {name}"
    for option in ("--msgid", "--correlid"):
        given = (option, "text:PY-90017")
        browsed = estate.run("msg", "browse", queue, *given, "-o", "json")
        assert [item["msg_id"] for item in browsed.json["items"]] == [hex_of(ident)]
        assert f"{option} {which}" in browsed.err
        planned = estate.run("msg", "purge", queue, *given, "-n", "-o", "json").json["item"]
        assert [item["msg_id"] for item in planned["messages"]] == [hex_of(ident)]
        assert f"{option} {which}" in planned["notes"]
    shown = estate.run("msg", "show", queue, "text:PY-90017", "-o", "json")
    assert shown.json["item"]["msg_id"] == hex_of(ident)
    listed = estate.run("msg", "count", queue, "--ids-from", "-", stdin="text:PY-90017\ntext:NO\n")
    assert "1" in listed.out.split(), listed.out
    assert ("1 of 2 texts is padded with blanks" in listed.err) is (name == "blanks")


def test_a_sender_who_pads_with_blanks_finds_the_delayed_message(estate: Estate) -> None:
    correl_id = b"PY-90017".ljust(24).hex()
    put = ("msg", "put", "OUT", "x", "--delay", "1h", "--correlid", correl_id, "--yes")
    assert estate.run(*put).code == 0
    ran = estate.run("delay", "browse", "--correlid", "text:PY-90017", "-o", "json")
    assert [item["sender_correl_id"] for item in ran.json["items"]] == [correl_id.upper()]
    cancel = ("delay", "cancel", "--correlid", "text:PY-90017", "--to", "IN", "-n", "-o", "json")
    assert "padded with blanks" in " ".join(estate.run(*cancel).json["item"]["notes"])


def test_a_text_that_is_there_in_both_paddings_is_read_and_refused_to_a_change(
    estate: Estate,
) -> None:
    ids = [b"PY-90017".ljust(24, pad) for pad in (b"\0", b" ")]
    for ident in ids:
        estate.put("IN", b"x", correl_id=ident)
    given = ("--correlid", "text:PY-90017")
    browsed = estate.run("msg", "browse", "IN", *given, "-o", "json")
    assert len(browsed.json["items"]) == 2
    assert "on messages padded with NUL and on others padded with blanks" in browsed.err
    for more in ((), ("--correlid", "text:OTHER")):
        ran = estate.run("msg", "purge", "IN", *given, *more, "--yes")
        assert (ran.code, len(estate.bodies("IN"))) == (8, 2)
        assert f"text:PY-90017 fits 2 ids on IN: {hex_of(ids[0])}, {hex_of(ids[1])}" in ran.err
        assert "all 48 digits" in ran.err


def test_an_archived_message_is_found_by_text_in_either_padding(
    estate: Estate, tmp_path: Path
) -> None:
    ident = b"PY-90017".ljust(24)
    estate.put("IN", b"x", msg_id=ident)
    archive = tmp_path / "kept.ndjson"
    assert estate.run("msg", "archive", "IN", "--out", str(archive)).code == 0
    assert estate.run("msg", "purge", "IN", "--msgid", "text:PY-90017", "--yes").code == 0
    shown = estate.run("archive", "ls", str(archive), "--msgid", "text:PY-90017", "-o", "json")
    assert shown.json["item"]["msg_id"] == hex_of(ident), shown.err
    history = estate.run("journal", "ls", "--msgid", "text:PY-90017", "-o", "json")
    assert [item["msg_id"] for item in history.json["items"]] == [hex_of(ident)]
    restored = estate.run("archive", "restore", str(archive), "--msgid", "text:PY-90017", "--yes")
    assert (restored.code, estate.bodies("IN")) == (0, [b"x"]), restored.err


def test_a_condition_on_a_text_id_means_both_paddings_like_the_option(estate: Estate) -> None:
    blanks, nul = b"ORDER-2".ljust(24), b"ORDER-3".ljust(24, b"\0")
    estate.put("IN", b"blanks", msg_id=blanks)
    estate.put("IN", b"nul", msg_id=nul)
    for condition, bodies in (
        ("msg_id = 'text:ORDER-2'", [b"blanks"]),
        ("msg_id in ('text:ORDER-2', 'text:ORDER-3')", [b"blanks", b"nul"]),
        ("msg_id <> 'text:ORDER-2'", [b"nul"]),
        ("msg_id not in ('text:ORDER-3')", [b"blanks"]),
    ):
        ran = estate.run("msg", "browse", "IN", "--where", condition, "-o", "json")
        assert [item["length_bytes"] for item in ran.json["items"]] == list(map(len, bodies))
    ran = estate.run("msg", "purge", "IN", "--where", "msg_id <> 'text:ORDER-2'", "--yes")
    assert ran.code == 0
    assert estate.bodies("IN") == [b"blanks"]
