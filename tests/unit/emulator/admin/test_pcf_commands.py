"""The command server in process: a command message in, reply messages on the reply-to queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc, cmqcfc, cmqxc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.mq.message import Message
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from tests.support.pcf_structures import filter_of
from tests.unit.emulator.conftest import Lab

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
REPLIES = "REPLIES"


@pytest.fixture
def lab(lab: Lab) -> Lab:
    lab.local(REPLIES)
    return lab


def command(name: str, *parameters: pcf.PcfParameter, **head: Any) -> pcf.PCF:
    return pcf.PCF(16, numbers()[f"MQCMD_{name}"], parameters)._replace(**head)


def request(**fields: Any) -> MQMD:
    given: dict[str, Any] = {
        "format": "MQADMIN", "msg_type": cmqc.MQMT_REQUEST, "reply_to_q": REPLIES, "encoding": 546,
        "ccsid": 1208,
    }  # fmt: skip
    return MQMD(**given | fields)


def replies(mq: EmulatedBackend) -> list[Message]:
    messages = []
    handle = mq.open(REPLIES, cmqc.MQOO_INPUT_SHARED)
    try:
        while True:
            messages.append(handle.get())
    except NoMessageAvailable:
        return messages
    finally:
        handle.close()


def send(lab: Lab, message: pcf.PCF, **fields: Any) -> list[pcf.PCF]:
    lab.mq.put1(COMMANDS, request(**fields), pcf.encode(message, "<", 1208))
    return [pcf.decode(reply.body, "<", reply.md.ccsid) for reply in replies(lab.mq)]


def execute(lab: Lab, message: pcf.PCF) -> list[dict[int, pcf.Value]]:
    """The parameters of each reply of a command that must work."""
    responses = send(lab, message)
    assert [response.comp_code for response in responses] == [0] * len(responses), responses
    return [{p.parameter: p.value for p in response.parameters} for response in responses]


def reasons(lab: Lab, message: pcf.PCF) -> list[int]:
    return [response.reason for response in send(lab, message)]


Q_NAME, Q_TYPE, MAX_DEPTH, DEPTH, DESC = 2016, 20, 15, 3, 2013
CREATE = (pcf.string(Q_NAME, "A"), pcf.integer_of(Q_TYPE, 1))


# -- queues ---------------------------------------------------------------------------------------


def test_a_queue_is_created_inquired_changed_copied_cleared_and_deleted(lab: Lab) -> None:
    assert execute(lab, command("CREATE_Q", *CREATE, pcf.integer_of(MAX_DEPTH, 7))) == [{}]
    (queue,) = execute(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "A")))
    assert (queue[Q_NAME], queue[Q_TYPE], queue[MAX_DEPTH], queue[DEPTH]) == ("A", 1, 7, 0)
    execute(lab, command("CHANGE_Q", *CREATE, pcf.string(DESC, "changed")))
    assert lab.mq.manager.queues["A"].attributes["DESCR"] == "changed"
    assert lab.mq.manager.queues["A"].attributes["MAXDEPTH"] == 7
    source, target = cmqcfc.MQCACF_FROM_Q_NAME, cmqcfc.MQCACF_TO_Q_NAME
    execute(lab, command("COPY_Q", pcf.string(source, "A"), pcf.string(target, "B"),
                         pcf.integer_of(Q_TYPE, 1)))  # fmt: skip
    assert lab.mq.manager.queues["B"].attributes["DESCR"] == "changed"
    lab.mq.put1("B", MQMD(), b"x")
    execute(lab, command("CLEAR_Q", pcf.string(Q_NAME, "B")))
    assert lab.depth("B") == 0
    execute(lab, command("DELETE_Q", pcf.string(Q_NAME, "B")))
    assert reasons(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "B"))) == [2085, 3008]


def test_a_queue_that_is_open_is_neither_deleted_nor_defined_again(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    handle = lab.open("A")
    for wrong, reason in (
        (command("DELETE_Q", pcf.string(Q_NAME, "A")), cmqcfc.MQRCCF_OBJECT_OPEN),
        (command("CREATE_Q", *CREATE), cmqcfc.MQRCCF_OBJECT_ALREADY_EXISTS),
    ):
        assert reasons(lab, wrong) == [reason, 3008]
    handle.close()


def test_a_queue_with_messages_is_deleted_with_purge_alone(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    lab.mq.put1("A", MQMD(), b"x")
    name = pcf.string(Q_NAME, "A")
    assert reasons(lab, command("DELETE_Q", name)) == [cmqc.MQRC_Q_NOT_EMPTY, 3008]
    execute(lab, command("DELETE_Q", name, pcf.integer_of(cmqcfc.MQIACF_PURGE, 1)))
    assert "A" not in lab.mq.manager.queues


def test_a_queue_that_exists_is_replaced_with_replace_alone(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {"MAXDEPTH": 9})
    assert reasons(lab, command("CREATE_Q", *CREATE)) == [4001, 3008]
    execute(lab, command("CREATE_Q", *CREATE, pcf.integer_of(cmqcfc.MQIACF_REPLACE, 1)))
    assert lab.mq.manager.queues["A"].attributes["MAXDEPTH"] == 5000


def test_parameters_in_another_order_are_refused_by_the_one_that_comes_too_late(lab: Lab) -> None:
    refusal, summary = send(lab, command("CREATE_Q", *reversed(CREATE)))
    assert (refusal.reason, summary.reason) == (cmqcfc.MQRCCF_PARM_SEQUENCE_ERROR, 3008)
    assert refusal.first(cmqcfc.MQIACF_PARAMETER_ID) == Q_NAME
    assert "A" not in lab.mq.manager.queues
    text = (pcf.string(cmqcfc.MQCACF_ESCAPE_TEXT, "PING QMGR"), pcf.integer_of(1017, 1))
    assert reasons(lab, command("ESCAPE", *text)) == [cmqcfc.MQRCCF_PARM_SEQUENCE_ERROR, 3008]


def test_an_inquiry_answers_with_one_message_an_object_and_marks_the_last(lab: Lab) -> None:
    for name in ("A.1", "A.2", "A.3"):
        lab.mq.define("QLOCAL", name, {})
    responses = send(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "A.*")))
    assert [response.first(Q_NAME) for response in responses] == ["A.1", "A.2", "A.3"]
    assert [(e.msg_seq_number, e.control) for e in responses] == [(1, 0), (2, 0), (3, 1)]
    assert {(e.type, e.command, e.version) for e in responses} == {(2, 13, 3)}


def test_an_inquiry_of_some_attributes_tells_these_beside_name_and_type(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    attributes = pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (MAX_DEPTH, DESC))
    (queue,) = execute(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "A"), attributes))
    assert sorted(queue) == sorted((Q_NAME, Q_TYPE, MAX_DEPTH, DESC))


def test_strings_are_padded_to_the_length_of_the_attribute(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    (response,) = send(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "A")))
    widths = {p.parameter: p.width for p in response.parameters}
    assert (widths[Q_NAME], widths[DESC], widths[2027]) == (48, 64, 12)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        pytest.param(filter_of(MAX_DEPTH, 4, 50), ["B", "C"], id="integer-greater"),
        pytest.param(filter_of(MAX_DEPTH, 2, 10), ["A"], id="integer-equal"),
        pytest.param(filter_of(10, 2, 1), ["C"], id="word-equal"),
        pytest.param(filter_of(DESC, 18, "first*"), ["A"], id="string-like"),
        pytest.param(filter_of(DESC, 21, "first*"), ["B", "C"], id="string-not-like"),
    ],
)
def test_a_filter_picks_queues(lab: Lab, given: pcf.PcfParameter, names: list[str]) -> None:
    lab.mq.define("QLOCAL", "A", {"MAXDEPTH": 10, "DESCR": "first one"})
    lab.mq.define("QLOCAL", "B", {"MAXDEPTH": 100})
    lab.mq.define("QLOCAL", "C", {"MAXDEPTH": 200, "PUT": "DISABLED"})
    attributes = pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (MAX_DEPTH,))
    queues = execute(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "*"), given, attributes))
    assert [n for n in (queue[Q_NAME] for queue in queues) if n in ("A", "B", "C")] == names


def test_the_type_of_an_inquiry_picks_queues(lab: Lab) -> None:
    lab.mq.define("QALIAS", "AL", {"TARGET": "X"})
    alias = execute(lab, command("INQUIRE_Q", pcf.string(Q_NAME, "*"), pcf.integer_of(Q_TYPE, 3)))
    assert {queue[Q_TYPE] for queue in alias} == {3}
    every = execute(
        lab, command("INQUIRE_Q", pcf.string(Q_NAME, "*"), pcf.integer_of(Q_TYPE, 1001))
    )
    assert {queue[Q_TYPE] for queue in every} == {1, 2, 3, 6}


def test_names_come_in_one_message_with_their_types(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A.1", {})
    lab.mq.define("QALIAS", "A.2", {"TARGET": "A.1"})
    (names,) = execute(lab, command("INQUIRE_Q_NAMES", pcf.string(Q_NAME, "A.*")))
    assert names == {cmqcfc.MQCACF_Q_NAMES: ("A.1", "A.2"), cmqcfc.MQIACF_Q_TYPES: (1, 3)}


def test_status_tells_depth_handles_and_times(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    handle = lab.mq.open("A", cmqc.MQOO_INPUT_SHARED)
    lab.mq.put1("A", MQMD(), b"x")
    (status,) = execute(lab, command("INQUIRE_Q_STATUS", pcf.string(Q_NAME, "A")))
    assert (status[DEPTH], status[17], status[cmqcfc.MQIACF_UNCOMMITTED_MSGS]) == (1, 1, 0)
    assert status[cmqcfc.MQIACF_Q_TIME_INDICATOR] == (-1, -1)
    type_ = pcf.integer_of(cmqcfc.MQIACF_Q_STATUS_TYPE, cmqcfc.MQIACF_Q_HANDLE)
    (held,) = execute(lab, command("INQUIRE_Q_STATUS", pcf.string(Q_NAME, "A"), type_))
    assert held[cmqcfc.MQCACF_APPL_TAG] == "lab"
    assert held[cmqcfc.MQIACF_OPEN_INPUT_TYPE] == 1
    assert held[cmqcfc.MQBACF_Q_MGR_UOW_ID] == bytes(8)
    handle.close()
    found_reasons = reasons(lab, command("INQUIRE_Q_STATUS", pcf.string(Q_NAME, "A"), type_))
    assert found_reasons == [cmqcfc.MQRCCF_Q_STATUS_NOT_FOUND, 3008]


def test_a_channel_of_clients_is_stopped_and_started(lab: Lab) -> None:
    name = pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.SVRCONN")
    inquiry = command("INQUIRE_CHANNEL_STATUS", name)
    assert reasons(lab, inquiry) == [cmqcfc.MQRCCF_CHL_STATUS_NOT_FOUND, 3008]
    force = pcf.integer_of(cmqcfc.MQIACF_MODE, cmqcfc.MQMODE_FORCE)
    execute(lab, command("STOP_CHANNEL", name, force))
    (shown,) = execute(lab, inquiry)
    assert shown[cmqcfc.MQIACH_CHANNEL_STATUS] == cmqcfc.MQCHS_STOPPED
    assert shown[cmqcfc.MQIACH_CHANNEL_INSTANCE_TYPE] == cmqc.MQOT_CURRENT_CHANNEL
    again = command("STOP_CHANNEL", name)
    assert reasons(lab, again) == [cmqcfc.MQRCCF_CHANNEL_NOT_ACTIVE, 3008]
    execute(lab, again._replace(parameters=(name, pcf.integer_of(cmqcfc.MQIACF_IGNORE_STATE, 1))))
    execute(lab, command("START_CHANNEL", name))
    assert reasons(lab, inquiry) == [cmqcfc.MQRCCF_CHL_STATUS_NOT_FOUND, 3008]
    inactive = pcf.integer_of(cmqcfc.MQIACH_CHANNEL_STATUS, cmqcfc.MQCHS_INACTIVE)
    idle = command("STOP_CHANNEL", name, inactive)
    assert reasons(lab, idle) == [cmqcfc.MQRCCF_CHANNEL_NOT_ACTIVE, 3008]


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        (pcf.integer_of(cmqcfc.MQIACF_MODE, 9), cmqcfc.MQRCCF_MODE_VALUE_ERROR),
        (pcf.integer_of(cmqcfc.MQIACH_CHANNEL_STATUS, 3), cmqcfc.MQRCCF_PARM_VALUE_ERROR),
        (pcf.string(Q_NAME, "A"), cmqcfc.MQRCCF_CFST_PARM_ID_ERROR),
    ],
)
def test_a_wrong_stop_of_a_channel_is_refused(
    lab: Lab, parameter: pcf.PcfParameter, reason: int
) -> None:
    name = pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.SVRCONN")
    assert reasons(lab, command("STOP_CHANNEL", name, parameter)) == [reason, 3008]


def test_statistics_count_since_the_last_reset(lab: Lab) -> None:
    handle = lab.local("A")
    for body in (b"1", b"2", b"3"):
        lab.mq.put1("A", MQMD(), body)
    handle.get()
    reset = command("RESET_Q_STATS", pcf.string(Q_NAME, "A"))
    (statistics,) = execute(lab, reset)
    assert (statistics[36], statistics[37], statistics[38]) == (3, 3, 1)
    lab.advance(60)
    (statistics,) = execute(lab, reset)
    assert (statistics[35], statistics[36], statistics[37], statistics[38]) == (60, 2, 0, 0)


@pytest.mark.parametrize(("name", "names"), [("ORD.*", ["ORD.A", "ORD.B"]), ("ORD.A", ["ORD.A"])])
def test_statistics_of_a_generic_name_are_of_each_local_queue(
    lab: Lab, name: str, names: list[str]
) -> None:
    lab.local("ORD.A"), lab.local("ORD.B")
    lab.mq.define("QALIAS", "ORD.C", {"TARGET": "ORD.A"})
    reset = command("RESET_Q_STATS", pcf.string(Q_NAME, name))
    assert [str(one[Q_NAME]).strip() for one in execute(lab, reset)] == names
    every = execute(lab, command("RESET_Q_STATS", pcf.string(Q_NAME, "*")))
    assert {"ORD.A", "ORD.B"} < {str(one[Q_NAME]).strip() for one in every}


def test_statistics_of_no_queue_are_2085(lab: Lab) -> None:
    assert reasons(lab, command("RESET_Q_STATS", pcf.string(Q_NAME, "NONE.*")))[0] == 2085


# -- the queue manager ----------------------------------------------------------------------------


def test_the_queue_manager_answers_to_a_ping(lab: Lab) -> None:
    (answer,) = send(lab, command("PING_Q_MGR"))
    assert (answer.comp_code, answer.reason, answer.control, answer.parameters) == (0, 0, 1, ())


def test_the_queue_manager_is_inquired_and_changed(lab: Lab) -> None:
    execute(lab, command("CHANGE_Q_MGR", pcf.string(2006, "DLQ"), pcf.integer_of(13, 1_000_000)))
    attributes = pcf.integers(cmqcfc.MQIACF_Q_MGR_ATTRS, (2006, 13))
    (queue_manager,) = execute(lab, command("INQUIRE_Q_MGR", attributes))
    assert queue_manager == {2015: "QM1", 2006: "DLQ", 13: 1_000_000}
    (everything,) = execute(lab, command("INQUIRE_Q_MGR"))
    assert everything[cmqc.MQIA_COMMAND_LEVEL] == 940
    assert str(everything[cmqc.MQCA_Q_MGR_IDENTIFIER]).startswith("QM1_20")
    assert everything[cmqc.MQCA_CREATION_DATE]
    (status,) = execute(lab, command("INQUIRE_Q_MGR_STATUS"))
    assert status[cmqcfc.MQIACF_Q_MGR_STATUS] == 2


# -- other definitions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "name", "rest", "changed"),
    [
        ("CHANNEL", 3501, (pcf.integer_of(1511, 7),), pcf.integer_of(1618, 5)),
        ("LISTENER", 3554, (pcf.integer_of(1501, 2),), pcf.integer_of(1522, 1500)),
        ("NAMELIST", 2010, (), pcf.strings(2020, ("A", "B"))),
        ("PROCESS", 2012, (), pcf.string(2001, "/bin/true")),
        ("AUTH_INFO", 2045, (pcf.integer_of(66, 3),), pcf.integer_of(259, 9)),
        ("SERVICE", 2077, (), pcf.string(2079, "/bin/true")),
        ("TOPIC", 2092, (pcf.string(2094, "a/b"),), pcf.integer_of(6, 3)),
    ],
)
def test_each_kind_of_definition_is_kept_inquired_and_deleted(
    lab: Lab, stem: str, name: int, rest: tuple[pcf.PcfParameter, ...], changed: pcf.PcfParameter
) -> None:
    what = pcf.string(name, "OBJ")
    execute(lab, command(f"CREATE_{stem}", what, *rest))
    again = rest if stem in ("CHANNEL", "AUTH_INFO") else ()
    execute(lab, command(f"CHANGE_{stem}", what, *again, changed))
    (definition,) = execute(lab, command(f"INQUIRE_{stem}", what))
    assert definition[name] == "OBJ"
    assert definition[changed.parameter] == changed.value
    execute(lab, command(f"DELETE_{stem}", what))
    missing = 4032 if stem == "CHANNEL" else 2085
    assert reasons(lab, command(f"INQUIRE_{stem}", what)) == [missing, 3008]


def test_a_subscription_is_created_inquired_and_deleted_by_its_id(lab: Lab) -> None:
    sub, topic = cmqcfc.MQCACF_SUB_NAME, cmqc.MQCA_TOPIC_STRING
    managed = pcf.integer_of(cmqcfc.MQIACF_DESTINATION_CLASS, 1)
    create = command("CREATE_SUBSCRIPTION", pcf.string(sub, "S"), pcf.string(topic, "a"), managed)
    execute(lab, create)
    assert reasons(lab, create) == [cmqcfc.MQRCCF_SUB_ALREADY_EXISTS, 3008]
    replace = pcf.integer_of(cmqcfc.MQIACF_REPLACE, 1)
    execute(lab, create._replace(parameters=(*create.parameters, replace)))
    (subscription,) = execute(lab, command("INQUIRE_SUBSCRIPTION", pcf.string(sub, "S")))
    sub_id = subscription[cmqcfc.MQBACF_SUB_ID]
    assert isinstance(sub_id, bytes) and len(sub_id) == 24
    execute(lab, command("DELETE_SUBSCRIPTION", pcf.byte_string(cmqcfc.MQBACF_SUB_ID, sub_id)))
    inquire = command("INQUIRE_SUBSCRIPTION", pcf.string(sub, "S"))
    assert reasons(lab, inquire) == [cmqc.MQRC_NO_SUBSCRIPTION, 3008]


def test_a_subscription_is_changed_and_copied_with_what_is_kept_of_it(lab: Lab) -> None:
    sub, data = cmqcfc.MQCACF_SUB_NAME, cmqcfc.MQCACF_SUB_USER_DATA
    destination = cmqcfc.MQCACF_DESTINATION
    for queue in ("D1", "D2"):
        lab.mq.define("QLOCAL", queue, {})
    given = (pcf.string(2094, "a/b"), pcf.string(destination, "D1"), pcf.string(data, "one"))
    execute(lab, command("CREATE_SUBSCRIPTION", pcf.string(sub, "S"), *given))
    changed = (pcf.integer_of(1283, 4), pcf.string(destination, "D2"))
    execute(lab, command("CHANGE_SUBSCRIPTION", pcf.string(sub, "S"), *changed))
    source, target = cmqcfc.MQCACF_FROM_SUB_NAME, cmqcfc.MQCACF_TO_SUB_NAME
    execute(lab, command("COPY_SUBSCRIPTION", pcf.string(target, "T"), pcf.string(source, "S")))
    default, *subscriptions = execute(lab, command("INQUIRE_SUBSCRIPTION", pcf.string(sub, "*")))
    assert (default[sub], default[2094]) == ("SYSTEM.DEFAULT.SUB", "")
    assert [
        (
            subscription[sub],
            subscription[2094],
            subscription[data],
            subscription[1283],
            subscription[destination],
        )
        for subscription in subscriptions
    ] == [("S", "a/b", "one", 4, "D2"), ("T", "a/b", "one", 4, "D2")]
    change = command("CHANGE_SUBSCRIPTION", pcf.string(sub, "S"), pcf.string(2094, "c"))
    assert reasons(lab, change) == [4005, 3008]


def test_authority_records_are_set_inquired_and_deleted(lab: Lab) -> None:
    profile, type_ = pcf.string(3067, "A.**"), pcf.integer_of(1016, 1)
    entities = pcf.strings(cmqcfc.MQCACF_PRINCIPAL_ENTITY_NAMES, ("ann", "bob"))
    add = pcf.integers(cmqcfc.MQIACF_AUTH_ADD_AUTHS, (cmqcfc.MQAUTH_INPUT, cmqcfc.MQAUTH_BROWSE))
    execute(lab, command("SET_AUTH_REC", profile, type_, add, entities))
    records = execute(lab, command("INQUIRE_AUTH_RECS", pcf.string(3067, "A.**"), type_))
    assert [(record[3068], record[cmqcfc.MQIACF_ENTITY_TYPE]) for record in records] == [
        ("ann", 1), ("bob", 1)
    ]  # fmt: skip
    assert records[0][cmqcfc.MQIACF_AUTHORIZATION_LIST] == (2, 9)
    execute(lab, command("DELETE_AUTH_REC", profile, type_, entities))
    assert reasons(lab, command("INQUIRE_AUTH_RECS", profile)) == [3200, 3008]


def test_channel_authentication_records_are_set_and_inquired(lab: Lab) -> None:
    profile, type_ = pcf.string(3501, "A.*"), pcf.integer_of(cmqcfc.MQIACF_CHLAUTH_TYPE, 1)
    users = pcf.strings(cmqcfc.MQCACH_MCA_USER_ID_LIST, ("nobody",))
    action = pcf.integer_of(cmqcfc.MQIACF_ACTION, cmqcfc.MQACT_REPLACE)
    execute(lab, command("SET_CHLAUTH_REC", profile, type_, users, action))
    (record,) = execute(lab, command("INQUIRE_CHLAUTH_RECS", profile))
    assert record[cmqcfc.MQCACH_MCA_USER_ID_LIST] == ("nobody",)


def test_connections_are_told_by_generic_id(lab: Lab) -> None:
    generic = pcf.byte_string(cmqcfc.MQBACF_GENERIC_CONNECTION_ID, b"")
    handle = lab.local("A")
    connections = execute(lab, command("INQUIRE_CONNECTION", generic))
    assert [connection[cmqcfc.MQCACF_APPL_TAG] for connection in connections] == ["lab"]
    one = connections[0][cmqcfc.MQBACF_CONNECTION_ID]
    assert one == lab.mq.connection.connection_id
    assert isinstance(one, bytes)
    exact = command("INQUIRE_CONNECTION", pcf.byte_string(cmqcfc.MQBACF_CONNECTION_ID, one))
    assert len(execute(lab, exact)) == 1
    handle.close()


def test_what_does_not_run_here_has_no_status(lab: Lab) -> None:
    assert reasons(lab, command("INQUIRE_CHANNEL_STATUS", pcf.string(3501, "*"))) == [3065, 3008]


# -- MQSC -----------------------------------------------------------------------------------------


def _escape(text: str) -> pcf.PCF:
    return command("ESCAPE", pcf.integer_of(1017, 1), pcf.string(3014, text))


def test_mqsc_text_comes_back_as_the_text_of_its_messages(lab: Lab) -> None:
    (response,) = send(lab, _escape("DEFINE QLOCAL(A) MAXDEPTH(9)"))
    assert response.first(3014) == "AMQ8006I: IBM MQ queue created."
    first, second = send(lab, _escape("DISPLAY QLOCAL(A) MAXDEPTH\nDISPLAY QLOCAL(NO)"))
    assert "MAXDEPTH(9)" in str(first.first(3014))
    assert str(second.first(3014)).startswith("AMQ8147E")
    assert (second.comp_code, second.reason, second.control) == (2, 3008, 1)


def test_an_escape_of_another_type_is_refused(lab: Lab) -> None:
    message = command("ESCAPE", pcf.integer_of(1017, 9), pcf.string(3014, "DIS QMGR"))
    assert reasons(lab, message) == [cmqcfc.MQRCCF_ESCAPE_TYPE_ERROR, 3008]


# -- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "reason", "wrong"),
    [
        pytest.param(command("INQUIRE_Q"), 3019, (1012, Q_NAME), id="no-name"),
        pytest.param(command("CREATE_Q", pcf.string(Q_NAME, "A")), 3019, (1012, Q_TYPE),
                     id="no-type"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.string(DESC, "x'\nALTER QMGR")), 4005,
                     (1012, DESC), id="control-character"),
        pytest.param(command("CREATE_Q", pcf.string(Q_NAME, "A"), pcf.integer_of(Q_TYPE, 99)), 3022,
                     (1012, Q_TYPE), id="wrong-type"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.integer_of(9999, 1)), 3014, (1012, 9999),
                     id="unknown-integer"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.string(3999, "x")), 3015, (1012, 3999),
                     id="unknown-string"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.integer_of(MAX_DEPTH, -5)), 4005,
                     (1012, MAX_DEPTH), id="value-out-of-range"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.string(MAX_DEPTH, "5")), 4005,
                     (1012, MAX_DEPTH), id="string-for-a-number"),
        pytest.param(command("CREATE_Q", pcf.string(Q_NAME, "A B"), CREATE[1]), 4008, None,
                     id="bad-name"),
        pytest.param(command("CREATE_Q", pcf.string(Q_NAME, "A" * 49), CREATE[1]), 3011,
                     (1012, Q_NAME), id="name-too-long"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.string(DESC, "d" * 65)), 3011,
                     (1012, DESC), id="text-too-long"),
        pytest.param(command("CREATE_NAMELIST", pcf.string(2010, "N"),
                             pcf.strings(2020, ("n" * 49,))), 3069, (1012, 2020),
                     id="member-too-long"),
        pytest.param(command("CREATE_Q", pcf.string(Q_NAME, REPLIES), pcf.integer_of(Q_TYPE, 3),
                             pcf.integer_of(cmqcfc.MQIACF_REPLACE, 1)), 4002, None,
                     id="other-type"),
        pytest.param(command("COPY_Q", pcf.string(cmqcfc.MQCACF_FROM_Q_NAME, REPLIES),
                             pcf.string(cmqcfc.MQCACF_TO_Q_NAME, "A"),
                             pcf.integer_of(Q_TYPE, 3)), 4003, None, id="like-other-type"),
        pytest.param(command("CREATE_CHANNEL", pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "C"),
                             pcf.integer_of(cmqcfc.MQIACH_CHANNEL_TYPE, cmqxc.MQCHT_SVRCONN),
                             pcf.string(cmqcfc.MQCACH_XMIT_Q_NAME, "Q")), 4041, None,
                     id="of-another-channel-type"),
        pytest.param(command("CREATE_Q", *CREATE, pcf.integer_of(cmqcfc.MQIACF_REPLACE, 7)),
                     3025, (1012, cmqcfc.MQIACF_REPLACE), id="replace"),
        pytest.param(command("CREATE_Q", *CREATE, CREATE[1]), 3017, (1012, Q_TYPE), id="twice"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "*"),
                             filter_of(MAX_DEPTH, 99, 1)), 3242, (1012, MAX_DEPTH),
                     id="operator"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "A B")), 4008, None,
                     id="bad-generic-name"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "*"),
                             filter_of(DESC, 2, "x*")), 3150, None, id="generic-with-equal"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "*"), filter_of(3, 4, 1),
                             filter_of(15, 4, 1)), 3248, None, id="two-filters"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "*"),
                             pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (9999,))), 2067, (1014, 9999),
                     id="selector"),
        pytest.param(command("INQUIRE_Q", pcf.string(Q_NAME, "*"),
                             pcf.integers(cmqcfc.MQIACF_Q_ATTRS, (15, 15))), 3026, (1014, 15),
                     id="selector-twice"),
        pytest.param(command("PING_CHANNEL", pcf.string(3501, "SYSTEM.DEF.SENDER")), 3007, None,
                     id="not-emulated"),
        pytest.param(command("NONE"), 3007, None, id="no-command"),
        pytest.param(command("PING_Q_MGR", type=2), 3001, None, id="a-response"),
        pytest.param(command("PING_Q_MGR", control=0), 3005, None, id="control"),
        pytest.param(command("PING_Q_MGR", msg_seq_number=2), 3004, None, id="sequence"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_wrong_command_is_answered_with_its_reason_and_a_summary(
    lab: Lab, message: pcf.PCF, reason: int, wrong: tuple[int, int] | None
) -> None:
    first, last = send(lab, message)
    assert (first.comp_code, first.reason, first.control) == (2, reason, 0)
    assert (last.comp_code, last.reason, last.control, last.parameters) == (2, 3008, 1, ())
    assert [(p.parameter, p.value) for p in first.parameters] == ([wrong] if wrong else [])


@pytest.mark.parametrize(
    ("fields", "body", "reason"),
    [
        pytest.param({"format": "MQSTR"}, b"hello", 3023, id="format"),
        pytest.param({}, b"hello", 3016, id="no-header"),
        pytest.param({"encoding": 0}, pcf.encode(command("PING_Q_MGR")), 3050, id="encoding"),
        pytest.param({"encoding": 273}, pcf.encode(command("PING_Q_MGR")), 3001, id="byte-order"),
        pytest.param({}, pcf.encode(command("PING_Q_MGR"))[:-1] + b"", 3016, id="cut"),
    ],
)
def test_a_message_that_is_no_command_is_answered_too(
    lab: Lab, fields: dict[str, Any], body: bytes, reason: int
) -> None:
    lab.mq.put1(COMMANDS, request(**fields), body)
    first, _ = (pcf.decode(reply.body) for reply in replies(lab.mq))
    assert first.reason == reason


def test_commands_in_the_other_byte_order_and_code_page_are_understood(lab: Lab) -> None:
    body = pcf.encode(command("CREATE_Q", *CREATE, pcf.string(DESC, "Grüße")), ">", 500)
    lab.mq.put1(COMMANDS, request(encoding=273, ccsid=500), body)
    assert pcf.decode(replies(lab.mq)[0].body).comp_code == 0
    assert lab.mq.manager.queues["A"].attributes["DESCR"] == "Grüße"


# -- descriptors and units of work ----------------------------------------------------------------


def _ping(lab: Lab, **fields: Any) -> tuple[MQMD, Message]:
    """Ping; the command's descriptor as it was put, and the reply."""
    md = lab.mq.put1(COMMANDS, request(**fields), pcf.encode(command("PING_Q_MGR")))
    (reply,) = replies(lab.mq)
    return md, reply


