"""`backout browse --group origin`: whose backout queue it is, and what proves it."""

from __future__ import annotations

import pytest

from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from tests.acceptance.messages.estate import Estate


def sent_to(uri: str) -> bytes:
    """As a JMS client sends: its destination is in jms.Dst."""
    return rfh2.encode(rfh2.build([("jms", {"Dst": uri})], Following("MQSTR", 273, 1208))) + b"x"


def put_jms(estate: Estate, queue: str, *uris: str) -> None:
    bodies = [sent_to(uri) for uri in uris]
    estate.put(queue, *bodies, format="MQHRF2", encoding=273)


@pytest.fixture
def backed(estate: Estate) -> Estate:
    """IN and OUT back out to BO, OUT through an alias."""
    estate.queue("BO")
    with estate.connected() as backend:
        backend.define("QALIAS", "BO.ALIAS", {"TARGET": "BO"})
        backend.define("QALIAS", "ORDERS", {"TARGET": "OUT"})
    estate.alter("IN", BOTHRESH=3, BOQNAME="BO")
    return estate


def rows(estate: Estate, queue: str = "BO") -> list[tuple[str, str, int]]:
    ran = estate.run("backout", "browse", queue, "--group", "origin", "-o", "json")
    assert ran.code == 0, ran.err
    return [(it["queue"], it["origin_sure"], it["message_count"]) for it in ran.json["items"]]


def test_the_only_queue_that_backs_out_there_is_likely(backed: Estate) -> None:
    assert rows(backed) == [("IN", "likely", 0)]


def test_messages_without_a_destination_are_of_the_only_queue(backed: Estate) -> None:
    """What requeue --to origin moves is SURE, with --accept-likely MESSAGES."""
    put_jms(backed, "BO", "queue://QM1/IN", "queue:///BO", "queue://QM1/ELSEWHERE")
    backed.put("BO", b"plain")
    assert rows(backed) == [("IN", "sure", 3), ("ELSEWHERE", "unknown", 1)]
    items = backed.run("backout", "browse", "BO", "--group", "origin", "-o", "json").json["items"]
    assert [item["sure_count"] for item in items] == [1, 0]
    assert items[0]["evidence"][-1] == (
        "the only such queue, for 2 messages with no JMS destination other than this queue"
    )
    argv = ("backout", "requeue", "BO", "--to", "origin", "-n", "-o", "json")
    for words, count in (((), 1), (("--accept-likely",), 3)):
        facts = backed.run(*argv, *words).json["item"]["facts"]
        assert facts["origins"] == {"IN": count}


def test_several_queues_without_a_message_that_tells_are_unknown(backed: Estate) -> None:
    backed.alter("OUT", BOTHRESH=3, BOQNAME="BO.ALIAS")
    backed.put("BO", b"plain")
    assert rows(backed) == [("IN", "unknown", 0), ("OUT", "unknown", 0)]


def test_a_destination_in_the_messages_makes_it_sure(backed: Estate) -> None:
    backed.alter("OUT", BOTHRESH=3, BOQNAME="BO.ALIAS")
    put_jms(backed, "BO", "queue://QM1/OUT", "queue:///OUT?persistence=2", "queue://QM1/IN")
    assert rows(backed) == [("IN", "sure", 1), ("OUT", "sure", 2)]


def test_the_aliases_on_both_ways_are_evidence(backed: Estate) -> None:
    backed.alter("OUT", BOTHRESH=3, BOQNAME="BO.ALIAS")
    put_jms(backed, "BO", "queue://QM1/ORDERS")
    items = backed.run("backout", "browse", "BO", "--group", "origin", "-o", "json").json["items"]
    assert items[1]["evidence"] == [
        "BOQNAME(BO.ALIAS), an alias of BO",
        "JMS destination of 1 message, through ORDERS",
    ]


def test_an_alias_of_the_backout_queue_stands_for_it(backed: Estate) -> None:
    assert rows(backed, "BO.ALIAS") == [("IN", "likely", 0)]


def test_a_destination_that_does_not_back_out_there_is_listed_as_unknown(backed: Estate) -> None:
    put_jms(backed, "BO", "queue://QM1/ELSEWHERE", "queue://QM1/OUT")
    assert rows(backed)[1:] == [("ELSEWHERE", "unknown", 1), ("OUT", "unknown", 1)]


def test_a_queue_that_nobody_backs_out_to_has_no_origin(backed: Estate) -> None:
    ran = backed.run("backout", "browse", "OUT", "--group", "origin")
    assert ran.code == 0
    assert "no queue on this queue manager has a BOQNAME" in ran.err


def test_a_selection_says_which_messages_are_counted(backed: Estate) -> None:
    put_jms(backed, "BO", "queue://QM1/IN", "queue://QM1/IN")
    ran = backed.run("backout", "browse", "BO", "--group", "origin", "--limit", "1", "-o", "json")
    assert [item["message_count"] for item in ran.json["items"]] == [1]
