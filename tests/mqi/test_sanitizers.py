"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import tool

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.long
def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    """Programs in C, ibmmq and pymqi with the library built by scripts/sanitize.sh."""
    lookup = subprocess.run(
        [tool("cc"), "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    if not os.path.isabs(lookup.stdout.strip()):
        pytest.skip("the C compiler has no AddressSanitizer")
    with (tmp_path / "log").open("w+") as log:
        ran = subprocess.run(
            [str(ROOT / "scripts" / "sanitize.sh")],
            env=dict(os.environ) | {"PYTHON": sys.executable},
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        log.seek(0)
        assert ran.returncode == 0, log.read()[-4000:]
