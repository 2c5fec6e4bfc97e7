"""TLS around a client channel: the server's certificate, a socket, and what the client showed.

Source: IBM MQ documentation, "Enabling CipherSpecs", SSLCIPH, SSLCAUTH and SSLPEER of DEFINE
CHANNEL.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mqtriage.files.failures import storage_errors
from mqtriage.files.whole import read_secret, read_whole
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.errors import UsageError
from mqtriage.mq.security import distinguished_names
from mqtriage.mq.security.distinguished_names import Name

HANDSHAKE_S: Final = 10.0
HANDSHAKE_RECORD: Final = b"\x16"
"""The first byte of a client that comes in TLS."""
_READ_BYTES: Final = 1 << 16
_CIPHERS: Final = (
    "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES:DHE+AES:RSA+AESGCM:RSA+AES:!aNULL:!eNULL:!SHA1:!MD5"
)
"""Those of IBM MQ's CipherSpecs for TLS 1.2; those for TLS 1.3 need not be listed."""
_TYPES: Final[Mapping[str, str]] = {
    "commonName": "CN", "organizationalUnitName": "OU", "organizationName": "O",
    "countryName": "C", "localityName": "L", "stateOrProvinceName": "ST", "title": "T",
    "streetAddress": "STREET", "emailAddress": "MAIL", "domainComponent": "DC", "userId": "UID",
    "postalCode": "PC", "dnQualifier": "DNQ", "unstructuredName": "UNSTRUCTUREDNAME",
    "unstructuredAddress": "UNSTRUCTUREDADDRESS",
}  # fmt: skip
_AT_LEAST: Final[Mapping[str, tuple[str, ...]]] = {
    "ANY": ("TLSv1.2", "TLSv1.3"),
    "ANY_TLS12": ("TLSv1.2",),
    "ANY_TLS12_OR_HIGHER": ("TLSv1.2", "TLSv1.3"),
    "ANY_TLS13": ("TLSv1.3",),
    "ANY_TLS13_OR_HIGHER": ("TLSv1.3",),
}
"""CipherSpecs that leave the cipher open, with the protocols that they take."""


class Handshake(NamedTuple):
    """What a client's handshake showed.

    Attributes:
        version: of the protocol in use, such as "TLSv1.3".
        ciphers: OpenSSL's names of those that both ends have; the one in use among them.
        subject, issuer: of the client's certificate, which was verified; () where it has none.
    """

    version: str
    ciphers: frozenset[str]
    subject: Name = ()
    issuer: Name = ()


