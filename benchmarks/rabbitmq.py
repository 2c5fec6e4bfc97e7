"""Put, get and move persistent messages of 1 KiB in units of work of 100, against RabbitMQ.

Run: python -m benchmarks.rabbitmq [MESSAGES]

RabbitMQ is the one that `rabbitmq-server` starts here, with a node, folder and ports of its own; a
classic queue, and transactions of its channel, by its own client (pip install pika). The emulator
is in process. Where either is not there, that is said and nothing is measured.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.emulator_rates import _MD, BODY, UNIT, queue_of
from benchmarks.measure import Figure, Rounds, seconds
from mqtriage.mq import cmqc

MESSAGES: Final = 30_000
ROUNDS: Final = 3
STARTS_S: Final = 60
SERVER: Final = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Where Debian has it; `rabbitmq-server` of the PATH insists on a user of its own."""
GOALS: Final = {"put": 2.0, "get": 1.3, "move": 1.8}


def missing() -> str:
    """What has to be installed, "" where all is there."""
    if not SERVER.is_file() or shutil.which("epmd") is None:
        return "RabbitMQ (apt-get install rabbitmq-server)"
    try:
        import pika  # noqa: F401
    except ImportError:
        return "its client (pip install pika)"
    return ""


@contextmanager
def broker() -> Iterator[int]:
    """A node of RabbitMQ that this process has started; its port."""
    ports = [_free_port() for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        plugins = Path(folder, "plugins")
        plugins.write_text("[].\n")
        environment = {
            **os.environ,
            "HOME": folder,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(ports[0]),
            "RABBITMQ_NODENAME": "mqtriage@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(ports[1]),
            "RABBITMQ_DIST_PORT": str(ports[2]),
            "RABBITMQ_MNESIA_BASE": folder,
            "RABBITMQ_LOG_BASE": folder,
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
        }
        begun = [
            subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            for command in (["epmd"], [str(SERVER)])
        ]
        try:
            _wait_for(ports[1])
            yield ports[1]
        finally:
            for process in reversed(begun):
                process.terminate()
                process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + STARTS_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def their_seconds(port: int, messages: int) -> dict[str, float]:
    """Put all of them, move all of them, get all of them."""
    import pika  # no dependency of ours

    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    channel = connection.channel()
    for queue in ("Q1", "Q2"):
        channel.queue_declare(queue, durable=True)
    channel.basic_qos(prefetch_count=2 * UNIT)
    channel.tx_select()
    lasting = pika.BasicProperties(delivery_mode=2)

    def put() -> None:
        for number in range(1, messages + 1):
            channel.basic_publish("", "Q1", BODY, lasting)
            if number % UNIT == 0:
                channel.tx_commit()

    def take(queue: str, then: Callable[[bytes], Any]) -> None:
        for number, (method, _, body) in enumerate(channel.consume(queue), 1):
            then(body)
            if number % UNIT == 0:
                channel.basic_ack(method.delivery_tag, multiple=True)
                channel.tx_commit()
            if number == messages:
                break
        channel.cancel()

    took = {
        "put": seconds(put),
        "move": seconds(
            lambda: take("Q1", lambda body: channel.basic_publish("", "Q2", body, lasting))
        ),
        "get": seconds(lambda: take("Q2", len)),
    }
    connection.close()
    return took


def our_seconds(messages: int) -> dict[str, float]:
    """The same in the emulator, on a fresh file."""
    with tempfile.TemporaryDirectory() as folder:
        mq, source = queue_of(Path(folder))
        mq.define("QLOCAL", "Q2", {"MAXDEPTH": 999_999_999})
        target = mq.open("Q2", cmqc.MQOO_OUTPUT)

        def each(act: Callable[[], Any]) -> None:
            for number in range(1, messages + 1):
                act()
                if number % UNIT == 0:
                    mq.commit()

        def move() -> None:
            message = source.get(cmqc.MQGMO_SYNCPOINT)
            target.put(message.md, message.body, cmqc.MQPMO_SYNCPOINT)

        took = {"put": seconds(lambda: each(lambda: source.put(_MD, BODY, cmqc.MQPMO_SYNCPOINT)))}
        took["move"] = seconds(lambda: each(move))
        each(lambda: source.put(_MD, BODY, cmqc.MQPMO_SYNCPOINT))
        took["get"] = seconds(lambda: each(lambda: source.get(cmqc.MQGMO_SYNCPOINT)))
        mq.disconnect()
    return took


def figures(messages: int = MESSAGES) -> Iterator[Figure]:
    """A line for each act, from rounds in turn."""
    with broker() as port:
        rounds = [(our_seconds(messages), their_seconds(port, messages)) for _ in range(ROUNDS)]
    for act, goal in GOALS.items():
        took = Rounds([ours[act] for ours, _ in rounds], [theirs[act] for _, theirs in rounds])
        yield Figure(
            f"{act} in units of 100, persistent 1 KiB / RabbitMQ",
            took.inverse,
            goal,
            True,
            f"{took.text(lambda s: f'{messages / s:,.0f}')} messages/s",
        )


def main() -> int:
    """Print the figures; 1 when one does not hold."""
    if lacking := missing():
        print(f"not measured against RabbitMQ: install {lacking}")
        return 0
    shown = list(figures(int(sys.argv[1]) if len(sys.argv) > 1 else MESSAGES))
    print("\n".join(figure.line() for figure in shown))
    return 0 if all(figure.holds for figure in shown) else 1


if __name__ == "__main__":
    sys.exit(main())
