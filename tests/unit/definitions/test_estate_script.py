"""From MQSC to an estate: what a queue manager would have after the script."""

from __future__ import annotations

import pytest

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.security.authority_records import AuthorityRecord, RecordIndex


def estate(*texts: str) -> Estate:
    builder = EstateBuilder()
    for number, text in enumerate(texts, 1):
        builder.run(parse(text, file=f"{number}.mqsc"))
    return builder.estate()


def attribute(made: Estate, queue: str, keyword: str) -> object:
    return made.queues[queue].attributes.get(keyword)


def test_a_define_has_ibms_defaults() -> None:
    made = estate("DEFINE QLOCAL(A) MAXDEPTH(7)")
    assert attribute(made, "A", "MAXDEPTH") == 7
    assert attribute(made, "A", "MAXMSGL") == 4_194_304
    assert attribute(made, "A", "BOQNAME") == ""


def test_a_define_has_the_defaults_of_the_scripts_own_default_queue() -> None:
    made = estate("ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9)\nDEFINE QLOCAL(A)")
    assert attribute(made, "A", "MAXDEPTH") == 9
    assert attribute(made, "A", "MAXMSGL") == 4_194_304


def test_an_altered_queue_is_known_in_what_is_altered_only() -> None:
    made = estate("ALTER QLOCAL(A) BOTHRESH(3)")
    assert dict(made.queues["A"].attributes) == {"BOTHRESH": 3}


def test_replace_gives_every_attribute_anew() -> None:
    made = estate("DEFINE QLOCAL(A) MAXDEPTH(7)\nDEFINE QLOCAL(A) MAXMSGL(5) REPLACE")
    assert attribute(made, "A", "MAXDEPTH") == 5000
    assert attribute(made, "A", "MAXMSGL") == 5


def test_a_second_define_is_refused_and_changes_nothing() -> None:
    made = estate("DEFINE QLOCAL(A) MAXDEPTH(7)", "DEFINE QLOCAL(A) MAXDEPTH(8)")
    assert attribute(made, "A", "MAXDEPTH") == 7
    assert [(r.place, r.first) for r in made.refused] == [
        (Location("2.mqsc", 1, 1), Location("1.mqsc", 1, 1))
    ]


def test_replace_of_another_type_is_refused() -> None:
    made = estate("DEFINE QLOCAL(A)\nDEFINE QALIAS(A) TARGET(B) REPLACE")
    assert made.queues["A"].kind == "QLOCAL"
    assert len(made.refused) == 1


def test_like_copies_and_of_an_unknown_queue_nothing_is_known() -> None:
    made = estate(
        "DEFINE QLOCAL(A) MAXDEPTH(7)\nDEFINE QLOCAL(B) LIKE(A)\nDEFINE QLOCAL(C) LIKE(X)"
    )
    assert attribute(made, "B", "MAXDEPTH") == 7
    assert dict(made.queues["C"].attributes) == {}


def test_a_deleted_queue_is_gone_and_can_be_defined_again() -> None:
    made = estate("DEFINE QLOCAL(A)\nDELETE QLOCAL(A)\nDELETE QLOCAL(B)\nDEFINE QLOCAL(B)")
    assert list(made.queues) == ["B"]
    assert list(made.deleted) == ["A"]
    assert made.refused == ()


def test_nothing_behind_end_counts() -> None:
    assert list(estate("DEFINE QLOCAL(A)\nEND\nDEFINE QLOCAL(B)").queues) == ["A"]


@pytest.mark.parametrize("value", ["'+QMNAME+.BO'", "'{{ .Boq }}'", "'$BOQ'", "'A B'"])
def test_a_value_that_cannot_be_read_is_not_known(value: str) -> None:
    made = estate(f"DEFINE QLOCAL(A) BOQNAME({value}) MAXDEPTH(7)")
    assert attribute(made, "A", "BOQNAME") is None
    assert attribute(made, "A", "MAXDEPTH") == 7


