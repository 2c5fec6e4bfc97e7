"""HTTP requests to one web server: certificates, proxies, timeouts, repeats; all use of urllib3.

A request that only reads is sent again where its answer was lost. One that changes something is
sent again only where it cannot have arrived: else the outcome is unknown, and is said.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final, NoReturn
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from mqtriage.files.failures import read_errors
from mqtriage.model.installing import install_command
from mqtriage.model.rest_settings import RestSettings
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NoClient, Unreachable, UsageError, mqi_error
from mqtriage.records import NamedTuple

try:
    import urllib3
    from urllib3.exceptions import (
        ConnectTimeoutError,
        HTTPError,
        InsecureRequestWarning,
        MaxRetryError,
        NewConnectionError,
        ProtocolError,
        ProxyError,
        SSLError,
    )
except ImportError as error:
    raise NoClient(
        f"backend rest needs the Python package urllib3: {error}",
        hint=install_command("rest"),
    ) from None

CONNECT_S: Final = 10
ANSWER_S: Final = 35
"""mqweb itself waits 30 s for its queue manager (mqRestRequestTimeout)."""
MOST_BYTES: Final = 1 << 30
_STEP: Final = 1 << 16
_AGAIN: Final = 2
_RETRIES: Final = urllib3.Retry(
    total=None, connect=_AGAIN, read=0, other=0, status=0, redirect=0, backoff_factor=0.2
)
"""A connection that is not made is tried again: nothing was sent."""
_UNKNOWN: Final = "the outcome is unknown"


class HttpAnswer(NamedTuple):
    """What the server answered.

    Attributes:
        headers: with names in lower case; of one that came twice both, with a comma.
        cookies: Set-Cookie, each by itself.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    cookies: tuple[str, ...] = ()

    def json(self) -> Any:
        """The body, None where it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class Transport:
    """Sends requests over connections that are kept."""

    def __init__(self, settings: RestSettings) -> None:
        self._settings = settings
        self.host = urlsplit(settings.url).netloc
        self._pool = self._made()

    def _made(self) -> urllib3.PoolManager:
        more: dict[str, Any] = {"num_pools": 1, "maxsize": 1}
        if self._settings.url.startswith("https:"):
            more["ssl_context"] = self._context()
        split = urlsplit(self._settings.url)
        proxy = getproxies().get(split.scheme)
        if not proxy or proxy_bypass(split.netloc):
            return urllib3.PoolManager(**more)
        by = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if by.username:
            credentials = f"{unquote(by.username)}:{unquote(by.password or '')}"
            more["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=credentials)
        where = f"{by.scheme}://{by.netloc.rpartition('@')[2]}"
        try:
            return urllib3.ProxyManager(where, **more)
        except (HTTPError, ValueError):
            raise UsageError(
                f"{split.scheme}_proxy {where}: only HTTP proxies are supported",
                hint=f"no_proxy={split.hostname} bypasses it",
            ) from None

    def _context(self) -> ssl.SSLContext:
        settings = self._settings
        if settings.ca:
            with read_errors(f"tls.cafile {settings.ca}"):
                open(settings.ca, "rb").close()
        try:
            context = ssl.create_default_context(cafile=settings.ca or None)
        except ssl.SSLError:
            raise UsageError(
                f"tls.cafile {settings.ca}: there is no certificate in it",
                hint="a file in PEM form",
            ) from None
        if settings.own_ca:
            with suppress(OSError):  # not there, or damaged: then the check of the server fails
                context.load_verify_locations(settings.own_ca)
        if settings.is_unchecked:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            urllib3.disable_warnings(InsecureRequestWarning)
        if settings.certificate:
            self._show_certificate(context)
        return context

    def _show_certificate(self, context: ssl.SSLContext) -> None:
        path = self._settings.certificate

        def no_password() -> str:
            raise UsageError(
                f"tls.certfile {path}: its key has a password, which cannot be entered",
                hint="openssl pkey -in FILE -out NEW removes the password; chmod 600 NEW",
            )

        with read_errors(f"tls.certfile {path}"):
            open(path, "rb").close()
        try:
            context.load_cert_chain(path, password=no_password)
        except ssl.SSLError:
            raise UsageError(
                f"tls.certfile {path}: no certificate with its key",
                hint="a file in PEM form with both",
            ) from None

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        doing: str,
        *,
        changes: bool,
        answer_s: float = ANSWER_S,
    ) -> HttpAnswer:
        """Send a request.

        Args:
            path: from ``/ibmmq`` on, with its query, percent-encoded.
            doing: ``display QLOCAL(A)``, for errors.
            changes: whether it may change something, so that it must not be sent twice.
            answer_s: how long the answer is waited for.

        Raises:
            ConnectionFailed: 2538, 2393 without a connection, 2009 where it was lost.
            Unreachable: It was answered with what is no answer of mqweb, or elsewhere.
        """
        doubt = f"; {_UNKNOWN}" if changes else ""
        repeats = 0 if changes else _AGAIN
        while True:
            try:
                response = self._pool.request(
                    method,
                    self._settings.url + path,
                    body=body,
                    headers=dict(headers),
                    timeout=urllib3.Timeout(connect=CONNECT_S, read=answer_s),
                    retries=_RETRIES,
                    redirect=False,
                    preload_content=False,
                )
                data = _read(response, time.monotonic() + answer_s + CONNECT_S)
                break
            except (HTTPError, HTTPException, OSError, ValueError) as error:
                cause = error.reason if isinstance(error, MaxRetryError) else error
                if not repeats or not isinstance(cause, ProtocolError):
                    self._raise(cause or error, doing, doubt)
                repeats -= 1
        if data is None:
            raise Unreachable(f"{doing}: the response from {self.host} is incomplete{doubt}")
        cookies = tuple(response.headers.getlist("set-cookie"))
        named = {name.lower(): value for name, value in response.headers.items()}
        answer = HttpAnswer(response.status, named, data, cookies)
        if 300 <= answer.status < 400:
            to = urlsplit(answer.headers.get("location", ""))
            where = f"{to.scheme}://{to.netloc}" if to.netloc else "another path"
            raise Unreachable(
                f"{doing}: {self.host} redirects to {where}, which mqtriage does not send a"
                " password to",
                hint="url must be the address of the web server itself",
            )
        return answer

    def _raise(self, error: BaseException, doing: str, doubt: str) -> NoReturn:
        """The failure in our words; the texts of theirs hold no header and no body."""
        where = doing if self.host in doing else f"{doing} at {self.host}"
        if isinstance(error, ProxyError):
            cause = error.original_error
            raise mqi_error(
                cmqc.MQRC_HOST_NOT_AVAILABLE, where, detail=f"the proxy: {_first_line(cause)}"
            ) from error
        if isinstance(error, SSLError) or isinstance(error.__cause__, ssl.SSLError):
            text = _first_line(error)
            is_ours = "CERTIFICATE_VERIFY_FAILED" in text or "certificate verify failed" in text
            raise mqi_error(
                cmqc.MQRC_SSL_INITIALIZATION_ERROR,
                where,
                detail=text,
                hint="use --set tls.cafile=FILE, a PEM file that contains the server's "
                "certificate or the CA certificate that signed it"
                if is_ours
                else None,
            ) from error
        if isinstance(error, NewConnectionError | ConnectTimeoutError):
            raise mqi_error(
                cmqc.MQRC_HOST_NOT_AVAILABLE,
                where,
                detail=_first_line(error),
                hint="is mqweb running there (strmqweb), and does it listen on external addresses"
                " (setmqweb properties -k httpHost -v '*')?",
            ) from error
        raise mqi_error(
            cmqc.MQRC_CONNECTION_BROKEN, where, detail=f"{_first_line(error)}{doubt}"
        ) from error

    def close(self) -> None:
        self._pool.clear()


def _read(response: urllib3.BaseHTTPResponse, until_s: float) -> bytes | None:
    """The body; None where it is larger or slower than any answer."""
    parts, size = [], 0
    try:
        while part := response.read1(_STEP):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES or time.monotonic() > until_s:
                return None
    except BaseException:
        response.close()
        raise
    response.release_conn()
    return b"".join(parts)


def _first_line(error: object) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:200]}..."
