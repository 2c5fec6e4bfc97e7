"""The messages and definitions of the sample queue manager; data only, nothing is put from here.

The message data was written for this project after what real programs send: JMS clients, MQI
programs on little-endian machines and on z/OS, channels, a trigger monitor.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any, Final

from mqtriage.mq.descriptor import MQMD
from mqtriage.records import NamedTuple

AT: Final = "QM1"
"""The queue manager that the message data and the context name."""
_MANIFEST: Final = "samples.toml"
_ID_FIELDS: Final = ("msg_id", "correl_id", "group_id")


class SampleMessage(NamedTuple):
    """One message to put.

    Attributes:
        name: of its file, without ``.bin``.
        md: descriptor; MsgId, PutDate and PutTime are left to the queue manager, the rest of the
            context is to be set as it stands.
        queue: where to put it; the target when it is delayed.
        backouts: how often it is to be got and rolled back after the put.
        delay_ms: delivery delay, 0 for an ordinary put.
    """

    name: str
    body: bytes
    md: MQMD
    queue: str
    text: str
    backouts: int = 0
    delay_ms: int = 0


def samples() -> Iterator[SampleMessage]:
    """Yield the sample messages in the order they are to be put."""
    import tomllib  # read only when samples are loaded

    folder = resources.files(__name__)
    manifest = tomllib.loads(folder.joinpath(_MANIFEST).read_text(encoding="utf-8"))
    for entry in manifest["message"]:
        file, fields = entry.pop("file"), entry.pop("md")
        body = folder.joinpath(file).read_bytes()
        yield SampleMessage(file.removesuffix(".bin"), body, _descriptor(fields), **entry)


def definitions(file: str = "samples.mqsc") -> str:
    """The MQSC text that defines the queues of the samples, or another of this folder."""
    return resources.files(__name__).joinpath(file).read_text(encoding="utf-8")


def _descriptor(fields: dict[str, Any]) -> MQMD:
    values = dict(fields)
    for name in _ID_FIELDS:
        if name in values:
            values[name] = bytes.fromhex(values[name])
    return MQMD()._replace(**values)
