"""A snapshot through each end of the port: messages, queues and definitions are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.backends.port import Backend, Capability
from mqtriage.commands.snapshot.take import TakeRequest, take
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import rows
from tests.contract.conftest import End


@pytest.mark.slow
def test_a_snapshot_has_the_messages_the_queue_and_its_definition(
    end: End, backend: Backend, tmp_path: Path
) -> None:
    name = end.local(MAXDEPTH=77, BOTHRESH=3)
    handle = backend.open(name, cmqc.MQOO_OUTPUT)
    ids = [handle.put(MQMD(format="MQSTR"), text).msg_id for text in (b"one", b"three")]
    handle.close()
    request = TakeRequest(folder=tmp_path / "s", form="ndjson", patterns=(name,))
    document = take(backend, request, 1)
    assert document.data["problems"] == 0
    assert document.data["message_count"] == 2
    problems = Problems()
    read = {
        table: [row for _, row in rows(request.folder, table, problems)]
        for table in ("messages", "queues", "queue_managers", "definitions")
    }
    assert len(problems) == 0, problems.summary()
    assert [row["msg_id"] for row in read["messages"]] == [msg_id.hex().upper() for msg_id in ids]
    assert [row["length_bytes"] for row in read["messages"]] == [3, 5]
    queue = next(row for row in read["queues"] if row["queue"] == name)
    assert (queue["curdepth"], queue["maxdepth"], queue["bothresh"]) == (2, 77, 3)
    assert (queue["browsed"], queue["message_count"], queue["largest_bytes"]) == (True, 2, 5)
    assert name in {row["name"] for row in read["definitions"]}
    (manager,) = read["queue_managers"]
    assert manager["command_level"] >= 800
    known = Capability.DUE_TIME_KNOWN in backend.capabilities
    assert known or queue["expired"] is None
