"""What must hold of every id, time and duration."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from mqtriage.formatters.cells import shortened
from mqtriage.model.ids import FORMS, format_id, parse_id, printable_part
from mqtriage.model.times import Now, parse_time
from mqtriage.model.units import GREATEST_MS, duration_text, parse_duration_ms, parse_size_bytes
from mqtriage.mq.errors import UsageError
from mqtriage.mq.times import GREATEST_US, put_date_and_time, put_time_us, rfc3339

IDS = st.binary(min_size=24, max_size=24)
GIVEN = st.binary(min_size=1, max_size=24)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(ident=IDS)
def test_a_printed_id_is_read_back(ident: bytes) -> None:
    assert parse_id(format_id(ident), for_write=False).value == ident


@given(given_bytes=GIVEN)
def test_all_forms_of_the_same_bytes_are_the_same_id(given_bytes: bytes) -> None:
    expected = given_bytes.ljust(24, b"\0")
    forms = ["ID:" + given_bytes.hex(), "b64:" + b64encode(given_bytes).decode()]
    assert [parse_id(form, for_write=False).value for form in forms] == [expected, expected]


@example(given_bytes=b"LATE-2", width=17, ellipsis="…")
@example(given_bytes=b"\xc3\xe2\xd8", width=9, ellipsis="..")
@given(
    given_bytes=GIVEN.filter(lambda it: it.strip(b"\0")),
    width=st.integers(9, 47),
    ellipsis=st.sampled_from(("…", "..")),
)
def test_a_shortened_id_fits_tells_something_and_is_read_back_to_change_its_message(
    given_bytes: bytes, width: int, ellipsis: str
) -> None:
    ident = given_bytes.ljust(24, b"\0")
    text = shortened(format_id(ident), width, ellipsis)
    assert len(text) <= width
    assert text.split() == [text]
    match = parse_id(text, for_write=True)
    assert match.matches(ident)
    assert any(match.value) or not any(ident[:4])


@given(ident=IDS, length=st.integers(1, 24))
def test_a_prefix_matches_the_ids_that_begin_so(ident: bytes, length: int) -> None:
    match = parse_id(ident[:length].hex() + "*", for_write=False)
    assert match.matches(ident)
    other = bytes([ident[0] ^ 1]) + ident[1:]
    assert not match.matches(other)


@example(text="0" * 30)  # the last digits
@given(text=st.text() | st.from_regex(r"(ID|text|text@[0-9]{1,6}|b64):.{0,60}\*?", fullmatch=True))
def test_any_text_is_an_id_or_one_usage_error(text: str) -> None:
    try:
        match = parse_id(text, for_write=False)
    except UsageError as error:
        assert error.hint == FORMS
    else:
        is_part = match.is_prefix or match.is_tail
        assert len(match.value) == 24 or (is_part and 1 <= len(match.value) <= 24)


@given(ident=IDS)
def test_the_printable_part_can_be_printed(ident: bytes) -> None:
    assert printable_part(ident).isascii() and len(printable_part(ident)) <= 24
    assert printable_part(ident) == "" or printable_part(ident).isprintable()


@given(time_us=st.integers(0, GREATEST_US))
def test_a_time_is_written_as_datetime_has_it_and_read_back(time_us: int) -> None:
    text = rfc3339(time_us)
    assert datetime.fromisoformat(text) == EPOCH + timedelta(microseconds=time_us)
    assert parse_time(text) == time_us


@given(time_us=st.integers(0, GREATEST_US), minutes=st.integers(-1439, 1439))
def test_an_offset_does_not_change_the_moment(time_us: int, minutes: int) -> None:
    try:
        moment = (EPOCH + timedelta(microseconds=time_us)).astimezone(
            timezone(timedelta(minutes=minutes))
        )
    except OverflowError:
        return
    assert parse_time(moment.isoformat()) == time_us


@given(time_us=st.integers(0, GREATEST_US))
def test_put_date_and_time_keep_the_hundredth(time_us: int) -> None:
    date, clock = put_date_and_time(time_us)
    moment = EPOCH + timedelta(microseconds=time_us)
    assert date + clock[:6] == f"{moment.year:04d}" + moment.strftime("%m%d%H%M%S")
    assert put_time_us(date, clock) == time_us // 10_000 * 10_000


@given(date=st.text(max_size=9), clock=st.text(max_size=9))
def test_any_put_date_and_time_are_a_time_or_none(date: str, clock: str) -> None:
    time_us = put_time_us(date, clock)
    assert time_us is None or isinstance(time_us, int)


@given(span_ms=st.integers(0, GREATEST_MS))
def test_a_duration_is_read_back(span_ms: int) -> None:
    assert parse_duration_ms(duration_text(span_ms)) == span_ms
    assert span_ms == 0 or parse_time(f"now-{duration_text(span_ms)}") == Now(-span_ms)


@given(text=st.text(max_size=40))
def test_any_text_is_a_quantity_or_one_usage_error(text: str) -> None:
    for read in (parse_duration_ms, parse_size_bytes, parse_time):
        try:
            read(text)
        except UsageError as error:
            assert "\n" not in error.text
