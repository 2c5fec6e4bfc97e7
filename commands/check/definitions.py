"""`mqtriage check definitions`: what lint finds on a live queue manager, and drift from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.drift import against_files
from mqtriage.definitions.estates import live_estate
from mqtriage.definitions.lint.baseline import Baseline
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import LintRun, lint_live, summary_line
from mqtriage.definitions.rules.finding import Finding, Severity
from mqtriage.model.check_result import CheckedObject, Metric, Status
from mqtriage.model.thresholds import MeasureUnit, Thresholds
from mqtriage.model.units import count_text
from mqtriage.mq.mqsc.tree import Script

_SHOWN: Final = 3


def check_definitions(
    backend: Backend,
    config: LintConfig,
    scripts: Sequence[Script],
    thresholds: Thresholds | None,
    baseline: Baseline | None = None,
) -> list[CheckedObject]:
    """Errors are critical and warnings a warning; differences from the files are a warning.

    Args:
        scripts: what the queue manager should be like; none compares nothing.
        thresholds: on the number of findings at `fail-on` or above, instead.

    Raises:
        UsageError: The files cannot be a desired state.
    """
    run = lint_live(live_estate(backend, config.load), config, baseline)
    results = [_findings(run, config, thresholds)]
    if scripts:
        results.append(_drift(backend, scripts))
    return results


def _findings(run: LintRun, config: LintConfig, thresholds: Thresholds | None) -> CheckedObject:
    checked = CheckedObject("definitions", "lint")
    by_severity: dict[Severity, list[Finding]] = {severity: [] for severity in Severity}
    for finding in run.findings():
        by_severity[finding.severity].append(finding)
    checked.facts.append(summary_line(run))
    for severity, findings in by_severity.items():
        checked.metrics.append(Metric(f"{severity.value}s", len(findings)))
    if thresholds is not None:
        least = Severity(config.fail_on).rank if config.fail_on != "never" else -1
        counted = [f for s, findings in by_severity.items() if s.rank <= least for f in findings]
        text = _listed(counted, "finding") if counted else "no findings"
        checked.measure(Metric("findings", len(counted)), thresholds, MeasureUnit.COUNT, text)
        return checked
    for severity, status in ((Severity.ERROR, Status.CRITICAL), (Severity.WARNING, Status.WARNING)):
        if by_severity[severity]:
            checked.add(status, _listed(by_severity[severity], severity.value))
    return checked


def _listed(findings: list[Finding], word: str) -> str:
    """``2 errors: BKO001 ORDERS.IN, DLQ001 QM1``."""
    first = ", ".join(f"{f.code} {f.name}".strip() for f in findings[:_SHOWN])
    more = f" and {len(findings) - _SHOWN} more" if len(findings) > _SHOWN else ""
    return f"{count_text(len(findings), word)}: {first}{more}"


def _drift(backend: Backend, scripts: Sequence[Script]) -> CheckedObject:
    checked = CheckedObject("definitions", "drift")
    records = list(against_files(backend, scripts).items)
    checked.metrics.append(Metric("differences", len(records)))
    checked.facts.append("as the files say")
    if records:
        names = [
            " ".join(str(r[key]) for key in ("object", "attribute") if r[key]) or "QMGR"
            for r in records
        ]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        count = count_text(len(names), "difference")
        text = f"{count} from the files: {', '.join(names[:_SHOWN])}{more}"
        checked.add(Status.WARNING, text)
    return checked
