"""`backout explain`, `expiry explain` and `delay forecast` as whole commands."""

from __future__ import annotations

import csv
import io
import json

import pytest

from mqtriage.cli.frame.console import Terminals
from tests.acceptance.conftest import Bench

COMMANDS = [
    pytest.param(("backout", "explain", "ORDERS.IN"), "BackoutExplanationList", id="backout"),
    pytest.param(("expiry", "explain", "PAYMENTS.REPLY"), "ExpiryExplanation", id="expiry"),
    pytest.param(("delay", "forecast"), "DelayForecastList", id="forecast"),
    pytest.param(("delay", "forecast", "--heat"), "DelayHeatList", id="heat"),
]


@pytest.fixture
def sample(empty_bench: Bench) -> Bench:
    empty_bench.ok("emulator", "create", "QM1", "--clock", "frozen", "--sample")
    return empty_bench


@pytest.mark.parametrize(("command", "kind"), COMMANDS)
def test_json_is_one_document_with_its_kind(
    sample: Bench, command: tuple[str, ...], kind: str
) -> None:
    document = sample.ok(*command, "-o", "json").json
    assert (document["schema"], document["kind"], document["queue_manager"]) == (
        "mqtriage/1",
        kind,
        "QM1",
    )
    assert document.get("items") or document.get("item")


@pytest.mark.parametrize(("command", "kind"), COMMANDS)
def test_ndjson_and_csv_hold_the_same_records(
    sample: Bench, command: tuple[str, ...], kind: str
) -> None:
    lines = sample.ok(*command, "-o", "ndjson").out.splitlines()
    rows = list(csv.DictReader(io.StringIO(sample.ok(*command, "-o", "csv").out)))
    assert len(lines) == len(rows) > 0
    record = json.loads(lines[0])
    assert set(rows[0]) <= set(record)


@pytest.mark.parametrize("form", ["table", "plain", "md"])
@pytest.mark.parametrize(("command", "kind"), COMMANDS)
@pytest.mark.slow
def test_people_are_shown_something_readable(
    sample: Bench, command: tuple[str, ...], kind: str, form: str
) -> None:
    out = sample.ok(*command, "-o", form).out
    assert "ORDERS" in out or "PAYMENTS" in out
    assert "{'" not in out


def test_ids_of_the_listings_are_the_clients_and_targets(sample: Bench) -> None:
    clients = sample.ok("backout", "explain", "ORDERS.IN", "-o", "ids").out.splitlines()
    assert clients[:3] == ["jms-sync-transacted", "jms-sync", "jms-async"]
    targets = sample.ok("delay", "forecast", "-o", "ids").out.splitlines()
    assert sorted(targets) == ["ORDERS.IN", "PAYMENTS.IN"]


@pytest.mark.parametrize("command", [("expiry", "explain", "ORDERS.IN"), ("delay", "forecast")])
def test_a_definition_cannot_be_printed_of_this(sample: Bench, command: tuple[str, ...]) -> None:
    assert sample.run(*command, "-o", "mqsc").code == 2


@pytest.mark.parametrize("group", ["backout", "expiry"])
def test_a_queue_that_is_not_there_is_5(bench: Bench, group: str) -> None:
    ran = bench.run(group, "explain", "NONE")
    assert ran.code == 5
    assert "2085" in ran.error_line


@pytest.mark.parametrize("group", ["backout", "expiry"])
def test_a_message_that_is_not_there_is_5(sample: Bench, group: str) -> None:
    ran = sample.run(group, "explain", "ORDERS.IN", "--msgid", "ID:01")
    assert ran.code == 5
    assert "no message" in ran.error_line


@pytest.mark.parametrize("group", ["backout", "expiry"])
def test_an_id_that_cannot_be_read_is_2(sample: Bench, group: str) -> None:
    assert sample.run(group, "explain", "ORDERS.IN", "--msgid", "nonsense").code == 2


