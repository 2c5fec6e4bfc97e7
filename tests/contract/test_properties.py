"""Message properties as an MQRFH2, in a handle, or as PROPCTL says: the same ones on each end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mqtriage.backends.client.message_handle import ClientMessageHandle
from mqtriage.backends.port import Backend
from mqtriage.messages.filters.selection import build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.records import message_record
from mqtriage.model.client_settings import PropertyForm
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.operations.selection.selected import selected
from tests.contract.conftest import CLIENTS, End
from tests.support.scale import amount

RFH2 = MQMD(format="MQHRF2", encoding=273, ccsid=1208, persistence=1)

USER = (
    "<usr><Colour>red &amp; green</Colour><Empty></Empty><Größe>çok</Größe>"
    "<Yes dt='boolean'>1</Yes><No dt='boolean'>0</No><Raw dt='bin.hex'>00FF41</Raw>"
    "<I1 dt='i1'>-128</I1><I2 dt='i2'>32767</I2><I4 dt='i4'>-2147483648</I4>"
    "<I8 dt='i8'>9223372036854775807</I8><Int dt='int'>7</Int>"
    "<R4 dt='r4'>1.1</R4><R8 dt='r8'>0.1</R8><Nil xsi:nil='true'></Nil>"
    "<group><inner>deep</inner></group></usr>"
)
JMS = (
    "<mcd><Msd>jms_text</Msd></mcd>",
    "<jms><Dst>queue:///ORDERS.IN</Dst><Tms>1769767200000</Tms><Dlv>2</Dlv></jms>",
)


def header(*folders: str, form: str = "MQSTR") -> bytes:
    rfh2_folders = []
    for text in folders:
        raw = text.encode()
        name = text[1:].partition(">")[0]
        rfh2_folders.append(rfh2.Folder(name, raw + b" " * (-len(raw) % 4), text, ()))
    return rfh2.encode(rfh2.RFH2(273, 1208, form, folders=tuple(rfh2_folders)))


def browsed(end: End, queue: str, form: PropertyForm, length: int | None = None) -> list[Message]:
    backend = end.connect(form)
    try:
        return list(backend.open(queue, cmqc.MQOO_BROWSE).browse(max_length=length))
    finally:
        backend.disconnect()


def told(message: Message) -> list[dict[str, Any]]:
    properties = message_record(message, "Q")["properties"]
    assert isinstance(properties, list)
    return properties


def test_each_type_is_the_same_property_in_a_handle_and_in_an_mqrfh2(
    end: End, backend: Backend
) -> None:
    queue = end.local()
    backend.put1(queue, RFH2, header(*JMS, USER) + b"body")
    (before,), (beside,) = (browsed(end, queue, form) for form in ("rfh2", "handle"))
    assert (before.md.format, before.body) == ("MQHRF2", header(*JMS, USER) + b"body")
    assert (beside.md.format, beside.body, beside.length_bytes) == ("MQSTR", b"body", 4)
    assert told(beside) == told(before)
    by_name = {record["name"]: (record["type"], record["value"]) for record in told(beside)}
    assert by_name["Colour"] == ("string", "red & green")
    assert by_name["Größe"] == ("string", "çok")
    assert (by_name["Yes"], by_name["Raw"]) == (("boolean", True), ("bin.hex", "00FF41"))
    assert (by_name["I1"], by_name["I8"]) == (("i1", -128), ("i8", 2**63 - 1))
    assert (by_name["R4"], by_name["R8"]) == (("r4", 1.1), ("r8", 0.1))
    assert (by_name["Nil"], by_name["group.inner"]) == (("null", None), ("string", "deep"))
    assert by_name["jms.Tms"] == ("string", "1769767200000")
    assert len(by_name) == 19


def test_a_handle_holds_the_properties_of_the_message_got_last(end: End, backend: Backend) -> None:
    queue = end.local()
    long = "x" * 70_000
    many = "".join(f"<p{number}>{number}</p{number}>" for number in range(300))
    bodies = [
        (RFH2, header(f"<usr><Long>{long}</Long><After>1</After></usr>") + b"1"),
        (MQMD(format="MQSTR"), b"without"),
        (RFH2, header(f"<usr>{many}</usr>") + b"3"),
        (RFH2, header("<usr><Only>1</Only></usr>") + b"y" * 100_000),
    ]
    for md, body in bodies:
        backend.put1(queue, md, body)
    beside = browsed(end, queue, "handle")
    assert [len(message.properties) for message in beside] == [2, 0, 300, 1]
    assert beside[0].properties[0].value == long
    assert [message.length_bytes for message in beside] == [1, 7, 1, 100_000]
    assert [told(message) for message in beside] == [
        told(message) for message in browsed(end, queue, "rfh2")
    ]
    cut = browsed(end, queue, "handle", 0)
    assert [(message.body, message.length_bytes) for message in cut] == [
        (b"", message.length_bytes) for message in beside
    ]


def test_a_header_that_holds_no_properties_stays_in_the_data(end: End, backend: Backend) -> None:
    queue = end.local()
    own = header("<usr><a>1</a></usr>", form="MQHRF2") + header("<psc><Command>x</Command></psc>")
    backend.put1(queue, RFH2, own + b"body")
    (beside,) = browsed(end, queue, "handle")
    assert beside.md.format == "MQHRF2"
    assert beside.body == header("<psc><Command>x</Command></psc>") + b"body"
    (before,) = browsed(end, queue, "rfh2")
    assert told(beside) == told(before)
    assert [record["name"] for record in told(beside)] == ["a", "psc.Command"]


@pytest.mark.parametrize(("control", "form"), [("NONE", "MQSTR"), ("FORCE", "MQHRF2")])
def test_as_the_queue_says(end: End, backend: Backend, control: str, form: str) -> None:
    queue = end.local(PROPCTL=control)
    backend.put1(queue, RFH2, header(USER) + b"body")
    (message,) = browsed(end, queue, "queue")
    assert (message.md.format, message.properties) == (form, ())
    (asked,) = browsed(end, queue, "rfh2")
    assert asked.md.format == "MQHRF2"  # whatever PROPCTL says
    (beside,) = browsed(end, queue, "handle")
    assert (beside.md.format, len(beside.properties)) == ("MQSTR", 15)


@pytest.mark.parametrize("form", ["rfh2", "handle"])
@pytest.mark.parametrize(
    "where",
    ["prop.I4 < 0", "prop.Colour LIKE 'red%'", "prop.jms.Dlv = '2'", "prop.R8 = 0.1",
     "prop.Yes = TRUE", "prop.group.inner = 'deep'", "prop.Nil IS NULL AND prop.Int = 7"],
)  # fmt: skip
@pytest.mark.slow
def test_a_property_selects_whichever_way_it_came(end: End, form: PropertyForm, where: str) -> None:
    backend = end.connect(form)
    queue = end.local()
    backend.put1(queue, RFH2, header(*JMS, USER) + b"body")
    backend.put1(queue, MQMD(format="MQSTR"), b"other")
    messages = list(selected(backend, queue, build_selection(SelectionOptions(where=(where,)))))
    assert [message.length_bytes > 4 for message in messages] == [form == "rfh2"]


def test_a_get_takes_the_message_and_its_properties(end: End, backend: Backend) -> None:
    queue = end.local()
    backend.put1(queue, RFH2, header(USER) + b"body")
    taker = end.connect("handle")
    handle = taker.open(queue, cmqc.MQOO_INPUT_SHARED)
    message = handle.get()
    assert (message.body, len(message.properties)) == (b"body", 15)
    handle.close()


VALUES = (
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)
    .filter(lambda text: text == text.strip() and "�" not in text)
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.binary(max_size=20)
)  # fmt: skip
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: not name.lower().startswith(("jms", "mq", "xml", "usr"))
)


@settings(
    max_examples=amount(12),
    deadline=None,
    # over REST the refusal of a value is what is wanted: no smaller one is looked for
    phases=[phase for phase in Phase if phase not in (Phase.shrink, Phase.explain)],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(values=st.dictionaries(NAMES, VALUES, min_size=1, max_size=6))
@pytest.mark.slow
def test_any_properties_are_told_alike(end: End, backend: Backend, values: dict[str, Any]) -> None:
    queue = end.local()
    structure = rfh2.build([("usr", values)], Following("MQSTR", 273, 1208))
    backend.put1(queue, RFH2, rfh2.encode(structure) + b"body")
    (before,), (beside,) = (browsed(end, queue, form) for form in ("rfh2", "handle"))
    assert told(beside) == told(before)
    assert [record["name"] for record in told(beside)] == list(values)


@pytest.mark.parametrize("end", CLIENTS, indirect=True)
@pytest.mark.slow
def test_a_package_that_cannot_call_the_library_says_what_to_use(
    end: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = end.local()
    backend: Any = end.connect("handle")
    monkeypatch.setattr(
        "mqtriage.backends.client.message_handle._EXTENSIONS", {"pymqi": "no", "ibmmq": "no"}
    )
    with pytest.raises(Refused, match="cannot call MQINQMP on this system"):
        ClientMessageHandle(backend.connection)
    assert browsed(end, queue, "rfh2") == []
