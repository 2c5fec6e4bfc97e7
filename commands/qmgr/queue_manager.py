"""`mqtriage qmgr show` and `ping`: the queue manager's attributes, and whether it answers."""

from __future__ import annotations

import time
from typing import Any, Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.queue.queues import in_display_order, settable
from mqtriage.model.result import Document
from mqtriage.mq.errors import MQTriageError, mqi_error
from mqtriage.mq.mqsc.format import alter_text
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import Ending
from mqtriage.mq.times import rfc3339

_PING: Final = {"dist": "PING QMGR", "zos": "DISPLAY QMGR QMNAME"}
"""What the command server is asked; z/OS has no PING QMGR."""


def ping(backend: Backend, began_ns: int, wait_ms: int) -> Document:
    """Ask the command server for a sign of life.

    Args:
        began_ns: `time.monotonic_ns` before the connection was made.
        wait_ms: how long the command server may take.

    Raises:
        NotAuthorized: 2035, for the queues of the command server or for the command.
        MQIError: What the queue manager says; 2322 where its command server does not answer.
    """
    asked_ns = time.monotonic_ns()
    doing = f"ping {backend.queue_manager}"
    script = parse(_PING[backend.platform])
    (command,) = script.commands
    reply = backend.run_mqsc(script, command, wait_ms)
    if reply.ending is not Ending.DONE:
        if reply.reason:
            raise mqi_error(reply.reason, doing, object_name=backend.queue_manager)
        raise MQTriageError(f"{doing}: {reply.lines[0].text if reply.lines else reply.ending}")
    now_ns = time.monotonic_ns()
    data: dict[str, Any] = {
        "queue_manager": backend.queue_manager,
        "backend": backend.kind,
        "connect_ms": (asked_ns - began_ns) // 1_000_000,
        "ping_ms": (now_ns - asked_ns) // 1_000_000,
        "ping_us": (now_ns - asked_ns) // 1_000,
    }
    pairs = (
        ("queue manager", backend.queue_manager),
        ("backend", str(backend.kind)),
        ("connected in", f"{data['connect_ms']} ms"),
        ("answered in", f"{data['ping_us'] / 1000:.1f} ms"),
    )
    return Document("QueueManagerPing", data, sections=(("", pairs),))


def show(backend: Backend) -> Document:
    """Every attribute, in the order of DISPLAY QMGR; `-o mqsc` writes those that can be set."""
    given = backend.queue_manager_attributes()
    name = backend.queue_manager
    definition = ObjectDefinition(name, "QMGR", given)
    values = in_display_order(definition)
    data: dict[str, Any] = {
        "queue_manager": name,
        "backend": backend.kind,
        "time": rfc3339(backend.now_us()),
        "attributes": values,
    }
    head = tuple((key.replace("_", " "), str(value)) for key, value in data.items())[:3]
    pairs = tuple((key, "' '" if value == "" else str(value)) for key, value in values.items())
    return Document(
        "QueueManager",
        data,
        sections=(("", head), (f"QMGR({name})", pairs)),
        mqsc=alter_text("QMGR", "", settable(backend, definition)),
    )
