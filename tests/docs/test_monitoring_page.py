"""docs/monitoring.md names every check."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from mqtriage.cli.frame.tree import GROUPS
from tests.acceptance.conftest import Bench
from tests.support.pages import blocks_of

PAGE = (Path(__file__).parents[2] / "docs" / "monitoring.md").read_text("utf-8")


def icinga_line(text: str) -> str:
    """What Icinga 2 runs: `command` and then `arguments`, each variable being the service's."""
    values = dict(re.findall(r'vars\.(\w+) = "(.*)"', text))
    words = json.loads(re.findall(r"^  command = (.*)$", text, re.MULTILINE)[0])
    for option, value in re.findall(r'^    ("--.*") = (".*")$', text, re.MULTILINE):
        words += [json.loads(option), json.loads(value)]
    name = re.findall(r'^object CheckCommand "(.*)"', text)
    assert re.findall(r'check_command = "(.*)"', text) == name
    return shlex.join(re.sub(r"\$(\w+)\$", lambda it: values[it[1]], word) for word in words)


def test_every_check_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `check (\w+)", PAGE, re.MULTILINE)) == set(GROUPS["check"].verbs)


def test_the_commands_of_a_monitor_run_with_only_the_settings_of_the_page(
    tmp_path: Path,
) -> None:
    """On the emulator, which takes the place of the queue manager that the page connects to."""
    bench = Bench(tmp_path)
    bench.ok("emulator", "create", "QM1", "--sample")
    texts = {block.about["file"]: block.text for block in blocks_of("monitoring.md", PAGE)
             if "file" in block.about}  # fmt: skip
    settings = tmp_path / "nagios.toml"
    settings.write_text(texts.pop("etc/nagios.toml"), "utf-8")
    bench.environ["MQTRIAGE_CONFIG"] = str(settings)
    assert bench.ok("context", "ls", "-o", "json").items[0]["read_only"]
    here = re.sub(r"^(backend|connection|channel|user|pass).*\n", "", settings.read_text("utf-8"),
                  flags=re.MULTILINE)  # fmt: skip
    settings.write_text(here, "utf-8")
    icinga = icinga_line(texts.pop("etc/icinga2.conf"))
    service = re.search(r"check_mq!(.*)", texts["etc/mqtriage.cfg"])
    assert service is not None
    lines = [line.replace("$ARG1$", service[1]) for text in texts.values()
             for line in text.splitlines() if "bin/mqtriage " in line]  # fmt: skip
    assert len(lines) == 4
    lines.append(icinga)
    for line in lines:
        ran = bench.run(*shlex.split(line.partition("bin/mqtriage ")[2].partition(" >")[0]))
        assert ran.code < 2, (line, ran.out, ran.err)
        assert ran.out.startswith("MQ " if "format nagios" in line else "# HELP "), ran.out
