"""Run the tests and samples that others publish with their MQ clients on an emulated queue manager.

Frameworks over such clients, which publish none to run, are used by small programs of ours
(scripts/programs).

Each package comes from its index, by its own tool; what the machine has no tool for is skipped, and
said so. Nothing of it is changed or kept. A table tells what passed and failed; below it, what did
not pass and why. Ends with 1 where something failed that has no line in `EXPLAINED`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple
from xml.etree import ElementTree

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import clearing
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager

LONGEST_S: Final = 900
"""For one build or one program."""

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

EXPLAINED: Final[Mapping[tuple[str, str], str]] = {
    (
        "mq-golang-jms20",
        "TestAnonConfigToMutualTLSConnectionFails",
    ): "wants TLS: whether the client's key repository holds a certificate",
    ("mqi", "forward"): "gives the option -s two meanings; its parser refuses that",
}
"""What fails by its own fault, or for want of what is not emulated, by package and program."""

IBMMQ_SAMPLES: Final = (
    "alternate_user_id", "async_consume", "channel_compression", "checking_cc_and_rc",
    "connect_client", "connect_client_creds", "connect_client_tls", "connect_simple",
    "def_channel", "def_queue", "dis_channels", "dis_conns", "dis_queues", "dis_queues_extended",
    "put_message; dlq_browse", "dynamic_queues", "put_message; get_message",
    "put_message; get_wait_single_message", "inq_set", "is_connected", "message_priority",
    "message_properties", "publish_message", "put1_message", "put_async_message", "set_auth_rec",
    "set_identity",
)  # fmt: skip
"""Those that end by themselves and need nothing but the developer image's objects.

`a; b` is one after the other; `a + b` starts a, then b, and waits for both, 20 s at most for a.
"""
GO_SAMPLES: Final = (
    "mqitest DEV.QUEUE.1 QM1", "amqsput; amqsget", "amqsbo", "amqsput; amqscb", "amqsdlh",
    "amqsput; amqsgbr", "amqsinq", "amqspcf", "amqsprop",
    "amqsconn QM1 DEV.APP.SVRCONN 127.0.0.1(1414)", "amqssub + amqspub",
    "mqmetric QM1 DEV.QUEUE.1", "amqsset",
)  # fmt: skip
"""mqmetric is ours (mqmetric.go); the last one inhibits puts."""
NODE_SAMPLES: Final = (
    "amqsput; amqsget", "amqsputp; amqsbra", "amqsput; amqsgeta", "amqsput; amqsgetac", "amqsdlh",
    "amqsinq", "amqsprop", "amqsconn", "amqssub + amqspub", "amqsset",
)  # fmt: skip
RUST_SAMPLES: Final = (
    "readme", "open_put --connect-queue-manager QM1 -q DEV.QUEUE.2",
    "ping_server --connect-queue-manager QM1 -q DEV.QUEUE.1"
    " + request_reply --connect-queue-manager QM1 -q DEV.QUEUE.1 -r DEV.QUEUE.3",
    "subscribe_managed --connect-queue-manager QM1 -t dev/rust"
    " + open_put --connect-queue-manager QM1 -t dev/rust", "forward",
)  # fmt: skip
PROGRAMS: Final = Path(__file__).with_name("programs")
JARS: Final = (
    "com.ibm.mq:com.ibm.mq.jakarta.client:9.4.5.0", "org.apache.camel:camel-main:4.22.0",
    "org.apache.camel:camel-jms:4.22.0", "org.messaginghub:pooled-jms:3.2.5",
)  # fmt: skip
"""What `Frameworks.java` uses; Spring comes with Camel."""
BOOT_JARS: Final = (
    "com.ibm.mq:mq-jms-spring-boot-starter:4.1.0", "org.messaginghub:pooled-jms:3.2.5",
)  # fmt: skip
SMALLRYE_JARS: Final = (
    "com.ibm.mq:com.ibm.mq.jakarta.client:9.4.5.0", "org.messaginghub:pooled-jms:3.2.5",
    "io.smallrye.reactive:smallrye-reactive-messaging-jms:4.28.0",
    "io.smallrye.config:smallrye-config:3.16.0", "org.jboss.weld.se:weld-se-core:5.1.2.Final",
    "org.eclipse.microprofile.reactive-streams-operators"
    ":microprofile-reactive-streams-operators-api:3.0.1",
)  # fmt: skip
QUARKUS_JARS: Final = (
    "com.ibm.mq:com.ibm.mq.jakarta.client:9.4.5.0", "io.quarkus:quarkus-arc:3.21.0",
    "io.quarkus:quarkus-narayana-jta:3.21.0",
    "io.quarkiverse.messaginghub:quarkus-pooled-jms:2.8.0",
)  # fmt: skip
QUARKUS_BUILD: Final = """
<dependencyManagement><dependencies><dependency>
  <groupId>io.quarkus</groupId><artifactId>quarkus-bom</artifactId><version>3.21.0</version>
  <type>pom</type><scope>import</scope>
