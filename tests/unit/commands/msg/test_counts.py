"""`msg count --by`: any field as a key, and sums that are exact in bounded memory."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from mqtriage.commands.msg import counts
from mqtriage.commands.msg.counts import CountedGroups, count_by, keys_of
from mqtriage.messages.filters.selection import build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.result import Field
from mqtriage.mq.errors import UsageError
from tests.acceptance.messages.estate import Estate


def test_keys_are_fields_properties_and_paths_in_any_spelling() -> None:
    keys = keys_of("queue, PutApplName,prop.Color,$.order['a,b'],/a/b/@c,body.x")
    assert [(key.name, key.field) for key in keys] == [
        ("queue", "queue"),
        ("put_appl", "put_appl"),
        ("prop.Color", "prop.Color"),
        ("body.\"$.order['a,b']\"", "body.$.order['a,b']"),
        ('body."/a/b/@c"', "body./a/b/@c"),
        ("body.x", "body.$.x"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("formt", "format"),
        ("", "fields:"),
        ("body", "body_digest"),
        ("age", "put_time"),
        ("$.a..b", "JSON path"),
        (",".join(f"prop.p{n}" for n in range(9)), "8 at most"),
    ],
)
def test_what_is_no_key_is_one_line_with_what_to_do(text: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        keys_of(text)
    assert what in f"{caught.value} {caught.value.hint}"


def test_sums_are_the_same_whether_they_fit_into_memory_or_not() -> None:
    rows = [
        ([f"v{n % 37}", n % 3 == 0, None], (1, n, f"2026013{n % 2}10000000", ""))
        for n in range(2_000)
    ]
    listed = []
    for held in (10_000, 5):
        groups = CountedGroups(held)
        for values, one in rows:
            groups.add(values, one)
            assert len(groups._sums) <= held
        listed.append(list(groups))
        groups.close()
    assert listed[0] == listed[1]
    assert len(listed[0]) == 37 * 2
    assert sum(total[0] for _, total in listed[1]) == 2_000
    assert [total[0] for _, total in listed[1]] == sorted(
        (total[0] for _, total in listed[1]), reverse=True
    )


def test_true_and_one_are_two_groups() -> None:
    groups = CountedGroups()
    for value in (True, 1, "1", None):
        groups.add([value], (1, 0, "", ""))
    assert len(list(groups)) == 4


def test_a_number_more_is_one_entry_and_in_every_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = counts.Total(
        Field("longest_bytes", "LONGEST"), attrgetter("length_bytes"), max, int, 0
    )
    monkeypatch.setattr(counts, "TOTALS", (*counts.TOTALS, longest))
    estate = Estate.create(tmp_path)
    estate.queue("IN")
    estate.put("IN", b"1", b"22", b"333", b"44")
    words = ("-m", "QM1", "-o", "json")
    assert estate.run("msg", "count", "IN", *words).json["items"][0]["longest_bytes"] == 3
    assert estate.run("msg", "count", "I*", *words).json["items"][0]["longest_bytes"] == 3
    grouped = estate.run("msg", "count", "IN", "--by", "length", *words).json["items"]
    assert {item["length"]: item["longest_bytes"] for item in grouped} == {1: 1, 2: 2, 3: 3}


def test_counts_of_queues_warn_of_a_field_that_is_not_there_whenever_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the messages are read before the listing is there."""
    estate = Estate.create(tmp_path)
    estate.queue("IN")
    estate.queue("OUT")
    estate.put("IN", b"1")
    later = counts.groups_of
    monkeypatch.setattr(counts, "groups_of", lambda queued, *rest: later(list(queued), *rest))
    which = build_selection(SelectionOptions(where=("prop.x = 1",)))
    with estate.connected() as backend:
        listing = count_by(backend, ["IN", "OUT"], keys_of("priority"), which)
    assert list(listing.items) == []
    assert len(listing.warnings) == 1