@pytest.mark.parametrize("group", ["backout", "expiry"])
def test_a_beginning_of_several_ids_is_refused_with_these(sample: Bench, group: str) -> None:
    ran = sample.run(group, "explain", "ORDERS.IN", "--msgid", "414d*")
    assert ran.code == 8
    assert "--msgid 414D* fits 4 ids on ORDERS.IN: 414D5120" in ran.error_line


@pytest.mark.seed("EX-12")
@pytest.mark.parametrize(
    "command",
    [
        ("backout", "explain", "ORDERS.IN", "--msgid", "ID:01"),
        ("expiry", "explain", "ORDERS.IN", "--msgid", "ID:01"),
        ("delay", "forecast"),
    ],
)
def test_no_expiry_effects_refuses_to_browse(sample: Bench, command: tuple[str, ...]) -> None:
    assert sample.run(*command, "--no-expiry-effects").code == 8


def test_without_a_message_nothing_is_browsed_and_nothing_refused(sample: Bench) -> None:
    sample.ok("expiry", "explain", "ORDERS.IN", "--no-expiry-effects")
    ran = sample.ok("backout", "explain", "ORDERS.IN", "--no-expiry-effects")
    assert "discard expired messages" not in ran.err


def test_the_facts_stand_on_standard_error_beside_a_table_and_in_json(sample: Bench) -> None:
    ran = sample.ok("backout", "explain", "ORDERS", "-o", "plain")
    assert "ORDERS.IN: BOTHRESH(3) BOQNAME(ORDERS.BO)" in ran.err
    assert "ORDERS is an alias of ORDERS.IN" in ran.err
    assert sample.ok("backout", "explain", "ORDERS.IN", "--quiet", "-o", "plain").err == ""
    summary = sample.ok("backout", "explain", "ORDERS", "-o", "json").json["summary"]
    assert (summary["queue"], summary["asked_for"]) == ("ORDERS.IN", "ORDERS")


def test_report_options_that_do_not_exist_are_2(sample: Bench) -> None:
    ran = sample.run("backout", "explain", "ORDERS.IN", "--report", "NOSUCH")
    assert ran.code == 2
    assert "NOSUCH" in ran.error_line


@pytest.mark.parametrize(
    "wrong",
    [
        ("--bucket", "0s"),
        ("--horizon", "soon"),
        ("--bucket", "1s", "--horizon", "30d"),
        ("--assume-ddh", "put"),
    ],
)
def test_spans_that_make_no_sense_are_2(sample: Bench, wrong: tuple[str, ...]) -> None:
    assert sample.run("delay", "forecast", *wrong).code == 2


def test_no_staging_queue_is_5(zos_bench: Bench) -> None:
    ran = zos_bench.run("delay", "forecast")
    assert ran.code == 5
    assert "mqtriage delay define" in ran.err


def test_an_empty_staging_queue_is_0_and_9_when_that_is_asked_for(bench: Bench) -> None:
    assert bench.ok("delay", "forecast", "-o", "ids").out == ""
    assert bench.run("delay", "forecast", "--fail-empty").code == 9


def test_the_heat_line_fits_the_terminal(sample: Bench) -> None:
    sample.environ["COLUMNS"] = "100"
    terminals = Terminals(stdout=True)
    arguments = ("delay", "forecast", "--heat", "--bucket", "1m", "--no-color")
    ran = sample.run(*arguments, terminals=terminals)
    assert ran.code == 0
    assert "@" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


def test_backout_explain_says_once_why_the_backout_queue_refuses_a_put(sample: Bench) -> None:
    sample.ok("queue", "set", "ORDERS.BO", "PUT=DISABLED", "--yes")
    ran = sample.ok("backout", "explain", "ORDERS.IN", "-o", "table")
    why = "ORDERS.BO has PUT(DISABLED): MQRC_PUT_INHIBITED (2051)"
    assert why not in ran.out
    assert ran.err.count(why) == 1
    assert ran.out.count("BOQNAME refuses it, and MQRO_DISCARD_MSG is not set") == 1
    assert ran.out.count("as jms-sync-transacted") == 5
    items = sample.ok("backout", "explain", "ORDERS.IN", "-o", "json").items
    assert items[0]["reason"] == f"{why}, and MQRO_DISCARD_MSG is not set"
