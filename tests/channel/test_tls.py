"""Clients in TLS: SSLCIPH, SSLCAUTH, SSLPEER, channel authentication by certificates."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.emulator.channel import bodies, client_socket, tls
from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.emulator.channel.tls import (
    Handshake,
    cipher_problem,
    handshake_problem,
    server_context,
)
from mqtriage.mq.errors import StorageError, UsageError
from tests.channel.test_refusals import users_file
from tests.support.channel_client import INPUT, ChannelClient, wanted
from tests.support.channel_server import ChannelServer
from tests.support.tools import tool

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"
_NEW_KEY = "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"
TLS_CHANNELS = (
    "DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(CERT) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
)


class Certificates:
    """A server's certificate, an authority, and those of two clients that it signed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.own("server", "/CN=localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.own("ca", "/O=Example/CN=Authority", "basicConstraints=critical,CA:TRUE")
        for name in ("app", "ops"):
            subject = f"/C=GB/O=Example/OU=Pay/OU={name}/CN={name}1"
            self._openssl(
                "req", *_NEW_KEY, "-nodes", "-keyout", f"{name}.key",
                "-out", f"{name}.csr", "-subj", subject,
            )  # fmt: skip
            self._openssl(
                "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-out", f"{name}.pem",
            )  # fmt: skip

    def own(self, name: str, subject: str, extension: str) -> None:
        self._openssl(
            "req", "-x509", *_NEW_KEY, "-nodes", "-keyout", f"{name}.key",
            "-out", f"{name}.pem", "-days", "2", "-subj", subject, "-addext", extension,
        )  # fmt: skip

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(
            [tool("openssl"), *arguments], cwd=self._folder, check=True, capture_output=True
        )

    def __getitem__(self, name: str) -> str:
        return str(self._folder / name)

    def client(self, name: str = "") -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self["server.pem"])
        if name:
            context.load_cert_chain(self[f"{name}.pem"], self[f"{name}.key"])
        return context

    def options(self) -> dict[str, str]:
        return {"tls_cert": self["server.pem"], "tls_key": self["server.key"],
                "tls_ca": self["ca.pem"]}  # fmt: skip


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def ciphered(new_server: Callable[..., ChannelServer], certificates: Certificates) -> ChannelServer:
    channel_server = new_server()
    channel_server.mqsc(*TLS_CHANNELS)
    channel_server.start(**certificates.options())
    return channel_server


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_puts_and_gets_in_tls(
    ciphered: ChannelServer, certificates: Certificates, version: ssl.TLSVersion
) -> None:
    context = certificates.client()
    context.minimum_version = context.maximum_version = version
    with ciphered.client("OPEN", context=context) as client:
        client.put(QUEUE, bytes(range(256)) * 4000)
        assert client.get(QUEUE) == bytes(range(256)) * 4000


