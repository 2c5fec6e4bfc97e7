"""Whole estates: a clean one has no finding of weight, and faults planted into it are found."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from mqtriage.definitions.estates import ScriptFile, ScriptSet, script_sets
from mqtriage.definitions.lint.config import config_from
from mqtriage.definitions.lint.fixes import fix_mqsc
from mqtriage.definitions.lint.run import Linted, lint_all, lint_scripts
from mqtriage.definitions.rules.finding import Finding, Severity
from mqtriage.mq.mqsc.parse import parse
from tests.support.bank_estates import STYLES
from tests.support.deployed_estates import DEPLOYED
from tests.support.public_estates import PUBLIC
from tests.support.scale import amount
from tests.unit.definitions.rules.planted import FAULTS, Fault
from tests.unit.definitions.rules.planted_in_files import FAULTS_IN_FILES, FAULTS_OF_OTHERS
from tests.unit.definitions.rules.planted_pairs import PAIRS

ESTATES = {**STYLES, **PUBLIC}
ON_ZOS = ("HOST", "RAILWAY")


def linted(style: str, scripts: ScriptSet) -> Linted:
    """The outcome for scripts that are all that their queue manager has."""
    config = config_from({"whole": True, "platform": "zos" if style in ON_ZOS else "dist"})
    return lint_scripts(scripts, config)


def script_set(*texts: str) -> ScriptSet:
    """Scripts of one queue manager, run in order."""
    files = (ScriptFile(None, b"", parse(text, file=f"{n}.mqsc")) for n, text in enumerate(texts))
    return ScriptSet("", tuple(files))


def weighty(style: str, text: str) -> list[Finding]:
    """The errors and warnings of a script that is all that its queue manager has."""
    findings = linted(style, script_set(text)).findings
    return [finding for finding in findings if finding.severity is not Severity.INFO]


def planted(fault: Fault) -> str:
    """The estate with the fault in it."""
    text = ESTATES[fault.style]
    if not fault.old:
        return f"{text}{fault.new}\n"
    assert fault.old in text, fault
    return text.replace(fault.old, fault.new, 1)


def is_it(fault: Fault, finding: Finding) -> bool:
    return finding.code == fault.code and fault.name in ("", finding.name)


@pytest.mark.parametrize("style", ESTATES)
def test_a_clean_estate_has_no_error_and_no_warning(style: str) -> None:
    assert weighty(style, ESTATES[style]) == []


def test_the_clean_estates_are_a_thousand_lines() -> None:
    for five in (STYLES, PUBLIC):
        assert len(five) == 5
        assert sum(text.count("\n") for text in five.values()) >= 1000


@pytest.mark.parametrize("faults", [FAULTS, FAULTS_OF_OTHERS], ids=["of-banks", "of-others"])
@pytest.mark.slow
def test_a_hundred_planted_faults_are_found_and_none_makes_a_false_error(
    faults: tuple[Fault, ...],
) -> None:
    missed: list[Fault] = []
    false: list[str] = []
    for fault in faults:
        findings = weighty(fault.style, planted(fault))
        if not any(is_it(fault, finding) for finding in findings):
            missed.append(fault)
        false += [
            f"{fault}: {finding.code} {finding.name} {finding.message}"
            for finding in findings
            if finding.severity is Severity.ERROR
            and finding.code not in (fault.code, *fault.brings)
        ]
    assert not false
    assert not missed
    assert len(faults) >= 100


def errors(style: str, *texts: str) -> set[tuple[str, str]]:
    """Code and name of what is an error in the scripts."""
    findings = linted(style, script_set(*texts)).findings
    return {(f.code, f.name) for f in findings if f.severity is Severity.ERROR}


@pytest.mark.slow
def test_fixes_of_planted_faults_make_no_errors() -> None:
    """Every third fault in daily runs; test_rules.py tests the fix of each rule."""
    new_errors: list[str] = []
    for fault in (*FAULTS, *FAULTS_OF_OTHERS)[:: amount(3, all=1)]:
        text = planted(fault)
        fix = fix_mqsc(script_set(text), partial(linted, fault.style), infos=True)
        new = errors(fault.style, text, fix) - errors(fault.style, text)
        new_errors += [f"{fault}: {code} {name}" for code, name in sorted(new)]
    assert not new_errors


def test_every_family_of_rules_is_among_the_faults() -> None:
    assert {"SEC", "TRG", "BKO", "QUE", "REF", "CHL", "DLQ", "MQS"} <= {
        fault.code[:3] for fault in FAULTS
    }


def codes_of(text: str, *, whole: bool) -> set[str]:
    """The codes of the errors and warnings of a script."""
    scripts = ScriptSet("", (ScriptFile(None, b"", parse(f"{text}\n", file="a.mqsc")),))
    findings = lint_scripts(scripts, config_from({"whole": whole})).findings
    return {finding.code for finding in findings if finding.severity is not Severity.INFO}


def test_a_fault_is_found_and_its_good_neighbour_is_left_alone() -> None:
    missed = [pair for pair in PAIRS if pair.code not in codes_of(pair.bad, whole=pair.whole)]
    assert not missed
    false = [pair for pair in PAIRS if pair.code in codes_of(pair.good, whole=pair.whole)]
    assert not false


def in_file(style: str, text: str, folder: Path) -> list[Finding]:
    """The errors and warnings of a file of a deployment that is all of its queue manager."""
    name, _, platform = DEPLOYED[style]
    (folder / name).write_text(text)
    sets = script_sets([str(folder / name)], lambda: b"")
    assert len(sets) == 1, "what is one queue manager was taken apart"
    findings = lint_all(sets, config_from({"whole": True, "platform": platform})).findings()
    return [finding for finding in findings if finding.severity is not Severity.INFO]


@pytest.mark.parametrize("style", DEPLOYED)
def test_a_clean_deployment_has_no_error_and_no_warning(style: str, tmp_path: Path) -> None:
    assert in_file(style, DEPLOYED[style].text, tmp_path) == []


@pytest.mark.slow
def test_faults_in_files_of_deployments_are_found_and_none_makes_a_false_error(
    tmp_path: Path,
) -> None:
    missed: list[Fault] = []
    false: list[str] = []
    for fault in FAULTS_IN_FILES:
        text = DEPLOYED[fault.style].text
        assert fault.old in text, fault
        findings = in_file(fault.style, text.replace(fault.old, fault.new, 1), tmp_path)
        if not any(is_it(fault, finding) for finding in findings):
            missed.append(fault)
        expected = (fault.code, *fault.brings)
        errors = [f for f in findings if f.severity is Severity.ERROR and f.code not in expected]
        false += [f"{fault}: {f.code} {f.name} {f.message}" for f in errors]
    assert not false
    assert not missed
    assert len(FAULTS_IN_FILES) >= 130
