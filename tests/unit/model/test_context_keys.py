"""The keys of contexts."""

from __future__ import annotations

import pytest

from mqtriage.model.context_keys import read_key
from mqtriage.mq.errors import UsageError


def test_a_password_in_the_wrong_key_is_not_shown() -> None:
    for name, value in (("password_prompt", "hunter2: x"), ("password_file", 87654321)):
        with pytest.raises(UsageError) as caught:
            read_key(name, value, f"a.{name}")
        assert str(value) not in f"{caught.value.text} {caught.value.hint}"
        assert caught.value.text.startswith(f"a.{name}: expected ")
    with pytest.raises(UsageError, match="hunter2"):
        read_key("backend", "hunter2", "a.backend")
