"""The context of a moved message, set or passed on: the same copy, with the authority there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.emulator.open import open_manager
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.client_settings import LibraryName
from mqtriage.model.result import Outcome
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from mqtriage.operations.copies.copy import ContextChoice, CopyOptions
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.engine.carry_out import act
from mqtriage.operations.engine.plan import plan_act
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.verify import PROVEN, verdict
from tests.contract.conftest import End
from tests.contract.test_acts import carry_out, look, put
from tests.contract.test_failures import command
from tests.contract.test_failures import library as library
from tests.contract.test_failures import server as server
from tests.mqi.conftest import Served

ORIGINAL = MQMD(
    format="MQSTR",
    persistence=1,
    correl_id=b"C" * 24,
    reply_to_q="REPLIES",
    user_identifier="anna",
    accounting_token=bytes(range(32)),
    appl_identity_data="identity",
    put_appl_type=28,
    put_appl_name="billing",
    put_date="20260131",
    put_time="10000012",
    appl_origin_data="or",
)
OPS = {"MQTRIAGE_USER": "ops", "MQTRIAGE_PASSWORD": "hunter2"}


@pytest.fixture
def conduct(tmp_path: Path) -> ActContext:
    return ActContext(Journal(tmp_path / "journal"))


def move(source: str, target: str, context: ContextChoice, **more: object) -> ActRequest:
    copy = CopyOptions(context=context)
    return ActRequest("move", source, target, copy=copy, **more)  # type: ignore[arg-type]


def marked(end: End, queue: str, *bodies: bytes) -> None:
    backend = end.connect()
    put(backend, queue, *bodies, **ORIGINAL._asdict())


@pytest.mark.slow
def test_passed_on_and_set_context_give_the_same_copy(
    end: End, backend: Backend, conduct: ActContext
) -> None:
    one, other, target = end.local(), end.local(), end.local()
    marked(end, one, b"1", b"2", b"3")
    before = [(message.md, message.body) for message in look(end, one)]
    carry_out(backend, move(one, other, "set"), conduct)
    report = carry_out(backend, move(other, target, "pass"), conduct)
    assert [(message.md, message.body) for message in look(end, target)] == before
    assert look(end, other) == []
    assert verdict(conduct.journal, report.op).verdict == PROVEN
    assert report.warnings == []


def test_context_is_passed_on_from_the_message_got_last(end: End, backend: Backend) -> None:
    source, target = end.local(), end.local()
    marked(end, source, b"1")
    put(backend, source, b"2")
    given = backend.open(source, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_SAVE_ALL_CONTEXT)
    taken = backend.open(target, cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT)
    how = cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_PASS_ALL_CONTEXT
    with pytest.raises(MQIError) as caught:
        taken.put(MQMD(), b"too early", how, given.context)
    assert caught.value.reason == cmqc.MQRC_CONTEXT_NOT_AVAILABLE
    given.get(cmqc.MQGMO_SYNCPOINT)
    assert taken.put(MQMD(), b"copy", how, given.context).user_identifier == "anna"
    given.get(cmqc.MQGMO_SYNCPOINT)
    assert taken.put(MQMD(), b"copy", how, given.context).user_identifier != "anna"
    backend.backout()


def test_a_put_that_fails_backs_the_get_out_and_says_so(
    end: End, backend: Backend, conduct: ActContext
) -> None:
    source, target = end.local(), end.local()
    marked(end, source, b"1", b"too long", b"3")
    request = move(source, target, "pass", batch=10)
    plan = plan_act(readonly(backend), request, Selection())
    backend.alter("QLOCAL", target, {"MAXMSGL": 4})  # after the plan has looked
    report = act(backend, request, plan, conduct)
    assert [item.outcome for item in report.items] == [Outcome.DONE, Outcome.FAILED, Outcome.DONE]
    assert "2030" in report.items[1].reason
    (remaining,) = look(end, source)
    assert remaining.body == b"too long"
    assert remaining.md.backout_count == 2  # in the batch, and by itself
    raised = report.details["backout_counts_raised"]
    assert raised[report.items[1].msg_id] == 2
    assert [message.body for message in look(end, target)] == [b"1", b"3"]
    assert [message.md.user_identifier for message in look(end, target)] == ["anna", "anna"]


def test_what_cannot_go_on_is_parked_in_the_same_unit_of_work(
    end: End, backend: Backend, conduct: ActContext
) -> None:
    source, target, aside = end.local(), end.local(MAXMSGL=4), end.local()
    marked(end, source, b"1", b"too long", b"3")
    before = look(end, source)
    request = move(source, target, "pass", batch=10, park=aside)
    plan = plan_act(readonly(backend), request, Selection())
    report = act(backend, request, plan, conduct)
    assert report.items[1].outcome is Outcome.PARKED
    assert [message.md for message in look(end, aside)] == [before[1].md]
    assert report.details["backout_counts_raised"] == {}
    assert look(end, source) == []


def test_a_message_of_which_no_copy_can_be_made_is_not_got(
    end: End, backend: Backend, conduct: ActContext
) -> None:
    source, target = end.local(), end.local()
    put(backend, source, b"no header", format="MQDEAD")
    copy = CopyOptions(context="pass", strip="added")
    report = carry_out(backend, ActRequest("requeue", source, target, copy=copy), conduct)
    assert [(item.outcome, item.reason) for item in report.items] == [
        (Outcome.SKIPPED, "Format is MQDEAD, but no MQDLH is there")
    ]
    (remaining,) = look(end, source)
    assert remaining.md.backout_count == 0


# -- what a user may do ---------------------------------------------------------------------------


@pytest.fixture
def granted(server: Served) -> Served:
    """IN and OUT, and a user `ops` who may browse and get from IN and put to OUT."""
    server.local("OUT")
    backend = server.backend()
    put(backend, "IN", b"1", b"2", **ORIGINAL._asdict())
    for queue, words in (("IN", ("BROWSE", "GET", "INQ")), ("OUT", ("PUT", "INQ"))):
        grant(server, queue, *words)
    grant(server, "", "CONNECT", "INQ")
    lifecycle.switch(backend.manager, "authority", "on")
    return server


def grant(server: Served, queue: str, *words: str) -> None:
    kind = "QUEUE" if queue else "QMGR"
    authority_records.set_record(server.backend().manager, kind, queue, principal="ops", add=words)


def users(server: Served, queue: str) -> list[str]:
    backend = EmulatedBackend(open_manager(server.path))  # as its owner, who may do all
    identifiers = [
        message.md.user_identifier for message in backend.open(queue, cmqc.MQOO_BROWSE).browse()
    ]
    backend.disconnect()
    return identifiers


@pytest.mark.slow
def test_without_any_authority_for_context_nothing_is_moved(
    granted: Served, library: LibraryName
) -> None:
    code, _, err = command(library, "msg", "move", "IN", "--to", "OUT", "--yes", **OPS)
    assert code == 6
    assert "open OUT: MQRC_NOT_AUTHORIZED (2035)" in err
    assert "hint: --message-context default does not need" in err
    assert (granted.depth("IN"), granted.depth("OUT")) == (2, 0)


@pytest.mark.slow
def test_with_passall_alone_context_is_passed_on(granted: Served, library: LibraryName) -> None:
    grant(granted, "OUT", "PASSALL")
    code, _, err = command(library, "msg", "move", "IN", "--to", "OUT", "--yes", **OPS)
    assert (code, users(granted, "OUT")) == (0, ["anna", "anna"]), err
    assert "without authority to set the context, it was passed" in err


@pytest.mark.slow
def test_set_does_not_fall_back(granted: Served, library: LibraryName) -> None:
    grant(granted, "OUT", "PASSALL")
    code, _, _ = command(
        library, "msg", "move", "IN", "--to", "OUT", "--message-context", "set", "--yes", **OPS
    )
    assert (code, granted.depth("OUT")) == (6, 0)


@pytest.mark.slow
def test_a_copy_gets_nothing_so_there_is_no_context_to_pass(
    granted: Served, library: LibraryName
) -> None:
    grant(granted, "OUT", "PASSALL")
    code, _, err = command(
        library, "msg", "copy", "IN", "--to", "OUT", "--message-context", "pass", "--yes", **OPS
    )
    assert (code, granted.depth("OUT")) == (2, 0)
    assert "--message-context pass: copy does not get a message" in err
