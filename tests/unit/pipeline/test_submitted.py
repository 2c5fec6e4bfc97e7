"""What is sent along with spark-submit has all that a job reads of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mqtriage.pipeline.submitted import build_zip

READ = """
import sys
sys.path.insert(0, sys.argv[1])
import mqtriage
from mqtriage.definitions.rules.registry import rules
from mqtriage.mq.attributes.catalogue import attributes_of
from mqtriage.mq.code_names import name_of_reason
assert mqtriage.__file__.startswith(sys.argv[1]), mqtriage.__file__
print(len(rules()) > 50, len(attributes_of("QLOCAL")) > 50, name_of_reason(2085))
"""


def test_tables_and_names_are_read_from_the_zip_alone(tmp_path: Path) -> None:
    _, archive = build_zip(tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", READ, str(archive)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["True", "True", "MQRC_UNKNOWN_OBJECT_NAME"], done.stderr
