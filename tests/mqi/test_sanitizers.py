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
    found = subprocess.run(
        [tool("cc"), "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    if not os.path.isabs(found.stdout.strip()):
        pytest.skip("the C compiler has no AddressSanitizer")
    with (tmp_path / "said").open("w+") as said:
        ran = subprocess.run(
            [str(ROOT / "scripts" / "sanitize.sh")],
            env=dict(os.environ) | {"PYTHON": sys.executable},
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        said.seek(0)
        assert ran.returncode == 0, said.read()[-4000:]
