"""The names of the output forms, as `-o` takes them."""

from __future__ import annotations

from typing import Final

TABLE: Final = "table"
PLAIN: Final = "plain"
JSON: Final = "json"
NDJSON: Final = "ndjson"
CSV: Final = "csv"
MD: Final = "md"
IDS: Final = "ids"
MQSC: Final = "mqsc"

FORMS: Final = (TABLE, PLAIN, JSON, NDJSON, CSV, MD, IDS, MQSC)
