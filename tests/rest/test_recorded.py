"""What real web servers of IBM answered, as their clients recorded it, is understood.

Shapes and ids are theirs, names and texts are ours (IBM MQ documentation; fixtures of clients).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from mqtriage.backends.rest.commands import lines_of
from mqtriage.backends.rest.messages import properties_in, property_text
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import ConnectionFailed, NotAuthorized, ObjectNotFound, Refused
from mqtriage.mq.headers.folder_xml import Property
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from tests.rest.conftest import Asked, Says, Scripted, in_json

ID = "414d51204d5151202020202020202020" + "a1b2c3d4e5f60718"


def command_response(*elements: Mapping[str, object], code: int = 0, reason: int = 0) -> Says:
    return in_json(
        {
            "commandResponse": [{"completionCode": 0, "reasonCode": 0, **one} for one in elements],
            "overallCompletionCode": code,
            "overallReasonCode": reason,
        }
    )


def test_queues_in_json_with_numbers_words_and_switches(scripted: Scripted) -> None:
    local = {"queue": "A.B", "type": "QLOCAL", "curdepth": 10, "maxdepth": 5000, "get": "ENABLED",
             "descr": "orders, (new)", "share": "YES", "nohardenbo": "YES", "trigger": "",
             "boqname": "", "ipprocs": 1, "capexpry": "NOLIMIT", "of.later": 1}  # fmt: skip
    cluster = {"queue": "C", "type": "QCLUSTER", "descr": ""}
    alias = {"queue": "A.A", "type": "QALIAS", "target": "A.B", "targtype": "QUEUE"}
    scripted.say(command_response(*({"parameters": one} for one in (local, cluster, alias))))
    first, second = scripted.backend().queues("A.*")
    assert (first.name, first.kind, first.attributes["TARGET"]) == ("A.A", "QALIAS", "A.B")
    assert (second.name, second.kind) == ("A.B", "QLOCAL")
    assert dict(second.attributes) == {
        "MAXDEPTH": 5000, "GET": "ENABLED", "DESCR": "orders, (new)", "SHARE": "YES",
        "HARDENBO": "NO", "TRIGGER": "YES", "BOQNAME": "", "CAPEXPRY": "NOLIMIT",
    }  # fmt: skip
    assert scripted.asked[-1].json == {
        "type": "runCommandJSON",
        "command": "display",
        "qualifier": "queue",
        "name": "A.*",
        "responseParameters": ["all"],
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [("YES", "YES"), ("", "YES"), (True, "YES"), ("NO", "NO"), (False, "NO")],
)
def test_a_switch_in_whatever_form(scripted: Scripted, value: object, expected: str) -> None:
    scripted.say(command_response({"parameters": {"queue": "A", "type": "QLOCAL", "share": value}}))
    assert scripted.backend().queue("A").attributes == {"SHARE": expected}


def test_an_unknown_object_is_2085_whatever_the_overall_reason_says(scripted: Scripted) -> None:
    missing = {
        "completionCode": 2,
        "reasonCode": 2085,
        "message": ["AMQ8147E: IBM MQ object A.NONE not found."],
    }
    backend = scripted.backend()
    scripted.say(command_response(missing, code=2, reason=3008), command_response(missing, code=2))
    with pytest.raises(ObjectNotFound, match=r"2085\): AMQ8147E: IBM MQ object A.NONE not found"):
        backend.queue("A.NONE")
    assert list(backend.queues("A.*")) == []


def test_an_unknown_queue_manager_is_no_connection(scripted: Scripted) -> None:
    document = {"error": [{
        "action": "Name one that is there.", "completionCode": 2, "explanation": "None.",
        "message": "MQWB0009E: Could not query the queue manager 'QM1'.", "msgId": "MQWB0009E",
        "reasonCode": 2058, "type": "rest",
    }]}  # fmt: skip
    scripted.answers = lambda asked: None if "login" in asked.path else in_json(document, 404)
    with pytest.raises(ConnectionFailed, match=r"2058\): MQWB0009E"):
        scripted.backend()


@pytest.mark.parametrize(
    ("status", "ident", "error"),
    [
        (401, "MQWB0105E", NotAuthorized),
        (403, "MQWB0108E", NotAuthorized),
        (403, "MQWB0100E", NotAuthorized),
    ],
)
def test_who_may_not_is_told_by_2035(
    scripted: Scripted, status: int, ident: str, error: type[Exception]
) -> None:
    document = {"error": [{"message": f"{ident}: no.", "msgId": ident, "reasonCode": 0,
                           "completionCode": 0, "type": "rest"}]}  # fmt: skip
    backend = scripted.backend()
    scripted.say(*[in_json(document, status)] * 2)
    with pytest.raises(error, match=f"2035.*{ident}"):
        backend.queue("A")


def test_text_of_objects_has_three_blanks_between_attributes(scripted: Scripted) -> None:
    text = (
        "AMQ8409I: Display Queue details.   QUEUE(A.B)   TYPE(QLOCAL)   BOQNAME( )   CURDEPTH(10)"
        "   DESCR(a (b), :-) and   more)   HARDENBO   MAXDEPTH(5000)   NOSHARE"
    )
    scripted.say(command_response({"text": [text]}))
    script = parse("DISPLAY QLOCAL(A.B) ALL\n")
    reply = scripted.backend().run_mqsc(script, script.commands[0])
    (line,) = reply.lines
    assert (reply.ending, line.id, line.text) == (
        CommandEnding.DONE, "AMQ8409I", "Display Queue details.",
    )  # fmt: skip
    assert dict(line.object or {}) == {
        "QUEUE": "A.B", "TYPE": "QLOCAL", "BOQNAME": "", "CURDEPTH": 10,
        "DESCR": "a (b), :-) and   more", "HARDENBO": "YES", "MAXDEPTH": 5000, "SHARE": "NO",
    }  # fmt: skip
    assert json.loads(scripted.asked[-1].body)["parameters"]["command"] == "DISPLAY QLOCAL(A.B) ALL"


def test_a_syntax_error_in_text(scripted: Scripted) -> None:
    texts = [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "DISPLAY QLOKAL",
    ]
    element = {"completionCode": 2, "reasonCode": 3008, "text": texts}
    scripted.say(command_response(element, code=2, reason=3008))
    script = parse("DISPLAY QLOCAL(A)\n")
    reply = scripted.backend().run_mqsc(script, script.commands[0])
    assert reply.ending is CommandEnding.SYNTAX_ERROR
    assert reply.lines[0].below == ("DISPLAY QLOKAL",)


def test_a_command_of_zos(scripted: Scripted) -> None:
    scripted.answers = lambda asked: (
        command_response({"parameters": {"qmname": "QM1", "platform": "MVS"}})
        if b'"qmgr"' in asked.body
        else command_response(
            {
                "text": [
                    "CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000",
                    "CSQM401I !MQ1 QUEUE(A.B                 ) TYPE(QLOCAL) QSGDISP(QMGR)",
                    "CSQ9022I !MQ1 CSQMDRTS ' DIS QUEUE' NORMAL COMPLETION",
                ]
            }
        )
        if b"mqsc" in asked.path.encode()
        else None
    )
    backend = scripted.backend()
    assert backend.platform == "zos"
    script = parse("DISPLAY QUEUE(A.B)\n")
    reply = backend.run_mqsc(script, script.commands[0])
    assert reply.ending is CommandEnding.DONE
    objects = [dict(line.object) for line in reply.lines if line.object]
    assert [(one["QUEUE"], one["TYPE"]) for one in objects] == [("A.B", "QLOCAL")]


@pytest.mark.parametrize(("uncom", "expected"), [("NO", 0), ("YES", 1), (3, 3), ("2", 2)])
def test_a_status(scripted: Scripted, uncom: object, expected: int) -> None:
    status = {"queue": "A", "type": "QUEUE", "curdepth": 10, "ipprocs": 1, "opprocs": 0,
              "lgetdate": "", "lgettime": "", "lputdate": "", "lputtime": "", "msgage": 42,
              "uncom": uncom, "qtime": [0, 0], "monq": "MEDIUM"}  # fmt: skip
    scripted.say(command_response({"parameters": status}))
    backend = scripted.backend()
    seen = backend.status("A")
    assert seen[:5] == ("A", 10, expected, 1, 0)
    assert seen.oldest_put_time_us is not None
    assert abs(backend.now_us() - 42_000_000 - seen.oldest_put_time_us) < 2_000_000
    assert (seen.last_put_time_us, seen.last_get_time_us) == (None, None)


def test_a_text_is_put_as_version_2_and_3_want_it(scripted: Scripted) -> None:
    created = Says(201, headers=(("ibm-mq-md-messageId", f"ID:{ID}"),))
    md = MQMD(format="MQSTR", ccsid=1208, priority=7, persistence=1, expiry_tenths=600,
              correl_id=bytes(22) + b"\x0a\x01", reply_to_q="R", reply_to_q_mgr="QM2")  # fmt: skip
    scripted.answers = lambda asked: (
        command_response({"parameters": {"queue": "A.B", "type": "QLOCAL"}})
        if b'"queue"' in asked.body
        else created
        if asked.path.endswith("/message")
        else None
    )
    stored = scripted.backend().put1("A.B", md, "Größe".encode())
    assert stored.msg_id.hex() == ID
    asked = scripted.asked[-1]
    assert asked.path == "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/A%2EB/message"
    assert asked.body.decode() == "Größe"
    given = {name: value for name, value in asked.headers.items() if name.startswith("ibm-mq-")}
    assert given == {
        "ibm-mq-rest-csrf-token": "mqtriage",
        "ibm-mq-md-persistence": "persistent",
        "ibm-mq-md-expiry": "60000",
        "ibm-mq-md-correlationid": "ID:" + 44 * "0" + "0a01",
        "ibm-mq-md-priority": "7",
        "ibm-mq-md-replyto": "R@QM2",
    }


def test_a_list_and_its_texts(scripted: Scripted) -> None:
    other = ID[:-1] + "9"
    listed = {"messages": [
        {"messageId": f"ID:{ID}", "format": "MQSTR   ", "correlationId": "order-17"},
        {"messageId": f"ID:{other}", "format": "MQDDH"},
    ]}  # fmt: skip

    def answers(asked: Asked) -> Says | None:
        if "messagelist" in asked.path:
            return in_json(listed)
        if other in asked.path:
            return in_json({"error": [{"msgId": "MQWB0309E", "message": "MQWB0309E: no"}]}, 501)
        if "/message?" in asked.path:
            return Says(200, b"a text", (
                ("Content-Type", "text/plain; charset=utf-8"), ("ibm-mq-md-messageId", f"ID:{ID}"),
                ("ibm-mq-md-correlationId", "order-17"), ("ibm-mq-md-persistence", "persistent"),
                ("ibm-mq-md-expiry", "59950"), ("ibm-mq-md-priority", "7"),
                ("ibm-mq-md-replyTo", "R@QM2"),
                ("ibm-mq-usr", 'colour;"red, or";string, n;3;integer'),
            ))  # fmt: skip
        return None

    scripted.answers = answers
    handle = scripted.backend(shows_messages=True).open("A", cmqc.MQOO_BROWSE)
    text, binary = handle.browse()
    assert (text.body, text.length_bytes, text.md.ccsid, text.md.format) == (
        b"a text", 6, 1208, "MQSTR",
    )  # fmt: skip
    assert (text.md.priority, text.md.persistence, text.md.expiry_tenths) == (7, 1, 600)
    assert text.md.correl_id.rstrip(b"\0") == b"order-17"
    assert [(p.name, p.type, p.value) for p in text.properties] == [
        ("colour", "string", "red, or"), ("n", "i4", 3),
    ]  # fmt: skip
    assert (binary.md.format, binary.md.msg_id.hex()) == ("MQDDH", other)
    assert {"body", "length_bytes", "put_time", "backout_count"} <= binary.untold
    assert {"put_time", "backout_count"} <= text.untold
    assert not {"body", "priority"} & text.untold


@pytest.mark.parametrize("text", ["a", "a;1", 'a;"x;string', ";1;integer", "a;1;integer,,"])
def test_properties_that_cannot_be_read_are_none(text: str) -> None:
    assert properties_in(text) is None


def test_properties_go_there_and_back() -> None:
    given = (Property("a", "string", "x; y, z"), Property("b", "i8", -(2**40)),
             Property("c", "boolean", True), Property("d", "r8", 0.5))  # fmt: skip
    assert properties_in(", ".join(map(property_text, given))) == given
    for value in ('say "no"', "Größe", "a\nb", "back\\slash", None):
        with pytest.raises(Refused, match="does not document"):
            property_text(Property("a", "string", value))


def test_a_message_of_one_line_stays_one() -> None:
    assert list(lines_of("AMQ8006I: IBM MQ queue created.")) == ["AMQ8006I: IBM MQ queue created."]
