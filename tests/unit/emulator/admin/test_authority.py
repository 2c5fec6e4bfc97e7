"""Authority records, the checks at open and put, the call log; DD-37 to DD-41, DD-50."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.emulator.core import authority, call_log
from mqtriage.emulator.core.tables import authority as authority_table
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NotAuthorized, UsageError
from tests.support import logged_calls
from tests.unit.emulator.conftest import STAGING, Lab, message


def grant(
    lab: Lab, *words: str, profile: str = "Q1", user: str = "app", type: str = "QUEUE"
) -> None:
    authority_records.set_record(lab.mq.manager, type, profile, principal=user, add=words)


@pytest.fixture(autouse=True)
def connectable(lab: Lab) -> None:
    authority_records.set_record(lab.mq.manager, "QMGR", principal="app", add=["CONNECT"])


@pytest.mark.seed("DD-37", "DD-38", "DD-39")
def test_a_delayed_send_needs_authority_on_its_target_alone(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    grant(lab, "PUT")
    app = lab.connect_as("app")
    app.put_delayed("Q1", message(), b"", 1000)
    assert lab.depth(STAGING) == 1
    with pytest.raises(NotAuthorized, match="app lacks PUT authority on queue Q2") as error:
        app.put_delayed("Q2", message(), b"", 1000)
    assert error.value.reason == 2035
    assert (
        error.value.hint == "SET AUTHREC PROFILE(Q2) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)"
    )
    assert lab.depth(STAGING) == 1
    with pytest.raises(NotAuthorized, match=STAGING):
        app.open(STAGING, cmqc.MQOO_BROWSE)


@pytest.mark.seed("DD-40", "DD-41")
def test_the_queue_manager_opens_the_target_and_no_authority_is_checked_then(lab: Lab) -> None:
    lab.local("Q1")
    grant(lab, "PUT")
    lab.switch("call_log", "on")
    app = lab.connect_as("app")
    app.put_delayed("Q1", message(), b"", 1000)
    authority_records.set_record(lab.mq.manager, "QUEUE", "Q1", principal="app", remove=["PUT"])
    logged_calls.clear(lab.mq.manager)
    lab.advance(1)
    assert lab.depth("Q1") == 1
    (call,) = logged_calls.calls(lab.mq.manager, "Q1")
    assert (call.user, call.verb, call.options) == (
        call_log.QUEUE_MANAGER,
        "MQOPEN",
        cmqc.MQOO_OUTPUT,
    )
    with pytest.raises(NotAuthorized):
        app.put_delayed("Q1", message(), b"", 1000)


@pytest.mark.seed("DD-50")
def test_the_call_log_tells_who_opened_what_how_and_is_off_unless_asked_for(lab: Lab) -> None:
    lab.local("Q1")
    assert logged_calls.calls(lab.mq.manager) == []
    lab.switch("call_log", "on")
    handle = lab.mq.open("Q1", cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE)
    handle.close()
    lab.put("Q1")
    calls = [
        (c.user, c.verb, c.object, c.options) for c in logged_calls.calls(lab.mq.manager, "Q1")
    ]
    assert calls == [
        ("tester", "MQOPEN", "Q1", cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE),
        ("tester", "MQCLOSE", "Q1", cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE),
        ("tester", "MQPUT1", "Q1", 0),
    ]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (cmqc.MQOO_INPUT_SHARED, "GET"),
        (cmqc.MQOO_BROWSE, "BROWSE"),
        (cmqc.MQOO_OUTPUT, "PUT"),
        (cmqc.MQOO_INQUIRE, "INQ"),
        (cmqc.MQOO_SET, "SET"),
        (cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT, "PASSALL"),
    ],
)
def test_each_open_option_needs_its_authority(lab: Lab, options: int, word: str) -> None:
    lab.local("Q1")
    others = {"GET", "BROWSE", "PUT", "INQ", "SET", "PASSALL"} - {word}
    grant(lab, *others)
    app = lab.connect_as("app")
    with pytest.raises(NotAuthorized, match=f"lacks {word} authority on queue Q1"):
        app.open("Q1", options)
    grant(lab, word)
    app.open("Q1", options)


def test_setting_context_needs_authority_on_queue_and_queue_manager(lab: Lab) -> None:
    lab.local("Q1")
    grant(lab, "PUT", "SETALL")
    app = lab.connect_as("app")
    with pytest.raises(NotAuthorized, match="lacks SETALL authority on queue manager QM1"):
        app.open("Q1", cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT)
    with pytest.raises(NotAuthorized, match="SETALL"):
        app.put1("Q1", message(), b"", cmqc.MQPMO_SET_ALL_CONTEXT)
    authority_records.set_record(lab.mq.manager, "QMGR", principal="app", add=["SETALL"])
    app.put1("Q1", message(), b"", cmqc.MQPMO_SET_ALL_CONTEXT)


def test_the_name_that_was_opened_is_checked_and_not_the_base_queue(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    grant(lab, "PUT", profile="A1")
    app = lab.connect_as("app")
    app.put1("A1", message(), b"")
    with pytest.raises(NotAuthorized, match="Q1"):
        app.put1("Q1", message(), b"")


def test_connecting_needs_connect(lab: Lab) -> None:
    with pytest.raises(NotAuthorized, match="other lacks CONNECT authority on queue manager QM1"):
        lab.connect_as("other")


def test_what_the_groups_of_a_user_may_do_is_added_up(lab: Lab) -> None:
    lab.local("Q1")
    authority_records.set_record(lab.mq.manager, "QUEUE", "Q1", group="readers", add=["GET"])
    authority_records.set_record(lab.mq.manager, "QUEUE", "Q1", group="writers", add=["PUT"])
    lab.connect_as("app", "readers", "writers").open(
        "Q1", cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT
    )
    with pytest.raises(NotAuthorized, match="lacks PUT"):
        lab.connect_as("app", "readers").open("Q1", cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT)


def test_administrators_may_do_all(lab: Lab) -> None:
    lab.local("Q1")
    lab.connect_as("root2", "mqm").open("Q1", cmqc.MQOO_INPUT_SHARED)


def test_the_switch_checks_everybody_but_the_owner_of_the_file(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1")
    lab.switch("authority", "on")
    with pytest.raises(NotAuthorized, match="tester"):
        lab.put("Q1")
    owner = lab.path.owner()
    lab.mq.connection.user = owner
    lab.put("Q1")


@pytest.mark.seed("DD-37")
@pytest.mark.parametrize("way", ["put", "send", "publication"])
def test_who_is_connected_already_is_checked_as_soon_as_another_has_set_the_switch(
    lab: Lab, way: str
) -> None:
    lab.local("Q1")
    other = lab.connect()
    lifecycle.switch(other.manager, "authority", "on")
    with pytest.raises(NotAuthorized, match="tester"):
        if way == "put":
            lab.put("Q1")
        elif way == "send":
            lab.send("Q1", 1000)
        else:
            publications.send(lab.mq.connection, "news", message(), b"")


@pytest.mark.parametrize("name", ["authority", "call_log"])
def test_the_switches_are_on_or_off(lab: Lab, name: str) -> None:
    with pytest.raises(UsageError, match="allowed off, on"):
        lab.switch(name, "perhaps")
    lab.switch(name, "off")
    lab.local("Q1")
    assert logged_calls.calls(lab.mq.manager) == []


@pytest.mark.parametrize(
    ("profile", "name", "matched"),
    [
        ("A.*", "A.B", True),
        ("A.*", "A.B.C", False),
        ("A.**", "A.B.C", True),
        ("A.**", "A", True),
        ("A.**", "AB", False),
        ("**", "A.B", True),
        ("A?", "AB", True),
        ("A?", "A.", False),
        ("A.B", "A.B", True),
        ("A.B", "AxB", False),
    ],
)
def test_a_generic_profile(lab: Lab, profile: str, name: str, matched: bool) -> None:
    grant(lab, "GET", profile=profile)
    assert bool(authority.matching(lab.mq.manager, "QUEUE", name)) is matched


@pytest.mark.parametrize(
    ("general", "special"),
    [("**", "A.*"), ("A.**", "A.*"), ("A.*", "A.*1"), ("A.*", "A.B?"), ("A.B?", "A.B1")],
)
def test_the_most_specific_profile_counts_alone(lab: Lab, general: str, special: str) -> None:
    lab.local("A.B1")
    grant(lab, "GET", profile=general)
    app = lab.connect_as("app")
    app.open("A.B1", cmqc.MQOO_INPUT_SHARED)
    grant(lab, "NONE", profile=special)
    with pytest.raises(NotAuthorized):
        app.open("A.B1", cmqc.MQOO_INPUT_SHARED)


def test_all_words_stand_for_what_the_type_has(lab: Lab) -> None:
    mqi = authority_records.set_record(lab.mq.manager, "QUEUE", "X", group="g", add=["ALLMQI"])
    assert "GET" in mqi.authorities and "CLR" not in mqi.authorities
    both = authority_records.set_record(lab.mq.manager, "QUEUE", "X", group="g", add=["ALLADM"])
    assert {"GET", "CLR"} <= set(both.authorities)
    emptied = authority_records.set_record(lab.mq.manager, "QUEUE", "X", group="g", remove=["ALL"])
    assert emptied.authorities == ()
    assert emptied in authority.records(lab.mq.manager)
    assert authority_records.delete_record(lab.mq.manager, "QUEUE", "X", group="g")
    assert emptied not in authority.records(lab.mq.manager)


@pytest.mark.parametrize(
    ("type_", "profile", "who", "words"),
    [
        ("QUEUE", "Q1", {"principal": "a", "group": "b"}, ["GET"]),
        ("QUEUE", "Q1", {}, ["GET"]),
        ("QUEUE", "", {"principal": "a"}, ["GET"]),
        ("QUEUE", "Q1", {"principal": "a"}, ["FLY"]),
        ("MEADOW", "Q1", {"principal": "a"}, ["GET"]),
    ],
)
def test_a_record_that_set_authrec_refuses(
    lab: Lab, type_: str, profile: str, who: dict[str, str], words: list[str]
) -> None:
    with pytest.raises(UsageError):
        authority_records.set_record(lab.mq.manager, type_, profile, add=words, **who)


def test_a_topic_is_allowed_by_any_object_above_it(lab: Lab) -> None:
    lab.mq.define("TOPIC", "SPORT", {"TOPICSTR": "news/sport"})
    app = lab.connect_as("app")
    with pytest.raises(NotAuthorized, match="lacks SUB authority on topic SPORT"):
        subscriptions.subscribe(app.connection, "news/sport/tennis")
    grant(lab, "SUB", profile="SYSTEM.BASE.TOPIC", type="TOPIC")
    subscriptions.subscribe(app.connection, "news/sport/tennis")
    with pytest.raises(NotAuthorized, match="lacks PUB authority on topic SPORT"):
        publications.send(app.connection, "news/sport", message(), b"")
    grant(lab, "PUB", profile="SPORT", type="TOPIC")
    publications.send(app.connection, "news/sport", message(), b"")


def test_an_open_for_an_alternate_user_asks_what_that_user_may_do(lab: Lab) -> None:
    lab.local("Q1")
    grant(lab, "PUT", user="other")
    app, options = lab.connect_as("app"), cmqc.MQOO_OUTPUT | cmqc.MQOO_ALTERNATE_USER_AUTHORITY
    with pytest.raises(NotAuthorized, match="app lacks ALTUSR authority on queue manager"):
        app.connection.open("Q1", options, alternate_user="other")
    authority_records.set_record(lab.mq.manager, "QMGR", principal="app", add=["ALTUSR"])
    app.connection.open("Q1", options, alternate_user="other")
    for nobody in ("third", ""):
        with pytest.raises(NotAuthorized, match="lacks PUT authority on queue Q1"):
            app.connection.open("Q1", options, alternate_user=nobody)
    with pytest.raises(NotAuthorized, match="app lacks SETALL authority on queue Q1"):
        app.connection.open("Q1", options | cmqc.MQOO_SET_ALL_CONTEXT, alternate_user="other")


def test_a_record_is_deleted_by_all_of_its_key(lab: Lab) -> None:
    """Type, profile, kind of entity and entity: one that differs in any of them stays."""
    store = lab.mq.manager.store
    gone = authority_table.AuthRecord("QUEUE", "B", "GROUP", "b", ("GET",))
    others = [
        gone._replace(type="TOPIC"), gone._replace(profile="A"), gone._replace(profile="C"),
        gone._replace(entity_type="PRINCIPAL"), gone._replace(entity="a"),
        gone._replace(entity="c"),
    ]  # fmt: skip
    with store.write():
        for record in (gone, *others):
            authority_table.write(store, record)
        assert authority_table.delete(store, gone[:4])
        assert not authority_table.delete(store, gone[:4])
    there = authority_table.every(store)
    assert gone not in there
    assert set(others) <= set(there)
