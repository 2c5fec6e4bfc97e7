"""What the words of AUTHADD and AUTHRMV stand for, by type of object."""

from __future__ import annotations

import pytest

from mqtriage.mq.errors import UsageError
from mqtriage.mq.security.authority_records import OBJECT_TYPES, authority_words


@pytest.mark.parametrize(
    ("object_type", "word", "authorities"),
    [
        ("CHANNEL", "ALL", "CHG CRT CTRL CTRLX DLT DSP"),
        ("AUTHINFO", "ALL", "CHG CRT DLT DSP INQ"),
        ("LISTENER", "ALLMQI", ""),
        ("RQMNAME", "ALL", "PUT"),
        ("QUEUE", "ALLADM", "CHG CLR CRT DLT DSP"),
        ("QUEUE", "get", "GET"),
    ],
)
def test_a_word_stands_for_what_the_type_has(object_type: str, word: str, authorities: str) -> None:
    assert authority_words([word], object_type) == set(authorities.split())


def test_all_gives_something_on_every_type() -> None:
    assert all(authority_words(["ALL"], object_type) for object_type in OBJECT_TYPES)


def test_a_word_that_is_no_authority_is_told() -> None:
    with pytest.raises(UsageError, match="READ: no authority"):
        authority_words(["READ"], "QUEUE")
