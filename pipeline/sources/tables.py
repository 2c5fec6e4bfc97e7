"""The tables that logs become, as data, in the terms of the schema of snapshots."""

from __future__ import annotations

from typing import Final

from mqtriage.pipeline.snapshots.schema import read_tables

LOG_TABLES: Final = {table.name: table for table in read_tables(__package__, "tables.tsv")}
"""By name, as tables.tsv has them."""
