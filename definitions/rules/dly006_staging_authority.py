from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Command, Severity, Violation, Violations
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.catalogue import quoted
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.security.authority_records import RecordIndex

ADMINISTRATORS: Final = ("GROUP(mqm)", "PRINCIPAL(mqm)")
TELLING: Final = frozenset(
    {
        "ALL",
        "ALLMQI",
        "GET",
        "PUT",
        "SET",
        "PASSALL",
        "PASSID",
        "SETALL",
        "SETID",
    }
)
"""Authorities that let a user take, add or change what is staged; browse and inquire are for
monitoring."""


def _taking(entity: str, words: list[str]) -> Command:
    """SET AUTHREC that takes *words* away; without words, one that shadows a generic profile."""
    keyword, _, who = entity.rstrip(")").partition("(")
    change = f"AUTHRMV({','.join(words)})" if words else "AUTHADD(NONE)"
    return Command(
        f"SET AUTHREC PROFILE({quoted(STAGING_QUEUE)}) OBJTYPE(QUEUE) +\n"
        f"       {keyword}({quoted(who)}) {change}"
    )


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    if estate.authorities is None:
        return
    index = RecordIndex(estate.authorities)
    for entity in index.entities:
        if entity in ADMINISTRATORS or entity in estate.load.staging_users:
            continue
        record = index.of(entity, STAGING_QUEUE)
        if record is None:
            continue
        words = sorted(word for word in record.authorities if word in TELLING)
        if not words:
            continue
        exact = record.profile == STAGING_QUEUE
        message = f"{entity} has {', '.join(words)} by profile {record.profile}"
        yield Violation(
            "AUTHREC",
            record.profile,
            estate.authorities[record],
            f"{message}: only maintenance and monitoring need access",
            (_taking(entity, words if exact else []),),
            None if exact else Severity.WARNING,
        )
