"""Whatever happens between snapshots, whole or not, each can be told again from the files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.snapshot.take import TakeRequest, take
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import Index, definitions_at, messages_at, rows
from tests.support.scale import amount

QUEUES = ("A", "B")
START_US = 1_767_571_200_000_000
MINUTE_US = 60_000_000
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["put", "get", "rollback", "expiring", "delayed", "advance", "alter"]),
        st.sampled_from(QUEUES),
    ),
    max_size=6,
)
STEPS = st.lists(st.tuples(ACTS, st.booleans()), min_size=1, max_size=6)
"""What happens, and whether the snapshot after it is incremental."""

Seen = set[tuple[str, bytes, int]]


class World:
    """A queue manager and its folder of snapshots."""

    def __init__(self, folder: Path) -> None:
        self.manager = open_manager(create(folder / "home", "QM1", frozen=True, at_us=START_US))
        self.manager.store.lasting = False
        self.backend = EmulatedBackend(self.manager)
        self.snapshots = folder / "snapshots"
        self.count = 0
        for name in QUEUES:
            self.backend.define("QLOCAL", name, {})

    def act(self, verb: str, queue: str) -> None:
        self.count += 1
        handle = self.backend.open(queue, cmqc.MQOO_OUTPUT | cmqc.MQOO_INPUT_SHARED)
        md = MQMD(format="MQSTR")
        match verb:
            case "put":
                handle.put(md, b"x" * self.count)
            case "expiring":
                handle.put(md._replace(expiry_tenths=900), b"y")
            case "delayed":
                self.backend.put_delayed(queue, md, b"z", 90_000)
            case "advance":
                lifecycle.advance(self.manager, MINUTE_US)
            case "alter":
                self.backend.alter("QLOCAL", queue, {"MAXDEPTH": 100 + self.count})
            case _:
                try:
                    handle.get(cmqc.MQGMO_SYNCPOINT)
                except NoMessageAvailable:
                    pass
                else:
                    if verb == "get":
                        self.backend.commit()
                    else:
                        self.backend.backout()
        handle.close()

    def take(self, *, incremental: bool) -> str:
        request = TakeRequest(folder=self.snapshots, form="ndjson", incremental=incremental)
        self.count += 1
        return str(take(self.backend, request, self.count).data["snapshot_id"])

    def there(self) -> Seen:
        """What is on the queues now."""
        seen: Seen = set()
        for name in (*QUEUES, "SYSTEM.DDELAY.LOCAL.QUEUE"):
            handle = self.backend.open(name, cmqc.MQOO_BROWSE)
            seen |= {
                (name, message.md.msg_id, message.md.backout_count) for message in handle.browse()
            }
            handle.close()
        return seen

    def depths(self) -> dict[str, object]:
        return {name: self.backend.queue(name).attributes["MAXDEPTH"] for name in QUEUES}


@settings(max_examples=amount(12))
@given(steps=STEPS)
@pytest.mark.slow
def test_every_snapshot_is_told_again_as_it_was(
    steps: list[tuple[list[tuple[str, str]], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        world = World(Path(name))
        taken: dict[str, tuple[Seen, dict[str, object]]] = {}
        for acts, incremental in steps:
            for verb, queue in acts:
                world.act(verb, queue)
            taken[world.take(incremental=incremental)] = (world.there(), world.depths())
        problems = Problems()
        index = Index(world.snapshots, problems)
        for snapshot_id, (there, depths) in taken.items():
            chain = index.chain_to(snapshot_id, problems)
            restored = {
                (row["queue"], bytes.fromhex(row["msg_id"]), row["backout_count"])
                for row in messages_at(world.snapshots, chain, problems)
            }
            assert restored == there
            defined = definitions_at(world.snapshots, chain, problems)
            for queue, depth in depths.items():
                assert f'"MAXDEPTH":{depth},' in defined["QLOCAL", queue]["attributes"]
        _gone_once(world, set().union(*(there for there, _ in taken.values())), problems)
        assert len(problems) == 0, problems.summary()
        world.backend.disconnect()


def _gone_once(world: World, ever: Seen, problems: Problems) -> None:
    """A message that was seen and is no longer there has one row that says gone, after the rest."""
    by_key: dict[str, list[str]] = {}
    for _, row in rows(world.snapshots, "messages", problems):
        by_key.setdefault(row["message_key"], []).append(row["seen"])
    remaining = {(queue, msg_id) for queue, msg_id, _ in world.there()}
    assert len(by_key) == len({(queue, msg_id) for queue, msg_id, _ in ever})
    assert sum(seen[-1] == "gone" for seen in by_key.values()) == len(by_key) - len(remaining)
    assert all("gone" not in seen[:-1] for seen in by_key.values())
