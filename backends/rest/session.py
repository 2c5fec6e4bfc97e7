"""Asking mqweb: login, token and version, the header against forged requests, errors in our words.

The token (LTPA) is kept in memory. Where it runs out in the middle of something, we log in again
and ask once more: a request that was answered with 401 has not been carried out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import quote

from mqtriage.backends.clock import Clock
from mqtriage.backends.rest.transport import ANSWER_S, HttpAnswer, Transport
from mqtriage.model.rest_settings import RestSettings
from mqtriage.mq import cmqc
from mqtriage.mq.errors import (
    MQTriageError,
    NotAuthorized,
    Unreachable,
    mqi_error,
)
from mqtriage.mq.times import SECOND_US
from mqtriage.records import NamedTuple

VERSIONS: Final = (3, 2, 1)
"""v3 has priority and properties of messages; v1 is of 9.1 and older, and answers everywhere."""

CSRF: Final = "ibm-mq-rest-csrf-token"
GATEWAY: Final = "ibm-mq-rest-gateway-qmgr"
_JSON: Final = "application/json;charset=utf-8"
_SHOWN: Final = 200


class ServerError(NamedTuple):
    """The first error of an answer of mqweb.

    Attributes:
        id: "MQWB0009E"; "" for an answer without one.
        reason: MQRC_* where a queue manager was asked, else 0.
    """

    id: str
    text: str
    reason: int


class WebSession:
    """One user's way to one web server.

    Attributes:
        version: of the REST API, the newest that both sides know.
    """

    def __init__(
        self, settings: RestSettings, clock: Clock, *, transport: Transport | None = None
    ) -> None:
        """Log in.

        Raises:
            NotAuthorized: 2035, user or password is wrong.
            ConnectionFailed, Unreachable: Nobody answers, or not mqweb.
        """
        self._settings = settings
        self._clock = clock
        self.transport = transport or Transport(settings)
        self._cookie = ""
        self.version = 0
        self._log_in()

    @property
    def host(self) -> str:
        return self.transport.host

    def ask(
        self,
        method: str,
        path: str,
        doing: str,
        *,
        document: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        changes: bool = True,
        answer_s: float = ANSWER_S,
    ) -> HttpAnswer:
        """Send a request of the newest version; returns any answer that is one of mqweb.

        Args:
            path: behind ``/ibmmq/rest/v3``, percent-encoded.
            document: sent as JSON in the place of *body*.
            changes: whether it may change something: then it is not sent twice.

        Raises:
            NotAuthorized: 401, or 403 without a queue manager's word.
            ConnectionFailed, Unreachable: As `Transport.send`.
        """
        given = dict(headers or {})
        if document is not None:
            body = json.dumps(document, ensure_ascii=False).encode()
            given["Content-Type"] = _JSON
        whole = f"/ibmmq/rest/v{self.version}{path}"
        answer = self._sent(method, whole, doing, given, body, changes=changes, answer_s=answer_s)
        if answer.status == 401 and self._cookie:
            self._cookie = ""
            self._log_in()
            answer = self._sent(
                method, whole, doing, given, body, changes=changes, answer_s=answer_s
            )
        if answer.status == 401:
            raise self._refused(doing, answer)
        return answer

    def _sent(
        self,
        method: str,
        path: str,
        doing: str,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        changes: bool,
        answer_s: float = ANSWER_S,
    ) -> HttpAnswer:
        sent = {"Accept-Language": "en", **headers}
        if method != "GET":
            sent[CSRF] = "mqtriage"
        if self._settings.gateway and "/admin/" in path:
            sent[GATEWAY] = self._settings.gateway
        if self._cookie:
            sent["Cookie"] = self._cookie
        elif self._settings.user:
            sent["Authorization"] = _basic(self._settings.user, self._settings.password)
        answer = self.transport.send(
            method, path, sent, body, doing, changes=changes, answer_s=answer_s
        )
        self._keep(answer)
        return answer

    def _log_in(self) -> None:
        """Get a token where there is a user, and learn the version."""
        doing = f"log in to {self.host}" if self._settings.user else f"ask {self.host} who we are"
        for version in (self.version,) if self.version else VERSIONS:
            answer = self._login(version, doing)
            if answer.status in (404, 405) and version != VERSIONS[-1]:
                continue
            if answer.status in (401, 403):
                raise self._refused(doing, answer)
            if answer.status != (204 if self._settings.user else 200):
                raise unexpected(doing, answer, self.host)
            self.version = version
            return

    def _login(self, version: int, doing: str) -> HttpAnswer:
        path = f"/ibmmq/rest/v{version}/login"
        if not self._settings.user:
            return self._sent("GET", path, doing, {}, None, changes=False)
        who = {"username": self._settings.user, "password": self._settings.password}
        headers = {"Content-Type": _JSON, "Accept-Language": "en"}
        answer = self.transport.send(
            "POST", path, headers, json.dumps(who).encode(), doing, changes=False
        )
        if answer.status == 204:  # a server without tokens gets the password with each request
            self._keep(answer)
        return answer

    def _keep(self, answer: HttpAnswer) -> None:
        """Remember a token that was given, and what the server's clock says."""
        for text in answer.cookies:
            try:
                for name, morsel in SimpleCookie(text).items():
                    if name.startswith("LtpaToken") and answer.status < 400:
                        self._cookie = f"{name}={morsel.coded_value}" if morsel.value else ""
            except CookieError:
                continue
        try:
            seen = parsedate_to_datetime(answer.headers.get("date", ""))
        except ValueError:
            return
        # the header has whole seconds: half of one is what it lacks on average
        self._clock.saw_us(round(seen.timestamp()) * SECOND_US + SECOND_US // 2)

    def roles(self) -> tuple[str, ...]:
        """What the user may do on the web server: MQWebAdmin, MQWebAdminRO, MQWebUser.

        Raises:
            MQTriageError: It does not tell.
        """
        users = self._listed("/login", "user", "query the roles")
        roles = (user.get("role") for user in users)
        return tuple(str(role) for some in roles if isinstance(some, list) for role in some)

    def running(self) -> list[str]:
        """The queue managers of the web server that run.

        Raises:
            MQTriageError: It does not tell.
        """
        managers = self._listed("/admin/qmgr", "qmgr", "list the queue managers")
        return [str(one.get("name")) for one in managers if one.get("state") == "running"]

    def _listed(self, path: str, member: str, doing: str) -> list[dict[str, Any]]:
        answer = self.ask("GET", path, doing, changes=False)
        known = answer.json()
        listed = known.get(member) if isinstance(known, dict) else None
        if answer.status != 200 or not isinstance(listed, list):
            raise failure(doing, answer, self.host)
        return [one for one in listed if isinstance(one, dict)]

    def _refused(self, doing: str, answer: HttpAnswer) -> NotAuthorized:
        error = error_of(answer)
        detail = error.text if error else f"{self.host} answered {answer.status}"
        return NotAuthorized(
            cmqc.MQRC_NOT_AUTHORIZED,
            doing,
            detail=detail,
            hint="a user of mqweb's own registry (mqwebuser.xml), and its password"
            if self._settings.user or self._settings.certificate
            else "--set user=NAME with its password, or --set tls.certfile=FILE",
        )

    def close(self) -> None:
        """Forget the token; on the server it ends by itself, DELETE /login would not hasten it."""
        self._cookie = ""
        self.transport.close()


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def segment(name: str) -> str:
    """A name as a part of a path; the documentation wants dots written in another way, too."""
    return quote(name, safe="").replace(".", "%2E")


def error_of(answer: HttpAnswer) -> ServerError | None:
    """The first error in an answer; None where it holds none."""
    known = answer.json()
    errors = known.get("error") if isinstance(known, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else None
    if not isinstance(first, dict):
        return None
    name = first.get("msgId") or first.get("messageId") or ""
    text = " ".join(str(first.get("message") or name).split())[:_SHOWN]
    reason = first.get("reasonCode")
    return ServerError(str(name), text, reason if isinstance(reason, int) else 0)


_BY_ID: Final = {
    "MQWB0009E": cmqc.MQRC_Q_MGR_NAME_ERROR,
    "MQWB0103E": cmqc.MQRC_NOT_AUTHORIZED,
    "MQWB0108E": cmqc.MQRC_NOT_AUTHORIZED,
    "MQWB0116E": cmqc.MQRC_FUNCTION_NOT_SUPPORTED,
}
_HINTS: Final = {
    "MQWB0108E": "commands need the MQWebAdmin, MQWebAdminRO or MQWebUser role, messages MQWebUser:"
    " security roles in mqwebuser.xml",
    "MQWB0111E": "the queue manager needs SYSTEM.REST.REPLY.QUEUE",
}


def failure(doing: str, answer: HttpAnswer, host: str, object_name: str = "") -> MQTriageError:
    """The error that an unsuccessful answer reports."""
    error = error_of(answer)
    if error is None:
        return unexpected(doing, answer, host)
    reason = error.reason or _BY_ID.get(error.id, 0)
    hint = _HINTS.get(error.id)
    if reason:
        return mqi_error(reason, doing, detail=error.text, hint=hint, object_name=object_name)
    if answer.status == 403:
        return NotAuthorized(
            cmqc.MQRC_NOT_AUTHORIZED, doing, detail=error.text, hint=hint, object_name=object_name
        )
    return MQTriageError(f"{doing}: {error.text}", hint=hint, object_name=object_name)


def unexpected(doing: str, answer: HttpAnswer, host: str) -> MQTriageError:
    """The error of an answer that mqweb would not give, or that says too little."""
    error = error_of(answer)
    if error is not None:
        return MQTriageError(f"{doing}: {error.text}")
    kind = answer.headers.get("content-type", "no Content-Type")[:60]
    return Unreachable(
        f"{doing}: {host} answered {answer.status}, {len(answer.body)} bytes of {kind}: this is "
        "not a response from IBM MQ's REST API",
        hint="check that url is the address of IBM MQ's web server (mqweb)",
    )
