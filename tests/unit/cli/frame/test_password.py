"""Where the password comes from, and that it is nowhere to be seen."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from mqtriage.cli.frame.console import Terminals
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions
from mqtriage.cli.frame.password import password_of
from mqtriage.mq.errors import NotFound, UsageError
from tests.support.application import app_for_test


def app(stdin: str = "", file: str | None = None, **environ: str) -> AppContext:
    context = app_for_test(stdin=stdin, environ={"MQTRIAGE_USER": "u"} | environ)
    context.bind(ConnectionOptions(password_file=file), None)
    return context


def password(context: AppContext) -> str:
    return password_of(
        context.run, context.target.settings, context.target.connection.password_file
    )


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "password"
    path.write_text("hunter2\nsecond line\n")
    path.chmod(0o600)
    return str(path)


def stderr_of(context: AppContext) -> str:
    return context.run.stderr.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_without_a_user_there_is_none() -> None:
    assert password(app(MQTRIAGE_PASSWORD="x", MQTRIAGE_USER="")) == ""


def test_it_is_the_first_line_of_the_file(secret: str) -> None:
    context = app(file=secret, MQTRIAGE_PASSWORD="no")
    assert password(context) == "hunter2"
    assert stderr_of(context) == ""


def test_the_file_may_come_from_the_environment(secret: str) -> None:
    assert password(app(MQTRIAGE_PASSWORD_FILE=secret)) == "hunter2"


def test_a_dash_reads_standard_input() -> None:
    assert password(app(stdin="hunter2\nrest", file="-")) == "hunter2"


def test_the_environment_comes_last() -> None:
    assert password(app(MQTRIAGE_PASSWORD="hunter2")) == "hunter2"


def test_a_file_that_others_can_read_is_told(secret: str) -> None:
    Path(secret).chmod(0o644)
    context = app(file=secret)
    assert password(context) == "hunter2"
    assert "chmod 600" in stderr_of(context)
    assert "hunter2" not in stderr_of(context)


def test_on_a_terminal_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def type_it(prompt: str, stream: object) -> str:
        asked.append(prompt)
        return "hunter2"

    monkeypatch.setattr("getpass.getpass", type_it)
    context = app_for_test(environ={"MQTRIAGE_USER": "u"}, terminals=Terminals(True, True, True))
    assert password(context) == "hunter2"
    assert asked == ["Password of u: "]


def test_in_a_script_its_absence_is_told() -> None:
    with pytest.raises(UsageError, match="user u: no password"):
        password(app())


def test_a_file_without_a_user_is_refused(secret: str) -> None:
    with pytest.raises(UsageError, match="needs a user"):
        password(app(file=secret, MQTRIAGE_USER=""))


@pytest.mark.parametrize("content", [b"", b"\nhunter2\n", b"\xff\xfe\n"])
def test_a_file_without_a_password_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(UsageError) as caught:
        password(app(file=str(path)))
    assert "hunter2" not in caught.value.text


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file"):
        password(app(file=str(tmp_path / "none")))


def test_the_keyring_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {("mq", "u"): "hunter2"}
    ring = ModuleType("keyring")
    vars(ring).update(
        get_password=lambda service, user: held.get((service, user)),
        errors=SimpleNamespace(KeyringError=KeyError),
    )
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert password(app(MQTRIAGE_PASSWORD_KEYRING="mq")) == "hunter2"
    with pytest.raises(UsageError, match="no entry for service other and user u"):
        password(app(MQTRIAGE_PASSWORD_KEYRING="other"))


def test_without_the_package_the_keyring_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(UsageError, match="keyring is not installed"):
        password(app(MQTRIAGE_PASSWORD_KEYRING="mq"))