def test_a_reply_is_correlated_by_message_id_and_inherits_persistence_and_priority(
    lab: Lab,
) -> None:
    md, reply = _ping(lab, priority=7, persistence=0, report=cmqc.MQRO_COPY_MSG_ID_TO_CORREL_ID)
    assert (reply.md.msg_type, reply.md.format) == (cmqc.MQMT_REPLY, "MQADMIN")
    assert reply.md.correl_id == md.msg_id
    assert reply.md.msg_id not in (md.msg_id, bytes(24))
    assert (reply.md.priority, reply.md.persistence) == (7, 0)
    assert reply.md.expiry_tenths == cmqc.MQEI_UNLIMITED


def test_report_options_pass_ids_lifetime_and_discard(lab: Lab) -> None:
    options = cmqc.MQRO_PASS_CORREL_ID | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY | cmqc.MQRO_DISCARD_MSG
    _, reply = _ping(lab, report=options, correl_id=b"c" * 24, expiry_tenths=300)
    assert reply.md.correl_id == b"c" * 24
    assert reply.md.expiry_tenths == 300
    assert reply.md.report == cmqc.MQRO_DISCARD_MSG


def test_a_command_under_syncpoint_is_carried_out_at_the_commit(lab: Lab) -> None:
    body = pcf.encode(command("CREATE_Q", *CREATE))
    lab.mq.put1(COMMANDS, request(), body, cmqc.MQPMO_SYNCPOINT)
    assert replies(lab.connect()) == []
    lab.mq.commit()
    assert len(replies(lab.connect())) == 1
    lab.mq.put1(
        COMMANDS, request(), pcf.encode(command("DELETE_Q", CREATE[0])), cmqc.MQPMO_SYNCPOINT
    )
    lab.mq.backout()
    assert replies(lab.connect()) == []


