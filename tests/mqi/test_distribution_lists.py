"""Distribution lists through pymqi and ibmmq; tests/mqi/lists.c has them in full."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest

from mqtriage.emulator.mqi.verbs.distribution_lists import DestinationOutcome, summary
from tests.mqi.conftest import Served

DONE, WARNED = DestinationOutcome(0, 0), DestinationOutcome(1, 2049)
FULL, SHUT = DestinationOutcome(2, 2053), DestinationOutcome(2, 2051)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        pytest.param([DONE, DONE], DONE, id="all-alike"),
        pytest.param([WARNED, WARNED], WARNED, id="all-warn-alike"),
        pytest.param([FULL, FULL], FULL, id="all-fail-alike"),
        pytest.param([DONE, FULL], DestinationOutcome(1, 2136), id="some-fail"),
        pytest.param([DONE, WARNED], DestinationOutcome(1, 2136), id="some-warn"),
        pytest.param([FULL, SHUT], DestinationOutcome(2, 2136), id="all-fail-differently"),
        pytest.param([SHUT], SHUT, id="a-list-of-one"),
    ],
)
def test_the_outcome_of_a_call_is_what_is_common_to_all_queues(
    outcomes: list[DestinationOutcome], expected: DestinationOutcome
) -> None:
    assert summary(outcomes) == expected


@pytest.mark.parametrize("name", ["pymqi", "ibmmq"])
def test_one_put_reaches_every_queue_of_a_list(
    served: Served, name: str, request: pytest.FixtureRequest
) -> None:
    package: Any = request.getfixturevalue(name)
    for queue in ("LIST.A", "LIST.B"):
        served.local(queue)
    connection = package.connect("QM1")
    objects = ctypes.create_string_buffer(
        struct.pack("48s48s48s48s", b"LIST.A", b"", b"LIST.B", b"")
    )
    od = package.OD(Version=2, RecsPresent=2, ObjectRecPtr=ctypes.addressof(objects))
    queue = package.Queue(connection)
    queue.open(od, package.CMQC.MQOO_OUTPUT)
    pmo, md = package.PMO(Version=2), package.MD()
    queue.put(b"for both", md, pmo)
    assert pmo.KnownDestCount == 2
    queue.close()
    connection.disconnect()
    assert [served.depth(member) for member in ("LIST.A", "LIST.B")] == [1, 1]
