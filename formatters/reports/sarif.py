"""`--format sarif`: SARIF 2.1.0, one run, the rules that found something with their pages.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; GitHub, "SARIF
support for code scanning".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from mqtriage import __version__
from mqtriage.definitions.lint import pages
from mqtriage.formatters.reports.finding_place import file_of, fingerprint, text_of, uri_path
from mqtriage.model.result import Record

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS: Final = 25_000
"""Code scanning of GitHub takes no more results of one run."""
_SECURITY: Final = ("SEC", "AMS")
_SCORES: Final = {"error": "8.0", "warning": "5.5", "info": "2.0"}
"""CVSS-like: GitHub calls 7.0 to 8.9 high, 4.0 to 6.9 medium, below low."""
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def sarif(
    records: Iterable[Record], rule_pages: str = "", own: Sequence[pages.OwnPage] = ()
) -> Iterator[str]:
    """The document, a result a line; `helpUri` of a rule is the address of its page.

    Of more than `MOST_RESULTS` the worst are written, in their order; a notification of the run
    says how many are not.
    """
    findings, left_out = most_weighty(records)
    codes = sorted({record["code"] for record in findings})
    index = {code: number for number, code in enumerate(codes)}
    driver = {
        "name": "mqtriage",
        "informationUri": rule_pages or pages.NO_ADDRESS,
        "semanticVersion": __version__,
        "rules": [_rule(code, rule_pages, own) for code in codes],
    }
    yield '{"$schema": ' + json.dumps(SCHEMA) + ', "version": "2.1.0", "runs": [{"tool": '
    yield json.dumps({"driver": driver}) + ',\n"columnKind": "unicodeCodePoints",\n'
    if left_out:
        text = f"{left_out} more findings are left out: the file takes {MOST_RESULTS}"
        note = {"level": "warning", "message": {"text": text}}
        invocation = {"executionSuccessful": True, "toolExecutionNotifications": [note]}
        yield '"invocations": ' + json.dumps([invocation]) + ",\n"
    yield '"results": ['
    for number, record in enumerate(findings):
        yield ("," if number else "") + "\n" + json.dumps(_result(record, index))
    yield "\n]}]}\n"


def most_weighty(records: Iterable[Record]) -> tuple[list[Record], int]:
    """The findings that the document has room for, in their order, and how many it has not."""
    every = list(records)
    if len(every) <= MOST_RESULTS:
        return every, 0
    ranks = list(_LEVELS)
    chosen = sorted(range(len(every)), key=lambda n: (ranks.index(every[n]["severity"]), n))
    return [every[n] for n in sorted(chosen[:MOST_RESULTS])], len(every) - MOST_RESULTS


def _rule(code: str, rule_pages: str, own: Sequence[pages.OwnPage]) -> dict[str, Any]:
    severity, title = pages.titles(own)[code]
    page = pages.page_of(code, own)
    words = pages.words_of(code) or title
    rule = {
        "id": code,
        "name": "".join(word.capitalize() for word in re.findall("[A-Za-z0-9]+", words)),
        "shortDescription": {"text": title},
        "fullDescription": {"text": _why(page) or title},
        "helpUri": pages.address_of(code, rule_pages, own),
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": _properties(code, severity),
    }
    return {key: value for key, value in rule.items() if value}


def _why(page: str) -> str:
    """The first paragraph of "Why it matters", on one line."""
    text = page.partition("## Why it matters")[2].strip()
    return " ".join(text.partition("\n\n")[0].split())


def _properties(code: str, severity: str) -> dict[str, Any]:
    """What GitHub sorts alerts by: tags, and a score for those of security."""
    tags = ["ibm-mq", code[:-3].lower()]
    problem = {"error": "error", "warning": "warning", "info": "recommendation"}[severity]
    properties: dict[str, Any] = {"tags": tags, "problem.severity": problem}
    if code.startswith(_SECURITY):
        tags.append("security")
        properties["security-severity"] = _SCORES[severity]
    return properties


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
        "description": {"text": record["fix"] or "write what was intended"},
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
