"""docs/connecting.md: its table has every setting."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mqtriage.cli.frame.options import ConnectionOptions
from mqtriage.model.client_settings import FIELDS
from mqtriage.model.context_keys import KEYS
from mqtriage.model.options import OPT

TEXT = (Path(__file__).parent.parent.parent / "docs" / "connecting.md").read_text("utf-8")
TABLE = TEXT.partition("## Connection settings")[2].partition("\nThe options stand")[0]


@pytest.mark.parametrize("key", [*FIELDS, "password_file", "password_prompt", "password_keyring"])
def test_every_key_of_a_context_is_in_the_table(key: str) -> None:
    assert f"`{key}`" in TABLE or key == "library"
    assert key in KEYS


def test_every_option_of_a_connection_is_on_the_page() -> None:
    for field in fields(ConnectionOptions):
        opt = field.metadata[OPT]
        if opt.advanced:
            assert opt.words(field.name)[-1] in TEXT
