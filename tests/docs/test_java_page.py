"""docs/java.md: its project is green as printed; docs/java-clients.md is what the tests say."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.jms import table
from tests.jms.test_programs import CAMEL
from tests.support.channel_client import ChannelClient
from tests.support.ibm_java import NEWEST, OLDER, need
from tests.support.tools import tool

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "java.md").read_text("utf-8")
SPRING = "spring/"
EXTENSION = "src/test/java/com/example/Mqtriage.java"
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", TEXT, re.DOTALL))
(TLS,) = re.findall(r"```sh run=tls\n(.*?)```", TEXT, re.DOTALL)
SERVE_TLS = "mqtriage emulator serve QM1 --tcp 1414 "
REPORTS = """
package com.example;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReportsTest {
  @RegisterExtension
  final Mqtriage mq = new Mqtriage("src/test/resources/queues.mqsc");

  @Test
  void output() throws Exception {
    assertEquals("PAYMENTS.IN\\n", mq.run("queue", "ls", "PAYMENTS.IN", "-o", "ids"));
    String error =
        assertThrows(IllegalStateException.class, () -> mq.run("queue", "show", "NO.SUCH"))
            .getMessage();
    assertTrue(error.startsWith("mqtriage queue show NO.SUCH: exit code 5\\n"), error);
    assertTrue(error.contains("MQRC_UNKNOWN_OBJECT_NAME"), error);
    assertTrue(java.nio.file.Files.exists(mq.home().resolve("emulator/QM1.qmgr")));
  }

  @Test
  void refused() throws Exception {
    com.ibm.mq.jakarta.jms.MQConnectionFactory factory = mq.connectionFactory();
    factory.setChannel("NO.SUCH");
    factory.createContext().close();
  }
}
"""


def _printed(folder: Path, files: dict[str, str]) -> Path:
    """A project of the page."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def _maven_test(project: Path, *options: str, code: int = 0) -> str:
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["mvn", "-B", "-ntp", *options, "test"], cwd=project,
        env=dict(os.environ) | {"PATH": commands},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=540, check=False,
    )  # fmt: skip
    assert ran.returncode == code, ran.stdout[-4000:]
    return ran.stdout


def _plain_project(folder: Path) -> Path:
    return _printed(
        folder, {name: text for name, text in FILES.items() if not name.startswith(SPRING)}
    )


def _spring_files() -> dict[str, str]:
    files = {
        name.removeprefix(SPRING): text for name, text in FILES.items() if name.startswith(SPRING)
    }
    return {**files, EXTENSION: FILES[EXTENSION]}


def _certificate(folder: Path) -> None:
    """The files that the commands of the page create before they serve."""
    tool("openssl")
    tool("keytool")
    lines, serve, _ = TLS.partition(SERVE_TLS)
    assert serve
    subprocess.run(["sh", "-ec", lines], cwd=folder, check=True, capture_output=True)


@pytest.mark.long
@pytest.mark.slow
def test_the_project_is_green_as_it_is_printed(tmp_path: Path) -> None:
    need()
    output = _maven_test(_plain_project(tmp_path))
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output


@pytest.mark.long
@pytest.mark.slow
def test_the_extension_returns_output_and_prints_why_a_client_was_refused(tmp_path: Path) -> None:
    need()
    project = _plain_project(tmp_path)
    (project / EXTENSION).with_name("ReportsTest.java").write_text(REPORTS, "utf-8")
    output = _maven_test(project, "-Dtest=ReportsTest", code=1)
    assert "Tests run: 2, Failures: 0, Errors: 1, Skipped: 0" in output
    (log,) = re.findall(r"^mqtriage emulator serve: .*\n.*", output, re.MULTILINE)
    assert "channel 'NO.SUCH': no such channel" in log


@pytest.mark.long
@pytest.mark.slow
def test_the_project_is_green_in_tls(tmp_path: Path) -> None:
    """With the certificate, the options of the extension and of Surefire as they are printed."""
    need()
    project = _plain_project(tmp_path)
    _certificate(project)
    (plugin,) = re.findall(r"```xml\n(<plugin>\n.*?</plugin>)", TEXT, re.DOTALL)
    (extension,) = re.findall(r"^(new Mqtriage\(.*\));", TEXT, re.MULTILINE)
    pom, definitions = project / "pom.xml", project / "src/test/resources/queues.mqsc"
    pom.write_text(
        re.sub(r"<plugin>.*</plugin>", lambda _: plugin, pom.read_text(), flags=re.DOTALL)
    )
    definitions.write_text(definitions.read_text() + FILES["tls.mqsc"])
    test, java = project / "src/test/java/com/example/PaymentsTest.java", project / EXTENSION
    test.write_text(re.sub(r"new Mqtriage\(.*\)", extension, test.read_text()))
    java.write_text(
        java.read_text().replace(
            'factory.setChannel("APP.SVRCONN");',
            'factory.setChannel("TLS.SVRCONN"); factory.setSSLCipherSuite("*TLS12ORHIGHER");',
        )
    )
    output = _maven_test(project)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output


