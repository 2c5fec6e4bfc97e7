"""A certificate that a server makes for itself, where nobody gave it one.

It is made by `cryptography` where that is installed, else by the program openssl, and kept, so that
who trusts it once need not do so again until it expires.
"""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import made_folder
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import NotFound

_DAYS: Final = 825
_LEAST_LEFT_S: Final = 30 * 86_400
_SUBJECT: Final = "mqtriage emulator"


class KeyPair(NamedTuple):
    """Files in PEM form: a certificate, and its key, which only their owner can read."""

    certificate: Path
    key: Path


def own_certificate(path: Path, address: str) -> KeyPair:
    """The certificate that is kept; a new one where it expires soon or lacks a name.

    Args:
        path: of the certificate; its key stands beside it.
        address: that the server listens on.

    Raises:
        NotFound: There is neither `cryptography` nor openssl.
        StorageError: It cannot be written.
    """
    made_folder(path.parent)
    pair = KeyPair(path, path.with_suffix(".key"))
    names = _names(address)
    if not _serves(pair, names):
        key, certificate = _made(names)
        with storage_errors(str(pair.key)):
            replace_file(pair.key, [key])
            replace_file(pair.certificate, [certificate])
    return pair


def _names(address: str) -> tuple[str, ...]:
    """What clients may call the server."""
    names = ["localhost", "127.0.0.1", "::1"]
    if not ipaddress.ip_address("127.0.0.1" if address == "localhost" else address).is_loopback:
        names.append(socket.gethostname())
        if not ipaddress.ip_address(address).is_unspecified:
            names.append(address)
    return tuple(dict.fromkeys(names))


def _serves(pair: KeyPair, names: Sequence[str]) -> bool:
    """Whether both files are there, belong together, and do for some time yet."""
    if not (pair.certificate.exists() and pair.key.exists()):
        return False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(pair.certificate, pair.key, password=lambda: b"")
        context.load_verify_locations(pair.certificate)
    except (OSError, ValueError):
        return False
    kept: dict[str, Any] = dict(context.get_ca_certs()[0]) if context.get_ca_certs() else {}
    has = {_plain(name) for _, name in kept.get("subjectAltName", ())}
    until_s = ssl.cert_time_to_seconds(str(kept.get("notAfter", "Jan  1 00:00:00 1970 GMT")))
    return has.issuperset(map(_plain, names)) and until_s - time.time() > _LEAST_LEFT_S


def _plain(name: str) -> str:
    return str(ipaddress.ip_address(name)) if _is_address(name) else name


def _made(names: Sequence[str]) -> tuple[bytes, bytes]:
    try:
        return _made_here(names)
    except ImportError:
        return _made_by_openssl(names)


def _made_here(names: Sequence[str]) -> tuple[bytes, bytes]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509 import oid

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, _SUBJECT)])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False, crl_sign=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(hours=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=_DAYS))
    for extension, critical in (
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (usage, True),
        (x509.ExtendedKeyUsage([oid.ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.SubjectAlternativeName([_general_name(one) for one in names]), False),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
    ):
        builder = builder.add_extension(extension, critical=critical)
    certificate = builder.sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    private = key.private_bytes(pem, form, serialization.NoEncryption())
    return private, certificate.public_bytes(pem)


def _general_name(name: str) -> Any:
    from cryptography import x509

    if _is_address(name):
        return x509.IPAddress(ipaddress.ip_address(name))
    return x509.DNSName(name)


def _made_by_openssl(names: Sequence[str]) -> tuple[bytes, bytes]:
    """The same by the program; key and certificate come on its standard output."""
    alternatives = ",".join(f"{'IP' if _is_address(name) else 'DNS'}:{name}" for name in names)
    words = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-days", str(_DAYS), "-subj", f"/CN={_SUBJECT}", "-keyout", "-",
        "-addext", "basicConstraints=critical,CA:TRUE,pathlen:0",
        "-addext", "keyUsage=critical,digitalSignature,keyCertSign",
        "-addext", "extendedKeyUsage=serverAuth",
        "-addext", f"subjectAltName={alternatives}",
    ]  # fmt: skip
    try:
        done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotFound(
            "no certificate can be made: there is neither the Python package cryptography nor a "
            "program openssl that works",
            hint=f"{install_command('web')}, or --tls-cert FILE --tls-key FILE",
        ) from error
    key, mark, certificate = done.stdout.partition(b"-----BEGIN CERTIFICATE-----")
    return key, mark + certificate


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
