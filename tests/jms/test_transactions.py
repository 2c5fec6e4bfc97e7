"""XA: branches of global transactions, as a transaction manager drives them."""

from __future__ import annotations

import pytest

from tests.jms.conftest import At
from tests.support.ibm_java import Thrown


@pytest.mark.parametrize("end", ["commit", "one-phase"])
def test_a_branch_is_committed(at: At, end: str) -> None:
    queue = at.local()
    at.run("xa-send", to=queue, branch=f"{queue} sends", end=end)
    assert at.depth(queue) == 1
    assert at.run("xa-receive", **{"from": queue}, branch=f"{queue} receives", end=end) == "hello"
    assert at.depth(queue) == 0


def test_a_branch_is_rolled_back(at: At) -> None:
    queue = at.local()
    at.run("xa-send", to=queue, branch=f"{queue} sends", end="rollback")
    assert at.depth(queue) == 0
    at.run("xa-send", to=queue, branch=f"{queue} sends again")
    assert at.run("xa-receive", **{"from": queue}, branch=queue, end="rollback") == "hello"
    assert at.depth(queue) == 1


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_prepared_branch_is_recovered_by_another_connection(at: At, end: str) -> None:
    queue = at.local()
    at.run("xa-send", to=queue, branch=f"{queue} in doubt", end="prepare")
    reader = at.open()
    assert reader.receive(queue, call="no-wait") is None
    assert at.run("xa-recover", end=end) == [f"{queue} in doubt"]
    assert (reader.receive() is not None) == (end == "commit")


def test_an_unknown_branch_is_refused(at: At) -> None:
    with pytest.raises(Thrown) as error:
        at.run("xa-send", to="NO.SUCH.QUEUE", branch="fails at once")
    assert error.value.reason == 2085
