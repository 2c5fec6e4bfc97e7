"""The names of the output forms, as `-o` takes them."""

from __future__ import annotations

from typing import Final

TABLE: Final = "table"
PLAIN: Final = "plain"
JSON: Final = "json"
NDJSON: Final = "ndjson"
YAML: Final = "yaml"
CSV: Final = "csv"
MD: Final = "md"
IDS: Final = "ids"
MQSC: Final = "mqsc"

FORMS: Final = (TABLE, PLAIN, JSON, NDJSON, YAML, CSV, MD, IDS, MQSC)
"""All of them, in the order of help."""

FOR_SCRIPTS: Final = frozenset({JSON, NDJSON, YAML})
"""Forms with every field under its key; who asks for one gets errors in it too."""

ENDLESS: Final = frozenset({TABLE, PLAIN, NDJSON, YAML})
"""Forms in which records can be written without end: a line, or a document, for each."""

ELSEWHERE: Final = {
    "wide": "--wide shows all columns",
    "jsonl": "did you mean -o ndjson?",
    "markdown": "did you mean -o md?",
    "text": "did you mean -o plain?",
} | {
    name: f"--format {name}, where the command has reports"
    for name in ("sarif", "junit", "github", "gitlab", "nagios", "prometheus")
}
"""What is typed as an output form and is none, and what to type."""
