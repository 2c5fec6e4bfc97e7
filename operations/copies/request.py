"""What is asked of an operation on messages: which queue, where its messages go, what guards it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from mqtriage.mq.errors import UsageError
from mqtriage.mq.records import dataclass
from mqtriage.operations.copies.copy import CopyOptions, DeadLetter


@dataclass(frozen=True, slots=True)
class Move:
    """To the target; where there is none they are discarded."""


@dataclass(frozen=True, slots=True)
class CopyTo:
    """A copy goes to the target, the message stays where it is."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """A copy with another lifetime goes to the end of the queue itself."""


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
        extended: the operation put back copies with another lifetime.
    """

    as_taken: bool = False
    extended: bool = False


NOW: Final = Restage()
Destination: TypeAlias = Move | CopyTo | PutBack | Expire | Restage | ByRulesText | GiveBack
_KINDS: Final[Mapping[str, type[Any]]] = {
    "move": Move,
    "copy": CopyTo,
    "put back": PutBack,
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
        action: "requeue", "move", "copy", "purge", "cancel" or "extend".
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

    @property
    def takes(self) -> bool:
        """Whether the messages leave their queue, in the unit of work that puts something."""
        return not isinstance(self.to, CopyTo)

    @property
    def puts_back(self) -> bool:
        """Whether copies with another lifetime go to the queue itself."""
        return self.to.extended if isinstance(self.to, GiveBack) else isinstance(self.to, PutBack)

    @property
    def discards(self) -> bool:
        """Whether nothing is put anywhere for what is taken."""
        return self.target is None and isinstance(self.to, Move | Expire)

    @property
    def passes_context(self) -> bool:
        """Whether the copies may take their context from what is got: each from its own message."""
        return self.takes and not isinstance(self.to, Restage) and self.copy.may_pass_context


def nothing_to_pass(action: str) -> UsageError:
    """The error of `--message-context pass` where no context can be passed."""
    return UsageError(
        f"--message-context pass: {action} gets no message whose context the copy could have",
        hint="--message-context set needs the authority to set it, default does without",
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
    if copy.pop("default_context", False):  # written when that was the only choice
        copy["context"] = "default"
    archive = fields.pop("archive")
    return ActRequest(
        **fields,
        copy=CopyOptions(
            **copy,
            dead_letter=DeadLetter(**letter) if letter else None,
            properties=properties,
        ),
        archive=Path(archive) if archive else None,
        to=_KINDS[to.pop("kind")](**to),
    )