def test_a_channel_takes_those_with_its_cipher_alone(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    """One without SSLCIPH takes none in TLS, one with it none without."""
    assert ciphered.refusal("OPEN") == 24
    assert ciphered.refusal(context=certificates.client()) == 24
    ciphered.client().close()
    old = certificates.client()
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    ciphered.mqsc("ALTER CHANNEL(OPEN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13)")
    assert ciphered.refusal("OPEN", context=old) == 24
    ciphered.client("OPEN", context=certificates.client()).close()
    assert "SSLCIPH(ANY_TLS13), but the client does not support that cipher" in ciphered.lines()[-1]


@pytest.mark.parametrize(
    ("cipher_spec", "cipher", "version"),
    [
        ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", "TLSv1.3"),
        ("TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLSv1.3"),
        ("ECDHE_RSA_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "TLSv1.2"),
        ("ECDHE_ECDSA_AES_256_CBC_SHA384", "ECDHE-ECDSA-AES256-SHA384", "TLSv1.2"),
        ("ECDHE_RSA_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "TLSv1.2"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256", "TLSv1.2"),
        ("TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", "TLSv1.2"),
        ("ANY", "AES256-GCM-SHA384", "TLSv1.2"),
    ],
)
def test_names_of_cipher_specs_are_those_of_openssl(
    cipher_spec: str, cipher: str, version: str
) -> None:
    """IBM MQ documentation, "Enabling CipherSpecs"."""
    assert cipher_problem(cipher_spec, Handshake(version, frozenset({cipher}))) == ""
    assert cipher_problem("TLS_AES_128_CCM_SHA256", Handshake(version, frozenset({cipher})))
    assert cipher_problem(cipher_spec, None)


def test_every_cipher_spec_is_one_that_the_server_has(certificates: Certificates) -> None:
    context = server_context(certificates["server.pem"], certificates["server.key"])
    names = {cipher["name"] for cipher in context.get_ciphers()}
    assert {"AES128-SHA256", "ECDHE-RSA-AES128-SHA256", "TLS_AES_128_GCM_SHA256"} <= names
    assert not [name for name in names if "NULL" in name or "RC4" in name or "DES" in name]


@pytest.mark.slow
def test_a_client_in_tls_is_shown_with_its_certificate_and_ends_with_its_channel(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    with ciphered.client("OPEN", context=certificates.client("app")) as client:
        cells = ciphered.command("DISPLAY CHSTATUS(OPEN) SECPROT SSLPEER")
        assert "SECPROT(TLSV13)" in cells
        assert any("CN=" in cell for cell in cells if cell.startswith("SSLPEER("))
        ciphered.mqsc("STOP CHANNEL(OPEN) MODE(FORCE)")
        client.socket.settimeout(60)
        with pytest.raises(ConnectionError):
            client.receive()
    assert ciphered.refusal("OPEN", context=certificates.client()) == 22


def test_a_channel_asks_for_certificates_of_its_authority(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    """SSLCAUTH is REQUIRED unless the channel says otherwise."""
    assert ciphered.refusal("CERT", context=certificates.client()) == 24
    ciphered.client("CERT", context=certificates.client("app")).close()
    own = certificates.client()
    own.load_cert_chain(certificates["server.pem"], certificates["server.key"])
    assert ciphered.refusal("CERT", context=own) == 0, "nobody knows who signed that one"


def test_sslpeer_is_for_certificates_with_that_name(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    for pattern, suits in (
        ("CN=app*", True), ("cn=APP1, ou=pay, ou=app, C=GB", True), ("OU=app,OU=Pay", False),
        ("CN=ops1", False), ("CN=app1,L=York", False), ("CN=*1;O=Exam*", True),
    ):  # fmt: skip
        ciphered.mqsc(f"ALTER CHANNEL(CERT) CHLTYPE(SVRCONN) SSLPEER('{pattern}')")
        if suits:
            ciphered.client("CERT", context=certificates.client("app")).close()
        else:
            assert ciphered.refusal("CERT", context=certificates.client("app")) == 25, pattern


def test_channel_authentication_goes_by_certificates_first(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    """SSLPEERMAP before USERMAP and ADDRESSMAP; SSLCERTI is the issuer's name."""
    ciphered.mqsc(
        "SET CHLAUTH(CERT) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
        "SET CHLAUTH(CERT) TYPE(SSLPEERMAP) SSLPEER('CN=app1,OU=Pay') USERSRC(CHANNEL)",
        "SET CHLAUTH(CERT) TYPE(SSLPEERMAP) SSLPEER('CN=ops1') SSLCERTI('CN=Another') "
        "USERSRC(CHANNEL)",
    )
    ciphered.client("CERT", context=certificates.client("app")).close()
    assert ciphered.refusal("CERT", context=certificates.client("ops")) == 2035
    ciphered.mqsc(
        "SET CHLAUTH(CERT) TYPE(SSLPEERMAP) SSLPEER('CN=ops1') SSLCERTI('CN=Authority') "
        "USERSRC(CHANNEL)"
    )
    ciphered.client("CERT", context=certificates.client("ops")).close()


@pytest.mark.slow
def test_passwords_are_readable_in_tls_at_the_newest_level(
    new_server: Callable[..., ChannelServer], certificates: Certificates, tmp_path: Path
) -> None:
    locked = new_server()
    locked.mqsc(*TLS_CHANNELS)
    locked.start(users_file(tmp_path), **certificates.options())
    context = certificates.client()
    with locked.client("OPEN", context=context, user="app", password="secret", fap=17) as client:
        assert client.agreed["fap"] == 17
    assert locked.refusal("OPEN", context=context, user="app", password="wrong") == 2035


def test_a_get_waits_while_another_thread_is_sent_to(
    ciphered: ChannelServer, certificates: Certificates
) -> None:
    """The thread that reads and the one that ends a wait use one TLS connection at once."""
    with (
        ciphered.client("OPEN", context=certificates.client()) as one,
        ciphered.client("OPEN", context=certificates.client()) as other,
    ):
        receiving = one.open(QUEUE, INPUT)
        for number in range(30):
            one.begin(SegmentType.MQGET, **wanted(receiving, syncpoint=False, wait_ms=60_000))
            other.put(QUEUE, b"%d" % number)
            answer = one.receive()
            body = bodies.decode(answer.type, answer.body, answer.order)[0]
            assert body["data"][: body["data_length"]] == b"%d" % number


def test_the_server_says_that_a_client_does_not_trust_its_certificate(
    ciphered: ChannelServer,
) -> None:
    with pytest.raises(ssl.SSLError):
        ciphered.client("OPEN", context=ssl.create_default_context())
    until = time.monotonic() + 60
    while not (lines := ciphered.lines()):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert "ALERT_UNKNOWN_CA: the client does not trust this certificate" in lines[0]


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        ("SSLV3_ALERT_CERTIFICATE_UNKNOWN", "the client does not trust this certificate"),
        ("sslv3 alert certificate expired", "the client finds that this certificate"),
        ("NO_SHARED_CIPHER", "client and listener have no cipher in common"),
        ("TLSV1_ALERT_PROTOCOL_VERSION", "client and listener have no protocol in common"),
        ("CERTIFICATE_VERIFY_FAILED", "the client's certificate is not valid"),
    ],
)
def test_a_failed_handshake_is_explained(reason: str, meaning: str) -> None:
    assert handshake_problem(reason).startswith(f"TLS: {reason}: {meaning}")
    assert handshake_problem("SOMETHING_ELSE") == "TLS: SOMETHING_ELSE"


@pytest.mark.parametrize("first", [b"\x16\x03\x01\x00\x05hello", b"\x16", b""])
@pytest.mark.slow
def test_no_handshake_that_fails_or_stalls_holds_others_up(
    new_server: Callable[..., ChannelServer],
    certificates: Certificates,
    monkeypatch: pytest.MonkeyPatch,
    first: bytes,
) -> None:
    monkeypatch.setattr(tls, "HANDSHAKE_S", 3.0)
    server = new_server()
    server.mqsc(*TLS_CHANNELS)
    server.start(**certificates.options())
    with socket.create_connection(("127.0.0.1", server.port), 60) as stalled:
        stalled.sendall(first)
        server.client("OPEN", context=certificates.client()).close()
        if first:
            while stalled.recv(100):
                pass  # an alert, then the end


@pytest.mark.slow
def test_without_mqconn_a_socket_in_tls_ends(
    new_server: Callable[..., ChannelServer],
    certificates: Certificates,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_socket, "_CONNECT_S", 2.0)
    server = new_server()
    server.mqsc(*TLS_CHANNELS)
    server.start(**certificates.options())
    context = certificates.client()
    with server.client("OPEN", context=context, connect=False) as silent:
        begun_s = time.monotonic()
        with pytest.raises(ConnectionError):
            silent.receive()
        assert 1.0 < time.monotonic() - begun_s < 10
    assert server.lines() == ["mqtriage: 127.0.0.1: no MQCONN within 2 s"]


def test_tls_without_a_certificate_of_the_server_is_one_line(
    server: ChannelServer, certificates: Certificates
) -> None:
    with pytest.raises((ssl.SSLError, ConnectionError)):
        ChannelClient(server.port, context=certificates.client())
    server.stop()
    assert server.lines() == [
        "mqtriage: 127.0.0.1: begins with TLS, but the listener has no certificate (--tls-cert)"
    ]


def test_files_that_are_no_certificate_or_key_are_refused(
    certificates: Certificates, tmp_path: Path
) -> None:
    text = tmp_path / "text.pem"
    text.write_text("nothing of the kind")
    with pytest.raises(StorageError):
        server_context(str(tmp_path / "missing"), certificates["server.key"])
    for certificate, key, authorities in (
        (str(text), certificates["server.key"], ""),
        (certificates["server.pem"], certificates["app.key"], ""),
        (certificates["server.pem"], certificates["server.key"], str(text)),
    ):
        with pytest.raises(UsageError):
            server_context(certificate, key, authorities)


def test_a_key_behind_a_passphrase_is_refused_without_asking(
    certificates: Certificates, tmp_path: Path
) -> None:
    locked = tmp_path / "locked.key"
    subprocess.run(
        [tool("openssl"), "ec", "-aes256", "-in", certificates["server.key"], "-out", locked,
         "-passout", "pass:secret"], check=True, capture_output=True,
    )  # fmt: skip
    outcome: list[Exception] = []

    def load() -> None:
        try:
            server_context(certificates["server.pem"], str(locked))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(60)
    assert [type(error) for error in outcome] == [UsageError]