@pytest.mark.long
def test_the_spring_boot_project_is_green_in_tls(tmp_path: Path) -> None:
    need()
    project = _printed(tmp_path, _spring_files())
    _certificate(project)
    (bundle,) = re.findall(r"```properties\n(.*?)```", TEXT, re.DOTALL)
    (extension,) = re.findall(r"^(new Mqtriage\(.*\));", TEXT, re.MULTILINE)
    for name, more in (("main/resources/application.properties", bundle),
                       ("test/resources/queues.mqsc", FILES["tls.mqsc"])):  # fmt: skip
        path = project / "src" / name
        path.write_text(path.read_text() + more)
    test = project / "src/test/java/com/example/ApplicationTest.java"
    test.write_text(re.sub(r"new Mqtriage\(.*\)", extension, test.read_text()))
    output = _maven_test(project)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output


@pytest.mark.slow
def test_the_commands_for_tls_serve_a_channel_with_it(tmp_path: Path) -> None:
    _certificate(_printed(tmp_path, {"tls.mqsc": FILES["tls.mqsc"]}))
    _, serve, options = TLS.partition(SERVE_TLS)
    words = (serve.replace("1414", "0") + options).split()
    server = subprocess.Popen(
        [sys.executable, "-m", *words, "--port-file", "port"], cwd=tmp_path, text=True,
        stderr=subprocess.PIPE, env=dict(os.environ) | {"MQTRIAGE_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    try:
        while not (tmp_path / "port").exists():
            assert server.poll() is None, server.communicate()[1]
            time.sleep(0.02)
        context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        port = int((tmp_path / "port").read_text())
        with ChannelClient(port, channel="TLS.SVRCONN", context=context) as client:
            client.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"in TLS")
    finally:
        server.kill()
        server.communicate()


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "option"),
    [
        pytest.param(None, (), id="as-printed"),
        pytest.param("3.5.15", ("-Dibm.mq.pool.enabled=true",), id="3.5.15-pooled"),
    ],
)
def test_the_spring_boot_project_is_green(
    tmp_path: Path, version: str | None, option: tuple[str, ...]
) -> None:
    need()
    files = _spring_files()
    printed = re.findall(r"<version>([\d.]{3,})</version>", files["pom.xml"])
    assert len(set(printed)) == 1, "Spring Boot and the starter have one version"
    if version is not None:
        assert f"with {version}" in TEXT
        files["pom.xml"] = files["pom.xml"].replace(printed[0], version)
    output = _maven_test(_printed(tmp_path, files), *option)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output
    assert output.count("IllegalArgumentException: not a payment") == 3, "BOTHRESH(3)"


def test_the_page_names_the_versions_that_the_tests_run() -> None:
    for coordinates in CAMEL:
        version = coordinates.rpartition(":")[2]
        assert version in TEXT, coordinates


def test_the_page_lists_the_clients_that_the_tests_run() -> None:
    listed = {
        (artifact, version)
        for artifact, versions in re.findall(
            r"^\| `(com\.ibm\.mq\.\S+)` ([^|]+) \|", TEXT, re.MULTILINE
        )
        for version in versions.strip().split(", ")
    }
    run = {(client.artifact, client.version) for client in (*NEWEST, *OLDER)}
    assert run <= listed
    (starter,) = {version for _, version in listed - run}
    assert f"client {starter}" in (ROOT / "docs" / "testing-with-mqtriage.md").read_text("utf-8")


def test_the_table_has_every_test_and_each_passed_with_the_newest_clients() -> None:
    """If this fails: run `pytest tests/jms --update-golden` with the clients."""
    rows = table.cells(table.PAGE.read_text("utf-8"))
    newest = table.CLIENTS.index(NEWEST[0].name)
    for _, _, name in table.tests():
        row = rows[table.row_name(name)]
        assert set(row) <= {"ok", "-"}, name
        assert row[newest:] == ["ok"] * len(row[newest:]), name
