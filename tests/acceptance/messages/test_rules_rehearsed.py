"""What `dlq run -n` says is what the run then does, with faults of the targets drawn at random."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.emulator.admin import authority_records
from mqtriage.mq.headers.dlh import DLH, encode
from tests.acceptance.messages.estate import TERMINAL, Estate
from tests.support.scale import amount
from tests.support.tools import drawn_dice

DLQ, TARGETS = "DLQ", ("A", "B", "C")


def dead_letter(body: bytes, dest: str) -> bytes:
    return encode(DLH(2053, dest, "QM1", encoding=273, ccsid=819, format="MQSTR")) + body


@pytest.fixture
def dead_estate(estate: Estate) -> Estate:
    for name in (DLQ, *TARGETS):
        estate.queue(name)
    estate.alter("QM1", DEADQ=DLQ)
    return estate


def rules(estate: Estate, text: str) -> tuple[str, ...]:
    file = estate.folder / "dlq.rules"
    file.write_text(text)
    return ("dlq", "run", "-f", str(file))


def test_a_forward_to_a_queue_that_does_not_exist_would_not_be_handled(
    dead_estate: Estate,
) -> None:
    dead_estate.put(DLQ, *(dead_letter(b"%d" % n, "A") for n in range(3)), format="MQDEAD")
    argv = rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(NO.SUCH) HEADER(NO)")
    ran = dead_estate.run(*argv, "-n")
    assert "dry run: handle 3 (3 would fail) of 3 messages on DLQ" in ran.out
    assert "3 messages would fail: rule 1 (line 1): open NO.SUCH" in ran.out
    assert "3 hits, 3 would fail" in ran.out
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in ran.out
    assert dead_estate.run(*argv, "--yes").code == 1
    assert len(dead_estate.bodies(DLQ)) == 3


def test_the_plan_names_as_many_messages_as_its_rehearsal(dead_estate: Estate) -> None:
    dead_estate.put(DLQ, *(dead_letter(b"%d" % n, "A") for n in range(4)), format="MQDEAD")
    dead_estate.put(DLQ, dead_letter(b"4", "NO.SUCH"), format="MQDEAD")
    argv = rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(RETRY)")
    dead_estate.put(DLQ, b"no header")
    planned = dead_estate.run(*argv, "--expect", "5", "-n")
    assert planned.code == 3
    assert "dry run: handle 5 (1 would fail) of 6 messages on DLQ" in planned.out
    assert "handle 5 messages (1 would fail) from DLQ" in dead_estate.run(*argv).err
    wrong = "error: --expect 4, but 5 (1 would fail) would be affected"
    ran = dead_estate.run(*argv, "--expect", "4", "-n")
    assert ran.code == 8
    assert wrong in ran.err
    assert f"hint: mqtriage {' '.join(argv)} --expect 5, if these are" in ran.err
    assert wrong in dead_estate.run(*argv, "--expect", "4", "--yes").err
    assert dead_estate.run(*argv, "--expect", "5", "--yes").code == 3


@pytest.mark.parametrize("terminals", [TERMINAL, NO_TERMINALS])
def test_messages_that_failed_fit_the_terminal_and_name_what_lists_them(
    dead_estate: Estate, terminals: Terminals
) -> None:
    dead_estate.put(DLQ, *(dead_letter(b"%d" % n, "NO.SUCH") for n in range(5)), format="MQDEAD")
    argv = rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(RETRY)")
    ran = dead_estate.run(*argv, "--yes", terminals=terminals)
    lines = ran.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("  failed"))
    (end,) = (number for number, line in enumerate(lines) if line.endswith(" lists each"))
    reason = " ".join(line.strip() for line in lines[start:end])
    assert reason.startswith(
        "failed  5 messages: rule 1 (line 1): RETRY to NO.SUCH: open NO.SUCH: "
    )
    assert (end - start == 1) == (terminals == NO_TERMINALS)
    assert terminals == NO_TERMINALS or all(len(line) <= 80 for line in lines[start : end + 1])
    show = lines[end].removesuffix(" lists each").split()[1:]
    listed = dead_estate.run(*show, "-o", "json").json["items"]
    assert [item["state"] for item in listed] == ["left"] * 5
    assert all("NO.SUCH" in item["reason"] for item in listed)


def test_what_lists_messages_that_failed_is_named_once_for_all_reasons(
    dead_estate: Estate,
) -> None:
    for queue in ("NO.SUCH", "NOR.SUCH"):
        for number in range(5):
            dead_estate.put(DLQ, dead_letter(b"%d" % number, queue), format="MQDEAD")
    ran = dead_estate.run(*rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(RETRY)"), "--yes")
    assert ran.out.count("5 messages: ") == 2
    assert len(re.findall("^  mqtriage journal show .* lists each$", ran.out, re.MULTILINE)) == 1


def test_a_target_that_shortens_lives_is_named_once_per_queue(dead_estate: Estate) -> None:
    dead_estate.put(DLQ, *(dead_letter(b"%d" % n, "ABA"[n]) for n in range(3)), format="MQDEAD")
    argv = rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(RETRY)")
    assert dead_estate.run(*argv, "-n", "-o", "json").json["item"]["warnings"] == []
    for name in ("A", "C"):  # nothing is put to C
        dead_estate.alter(name, CAPEXPRY=600)
    warning = "A has CAPEXPRY(600): messages put there expire after 1m00s at most"
    ran = dead_estate.run(*argv, "-n", "-o", "json")
    assert ran.json["item"]["warnings"] == [warning]
    assert warning in dead_estate.run(*argv, "-n").out
    assert f"warning: {warning}" in dead_estate.run(*argv).err


def test_of_many_messages_the_first_are_shown_behind_the_hits_of_each_rule(
    dead_estate: Estate,
) -> None:
    dead_estate.put(DLQ, *(dead_letter(b"%d" % n, "A") for n in range(7)), format="MQDEAD")
    argv = (*rules(dead_estate, "REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(B) HEADER(NO)"), "-n")
    lines = dead_estate.run(*argv).out.splitlines()
    assert "7 hits" in lines[1]
    assert "  and 2 more: --wide or -o csv lists all" in "\n".join(lines)
    shown = [sum("FWD to B" in line for line in dead_estate.run(*argv, *more).out.splitlines())
             for more in ((), ("--wide",))]  # fmt: skip
    assert shown == [5, 7]
    assert len(dead_estate.run(*argv, "-o", "json").json["item"]["messages"]) == 7


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("ACTION(IGNORE)", "ignored by rule 4 (line 5)"),
        ("DESTQ(B) ACTION(DISCARD)", "no other rule matches"),
    ],
)
@pytest.mark.slow
def test_the_rehearsal_says_what_the_run_says_of_a_message_that_stays(
    dead_estate: Estate, last: str, why: str
) -> None:
    """Each rule that was tried with its own attempts, and why no other one takes the message."""
    for queue in ("A", "B"):
        dead_estate.put(DLQ, dead_letter(b"1", queue), format="MQDEAD")
    dead_estate.alter("A", PUT="DISABLED")
    table = "RETRYINT(1)\nDESTQ(B) ACTION(RETRY) RETRY(5)\nDESTQ(A) ACTION(RETRY) RETRY(3)\n"
    argv = rules(dead_estate, f"{table}DESTQ(A) ACTION(FWD) FWDQ(NO.SUCH) RETRY(2)\n{last}")
    dry = dead_estate.run(*argv, "-n", "-o", "json").json["item"]
    text = dead_estate.run(*argv, "-n").out
    for rule, times in (("1 (line 2)", 5), ("2 (line 3)", 3), ("3 (line 4)", 2)):
        assert f"rule {rule}: a failed put is attempted up to {times} times, 1s apart" in text
    (fails,) = (one["why"] for one in dry["messages"] if one["fails"])
    ran = dead_estate.run(*argv, "--yes", "-o", "json")
    (reason,) = (one["reason"] for one in ran.json["items"] if one["outcome"] == "failed")
    assert "attempt 3 of 3" in reason
    assert "rule 3" in fails
    assert "rule 3" in reason
    assert (fails.endswith(f"; {why}"), reason.endswith(f"; {why}")) == (True, True), fails


def test_the_rehearsal_goes_on_to_the_rule_that_takes_what_fails(dead_estate: Estate) -> None:
    dead_estate.put(DLQ, dead_letter(b"1", "A"), format="MQDEAD")
    dead_estate.alter("A", PUT="DISABLED")
    argv = rules(dead_estate, "ACTION(RETRY)\nACTION(FWD) FWDQ(B) HEADER(NO)")
    (message,) = dead_estate.run(*argv, "-n", "-o", "json").json["item"]["messages"]
    assert (message["rule"], message["target"], message["fails"]) == (2, "B", False)
    assert "MQRC_PUT_INHIBITED (2051)" in message["why"]
    assert dead_estate.run(*argv, "--yes").code == 0
    assert dead_estate.bodies("B") == [b"1"]


def spoil(estate: Estate, dice: Random) -> str:
    """Make what is wrong with each target; says what."""
    faults = []
    for name in TARGETS:
        fault = dice.choice(("none", "missing", "disabled", "full", "room", "short", "authority"))
        faults.append(f"{name}: {fault}")
        if fault == "missing":
            with estate.connected() as backend:
                backend.delete("QLOCAL", name)
        elif fault == "disabled":
            estate.alter(name, PUT="DISABLED")
        elif fault in ("full", "room"):
            room = 0 if fault == "full" else dice.randint(1, 3)
            estate.put(name, b"x")
            estate.alter(name, MAXDEPTH=1 + room)
        elif fault == "short":
            estate.alter(name, MAXMSGL=dice.choice((3, 100, 180)))
        elif fault == "authority":
            continue
        if fault != "missing":
            with estate.connected() as backend:
                authority_records.set_record(
                    backend.manager, "QUEUE", name, principal="app", add=["PUT"]
                )
    return ", ".join(faults)


def drawn_rules(dice: Random) -> str:
    """A rules table of one to three rules, each of which may fail where the next does not."""
    choices = (
        "ACTION(RETRY)",
        "ACTION(RETRY) PUTAUT(CTX)",
        "DESTQ(A) ACTION(IGNORE)",
        "DESTQ(B) ACTION(DISCARD)",
        *(f"ACTION(FWD) FWDQ({name}) HEADER({how})" for name in (*TARGETS, DLQ)
          for how in ("YES", "NO")),
    )  # fmt: skip
    return "\n".join(dice.choice(choices) for _ in range(dice.randint(1, 3))) + "\n"


def outcomes(items: list[dict[str, Any]]) -> dict[str, bool]:
    """Which messages went, by MsgId; what is not there stayed."""
    return {item["msg_id"]: item["outcome"] == "done" for item in items}


@pytest.mark.slow
def test_what_a_rehearsal_says_of_each_message_is_what_the_run_does(tmp_path: Path) -> None:
    """Of two copies of one queue manager; the rehearsal changes nothing on the one it looks at."""
    dice = drawn_dice()
    for number in range(amount(12, all=120)):
        estate = Estate.create(tmp_path / f"{number}")
        for name in (DLQ, *TARGETS):
            estate.queue(name)
        estate.alter("QM1", DEADQ=DLQ)
        for _ in range(dice.randint(1, 6)):
            body = bytes(dice.choice((1, 20, 200)))
            dead = dead_letter(body, dice.choice((*TARGETS, "NO.SUCH")))
            estate.put(
                DLQ,
                dead,
                format="MQDEAD",
                user_identifier="app",
                put_date="20260131",
                put_time="10000000",
            )
        what, table = spoil(estate, dice), drawn_rules(dice)
        assert estate.run("emulator", "lab", "switch", "authority=on").code == 0
        copytree(estate.folder, tmp_path / f"{number}-run")
        other = Estate(tmp_path / f"{number}-run")
        rehearsed = estate.run(*rules(estate, table), "-n", "-o", "json")
        about = (what, table, rehearsed.err)
        expected = {
            message["msg_id"]: message["action"] != "IGNORE" and not message["fails"]
            for message in rehearsed.json["item"]["messages"]
        }
        ran = other.run(*rules(other, table), "--yes", "-o", "json")
        went = dict.fromkeys(expected, False) | outcomes(ran.json["items"])
        assert expected == went, (about, rehearsed.out, ran.out)
        assert rehearsed.code == ran.code, (about, rehearsed.out, ran.out)
        again = estate.run(*rules(estate, table), "-n", "-o", "json")
        assert again.json["item"] == rehearsed.json["item"], about


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        ({}, ""),
        ({"PUT": "DISABLED"}, "A has PUT(DISABLED)"),
        ({"MAXDEPTH": 2}, "A has room for 2 of 3 messages"),
        ({"MAXMSGL": 3}, "the largest message has 5 bytes, MAXMSGL of A is 3"),
    ],
)
def test_the_rehearsal_of_a_put_says_what_the_put_would_meet(
    dead_estate: Estate, attributes: dict[str, Any], problem: str
) -> None:
    dead_estate.alter("A", **attributes)
    argv = ("msg", "put", "A", "hello", "--count", "3")
    rehearsed = dead_estate.run(*argv, "-n")
    assert (f"would fail: {problem}" in rehearsed.out) if problem else "would" not in rehearsed.out
    ran = dead_estate.run(*argv, "--yes")
    assert (ran.code == 0) == (not problem)
    assert rehearsed.code == ran.code