</dependency></dependencies></dependencyManagement>
<build><plugins>
  <plugin>
    <artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version>
    <configuration><release>17</release></configuration>
  </plugin>
  <plugin>
    <groupId>io.quarkus</groupId><artifactId>quarkus-maven-plugin</artifactId>
    <version>3.21.0</version><extensions>true</extensions>
    <executions><execution><goals><goal>build</goal></goals></execution></executions>
  </plugin>
</plugins></build>
"""
"""The pool of 2.8.0 is built for this Quarkus."""
QUARKUS_OPTIONS: Final = ("-Dplatform.quarkus.native.builder-image=none",)
"""What Quarkus's platform would say, which has a package of its own; nothing native is built."""
QUARKUS_PROPERTIES: Final = """\
quarkus.pooled-jms.transaction=xa
quarkus.pooled-jms.max-connections=4
quarkus.banner.enabled=false
quarkus.log.level=OFF
"""
JMETER_JARS: Final = (
    "com.ibm.mq:com.ibm.mq.allclient:9.4.5.0", "org.apache.jmeter:ApacheJMeter_jms:5.6.3",
)  # fmt: skip
MESSAGES: Final = 200
"""Through the queues of SmallRye and Quarkus."""
LICENCE: Final = "MQTRIAGE_IBM_LICENSE"
LOAD_S: Final = 60
_WRONG: Final = re.compile(r"Traceback|MQ call failed|panicked at|panic: ")
"""What a sample prints that failed and ends with 0."""


class Outcome(NamedTuple):
    """What became of one test or program; *why* is empty where it passed."""

    program: str
    state: str
    why: str = ""


class Absent(Exception):
    """A package cannot be had here."""


