"""`mqtriage emulator serve|run|sdk`: programs of MQ clients, in C and in Java."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from mqtriage.cli.emulator.administration import NAME, chosen
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.signals import handling
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.emulator.requests import ListenOptions, ProgramOptions
from mqtriage.model.installing import install_command
from mqtriage.model.options import REQUIRED, argument, arguments, flag, repeated, text
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.commands.emulator.mqi import Listening
    from mqtriage.emulator.mqi.server import Server

Served = TypeVar("Served")

MQSC: Final = repeated(
    metavar="FILE", help="Run this MQSC file, or a folder of them, first.", completes="file"
)
PASSWORDS: Final = text(
    help="File with passwords: lines of the form user:password, or user: and the output of "
    "`openssl passwd -6`.",
    completes="file",
)


@takes(ConnectionOptions, Output)
def serve(
    app: AppContext,
    names: tuple[str, ...] = arguments(
        "QMGR",
        help="Queue managers, which are created if they do not exist. Default: the only one.",
        completes="qmgr",
    ),
    *,
    options: ListenOptions,
    mqsc: tuple[str, ...] = MQSC,
    passwords: str | None = PASSWORDS,
    stop_on_eof: bool = flag(
        help="Stop when standard input ends, as a pipe does when the program at its other end ends."
    ),
) -> None:
    """Serve MQ client programs in C, Java and JMS.

    If QMGR does not exist, the command creates it, as `emulator create QMGR` does. --mqsc first
    runs MQSC on each QMGR. If a command has a syntax error, no command runs and nothing is served.
    A command that fails does not stop the others, so use REPLACE if you serve the same queue
    manager again.

    C programs connect through the library that `mqtriage emulator sdk` creates. With --tcp, IBM's
    own Java clients connect too, through a channel with CHLTYPE(SVRCONN). SYSTEM.DEF.SVRCONN always
    exists, and DEV.APP.SVRCONN exists with `emulator create --developer`. If several queue managers
    share a port, a program selects one by name, or else by channel.

    With --web, it serves IBM MQ's REST API (mqweb) over HTTPS. Users must log in. The users are
    those in the --passwords file. Without it, they are admin and app, with the password passw0rd,
    and can connect only from this machine. `admin` administers the queue manager. All other users
    send and receive messages, unless you change their role with --web-role. To accept programs on
    other machines, use --allow-remote together with --tls-cert or --passwords. A channel with
    SSLCIPH accepts only TLS clients; a channel without it accepts only clients without TLS.

    The server runs until you interrupt or terminate it, and then backs out uncommitted work. With
    --stop-on-eof, a program that starts the server with a pipe as standard input, such as a test,
    does not leave it running, even if the program is killed. If the server
    is killed, only nonpersistent puts and gets from the last 10 ms can be lost.

    Examples:
        mqtriage emulator serve QM1 --tcp 1414
        mqtriage emulator serve QM1 QM2 --tcp 0 --port-file port.txt --mqsc queues.mqsc
        mqtriage emulator serve QM1 --web 9443
        mqtriage emulator serve QM1 --tcp 1414 --tls-cert server.pem --tls-key server.key
    """
    from mqtriage.definitions.script_files import STANDARD_INPUT

    if options.port is None and options.web is None:
        of_tcp = ("port_file", "tls_cert", "tls_key", "tls_ca", "allow_remote")
        given = [name for name in of_tcp if getattr(options, name)]
        if given or len(names) > 1:
            what = f"--{given[0].replace('_', '-')}" if given else "several queue managers"
            raise UsageError(f"{what} needs TCP: give --tcp PORT or --web PORT")

    if stop_on_eof and STANDARD_INPUT in mqsc:
        raise UsageError("--stop-on-eof and --mqsc - both read standard input: give only one")

    def started(names: Sequence[str]) -> Server | Listening:
        return _server(app.target.home(), names, options, passwords)

    served, server, define = _set_up(app, names, mqsc, started)
    with handling(lambda *_: server.stop(), signal.SIGTERM, signal.SIGINT):
        define()
        _say_where(app, served, server, options, passwords)
        if stop_on_eof:
            _stop_on_eof(server)
        server.serve()


def _stop_on_eof(server: Server | Listening) -> None:
    """Stop the server once standard input has ended, whatever is written to it before."""

    def wait() -> None:
        with suppress(OSError):  # closed from the start: it has ended
            while os.read(0, 1 << 12):
                pass
        server.stop()

    threading.Thread(target=wait, daemon=True).start()


def _set_up(
    app: AppContext,
    names: Sequence[str],
    mqsc: Sequence[str],
    start: Callable[[Sequence[str]], Served],
) -> tuple[Sequence[str], Served, Callable[[], None]]:
    """Create what does not exist and start it; if that fails, what was created is deleted.

    Returns:
        The queue managers, what *start* returns for them, and what runs the MQSC on them.

    Raises:
        MQTriageError: A command has a syntax error, or *start* raises it.
    """
    from mqtriage.commands.emulator.startup import check_scripts, existing_or_created, run_scripts
    from mqtriage.definitions.script_files import read_scripts, unread

    scripts = read_scripts(mqsc, app.run.standard_input)
    for passage in unread(scripts):
        app.run.warn(passage)
    folder = app.target.home()
    with existing_or_created(folder, names) as created:
        names = names or (chosen(app, None),)
        for name in names if scripts else ():
            check_scripts(folder, name, scripts, app.run.warn)
        served = start(names)
    for sentence in created:
        app.run.say(sentence)

    def define() -> None:
        for name in names if scripts else ():
            app.run.say(run_scripts(folder, name, scripts, app.run.warn))

    return names, served, define


def _server(
    folder: Path, names: Sequence[str], options: ListenOptions, passwords: str | None
) -> Server | Listening:
    """What serves the queue managers: on a Unix socket for each, or on TCP ports as well."""
    from mqtriage.commands.emulator import mqi

    if options.web is None:
        if options.port is None:
            return mqi.server(folder, names[0], passwords)
        return mqi.listening(folder, names, options, passwords)
    try:
        from mqtriage.commands.emulator.web import listening as listening_with_web
    except ImportError as error:
        raise UsageError(f"--web needs h11 ({error})", hint=install_command("rest")) from error
    return listening_with_web(folder, names, options, passwords)


def _say_where(
    app: AppContext,
    names: Sequence[str],
    server: Server | Listening,
    options: ListenOptions,
    passwords: str | None,
) -> None:
    """Say where clients connect, also in the file of --port-file: now a signal ends it well."""
    from mqtriage.commands.emulator.mqi import Listening

    if not isinstance(server, Listening):
        app.run.say(f"serving {names[0]}; interrupt to stop")
        return
    if options.port_file:
        server.write_port(options.port_file)
    places = [f"{options.address} port {server.port}"] if server.port else []
    places += [server.web_url] if server.web_url else []
    if server.ca_file:
        app.run.say(f"certificate to trust: {server.ca_file}")
    if server.web_url and not passwords:
        app.run.say("users: admin (no messages) and app (messages too), password passw0rd")
        words = f"context add web --backend rest --url {server.web_url} --set user=admin"
        app.run.say(f"to connect, run: mqtriage {words} --use")
    app.run.say(f"{', '.join(names)}: listening on {' and '.join(places)}; interrupt to stop")


@takes(ConnectionOptions, Output)
def run(
    app: AppContext,
    name: str = NAME,
    command: tuple[str, ...] = arguments(
        "COMMAND", help="Program and its arguments.", default=REQUIRED
    ),
    *,
    tcp: bool = flag(
        help="Serve Java and JMS on a free TCP port, or on the port given after --tcp."
    ),
    sdk: str | None = text(
        metavar="DIR",
        help="SDK for programs in C. Default: a new one.",
        completes="file",
        reads="place",
    ),
    mqsc: tuple[str, ...] = MQSC,
    passwords: str | None = PASSWORDS,
    options: ProgramOptions,
) -> None:
    """Run an MQ client program with the server that it needs.

    Creates QMGR if it does not exist, starts the server, runs the program, and stops the server.
    It exits with the program's exit code. The program gets LD_LIBRARY_PATH, MQ_FILE_PATH and
    MQTRIAGE_QMGR. With --tcp, it instead gets MQSERVER, MQCCDTURL (a JSON file), MQ_CONN (host and
    port), MQ_CHANNEL and MQ_QMGR. With both --tcp and --sdk, it gets all of them.

    Examples:
        mqtriage emulator run QM1 -- python put_get.py
        mqtriage emulator run QM1 --sdk mq-sdk -- ./myprogram ORDERS.IN
        mqtriage emulator run QM1 --tcp --mqsc queues.mqsc -- java -cp app.jar com.example.Orders
        mqtriage emulator run QM1 --tcp 1414 -- mvn verify
    """
    from mqtriage.commands.emulator import mqi
    from mqtriage.emulator.core.file.home import qmgr_path, server_folder

    words = [name, *command]
    port = _take_port(words) if tcp else None
    if not tcp and (options.tls_cert or options.tls_key or options.tls_ca):
        raise UsageError("--tls-cert, --tls-key and --tls-ca need TCP: give --tcp")
    name, *words = words
    # before a queue manager is created for a line that has none
    if "/" not in words[0] and shutil.which(words[0]) is None:
        app.run.say(f"{words[0]}: command not found")
        raise typer.Exit(mqi.NOT_FOUND)
    listening, home = replace(options, port=port), app.target.home()

    def started(names: Sequence[str]) -> tuple[Server | Listening | None, dict[str, str]]:
        return mqi.server_of_program(home, names[0], sdk, passwords, listening)

    (name,), (server, variables), define = _set_up(app, (chosen(app, name),), mqsc, started)
    define()
    place = server_folder(qmgr_path(home, name))
    if server is None:
        app.run.say(f"{place}: already served")
    raise typer.Exit(mqi.run(words, server, variables, place / mqi.CHANNEL_TABLE, app.run.say))


def _take_port(words: list[str]) -> int:
    """Take the number that was given after --tcp off a queue manager and a command; 0 for none."""
    numbers = [at for at, word in enumerate(words[:2]) if word.isdecimal()]
    if len(numbers) != 1 or len(words) < 3:
        return 0
    port = int(words.pop(numbers[0]))
    if port > 65535:
        raise UsageError(f"--tcp {port}: not a port")
    return port


@takes(ConnectionOptions, Output)
def sdk(
    app: AppContext,
    folder: str = argument("DIR", help="Folder to write to.", completes="file", reads="place"),
) -> None:
    """Create C headers and a library for MQ C programs.

    inc/ contains C headers. lib64/ contains libmqm_r.so under all its names, compiled on this
    machine by the compiler in CC, or else cc. None of this is IBM code. It is a test double with
    the same interface, which communicates with `mqtriage emulator serve`.

    To build pymqi with pip, set MQ_FILE_PATH to DIR. To run programs, set LD_LIBRARY_PATH to
    DIR/lib64.

    Examples:
        mqtriage emulator sdk mq-sdk
    """
    from mqtriage.commands.emulator.mqi import sdk as lay_out

    app.output.emit(lay_out(folder, app.run.environ.get("CC", "")))
