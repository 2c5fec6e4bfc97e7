"""What the readers of all forms of logs agree on."""

from __future__ import annotations

from typing import Final

BROKEN: Final = "_broken"
"""Column for the file of a piece that cannot be read; null for one that can."""
NOWHERE: Final = "?"
"""Queue manager of what names none: no queue manager is called so."""
