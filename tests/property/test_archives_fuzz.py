"""Whatever is in a file or a message: archives, redaction and rules answer, and never break."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.files.private import create_private
from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import Seal
from mqtriage.model.ids import IdMatch
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.message import Message
from mqtriage.operations.archive import writing as archives
from mqtriage.operations.archive.content import content
from mqtriage.operations.archive.files import find_in
from mqtriage.operations.archive.filter import filter_archives
from mqtriage.operations.archive.reading import archive_record, messages_of
from mqtriage.operations.archive.redaction import Redactor, read_chosen
from mqtriage.operations.archive.verify import verdict
from mqtriage.operations.rules.toml import parse_toml, read_rules, to_table, to_toml
from tests.support.scale import amount

IDENT = b"X" * 24


def _written(folder: Path, name: str) -> bytes:
    """An archive of an act: two messages taken, one backed out, one of which nothing is said."""
    path = folder / name
    file = archives.Archive(path, create_private(path))
    file.begin(action="purge", queue="IN", queue_manager="QM1", at="2026-01-01T00:00:00Z")
    for batch in ((1, 2), (3,)):
        for number in batch:
            body = b"%d" % number
            file.add("IN", Message(MQMD(msg_id=IDENT), body, 1), sha256(body).digest())
        file.end_batch(committed=batch != (3,), numbers=list(batch))
    file.add("IN", Message(MQMD(msg_id=IDENT), b"4", 1), sha256(b"4").digest())
    file.close()
    return path.read_bytes()


@pytest.fixture(scope="module", params=["a.ndjson", "a.ndjson.gz"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    _written(folder, request.param)
    return folder / str(request.param)


EDITS = st.lists(
    st.tuples(
        st.integers(0, 10_000), st.integers(0, 300), st.binary(max_size=8) | st.just(b"9999999")
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=amount(40), suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS, index=st.booleans())
@pytest.mark.slow
def test_a_damaged_archive_is_read_as_far_as_it_goes_or_refused(
    written: Path, tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, bytes]],
    index: bool,
) -> None:  # fmt: skip
    data = bytearray(written.read_bytes())
    for at, length, new in edits:
        at %= len(data) + 1
        data[at : at + length] = new
    path = tmp_path_factory.mktemp("damaged") / written.name
    path.write_bytes(data)
    path.chmod(0o600)
    if index:
        beside = written.with_name(f"{written.name}.index")
        path.with_name(beside.name).write_bytes(beside.read_bytes())
    archive_record(path)
    assert verdict(path).state in ("whole", "unfinished", "damaged")
    for read in (
        lambda: list(messages_of(path, Seal()).items),
        lambda: list(find_in(path, IdMatch(IDENT, False, len(IDENT)))),
        lambda: list(content([path], Selection(), 0, LeftOut())),
        lambda: filter_archives([path], Selection(), path.with_name("out"), 0),
    ):
        try:
            read()
        except MQTriageError:
            continue


@pytest.mark.parametrize("number", ["0", "-1", "9", "99999999999", "null", '"2"', "[]", "1e9"])
@pytest.mark.parametrize("place", ['"number":2', '"numbers":[1,2]', '"messages":4', '"batch":1'])
def test_a_number_that_cannot_be_is_told_or_refused(
    tmp_path: Path, number: str, place: str
) -> None:
    data = _written(tmp_path, "a.ndjson").decode()
    assert place in data
    key = place.partition(":")[0]
    value = f"[{number}]" if key == '"numbers"' else number
    path = tmp_path / "b.ndjson"
    path.write_text(data.replace(place, f"{key}:{value}"))
    assert verdict(path).state == "damaged"
    try:
        list(content([path], Selection(), 0, LeftOut()))
        list(messages_of(path, Seal()).items)
    except MQTriageError as error:
        assert str(path) in error.text


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    mask, hashed = ["$..a", "//a", "prop.Card"], ["$.b", "/x/@b", "prop.jms.Rto"]
    chosen = read_chosen(mask, hashed, no_bodies=False, keep_bodies=False)
    return Redactor(b"key", chosen)


SECRET = b"S3CRET-S3CRET"


@settings(deadline=None)
@given(
    form=st.sampled_from(["", "MQSTR", *sorted(HEADER_FORMATS)]),
    ccsid=st.sampled_from([0, 37, 500, 819, 1200, 1208, 99_999]),
    encoding=st.sampled_from([273, 546, 0]),
    body=st.binary(max_size=300) | st.text(max_size=80).map(str.encode),
)
@pytest.mark.slow
def test_any_message_can_be_redacted_and_keeps_no_id(
    redactor: Redactor, form: str, ccsid: int, encoding: int, body: bytes
) -> None:
    md = MQMD(format=form, ccsid=ccsid, encoding=encoding, msg_id=IDENT, user_identifier="alice")
    redacted = redactor.redact(Message(md, body, len(body)))
    assert redacted.length_bytes == len(redacted.body)
    assert redacted.md.msg_id != IDENT
    assert redacted.md.user_identifier != "alice"


@settings(deadline=None)
@given(before=st.text(max_size=20), after=st.text(max_size=20), ccsid=st.sampled_from([500, 1208]))
def test_a_value_under_a_masked_name_is_never_left(
    redactor: Redactor, before: str, after: str, ccsid: int
) -> None:
    """Whatever stands around it: the path is looked up, or the body is masked as a whole."""
    codec = "cp500" if ccsid == 500 else "utf-8"
    body = f'{before}{{"a": "{SECRET.decode()}"}}{after}'.encode(codec, "replace")
    md = MQMD(format="MQSTR", ccsid=ccsid)
    redacted = redactor.redact(Message(md, body, len(body)))
    assert SECRET.decode().encode(codec) not in redacted.body


@given(text=st.text(max_size=200))
def test_no_text_makes_a_reader_of_rules_raise(text: str) -> None:
    parse_toml(text)
    parse_toml(f"[[rule]]\n{text}")
    table = read_rules(text)
    to_toml(table)
    to_table(table)


_VALUE = st.sampled_from(
    ["1", "-1", "1.5", "true", '""', '"*"', '"MQRC_Q_FULL"', "[]", "[1]", '["a", 2]', "{}",
     "2026-01-01", '"x" ', "[[1]]", "9999999999999"]
)  # fmt: skip
_KEY = st.sampled_from(
    ["name", "where", "queue", "action", "fwdq", "fwdqm", "header", "putaut", "retry",
     "max_retries", "rate", "reason", "destq", "persist", "userid", "other"]
)  # fmt: skip


@given(
    rule=st.dictionaries(_KEY, _VALUE), action=st.sampled_from(["retry", "fwd", "park", "ignore"])
)
def test_any_value_of_any_key_is_read_or_told(rule: dict[str, str], action: str) -> None:
    lines = [f"{key} = {value}" for key, value in rule.items() if key != "action"]
    table = parse_toml("\n".join(["[[rule]]", f'action = "{action}"', *lines]))
    assert len(table.rules) == (0 if table.errors else 1)
    if table.rules:
        again = parse_toml(to_toml(table))
        assert not again.errors
        assert again.rules[0].patterns == table.rules[0].patterns
