"""The part of SARIF 2.1.0's schema that our documents use, written from the standard's text.

OASIS's own schema file is not in the repository; this one is stricter than that where we can be:
keys that we do not mean to write are problems, and rule indexes must fit (sections 3.13, 3.14,
3.18 to 3.20, 3.27, 3.29, 3.30, 3.33, 3.49, 3.55 to 3.57 of the standard).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

MESSAGE: Schema = {"object": {"text": str}, "needs": {"text"}}
MULTIFORMAT: Schema = {"object": {"text": str, "markdown": str}, "needs": {"text"}}
LEVEL: Schema = {"one_of": {"none", "note", "warning", "error"}}
RULE: Schema = {
    "object": {
        "id": str,
        "name": str,
        "shortDescription": MULTIFORMAT,
        "fullDescription": MULTIFORMAT,
        "helpUri": {"uri": True, "absolute": True},
        "help": MULTIFORMAT,
        "defaultConfiguration": {"object": {"level": LEVEL}, "needs": set()},
        "properties": {
            "object": {
                "tags": {"list": str},
                "problem.severity": {"one_of": {"error", "warning", "recommendation"}},
                "security-severity": str,
            },
            "needs": {"tags"},
        },
    },
    # GitHub shows these; those of a company's own rules may lack helpUri
    "needs": {"id", "name", "shortDescription", "fullDescription", "help", "properties"},
}
NOTIFICATION: Schema = {"object": {"level": LEVEL, "message": MESSAGE}, "needs": {"message"}}
INVOCATION: Schema = {
    "object": {
        "executionSuccessful": {"one_of": {True, False}},
        "toolExecutionNotifications": {"list": NOTIFICATION},
    },
    "needs": {"executionSuccessful"},
}
REGION: Schema = {
    "object": {
        "startLine": {"least": 1},
        "startColumn": {"least": 1},
        "endLine": {"least": 1},
        "endColumn": {"least": 1},
    },
    "needs": {"startLine"},
}
ARTIFACT: Schema = {"object": {"uri": {"uri": True}}, "needs": {"uri"}}
PHYSICAL: Schema = {
    "object": {
        "artifactLocation": ARTIFACT,
        "region": REGION,
    },
    "needs": {"artifactLocation", "region"},
}
LOGICAL: Schema = {
    "object": {"name": str, "fullyQualifiedName": str, "kind": str},
    "needs": set(),
}
LOCATION: Schema = {
    "object": {"physicalLocation": PHYSICAL, "logicalLocations": {"list": LOGICAL}},
    "needs": {"physicalLocation"},  # GitHub refuses a report that has one without
}
REPLACEMENT: Schema = {
    "object": {"deletedRegion": REGION, "insertedContent": MESSAGE},
    "needs": {"deletedRegion"},
}
CHANGE: Schema = {
    "object": {"artifactLocation": ARTIFACT, "replacements": {"list": REPLACEMENT}},
    "needs": {"artifactLocation", "replacements"},
}
FIX: Schema = {
    "object": {"description": MESSAGE, "artifactChanges": {"list": CHANGE}},
    "needs": {"artifactChanges"},
}
RESULT: Schema = {
    "object": {
        "ruleId": str,
        "ruleIndex": {"least": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {"list": LOCATION},
        "partialFingerprints": {"texts": True},
        "properties": {"texts": True},
        "fixes": {"list": FIX},
    },
    "needs": {"ruleId", "ruleIndex", "message", "locations", "partialFingerprints"},
}
DRIVER: Schema = {
    "object": {
        "name": str,
        "informationUri": {"uri": True, "absolute": True},
        "semanticVersion": str,
        "rules": {"list": RULE},
    },
    "needs": {"name", "informationUri"},
}
RUN: Schema = {
    "object": {
        "tool": {"object": {"driver": DRIVER}, "needs": {"driver"}},
        "columnKind": {"one_of": {"utf16CodeUnits", "unicodeCodePoints"}},
        "invocations": {"list": INVOCATION},
        "results": {"list": RESULT},
    },
    "needs": {"tool"},
}
DOCUMENT: Schema = {
    "object": {"$schema": {"uri": True}, "version": {"one_of": {"2.1.0"}}, "runs": {"list": RUN}},
    "needs": {"version", "runs"},
}


def problems(document: Any) -> list[str]:
    """What is not as the standard says, each with its path."""
    violations = list(_check(document, DOCUMENT, "$"))
    for number, run in enumerate(document.get("runs", ())):
        for result in run.get("results", ()):
            if not result.get("locations"):
                violations.append(f"$.runs[{number}].results: one has no location")
        rules = run.get("tool", {}).get("driver", {}).get("rules", [])
        for at, result in enumerate(run.get("results", ())):
            index = result.get("ruleIndex", -1)
            if index >= len(rules) or (index >= 0 and rules[index]["id"] != result["ruleId"]):
                violations.append(f"$.runs[{number}].results[{at}].ruleIndex: does not fit")
    return violations


def _check(value: Any, schema: Any, path: str) -> Iterator[str]:
    if schema is str:
        if not isinstance(value, str):
            yield f"{path}: no text"
    elif "object" in schema:
        yield from _check_object(value, schema, path)
    elif "list" in schema:
        if not isinstance(value, list):
            yield f"{path}: no list"
            return
        for number, item in enumerate(value):
            yield from _check(item, schema["list"], f"{path}[{number}]")
    elif "one_of" in schema:
        if value not in schema["one_of"]:
            yield f"{path}: {value!r}"
    elif "least" in schema:
        if type(value) is not int or value < schema["least"]:
            yield f"{path}: {value!r}"
    elif "uri" in schema:
        if not isinstance(value, str) or any(c in value for c in ' "<>\\^`{|}'):
            yield f"{path}: {value!r} is no URI reference"
        elif "absolute" in schema and not value.startswith("https://"):
            yield f"{path}: {value!r} is no address"
    elif not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        yield f"{path}: texts are expected"


def _check_object(value: Any, schema: Schema, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: no object"
        return
    for key in sorted(schema["needs"] - set(value)):
        yield f"{path}.{key}: missing"
    for key, item in value.items():
        if key not in schema["object"]:
            yield f"{path}.{key}: unknown"
        else:
            yield from _check(item, schema["object"][key], f"{path}.{key}")
