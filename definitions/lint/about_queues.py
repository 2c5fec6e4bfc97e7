"""What narrows lint to some queues and to one user: `lint --queue` and `lint --as`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import LintRun
from mqtriage.definitions.load_model import QueueReader
from mqtriage.definitions.rules.finding import Finding
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.mq.names import check_generic_name, matches


def read_by(config: LintConfig, user: str) -> LintConfig:
    """The settings with *user* as a reader of every queue.

    Args:
        user: of `--as`: ``joe``, ``PRINCIPAL(joe)`` or ``GROUP(staff)``.
    """
    entity = user if user.endswith(")") and "(" in user else f"PRINCIPAL({user})"
    if not user.strip() or entity.partition("(")[0] not in ("PRINCIPAL", "GROUP"):
        raise UsageError(f"--as {user!r}: a user, PRINCIPAL(user) or GROUP(group) is expected")
    readers = (*config.load.readers, QueueReader(entity, ("*",)))
    return replace(config, load=replace(config.load, readers=readers))


def about_queues(run: LintRun, patterns: Sequence[str]) -> LintRun:
    """Keep only the findings about queues that a pattern names, and about their backout queues.

    What is wrong with a script itself has no object, and stays.

    Raises:
        NotFound: No queue has such a name.
    """
    for pattern in patterns:
        check_generic_name(pattern)
        if not any(_named(name, (pattern,)) for of in run.results for name in of.estate.queues):
            text = "no queue has such a name" if pattern.endswith("*") else "no such queue"
            live = {of.estate.queue_manager for of in run.results if not of.scripts} - {""}
            text = f"{pattern}: {text}" + (f" on {', '.join(sorted(live))}" if live else "")
            raise NotFound(text, hint="mqtriage queue ls", object_name=pattern)
    for linted in run.results:
        names = {
            name
            for queue in linted.estate.queues.values()
            if _named(queue.name, patterns)
            for name in (queue.name, queue.text("BOQNAME") or "")
        }
        linted.findings = [f for f in linted.findings if _concerns(f, names, patterns)]
    return run


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(matches(pattern, name) for pattern in patterns)


def _concerns(finding: Finding, names: set[str], patterns: Sequence[str]) -> bool:
    # a script's own faults have no object, or one that never came to be
    of_script = not finding.name and finding.code.startswith(("MQSC", "LNT"))
    return of_script or finding.name in names or _named(finding.name, patterns)
