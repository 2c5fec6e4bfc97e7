"""PCF commands through the classes that IBM's ibmmq and pymqi have for them, unmodified."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mqi.conftest import Served


@pytest.fixture
def pcf(qmgr: Any, ibmmq: Any) -> Iterator[Any]:
    executor = ibmmq.PCFExecute(qmgr)
    yield executor
    executor.disconnect()


def names(ibmmq: Any, responses: list[dict[int, Any]], selector: int) -> list[str]:
    return [ibmmq.to_string(response[selector]) for response in responses]


def test_ibmmq_creates_inquires_and_deletes_a_queue(served: Served, pcf: Any, ibmmq: Any) -> None:
    c, f = ibmmq.CMQC, ibmmq.CMQCFC
    pcf.MQCMD_CREATE_Q(
        {c.MQCA_Q_NAME: "A.B", c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 77,
         f.MQIACF_REPLACE: f.MQRP_YES}
    )  # fmt: skip
    criteria = {c.MQCA_Q_NAME: "A.*", f.MQIACF_Q_ATTRS: [c.MQIA_MAX_Q_DEPTH, c.MQCA_Q_DESC]}
    (queue,) = pcf.MQCMD_INQUIRE_Q(criteria)
    assert (queue[c.MQIA_MAX_Q_DEPTH], queue[c.MQIA_Q_TYPE]) == (77, c.MQQT_LOCAL)
    assert queue[c.MQCA_Q_NAME] == b"A.B".ljust(48)
    assert len(queue[c.MQCA_Q_DESC]) == 64
    assert served.backend().queue("A.B").attributes["MAXDEPTH"] == 77
    pcf.MQCMD_DELETE_Q({c.MQCA_Q_NAME: "A.B", f.MQIACF_PURGE: f.MQPO_YES})
    with pytest.raises(ibmmq.MQMIError) as caught:
        pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: "A.B"})
    assert (caught.value.comp, caught.value.reason) == (2, c.MQRC_UNKNOWN_OBJECT_NAME)


def test_ibmmq_filters_and_gets_what_is_left_of_an_error(
    served: Served, pcf: Any, ibmmq: Any
) -> None:
    c, f = ibmmq.CMQC, ibmmq.CMQCFC
    served.local("A.1", MAXDEPTH=10)
    served.local("A.2", MAXDEPTH=20, DESCR="second")
    above = ibmmq.Filter(c.MQIA_MAX_Q_DEPTH).greater(15)
    queues = pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: "A.*"}, [above])
    assert names(ibmmq, queues, c.MQCA_Q_NAME) == ["A.2"]
    like = ibmmq.Filter(c.MQCA_Q_DESC).like(b"sec*")
    queues = pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: "A.*", f.MQIACF_Q_ATTRS: f.MQIACF_ALL}, [like])
    assert names(ibmmq, queues, c.MQCA_Q_NAME) == ["A.2"]
    responses: list[Any] = []
    with pytest.raises(ibmmq.MQMIError):
        pcf.MQCMD_CREATE_Q(
            {c.MQCA_Q_NAME: "A.3", c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: -1},
            responses=responses,
        )
    ((wrong, header),) = responses  # the summary has no parameters and is left out
    assert header.Reason == 4005
    assert wrong == {f.MQIACF_PARAMETER_ID: c.MQIA_MAX_Q_DEPTH}


def test_ibmmq_inquires_connections_by_an_empty_byte_string(pcf: Any, ibmmq: Any) -> None:
    f = ibmmq.CMQCFC
    connections = pcf.MQCMD_INQUIRE_CONNECTION(
        {f.MQBACF_GENERIC_CONNECTION_ID: ibmmq.ByteString("")}
    )
    assert len(connections) == 1
    assert len(connections[0][f.MQBACF_CONNECTION_ID]) == 24
    assert connections[0][f.MQBACF_CONN_TAG]


def test_ibmmq_keeps_namelists_and_channels(pcf: Any, ibmmq: Any) -> None:
    c, f = ibmmq.CMQC, ibmmq.CMQCFC
    given = {c.MQCA_NAMELIST_NAME: "NL", c.MQCA_NAMES: ["one", b"two"]}
    pcf.MQCMD_CREATE_NAMELIST(given)
    (namelist,) = pcf.MQCMD_INQUIRE_NAMELIST({c.MQCA_NAMELIST_NAME: "NL"})
    assert [name.strip() for name in namelist[c.MQCA_NAMES]] == [b"one", b"two"]
    assert namelist[c.MQIA_NAME_COUNT] == 2
    channel = {f.MQCACH_CHANNEL_NAME: "C.1", f.MQIACH_CHANNEL_TYPE: ibmmq.CMQXC.MQCHT_SVRCONN}
    pcf.MQCMD_CREATE_CHANNEL(channel)
    channels = pcf.MQCMD_INQUIRE_CHANNEL({f.MQCACH_CHANNEL_NAME: "C.*"})
    assert names(ibmmq, channels, f.MQCACH_CHANNEL_NAME) == ["C.1"]


def test_what_needs_force_on_a_queue_in_use_is_3210_and_handles_meet_2041(
    served: Served, pcf: Any, qmgr: Any, ibmmq: Any
) -> None:
    c, f = ibmmq.CMQC, ibmmq.CMQCFC
    served.local("A")

    def change(selector: int, value: int, *forced: tuple[int, int]) -> tuple[int, ...]:
        given = {c.MQCA_Q_NAME: "A", c.MQIA_Q_TYPE: c.MQQT_LOCAL, selector: value}
        try:
            pcf.MQCMD_CHANGE_Q(given | dict(forced))
        except ibmmq.MQMIError as error:
            return error.comp, error.reason
        return 0, 0

    to_xmitq, refused = (c.MQIA_USAGE, c.MQUS_TRANSMISSION), (2, f.MQRCCF_OBJECT_OPEN_FORCE)
    unshared = c.MQIA_SHAREABILITY, c.MQQA_NOT_SHAREABLE
    giver = ibmmq.Queue(qmgr, "A", c.MQOO_OUTPUT)
    giver.put(b"x")
    assert change(*to_xmitq) == refused
    assert change(c.MQIA_USAGE, c.MQUS_NORMAL) == (0, 0)
    assert change(*unshared) == (0, 0)
    assert change(c.MQIA_SHAREABILITY, c.MQQA_SHAREABLE) == (0, 0)
    taker = ibmmq.Queue(qmgr, "A", c.MQOO_INPUT_SHARED)
    assert change(*unshared) == refused
    assert change(c.MQIA_MAX_Q_DEPTH, 7) == (0, 0)
    assert change(*unshared, (f.MQIACF_FORCE, f.MQFC_YES)) == (0, 0)
    giver.put(b"y")
    with pytest.raises(ibmmq.MQMIError) as caught:
        taker.get()
    assert (caught.value.comp, caught.value.reason) == (2, 2041)
    taker.close()
    giver.close()
    assert change(*to_xmitq) == refused, "it holds messages"
    assert change(*to_xmitq, (f.MQIACF_FORCE, f.MQFC_YES)) == (0, 0)


SYSTEM_OBJECTS = {
    "Q": """
        ADMIN.ACCOUNTING.QUEUE ADMIN.ACTIVITY.QUEUE ADMIN.CHANNEL.EVENT ADMIN.COMMAND.EVENT
        ADMIN.COMMAND.QUEUE ADMIN.CONFIG.EVENT ADMIN.LOGGER.EVENT ADMIN.PERFM.EVENT
        ADMIN.PUBSUB.EVENT ADMIN.QMGR.EVENT ADMIN.STATISTICS.QUEUE ADMIN.TRACE.ACTIVITY.QUEUE
        ADMIN.TRACE.ROUTE.QUEUE AUTH.DATA.QUEUE BROKER.ADMIN.STREAM BROKER.CONTROL.QUEUE
        BROKER.DEFAULT.STREAM BROKER.INTER.BROKER.COMMUNICATIONS CHANNEL.INITQ CHANNEL.SYNCQ
        CHLAUTH.DATA.QUEUE CICS.INITIATION.QUEUE CLUSTER.COMMAND.QUEUE CLUSTER.HISTORY.QUEUE
        CLUSTER.REPOSITORY.QUEUE CLUSTER.TRANSMIT.MODEL.QUEUE CLUSTER.TRANSMIT.QUEUE
        DDELAY.LOCAL.QUEUE DEAD.LETTER.QUEUE DEFAULT.ALIAS.QUEUE DEFAULT.INITIATION.QUEUE
        DEFAULT.LOCAL.QUEUE DEFAULT.MODEL.QUEUE DEFAULT.REMOTE.QUEUE DURABLE.MODEL.QUEUE
        DURABLE.SUBSCRIBER.QUEUE HIERARCHY.STATE INTER.QMGR.CONTROL INTER.QMGR.FANREQ
        INTER.QMGR.PUBS INTERNAL.REPLY.QUEUE MQEXPLORER.REPLY.MODEL MQSC.REPLY.QUEUE
        NDURABLE.MODEL.QUEUE PENDING.DATA.QUEUE
        REST.REPLY.QUEUE RETAINED.PUB.QUEUE SELECTION.EVALUATION.QUEUE SELECTION.VALIDATION.QUEUE
        """,
    "TOPIC": """
        ADMIN.TOPIC BASE.TOPIC BROKER.ADMIN.STREAM BROKER.DEFAULT.STREAM BROKER.DEFAULT.SUBPOINT
        DEFAULT.TOPIC
        """,
    "NAMELIST": "DEFAULT.NAMELIST QPUBSUB.QUEUE.NAMELIST QPUBSUB.SUBPOINT.NAMELIST",
    "CHANNEL": """
        AUTO.RECEIVER AUTO.SVRCONN DEF.AMQP DEF.CLNTCONN DEF.CLUSRCVR DEF.CLUSSDR DEF.RECEIVER
        DEF.REQUESTER DEF.SENDER DEF.SERVER DEF.SVRCONN
        """,
    "AUTH_INFO": """
        DEFAULT.AUTHINFO.CRLLDAP DEFAULT.AUTHINFO.IDPWLDAP DEFAULT.AUTHINFO.IDPWOS
        DEFAULT.AUTHINFO.OCSP
        """,
    "PROCESS": "DEFAULT.PROCESS",
    "LISTENER": "DEFAULT.LISTENER.TCP",
    "SERVICE": "BROKER DEFAULT.SERVICE",
    "SUBSCRIPTION": "DEFAULT.SUB",
}
"""IBM's list: documentation, "System and default objects", for Linux."""


