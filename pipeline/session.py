"""The Spark session: local by default, a cluster by its master's name, Spark Connect by address.

Nothing of it listens outside this machine in local mode: drivers and blocks are bound to
127.0.0.1 and the web page is off. All times are UTC.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mqtriage.model.installing import install_command
from mqtriage.mq.errors import MQTriageError, Unreachable, UsageError
from mqtriage.pipeline.java import cache_folder, java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER: Final = "local[*]"
DEFAULT_MEMORY: Final = "2g"
CONNECT_PORT: Final = 15002
MASTER_PORT: Final = 7077
TOKEN: Final = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
_PROBE_SECONDS: Final = 5.0
_CHOOSING: Final = ("SPARK_REMOTE", "SPARK_API_MODE")
_MASTERS: Final = re.compile(r"(local(-cluster)?(\[.*\])?|yarn|spark://.+|k8s://.+)?")
_STANDALONE: Final = "spark://"

SECURE: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "ERROR",
    # to tell the line of Python that made a column, pyspark asks Java five times for each
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # folders 0700 and files 0600, as everything that mqtriage writes
    "spark.hadoop.fs.permissions.umask-mode": "077",
}
"""What holds wherever the session runs."""

LOCAL: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # of Java's collectors it needs the least memory, and the least time on few cores
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
    # enough for twenty million rows in 2 GB; 200, Spark's own choice, is for a cluster
    "spark.sql.shuffle.partitions": "16",
    # the hours of queues in collect_list, and the plans of many jobs, are not in what Spark counts
    "spark.memory.fraction": "0.45",
    # most messages are seen a few times only: a first small map of them finds few again
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    # percentiles of so many groups are kept side by side before their rows are sorted instead
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "8192",
    # a file on this disk is opened in no time and a folder listed: very many of them need few tasks
    "spark.sql.files.openCostInBytes": "65536",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    # a task groups what it reads: of so little at once the groups take less memory, and no time
    "spark.sql.files.maxPartitionBytes": "24m",
}
"""What keeps a session on this machine to itself, and what suits one disk."""

ALWAYS_SQL: Final = {
    "spark.sql.session.timeZone": "UTC",
    # a folder of snapshots tells its own partitions; their values are text, whatever they look like
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # what is kept is cut into as many parts as it needs, and not into as many as the most may need
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
    # it takes the counting of rows out with what turned out to be empty
    "spark.sql.adaptive.optimizer.excludedRules": (
        "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
    ),
}
"""What is set on every session, a shared one behind Spark Connect as well."""


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Where the work runs.

    Attributes:
        master: of Spark, "" for local[*] (or for what spark-submit says, when it started us).
        remote: address of a Spark Connect server, ``sc://host:15002``; wins over *master*.
        memory: of the driver's Java, as Spark writes it: ``2g``.
        more: further settings of Spark, which win over ours.
    """

    master: str = ""
    remote: str = ""
    memory: str = DEFAULT_MEMORY
    more: Mapping[str, str] = field(default_factory=dict)


def settings_from(environ: Mapping[str, str], master: str | None, memory: str) -> SparkSettings:
    """What was asked for: `--master` wins over SPARK_REMOTE, as flags win over the environment."""
    if not memory[:-1].isdecimal() or memory[-1:] not in ("m", "g", "t"):
        raise UsageError(f"--memory {memory}: a size such as 2g or 900m is expected")
    if master is not None:
        if master.startswith("sc://"):
            return SparkSettings(remote=master, memory=memory)
        if not _MASTERS.fullmatch(master):
            raise UsageError(
                f"--master {master}: Spark does not support this master",
                hint="local[2], spark://HOST:PORT, sc://HOST:PORT, yarn or k8s://https://HOST:PORT",
            )
        return SparkSettings(master=master, memory=memory)
    remote = environ.get("SPARK_REMOTE", "")
    if remote.startswith("local"):  # pyspark would start a server of its own for this one process
        return SparkSettings(master=remote, memory=memory)
    return SparkSettings(remote=remote, memory=memory)


@contextmanager
def spark_session(
    settings: SparkSettings, environ: Mapping[str, str] = os.environ
) -> Iterator[SparkSession]:
    """Open the session and stop it when left.

    Raises:
        MQTriageError: pyspark or Java is missing, or Spark does not start; the hint says what to
            install or do.
        UsageError: There is too little memory for Spark.
        Unreachable: Nothing listens where *settings* point.
    """
    session = open_session(settings, environ)
    try:
        yield session
    finally:
        _stop(session)


