"""IBM's Java clients as Maven brings them, unmodified, and one JVM that runs our programs on each.

The jars come under IBM's licence, so they are fetched only where MQTRIAGE_IBM_LICENSE is `accept`.
They and what is compiled against them are kept in build/, which `make clean` takes away.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

import pytest

from tests.support.tools import is_required

LICENCE: Final = "MQTRIAGE_IBM_LICENSE"
SOURCES: Final = Path(__file__).resolve().parents[1] / "jms" / "java"
KEPT: Final = Path(__file__).resolve().parents[2] / "build" / "tests" / "jms"

_POM: Final = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mqtriage</groupId>
  <artifactId>{name}</artifactId>
  <version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
_DEPENDENCY: Final = """\
    <dependency>
      <groupId>{}</groupId>
      <artifactId>{}</artifactId>
      <version>{}</version>
    </dependency>"""
_TO_JAVAX: Final = (
    ("com.ibm.msg.client.jakarta.", "com.ibm.msg.client."),
    ("com.ibm.mq.jakarta.jms", "com.ibm.mq.jms"),
    ("jakarta.jms", "javax.jms"),
)
"""The programs are written for Jakarta Messaging; JMS 2.0 has the same classes elsewhere."""

_QUICK: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a Java program that ends soon: it compiles little, and collects with one thread."""
_FLAGS: Final = (*_QUICK, "-Xmx512m")
_ANSWER_S: Final = 60.0


class Client(NamedTuple):
    """One client of IBM's, by its Maven coordinates."""

    artifact: str
    version: str

    @property
    def is_jakarta(self) -> bool:
        return "jakarta" in self.artifact

    @property
    def name(self) -> str:
        """As tests and tables name it: javax-9.4.5.0."""
        return f"{'jakarta' if self.is_jakarta else 'javax'}-{self.version}"


NEWEST: Final = (
    Client("com.ibm.mq.allclient", "9.4.5.0"),
    Client("com.ibm.mq.jakarta.client", "9.4.5.0"),
)
OLDER: Final = tuple(
    Client("com.ibm.mq.allclient", version) for version in ("9.3.5.1", "9.2.5.0", "9.0.4.0")
)


def missing() -> str:
    """What is not here of the licence's acceptance, Java and Maven; "" when all are."""
    if os.environ.get(LICENCE) != "accept":
        return (
            "IBM's Java clients come under IBM's licence (docs/java.md): "
            f"set {LICENCE}=accept to have Maven fetch them"
        )
    absent = [name for name in ("java", "javac", "mvn") if shutil.which(name) is None]
    return f"{' and '.join(absent)} not installed (a JDK and Maven)" if absent else ""


def need() -> None:
    """Skip the test, saying what to set, or fail it where MQTRIAGE_REQUIRE names jms."""
    what = missing()
    if what and is_required("jms"):
        pytest.fail(f"MQTRIAGE_REQUIRE names jms, but {what}")
    if what:
        pytest.skip(what)


def run(*command: str, cwd: Path, timeout_s: float = 600) -> subprocess.CompletedProcess[str]:
    options = " ".join((*_QUICK, os.environ.get("MAVEN_OPTS", "")))
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "MAVEN_OPTS": options},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def jars(client: Client) -> Path:
    """The folder with the client's jar and what it needs, fetched once."""
    return fetched(client.name, f"com.ibm.mq:{client.artifact}:{client.version}")


def fetched(name: str, *coordinates: str) -> Path:
    """The folder with the jars of these Maven coordinates and what they need, fetched once."""
    digest = sha256(" ".join(coordinates).encode()).hexdigest()[:8]
    folder = KEPT / f"{name}-jars-{digest}"
    if (folder / "complete").exists():
        return folder
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir(parents=True)
    dependencies = "\n".join(_DEPENDENCY.format(*one.split(":")) for one in coordinates)
    (part / "pom.xml").write_text(_POM.format(name=name, dependencies=dependencies), "utf-8")
    brought = run(
        "mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={part}", cwd=part
    )
    if brought.returncode:
        shutil.rmtree(part)
        problem = f"Maven could not fetch {' '.join(coordinates)}: {brought.stdout[-800:]}"
        if is_required("jms"):
            pytest.fail(problem)
        pytest.skip(problem)
    (part / "complete").touch()
    return _in_place(part, folder)


