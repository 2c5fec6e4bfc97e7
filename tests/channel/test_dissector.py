"""An independent reader of the protocol, tshark, finds nothing malformed in what we send."""

from __future__ import annotations

import socket
import struct
import subprocess
from pathlib import Path

from mqtriage.emulator.channel.segments import Type
from tests.support.channel_client import INPUT, ChannelClient, wanted
from tests.support.channel_server import ChannelServer
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
        client.call(Type.MQGET, **wanted(handle, False, 0) | {"data_length": 10})
        client.call(
            Type.MQINQ, handle=handle, selector_count=2, integer_count=1, character_length=48,
            selectors=(20, 2016),
        )  # fmt: skip
        for kind in (Type.XA_START, Type.XA_END, Type.XA_ROLLBACK):
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
