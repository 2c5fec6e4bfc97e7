"""Which requests a verb may have made: what is read from a plan file is held against this."""

from __future__ import annotations

import pytest

from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.copies.request import (
    NOW,
    ActRequest,
    ByRulesText,
    CopyTo,
    Destination,
    Expire,
    ExtendLifetime,
    Move,
    Restage,
    unfit_request,
)

LATER = Restage(shift_ms=1)


def asked(action: str, to: Destination, target: str | None, counts: int | None = None) -> str:
    """Why no verb asks for that."""
    copy = CopyOptions(expiry_tenths=600 if isinstance(to, ExtendLifetime) else None)
    request = ActRequest(action, "IN", target, copy=copy, max_requeues=counts, to=to)
    return unfit_request(request, target)


@pytest.mark.parametrize(
    ("action", "to", "target"),
    [
        ("move", Move(), "OUT"),
        ("copy", CopyTo(), "OUT"),
        ("revive", Move(), "OUT"),
        ("extend", ExtendLifetime(), "IN"),
        ("purge", Move(), None),
        ("purge", Expire(), None),
        ("release", NOW, None),
        ("reschedule", LATER, None),
        ("handle", ByRulesText("ACTION(IGNORE)"), None),
        ("cancel", Move(), None),
        ("cancel", Move(), "PARK"),
    ],
)
def test_an_action_is_what_its_verb_does(action: str, to: Destination, target: str | None) -> None:
    assert asked(action, to, target) == ""
    others: list[Destination] = [
        Move(),
        CopyTo(),
        ExtendLifetime(),
        Expire(),
        NOW,
        LATER,
        ByRulesText(""),
    ]
    own = {type(Move()), type(Expire())} if action == "purge" else {type(to)}
    for other in others:
        if type(other) not in own or (isinstance(other, Restage) and other != to):
            assert asked(action, other, target), other
    if action != "cancel":
        assert asked(action, to, None if target else "OUT")


@pytest.mark.parametrize("action", ["requeue", "move", "handle"])
def test_requeues_moves_and_rules_may_count_requeues(action: str) -> None:
    to, target = (ByRulesText(""), None) if action == "handle" else (Move(), "OUT")
    assert asked(action, to, target, counts=3) == ""


@pytest.mark.parametrize("action", ["copy", "purge", "release", "cancel"])
def test_no_other_action_counts_requeues(action: str) -> None:
    kinds: dict[str, Destination] = {"copy": CopyTo(), "release": NOW}
    to = kinds.get(action, Move())
    target = "OUT" if action == "copy" else None
    assert asked(action, to, target, counts=3) == f"{action} that counts requeues"
