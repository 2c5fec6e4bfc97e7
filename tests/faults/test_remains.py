"""What a kill leaves of what did nothing: the proofs end well, and prune removes it."""

from __future__ import annotations

import pytest

from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.writing import Archive
from mqtriage.operations.ledger import journal
from tests.faults.conftest import FaultEstate
from tests.faults.killing import At

PURGE = ("msg", "purge", "IN", "--confirm", "IN", "--batch", "2", "-q")
BODIES = [b"%d" % number for number in range(5)]


@pytest.fixture
def estate(estate: FaultEstate) -> FaultEstate:
    estate.put("IN", *BODIES)
    return estate


def test_an_operation_without_its_whole_plan_has_nothing_to_prove(
    estate: FaultEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "_CHUNK", 2)
    assert estate.killed(PURGE, At("plan", "after", 1)).by_signal
    proof = estate.run("journal", "verify", "-o", "json")
    assert (proof.code, [item["verdict"] for item in proof.json["items"]]) == (0, ["nothing done"])
    assert list((estate.folder / "journal").glob("*.lock"))
    assert estate.run("journal", "prune", "--older-than", "0s", "--yes").code == 0
    assert estate.run("journal", "ls", "-o", "json").json["items"] == []
    assert not list((estate.folder / "journal").glob("*.lock"))
    assert estate.bodies("IN") == BODIES


def test_an_archive_that_nothing_was_written_to_is_unused_and_goes_with_a_prune(
    estate: FaultEstate,
) -> None:
    assert estate.killed(PURGE, At("archive", "before", 2)).by_signal
    verified = estate.run("archive", "verify", "-o", "json")
    assert (verified.code, [item["state"] for item in verified.json["items"]]) == (0, ["unused"])
    assert estate.run("archive", "prune", "--older-than", "0s", "--yes").code == 0
    assert not list((estate.folder / "archive").iterdir())
    assert estate.run("journal", "resume", "--yes", "-q").code == 0
    assert estate.bodies("IN") == []


def test_an_archive_with_messages_is_not_unused_though_the_journal_has_no_unit_of_them(
    estate: FaultEstate,
) -> None:
    assert estate.killed(PURGE, At("intent", "before", 1)).by_signal
    verified = estate.run("archive", "verify", "-o", "json")
    assert (verified.code, verified.json["items"][0]["state"]) == (4, "unfinished")
    assert estate.run("archive", "prune", "--older-than", "0s", "--yes").code == 0
    assert list((estate.folder / "archive").iterdir())
    assert estate.run("journal", "resume", "--yes", "-q").code == 0
    assert estate.run("archive", "verify").code == 0
    assert estate.bodies("IN") == []


def test_an_archive_whose_batch_may_have_become_final_is_not_unused(estate: FaultEstate) -> None:
    assert estate.killed(PURGE, At("intent", "after", 1)).by_signal
    verified = estate.run("archive", "verify", "-o", "json")
    assert [item["state"] for item in verified.json["items"]] == ["unfinished"]
    assert verified.code == 4
    assert estate.run("archive", "prune", "--older-than", "0s", "--yes").code == 0
    assert list((estate.folder / "archive").iterdir())


@pytest.mark.parametrize(
    "remains",
    [
        pytest.param(bytes(700), id="zeros"),
        pytest.param(
            bytes(512) + b'Q=="}\n{"kind":"Commit","batch":1,"numbers":[1,2]}\n', id="hole"
        ),
        pytest.param(b'{"kind":"Message","number":3,"batch":2,"que', id="cut"),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.slow
def test_what_stands_behind_the_last_sync_is_taken_away_by_a_resume(
    estate: FaultEstate, remains: bytes, when: str
) -> None:
    assert estate.killed(PURGE, At("commit", when, 1)).by_signal
    (archive,) = (estate.folder / "archive").glob("*.ndjson")
    archive.write_bytes(archive.read_bytes() + remains)
    archive.with_name(archive.name + ".index").write_bytes(b"mqtriage-index/1" + bytes(40))
    assert estate.run("journal", "resume", "--yes", "-q").code == (0 if when == "before" else 3)
    verified = estate.run("archive", "verify", "-o", "json")
    assert (verified.code, {item["state"] for item in verified.json["items"]}) == (0, {"whole"})
    lines = archive.read_bytes().splitlines()
    assert [line.startswith(b'{"kind":"Message"') for line in lines][:3] == [False, True, True]


def test_a_message_that_was_changed_before_the_last_sync_stays_in_the_archive(
    estate: FaultEstate,
) -> None:
    """It is no remains of a crash: nothing behind it is cut off, and the proof fails."""
    assert estate.killed(PURGE, At("commit", "after", 2)).by_signal
    (archive,) = (estate.folder / "archive").glob("*.ndjson")
    content = archive.read_bytes().replace(b'"number":2,"batch":1', b'"number":2x"batch":1')
    archive.write_bytes(content)
    assert estate.run("journal", "resume", "--yes", "-q").code == 3
    assert archive.read_bytes().startswith(content)
    assert estate.run("archive", "verify").code == 4


def test_an_archive_whose_end_cannot_be_written_gets_it_from_a_resume(
    estate: FaultEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Archive) -> None:
        raise StorageError("archive: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Archive, "end", full)
        ran = estate.run(*PURGE, "-o", "json")
    (archive,) = (estate.folder / "archive").glob("*.ndjson")
    (warning,) = ran.json["warnings"]
    assert warning.startswith(f"{archive.name} lacks its closing line: mqtriage journal resume")
    assert estate.run("archive", "verify").code == 4
    assert estate.run("journal", "resume", "--yes", "-q").code == 0
    assert estate.run("archive", "verify").code == 0
    assert estate.run("journal", "ls", "-o", "json").json["items"][0]["state"] == "done"
