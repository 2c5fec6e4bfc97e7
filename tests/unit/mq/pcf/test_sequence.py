"""Required parameters come first, in IBM's order; which they are stands in required.tsv alone."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.as_mqsc import _BY_NAME, _OBJECTS, is_known
from mqtriage.mq.pcf.given import PcfRefusal
from mqtriage.mq.pcf.sequence import check_sequence, required
from tests.support.pcf_structures import filter_of

OPTIONAL = pcf.integer_of(numbers()["MQIACF_COMMAND_INFO"], 1)


def check(command: int, *selectors: int | pcf.PcfParameter) -> None:
    items = (pcf.integer_of(item, 1) if isinstance(item, int) else item for item in selectors)
    check_sequence(pcf.PCF(16, command, tuple(items)))


def refused(command: int, *selectors: int | pcf.PcfParameter) -> int:
    """The parameter that is named as the one out of its place."""
    with pytest.raises(PcfRefusal) as caught:
        check(command, *selectors)
    assert caught.value.reason == cmqcfc.MQRCCF_PARM_SEQUENCE_ERROR == 3035
    return caught.value.wrong


def test_the_table_has_every_command_that_is_answered_and_no_other() -> None:
    commands = {value for name, value in numbers().items() if name.startswith("MQCMD_")}
    assert set(required()) == {value for value in commands if is_known(value)} | {
        cmqcfc.MQCMD_ESCAPE
    }


def test_every_command_takes_its_parameters_in_their_order_alone() -> None:
    for command, ranks in required().items():
        items = sorted(ranks, key=lambda selector: ranks[selector])
        check(command, *items, OPTIONAL)
        for before, item in pairwise(items):
            if ranks[before] < ranks[item]:
                assert refused(command, item, before) == before, command
        for item in items:
            assert refused(command, OPTIONAL, item) == item, command


def test_alternatives_come_in_any_order() -> None:
    command = numbers()["MQCMD_INQUIRE_SUBSCRIPTION"]
    check(command, numbers()["MQBACF_SUB_ID"], numbers()["MQCACF_SUB_NAME"])


def test_a_filter_on_a_required_parameter_is_optional() -> None:
    name_filter = filter_of(cmqc.MQCA_Q_NAME, 18, "A*")
    check(numbers()["MQCMD_INQUIRE_Q"], cmqc.MQCA_Q_NAME, cmqcfc.MQIACF_Q_ATTRS, name_filter)


def test_what_an_inquiry_leaves_to_choice_comes_in_any_order() -> None:
    command = numbers()["MQCMD_INQUIRE_Q"]
    check(command, cmqc.MQCA_Q_NAME, cmqc.MQIA_Q_TYPE, cmqcfc.MQIACF_Q_ATTRS)
    check(command, cmqc.MQCA_Q_NAME, cmqcfc.MQIACF_Q_ATTRS, cmqc.MQIA_Q_TYPE)


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        ("COPY_CHANNEL", "MQCACF_FROM_CHANNEL_NAME", "MQCACF_TO_CHANNEL_NAME"),
        ("COPY_CHANNEL", "MQCACF_TO_CHANNEL_NAME", "MQIACH_CHANNEL_TYPE"),
        ("COPY_Q", "MQCACF_FROM_Q_NAME", "MQCACF_TO_Q_NAME"),
        ("MOVE_Q", "MQCACF_FROM_Q_NAME", "MQCACF_TO_Q_NAME"),
        ("RESOLVE_CHANNEL", "MQCACH_CHANNEL_NAME", "MQIACH_IN_DOUBT"),
        ("INQUIRE_CONNECTION", "MQBACF_GENERIC_CONNECTION_ID", "MQIACF_CONNECTION_ATTRS"),
        ("SET_CHLAUTH_REC", "MQCACH_CHANNEL_NAME", "MQIACF_CHLAUTH_TYPE"),
        ("SET_CHLAUTH_REC", "MQIACF_CHLAUTH_TYPE", "MQIACF_ACTION"),
        ("SET_AUTH_REC", "MQCACF_AUTH_PROFILE_NAME", "MQIACF_OBJECT_TYPE"),
    ],
)
def test_ibms_pages_have_this_one_first(command: str, first: str, second: str) -> None:
    """Rows of "Required parameters", read again: the test above takes the table's word for it."""
    number = numbers()
    check(number[f"MQCMD_{command}"], number[first], number[second])
    assert refused(number[f"MQCMD_{command}"], number[second], number[first]) == number[first]


def test_a_command_of_which_the_name_alone_is_read_is_that_of_its_name() -> None:
    for name, (verb, noun) in _BY_NAME.items():
        assert name.split("_")[0] == verb
        assert name.split("_")[-1] == noun


def test_an_inquiry_asks_for_attributes_by_ibms_number() -> None:
    for about in _OBJECTS.values():
        assert about.attributes == numbers()[f"MQIACF_{about.stem}_ATTRS"], about
