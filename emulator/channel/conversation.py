"""One conversation of a client: its connection to the queue manager, and the call that it waits in.

A conversation is one Hconn. Its calls come one after the other and are answered one by one; those
of other conversations on the same socket go on meanwhile. What may take a while, a get that waits,
has a thread of its own.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import BadSegment, Segment, SegmentType
from mqtriage.emulator.mqi import dispatcher
from mqtriage.emulator.mqi.frames import Frame
from mqtriage.emulator.mqi.session import CallReply, ClientGone, Session
from mqtriage.mq import cmqc
from mqtriage.mq.structures import ByteOrder

_XA_BYTES: Final = 16
"""Of a reply to an XA call as its length counts them: without the branch's name."""


class Credentials(NamedTuple):
    """Who a client says it is.

    Attributes:
        user, password: of its MQCSP, or of a program in compatibility mode; "" for none given.
        peer_user: who runs it, as the client says.
        address: where it comes from.
    """

    user: bytes = b""
    password: bytes = b""
    peer_user: str = ""
    address: str = ""


class ClientEnd(Protocol):
    """The socket, as its conversations use it."""

    @property
    def max_transmission_bytes(self) -> int: ...

    def send(self, segment: Segment) -> None: ...

    def hang_up(self) -> None: ...


class Requests(Protocol):
    """What a client asked to be sent as it comes, for those who end it."""

    def handle(self, segment: Segment, body: bodies.Body) -> None: ...

    def forget(self, handle: int) -> None: ...

    def cancel(self, reason: int) -> bool: ...

    def stop(self) -> None: ...


class Conversation:
    """One Hconn of a client; as a context it holds the lock of the queue manager, for its calls.

    Attributes:
        connection_id: 24 bytes, once MQCONN was done.
        delivery: what sends messages that were asked for; None until some are.
        branch: name of the branch of a global transaction that it works in; b"" for none.
        in_doubt: names of branches that a scan has still to tell.
    """

    def __init__(
        self,
        number: int,
        session: Session,
        end: ClientEnd,
        channel: str,
        credentials: Credentials,
    ) -> None:
        self.number = number
        self.session = session
        self.channel = channel
        self.hang_up = end.hang_up
        self.credentials = credentials
        self.connection_id = b""
        self.order: ByteOrder = ">"
        self.delivery: Requests | None = None
        self.branch = b""
        self.in_doubt: list[bytes] = []
        self._end = end
        self._outbox: deque[tuple[int, Segment]] = deque()
        self._sending = threading.Lock()
        self._before = 0
        self._work: deque[Callable[[], None]] = deque()
        self._worker: threading.Thread | None = None
        self._lock = threading.Lock()

    # -- calls of the MQI ---------------------------------------------------------------------

    def perform(self, verb: int, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
        """Do one call of the MQI; only with the lock of the queue manager."""
        return dispatcher.perform(self.session, Frame(verb, numbers, blobs))

    @property
    def max_transmission_bytes(self) -> int:
        return self._end.max_transmission_bytes

    def post(self, segment: Segment) -> None:
        """Have a segment sent after those that were posted before; only with the lock."""
        promised = self.session.shared.promised
        self._outbox.append((0 if promised == self._before else promised, segment))

    def __enter__(self) -> None:
        """Take the lock of the queue manager, for calls of this conversation."""
        shared = self.session.shared
        shared.lock.acquire()
        self._before = shared.promised

    def __exit__(self, *_: object) -> None:
        self.session.shared.lock.release()

    @property
    def is_promised(self) -> bool:
        """Whether something that was posted has to wait for the disk."""
        return any(promised for promised, _ in tuple(self._outbox))  # others may post meanwhile

    def flush(self) -> None:
        """Send what was posted, each once the disk has what it promises.

        Only without the lock, since disks and clients may be slow.

        Raises:
            ClientGone: The disk does not take it.
        """
        with self._sending:
            while self._outbox:
                promised, segment = self._outbox.popleft()
                if promised:
                    self.session.shared.sync(promised)
                self._end.send(segment)

    def post_reply(self, request: Segment, body: dict[str, Any]) -> None:
        """Post the reply to a call: its fields with CompCode, Reason and handle."""
        try:
            raw = bodies.encode(request.answer_type, {"length": 0, **body}, request.order)
        except KeyError as error:
            raise BadSegment(f"ends before {error.args[0]}") from error
        counted = (
            _XA_BYTES if SegmentType.XA_START <= request.type < SegmentType.XA_RECOVER else len(raw)
        )
        length = 28 + counted  # of a plain header, whatever the header is
        self.post(request.answer(length.to_bytes(4) + raw[4:]))

    def end_wait(self, reason: int) -> None:
        """End the get that the conversation waits in, or the next one, with that reason.

        Only with the lock.
        """
        if self.delivery is not None and self.delivery.cancel(reason):
            return
        self.session.end_wait = reason
        self.session.shared.wake_up.notify()

    # -- calls that may wait ------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        return self._worker is not None

    def later(self, work: Callable[[], None]) -> None:
        """Do *work* after what the conversation is busy with, in its own thread."""
        with self._lock:
            self._work.append(work)
            if self._worker is None:
                self._worker = threading.Thread(target=self._run, daemon=True)
                self._worker.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._work:
                    self._worker = None
                    return
                work = self._work.popleft()
            try:
                work()
            except (BadSegment, ClientGone, OSError) as error:
                if isinstance(error, BadSegment):
                    print(f"mqtriage: {self.credentials.address}: {error}", file=sys.stderr)
                with self._lock:
                    self._work.clear()
                self.hang_up()

    def end(self) -> None:
        """Back out what was not committed, and let go of everything; only with the lock."""
        if self.delivery is not None:
            self.delivery.stop()
        self.session.end(committed=False)

    def join(self, timeout_s: float) -> None:
        """Wait for the call that it is busy with."""
        until = time.monotonic() + timeout_s
        worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join(max(0.0, until - time.monotonic()))


def failed(reason: int, handle: int = 0) -> dict[str, Any]:
    """CompCode, Reason and handle of a call that failed; of one that did not with reason 0."""
    return {
        "comp_code": cmqc.MQCC_FAILED if reason else cmqc.MQCC_OK,
        "reason": reason,
        "handle": handle,
    }
