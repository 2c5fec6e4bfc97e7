"""Which end of the port a command gets, and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.backends.port import Backend, Capability
from mqtriage.model.client_settings import ClientSettings, PropertyForm
from mqtriage.model.rest_settings import RestSettings
from mqtriage.model.units import first_of
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.records import NamedTuple

if TYPE_CHECKING:  # needs urllib3
    from mqtriage.backends.rest.session import WebSession


class ConnectionSettings(NamedTuple):
    """Where to connect, as chosen by options and environment; None where nothing was chosen.

    Attributes:
        home: folder of emulated queue managers, journals and archives (MQTRIAGE_HOME).
        no_browse: generic names of queues that are never to be browsed, each with who sets it.
        trace: prints each call with its completion and reason; None prints none.
        client: how a real queue manager is reached; None by what the MQ library is set up for.
        rest: how its web server is reached.
        properties_as: how gets and browses ask for message properties.
        shows_messages: whether messages that are browsed are shown, and nothing else is made of
            them.
    """

    backend: str | None = None
    queue_manager: str | None = None
    home: str | None = None
    read_only: bool = False
    no_browse: Mapping[str, str] = {}
    trace: Callable[[str], None] | None = None
    client: ClientSettings | None = None
    rest: RestSettings | None = None
    properties_as: PropertyForm = "rfh2"
    shows_messages: bool = False


def home_of(settings: ConnectionSettings, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder where emulated queue managers, journals and archives live."""
    from mqtriage.files.home import home_folder

    return Path(settings.home) if settings.home else home_folder(environ)


def open_backend(
    settings: ConnectionSettings,
    *,
    notice: Callable[[str], None],
    tell_choice: Callable[[str], None] | None = None,
) -> Backend:
    """Connect.

    Args:
        notice: where to say what takes long.
        tell_choice: where to say what was chosen for the user; None for *notice*.

    Raises:
        NotFound: No such emulated queue manager.
        NoClient: No library to reach a real one with.
        UsageError: Nothing chosen and more than one there, or an unknown backend.
        ConnectionFailed: It is not running.
    """
    if settings.backend in (None, "", "emulator"):
        backend = _emulated(settings, notice, tell_choice or notice)
    elif settings.backend == "mq":
        backend = _client(settings, notice)
    elif settings.backend == "rest":
        backend = _rest(settings, notice)
    else:
        raise UsageError(f"--backend {settings.backend}: expected emulator, mq or rest")
    if settings.trace is not None:
        from mqtriage.backends.tracing import TracedBackend

        backend = TracedBackend(backend, settings.trace)
    return restricted(backend, settings.no_browse, read_only=settings.read_only)


def restricted(backend: Backend, no_browse: Mapping[str, str], *, read_only: bool) -> Backend:
    """The same connection within these guards of a context."""
    if no_browse:
        from mqtriage.backends.no_browse import NoBrowseBackend

        backend = NoBrowseBackend(backend, no_browse)
    return readonly(backend) if read_only else backend


def readonly(backend: Backend) -> Backend:
    """The same connection without its writes."""
    from mqtriage.backends.readonly import ReadOnlyBackend

    return ReadOnlyBackend(backend)


def refuse_acts(backend: Backend, doing: str, *, takes: bool = True) -> None:
    """Refuse what takes messages, or puts copies of them, before it is planned."""
    if Capability.UNITS_OF_WORK not in backend.capabilities:
        from mqtriage.backends.rest.messages import NO_CONTEXT, NO_UNITS, refused

        raise refused(doing, NO_UNITS if takes else NO_CONTEXT)


def refuse_cursor(backend: Backend, doing: str) -> None:
    """Refuse what follows a queue, before its first message is shown."""
    if backend.kind == "rest":
        from mqtriage.backends.rest.messages import NO_CURSOR, refused

        raise refused(doing, NO_CURSOR)


def _client(settings: ConnectionSettings, notice: Callable[[str], None]) -> Backend:
    from mqtriage.backends.client.backend import ClientBackend

    return ClientBackend(
        settings.client or ClientSettings(),
        settings.queue_manager or "",
        notice,
        properties_as=settings.properties_as,
    )


def _rest(settings: ConnectionSettings, notice: Callable[[str], None]) -> Backend:
    from dataclasses import replace

    from mqtriage.backends.rest.backend import RestBackend
    from mqtriage.emulator.core.file.home import web_certificate

    rest = settings.rest
    if rest is None:
        raise UsageError("backend rest needs the address of the web server", hint="--url")
    if rest.is_here and not rest.ca:
        rest = replace(rest, own_ca=str(web_certificate(home_of(settings))))
    return RestBackend(
        rest,
        settings.queue_manager or "",
        notice,
        shows_messages=settings.shows_messages,
    )


def web_session(backend: Backend) -> WebSession | None:
    """What asks the web server, below all wrappers; None of another end of the port."""
    from mqtriage.backends.forwarding import Reading
    from mqtriage.backends.rest.backend import RestBackend

    while isinstance(backend, Reading):
        backend = backend._inner
    return backend.session if isinstance(backend, RestBackend) else None


def _emulated(
    settings: ConnectionSettings, notice: Callable[[str], None], chosen: Callable[[str], None]
) -> Backend:
    from mqtriage.backends.emulated import EmulatedBackend
    from mqtriage.emulator.core.file.home import existing_path
    from mqtriage.emulator.open import open_manager

    folder = home_of(settings)
    name = settings.queue_manager or chosen_name(folder, chosen)
    manager = open_manager(existing_path(folder, name), notice)
    return EmulatedBackend(manager, properties_as=settings.properties_as)


def chosen_name(folder: Path, notice: Callable[[str], None]) -> str:
    """The one emulated queue manager that there is, when nothing was chosen."""
    from mqtriage.emulator.core.file.home import qmgr_names

    names = qmgr_names(folder)
    if not names:
        raise NotFound(
            "no queue manager chosen, and no emulated one exists",
            hint="mqtriage emulator create QM1, or set MQTRIAGE_HOME to the folder that has one",
        )
    if len(names) > 1:
        raise UsageError(
            f"several emulated queue managers exist: {', '.join(first_of(names, 10))}",
            hint="choose one with -m NAME or MQTRIAGE_QMGR",
        )
    notice(f"using the emulated queue manager {names[0]}, the only one")
    return names[0]
