"""AppContext: streams, width, colour, questions, results."""

from __future__ import annotations

import io
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from mqtriage.backends import registry
from mqtriage.cli.frame.console import Terminals, terminal_width, wants_colour
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.inputs import lines_of
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Output
from mqtriage.model.result import Field, ItemOutcome, Listing, Outcome, Report
from mqtriage.mq.errors import ConnectionFailed
from tests.support.application import app_for_test
from tests.unit.cli.conftest import text_of

TERMINAL = Terminals(stdin=True, stdout=True, stderr=True)
FIELDS = (Field("msg_id", "MSGID"),)


@pytest.mark.parametrize(
    ("environ", "is_tty", "no_color", "expected"),
    [
        pytest.param({}, True, False, True, id="terminal"),
        pytest.param({}, False, False, False, id="pipe"),
        pytest.param({"NO_COLOR": "1"}, True, False, False, id="NO_COLOR"),
        pytest.param({"NO_COLOR": ""}, True, False, True, id="NO_COLOR-empty-is-not-set"),
        pytest.param({"TERM": "dumb"}, True, False, False, id="dumb"),
        pytest.param({"CLICOLOR_FORCE": "1"}, False, False, True, id="forced"),
        pytest.param({"CLICOLOR_FORCE": "0"}, False, False, False, id="forced-0"),
        pytest.param({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, True, False, False, id="both"),
        pytest.param({"CLICOLOR_FORCE": "1"}, True, True, False, id="no-color-option-wins"),
    ],
)
def test_colour(environ: dict[str, str], is_tty: bool, no_color: bool, expected: bool) -> None:
    assert wants_colour(environ, is_tty=is_tty, no_color=no_color) is expected


def test_each_stream_has_its_own_colour() -> None:
    app = app_for_test(terminals=Terminals(stdin=True, stdout=False, stderr=True))
    assert not app.run.wants_colour(is_tty=app.run.terminals.stdout)
    assert app.run.colour_stderr


@pytest.mark.parametrize(
    ("columns", "expected"),
    [("40", 40), ("132", 132), ("", 80), ("0", 80), ("-5", 80), ("wide", 80), ("9" * 50, 80)],
)
def test_columns_is_honoured_when_it_is_a_width(columns: str, expected: int) -> None:
    assert terminal_width({"COLUMNS": columns}, io.StringIO()) == expected


@pytest.mark.parametrize(("is_tty", "form"), [(True, "table"), (False, "plain")])
def test_the_form_follows_the_terminal(is_tty: bool, form: str) -> None:
    assert app_for_test(terminals=Terminals(stdout=is_tty)).output.form == form


def test_a_listing_is_written_as_asked_and_its_warnings_are_told() -> None:
    app = app_for_test()
    app.bind(ConnectionOptions(qmgr="QM1"), Output(form="json"))
    app.output.emit(
        Listing("MessageList", FIELDS, [{"msg_id": "aa"}], warnings=["one was damaged"])
    )
    document = json.loads(text_of(app.output.stdout))
    assert document["items"] == [{"msg_id": "aa"}]
    assert document["queue_manager"] == "QM1"
    assert text_of(app.run.stderr) == "warning: one was damaged\n"
    assert app.run.outcome is ExitCode.OK


def test_prose_on_a_terminal_breaks_between_words_and_elsewhere_not_at_all() -> None:
    words = "browsing can make the queue manager discard expired messages"
    shown = {}
    for is_tty in (True, False):
        app = app_for_test(environ={"COLUMNS": "40"}, terminals=Terminals(stderr=is_tty))
        app.run.remark(words)
        app.run.warn(words)
        shown[is_tty] = app.run.stderr.getvalue()  # type: ignore[attr-defined]
    assert shown[False] == f"note: {words}\nwarning: {words}\n"
    assert shown[True].split() == shown[False].split()
    assert max(map(len, shown[True].splitlines())) <= 40


def test_warnings_that_arise_while_a_listing_is_read_are_told() -> None:
    app = app_for_test()
    listing = Listing("MessageList", FIELDS, ())

    def items() -> Iterator[dict[str, Any]]:
        yield {"msg_id": "aa"}
        listing.warnings.append("late")

    listing.items = items()
    app.output.emit(listing)
    assert "warning: late\n" in text_of(app.run.stderr)


@pytest.mark.parametrize(("items", "expected"), [([], 9), ([{"msg_id": "aa"}], 0)])
def test_fail_empty_counts_the_records_written(items: list[dict[str, str]], expected: int) -> None:
    app = app_for_test()
    app.bind(None, Output(fail_empty=True, form="ndjson"))
    app.output.emit(Listing("MessageList", FIELDS, items))
    assert app.run.outcome == expected


def test_a_report_notes_its_outcome_even_if_nobody_reads_it() -> None:
    app = app_for_test()
    app.output.stdout = Closing()
    done = [ItemOutcome("01", Outcome.DONE), ItemOutcome("02", Outcome.FAILED, "full")]
    with pytest.raises(BrokenPipeError):
        app.output.emit(Report("R", "requeue", "A", planned=2, items=done))
    assert app.run.outcome is ExitCode.PARTLY_DONE


def test_quiet_silences_talk_and_not_what_must_be_told() -> None:
    app = app_for_test()
    app.bind(None, Output(quiet=True))
    app.run.say("progress")
    app.run.warn("careful")
    app.run.tell("error: no")
    assert text_of(app.run.stderr) == "error: no\n"


def test_details_are_told_with_verbose_only() -> None:
    app = app_for_test()
    app.run.detail("MQGET 2033")
    assert text_of(app.run.stderr) == ""
    app.bind(None, Output(verbose=True))
    app.run.detail("MQGET 2033")
    assert text_of(app.run.stderr) == "MQGET 2033\n"


def test_nobody_reading_standard_error_is_no_failure() -> None:
    app = app_for_test()
    app.run.stderr = Closing()
    app.run.say("hello")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False), ("yy\n", False)],
)
def test_only_yes_confirms(answer: str, expected: bool) -> None:
    app = app_for_test(stdin=answer, terminals=TERMINAL)
    assert app.run.confirm("purge?") is expected
    ended = "" if answer else "\n"  # Ctrl-D leaves the line open for what is told next
    assert text_of(app.run.stderr) == f"purge? [y/N] {ended}"
    assert text_of(app.output.stdout) == ""


