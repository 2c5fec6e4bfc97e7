"""A real broker of Kafka on this machine, from the jars that Maven brings."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.ibm_java import fetched
from tests.support.tools import tool

BROKER = "org.apache.kafka:kafka_2.13:3.9.1"
_PATIENCE_SECONDS = 120.0
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={logs}
offsets.topic.replication.factor=1
"""
_PRODUCER = """\
import java.io.*;
import java.util.*;
import org.apache.kafka.clients.producer.*;

public class Produce {
  public static void main(String[] args) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", args[0]);
    String text = "org.apache.kafka.common.serialization.StringSerializer";
    settings.put("key.serializer", text);
    settings.put("value.serializer", text);
    try (Producer<String, String> producer = new KafkaProducer<>(settings);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line; (line = lines.readLine()) != null; ) {
        String value = line.replace('|', '\\n');
        System.out.println(producer.send(new ProducerRecord<>(args[1], value)).get().offset());
      }
    }
  }
}
"""


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextmanager
def kafka(folder: Path, topic: str) -> Iterator[tuple[str, Callable[[str], None]]]:
    """A broker with its files in *folder*; gives its address, and what sends a message to *topic*.

    Lines of a message are parted by ``|``. A message is there when the call returns.
    """
    java = tool("java")
    tool("mvn")
    classes = f"{fetched('kafka', BROKER)}/*"
    folder.mkdir()
    broker, controller = _free_ports(2)
    settings, producer = folder / "server.properties", folder / "Produce.java"
    logs = folder / "logs"
    settings.write_text(_SETTINGS.format(broker=broker, controller=controller, logs=logs))
    producer.write_text(_PRODUCER)
    words = [java, "-Xmx300m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes]
    cluster = urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
    asked = [*words, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
    subprocess.run(asked, check=True, capture_output=True)
    with (folder / "out").open("w") as out:
        running = subprocess.Popen([*words, "kafka.Kafka", str(settings)], stdout=out, stderr=out)
    try:
        _await(broker, running, folder / "out")
        address = f"127.0.0.1:{broker}"
        asked = [*words, str(producer), address, topic]
        with subprocess.Popen(
            asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, bufsize=1,
        ) as sending:  # fmt: skip
            stdin, stdout = sending.stdin, sending.stdout
            assert stdin is not None
            assert stdout is not None

            def send(message: str) -> None:
                stdin.write(message + "\n")
                assert stdout.readline().strip().isdecimal(), "Kafka did not take the message"

            yield address, send
    finally:
        running.terminate()
        try:
            running.wait(30)
        except subprocess.TimeoutExpired:
            running.kill()


def _await(port: int, running: subprocess.Popen[bytes], out: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"Kafka did not come up: {out.read_text()[-2000:]}")
