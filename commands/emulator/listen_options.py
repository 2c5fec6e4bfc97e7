"""Where a listener takes clients, and which addresses that may be."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from mqtriage.model.options import flag, number, text
from mqtriage.mq.errors import UsageError


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where and how a listener takes clients."""

    port: int = number(
        metavar="PORT", help="TCP port; 0 for one that is free.", default=1414, maximum=65535
    )
    address: str = text(metavar="IP", help="Address to listen on.", default="127.0.0.1")
    port_file: str | None = text(
        metavar="FILE", help="Write the port there once clients can come.", completes="file"
    )
    tls_cert: str | None = text(
        metavar="FILE", help="Certificate of the server, PEM, for clients in TLS.", completes="file"
    )
    tls_key: str | None = text(metavar="FILE", help="Its key, PEM.", completes="file")
    tls_ca: str | None = text(
        metavar="FILE", help="Who signs clients' certificates, PEM.", completes="file"
    )
    allow_remote: bool = flag(help="Take programs of other machines; needs TLS or passwords.")


def check_address(options: ListenOptions, passwords: str | None) -> None:
    """Refuse to let programs of other machines in unless that was asked for, and who they are.

    Raises:
        UsageError: It is refused, or options do not belong together.
    """
    if bool(options.tls_cert) != bool(options.tls_key) or (options.tls_ca and not options.tls_cert):
        raise UsageError("--tls-cert and --tls-key are needed, both, for TLS")
    try:
        is_loopback = ipaddress.ip_address(options.address).is_loopback
    except ValueError:
        is_loopback = options.address == "localhost"
        if not is_loopback:
            raise UsageError(f"--address {options.address}: not an IP address") from None
    if is_loopback:
        return
    if not options.allow_remote:
        raise UsageError(
            f"--address {options.address} lets programs of other machines in",
            hint="add --allow-remote, with --tls-cert and --tls-key or with --passwords",
        )
    if not options.tls_cert and not passwords:
        raise UsageError(
            "--allow-remote needs TLS or passwords",
            hint="--tls-cert FILE --tls-key FILE, or --passwords FILE",
        )
