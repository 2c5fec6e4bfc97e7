"""`expiry explain`: what it says against what the emulator then does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.expiry.explain import explain
from mqtriage.model.result import Document
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NotFound
from tests.unit.emulator.conftest import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    new_lab = Lab(tmp_path)
    yield new_lab
    new_lab.close()


@pytest.fixture
def zos(tmp_path: Path) -> Iterator[Lab]:
    zos_lab = Lab(tmp_path / "zos", "zos")
    yield zos_lab
    zos_lab.close()


def who(document: Document) -> list[str]:
    return [discarder["who"] for discarder in document.data["discarders"]]


def words(document: Document) -> str:
    return "\n".join(
        f"{title} {label} {text}" for title, pairs in document.sections for label, text in pairs
    )


@pytest.mark.seed("EX-12", "EX-34")
def test_what_a_browse_would_discard_is_what_a_browse_discards(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", expiry_tenths=10)
    lab.put("Q1", expiry_tenths=10)
    lab.put("Q1")
    lab.advance(2)
    document = explain(lab.mq, "Q1")
    assert (document.data["curdepth"], document.data["expired"]) == (3, 2)
    assert document.data["browse_now"]["discards_at_most"] == 2
    assert lab.depth("Q1") == 3, "telling it must not browse"
    handle = lab.open("Q1", cmqc.MQOO_BROWSE)
    assert len(list(handle.browse())) == 1
    assert lab.depth("Q1") == 1


def test_the_expirer_of_a_distributed_queue_manager_runs_each_five_minutes(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", expiry_tenths=10)
    document = explain(lab.mq, "Q1")
    task = document.data["discarders"][1]
    assert (task["interval_s"], task["decided_by"]) == (300, "ExpiryInterval in qm.ini")
    lab.advance(task["interval_s"] + 1)
    assert lab.depth("Q1") == 0


@pytest.mark.parametrize(
    ("expryint", "interval_s"),
    [pytest.param("OFF", None, id="off"), pytest.param(60, 60, id="sixty-seconds")],
)
def test_on_zos_expryint_decides_and_there_is_a_command(
    zos: Lab, expryint: int | str, interval_s: int | None
) -> None:
    zos.mq.alter("QMGR", "", {"EXPRYINT": expryint})
    zos.local("Q1")
    zos.put("Q1", expiry_tenths=10)
    zos.mq.commit()  # on z/OS a put is under syncpoint unless it says otherwise
    document = explain(zos.mq, "Q1")
    assert "REFRESH QMGR TYPE(EXPIRY)" in who(document)
    assert document.data["discarders"][1]["interval_s"] == interval_s
    zos.advance(301)
    assert zos.depth("Q1") == (0 if interval_s else 1)


def test_nobody_meets_a_message_while_gets_are_disabled(lab: Lab) -> None:
    lab.local("Q1", GET="DISABLED")
    document = explain(lab.mq, "Q1")
    assert "2016" in document.data["discarders"][0]["when"]
    assert document.data["browse_now"]["text"] == "fails with MQRC_GET_INHIBITED (2016)"


@pytest.mark.parametrize(
    ("sequence", "order"),
    [
        pytest.param(
            "FIFO",
            "before the first one that has not expired",
            id="fifo",
            marks=pytest.mark.seed("EX-14"),
        ),
        pytest.param(
            "PRIORITY", "higher priority", id="priority", marks=pytest.mark.seed("EX-15", "EX-16")
        ),
    ],
)
def test_the_order_of_discarding_follows_msgdlvsq(lab: Lab, sequence: str, order: str) -> None:
    lab.local("Q1", MSGDLVSQ=sequence)
    assert order in explain(lab.mq, "Q1").data["discard_order"]


def test_capexpry_of_the_queue_and_of_its_aliases_is_shown(lab: Lab) -> None:
    lab.local("Q1", CAPEXPRY=600)
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1", "CAPEXPRY": 100})
    caps: dict[str, Any] = explain(lab.mq, "A1").data["capexpry"]
    assert {cap["object"]: cap["capexpry_tenths"] for cap in caps["objects"]} == {
        "Q1": 600,
        "A1": 100,
    }
    assert "never raises it" in caps["text"]
    lab.put("A1", expiry_tenths=5000)
    assert lab.get("Q1").md.expiry_tenths == 100


def test_a_cap_that_stands_in_custom_is_shown_as_well(lab: Lab) -> None:
    lab.local("Q1", CUSTOM="CAPEXPRY(600)")
    (cap,) = explain(lab.mq, "Q1").data["capexpry"]["objects"]
    lab.put("Q1", expiry_tenths=5000)
    assert cap["capexpry_tenths"] == lab.get("Q1").md.expiry_tenths == 600


def test_no_limit_is_said_to_be_none(lab: Lab) -> None:
    lab.local("Q1")
    assert "no limit" in explain(lab.mq, "Q1").data["capexpry"]["text"]


@pytest.mark.seed("EX-17", "CARD-25", "C-19")
def test_an_expired_message_cannot_be_requeued_and_it_is_said_why_and_what_instead(
    lab: Lab,
) -> None:
    lab.local("Q1")
    put = lab.put("Q1", expiry_tenths=10)
    lab.advance(2)
    document = explain(lab.mq, "Q1")
    lost = document.data["expired_message"]
    assert lost["can_be_requeued"] is False
    assert "to a get or a browse" in lost["reason"]
    assert any("MQRO_EXPIRATION_WITH_FULL_DATA" in text for text in lost["instead"])
    assert any("still counted in CURDEPTH" in text for text in document.warnings)
    with pytest.raises(NotFound, match="has expired") as caught:
        explain(lab.mq, "Q1", put.msg_id)
    assert caught.value.hint == "mqtriage expiry explain Q1"


@pytest.mark.seed("EX-10", "EX-20")
def test_of_one_message_the_lifetime_and_the_report_are_told(lab: Lab) -> None:
    lab.local("Q1")
    put = lab.put(
        "Q1", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, reply_to_q="REPLY"
    )
    lab.advance(10)
    document = explain(lab.mq, "Q1", put.msg_id)
    message = document.data["message"]
    assert (message["expiry_tenths"], message["expiry_report"]) == (500, "exp-full")
    assert "a report with the whole message goes to REPLY" in words(document)


@pytest.mark.seed("EX-62")
def test_a_transmission_queue_has_two_expiry_fields(lab: Lab) -> None:
    lab.local("X1", USAGE="XMITQ")
    assert "only the one in MQMD applies" in explain(lab.mq, "X1").data["transmission_queue"]


def test_keys_are_as_promised(lab: Lab) -> None:
    """JSON keys are only ever added to."""
    lab.local("Q1")
    assert {
        "queue", "asked_for", "platform", "curdepth", "uncommitted", "expired", "with_expiry",
        "next_expiry_time", "msgdlvsq", "get", "discarders", "browse_now", "discard_order",
        "capexpry", "message", "expired_message",
    } <= set(explain(lab.mq, "Q1").data)  # fmt: skip
