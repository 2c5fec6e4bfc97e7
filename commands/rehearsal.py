"""Try a plan on an emulated copy of the live definitions: forward, compare, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.live_definitions import read_live
from mqtriage.emulator.copying import make_copy
from mqtriage.emulator.mqsc_server import execute
from mqtriage.model.definition_diff import Difference, compare, object_text
from mqtriage.model.desired import Live, Wanted, settable
from mqtriage.mq.mqsc import parse
from mqtriage.mq.mqsc_format import define_text
from mqtriage.mq.mqsc_reply import Ending, lines_of


def rehearse(difference: Difference, wanted: Sequence[Wanted], live: Live) -> list[tuple[str, str]]:
    """Reasons why the plan would not do what it says, each with a hint; [] when it would.

    Raises:
        StorageError: The copy cannot be made.
    """
    level = live.queue_manager.get("CMDLEVEL")
    with TemporaryDirectory(prefix="mqtriage-") as folder:
        manager = make_copy(
            Path(folder),
            live.name,
            live.platform,
            level if isinstance(level, int) else 940,
            live.queue_manager,
            ((queue.kind, queue.name, queue.attributes) for queue in live.queues.values()),
        )
        manager.watch_changes()
        backend = EmulatedBackend(manager)
        try:
            _define_topics(backend, live)
            return list(_rehearsed(backend, difference, wanted, live))
        finally:
            backend.disconnect()


def _define_topics(backend: EmulatedBackend, live: Live) -> None:
    """Give the copy the topic objects too; those of the system it has already."""
    texts = [
        define_text(t.kind, t.name, settable(t.kind, t.attributes, live.platform), replace=True)
        for t in (live.topics or {}).values()
    ]
    for _ in _run(backend, texts):
        pass


def _rehearsed(
    backend: EmulatedBackend, difference: Difference, wanted: Sequence[Wanted], live: Live
) -> Iterator[tuple[str, str]]:
    failed = list(_run(backend, difference.forward))
    yield from failed
    if failed:
        return
    for left in compare(wanted, _read(backend, live)).changes:
        yield f"the plan would not settle: {left.title} would still be needed", ""
    yield from _run(backend, difference.back)
    yield from _not_back(live, _read(backend, live))


def _read(backend: EmulatedBackend, live: Live) -> Live:
    return read_live(backend, depths=False, topics=live.topics is not None)


def _run(backend: EmulatedBackend, commands: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in commands:
        script = parse(text)
        for command in script.commands:
            reply = execute(backend.connection, script, command)
            if reply.ending is not Ending.DONE:
                told = reply.why or next(lines_of(reply), "")
                first = " ".join(text.split("+\n")[0].split())
                yield f"the queue manager would refuse {first}: {told}", ""


def _not_back(before: Live, after: Live) -> Iterator[tuple[str, str]]:
    names = [("QLOCAL", name) for name in sorted({*before.queues, *after.queues})]
    names += [("TOPIC", name) for name in sorted({*(before.topics or ()), *(after.topics or ())})]
    for kind, name in names:
        one, other = before.objects(kind).get(name), after.objects(kind).get(name)
        if one is None or other is None:
            yield f"the way back leaves {name} {'there' if one is None else 'missing'}", ""
        elif settable(one.kind, one.attributes) != settable(other.kind, other.attributes):
            text = object_text(one.kind, name)
            yield f"the way back does not make {text} what it was", ""