@pytest.mark.parametrize(
    ("terminals", "no_input"),
    [
        pytest.param(Terminals(stdin=False, stdout=True, stderr=True), False, id="stdin-piped"),
        pytest.param(Terminals(stdin=True, stdout=True, stderr=False), False, id="stderr-piped"),
        pytest.param(TERMINAL, True, id="no-input"),
    ],
)
@pytest.mark.seed("CARD-29")
def test_nothing_is_asked_where_nobody_can_answer(terminals: Terminals, no_input: bool) -> None:
    app = app_for_test(stdin="y\n", terminals=terminals)
    app.bind(None, Output(no_input=no_input))
    assert not app.run.interactive
    assert not app.run.confirm("purge?")
    assert text_of(app.run.stderr) == ""


def test_done_does_not_hide_an_earlier_code() -> None:
    app = app_for_test()
    app.run.note(ExitCode.PARTLY_DONE)
    app.run.note(ExitCode.OK)
    assert app.run.outcome is ExitCode.PARTLY_DONE


class Closing(io.StringIO):
    """A stream whose reader has left."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


class Connected:
    """The little of a backend that the context touches."""

    queue_manager = "QM1"
    kind = "emulator"
    insight = None
    disconnected = False

    def now_us(self) -> int:
        return 1_000_000

    def disconnect(self) -> None:
        self.disconnected = True


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> tuple[list[registry.ConnectionSettings], Connected]:
    settings: list[registry.ConnectionSettings] = []
    backend = Connected()

    def open_backend(
        chosen: registry.ConnectionSettings,
        *,
        notice: Callable[[str], None],
        tell_choice: Callable[[str], None],
    ) -> Connected:
        settings.append(chosen)
        notice("using QM1")
        return backend

    monkeypatch.setattr(registry, "open_backend", open_backend)
    return settings, backend


def test_a_backend_is_opened_with_what_was_chosen(
    opened: tuple[list[registry.ConnectionSettings], Connected],
) -> None:
    settings, backend = opened
    app = app_for_test(environ={"MQTRIAGE_HOME": "home", "MQTRIAGE_QMGR": "QM1"})
    app.bind(ConnectionOptions(backend="emulator"), Output(form="json"))
    with app.target.open_backend(read_only=True) as connection:
        assert connection.queue_manager == "QM1"
        assert not backend.disconnected
        app.output.emit(Listing("MessageList", FIELDS, ()))
    assert settings == [registry.ConnectionSettings("emulator", "QM1", "home", True)]
    assert backend.disconnected
    assert text_of(app.run.stderr) == "using QM1\n"
    written = json.loads(text_of(app.output.stdout))
    assert written["queue_manager"] == "QM1"
    assert written["at"].startswith("1970-01-01T00:00:01")


def test_a_failure_disconnects(
    opened: tuple[list[registry.ConnectionSettings], Connected],
) -> None:
    app = app_for_test()
    with pytest.raises(ZeroDivisionError), app.target.open_backend():
        raise ZeroDivisionError
    assert opened[1].disconnected


@pytest.mark.parametrize("refused", [False, True])
def test_a_connection_that_is_made_again_has_the_guards_that_were_added_meanwhile(
    opened: tuple[list[registry.ConnectionSettings], Connected],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: bool,
) -> None:
    config = tmp_path / "config.toml"
    app = app_for_test(environ={"MQTRIAGE_CONFIG": str(config), "MQTRIAGE_HOME": str(tmp_path)})
    app.bind(ConnectionOptions(qmgr="QM1"), Output())
    error = ConnectionFailed(2538, "connect QM1")
    with monkeypatch.context() as patched, suppress(ConnectionFailed):
        if refused:
            patched.setattr(registry, "open_backend", Mock(side_effect=error))
        with app.target.open_backend(read_only=True):
            assert not app.target.protected_by()
    config.write_text('[context.prod]\nqmgr = "QM1"\nprotected = true\n')
    with app.target.open_backend(read_only=True):
        assert app.target.protected_by() == "context prod"


def test_other_options_of_a_run_that_goes_on_find_the_groups_of_then(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[context.one]\nqmgr = "QM1"\n')
    app = app_for_test(environ={"MQTRIAGE_CONFIG": str(config), "MQTRIAGE_HOME": str(tmp_path)})
    app.bind(Connections(context=("one",)), Output())
    assert app.target.settings.text("qmgr") == "QM1"
    config.write_text('[context.two]\nqmgr = "QM2"\n[group]\nall = ["two"]\n')
    app.bind(Connections(context=("all",)), Output())
    assert app.target.settings.text("qmgr") == "QM2"


def test_ids_are_read_from_files_and_from_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_bytes(b"aa\nb\xff\n")
    app = app_for_test(stdin="cc\n")
    lines = [line.rstrip("\n") for line in lines_of(app, (str(file), "-"))]
    assert lines == ["aa", "b\N{REPLACEMENT CHARACTER}", "cc"]


def test_ids_are_read_from_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("aa\nbb\n",), daemon=True)
    writer.start()
    assert list(lines_of(app_for_test(), (str(pipe),))) == ["aa\n", "bb\n"]
    writer.join()


def test_a_signal_that_comes_while_a_line_is_written_still_asks_to_stop() -> None:
    class Busy(io.StringIO):
        def write(self, text: str) -> int:
            raise RuntimeError("reentrant call inside <_io.BufferedWriter name='<stderr>'>")

    app = app_for_test()
    app.run.stderr = Busy()
    with app.run.finishing_batches():
        os.kill(os.getpid(), signal.SIGTERM)
        assert app.run.should_stop()
    assert app.run.stop_signal == signal.SIGTERM


@pytest.mark.parametrize("recorded", [{"connection": "mq1(1414)"}, {}])
def test_an_operation_recorded_without_a_backend_was_emulated_whatever_is_set_today(
    tmp_path: Path, recorded: dict[str, str]
) -> None:
    environ = {"MQTRIAGE_HOME": str(tmp_path), "MQTRIAGE_CONNECTION": "mq2(1414)"}
    app = app_for_test(environ=environ)
    app.bind(ConnectionOptions(), None)
    app.target.recall("", {"qmgr": "QM1", **recorded}, "operation 1")
    assert app.target.settings.text("backend") == "emulator"