def run(*command: str, cwd: Path | None = None, **environment: str) -> tuple[int, str]:
    """Run one command to its end: exit code, and what it wrote."""
    try:
        ran = subprocess.run(
            command, cwd=cwd, env=dict(os.environ) | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        return 124, (late.output or b"").decode("utf-8", "replace")
    return ran.returncode, ran.stdout.decode("utf-8", "replace")


def tool(name: str) -> str:
    """The path of a tool.

    Raises:
        Absent: the machine has none of that name.
    """
    path = shutil.which(name)
    if path is None:
        raise Absent(f"{name} is not installed")
    return path


def fetched(*command: str, cwd: Path | None = None, **environment: str) -> str:
    """What a command wrote that fetches a package or builds it.

    Raises:
        Absent: it did not end well; the message is the last line that it wrote, without addresses.
    """
    code, text = run(*command, cwd=cwd, **environment)
    if code:
        line = (text.strip().splitlines() or [f"exit code {code}"])[-1]
        raise Absent(f"{Path(command[0]).name}: {re.sub(r'https?://[^ ]*', '', line).strip()}")
    return text


class Bed:
    """A queue manager QM1 with the objects of the developer image, and folders to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sdk = folder / "sdk"
        self.home = folder / "home"
        self.passwords = folder / "passwords"
        self.passwords.write_text("admin:password\napp:password\n")
        self.passwords.chmod(0o600)
        self._mqtriage("emulator", "sdk", str(self.sdk))
        self._mqtriage("emulator", "create", "QM1", "--developer")

    def _mqtriage(self, *arguments: str) -> None:
        code, text = run(sys.executable, "-m", "mqtriage", *arguments, MQTRIAGE_HOME=str(self.home))
        assert code == 0, text

    def define(self, what: str) -> None:
        """Run DEFINE of MQSC."""
        script = self.folder / "definition.mqsc"
        script.write_text(f"DEFINE {what}\n")
        self._mqtriage("mqsc", str(script), "-m", "QM1", "--yes")

    def run(
        self, *command: str, cwd: Path | None = None, is_checked: bool = False,
        over_tcp: bool = False, environment: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[int, str]:  # fmt: skip
        """Run a program on QM1: exit code, and what it wrote.

        Args:
            is_checked: whether the passwords that it gives are checked.
            over_tcp: for a program that does not use the C client.
        """
        given = ("--passwords", str(self.passwords)) if is_checked else ()
        if over_tcp:
            given = (*given, "--tcp")
        return run(
            sys.executable, "-m", "mqtriage", "emulator", "run", "QM1", "--sdk", str(self.sdk),
            *given, "--", *command, cwd=cwd,
            **{**environment, "MQTRIAGE_HOME": str(self.home)},
        )  # fmt: skip

    def samples(
        self, lines: Sequence[str], program: Callable[[str], str], **environment: str
    ) -> Iterator[Outcome]:
        """Run samples, each with DEV.QUEUE.1 empty.

        Args:
            lines: names and arguments, as in `IBMMQ_SAMPLES`.
            program: the command for a name.
        """
        for line in lines:
            backend = EmulatedBackend(open_manager(qmgr_path(self.home, "QM1")))
            clearing.clear(backend.connection, "DEV.QUEUE.1")
            backend.disconnect()
            code, text = self.run("bash", "-ec", _script(line, program), environment=environment)
            wrong = _WRONG.search(text)
            if code == 0 and wrong is None:
                yield Outcome(line, PASSED)
            else:
                last = (text[wrong.start() :] if wrong else text).strip().splitlines()[-1:]
                yield Outcome(line, FAILED, f"exit code {code}: {' '.join(last)[:200]}")


def _script(line: str, program: Callable[[str], str]) -> str:
    """What bash runs for a line of samples."""
    behind = line.split(" + ")
    if len(behind) == 2:
        first, second = (_script(part, program) for part in behind)
        # those that serve until Ctrl-C end with 0 then
        return f"timeout --preserve-status -s INT 20 {first} & sleep 1; {second}; wait $!"
    commands = []
    for part in line.split("; "):
        name, *arguments = part.split()
        commands.append(shlex.join([*shlex.split(program(name)), *arguments]))
    return "; ".join(commands)


# -- packages -------------------------------------------------------------------------------------


def ibmmq(bed: Bed) -> Iterator[Outcome]:
    """IBM's package for Python: test suite and samples of its source distribution."""
    from importlib.metadata import version

    folder = bed.folder / "ibmmq"
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    fetched(*pip, "download", "--no-deps", "--no-binary", ":all:", "--dest", str(folder),
            f"ibmmq=={version('ibmmq')}", MQ_FILE_PATH=str(bed.sdk))  # fmt: skip
    fetched(*pip, "install", "--no-deps", "--target", str(folder / "ddt"), "ddt")
    (archive,) = folder.glob("ibmmq-*.tar.gz")
    with tarfile.open(archive) as packed:
        # Python 3.11.2 has no filters yet, and takes no argument for one
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(folder)
    code = next(folder.glob("ibmmq-*/code"))
    tests, report = code / "tests", folder / "report.xml"
    paths = [*sys.path, str(tests), str(folder / "ddt")]
    _, text = bed.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tests),
        f"--junitxml={report}", str(tests), is_checked=True,
        environment={
            "PY_IBMMQ_TEST_TLS_SKIP": "0", "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        },
    )  # fmt: skip
    yield from _cases(report, text)
    interpreter = sys.executable
    yield from bed.samples(IBMMQ_SAMPLES, lambda name: f"{interpreter} {code}/examples/{name}.py")


