"""An independent reader of the protocol, tshark, finds nothing malformed in what we send."""

from __future__ import annotations

import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.descriptor import NATIVE_ENCODING
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.names import name_of_command, name_of_parameter
from mqtriage.mq.structures import structure
from tests.support.channel_client import INPUT, OUTPUT, ChannelClient, message, wanted
from tests.support.channel_server import ChannelServer
from tests.support.pcf_structures import filter_of
from tests.support.tools import tool

PORT = 1414
CLIENT_PORT = 50_000
RAW_IP = 101
SEGMENT_BYTES = 32_000


class Tapped(ChannelClient):
    """A client that keeps what goes both ways, in order: whether the client sent it, and bytes."""

    def __init__(self, port: int) -> None:
        self.stream: list[tuple[bool, bytes]] = []
        super().__init__(port)

    def send(self, segment: object) -> None:
        client, kept = self.socket, self.stream

        class Wire:
            def sendall(self, data: bytes) -> None:
                kept.append((True, data))
                client.sendall(data)

        self.socket = Wire()  # type: ignore[assignment]
        try:
            super().send(segment)  # type: ignore[arg-type]
        finally:
            self.socket = client

    def _piece(self) -> bytes:
        data = super()._piece()
        self.stream.append((False, data))
        return data


def pcap(stream: list[tuple[bool, bytes]]) -> bytes:
    """A capture file with a TCP connection between two ports of this machine."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, RAW_IP)]
    sent = {True: 1, False: 1}
    here = socket.inet_aton("127.0.0.1")
    for number, (is_of_client, whole) in enumerate(stream):
        for at in range(0, len(whole), SEGMENT_BYTES):
            data = whole[at : at + SEGMENT_BYTES]
            ports = (CLIENT_PORT, PORT) if is_of_client else (PORT, CLIENT_PORT)
            tcp = struct.pack(
                ">HHIIBBHHH", *ports, sent[is_of_client], sent[not is_of_client], 0x50, 0x18,
                0xFFFF, 0, 0,
            )  # fmt: skip
            total = 20 + len(tcp) + len(data)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, total, number, 0, 64, 6, 0, here, here)
            out += [struct.pack("<IIII", number, 0, total, total), ip, tcp, data]
            sent[is_of_client] += len(data)
    return b"".join(out)


def dissected(file: Path, *arguments: str) -> list[str]:
    ran = subprocess.run(
        ["tshark", "-r", str(file), "-d", f"tcp.port=={PORT},mq", *arguments],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return ran.stdout.splitlines()


def recorded(server: ChannelServer) -> list[tuple[bool, bytes]]:
    """A client that calls much of what there is."""
    server.command("DEFINE QLOCAL(Q1)")
    with Tapped(server.port) as client:
        client.converse(3)
        client.put("Q1", b"hello", 3)
        client.put("Q1", bytes(70_000), syncpoint=True)
        client.commit()
        assert client.get("Q1") == b"hello"
        assert client.get("Q1", 3, syncpoint=True) == bytes(70_000)
        client.back_out(3)
        handle = client.open("Q1", INPUT)
        client.call(SegmentType.MQGET, **wanted(handle, False, 0) | {"data_length": 10})
        client.call(
            SegmentType.MQINQ, handle=handle, selector_count=2, integer_count=1,
            character_length=48, selectors=(20, 2016),
        )  # fmt: skip
        for kind in (SegmentType.XA_START, SegmentType.XA_END, SegmentType.XA_ROLLBACK):
            client.call(
                kind, xid_length=0, return_value=0, flags=0, resource_manager=0, format_id=1,
                global_length=4, branch_length=1, xid=b"name\1",
            )  # fmt: skip
        client.disconnect(3)
        client.disconnect()
        return client.stream


def test_nothing_that_the_server_sends_is_malformed(server: ChannelServer, tmp_path: Path) -> None:
    tool("tshark")
    stream = recorded(server)
    file = tmp_path / "stream.pcap"
    file.write_bytes(pcap(stream))
    assert len(dissected(file, "-Y", "mq")) > 30
    assert dissected(file, "-Y", "_ws.malformed") == []
    reasons = dissected(file, "-Y", "mq.api.reasoncode == 2080 && mq.md.format")
    inquired = dissected(file, "-Y", "mq.inq.charvalues", "-T", "fields", "-e", "mq.inq.charvalues")
    assert len(reasons) == 1
    assert any("Q1" in line for line in inquired)


# -- commands in PCF ------------------------------------------------------------------------------


COMMANDS: dict[str, tuple[pcf.PcfParameter, ...]] = {
    "INQUIRE_Q": (
        pcf.string(cmqc.MQCA_Q_NAME, "SYSTEM.DEFAULT.*"),
        filter_of(cmqc.MQIA_Q_TYPE, 5, 1),
    ),
    "INQUIRE_Q_MGR": (),
    "INQUIRE_Q_NAMES": (pcf.string(cmqc.MQCA_Q_NAME, "*"),),
    "INQUIRE_Q_STATUS": (pcf.string(cmqc.MQCA_Q_NAME, "REPLIES"),),
    "INQUIRE_CHANNEL": (pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.SVRCONN"),),
    "INQUIRE_CHANNEL_STATUS": (pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "*"),),
    "INQUIRE_CONNECTION": (pcf.byte_string(cmqcfc.MQBACF_GENERIC_CONNECTION_ID, b""),),
    "CREATE_Q": (pcf.integer_of(cmqc.MQIA_Q_TYPE, 1), pcf.string(cmqc.MQCA_Q_NAME, "OUT.OF.ORDER")),
    "PING_CHANNEL": (pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.SVRCONN"),),
    "CLEAR_Q": (pcf.string(cmqc.MQCA_Q_MGR_NAME, "no such parameter"),),
    "INQUIRE_LISTENER": (pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (1, 2)),),
}


def commanded(client: Tapped) -> Iterator[pcf.PCF]:
    """Have the command server run each command; what goes to it and what comes back, in order."""
    handle = client.open("SYSTEM.ADMIN.COMMAND.QUEUE", OUTPUT)
    for name, parameters in COMMANDS.items():
        command = pcf.PCF(1, numbers()[f"MQCMD_{name}"], parameters)
        body = message(handle, pcf.encode(command, "<", 819), False)
        body["md"] = structure("MQMD").patched(
            body["md"], Format=cmqc.MQFMT_ADMIN.rstrip(), ReplyToQ="REPLIES",
            MsgType=cmqc.MQMT_REQUEST, Encoding=NATIVE_ENCODING, CodedCharSetId=819,
        )  # fmt: skip
        client.checked(SegmentType.MQPUT, **body)
        yield pcf.decode(body["data"], "<", 819)
        while (reply := client.get("REPLIES")) is not None:
            yield pcf.decode(reply, "<", 1208)


def frames(file: Path) -> Iterator[list[tuple[str, str, str]]]:
    """Of each PCF message that tshark reads: field, its name for the value, the value."""
    document = "\n".join(dissected(file, "-Y", "mqpcf", "-T", "pdml"))
    for protocol in ElementTree.fromstring(document).iterfind(".//proto[@name='mqpcf']"):
        yield [
            (
                field.get("name", "").removeprefix("mqpcf."),
                field.get("showname", "").partition(": ")[2].rpartition(" (")[0],
                field.get("show", ""),
            )
            for field in protocol.iter("field")
        ]


def by_field(frame: list[tuple[str, str, str]], field: str) -> list[tuple[str, str]]:
    return [(name, value) for known, name, value in frame if known == field]


@pytest.mark.long
def test_tshark_reads_commands_and_replies_by_its_own_tables(
    server: ChannelServer, tmp_path: Path
) -> None:
    """Its tables of PCF are of IBM MQ 9.2 and younger: what it has no name for is skipped."""
    tool("tshark")
    server.command("DEFINE QLOCAL(REPLIES)")
    with Tapped(server.port) as client:
        ours = list(commanded(client))
    file = tmp_path / "commands.pcap"
    file.write_bytes(pcap(client.stream))
    assert dissected(file, "-Y", "_ws.malformed || _ws.expert.severity == error") == []
    theirs = list(frames(file))
    assert len(theirs) == len(ours) > 2 * len(COMMANDS)
    named = unnamed = 0
    for mine, frame in zip(ours, theirs, strict=True):
        assert by_field(frame, "cfh.command") == [
            (name_of_command(mine.command), str(mine.command))
        ]
        assert by_field(frame, "cfh.reasoncode")[0][1] == str(mine.reason)
        ids = by_field(frame, "parm.id") + by_field(frame, "parm.idNoVals")
        assert [number for _, number in ids] == [str(item.parameter) for item in mine.parameters]
        for (name, _), item in zip(ids, mine.parameters, strict=True):
            named, unnamed = named + (name != "Unknown"), unnamed + (name == "Unknown")
            assert name in ("Unknown", name_of_parameter(item.parameter, item.type))
        texts = [value.rstrip() for _, value in by_field(frame, "parm.string")]
        assert texts == [item.value for item in mine.parameters if isinstance(item.value, str)]
        integers = [item.value for item in mine.parameters if item.type in (3, 13)]
        assert [int(value) for _, value in by_field(frame, "parm.int")] == integers
    assert named > 20 * unnamed > 0


SYNONYMS = {
    "MQIACH_MSGS_RCVD", "MQIACH_BUFFERS_RECEIVED", "MQIACH_BYTES_RECEIVED",
    "MQCMD_CHANGE_PROT_POLICY",
}  # fmt: skip
"""Second names of a number; we show the other one."""


@pytest.mark.long
def test_tshark_calls_parameters_and_commands_what_we_call_them() -> None:
    tool("tshark")
    table = subprocess.run(["tshark", "-G", "values"], capture_output=True, text=True, check=True)
    ours: dict[str, Callable[[int], str]] = {
        "mqpcf.parm.id": name_of_parameter,
        "mqpcf.cfh.command": name_of_command,
    }
    compared = 0
    for kind, field, number, name in (
        line.split("\t") for line in table.stdout.splitlines() if line.count("\t") == 3
    ):
        if kind == "V" and field in ours and name not in SYNONYMS and "MQIAMO64_" not in name:
            compared += 1
            assert numbers()[name] == int(number, 0)
            assert ours[field](int(number, 0)) == name
    assert compared > 1400
