"""`mqtriage emulator serve|run|sdk`: programs of MQ clients on emulated queue managers."""

from __future__ import annotations

import ipaddress
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.emulator.channel import tls
from mqtriage.emulator.channel.listener import Listener
from mqtriage.emulator.channel.served import usual_channel
from mqtriage.emulator.core.file import home
from mqtriage.emulator.mqi.library import sdk as layout
from mqtriage.emulator.mqi.server import Server
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.whole import read_secret
from mqtriage.model.result import Document
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import NotFound, StorageError, UsageError
from mqtriage.mq.names import check_queue_manager_name

NOT_FOUND: Final = 127
CANNOT_RUN: Final = 126
CHANNEL_TABLE: Final = "ccdt.json"

Notice = Callable[[str], None]


def sdk(folder: str, compiler: str = "") -> Document:
    """Lay out headers and library.

    Raises:
        Refused: A folder that is not for this.
        StorageError: It cannot be written.
    """
    written = layout.lay_out(Path(folder), compiler=compiler)
    target = Path(os.path.realpath(folder))
    return Document(
        "emulator-sdk",
        {
            "folder": str(target),
            "files": [str(path.relative_to(target)) for path in written],
            "MQ_FILE_PATH": str(target),
            "LD_LIBRARY_PATH": str(target / "lib64"),
        },
    )


def server(folder: Path, name: str, passwords: str | None = None) -> Server:
    """The server of a queue manager, listening; `serve` does the rest.

    Args:
        passwords: file with a line ``user:password`` for each user that may connect.

    Raises:
        NotFound: No such queue manager.
        StorageError: Another server is there, or a file cannot be read.
    """
    path = home.existing_path(folder, check_queue_manager_name(name))
    return Server(path, users_in(passwords) if passwords else None)


@contextmanager
def servers_of(
    folder: Path, names: Sequence[str], passwords: str | None
) -> Iterator[dict[str, Server]]:
    """The server of each queue manager, by its name; all end where their port cannot be had.

    Raises:
        NotFound: No such queue manager.
        StorageError: Another server is there, or a file cannot be read.
    """
    with ExitStack() as opened:
        yield {
            name: opened.enter_context(closing(server(folder, name, passwords)))
            for name in dict.fromkeys(names)
        }
        opened.pop_all()  # they are served by others from here on


class PortServer(Protocol):
    """What serves queue managers on a TCP port until it is stopped."""

    port: int

    def serve(self) -> None: ...

    def stop(self) -> None: ...


class Listening:
    """Queue managers with a Unix socket for each, and TCP ports for all of them.

    Attributes:
        port: that MQ clients connect to; 0 where there is none.
        web_url: of the REST API; "" where it is not served.
        ca_file: what clients of the REST API may trust; "" where that is not for us to say.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        listener: Listener | None,
        web: PortServer | None = None,
        web_url: str = "",
        ca_file: str = "",
    ) -> None:
        self._servers = servers
        self._listeners: list[PortServer] = [one for one in (listener, web) if one is not None]
        self.port = listener.port if listener is not None else 0
        self.web_url, self.ca_file = web_url, ca_file
        if listener is not None:
            for server in servers:
                server.tell_port(listener.port, listener.address)

    def write_port(self, file: str) -> None:
        """Write the ports to a file, whole or not at all, that of the REST API last."""
        with storage_errors(file):
            lines = "".join(f"{listener.port}\n" for listener in self._listeners)
            replace_file(Path(file), [lines.encode()])

    def client_environment(self, table: Path) -> dict[str, str]:
        """What programs of the first queue manager read to find it, by its usual channel.

        Args:
            table: client channel definition table (CCDT) to write, in JSON.
        """
        shared = self._servers[0].shared
        with shared.lock:
            manager = shared.manager()
            manager.look()
            channel, name = usual_channel(manager), manager.identity.name
        host = "127.0.0.1"
        connection = {"connection": [{"host": host, "port": self.port}], "queueManager": name}
        entry = {"name": channel, "type": "clientConnection", "clientConnection": connection}
        with storage_errors(table):
            replace_file(table, [json.dumps({"channel": [entry]}, indent=2).encode()])
        return {
            "MQSERVER": f"{channel}/TCP/{host}({self.port})",
            "MQ_QMGR": name,
            "MQ_CHANNEL": channel,
            "MQ_CONN": f"{host}({self.port})",
            "MQCCDTURL": table.absolute().as_uri(),
        }

    def stop(self) -> None:
        """Let `serve` return; from another thread or a signal handler."""
        for listener in self._listeners:
            listener.stop()

    def serve(self) -> None:
        """Serve until `stop`: calls that wait end with 2203, then every socket is closed."""
        first, *others = self._servers
        beside = [threading.Thread(target=server.serve) for server in others]
        accepting = threading.Thread(target=self._accept)
        for thread in (*beside, accepting):
            thread.start()
        try:
            first.serve()
        finally:
            self.stop()
            for thread in (accepting, *beside):
                thread.join()

    def _accept(self) -> None:
        """Serve TCP; once its clients have gone nothing more comes that is to be written down."""
        *others, last = self._listeners
        beside = [threading.Thread(target=listener.serve) for listener in others]
        for thread in beside:
            thread.start()
        try:
            last.serve()
        finally:
            self.stop()  # where one ended by itself
            for thread in beside:
                thread.join()
            for server in self._servers:
                with suppress(OSError):  # one that ended by itself
                    server.stop()


def is_loopback(address: str) -> bool:
    """Whether only programs of this machine can come to an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        if address == "localhost":
            return True
        raise UsageError(f"--address {address}: not an IP address") from None


