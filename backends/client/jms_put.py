"""A send with a delivery delay on a real queue manager, which the MQI has not: by IBM's JMS client.

`DelayedPut.java` beside this file is run from its source; IBM's jars are the user's. What it is to
send, the password among it, goes through its standard input.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mqtriage.backends.client.connection import ccdt_url
from mqtriage.model.client_settings import DEFAULT_PORT, ClientSettings
from mqtriage.mq.errors import (
    MQTriageError,
    NoClient,
    Refused,
    Unreachable,
    UsageError,
    mqi_error,
)
from mqtriage.records import NamedTuple

SOURCE: Final = Path(__file__).with_name("DelayedPut.java")
KEY: Final = "jms_classpath"
_START_S: Final = 60.0
_EACH_S: Final = 0.1
_OPTIONS: Final = (
    "-XX:TieredStopAtLevel=1",
    "-Dcom.ibm.msg.client.commonservices.log.status=OFF",
)
_ID: Final = re.compile(r"ID:([0-9a-f]{48})")
_MQSERVER: Final = re.compile(r"([^/]+)/TCP/(.+)", re.IGNORECASE)
_NEEDS: Final = (
    f"{KEY} needs com.ibm.mq.allclient, javax.jms-api and org.json; Java 11 or later runs it"
)


class JmsPut(NamedTuple):
    """What is to be sent.

    Attributes:
        bodies: of a message each; text for a text message, bytes for a bytes message.
        number: how many times each is sent.
        lifetime_ms: 0 for no end.
        correl_id: 24 bytes; None for none.
        properties: name and value of each; an int is set as one.
    """

    queue: str
    bodies: tuple[str | bytes, ...]
    delay_ms: int
    number: int = 1
    lifetime_ms: int = 0
    priority: int = 4
    persistent: bool = True
    correl_id: bytes | None = None
    reply_to: str = ""
    properties: tuple[tuple[str, str | int], ...] = ()


class Sent(NamedTuple):
    """What became of it: MsgIds of those that were committed, and what ended it early."""

    msg_ids: tuple[bytes, ...]
    failure: MQTriageError | None = None


def send(
    settings: ClientSettings,
    queue_manager: str,
    classpath: str,
    put: JmsPut,
    environ: Mapping[str, str] = os.environ,
) -> Sent:
    """Send through IBM's JMS client, 100 messages a unit of work; with several bodies in one.

    Args:
        classpath: IBM's jars, as ``java -cp`` takes them.

    Raises:
        UsageError: It is not known where the queue manager listens.
        NoClient: There is no java, or it cannot run the program with these jars.
    """
    lines = "".join(request_lines(settings, queue_manager, put, environ))
    java = java_program(environ)
    jars = os.pathsep.join(os.path.abspath(part) for part in classpath.split(os.pathsep) if part)
    seconds = _START_S + put.number * len(put.bodies) * _EACH_S
    with TemporaryDirectory(prefix="mqtriage-jms-") as folder:  # IBM's client leaves logs
        try:
            ended = subprocess.run(
                [java, *_OPTIONS, "-cp", jars, str(SOURCE)],
                input=lines,
                capture_output=True,
                cwd=folder,
                encoding="utf-8",
                errors="replace",
                env={name: text for name, text in environ.items() if name != "MQTRIAGE_PASSWORD"},
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            output = error.stdout or b""
            text = output.decode(errors="replace") if isinstance(output, bytes) else output
            return Sent(
                _ids(text),
                Unreachable(
                    f"delayed send to {put.queue}: java did not end within {seconds:.0f} s",
                    hint="check whether the messages are on the queue",
                ),
            )
        except OSError as error:
            raise NoClient(f"{java}: {error.strerror}", hint=_NEEDS) from error
    if ended.returncode == 0:
        return Sent(_ids(ended.stdout))
    return Sent(_ids(ended.stdout), _failure(put.queue, ended.returncode, ended.stderr))


def java_program(environ: Mapping[str, str]) -> str:
    """The java to run: that of JAVA_HOME, else the first of PATH."""
    home = environ.get("JAVA_HOME")
    path = os.path.join(home, "bin") if home else environ.get("PATH")
    java = shutil.which("java", path=path)
    if java is None:
        where = "JAVA_HOME has no bin/java" if home else "no java in PATH"
        raise NoClient(f"a delayed send on a real queue manager: {where}", hint=_NEEDS)
    return java


def request_lines(
    settings: ClientSettings, queue_manager: str, put: JmsPut, environ: Mapping[str, str]
) -> Iterator[str]:
    """What the program reads: a name and a value in base64 a line."""
    texts = {
        "qmgr": queue_manager,
        "application": settings.application,
        **_place(settings, environ),
        "cipher": settings.cipher,
        "peer": settings.peer_name,
        "user": settings.user,
        "password": settings.password,
        "queue": put.queue,
        "delay_ms": str(put.delay_ms),
        "lifetime_ms": str(put.lifetime_ms),
        "count": str(put.number),
        "priority": str(put.priority),
        "persistent": str(int(put.persistent)),
        "reply_to": put.reply_to,
    }
    values = {name: text.encode() for name, text in texts.items()}
    if put.correl_id is not None:
        values["correlid"] = put.correl_id
    for name, value in values.items():
        yield f"{name} {b64encode(value).decode()}\n"
    for body in put.bodies:
        kind, data = ("text", body.encode()) if isinstance(body, str) else ("bytes", body)
        yield f"{kind} {b64encode(data).decode()}\n"
    for name, item in put.properties:
        kind = "int" if isinstance(item, int) else "string"
        words = (b64encode(text.encode()).decode() for text in (name, str(item)))
        yield f"{kind} {' '.join(words)}\n"


def _place(settings: ClientSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """Connection list and channel, or a CCDT: JMS reads neither mqclient.ini nor MQSERVER."""
    if settings.ccdt:
        return {"ccdt": ccdt_url(settings.ccdt)}
    connection, channel = settings.connection, settings.channel
    server = _MQSERVER.fullmatch(environ.get("MQSERVER", ""))
    if not connection and server is not None:
        channel, connection = server.groups()
    if not connection or settings.transport == "bindings":
        raise UsageError(
            "a delayed send on a real queue manager uses TCP, but no address is set",
            hint="--connection HOST(1414) --channel NAME, or --set ccdt=FILE",
        )
    hosts = (host.strip() for host in connection.split(","))
    listed = ",".join(host if "(" in host else f"{host}({DEFAULT_PORT})" for host in hosts)
    return {"connection": listed, "channel": channel}


def _ids(output: str) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(match[1]) for match in map(_ID.fullmatch, output.split()) if match)


def _failure(queue: str, code: int, errors: str) -> MQTriageError:
    """What the program's last words mean."""
    doing = f"delayed send to {queue}"
    lines = errors.strip().splitlines() or [""]
    words = lines[-1].split("\t", 2)
    if len(words) == 3 and words[0] == "failed" and words[1].isdigit():
        reason = int(words[1])
        if reason:
            return mqi_error(reason, doing, detail=words[2], object_name=queue)
        return Refused(f"{doing}: {words[2]}")
    return NoClient(f"{doing}: java ended with {code}: {lines[0][:200]}", hint=_NEEDS)