def test_every_object_that_a_queue_manager_comes_with_is_inquired(pcf: Any, ibmmq: Any) -> None:
    c, commands = ibmmq.CMQC, ibmmq.CMQCFC
    selectors = {
        "Q": c.MQCA_Q_NAME, "TOPIC": c.MQCA_TOPIC_NAME, "NAMELIST": c.MQCA_NAMELIST_NAME,
        "CHANNEL": commands.MQCACH_CHANNEL_NAME, "AUTH_INFO": c.MQCA_AUTH_INFO_NAME,
        "PROCESS": c.MQCA_PROCESS_NAME, "LISTENER": commands.MQCACH_LISTENER_NAME,
        "SERVICE": c.MQCA_SERVICE_NAME, "SUBSCRIPTION": commands.MQCACF_SUB_NAME,
    }  # fmt: skip
    for kind, listed in SYSTEM_OBJECTS.items():
        selector = selectors[kind]
        shown = getattr(pcf, f"MQCMD_INQUIRE_{kind}")({selector: "*"})
        missing = {f"SYSTEM.{name}" for name in listed.split()} - set(names(ibmmq, shown, selector))
        assert not missing, kind


def test_a_program_that_reads_events_opens_their_queues(qmgr: Any, ibmmq: Any) -> None:
    for what in ["CHANNEL", "COMMAND", "CONFIG", "LOGGER", "PERFM", "PUBSUB", "QMGR"]:
        name = f"SYSTEM.ADMIN.{what}.EVENT"
        queue = ibmmq.Queue(qmgr, name, ibmmq.CMQC.MQOO_INPUT_SHARED | ibmmq.CMQC.MQOO_INQUIRE)
        depth = 5000 if what in ("COMMAND", "CONFIG", "PUBSUB") else 3000
        assert queue.inquire(ibmmq.CMQC.MQIA_MAX_Q_DEPTH) == depth
        queue.close()


