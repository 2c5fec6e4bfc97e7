"""`mqtriage emulator serve --web`: IBM MQ's REST API of emulated queue managers.

h11 comes with the extra web: nothing else imports this.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mqtriage.commands.emulator.mqi import Listening, check_address, is_loopback, servers_of
from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.emulator.channel.listener import Listener
from mqtriage.emulator.channel.tls import server_context
from mqtriage.emulator.core.file import home
from mqtriage.emulator.web.certificate import own_certificate
from mqtriage.emulator.web.http_server import HttpServer
from mqtriage.emulator.web.resources import Resources
from mqtriage.emulator.web.users import registry_of
from mqtriage.mq.errors import UsageError


def listening(
    folder: Path, names: Sequence[str], options: ListenOptions, passwords: str | None = None
) -> Listening:
    """The same as `mqi.listening`, with the REST API; for MQ clients too where a port is given.

    Raises:
        NotFound: No such queue manager, or nothing to make a certificate with.
        StorageError: Another server is there, the port is taken, or a file cannot be read.
        UsageError: The address is not to be listened on, a file has something else in it, or there
            is no such role or property.
    """
    check_address(options, passwords)
    if not passwords and not is_loopback(options.address):
        raise UsageError("--web for other machines needs --passwords", hint="--passwords FILE")
    ca_file, certificate, key = "", options.tls_cert, options.tls_key
    if not (certificate and key):
        own = own_certificate(home.web_certificate(folder), options.address)
        ca_file = certificate = str(own.certificate)
        key = str(own.key)
    context = server_context(certificate, key, options.tls_ca or "")
    with servers_of(folder, names, passwords) as servers:
        shared = {name: one.shared for name, one in servers.items()}
        users = next(iter(shared.values())).users
        registry = registry_of(users, options.web_roles, options.web_properties)
        listener = None
        if options.port is not None:
            in_tls = None if ca_file else context
            listener = Listener(list(shared.values()), options.address, options.port, in_tls)
        web = HttpServer(Resources(shared, registry), options.address, options.web or 0, context)
        host = f"[{options.address}]" if ":" in options.address else options.address
        url = f"https://{host}:{web.port}"
        return Listening(list(servers.values()), listener, web, url, ca_file)