def _stop(session: SparkSession) -> None:
    """Stop a session, whose Java may have ended."""
    try:
        session.stop()
    except Exception as error:
        if not isinstance(error, OSError) and not is_of_spark(error):
            raise


def open_session(settings: SparkSettings, environ: Mapping[str, str]) -> SparkSession:
    """Open the session; raises as `spark_session`."""
    require_pyspark()
    if settings.remote:
        require_connect()
    from pyspark.sql import SparkSession

    submitted = "PYSPARK_GATEWAY_PORT" in environ and not settings.master  # spark-submit started us
    conf = configuration(settings, submitted=submitted)
    if settings.remote:
        probe(settings.remote, in_tls=is_in_tls(settings.remote, environ))
    else:
        probe_masters(settings.master)
        prepare_java(environ, local=not submitted and is_local(settings.master))
    # a root logger without a handler gets one that writes the stack of what a signal broke
    logging.getLogger().addHandler(logging.NullHandler())
    with quiet_java() as output, chosen_by_us(), no_java_left():
        try:
            builder: Any = SparkSession.builder.appName("mqtriage")
            if settings.remote:
                builder = builder.remote(settings.remote)
            else:
                for key, value in conf.items():
                    builder = builder.config(key, value)
            session: SparkSession = builder.getOrCreate()
            for key, value in ALWAYS_SQL.items():
                session.conf.set(key, value)
            if settings.remote:
                set_there(session, settings.more)
        except UsageError:
            raise
        except Exception as error:
            if not (is_of_spark(error) or isinstance(error, OSError | RuntimeError)):
                raise
            text = output.read_text("utf-8", "replace")
            raise not_started(error, text, settings) from error
    return session


def set_there(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Set what a session on a server with Spark Connect may set for itself."""
    for key, value in settings.items():
        try:
            session.conf.set(key, value)
        except Exception as error:
            if not is_of_spark(error):
                raise
            raise UsageError(
                f"--conf {key}: a Spark Connect server accepts it only when it starts",
                hint=f"start-connect-server.sh --conf {key}=...",
            ) from error


def is_of_spark(error: BaseException) -> bool:
    """Whether Spark, its client or its bridge to Java raised *error*."""
    return type(error).__module__.partition(".")[0] in ("py4j", "grpc", "pyspark")


def configuration(settings: SparkSettings, *, submitted: bool = False) -> dict[str, str]:
    """The settings of Spark that a session is opened with.

    Args:
        submitted: spark-submit chose master and memory: they are left out.
    """
    settings_of_spark = dict(SECURE)
    if not submitted:
        settings_of_spark["spark.master"] = settings.master or DEFAULT_MASTER
        settings_of_spark["spark.driver.memory"] = settings.memory
        if is_local(settings.master):
            settings_of_spark |= LOCAL
    return settings_of_spark | dict(settings.more)


def is_local(master: str) -> bool:
    """Whether everything runs on this machine."""
    host = urlsplit(master).hostname or ""
    return not master or master.startswith("local") or host in ("127.0.0.1", "localhost")


def prepare_java(environ: Mapping[str, str], *, local: bool) -> None:
    """Let Spark's launcher find Java and, for local work, no address but this machine's."""
    home = java_home(environ, cache_folder(environ))
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def require_pyspark() -> None:
    """Check that pyspark can be imported."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise MQTriageError(
            "mqtriage analyze runs on Spark, and pyspark is not installed",
            hint=f"{install_command('spark')}, and '.[spark-jdk]' where there is no Java",
        ) from error


def require_connect() -> None:
    """Check that pyspark has what it speaks to a server with."""
    try:
        from pyspark.sql.connect.utils import check_dependencies  # importing it checks as well

        check_dependencies()
    except ImportError as error:
        text = str(error).splitlines()[0]
        raise MQTriageError(
            f"Spark Connect needs packages that are not installed: {text[:200]}",
            hint=install_command("spark-connect"),
        ) from error


