"""The CipherSpecs that SSLCIPH may name, and those that IBM has deprecated.

Source: IBM MQ documentation, "Enabling CipherSpecs", "CipherSpec order in TLS handshake" and
"Deprecated and removed CipherSpecs" (9.2 to 9.4.4). What is deprecated a queue manager refuses with
AMQ8242E unless its qm.ini allows it (AllowWeakCipherSpec, AllowedCipherSpecs).
"""

from __future__ import annotations

import re
from typing import Final

NEGOTIATED: Final = (
    "ANY_TLS12_OR_HIGHER", "ANY_TLS13_OR_HIGHER", "ANY_TLS12", "ANY_TLS13", "ANY",
)  # fmt: skip
"""Names for several CipherSpecs, of which both ends choose one."""
BEST: Final = "ANY_TLS12_OR_HIGHER"
"""What IBM recommends: a fixed set with a lowest protocol and no highest one."""
_TLS13: Final = (
    "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256",
    "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256",
)  # fmt: skip
_EPHEMERAL: Final = tuple(
    f"ECDHE_{key}_{suite}"
    for key in ("ECDSA", "RSA")
    for suite in ("AES_256_GCM_SHA384", "AES_128_GCM_SHA256", "AES_256_CBC_SHA384",
                  "AES_128_CBC_SHA256")
)  # fmt: skip
STATIC: Final = (
    "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256",
)  # fmt: skip
"""Their session keys are sent under the certificate's RSA key: no forward secrecy."""
CURRENT: Final = (*NEGOTIATED, *_TLS13, *_EPHEMERAL, *STATIC)

_SSL3: Final = (
    "AES_SHA_US", "DES_SHA_EXPORT", "DES_SHA_EXPORT1024", "FIPS_WITH_DES_CBC_SHA",
    "FIPS_WITH_3DES_EDE_CBC_SHA", "NULL_MD5", "NULL_SHA", "RC2_MD5_EXPORT", "RC4_MD5_EXPORT",
    "RC4_MD5_US", "RC4_SHA_US", "RC4_56_SHA_EXPORT1024", "TRIPLE_DES_SHA_US",
)  # fmt: skip
_TLS10: Final = (
    "TLS_RSA_EXPORT_WITH_RC2_40_MD5", "TLS_RSA_EXPORT_WITH_RC4_40_MD5", "TLS_RSA_WITH_DES_CBC_SHA",
    "TLS_RSA_WITH_NULL_MD5", "TLS_RSA_WITH_NULL_SHA", "TLS_RSA_WITH_RC4_128_MD5",
    "TLS_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
)  # fmt: skip
_WEAK_TLS12: Final = (
    "ECDHE_ECDSA_NULL_SHA256", "ECDHE_ECDSA_RC4_128_SHA256", "ECDHE_ECDSA_3DES_EDE_CBC_SHA256",
    "ECDHE_RSA_NULL_SHA256", "ECDHE_RSA_RC4_128_SHA256", "ECDHE_RSA_3DES_EDE_CBC_SHA256",
    "TLS_RSA_WITH_NULL_NULL", "TLS_RSA_WITH_NULL_SHA256", "TLS_RSA_WITH_RC4_128_SHA256",
)  # fmt: skip
DEPRECATED: Final = {
    **dict.fromkeys(_SSL3, "SSL 3.0"),
    **dict.fromkeys(_TLS10, "TLS 1.0"),
    **dict.fromkeys(_WEAK_TLS12, "TLS 1.2"),
}
"""Name to protocol."""
_BROKEN: Final = re.compile(r"NULL|RC2|RC4|MD5|EXPORT|(?<![A-Z0-9])DES_")
_HEXADECIMAL: Final = re.compile(r"([0-9A-F]{2}){1,2}")
_OF_JAVA: Final = ("AMQP", "MQTT")
"""Channel types whose SSLCIPH is a CipherSuite of Java's provider."""


def is_weak(name: str) -> bool:
    """Whether nothing is encrypted, or with what can be broken: NULL, RC2, RC4, DES, MD5, SSL 3."""
    return DEPRECATED.get(name) == "SSL 3.0" or (
        name in DEPRECATED and bool(_BROKEN.search(name.replace("3DES", "TRIPLE")))
    )


def is_known(name: str, channel_type: str = "") -> bool:
    """Whether SSLCIPH may have that value; blank is none.

    Args:
        name: z/OS and IBM i also take a hexadecimal code.
        channel_type: CHLTYPE, "" where it is not known.
    """
    word = name.strip(" ").upper().removeprefix("*")
    is_listed = not word or word in CURRENT or word in DEPRECATED
    return is_listed or bool(_HEXADECIMAL.fullmatch(word)) or channel_type in _OF_JAVA


def may_agree(client: str, server: str) -> bool:
    """Whether two ends of a channel with these SSLCIPH can agree on a CipherSpec.

    A name of several, such as ANY_TLS12_OR_HIGHER, fits one of a version that it includes. What is
    not known fits.

    Source: IBM MQ documentation, "CipherSpec values supported in IBM MQ", "Enabling CipherSpecs".
    """
    one, other = (name.strip(" ").upper().removeprefix("*") for name in (client, server))
    if not one or not other or one == other:
        return one == other
    if not all(name in CURRENT or name in DEPRECATED for name in (one, other)):
        return True
    if one not in NEGOTIATED and other not in NEGOTIATED:
        return False
    return bool(_versions(one) & _versions(other))


def _versions(name: str) -> set[str]:
    """The versions of TLS that a name allows, as ``TLS 1.2``."""
    if name == "ANY":
        return {"TLS 1.2", "TLS 1.3"}
    if name in NEGOTIATED:
        lowest = {"TLS 1.2"} if "TLS12" in name else {"TLS 1.3"}
        return lowest | ({"TLS 1.3"} if name.endswith("_OR_HIGHER") else set())
    if name in _TLS13:
        return {"TLS 1.3"}
    return {DEPRECATED.get(name, "TLS 1.2")}
