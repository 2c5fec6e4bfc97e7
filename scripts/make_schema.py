"""Write docs/mqtriage.schema.json, for editors, from the keys of the configuration.

Usage: python scripts/make_schema.py
"""

from __future__ import annotations

import json
from pathlib import Path

from mqtriage.definitions.lint.config import LINT
from mqtriage.definitions.lint.own_rules import RULES
from mqtriage.model.tables import table_schema

TARGET = Path(__file__).parent.parent / "docs" / "mqtriage.schema.json"


def schema_text() -> str:
    """The schema of mqtriage.toml, draft 7, which the TOML extensions of editors understand."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mqtriage.toml",
        "description": "Settings of mqtriage lint, and rules of your own.",
        "type": "object",
        "properties": {"lint": table_schema(LINT), "rule": RULES.schema},
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(schema_text(), "utf-8")
