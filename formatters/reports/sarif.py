"""`--format sarif`: SARIF 2.1.0, one run, the rules that found something with their pages.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

from mqtriage import __version__
from mqtriage.definitions.lint.pages import address_of, page_of, titles
from mqtriage.formatters.reports.finding_place import file_of, fingerprint, text_of, uri_path
from mqtriage.model.result import Record

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def sarif(records: Iterable[Record], rule_pages: str = "") -> Iterator[str]:
    """The document, a result a line; `helpUri` of a rule is the address of its page."""
    findings = list(records)
    codes = sorted({record["code"] for record in findings})
    index = {code: number for number, code in enumerate(codes)}
    driver = {
        "name": "mqtriage",
        "semanticVersion": __version__,
        "rules": [_rule(code, rule_pages) for code in codes],
    }
    yield '{"$schema": ' + json.dumps(SCHEMA) + ', "version": "2.1.0", "runs": [{"tool": '
    yield json.dumps({"driver": driver}) + ',\n"columnKind": "unicodeCodePoints",\n"results": ['
    for number, record in enumerate(findings):
        yield ("," if number else "") + "\n" + json.dumps(_result(record, index))
    yield "\n]}]}\n"


def _rule(code: str, rule_pages: str) -> dict[str, Any]:
    severity, title = titles()[code]
    page = page_of(code)
    return {
        "id": code,
        "shortDescription": {"text": title},
        "helpUri": address_of(code, rule_pages),
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[severity]},
    }


def _result(record: Record, index: dict[str, int]) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _physical(record)}
    if record["object"]:
        name = f"{record['object_type']}({record['object']})"
        whole = f"{record['queue_manager']}/{name}" if record["queue_manager"] else name
        location["logicalLocations"] = [
            {"name": record["object"], "fullyQualifiedName": whole, "kind": "object"}
        ]
    result: dict[str, Any] = {
        "ruleId": record["code"],
        "ruleIndex": index[record["code"]],
        "level": _LEVELS[record["severity"]],
        "message": {"text": text_of(record)},
        "partialFingerprints": {"mqtriage/1": fingerprint(record)},
        "locations": [location],
    }
    if record["fix"]:
        result["properties"] = {"mqsc": record["fix"]}
    if record.get("edits"):
        result["fixes"] = [_fix(record)]
    return result


def _fix(record: Record) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in record["edits"]:
        region = {
            "startLine": edit["start_line"],
            "startColumn": edit["start_column"],
            "endLine": edit["end_line"],
            "endColumn": edit["end_column"],
        }
        replacement = {"deletedRegion": region, "insertedContent": {"text": edit["text"]}}
        changes.setdefault(edit["file"], []).append(replacement)
    return {
        "description": {"text": record["fix"] or "write it as it was meant"},
        "artifactChanges": [
            {"artifactLocation": _artifact(file), "replacements": replacements}
            for file, replacements in changes.items()
        ],
    }


def _physical(record: Record) -> dict[str, Any]:
    line = record["line"] or 1
    region = {"startLine": line, "startColumn": record["column"] or 1}
    if record.get("end_line"):
        region["endLine"] = record["end_line"]
        if record["end_column"]:
            region["endColumn"] = record["end_column"]
    return {"artifactLocation": _artifact(file_of(record)), "region": region}


def _artifact(file: str) -> dict[str, str]:
    path = uri_path(file)
    return {"uri": ("file://" if path.startswith("/") else "") + quote(path, safe="/")}
