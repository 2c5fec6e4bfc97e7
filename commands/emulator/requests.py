"""What verbs of `mqtriage emulator` are asked for: consumers and listeners."""

from __future__ import annotations

from typing import ClassVar

from mqtriage.model.options import REQUIRED, flag, number, repeated, text
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeRequest:
    """What consumer runs, and how its application fails.

    Attributes:
        kind: as typed: ``flow,node-retry=2``; `consumer_of` reads it.
        fail_when: condition in the language of `--where`, or None.
        rollback: how often each message fails at most; None: always, where *fail_when* says so.
        limit: steps at most; a step is one delivery or one move.
    """

    kind: str = text(
        "--as",
        metavar="KIND[,KEY=VALUE]",
        help="asf, mqi, jms-sync, jms-async, flow or flow-jms.",
        default=REQUIRED,
    )
    fail_when: str | None = text(
        metavar="EXPR", help="Fail on messages that match this --where condition."
    )
    rollback: int | None = number(
        help="Fail N times on each message, then process it.", minimum=None
    )
    limit: int = number(help="Stop after N deliveries and moves.", default=100, minimum=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedConsumer:
    """A consumer with its keys, which are ``--as KIND,KEY=VALUE``.

    Attributes:
        transacted: of a JMS session.
        client_version: of the JMS classes.
        poison_discard: what is lost when both queues refuse: any or np-only; None takes the
            profile's default, np-only for asf, any for the others.
        handling: ``off``, an MQI program or MQInput node does nothing about poison messages.
        node_retry: attempts of the flow; None is BOTHRESH, 0 as 1.
        failure_terminal: what the flow's Failure leads to: ok, fail or none.
        failure_limit: the Failure terminal is tried up to this many times the attempts: 1x, 2x.
    """

    profile: str
    transacted: bool = False
    client_version: str = "9.4"
    poison_discard: str | None = None
    handling: str = "on"
    node_retry: int | None = None
    failure_terminal: str = "none"
    failure_limit: str = "1x"


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where and how a listener takes clients."""

    port: int | None = number(
        "--tcp",
        metavar="PORT",
        help="Serve TCP clients, including Java and JMS, on this port; 0 uses a free port.",
        maximum=65535,
    )
    web: int | None = number(
        "--web",
        metavar="PORT",
        help="Serve IBM MQ's REST API over HTTPS on this port; 0 uses a free port.",
        maximum=65535,
    )
    web_roles: tuple[str, ...] = repeated(
        "--web-role",
        metavar="USER=ROLE",
        help="Role of a user: MQWebAdmin, MQWebAdminRO or MQWebUser.",
    )
    web_properties: tuple[str, ...] = repeated(
        "--web-property",
        metavar="NAME=VALUE",
        help="A setmqweb property: ltpaCookieName, ltpaExpiration.",
    )
    address: str = text(metavar="IP", help="Address to listen on.", default="127.0.0.1")
    port_file: str | None = text(
        metavar="FILE",
        help="Write the port to this file once clients can connect.",
        completes="file",
    )
    tls_cert: str | None = text(
        metavar="FILE", help="Certificate of the server for TLS clients, PEM.", completes="file"
    )
    tls_key: str | None = text(
        metavar="FILE", help="Key of that certificate, PEM.", completes="file"
    )
    tls_ca: str | None = text(
        metavar="FILE", help="CA certificate for client certificates, PEM.", completes="file"
    )
    allow_remote: bool = flag(help="Accept programs on other machines; needs TLS or passwords.")


@dataclass(frozen=True, slots=True)
class ProgramOptions(ListenOptions):
    """How to listen for one program on this machine, which is started with the port."""

    LEFT_OUT: ClassVar[tuple[str, ...]] = (
        "port", "web", "web_roles", "web_properties", "address", "port_file", "allow_remote",
    )  # fmt: skip
