"""Many changes of definitions in one process: own ones are read one by one, others' all."""

from __future__ import annotations

import pytest
from benchmarks.measure import processor_seconds

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from tests.support.timing import shortest_s
from tests.unit.emulator.conftest import Lab, message


def names(backend: EmulatedBackend) -> list[str]:
    return [queue.name for queue in backend.queues() if not queue.name.startswith("SYSTEM.")]


@pytest.fixture
def watching(lab: Lab) -> EmulatedBackend:
    lab.mq.manager.watch_changes()
    lab.mq.define("QLOCAL", "FIRST", {})
    return lab.mq


def test_own_changes_are_seen_at_once(watching: EmulatedBackend) -> None:
    watching.define("QLOCAL", "A", {"MAXDEPTH": 1})
    watching.alter("QLOCAL", "A", {"MAXDEPTH": 2})
    assert watching.queue("A").attributes["MAXDEPTH"] == 2
    watching.delete("QLOCAL", "A")
    assert names(watching) == ["FIRST"]
    watching.define("QALIAS", "A", {"TARGET": "FIRST"})
    assert watching.queue("A").kind == "QALIAS"


def test_a_handle_on_an_alias_goes_by_its_queue_as_it_is_now(watching: EmulatedBackend) -> None:
    """The definition of the alias is not read again, for it has not changed."""
    watching.define("QALIAS", "A", {"TARGET": "FIRST"})
    handle = watching.open("A", cmqc.MQOO_OUTPUT)
    handle.put(message(), b"")
    watching.alter("QLOCAL", "FIRST", {"PUT": "DISABLED"})
    with pytest.raises(MQIError) as error:
        handle.put(message(), b"")
    assert error.value.reason == cmqc.MQRC_PUT_INHIBITED


def test_what_another_process_changes_is_seen_too(lab: Lab, watching: EmulatedBackend) -> None:
    other = EmulatedBackend(open_manager(lab.path))
    other.define("QLOCAL", "THEIRS", {})
    watching.define("QLOCAL", "OURS", {})
    assert names(watching) == ["FIRST", "OURS", "THEIRS"]
    other.delete("QLOCAL", "THEIRS")
    other.alter("QLOCAL", "OURS", {"DESCR": "seen"})
    assert names(watching) == ["FIRST", "OURS"]
    assert watching.queue("OURS").attributes["DESCR"] == "seen"
    other.disconnect()


def test_what_is_undone_is_not_seen(watching: EmulatedBackend) -> None:
    manager = watching.manager
    manager.begin(durable=True)
    manager.store.execute("UPDATE queue SET name = 'GONE' WHERE name = 'FIRST'")
    manager.store.execute("UPDATE state SET definitions = definitions + 1")
    manager.refresh()
    assert "GONE" in manager.queues
    manager.rollback()
    assert names(watching) == ["FIRST"]
    with pytest.raises(MQIError):
        watching.define("QLOCAL", "FIRST", {})
    watching.define("QLOCAL", "SECOND", {})
    assert names(watching) == ["FIRST", "SECOND"]


def test_the_dictionary_that_somebody_walks_through_stays_as_it_is(
    watching: EmulatedBackend,
) -> None:
    held = watching.manager.queues
    before = list(held)
    watching.define("QLOCAL", "A", {})
    assert list(held) == before
    assert "A" in watching.manager.queues


def test_the_cost_of_one_more_definition_hardly_grows(watching: EmulatedBackend) -> None:
    """Reading all definitions after each change took many times as long at 400 as at 10."""

    def alter() -> None:
        watching.alter("QLOCAL", "FIRST", {"DESCR": "x"})

    few_s = min(processor_seconds(alter) for _ in range(10))
    for number in range(400):
        watching.define("QLOCAL", f"Q{number}", {})
    most_s = 5 * few_s + 0.001
    assert shortest_s(alter, most_s) < most_s
