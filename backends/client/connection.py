"""A connection to a queue manager (MQHCONN) through pymqi or ibmmq, with its one unit of work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from mqtriage.backends.client.library import Library
from mqtriage.backends.client.structures import channel_definition, tls_configuration
from mqtriage.model.client_settings import ClientSettings
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, NotAuthorized, mqi_error
from mqtriage.mq.names import COMMAND_QUEUE

MQCNO_VERSION_7: Final = 7
MQOD_VERSION_3: Final = 3
MQOD_VERSION_4: Final = 4
"""The first with a selection string."""


_RECONNECT: Final = {
    "no": "MQCNO_RECONNECT_DISABLED",
    "yes": "MQCNO_RECONNECT",
    "qmgr": "MQCNO_RECONNECT_Q_MGR",
}


class ClientConnection:
    """What `ClientBackend` and its handles call; every failure comes out as one of ours.

    Attributes:
        has_unit: whether something was done under syncpoint since the last end of a unit of work.
    """

    def __init__(
        self,
        library: Library,
        settings: ClientSettings,
        queue_manager: str,
        notice: Callable[[str], None],
    ) -> None:
        """Connect.

        Raises:
            ConnectionFailed: 2059, 2538, 2393 ...
            NotAuthorized: 2035.
            MQIError: Another reason.
        """
        self.library = library
        self.has_unit = False
        self.has_ended = False
        self._itself: Any = None
        self._platform: Platform | None = None
        self.theirs: Any = library.module.QueueManager(None)
        name = queue_manager or "the default queue manager"
        doing = f"connect to {name} {settings.where}".rstrip()
        try:
            with self.mapped(doing, queue_manager):
                self._connect(settings, queue_manager)
        except MQIError as error:
            if error.comp_code == cmqc.MQCC_WARNING:
                notice(error.text)  # connected all the same: 2002, 2391 ...
            elif isinstance(error, ConnectionFailed | NotAuthorized):
                raise
            else:  # whatever the reason is, there is no connection
                raise ConnectionFailed(
                    error.reason, doing, hint=error.hint, object_name=queue_manager
                ) from error

    def _connect(self, settings: ClientSettings, queue_manager: str) -> None:
        module = self.library.module
        constants = module.CMQC
        options = constants.MQCNO_HANDLE_SHARE_BLOCK
        if settings.transport == "bindings":
            options |= constants.MQCNO_LOCAL_BINDING
        elif settings.transport == "client" or settings.connection or settings.ccdt:
            options |= constants.MQCNO_CLIENT_BINDING
        if settings.reconnect:
            options |= getattr(constants, _RECONNECT[settings.reconnect])
        more: dict[str, Any] = {}
        if settings.connection:
            more["cd"] = channel_definition(module, settings)
        if (sco := tls_configuration(module, settings)) is not None:
            more["sco"] = sco
        if settings.user:
            more |= {"user": settings.user, "password": settings.password}
        url = ccdt_url(settings.ccdt)
        if hasattr(module, "CNO"):
            cno = module.CNO(Options=options, ApplName=settings.application.encode())
            cno.Version = max(cno.Version, MQCNO_VERSION_7)
            if url:
                cno.CCDTUrl = url
            more["cno"] = cno
        else:
            # pymqi fills in its own MQCNO: what it leaves out, the MQ client takes from here
            more["opts"] = options
            os.environ["MQAPPLNAME"] = settings.application
            if url:
                os.environ["MQCCDTURL"] = url
        self.theirs.connect_with_options(queue_manager, **more)

    @contextmanager
    def mapped(self, doing: str, object_name: str = "", *, warnings: bool = True) -> Iterator[None]:
        """Turn an MQI failure inside into ours, keeping reason code, completion code and cause.

        Args:
            doing: ``browse APP.IN``.
            warnings: whether a call that was done with a warning counts, too. Both packages then
                hand nothing back of what a put filled in.
        """
        module = self.library.module
        try:
            yield
        except module.MQMIError as error:
            if error.comp == cmqc.MQCC_WARNING and not warnings:
                return
            raise mqi_error(
                error.reason, doing, comp_code=error.comp, object_name=object_name
            ) from error
        except module.PYIFError as error:
            # both packages raise it for what was closed or disconnected before
            reason, detail = cmqc.MQRC_HCONN_ERROR, str(error)
            raise mqi_error(reason, doing, detail=detail, object_name=object_name) from error

    def open(
        self,
        name: str,
        options: int,
        *,
        dynamic_name: str = "",
        queue_manager: str = "",
        selector: str = "",
        alternate_user: str = "",
    ) -> tuple[Any, Any]:
        """MQOPEN a queue.

        Returns:
            Their Queue, and their OD with the names that it resolved to.
        """
        od = self.library.module.OD(ObjectName=name.encode(), Version=MQOD_VERSION_3)
        if dynamic_name:
            od.DynamicQName = dynamic_name.encode()
        if queue_manager:
            od.ObjectQMgrName = queue_manager.encode()
        if alternate_user:
            od.AlternateUserId = alternate_user.encode()
        if selector:
            od.Version = MQOD_VERSION_4
            od.set_vs("SelectionString", selector.encode(), vs_ccsid=UTF_8)
        with self.mapped(f"open {name}", name):
            queue = self.library.module.Queue(
                self.theirs, od, options | cmqc.MQOO_FAIL_IF_QUIESCING
            )
        return queue, od

    def inquire(self, selector: int) -> int | str:
        """MQINQ of the queue manager, for one attribute.

        Raises:
            NotAuthorized: 2035.
            MQIError: 2067 for a selector it does not have.
        """
        module = self.library.module
        with self.mapped("inquire the queue manager"):
            if self._itself is None:
                od = module.OD(ObjectType=cmqc.MQOT_Q_MGR)
                self._itself = module.Queue(self.theirs, od, cmqc.MQOO_INQUIRE)
            value = self._itself.inquire(selector)
        return value if isinstance(value, int) else text_of(value)

    def platform(self) -> Platform:
        """That of the queue manager; "dist" where it may not be asked: z/OS is the rare case."""
        if self._platform is None:
            try:
                self._platform = (
                    "zos" if self.inquire(cmqc.MQIA_PLATFORM) == cmqc.MQPL_ZOS else "dist"
                )
            except MQIError:
                self._platform = "dist"
        return self._platform

    def command_queue(self) -> str:
        """The queue that the command server reads; where it may not be asked, Multiplatforms'."""
        try:
            return str(self.inquire(cmqc.MQCA_COMMAND_INPUT_Q_NAME)) or COMMAND_QUEUE
        except MQIError:
            return COMMAND_QUEUE

    def note_unit(self, options: int) -> None:
        """Remember that a get or put took part in the unit of work."""
        # MQPMO_SYNCPOINT is the same bit
        if options & (cmqc.MQGMO_SYNCPOINT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT):
            self.has_unit = True

    def commit(self) -> None:
        """MQCMIT."""
        with self.mapped("commit"):
            self.theirs.commit()
        self.has_unit = False

    def back_out(self) -> None:
        """MQBACK."""
        with self.mapped("backout"):
            self.theirs.backout()
        self.has_unit = False

    def disconnect(self) -> None:
        """MQDISC, after MQBACK: MQDISC alone would commit what is under syncpoint."""
        self.has_ended = True
        if self.has_unit:
            with suppress(MQTriageError):
                self.back_out()
        with suppress(MQTriageError), self.mapped("disconnect"):
            self.theirs.disconnect()


def ccdt_url(ccdt: str) -> str:
    """A CCDT as the URL that MQ wants; a path becomes ``file://``."""
    if not ccdt or "://" in ccdt:
        return ccdt
    return Path(ccdt).expanduser().absolute().as_uri()


def text_of(field: bytes | str) -> str:
    """A character field of theirs without its padding."""
    text = field if isinstance(field, str) else field.decode("latin-1")
    return text.partition("\0")[0].rstrip(" ")
