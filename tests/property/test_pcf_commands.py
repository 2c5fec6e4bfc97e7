"""Whatever arrives on the command queue is answered, or discarded, and the server stays well."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.emulator.admin import pcf_commands
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.open import open_manager
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import as_mqsc as pcf_mqsc
from mqtriage.mq.pcf import messages as pcf
from tests.support.pcf_structures import filter_of, integer64

_COMMANDS = st.sampled_from(
    [
        *(v for n, v in numbers().items() if n.startswith("MQCMD_") and pcf_mqsc.is_known(v)),
        numbers()["MQCMD_ESCAPE"],
        numbers()["MQCMD_START_CHANNEL"],
    ]
)
_SELECTORS = st.one_of(
    st.sampled_from(
        [2016, 20, 15, 3, 13, 2013, 1002, 1006, 1007, 1009, 3501, 1511, 1015, 3554, 2010, 2020,
         2012, 2045, 66, 2092, 2094, 3152, 1273, 3154, 7016, 7006, 7007, 3067, 1016, 1116, 3065,
         3066, 1352, 1086, 3568, 3014, 1017, 1026, 1103, 3001, 3002]
    ),
    st.integers(1, 9000),
    st.integers(-(2**31), 0),
)  # fmt: skip
_LONGS = st.one_of(
    st.sampled_from([0, 1, 2, 3, 6, 7, 8, 1001, -1]), st.integers(-(2**31), 2**31 - 1)
)
_TEXTS = st.one_of(
    st.sampled_from(
        ["", "A", "A.*", "*", "SYSTEM.*", "SYSTEM.DEF.SVRCONN", "A*B", "x" * 60, "'", "é"]
    ),
    st.text(max_size=12),
)
_VALUES = st.one_of(
    st.builds(pcf.integer_of, _SELECTORS, _LONGS),
    st.builds(pcf.string, _SELECTORS, _TEXTS),
    st.builds(pcf.integers, _SELECTORS, st.lists(_LONGS, max_size=3)),
    st.builds(pcf.strings, _SELECTORS, st.lists(_TEXTS, max_size=3)),
    st.builds(pcf.byte_string, _SELECTORS, st.binary(max_size=24)),
    st.builds(
        filter_of,
        _SELECTORS,
        st.integers(0, 30),
        st.one_of(_LONGS, _TEXTS, st.binary(max_size=9)),
    ),
    st.builds(integer64, _SELECTORS, _LONGS),
    st.builds(pcf.group, _SELECTORS, st.just([])),
)  # fmt: skip


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manager]:
    opened = open_manager(create(tmp_path_factory.mktemp("pcf"), "QM1", frozen=True))
    yield opened
    opened.close()


def answered(manager: Manager, md: MQMD, body: bytes) -> list[pcf.PCF]:
    responses = pcf_commands.answer(Connection(manager, "test", "tester"), md, body)
    for place, response in enumerate(responses, 1):
        assert pcf.decode(pcf.encode(response)).msg_seq_number == place
        assert response.control == (place == len(responses))
    if responses[-1].comp_code:
        assert responses[-1].reason == 3008
        assert all(response.reason for response in responses if response.comp_code)
    return responses


_NAMED = st.tuples(
    st.sampled_from([2016, 3501, 3554, 2010, 2012, 2045, 2077, 2092, 3152, 3067]), _TEXTS
).map(lambda pair: [pcf.string(*pair)])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    command=_COMMANDS,
    parameters=st.builds(list.__add__, _NAMED, st.lists(_VALUES, max_size=4)),
)
def test_any_parameters_of_any_command_are_answered(
    manager: Manager, command: int, parameters: list[pcf.PcfParameter]
) -> None:
    message = pcf.PCF(1, command, tuple(parameters))
    answered(manager, MQMD(format="MQADMIN", encoding=546, ccsid=1208), pcf.encode(message))


@given(body=st.binary(max_size=200), encoding=st.sampled_from([546, 273, 0]))
def test_any_bytes_are_answered(manager: Manager, body: bytes, encoding: int) -> None:
    responses = answered(manager, MQMD(format="MQADMIN", encoding=encoding, ccsid=819), body)
    assert responses[-1].comp_code == 2
