"""From the failures of pymqi and ibmmq to ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mqtriage.backends.client.library import Library
from mqtriage.mq import codes
from mqtriage.mq.constants import MQCC_WARNING
from mqtriage.mq.errors import mqi_error


@contextmanager
def mapped_errors(
    library: Library, doing: str, object_name: str = "", *, warnings: bool = True
) -> Iterator[None]:
    """Turn an MQI failure into ours, keeping reason code, completion code and cause.

    Args:
        doing: ``browse APP.IN``.
        warnings: whether a call that was done with a warning counts, too. Both packages then hand
            nothing back of what a put filled in.
    """
    try:
        yield
    except library.module.MQMIError as error:
        if error.comp == MQCC_WARNING and not warnings:
            return
        raise mqi_error(
            error.reason, doing, comp_code=error.comp, object_name=object_name
        ) from error
    except library.module.PYIFError as error:
        # both packages raise it for what was closed or disconnected before
        reason = codes.MQRC_HCONN_ERROR
        raise mqi_error(reason, doing, detail=str(error), object_name=object_name) from error
