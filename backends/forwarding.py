"""What the wrappers are made of: whatever a wrapper says nothing of goes to what it wraps."""

from __future__ import annotations

from typing import Any

from mqtriage.backends.port import Backend, QueueHandle


class Forwarding:
    """`Backend` or `QueueHandle` over another one."""

    def __init__(self, inner: Backend | QueueHandle) -> None:
        self._inner: Any = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