def _cases(report: Path, text: str) -> Iterator[Outcome]:
    """The outcomes in a report of JUnit's form; a failure with *text* where there is none."""
    if not report.exists():
        yield Outcome("tests", FAILED, text.strip()[-200:])
        return
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("name", "")
        state, why = PASSED, ""
        for kind, as_state in (("skipped", SKIPPED), ("failure", FAILED), ("error", FAILED)):
            node = case.find(kind)
            if node is not None:
                state, why = as_state, (node.get("message", "").splitlines() or [""])[0]
        yield Outcome(name, state, why)


def pymqi(bed: Bed) -> Iterator[Outcome]:
    """Its source distribution has neither tests nor examples; tests/mqi/test_pymqi.py uses it."""
    raise Absent("its source distribution on the index has no tests")
    yield Outcome(str(bed.folder), SKIPPED)


def _go_module(bed: Bed, module: str, folder: str) -> tuple[Path, dict[str, str]]:
    """A copy of a Go module that can be written to, and the environment to build it in."""
    environment = {
        "CGO_CFLAGS": f"-I{bed.sdk}/inc", "GOFLAGS": "-mod=mod -buildvcs=false",
        "CGO_LDFLAGS": f"-L{bed.sdk}/lib64 -Wl,-rpath,{bed.sdk}/lib64",
        "CGO_LDFLAGS_ALLOW": "-Wl,-rpath.*",
    }  # fmt: skip
    go = tool("go")
    text = fetched(go, "mod", "download", "-json", module, cwd=bed.folder)
    source = Path(json.loads(text)["Dir"])
    shutil.copytree(source, bed.folder / folder)
    for path in (bed.folder / folder, *(bed.folder / folder).rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    return bed.folder / folder, environment


def _go_tests(text: str) -> Iterator[Outcome]:
    """The outcomes in what `go tool test2json` or `go test -json` wrote."""
    states = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}
    said: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        event = json.loads(line)
        name = event.get("Test")
        if name is None or "/" in name:
            continue
        if event["Action"] == "output":
            said.setdefault(name, []).append(event["Output"].strip())
        elif event["Action"] in states:
            state = states[event["Action"]]
            lines = [one for one in said.get(name, []) if one and not one.startswith(("=", "---"))]
            yield Outcome(name, state, "" if state == PASSED else " ".join(lines)[:200])


def mq_golang(bed: Bed) -> Iterator[Outcome]:
    """IBM's packages for Go: tests and samples, and a program with the one that has no sample."""
    folder, environment = _go_module(
        bed, "github.com/ibm-messaging/mq-golang/v5@v5.6.2", "mq-golang"
    )
    go, programs = tool("go"), folder / "programs"
    programs.mkdir()
    shutil.copy(Path(__file__).with_name("mqmetric.go"), folder / "samples")
    samples = (*sorted(folder.glob("samples/amqs*.go")), folder / "samples" / "mqmetric.go")
    for sample in (*(str(path) for path in samples), "./samples/mqitest"):
        fetched(go, "build", "-o", f"{programs}/", sample, cwd=folder, **environment)
    _, text = run(go, "test", "-json", "./ibmmq", cwd=folder, **environment)
    yield from _go_tests(text)
    yield from bed.samples(GO_SAMPLES, lambda name: f"{programs}/{name}")


