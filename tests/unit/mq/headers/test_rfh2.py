"""MQRFH2: folders, typed properties, damage on one folder, the headers that JMS writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.folder_xml import Property, changed_folder, parse_folder
from mqtriage.mq.headers.layout import Damage, Following
from mqtriage.mq.headers.rfh2 import RFH2
from tests.support.timing import shortest_s

_MQSTR = Following("MQSTR", 546, 819)


def _header(*folders: bytes, tail: bytes = b"", ccsid: int = 1208, length: int = 0) -> bytes:
    """An MQRFH2 as the documentation lays it out, big-endian, built by hand."""
    rest = b"".join(len(folder).to_bytes(4, "big") + folder for folder in folders) + tail
    total = length or 36 + len(rest)
    return (
        b"RFH \0\0\0\2" + total.to_bytes(4, "big") + b"\0\0\1\x11\0\0\4\xb8MQSTR   \0\0\0\0"
        + ccsid.to_bytes(4, "big") + rest
    )  # fmt: skip


def _decoded(data: bytes) -> RFH2:
    header = rfh2.decode(data)
    assert isinstance(header, RFH2)
    return header


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        pytest.param("<a>x</a>", ("string", "x"), id="no-type-is-string"),
        pytest.param('<a dt="string"> x </a>', ("string", " x "), id="blanks-are-kept"),
        pytest.param('<a dt="i4">-17</a>', ("i4", -17), id="i4"),
        pytest.param("<a dt='i8'>9007199254740993</a>", ("i8", 2**53 + 1), id="i8-is-exact"),
        pytest.param('<a dt="boolean">1</a>', ("boolean", True), id="boolean-1"),
        pytest.param('<a dt="boolean">0</a>', ("boolean", False), id="boolean-0"),
        pytest.param('<a dt="r8">1.5e3</a>', ("r8", 1500.0), id="r8"),
        pytest.param('<a dt="bin.hex">00FF</a>', ("bin.hex", b"\0\xff"), id="bytes"),
        pytest.param('<a xsi:nil="true"></a>', ("string", None), id="nil"),
        pytest.param("<a>&lt;&amp;&#x41;</a>", ("string", "<&A"), id="references"),
        pytest.param('<a dt="uuid">7</a>', ("uuid", "7"), id="unknown-type-stays-text"),
        pytest.param("<a></a>", ("string", ""), id="empty"),
    ],
)
def test_a_property_has_the_value_of_its_type(xml: str, expected: tuple[str, object]) -> None:
    folder = parse_folder(f"<usr>{xml}</usr>")
    assert ("usr", (Property("a", *expected),), "") == folder  # type: ignore[arg-type]


def test_groups_give_dotted_names() -> None:
    folder = parse_folder("<usr><g><h>1</h><i>2</i></g><j>3</j></usr>")
    assert [prop.name for prop in folder.properties] == ["g.h", "g.i", "j"]


@pytest.mark.parametrize(
    ("xml", "fault"),
    [
        pytest.param("<usr><a>1</a><b>", "no element found", id="cut"),
        pytest.param("<usr><a>1</a></jms>", "mismatched tag", id="crossed"),
        pytest.param('<usr><a>1</a><b dt="i4">x</b></usr>', "b: 'x' is not of type i4", id="no-i4"),
        pytest.param('<usr><a>1</a><b dt="i4">1_0</b></usr>', "is not of type i4", id="python-int"),
        pytest.param('<usr><a>1</a><b dt="boolean">maybe</b></usr>', "boolean", id="no-boolean"),
        pytest.param("<usr><a>1</a>&b;</usr>", "undefined entity", id="entity"),
        pytest.param("<usr><a>1</a></usr><x/>", "junk after", id="two-roots"),
    ],
)
def test_what_stands_before_the_fault_is_kept(xml: str, fault: str) -> None:
    folder = parse_folder(xml)
    assert fault in folder.wrong
    assert folder.properties[0] == Property("a", "string", "1")


def test_a_document_type_is_refused_so_that_no_entity_can_grow() -> None:
    bomb = '<!DOCTYPE usr [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><usr><p>&b;</p></usr>'
    assert parse_folder(bomb) == ("", (), "it has a DOCTYPE, which is refused")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<usr>" + "<a>" * 300_000, id="deep"),
        pytest.param("<usr>" + "<a>1</a>" * 120_000 + "</usr>", id="wide"),
        pytest.param("<usr><" + "n" * 500_000 + ">" + "<a/>" * 120_000, id="long-name"),
        pytest.param("<usr><" + "n" * 4000 + ">" + "<a/>" * 250_000, id="repeated-long-name"),
        pytest.param('<usr><a dt="i4">' + "9" * 1_000_000 + "</a></usr>", id="long-number"),
        pytest.param("<usr><a>" + "&lt;" * 250_000 + "</a></usr>", id="many-pieces"),
        pytest.param('<usr><a x="' + "y" * 1_000_000 + '"/></usr>', id="long-attribute"),
    ],
)
def test_a_folder_of_a_megabyte_is_read_or_refused_at_once(text: str) -> None:
    assert shortest_s(lambda: parse_folder(text), 2) < 2


@pytest.mark.parametrize(
    ("length", "fault"), [(4095, ""), (4096, "a property name is longer than 4095 characters")]
)
def test_a_dotted_name_has_the_length_that_mq_allows(length: int, fault: str) -> None:
    name = "n" * length
    assert fault == parse_folder(f"<usr><{name}>1</{name}></usr>").wrong


def test_deep_nesting_is_told() -> None:
    assert parse_folder("<a>" * 65).wrong == "its elements are nested deeper than 64"


def test_a_broken_folder_is_a_damage_and_the_others_are_read() -> None:
    data = _header(
        b"<mcd><Msd>jms_text</Msd></mcd>", b"<usr><a>1</b></usr>", b"<jms><Dst>q</Dst></jms>"
    )
    header = _decoded(data)
    assert [folder.name for folder in header.folders] == ["mcd", "usr", "jms"]
    wrong = "MQRFH2 folder at offset 70: not well-formed XML: mismatched tag at byte 11"
    assert (Damage(70, wrong),) == header.damages


def test_a_folder_length_beyond_the_header_ends_the_folders_not_the_header() -> None:
    data = _header(b"<mcd></mcd>", tail=b"\x7f\xff\xff\xff<usr>")
    header = _decoded(data)
    assert [damage.text for damage in header.damages] == [
        "MQRFH2 folder at offset 51: length 2147483647, 5 bytes left in it"
    ]
    assert len(data) == header.length
    assert data == rfh2.encode(header)


@pytest.mark.parametrize("length", [6, 9, -1])
def test_a_folder_ends_inside_its_header_not_in_the_body(length: int) -> None:
    data = _header(tail=length.to_bytes(4, "big", signed=True) + b"<usr>")
    header = _decoded(data + b"body")
    assert header.folders == ()
    assert f"length {length}, 5 bytes left in it" in header.damages[0].text
    assert data == rfh2.encode(header)


@pytest.mark.parametrize(
    ("length", "problem"),
    [
        (2**31 - 1, "StrucLength 2147483647 exceeds the 47 bytes left"),
        (0xFFFFFFFF, "StrucLength -1 is below its fixed 36 bytes"),
        (35, "StrucLength 35 is below its fixed 36 bytes"),
    ],
)
def test_a_wrong_structure_length_is_a_damage(length: int, problem: str) -> None:
    damage = rfh2.decode(b"12345" + _header(b"<a>1234</a>"[:7], length=length), 5)
    assert Damage(5, f"MQRFH2 at offset 5: {problem}") == damage


def test_a_name_value_ccsid_not_known_is_told_and_the_bytes_are_kept() -> None:
    header = _decoded(_header(b"<a></a>", ccsid=9999))
    assert header.folders[0] == ("", b"<a></a>", "", ())
    assert [damage.text for damage in header.damages] == [
        "MQRFH2 folder at offset 36: NameValueCCSID 9999 is not known here"
    ]


@pytest.mark.parametrize("ccsid", [1200, 13488, 17584])
def test_utf_16_folders_are_read_in_the_byte_order_of_the_header(ccsid: int) -> None:
    text = "<usr><n>Žluťoučký</n></usr>"
    header = _decoded(_header(text.encode("utf-16-be"), ccsid=ccsid))
    assert rfh2.properties([header]) == {"n": "Žluťoučký"}


def test_of_two_properties_with_one_name_the_first_counts() -> None:
    one = _decoded(_header(b"<jms><Dst>first</Dst></jms>", b"<usr><a>1</a></usr>"))
    two = _decoded(_header(b"<jms><Dst>second</Dst></jms>", b"<usr><a>2</a><b>3</b></usr>"))
    assert rfh2.properties([one, two]) == {"jms.Dst": "first", "a": "1", "b": "3"}


def test_changing_a_field_keeps_the_padding_of_all_others() -> None:
    data = bytearray(_header(b"<a>1</a>\0\0\0"))
    data[20:28] = b"MQSTR\0zz"
    header = _decoded(bytes(data))
    assert header.format == "MQSTR"
    changed = rfh2.encode(replace(header, flags=7))
    assert data[:28] + b"\0\0\0\7" + data[32:] == changed


def test_a_jms_text_message_is_written_as_jms_clients_write_it() -> None:
    header = rfh2.build_jms(
        "jms_text",
        "queue:///DEV.QUEUE.1",
        Following("MQSTR", 273, 1208),
        put_time_ms=1571328167362,
    )
    data = rfh2.encode(header)
    assert 156 == len(data) == header.length  # the length a real client's header had
    assert data[36:68] == b"\0\0\0\x20<mcd><Msd>jms_text</Msd></mcd>  "[:32]
    assert b"<jms><Dst>queue:///DEV.QUEUE.1</Dst><Tms>1571328167362</Tms><Dlv>2</Dlv></jms>" in data


@pytest.mark.seed("PM-66", "PM-67", "PM-68")
def test_a_header_added_to_a_poison_message_describes_the_old_body() -> None:
    data = rfh2.encode(rfh2.build([("mcd", {"Msd": "jms_text"})], _MQSTR)) + b"body"
    header = _decoded(data)
    assert header.following == _MQSTR
    assert (header.order, header.name_value_ccsid, data[header.length :]) == (">", 1208, b"body")


def test_application_properties_are_written_with_their_types() -> None:
    values: dict[str, rfh2.Value] = {
        "text": "a<b>&c",
        "number": 7,
        "long": 2**40,
        "yes": True,
        "real": 0.5,
        "bytes": b"\1\xab",
        "nothing": None,
    }
    header = rfh2.build([("usr", values)], _MQSTR)
    assert values == rfh2.properties([_decoded(rfh2.encode(header))])
    assert [prop.type for prop in header.folders[0].properties] == [
        "string",
        "i4",
        "i8",
        "boolean",
        "r8",
        "bin.hex",
        "string",
    ]


@pytest.mark.parametrize("values", [{"a b": "1"}, {"a": "\1"}, {"": "1"}])
def test_a_property_that_cannot_stand_in_xml_is_refused(values: dict[str, rfh2.Value]) -> None:
    with pytest.raises(UsageError, match="MQRFH2 folder usr cannot be written"):
        rfh2.build([("usr", values)], _MQSTR)


NAMES = st.sampled_from(["a", "b", "color", "ab"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=12)
BOOLEANS = {"0": False, "1": True} | dict.fromkeys(("false", "FALSE"), False)
BOOLEANS |= dict.fromkeys(("true", "TRUE"), True)


@given(
    st.dictionaries(NAMES, st.one_of(TEXTS, st.booleans())),
    st.dictionaries(NAMES, st.one_of(TEXTS, st.none(), st.sampled_from(sorted(BOOLEANS)))),
    st.sampled_from([">", "<"]),
)
def test_properties_that_change_are_those_that_are_named(
    there: dict[str, str | bool], changes: dict[str, str | None], order: str
) -> None:
    given_folders = [("mcd", {"Msd": "jms_text"}), ("usr", there), ("other", {"x": "<&>"})]
    header = rfh2.build(given_folders, Following("MQSTR", 273, 1208), order=order)  # type: ignore[arg-type]
    md = MQMD(format="MQHRF2", ccsid=1208, encoding=273 if order == ">" else 546)
    data = rfh2.encode(header) + b"body"
    typed = {name for name, value in changes.items() if isinstance(there.get(name), bool)}
    if any(changes[name] not in (None, *BOOLEANS) for name in typed):
        with pytest.raises(UsageError, match="is not of type boolean"):
            rfh2.with_properties(md, data, changes)
        return
    new_md, new = rfh2.with_properties(md, data, changes)
    after = rfh2.decode(new, 0, order)  # type: ignore[arg-type]
    assert isinstance(after, RFH2)
    assert (new_md, new[after.length :], after.damages) == (md, b"body", ())
    values = {prop.name: prop.value for prop in after.folder("usr").properties}  # type: ignore[union-attr]
    wanted_values = {**there, **{n: v for n, v in changes.items() if v is not None}}
    for name, value in changes.items():
        if value is None:
            wanted_values.pop(name, None)
        elif name in typed:
            wanted_values[name] = BOOLEANS[value]
    assert values == wanted_values
    assert [f for f in after.folders if f.name != "usr"] == [
        f for f in header.folders if f.name != "usr"
    ]
    assert rfh2.with_properties(md, data, {})[1] == data


def test_without_a_change_even_a_damaged_header_stays_as_it_is() -> None:
    md = MQMD(format="MQHRF2", ccsid=1208, encoding=273)
    assert rfh2.with_properties(md, b"RFH no header", {}) == (md, b"RFH no header")
    with pytest.raises(UsageError):
        rfh2.with_properties(md, b"RFH no header", {"a": "1"})


def test_attributes_of_a_property_and_groups_stay() -> None:
    text = "<usr><a dt='i2' support='1'>1</a><g><a>in</a></g><b/><a>again</a></usr>"
    new, wrong = changed_folder(text, {"a": "5", "b": "x", "c": None})
    assert (new, wrong) == (
        "<usr><a dt='i2' support='1'>5</a><g><a>in</a></g><b>x</b></usr>", "",
    )  # fmt: skip
    assert changed_folder(text, {"a": "five"}) == (text, "property a: 'five' is not of type i2")


@pytest.mark.parametrize(
    ("uri", "queue"),
    [
        ("queue:///ORDERS.IN", "ORDERS.IN"),
        ("queue://QM1/ORDERS.IN?targetClient=1", "ORDERS.IN"),
        ("queue:///ORDERS/IN", "ORDERS/IN"),
        ("queue://QM1/", None),
        ("topic://ORDERS/IN", None),
    ],
)
def test_a_jms_destination_names_its_queue(uri: str, queue: str | None) -> None:
    assert rfh2.destination_queue(uri) == queue
