"""The field `damage`: shown as a condition sees it, and compared only with what it can be."""

from __future__ import annotations

import pytest

from mqtriage.messages.filters.fields import FIELDS, spec_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.message import Message
from tests.acceptance.messages.estate import Estate
from tests.support.scale import for_all

BODIES = {
    "json": (b'{"a": 1', 1208),
    "xml": (b"<a><b></a>", 1208),
    "text": (b"\xff\xfe\xff", 1208),
    "ccsid": ("Rückläufer der Buchung".encode(), 37),
    None: (b'{"a": 1}', 1208),
}


def test_show_and_listings_have_what_the_condition_saw(estate: Estate) -> None:
    for word, (body, ccsid) in BODIES.items():
        estate.put("IN", body, format="MQSTR", ccsid=ccsid)
        where = "damage IS NULL" if word is None else f"damage = '{word}'"
        (listed,) = estate.run("msg", "browse", "IN", "--where", where, "-o", "json").json["items"]
        assert (listed["damage"], listed["damages"]) == (word, []), word
        shown = estate.run("msg", "show", "IN", listed["msg_id"])
        lines = [line.split() for line in shown.out.splitlines()]
        assert ["damage", word or "-"] in lines
        assert "damages" not in [line[0] for line in lines if line]
        archived = estate.folder / f"{word}.ndjson"
        estate.run("msg", "archive", "IN", "--where", where, "--out", str(archived))
        (kept,) = estate.run("archive", "ls", str(archived), "-o", "json").json["items"]
        assert kept["damage"] == word
    table = estate.run("msg", "browse", "IN", "--columns", "damage")
    assert table.out.split()[1:] == [str(word or "-") for word in BODIES]


def test_a_header_that_cannot_be_read_is_in_damage_and_in_damages(estate: Estate) -> None:
    estate.put("IN", b"RFH \0\0\0\2", format="MQHRF2")
    (listed,) = estate.run("msg", "browse", "IN", "-o", "json").json["items"]
    assert (listed["damage"], len(listed["damages"])) == ("MQRFH2", 1)
    assert "damages" in estate.run("msg", "show", "IN").out


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ("damage = 'jsn'", "did you mean 'json'?"),
        ("damage <> 'JSON'", "did you mean 'json'?"),
        ("NOT damage IN ('xml', 'jsn')", "did you mean 'json'?"),
        ("damage LIKE 'MQRFH3%'", "did you mean 'MQRFH'"),
        ("damage CONTAINS 'RFH2 '", "did you mean 'MQRFH2'"),
        ("damage = ''", "or damage IS NULL"),
        ("body_kind = 'jsn'", "did you mean 'json'?"),
        ("body_kind = 'qq'", "one of json, xml, text, binary, empty, or body_kind IS NULL"),
    ],
)
def test_a_value_that_a_field_never_holds_is_refused(estate: Estate, where: str, hint: str) -> None:
    ran = estate.run("msg", "browse", "IN", "--where", where)
    assert ran.code == 2
    assert hint in ran.err, ran.err


@pytest.mark.parametrize(
    "where",
    [
        "damage LIKE 'MQ%'", "damage LIKE '_son'", "damage CONTAINS 'RFH'", "damage > 'k'",
        "damage MATCHES 'jsn'", "NOT damage IN ('xml', 'MQDLH')", "body_kind <> 'json'",
        "format = 'MQSTRING'", "format <> 'jsn'",
    ],
)  # fmt: skip
def test_other_conditions_are_as_they_were(estate: Estate, where: str) -> None:
    assert estate.run("msg", "browse", "IN", "--where", where).code == 0


@for_all([*sorted(HEADER_FORMATS), "", "MQSTR", "MYFMT"])
def test_damage_is_never_another_word_than_a_condition_accepts(form: str) -> None:
    known = spec_of("damage").values
    struc_ids = (b"DDH ", b"RFH ", b"DLH ", b"XQH ", b"MDE ", b"TM  ", b"CIH ", b"IIH ", b"WIH ")
    for struc_id in (*struc_ids, b"DH  ", b"EPH ", b"RMH ", b"", b"<", b"{"):
        for version in (b"\0\0\0\1", b"\2\0\0\0"):
            for rest in (b"", b"\0" * 3, b"\0" * 500, b"\xff" * 60, b"\0\0\0\x24" * 40):
                body = struc_id + version + rest
                for data in (body, struc_id, b""):
                    md = MQMD(format=form, encoding=273, ccsid=1208)
                    word = Subject(Message(md, data, len(data))).headers.damage
                    assert word is None or word in known, (struc_id, rest)


def test_the_fields_with_a_closed_set_of_texts_are_known() -> None:
    assert {spec.name for spec in FIELDS if spec.values} == {"damage", "body_kind"}
