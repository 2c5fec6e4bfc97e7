"""Shared options: how they reach a command, before the group and after the verb."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Browsing, ConnectionOptions, Consent, Output, Safety
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import parameters_of, takes, verb_function
from mqtriage.commands.context.settings import Setting
from mqtriage.messages.filters.selection import build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import OPT, Opt, argument, duration, flag, text
from tests.support.scale import amount
from tests.unit.cli.conftest import Run

seen: dict[str, Any] = {}


@takes(SelectionOptions, Safety, ConnectionOptions, Output)
def everything(
    app: AppContext,
    selection: SelectionOptions,
    safety: Safety,
    connection: ConnectionOptions,
    queue: str = argument("QUEUE", help="Queue.", default="Q"),
    by: str = text(help="Order.", default="put"),
) -> None:
    """Remember what arrived."""
    seen.clear()
    seen.update(app=app, selection=selection, safety=safety, connection=connection)
    seen.update(queue=queue, by=by)


@takes(Output)
def little(app: AppContext) -> None:
    """Take output options only."""


def test_groups_arrive_as_instances_beside_the_verbs_own_parameters(run: Run) -> None:
    ran = run(everything, "ORDERS.IN", "--by", "due", "--yes", "--expect", "3", "--overdue")
    assert ran.code == 0, ran.err
    assert seen["queue"] == "ORDERS.IN"
    assert seen["by"] == "due"
    assert seen["safety"] == Safety(yes=True, expect=3)
    assert seen["selection"] == SelectionOptions(overdue=True)


def test_a_selection_option_given_twice_keeps_both(run: Run) -> None:
    run(everything, "--msgid", "aa", "--msgid", "bb", "--limit", "5", "--not-persistent")
    assert seen["selection"].msg_id == ("aa", "bb")
    assert seen["selection"].persistent is False


def test_options_that_were_not_given_keep_their_defaults(run: Run) -> None:
    run(everything, "--msgid", "aa", "--limit", "5", "--skip", "0")
    assert seen["selection"] == SelectionOptions(msg_id=("aa",), limit=5)


def test_not_persistent_is_given_although_it_is_false(run: Run) -> None:
    run(everything, "--not-persistent")
    assert seen["selection"] == SelectionOptions(persistent=False)


@pytest.mark.parametrize(
    ("option", "value", "name"),
    [
        ("-m", "QM1", "qmgr"),
        ("--qmgr", "QM1", "qmgr"),
        ("--backend", "emulator", "backend"),
        ("--context", "prod", "context"),
    ],
)
@pytest.mark.parametrize("place", ["before", "after", "both"])
def test_connection_options_stand_before_the_group_or_after_the_verb(
    run: Run, option: str, value: str, name: str, place: str
) -> None:
    before = (option, value) if place != "after" else ()
    after = (option, value) if place != "before" else ()
    ran = run(everything, *after, before=before)
    assert ran.code == 0, ran.err
    assert getattr(seen["connection"], name) == value
    assert getattr(seen["app"].target.connection, name) == value


@pytest.mark.parametrize("option", ["--yes", "-n", "--dry-run"])
@pytest.mark.parametrize("place", ["before", "after", "both"])
def test_consent_and_dry_run_stand_in_both_places(run: Run, option: str, place: str) -> None:
    before = (option,) if place != "after" else ()
    after = (option,) if place != "before" else ()
    ran = run(everything, *after, before=before)
    assert ran.code == 0, ran.err
    assert seen["safety"] == (Safety(yes=True) if option == "--yes" else Safety(dry_run=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("-m", "QM1"), ("-m", "QM2")),
        (("-m", "QM1", "--qmgr", "QM2"), ()),
        ((), ("-m", "QM1", "--qmgr", "QM2")),
        (("--backend", "mq"), ("--backend", "emulator")),
        (("--context", "a"), ("--context", "b")),
        (("-o", "json"), ("-o", "csv")),
    ],
)
def test_given_twice_and_different_is_wrong_usage(
    run: Run, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    ran = run(everything, *after, before=before)
    assert ran.code == 2
    assert "given twice and differs" in ran.err
    assert ran.out == ""


def test_a_dry_run_that_cannot_be_obeyed_is_refused(run: Run) -> None:
    ran = run(little, before=("-n",))
    assert ran.code == 2
    assert "no --dry-run" in ran.err


def test_consent_is_enough_for_a_dry_run_before_the_group(run: Run) -> None:
    given: list[Consent] = []

    @takes(Consent, Output)
    def define(app: AppContext, consent: Consent) -> None:
        """Define."""
        given.append(consent)

    assert run(define, before=("-n",)).code == 0
    assert given == [Consent(dry_run=True)]
    assert run(define, "--batch", "5").code == 2


def test_connection_options_before_a_command_that_needs_none_do_no_harm(run: Run) -> None:
    assert run(little, before=("-m", "QM1", "--yes")).code == 0


def test_the_environment_stands_behind_the_options(run: Run) -> None:
    environ = {"MQTRIAGE_QMGR": "QM9", "MQTRIAGE_BACKEND": "mq"}
    run(everything, "-m", "QM1", environ=environ)
    settings = seen["app"].target.settings
    assert settings.values["qmgr"] == Setting("QM1", "--qmgr")
    assert settings.values["backend"] == Setting("mq", "MQTRIAGE_BACKEND")


def test_an_empty_environment_variable_is_not_set(run: Run) -> None:
    run(everything, environ={"MQTRIAGE_QMGR": "", "MQTRIAGE_BACKEND": ""})
    assert seen["app"].target.settings.values == {}


def test_an_unknown_backend_is_wrong_usage(run: Run) -> None:
    ran = run(everything, environ={"MQTRIAGE_BACKEND": "rabbit"})
    assert ran.code == 2
    assert "'rabbit'" in ran.err


def test_an_unknown_output_form_is_wrong_usage_before_the_command_runs(run: Run) -> None:
    seen.clear()
    ran = run(everything, "-o", "xml")
    assert ran.code == 2
    assert "ndjson" in ran.err
    assert not seen


@pytest.mark.parametrize("args", [("--limit", "0"), ("--batch", "0"), ("--expect", "-1")])
def test_a_number_below_its_range_is_wrong_usage(run: Run, args: tuple[str, ...]) -> None:
    ran = run(everything, *args)
    assert ran.code == 2
    assert args[0] in ran.err


def test_sort_takes_a_minus_for_descending(run: Run) -> None:
    run(everything, "--sort", "-put_time", "--columns", "msg_id, put_time")
    assert seen["app"].output.options.sort_key == ("put_time", True)
    assert seen["app"].output.options.column_keys == ("msg_id", "put_time")


def test_a_body_that_names_an_option_of_a_group_is_refused_when_it_is_loaded() -> None:
    def body(app: AppContext, msg_id: str = text("--msgid", help="It.")) -> None: ...

    with pytest.raises(TypeError, match="msg_id"):
        parameters_of(takes(SelectionOptions)(body))


def test_a_body_that_wants_a_group_not_taken_is_refused_when_it_is_loaded() -> None:
    def body(app: AppContext, safety: Safety) -> None: ...

    with pytest.raises(TypeError, match="Safety"):
        parameters_of(takes(Output)(body))


@dataclass(frozen=True, slots=True)
class Paint:
    """For the next test: its annotations are looked up in this module."""

    colour: str = text("--colour", metavar="NAME", help="Colour.", default="red")
    gloss: bool = flag("--gloss", help="Shiny.")


@dataclass(frozen=True, slots=True)
class Matt(Paint):
    LEFT_OUT = ("gloss",)


def test_own_options_of_a_group_stand_where_the_group_stands(run: Run) -> None:
    got: list[Paint] = []

    @takes(Output)
    def paint(
        app: AppContext,
        *,
        before: bool = flag(help="Before."),
        paint: Paint,
        after: bool = flag(help="After."),
    ) -> None:
        """Paint."""
        got.append(paint)

    @takes(Output)
    def matt(app: AppContext, paint: Matt) -> None:
        """Paint without gloss."""
        got.append(paint)

    own = [parameter.name for parameter in parameters_of(paint) if not parameter.heading]
    assert own == ["before", "colour", "gloss", "after"]
    assert run(paint).code == run(paint, "--colour", "blue", "--gloss").code == run(matt).code == 0
    assert got == [Paint("red", False), Paint("blue", True), Matt("red", False)]
    assert run(matt, "--gloss").code == 2


def test_a_returned_exit_code_is_refused_since_it_would_be_lost(run: Run) -> None:
    @takes(Output)
    def returns(app: AppContext) -> None:
        """Return instead of raise."""
        return typer.Exit(3)  # type: ignore[return-value]

    ran = run(returns)
    assert ran.code == 1
    assert "internal error: TypeError" in ran.err


def test_every_option_has_help_that_ends_as_a_sentence() -> None:
    for group in (ConnectionOptions, Output, Safety, SelectionOptions):
        for item in fields(group):
            opt: Opt = item.metadata[OPT]
            assert opt.help.endswith("."), item.name


def test_no_two_shared_options_have_one_name() -> None:
    names = [
        name
        for group in (ConnectionOptions, Output, Safety, SelectionOptions)
        for item in fields(group)
        for name in item.metadata[OPT].words(item.name)
    ]
    assert len(names) == len(set(names))


def test_a_reading_verb_has_the_expiry_guard_of_its_own(run: Run) -> None:
    given: list[bool] = []

    @takes(SelectionOptions, Browsing, Output)
    def browse(app: AppContext) -> None:
        """Browse."""
        given.append(app.target.no_expiry_effects)

    assert run(browse).code == run(browse, "--no-expiry-effects").code == 0
    assert given == [False, True]


def test_every_selection_option_is_read_by_the_selection_language(run: Run) -> None:
    args = [
        *("--msgid", "ID:41", "--correlid", "ID:41", "--md-format", "MQSTR"),
        *("--older-than", "2h", "--younger-than", "3h"),
        *("--backout", ">=3", "--put-appl", "a"),
        *("--reply-to", "Q", "--persistent", "--priority", ">=5", "--dest", "Q"),
        *("--prop", "a=1", "--reason", "2053", "--due-before", "now", "--due-after", "now"),
        *("--overdue", "--expires-within", "5m", "--body-contains", "abc", "--body-regex", "a+"),
        *("--body-path", "$.a=1", "--where", "backout >= 3"),
        *("--ids-from", "-", "--explain-select"),
    ]
    assert run(everything, *args).code == 0
    given = seen["selection"]
    names = {f.name for f in fields(SelectionOptions) if getattr(given, f.name) != f.default}
    assert names == {f.name for f in fields(SelectionOptions)} - {"skip", "limit", "selector"}
    selection = build_selection(given, ["ID:42"])
    assert selection.uses_due_time


WORDS = st.one_of(
    st.sampled_from(["--msgid", "-m", "-o", "json", "--limit", "3", "-n", "--utc", "--", "-", ""]),
    st.text(max_size=6),
    st.text(max_size=4).map("--{}".format),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=amount(40))
@given(before=st.lists(WORDS, max_size=2), after=st.lists(WORDS, max_size=5))
def test_any_command_line_ends_in_success_or_wrong_usage(
    run: Run, before: list[str], after: list[str]
) -> None:
    """Whatever is typed: a code of the table, no traceback, nothing on stdout when it fails."""
    ran = run(everything, *after, before=tuple(before))
    assert ran.code in {0, 2}, ran.err
    assert "internal error" not in ran.err
    if ran.code == 2:
        assert ran.out == ""
        assert "error" in ran.err.lower()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param(("--body", "yaml"), "--body yaml: json or xml is expected", id="choice"),
        pytest.param(("--wait", "5"), "--wait '5': not a duration", id="duration"),
        pytest.param(("--wait", "9ms"), "--wait '9ms': out of range", id="least"),
        pytest.param(("--expiry", "soon"), "--expiry 'soon'", id="lifetime"),
    ],
)
def test_a_value_that_is_none_of_its_kind_is_wrong_usage(
    run: Run, words: tuple[str, ...], problem: str
) -> None:
    @takes(Output)
    def show(
        app: AppContext,
        body: str | None = text(help="Form.", choices=("json", "xml")),
        wait: int | None = duration(help="Time.", least_ms=10),
        expiry: int | None = text(help="Lifetime.", reads="expiry"),
    ) -> None:
        """Show."""

    failed = run(show, *words)
    assert failed.code == 2
    assert problem in failed.err


MOST_VERBS, MOST_WORDS = 120, 220


def test_there_are_no_more_verbs_and_option_words_than_a_person_can_hold() -> None:
    """A pair, ``--wide/--no-wide``, is one word; one that several verbs share counts once."""
    targets = [target for group in GROUPS.values() for target, _ in group.verbs.values()]
    targets += [target for target, _ in COMMANDS.values()]
    words = {
        next((part for part in written.split("/") if part.startswith("--")), written)
        for target in targets
        for parameter in parameters_of(verb_function(target))
        for written in parameter.words
    }
    assert len(targets) <= MOST_VERBS
    assert len({word for word in words if word.startswith("--")}) <= MOST_WORDS
