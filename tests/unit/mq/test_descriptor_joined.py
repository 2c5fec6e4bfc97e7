"""Packing with neighbouring texts joined gives the bytes that packing them one by one gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.descriptor import MQMD, ByteOrder, pack

TEXT = st.text(st.characters(max_codepoint=255), max_size=60)


@given(TEXT, TEXT, TEXT, TEXT, st.sampled_from(["<", ">"]), st.sampled_from([1, 2]))
def test_latin_1_is_packed_as_any_other_code_page(
    queue: str, user: str, name: str, form: str, order: ByteOrder, version: int
) -> None:
    md = MQMD(
        format=form, reply_to_q=queue, reply_to_q_mgr=user, user_identifier=user,
        appl_identity_data=name, put_appl_name=name, put_date=form, put_time="12", version=version,
        expiry_tenths=-1, msg_id=b"m" * 24, backout_count=7,
    )  # fmt: skip
    # "iso8859-1" is the same code page under a name that takes the general way
    assert pack(md, order) == pack(md, order, "iso8859-1")


def test_what_is_not_latin_1_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        pack(MQMD(reply_to_q="\N{EURO SIGN}"))
