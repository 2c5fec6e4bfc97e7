"""`delay cancel|release|reschedule` on a real queue manager: by a guess, when asked for.

The messages are staged as the emulator does it, and as the public post on IBM's header shows them.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from struct import pack, unpack_from

import pytest

from mqtriage.backends import clock
from mqtriage.emulator.core.file import home as homes
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.times import put_date_and_time
from tests.acceptance.messages.estate import Estate
from tests.contract.conftest import CLIENTS, load
from tests.mqi.conftest import Served

pytestmark = pytest.mark.slow

HOUR_US = 3_600_000_000
JMS = rfh2.encode(
    rfh2.build([("jms", {"Cid": "ID:" + "CC" * 24})], Following("MQSTR", 546, 1208))
) + b"hello"  # fmt: skip


class Far(Estate):
    """A queue manager behind a server."""

    def now_us(self) -> int:
        with self.connected() as backend:
            now_us: int = backend.now_us()
            return now_us

    def staged_elsewhere(
        self, data: bytes = JMS, later_us: int = HOUR_US, original: bytes = b"O" * 24
    ) -> bytes:
        """Put what a real queue manager may have staged; returns it."""
        with self.connected() as backend:
            now_us = backend.now_us()
            date, time = put_date_and_time(now_us)
            head = b"DDH " + pack("<iqq", 1, now_us + later_us, -1)
            body = head + b"QM1".ljust(48) + b"OUT".ljust(48) + b"\xee" * 20 + data
            md = MQMD(
                msg_id=b"S" * 24, correl_id=original, format="MQHDDH", persistence=1,
                put_date=date, put_time=time, put_appl_name="java",
            )  # fmt: skip
            backend.put1(STAGING_QUEUE, md, body, cmqc.MQPMO_SET_ALL_CONTEXT)
        return body


@pytest.fixture(params=CLIENTS)
def far(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Far]:
    load(request, request.param)
    Estate.create(tmp_path / "home")
    far_estate = Far(tmp_path / "home").reached_by(request.param)
    far_estate.queue("OUT")
    monkeypatch.setenv("MQTRIAGE_HOME", str(far_estate.folder))
    monkeypatch.delenv("MQTRIAGE_QMGR", raising=False)
    monkeypatch.setattr(
        clock, "here_us", open_manager(homes.qmgr_path(far_estate.folder, "QM1")).look
    )
    served = Served(far_estate.folder, existing=True)
    yield far_estate
    served.close()


RELEASE = ("delay", "release", "--yes", "--experimental")


@pytest.mark.seed("CARD-16")
@pytest.mark.parametrize(
    "argv",
    [
        ("delay", "release"),
        ("delay", "reschedule", "--delay", "1h"),
        ("delay", "cancel", "--to", "OUT", "--headers", "strip"),
    ],
    ids=["release", "reschedule", "cancel"],
)
def test_without_the_option_nothing_is_guessed(far: Far, argv: tuple[str, ...]) -> None:
    staged = far.staged_elsewhere()
    ran = far.run(*argv, "--yes")
    assert (ran.code, "not documented" in ran.err, "--experimental" in ran.err) == (8, True, True)
    ran = far.run(*argv, "--yes", "--experimental", "--no-backup")
    assert (ran.code, "--no-backup" in ran.err) == (8, True)
    assert (far.bodies(STAGING_QUEUE), far.bodies("OUT")) == ([staged], [])


@pytest.mark.parametrize(
    "argv",
    [RELEASE, ("delay", "cancel", "--to", "OUT", "--headers", "strip", "--yes", "--experimental")],
    ids=["release", "cancel"],
)
def test_the_original_goes_out_and_the_staged_message_is_kept(
    far: Far, argv: tuple[str, ...]
) -> None:
    staged = far.staged_elsewhere()
    ran = far.run(*argv)
    assert ran.code == 0, ran.err
    assert "assumed" in ran.err
    (message,) = far.messages("OUT")
    assert message.body == JMS
    assert (message.md.msg_id, message.md.correl_id) == (b"O" * 24, b"\xcc" * 24)
    assert (message.md.format, message.md.encoding) == ("MQHRF2", 273)
    assert message.md.put_appl_name == "java"
    (lines,) = far.archives()
    assert [b64decode(line["body_base64"]) for line in lines if line["kind"] == "Message"] == [
        staged
    ]
    assert far.run("journal", "verify").code == 0


def test_a_message_that_does_not_look_as_assumed_stays(far: Far) -> None:
    staged = far.staged_elsewhere(b"no header of JMS")
    ran = far.run(*RELEASE, "-o", "json")
    assert ran.code == 3
    assert "the beginning of the message is not known" in ran.json["items"][0]["reason"]
    assert (far.bodies(STAGING_QUEUE), far.bodies("OUT")) == ([staged], [])


def test_an_undo_puts_the_staged_message_back_as_it_was(far: Far) -> None:
    staged = far.staged_elsewhere()
    assert far.run(*RELEASE).code == 0
    ran = far.run("journal", "undo", "--yes")
    assert ran.code == 0, ran.err
    assert "not known: whether a real queue manager delivers" in ran.err
    (message,) = far.messages(STAGING_QUEUE)
    assert (message.body, message.md.correl_id) == (staged, b"O" * 24)
    assert far.bodies("OUT") == []


def test_another_due_time_changes_eight_bytes_of_the_header(far: Far) -> None:
    staged = far.staged_elsewhere()
    ran = far.run("delay", "reschedule", "--shift", "+1h", "--yes", "--experimental")
    assert ran.code == 0, ran.err
    (message,) = far.messages(STAGING_QUEUE)
    assert message.body[:8] + message.body[16:] == staged[:8] + staged[16:]
    moved_us = unpack_from("<q", message.body, 8)[0] - unpack_from("<q", staged, 8)[0]
    assert abs(moved_us - HOUR_US) < 1_000_000
    assert message.md.msg_id != b"S" * 24
    assert message.md.correl_id == b"O" * 24
    assert far.run("journal", "verify").code == 0
    assert far.run("journal", "undo", "--yes").code == 0
    assert far.bodies(STAGING_QUEUE) == [staged]


def test_what_the_emulator_staged_comes_at_its_new_time(far: Far) -> None:
    far.delayed("OUT", b"hello", delay_ms=60_000)
    ran = far.run("delay", "reschedule", "--delay", "2h", "--yes", "--experimental")
    assert ran.code == 0, ran.err
    far.advance(3_600)
    assert (len(far.messages(STAGING_QUEUE)), far.bodies("OUT")) == (1, [])
    far.advance(3_700)
    assert (far.messages(STAGING_QUEUE), far.bodies("OUT")) == ([], [b"hello"])


def test_a_cancelled_message_that_is_put_back_is_delivered_in_time(far: Far) -> None:
    (sent,) = far.delayed("OUT", b"hello", delay_ms=60_000)
    assert far.run("delay", "cancel", "--correlid", sent.hex(), "--yes").code == 0
    assert far.messages(STAGING_QUEUE) == []
    assert far.run("journal", "undo", "--yes").code == 0
    far.advance(30)
    assert (len(far.messages(STAGING_QUEUE)), far.bodies("OUT")) == (1, [])
    far.advance(40)
    (message,) = far.messages("OUT")
    assert (message.md.msg_id, message.body) == (sent, b"hello")


@pytest.mark.parametrize("argv", [RELEASE[:3], ("delay", "cancel", "--yes")], ids=str)
def test_what_is_taken_by_an_assumed_due_time_wants_both_options(
    far: Far, argv: tuple[str, ...]
) -> None:
    far.staged_elsewhere(later_us=5_000_000)
    for more in ((), ("--assume-ddh", "due"), ("--experimental",)):
        ran = far.run(*argv, "--due-before", "now+1h", *more)
        assert (ran.code, "--experimental" in ran.err) == (8, True), ran.err
    ran = far.run(*argv, "--due-before", "now+1h", "--assume-ddh", "due", "--experimental")
    assert ran.code == 0, ran.err
    assert far.messages(STAGING_QUEUE) == []


def test_a_dry_run_says_which_bytes_are_assumed(far: Far) -> None:
    far.staged_elsewhere()
    ran = far.run(*RELEASE[:2], "-n", "--experimental", "-o", "json")
    assert ran.code == 0
    assert "bytes 72 to 119" in ran.out
