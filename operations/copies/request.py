"""What is asked of an operation on messages: which queue, where its messages go, what guards it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from math import inf
from pathlib import Path
from typing import Any, Final, TypeAlias

from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.expiry import GREATEST_TENTHS
from mqtriage.operations.copies.copy import CopyOptions, DeadLetter
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """To the target; where there is none they are discarded."""


@dataclass(frozen=True, slots=True)
class CopyTo:
    """A copy goes to the target, the message stays where it is."""


@dataclass(frozen=True, slots=True)
class ExtendLifetime:
    """A copy that lives longer, and is otherwise the same, goes to the end of the queue itself.

    Resume and undo tell the copy from its original by the lifetime alone, so a copy that also
    differs in something else is refused (`CopyOptions.only_extends`): another change of a message
    where it is needs a destination of its own, and its own question in `ledger.state.Evidence`.
    """


@dataclass(frozen=True, slots=True)
class Expire:
    """They are discarded, and the expiration report is sent where one was asked for (EX-23)."""


@dataclass(frozen=True, slots=True)
class Restage:
    """Each staged message goes to its own target; at most one is given, none for now.

    Attributes:
        delay_ms: so long from now.
        at_us: at that time.
        shift_ms: so much later than it would have gone, or earlier where negative.
    """

    delay_ms: int | None = None
    at_us: int | None = None
    shift_ms: int | None = None

    def new_due_us(self, due_us: int | None, now_us: int) -> int | None:
        """When a message that is due at *due_us* is due after it; None where that is not known."""
        if self.delay_ms is not None:
            return now_us + self.delay_ms * 1000
        if self.at_us is not None:
            return self.at_us
        return None if due_us is None else due_us + (self.shift_ms or 0) * 1000

    def remaining_ms(self, due_us: int, now_us: int) -> int:
        """The delay from now of a message that is due at *due_us*, in whole ms, rounded up."""
        if self.delay_ms is not None:
            return self.delay_ms
        at_us = self.at_us if self.at_us is not None else due_us + (self.shift_ms or 0) * 1000
        return -((now_us - at_us) // 1000)


@dataclass(frozen=True, slots=True)
class ByRulesText:
    """Where the rules table with this text says."""

    table: str


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Back where an operation took them: copies from where they are now, or from its archive.

    Attributes:
        as_taken: with the lifetime that a message had when it was taken.
        extended: the operation gave messages a longer lifetime on the queue itself.
    """

    as_taken: bool = False
    extended: bool = False


NOW: Final = Restage()
Destination: TypeAlias = Move | CopyTo | ExtendLifetime | Expire | Restage | ByRulesText | GiveBack
_KINDS: Final[Mapping[str, type[Any]]] = {
    "move": Move,
    "copy": CopyTo,
    "extend lifetime": ExtendLifetime,
    "expire": Expire,
    "restage": Restage,
    "rules": ByRulesText,
    "give back": GiveBack,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class ActRequest:
    """What is to be done to the planned messages.

    Attributes:
        action: one of `_ACTIONS`, or "undo", "load" or "restore".
        queue: where they are.
        target: the queue that they go to, where it is one for all.
        copy: what the copy looks like.
        batch: messages in a unit of work; None chooses 50, or 1 where the queue has BOTHRESH.
        archive: folder that what is removed is kept in, None to keep nothing.
        allow_reports: go on although a get tells a sender "delivered".
        to: where they go.
        park: where a message goes as it is when it cannot go where it should; None leaves it.
        max_requeues: leave a message that was requeued so often; None does not count.
        rate_per_s: messages a second, None for as many as can be.
        max_errors: stop after so many failures.
        archive_bodies: False keeps descriptors alone; not for what is removed.
    """

    action: str
    queue: str
    target: str | None = None
    copy: CopyOptions = field(default_factory=CopyOptions)
    batch: int | None = None
    archive: Path | None = None
    allow_reports: bool = False
    to: Destination = Move()
    park: str | None = None
    max_requeues: int | None = None
    rate_per_s: float | None = None
    max_errors: int | None = None
    archive_bodies: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.to, ExtendLifetime) and not self.copy.only_extends:
            raise Refused(
                f"{self.action} {self.queue}: a copy with a longer lifetime cannot differ in"
                " anything else",
                hint="write a new plan with --plan FILE",
            )

    @property
    def takes(self) -> bool:
        """Whether the messages leave their queue, in the unit of work that puts something."""
        return not isinstance(self.to, CopyTo)

    @property
    def extends_lifetime(self) -> bool:
        """Whether copies that only live longer go to the queue itself, or went there."""
        to = self.to
        return to.extended if isinstance(to, GiveBack) else isinstance(to, ExtendLifetime)

    @property
    def discards(self) -> bool:
        """Whether nothing is put anywhere for what is taken."""
        return self.target is None and isinstance(self.to, Move | Expire)

    @property
    def passes_context(self) -> bool:
        """Whether the copies may take their context from what is got: each from its own message."""
        return self.takes and not isinstance(self.to, Restage) and self.copy.may_pass_context


