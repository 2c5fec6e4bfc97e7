"""Which resource a request means, who may have it, and its answer."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote

from mqtriage import __version__
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.tables import handles
from mqtriage.emulator.mqi.session import ClientGone, Session, Shared
from mqtriage.emulator.web import messaging, mqsc, queues
from mqtriage.emulator.web.exchange import (
    CSRF_HEADER,
    Answer,
    Request,
    RestError,
    bad_body,
    json_answer,
    printable,
)
from mqtriage.emulator.web.users import NOBODY, ROLES, Principal, Registry, require
from mqtriage.mq import cmqc
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.delay import GREATEST_MAXMSGL
from mqtriage.mq.errors import MQIError, MQTriageError, StorageError
from mqtriage.mq.security.distinguished_names import Name

APPLICATION: Final = "mqweb"
_PREFIX: Final = ("ibmmq", "rest")
_VERSIONS: Final = {"v1": 1, "v2": 2, "v3": 3}
_GATEWAY: Final = "ibm-mq-rest-gateway-qmgr"
_COMMAND_BYTES: Final = 1 << 20
_VRMF: Final = "9.4.0.0"
_INSTALLATION: Final = "Installation1"
_STATES: Final = {0: "endedNormally", 1: "running"}

Handler = Callable[["Resources", Request, Principal], Answer]


class Resource(NamedTuple):
    """What takes one kind of request.

    Attributes:
        pattern: of the path behind the version; "{}" stands for any one part.
        versions: that have it.
        most_bytes: of the body.
        is_open: nobody needs to be logged in.
    """

    method: str
    pattern: tuple[str, ...]
    handler: Handler
    versions: tuple[int, ...] = (1, 2, 3)
    most_bytes: int = 4096
    is_open: bool = False


class Admitted(NamedTuple):
    """A request whose head is right: its body may be read."""

    resource: Resource
    request: Request
    principal: Principal


class Resources:
    """What one port serves.

    Args:
        managers: queue managers by name.
    """

    def __init__(self, managers: Mapping[str, Shared], registry: Registry) -> None:
        self.managers = managers
        self.registry = registry

    # -- a request ----------------------------------------------------------------------------

    def admit(
        self, method: str, target: str, headers: Mapping[str, str], subject: Name = ()
    ) -> Admitted:
        """Look at the head of a request, before anything of its body is read.

        Args:
            subject: of the certificate that the client showed, () for none.
        """
        raw, _, query = target.partition("?")
        path = raw.partition("#")[0]
        resource, request = self._meant(method, path, query, headers)
        if resource.is_open:
            return Admitted(resource, request, NOBODY)
        principal = self.registry.principal(headers, path, subject)
        if method in ("POST", "PATCH", "DELETE", "PUT") and CSRF_HEADER not in headers:
            raise RestError("MQWB0100E", CSRF_HEADER)
        return Admitted(resource, request, principal)

    def _meant(
        self, method: str, path: str, query: str, headers: Mapping[str, str]
    ) -> tuple[Resource, Request]:
        parts = _parts(path)
        version = _VERSIONS.get(parts[2], 0) if parts[:2] == _PREFIX and len(parts) > 2 else 0
        rest = parts[3:]
        there = [one for one in RESOURCES if version in one.versions and _fits(one.pattern, rest)]
        if not there:
            self.registry.principal(headers, path)  # whoever is nobody learns no paths
            raise RestError("MQWB0116E", path)
        asked = "GET" if method == "HEAD" else method
        resource = next((one for one in there if one.method == asked), None)
        if resource is None:
            self.registry.principal(headers, path)
            raise RestError("MQWB2005E", method, path)
        request = Request(
            method, version, rest, dict(parse_qsl(query, keep_blank_values=True)), headers
        )
        return resource, request

    def answer(self, admitted: Admitted, body: bytes, is_gone: Callable[[], bool]) -> Answer:
        """Do what is asked; every failure becomes an answer.

        Args:
            is_gone: whether whoever asked has hung up, which ends a wait.
        """
        request = admitted.request._replace(body=body, is_gone=is_gone)
        try:
            return admitted.resource.handler(self, request, admitted.principal)
        except RestError as error:
            return error.answer
        except MQIError as error:
            return _failure(error).answer
        except (MQTriageError, ClientGone) as error:
            text = str(error) if isinstance(error, StorageError) else "the server stops"
            return _unexpected(text).answer
        except Exception as error:
            # one client's bad luck must not end the others; the trace is for the server's owner
            traceback.print_exc(file=sys.stderr)
            return _unexpected(type(error).__name__).answer

    # -- queue managers -----------------------------------------------------------------------

    def manager(self, name: str) -> Shared:
        """The queue manager of that name."""
        shared = self.managers.get(name)
        if shared is None:
            raise RestError("MQWB0009E", printable(name), codes=(2, 2058))
        return shared

    @contextmanager
    def connected(self, shared: Shared, user: str) -> Iterator[Connection]:
        """A connection for one request, whose effects are on disk when it is over.

        Args:
            user: whose authority counts; "" for the owner of the queue manager.
        """
        with shared.lock:
            before = shared.promised
            manager = shared.manager().shared()
            try:
                manager.look()  # others may have changed who may do what
                connection = Connection(manager, APPLICATION, user or authority.owner(manager))
            except BaseException:
                manager.close()
                raise
            try:
                yield connection
            finally:
                connection.disconnect()
            promised = shared.promised
            shared.look_at_log()
        shared.wake_up.notify()
        if promised != before:
            shared.sync(promised)

    # -- handlers -----------------------------------------------------------------------------

    def log_in(self, request: Request, principal: Principal) -> Answer:
        content = mqsc.content_of(request)
        user, password = content.get("username"), content.get("password")
        if not isinstance(user, str) or not isinstance(password, str):
            raise bad_body("'username' and 'password' are needed")
        if not self.registry.is_right(user, password):
            raise RestError("MQWB0104E", "")
        return Answer(204, headers=(("Set-Cookie", self.registry.given(user)),))

    def who_is_logged_in(self, request: Request, principal: Principal) -> Answer:
        roles = [role for role in ROLES if role in principal.roles]
        return json_answer({"user": [{"name": principal.name, "role": roles}]})

    def log_out(self, request: Request, principal: Principal) -> Answer:
        return Answer(204, headers=(("Set-Cookie", self.registry.emptied()),))

    def installations(self, request: Request, principal: Principal) -> Answer:
        require(principal, *ROLES)
        entry: dict[str, Any] = {
            "name": _INSTALLATION, "platform": "unix", "version": _VRMF,
        }  # fmt: skip
        if len(request.path) == 3 and request.path[2] != entry["name"]:
            raise RestError("MQWB0116E", "/".join(request.path))
        if request.query.get("attributes"):
            entry["extended"] = {"level": f"mqtriage-{__version__}", "primary": False}
        return json_answer({"installation": [entry]})

    def queue_managers(self, request: Request, principal: Principal) -> Answer:
        require(principal, *ROLES)
        names = sorted(self.managers)
        if len(request.path) == 3:
            self.manager(request.path[2])
            names = [request.path[2]]
        entries = [self._queue_manager(name, request.query) for name in names]
        state = request.query.get("state", "")
        kept = [one for one in entries if state == "" or one["state"].startswith(state)]
        return json_answer({"qmgr": kept})

    def _queue_manager(self, name: str, query: Mapping[str, str]) -> dict[str, Any]:
        """Name and state, as dspmq tells them, and what else is asked for."""
        shared = self.managers[name]
        with shared.lock:
            manager = shared.manager()
            manager.look()
            state = _STATES.get(manager.state.running, "quiescing")
            entry: dict[str, Any] = {"name": name, "state": state}
            if query.get("attributes") and not manager.is_zos:
                entry["extended"] = {
                    "installationName": _INSTALLATION, "isDefaultQmgr": False,
                    "permitStandby": "notPermitted",
                }  # fmt: skip
            if query.get("status") and state == "running":
                entry["status"] = {
                    "channelInitiatorState": "stopped",
                    "connectionCount": handles.count_connections(manager.store),
                    "ldapConnectionState": "disconnected",
                    "publishSubscribeState": "running",
                }
        return entry

    def mqsc(self, request: Request, principal: Principal) -> Answer:
        require(principal, *ROLES)
        shared = self.manager(request.path[3])
        asked = mqsc.CommandRequest(mqsc.content_of(request))
        user = self._acting_user(principal, only_looks=asked.only_looks)
        with self.connected(shared, user) as connection:
            answer = mqsc.run(connection, asked)
        return answer._replace(headers=(*answer.headers, *self._gateway(request)))

    @staticmethod
    def _acting_user(principal: Principal, *, only_looks: bool) -> str:
        """Whose authority counts, by the strongest role: "" for the owner of the queue manager."""
        role = mqsc.acting_role(principal, only_looks=only_looks)
        if role is None:
            require(principal, *(ROLES if only_looks else ("MQWebAdmin", "MQWebUser")))
        return principal.name if role == "MQWebUser" else ""

    @staticmethod
    def queue(
        work: Callable[[Connection, Request], Answer], *, only_looks: bool = False
    ) -> Handler:
        """What does *work* on queues, by the strongest role that may."""

        def handled(self: Resources, request: Request, principal: Principal) -> Answer:
            user = self._acting_user(principal, only_looks=only_looks)
            with self.connected(self.manager(request.path[2]), user) as connection:
                answer = work(connection, request)
            return answer._replace(headers=(*answer.headers, *self._gateway(request)))

        return handled

    @staticmethod
    def message(work: Callable[[Connection, Request], Answer]) -> Handler:
        """What does *work* on a queue or topic for the user who is logged in."""

        def handled(self: Resources, request: Request, principal: Principal) -> Answer:
            with self._messaging(request, principal) as (connection, _):
                return work(connection, request)

        return handled

    def get_message(self, request: Request, principal: Principal) -> Answer:
        with self._messaging(request, principal) as (connection, session):
            return messaging.get_message(connection, request, session)

    @contextmanager
    def _messaging(
        self, request: Request, principal: Principal
    ) -> Iterator[tuple[Connection, Session]]:
        """A connection for messages, and what waits with it; its failures become answers."""
        require(principal, "MQWebUser")
        shared = self.manager(request.path[2])
        messaging.check_accepted(request)
        try:
            with self.connected(shared, principal.name[:12]) as connection:
                authority.check_connect(connection)
                session = Session(shared, principal.name, request.is_gone)
                session.connected(connection)
                yield connection, session
        except MQIError as error:
            raise messaging.failure(error, request) from error

    def _gateway(self, request: Request) -> tuple[tuple[str, str], ...]:
        """The header that says by which queue manager the command went."""
        gateway = request.headers.get(_GATEWAY, "")
        if not gateway:
            return ()
        self.manager(gateway)
        return ((_GATEWAY, gateway),)


def _parts(path: str) -> tuple[str, ...]:
    """The parts of a path, decoded; a topic string, whose levels are parts too, is one."""
    raw = path[1:].split("/")
    if raw[3:4] == ["messaging"] and raw[6:7] == ["topic"] and len(raw) > 8:
        raw = [*raw[:7], "/".join(raw[7:-1]), raw[-1]]
    return tuple(unquote(part) for part in raw)


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    return len(pattern) == len(path) and all(
        part in ("{}", given) and given for part, given in zip(pattern, path, strict=True)
    )


def _failure(error: MQIError) -> RestError:
    """A call that a queue manager refused."""
    is_gone = error.reason in (cmqc.MQRC_Q_MGR_NOT_AVAILABLE, cmqc.MQRC_Q_MGR_STOPPING)
    return RestError(
        "MQWB0004E",
        error.reason,
        name_of_reason(error.reason),
        status=503 if is_gone else 500,
        explanation=error.text,
        action=error.hint or "",
        codes=(error.comp_code, error.reason),
        error_type="pcf",
    )


def _unexpected(text: str) -> RestError:
    return RestError("MQWB0000E", f" {text}", error_type="java")


_NAMED: Final = "{}"
_QUEUES: Final = ("admin", "qmgr", _NAMED, "queue")
_ON_QUEUE: Final = ("messaging", "qmgr", _NAMED, "queue", _NAMED)
RESOURCES: Final = (
    Resource("POST", ("login",), Resources.log_in, is_open=True),
    Resource("GET", ("login",), Resources.who_is_logged_in),
    Resource("DELETE", ("login",), Resources.log_out),
    Resource("GET", ("admin", "installation"), Resources.installations),
    Resource("GET", ("admin", "installation", _NAMED), Resources.installations),
    Resource("GET", ("admin", "qmgr"), Resources.queue_managers),
    Resource("GET", ("admin", "qmgr", _NAMED), Resources.queue_managers),
    Resource(
        "POST", ("admin", "action", "qmgr", _NAMED, "mqsc"), Resources.mqsc,
        most_bytes=_COMMAND_BYTES,
    ),
    Resource("GET", _QUEUES, Resources.queue(queues.listed, only_looks=True), (1,)),
    Resource("GET", (*_QUEUES, _NAMED), Resources.queue(queues.listed, only_looks=True), (1,)),
    Resource("POST", _QUEUES, Resources.queue(queues.created), (1,), _COMMAND_BYTES),
    Resource("PATCH", (*_QUEUES, _NAMED), Resources.queue(queues.changed), (1,), _COMMAND_BYTES),
    Resource("DELETE", (*_QUEUES, _NAMED), Resources.queue(queues.deleted), (1,)),
    Resource(
        "POST", (*_ON_QUEUE, "message"), Resources.message(messaging.put_message),
        most_bytes=GREATEST_MAXMSGL,
    ),
    Resource("GET", (*_ON_QUEUE, "message"), Resources.message(messaging.browse_message)),
    Resource("DELETE", (*_ON_QUEUE, "message"), Resources.get_message),
    Resource("GET", (*_ON_QUEUE, "messagelist"), Resources.message(messaging.list_messages)),
    Resource(
        "POST", ("messaging", "qmgr", _NAMED, "topic", _NAMED, "message"),
        Resources.message(messaging.publish), (2, 3), GREATEST_MAXMSGL,
    ),
)  # fmt: skip
