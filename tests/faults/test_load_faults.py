"""What only puts is in the journal too: a load that was cut goes on and puts nothing twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from tests.faults.conftest import FaultEstate, through_both
from tests.faults.killing import At

MESSAGES = 12
RESUME = ("journal", "resume", "--yes", "-o", "json", "-q")
BODIES = [b"%d" % number for number in range(MESSAGES)]


@pytest.fixture
def kept(estate: FaultEstate, tmp_path: Path) -> str:
    """A file with the messages that are on IN."""
    estate.put("IN", *BODIES)
    file = str(tmp_path / "kept.ndjson")
    assert estate.run("msg", "archive", "IN", "--out", file).code == 0
    return file


def load(file: str, *more: str) -> tuple[str, ...]:
    return ("msg", "load", file, "--to", "OUT", "--yes", "--batch", "4", "-q", *more)


@through_both
@pytest.mark.parametrize("again", [False, True], ids=["empty", "loaded before"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.slow
def test_a_load_that_is_killed_at_a_commit_is_resumed_and_puts_nothing_twice(
    estate: FaultEstate, kept: str, when: str, again: bool
) -> None:
    """Also where the same messages were on the queue already, which then prove nothing."""
    if again:
        assert estate.run(*load(kept)).code == 0
    more = ["--allow-duplicates"] if again else []
    assert estate.killed(load(kept, *more), At("commit", when, 2)).by_signal
    (entry, *_) = estate.run("journal", "ls", "-o", "json").json["items"]
    assert (entry["action"], entry["state"], entry["in_doubt"]) == ("load", "cut", 4)
    assert estate.run("journal", "show", "-o", "json").json["item"]["file"] == kept
    for at in (At("intent", "after", 1), At("mark", "before", 1)):
        assert estate.killed(RESUME, at).by_signal
    ran = estate.run(*RESUME)
    assert ran.code == 0, ran
    assert Counter(estate.bodies("OUT")) == Counter(BODIES * (1 + again))
    proof = estate.run("journal", "verify", "-o", "json")
    assert [operation["puts"] for operation in proof.json["items"]] == [MESSAGES] * (1 + again)
    assert proof.code == 0


def test_the_copy_of_messages_that_were_copied_before_is_resumed_too(estate: FaultEstate) -> None:
    estate.put("IN", *BODIES)
    copy = ("msg", "copy", "IN", "--to", "OUT", "--yes", "--batch", "4", "-q")
    assert estate.run(*copy).code == 0
    assert estate.killed(copy, At("commit", "before", 2)).by_signal
    assert estate.run(*RESUME).code == 0
    assert Counter(estate.bodies("OUT")) == Counter(BODIES * 2)


def test_a_load_that_was_whole_but_for_its_end_needs_no_file(
    estate: FaultEstate, kept: str
) -> None:
    assert estate.killed(load(kept), At("commit", "after", 3)).by_signal
    Path(kept).unlink()
    ran = estate.run(*RESUME)
    assert (ran.code, ran.json["counts"]["done"]) == (0, 4), ran
    assert estate.bodies("OUT") == BODIES
    ran = estate.run(*RESUME[:3], "--file", kept, "-q")
    assert ran.code == 9


def test_what_readers_may_have_taken_is_told_and_not_put_again(
    estate: FaultEstate, kept: str
) -> None:
    assert estate.killed(load(kept), At("commit", "after", 2)).by_signal
    estate.take("OUT", 8)
    with estate.connected() as backend:
        backend.open("OUT", cmqc.MQOO_INPUT_SHARED)
        ran = estate.run(*RESUME)
    assert ran.code == 3
    assert [item["reason"] for item in ran.json["items"]][:4] == ["gone, outcome unknown"] * 4
    assert estate.bodies("OUT") == BODIES[8:]


def test_a_load_can_be_taken_back(estate: FaultEstate, kept: str) -> None:
    estate.put("OUT", b"other")
    assert estate.run(*load(kept)).code == 0
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert "removed again" in ran.err
    assert (ran.code, ran.json["queue"], ran.json["counts"]["done"]) == (0, "OUT", MESSAGES)
    assert estate.bodies("OUT") == [b"other"]
    assert estate.run("journal", "verify", "-q").code == 0


def test_a_restore_that_is_killed_goes_on_from_its_archive(estate: FaultEstate) -> None:
    estate.put("IN", *BODIES)
    assert estate.run("msg", "purge", "IN", "--confirm", "IN", "-q").code == 0
    (archive,) = (estate.folder / "archive").glob("*.ndjson")
    restore = ("archive", "restore", str(archive), "--yes", "--batch", "4", "-q")
    assert estate.killed(restore, At("commit", "after", 1)).by_signal
    assert estate.run(*RESUME).code == 0
    assert Counter(estate.bodies("IN")) == Counter(BODIES)


def test_what_came_from_standard_input_is_asked_for_again(
    estate: FaultEstate, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(estate.backend, "commit", lost)
        text = Path(kept).read_text()
        assert estate.run(*load("-"), stdin=text).code != 0
    ran = estate.run(*RESUME)
    assert (ran.code, "--file FILE" in ran.err) == (8, True), ran
    assert estate.run(*RESUME, "--file", kept).code == 0
    assert estate.bodies("OUT") == BODIES


@pytest.mark.parametrize("change", ["another message", "cut"])
@pytest.mark.slow
def test_a_file_that_was_changed_is_not_put(estate: FaultEstate, kept: str, change: str) -> None:
    assert estate.killed(load(kept), At("commit", "before", 1)).by_signal
    lines = Path(kept).read_text().splitlines(keepends=True)
    if change == "cut":
        Path(kept).write_text("".join(lines[:3]))
    else:
        lines[1], lines[2] = lines[2], lines[1]
        Path(kept).write_text("".join(lines))
    ran = estate.run(*RESUME)
    if change == "cut":
        assert (ran.code, "is not the file" in ran.err) == (2, True)
        assert estate.bodies("OUT") == []
    else:
        assert (ran.code, ran.json["counts"]["skipped"]) == (3, 2)
        assert "the file was changed" in ran.json["items"][0]["reason"]
        assert estate.bodies("OUT") == BODIES[2:]


def test_a_journal_that_cannot_be_written_means_that_nothing_is_put(
    estate: FaultEstate, kept: str
) -> None:
    (estate.folder / "journal").write_text("in the way")
    ran = estate.run(*load(kept))
    assert (ran.code, "nothing was changed" in ran.err) == (1, True)
    assert estate.bodies("OUT") == []


@pytest.fixture
def remote(estate: FaultEstate) -> str:
    """A queue of another queue manager; what is put there waits on the transmission queue QM9."""
    with estate.connected() as backend:
        backend.define("QLOCAL", "QM9", {"USAGE": "XMITQ"})
        backend.define("QREMOTE", "FAR", {"RNAME": "FAR.IN", "RQMNAME": "QM9"})
    return "FAR"


@pytest.mark.parametrize("again", [False, True], ids=["empty", "sent before"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "line",
    [
        "msg load {} --to {} --allow-duplicates",
        "archive restore {} --to {}",
        "msg copy IN --to {1}",
    ],
)
@pytest.mark.slow
def test_what_was_put_to_a_remote_queue_is_resumed_by_its_transmission_queue(
    estate: FaultEstate, kept: str, remote: str, line: str, when: str, again: bool
) -> None:
    act = (*line.format(kept, remote).split(), "--yes", "--batch", "4", "-q")
    if again:
        assert estate.run(*act).code == 0
    assert estate.killed(act, At("commit", when, 2)).by_signal
    estate.wait("QM9")
    assert estate.run(*RESUME).code == 0
    sent = [body[cmqc.MQXQH_CURRENT_LENGTH :] for body in estate.bodies("QM9")]
    assert Counter(sent) == Counter(BODIES * (1 + again))
    proof = estate.run("journal", "verify", "-o", "json")
    assert [operation["puts"] for operation in proof.json["items"]] == [MESSAGES] * (1 + again)


def test_what_is_on_a_remote_queue_already_cannot_be_seen_and_the_plan_says_so(
    estate: FaultEstate, kept: str, remote: str
) -> None:
    for line in (f"msg load {kept} --to {remote}", f"archive restore {kept} --to {remote}"):
        ran = estate.run(*line.split(), "--dry-run", "-o", "json")
        assert ran.json["item"]["notes"][-2:] == [
            "FAR leads to queue manager QM9: they go to the transmission queue QM9, with an MQXQH"
            " in front",
            "messages that are already there cannot be seen, so they would be put again",
        ]
        assert estate.run(*line.split(), "--yes", "-q").code == 0
    assert len(estate.bodies("QM9")) == 2 * MESSAGES
