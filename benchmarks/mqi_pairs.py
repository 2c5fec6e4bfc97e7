"""Put+get pairs of 1 KiB nonpersistent messages through pymqi or ibmmq and our C library.

Run: python -m benchmarks.mqi_pairs [SECONDS [pymqi]]

Three rates side by side, each from clients in processes of their own: one client against
`mqtriage emulator serve`, one client against a server that only sends frames back, and 16 clients
together. The echo server is the ceiling that the library, the package and a socket set.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

from benchmarks.measure import Figure, Rounds
from mqtriage.emulator.core.create import create
from mqtriage.emulator.mqi.frames import MqiCall, packed, receive
from mqtriage.emulator.mqi.library import sdk
from mqtriage.emulator.mqi.server import Server

CLIENTS: Final = 16
BODY_BYTES: Final = 1024

_CLIENT: Final = """
import importlib, json, sys, time
mq = importlib.import_module(sys.argv[4])
c = mq.CMQC
qm = mq.connect('QM1')
q = mq.Queue(qm, sys.argv[1], c.MQOO_OUTPUT | c.MQOO_INPUT_SHARED)
put = mq.PMO(Options=c.MQPMO_NO_SYNCPOINT)
got = mq.GMO(Options=c.MQGMO_NO_SYNCPOINT)
body = b'x' * int(sys.argv[3])
sys.stdin.readline()
pairs, end = 0, time.perf_counter() + float(sys.argv[2])
while time.perf_counter() < end:
    q.put(body, mq.MD(), put)
    assert q.get(len(body), mq.MD(), got) == body
    pairs += 1
print(json.dumps(pairs))
qm.disconnect()
"""


class Echo(Server):
    """A server that does nothing but send frames of the right form back."""

    def _client(self, client: object) -> None:
        import socket

        assert isinstance(client, socket.socket)
        body = b"x" * BODY_BYTES
        while (request := receive(client)) is not None:
            blobs, numbers = request.blobs, (0, 0)
            if request.verb == MqiCall.CONN:
                blobs = (bytes(24), b"QM1")
            elif request.verb == MqiCall.OPEN:
                blobs, numbers = (blobs[0], b""), (0, 0, 2)
            elif request.verb == MqiCall.PUT:
                blobs = blobs[:2]
            elif request.verb == MqiCall.GET:
                blobs, numbers = (*blobs, body), (0, 0, BODY_BYTES)
            client.sendall(packed(request.verb, numbers, blobs))
        client.close()


def serve(kind: type[Server], path: Path) -> int:
    """Start a server in a process of its own; its number."""
    ready, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        server = kind(path)
        signal.signal(signal.SIGTERM, lambda *_: server.stop())
        os.write(said, b"x")
        server.serve()
        os._exit(0)
    os.close(said)
    os.read(ready, 1)
    os.close(ready)
    return pid


def pairs_per_s(
    folder: Path, home: Path, clients: int, seconds: float, package: str = "ibmmq"
) -> list[float]:
    """Pairs a second of each of so many clients at once, each on a queue of its own."""
    environment = dict(os.environ) | sdk.environment(folder, "QM1", home)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _CLIENT, f"Q{number}", str(seconds), str(BODY_BYTES), package],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for number in range(clients)
    ]  # fmt: skip
    time.sleep(0.2 + 0.2 * clients)  # until all are connected
    found: list[float] = []

    def collect(client: subprocess.Popen[str]) -> None:
        out, _ = client.communicate("go\n", timeout=seconds * 10 + 60)
        found.append(json.loads(out) / seconds)

    threads = [threading.Thread(target=collect, args=(client,)) for client in running]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def figures(seconds: float = 2.0, package: str = "ibmmq", rounds: int = 3) -> list[Figure]:
    """One client against the echo server, 16 against one, the slowest against the fastest."""
    measured = [_round(seconds, package) for _ in range(rounds)]
    echo, one, many = ([sum(clients) for clients in kind] for kind in zip(*measured, strict=True))
    together = [clients for _, _, clients in measured]
    alone, crowd = Rounds(one, echo), Rounds(many, one)
    return [
        Figure(
            f"nonpersistent pairs through the C library and {package} / a server that echoes",
            alone.ratios, 0.75, True, f"{alone.text(_rate)} pairs/s",
        ),
        Figure(
            f"the same of {CLIENTS} clients / of one",
            crowd.ratios, 2.0, True, f"{crowd.text(_rate)} pairs/s",
        ),
        Figure(
            f"the slowest of {CLIENTS} clients / the fastest",
            [min(rates) / max(rates) for rates in together], 0.33, True,
        ),
    ]  # fmt: skip


def _rate(value: float) -> str:
    return f"{value:,.0f}"


def _round(seconds: float, package: str) -> list[list[float]]:
    """Pairs a second of each client: of the echo server, of the emulator, of many clients."""
    from mqtriage.backends.emulated import EmulatedBackend
    from mqtriage.emulator.open import open_manager

    rates: list[list[float]] = []
    with tempfile.TemporaryDirectory() as made:
        home, folder = Path(made), Path(made) / "sdk"
        sdk.lay_out(folder)
        path = create(home, "QM1")
        backend = EmulatedBackend(open_manager(path))
        for number in range(CLIENTS):
            backend.define("QLOCAL", f"Q{number}", {})
        backend.disconnect()
        for kind, clients in ((Echo, 1), (Server, 1), (Server, CLIENTS)):
            pid = serve(kind, path)
            try:
                rates.append(pairs_per_s(folder, home, clients, seconds, package))
            finally:
                os.kill(pid, signal.SIGTERM)
                os.waitpid(pid, 0)
    return rates


def main(seconds: float = 2.0, package: str = "ibmmq") -> int:
    """Measure and print; 1 where a promise is not kept."""
    shown = figures(seconds, package)
    print("\n".join(figure.line() for figure in shown))
    return 0 if all(figure.holds for figure in shown) else 1


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *sys.argv[2:3]))
