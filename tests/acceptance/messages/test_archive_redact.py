"""`archive copy --key-file`: what must not leave is gone, what must join still joins."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mqtriage.messages.stored_messages import Numbered, read
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import mde, rfh2, xqh
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import Estate

A = b"AMQ QM1         00000001"
USER = "alice"
CARD = "4111111111111111"


def key_file(folder: Path) -> str:
    """A key for hashes, in a file that only its owner can read."""
    path = folder / "key"
    path.write_text("a key that nobody guesses\n")
    path.chmod(0o600)
    return str(path)


def copy_line(place: Estate | Bench, folder: Path, *, kept: str = "kept.ndjson") -> tuple[str, ...]:
    """Archive what is on IN; what redacts the archive, without paths and without a target."""
    archive = str(folder / kept)
    assert place.run("msg", "archive", "IN", "--out", archive).code == 0
    return ("archive", "copy", archive, "--key-file", key_file(folder))


def redacted(estate: Estate, *options: str, name: str = "safe.ndjson") -> list[Message]:
    """Archive what is on IN and redact it with the key in a file; what the new archive holds."""
    out = estate.folder / name
    argv = copy_line(estate, estate.folder, kept=f"kept-{name}")
    ran = estate.run(*argv, "--out", str(out), *options)
    assert ran.code == 0, ran.err
    assert estate.run("archive", "verify", str(out)).code == 0
    numbered = [
        record for record in read(out.read_bytes().splitlines(True)) if isinstance(record, Numbered)
    ]
    return [
        Message(record.entry.md, record.entry.body, len(record.entry.body)) for record in numbered
    ]


def nothing_of(path: Path, *secrets: bytes) -> None:
    """No line of the archive holds a secret, as text, in base64 or in hexadecimal."""
    for line in path.read_bytes().splitlines():
        record = json.loads(line)
        data = (
            line
            + b64decode(record.get("md_base64") or "")
            + b64decode(record.get("body_base64") or "")
        )
        for secret in secrets:
            assert secret not in data
            assert secret.hex().encode() not in data.lower()
            assert secret.hex().upper().encode() not in data


def test_ids_and_users_are_hashed_and_still_join(estate: Estate) -> None:
    estate.put(
        "IN", b"1", msg_id=A, user_identifier=USER, accounting_token=b"uid of alice".ljust(32)
    )
    estate.put("IN", b"2", correl_id=A, user_identifier=USER, appl_identity_data="alice@host")
    first, second = redacted(estate, "--keep-bodies")
    assert first.md.msg_id == second.md.correl_id != A
    assert first.md.user_identifier == second.md.user_identifier != USER
    assert (second.md.group_id, first.md.appl_identity_data) == (bytes(24), "")
    assert (first.body, second.body) == (b"1", b"2")
    nothing_of(estate.folder / "safe.ndjson", A, USER.encode(), b"uid of")


def test_the_same_key_gives_the_same_hashes_and_another_key_others(estate: Estate) -> None:
    estate.put("IN", b"1", msg_id=A)
    ((first,), (again,)) = (redacted(estate, "--keep-bodies", name=n) for n in ("a", "b"))
    assert first.md.msg_id == again.md.msg_id
    (estate.folder / "other").write_text("another key")
    (estate.folder / "other").chmod(0o600)
    out = estate.folder / "c"
    argv = ("archive", "copy", str(estate.folder / "kept-a"), "--keep-bodies")
    ran = estate.run(*argv, "--key-file", str(estate.folder / "other"), "--out", str(out))
    assert ran.code == 0, ran.err
    assert first.md.msg_id.hex().upper() not in out.read_text()


def test_json_and_xml_values_are_masked_and_hashed_in_their_code_page(estate: Estate) -> None:
    estate.put("IN", b'{ "card": "4111111111111111", "who": "alice", "n": 1 }')
    estate.put("IN", f'<o who="alice"><card>{CARD}</card>ä</o>'.encode("cp500"), ccsid=500)
    options = ("--mask", "$.card", "--mask", "/o/card", "--hash", "$.who", "--hash", "/o/@who")
    one, other = redacted(estate, *options)
    text = other.body.decode("cp500")
    record = json.loads(one.body)
    assert one.body.startswith(b'{ "card": "***", "who": "')
    assert one.body.endswith(b'", "n": 1 }')
    assert len(record["who"]) == 32
    assert text == f'<o who="{record["who"]}"><card>***</card>ä</o>'
    nothing_of(estate.folder / "safe.ndjson", CARD.encode(), b"alice", CARD.encode("cp500"))


def test_comments_and_processing_instructions_are_masked_wherever_xml_is(estate: Estate) -> None:
    aside = f"<!-- card {CARD} --><?note {CARD}?>"
    folder = f"<usr>{aside}<n>1</n></usr>"
    folder += " " * (-len(folder) % 4)
    header = rfh2.build([("usr", {"n": 1})], Following("MQSTR", 273, 1208))
    (usr,) = header.folders
    changed = replace(header, folders=(usr._replace(raw=folder.encode(), text=folder),))
    body = f"<?xml version='1.0'?>{aside}<o><card>{CARD}</card>{aside}</o>"
    estate.put("IN", body.encode(), f"<other>{aside}</other>".encode())
    estate.put("IN", rfh2.encode(changed) + b"<o/>", format="MQHRF2")
    one, other, third = redacted(estate, "--mask", "/o/card")
    masked = "<!--***--><?note ***?>"
    assert one.body.decode() == (f"<?xml version='1.0'?>{masked}<o><card>***</card>{masked}</o>")
    assert other.body.decode() == f"<other>{masked}</other>"
    assert f"<usr>{masked}<n>1</n></usr>".encode() in third.body
    nothing_of(estate.folder / "safe.ndjson", CARD.encode())


def test_a_body_in_which_no_path_can_be_looked_up_is_masked_as_a_whole(estate: Estate) -> None:
    estate.put("IN", b'{"card": "4111111111111111"', b"\xff\xfe4111111111111111", b"")
    cut, binary, empty = redacted(estate, "--mask", "$.card")
    assert (cut.body, binary.body, empty.body) == (b"***", b"***", b"")
    nothing_of(estate.folder / "safe.ndjson", CARD.encode())


def test_descriptors_inside_headers_are_treated_like_the_mqmd(estate: Estate) -> None:
    inner = MQMD(version=1, msg_id=A, user_identifier=USER, format="MQHMDE")
    group = mde.encode(mde.MDE(group_id=A, format="MQSTR", ccsid=1208))
    estate.put("IN", xqh.encode(xqh.XQH("Q", "QM2", inner)) + group + b"text", format="MQXMIT")
    (message,) = redacted(estate, "--keep-bodies")
    header = xqh.decode(message.body, 0)
    assert isinstance(header, xqh.XQH)
    assert header.message_descriptor.msg_id != A
    assert message.body.endswith(b"text")
    nothing_of(estate.folder / "safe.ndjson", A, USER.encode())


def test_properties_are_masked_by_name_and_jms_ids_join(estate: Estate) -> None:
    jms = rfh2.build(
        [("jms", {"Cid": f"ID:{A.hex()}"}), ("usr", {"Card": f"card {CARD}", "Who": USER, "n": 7})],
        Following("MQSTR", 273, 1208),
    )
    estate.put("IN", rfh2.encode(jms) + b"text", format="MQHRF2", encoding=273, msg_id=A)
    (message,) = redacted(
        estate, "--keep-bodies", "--mask", "prop.Card", "--hash", "prop.Who", "--mask", "prop.n"
    )
    header = rfh2.decode(message.body, 0, ">")
    assert isinstance(header, rfh2.RFH2)
    assert not header.damages
    properties = rfh2.properties([header])
    assert (properties["Card"], properties["n"]) == ("***", 0)
    assert properties["jms.Cid"] == f"ID:{message.md.msg_id.hex()}"
    assert len(str(properties["Who"])) == 32
    assert message.body.endswith(b"text")
    nothing_of(estate.folder / "safe.ndjson", A, CARD.encode(), USER.encode())


def test_a_masked_property_keeps_its_type_and_only_text_becomes_asterisks(estate: Estate) -> None:
    values: dict[str, Any] = {
        "digits": "0042", "word": "true", "n": 7, "long": 2**40, "r": 1.5, "b": True,
        "raw": b"\x41\x42",
    }  # fmt: skip
    header = rfh2.build([("usr", values)], Following("MQSTR", 273, 1208))
    estate.put("IN", rfh2.encode(header) + b"text", format="MQHRF2", encoding=273)
    chosen = {
        option: [word for name in values for word in (option, f"prop.{name}")]
        for option in ("--mask", "--hash")
    }

    def after(option: str) -> dict[str, object]:
        (message,) = redacted(estate, "--keep-bodies", *chosen[option], name=option)
        header = rfh2.decode(message.body, 0, ">")
        assert isinstance(header, rfh2.RFH2)
        assert not header.damages
        return dict(rfh2.properties([header]))

    assert after("--mask") == {
        "digits": "***", "word": "***", "n": 0, "long": 0, "r": 0.0, "b": False, "raw": b"\0",
    }  # fmt: skip
    hashed = after("--hash")
    assert {name: type(value) for name, value in hashed.items()} == {
        name: type(value) for name, value in values.items()
    }
    assert not set(map(str, hashed.values())) & {"0042", "true", "7", str(2**40), "1.5"}


@pytest.mark.parametrize("again", [False, True], ids=["redacted", "copied again"])
def test_a_load_of_a_redacted_copy_says_that_it_is_one(estate: Estate, again: bool) -> None:
    estate.put("IN", b'{"card": "4111111111111111"}')
    redacted(estate, "--mask", "$.card")
    file = str(estate.folder / "safe.ndjson")
    if again:
        file, source = str(estate.folder / "again.ndjson"), file
        assert estate.run("archive", "copy", source, "--out", file).code == 0
    ran = estate.run("msg", "load", file, "--to", "OUT", "-n", "-o", "json")
    assert "the file is a redacted copy" in " ".join(ran.json["item"]["notes"]), ran.json
    kept = str(estate.folder / "kept-safe.ndjson")
    assert "redacted" not in estate.run("msg", "load", kept, "--to", "OUT", "-n").err


def test_a_staged_message_keeps_no_id_or_user_of_its_original(estate: Estate) -> None:
    estate.delayed("OUT", b'{"card": "4111111111111111"}')
    (staged,) = estate.messages("SYSTEM.DDELAY.LOCAL.QUEUE")
    kept, out = str(estate.folder / "kept"), estate.folder / "safe"
    estate.run("msg", "archive", "SYSTEM.DDELAY.LOCAL.QUEUE", "--out", kept)
    argv = ("archive", "copy", kept, "--key-file", key_file(estate.folder), "--out", str(out))
    ran = estate.run(*argv, "--mask", "$.card")
    assert ran.code == 0
    nothing_of(out, CARD.encode(), staged.md.msg_id, staged.md.correl_id)


def test_equal_bodies_are_known_by_a_hash_that_needs_the_key(estate: Estate) -> None:
    estate.put("IN", b'{"card": 1}', b'{"card": 1}', b'{"card": 2}')
    redacted(estate, "--mask", "$.card")
    lines = [json.loads(line) for line in (estate.folder / "safe.ndjson").read_text().splitlines()]
    one, same, other = (line for line in lines if line["kind"] == "Message")
    assert one["body_hmac"] == same["body_hmac"] != other["body_hmac"]
    assert one["sha256"] == other["sha256"]
    assert one["original_length_bytes"] == 11


def test_nothing_is_restored_from_a_redacted_archive_but_it_can_be_loaded(estate: Estate) -> None:
    estate.put("IN", b"1")
    redacted(estate, "--keep-bodies")
    out = str(estate.folder / "safe.ndjson")
    ran = estate.run("archive", "restore", out, "--yes")
    assert ran.code == 8
    assert "redacted" in ran.err
    assert estate.run("msg", "load", out, "--to", "OUT", "--yes").code == 0
    assert estate.run("archive", "ls", out, "-o", "json").json["summary"]["redacted"] is True


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param((), 2, id="nothing-said-of-bodies"),
        pytest.param(("--mask", "$.a", "--no-bodies"), 2, id="two-things-said"),
        pytest.param(("--mask", "a.b"), 2, id="no-path"),
        pytest.param(("--keep-bodies", "--key-file", "/nowhere"), 5, id="no-key"),
    ],
)
def test_wrong_usage(estate: Estate, options: tuple[str, ...], code: int) -> None:
    estate.put("IN", b"1")
    estate.run("msg", "archive", "IN")
    (name,) = estate.run("archive", "ls", "-o", "ids").out.split()
    argv: Any = ("archive", "copy", name, "--key-file", key_file(estate.folder))
    assert estate.run(*argv, *options).code == code


@pytest.mark.parametrize("words", [("--mask", "$.card"), ("--no-bodies",), ("--keep-bodies",)])
def test_a_copy_that_should_be_redacted_is_refused_without_a_key(
    estate: Estate, words: tuple[str, ...]
) -> None:
    estate.put("IN", b"1")
    kept, out = estate.folder / "kept", estate.folder / "out"
    assert estate.run("msg", "archive", "IN", "--out", str(kept)).code == 0
    ran = estate.run("archive", "copy", str(kept), "--out", str(out), *words)
    assert (ran.code, "needs --key-file" in ran.err, out.exists()) == (2, True, False)


def test_properties_that_are_kept_are_named_and_counted(estate: Estate) -> None:
    """What the copy says of what is left in it leaves nothing out."""
    for account in ("4711", "4712"):
        props = ("--prop", f"Account={account}", "--prop", "Region=north")
        estate.run("msg", "put", "IN", '{"card": 1}', *props, "--yes")
    estate.run("msg", "put", "IN", '{"card": 1}', "--yes")
    copy = copy_line(estate, estate.folder)

    def told(*options: str) -> str:
        return estate.run(*copy, "--mask", "$.card", *options).err

    text = "warning: 2 messages have properties that are not masked: Account, Region; --mask prop"
    assert text in told()
    assert "properties that are not masked: Region;" in told("--mask", "prop.Account")
    assert "are not masked" not in told("--mask", "prop.usr.Account", "--hash", "prop.Region")
    assert "4711" not in told()
    many = [word for number in range(1200) for word in ("--prop", f"P{number}=1")]
    assert estate.run("msg", "put", "IN", '{"card": 1}', *many, "--yes").code == 0
    copy = copy_line(estate, estate.folder, kept="more.ndjson")
    assert " and at least 992 more; --mask prop.NAME" in told()


def test_body_fields_that_are_kept_are_named_and_counted(estate: Estate) -> None:
    """A path masks what it names; what else identifies a customer is for the user to see."""
    estate.put("IN", b'{"card": 1, "customer": {"name": "Ann"}, "items": [{"id": 1}, {"id": 2}]}')
    estate.put("IN", b'{"card": 1, "customer": {"name": "Bob"}}')
    estate.put("IN", b'{"card": 1}')
    estate.put("IN", b"<order><card>1</card><name>Ann</name></order>")
    copy = copy_line(estate, estate.folder)

    def told(*options: str) -> str:
        ran = estate.run(*copy, *options)
        assert ran.code == 0, ran.err
        return ran.err

    text = (
        "warning: 2 messages have body fields that are not masked: $.customer.name, $.items[*].id;"
    )
    assert f"{text} --mask PATH masks one\n" in told("--mask", "$.card")
    words = ("--mask", "$.card", "--hash", "$.customer", "--mask", "$.items")
    assert "are not masked" not in told(*words)
    xml = told(*words, "--mask", "/order/card")
    assert "1 message has body fields that are not masked: /order/name;" in xml
    assert "Ann" not in xml
    assert "are not masked" not in told("--keep-bodies")


def test_of_many_body_fields_that_are_kept_some_are_named(estate: Estate) -> None:
    fields = {f"f{number}" * 40: number for number in range(1200)}
    estate.put("IN", json.dumps({"card": 1, **{f"g{n}": n for n in range(20)}}).encode())
    for number, more in enumerate((" and 12 more; ", " and at least 992 more; ")):
        copy = copy_line(estate, estate.folder, kept=f"kept{number}")
        ran = estate.run(*copy, "--mask", "$.card")
        assert f"$.g6, $.g7{more}" in ran.err
        assert len(ran.err) < 1000
        estate.put("IN", json.dumps({"card": 1, **fields}).encode())


def test_a_copy_makes_the_archive_folder_that_is_not_there(estate: Estate) -> None:
    estate.put("IN", b"1")
    kept = str(estate.folder / "kept.ndjson")
    estate.run("msg", "archive", "IN", "--out", kept)
    ran = estate.run("archive", "copy", kept, "-o", "json")
    assert (ran.code, ran.json["item"]["message_count"]) == (0, 1), ran.err


def test_a_key_that_others_can_read_is_refused_and_one_that_can_be_guessed_warned_of(
    estate: Estate,
) -> None:
    estate.put("IN", b"1")
    kept, key = str(estate.folder / "kept"), estate.folder / "k2"
    estate.run("msg", "archive", "IN", "--out", kept)
    estate.run("emulator", "create", "QM1")
    lines = (
        ("archive", "copy", kept, "--no-bodies", "--key-file", str(key), "--out"),
        ("snapshot", "take", "--body", "digest", "--key-file", str(key), "--folder"),
    )
    creates = f"(umask 077; head -c 32 /dev/urandom > {key})"
    for number, line in enumerate(lines):
        out = estate.folder / f"out-{number}"
        key.write_text("x" * 16)
        key.chmod(0o644)
        ran = estate.run(*line, str(out))
        assert (ran.code, out.exists()) == (8, False)
        assert f"hint: chmod 600 {key}" in ran.err
        key.chmod(0o600)
        key.write_text("\n")
        ran = estate.run(*line, str(out))
        assert (ran.code, out.exists()) == (2, False)
        assert ran.err.endswith(f"error: --key-file {key}: the file is empty\nhint: {creates}\n")
        key.write_text("secret\n")
        ran = estate.run(*line, str(out))
        assert (ran.code, out.exists()) == (0, True)
        assert f"--key-file {key}: a key of 6 bytes can be guessed. Values" in ran.err
        assert "hashed with a new key will not match those of the old one" in ran.err
        assert f"(umask 077; head -c 32 /dev/urandom > {key}.new)\n" in ran.err
        assert creates not in ran.err  # it would overwrite the only copy of the key in use
        key.write_text("x" * 16)
        assert "guessed" not in estate.run(*line, f"{out}-long").err


@pytest.mark.parametrize("option", ["--mask", "--hash"])
@pytest.mark.parametrize(
    ("path", "kind"),
    [("$.cards", "JSON data of 3 messages"), ("//cards", "XML data of 1 message"),
     ("prop.Crad", "4 messages")],
)  # fmt: skip
@pytest.mark.slow
def test_a_path_that_hides_nothing_is_not_a_success(
    bench: Bench, tmp_path: Path, option: str, path: str, kind: str
) -> None:
    bench.define("IN")
    for body in (
        '{"card": "4111"}',
        '{"card": "4222"}',
        '{"user": {"card": "4333"}}',
        "<o><card>4444</card></o>",
    ):
        bench.ok("msg", "put", "IN", "--text", body, "--prop", "Card=4111", "--yes")
    out = str(tmp_path / "out.ndjson")
    hidden = ("--mask", "$..card", "--mask", "//card", "--hash", "prop.Card")
    argv = (*copy_line(bench, tmp_path), "--out", out, *hidden)
    done = bench.ok(*argv, "-o", "json").item
    assert done["values_changed"] == {
        "--mask $..card": 3,
        "--mask //card": 1,
        "--hash prop.Card": 4,
    }
    Path(out).unlink()
    ran = bench.run(*argv, option, path)
    assert ran.code == 3
    assert f"warning: {option} {path} changed nothing in {kind}\n" in ran.err
    assert "out.ndjson may still contain values that you meant to hide" in ran.err


@pytest.mark.parametrize(
    ("body", "outer", "inner"),
    [
        ('{"order": {"customer": {"iban": "GB1"}}}', "$.order.customer", "$..iban"),
        ('{"order": {"customer": {"ids": ["1"]}}}', "$.order.customer", "$..ids[*]"),
        ('{"iban": "GB1"}', "$..iban", "$.iban"),
        ("<o><customer><iban>GB1</iban></customer></o>", "/o/customer", "//iban"),
        ("<o><customer><bank iban='GB1'/></customer></o>", "/o/customer", "//@iban"),
        ("<o><iban>GB1</iban></o>", "/o/iban", "//iban"),
        ("<o iban='GB1'/>", "/o/@iban", "//@iban"),
    ],
)
def test_a_path_inside_what_another_path_hides_is_no_alarm(
    bench: Bench, tmp_path: Path, body: str, outer: str, inner: str
) -> None:
    bench.define("IN")
    bench.ok("msg", "put", "IN", "--text", body, "--yes")
    out = tmp_path / "out.ndjson"
    argv = (*copy_line(bench, tmp_path), "--out", str(out))
    for words in (("--mask", outer, "--mask", inner), ("--mask", outer, "--hash", inner)):
        ran = bench.ok(*argv, *words)
        covered = f"note: {words[2]} {inner}: these values were already replaced by --mask {outer}"
        assert covered in ran.err
        assert "may still contain" not in ran.err
        assert "GB1" not in out.read_text()
        out.unlink()
    nowhere = f"{outer[0]}{'.' if outer[0] == '$' else ''}nowhere"
    ran = bench.run(*argv, "--mask", outer, "--mask", inner, "--mask", nowhere)
    assert ran.code == 3
    assert f"--mask {nowhere} changed nothing" in ran.err


def test_a_masked_path_inside_what_is_hashed_is_no_alarm(bench: Bench, tmp_path: Path) -> None:
    bench.define("IN")
    bench.ok("msg", "put", "IN", "--text", '{"customer": {"iban": "GB1"}}', "--yes")
    argv = (*copy_line(bench, tmp_path), "--out", str(tmp_path / "out.ndjson"))
    ran = bench.ok(*argv, "--mask", "$..iban", "--hash", "$.customer")
    assert "--mask $..iban: these values were already replaced by --hash $.customer" in ran.err


def test_bodies_in_which_no_path_matches_are_counted(bench: Bench, tmp_path: Path) -> None:
    bench.define("IN")
    bench.ok("msg", "put", "IN", "--text", '{"card": "4111"}', "--yes")
    bench.ok("msg", "put", "IN", "--text", '{"Card": "4222"}', "--yes")
    bench.ok("msg", "put", "IN", "--text", "<o><!-- 4333 --><Card/></o>", "--yes")
    argv = (*copy_line(bench, tmp_path), "--mask", "$.card", "--mask", "/o/card")
    ran = bench.run(*argv, "--out", str(tmp_path / "out.ndjson"))
    assert ran.code == 3  # /o/card changed nothing
    unmatched = "1 message with a body in which no path matches"
    assert f"{unmatched}, kept as it is" in ran.err
    assert f"{unmatched}, only its comments are masked" in ran.err


def test_bodies_that_are_masked_completely_are_counted_by_what_they_are(
    bench: Bench, tmp_path: Path
) -> None:
    bench.define("IN")
    for text in '{"account": "1"}', "<pay><account>2</account></pay>", "account=3", "<pay>":
        bench.ok("msg", "put", "IN", "--text", text, "--yes")
    argv = (*copy_line(bench, tmp_path), "--mask")
    whole = ", masked completely"
    neither = f"2 messages with a body that is neither JSON nor XML{whole}"
    xml = f"1 message with an XML body, for which no XML path was given{whole}"
    json = f"1 message with a JSON body, for which no JSON path was given{whole}"
    ran = bench.ok(*argv, "$..account", "--out", str(tmp_path / "1.ndjson"))
    assert (neither in ran.err, xml in ran.err, json in ran.err) == (True, True, False)
    ran = bench.ok(*argv, "//account", "--out", str(tmp_path / "2.ndjson"))
    assert (neither in ran.err, xml in ran.err, json in ran.err) == (True, False, True)
    ran = bench.ok(*argv, "//account", "--mask", "$..account", "--out", str(tmp_path / "3.ndjson"))
    assert (neither in ran.err, xml in ran.err, json in ran.err) == (True, False, False)


def test_a_masked_copy_says_what_of_a_damaged_header_is_kept(bench: Bench, tmp_path: Path) -> None:
    bench.define("IN")
    (tmp_path / "bad").write_bytes(b"RFH \0\0\0\2\0\0\xff\0" + b"secret".ljust(60))
    put = bench.ok("msg", "put", "IN", "--file", str(tmp_path / "bad"), "--md-format", "MQHRF2",
                   "--yes")  # fmt: skip
    argv = (*copy_line(bench, tmp_path), "--mask", "$.a")
    ran = bench.ok(*argv, "--out", str(tmp_path / "copy.ndjson"))
    assert (
        "warning: 1 message with an MQRFH2 that cannot be redacted: its 36 bytes are kept, and the"
        f" rest of the message is masked (MsgId {put.out.strip()})"
    ) in ran.err
