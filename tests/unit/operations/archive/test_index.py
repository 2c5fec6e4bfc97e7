"""The index beside an archive, and look-ups with it, without it, and with one that does not fit."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import IO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.files import compressed, scratch
from mqtriage.model.ids import IdMatch
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import StorageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive import files as archive_files
from mqtriage.operations.archive import writing as archives
from mqtriage.operations.archive.files import find_in, lines_of
from mqtriage.operations.archive.index import count_of, index_path, look_up
from mqtriage.operations.load import plan as load_plan
from tests.support.scale import amount


def ident(number: int) -> bytes:
    return f"{number:024d}".encode()


def write(path: Path, ids: list[bytes]) -> Path:
    with archives.new_copy(path, queue="IN", queue_manager="QM1", at="") as file:
        for number, msg_id in enumerate(ids):
            body = str(number).encode()
            message = Message(MQMD(msg_id=msg_id), body, len(body))
            file.add("IN", message, sha256(body).digest())
    return path


def bodies(path: Path, prefix: bytes) -> list[bytes]:
    return [
        located.message.entry.body
        for located in find_in(path, IdMatch(prefix, len(prefix) < 24, len(prefix)))
    ]


@pytest.fixture(params=["kept.ndjson", "kept.ndjson.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members of some lines, so that a few messages make many of them."""
    monkeypatch.setattr(archives, "MEMBER_BYTES", 4_000)


@pytest.mark.usefixtures("small")
def test_each_message_is_found_by_its_id_through_the_index_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, [ident(number * 7 % 50) for number in range(50)])
    assert count_of(path) == 50
    monkeypatch.setattr(archive_files, "_searched", lambda *_: pytest.fail("it was read whole"))
    for number in range(50):
        assert bodies(path, ident(number * 7 % 50)) == [str(number).encode()]
    assert bodies(path, ident(99)) == []


@pytest.mark.usefixtures("small")
def test_messages_with_one_id_are_all_found_in_the_order_of_the_archive(path: Path) -> None:
    write(path, [ident(number % 3) for number in range(20)])
    assert bodies(path, ident(1)) == [str(number).encode() for number in range(1, 20, 3)]
    assert len(bodies(path, ident(0)[:20])) == 20


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("damage", ["none", "cut", "foreign", "of-another", "empty"])
def test_without_an_index_that_fits_the_archive_is_read(path: Path, damage: str) -> None:
    write(path, [ident(number) for number in range(20)])
    index = index_path(path)
    if damage == "none":
        index.unlink()
    elif damage == "cut":
        index.write_bytes(index.read_bytes()[:-30])
    elif damage == "of-another":
        other = write(path.with_name(f"other-{path.name}"), [ident(n) for n in range(19, -1, -1)])
        index.write_bytes(index_path(other).read_bytes())
    else:
        index.write_bytes(b"" if damage == "empty" else b"something else, and longer than a head")
    for number in (0, 3, 4, 19):
        assert bodies(path, ident(number)) == [str(number).encode()]


def test_the_index_tells_how_far_it_goes_and_the_rest_is_read(tmp_path: Path) -> None:
    """As after a crash: lines behind what the index covers."""
    path = write(tmp_path / "kept.ndjson", [ident(1)])
    whole = path.read_bytes()
    more = write(tmp_path / "more.ndjson", [b"\xff" * 24]).read_bytes()
    path.write_bytes(whole + more.splitlines(keepends=True)[1])
    looked_up = look_up(path, ident(1), path.stat().st_size)
    assert looked_up is not None
    assert looked_up[1] == len(whole)
    assert len(bodies(path, b"\xff" * 4)) == 1


def test_a_torn_last_line_is_told_and_what_is_before_it_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "kept.ndjson", [ident(1), ident(2)])
    index_path(path).unlink()
    path.write_bytes(path.read_bytes()[:-200])
    assert bodies(path, ident(1)) == [b"0"]
    with pytest.raises(StorageError, match="the file was truncated"):
        bodies(path, ident(2))


@pytest.mark.usefixtures("small")
def test_a_compressed_archive_reads_the_same_as_with_gunzip(tmp_path: Path) -> None:
    path = write(tmp_path / "kept.ndjson.gz", [ident(number) for number in range(30)])
    lines = [line.data for line in lines_of(path)]
    assert lines == gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    assert len({line.place.offset for line in lines_of(path)}) > 5


def test_a_compressed_archive_that_was_cut_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "kept.ndjson.gz", [ident(number) for number in range(300)])
    path.write_bytes(path.read_bytes()[:-2_000])
    lines = [line.data for line in lines_of(path)]
    assert 1 < len(lines) < 302
    assert not lines[-1].endswith(b"\n")


def test_damaged_compressed_data_is_one_error_that_names_the_place(tmp_path: Path) -> None:
    path = write(tmp_path / "kept.ndjson.gz", [ident(number) for number in range(300)])
    data = bytearray(path.read_bytes())
    data[2_000:2_100] = bytes(100)
    path.write_bytes(data)
    with pytest.raises(StorageError, match="the compressed data is damaged at byte"):
        list(lines_of(path))


def test_an_index_that_cannot_be_written_does_not_stop_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, flags: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch, "open_private", full)
    path = write(tmp_path / "kept.ndjson", [ident(1)])
    assert not index_path(path).exists()
    assert bodies(path, ident(1)) == [b"0"]


def test_the_last_line_holds_the_digest_of_all_before_it(path: Path) -> None:
    write(path, [ident(1), ident(2)])
    *lines, last = [line.data for line in lines_of(path)]
    end_record = json.loads(last)
    assert end_record == {
        "kind": "End",
        "messages": 2,
        "sha256": sha256(b"".join(lines)).hexdigest(),
    }


@settings(max_examples=amount(15))
@given(
    numbers=st.lists(st.integers(0, 12), max_size=40),
    member=st.integers(1, 6_000),
    packed=st.booleans(),
)
def test_whatever_the_members_a_look_up_gives_what_a_scan_gives(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: list[int],
    member: int,
    packed: bool,
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives, "MEMBER_BYTES", member)
        path = folder / ("a.ndjson.gz" if packed else "a.ndjson")
        write(path, [ident(number) for number in numbers])
    expected = Counter(numbers)
    for number in range(13):
        matches = bodies(path, ident(number))
        assert matches == [str(at).encode() for at, n in enumerate(numbers) if n == number]
        assert len(matches) == expected[number]


def test_a_line_that_unpacks_to_more_than_any_message_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (archive_files, load_plan):
        monkeypatch.setattr(room, "LONGEST_LINE", 1_000_000)
    path = tmp_path / "bomb.ndjson.gz"
    path.write_bytes(gzip.compress(bytes(100_000_000), 1))
    tracemalloc.start()
    with pytest.raises(StorageError, match="unpacks to more than 1000000 bytes"):
        list(lines_of(path))
    with gzip.open(path, "rb") as packed, pytest.raises(StorageError, match="more than 1000000"):
        list(load_plan.read_stored(cast("IO[bytes]", packed)))
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


def test_a_member_of_many_lines_is_unpacked_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "whole.ndjson.gz", [ident(number) for number in range(500)])
    whole = list(lines_of(path))
    for size in (100, 1_000, 4_096):
        monkeypatch.setattr(compressed, "_MOST_BYTES", size)
        assert list(lines_of(path)) == whole