def check_address(options: ListenOptions, passwords: str | None) -> None:
    """Refuse to let programs of other machines in unless that was asked for, and who they are."""
    if bool(options.tls_cert) != bool(options.tls_key) or (options.tls_ca and not options.tls_cert):
        raise UsageError("TLS needs both --tls-cert and --tls-key")
    if is_loopback(options.address):
        return
    if not options.allow_remote:
        raise UsageError(
            f"--address {options.address} accepts programs on other machines",
            hint="add --allow-remote, with --tls-cert and --tls-key or with --passwords",
        )
    if not options.tls_cert and not passwords:
        raise UsageError(
            "--allow-remote needs TLS or passwords",
            hint="--tls-cert FILE --tls-key FILE, or --passwords FILE",
        )


def listening(
    folder: Path, names: Sequence[str], options: ListenOptions, passwords: str | None = None
) -> Listening:
    """Queue managers that clients can connect to over TCP; `serve` does the rest.

    Raises:
        NotFound: No such queue manager.
        StorageError: Another server is there, the port is taken, or a file cannot be read.
        UsageError: The address is not to be listened on, or a file has something else in it.
    """
    check_address(options, passwords)
    context = None
    if options.tls_cert and options.tls_key:
        context = tls.server_context(options.tls_cert, options.tls_key, options.tls_ca or "")
    with servers_of(folder, names, passwords) as servers:
        shared = [one.shared for one in servers.values()]
        listener = Listener(shared, options.address, options.port or 0, context)
        return Listening(list(servers.values()), listener)


def users_in(file: str) -> dict[str, str]:
    """Users and passwords of a file, ``user:password`` a line.

    Raises:
        Refused: Others can read it.
        StorageError: It cannot be read.
        UsageError: A line without a colon, or no line at all.
    """
    try:
        lines = read_secret(file).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise StorageError(f"{file}: {reason}") from error
    users: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        user, colon, password = line.partition(":")
        if not colon or not user.strip():
            raise UsageError(f"{file}, line {number}: expected user:password")
        users[user.strip()] = password
    if not users:
        raise UsageError(f"{file}: no user in it", hint="one line per user: user:password")
    return users


def server_of_program(
    folder: Path,
    name: str,
    sdk_folder: str | None,
    passwords: str | None,
    options: ListenOptions,
) -> tuple[Server | Listening | None, dict[str, str]]:
    """What serves one program, and the variables of its library; None where a server is there.

    A port is for programs of IBM's clients for Java: no library unless *sdk_folder* is given.

    Raises:
        NotFound: No such queue manager, or no SDK in *sdk_folder*.
        StorageError: The port is taken, or a file cannot be read.
    """
    environment: dict[str, str] = {}
    if options.port is None or sdk_folder is not None:
        place = Path(sdk_folder) if sdk_folder else folder / "sdk"
        if sdk_folder is None:
            layout.lay_out(place)
        elif not (place / "lib64" / layout.LIBRARY).exists():
            raise NotFound(
                f"{sdk_folder}: no SDK", hint=f"mqtriage emulator sdk {shell_word(sdk_folder)}"
            )
        environment = layout.environment(place, name, folder)
    if options.port is not None:
        return listening(folder, [name], options, passwords), environment
    try:
        return server(folder, name, passwords), environment
    except StorageError as error:
        if "another server" not in error.text:
            raise
        return None, environment


def run(
    command: Sequence[str],
    served: Server | Listening | None,
    environment: Mapping[str, str],
    table: Path,
    say: Notice,
) -> int:
    """Run a program while it is served; returns its exit code, 128 + n for signal n.

    Args:
        table: client channel definition table to write for a program that connects over TCP.
    """
    variables = {**os.environ, **environment}
    if served is None:
        return _program(command, variables, say)
    with _serving(served):
        if not isinstance(served, Listening):
            return _program(command, variables, say)
        try:
            return _program(command, variables | served.client_environment(table), say)
        finally:
            table.unlink(missing_ok=True)


@contextmanager
def _serving(served: Server | Listening) -> Iterator[None]:
    thread = threading.Thread(target=served.serve)
    thread.start()
    try:
        yield
    finally:
        served.stop()
        thread.join()


def _program(command: Sequence[str], environment: Mapping[str, str], say: Notice) -> int:
    try:
        program = subprocess.Popen(command, env=environment)
    except FileNotFoundError:
        say(f"{command[0]}: command not found")
        return NOT_FOUND
    except OSError as error:
        say(f"{command[0]}: {error.strerror}")
        return CANNOT_RUN
    try:
        code = program.wait()
    except BaseException:  # a signal for us ends the program too
        program.terminate()
        program.wait()
        raise
    return 128 - code if code < 0 else code