@contextmanager
def chosen_by_us() -> Iterator[None]:
    """Keep the environment from choosing another kind of session: pyspark reads it once more."""
    kept = {name: os.environ.pop(name) for name in _CHOOSING if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def is_in_tls(remote: str, environ: Mapping[str, str]) -> bool:
    """Whether pyspark speaks TLS to a Spark Connect address: also because of a token."""
    host = urlsplit(remote.partition(";")[0]).netloc.partition(":")[0]
    words = remote.lower().split(";")[1:]
    has_token = TOKEN in environ or any(word.startswith("token=") for word in words)
    return "use_ssl=true" in words or (has_token and host != "localhost")


def probe(remote: str, *, in_tls: bool = False) -> None:
    """See whether something listens at a Spark Connect address: its client would try long."""
    address = urlsplit(remote.partition(";")[0])
    try:
        host, port = address.hostname, address.port or CONNECT_PORT
    except ValueError as error:
        raise UsageError(f"{remote}: {error}", hint="write sc://HOST:PORT") from error
    if address.scheme != "sc" or not host:
        raise UsageError(f"{remote}: not an address", hint="write sc://HOST:PORT")
    why = unheard(host, port)
    if why:
        raise _no_server(remote, why)
    if in_tls and not _speaks_tls(host, port):
        raise Unreachable(
            f"Spark Connect at {host}:{port}: it does not support TLS, and a token is sent without"
            " TLS only to localhost",
            hint=f"sc://localhost:{port} for a server on this machine, else give the server TLS",
        )


def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # its client looks at that
    context.set_alpn_protocols(["h2"])
    try:
        with socket.create_connection((host, port), _PROBE_SECONDS) as plain:
            context.wrap_socket(plain, server_hostname=host).close()
    except OSError:
        return False
    return True


def probe_masters(master: str) -> None:
    """See whether a master of a standalone cluster listens: Spark would try for a minute."""
    if not master.startswith(_STANDALONE):
        return
    why = []
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        reason = unheard(host or port, int(port) if host and port.isdecimal() else MASTER_PORT)
        if not reason:
            return
        why.append(f"{address}: {reason}")
    raise Unreachable(
        f"no Spark master responds: {'; '.join(why)}",
        hint="start the cluster, or omit --master to run here",
    )


def unheard(host: str, port: int) -> str:
    """Why nothing can be reached there; "" when something listens."""
    try:
        socket.create_connection((host, port), _PROBE_SECONDS).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _no_server(remote: str, why: str) -> Unreachable:
    address = urlsplit(remote.partition(";")[0])
    hint = "start the server, or unset SPARK_REMOTE to run here"
    if "authentication token" in why:
        hint = f"give the server's token in {TOKEN}"
    return Unreachable(
        f"Spark Connect at {address.hostname}:{address.port or CONNECT_PORT}: {why}", hint=hint
    )


@contextmanager
def quiet_java() -> Iterator[Path]:
    """Send what the Java started here says to a file: ours are results, and errors for people.

    Java inherits file descriptors 1 and 2 when it is started, so it is those which are moved.
    """
    with tempfile.NamedTemporaryFile(prefix="mqtriage-spark-", suffix=".log") as log:
        kept = {}
        for number in (1, 2):
            with suppress(OSError):  # one that the caller has closed
                kept[number] = os.dup(number)
                os.dup2(log.fileno(), number)
        try:
            yield Path(log.name)
        finally:
            for number, ours in kept.items():
                os.dup2(ours, number)
                os.close(ours)


@contextmanager
def no_java_left() -> Iterator[None]:
    """End the Java that is being started when that is interrupted.

    It ends with this process once it has told its port. Interrupted before, pyspark removes the
    file that Java would tell it in, and Java stays.
    """
    before = _children()
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        for process in _children() - before:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        raise


def _children() -> set[int]:
    """The processes that this one has started and that live, where the system lists them."""
    listed = Path("/proc/self/task").glob("*/children")
    return {int(number) for file in listed for number in file.read_text("ascii").split()}


def not_started(error: Exception, output: str, settings: SparkSettings) -> MQTriageError:
    """The error for a session that could not be opened, with the reason that Java gave."""
    text = str(error)
    if settings.remote:
        details = re.search(r'details = "(.*)"', text)
        return _no_server(settings.remote, details[1] if details else first_line(text, error))
    if "INVALID_DRIVER_MEMORY" in text:
        return UsageError(
            f"--memory {settings.memory}: Spark does not start with so little", hint="--memory 1g"
        )
    if any(key in text for key in settings.more):
        return UsageError(f"--conf: Spark does not accept it: {first_line(text, error)[:300]}")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if any(word in line for word in ("Error", "Exception", "error:", "could not"))
    ]
    of_java = [line[2:] for line in text.splitlines() if line.startswith(": ")]
    reason = (of_java or telling or lines or [first_line(text, error)])[0]
    return MQTriageError(
        f"Spark does not start: {reason[:300]}",
        hint="mqtriage needs Java 17 or later; JAVA_HOME and --master say which and where",
    )


def first_line(text: str, error: Exception) -> str:
    """What an error says, in one line."""
    return next((line for line in text.splitlines() if line.strip()), repr(error))