def mq_golang_jms20(bed: Bed) -> Iterator[Outcome]:
    """IBM's package for Go in the manner of JMS: its tests, all of which use a queue manager."""
    folder, environment = _go_module(
        bed, "github.com/ibm-messaging/mq-golang-jms20@v1.3.0", "jms20"
    )
    downloads = folder / "home" / "Downloads"
    downloads.mkdir(parents=True)
    (downloads / "connection_info.json").write_text(json.dumps({
        "queueManagerName": "QM1", "hostname": "127.0.0.1", "listenerPort": 1414,
        "applicationChannelName": "DEV.APP.SVRCONN", "applicationName": "tests",
    }))  # fmt: skip
    (downloads / "applicationApiKey.json").write_text(
        json.dumps({"mqUsername": "app", "apiKey": "password"})
    )
    bed.define("CHANNEL(TLS.ANON.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12) SSLCAUTH(OPTIONAL)")
    # its vet refuses two lines that older releases of Go let pass
    go = tool("go")
    fetched(go, "test", "-vet=off", "-c", "-o", "jms.test", ".", cwd=folder, **environment)
    _, text = bed.run(
        go, "tool", "test2json", "-t", "./jms.test", "-test.v", "-test.paniconexit0", cwd=folder,
        is_checked=True,
        environment={
            "HOME": str(downloads.parent), "GOCACHE": _go_env("GOCACHE"),
            "GOPATH": _go_env("GOPATH"),
        },
    )  # fmt: skip
    yield from _go_tests(text)


def _go_env(name: str) -> str:
    return fetched(tool("go"), "env", name).strip()


def node(bed: Bed) -> Iterator[Outcome]:
    """IBM's package for Node: its samples."""
    tool("node")
    folder = bed.folder / "node"
    folder.mkdir()
    fetched(tool("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent",
            "ibmmq@2.1.9", cwd=folder)  # fmt: skip
    samples = folder / "node_modules" / "ibmmq" / "samples"
    yield from bed.samples(
        NODE_SAMPLES, lambda name: f"node {samples}/{name}.js", MQIJS_NOREDIST="1"
    )


def mqi(bed: Bed) -> Iterator[Outcome]:
    """The crate mqi: its tests that need no mocks, and its examples."""
    cargo, folder = tool("cargo"), bed.folder / "mqi"
    fetched(cargo, "init", "--quiet", "--vcs", "none", "--name", "probe", str(folder))
    fetched(cargo, "add", "--quiet", "mqi@=0.4.1", cwd=folder)
    text = fetched(cargo, "metadata", "--format-version", "1", cwd=folder)
    (manifest,) = (
        Path(package["manifest_path"])
        for package in json.loads(text[text.index("{") :])["packages"]
        if package["name"] == "mqi"
    )
    crate = bed.folder / "mqi-crate"
    shutil.copytree(manifest.parent, crate)
    environment = {
        "MQ_HOME": str(bed.sdk), "LD_LIBRARY_PATH": str(bed.sdk / "lib64"),
        "CARGO_TARGET_DIR": str(bed.folder / "target"),
    }  # fmt: skip
    features = ("--no-default-features", "--features", "link,exits,mqc_9_4_0_0")
    fetched(cargo, "test", "--quiet", *features, "--examples", "--tests", "--no-run", cwd=crate,
            **environment)  # fmt: skip
    fetched(cargo, "build", "--quiet", *features, "--examples", cwd=crate, **environment)
    _, text = bed.run(
        cargo, "test", *features, "--tests", "--no-fail-fast", cwd=crate,
        environment={
            **environment, "MQSERVER": "DEV.APP.SVRCONN/TCP/127.0.0.1(1414)", "MQ_USER": "app",
            "MQ_PASSWORD": "password",
        },
    )  # fmt: skip
    states = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}
    for name, state in re.findall(r"^test (\S+) (?:- .* )?\.\.\. (ok|FAILED|ignored)", text, re.M):
        why = re.search(rf"---- {re.escape(name)} stdout ----\s+(.*?)\n\n", text, re.S)
        yield Outcome(name, states[state], " ".join(why[1].split())[:200] if why else "")
    examples = bed.folder / "target" / "debug" / "examples"
    yield from bed.samples(RUST_SAMPLES, lambda name: f"{examples}/{name}", LD_LIBRARY_PATH="")


# -- frameworks over clients ----------------------------------------------------------------------


def _said(code: int, text: str) -> Iterator[Outcome]:
    """The outcomes in what a program of ours prints: `ok NAME`, `failed NAME: WHY`."""
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "ok":
            yield Outcome(rest, PASSED)
        elif word == "failed":
            name, _, why = rest.rpartition(": ")
            yield Outcome(name, FAILED, why[:200])
    if code:
        last = " ".join(text.strip().splitlines()[-1:])
        yield Outcome("the program", FAILED, f"exit code {code}: {last[:200]}")


