"""What spark-submit runs: one job from one JSON argument, with nothing but Spark and this package.

Master, memory and file systems are spark-submit's. The first table goes to standard output, one
JSON object a line; what was rejected to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import mqtriage
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import open_private, private_folder
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.errors import MQTriageError

PARTS: Final = ("definitions", "files", "messages", "model", "mq", "operations", "pipeline")
"""Folders of the package that a job needs."""
SCRIPT: Final = """\
from mqtriage.pipeline.submitted import main

main()
"""


def build_zip(folder: Path) -> tuple[Path, Path]:
    """Write the zip for `--py-files` and the script to submit.

    A wheel of the same content is seen by the driver only; a zip works on every worker.

    Returns:
        The script and the zip.
    """
    top = Path(mqtriage.__file__).parent
    archive = folder / f"mqtriage-{mqtriage.__version__}.zip"
    script = folder / "mqtriage_job.py"
    with storage_errors(folder):
        private_folder(folder)
        descriptor = open_private(archive, os.O_RDWR | os.O_TRUNC)
        with open(descriptor, "r+b") as file, ZipFile(file, "w", ZIP_DEFLATED) as zip_file:
            for path in sorted(top.glob("*.py")):
                zip_file.write(path, f"mqtriage/{path.name}")
            for part in PARTS:
                for path in sorted((top / part).rglob("*")):
                    if path.suffix in (".py", ".md", ".tsv", ".txt") and path.is_file():
                        zip_file.write(path, f"mqtriage/{part}/{path.relative_to(top / part)}")
        replace_file(script, [SCRIPT.encode()])
    return script, archive


def main(argv: Sequence[str] | None = None) -> None:
    """Run the job of the JSON argument; a failure of ours is one line and exit 1."""
    from mqtriage.pipeline.session import SparkSettings, spark_session

    asked = json.loads((sys.argv[1:] if argv is None else argv)[0])
    try:
        with spark_session(SparkSettings(), os.environ) as session:
            run_asked(session, asked)
    except MQTriageError as error:
        print(f"error: {error.text}", file=sys.stderr)
        sys.exit(1)


def run_asked(session: Any, asked: Mapping[str, Any]) -> None:
    """Run one job; *asked* is what `request_json` wrote."""
    from mqtriage.pipeline.jobs import Options
    from mqtriage.pipeline.runner import JobRequest, run

    where = asked.get("where")
    request = JobRequest(
        roots=tuple(asked["paths"]),
        options=Options(where=parse_where(where) if where else None, **asked["options"]),
        since_us=asked.get("since_us"),
        until_us=asked.get("until_us"),
        out=asked.get("out", ""),
        period=asked.get("period", ""),
        form=asked.get("form", "parquet"),
        limit=asked.get("limit"),
    )
    table = asked.get("table")
    analysis = run(session, asked["job"], request, (table,) if table else ())
    for records in analysis.tables.values():
        for record in records:
            print(json.dumps(record, ensure_ascii=False))
    for text in (*analysis.rejected.warnings(), *analysis.notes):
        print(f"warning: {text}", file=sys.stderr)


def request_json(job: str, asked: Mapping[str, Any]) -> str:
    """The argument of the script, without what was not asked for."""
    kept = {key: value for key, value in asked.items() if value not in (None, "")}
    return json.dumps({"job": job, **kept}, sort_keys=True)
