"""The sample messages: each is what its manifest says, and all kinds are there."""

from __future__ import annotations

from importlib import resources

import pytest

from mqtriage.emulator import samples as package
from mqtriage.emulator.samples import SampleMessage, definitions, samples
from mqtriage.messages.decoded import dead_letter_header, decoded
from mqtriage.mq import reports
from mqtriage.mq.headers import chain, rfh2
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse

_SAMPLES = {sample.name: sample for sample in samples()}
_BROKEN = "order-broken-header"


def _message(sample: SampleMessage) -> Message:
    return Message(sample.md, sample.body, len(sample.body))


def _reads_as(name: str) -> str | None:
    text = decoded(_message(_SAMPLES[name]))["body"]["text"]
    assert text is None or isinstance(text, str)
    return text


def test_every_file_is_in_the_manifest_and_every_entry_has_a_file() -> None:
    files = {file.name for file in resources.files(package).iterdir() if file.name.endswith(".bin")}
    assert files == {f"{name}.bin" for name in _SAMPLES}


@pytest.mark.parametrize("name", sorted({*_SAMPLES} - {_BROKEN}))
def test_a_sample_decodes_without_damage_or_guess(name: str) -> None:
    record = decoded(_message(_SAMPLES[name]))
    assert (record["damages"], record["notes"]) == ([], [])


def test_the_broken_sample_is_told_to_be_broken() -> None:
    damages = decoded(_message(_SAMPLES[_BROKEN]))["damages"]
    assert len(damages) == 1
    assert damages[0].startswith("MQRFH2 at offset 0: StrucLength 4096 exceeds the ")


@pytest.mark.parametrize("name", _SAMPLES)
def test_a_sample_leaves_ids_and_put_time_to_the_queue_manager(name: str) -> None:
    md = _SAMPLES[name].md
    assert (md.msg_id, md.put_date, md.put_time, md.backout_count) == (bytes(24), "", "", 0)


@pytest.mark.parametrize("name", _SAMPLES)
def test_a_sample_goes_to_a_queue_that_the_definitions_make(name: str) -> None:
    text = definitions().replace("'", "")
    assert f"({_SAMPLES[name].queue})" in text


def test_the_definitions_are_mqsc_without_a_finding() -> None:
    script = parse(definitions(), file="samples.mqsc")
    assert check_script(script) == []
    assert len(script.commands) == 9


@pytest.mark.parametrize(
    ("name", "reason", "headers"),
    [
        ("dead-queue-full", "MQRC_Q_FULL", ["MQDLH"]),
        ("dead-unknown-queue-zos", "MQRC_UNKNOWN_OBJECT_NAME", ["MQDLH"]),
        ("dead-put-inhibited-jms", "MQRC_PUT_INHIBITED", ["MQDLH", "MQRFH2"]),
        ("dead-backout-threshold", "MQRC_BACKOUT_THRESHOLD_REACHED", ["MQDLH", "MQRFH2"]),
        ("dead-trigger", "MQFB_APPL_CANNOT_BE_STARTED", ["MQDLH", "MQTM"]),
    ],
)
def test_dead_lettered_samples_carry_their_reason(
    name: str, reason: str, headers: list[str]
) -> None:
    message = _message(_SAMPLES[name])
    facts = dead_letter_header(message)
    assert facts is not None
    assert (facts.reason_name, _SAMPLES[name].queue) == (reason, "DEAD.LETTER.QUEUE")
    assert headers == [header["name"] for header in decoded(message)["chain"]]


def test_the_text_samples_read_in_their_code_pages() -> None:
    assert _reads_as("payment-mqstr") == "PAY;P-90001;4711;129.90;EUR;Café Zürich"
    assert str(_reads_as("payment-ebcdic")).endswith("ACCT 00-1234-99 [HOLD]")
    assert _reads_as("dead-unknown-queue-zos") == "ORDER 4659 CUSTOMER C-1988 ARCHIVE"


def test_the_jms_samples_have_typed_properties_and_binary_bodies() -> None:
    text = _SAMPLES["order-jms-text"]
    decoded_chain = chain.decode("MQHRF2", 273, 1208, text.body)
    properties = rfh2.properties(header.record for header in decoded_chain.headers)
    assert properties["mcd.Msd"] == "jms_text"
    assert (properties["attempt"], properties["express"]) == (1, True)
    assert _reads_as("order-jms-bytes") is None


def test_the_poison_sample_is_cut_xml_that_was_rolled_back_three_times() -> None:
    from xml.etree import ElementTree

    poison = _SAMPLES["order-poison"]
    assert (poison.backouts, poison.queue) == (3, "ORDERS.IN")
    with pytest.raises(ElementTree.ParseError):
        ElementTree.fromstring(str(_reads_as("order-poison")))


def test_delayed_expiring_and_reporting_samples_are_there() -> None:
    assert [sample.delay_ms for sample in samples() if sample.delay_ms] == [3_600_000, 300_000]
    assert {300, 6000, 72000} == {
        sample.md.expiry_tenths for sample in samples() if sample.md.expiry_tenths > 0
    }
    expiring = _SAMPLES["payment-expiry-report"].md
    assert reports.requested(expiring.report) == ("EXPIRATION_WITH_FULL_DATA",)
    asking = _SAMPLES["order-cod-requested"].md
    assert reports.requested(asking.report) == ("COD",)
    delayed = _SAMPLES["payment-delayed-expiring"]
    assert delayed.md.expiry_tenths * 100 > delayed.delay_ms