def test_another_process_carries_a_command_out_where_the_sender_has_gone(lab: Lab) -> None:
    sender = lab.connect()
    sender.put1(COMMANDS, request(), pcf.encode(command("CREATE_Q", *CREATE)))
    sender.disconnect()
    assert lab.depth(REPLIES) == 1
    assert lab.depth(COMMANDS) == 0


def test_commands_are_carried_out_in_the_order_they_came(lab: Lab) -> None:
    for depth in (1, 2, 3):
        body = pcf.encode(command("CHANGE_Q_MGR", pcf.integer_of(33, depth)))
        lab.mq.put1(COMMANDS, request(), body, cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert len(replies(lab.connect())) == 3
    other = lab.connect()
    other.connection.look("see")
    assert other.manager.attributes["MAXUMSGS"] == 3


def test_commands_wait_while_the_queue_is_get_disabled(lab: Lab) -> None:
    lab.mq.alter("QLOCAL", COMMANDS, {"GET": "DISABLED"})
    assert send(lab, command("PING_Q_MGR")) == []
    assert lab.depth(COMMANDS) == 1
    lab.mq.alter("QLOCAL", COMMANDS, {"GET": "ENABLED"})
    assert len(replies(lab.mq)) == 1


def test_an_expired_command_is_not_carried_out(lab: Lab) -> None:
    lab.mq.alter("QLOCAL", COMMANDS, {"GET": "DISABLED"})
    body = pcf.encode(command("CREATE_Q", *CREATE))
    lab.mq.put1(COMMANDS, request(expiry_tenths=10), body)
    lab.advance(2)
    lab.mq.alter("QLOCAL", COMMANDS, {"GET": "ENABLED"})
    assert replies(lab.mq) == []
    assert "A" not in lab.mq.manager.queues


def test_a_reply_that_fits_nowhere_is_dead_lettered_unless_it_may_be_discarded(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    body = pcf.encode(command("PING_Q_MGR"))
    lab.mq.put1(COMMANDS, request(reply_to_q="NOWHERE"), body)
    assert lab.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1
    lab.mq.put1(COMMANDS, request(reply_to_q="NOWHERE", report=cmqc.MQRO_DISCARD_MSG), body)
    assert lab.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1


def test_a_command_without_a_reply_queue_is_carried_out(lab: Lab) -> None:
    body = pcf.encode(command("CREATE_Q", *CREATE))
    lab.mq.put1(COMMANDS, MQMD(format="MQADMIN", encoding=546, ccsid=1208), body)
    assert lab.depth(COMMANDS) == 0
    assert "A" in lab.connect().manager.queues


# -- authority, z/OS ------------------------------------------------------------------------------


def _as(lab: Lab, user: str, message: pcf.PCF) -> list[int]:
    """The reasons that a user without authority of its own gets."""
    lab.switch("authority", "on")
    other = EmulatedBackend(open_manager(lab.path), user=user, application="other")
    other.put1(COMMANDS, request(), pcf.encode(message))
    other.manager.look()
    other.disconnect()
    lab.switch("authority", "off")
    return [pcf.decode(reply.body).reason for reply in replies(lab.mq)]


def test_a_user_needs_authority_on_what_a_command_is_about(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    for words, name in (("PUT", COMMANDS), ("DSP", "A")):
        add = pcf.integers(cmqcfc.MQIACF_AUTH_ADD_AUTHS, (11 if words == "PUT" else 8,))
        entities = pcf.strings(cmqcfc.MQCACF_PRINCIPAL_ENTITY_NAMES, ("guest",))
        execute(lab, command("SET_AUTH_REC", pcf.string(3067, name), pcf.integer_of(1016, 1), add,
                             entities))  # fmt: skip
    queue = pcf.string(Q_NAME, "A")
    assert _as(lab, "guest", command("INQUIRE_Q", queue)) == [0]
    assert _as(lab, "guest", command("DELETE_Q", queue)) == [cmqc.MQRC_NOT_AUTHORIZED, 3008]
    assert _as(lab, "guest", _escape("DELETE QLOCAL(A)")) == [cmqc.MQRC_NOT_AUTHORIZED, 3008]
    assert _as(lab, "guest", command("PING_Q_MGR")) == [cmqc.MQRC_NOT_AUTHORIZED, 3008]
    assert "A" in lab.mq.manager.queues


def test_who_stops_a_channel_needs_ctrl_on_it(lab: Lab) -> None:
    entities = pcf.strings(cmqcfc.MQCACF_PRINCIPAL_ENTITY_NAMES, ("guest",))

    def grant(name: str, kind: int, authority: int) -> None:
        add = pcf.integers(cmqcfc.MQIACF_AUTH_ADD_AUTHS, (authority,))
        execute(lab, command("SET_AUTH_REC", pcf.string(3067, name), pcf.integer_of(1016, kind),
                             add, entities))  # fmt: skip

    channel, put, change, control = "SYSTEM.DEF.SVRCONN", 11, 3, 17
    queue_type, channel_type = 1, 6
    stop = command("STOP_CHANNEL", pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, channel))
    grant(COMMANDS, queue_type, put)
    grant(channel, channel_type, change)
    assert _as(lab, "guest", stop) == [cmqc.MQRC_NOT_AUTHORIZED, 3008]
    grant(channel, channel_type, control)
    assert _as(lab, "guest", stop) == [0]


def test_zos_answers_with_extended_responses(tmp_path: Path) -> None:
    lab = Lab(tmp_path, "zos")
    lab.mq.define("QLOCAL", REPLIES, {})
    md = request()
    inquiry = command("INQUIRE_Q", pcf.string(Q_NAME, REPLIES))
    lab.mq.put1("SYSTEM.COMMAND.INPUT", md, pcf.encode(inquiry),
                cmqc.MQPMO_NO_SYNCPOINT)  # fmt: skip
    handle = lab.mq.open(REPLIES, cmqc.MQOO_INPUT_SHARED)
    item, summary = (pcf.decode(handle.get().body, ">", 500) for _ in range(2))
    assert (item.type, item.control, item.first(Q_NAME)) == (18, 0, REPLIES)
    assert (summary.type, summary.control, summary.comp_code) == (19, 1, 0)
    assert item.first(cmqcfc.MQCACF_RESPONSE_Q_MGR_NAME) == "QM1"
    assert item.first(cmqcfc.MQBACF_RESPONSE_ID) == summary.first(cmqcfc.MQBACF_RESPONSE_ID)


@pytest.mark.parametrize("number", [-1, -5, -(2**31)])
def test_a_parameter_with_a_negative_number_is_refused_by_its_type(lab: Lab, number: int) -> None:
    mq = lab.connect()
    wrong = {
        pcf.string(number, "x"): numbers()["MQRCCF_CFST_PARM_ID_ERROR"],
        pcf.integer_of(number, 1): numbers()["MQRCCF_CFIN_PARM_ID_ERROR"],
        pcf.byte_string(number, b"x"): numbers()["MQRCCF_CFBS_PARM_ID_ERROR"],
        filter_of(number, 2, "x"): numbers()["MQRCCF_CFSF_PARM_ID_ERROR"],
    }
    for parameter, reason in wrong.items():
        body = pcf.encode(command("INQUIRE_Q", pcf.string(cmqc.MQCA_Q_NAME, "A*"), parameter))
        mq.put1(COMMANDS, request(), body)
        first, last = (pcf.decode(message.body) for message in replies(mq))
        assert (first.reason, last.reason) == (reason, cmqcfc.MQRCCF_COMMAND_FAILED)


def test_a_change_of_a_queue_says_its_type(lab: Lab) -> None:
    lab.local("A")
    depth = pcf.integer_of(15, 7)  # MQIA_MAX_Q_DEPTH
    change = command("CHANGE_Q", pcf.string(Q_NAME, "A"), depth)
    assert reasons(lab, change) == [cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, 3008]
    typed = command("CHANGE_Q", pcf.string(Q_NAME, "A"), pcf.integer_of(20, 1), depth)
    execute(lab, typed)
    assert lab.mq.queue("A").attributes["MAXDEPTH"] == 7


# -- clusters -------------------------------------------------------------------------------------


def test_cluster_queue_managers_and_cluster_queues_are_inquired_and_suspended(lab: Lab) -> None:
    lab.mq.define("CHANNEL", "C.QM", {"CHLTYPE": "CLUSRCVR", "CLUSTER": "C", "CONNAME": "h"})
    lab.mq.define("CHANNEL", "C.TO", {"CHLTYPE": "CLUSSDR", "CLUSTER": "C", "CONNAME": "there"})
    lab.local("SHARED", CLUSTER="C")
    name, cluster = cmqc.MQCA_CLUSTER_Q_MGR_NAME, pcf.string(cmqc.MQCA_CLUSTER_NAME, "C")
    every = command("INQUIRE_CLUSTER_Q_MGR", pcf.string(name, "*"))
    own, other = execute(lab, every)
    assert own[cmqcfc.MQIACF_Q_MGR_DEFINITION_TYPE] == cmqcfc.MQQMDT_CLUSTER_RECEIVER
    assert own[cmqcfc.MQIACF_Q_MGR_TYPE] == cmqcfc.MQQMT_NORMAL
    assert own[cmqcfc.MQIACF_SUSPEND] == cmqcfc.MQSUS_NO
    assert own[cmqcfc.MQCACH_CHANNEL_NAME] == "C.QM"
    assert other[name] == "SYSTEM.TEMPUUID.there"
    assert other[cmqcfc.MQCACH_CONNECTION_NAME] == "there"
    execute(lab, command("SUSPEND_Q_MGR_CLUSTER", cluster))
    limited = command(
        "INQUIRE_CLUSTER_Q_MGR", pcf.string(name, "*"),
        pcf.string(cmqcfc.MQCACH_CHANNEL_NAME, "C.Q*"), cluster,
    )  # fmt: skip
    (suspended,) = execute(lab, limited)
    assert suspended[cmqcfc.MQIACF_SUSPEND] == cmqcfc.MQSUS_YES
    execute(lab, command("RESUME_Q_MGR_CLUSTER", cluster))
    execute(lab, command("REFRESH_CLUSTER", cluster))
    both = (cluster, pcf.string(cmqc.MQCA_CLUSTER_NAMELIST, "N"))
    conflict = cmqcfc.MQRCCF_CLUSTER_NAME_CONFLICT
    failed = cmqcfc.MQRCCF_COMMAND_FAILED
    assert reasons(lab, command("SUSPEND_Q_MGR_CLUSTER", *both)) == [conflict, failed]
    unknown = pcf.string(cmqc.MQCA_CLUSTER_NAME, "NOPE")
    assert reasons(lab, command("SUSPEND_Q_MGR_CLUSTER", unknown)) == [2085, failed]
    reset = command("RESET_CLUSTER", cluster, pcf.integer_of(cmqcfc.MQIACF_ACTION, 7))
    assert reasons(lab, reset) == [cmqcfc.MQRCCF_ACTION_VALUE_ERROR, failed]
    queue = pcf.string(Q_NAME, "SHARED")
    (shared,) = execute(lab, command("INQUIRE_Q", queue, pcf.integer_of(Q_TYPE, cmqc.MQQT_CLUSTER)))
    assert shared[cmqc.MQIA_CLUSTER_Q_TYPE] == cmqc.MQCQT_LOCAL_Q
    info = pcf.integer_of(cmqcfc.MQIACF_CLUSTER_INFO, 0)
    types = [row[Q_TYPE] for row in execute(lab, command("INQUIRE_Q", queue, info))]
    assert types == [cmqc.MQQT_LOCAL, cmqc.MQQT_CLUSTER]
