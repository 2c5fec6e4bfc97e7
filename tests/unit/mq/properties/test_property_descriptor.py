"""What an MQPD says of a property, as attributes in an MQRFH2 and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.properties.property_descriptor import Descriptor, attributes_of, descriptor_from

SUPPORTS = (
    cmqc.MQPD_SUPPORT_OPTIONAL,
    cmqc.MQPD_SUPPORT_REQUIRED,
    cmqc.MQPD_SUPPORT_REQUIRED_IF_LOCAL,
)


@given(
    support=st.sampled_from(SUPPORTS),
    context=st.sampled_from((0, 1)),
    copies=st.sampled_from([cmqc.MQCOPY_ALL, *range(0, 32, 2)]),
)
def test_a_descriptor_comes_back_from_its_attributes(
    support: int, context: int, copies: int
) -> None:
    descriptor = Descriptor(support, context, copies)
    assert descriptor_from(attributes_of(descriptor, "mq.x"), "mq.x") == descriptor


@pytest.mark.parametrize(
    ("name", "descriptor", "expected"),
    [
        pytest.param("a", Descriptor(), {}, id="defaults-are-not-written"),
        pytest.param("a", Descriptor(cmqc.MQPD_SUPPORT_REQUIRED), {}, id="support-is-for-mq-alone"),
        pytest.param(
            "mq.a", Descriptor(cmqc.MQPD_SUPPORT_REQUIRED), {"sr": "required"}, id="required"
        ),
        pytest.param(
            "a",
            Descriptor(copy_options=cmqc.MQCOPY_PUBLISH | cmqc.MQCOPY_REPORT),
            {"copy": "publish,report"},
            id="several-copies",
        ),
        pytest.param(
            "a", Descriptor(copy_options=cmqc.MQCOPY_NONE), {"copy": "none"}, id="no-copy"
        ),
    ],
)
def test_attributes_are_those_of_ibm_mq(
    name: str, descriptor: Descriptor, expected: dict[str, str]
) -> None:
    assert attributes_of(descriptor, name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("forward, reply", cmqc.MQCOPY_FORWARD | cmqc.MQCOPY_REPLY, id="blanks"),
        pytest.param("all,reply", cmqc.MQCOPY_ALL, id="all-stands-alone"),
        pytest.param("sideways", cmqc.MQCOPY_DEFAULT, id="unknown-word"),
        pytest.param("default", cmqc.MQCOPY_DEFAULT, id="default"),
    ],
)
def test_copy_options_are_read_forgivingly(text: str, expected: int) -> None:
    assert descriptor_from({"copy": text}, "a").copy_options == expected


def test_a_support_that_is_not_known_is_required() -> None:
    assert descriptor_from({"sr": "surely"}, "mq.a").support == cmqc.MQPD_SUPPORT_REQUIRED


def test_all_copies_into_each_kind_and_the_default_into_all_but_replies() -> None:
    kinds = (cmqc.MQCOPY_FORWARD, cmqc.MQCOPY_PUBLISH, cmqc.MQCOPY_REPLY, cmqc.MQCOPY_REPORT)
    assert all(Descriptor(copy_options=cmqc.MQCOPY_ALL).copies(kind) for kind in kinds)
    assert [Descriptor().copies(kind) for kind in kinds] == [True, True, False, True]
