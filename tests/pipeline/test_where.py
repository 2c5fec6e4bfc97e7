"""One `--where`, one answer: on the queue, on an archive, and in Spark over both."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.commands.analyze.archives import readable
from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.filters.expression import Expression, leaves
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.content import content
from mqtriage.operations.archive.writing import new_copy
from mqtriage.pipeline.snapshots.rows import Keeping, Sighting, Stamp, message_row, sha256_hex
from mqtriage.pipeline.snapshots.schema import MESSAGES, BodyPart, Seen
from tests.pipeline.rows import START_US, frame
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW_US = START_US + 3_600_000_000
TEXTS = ["", "A", "it's", "100%", "a_b", "web.shop", "Ä", "x\\y", "[a]", "a b"]


def with_headers(body: bytes, dice: random.Random) -> tuple[str, bytes]:
    """A body behind MQDLH or MQRFH2 or both, and the Format of the first."""
    following = Following("MQSTR", NATIVE_ENCODING, 1208)
    format_ = ""
    if dice.random() < 0.7:
        usr: dict[str, Any] = {"Color": dice.choice(["red", "blue"]), "n": dice.randrange(4)}
        body = rfh2.encode(rfh2.build([("usr", usr)], following, order="<")) + body
        format_ = cmqc.MQFMT_RF_HEADER_2.rstrip()
    if not format_ or dice.random() < 0.5:
        reason = dice.choice([2053, 2085])
        header = dlh.DLH(reason, "APP.IN", "QM1", NATIVE_ENCODING, 1208, format_ or "MQSTR")
        body = dlh.encode(header) + body
        format_ = cmqc.MQFMT_DEAD_LETTER_HEADER.rstrip()
    return format_, body


def messages(seed: int) -> list[Message]:
    dice = random.Random(seed)
    generated = []
    for number in range(40):
        second = dice.randrange(0, 3600)
        format_ = dice.choice(["MQSTR", "MQHRF2", ""])
        body = dice.choice([b"", b"hello", b"order 42"])
        if dice.random() < 0.4:
            format_, body = with_headers(body, dice)
        md = MQMD(
            msg_id=number.to_bytes(24, "big"),
            correl_id=bytes([dice.choice([0, 65, 255])]) * 24,
            format=format_,
            ccsid=1208,
            backout_count=dice.randrange(5),
            priority=dice.randrange(10),
            persistence=dice.randrange(2),
            expiry_tenths=dice.choice([-1, 0, 600, 36000]),
            put_appl_name=dice.choice(TEXTS),
            user_identifier=dice.choice(["app", "ops"]),
            reply_to_q=dice.choice(["", "R.Q"]),
            put_date="20260105",
            put_time=f"00{second // 60:02}{second % 60:02}{dice.randrange(100):02}",
        )
        generated.append(Message(md, body, len(body)))
    return generated


def rows(sample: list[Message]) -> list[dict[str, Any]]:
    """What a snapshot with digests writes for them."""
    stamp = Stamp("S", NOW_US)
    keep = Keeping(BodyPart.DIGEST, sha256_hex, properties=True)
    records = []
    for number, message in enumerate(sample):
        sighting = Sighting("Q", f"{number:032}", Seen.PRESENT, NOW_US, number + 1)
        values = message_row(stamp, sighting, message, keep)
        records.append(dict(zip(MESSAGES.names, values, strict=True)))
    return records


FIELDS = ("backout", "priority", "persistence", "msg_type")
COMPARED = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
LEAVES = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(FIELDS), COMPARED, st.integers(-1, 9)),
    st.builds("length {} {}".format, COMPARED, st.integers(0, 9)),
    st.builds("expiry {} {}".format, COMPARED, st.sampled_from(["60s", "0", "1h"])),
    st.builds("age {} {}m".format, COMPARED, st.integers(0, 70)),
    st.builds("put_time {} now-{}m".format, COMPARED, st.integers(0, 70)),
    st.builds(
        "put_time {} 2026-01-05T00:{:02}:00Z".format, COMPARED, st.integers(0, 59)
    ),
    st.builds(
        lambda f, op, t: f"{f} {op} '{t.replace(chr(39), chr(39) * 2)}'",
        st.sampled_from(["put_appl", "user", "format", "reply_to"]),
        COMPARED,
        st.sampled_from(TEXTS),
    ),
    st.builds(
        lambda no, t: f"put_appl {no} LIKE '{t.replace(chr(39), chr(39) * 2)}' ESCAPE '!'",
        st.sampled_from(["", "NOT"]),
        st.sampled_from(["%", "a!_b", "a_b", "%'%", "100!%", "_", "x\\y", "%b%"]),
    ),
    st.builds("put_appl CONTAINS '{}'".format, st.sampled_from(["a", "%", "_", "\\", "Ä"])),
    st.builds(
        "put_appl MATCHES '{}'".format,
        st.sampled_from(["^a", "b$", "[.]", "a.b", "(?i)WEB", "[^a-z]", "Ä|A", "\\w\\W"]),
    ),
    st.builds("correl_id = 'ID:{}'".format, st.sampled_from(["41" * 24, "00" * 24])),
    st.builds("correl_id LIKE '{}'".format, st.sampled_from(["41%", "%FF", "____"])),
    st.sampled_from(
        [
            "prop.Color IS NULL", "dest LIKE 'APP%'", "prop.Color = 'red'", "prop.n >= 2",
            "expiry IS NULL", "reason IS NULL", "reason = 2053", "target = 'X'", "due_time < now",
            "priority IN (1, 2)", "put_appl NOT IN ('A', '')", "backout BETWEEN 1 AND 3",
            "reason NOT IN (2053)", "dest IS NULL", f"body_digest = '{sha256_hex(b'hello')}'",
        ]
    ),
)  # fmt: skip


def _some_message_has(where: str) -> bool:
    """Whether it is no number that its field never holds, as in ``length < 0``."""
    try:
        parse_where(where)
    except UsageError as error:
        return "is always" not in error.text
    return True


WHERES = st.recursive(
    LEAVES.filter(_some_message_has),
    lambda inner: st.one_of(
        inner.map("NOT ({})".format),
        st.builds("({}) AND ({})".format, inner, inner),
        st.builds("({}) OR ({})".format, inner, inner),
    ),
    max_leaves=5,
)


def archived(sample: list[Message], path: Path) -> Path:
    """The messages as an archive that was written at `NOW_US`."""
    with new_copy(path, queue="Q", queue_manager="QM1", at=rfc3339(NOW_US)) as file:
        for message in sample:
            file.add("Q", message, sha256(message.body).digest())
    return path


@settings(
    max_examples=amount(3),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    wheres=st.lists(WHERES, min_size=25, max_size=25),
    seed=st.integers(0, 2**32),
    ending=st.sampled_from(["ndjson", "ndjson.gz"]),
)
def test_the_same_condition_selects_the_same_messages_everywhere(
    spark: SparkSession, tmp_path: Path, wheres: list[str], seed: int, ending: str
) -> None:
    """On the queue, in a snapshot and an archive that Spark reads, and as `archive copy` does."""
    from pyspark.sql import functions as F

    from mqtriage.pipeline.columns import condition
    from mqtriage.pipeline.folders import Rejected
    from mqtriage.pipeline.reading import Reader
    from mqtriage.pipeline.snapshots.columns import columns_of

    sample = messages(seed)
    trees = [parse_where(where) for where in wheres]
    columns = [F.coalesce(condition(tree), F.lit(False)) for tree in trees]
    asked = [c.alias(f"c{n}") for n, c in enumerate(columns)]
    with TemporaryDirectory(dir=tmp_path) as folder:
        archive = archived(sample, Path(folder) / f"a.{ending}")
        filtered = [ids_of(archive, tree) for tree in trees]
        rejected = Rejected()
        with readable([str(archive)], rejected, lambda _: None, "analyze") as (roots, _):
            needed = {"msg_id"}.union(*(columns_of(tree) for tree in trees))
            in_archive = Reader(spark, roots).table("messages", needed)
            of_archive = in_archive.select("msg_id", *asked).collect()
    assert rejected.counts == {}
    in_snapshot = frame(spark, "messages", rows(sample))
    of_snapshot = in_snapshot.select("msg_id", *asked).collect()
    assert len(of_archive) == len(of_snapshot) == len(sample)
    for number, tree in enumerate(trees):
        live = {m.md.msg_id.hex().upper() for m in sample if holds(tree, m)}
        for answers in (of_snapshot, of_archive):
            spark_ids = {row["msg_id"] for row in answers if row[f"c{number}"]}
            assert spark_ids == live, wheres[number]
        assert filtered[number] in (live, None), wheres[number]
        assert (filtered[number] is None) == ("due_time" in wheres[number])


def ids_of(archive: Path, tree: Expression) -> set[str] | None:
    """What `archive copy` chooses; None where it refuses, as a file does not know due times."""
    try:
        chosen = content([archive], Selection(tree), NOW_US, LeftOut())
    except Refused:
        return None
    return {stored.entry.md.msg_id.hex().upper() for stored in chosen}


def holds(tree: Expression, message: Message) -> bool:
    return compile_tree(tree, NOW_US)(Subject(message, DecodedHeaders))


VALUES: list[Any] = ["5", 5, "abc", True, False, 1.5, "1.5", " 7 ", 7, "true", None, -3, "1e3"]
LITERALS = ["'5'", "5", "7", "1.5", "TRUE", "'true'", "'abc'", "1000", "-3", "'x'"]


class Valued:
    """Headers with properties alone."""

    original_msg_id = sender_correl_id = target = target_qmgr = dest = dest_qmgr = reason = None
    dlq_put_appl = dlq_put_time_us = damage = due_time_us = delay_ms = body_text = None
    dlq_format = ""
    payload = b""

    def __init__(self, value: Any) -> None:
        self.properties = {} if value is None else {"p x": value}


@pytest.mark.long
def test_properties_compare_by_the_type_that_the_message_gives_them(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    from mqtriage.pipeline.columns import condition

    wheres = [f'prop."p x" {op} {it}' for op in ("=", "<>", "<", ">=") for it in LITERALS]
    wheres += ['prop."p x" IS NULL', 'prop."p x" IN (5, 7)', "prop.\"p x\" LIKE '%5'"]
    wheres += ["prop.\"p x\" CONTAINS '5'", 'NOT prop."p x" = 5', 'prop."p x" BETWEEN 1 AND 6']
    trees = [parse_where(where) for where in wheres]
    message_rows = [
        {"msg_id": f"{n:048}", "properties": None if v is None else json.dumps({"p x": v})}
        for n, v in enumerate(VALUES)
    ]
    table = frame(spark, "messages", message_rows)
    columns = [F.coalesce(condition(t), F.lit(False)).alias(f"c{n}") for n, t in enumerate(trees)]
    rows_found = table.select("msg_id", *columns).collect()
    for number, tree in enumerate(trees):
        test = compile_tree(tree, NOW_US)
        expected = {
            f"{n:048}"
            for n, v in enumerate(VALUES)
            if test(Subject(Message(MQMD(), b"", 0), lambda _, v=v: Valued(v)))  # type: ignore[misc]
        }
        assert {r["msg_id"] for r in rows_found if r[f"c{number}"]} == expected, wheres[number]


@pytest.mark.parametrize("where", ["body CONTAINS 'x'", "body.order.id = 4", "damage = 'json'"])
def test_what_only_the_body_knows_is_refused_by_name(where: str) -> None:
    from mqtriage.pipeline.snapshots.columns import columns_of

    tree = parse_where(where)
    (leaf,) = leaves(tree)
    with pytest.raises(UsageError, match=leaf.field.partition(".")[0]) as caught:
        columns_of(tree)
    assert "body_digest" in (caught.value.hint or "")


def test_a_back_reference_is_refused_for_spark() -> None:
    from mqtriage.pipeline.java_regex import java_regex

    with pytest.raises(UsageError, match="Spark"):
        java_regex(r"(a)\1")
