"""The port to a queue manager: MQI-shaped calls with domain types, MQSC and delayed puts.

Commands are written against this and nothing else. Options are the MQI's own
bits (`mqtriage.mq.cmqc`), failures are `mqtriage.mq.errors.MQIError` with the
reason code, so that a real queue manager (`backends/client`) and the emulator
(`backends/emulated.py`) can be told apart only by `capabilities`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

if TYPE_CHECKING:  # what runs no MQSC, and asks for no insight, starts without it
    from mqtriage.mq.delay import StagingLoad
    from mqtriage.mq.expiry import Lifetimes
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

BackendKind: TypeAlias = Literal["emulator", "mq", "rest"]

AttributeValue: TypeAlias = int | str
"""A value as MQSC prints it: 5000, "ENABLED", "YES", "ORDERS.BO"; "" is a blank name."""


class Capability(StrEnum):
    """What one end can do that the MQI cannot."""

    DELAYED_PUT = "delayed-put"
    DUE_TIME_KNOWN = "due-time-known"
    CLOCK = "clock"
    PUT_TIMES_KNOWN = "put-times-known"
    """The times of the last put and get are known without monitoring (MONQ)."""
    NAMES_AT_HAND = "names-at-hand"
    """Queues are listed without a command server, which may not answer."""
    ALL_AUTHORITY = "all-authority"
    """Who can connect may do everything."""
    UNITS_OF_WORK = "units-of-work"
    """Puts and gets become final together; without it each put is final at once."""


def no_delayed_put(kind: BackendKind) -> Refused:
    """What an end without Capability.DELAYED_PUT answers to a delayed put."""
    if kind == "rest":
        return Refused(
            "--delay: IBM MQ's REST API cannot put a message with a delivery delay",
            hint="--backend mq with jms_classpath, the jars of IBM's JMS client, does it",
        )
    return Refused(
        "only JMS clients can request a delivery delay; the MQI has no such option",
        hint="set jms_classpath to the jars of IBM's JMS client; java then sends it",
    )


class ObjectDefinition(NamedTuple):
    """A queue as defined.

    Attributes:
        name: 1 to 48 characters; case matters.
        kind: "QLOCAL", "QALIAS", "QREMOTE" or "QMODEL".
        attributes: every attribute of that type, MQSC keyword to value; switches such as
            SHARE/NOSHARE, TRIGGER/NOTRIGGER and HARDENBO/NOHARDENBO are kept under the positive
            keyword as "YES" or "NO".
    """

    name: str
    kind: str
    attributes: Mapping[str, AttributeValue]


class QueueStatus(NamedTuple):
    """A local queue as it is now, learnt without browsing it.

    Attributes:
        curdepth: messages that count, committed or not, expired or not (EX-35).
        uncommitted: puts and gets not yet committed; on z/OS only whether there are any is known
            (1 or 0: UNCOM is YES or NO).
        ipprocs, opprocs: handles open for input and for output.
        oldest_put_time_us: put time of the oldest message, microseconds since 1970 UTC; None when
            empty or not known.
        last_put_time_us, last_get_time_us: None when never or not known.
    """

    name: str
    curdepth: int
    uncommitted: int
    ipprocs: int
    opprocs: int
    oldest_put_time_us: int | None
    last_put_time_us: int | None
    last_get_time_us: int | None


STATUS_ATTRIBUTES = frozenset(("CURDEPTH", "IPPROCS", "OPPROCS"))
"""Shown with a definition, and no part of it: `Backend.status` has them."""


class Match(NamedTuple):
    """What the queue manager selects by; None matches any (MQMO_NONE)."""

    msg_id: bytes | None = None
    correl_id: bytes | None = None
    group_id: bytes | None = None
    token: bytes | None = None


ANY = Match()


class QueueHandle(Protocol):
    """An open queue (MQHOBJ) with its browse cursor.

    A handle is used by one thread at a time and dies with its backend's connection.
    """

    @property
    def name(self) -> str: ...

    @property
    def resolved_name(self) -> str:
        """The local queue that the name led to: of a remote queue, its transmission queue."""

    def get(
        self,
        options: int = 0,
        match: Match = ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        """MQGET with MQGMO_* *options*: browse first, next or under cursor, lock, or take.

        Args:
            options: MQGMO_* bits. Without a browse option the message is taken off the queue;
                MQGMO_SYNCPOINT makes that part of the unit of work.
            wait_ms: how long to wait with MQGMO_WAIT, in wall milliseconds; -1 for ever.
            max_length: bytes of body wanted, None for all; a cut body is not an error here.

        Raises:
            NoMessageAvailable: Nothing matches (2033).
            MQIError: 2034, 2016, 2036, 2037, 2209 ... as documented.
        """

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        """Yield each message from the front, reading in short steps; memory stays flat.

        The browse may discard expired messages (EX-12). It does not move the cursor of `get`.
        """

    @property
    def context(self) -> object:
        """MQPMO.Context for a put that passes the context of the message got last by this handle.

        The handle must be open with MQOO_SAVE_ALL_CONTEXT; a browse saves none.
        """

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        """MQPUT with MQPMO_* *options*; returns the descriptor as it was stored.

        Args:
            context: with MQPMO_PASS_ALL_CONTEXT, the `context` of the handle it was got by.
        """

    def close(self) -> None: ...


class Insight(Protocol):
    """What the file of an emulated queue manager tells without a browse, as of now.

    A real queue manager cannot tell these numbers.
    """

    def lifetimes(self, queue: str) -> Lifetimes:
        """How many lifetimes on a local queue are over, how many run, and when the next one ends.

        Raises:
            ObjectNotFound, MQIError: 2085, 2057; so do the others.
        """

    def any_expired(self) -> bool:
        """Whether there is a message, on any queue, that a browse would discard."""

    def expired_counts(self) -> dict[str, int]:
        """Messages that a browse would discard, by queue; of queues that have any."""

    def staging_load(self) -> StagingLoad:
        """Walk the staging queue once and count by due time."""

    def poison_count(self, queue: str, threshold: int) -> int:
        """Messages that a get would return and whose BackoutCount has reached *threshold*."""

    def arrivals(self, queue: str) -> int:
        """Messages that have ever been put on *queue*, committed or not."""

    def processor_problem(self) -> str:
        """Why the delivery delay processor does not deliver, or "" while it does."""


class Backend(Protocol):
    """A connection to one queue manager. One unit of work at a time, as MQI connections have."""

    @property
    def kind(self) -> BackendKind:
        """Which end it is, for people to read; `capabilities` says what it can do."""

    @property
    def queue_manager(self) -> str: ...

    @property
    def platform(self) -> Platform:
        """That of the queue manager, known without a command."""

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    @property
    def insight(self) -> Insight | None:
        """Numbers that need no browse; None where the queue manager cannot tell them."""

    def now_us(self) -> int:
        """The queue manager's time, microseconds since 1970 UTC.

        That of this machine until a command was answered: see `queue_manager_now_us`.
        """

    def open(
        self,
        queue: str,
        options: int,
        *,
        queue_manager: str = "",
        selector: str = "",
        alternate_user: str = "",
    ) -> QueueHandle:
        """MQOPEN a queue with MQOO_* *options*.

        Args:
            queue_manager: ObjectQMgrName; "" for the local one. Another one is for output alone.
            selector: selection string; the handle sees only what it selects, all with "".
            alternate_user: AlternateUserId, whose authority counts in the place of our own where
                *options* have MQOO_ALTERNATE_USER_AUTHORITY; we need the authority to ask for that.

        Raises:
            ObjectNotFound: 2085.
            NotAuthorized: 2035.
            BadSelector: 2459, 2504, 2519.
            MQIError: 2045, 2042 ... as documented.
        """

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        """MQPUT1: open for output, put, close."""

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        """Send with a delivery delay, as a JMS client does; the MQI has no such call (DD-14).

        Raises:
            Refused: Without Capability.DELAYED_PUT.
        """

    def commit(self) -> None: ...

    def backout(self) -> None: ...

    def disconnect(self) -> None:
        """MQDISC. An open unit of work is backed out: this tool never commits by leaving."""

    def inquired_name(self) -> str:
        """QMNAME by MQOPEN and MQINQ of the queue manager, as clients ask for it.

        Raises:
            NotAuthorized: 2035, without authority to inquire.
        """

    def queue_manager_attributes(self) -> Mapping[str, AttributeValue]:
        """MQSC keyword to value: QMNAME, PLATFORM, CMDLEVEL, VERSION, DEADQ, MAXMSGL, CCSID ...

        PLATFORM is as DISPLAY QMGR prints it ("UNIX", "MVS", "WINDOWSNT", "APPLIANCE").
        """

    def queues(self, pattern: str = "*") -> Iterator[ObjectDefinition]:
        """Definitions whose name matches an MQSC generic name, sorted by name."""

    def queue(self, name: str) -> ObjectDefinition:
        """The definition of one queue; ObjectNotFound (2085) when there is none."""

    def status(self, name: str) -> QueueStatus:
        """Status of a local queue; 2085 when it is not there, 2057 when it is not local."""

    def define(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        """DEFINE NOREPLACE; attributes not named come from the default object (2100 if there)."""

    def alter(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        """ALTER the named attributes; *kind* "QMGR" alters the queue manager itself."""

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        """DELETE; 2055 while messages are on it and *purge* is false, 2042 while it is open."""

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        """Have the command server run one command of *script*.

        Args:
            wait_ms: how long each reply is waited for, where the end has to wait; None is 30 s.

        Raises:
            ConnectionFailed: Nothing more can be run.
            Refused: It would change something, and the connection only reads.
        """

    def check_mqsc(self, script: Script, command: Command) -> Reply:
        """Check one command as `runmqsc -v` does, and run nothing."""


def queue_manager_now_us(backend: Backend) -> int:
    """`now_us` of a queue manager that has answered a command, so that it is its own time.

    For what is early or late by it. Without a command server it is this machine's.
    """
    backend.queue_manager_attributes()
    return backend.now_us()
