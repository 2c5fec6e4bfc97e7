"""What people see, kept in tests/golden/formatters/."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtriage.formatters.errors import error_json, error_text
from mqtriage.formatters.plan import plan_document, plan_text
from mqtriage.formatters.style import Style
from mqtriage.model.result import Result
from mqtriage.mq.errors import MQTriageError, Refused, UsageError, mqi_error
from tests.unit.formatters import samples

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("width", [200, 120, 80, 40])
def test_a_table_at_each_width(golden: Golden, width: int) -> None:
    golden(f"formatters/table_{width}.txt", samples.text(samples.staged(), "table", width=width))


@pytest.mark.parametrize("width", [250, 120, 40])
def test_a_wide_table_at_each_width(golden: Golden, width: int) -> None:
    text = samples.text(samples.staged(), "table", width=width, wide=True)
    golden(f"formatters/table_wide_{width}.txt", text)


def test_a_table_in_colour(golden: Golden) -> None:
    text = samples.text(samples.staged(), "table", width=120, colour=True)
    golden("formatters/table_colour.txt", text)


@pytest.mark.parametrize("form", ["plain", "json", "ndjson", "yaml", "csv", "md", "ids"])
def test_a_list_in_each_form(golden: Golden, form: str) -> None:
    golden(f"formatters/list.{form}", samples.text(samples.staged(), form))


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "yaml", "csv", "md", "ids"])
@pytest.mark.parametrize(
    ("name", "result"),
    [("report", samples.requeued()), ("message", samples.message())],
    ids=["report", "message"],
)
def test_a_report_and_a_message_in_each_form(
    golden: Golden, form: str, name: str, result: Result
) -> None:
    golden(f"formatters/{name}.{form}", samples.text(result, form, width=60))


@pytest.mark.parametrize("form", ["table", "plain", "md", "mqsc"])
def test_a_document_with_sections(golden: Golden, form: str) -> None:
    golden(f"formatters/document.{form}", samples.text(samples.document(), form, width=40))


def test_a_plan_of_messages_and_of_definitions(golden: Golden) -> None:
    style = Style("table", width=80, is_tty=True)
    golden("formatters/plan.txt", plan_text(samples.plan(), style) + "\n")
    golden("formatters/plan_set.txt", plan_text(samples.definition_plan(), style) + "\n")


def test_a_dry_run_in_json(golden: Golden) -> None:
    document = plan_document(samples.plan(), Style("json"))
    golden("formatters/plan.json", samples.text(document, "json", is_tty=True))


ERRORS: tuple[MQTriageError, ...] = (
    mqi_error(2085, "browse APP.IN", hint="mqtriage queue ls 'APP.*'", object_name="APP.IN"),
    mqi_error(2035, "open ORDERS.BO for input", object_name="ORDERS.BO"),
    UsageError("--msgid: 'xyz' is no identifier", hint="48 hex digits, ID:hex, text:… or b64:…"),
    Refused("purge ORDERS.BO: 412 messages, --expect says 400"),
    MQTriageError("body \x1b[2J of\ntwo lines"),
)


def test_errors_for_people_and_for_scripts(golden: Golden) -> None:
    golden("formatters/errors.txt", "".join(f"{error_text(error)}\n" for error in ERRORS))
    for error in ERRORS:
        error.op = "01J"
    golden("formatters/errors.json", "".join(f"{error_json(e, 5)}\n" for e in ERRORS))
