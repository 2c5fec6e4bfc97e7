"""A plan: what an act would do, worked out without changing anything and shown before it acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from mqtriage.records import NamedTuple, dataclass

EXPIRY_NOTE: Final = (
    "browsing can make the queue manager discard expired messages and send their reports"
)
LOST: Final = "lost"
"""The fact that names queues with the number of messages that no archive would have."""


class Refusal(NamedTuple):
    """Why an act must not go on as asked; exit 8.

    Attributes:
        hint: what to do next; "" where nothing is known.
        limit: messages that would be taken if no more were chosen (--limit); 0 for none.
    """

    text: str
    hint: str = ""
    limit: int = 0

    @property
    def full_hint(self) -> str:
        """The hint as it is shown by itself, with the limit before it."""
        if not self.limit:
            return self.hint
        return f"--limit {self.limit}; for all: {self.hint}"


class PlannedMessage(NamedTuple):
    """The marks by which the act knows again the very message that was planned.

    MsgIds repeat (copies, groups, programs that set them), so all of these are compared before
    the message is taken.

    Attributes:
        digest: SHA-256 of the message data.
        put_date, put_time: as in the MQMD.
        report: MQMD.Report bits, for counting what the act would cause.
    """

    msg_id: bytes
    correl_id: bytes
    put_date: str
    put_time: str
    length_bytes: int
    digest: bytes
    report: int
    persistence: int
    expiry_tenths: int
    backout_count: int


@dataclass(slots=True)
class Plan:
    """What would be done to which messages of *queue*, or which definitions would change.

    Attributes:
        action: "requeue", "purge", "cancel", "sweep", "put", "define", "set", "delete" ...
        messages: chosen messages in queue order; empty for definitions and for `expiry sweep`.
        count: messages concerned, or changes to definitions; 0 means there is nothing to do.
        mqsc: the commands that would run, for definitions.
        changes: for definitions: attribute to (value now, value then).
        reports: report option ("COD", "COA", "EXCEPTION" ...) to how many messages ask for it.
        notes: sentences shown with the plan ("cannot be undone, reports may be sent").
        warnings: what the user may not have meant; told with the plan, carried by its JSON.
        failing: messages whose put would fail as things are now.
        staying: messages that would be skipped, or parked.
        unauthorised: it would end at its first put, which needs authority that is missing.
        left_out: messages that are not planned, because they have nowhere to go.
        refusals: reasons why the act must not go on as asked.
        first: options with which the same command would do the part that is not refused;
            ``--where`` with a condition that is to hold as well.
        noun: what is counted, for people.
        confirm: the name that has to be typed, or given with --confirm; "" where a yes is enough.
        pattern: the generic name that was typed, which is given with --confirm in place of it.
        maker: who made the plan file that is carried out, "" where it does not say; None where
            the plan was made just now.
        file: that plan file.
        taken_off: queues that messages which were put are removed from, where that is all it does.
        is_released: it undoes or continues what was agreed before.
        repeated: which of the MsgIds that were given several messages have: some may not be meant.
        why_nothing: why there is nothing to do, where that is known: "already undone by ID".
        facts: more pairs to show and to put in the JSON (bytes, oldest, newest, archive ...).
    """

    action: str
    queue: str
    target: str | None = None
    messages: Sequence[PlannedMessage] = ()
    count: int = 0
    mqsc: tuple[str, ...] = ()
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    reports: Mapping[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    failing: int = 0
    staying: int = 0
    unauthorised: bool = False
    left_out: int = 0
    first: tuple[str, ...] = ()
    noun: str = "message"
    confirm: str = ""
    pattern: str = ""
    maker: str | None = None
    file: str = ""
    taken_off: tuple[str, ...] = ()
    is_released: bool = False
    repeated: str = ""
    why_nothing: str = ""
