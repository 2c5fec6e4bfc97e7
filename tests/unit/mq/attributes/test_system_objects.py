"""The list of objects that come with a queue manager."""

from __future__ import annotations

import pytest

from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.catalogue import KINDS, attribute, defaults, parse_value
from mqtriage.mq.attributes.system_objects import (
    comes_with,
    default_objects,
    subtype_of,
    system_objects,
)
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.names import check_name, name_length

PLATFORMS: tuple[Platform, ...] = ("dist", "zos")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_value_is_one_that_its_attribute_takes_and_not_the_default(platform: Platform) -> None:
    for kind in KINDS:
        own_names = default_objects(kind).values()
        for name, values in system_objects(kind, platform).items():
            check_name(kind, name_length(kind), name)
            usual = defaults(kind, platform, subtype_of(kind, values))
            for keyword, value in values.items():
                entry = attribute(kind, keyword)
                assert entry is not None, (name, keyword)
                assert parse_value(entry, str(value)) == value, (name, keyword)
                assert entry.exists_on(platform), (name, keyword)
                assert name in own_names or usual.get(keyword) != value, (name, keyword)


def test_the_staging_queue_is_as_ibm_ships_it() -> None:
    values = system_objects("QLOCAL")[STAGING_QUEUE]
    assert values["MAXDEPTH"] == 999_999_999
    assert (values["SHARE"], values["DEFSOPT"]) == ("NO", "EXCL")
    assert (values["QDPMAXEV"], values["MSGDLVSQ"]) == ("DISABLED", "FIFO")
    assert STAGING_QUEUE not in system_objects("QLOCAL", "zos")


def test_queues_with_a_task_are_as_ibm_ships_them() -> None:
    queues = system_objects("QLOCAL")
    assert queues["SYSTEM.CLUSTER.TRANSMIT.QUEUE"]["USAGE"] == "XMITQ"
    assert queues["SYSTEM.DEAD.LETTER.QUEUE"]["MAXDEPTH"] == 999_999_999
    assert queues["SYSTEM.ADMIN.COMMAND.QUEUE"]["MAXMSGL"] == 32_762
    assert queues["SYSTEM.CHANNEL.INITQ"]["DEFSOPT"] == "EXCL"


def test_a_queue_of_any_kind_takes_the_name() -> None:
    assert comes_with("QALIAS", "SYSTEM.DEAD.LETTER.QUEUE")
    assert comes_with("QLOCAL", STAGING_QUEUE, "dist")
    assert not comes_with("QLOCAL", STAGING_QUEUE, "zos")
    assert not comes_with("TOPIC", "SYSTEM.DEAD.LETTER.QUEUE")
    assert comes_with("COMMINFO", "SYSTEM.DEFAULT.COMMINFO.MULTICAST")


def test_the_default_objects_are_those_that_define_starts_from() -> None:
    assert defaults("QMODEL")["SHARE"] == "NO"
    assert defaults("CHANNEL", subtype="SVRCONN")["DISCINT"] == 0
    assert defaults("CHANNEL", subtype="SDR")["DISCINT"] == 6000
    assert defaults("LISTENER")["PORT"] == 0
