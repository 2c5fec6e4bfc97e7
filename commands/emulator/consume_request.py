"""What `emulator consume` is asked to run."""

from __future__ import annotations

from dataclasses import dataclass

from mqtriage.model.options import REQUIRED, flag, number, text


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeRequest:
    """What consumer runs, and how its application fails.

    Attributes:
        transacted: of a JMS session.
        fail_when: condition in the language of `--where`, or None.
        rollback: how often each message fails at most; None: always, where *fail_when* says so.
        limit: steps at most; a step is one delivery or one move.
        handling: ``off``, an MQI program or MQInput node does nothing about poison messages.
        node_retry, failure_terminal, failure_limit: of the MQInput node.
        poison_discard: None takes the profile's default: np-only for asf, any for the others.
    """

    profile: str = text(
        "--as",
        metavar="KIND",
        help="jms-sync, jms-async, asf, mqi, flow (MQInput) or flow-jms (JMSInput).",
        default=REQUIRED,
    )
    transacted: bool = flag(help="A transacted JMS session.")
    fail_when: str | None = text(
        metavar="EXPR", help="Fail on messages that this is true of; the language of --where."
    )
    rollback: int | None = number(help="Fail N times on a message, then process it.", minimum=None)
    limit: int = number(help="Deliveries and moves at most.", default=100, minimum=None)
    client_version: str = text(
        metavar="V.R.M.F", help="Of the JMS classes: 9.1.0.1, 9.1.2.", default="9.4"
    )
    poison_discard: str | None = text(
        help="What is lost when both queues refuse. Default: any; asf: np-only.",
        choices=("any", "np-only"),
    )
    handling: str = text(
        help="off: an mqi program or flow that ignores BackoutCount.",
        default="on",
        choices=("on", "off"),
    )
    node_retry: int | None = number(
        help="Attempts of the flow. Default: BOTHRESH, 0 as 1.", minimum=None
    )
    failure_terminal: str = text(
        help="What the flow's Failure leads to.", default="none", choices=("ok", "fail", "none")
    )
    failure_limit: str = text(
        metavar="1x|2x", help="Until how many times the attempts Failure is tried.", default="1x"
    )
