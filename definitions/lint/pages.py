"""The pages of the rules, and of the codes that are no rules over an estate."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from mqtriage.definitions.rules.registry import rules
from mqtriage.definitions.rules.rule import code_of
from mqtriage.mq.errors import NotFound

OTHER_PAGES: Final = {
    "lnt001_ignore_without_reason": "warning",
    "lnt002_unused_ignore": "warning",
    "lnt003_unknown_code": "warning",
    "mqsc001_wrong_form": "error",
    "mqsc002_wrong_attribute": "error",
    "mqsc003_doubt": "info",
}
"""Page to severity, of what reading a script finds."""
OTHER_CODES: Final = tuple(code_of(page) for page in OTHER_PAGES)
_PAGES: Final = {
    code_of(page): page for page in sorted((*(rule.name for rule in rules()), *OTHER_PAGES))
}
NO_ADDRESS: Final = "https://mqtriage.invalid/definitions/rules/"
"""Under the name that is reserved for nobody (RFC 2606): the pages have no public address yet."""


@cache
def titles() -> dict[str, tuple[str, str]]:
    """Severity and title by code: all rules, and `OTHER_PAGES`."""
    severities = {rule.code: rule.severity.value for rule in rules()}
    severities |= {code_of(page): severity for page, severity in OTHER_PAGES.items()}
    return {
        code: (severities[code], page_of(code).partition("\n")[0].partition(": ")[2])
        for code in _PAGES
    }


def all_codes() -> tuple[str, ...]:
    """Every code that a finding may have."""
    return tuple(_PAGES)


def page_of(code: str) -> str:
    """The page of a rule, Markdown.

    Raises:
        NotFound: No rule has that code.
    """
    page = _PAGES.get(code.strip().upper())
    if page is None:
        raise NotFound(f"no rule {code}", hint="mqtriage lint explain")
    return (files("mqtriage.definitions.rules") / f"{page}.md").read_text("utf-8")


def address_of(code: str, folder: str = "") -> str:
    """Where a rule's page can be read.

    Args:
        folder: address of the folder of the pages, with a slash at its end; "" for `NO_ADDRESS`.
    """
    return f"{folder or NO_ADDRESS}{_PAGES[code]}.md"
