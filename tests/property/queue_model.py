"""A small independent model of what the documents say of queues, for histories to be held against.

It knows nothing of the emulator's code: messages are entries in one list, and every rule is written
out again from the statements named beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
DEAD = "DLQ"
RETRY_US = 60_000_000


@dataclass
class Entry:
    """One message.

    Attributes:
        held: None when everybody may see it, else (connection, "put" | "got" | "both" | "staged").
        due_us: for a staged message: when its delay is over; `try_us` when it is tried next.
        where: queue it is on; for a staged one that queue is STAGING, and `target` where it goes.
    """

    body: bytes
    where: str
    priority: int
    order: int
    persistent: bool
    expires_us: int | None
    held: tuple[int, str] | None = None
    backouts: int = 0
    target: str = ""
    due_us: int | None = None
    try_us: int | None = None

    def expired(self, now_us: int) -> bool:
        return self.expires_us is not None and now_us >= self.expires_us


@dataclass
class Model:
    """Queues, messages and a clock.

    Attributes:
        lost: bodies that a statement allows to be gone, by the statement.
    """

    now_us: int
    messages: list[Entry] = field(default_factory=list)
    max_depth: dict[str, int] = field(default_factory=dict)
    put_enabled: dict[str, bool] = field(default_factory=dict)
    processor_on: bool = True
    resumed_us: int = 0
    arrivals: int = 0
    lost: dict[bytes, str] = field(default_factory=dict)

    # -- looking ------------------------------------------------------------------------------

    def depth(self, queue: str) -> int:
        """EX-35: all that is on it counts, expired or uncommitted; C-16: not what is unstaged."""
        return sum(1 for e in self.messages if e.where == queue and not self._unstaged(e))

    @staticmethod
    def _unstaged(entry: Entry) -> bool:
        return entry.held is not None and entry.held[1] == "staged"

    def visible(self, queue: str, who: int) -> list[Entry]:
        """What a connection may have, in order of delivery, expired ones included."""
        entries = [
            e for e in self.messages
            if e.where == queue and (e.held is None or e.held == (who, "put"))
        ]  # fmt: skip
        return sorted(entries, key=lambda e: (-e.priority, e.order))

    # -- acting -------------------------------------------------------------------------------

    def put(
        self, who: int, queue: str, body: bytes, priority: int, persistent: bool,
        expires_us: int | None, *, syncpoint: bool,
    ) -> bool:  # fmt: skip
        """MQPUT; False when it is refused."""
        if not self.put_enabled[queue] or self.depth(queue) >= self.max_depth[queue]:
            return False
        held = (who, "put") if syncpoint else None
        self._add(Entry(body, queue, priority, 0, persistent, expires_us, held))
        return True

    def send(
        self, who: int, target: str, body: bytes, delay_us: int, persistent: bool,
        expires_us: int | None, *, syncpoint: bool,
    ) -> bool:  # fmt: skip
        """A delayed send: DD-106, DD-108; staged at the commit (DD-34), due from now (DD-05)."""
        if not self.put_enabled[target] or self.depth(target) >= self.max_depth[target]:
            return False
        due = self.now_us + delay_us
        entry = Entry(body, STAGING, 0, 0, persistent, expires_us)
        entry.target, entry.due_us, entry.try_us = target, due, due
        entry.held = (who, "staged") if syncpoint else None
        self._add(entry)
        return True

    def _add(self, entry: Entry) -> None:
        self.arrivals += 1
        entry.order = self.arrivals
        self.messages.append(entry)

    def get(self, who: int, queue: str, *, syncpoint: bool) -> Entry | None:
        """MQGET: discards what has expired before the first live one (EX-11, EX-14 to EX-16)."""
        for entry in self.visible(queue, who):
            if not entry.expired(self.now_us):
                if not syncpoint:
                    self.messages.remove(entry)
                else:
                    entry.held = (who, "both" if entry.held else "got")
                return entry
            self._discard(entry)
        return None

    def browse(self, who: int, queue: str) -> list[Entry]:
        """A walk over the whole queue discards all expired ones (EX-12)."""
        seen = self.visible(queue, who)
        for entry in seen:
            if entry.expired(self.now_us):
                self._discard(entry)
        return [entry for entry in seen if not entry.expired(self.now_us)]

    def _discard(self, entry: Entry) -> None:
        if entry.held is None:  # EX-25: what is not committed is not discarded yet
            self.messages.remove(entry)
            self.lost[entry.body] = "EX-04"

    def commit(self, who: int) -> None:
        for entry in [e for e in self.messages if e.held and e.held[0] == who]:
            if entry.held is not None and entry.held[1] in ("got", "both"):
                self.messages.remove(entry)
            else:
                if self._unstaged(entry) and entry.try_us is not None:
                    entry.try_us = max(entry.try_us, self.now_us)  # not there before (DD-34)
                entry.held = None
        self.run_processor()

    def back_out(self, who: int) -> None:
        for entry in [e for e in self.messages if e.held and e.held[0] == who]:
            if entry.held == (who, "got"):
                entry.held, entry.backouts = None, entry.backouts + 1
            else:
                self.messages.remove(entry)

    def advance(self, span_us: int) -> None:
        self.now_us += span_us
        self.run_processor()

    def run_processor(self) -> None:
        """DD-13: what is due goes to its target in the order of due times, each at its time."""
        while self.processor_on:
            due = [
                e for e in self.messages
                if e.where == STAGING and e.held is None and e.try_us is not None
                and e.try_us <= self.now_us
            ]  # fmt: skip
            if not due:
                return
            entry = min(due, key=lambda e: (e.try_us or 0, e.order))
            moment = max(entry.try_us or 0, self.resumed_us)
            self.resumed_us = moment
            self._deliver(entry, moment)

    def _deliver(self, entry: Entry, moment: int) -> None:
        if entry.expired(moment):  # DD-80
            self.messages.remove(entry)
            self.lost[entry.body] = "DD-80"
            return
        for queue in (entry.target, DEAD):  # DD-95, DD-96
            if self.put_enabled[queue] and self.depth(queue) < self.max_depth[queue]:
                self.messages.remove(entry)
                landed = Entry(
                    entry.body, queue, entry.priority, 0, entry.persistent, entry.expires_us
                )
                self._add(landed)
                return
        entry.try_us = moment + RETRY_US
        if entry.expires_us is not None:
            entry.try_us = min(entry.try_us, entry.expires_us)

    def restart(self) -> None:
        """Stop and start: units end, non-persistent messages are dropped, the processor starts."""
        for entry in list(self.messages):
            if entry.held is not None:
                if entry.held[1] == "got":
                    entry.held, entry.backouts = None, entry.backouts + 1
                else:
                    self.messages.remove(entry)
                    continue
            if not entry.persistent:
                self.messages.remove(entry)
                self.lost[entry.body] = "restart"
        self.resumed_us = max(self.resumed_us, self.now_us)
        self.run_processor()
