"""Choosing a form, and importing no more than it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mqtriage.cli.frame.console import Terminals
from mqtriage.formatters.forms.select import form_module
from mqtriage.formatters.style import Style
from mqtriage.model.output_forms import FORMS
from mqtriage.model.result import Listing
from mqtriage.mq.errors import UsageError
from tests.support.application import app_for_test
from tests.unit.formatters import samples


@pytest.mark.seed("CARD-12")
def test_every_form_has_a_formatter() -> None:
    assert len({form_module(name) for name in FORMS}) == len(FORMS) == 9


def test_table_is_for_terminals_and_plain_for_pipes() -> None:
    assert app_for_test(terminals=Terminals(stdout=True)).output.form == "table"
    assert app_for_test(terminals=Terminals(stdin=True, stderr=True)).output.form == "plain"


def test_an_unknown_form_names_the_forms() -> None:
    with pytest.raises(UsageError, match="xml") as caught:
        samples.text(samples.staged(), "xml")
    assert caught.value.hint == "forms: table, plain, json, ndjson, yaml, csv, md, ids, mqsc"


LOADED = """
import sys
sys.path[:0] = {path!r}
from tests.unit.formatters import samples
samples.text(samples.staged(), {form!r})
print(*(name for name in ("rich", "tabulate", "csv", "json", "typer") if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("form", "loaded"),
    [
        ("ndjson", "json"),
        ("csv", "csv json"),
        ("table", "rich"),
        ("ids", ""),
    ],
)
def test_a_form_loads_only_what_it_draws_with(form: str, loaded: str) -> None:
    code = LOADED.format(path=sys.path, form=form)
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=samples.__file__.rpartition("/tests/")[0],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == loaded.split()


def test_ids_skip_records_without_one() -> None:
    items: list[dict[str, str | None]] = [{"queue": "Q1"}, {"queue": None}, {}, {"queue": "Q2"}]
    listing = Listing("QueueList", (), items, id_key="queue")
    assert samples.text(listing, "ids") == "Q1\nQ2\n"


def test_ids_of_a_document_without_one_are_refused() -> None:
    with pytest.raises(UsageError, match="has no MsgId"):
        samples.text(samples.document(), "ids")


def test_mqsc_of_messages_is_refused_before_they_are_read() -> None:
    def never() -> None:
        raise AssertionError("read")

    listing = samples.staged(iter(never, 1))  # type: ignore[arg-type]
    for sort in (None, "state"):
        with pytest.raises(UsageError, match="-o mqsc"):
            samples.text(listing, "mqsc", sort=sort)


def test_mqsc_of_definitions_is_one_text_a_record() -> None:
    listing = Listing("QueueList", (), [{"q": "A"}, {"q": "B"}], mqsc=lambda r: f"DEF {r['q']}\n")
    assert samples.text(listing, "mqsc") == "DEF A\nDEF B\n"
    assert samples.text(samples.altered(), "mqsc").count("\n") == 2


def test_a_report_is_written_whatever_the_options_say() -> None:
    for form in FORMS:
        samples.text(samples.requeued(), form, columns=("no_such",), sort="no_such", limit=0)


def test_the_number_of_records_is_returned() -> None:
    import io

    from mqtriage.formatters.forms.select import write

    for form in set(FORMS) - {"mqsc"}:
        assert write(samples.staged(), Style(form), io.StringIO()) == 3
        assert write(samples.staged([]), Style(form), io.StringIO()) == 0
