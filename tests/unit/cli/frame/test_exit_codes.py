"""The table of exit codes, one row per sentence."""

from __future__ import annotations

import pytest

from mqtriage.cli.frame.exit_codes import MEANINGS, ExitCode, outcome_of
from mqtriage.model.result import Document, ItemOutcome, Listing, Outcome, Report, Result
from mqtriage.mq import errors
from mqtriage.mq.errors import mqi_error

DONE = ItemOutcome("01", Outcome.DONE)
SKIPPED = ItemOutcome("02", Outcome.SKIPPED, "gone")
FAILED = ItemOutcome("03", Outcome.FAILED, "MQRC_Q_FULL (2053)")


def report(
    *items: ItemOutcome,
    planned: int | None = None,
    dry_run: bool = False,
    interrupted: bool = False,
    changed: bool = True,
) -> Report:
    return Report(
        "RequeueReport",
        "requeue",
        "A",
        planned=len(items) if planned is None else planned,
        items=list(items),
        dry_run=dry_run,
        interrupted=interrupted,
        changed=changed,
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(errors.MQTriageError("x"), 1, id="ours-without-a-code"),
        pytest.param(errors.StorageError("x"), 1, id="storage"),
        pytest.param(errors.UsageError("x"), 2, id="usage"),
        pytest.param(errors.NotFound("x"), 5, id="not-found"),
        pytest.param(errors.Refused("x"), 8, id="refused"),
        pytest.param(errors.Unreachable("x"), 7, id="unreachable"),
        pytest.param(mqi_error(2085, "open A"), 5, id="2085"),
        pytest.param(mqi_error(2033, "get A"), 5, id="2033"),
        pytest.param(mqi_error(2035, "open A"), 6, id="2035"),
        pytest.param(mqi_error(2059, "connect"), 7, id="2059"),
        pytest.param(mqi_error(2009, "get A"), 7, id="2009"),
        pytest.param(mqi_error(2538, "connect"), 7, id="2538"),
        pytest.param(mqi_error(2393, "connect"), 7, id="2393"),
        pytest.param(mqi_error(2053, "put A"), 1, id="2053"),
        pytest.param(mqi_error(9999, "put A"), 1, id="unknown-reason"),
        pytest.param(BrokenPipeError(), 0, id="reader-left"),
        pytest.param(OSError(28, "No space left on device"), 1, id="disk-full"),
        pytest.param(KeyboardInterrupt(), 130, id="ctrl-c"),
        pytest.param(ZeroDivisionError(), 1, id="unexpected"),
    ],
)
@pytest.mark.seed("CARD-29")
def test_an_error_has_one_exit_code(error: BaseException, expected: int) -> None:
    assert outcome_of(error) == expected


def test_sigterm_is_told_from_sigint() -> None:
    assert outcome_of(KeyboardInterrupt(), signal=15) == 143
    assert outcome_of(KeyboardInterrupt(), signal=2) == 130


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        pytest.param(report(DONE, DONE), 0, id="all-done"),
        pytest.param(report(DONE, FAILED), 3, id="some-failed"),
        pytest.param(report(DONE, SKIPPED), 3, id="some-skipped"),
        pytest.param(report(SKIPPED), 3, id="all-skipped"),
        pytest.param(report(FAILED, FAILED), 1, id="none-done"),
        pytest.param(report(FAILED, SKIPPED), 1, id="none-done-one-failed"),
        pytest.param(report(DONE, planned=2), 3, id="one-planned-not-reached"),
        pytest.param(report(DONE, planned=2, interrupted=True), 130, id="interrupted"),
        pytest.param(report(planned=3, dry_run=True), 0, id="dry-run"),
        pytest.param(report(planned=2), 0, id="definitions-changed"),
        pytest.param(report(changed=False), 0, id="unchanged"),
        pytest.param(report(), 0, id="nothing-planned"),
        pytest.param(Document("Version", {}), 0, id="document"),
    ],
)
def test_a_result_has_one_exit_code(result: Result, expected: int) -> None:
    assert outcome_of(result) == expected


@pytest.mark.parametrize(
    ("result", "items", "expected"),
    [
        pytest.param(Listing("L", (), ()), 0, 9, id="empty-listing"),
        pytest.param(Listing("L", (), ()), 1, 0, id="listing-with-one"),
        pytest.param(report(), None, 9, id="nothing-planned"),
        pytest.param(report(dry_run=True), None, 9, id="dry-run-of-nothing"),
        pytest.param(report(planned=1, dry_run=True), None, 0, id="dry-run-of-one"),
        pytest.param(report(changed=False), None, 0, id="unchanged-is-not-empty"),
        pytest.param(report(DONE), None, 0, id="done"),
    ],
)
def test_fail_empty_makes_nothing_matched_9(
    result: Result, items: int | None, expected: int
) -> None:
    assert outcome_of(result, fail_empty=True, items=items) == expected


def test_an_empty_listing_is_done_without_fail_empty() -> None:
    assert outcome_of(Listing("L", (), ()), items=0) is ExitCode.OK


def test_a_batch_finished_after_sigterm_is_143() -> None:
    stopped = report(DONE, planned=2, interrupted=True)
    assert outcome_of(stopped, signal=15) is ExitCode.TERMINATED


def test_every_code_is_explained() -> None:
    assert set(MEANINGS) == set(ExitCode)


def test_every_class_of_the_error_tree_is_in_the_table() -> None:
    """A class added to mq/errors.py without thinking of its code fails here."""
    decided = {
        "MQTriageError": 1,
        "UsageError": 2,
        "Interrupted": 130,
        "NotFound": 5,
        "Refused": 8,
        "StorageError": 1,
        "Unreachable": 7,
        "NoClient": 7,
        "PCFError": 1,
        "MQIError": 1,
        "ObjectNotFound": 5,
        "NotAuthorized": 6,
        "ConnectionFailed": 7,
        "NoMessageAvailable": 5,
        "QueueFull": 1,
        "BadSelector": 2,
        "MisspeltField": 8,
    }
    tree = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.MQTriageError)
    }
    assert set(tree) == set(decided)
    for name, kind in tree.items():
        if issubclass(kind, errors.MQIError):
            error: Exception = kind(2000, "get A")
        elif issubclass(kind, errors.PCFError):
            error = kind(3001, 0, "text")
        else:
            error = kind("text")
        assert outcome_of(error) == decided[name], name
