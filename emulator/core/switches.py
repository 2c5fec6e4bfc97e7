"""The emulator's switches: what can be set of a queue manager that MQ has no attribute for.

They stand in the file (`state.switches`) as text and are set with `lifecycle.switch`; what is not
set has its default. `mqtriage emulator lab switch` shows and sets those of SWITCHES; three more are
kept there by the program itself: `qsg`, set by `sharing.join`, SEEN and CLIENTS_RECONNECT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import is_object_name
from mqtriage.records import NamedTuple

ENVIRONMENT_VARIABLE: Final = "AMQ_ENFORCE_MAX_EXPIRY_ERROR"
SEEN: Final = "environment.AMQ_ENFORCE_MAX_EXPIRY_ERROR"
"""Set to "yes" while the variable was there when the queue manager was created or last started."""

CLIENTS_RECONNECT: Final = "clients_reconnect.run"
"""The last run of the queue manager (`state.run`) that was ended with reconnection of clients."""

DELAY_RETRY: Final = "delay_retry_s"
DELAY_RETRY_S: Final = "60"

FAULT_PUT: Final = "fault.put."
FAULT_DLQ: Final = "fault.dlq"
FAULT_PROCESSOR: Final = "fault.processor"
FAULT_CLIENT: Final = "fault.client"


class Switch(NamedTuple):
    """One switch.

    Attributes:
        name: ends in a dot where the name of a queue follows.
        words: values that are words; a switch whose default is "" is off, and "" turns it off.
        least, most: range of values that are numbers; both 0 where there are none.
    """

    name: str
    default: str
    words: tuple[str, ...]
    least: int
    most: int
    meaning: str

    @property
    def allowed(self) -> str:
        """The values in words."""
        numbers = (f"{self.least} to {self.most}",) if self.most else ()
        return ", ".join(filter(None, (*self.words, *numbers)))


SWITCHES: Final = (
    Switch(
        "enforce_max_expiry", "environment", ("environment", "on", "off"), 0, 0,
        "Expiry above 999999999 fails with 2013; environment: as AMQ_ENFORCE_MAX_EXPIRY_ERROR"
        " specifies",
    ),
    Switch(
        "xmitq_expiry_check", "consistent", ("consistent", "valid", "none"), 0, 0,
        "how to check the two lifetimes of a message put directly on a transmission queue",
    ),
    Switch(
        "expirer_interval_s", "300", ("off",), 1, 99_999_999,
        "seconds between runs of the expirer on distributed platforms",
    ),
    Switch("channel_transit_s", "0", (), 0, 999_999_999, "seconds a message spends on a channel"),
    Switch(
        DELAY_RETRY, DELAY_RETRY_S, (), 1, 99_999_999,
        "seconds before a delayed message is retried after its target and DEADQ refused it",
    ),
    Switch("authority", "off", ("off", "on"), 0, 0, "check the authority of all except the owner"),
    Switch("call_log", "off", ("off", "on"), 0, 0, "record MQI calls"),
    Switch(FAULT_DLQ, "", ("",), 1, 9999, "every put to DEADQ fails with this reason"),
    Switch(FAULT_PUT, "", ("",), 1, 9999, "every put to the queue fails with this reason"),
    Switch(
        FAULT_PROCESSOR, "", ("", "recoverable", "unrecoverable"), 0, 0,
        "the delivery delay processor fails once",
    ),
    Switch(
        FAULT_CLIENT, "", ("",), 1, 9999,
        "every program that names a channel gets this reason: 2538 as if the host did not exist,"
        " 2540 as if the channel did not exist",
    ),
)  # fmt: skip


def find_switch(name: str) -> Switch | None:
    """The switch of that name; fault.put.QUEUE for any queue."""
    for switch in SWITCHES:
        if name.startswith(switch.name) if switch.name.endswith(".") else name == switch.name:
            return switch
    return None


def check_switch(name: str, value: str) -> None:
    """Refuse a value that one of SWITCHES cannot have; other names are not looked at."""
    switch = find_switch(name)
    if switch is None:
        return
    if switch.name == FAULT_PUT and not is_object_name(name.removeprefix(FAULT_PUT)):
        raise UsageError(f"{name}: expected {FAULT_PUT}QUEUE")
    if value in switch.words:
        return
    is_number = value.isascii() and value.isdigit() and len(value) < 10 and switch.most > 0
    if not is_number or not switch.least <= int(value) <= switch.most:
        raise UsageError(f"{name}={value}: allowed {switch.allowed}")


def from_environment(switches: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The switches of a queue manager that starts in this environment.

    The variable counts when it is exported, whatever its value is (EX-31, EX-32).
    """
    kept = {name: value for name, value in switches.items() if name != SEEN}
    return kept | {SEEN: "yes"} if ENVIRONMENT_VARIABLE in environ else kept


def put_fault(switches: Mapping[str, str], queue: str, dead_letter_queue: str) -> int:
    """The reason that a put to *queue* is to fail with, or 0."""
    reason = switches.get(FAULT_PUT + queue, "")
    if not reason and FAULT_DLQ in switches and queue == dead_letter_queue:
        reason = switches[FAULT_DLQ]
    return int(reason) if reason else 0