def test_the_place_of_an_attribute_is_where_it_was_given_last() -> None:
    made = estate("DEFINE QLOCAL(A) +\n  BOTHRESH(3) +\n  NOSHARE", "ALTER QLOCAL(A) MAXDEPTH(4)")
    queue = made.queues["A"]
    assert queue.place("BOTHRESH") == Location("1.mqsc", 2, 3)
    assert queue.place("SHARE") == Location("1.mqsc", 3, 3)
    assert queue.place("MAXDEPTH") == Location("2.mqsc", 1, 17)
    assert queue.place("MAXMSGL") == Location("2.mqsc", 1, 1)


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("DEFINE QLOCAL(A)", None),
        ("DEFINE QLOCAL(A) STGCLASS(X)", "zos"),
        ("DEFINE STGCLASS(X) PSID(04)", "zos"),
        ("DEFINE QLOCAL(A) NPMCLASS(HIGH)", "dist"),
        ("DISPLAY USAGE", None),
    ],
)
def test_the_platform_is_told_by_what_one_alone_has(text: str, platform: str | None) -> None:
    assert estate(text).platform == platform


def test_the_comments_that_a_dump_starts_with_say_whose_it_is() -> None:
    told = estate(
        "* Script generated on 2026-01-02 at 10.00.00\n* Queue manager name: QM7\n"
        "* Queue manager platform: MVS\n* Queue manager command level: (935)\nDEFINE QLOCAL(A)"
    )
    assert (told.queue_manager, told.platform, told.stated_level) == ("QM7", "zos", 935)
    assert attribute(told, "A", "INDXTYPE") == "NONE"


def test_on_zos_the_defaults_are_those_of_zos() -> None:
    made = estate("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) STGCLASS(X)")
    assert attribute(made, "A", "MAXDEPTH") == 999_999_999


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (["AUTHADD(PUT)", "AUTHADD(GET,INQ)"], {"PUT", "GET", "INQ"}),
        (["AUTHADD(PUT,GET)", "AUTHRMV(PUT)"], {"GET"}),
        (["AUTHADD(PUT)", "AUTHRMV(ALL)"], set()),
        (["AUTHADD(PUT)", "AUTHADD(NONE)"], set()),
        (["AUTHADD(GET)", "AUTHADD(PUT) AUTHRMV(ALL)"], {"PUT"}),
        (["AUTHADD(DSP,PUT)", "AUTHRMV(ALLMQI)"], {"DSP"}),
    ],
)
def test_authority_is_added_and_removed(commands: list[str], words: set[str]) -> None:
    head = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') "
    made = estate("\n".join(head + command for command in commands))
    assert made.authorities is not None
    (record,) = made.authorities
    assert (record.profile, record.entity) == ("Q", "GROUP(g)")
    assert record.authorities == words


def test_one_word_out_of_allmqi_leaves_the_others() -> None:
    head = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') "
    made = estate(f"{head} AUTHADD(ALLMQI)\n{head} AUTHRMV(GET)")
    assert made.authorities is not None
    (record,) = made.authorities
    assert not record.allows("GET")
    assert record.allows("PUT")


def test_a_deleted_record_is_gone_and_without_any_command_nothing_is_known() -> None:
    record = "AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g')"
    assert estate(f"SET {record} AUTHADD(PUT)\nDELETE {record}").authorities == {}
    assert estate("DEFINE QLOCAL(A)").authorities is None


@pytest.mark.parametrize(
    ("queue", "profile"),
    [
        ("A.B", "A.B"),
        ("A.C", "A.*"),
        ("A.C.D", "A.**"),
        ("A", "A.**"),
        ("AX", "**"),
    ],
)
def test_the_most_specific_profile_counts(queue: str, profile: str) -> None:
    profiles = ("**", "A.**", "A.*", "A.B")
    index = RecordIndex(AuthorityRecord(p, "QUEUE", "GROUP(g)") for p in profiles)
    found = index.of("GROUP(g)", queue)
    assert found is not None
    assert found.profile == profile
    assert index.of("GROUP(other)", queue) is None


def test_a_local_queue_is_found_through_one_alias_and_not_through_two() -> None:
    made = estate(
        "DEFINE QLOCAL(Q)\nDEFINE QALIAS(A) TARGET(Q)\nDEFINE QALIAS(B) TARGET(A)\n"
        "DEFINE QALIAS(T) TARGET(Q) TARGTYPE(TOPIC)\nDEFINE QREMOTE(R) RNAME(Q)"
    )
    found = {name: made.local(name) is not None for name in "QABTRX"}
    assert found == {"Q": True, "A": True, "B": False, "T": False, "R": False, "X": False}
