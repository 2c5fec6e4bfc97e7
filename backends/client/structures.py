"""MQMD, MQCD and MQSCO between our words and the classes of pymqi and ibmmq."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any, Final

from mqtriage.model.client_settings import ClientSettings
from mqtriage.mq.delay import GREATEST_MAXMSGL
from mqtriage.mq.descriptor import MQMD, ByteOrder, pack, unpack

MQCD_VERSION_7: Final = 7
"""The first with everything that TLS and we need; both packages fill in more."""

NATIVE: Final[ByteOrder] = "<" if sys.byteorder == "little" else ">"


def fill_descriptor(theirs: Any, md: MQMD) -> None:
    """Give their MD the values of ours."""
    theirs.unpack(pack(md, NATIVE))


def descriptor(theirs: Any) -> MQMD:
    """Our MQMD with the values of theirs."""
    return unpack(theirs.pack(), 0, NATIVE)


def channel_definition(module: Any, settings: ClientSettings) -> Any:
    """An MQCD for the channel and connection of *settings*, and what its pointers point to.

    Returns:
        The CD; keep it until the call is over, it holds the text of its peer name.
    """
    # both packages would say 4 MiB, and longer messages could then not be read
    cd = module.CD(
        ChannelName=settings.channel.encode(),
        ConnectionName=settings.connection.replace(" ", "").encode(),
        MaxMsgLength=GREATEST_MAXMSGL,
    )
    cd.Version = max(cd.Version, MQCD_VERSION_7)
    if settings.heartbeat_s is not None:
        cd.HeartbeatInterval = settings.heartbeat_s
    if settings.cipher:
        cd.SSLCipherSpec = settings.cipher.encode()
    if settings.peer_name:
        _set_peer_name(cd, settings.peer_name.encode())
    return cd


def _set_peer_name(cd: Any, name: bytes) -> None:
    if hasattr(cd, "_set_ptr_field"):  # ibmmq makes the pointer itself
        cd.SSLPeerNamePtr = name
        return
    cd.held = ctypes.create_string_buffer(name)
    cd.SSLPeerNamePtr = ctypes.addressof(cd.held)
    cd.SSLPeerNameLength = len(name)


def tls_configuration(module: Any, settings: ClientSettings) -> Any | None:
    """An MQSCO, or None where nothing of it was set."""
    if not (settings.key_repository or settings.certificate_label):
        return None
    sco = module.SCO()
    if settings.key_repository:
        # without .kdb every level of MQ takes it; other endings are read from 9.3 on
        path = str(Path(settings.key_repository).expanduser()).removesuffix(".kdb")
        sco.KeyRepository = path.encode()
    if settings.certificate_label:
        sco.CertificateLabel = settings.certificate_label.encode()
    return sco
