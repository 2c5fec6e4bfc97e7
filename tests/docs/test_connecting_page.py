"""docs/connecting.md: its table has every setting."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mqtriage.cli.frame.options import ConnectionOptions
from mqtriage.model.client_settings import FIELDS
from mqtriage.model.context_keys import KEYS
from mqtriage.model.options import OPT
from mqtriage.model.rest_settings import FIELDS as REST_FIELDS
from mqtriage.model.rest_settings import ONLY_REST
from tests.contract.conftest import REST_REFUSES

TEXT = (Path(__file__).parent.parent.parent / "docs" / "connecting.md").read_text("utf-8")
TABLE = TEXT.partition("## Connection settings")[2].partition("\nThe options go")[0]


@pytest.mark.parametrize(
    "key",
    [*FIELDS, *REST_FIELDS, *ONLY_REST, "password_file", "password_prompt", "password_keyring"],
)
def test_every_key_of_a_context_is_in_the_table(key: str) -> None:
    assert f"`{key}`" in TABLE or key == "library"
    assert key in KEYS


def test_every_option_of_a_connection_is_on_the_page() -> None:
    for field in fields(ConnectionOptions):
        opt = field.metadata[OPT]
        if opt.advanced:
            assert opt.words(field.name)[-1] in TEXT


def test_what_is_refused_over_https_is_on_the_page() -> None:
    """And nothing that no contract test shows."""
    listed = TEXT.partition("<!-- refusals of rest -->")[2].partition("<!-- end -->")[0]
    for why in {why for reasons in REST_REFUSES.values() for why in reasons}:
        assert why in listed, why


def test_the_first_paragraph_says_what_it_was_tried_with() -> None:
    first = TEXT.partition("## Connect without IBM's client")[2].split("\n\n")[1]
    assert "with our emulator" in first
    assert "It has not been tested against a live IBM queue manager." in first
