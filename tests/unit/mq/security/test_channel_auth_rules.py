"""Which channel authentication record decides, row by row of IBM's page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.security.channel_auth_rules import ConnectingClient, Mapped, blocked_by, mapped

BACK_STOP = {"CHLAUTH": "*", "TYPE": "ADDRESSMAP", "ADDRESS": "*", "USERSRC": "NOACCESS"}
CLIENT = ConnectingClient("APP.SVRCONN", "alice", ("127.0.0.1", "localhost"))


def record(profile: str, kind: str, **attributes: str) -> dict[str, str]:
    return {"CHLAUTH": profile, "TYPE": kind, **attributes}


def test_without_a_record_that_fits_a_client_stays_who_it_is() -> None:
    other = record("OTHER", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")
    assert mapped([other], CLIENT) == Mapped()


def test_the_back_stop_refuses_who_nothing_else_fits() -> None:
    assert mapped([BACK_STOP], CLIENT).refused_by is BACK_STOP


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(record("APP.*", "ADDRESSMAP", ADDRESS="*", MCAUSER="x"), id="longer-profile"),
        pytest.param(record("APP.SVRCONN", "ADDRESSMAP", ADDRESS="*", MCAUSER="x"), id="channel"),
        pytest.param(record("*", "USERMAP", CLNTUSER="alice", MCAUSER="x"), id="user"),
        pytest.param(record("*", "ADDRESSMAP", ADDRESS="127.0.0.*", MCAUSER="x"), id="part"),
        pytest.param(record("*", "ADDRESSMAP", ADDRESS="127.0.0.0-9", MCAUSER="x"), id="range"),
        pytest.param(record("*", "ADDRESSMAP", ADDRESS="localhost", MCAUSER="x"), id="host"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_more_specific_comes_before_the_back_stop(
    first: dict[str, str], turned: bool
) -> None:
    records = [first, BACK_STOP]
    assert mapped(records[::-1] if turned else records, CLIENT) == Mapped("x")


def test_the_profile_counts_more_than_the_kind_of_map() -> None:
    user = record("*", "USERMAP", CLNTUSER="alice", MCAUSER="by-user")
    channel = record("APP.*", "ADDRESSMAP", ADDRESS="*", MCAUSER="by-address")
    assert mapped([user, channel], CLIENT).user == "by-address"


def test_a_map_of_users_may_be_for_one_address() -> None:
    away = record("*", "USERMAP", CLNTUSER="alice", ADDRESS="10.0.0.1", MCAUSER="x")
    assert mapped([away], CLIENT) == Mapped()


def test_usersrc_channel_leaves_the_user_and_says_what_to_check() -> None:
    rule = record("*", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", MCAUSER="x",
                  CHCKCLNT="REQUIRED")  # fmt: skip
    assert mapped([rule], CLIENT) == Mapped("", "REQUIRED")


def test_warn_lets_in_whom_the_record_would_refuse() -> None:
    assert mapped([{**BACK_STOP, "WARN": "YES"}], CLIENT) == Mapped()
    blocked = record("*", "BLOCKUSER", USERLIST="alice", WARN="YES")
    assert blocked_by([blocked], "C", "alice", is_administrator=False) is None


def test_blocked_addresses_come_before_maps() -> None:
    listed = record("*", "BLOCKADDR", ADDRLIST="10.0.0.1, 127.0.0.*")
    welcome = record("APP.SVRCONN", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL")
    assert mapped([welcome, listed], CLIENT).refused_by is listed
    assert mapped([welcome, {**listed, "ADDRLIST": "10.0.0.1"}], CLIENT).refused_by is None


@pytest.mark.parametrize("kind", ["SSLPEERMAP", "QMGRMAP"])
def test_maps_of_certificates_and_queue_managers_fit_no_client(kind: str) -> None:
    assert mapped([record("*", kind, USERSRC="NOACCESS")], CLIENT) == Mapped()


def test_of_the_lists_of_users_that_of_the_channel_counts() -> None:
    everywhere = record("*", "BLOCKUSER", USERLIST="*MQADMIN")
    here = record("ADMIN", "BLOCKUSER", USERLIST="nobody,mallory")
    both = [everywhere, here]
    assert blocked_by(both, "APP", "mqm", is_administrator=True) is everywhere
    assert blocked_by(both, "APP", "alice", is_administrator=False) is None
    assert blocked_by(both, "ADMIN", "mqm", is_administrator=True) is None
    assert blocked_by(both, "ADMIN", "mallory", is_administrator=False) is here


@given(user=st.sampled_from(["alice", "bob"]), order=st.permutations(range(4)))
def test_the_order_of_the_records_does_not_count(user: str, order: list[int]) -> None:
    records = [
        BACK_STOP,
        record("APP.*", "USERMAP", CLNTUSER="alice", MCAUSER="a"),
        record("APP.SVRCONN", "USERMAP", CLNTUSER="*", MCAUSER="any"),
        record("APP.*", "ADDRESSMAP", ADDRESS="127.*", MCAUSER="near"),
    ]
    client = CLIENT._replace(user=user)
    assert mapped([records[at] for at in order], client) == mapped(records, client) == Mapped("any")


def test_a_map_of_certificates_counts_more_than_one_of_users() -> None:
    user = record("APP.*", "USERMAP", CLNTUSER="alice", MCAUSER="by-user")
    certificate = record("APP.*", "SSLPEERMAP", SSLPEER="CN=alice", MCAUSER="by-certificate")
    client = CLIENT._replace(subject=(("CN", "alice"),))
    for records in ([user, certificate], [certificate, user]):
        assert mapped(records, client).user == "by-certificate"
