"""`msg show` and `msg browse` on PCF messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqtriage.mq import cmqcfc
from mqtriage.mq.pcf import messages as pcf
from tests.acceptance.conftest import Bench
from tests.support.pcf_structures import filter_of, integer64


def put(bench: Bench, message: pcf.PCF, form: str = "MQEVENT", *, cut: int = 0) -> str:
    """Put a PCF message on EV; its MsgId."""
    bench.define("EV")
    data = pcf.encode(message, ">", 500)
    path = bench.home / "message.bin"
    path.write_bytes(data[: len(data) - cut])
    more = ["--md-format", form, "--encoding", "273", "--ccsid", "500"]
    ran = bench.ok("msg", "put", "EV", "--file", str(path), *more, "--yes", "-o", "json")
    (item,) = ran.json["items"]
    msg_id = item["msg_id"]
    assert isinstance(msg_id, str)
    return msg_id


EVENT = pcf.PCF(
    7,
    45,
    (
        pcf.string(2015, "QM1", width=48),
        pcf.string(2016, "ORDERS.IN", width=48),
        pcf.integer_of(cmqcfc.MQIACF_REASON_QUALIFIER, cmqcfc.MQRQ_CHANNEL_STOPPED_OK),
        pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (15, 3)),
        pcf.byte_string(7016, b"\x01\x02"),
        filter_of(15, 4, 100),
        integer64(cmqcfc.MQIAMO64_PUT_BYTES, 2**40),
        pcf.integer_of(9999, 7),
        pcf.group(8002, (pcf.string(2013, "first"), pcf.integer_of(20, 1))),
        pcf.group(8002, (pcf.string(2013, "second"),)),
    ),
    comp_code=1,
    reason=2224,
)


def test_a_message_is_shown_with_every_parameter_by_name(bench: Bench) -> None:
    ran = bench.ok("msg", "show", "EV", put(bench, EVENT))
    head, *groups = ran.out.split("\nPCF")[1:]
    lines = [line.split(None, 1) for line in head.splitlines() if line.strip()]
    shown = {line[0]: line[1] for line in lines if len(line) == 2}
    assert shown["type"] == "MQCFT_EVENT (7)"
    assert shown["command"] == "MQCMD_PERFM_EVENT (45)"
    assert shown["reason"] == "MQRC_Q_DEPTH_HIGH (2224)"
    assert shown["MQCA_Q_NAME"] == "ORDERS.IN"
    assert shown["MQIACF_REASON_QUALIFIER"] == "MQRQ_CHANNEL_STOPPED_OK (7)"
    assert shown["MQIACF_Q_ATTRS"] == "MQIA_MAX_Q_DEPTH (15), MQIA_CURRENT_Q_DEPTH (3)"
    assert shown["MQBACF_SUB_ID"] == "0102"
    assert shown["MQIA_MAX_Q_DEPTH"] == "MQCFOP_GREATER 100"
    assert shown["MQIAMO64_PUT_BYTES"] == str(2**40)
    assert "parameter 9999  " in head
    assert [group.splitlines()[0] for group in groups] == [
        ", MQGACF_COMMAND_DATA 1", ", MQGACF_COMMAND_DATA 2"
    ]  # fmt: skip
    assert "MQQT_LOCAL (1)" in groups[0]
    assert "body hex" not in ran.out


def parameters(record: dict[str, Any]) -> dict[str | None, Any]:
    return {parameter["name"]: parameter for parameter in record["parameters"]}


@pytest.mark.parametrize("verb", ["show", "browse"])
def test_json_has_the_same_with_numbers(bench: Bench, verb: str) -> None:
    msg_id = put(bench, EVENT, "MQADMIN")
    if verb == "show":
        record = bench.ok("msg", "show", "EV", msg_id, "-o", "json").item["pcf"]
    else:
        (item,) = bench.ok("msg", "browse", "EV", "-o", "json").json["items"]
        record = item["pcf"]
    assert (record["command"], record["command_name"]) == (45, "MQCMD_PERFM_EVENT")
    assert (record["comp_code"], record["comp_code_name"]) == (1, "MQCC_WARNING")
    by_name = parameters(record)
    assert by_name["MQCA_Q_NAME"]["value"] == "ORDERS.IN"
    assert by_name["MQBACF_SUB_ID"] == {
        "name": "MQBACF_SUB_ID", "id": 7016, "structure": "MQCFBS", "value": "0102",
        "value_name": None, "operator": None, "parameters": [],
    }  # fmt: skip
    assert by_name["MQIA_MAX_Q_DEPTH"]["operator"] == "MQCFOP_GREATER"
    assert by_name[None]["id"] == 9999
    groups = [parameter for parameter in record["parameters"] if parameter["structure"] == "MQCFGR"]
    assert [group["parameters"][0]["value"] for group in groups] == ["first", "second"]


def test_a_damaged_message_is_shown_as_far_as_it_goes_with_its_bytes(bench: Bench) -> None:
    msg_id = put(bench, EVENT, cut=4)
    item = bench.ok("msg", "show", "EV", msg_id, "-o", "json").item
    assert parameters(item["pcf"])["MQCA_Q_NAME"]["value"] == "ORDERS.IN"
    assert any("PCF structure at offset" in damage for damage in item["damages"])
    assert "body hex" in bench.ok("msg", "show", "EV", msg_id).out


def test_what_is_no_pcf_message_says_nothing_of_pcf(bench: Bench) -> None:
    bench.define("EV")
    msg_id = bench.ok("msg", "put", "EV", "hello", "--yes").out.strip()
    assert "pcf" not in bench.ok("msg", "show", "EV", msg_id).out.lower()
    assert bench.ok("msg", "show", "EV", msg_id, "-o", "json").item["pcf"] is None


def test_a_reply_of_the_command_server_is_shown(bench: Bench) -> None:
    bench.define("EV", "REPLIES")
    path = Path(bench.home / "command.bin")
    path.write_bytes(pcf.encode(pcf.PCF(1, cmqcfc.MQCMD_INQUIRE_Q, (pcf.string(2016, "EV"),))))
    bench.ok(
        "msg", "put", "SYSTEM.ADMIN.COMMAND.QUEUE", "--file", str(path), "--md-format", "MQADMIN",
        "--reply-to", "REPLIES", "--yes",
    )  # fmt: skip
    (item,) = bench.ok("msg", "browse", "REPLIES", "-o", "json").json["items"]
    by_name = parameters(item["pcf"])
    assert by_name["MQCA_Q_NAME"]["value"] == "EV"
    assert (by_name["MQIA_INHIBIT_PUT"]["value"], by_name["MQIA_INHIBIT_PUT"]["value_name"]) == (
        0, "ENABLED"
    )  # fmt: skip
