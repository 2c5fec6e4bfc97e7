"""Which addresses a listener takes, and what it asks of programs of other machines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtriage.commands.emulator.mqi import check_address
from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.emulator.channel.served import Served, origin_of
from mqtriage.emulator.channel.tls import Handshake
from mqtriage.emulator.core.file.home import existing_path
from mqtriage.emulator.mqi.admission import ConnectDetails, ProgramOrigin, admitted
from mqtriage.emulator.mqi.session import Shared
from mqtriage.emulator.open import open_manager
from mqtriage.mq.errors import NotAuthorized, UsageError
from tests.support.channel_server import ChannelServer

KEYS = "server.pem", "server.key"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_an_address_of_this_machine_alone_needs_nothing(address: str) -> None:
    check_address(ListenOptions(address=address), None)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.1.2.3"])
def test_any_other_address_needs_to_be_allowed_and_tls_or_passwords(address: str) -> None:
    check_address(ListenOptions(address=address, allow_remote=True), "users.txt")
    check_address(
        ListenOptions(address=address, allow_remote=True, tls_cert=KEYS[0], tls_key=KEYS[1]), None
    )
    for options in (
        ListenOptions(address=address),
        ListenOptions(address=address, tls_cert=KEYS[0], tls_key=KEYS[1]),
        ListenOptions(address=address, allow_remote=True),
    ):
        with pytest.raises(UsageError) as refused:
            check_address(options, None)
        assert "\n" not in refused.value.text
        assert "--passwords" in (refused.value.hint or "")


@pytest.mark.parametrize(
    "options",
    [
        ListenOptions(address="mq.example.com"),
        ListenOptions(tls_cert="server.pem"),
        ListenOptions(tls_key="server.key"),
        ListenOptions(tls_ca="ca.pem"),
    ],
)
def test_what_does_not_belong_together_is_refused(options: ListenOptions) -> None:
    with pytest.raises(UsageError):
        check_address(options, None)


def test_where_a_client_comes_from() -> None:
    assert origin_of("127.0.0.1", None) == ProgramOrigin(("127.0.0.1", "localhost"), True)
    assert origin_of("::ffff:127.0.0.1", None) == ProgramOrigin(("127.0.0.1", "localhost"), True)
    assert origin_of("10.1.2.3", None) == ProgramOrigin(("10.1.2.3",), False)
    assert origin_of("fe80::1%eth0", None) == ProgramOrigin(("fe80::1",), False)


def test_another_machine_gets_in_with_tls_or_a_password(
    new_server: Callable[..., ChannelServer],
) -> None:
    """Without passwords to check, one without TLS is refused, whatever the channel says."""
    path = existing_path(new_server().home, "QM1")
    far, channel = origin_of("10.1.2.3", None), "SYSTEM.DEF.SVRCONN"
    shown = Handshake("TLSv1.3", frozenset(), (("CN", "app"),))
    open_to_all, locked = Served(Shared(path)), Served(Shared(path, {"app": "secret"}))
    refusal = open_to_all.refusal(channel, far, None)
    assert refusal is not None and refusal.code == 24
    assert open_to_all.refusal(channel, origin_of("127.0.0.1", None), None) is None
    assert locked.refusal(channel, far, None) is None
    manager = open_manager(path)
    users = {"app": "secret"}

    def given(password: str, origin: ProgramOrigin) -> ConnectDetails:
        return ConnectDetails("app" if password else "", password, channel, "app", origin)

    assert admitted(manager, given("", ProgramOrigin()), users, "connect") == "app"
    assert admitted(manager, given("secret", far), users, "connect") == "app"
    assert admitted(manager, given("", origin_of("10.1.2.3", shown)), users, "connect") == "app"
    for password in ("", "wrong"):
        with pytest.raises(NotAuthorized):
            admitted(manager, given(password, far), users, "connect")
    manager.close()
    for served in (open_to_all, locked):
        served.shared.close()
