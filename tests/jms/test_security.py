"""Users, passwords, TLS and authority, with IBM's client."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from mqtriage.emulator.admin import authority_records
from mqtriage.emulator.core import call_log
from mqtriage.mq import cmqc
from tests.channel.test_refusals import users_file
from tests.channel.test_tls import TLS_CHANNELS, Certificates
from tests.jms.conftest import CHANNEL, At, Listener
from tests.jms.test_poison import fail
from tests.support import logged_calls
from tests.support.ibm_java import Client, Java, Thrown
from tests.support.tools import tool
from tests.unit.emulator.conftest import Lab

_JSSE_ERROR: Final = 2397
CIPHER: Final = "*TLS12ORHIGHER"


class Guarded(NamedTuple):
    """A queue manager that asks for passwords, whose listener speaks TLS too.

    Attributes:
        key: certificate and key of a client, PKCS12.
    """

    at: At
    trust: str
    key: str

    def ciphered(self, channel: str, *, shows: bool = False, **given: Any) -> dict[str, Any]:
        """What a connection in TLS is opened with."""
        keys = {"key": self.key} if shows else {}
        return {"cipher": CIPHER, "trust": self.trust, "channel": channel, **APP, **keys, **given}


APP: Final = {"user": "app", "password": "secret"}


@pytest.fixture(scope="module")
def guarded(java: Java, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    certificates = Certificates(folder)
    key = str(folder / "app.p12")
    subprocess.run(
        [tool("openssl"), "pkcs12", "-export", "-in", certificates["app.pem"],
         "-inkey", certificates["app.key"], "-passout", "pass:secret", "-out", key],
        check=True, capture_output=True,
    )  # fmt: skip
    lab = Lab(tmp_path_factory.mktemp("guarded"))
    options = [f"--{name.replace('_', '-')}={file}"
               for name, file in certificates.options().items()]  # fmt: skip
    listener = Listener(lab.home, "QM1", 0, "--passwords", users_file(folder), *options)
    harness = At(lab, listener, java)
    harness.mqsc("\n".join([f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)", *TLS_CHANNELS]))
    yield Guarded(harness, certificates["server.pem"], key)
    java.run("close-all")
    listener.stop()
    lab.close()


@pytest.mark.parametrize("mqcsp", [True, False], ids=["mqcsp", "compatibility"])
@pytest.mark.parametrize("api", ["context", "session"])
def test_a_password_is_checked(guarded: Guarded, api: str, mqcsp: bool) -> None:
    at, queue = guarded.at, guarded.at.local()
    jms = at.open(api=api, mqcsp=mqcsp, **APP)
    jms.send(queue, "let in")
    assert (jms.receive(queue) or {})["text"] == "let in"
    jms.close()
    for user, password in (("app", "another"), ("nobody", "secret")):
        with pytest.raises(Thrown) as error:
            at.open("refused", api=api, mqcsp=mqcsp, user=user, password=password)
        assert error.value.reason == cmqc.MQRC_NOT_AUTHORIZED
        assert password not in at.listener.log()


@pytest.fixture
def speaks_tls(client: Client) -> None:
    if client.version == "9.0.4.0":
        pytest.skip("9.0.4.0 has no cipher suite that this Java knows (2400)")


@pytest.mark.parametrize("shows", [False, True], ids=["no-certificate", "certificate"])
def test_a_program_comes_in_tls(guarded: Guarded, speaks_tls: None, shows: bool) -> None:
    at, queue = guarded.at, guarded.at.local()
    jms = at.open(**guarded.ciphered("CERT" if shows else "OPEN", shows=shows))
    jms.send(queue, "x" * 100_000, delay=1000)
    at.advance(1)
    assert (jms.receive(queue) or {})["length"] == 100_000
    jms.close()


def test_what_the_channel_asks_for_in_tls_is_refused_with_its_reason(
    guarded: Guarded, speaks_tls: None
) -> None:
    at = guarded.at
    for given, reason in (
        (guarded.ciphered("CERT"), _JSSE_ERROR),
        (guarded.ciphered("OPEN", password="wrong"), cmqc.MQRC_NOT_AUTHORIZED),
        ({"channel": "OPEN", **APP}, _JSSE_ERROR),
        (guarded.ciphered(CHANNEL), _JSSE_ERROR),
    ):
        with pytest.raises(Thrown) as error:
            at.open("refused", **given)
        assert error.value.reason == reason, given["channel"]


# -- authority ------------------------------------------------------------------------------------


@pytest.fixture
def checked(guarded: Guarded) -> Iterator[At]:
    """The same, where authority is checked; `app` may connect.

    The client looks into the policies of Advanced Message Security with every queue that it opens.
    """
    allow(guarded.at, "", "CONNECT", "INQ")
    allow(guarded.at, "SYSTEM.PROTECTION.POLICY.QUEUE", "BROWSE")
    allow(guarded.at, "**", "ALL", user="tester")
    guarded.at.lab.switch("authority", "on")
    yield guarded.at
    guarded.at.run("close-all")
    guarded.at.lab.switch("authority", "off")


def allow(at: At, queue: str, *words: str, user: str = "app") -> None:
    """Let a user do that with a queue, or with the queue manager."""
    kind = "QUEUE" if queue else "QMGR"
    authority_records.set_record(at.lab.mq.manager, kind, queue, principal=user, add=words)


@pytest.mark.seed("DD-37", "DD-38", "DD-39", "DD-40", "DD-41")
def test_a_delayed_send_needs_authority_on_its_target_and_its_delivery_none(checked: At) -> None:
    queue, other = checked.local(), checked.local()
    allow(checked, queue, "PUT")
    jms = checked.open(**APP)
    jms.send(queue, delay=1000)
    with pytest.raises(Thrown) as error:
        jms.send(other, delay=1000)
    assert error.value.reason == cmqc.MQRC_NOT_AUTHORIZED
    assert checked.staged() == 1
    authority_records.set_record(
        checked.lab.mq.manager, "QUEUE", queue, principal="app", remove=["PUT"]
    )
    checked.lab.advance(1)
    assert (checked.depth(queue), checked.staged()) == (1, 0)


@pytest.mark.seed("PM-36")
@pytest.mark.parametrize("words", [("PUT", "PASSALL"), ("PUT",), ()], ids=["both", "put", "none"])
def test_a_move_takes_put_and_passall_on_the_backout_queue(
    checked: At, words: tuple[str, ...]
) -> None:
    """Without them it goes to the dead-letter queue, as if the backout queue took nothing."""
    backout, dead = checked.local(), checked.dead_letter_queue()
    queue = checked.local(BOTHRESH=1, BOQNAME=backout)
    allow(checked, queue, "GET", "INQ", "BROWSE")
    allow(checked, dead, "PUT", "PASSALL")
    allow(checked, backout, *words)
    checked.lab.put(queue, b"poison")
    jms = checked.open(mode="transacted", **APP)
    fail(jms, queue, 1)
    assert jms.receive(wait=100) is None
    jms.commit()
    moved = len(words) == 2
    assert (checked.depth(backout), checked.depth(dead)) == (int(moved), int(not moved))


@pytest.mark.seed("PM-34", "PM-35")
@pytest.mark.parametrize("cluster", ["", "DEMO"], ids=["local", "clustered"])
@pytest.mark.parametrize("words", [("INQ",), ()], ids=["inquire", "nothing"])
def test_to_read_the_attributes_takes_authority_to_inquire_alone(
    checked: At, cluster: str, words: tuple[str, ...]
) -> None:
    """The program reads through an alias, so what it may do with the queue is for that alone."""
    backout = checked.local()
    queue = checked.local(BOTHRESH=1, BOQNAME=backout, CLUSTER=cluster)
    alias = f"ALIAS.{queue}"
    checked.mqsc(f"DEFINE QALIAS({alias}) TARGET({queue})")
    allow(checked, alias, "GET", "INQ", "BROWSE")
    allow(checked, backout, "PUT", "PASSALL")
    allow(checked, queue, *words)
    checked.lab.put(queue, b"poison")
    jms = checked.open(mode="transacted", **APP)
    fail(jms, alias, 1)
    again = jms.receive(wait=100)
    jms.commit()
    assert (again is None, checked.depth(backout)) == (bool(words), int(bool(words)))


@pytest.mark.seed("PM-09", "PM-20", "PM-29", "PM-30", "PM-33", "PM-35")
@pytest.mark.parametrize("cluster", ["", "DEMO"], ids=["local", "clustered"])
def test_to_read_the_attributes_the_client_opens_the_local_queue_for_inquiry_and_closes_it(
    guarded: Guarded, cluster: str
) -> None:
    at = guarded.at
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout, CLUSTER=cluster)
    at.lab.put(queue, b"poison")
    jms = at.open(mode="transacted", **APP)
    jms.consume(queue)
    at.lab.switch(call_log.SWITCH, "on")
    assert jms.receive() is not None
    assert logged_calls.calls(at.lab.mq.manager, queue) == []
    jms.rollback()
    assert jms.receive(wait=100) is None
    jms.commit()
    at.lab.switch(call_log.SWITCH, "off")
    seen = [(call.verb, call.options) for call in logged_calls.calls(at.lab.mq.manager, queue)]
    options = cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING
    assert seen == [("MQOPEN", options), ("MQCLOSE", options)]
    assert at.depth(backout) == 1