def test_a_client_that_polls_itself_gets_the_reply(qmgr: Any, ibmmq: Any) -> None:
    """Not by PCFExecute: put the command, look without waiting until the answer is there."""
    c, f = ibmmq.CMQC, ibmmq.CMQCFC
    model = ibmmq.OD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="MINE.*")
    replies = ibmmq.Queue(qmgr, model, c.MQOO_INPUT_EXCLUSIVE)
    md = ibmmq.MD(Format=c.MQFMT_ADMIN, MsgType=c.MQMT_REQUEST, ReplyToQ=model.ObjectName)
    body = ibmmq.CFH(Command=f.MQCMD_PING_Q_MGR).pack()
    qmgr.put1("SYSTEM.ADMIN.COMMAND.QUEUE", body, md)
    answer = replies.get(None, ibmmq.MD(CorrelId=md.MsgId))
    assert ibmmq.PCFExecute.unpack(answer)[1].Reason == 0


PYMQI = """
import sys
sys.path.insert(0, sys.argv[1])
import pymqi
from pymqi import CMQC as c, CMQCFC as f
qm = pymqi.connect('QM1', 'DEV.ADMIN.SVRCONN', 'localhost(1414)', 'admin', 'password')
pcf = pymqi.PCFExecute(qm)
pcf.MQCMD_PING_Q_MGR()
pcf.MQCMD_CREATE_Q({c.MQCA_Q_NAME: b'A.B', c.MQIA_Q_TYPE: c.MQQT_LOCAL, c.MQIA_MAX_Q_DEPTH: 77})
depths = pymqi.Filter(c.MQIA_MAX_Q_DEPTH).less(100)
(found,) = pcf.MQCMD_INQUIRE_Q({c.MQCA_Q_NAME: b'A.*'}, [depths])
assert found[c.MQCA_Q_NAME].strip() == b'A.B', found
assert found[c.MQIA_MAX_Q_DEPTH] == 77
(status,) = pcf.MQCMD_INQUIRE_Q_STATUS({c.MQCA_Q_NAME: b'A.B'})
assert status[c.MQIA_CURRENT_Q_DEPTH] == 0
assert status[f.MQIACF_Q_TIME_INDICATOR] == [-1, -1]
auth = {f.MQCACF_AUTH_PROFILE_NAME: b'A.B', f.MQIACF_OBJECT_TYPE: c.MQOT_Q,
        f.MQIACF_AUTH_ADD_AUTHS: [f.MQAUTH_BROWSE], f.MQCACF_GROUP_ENTITY_NAMES: [b'ops']}
pcf.MQCMD_SET_AUTH_REC(auth)
ids = {f.MQBACF_GENERIC_CONNECTION_ID: pymqi.ByteString(b'')}
assert len(pcf.MQCMD_INQUIRE_CONNECTION(ids)) == 1
(level,) = pcf.MQCMD_INQUIRE_Q_MGR()
assert level[c.MQIA_COMMAND_LEVEL] == 940
pcf.MQCMD_DELETE_Q({c.MQCA_Q_NAME: b'A.B', f.MQIACF_PURGE: f.MQPO_YES})
try:
    pcf.MQCMD_DELETE_Q({c.MQCA_Q_NAME: b'A.B'})
except pymqi.MQMIError as error:
    assert (error.comp, error.reason) == (2, 2085)
else:
    raise AssertionError('deleted twice')
pcf.disconnect()
qm.disconnect()
print('done')
"""


