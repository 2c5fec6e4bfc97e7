"""The pages of the rules, and the codes that are no rules over an estate."""

from __future__ import annotations

from functools import cache
from typing import Final

from mqtriage.mq.errors import NotFound

OTHER_CODES: Final = {
    "MQSC001": ("mqsc001_wrong_form", "error", "Not a command of MQSC"),
    "MQSC002": ("mqsc002_wrong_attribute", "error", "Wrong attribute or value"),
    "MQSC003": ("mqsc003_doubt", "info", "Worth a look"),
    "LNT001": ("lnt001_ignore_without_reason", "warning", "Ignore comment without a reason"),
    "LNT002": ("lnt002_unused_ignore", "warning", "Ignore comment that ignores nothing"),
    "LNT003": ("lnt003_unknown_code", "warning", "Ignore comment with a code that is none"),
}
"""Code to page, severity and title, for what reading a script finds."""


@cache
def titles() -> dict[str, tuple[str, str]]:
    """Severity and title by code: all rules, and `OTHER_CODES`."""
    from mqtriage.definitions.rules.registry import rules

    found = {rule.code: (rule.severity.value, rule.title) for rule in rules()}
    found |= {code: (severity, title) for code, (_, severity, title) in OTHER_CODES.items()}
    return dict(sorted(found.items()))


def all_codes() -> tuple[str, ...]:
    """Every code that a finding may have."""
    return tuple(titles())


def page_of(code: str) -> str:
    """The page of a rule, Markdown.

    Raises:
        NotFound: No rule has that code.
    """
    from importlib.resources import files

    from mqtriage.definitions.rules.registry import RULE_FILES

    wanted = code.strip().lower()
    pages = [*RULE_FILES, *(page for page, _, _ in OTHER_CODES.values())]
    for name in pages:
        if name.partition("_")[0] == wanted:
            return (files("mqtriage.definitions.rules") / f"{name}.md").read_text("utf-8")
    raise NotFound(f"no rule {code}", hint="mqtriage lint --explain all")
