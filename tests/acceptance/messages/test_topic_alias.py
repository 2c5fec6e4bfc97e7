"""An alias of a topic: what is put there is published, and nothing can be read from it."""

from __future__ import annotations

import pytest

from mqtriage.mq.headers import dlh
from tests.acceptance.messages.estate import STAGING, Estate


def mqsc(estate: Estate, *commands: str) -> None:
    script = estate.folder / "commands.mqsc"
    script.write_text("\n".join(commands))
    assert estate.run("mqsc", str(script), "-m", "QM1", "--yes").code == 0


@pytest.fixture
def news(estate: Estate) -> Estate:
    """TA is an alias of the topic NEWS, whose subscriber's queue is OUT."""
    mqsc(
        estate,
        "DEFINE TOPIC(NEWS) TOPICSTR('news') PMSGDLV(ALLAVAIL) NPMSGDLV(ALLAVAIL)",
        "DEFINE SUB(S1) TOPICOBJ(NEWS) DEST(OUT)",
        "DEFINE QALIAS(TA) TARGET(NEWS) TARGTYPE(TOPIC)",
    )
    return estate


def test_what_is_put_copied_and_moved_there_is_published(news: Estate) -> None:
    news.put("IN", b"one", b"two")
    for argv, count in (
        (("msg", "put", "TA", "zero"), 1),
        (("msg", "copy", "IN", "--to", "TA"), 3),
        (("msg", "move", "IN", "--to", "TA"), 5),
    ):
        ran = news.run(*argv, "--yes")
        assert (ran.code, len(news.messages("OUT"))) == (0, count), ran.err
    assert news.messages("IN") == []


def test_a_move_that_is_backed_out_publishes_nothing(news: Estate) -> None:
    news.put("IN", b"one", b"two")
    news.alter("OUT", MAXDEPTH=1)
    mqsc(news, "ALTER TOPIC(NEWS) PMSGDLV(ALL) NPMSGDLV(ALL)")
    ran = news.run("msg", "move", "IN", "--to", "TA", "--yes")
    assert ran.code == 3
    assert (len(news.messages("IN")), len(news.messages("OUT"))) == (1, 1)


def test_a_delayed_put_is_published_for_its_subscribers_when_it_is_due(news: Estate) -> None:
    assert news.run("msg", "put", "TA", "later", "--delay", "1m", "--yes").code == 0
    assert (len(news.messages(STAGING)), news.messages("OUT")) == (1, [])
    news.advance(61)
    assert (news.messages(STAGING), len(news.messages("OUT"))) == ([], 1)


def test_a_delayed_message_is_published_where_its_alias_became_that_of_a_topic(
    news: Estate,
) -> None:
    news.queue("DEAD")
    news.alter("QM1", DEADQ="DEAD")
    with news.connected() as backend:
        backend.define("QALIAS", "LATER", {"TARGET": "IN"})
    news.delayed("LATER", b"one", delay_ms=60_000)
    mqsc(news, "ALTER QALIAS(LATER) TARGET(NEWS) TARGTYPE(TOPIC)")
    news.advance(61)
    assert [len(news.messages(name)) for name in (STAGING, "OUT", "DEAD")] == [0, 1, 0]


@pytest.mark.parametrize(
    "argv",
    [
        "msg browse",
        "msg count",
        "expiry browse",
        "queue status",
        "queue status --handles",
        "msg purge",
    ],
)
def test_what_reads_or_removes_says_that_it_leads_to_a_topic(news: Estate, argv: str) -> None:
    ran = news.run(*argv.split(), "TA")
    assert ran.code == 1
    assert "TA is an alias of the topic NEWS, which holds no messages" in ran.err
    assert "hint: its publications are on the queues of its subscribers" in ran.err


def test_a_backout_queue_that_is_an_alias_of_a_topic_is_refused_for_what_it_is(
    news: Estate,
) -> None:
    ran = news.run("backout", "set", "IN", "--threshold", "3", "--boq", "TA", "--yes")
    assert ran.code == 8
    assert "TA) is an alias of the topic NEWS: poison messages would be published" in ran.err


def test_an_alias_of_a_topic_that_is_not_there_is_an_error(news: Estate) -> None:
    mqsc(news, "DEFINE QALIAS(TB) TARGET(NONE) TARGTYPE(TOPIC)")
    ran = news.run("msg", "put", "TB", "one", "--yes")
    assert ran.code == 5
    assert "MQRC_UNKNOWN_ALIAS_BASE_Q (2082): TB is an alias of NONE, which does not" in ran.err


def test_a_topic_that_is_shut_says_so_in_the_words_of_topics(news: Estate) -> None:
    mqsc(news, "ALTER TOPIC(NEWS) PUB(DISABLED)")
    ran = news.run("msg", "put", "TA", "one", "--yes")
    assert (ran.code, "news has PUB(DISABLED)" in ran.err) == (1, True), ran.err
    assert "hint: ALTER TOPIC(NAME) PUB(ENABLED)" in ran.err


