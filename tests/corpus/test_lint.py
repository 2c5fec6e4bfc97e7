"""Lint over real scripts: every one gets through, places are in the file, fixes are good MQSC."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtriage.definitions.estates import ScriptSet, read_file
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.fixes import fix_mqsc, fixable, rewrite
from mqtriage.definitions.lint.run import Linted, lint_scripts
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse
from tests.support.scale import for_all

ROOT = Path(__file__).parent.parent.parent
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT / "../shared/corpus")) / "mqsc"
FILES = sorted(CORPUS.glob("*.mqsc"))
EXPECTED = {
    "BKO001": ("092-IBM-cp4i-deployment-samples-ddd-dev.mqsc", 6),
    "BKO002": ("041-Sugumar02-Demo-BrokerMQObjects.mqsc", 2),
    "BKO006": ("017-ibm-messaging-mq-gitops-samples-dynamic.mqsc", 1),
    "BKO008": ("050-fxnaranjo-wkspopular2-config.mqsc", 5),
    "DLQ003": ("004-ibm-messaging-mq-container-10-dev.mqsc", 1),
}
"""What a look at the scripts with one's own eyes finds: code to file and number of findings."""


def lint(scripts: ScriptSet) -> Linted:
    return lint_scripts(scripts, LintConfig())


def scripts_of(path: Path) -> ScriptSet:
    return ScriptSet("", (read_file(str(path)),))


pytestmark = pytest.mark.skipif(not FILES, reason=f"no corpus at {CORPUS.name}")


@for_all(FILES)
def test_every_place_is_in_the_file(path: Path) -> None:
    scripts = scripts_of(path)
    lines = scripts.files[0].script.text.splitlines()
    for finding in lint(scripts).findings:
        assert 1 <= finding.place.line <= len(lines) + 1
        assert finding.message


@for_all(FILES)
def test_the_printed_fix_is_good_mqsc(path: Path) -> None:
    text = fix_mqsc(scripts_of(path), lint, infos=False)
    wrong = [d for d in check_script(parse(text)) if d.severity == "error"]
    assert wrong == []


@for_all(FILES)
@pytest.mark.slow
def test_a_rewritten_script_has_nothing_left_to_mend(path: Path) -> None:
    scripts = scripts_of(path)
    before = lint(scripts)
    for changed in rewrite(scripts, lint, infos=False):
        file = changed.file
        after = lint(ScriptSet("", (type(file)(file.path, b"", changed.script),)))
        assert fixable(after.findings, infos=False) == []
        assert len(after.findings) < len(before.findings)


@pytest.mark.parametrize("code", EXPECTED)
def test_what_eyes_found_is_found(code: str) -> None:
    name, count = EXPECTED[code]
    findings = lint(scripts_of(CORPUS / name)).findings
    assert sum(finding.code == code for finding in findings) == count


FOLLOWED = {
    False: ["063 CHL002", "064 CHL002", "067 CHL002", "068 CHL002", "086 CHL002", "086 CHL002",
            "087 CHL002"],
    True: ["041 REF005", "063 CHL002", "064 CHL002", "067 CHL002", "068 CHL002", "082 REF007",
           "082 REF007", "086 CHL002", "086 CHL002", "087 CHL002", "099 QUE003",
           "103 REF018"],
}  # fmt: skip
"""What is true of names in these scripts, by whether each is taken for all that there is."""


@pytest.mark.parametrize("whole", FOLLOWED)
def test_names_are_followed_without_a_wrong_word(whole: bool) -> None:
    config = LintConfig(
        whole=whole, select=("REF", "CHL", "QUE003", "QUE009", "BKO024"), ignore=("MQSC",)
    )
    findings = [
        f"{path.name[:3]} {finding.code}"
        for path in FILES
        for finding in lint_scripts(scripts_of(path), config).findings
    ]
    assert findings == FOLLOWED[whole]
