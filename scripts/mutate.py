"""Put faults into the code at the places of statements, and see whether their tests notice.

COUNT statements are drawn, 20 where nothing is said. Of each, two faults are drawn on lines that
run in the tests named for it: in a narrow test sooner than in one that runs much, and at a line of
it the sooner the fewer statements run it. A fault is a comparison or its boundary, in SQL too, a
whole number, a negation, an `and` or `or`, a call that is dropped. MQTRIAGE_SEED repeats a run.
A fault that these tests let pass is tried with those of other statements: what one of them notices
was beside the statement, and another is drawn. `--record` writes what was noticed to
docs/noticed.tsv, from which the page of the statements says which of them are shown.

`--comparisons` tries every comparison that orders, or has a length or a number, in those files or
folders, with the tests of that room in tests/unit: those aimed at limits begin, then what runs
little else.

All of it happens in forks of one process that has imported everything; the code in memory is
changed, so tests whose work is done by another program notice nothing, and are left out. Which
lines a test runs is kept in build/mutate.json.gz until its file, or one that it runs, is changed.
Survivors are listed and end with 0: each wants a test, or a reason why the fault changes nothing.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import hashlib
import importlib
import json
import os
import pkgutil
import resource
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import _lru_cache_wrapper, cache
from io import StringIO
from itertools import islice
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402
from scripts.faults import Fault, code_of, faults_of, with_fault  # noqa: E402
from scripts.make_statements import NOTICED, Statement, marked_tests, statements  # noqa: E402

FAULTS: Final = 2
"""Of each statement."""
ROOMS: Final = ("mq", "model", "messages", "emulator", "definitions", "operations", "commands")
"""Where statements have their places; the others put options in and results out."""
_ROOMS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "emulator": ("mq", "messages", "emulator"),
    "lint": ("mq", "definitions"),
    "command": ("mq", "messages", "definitions", "operations", "commands"),
}
ELSEWHERE: Final = ("tests/jms/", "tests/pipeline/", "tests/docs/", "tests/test_")
"""Tests that run the code in another process, or none of it."""
CACHE: Final = ROOT / "build" / "mutate.json.gz"
MOST_FAULTS: Final = 6
"""That are drawn for a statement, with those beside it."""
NOT_PUT: Final = "(not put)"
NO_END: Final = " (no end)"
"""Behind a test that was not over in time: the fault makes a loop without end, or the machine has
much to do. It shows nothing, and another fault is drawn."""
AIMED: Final = "/test_boundaries.py"
"""Files of tests that are aimed at limits; they begin."""
NEAREST: Final = 40
"""So many tests at most try a fault of `--comparisons`."""
LEAST_S: Final = 10
MOST_BYTES: Final = 6 << 30
Lines = Mapping[str, Collection[int]]
"""Path to the lines that ran."""


class Run(NamedTuple):
    """What one test did without a fault."""

    passed: bool
    seconds: float
    lines: Lines

    @property
    def breadth(self) -> int:
        """How many lines it runs."""
        return sum(map(len, self.lines.values()))


@cache
def source_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@cache
def digest_of(path: str) -> str:
    data = (ROOT / path).read_bytes()
    return hashlib.blake2b(data, digest_size=8).hexdigest()


# forks --------------------------------------------------------------------------------------------


def in_fork(work: Callable[[], Any], limit_s: float) -> Any:
    """What *work* returns in a process of its own; None where that dies.

    Raises:
        TimeoutError: it takes longer.
    """
    scratch = tempfile.mkdtemp(prefix="mut")
    answer = Path(scratch, "answer")
    child = os.fork()
    if not child:
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nowhere, number)
            os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = scratch
            data = json.dumps(work())
            answer.write_text(data, "utf-8")
        finally:
            os._exit(0)
    end = time.monotonic() + limit_s
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            shutil.rmtree(scratch, ignore_errors=True)
            raise TimeoutError
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it has started and not ended
    result = json.loads(answer.read_text("utf-8")) if answer.exists() else None
    shutil.rmtree(scratch, ignore_errors=True)
    return result


class Functions:
    """The functions of the package that live in this process, to be given other code."""

    def __init__(self) -> None:
        import mqtriage

        for module in pkgutil.walk_packages(mqtriage.__path__, "mqtriage.", onerror=print):
            if ".pipeline" not in module.name and not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except ImportError:  # of an extra that is not installed
                    continue
        self._by_file: dict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []
        self._package = Path(mqtriage.__path__[0])
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(
                str(self._package)
            ):
                self._by_file[one.__code__.co_filename].append(one)
            elif isinstance(one, _lru_cache_wrapper) and one.__module__.startswith("mqtriage"):
                self._caches.append(one)

    def put(self, fault: Fault) -> None:
        """Put it into this process, which is not to do anything else after.

        Raises:
            LookupError: where no function that lives here has it.
        """
        file = str(self._package / fault.path)
        source = source_of(fault.path)
        before, after = code_of(source, file), code_of(with_fault(source, fault.number), file)
        changed = 0
        for function in self._by_file[file]:
            key = function.__code__.co_qualname, function.__code__.co_firstlineno
            codes = dict(zip(before[key], after[key], strict=False))
            new = codes.get(function.__code__, function.__code__)
            changed += new != function.__code__
            function.__code__ = new
        if not changed:
            raise LookupError(fault.text)
        for one in self._caches:
            one.cache_clear()


class Tests:
    """The tests that pytest has collected here, run in forks."""

    def __init__(self, session: pytest.Session, functions: Functions) -> None:
        self.items = {item.nodeid: item for item in session.items}
        self._session = session
        self._functions = functions

    def _run(self, name: str) -> bool:
        """Whether one test passes, here."""
        before = self._session.testsfailed
        item = self.items[name]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self._session.testsfailed == before

    def _be_quiet(self) -> None:
        writer = self._session.config.get_terminal_writer()
        writer._file = StringIO()

    def lines_of(self, names: Sequence[str]) -> dict[str, Run]:
        """What each of these tests does without a fault, and the lines that it runs."""

        def work() -> Any:
            from coverage import Coverage

            self._be_quiet()
            cover = Coverage(data_file=None, config_file=False,
                             include=[f"{ROOT}/{room}/*" for room in ROOMS])  # fmt: skip
            runs: dict[str, list[Any]] = {}
            cover.start()
            for name in names:
                cover.switch_context(name)
                begun = time.monotonic()
                passed = self._run(name)
                runs[name] = [passed, time.monotonic() - begun, {}]
            cover.stop()
            data = cover.get_data()
            for file in data.measured_files():
                path = str(Path(file).relative_to(ROOT)).removeprefix("src/mqtriage/")
                for line, contexts in data.contexts_by_lineno(file).items():
                    for name in contexts:
                        if name in runs:
                            runs[name][2].setdefault(path, []).append(line)
            return runs

        try:
            answer = in_fork(work, 1800)
        except TimeoutError:
            answer = None
        return {name: Run(*run) for name, run in (answer or {}).items()}

    def notices(self, fault: Fault, names: Sequence[str], limit_s: float) -> str:
        """The first of the tests that fails with the fault, "" where none does.

        With NO_END behind it where it has not failed, but was not over in time.
        """
        progress = Path(tempfile.mkdtemp(prefix="mut"), "progress")

        def work() -> str:
            self._be_quiet()
            try:
                self._functions.put(fault)
            except (LookupError, ValueError):
                return NOT_PUT
            for name in names:
                progress.write_text(name)
                if not self._run(name):
                    return name
            return ""

        end = ""
        try:
            answer = in_fork(work, limit_s)
        except TimeoutError:
            answer, end = None, NO_END
        if answer is None:  # nor has it said which: the process ended, or was ended
            answer = progress.read_text("utf-8") + end if progress.exists() else ""
        shutil.rmtree(progress.parent)
        return str(answer)


# which lines which test runs ----------------------------------------------------------------------


def runs_of(tests: Tests) -> dict[str, Run]:
    """What each collected test does, from the cache where nothing of it has changed."""
    kept = json.loads(gzip.decompress(CACHE.read_bytes())) if CACHE.exists() else {}
    runs: dict[str, Run] = {}
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in tests.items:
        entry = kept.get(name)
        file = name.partition("::")[0]
        if entry and all(
            (ROOT / path).exists() and digest_of(path) == digest for path, digest in entry["of"]
        ):
            lines = {path: _unpacked(bits) for path, bits in entry["lines"].items()}
            runs[name] = Run(True, entry["seconds"], lines)
        else:
            by_file[file].append(name)
    for number, (file, names) in enumerate(by_file.items()):
        print(f"lines of {file} ({number + 1} of {len(by_file)})", file=sys.stderr, flush=True)
        fresh = tests.lines_of(names)
        runs |= fresh
        for name, run in fresh.items():
            if run.passed:
                of = [[path, digest_of(path)] for path in (file, *run.lines)]
                packed = {path: _packed(lines) for path, lines in run.lines.items()}
                kept[name] = {"of": of, "seconds": run.seconds, "lines": packed}
        if number % 20 == 19 or number == len(by_file) - 1:
            _keep(kept)
    return runs


def _keep(kept: Mapping[str, Any]) -> None:
    CACHE.parent.mkdir(exist_ok=True)
    fresh = CACHE.with_suffix(".new")
    fresh.write_bytes(gzip.compress(json.dumps(kept).encode("utf-8"), 1))
    fresh.replace(CACHE)


def _packed(lines: Iterable[int]) -> str:
    return f"{sum(1 << line for line in set(lines)):x}"


@cache
def _unpacked(bits: str) -> frozenset[int]:
    number = int(bits, 16)
    return frozenset(line for line in range(number.bit_length()) if number >> line & 1)


# which faults are tried ---------------------------------------------------------------------------


def chosen(words: Sequence[str], random: Random) -> dict[str, Statement]:
    """The statements that are tried."""
    named = marked_tests()
    shown = {
        one.id: one
        for one in statements()
        if not one.only_on_a_page
        and any(not test.startswith(ELSEWHERE) for test in named.get(one.id, ()))
    }
    if words == ["all"]:
        return shown
    if words and not words[0].isdecimal():
        return {name: shown[name] for name in words}
    count = int(words[0]) if words else 20
    return {name: shown[name] for name in random.sample(sorted(shown), min(count, len(shown)))}


def rooms_of(statement: Statement) -> tuple[str, ...]:
    """Where the table says that a statement lives: `emulator; command: ...`."""
    kinds = [part.partition(":")[0].strip() for part in statement.lives_in.split(";")]
    return next((_ROOMS_OF[kind] for kind in kinds if kind in _ROOMS_OF), ROOMS)


def weights(
    run: Run, popular: Mapping[tuple[str, int], int], rooms: tuple[str, ...]
) -> dict[tuple[str, int], float]:
    """How much each line that a test runs counts for what it shows.

    Args:
        run: of the test.
        popular: how many statements a line runs for.
    """
    return {
        (path, line): 1 / max(popular[path, line], 1) ** 2
        for path, lines in run.lines.items()
        if path.startswith(rooms)
        for line in lines
    }


def places(
    runs: Sequence[Run],
    popular: Mapping[tuple[str, int], int],
    rooms: tuple[str, ...],
    random: Random,
) -> Iterator[Fault]:
    """Faults for a statement, in turns at what one of its tests runs; narrow tests begin."""
    narrow = sorted(runs, key=lambda run: random.random() * run.breadth)
    turns = [drawn_faults(weights(run, popular, rooms), random) for run in narrow]
    before: set[Fault] = set()
    while turns:
        for turn in list(turns):
            fault = next((one for one in turn if one not in before), None)
            if fault is None:
                turns.remove(turn)
            else:
                before.add(fault)
                yield fault


def drawn_faults(by_line: Mapping[tuple[str, int], float], random: Random) -> Iterator[Fault]:
    """The faults of these lines, in an order in which heavy ones are likely to come first."""
    lines: dict[str, list[int]] = defaultdict(list)
    for path, line in by_line:
        lines[path].append(line)
    faults = [
        fault for path in sorted(lines) for fault in faults_of(path, source_of(path), lines[path])
    ]
    per_line = Counter((fault.path, fault.line) for fault in faults)
    keys = {
        fault: random.random() ** (per_line[at] / by_line[at])
        for fault in faults
        for at in [(fault.path, fault.line)]
    }
    yield from sorted(faults, key=lambda fault: keys[fault], reverse=True)


def popularity(seeds: Mapping[str, Sequence[str]], runs: Mapping[str, Run]) -> Counter[Any]:
    """How many statements each line runs for."""
    popular: Counter[Any] = Counter()
    for names in seeds.values():
        popular.update({(path, line) for name in names if name in runs
                        for path, lines in runs[name].lines.items() for line in lines})  # fmt: skip
    return popular


def tried(tests: Tests, runs: Mapping[str, Run], fault: Fault, names: Iterable[str]) -> str:
    """Which of those of the tests that run the line notices it; the quickest begin."""
    running = [name for name in names if fault.line in runs[name].lines.get(fault.path, ())]
    running.sort(key=lambda name: runs[name].seconds)
    seconds = sum(runs[name].seconds for name in running)
    return tests.notices(fault, running, LEAST_S + 4 * seconds) if running else ""


# the two ways -------------------------------------------------------------------------------------


def try_statements(
    tests: Tests, drawn: Mapping[str, Statement], random: Random, *, records: bool
) -> None:
    """Two faults of each, and what became of them; with *records* what was noticed is kept."""
    runs = runs_of(tests)
    failing = sorted(name for name in tests.items if name not in runs or not runs[name].passed)
    for name in failing:
        print(f"{name}: fails without a fault")
    runs = {name: run for name, run in runs.items() if run.passed}
    seeds: dict[str, list[str]] = defaultdict(list)
    for name in runs:
        for mark in tests.items[name].iter_markers("seed"):
            for seed in mark.args:
                seeds[seed].append(name)
    popular = popularity(seeds, runs)
    words: Counter[str] = Counter()
    for statement in drawn.values():
        own = seeds[statement.id]
        noticed = survived = 0
        faults = places([runs[name] for name in own], popular, rooms_of(statement), random)
        for fault in islice(faults, MOST_FAULTS):
            if noticed + survived == FAULTS:
                break
            test, word = tried(tests, runs, fault, own), "noticed"
            if not test:
                test, word = tried(tests, runs, fault, nearest(runs, fault, own)), "beside"
            if test == NOT_PUT:
                continue
            word = word_of(test, word)
            words[word] += 1
            survived += word == "SURVIVED"
            noticed += word == "noticed"
            if word == "noticed" and records:
                record(statement.id, fault, test)
            print(statement.id, word, fault.place, fault.text[:160], test, sep="\t", flush=True)
    print(f"faults at {len(drawn)} statements: {dict(words)}")


def word_of(test: str, noticed: str) -> str:
    """What became of a fault: *noticed* where *test* says so."""
    return "NO END" if test.endswith(NO_END) else noticed if test else "SURVIVED"


def nearest(runs: Mapping[str, Run], fault: Fault, without: Collection[str] = ()) -> list[str]:
    """The tests that run a place, and as little else as any."""
    running = [name for name, run in runs.items()
               if name not in without and fault.line in run.lines.get(fault.path, ())]  # fmt: skip
    return sorted(running, key=lambda name: (AIMED not in name, runs[name].breadth))[:NEAREST]


def record(statement: str, fault: Fault, test: str) -> None:
    """Write down that a test of a statement has noticed a fault, if the page knows it as one."""
    if not test.startswith(tuple(marked_tests()[statement])):
        return  # its mark stands in a table beside it
    rows = NOTICED.read_text("utf-8").splitlines() if NOTICED.exists() else ["id\tfunction\ttest"]
    kept = [row for row in rows[1:] if row.partition("\t")[0] != statement]
    kept.append(f"{statement}\t{fault.path} {fault.function}\t{test.partition('[')[0]}")
    NOTICED.write_text("\n".join([rows[0], *sorted(kept)]) + "\n", "utf-8")


def try_comparisons(tests: Tests, paths: Sequence[str]) -> None:
    """Every comparison that orders or counts in these files."""
    runs = {name: run for name, run in runs_of(tests).items() if run.passed}
    files = sorted(
        str(file.relative_to(ROOT))
        for path in paths
        for file in ([ROOT / path] if path.endswith(".py") else (ROOT / path).rglob("*.py"))
    )
    words: Counter[str] = Counter()
    for path in files:
        for fault in faults_of(path, source_of(path), range(1 << 20)):
            if not fault.compares:
                continue
            names = nearest(runs, fault)
            test = tried(tests, runs, fault, names)
            if test != NOT_PUT:
                word = word_of(test, "noticed") if names else "NOT RUN"
                words[word] += 1
                print(word, fault.place, fault.text[:160], test, sep="\t", flush=True)
    print(f"faults at comparisons: {dict(words)}")


class Plugin:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, work: Callable[[Tests], None]) -> None:
        self._work = work
        self._functions = Functions()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Random examples are the same in every run, and nobody looks for the smallest."""
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutate", settings.default, derandomize=True, database=None,
            phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip
        settings.load_profile("mutate")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._work(Tests(session, self._functions))
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write docs/noticed.tsv")
    parser.add_argument("--comparisons", action="store_true", help="of these files or folders")
    parser.add_argument("words", nargs="*", metavar="COUNT|ID|all|PATH", help="default: 20")
    given = parser.parse_args()
    words = given.words
    os.environ |= {"MQTRIAGE_TESTS": "fast", "PYTHONDONTWRITEBYTECODE": "1"}
    os.chdir(ROOT)
    if given.comparisons:
        paths = sorted({f"tests/unit/{path.partition('/')[0]}" for path in words})
        paths.append(f"tests/contract{AIMED}")
        plugin = Plugin(lambda tests: try_comparisons(tests, words))
    else:
        seed = int(os.environ.get("MQTRIAGE_SEED", "0")) or secrets.randbelow(1 << 30)
        print(f"MQTRIAGE_SEED={seed}", flush=True)
        random = Random(seed)
        drawn = chosen(words, random)
        names = {name for names in marked_tests().values() for name in names}
        paths = sorted(
            {name.partition("::")[0] for name in names if not name.startswith(ELSEWHERE)}
        )
        plugin = Plugin(lambda tests: try_statements(tests, drawn, random, records=given.record))
    usual = "not long and not alone and not slow"
    marks = usual if given.comparisons else "seed and not alone"
    status = pytest.main(
        ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-m", marks, *paths],
        plugins=[plugin],
    )
    return 0 if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else 1


if __name__ == "__main__":
    sys.exit(main())