@pytest.mark.slow
def test_pymqi_runs_commands_with_filters_byte_strings_and_lists(
    served: Served, sdk: Path, pymqi_folder: Path
) -> None:
    ran = served.python(sdk, PYMQI, str(pymqi_folder))
    assert (ran.stdout, ran.stderr) == ("done\n", "")


@pytest.mark.parametrize(
    ("command", "selector", "known", "reason"),
    [
        ("MQCMD_START_CHANNEL", "MQCACH_CHANNEL_NAME", "SYSTEM.DEF.SERVER", 4032),
        ("MQCMD_STOP_CHANNEL", "MQCACH_CHANNEL_NAME", "SYSTEM.DEF.SERVER", 4032),
        ("MQCMD_PING_CHANNEL", "MQCACH_CHANNEL_NAME", "SYSTEM.DEF.SERVER", 4032),
        ("MQCMD_RESET_CHANNEL", "MQCACH_CHANNEL_NAME", "SYSTEM.DEF.SERVER", 4032),
        ("MQCMD_RESOLVE_CHANNEL", "MQCACH_CHANNEL_NAME", "SYSTEM.DEF.SERVER", 4032),
        (
            "MQCMD_START_CHANNEL_LISTENER",
            "MQCACH_LISTENER_NAME",
            "SYSTEM.DEFAULT.LISTENER.TCP",
            2085,
        ),
        ("MQCMD_START_SERVICE", "MQCA_SERVICE_NAME", "SYSTEM.DEFAULT.SERVICE", 2085),
        ("MQCMD_STOP_SERVICE", "MQCA_SERVICE_NAME", "SYSTEM.DEFAULT.SERVICE", 2085),
    ],
)
@pytest.mark.slow
def test_nothing_is_started_and_what_is_not_defined_is_told_first(
    served: Served, pcf: Any, ibmmq: Any, command: str, selector: str, known: str, reason: int
) -> None:
    number = getattr(ibmmq.CMQCFC, selector, None) or getattr(ibmmq.CMQC, selector)
    for name, expected in ((known, 3007), ("NO.SUCH.ONE", reason)):
        with pytest.raises(ibmmq.MQMIError) as caught:
            getattr(pcf, command)({number: name})
        assert (caught.value.comp, caught.value.reason) == (2, expected)


def test_a_listener_that_does_not_run_is_not_stopped(served: Served, pcf: Any, ibmmq: Any) -> None:
    name = ibmmq.CMQCFC.MQCACH_LISTENER_NAME
    for listener, reason in (
        ("SYSTEM.DEFAULT.LISTENER.TCP", ibmmq.CMQCFC.MQRCCF_LISTENER_STOPPED),
        ("NO.SUCH.ONE", ibmmq.CMQC.MQRC_UNKNOWN_OBJECT_NAME),
    ):
        with pytest.raises(ibmmq.MQMIError) as caught:
            pcf.MQCMD_STOP_CHANNEL_LISTENER({name: listener})
        assert caught.value.reason == reason
