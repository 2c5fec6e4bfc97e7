"""Command lines that are shown are read back by a shell as the words that they were made of."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.model.shell_words import shell_line, shell_word

WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8))


@given(WORDS)
def test_a_line_has_the_same_words_again(words: list[str]) -> None:
    assert shlex.split(shell_line(words)) == words


@pytest.mark.parametrize("word", ["'$HOME", "'`id`", "'\\", "'\"", "a'b!c", "a'b\nc"])
def test_a_shell_does_nothing_with_what_is_in_a_word(word: str) -> None:
    ran = subprocess.run(
        ["bash", "-c", f"printf %s {shell_word(word)}"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == word


def test_a_condition_is_in_the_quotes_that_are_easier_to_read() -> None:
    assert shell_word("user = 'app'") == "\"user = 'app'\""
    assert shell_word("depth > 5") == "'depth > 5'"
    assert shell_word("ORDERS.IN") == "ORDERS.IN"
