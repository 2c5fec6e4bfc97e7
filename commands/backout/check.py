"""`mqtriage backout check`: the backout rules on a pattern of queues, live or from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mqtriage.definitions.estate import Estate, is_system
from mqtriage.definitions.estates import ScriptSet, estate_of
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import Linted, LintRun, judge
from mqtriage.definitions.load_model import LoadModel, Reader
from mqtriage.definitions.rules.finding import Finding
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.mq.names import check_generic_name, matches

_SELECTED = ("BKO",)


def config_for(base: LintConfig, user: str | None) -> LintConfig:
    """The settings of lint with the backout rules alone, and *user* as a reader of every queue.

    Args:
        user: of `--as`: ``joe``, ``PRINCIPAL(joe)`` or ``GROUP(staff)``; None for nobody.

    Raises:
        UsageError: An empty name.
    """
    load = base.load if user is None else _read_by(base.load, user)
    return replace(base, select=_SELECTED, load=load)


def _read_by(load: LoadModel, user: str) -> LoadModel:
    entity = user if user.endswith(")") and "(" in user else f"PRINCIPAL({user})"
    if not user.strip() or entity.partition("(")[0] not in ("PRINCIPAL", "GROUP"):
        raise UsageError(f"--as {user!r}: a user, PRINCIPAL(user) or GROUP(group) is expected")
    return replace(load, readers=(*load.readers, Reader(entity, ("*",))))


def check_live(estate: Estate, config: LintConfig, pattern: str | None) -> LintRun:
    """Judge the queues of a live queue manager that *pattern* names.

    Raises:
        UsageError: No generic name.
        NotFound: One queue was named, and is not there.
    """
    return _about([judge(estate, (), config)], pattern)


def check_files(sets: Sequence[ScriptSet], config: LintConfig, pattern: str | None) -> LintRun:
    """The same for MQSC files: one queue manager each."""
    states = []
    for one in sets:
        estate = estate_of(
            one.scripts,
            name=one.name,
            platform=config.platform,
            load=config.load,
            whole=config.whole,
        )
        states.append(judge(estate, one.scripts, config))
    return _about(states, pattern)


def _about(results: list[Linted], pattern: str | None) -> LintRun:
    """Only what concerns the queues that the pattern names, or their backout queues."""
    if pattern is not None:
        check_generic_name(pattern)
        one = None if pattern.endswith("*") else pattern
        if one and not any(one in linted.estate.queues for linted in results):
            raise NotFound(f"{one}: no such queue", hint="mqtriage queue ls", object_name=one)
    return LintRun([_less(linted, pattern) for linted in results])


def _less(linted: Linted, pattern: str | None) -> Linted:
    concerned = {
        name
        for queue in linted.estate.queues.values()
        if _named(queue.name, pattern)
        for name in (queue.name, queue.text("BOQNAME") or "")
    }
    linted.findings = [f for f in linted.findings if _concerns(f, concerned, pattern)]
    return linted


def _named(name: str, pattern: str | None) -> bool:
    return not is_system(name) if pattern is None else matches(pattern, name)


def _concerns(finding: Finding, concerned: set[str], pattern: str | None) -> bool:
    # a script's own faults have no object, or one that never came to be
    return finding.name in concerned or not finding.name or _named(finding.name, pattern)
