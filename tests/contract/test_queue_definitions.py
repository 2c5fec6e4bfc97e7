"""Definitions and status through each end of the port: the same words, the same refusals."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import pytest

from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.port import AttributeValue, Backend
from mqtriage.commands.check.queues import (
    BACKOUT_THRESHOLDS,
    QUEUE_THRESHOLDS,
    check_backout,
    check_queues,
)
from mqtriage.commands.queue import queues as queue_numbers
from mqtriage.model.check_result import Status
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NotAuthorized, ObjectNotFound
from mqtriage.mq.names import COMMAND_QUEUE
from tests.contract.conftest import CLIENTS, TEXT, End, Served

GIVEN: dict[str, dict[str, AttributeValue]] = {
    "QLOCAL": {
        "DESCR": "it's ours, 100% (sure)", "MAXDEPTH": 7, "MAXMSGL": 1000, "BOTHRESH": 3,
        "BOQNAME": "SOME.BO", "PUT": "DISABLED", "SHARE": "NO", "HARDENBO": "YES",
        "CAPEXPRY": 600, "DEFPSIST": "YES", "MSGDLVSQ": "FIFO", "USAGE": "XMITQ", "MONQ": "HIGH",
    },
    "QALIAS": {"DESCR": "", "TARGET": "SOME.BASE", "GET": "DISABLED", "DEFPRTY": 4},
    "QREMOTE": {"RNAME": "THERE", "RQMNAME": "QM9", "XMITQ": "", "DESCR": "far away"},
    "QMODEL": {"DEFTYPE": "PERMDYN", "MAXDEPTH": 9, "BOTHRESH": 2},
}  # fmt: skip


@pytest.fixture
def name(backend: Backend) -> Iterator[str]:
    prefix = f"MQTRIAGE.TEST.{secrets.token_hex(6).upper()}"
    yield prefix
    for queue in list(backend.queues(prefix + "*")):
        backend.delete(queue.kind, queue.name, purge=queue.kind == "QLOCAL")


def reason_of(call: Callable[[], object]) -> int:
    with pytest.raises(MQIError) as caught:
        call()
    return caught.value.reason


@pytest.mark.parametrize("kind", GIVEN)
def test_what_is_defined_is_told(backend: Backend, name: str, kind: str) -> None:
    backend.define(kind, name, GIVEN[kind])
    queue = backend.queue(name)
    assert (queue.name, queue.kind) == (name, kind)
    assert {key: queue.attributes[key] for key in GIVEN[kind]} == GIVEN[kind]


@pytest.mark.parametrize("kind", GIVEN)
def test_the_ends_tell_the_same_attributes(end: End, backend: Backend, kind: str) -> None:
    """Every attribute that one end tells the others tell, with the same value."""
    name = end.define(kind, **GIVEN[kind])
    if isinstance(end, Served):
        assert backend.queue(name).attributes == end.beside().queue(name).attributes


def test_the_queue_manager_tells_of_itself(end: End, backend: Backend) -> None:
    attributes = backend.queue_manager_attributes()
    assert attributes["QMNAME"] == backend.inquired_name() == end.queue_manager
    assert {"PLATFORM", "CMDLEVEL", "DEADQ", "MAXMSGL", "CCSID"} <= attributes.keys()
    if isinstance(end, Served):
        assert attributes == end.beside().queue_manager_attributes()


def test_a_generic_name_finds_in_order(backend: Backend, name: str) -> None:
    for tail in (".B", ".A", ".C"):
        backend.define("QLOCAL", name + tail, {})
    backend.define("QALIAS", name + ".AL", {"TARGET": name + ".A"})
    listed = [(queue.name, queue.kind) for queue in backend.queues(name + ".*")]
    kinds = [(".A", "QLOCAL"), (".AL", "QALIAS"), (".B", "QLOCAL"), (".C", "QLOCAL")]
    assert listed == [(name + tail, kind) for tail, kind in kinds]
    assert [queue.name for queue in backend.queues(name + ".B")] == [name + ".B"]
    assert list(backend.queues(name + ".NONE*")) == []
    assert list(backend.queues(name + ".NONE")) == []


def test_the_queue_for_replies_is_not_told(backend: Backend) -> None:
    assert [queue.name for queue in backend.queues() if queue.name.startswith("MQTRIAGE.5")] == []


def test_an_attribute_is_changed_and_no_other(backend: Backend, name: str) -> None:
    backend.define("QLOCAL", name, {"MAXDEPTH": 7, "BOTHRESH": 3})
    before = dict(backend.queue(name).attributes)
    backend.alter("QLOCAL", name, {"MAXDEPTH": 8, "BOQNAME": "SOME.BO", "SHARE": "NO"})
    after = dict(backend.queue(name).attributes)
    changed = {key for key in after if after[key] != before.get(key)} - {"ALTDATE", "ALTTIME"}
    assert changed == {"MAXDEPTH", "BOQNAME", "SHARE"}


def test_a_value_is_made_blank(backend: Backend, name: str) -> None:
    backend.define("QLOCAL", name, {"BOQNAME": "SOME.BO", "DESCR": "text"})
    backend.alter("QLOCAL", name, {"BOQNAME": "", "DESCR": ""})
    attributes = backend.queue(name).attributes
    assert (attributes["BOQNAME"], attributes["DESCR"]) == ("", "")


def test_status_tells_depth_and_handles(end: End, backend: Backend) -> None:
    queue = end.local(MONQ="HIGH")
    assert backend.status(queue).curdepth == 0
    handle = end.connect().open(queue, cmqc.MQOO_INPUT_SHARED)
    backend.put1(queue, TEXT, b"x")
    backend.put1(queue, TEXT, b"x", cmqc.MQPMO_SYNCPOINT)
    status = backend.status(queue)
    assert (status.curdepth, status.ipprocs, status.opprocs) == (2, 1, 0)
    assert status.uncommitted > 0
    assert status.oldest_put_time_us is not None
    assert abs(status.oldest_put_time_us - backend.now_us()) < 10_000_000
    assert status.last_put_time_us is not None
    assert abs(status.last_put_time_us - backend.now_us()) < 10_000_000
    assert status.last_get_time_us is None
    backend.backout()
    handle.close()


def test_what_is_there_is_not_defined_again(end: End, backend: Backend) -> None:
    queue = end.local(MAXDEPTH=7)
    again = reason_of(lambda: backend.define("QLOCAL", queue, {"MAXDEPTH": 9}))
    assert again == cmqc.MQRC_OBJECT_ALREADY_EXISTS
    assert backend.queue(queue).attributes["MAXDEPTH"] == 7


def test_what_is_not_there_is_not_found(backend: Backend, name: str) -> None:
    for call in (
        lambda: backend.queue(name),
        lambda: backend.status(name),
        lambda: backend.alter("QLOCAL", name, {"MAXDEPTH": 1}),
        lambda: backend.delete("QLOCAL", name),
    ):
        with pytest.raises(ObjectNotFound) as caught:
            call()
        assert caught.value.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME


def test_messages_keep_a_queue_from_being_deleted(end: End, backend: Backend) -> None:
    queue = end.local()
    backend.put1(queue, TEXT, b"x")
    assert reason_of(lambda: backend.delete("QLOCAL", queue)) == cmqc.MQRC_Q_NOT_EMPTY
    backend.delete("QLOCAL", queue, purge=True)
    assert list(backend.queues(queue)) == []


def test_an_open_queue_is_not_deleted(end: End, backend: Backend) -> None:
    queue = end.local()
    handle = end.connect().open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    assert reason_of(lambda: backend.delete("QLOCAL", queue)) == cmqc.MQRC_OBJECT_IN_USE
    handle.close()


def test_status_is_of_local_queues(end: End, backend: Backend) -> None:
    alias = end.define("QALIAS", TARGET="SOME.BASE")
    assert reason_of(lambda: backend.status(alias)) in (
        cmqc.MQRC_Q_TYPE_ERROR,
        cmqc.MQRC_UNKNOWN_OBJECT_NAME,
    )


# -- where the command server may not be asked -----------------------------------------------------


def without_command_server(end: End) -> ClientBackend:
    def refused(*_: object) -> None:
        raise NotAuthorized(2035, f"open {COMMAND_QUEUE}", object_name=COMMAND_QUEUE)

    other = end.connect()
    assert isinstance(other, ClientBackend)
    other.command_server.ask = refused  # type: ignore[assignment,method-assign]
    return other


@pytest.mark.parametrize("end", CLIENTS, indirect=True)
def test_without_the_command_server_mqinq_tells_most(end: End, backend: Backend) -> None:
    queue = end.local(**GIVEN["QLOCAL"])
    complete = backend.queue(queue).attributes
    status = backend.status(queue)

    other = without_command_server(end)
    inquired = other.queue(queue).attributes
    assert {key: complete[key] for key in inquired} == inquired
    assert {"MAXDEPTH", "MAXMSGL", "BOTHRESH", "BOQNAME", "PUT", "GET", "SHARE"} <= inquired.keys()
    assert other.status(queue)[:2] == status[:2]
    assert [definition.name for definition in other.queues(queue)] == [queue]
    assert other.queue_manager_attributes()["QMNAME"] == "QM1"
    assert end.notices == [
        f"without the command server, some values are missing: open {COMMAND_QUEUE}: "
        "MQRC_NOT_AUTHORIZED (2035)"
    ]
    with pytest.raises(NotAuthorized):
        list(other.queues("MQTRIAGE.*"))
    with pytest.raises(NotAuthorized):
        other.alter("QLOCAL", queue, {"MAXDEPTH": 1})


@pytest.mark.parametrize("end", CLIENTS, indirect=True)
@pytest.mark.slow
def test_without_the_command_server_a_queue_has_its_status_and_its_check(
    end: End, backend: Backend
) -> None:
    """Nobody tells which queues are backout queues, so none lacks a reader."""
    queue = end.local()
    backend.put1(queue, TEXT, b"x")
    data = queue_numbers.status(without_command_server(end), queue).data
    assert (data["curdepth"], data["problem"]) == (1, None)
    [checked] = check_queues(without_command_server(end), [queue], QUEUE_THRESHOLDS)
    assert (checked.is_unread, checked.rolled_back) == (False, None)
    first, *_ = check_backout(without_command_server(end), [queue], BACKOUT_THRESHOLDS)
    assert (first.object, first.status) == (queue, Status.WARNING)  # as if it is a backout queue
