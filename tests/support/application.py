"""The application on text buffers, as tests run it inside their own process."""

from __future__ import annotations

import io
from collections.abc import Mapping

from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.cli.frame.context import AppContext


def app_for_test(
    *,
    stdin: str = "",
    environ: Mapping[str, str] | None = None,
    terminals: Terminals = NO_TERMINALS,
) -> AppContext:
    """Make one; read what was written with ``app.output.stdout.getvalue()``."""
    return AppContext(io.StringIO(stdin), io.StringIO(), io.StringIO(), environ or {}, terminals)