def _installed(bed: Bed, package: str, *needed: str) -> Path:
    """A folder with a package of the index and what it needs, but ibmmq, which is here."""
    folder = bed.folder / "packages"
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    fetched(*pip, "--only-binary", ":all:", "--target", str(folder), *needed)
    fetched(*pip, "--no-deps", "--target", str(folder), package)
    return folder


def faststream_mq(bed: Bed) -> Iterator[Outcome]:
    """faststream over ibmmq: subscribers, publishers, what is given back, requests."""
    folder = _installed(bed, "faststream-mq==0.3.0", "faststream==0.7.8", "cryptography>=50,<51")
    program = str(PROGRAMS / "faststream_routes.py")
    yield from _said(*bed.run(
        sys.executable, program, is_checked=True, environment={"PYTHONPATH": str(folder)}
    ))  # fmt: skip


def airflow(bed: Bed) -> Iterator[Outcome]:
    """The hook of Airflow's provider for IBM MQ, over ibmmq."""
    provider = "apache-airflow-providers-ibm-mq==0.1.0"
    folder = _installed(bed, provider, provider)
    yield from _said(*bed.run(
        sys.executable, str(PROGRAMS / "airflow_hook.py"), is_checked=True,
        environment={"PYTHONPATH": str(folder), "AIRFLOW_HOME": str(bed.folder / "airflow")},
    ))  # fmt: skip


def robotframework_ibmmq(bed: Bed) -> Iterator[Outcome]:
    """The keywords of Robot Framework's library for IBM MQ, over ibmmq."""
    folder = _installed(bed, "robotframework-ibmmq==0.1.4", "robotframework==7.5")
    report = bed.folder / "robot.xml"
    _, text = bed.run(
        sys.executable, "-m", "robot", "--output", "NONE", "--log", "NONE", "--report", "NONE",
        "--xunit", str(report), str(PROGRAMS / "keywords.robot"), is_checked=True,
        environment={"PYTHONPATH": str(folder)},
    )  # fmt: skip
    yield from _cases(report, text)


def _maven(bed: Bed, jars: Sequence[str], *goal: str, more: str = "") -> Path:
    """A folder in which Maven has reached a goal for what needs these jars, and IBM's queues.

    Args:
        more: elements of the project beside its dependencies.

    Raises:
        Absent: no Java or Maven is here, IBM's licence is not accepted, or a jar cannot be had.
    """
    if os.environ.get(LICENCE) != "accept":
        raise Absent(f"IBM's client comes under IBM's licence: {LICENCE}=accept (docs/java.md)")
    tool("java")
    folder = bed.folder / "java"
    folder.mkdir(exist_ok=True)
    dependencies = "".join(f"<dependency>{_coordinates(one)}</dependency>" for one in jars)
    (folder / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>mqtriage</groupId><artifactId>frameworks</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies>{more}</project>"
    )
    fetched(tool("mvn"), "-q", "-B", *goal, cwd=folder)
    for queue in ("IN) BOTHRESH(2) BOQNAME(AUTHORS.BO", "BO", "OUT", "DEAD"):
        bed.define(f"QLOCAL(AUTHORS.{queue})")
    return folder


def _coordinates(jar: str) -> str:
    group, artifact, version = jar.split(":")
    return (
        f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
    )


def _java(
    bed: Bed, program: str, jars: Sequence[str], argument: int, *options: str
) -> Iterator[Outcome]:
    """The outcomes of a program of ours in Java, with jars that Maven fetches and their own."""
    goal = ("dependency:copy-dependencies", "-DoutputDirectory=jars", *options)
    folder = _maven(bed, jars, *goal)
    yield from _said(*bed.run(
        tool("java"), "-cp", f"{folder}/jars/*", str(PROGRAMS / program), str(argument),
        over_tcp=True,
    ))  # fmt: skip