@pytest.mark.parametrize("topic", ["NEWS", "ABOVE", "SYSTEM.BASE.TOPIC"])
def test_a_rehearsal_says_that_a_topic_or_one_above_it_is_shut(news: Estate, topic: str) -> None:
    mqsc(
        news,
        "DEFINE TOPIC(ABOVE) TOPICSTR('all/of')",
        "DEFINE TOPIC(BELOW) TOPICSTR('all/of/it')",
        "DEFINE QALIAS(TB) TARGET(BELOW) TARGTYPE(TOPIC)",
        f"ALTER TOPIC({topic}) PUB(DISABLED)",
    )
    alias = "TA" if topic == "NEWS" else "TB"
    news.put("IN", dlh.encode(dlh.DLH(2053, alias, "QM1", format="MQSTR")) + b"x", format="MQDEAD")
    rules = news.folder / "all.rules"
    rules.write_text(f"ACTION(FWD) FWDQ({alias}) HEADER(NO)\n")
    for argv in (
        ("msg", "put", alias, "x"),
        ("msg", "put", alias, "x", "--delay", "1m"),
        ("msg", "move", "IN", "--to", alias),
        ("msg", "copy", "IN", "--to", alias),
        ("dlq", "run", "IN", "-f", str(rules)),
    ):
        ran = news.run(*argv, "-n")
        assert f"{topic} has PUB(DISABLED)" in ran.out + ran.err, argv
    mqsc(news, "ALTER TOPIC(BELOW) PUB(ENABLED)", "ALTER TOPIC(NEWS) PUB(ENABLED)")
    assert "PUB(DISABLED)" not in news.run("msg", "put", alias, "x", "-n").out


def test_a_rehearsal_says_that_a_topic_takes_no_delayed_publication(news: Estate) -> None:
    """IBM MQ, reason code 2502: what SYSTEM.BASE.TOPIC says unless a topic says otherwise."""
    mqsc(news, "ALTER TOPIC(NEWS) PMSGDLV(ASPARENT)")
    for persistence, fails in (("--persistent", True), ("--not-persistent", False)):
        argv = ("msg", "put", "TA", "x", "--delay", "1m", persistence)
        ran = news.run(*argv, "-n")
        text = "SYSTEM.BASE.TOPIC has PMSGDLV(ALLDUR), and a delay requires ALLAVAIL"
        assert (text in ran.out + ran.err) == fails, ran.out
        assert ("would fail" in ran.out) == fails
        assert (news.run(*argv, "--yes").code != 0) == fails
    assert "would fail" not in news.run("msg", "put", "TA", "x", "-n").out


def test_an_alias_of_a_topic_with_put_disabled_publishes_nothing(news: Estate) -> None:
    news.queue("DEAD")
    news.alter("QM1", DEADQ="DEAD")
    mqsc(news, "DEFINE QALIAS(TB) TARGET(IN)")
    assert news.run("msg", "put", "TB", "later", "--delay", "1m", "--yes").code == 0
    mqsc(
        news,
        "ALTER QALIAS(TA) PUT(DISABLED)",
        "ALTER QALIAS(TB) TARGET(NEWS) TARGTYPE(TOPIC) PUT(DISABLED)",
    )
    assert "TA has PUT(DISABLED)" in news.run("msg", "put", "TA", "x", "-n").out
    for more in ((), ("--delay", "1m")):
        ran = news.run("msg", "put", "TA", "x", *more, "--yes")
        assert (ran.code, "(2051): TA has PUT(DISABLED)" in ran.err) == (1, True), ran.err
    news.advance(61)
    assert (news.messages("OUT"), len(news.messages("DEAD"))) == ([], 1)


def test_a_move_to_a_topic_can_be_verified_and_its_undo_says_why_not(news: Estate) -> None:
    news.put("IN", b"one")
    assert news.run("msg", "move", "IN", "--to", "TA", "--yes").code == 0
    assert news.run("journal", "verify").code == 0
    ran = news.run("journal", "undo", "--yes")
    assert (ran.code, len(news.messages("IN")), len(news.messages("OUT"))) == (3, 0, 1)
    assert "1 cannot be undone: TA cannot be browsed" in ran.err


@pytest.mark.parametrize("cap", ["CAPEXPRY(600)", "CUSTOM('CAPEXPRY(600)')"])
@pytest.mark.parametrize(
    "argv", [("msg", "put", "TA", "later"), ("msg", "move", "IN", "--to", "TA")]
)
def test_a_topic_that_shortens_lives_is_named(
    news: Estate, argv: tuple[str, ...], cap: str
) -> None:
    news.put("IN", b"one")
    mqsc(news, f"ALTER TOPIC(NEWS) {cap}")
    ran = news.run(*argv, "--dry-run")
    warning = "topic NEWS has CAPEXPRY(600): messages put there expire after 1m00s at most"
    assert warning in ran.out + ran.err
