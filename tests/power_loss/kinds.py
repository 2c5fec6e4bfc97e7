"""What must hold of an operation that was cut: of messages, of what the journal says, of files."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from zipfile import ZipFile

from mqtriage.messages.stored_messages import Numbered, read_line
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.operations.ledger.journal import Journal
from tests.acceptance.messages.estate import Estate, Ran
from tests.power_loss.recording import environ

MESSAGES: Final = 5
BODIES: Final = [b"message-%02d" % number for number in range(MESSAGES)]
TOKEN: Final = re.compile(rb"message-\d\d")
RESUME: Final = ("journal", "resume", "--yes", "-q")

_DELETED: Final = re.compile(r"DELETE \w+\(.([^']+).\)")
"""One that goes for good has to be named, of more the queue manager."""

Counts = Counter[bytes]


class Seen(NamedTuple):
    """A message on a queue: which one, and what it became.

    Attributes:
        md: without how often it was backed out.
    """

    token: bytes
    md: MQMD
    body: bytes


class States(NamedTuple):
    """What `look` gave before a whole run and after it, and how many operations there were."""

    before: object
    after: object
    known: int


class Kind(Protocol):
    """What an operation leaves, and how it goes on where it was cut."""

    def look(self, home: Path) -> object:
        """What it changes, as it is now; it stays readable whatever happens."""

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        """What is said wrongly of how far it got; "" for nothing.

        Args:
            is_over: it had ended well when the power went.
        """

    def again(self, home: Path, argv: Sequence[str], known: int) -> Sequence[str]:
        """The command line by which it goes on, or is taken back; () for none.

        Args:
            argv: its own.
            known: how many operations the journal had before.
        """

    def problem(self, home: Path, states: States, ran: Ran | None) -> str:
        """What is lost, doubled, or not as the journal says; "" for nothing.

        Args:
            ran: the command line by which it went on; None where there is none.
        """


def on_queues(estate: Estate) -> dict[str, Counter[Seen]]:
    """What is on each queue, whatever was put in front of its data, as it is now."""
    with estate.connected() as backend:  # by one connection: a thousand looks are a third of a walk
        seen = {
            queue.name: Counter(
                Seen(token, message.md._replace(backout_count=0), message.body)
                for message in backend.open(queue.name, cmqc.MQOO_BROWSE).browse()
                for token in TOKEN.findall(message.body)
            )
            for queue in backend.queues("*")
            if queue.kind == "QLOCAL"
        }
    return {name: messages for name, messages in seen.items() if messages}


def _comparable(there: Any, states: States) -> dict[str, Counter[Seen]]:
    """The same, whichever MsgIds the queue manager made since."""
    before: Any = states.before
    known = {seen.md.msg_id for messages in before.values() for seen in messages}
    return {
        queue: Counter(
            seen if seen.md.msg_id in known else seen._replace(md=seen.md._replace(msg_id=NO_ID))
            for seen in messages.elements()
        )
        for queue, messages in there.items()
    }


def archived(home: Path) -> set[bytes]:
    """The messages that are in an archive with all their data."""
    messages: set[bytes] = set()
    for path in (home / "archive").glob("*.ndjson"):
        for line in path.read_bytes().splitlines(keepends=True):
            stored = read_line(0, line)
            if isinstance(stored, Numbered):
                messages |= set(TOKEN.findall(stored.entry.body))
    return messages


def estate_of(home: Path) -> Estate:
    """Command lines in this process, as `Forks` runs them in others."""
    estate = Estate(home)
    estate.environ |= environ(home)
    return estate


def operations(home: Path) -> int:
    """How many operations the journal has."""
    rows = Journal(home / "journal").rows("SELECT count(*) FROM operation")
    return int(next(rows, (0,))[0])


def entry_of(home: Path, known: int) -> Any:
    """What the journal has of it first; None where it has nothing."""
    ran = estate_of(home).run("journal", "ls", "-o", "json")
    assert ran.code == 0, ran
    items = ran.json["items"]
    return items[-known - 1] if len(items) > known else None


class Moved(NamedTuple):
    """Messages go to another place, or become something else, all of those that were planned.

    Attributes:
        to: the queue where all are when it is done; "" for the archive.
    """

    to: str

    def look(self, home: Path) -> object:
        return on_queues(Estate(home))

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        return ""

    def again(self, home: Path, argv: Sequence[str], known: int) -> Sequence[str]:
        return RESUME

    def problem(self, home: Path, states: States, ran: Ran | None) -> str:
        began = operations(home) > states.known
        assert ran
        # 9: none waits, for it is done or was never begun; what is on the queues says which
        if ran.code not in ((0, 3, 9) if began else (1, 5, 8, 9)):
            return f"resume: exit {ran.code}: {ran.err}"
        there: Any = self.look(home)
        expected = states.after if began else states.before
        if _comparable(there, states) == _comparable(expected, states):
            entry = entry_of(home, states.known) if began else {"left": 0, "skipped": 0}
            rest = entry["left"] + (entry["skipped"] or 0)
            return f"{rest} of them are left, as the journal has it" if rest else ""
        places: Counts = Counter(
            seen.token for messages in there.values() for seen in messages.elements()
        )
        if not self.to and began:
            kept = archived(home)
            lost = [body for body in BODIES if not places[body] and body not in kept]
            return f"lost: {lost}" if lost or places - Counter(BODIES) else ""
        return f"they are on {there}"


class Changed(NamedTuple):
    """A change that is entered in the journal before it is made.

    Attributes:
        has_way_back: `journal undo` takes it back.
        is_seen: a look at the messages does not do it: who browses discards what has expired.
    """

    has_way_back: bool = True
    is_seen: bool = True

    def look(self, home: Path) -> object:
        estate = Estate(home)
        ran = estate.run("queue", "ls", "*", "-o", "mqsc")
        assert ran.code == 0, ran
        return ran.out, on_queues(estate) if self.is_seen else {}

    def again(self, home: Path, argv: Sequence[str], known: int) -> Sequence[str]:
        new = entry_of(home, known)
        if new is None or not self.has_way_back or new["undoes"]:
            return ()
        planned = estate_of(home).run("journal", "undo", new["op"], "--dry-run").out
        done, _, _way_back = planned.partition("reverse MQSC")
        deleted = _DELETED.findall(done)
        name = deleted[0] if len(deleted) == 1 else "QM1"
        return ("journal", "undo", new["op"], "--confirm", name)

    def problem(self, home: Path, states: States, ran: Ran | None) -> str:
        if ran is None:
            return ""
        now = self.look(home)
        if now != states.before:
            return f"not taken back: exit {ran.code}: {ran.err}"
        return "" if ran.code in (0, 3, 8) else f"undo: exit {ran.code}: {ran.err}"

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        entry, now = entry_of(home, states.known), self.look(home)
        if entry is None:
            return "changed, and not in the journal" if is_over or now != states.before else ""
        state = entry["state"]
        if is_over and state != "done":
            return f"{state} in the journal, and was done"
        if state == "done" and now != states.after:
            return "done in the journal, and not done"
        if state in ("failed", "nothing done") and now != states.before:
            return f"{state} in the journal, and something was done"
        return ""


class Filed(NamedTuple):
    """Files of ours; run again, it gets done.

    Attributes:
        shown: command lines that show them, each with the keys that are the same in every run.
        is_repeated: that it is done twice does no harm.
        elsewhere: a name that it writes and another: what was cut is in the way until somebody
            removes it.
    """

    shown: Sequence[tuple[str, str]]
    is_repeated: bool = True
    elsewhere: tuple[str, str] = ("", "")

    def look(self, home: Path) -> object:
        return self._look(home, ("", ""))

    def _look(self, home: Path, elsewhere: tuple[str, str]) -> object:
        old, new = (f"/{name}" for name in elsewhere)
        seen = []
        for line, keys in self.shown:
            words = line.replace(old, new).format(home=home).split()
            ran = estate_of(home).run(*words, "-o", "json")
            assert "internal error" not in ran.err, ran
            whole = ran.code in (0, 3)  # 3 is what was read, and what was broken off is told
            items = ran.json.get("items", [ran.json.get("item")]) if whole else []
            rows = (tuple(str(item.get(key)) for key in keys.split()) for item in items)
            seen.append((whole, frozenset(rows)))
        return seen

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        now = self.look(home)
        if is_over and now != states.after:
            return f"{now} although it had ended well"
        return ""

    def again(self, home: Path, argv: Sequence[str], known: int) -> Sequence[str]:
        if not self.is_repeated:
            return ()
        old, new = (f"/{name}" for name in self.elsewhere)
        for remains in home.glob(f"{self.elsewhere[1]}*") if self.elsewhere[1] else ():
            shutil.rmtree(remains) if remains.is_dir() else remains.unlink()
        return [word.replace(old, new) for word in argv]

    def problem(self, home: Path, states: States, ran: Ran | None) -> str:
        now = self._look(home, self.elsewhere)
        if now == states.after or (not self.is_repeated and now == states.before):
            return ""
        return f"{now}, not {states.after}; again: {ran}"


class Unchanged(Filed):
    """Files that another form takes the place of: at any moment they show what they showed."""

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        now = self.look(home)
        return "" if now == states.before == states.after else f"{now}, not {states.before}"


class Packed(NamedTuple):
    """A .zip that is there whole or not at all; what could not be read is told on its page."""

    name: str

    def look(self, home: Path) -> object:
        return self._members(home / self.name)

    def _members(self, path: Path) -> list[str] | None:
        if not path.exists():
            return None
        with ZipFile(path) as archive:
            assert archive.testzip() is None
            return sorted(Path(name).name for name in archive.namelist())

    def _tells(self, path: Path) -> bool:
        """Whether its page says that a part could not be read."""
        with ZipFile(path) as archive:
            (page,) = (name for name in archive.namelist() if name.endswith("index.html"))
            return b"Not here: " in archive.read(page)

    def told(self, home: Path, states: States, *, is_over: bool) -> str:
        now = self.look(home)
        if now not in (states.before, states.after) and not self._tells(home / self.name):
            return f"half of it: {now}"
        return f"{now} although it had ended well" if is_over and now != states.after else ""

    def again(self, home: Path, argv: Sequence[str], known: int) -> Sequence[str]:
        return [word.replace(f"/{self.name}", f"/other-{self.name}") for word in argv]

    def problem(self, home: Path, states: States, ran: Ran | None) -> str:
        now = self._members(home / f"other-{self.name}")
        return "" if now == states.after else f"{now}, not {states.after}; again: {ran}"