def frameworks(bed: Bed) -> Iterator[Outcome]:
    """Spring, Camel and Pooled JMS over IBM's client for Java, the last with a load of a minute."""
    yield from _java(bed, "Frameworks.java", JARS, LOAD_S)


def spring_boot(bed: Bed) -> Iterator[Outcome]:
    """IBM's starter for Spring Boot with its pool and its own client, a load of a minute."""
    yield from _java(bed, "BootStarter.java", BOOT_JARS, LOAD_S)


def smallrye(bed: Bed) -> Iterator[Outcome]:
    """SmallRye Reactive Messaging, which Quarkus uses, over a pool and IBM's client for Java."""
    yield from _java(bed, "SmallRye.java", SMALLRYE_JARS, MESSAGES)


def quarkus(bed: Bed) -> Iterator[Outcome]:
    """A Quarkus application: its pool over IBM's client for Java, in transactions of JTA."""
    source = bed.folder / "java" / "src" / "main"
    (source / "java").mkdir(parents=True)
    (source / "resources").mkdir()
    shutil.copy(PROGRAMS / "Quarkus.java", source / "java")
    (source / "resources" / "application.properties").write_text(QUARKUS_PROPERTIES)
    folder = _maven(bed, QUARKUS_JARS, "package", *QUARKUS_OPTIONS, more=QUARKUS_BUILD)
    program = str(folder / "target" / "quarkus-app" / "quarkus-run.jar")
    yield from _said(*bed.run(
        tool("java"), "-jar", program, str(MESSAGES), cwd=folder, over_tcp=True
    ))  # fmt: skip


def jmeter(bed: Bed) -> Iterator[Outcome]:
    """JMeter's JMS samplers over IBM's client for Java, a load of a minute."""
    # the interfaces of JMS 1.1 that JMeter brings are those of 2.0 without some methods
    without = "-DexcludeArtifactIds=geronimo-jms_1.1_spec"
    yield from _java(bed, "JMeter.java", JMETER_JARS, LOAD_S, without)


PACKAGES: Final[Mapping[str, Callable[[Bed], Iterator[Outcome]]]] = {
    "ibmmq": ibmmq, "pymqi": pymqi, "mq-golang": mq_golang, "mq-golang-jms20": mq_golang_jms20,
    "ibmmq for Node": node, "mqi": mqi, "faststream-mq": faststream_mq, "airflow": airflow,
    "robot": robotframework_ibmmq, "frameworks": frameworks, "spring-boot": spring_boot,
    "smallrye": smallrye, "quarkus": quarkus, "jmeter": jmeter,
}  # fmt: skip


def main(names: Sequence[str]) -> int:
    """Run packages, all where none is named; 1 where something failed unexplained."""
    unknown = [name for name in names if name not in PACKAGES]
    if unknown:
        print(f"no package {unknown[0]!r}: there are {', '.join(PACKAGES)}", file=sys.stderr)
        return 2
    notes: list[str] = []
    failures = 0
    print(f"{'package':<18}{PASSED:>8}{FAILED:>8}{SKIPPED:>8}")
    for name in names or PACKAGES:
        with tempfile.TemporaryDirectory(prefix="authors-", ignore_cleanup_errors=True) as folder:
            try:
                outcomes = list(PACKAGES[name](Bed(Path(folder))))
            except Absent as absent:
                print(f"{name:<18}{'not run: ' + str(absent)}", flush=True)
                continue
        counts = Counter(outcome.state for outcome in outcomes)
        print(f"{name:<18}{counts[PASSED]:>8}{counts[FAILED]:>8}{counts[SKIPPED]:>8}", flush=True)
        for program, state, why in outcomes:
            if state == PASSED:
                continue
            reason = EXPLAINED.get((name, program))
            failures += state == FAILED and reason is None
            notes.append(f"{name}: {program} {state}: {reason or why or 'by its authors'}")
    print("\n".join(["", *notes] if notes else []))
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PACKAGE", help=", ".join(PACKAGES))
    sys.exit(main(parser.parse_args().names))
