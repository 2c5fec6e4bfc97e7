"""`--format sarif`: SARIF 2.1.0, one run, the rules that found something with their pages.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

from mqtriage import __version__
from mqtriage.definitions.lint.pages import page_of, titles
from mqtriage.formatters.reports.finding_place import fingerprint, uri_path
from mqtriage.model.result import Record

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def sarif(records: Iterable[Record]) -> Iterator[str]:
    """The document, a result a line."""
    import json

    findings = list(records)
    codes = sorted({record["code"] for record in findings})
    index = {code: number for number, code in enumerate(codes)}
    driver = {
        "name": "mqtriage",
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes],
    }
    yield '{"$schema": ' + json.dumps(SCHEMA) + ', "version": "2.1.0", "runs": [{"tool": '
    yield json.dumps({"driver": driver}) + ',\n"columnKind": "unicodeCodePoints",\n"results": ['
    for number, record in enumerate(findings):
        yield ("," if number else "") + "\n" + json.dumps(_result(record, index))
    yield "\n]}]}\n"


def _rule(code: str) -> dict[str, Any]:
    severity, title = titles()[code]
    page = page_of(code)
    return {
        "id": code,
        "shortDescription": {"text": title},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[severity]},
    }


def _result(record: Record, index: dict[str, int]) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if record["file"]:
        location["physicalLocation"] = _physical(record)
    if record["object"]:
        location["logicalLocations"] = [
            {
                "name": record["object"],
                "fullyQualifiedName": _qualified(record),
                "kind": "object",
            }
        ]
    text = f"{record['object']}: {record['message']}" if record["object"] else record["message"]
    result: dict[str, Any] = {
        "ruleId": record["code"],
        "ruleIndex": index[record["code"]],
        "level": _LEVELS[record["severity"]],
        "message": {"text": text},
        "partialFingerprints": {"mqtriage/1": fingerprint(record)},
    }
    if location:
        result["locations"] = [location]
    if record["fix"]:
        result["properties"] = {"mqsc": record["fix"]}
    return result


def _qualified(record: Record) -> str:
    name = f"{record['object_type']}({record['object']})"
    return f"{record['queue_manager']}/{name}" if record["queue_manager"] else name


def _physical(record: Record) -> dict[str, Any]:
    path = uri_path(str(record["file"]))
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path, safe="/")}}
    if path.startswith("/"):
        physical["artifactLocation"]["uri"] = "file://" + quote(path, safe="/")
    if record["line"]:
        physical["region"] = {"startLine": record["line"], "startColumn": record["column"] or 1}
    return physical
