"""Try a plan on an emulated copy of the live definitions: forward, compare, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.definitions.desired import DesiredObject, Live, settable
from mqtriage.definitions.diff import Difference, changed_in_both, compare, object_text
from mqtriage.definitions.estate import Location
from mqtriage.definitions.live_definitions import read_live
from mqtriage.emulator.copy_manager import make_copy
from mqtriage.model.plan import Refusal
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, lines_of

_MANAGED: Final = "SYSTEM.MANAGED."
"""Queues of managed subscriptions, which the queue manager makes and names itself."""


def rehearse(difference: Difference, desired: Sequence[DesiredObject], live: Live) -> list[Refusal]:
    """Reasons why the plan would not do what it says; [] when it would."""
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
            _define_others(backend, live)
            return list(_rehearsed(backend, difference, desired, live))
        finally:
            backend.disconnect()


def _define_others(backend: EmulatedBackend, live: Live) -> None:
    """Give the copy the other objects and records too; those of the system it has already.

    What an emulated queue manager does not take is not there: the plan may then not be tried.
    """
    there = _read(backend, live)
    asked = [
        DesiredObject(kind, name, values, Location(), made_with=values)
        for kind in live.kinds_read
        for name, object_ in live.others[kind].items()
        for values in (settable(kind, object_.attributes, live.platform),)
    ]
    asked += [
        DesiredObject(kind, name, {}, Location(), defined=False, absent=True)
        for kind in live.kinds_read
        for name in there.others.get(kind, {})
        if name not in live.others[kind]
    ]
    for _ in _run(backend, compare(asked, there).forward):
        pass


def _rehearsed(
    backend: EmulatedBackend, difference: Difference, desired: Sequence[DesiredObject], live: Live
) -> Iterator[Refusal]:
    before = _read(backend, live)
    failed = list(_run(backend, difference.forward))
    yield from failed
    if failed:
        return
    for change in compare(desired, _read(backend, live)).changes:
        yield Refusal(f"the plan would not be complete: {change.title} would still be needed")
    yield from _run(backend, difference.back)
    yield from _not_back(before, _read(backend, live))


def _read(backend: EmulatedBackend, live: Live) -> Live:
    return read_live(backend, depths=False, kinds=live.kinds_read)


def _run(backend: EmulatedBackend, commands: Sequence[str]) -> Iterator[Refusal]:
    for text in commands:
        script = parse(text)
        for command in script.commands:
            reply = backend.run_mqsc(script, command)
            if reply.ending is not CommandEnding.DONE:
                answer = reply.why or next(lines_of(reply), "")
                first = " ".join(text.split("+\n")[0].split())
                yield Refusal(f"the queue manager would refuse {first}: {answer}")


def _not_back(before: Live, after: Live) -> Iterator[Refusal]:
    for item in changed_in_both(before, after):
        if item.name.startswith(_MANAGED):
            continue
        if item.how == "altered":
            text = object_text(item.kind, item.name)
            yield Refusal(f"the reverse script does not restore {text}")
        else:
            name = item.name if item.kind in QUEUE_KINDS else f"{item.kind} {item.name}"
            state = "there" if item.how == "defined" else "missing"
            yield Refusal(f"the reverse script leaves {name} {state}")
