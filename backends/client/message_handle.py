"""A message handle (MQHMSG) and the properties that an MQGET has left in it.

Neither pymqi nor ibmmq can tell every property with its name and type: the one does not return
names from a wildcard, neither returns types. So MQCRTMH, MQINQMP and MQDLTMH are called in the C
library that the package is linked to, on the package's own connection.

Sources: IBM MQ documentation, "MQCRTMH", "MQINQMP - Inquire message property", "MQIMPO".
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from ctypes import byref, c_char, c_int32, c_int64, c_void_p
from typing import Any, ClassVar, Final

from mqtriage.backends.client.connection import ClientConnection
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.errors import MQIError, MQTriageError, Refused, mqi_error
from mqtriage.mq.headers.folder_xml import Property
from mqtriage.mq.headers.layout import byte_order
from mqtriage.mq.properties.message_properties import property_from

_EXTENSIONS: Final = {"pymqi": "pymqe", "ibmmq": "ibmmqc"}
"""The C module of each package."""

_LONGEST_NAME_BYTES: Final = 4 * cmqc.MQ_MAX_PROPERTY_NAME_LENGTH
_FIRST_VALUE_BYTES: Final = 4096


class _Charv(ctypes.Structure):
    _fields_: ClassVar = [
        ("ptr", c_void_p), ("offset", c_int32), ("buffer_bytes", c_int32), ("length", c_int32),
        ("ccsid", c_int32),
    ]  # fmt: skip


class _Options(ctypes.Structure):
    """MQCMHO and MQDMHO."""

    _fields_: ClassVar = [("id", c_char * 4), ("version", c_int32), ("options", c_int32)]


class _Impo(ctypes.Structure):
    _fields_: ClassVar = [
        ("id", c_char * 4), ("version", c_int32), ("options", c_int32),
        ("requested_encoding", c_int32), ("requested_ccsid", c_int32),
        ("returned_encoding", c_int32), ("returned_ccsid", c_int32), ("reserved", c_int32),
        ("name", _Charv), ("type", c_char * 8),
    ]  # fmt: skip


class _Pd(ctypes.Structure):
    _fields_: ClassVar = [
        ("id", c_char * 4), ("version", c_int32), ("options", c_int32), ("support", c_int32),
        ("context", c_int32), ("copy_options", c_int32),
    ]  # fmt: skip


_NATIVE_ENCODING: Final = 546 if sys.byteorder == "little" else 273


class ClientMessageHandle:
    """An MQHMSG of a connection; each MQGET into it replaces what it holds."""

    def __init__(self, connection: ClientConnection) -> None:
        """MQCRTMH.

        Raises:
            Refused: The C library behind the package cannot be called from here.
            MQIError: As MQCRTMH has it.
        """
        self._connection = connection
        self._calls = _calls(connection)
        number = c_int64()
        options = _Options(b"CMHO", 1, 0)
        self._call("MQCRTMH", byref(options), byref(number))
        self.number: int = number.value
        self._name = ctypes.create_string_buffer(_LONGEST_NAME_BYTES)
        self._value = ctypes.create_string_buffer(_FIRST_VALUE_BYTES)

    def properties(self) -> Iterator[Property]:
        """What the last MQGET left here, in the order of MQINQMP."""
        step = cmqc.MQIMPO_INQ_FIRST
        while True:
            try:
                yield self._inquired(step)
            except MQIError as error:
                if error.reason == cmqc.MQRC_PROPERTY_NOT_AVAILABLE:
                    return
                raise
            step = cmqc.MQIMPO_INQ_NEXT

    def _inquired(self, step: int) -> Property:
        every = ctypes.create_string_buffer(b"%")
        pattern = _Charv(ctypes.addressof(every), 0, 0, 1, UTF_8)
        name = _Charv(ctypes.addressof(self._name), 0, _LONGEST_NAME_BYTES, 0, UTF_8)
        impo = _Impo(
            b"IMPO", 1, step | cmqc.MQIMPO_CONVERT_VALUE, _NATIVE_ENCODING, UTF_8, 0, 0, 0, name
        )
        kind, length = c_int32(), c_int32()
        reason = self._call(
            "MQINQMP", c_int64(self.number), byref(impo), byref(pattern), byref(_Pd(b"PD  ", 1)),
            byref(kind), c_int32(len(self._value)), self._value, byref(length),
        )  # fmt: skip
        if reason == cmqc.MQRC_PROPERTY_VALUE_TOO_BIG:
            self._value = ctypes.create_string_buffer(length.value)
            return self._inquired(cmqc.MQIMPO_INQ_PROP_UNDER_CURSOR)
        text = self._name.raw[: impo.name.length].decode("utf-8", "backslashreplace")
        return property_from(
            text,
            kind.value,
            self._value.raw[: length.value],
            ccsid=impo.returned_ccsid,
            number_order=byte_order(impo.returned_encoding) or ">",
        )

    def close(self) -> None:
        """MQDLTMH."""
        with suppress(MQTriageError):
            number, options = c_int64(self.number), _Options(b"DMHO", 1, 0)
            self._call("MQDLTMH", byref(number), byref(options))

    def _call(self, verb: str, *arguments: Any) -> int:
        """Call *verb*; returns the reason of a success or a warning."""
        with self._connection.mapped(verb):
            handle = self._connection.theirs.get_handle()
        comp_code, reason = c_int32(), c_int32()
        getattr(self._calls, verb)(c_int32(handle), *arguments, byref(comp_code), byref(reason))
        if comp_code.value == cmqc.MQCC_FAILED:
            raise mqi_error(reason.value, verb)
        return reason.value


def _calls(connection: ClientConnection) -> ctypes.CDLL:
    """The MQI as the C module of the package is linked to it."""
    library = connection.library
    try:
        module = getattr(library.module, _EXTENSIONS[library.name])
        calls = ctypes.CDLL(module.__file__)
        for verb in ("MQCRTMH", "MQINQMP", "MQDLTMH"):
            getattr(calls, verb).restype = None
    except (AttributeError, OSError) as error:
        raise Refused(
            f"--set properties_as=handle: {library.name} cannot call MQINQMP on this system",
            hint="--set properties_as=rfh2 requests the same properties in front of the data",
        ) from error
    return calls
