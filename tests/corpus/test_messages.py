"""Message data that real systems wrote, one row of expected values a file.

The files stay where they are (MQTRIAGE_CORPUS, default ../shared/corpus); what each holds is told
in the INDEX.tsv next to them, column a_right_decoder_must_say.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqtriage.messages.decoded import dead_letter_header, decoded, target_and_due
from mqtriage.messages.pcf_record import pcf_record
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import UNDOCUMENTED
from mqtriage.mq.headers import chain, ddh, dlh, rfh2, xqh
from mqtriage.mq.headers.chain import Chain
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.times import put_rfc3339
from tests.support.pcf_structures import all_parameters

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus")) / "messages"

pytestmark = pytest.mark.skipif(
    not _FOLDER.is_dir(), reason="no corpus of messages: set MQTRIAGE_CORPUS to its folder"
)


class Row(NamedTuple):
    """A file: how the descriptor announces it, and what is in it."""

    file: str
    format: str
    encoding: int
    ccsid: int
    headers: tuple[tuple[str, int, int], ...]
    """Name, offset and length of each."""
    fields: tuple[dict[str, Any], ...]
    """Fields of each header that must have that value."""
    body_offset: int
    body: bytes | None
    """None: not compared here."""
    following: tuple[str, int, int]
    """Format, Encoding, CCSID of the body."""
    body_name: str = ""
    damages: tuple[str, ...] = ()
    text: str | None = None


_TEST_DATA = b"<testData><testVar>testValue</testVar></testData>"
_PSC = {
    "psc.Command": "RegSub",
    "psc.Topic": "$topictree/topiccat/topic",
    "psc.QMgrName": "DebugQM",
    "psc.QName": "PUBOUT",
    "psc.RegOpt": "PersAsPub",
}
_DDH_CUT = (
    "DDH at offset 0: truncated, 25 bytes are there; the layout after its offset 24 is not known"
)


def _rfh2(
    length: int, form: str, folders: tuple[tuple[str, int], ...], encoding: int = 273
) -> dict[str, Any]:
    return {
        "version": 2,
        "struc_length": length,
        "encoding": encoding,
        "ccsid": 1208,
        "format": form,
        "flags": 0,
        "name_value_ccsid": 1208,
        "folder lengths": folders,
    }


def _ddh_row(number: str, time_us: int, time: str) -> Row:
    return Row(
        f"ddh-{number}.hex",
        "",
        546,
        0,
        (("DDH", 0, 24),),
        (
            {
                "version": 1,
                "time_us": time_us,
                "time": time,
                "expiry_raw": -1,
                "target_q_mgr": None,
                "target_q": None,
                "names": "layout unknown",
                "basis": "observed, undocumented",
            },
        ),
        0,
        None,
        ("", 546, 0),
        damages=(_DDH_CUT,),
    )


ROWS = (
    Row(
        "01-pymqi-single_rfh2.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 284),),
        (_rfh2(284, "MQSTR", (("psc", 152), ("testFolder", 56), ("mcd", 28))),),
        284,
        _TEST_DATA,
        ("MQSTR", 273, 1208),
        text=_TEST_DATA.decode(),
    ),
    Row(
        "02-pymqi-multiple_rfh2.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 252), ("MQRFH2", 252, 284)),
        (
            _rfh2(252, "MQHRF2", (("psc", 152), ("testFolder", 56))),
            _rfh2(284, "MQSTR", (("psc", 152), ("testFolder", 56), ("mcd", 28))),
        ),
        536,
        _TEST_DATA,
        ("MQSTR", 273, 1208),
        text=_TEST_DATA.decode(),
    ),
    Row(
        "03-pymqi-pcf_with_cfif.bin",
        "MQEVENT",
        546,
        819,
        (),
        (),
        0,
        None,
        ("MQEVENT", 546, 819),
        body_name="PCF, type 7, 284 bytes",
    ),
    Row(
        "04-pymqi-pcf_with_cfsf.bin",
        "MQEVENT",
        546,
        819,
        (),
        (),
        0,
        None,
        ("MQEVENT", 546, 819),
        body_name="PCF, type 7, 296 bytes",
    ),
    Row(
        "05-pymqi-statistics_q.bin",
        "MQADMIN",
        546,
        819,
        (),
        (),
        0,
        None,
        ("MQADMIN", 546, 819),
        body_name="PCF, type 21, 8960 bytes",
    ),
    Row(
        "06-rfh4j-activity-trace-rfh2.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 84),),
        (_rfh2(84, "", (("usr", 44),), encoding=1),),
        84,
        b"I like WebSphere MQ",
        ("", 1, 1208),
        text="I like WebSphere MQ",
    ),
    Row(
        "07-rfh4j-corrupted-length.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 36),),
        ({"version": 2, "struc_length": 25684, "encoding": 1, "ccsid": 1208, "format": ""},),
        0,
        None,
        ("MQHRF2", 273, 1208),
        damages=("MQRFH2 at offset 0: StrucLength 25684 exceeds the 103 bytes left",),
    ),
    Row(
        "08-kafka-connect-jms-rfh2.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 156),),
        (_rfh2(156, "MQSTR", (("mcd", 32), ("jms", 80))),),
        156,
        b"This is my message",
        ("MQSTR", 273, 1208),
        text="This is my message",
    ),
    Row(
        "09-icbc-dlq-trigger.bin",
        "MQDEAD",
        273,
        819,
        (("MQDLH", 0, 172), ("MQTM", 172, 212)),
        (
            {
                "version": 1,
                "reason": 265,
                "reason_name": "MQFB_APPL_CANNOT_BE_STARTED",
                "dest_q_name": "SYSTEM.CICS.INITIATION.QUEUE",
                "dest_q_mgr_name": "QMMBFE",
                "encoding": 273,
                "ccsid": 819,
                "format": "MQTRIG",
                "put_appl_type": 6,
                "put_appl_name": "RUNMQTRM",
                "put_date": "20120914",
                "put_time": "18260763",
            },
            {
                "version": 1,
                "q_name": "102881000019_2",
                "process_name": "UNIX.PRO2",
                "trigger_data": "",
                "appl_type": 6,
                "appl_id": "/bepsmbfe/bin/lib/MQcrecv",
            },
        ),
        172,
        None,
        ("MQTRIG", 273, 819),
        damages=("MQTM at offset 172: 684 bytes needed, 212 left",),
    ),
    Row(
        "10-yukun-dlq-put-inhibited.bin",
        "MQDEAD",
        546,
        819,
        (("MQDLH", 0, 172),),
        (
            {
                "version": 1,
                "reason": 2051,
                "reason_name": "MQRC_PUT_INHIBITED",
                "dest_q_name": "QL.A",
                "dest_q_mgr_name": "QMW",
                "encoding": 546,
                "ccsid": 819,
                "format": "MQSTR",
                "put_appl_type": 6,
                "put_appl_name": "amqrmppa",
                "put_date": "20130114",
                "put_time": "11242677",
            },
        ),
        172,
        b"I send a message from QMC.",
        ("MQSTR", 546, 819),
        text="I send a message from QMC.",
    ),
    Row(
        "11-yukun-mqstr-26.bin",
        "MQSTR",
        546,
        819,
        (),
        (),
        0,
        b"I send a message from QMC.",
        ("MQSTR", 546, 819),
        text="I send a message from QMC.",
    ),
    Row(
        "12-yukun-hello.bin",
        "MQSTR",
        546,
        1208,
        (),
        (),
        0,
        b"Hello MQ world!",
        ("MQSTR", 546, 1208),
        text="Hello MQ world!",
    ),
    Row(
        "13-yukun-two-messages-cut.bin",
        "MQSTR",
        546,
        819,
        (),
        (),
        0,
        b"I put in QL.A",
        ("MQSTR", 546, 819),
        text="I put in QL.A",
    ),
    Row(
        "15-cp4i-two-messages-elided.bin",
        "MQSTR",
        546,
        819,
        (),
        (),
        0,
        b"Test message 1",
        ("MQSTR", 546, 819),
        text="Test message 1",
    ),
    Row(
        # the descriptor around it is little-endian on the wire; its Encoding says 273
        "31-emulator-esfl-rfh2.bin",
        "MQHRF2",
        273,
        1208,
        (("MQRFH2", 0, 272),),
        (_rfh2(272, "MQSTR", (("mcd", 32), ("jms", 80), ("usr", 112))),),
        272,
        b"lox bus alesha",
        ("MQSTR", 273, 1208),
        text="lox bus alesha",
    ),
    Row(
        "36-datapower-xqh-template.bin",
        "MQXMIT",
        546,
        819,
        (("MQXQH", 0, 428),),
        (
            {
                "version": 1,
                "remote_q_name": "ESB.GW.YAD.RESPONSE",
                "remote_q_mgr_name": "M99.ESB.GW1",
            },
        ),
        428,
        b"",
        ("MQSTR", 546, 0),
        text="",
    ),
    Row(
        "43-fap-initial-data-tsh.bin",
        "",
        546,
        0,
        (),
        (),
        0,
        None,
        ("", 546, 0),
        body_name="channel protocol segment TSH, 268 bytes: not a message",
    ),
    Row(
        "44-fap-initial-data-tshm.bin",
        "",
        546,
        0,
        (),
        (),
        0,
        None,
        ("", 546, 0),
        body_name="channel protocol segment TSHM, 276 bytes: not a message",
    ),
    _ddh_row("02", 1633092201348327, "2021-10-01T12:43:21.348327Z"),
    _ddh_row("04", 1633092202057782, "2021-10-01T12:43:22.057782Z"),
    _ddh_row("05", 1633092202286925, "2021-10-01T12:43:22.286925Z"),
    _ddh_row("06", 1633092204443641, "2021-10-01T12:43:24.443641Z"),
    _ddh_row("08", 1633092205423078, "2021-10-01T12:43:25.423078Z"),
    _ddh_row("09", 1633092205502413, "2021-10-01T12:43:25.502413Z"),
    _ddh_row("10", 1633092206176135, "2021-10-01T12:43:26.176135Z"),
)
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)


def _read(file: str) -> bytes:
    path = _FOLDER / file
    return bytes.fromhex(path.read_text().strip()) if path.suffix == ".hex" else path.read_bytes()


def _decode(row: Row) -> Chain:
    return chain.decode(row.format, row.encoding, row.ccsid, _read(row.file))


def _message(row: Row, **fields: Any) -> Message:
    data = _read(row.file)
    md = MQMD(format=row.format, encoding=row.encoding, ccsid=row.ccsid)
    return Message(md._replace(**fields), data, len(data))


def _row(start: str) -> Row:
    return next(row for row in ROWS if row.file.startswith(start))


def _properties(file: str) -> dict[str, rfh2.Value]:
    return rfh2.properties(header.record for header in _decode(_row(file)).headers)


def test_every_file_of_the_corpus_has_a_row_and_every_row_a_file() -> None:
    files = {path.name for path in _FOLDER.iterdir() if path.suffix in (".bin", ".hex")}
    assert {row.file for row in ROWS} == files


@each_row
def test_headers_stand_where_they_should(row: Row) -> None:
    message = _decode(row)
    assert row.headers == tuple(
        (header.name, header.offset, header.length) for header in message.headers
    )


@each_row
def test_header_fields_have_their_values(row: Row) -> None:
    for expected, header in zip(row.fields, _decode(row).headers, strict=True):
        fields = dict(header.fields)
        if isinstance(header.record, rfh2.RFH2):
            folders = header.record.folders
            fields["folder lengths"] = tuple((folder.name, len(folder.raw)) for folder in folders)
        assert expected == {name: fields[name] for name in expected}


@each_row
def test_the_body_begins_and_reads_as_it_should(row: Row) -> None:
    data = _read(row.file)
    message = _decode(row)
    assert (row.body_offset, row.body_name) == (message.body_offset, message.body_name)
    assert row.following == (message.format, message.encoding, message.ccsid)
    if row.body is not None:
        assert row.body == message.body(data)


@each_row
def test_damage_is_told_in_one_sentence_each(row: Row) -> None:
    assert row.damages == tuple(damage.text for damage in _decode(row).damages)


@each_row
def test_the_record_for_json_carries_text_or_hex(row: Row) -> None:
    record = decoded(_message(row))
    body = record["body"]
    if row.text is not None:
        assert (row.text, None) == (body["text"], body["hex"])
    else:
        assert body["text"] is None
        assert body["hex"] == _read(row.file)[row.body_offset :].hex().upper()
    assert list(row.damages) == record["damages"]


@each_row
def test_headers_that_are_whole_come_back_byte_for_byte(row: Row) -> None:
    data = _read(row.file)
    encoders: dict[type, Any] = {
        dlh.DLH: dlh.encode,
        rfh2.RFH2: rfh2.encode,
        xqh.XQH: xqh.encode,
    }
    for header in _decode(row).headers:
        encode = encoders.get(type(header.record))
        if encode is not None:
            assert data[header.offset : header.offset + header.length] == encode(header.record)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("01", {**_PSC, "testFolder.testVar": "testValue", "mcd.Msd": "xmlnsc"}),
        ("02", {**_PSC, "testFolder.testVar": "testValue", "mcd.Msd": "xmlnsc"}),
        ("06", {"myVar": "S13"}),
        (
            "08",
            {
                "mcd.Msd": "jms_text",
                "jms.Dst": "queue:///DEV.QUEUE.1",
                "jms.Tms": "1571328167362",
                "jms.Dlv": "2",
            },
        ),
        (
            "31",
            {
                "mcd.Msd": "jms_text",
                "jms.Dst": "queue:///DEV.QUEUE.1",
                "jms.Tms": "1575636253574",
                "jms.Dlv": "2",
                "esfl_methodName": "clientCreate",
                "src_systemID": "DRTL",
                "version": "2",
            },
        ),
    ],
)
def test_message_properties_are_read(file: str, expected: dict[str, str]) -> None:
    assert expected == _properties(file)


def test_the_embedded_descriptor_of_the_transmission_queue_header_is_read() -> None:
    record = _decode(_row("36")).headers[0].record
    assert isinstance(record, xqh.XQH)
    expected = MQMD(
        msg_type=8,
        expiry_tenths=-1,
        encoding=546,
        ccsid=0,
        format="MQSTR",
        priority=-1,
        persistence=2,
        put_date="\0" * 8,
        put_time="\0" * 8,
        version=1,
    )
    assert expected == record.message_descriptor


@pytest.mark.parametrize(
    ("file", "time", "queue"),
    [
        ("09", "2012-09-14T18:26:07.63Z", "SYSTEM.CICS.INITIATION.QUEUE"),
        ("10", "2013-01-14T11:24:26.77Z", "QL.A"),
    ],
)
def test_dead_letter_facts_are_read(file: str, time: str, queue: str) -> None:
    facts = dead_letter_header(_message(_row(file)))
    assert facts is not None
    assert (time, queue) == (put_rfc3339(facts.put_date, facts.put_time), facts.dest_q_name)


@pytest.mark.parametrize(
    ("put_time", "due_us", "basis"),
    [
        pytest.param("12432135", None, "put", id="at-the-put"),
        pytest.param("12432040", None, "put", id="within-a-second"),
        pytest.param("12431900", 1633092201348327, "assumed-due", id="later"),
        pytest.param("13000000", None, "put", id="before-the-put"),
    ],
)
def test_the_time_of_a_real_staged_message_is_never_taken_for_sure(
    put_time: str, due_us: int | None, basis: str
) -> None:
    message = _message(_row("ddh-02"), put_date="20211001", put_time=put_time)
    facts = target_and_due(message, UNDOCUMENTED)
    assert facts is not None
    assert (due_us, basis, None) == (facts.due_time_us, facts.basis, facts.target)
    assert facts.ddh_time_us == 1633092201348327


def test_a_real_staged_message_has_no_tail_of_ours() -> None:
    header = ddh.decode(_read("ddh-02.hex"))
    assert isinstance(header, ddh.DDH)
    assert header.tail is None


_STATISTICS = {
    "type": 21,
    "command": 165,
    "version": 3,
    "parameter_count": 23,
    "control": 1,
    "reason": 0,
}


@pytest.mark.parametrize(
    ("file", "header", "counts"),
    [
        (
            "03",
            {"type": 7, "version": 3, "command": 99, "control": 1, "reason": 2412,
             "parameter_count": 2},
            {20: 2, 4: 3, 3: 3, 13: 1, 5: 1},
        ),
        (
            "04",
            {"type": 7, "version": 3, "command": 99, "control": 1, "reason": 2412,
             "parameter_count": 2},
            {20: 2, 4: 3, 3: 3, 14: 1, 5: 1},
        ),
        ("05", _STATISTICS, {20: 16, 4: 53, 3: 178, 25: 64, 5: 64}),
    ],
)  # fmt: skip
def test_a_pcf_message_is_walked_to_its_last_byte(
    file: str, header: dict[str, int], counts: dict[int, int]
) -> None:
    data = _read(_row(file).file)
    message = pcf.recognise(data)
    assert message is not None
    assert header == {name: getattr(message, name) for name in header}
    assert message.wrong is None
    type_counts: dict[int, int] = {}
    for parameter in all_parameters(message.parameters):
        type_counts[parameter.type] = type_counts.get(parameter.type, 0) + 1
    assert counts == type_counts
    *_, last = all_parameters(message.parameters)
    assert len(data) == last.offset + last.length


_CONTEXT = [
    (20, 8001, 4, 0, 0),
    (4, 3045, "mqm", 819, 0),
    (3, 1011, 1, 0, 0),
    (4, 3047, "MQTEST", 819, 0),
    (3, 1021, 13, 0, 0),
    (20, 8002, 4, 0, 0),
]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "03",
            [
                *_CONTEXT,
                (4, 2016, "*", 0, 0),  # the three bytes of padding behind it are garbage
                (3, 20, 1, 0, 0),
                (13, 3, 0, 0, 4),
                (5, 1002, (3, 2016), 0, 0),
            ],
        ),
        (
            "04",
            [
                *_CONTEXT,
                (4, 2016, "*", 0, 0),
                (3, 20, 1, 0, 0),
                (14, 2013, "test*", 0, 18),
                (5, 1002, (2013, 2016), 0, 0),
            ],
        ),
    ],
)
def test_the_parameters_of_a_command_event_are_read(
    file: str, expected: list[tuple[Any, ...]]
) -> None:
    message = pcf.recognise(_read(_row(file).file))
    assert message is not None
    seen = [
        (p.type, p.parameter, len(pcf.members(p)) or p.value, p.ccsid, p.operator)
        for p in all_parameters(message.parameters)
    ]
    assert expected == seen


@pytest.mark.parametrize("file", ["03", "04", "05"])
def test_every_parameter_of_a_pcf_message_has_its_name(file: str) -> None:
    message = pcf.recognise(_read(_row(file).file))
    assert message is not None

    def unnamed(parameters: list[dict[str, Any]]) -> list[int]:
        inside = [number for parameter in parameters for number in unnamed(parameter["parameters"])]
        return [parameter["id"] for parameter in parameters if not parameter["name"]] + inside

    record = pcf_record(message)
    assert unnamed(record["parameters"]) == []
    json.dumps(record, allow_nan=False)


def test_the_parameters_of_queue_statistics_are_read() -> None:
    message = pcf.recognise(_read("05-pymqi-statistics_q.bin"))
    assert message is not None
    parameters = list(all_parameters(message.parameters))
    assert {"mq_mgr1", "2020-06-15"} <= {
        parameter.value for parameter in parameters if parameter.type == 4
    }
    groups = [
        (parameter.parameter, len(pcf.members(parameter)))
        for parameter in parameters
        if parameter.type == 20
    ]
    assert groups == [(8011, 22)] * 16
    longs = [
        parameter for parameter in parameters if parameter.type == 25 and parameter.parameter == 703
    ]
    assert len(longs) == 16
    assert all(
        isinstance(parameter.value, tuple) and len(parameter.value) == 2 for parameter in longs
    )
