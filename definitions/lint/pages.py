"""The pages of the rules, and of the codes that are no rules over an estate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from textwrap import fill
from typing import Final, Protocol

from mqtriage.definitions.rules.finding import Severity
from mqtriage.definitions.rules.registry import rules
from mqtriage.definitions.rules.rule import code_of
from mqtriage.mq.errors import NotFound

OTHER_PAGES: Final = {
    "ccdt001_table_does_not_fit": "error",
    "lnt001_ignore_without_reason": "warning",
    "lnt002_unused_ignore": "warning",
    "lnt003_unknown_code": "warning",
    "mqsc001_wrong_form": "error",
    "mqsc002_wrong_attribute": "error",
    "mqsc003_doubt": "info",
    "mqsc004_both_platforms": "warning",
}
"""Page to severity, of what reading a script finds."""
_STATEMENTS: Final = re.compile(r"^(Source: .*?); [A-Z]{2}-\d+(?:(?:, | to )[A-Z]{2}-\d+)*", re.M)
"""What tests prove of a source; it says nothing to people who read the page."""
OTHER_CODES: Final = tuple(code_of(page) for page in OTHER_PAGES)
_PAGES: Final = {
    code_of(page): page for page in sorted((*(rule.name for rule in rules()), *OTHER_PAGES))
}
NO_ADDRESS: Final = "https://mqtriage.invalid/definitions/rules/"
"""Under the name that is reserved for nobody (RFC 2606): the pages have no public address yet."""


class OwnPage(Protocol):
    """What is told of a rule of one's own (`definitions/lint/own_rules.py`)."""

    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def message(self) -> str: ...
    @property
    def page(self) -> str:
        """Address of one's own page, "" for none."""

    @property
    def text(self) -> str:
        """The page, in Markdown."""


@cache
def _our_titles() -> dict[str, tuple[str, str]]:
    severities = {rule.code: rule.severity.value for rule in rules()}
    severities |= {code_of(page): severity for page, severity in OTHER_PAGES.items()}
    return {
        code: (severities[code], page_of(code).partition("\n")[0].partition(": ")[2])
        for code in _PAGES
    }


def titles(own: Iterable[OwnPage] = ()) -> dict[str, tuple[str, str]]:
    """Severity and title by code: all rules, and `OTHER_PAGES`."""
    return _our_titles() | {rule.code: (rule.severity.value, rule.message) for rule in own}


def all_codes() -> tuple[str, ...]:
    """Every code that a finding of ours may have."""
    return tuple(_PAGES)


def page_of(code: str, own: Iterable[OwnPage] = ()) -> str:
    """The page of a rule, Markdown."""
    code = code.strip().upper()
    for rule in own:
        if rule.code == code:
            return rule.text
    page = _PAGES.get(code)
    if page is None:
        raise NotFound(f"no rule {code}", hint="mqtriage lint explain")
    text = (files("mqtriage.definitions.rules") / f"{page}.md").read_text("utf-8")
    return _STATEMENTS.sub(r"\1", text)


def folded_page(page: str, width: int) -> str:
    """The page for a terminal: its prose broken between words, its examples as they are."""
    lines, is_code = [], False
    for line in page.splitlines():
        is_code ^= line.startswith("```")
        is_prose = not is_code and len(line) > width and not line.startswith("|")
        lines.append(
            fill(line, width, break_long_words=False, break_on_hyphens=False) if is_prose else line
        )
    return "\n".join(lines) + "\n"


def words_of(code: str) -> str:
    """What the page of a rule is called behind its code: ``backout_queue_put_disabled``."""
    return _PAGES.get(code, "").partition("_")[2]


def address_of(code: str, folder: str = "", own: Iterable[OwnPage] = ()) -> str:
    """Where a rule's page can be read; "" for a rule of one's own without a page.

    Args:
        folder: address of the folder of the pages, with a slash at its end; "" for `NO_ADDRESS`.
    """
    if code in _PAGES:
        return f"{folder or NO_ADDRESS}{_PAGES[code]}.md"
    return next((rule.page for rule in own if rule.code == code), "")
