"""Messages that a client asks for and that are sent to it as they come: listeners, read-ahead.

A client asks by REQUEST_MSGS, once for many messages: how many bytes may be on their way to it, and
which messages. What it asked for stays in force until it asks anew, so that a message which comes
later is sent when it comes. A listener gets messages between "started" and "stopped" alone; one
that is got under syncpoint takes the conversation's permit, which the client gives back with its
next request, so that a commit never covers a message that no listener has seen.

Source: the recorded exchanges; IBM MQ documentation, "Using read ahead".
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final

from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.calls import OPTIONS_AT
from mqtriage.emulator.channel.conversation import Conversation
from mqtriage.emulator.channel.segments import (
    ANSWER_DUE,
    FIRST,
    LAST,
    WHOLE,
    BadSegment,
    Segment,
    SegmentType,
)
from mqtriage.emulator.mqi.frames import MqiCall
from mqtriage.emulator.mqi.session import CallReply, ClientGone
from mqtriage.mq import cmqc
from mqtriage.mq.delay import GREATEST_MAXMSGL
from mqtriage.mq.errors import MQIError
from mqtriage.mq.structures import repacking, structure

_PERMIT: Final = 0x01
_ANSWER: Final = 0x02
_ONE_LOOK: Final = 0x04
_SYNCHRONOUS: Final = 0x08
_SELECTION: Final = 0x10
"""Flags of a request."""

_CONNECTION_STATE: Final = 3
_TRANSACTION_ALLOWED: Final = 8
_CHECKED: Final = 11
_STREAMING_FAILURE: Final = 14
_LAST_CODE: Final = 255
_STARTED: Final = 2
"""Codes of a notification, and the value of one that starts a connection."""

_TO_SERVER: Final = 1
"""Request id of what is sent unasked."""
_LOOK_S: Final = 1.0
_SYNCPOINTS: Final = cmqc.MQGMO_SYNCPOINT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT
_PERSISTENCE: Final = structure("MQMD").field("Persistence").offset
_INT: Final = Struct("<i")
_IDS: Final = (
    (cmqc.MQMO_MATCH_MSG_ID, "MsgId", 24),
    (cmqc.MQMO_MATCH_CORREL_ID, "CorrelId", 24),
    (cmqc.MQMO_MATCH_GROUP_ID, "GroupId", 24),
    (cmqc.MQMO_MATCH_MSG_TOKEN, "MsgToken", 16),
)
_GONE: Final = frozenset((cmqc.MQRC_HOBJ_ERROR, cmqc.MQRC_NOT_OPEN_FOR_INPUT))


@dataclass(slots=True)
class _Consumer:
    """What one handle has asked for.

    Attributes:
        window: how many bytes may be on their way; at least one message always may.
        options: MQGMO_*.
        is_permitted: the client takes one more under syncpoint, for a request of its own.
    """

    handle: int
    md: bytes
    gmo: bytes
    window: int = 0
    outstanding: int = 0
    options: int = 0
    flags: int = 0
    selection: int = 0
    count: int = 0
    is_permitted: bool = True

    @property
    def is_synchronous(self) -> bool:
        return bool(self.flags & _SYNCHRONOUS)


class Delivery:
    """The requests of one conversation, and the thread that serves those that wait."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._consumers: dict[int, _Consumer] = {}
        self._is_started = False
        self._is_permitted = False
        self._is_starting = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    # -- what the client says; for whoever holds the lock ---------------------------------------

    def handle(self, segment: Segment, body: Body) -> None:
        """A request or a notification; what is to be sent for it is posted."""
        if segment.type == SegmentType.REQUEST_MSGS:
            self._request(segment, body)
        else:
            self._notification(segment, body)
        if self._is_asked() and self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        self._conversation.session.shared.wake_up.notify()

    def forget(self, handle: int) -> None:
        """The handle is closed."""
        self._consumers.pop(handle, None)

    def stop(self) -> None:
        """Deliver nothing more."""
        self._stopped = True
        self._consumers.clear()
        self._conversation.session.shared.wake_up.notify()

    def cancel(self, reason: int) -> bool:
        """Tell a synchronous request that it is over; whether there was any."""
        for consumer in self._consumers.values():
            if consumer.is_synchronous and consumer.window:
                consumer.window = 0
                self._notify(consumer.handle, _STREAMING_FAILURE, reason)
                self._conversation.session.shared.wake_up.notify()  # for the thread that sends it
                return True
        return False

    def _request(self, segment: Segment, body: Body) -> None:
        handle = body["handle"]
        consumer = self._consumers.get(handle)
        if consumer is None:
            initial = structure("MQMD").initial(2), structure("MQGMO").initial(3)
            consumer = self._consumers[handle] = _Consumer(handle, *initial)
        consumer.outstanding = max(0, consumer.outstanding - body["received"])
        consumer.window, consumer.options = body["window"], body["options"]
        consumer.flags = body["flags"]
        consumer.is_permitted = True
        if consumer.flags & _SELECTION:
            self._select(consumer, body)
        if consumer.flags & _PERMIT and not self._is_starting:
            self._is_permitted = True
        self._deliver(consumer)
        if consumer.flags & _ONE_LOOK:
            consumer.window = 0
        if consumer.flags & _ANSWER:
            self._notify(handle, _CHECKED, 0, request=segment.request)

    def _select(self, consumer: _Consumer, body: Body) -> None:
        """Which messages the handle wants from now on."""
        match, ids = body["match_options"], body["ids"]
        of_md: dict[str, Any] = {
            "Encoding": body["encoding"],
            "CodedCharSetId": body["ccsid"],
            "MsgSeqNumber": body["msg_seq_number"],
            "Offset": body["offset"],
        }
        of_gmo: dict[str, Any] = {"MatchOptions": match}
        at = 0
        for option, name, length in _IDS:
            if match & option:
                target = of_gmo if name == "MsgToken" else of_md
                target[name] = ids[at : at + length]
                at += length
        consumer.md = structure("MQMD").patched(structure("MQMD").initial(2), **of_md)
        consumer.gmo = structure("MQGMO").patched(structure("MQGMO").initial(3), **of_gmo)
        consumer.selection = body["selection_index"]

    def _notification(self, segment: Segment, body: Body) -> None:
        code = body["code"]
        if not 0 < code <= _LAST_CODE:
            raise BadSegment(f"a notification of code {code}")
        if code == _CONNECTION_STATE:
            # the requests that follow a start all ask; the permit comes once, after them
            self._is_started = self._is_starting = body["value"] == _STARTED
            self._is_permitted = False
        elif code == _TRANSACTION_ALLOWED:
            self._is_starting, self._is_permitted = False, True
        if segment.flags & ANSWER_DUE:
            self._notify(body["handle"], code + 1, body["value"], request=segment.request)

    def _notify(self, handle: int, code: int, value: int, request: int = _TO_SERVER) -> None:
        order = self._conversation.order
        body = {"version": 1, "handle": handle, "code": code, "value": value}
        raw = bodies.encode(SegmentType.NOTIFICATION, body, order)
        number = self._conversation.number
        flags = WHOLE if request == _TO_SERVER else FIRST
        self._conversation.post(
            Segment(SegmentType.NOTIFICATION, raw, number, request, flags, order=order)
        )

    # -- what is sent -------------------------------------------------------------------------

    def _is_asked(self) -> bool:
        return any(consumer.window for consumer in self._consumers.values())

    def _run(self) -> None:
        """Send what comes while anything is asked for."""
        conversation = self._conversation
        try:
            while True:
                with conversation:
                    if self._stopped or not self._is_asked():
                        self._thread = None
                        break
                    consumers = list(self._consumers.values())
                    sent = [self._deliver(consumer) for consumer in consumers]
                    if not any(sent):
                        self._wait()
                conversation.flush()
            conversation.flush()
        except (ClientGone, OSError, MQIError):
            # what the right notification is, is not known; a conversation that has ended itself
            # leaves the socket to the others
            if not self._stopped:
                conversation.hang_up()
        except Exception as error:
            print(f"mqtriage: a client's messages: {error}", file=sys.stderr)
            conversation.hang_up()

    def _wait(self) -> None:
        try:
            self._conversation.session.sleep(time.monotonic() + _LOOK_S)
        except MQIError as error:
            if not self.cancel(error.reason):
                raise

    def _deliver(self, consumer: _Consumer) -> bool:
        """Post what the handle may get now; whether there was anything."""
        sent = False
        while self._may_send(consumer):
            reply = self._got(consumer)
            if reply is None:
                break
            self._post(consumer, reply)
            sent = True
        return sent

    def _may_send(self, consumer: _Consumer) -> bool:
        if consumer.outstanding >= consumer.window or consumer.handle not in self._consumers:
            return False
        if consumer.is_synchronous:
            return consumer.is_permitted
        is_in_unit = bool(consumer.options & _SYNCPOINTS)
        return self._is_started and (self._is_permitted or not is_in_unit)

    def _got(self, consumer: _Consumer) -> CallReply | None:
        gmo = bytearray(consumer.gmo)
        options = consumer.options & ~cmqc.MQGMO_WAIT
        if (
            options & cmqc.MQGMO_BROWSE_FIRST
        ):  # asked for with it: the next one for those that follow
            options &= ~cmqc.MQGMO_BROWSE_NEXT
        _INT.pack_into(gmo, OPTIONS_AT, options)
        numbers = consumer.handle, GREATEST_MAXMSGL
        reply = self._conversation.perform(MqiCall.GET, numbers, (consumer.md, bytes(gmo)))
        if reply.comp_code != cmqc.MQCC_FAILED:
            self._conversation.session.shared.wake_up.notify()
            return reply
        if reply.reason == cmqc.MQRC_CONNECTION_BROKEN:
            raise ClientGone
        if reply.reason != cmqc.MQRC_NO_MSG_AVAILABLE:
            self._end(consumer, reply.reason)
        return None

    def _end(self, consumer: _Consumer, reason: int) -> None:
        """Tell who waits for a message why none comes.

        A listener hears of a quiesce by its socket; its request stays, for what is got again later.
        """
        if consumer.is_synchronous:
            consumer.window = 0
            self._notify(consumer.handle, _STREAMING_FAILURE, reason)
        if reason in _GONE:
            self.forget(consumer.handle)

    def _post(self, consumer: _Consumer, reply: CallReply) -> None:
        md, gmo, data = reply.blobs
        persistent = _INT.unpack_from(md, _PERSISTENCE)[0] == cmqc.MQPER_PERSISTENT
        in_unit = consumer.options & cmqc.MQGMO_SYNCPOINT or (
            consumer.options & cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT and persistent
        )
        if in_unit and consumer.is_synchronous:
            consumer.is_permitted = False
        elif in_unit:
            self._is_permitted = False
        if consumer.options & cmqc.MQGMO_BROWSE_NEXT:
            consumer.options &= ~cmqc.MQGMO_BROWSE_FIRST
        consumer.outstanding += cmqc.MQMD_LENGTH_2 + len(data)
        consumer.count += 1
        for segment in self._segments(consumer, reply.reason, md, gmo, data):
            self._conversation.post(segment)

    def _segments(
        self, consumer: _Consumer, reason: int, md: bytes, gmo: bytes, data: bytes
    ) -> Iterator[Segment]:
        """A message in the segments that it goes out in, each with how much of it is there."""
        order = self._conversation.order
        numbers, halves = Struct(f"{order}iii"), Struct(f"{order}H")
        gmo_fields = structure("MQGMO")
        token, name = gmo_fields.field("MsgToken"), gmo_fields.field("ResolvedQName")
        queue = gmo[name.offset : name.offset + name.length].rstrip(b" \0")
        status = halves.pack(1) + bytes([len(queue)]) + queue
        packing = repacking("MQMD", 2, order)
        head = (
            numbers.pack(reason, len(data), len(data))
            + gmo[token.offset : token.offset + token.length]
            + status
            + bytes(-len(status) % 4)
            + packing.wire.pack(*packing.memory.unpack(md))
        )
        room = (self._conversation.max_transmission_bytes - 36 - 24) & ~3
        at, index = 0, 0
        while True:
            piece = data[at : at + room - len(head)]
            at += len(piece)
            body = {
                "version": 1,
                "handle": consumer.handle,
                "index": consumer.count,
                "global_index": consumer.count,
                "segment_bytes": len(piece),
                "segment_index": index,
                "selection_index": consumer.selection,
                "content": head + piece,
            }
            flags = (FIRST if index == 0 else 0) | (LAST if at == len(data) else 0)
            raw = bodies.encode(SegmentType.ASYNC_MESSAGE, body, order)
            number = self._conversation.number
            yield Segment(SegmentType.ASYNC_MESSAGE, raw, number, _TO_SERVER, flags, order=order)
            if at == len(data):
                return
            head, index = b"", index + 1