_ACTIONS: Final[Mapping[str, tuple[tuple[type[Any], ...], str]]] = {
    "requeue": ((Move,), "a target"),
    "move": ((Move,), "a target"),
    "copy": ((CopyTo,), "a target"),
    "revive": ((Move,), "a target"),
    "extend": ((ExtendLifetime,), "a target"),
    "purge": ((Move, Expire), "no target"),
    "release": ((Restage,), "no target"),
    "reschedule": ((Restage,), "no target"),
    "handle": ((ByRulesText,), "no target"),
    "cancel": ((Move,), ""),
}
"""Where the messages of each operation go, and whether it has a target."""
_CHANGE_PROPERTIES: Final = ("requeue", "move", "copy")
_COUNTED: Final = ("requeue", "move", "handle")
"""Operations that may watch for loops."""


def unfit_request(request: ActRequest, target: str | None) -> str:
    """Why no verb asks for this with *target*; "" where one does."""
    action = request.action
    kinds, needs = _ACTIONS.get(action, ((), ""))
    if not isinstance(request.to, kinds):
        return f"it is called {action[:40]!r}, which does something else"
    if needs and (target is None) != (needs == "no target"):
        return f"{action} with a target" if target is not None else f"{action} without a target"
    own = {"release": request.to == NOW, "extend": target == request.queue}
    if not own.get(action, request.to != NOW):
        return f"it is called {action!r}, which does something else"
    if request.max_requeues is None and action == "requeue":
        return "requeue that does not count requeues"
    if request.max_requeues is not None and action not in _COUNTED:
        return f"{action} that counts requeues"
    if request.copy.properties and action not in _CHANGE_PROPERTIES:
        return f"{action} that changes properties"
    numbers = (request.batch, request.max_requeues, request.rate_per_s, request.max_errors)
    if not all(number is None or 0 < number < inf for number in numbers):
        return "its batch, rate and bounds are not numbers above 0"
    tenths = request.copy.expiry_tenths
    if tenths is not None and not (tenths == cmqc.MQEI_UNLIMITED or 0 < tenths <= GREATEST_TENTHS):
        return f"{tenths} is not a lifetime"
    return ""


def nothing_to_pass(action: str) -> UsageError:
    """The error of `--message-context pass` where no context can be passed."""
    return UsageError(
        f"--message-context pass: {action} does not get a message whose context it could pass",
        hint="--message-context set needs authority to set it; default does not",
    )


def request_record(request: ActRequest) -> dict[str, Any]:
    """The request as JSON: its fields; what is not set is left out."""
    record = {key: value for key, value in asdict(request).items() if value is not None}
    record["archive"] = str(request.archive) if request.archive else None
    letter = request.copy.dead_letter
    record["copy"]["dead_letter"] = letter._asdict() if letter else None
    record["to"] = {"kind": _NAMES[type(request.to)], **record["to"]}
    return record


def request_from(record: dict[str, Any]) -> ActRequest:
    """The request that `request_record` wrote.

    Raises:
        KeyError, TypeError, ValueError: It did not write that.
    """
    fields = dict(record)
    copy, to = dict(fields.pop("copy")), dict(fields.pop("to"))
    letter = copy.pop("dead_letter")
    properties = tuple((str(name), value) for name, value in copy.pop("properties", ()))
    archive = fields.pop("archive")
    return ActRequest(
        **fields,
        copy=CopyOptions(
            **copy,
            dead_letter=DeadLetter(**letter) if letter else None,
            properties=properties,
        ),
        archive=None if archive is None else Path(archive),
        to=_KINDS[to.pop("kind")](**to),
    )
