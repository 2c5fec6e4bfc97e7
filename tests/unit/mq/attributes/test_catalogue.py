"""The attribute tables: selectors equal to IBM's, every queue selector known, values checked."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mqtriage.mq import cmqc, cmqcfc, cmqxc
from mqtriage.mq.attributes.catalogue import (
    KINDS,
    Attribute,
    ValueKind,
    attribute,
    attributes_of,
    defaults,
    from_number,
    parse_value,
    platform_of,
    render,
    to_number,
)
from mqtriage.mq.attributes.levels import are_known, level_of
from mqtriage.mq.errors import UsageError
from mqtriage.mq.name_table import numbers

NOT_A_SETTABLE_QUEUE_ATTRIBUTE = {
    "MQIA_CLUSTER_Q_TYPE": "TYPE of a cluster queue, which the repository holds",
    "MQIA_PAGESET_ID": "DISPLAY only, follows from STGCLASS",
    "MQIA_HIGH_Q_DEPTH": "RESET QSTATS reply",
    "MQIA_MSG_ENQ_COUNT": "RESET QSTATS reply",
    "MQIA_MSG_DEQ_COUNT": "RESET QSTATS reply",
    "MQIA_TIME_SINCE_RESET": "RESET QSTATS reply",
    "MQIA_MONITOR_INTERVAL": "reserved",
    "MQIA_Q_USERS": "reserved",
    "MQIA_MAX_OPEN_Q": "reserved",
    "MQIA_MAX_Q_TRIGGERS": "reserved",
    "MQIA_TRIGGER_RESTART": "reserved",
    "MQCA_TRIGGER_CHANNEL_NAME": "TXSeries",
    "MQCA_TRIGGER_PROGRAM_NAME": "TXSeries",
    "MQCA_TRIGGER_TERM_ID": "TXSeries",
    "MQCA_TRIGGER_TRANS_ID": "TXSeries",
    "MQCA_BASE_Q_NAME": "the older name of MQCA_BASE_OBJECT_NAME",
    "MQCA_CLUSTER_Q_MGR_NAME": "of a cluster queue",
    "MQCA_CLUSTER_DATE": "of a cluster queue",
    "MQCA_CLUSTER_TIME": "of a cluster queue",
    "MQCA_COMMAND_INPUT_Q_NAME": "of the queue manager",
    "MQCA_COMMAND_REPLY_Q_NAME": "reserved",
    "MQCA_SYSTEM_LOG_Q_NAME": "reserved",
    "MQCA_MONITOR_Q_NAME": "reserved",
    "MQCA_DEAD_LETTER_Q_NAME": "of the queue manager",
    "MQCA_DEF_XMIT_Q_NAME": "of the queue manager",
    "MQCA_MODEL_DURABLE_Q": "of a topic",
    "MQCA_MODEL_NON_DURABLE_Q": "of a topic",
    "MQIA_SHARED_Q_Q_MGR_NAME": "of the queue manager",
    "MQIA_USE_DEAD_LETTER_Q": "of channels and topics",
    "MQIA_DEF_CLUSTER_XMIT_Q_TYPE": "of the queue manager",
    "MQCA_Q_MGR_NAME": "of the queue manager",
    "MQCA_Q_MGR_DESC": "of the queue manager",
    "MQCA_Q_MGR_IDENTIFIER": "of the queue manager",
}
QUEUE_WORDS = ("_Q_", "QUEUE", "TRIGGER_", "BACKOUT", "INHIBIT_GET", "INHIBIT_PUT", "CLWL_Q")


def known(kind: str, keyword: str) -> Attribute:
    entry = attribute(kind, keyword)
    assert entry is not None
    return entry


def ibm_constants() -> dict[str, object]:
    """Numbers of the `ibmmq` wheel, read by path: importing the package needs the MQ library."""
    spec = importlib.util.find_spec("ibmmq")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the ibmmq wheel is not installed (extra `dev`), its numbers are not compared")
    folder = Path(next(iter(spec.submodule_search_locations)))
    names: dict[str, object] = {}
    for file in ("_CMQC_linux_x64.py", "CMQCFC.py"):
        exec((folder / file).read_text("utf-8"), names)
    return names


def all_attributes() -> list[Attribute]:
    by_id = {id(a): a for kind in KINDS for a in attributes_of(kind)}
    by_id.update({id(a): a for a in attributes_of("QTYPE")})
    return list(by_id.values())


def test_every_selector_has_the_number_of_the_mq_header_files() -> None:
    ibm = ibm_constants()
    wrong = {
        a.selector_name: (a.selector, ibm.get(a.selector_name))
        for a in all_attributes()
        if a.selector_name and ibm.get(a.selector_name) != a.selector
    }
    assert wrong == {}


def test_every_selector_that_names_a_queue_is_in_the_table_or_left_out_with_a_reason() -> None:
    ibm = ibm_constants()
    ours = {a.selector_name for a in all_attributes()}
    queue_like = {
        name
        for name in ibm
        if name.startswith(("MQIA_", "MQCA_")) and any(word in f"{name}_" for word in QUEUE_WORDS)
    }
    assert queue_like - ours - set(NOT_A_SETTABLE_QUEUE_ATTRIBUTE) == set()
    assert set(NOT_A_SETTABLE_QUEUE_ATTRIBUTE) <= set(ibm), "the list names an unknown selector"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("platform", ["dist", "zos"])
def test_every_default_is_a_value_that_its_attribute_allows(kind: str, platform: str) -> None:
    where = platform_of("MVS") if platform == "zos" else platform_of("UNIX")
    for keyword, value in defaults(kind, where).items():
        assert parse_value(known(kind, keyword), str(value)) == value, keyword


@pytest.mark.parametrize("kind", KINDS)
def test_no_keyword_stands_twice_in_one_kind(kind: str) -> None:
    keywords = [a.keyword for a in attributes_of(kind)]
    assert len(keywords) == len(set(keywords))


@pytest.mark.parametrize(
    ("kind", "keyword", "text", "value", "number"),
    [
        ("QLOCAL", "MAXDEPTH", "5000", 5000, 5000),
        ("QLOCAL", "put", "disabled", "DISABLED", 1),
        ("QLOCAL", "CAPEXPRY", "NOLIMIT", "NOLIMIT", -1),
        ("QLOCAL", "CAPEXPRY", "-1", "NOLIMIT", -1),
        ("QLOCAL", "MAXFSIZE", "DEFAULT", "DEFAULT", -1),
        ("QLOCAL", "DEFSOPT", "EXCL", "EXCL", 4),
        ("QLOCAL", "MONQ", "MEDIUM", "MEDIUM", 33),
        ("QALIAS", "TARGTYPE", "TOPIC", "TOPIC", 8),
        ("QMGR", "EXPRYINT", "OFF", "OFF", 0),
        ("QMGR", "EXPRYINT", "300", 300, 300),
        ("QMGR", "SUITEB", "128_BIT,192_BIT", "128_BIT,192_BIT", 6),
        ("TOPIC", "NPMSGDLV", "ALLAVAIL", "ALLAVAIL", 3),
        ("CHANNEL", "COMPMSG", "ZLIBHIGH, ZLIBFAST", "ZLIBHIGH,ZLIBFAST", 6),
    ],
)
def test_a_value_is_read_and_has_its_number(
    kind: str, keyword: str, text: str, value: int | str, number: int
) -> None:
    entry = known(kind, keyword)
    assert parse_value(entry, text) == value
    assert to_number(entry, value) == number
    if entry.kind is not ValueKind.WORDS:
        assert from_number(entry, number) == value


@pytest.mark.parametrize(
    ("kind", "keyword", "text", "message"),
    [
        ("QLOCAL", "MAXDEPTH", "1000000000", "MAXDEPTH(1000000000): allowed 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "-1", "MAXDEPTH(-1): allowed 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "", "MAXDEPTH(): allowed 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "1" * 5000, None),
        ("QLOCAL", "CAPEXPRY", "0", "CAPEXPRY(0): allowed NOLIMIT or 1 to 999999999"),
        ("QLOCAL", "MAXMSGL", "104857601", "MAXMSGL(104857601): allowed 0 to 104857600"),
        ("QLOCAL", "PUT", "OFF", "PUT(OFF): allowed ENABLED, DISABLED"),
        ("QLOCAL", "NPMCLASS", "hish", "NPMCLASS(hish): allowed NORMAL, HIGH"),
        ("QLOCAL", "BOQNAME", "A" * 49, "BOQNAME: 49 characters, allowed 48"),
        ("QLOCAL", "BOQNAME", "A B", "BOQNAME(A B): ' ' is not allowed in a name"),
        ("QLOCAL", "DESCR", "x" * 65, "DESCR: 65 characters, allowed 64"),
        ("QLOCAL", "SHARE", "MAYBE", "SHARE takes no value: write SHARE or NOSHARE"),
        ("TOPIC", "DEFPRTY", "10", "DEFPRTY(10): allowed ASPARENT or 0 to 9"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(
    kind: str, keyword: str, text: str, message: str | None
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_value(known(kind, keyword), text)
    if message is not None:
        assert caught.value.text == message


@pytest.mark.parametrize(
    ("keyword", "value", "text"),
    [
        ("BOQNAME", "ORDERS.BO", "BOQNAME('ORDERS.BO')"),
        ("BOQNAME", "", "BOQNAME(' ')"),
        ("DESCR", "Ann's queue", "DESCR('Ann''s queue')"),
        ("SHARE", "NO", "NOSHARE"),
        ("TRIGGER", "YES", "TRIGGER"),
        ("MAXDEPTH", 5000, "MAXDEPTH(5000)"),
        ("CAPEXPRY", "NOLIMIT", "CAPEXPRY(NOLIMIT)"),
    ],
)
def test_an_attribute_is_written_as_mqsc(keyword: str, value: int | str, text: str) -> None:
    assert render(known("QLOCAL", keyword), value) == text


def test_an_insert_is_a_name_whose_length_is_not_known() -> None:
    assert parse_value(known("CHANNEL", "CLUSTER"), "+AUTOCL+") == "+AUTOCL+"


def test_the_old_keyword_targq_finds_target() -> None:
    assert known("QALIAS", "targq").keyword == "TARGET"


def test_the_negative_form_of_a_switch_finds_the_switch() -> None:
    assert known("QLOCAL", "NOHARDENBO").keyword == "HARDENBO"


def test_boqueue_is_no_attribute_although_two_ibm_pages_print_it() -> None:
    assert attribute("QLOCAL", "BOQUEUE") is None


def test_a_local_queue_has_the_display_order_of_a_real_listing() -> None:
    listing = (
        "ACCTQ ALTDATE ALTTIME BOQNAME BOTHRESH CLUSNL CLUSTER CLCHNAME CLWLPRTY CLWLRANK CLWLUSEQ "
        "CRDATE CRTIME CURDEPTH CUSTOM DEFBIND DEFPRTY DEFPSIST DEFPRESP DEFREADA DEFSOPT DEFTYPE "
        "DESCR DISTL GET HARDENBO INITQ IPPROCS MAXDEPTH MAXMSGL MONQ MSGDLVSQ TRIGGER NPMCLASS "
        "OPPROCS PROCESS PUT PROPCTL QDEPTHHI QDEPTHLO QDPHIEV QDPLOEV QDPMAXEV QSVCIEV QSVCINT "
        "RETINTVL SCOPE SHARE STATQ TRIGDATA TRIGDPTH TRIGMPRI TRIGTYPE USAGE"
    )
    seen_in_75 = listing.split()
    ours = [a.keyword for a in attributes_of("QLOCAL", "dist")]
    assert [word for word in ours if word in seen_in_75] == seen_in_75


def test_storage_class_and_index_type_are_of_zos_only() -> None:
    on_dist = {a.keyword for a in attributes_of("QLOCAL", "dist")}
    on_zos = {a.keyword for a in attributes_of("QLOCAL", "zos")}
    assert {"STGCLASS", "INDXTYPE", "QSGDISP", "CFSTRUCT"} & on_dist == set()
    assert {"STGCLASS", "INDXTYPE", "QSGDISP", "CFSTRUCT"} <= on_zos
    assert "MAXFSIZE" not in on_zos


def test_defaults_differ_where_the_platforms_do() -> None:
    dist, zos = defaults("QLOCAL", "dist"), defaults("QLOCAL", "zos")
    assert (dist["DEFSOPT"], zos["DEFSOPT"]) == ("SHARED", "EXCL")
    assert (dist["MAXDEPTH"], zos["MAXDEPTH"]) == (5000, 999_999_999)
    assert defaults("QMODEL")["DEFTYPE"] == "TEMPDYN"
    assert dist["DEFTYPE"] == "PREDEFINED"


def test_queue_manager_defaults_are_those_of_ibm() -> None:
    dist = defaults("QMGR", "dist")
    assert dist["MAXMSGL"] == 4_194_304
    assert dist["MAXUMSGS"] == 10_000
    assert dist["MARKINT"] == 5000
    assert dist["TRIGINT"] == 999_999_999
    assert dist["DEADQ"] == ""
    assert "EXPRYINT" not in dist
    assert defaults("QMGR", "zos")["EXPRYINT"] == "OFF"


STARTED_BY = {"QMGR": cmqc.MQSVC_CONTROL_Q_MGR, "STARTONLY": cmqc.MQSVC_CONTROL_Q_MGR_START,
              "MANUAL": cmqc.MQSVC_CONTROL_MANUAL}  # fmt: skip
TRANSPORTS = {"LU62": cmqxc.MQXPT_LU62, "TCP": cmqxc.MQXPT_TCP}
PROTOCOLS = {"NONE": cmqxc.MQSECPROT_NONE, "TLSV12": cmqxc.MQSECPROT_TLSV12,
             "TLSV13": cmqxc.MQSECPROT_TLSV13}  # fmt: skip
UNITS = {"NONE": cmqcfc.MQUOWST_NONE, "ACTIVE": cmqcfc.MQUOWST_ACTIVE,
         "PREPARED": cmqcfc.MQUOWST_PREPARED}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "keyword", "expected"),
    [
        ("LISTENER", "CONTROL", STARTED_BY),
        ("LSSTATUS", "CONTROL", STARTED_BY),
        ("SERVICE", "CONTROL", STARTED_BY),
        ("CONN", "UOWSTATE", UNITS),
        ("CHANNEL", "TRPTYPE", TRANSPORTS),
        ("LISTENER", "TRPTYPE", TRANSPORTS),
        ("LSSTATUS", "TRPTYPE", TRANSPORTS),
        ("CHSTATUS", "SECPROT", PROTOCOLS),
    ],
)
def test_words_have_the_numbers_of_ibms_constants(
    kind: str, keyword: str, expected: dict[str, int]
) -> None:
    entry = attribute(kind, keyword)
    assert entry is not None
    assert {word: entry.words[word] for word in expected} == expected


def test_every_bothresh_of_the_range_is_allowed() -> None:
    entry = known("QLOCAL", "BOTHRESH")
    assert [parse_value(entry, text) for text in ("0", "1", "999999999")] == [0, 1, 999_999_999]


def test_text_has_no_number() -> None:
    with pytest.raises(UsageError, match="BOQNAME is text"):
        to_number(known("QLOCAL", "BOQNAME"), "X")


@pytest.mark.parametrize(
    ("keyword", "since"),
    [("STREAMQ", "9.2.3"), ("STRMQOS", "9.2.3"), ("MAXFSIZE", "9.1.5"), ("CAPEXPRY", "9.4")],
)
def test_an_attribute_is_known_since_the_release_that_brought_it(keyword: str, since: str) -> None:
    """The marks of the release in IBM MQ documentation, "DEFINE queues"."""
    level = level_of(since)
    assert level is not None
    assert are_known([keyword], level)
    assert not are_known(["MAXDEPTH", keyword], level - 1)
    assert are_known([keyword], None)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("QLOCAL", {"DEFPRESP": "SYNC", "DEFPSIST": "NO", "DEFREADA": "NO", "BOTHRESH": 0,
                    "CAPEXPRY": "NOLIMIT", "SHARE": "YES", "NPMCLASS": "NORMAL"}),
        ("QMODEL", {"DEFPRESP": "SYNC", "BOTHRESH": 0, "BOQNAME": "", "DEFTYPE": "TEMPDYN"}),
        ("QALIAS", {"DEFPRESP": "SYNC", "DEFBIND": "OPEN", "CAPEXPRY": "NOLIMIT"}),
        ("CHANNEL", {"SHARECNV": 10, "SSLCAUTH": "REQUIRED", "NPMSPEED": "FAST", "HBINT": 300,
                     "MAXINST": 999999999, "MAXINSTC": 999999999, "PUTAUT": "DEF"}),
    ],
)  # fmt: skip
def test_a_new_object_has_the_values_that_ibm_supplies(
    kind: str, expected: dict[str, int | str]
) -> None:
    """IBM MQ documentation, "DEFINE queues" and "DEFINE CHANNEL": the defaults supplied."""
    values = defaults(kind)
    assert {keyword: values[keyword] for keyword in expected} == expected


@pytest.mark.parametrize(
    ("kind", "keyword", "value", "constant"),
    [
        ("CHANNEL", "NPMSPEED", "FAST", "MQNPMS_FAST"),
        ("CHANNEL", "SSLCAUTH", "REQUIRED", "MQSCA_REQUIRED"),
        ("CHANNEL", "PUTAUT", "CTX", "MQPA_CONTEXT"),
        ("QSTATUS", "MONQ", "LOW", "MQMON_LOW"),
        ("QSTATUS", "MONQ", "HIGH", "MQMON_HIGH"),
        ("LSSTATUS", "STATUS", "RUNNING", "MQSVC_STATUS_RUNNING"),
        ("LSSTATUS", "STATUS", "STARTING", "MQSVC_STATUS_STARTING"),
        ("QLOCAL", "DEFSOPT", "EXCL", "MQOO_INPUT_EXCLUSIVE"),
        ("QLOCAL", "DEFPRESP", "ASYNC", "MQPRT_ASYNC_RESPONSE"),
    ],
)
def test_a_word_is_the_constant_of_ibms_headers(
    kind: str, keyword: str, value: str, constant: str
) -> None:
    entry = attribute(kind, keyword)
    assert entry is not None
    assert to_number(entry, value) == numbers()[constant]
