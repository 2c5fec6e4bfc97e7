"""From MQSC to an estate: what a queue manager would have after the script."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from mqtriage.definitions.estate import Estate, Location
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.security.authority_records import AuthorityRecord, RecordIndex


def estate_of(*texts: str) -> Estate:
    builder = EstateBuilder()
    for number, text in enumerate(texts, 1):
        builder.run(parse(text, file=f"{number}.mqsc"))
    return builder.estate()


def attribute(estate: Estate, queue: str, keyword: str) -> object:
    return estate.queues[queue].attributes.get(keyword)


def test_a_define_has_ibms_defaults() -> None:
    estate = estate_of("DEFINE QLOCAL(A) MAXDEPTH(7)")
    assert attribute(estate, "A", "MAXDEPTH") == 7
    assert attribute(estate, "A", "MAXMSGL") == 4_194_304
    assert attribute(estate, "A", "BOQNAME") == ""


def test_a_define_has_the_defaults_of_the_scripts_own_default_queue() -> None:
    estate = estate_of("ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9)\nDEFINE QLOCAL(A)")
    assert attribute(estate, "A", "MAXDEPTH") == 9
    assert attribute(estate, "A", "MAXMSGL") == 4_194_304


def test_an_altered_queue_is_known_in_what_is_altered_only() -> None:
    estate = estate_of("ALTER QLOCAL(A) BOTHRESH(3)")
    assert dict(estate.queues["A"].attributes) == {"BOTHRESH": 3}


def test_replace_gives_every_attribute_anew() -> None:
    estate = estate_of("DEFINE QLOCAL(A) MAXDEPTH(7)\nDEFINE QLOCAL(A) MAXMSGL(5) REPLACE")
    assert attribute(estate, "A", "MAXDEPTH") == 5000
    assert attribute(estate, "A", "MAXMSGL") == 5


def test_a_second_define_is_refused_and_changes_nothing() -> None:
    estate = estate_of("DEFINE QLOCAL(A) MAXDEPTH(7)", "DEFINE QLOCAL(A) MAXDEPTH(8)")
    assert attribute(estate, "A", "MAXDEPTH") == 7
    assert [(r.place, r.first) for r in estate.refused] == [
        (Location("2.mqsc", 1, 1), Location("1.mqsc", 1, 1))
    ]


@pytest.mark.parametrize("between", ["\n", "another script"])
def test_an_alter_before_the_define_is_refused_as_on_a_new_queue_manager(between: str) -> None:
    texts = ["ALTER QLOCAL(A) BOTHRESH(99)", "DEFINE QLOCAL(A) BOTHRESH(3)"]
    estate = estate_of(*([between.join(texts)] if between == "\n" else texts))
    assert attribute(estate, "A", "BOTHRESH") == 3
    (refused,) = estate.refused
    assert refused.place == Location("1.mqsc", 1, 1)


def test_a_define_with_replace_forgets_what_was_altered_before() -> None:
    estate = estate_of("ALTER QLOCAL(A) BOTHRESH(99)", "DEFINE QLOCAL(A) REPLACE")
    assert attribute(estate, "A", "BOTHRESH") == 0
    assert not estate.refused


def test_replace_of_another_type_is_refused() -> None:
    estate = estate_of("DEFINE QLOCAL(A)\nDEFINE QALIAS(A) TARGET(B) REPLACE")
    assert estate.queues["A"].kind == "QLOCAL"
    assert len(estate.refused) == 1


def test_like_copies_and_of_an_unknown_queue_nothing_is_known() -> None:
    estate = estate_of(
        "DEFINE QLOCAL(A) MAXDEPTH(7)\nDEFINE QLOCAL(B) LIKE(A)\nDEFINE QLOCAL(C) LIKE(X)"
    )
    assert attribute(estate, "B", "MAXDEPTH") == 7
    assert dict(estate.queues["C"].attributes) == {}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_like_copies_whichever_script_defines_its_model(order: Sequence[int]) -> None:
    scripts = [
        "DEFINE QLOCAL(A) LIKE(B) MAXDEPTH(7)",
        "DEFINE QLOCAL(B) LIKE(C) DESCR('{{text}}') GET(DISABLED)",
        "DEFINE QLOCAL(C) BOTHRESH(5) DESCR('c') MAXDEPTH(9)",
    ]
    estate = estate_of(*(scripts[n] for n in order))
    for keyword, value in (("BOTHRESH", 5), ("MAXDEPTH", 7), ("GET", "DISABLED"), ("DESCR", None)):
        assert attribute(estate, "A", keyword) == value, keyword
    assert attribute(estate, "B", "MAXDEPTH") == 9


def test_like_of_what_is_altered_first_and_defined_later_copies_the_definition() -> None:
    estate = estate_of(
        "ALTER QLOCAL(B) BOTHRESH(4)", "DEFINE QLOCAL(A) LIKE(B)", "DEFINE QLOCAL(B) MAXDEPTH(9)"
    )
    assert attribute(estate, "A", "BOTHRESH") == 0
    assert attribute(estate, "A", "MAXDEPTH") == 9


def test_likes_in_a_circle_of_another_type_or_no_longer_there_copy_nothing_unknown() -> None:
    estate = estate_of("DEFINE QLOCAL(A) LIKE(B)", "DEFINE QLOCAL(B) LIKE(A) BOTHRESH(2)")
    assert attribute(estate, "A", "BOTHRESH") == 2
    estate = estate_of("DEFINE QLOCAL(A) LIKE(B)", "DEFINE QMODEL(B) BOTHRESH(2)")
    assert attribute(estate, "A", "BOTHRESH") is None
    estate = estate_of("DEFINE QLOCAL(A) LIKE(B)\nDELETE QLOCAL(A)\nDEFINE QLOCAL(B)\n")
    assert list(estate.queues) == ["B"]
    assert (
        attribute(
            estate_of("DEFINE QL(A) LIKE(B)", "DEFINE QL(A) REPLACE", "DEFINE QL(B) BOTHRESH(2)"),
            "A",
            "BOTHRESH",
        )
        == 0
    )


def test_a_long_chain_of_likes_in_the_wrong_order_is_followed() -> None:
    lines = [f"DEFINE QLOCAL(A{n}) LIKE(A{n + 1})" for n in range(3000)]
    estate = estate_of("\n".join(lines), "DEFINE QLOCAL(A3000) BOTHRESH(5)")
    assert attribute(estate, "A0", "BOTHRESH") == 5


def test_a_client_connection_channel_is_like_one_of_its_own_names() -> None:
    both = [
        "DEFINE CHANNEL(A) CHLTYPE(CLNTCONN) LIKE(T)",
        "DEFINE CHANNEL(T) CHLTYPE(SVRCONN) MAXMSGL(9)\n"
        "DEFINE CHANNEL(T) CHLTYPE(CLNTCONN) CONNAME(h) MAXMSGL(8)",
    ]
    for scripts in (both, both[::-1]):
        assert estate_of(*scripts).objects("CLNTCONN")["A"].attributes["MAXMSGL"] == 8


def test_a_deleted_queue_is_gone_and_can_be_defined_again() -> None:
    estate = estate_of("DEFINE QLOCAL(A)\nDELETE QLOCAL(A)\nDELETE QLOCAL(B)\nDEFINE QLOCAL(B)")
    assert list(estate.queues) == ["B"]
    assert list(estate.deleted) == ["A"]
    assert estate.refused == ()


def test_nothing_behind_end_counts() -> None:
    assert list(estate_of("DEFINE QLOCAL(A)\nEND\nDEFINE QLOCAL(B)").queues) == ["A"]


@pytest.mark.parametrize("value", ["'+QMNAME+.BO'", "'{{ .Boq }}'", "'$BOQ'", "'A B'"])
def test_a_value_that_cannot_be_read_is_not_known(value: str) -> None:
    estate = estate_of(f"DEFINE QLOCAL(A) BOQNAME({value}) MAXDEPTH(7)")
    assert attribute(estate, "A", "BOQNAME") is None
    assert attribute(estate, "A", "MAXDEPTH") == 7


def test_a_placeholder_without_quotes_is_a_value_that_is_not_known() -> None:
    """As one in quotes: the rest of the command counts, at the places that it has."""
    for value in ("{{ x }}", "{{ x['a'] | int(3) }}", "${X}", "$X", "1{{ x }}0"):
        estate = estate_of(
            f"DEFINE QLOCAL(A) MAXDEPTH({value}) BOTHRESH(3)",
            f"DEFINE QLOCAL({value}) +\n   MAXDEPTH(5) +\n   BOTHRESH({value})\nDEFINE QLOCAL(B)",
        )
        assert attribute(estate, "A", "MAXDEPTH") is None, value
        assert attribute(estate, "A", "BOTHRESH") == 3, value
        line = f"DEFINE QLOCAL(A) MAXDEPTH({value}) "
        assert estate.queues["A"].place("BOTHRESH") == Location("1.mqsc", 1, len(line) + 1), value
        assert sorted(estate.queues) == sorted(["A", "B", value]), value
        assert attribute(estate, value, "MAXDEPTH") == 5
        assert attribute(estate, value, "BOTHRESH") is None


def test_a_placeholder_that_may_be_any_attributes_leaves_all_unknown() -> None:
    estate = estate_of("DEFINE QLOCAL(A) {{ more }} BOTHRESH(3)")
    assert estate.queues["A"].attributes == {}


def test_a_name_of_a_placeholder_is_not_refused_as_defined_already() -> None:
    """It is the variable of a loop, or has another value by then."""
    twice = "DEFINE QLOCAL({{ n }})\nDEFINE QLOCAL({{ n }})\nDEFINE QALIAS($N)\nDEFINE QLOCAL($N)\n"
    assert estate_of(twice).refused == ()


def test_the_place_of_an_attribute_is_where_it_was_given_last() -> None:
    estate = estate_of(
        "DEFINE QLOCAL(A) +\n  BOTHRESH(3) +\n  NOSHARE", "ALTER QLOCAL(A) MAXDEPTH(4)"
    )
    queue = estate.queues["A"]
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
    assert estate_of(text).platform == platform


def test_the_comments_that_a_dump_starts_with_say_whose_it_is() -> None:
    estate = estate_of(
        "* Script generated on 2026-01-02 at 10.00.00\n* Queue manager name: QM7\n"
        "* Queue manager platform: MVS\n* Queue manager command level: (935)\nDEFINE QLOCAL(A)"
    )
    assert (estate.queue_manager, estate.platform, estate.stated_level) == ("QM7", "zos", 935)
    assert attribute(estate, "A", "INDXTYPE") == "NONE"


def test_on_zos_the_defaults_are_those_of_zos() -> None:
    estate = estate_of("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) STGCLASS(X)")
    assert attribute(estate, "A", "MAXDEPTH") == 999_999_999


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (["AUTHADD(PUT)", "AUTHADD(GET,INQ)"], {"PUT", "GET", "INQ"}),
        (["AUTHADD(PUT,GET)", "AUTHRMV(PUT)"], {"GET"}),
        (["AUTHADD(PUT)", "AUTHRMV(ALL)"], set()),
        (["AUTHADD(PUT)", "AUTHADD(NONE)"], set()),
        (["AUTHADD(GET)", "AUTHADD(PUT) AUTHRMV(ALL)"], {"PUT"}),
        (["AUTHADD(DSP,PUT)", "AUTHRMV(ALLMQI)"], {"DSP"}),
        (["AUTHADD(ALL)", "AUTHRMV(ALLMQI)"], {"CHG", "CLR", "CRT", "DLT", "DSP"}),
        (["AUTHADD(ALL)", "AUTHRMV(ALLMQI,ALLADM)"], set()),
    ],
)
def test_authority_is_added_and_removed(commands: list[str], words: set[str]) -> None:
    head = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') "
    estate = estate_of("\n".join(head + command for command in commands))
    assert estate.authorities is not None
    (record,) = estate.authorities
    assert (record.profile, record.entity) == ("Q", "GROUP(g)")
    assert record.authorities == words


def test_one_word_out_of_allmqi_leaves_the_others() -> None:
    head = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') "
    estate = estate_of(f"{head} AUTHADD(ALLMQI)\n{head} AUTHRMV(GET)")
    assert estate.authorities is not None
    (record,) = estate.authorities
    assert "GET" not in record.authorities
    assert "PUT" in record.authorities


def test_a_deleted_record_is_gone_and_without_any_command_nothing_is_known() -> None:
    record = "AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g')"
    assert estate_of(f"SET {record} AUTHADD(PUT)\nDELETE {record}").authorities == {}
    assert estate_of("DEFINE QLOCAL(A)").authorities is None


@pytest.mark.parametrize(
    ("queue", "profile"),
    [
        ("A.B", "A.B"),
        ("A.C", "A.*"),
        ("A.C.D", "A.**"),
        ("A", "A.**"),
        ("AX", "**"),
        ("B.12", "B.*2"),
    ],
)
def test_the_most_specific_profile_counts(queue: str, profile: str) -> None:
    profiles = ("**", "A.**", "A.*", "A.B", "B.*", "B.*2")
    index = RecordIndex(AuthorityRecord(p, "QUEUE", "GROUP(g)") for p in profiles)
    record = index.of("GROUP(g)", queue)
    assert record is not None
    assert record.profile == profile
    assert index.of("GROUP(other)", queue) is None


def test_a_local_queue_is_found_through_one_alias_and_not_through_two() -> None:
    estate = estate_of(
        "DEFINE QLOCAL(Q)\nDEFINE QALIAS(A) TARGET(Q)\nDEFINE QALIAS(B) TARGET(A)\n"
        "DEFINE QALIAS(T) TARGET(Q) TARGTYPE(TOPIC)\nDEFINE QREMOTE(R) RNAME(Q)"
    )
    resolves = {name: estate.local(name) is not None for name in "QABTRX"}
    assert resolves == {"Q": True, "A": True, "B": False, "T": False, "R": False, "X": False}
