"""A wrapper that never browses some queues: the `no_browse` of a context.

A browse reads bodies, and can discard expired messages; on some queues nobody should, by accident
or at all. Whatever plans by browsing is refused there as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.backends.forwarding import Forwarding
from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused
from mqtriage.mq.names import matches


class NoBrowseBackend(Forwarding):
    """`Backend` over another one; names that match a pattern are not opened for browse.

    Args:
        patterns: generic names (``PAY.*``), compared with the name that was opened and with the
            queue that it led to; each with who sets it: ``context prod``.
    """

    def __init__(self, inner: Backend, patterns: Mapping[str, str]) -> None:
        super().__init__(inner)
        self._patterns = patterns

    def open(self, queue: str, options: int, **named: str) -> QueueHandle:
        """MQOPEN; Refused for a browse of a queue that is never browsed."""
        if options & cmqc.MQOO_BROWSE:
            self._check(queue, queue)
        handle = self._inner.open(queue, options, **named)
        if options & cmqc.MQOO_BROWSE:
            try:
                self._check(queue, handle.resolved_name)
            except Refused:
                handle.close()
                raise
        return handle

    def _check(self, queue: str, name: str) -> None:
        for pattern, guard in self._patterns.items():
            if matches(pattern, name):
                raise Refused(
                    f"browse {queue}: {pattern} is never browsed, because of {guard} (no_browse)",
                    hint="mqtriage queue status and delay status do not browse",
                    object_name=queue,
                )