def server_context(certificate: str, key: str, authorities: str = "") -> ssl.SSLContext:
    """What the handshakes of a server go by.

    Args:
        certificate, key: PEM files; of the certificate with those that it is signed by.
        authorities: PEM file of those that sign clients' certificates; "" asks for none.

    Raises:
        Refused: Others can read the key.
        StorageError: A file cannot be read.
        UsageError: It is no certificate or key, or the two do not belong together.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_CIPHERS)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.num_tickets = 0
    for file in filter(None, (certificate, key, authorities)):
        with storage_errors(file):
            (read_secret if file == key else read_whole)(file)
    try:
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except (ssl.SSLError, ValueError) as error:
        raise UsageError(
            f"{certificate} and {key}: not a certificate and its key in PEM form",
            hint="the key must not be encrypted, and belong to the first certificate of the file",
        ) from error
    if authorities:
        try:
            context.load_verify_locations(authorities)
        except ssl.SSLError as error:
            raise UsageError(f"{authorities}: no certificates in PEM form") from error
        context.verify_mode = ssl.CERT_OPTIONAL  # the channel says whether there must be one
    return context


class TlsSocket:
    """A socket in TLS that one thread reads while others write.

    An `ssl.SSLSocket` must not be used by two threads at once. This one has a lock around the
    protocol alone, which works in memory, and none around the socket, which may wait.

    Attributes:
        is_clogged: never, since whoever writes waits.

    Raises:
        OSError: The handshake failed, or took longer than `HANDSHAKE_S`.
    """

    is_clogged: Final = False

    def __init__(self, connected: socket.socket, context: ssl.SSLContext) -> None:
        self._socket = connected
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._lock = threading.Lock()
        self._shake_hands(time.monotonic() + HANDSHAKE_S)

    def _shake_hands(self, until: float) -> None:
        while True:
            self._socket.settimeout(max(0.001, until - time.monotonic()))
            try:
                self._tls.do_handshake()
                self._flush()
                return
            except ssl.SSLWantReadError:
                self._flush()
                self._fill()
            except ssl.SSLError:
                self._flush()  # the alert that says why
                raise

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._socket.sendall(self._outgoing.read())

    def _fill(self) -> None:
        data = self._socket.recv(_READ_BYTES)
        with self._lock:
            if data:
                self._incoming.write(data)
            else:
                self._incoming.write_eof()

    def shown(self) -> Handshake:
        """What the handshake showed."""
        certificate: Mapping[str, Any] = self._tls.getpeercert() or {}
        in_use = self._tls.cipher()
        shared = self._tls.shared_ciphers() or []
        names = {name for name, _, _ in shared} | ({in_use[0]} if in_use else set())
        return Handshake(
            self._tls.version() or "",
            frozenset(names),
            _name(certificate.get("subject", ()), str(certificate.get("serialNumber", ""))),
            _name(certificate.get("issuer", ())),
        )

    def recv(self, most_bytes: int) -> bytes:
        """As of a socket; b"" at the end, however it came."""
        while True:
            with self._lock:
                try:
                    return self._tls.read(most_bytes)
                except ssl.SSLWantReadError:
                    pass
                except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                    return b""
            self._fill()

    def sendall(self, data: bytes) -> None:
        """As of a socket; for one thread at a time."""
        with self._lock:
            self._tls.write(data)
            ciphered = self._outgoing.read()
        self._socket.sendall(ciphered)

    def settimeout(self, timeout_s: float | None) -> None:
        self._socket.settimeout(timeout_s)

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()


def _name(attributes: Any, serial_number: str = "") -> Name:
    """The name in what `getpeercert` gives: the highest level comes first there, too."""
    pairs = [
        (_TYPES[kind], value) for relative in attributes for kind, value in relative
        if kind in _TYPES
    ]  # fmt: skip
    if serial_number:
        pairs.append(("SERIALNUMBER", re.sub(r"(..)(?=.)", r"\1:", serial_number)))
    return tuple(pairs)


_HANDSHAKE_PROBLEMS: Final = (
    (("ALERT_CERTIFICATE_EXPIRED",), "the client finds that this certificate (--tls-cert) expired"),
    (("ALERT_UNKNOWN_CA", "ALERT_CERTIFICATE_UNKNOWN", "ALERT_BAD_CERTIFICATE"),
     "the client does not trust this certificate (--tls-cert): its trust store needs it,"
     " or the CA that signed it"),
    (("ALERT_HANDSHAKE_FAILURE", "NO_SHARED_CIPHER"),
     "client and listener have no cipher in common"),
    (("ALERT_PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "VERSION_TOO_LOW"),
     "client and listener have no protocol in common: the listener supports TLS 1.2 and 1.3"),
    (("CERTIFICATE_VERIFY_FAILED",),
     "the client's certificate is not valid, or its CA is not in --tls-ca"),
)  # fmt: skip
"""What OpenSSL calls the failures of a handshake that people meet, and what they mean."""


def handshake_problem(reason: str) -> str:
    """Why a handshake failed, with what OpenSSL calls it."""
    name = reason.upper().replace(" ", "_")
    meanings = (text for parts, text in _HANDSHAKE_PROBLEMS if any(part in name for part in parts))
    meaning = next(meanings, "")
    return f"TLS: {reason}" + (f": {meaning}" if meaning else "")


def cipher_problem(cipher_spec: str, shown: Handshake | None) -> str:
    """Why a client's TLS is not what SSLCIPH asks for; "" where it is.

    The client takes the channel's cipher if it offers it: the server of IBM MQ would choose that
    one, this one has another of those that both have where the client offers several.
    """
    if not cipher_spec:
        return "" if shown is None else "the channel has no SSLCIPH, but the client uses TLS"
    if shown is None:
        return f"SSLCIPH({cipher_spec}), but the client does not use TLS"
    versions = _AT_LEAST.get(cipher_spec)
    if versions is not None:
        suits = shown.version in versions
    else:
        suits = _plain_name(cipher_spec) in {_plain_name(name) for name in shown.ciphers}
    return "" if suits else f"SSLCIPH({cipher_spec}), but the client does not support that cipher"


def _plain_name(cipher: str) -> str:
    """What IBM's name of a CipherSpec and OpenSSL's of a cipher have in common."""
    name = cipher.upper().replace("-", "_").removeprefix("TLS_RSA_WITH_")
    if "CHACHA20" in name:
        name = name.removesuffix("_SHA256")
    return name.replace("_CBC_", "_").replace("_WITH_", "_").replace("AES_", "AES").replace("_", "")


def certificate_problem(attributes: Mapping[str, AttributeValue], shown: Handshake) -> str:
    """Why a client's certificate is not what SSLCAUTH asks for; "" where it is."""
    if shown.subject or str(attributes.get("SSLCAUTH", "REQUIRED")) != "REQUIRED":
        return ""
    return "SSLCAUTH(REQUIRED), but the client presents no certificate from a known authority"


def peer_problem(attributes: Mapping[str, AttributeValue], shown: Handshake) -> str:
    """Why a client's certificate does not match SSLPEER; "" where it does, or shows none."""
    pattern = str(attributes.get("SSLPEER", ""))
    if not pattern or not shown.subject:
        return ""
    try:
        matches = distinguished_names.is_matched_by(
            shown.subject, distinguished_names.parsed(pattern)
        )
    except ValueError as error:
        return f"SSLPEER: {error}"
    subject = ",".join(f"{kind}={value}" for kind, value in shown.subject)
    return "" if matches else f"SSLPEER({pattern}) does not match {subject}"
