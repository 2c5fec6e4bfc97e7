"""What an application does with a message, and how that goes wrong (PM-01, BO-02 to BO-04).

A handler returns when it has processed the message and raises `HandlerFailed` when it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mqtriage.messages.decoded import chain_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.message import Message


class HandlerFailed(Exception):
    """The application raised an exception; *reason* says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreadable(HandlerFailed):
    """The client library itself could not read the message (BO-02)."""


class NotMoved(HandlerFailed):
    """Neither the backout queue nor the dead-letter queue took a poison message (JMSWMQ1080)."""


Handler: TypeAlias = Callable[[Message], None]
Test: TypeAlias = Callable[[Subject], bool]


def accepts_all(message: Message) -> None:
    """Process whatever comes."""


def always_fails(message: Message) -> None:
    """Process nothing."""
    raise HandlerFailed("the handler fails on every message")


def check_readable(message: Message) -> None:
    """What the JMS classes do before the application sees a message: read its MQRFH2."""
    if message.md.format != RFH2_FORMAT:
        return
    damages = chain_of(message).damages
    if damages:
        raise Unreadable(f"the client cannot read the message: {damages[0].text}")


def fails_when(test: Test, reason: str) -> Handler:
    """Fail on messages that *test* is true of: bad data in a field, say (BO-04)."""

    def handle(message: Message) -> None:
        if test(Subject(message)):
            raise HandlerFailed(f"the handler fails on {reason}")

    return handle


def fails_first(times: int, inner: Handler = always_fails) -> Handler:
    """Fail as *inner* does, but on each message *times* times at most: it does not recur (BO-11).

    A message is known again by its place on the queue, for MsgIds repeat.
    """
    failed: dict[bytes, int] = {}

    def handle(message: Message) -> None:
        count = failed.get(message.token, 0)
        if count >= times:
            return
        try:
            inner(message)
        except HandlerFailed as error:
            failed[message.token] = count + 1
            raise HandlerFailed(f"{error.reason} (failure {count + 1} of {times})") from error

    return handle