def classes(client: Client, sources: Path = SOURCES) -> Path:
    """Our programs compiled for a client, once for each state of the sources."""
    texts = {path.name: _for(client, path.read_text("utf-8")) for path in sources.glob("*.java")}
    return compiled(client.name, texts, jars(client))


def compiled(name: str, texts: Mapping[str, str], jars: Path) -> Path:
    """The folder with what javac makes of these sources, by file name, beside the jars."""
    digest = sha256("".join(f"{name}\n{texts[name]}" for name in sorted(texts)).encode())
    folder = KEPT / f"{name}-{digest.hexdigest()[:16]}"
    if folder.exists():
        return folder
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir()
    for file, text in texts.items():
        (part / file).write_text(text, "utf-8")
    quick = (f"-J{flag}" for flag in _QUICK)
    ran = run("javac", *quick, "-nowarn", "-cp", f"{jars}/*", *texts, cwd=part)
    if ran.returncode:
        shutil.rmtree(part)
        pytest.fail(ran.stderr)
    return _in_place(part, folder)


def _in_place(part: Path, folder: Path) -> Path:
    """Another process may have been quicker: its folder is as good."""
    try:
        part.rename(folder)
    except OSError:
        shutil.rmtree(part)
    return folder


def _for(client: Client, text: str) -> str:
    if client.is_jakarta:
        return text
    for jakarta, javax in _TO_JAVAX:
        text = text.replace(jakarta, javax)
    return text


class Thrown(Exception):
    """What a Java program threw.

    Attributes:
        kind: simple name of its class.
        code: of JMS exceptions, such as JMSWMQ2007; "" of others.
        reason: MQRC_* of the MQException among its causes; 0 without one.
        causes: class and message of it and of each cause.
    """

    def __init__(self, program: str, result: dict[str, Any]) -> None:
        causes = result.get("causes", [])
        super().__init__(f"{program}: {result['class']}: {result['message']} {causes[1:]}")
        self.kind: str = result["class"]
        self.code: str = result.get("code") or ""
        self.reason: int = result.get("reason", 0)
        self.checked: bool = result.get("checked", False)
        self.causes: list[str] = causes
        self.text = f"{result['message']}\n" + "\n".join(causes)


class Java:
    """One JVM with one client, which runs one of our programs after the other.

    Attributes:
        home: its working folder: log, and the client's FFDC files.
    """

    def __init__(self, client: Client, home: Path) -> None:
        self.client = client
        self.home = home
        path = os.pathsep.join([str(classes(client)), f"{jars(client)}/*"])
        self._log = (home / "java.log").open("w")
        self._jvm = subprocess.Popen(
            ["java", *_FLAGS, "-cp", path, "Programs"], cwd=home,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, bufsize=1,
        )  # fmt: skip

    def run(self, program: str, **given: object) -> Any:
        """Run a program of tests/jms/java and return its result.

        Args:
            given: its arguments; True is 1, None is left out.

        Raises:
            Thrown: It threw something.
        """
        pairs = [
            f"{quote_plus(name)}={quote_plus(_text(value))}"
            for name, value in given.items()
            if value is not None
        ]
        assert self._jvm.stdin is not None
        assert self._jvm.stdout is not None
        self._jvm.stdin.write(f"{program}?{'&'.join(pairs)}\n")
        self._jvm.stdin.flush()
        ready, _, _ = select.select([self._jvm.stdout], [], [], _ANSWER_S)
        line = self._jvm.stdout.readline() if ready else "nothing in time"
        answer = re.match(r"RESULT (ok|fail) (.*)", line)
        assert answer, f"{program}: {line!r}; {self.log()}"
        result = json.loads(answer[2])
        if answer[1] == "fail":
            raise Thrown(program, result)
        return result

    def log(self) -> str:
        """The end of what the JVM wrote to standard error."""
        self._log.flush()
        return (self.home / "java.log").read_text("utf-8", "replace")[-2000:]

    def failures(self) -> list[Path]:
        """FFDC files, which the client writes when an answer makes no sense to it."""
        return sorted(self.home.glob("**/*.FDC"))

    def close(self) -> None:
        """End the JVM: its standard input ends."""
        assert self._jvm.stdin is not None
        self._jvm.stdin.close()
        try:
            self._jvm.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._jvm.kill()
            self._jvm.wait()
        self._log.close()


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
