"""An operation recorded, then cut at its calls: by a power cut, a kill, a signal, an error."""

from __future__ import annotations

import errno
import shutil
import signal
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from tests.acceptance.messages.estate import Estate, Ran
from tests.power_loss.kinds import States, estate_of, operations
from tests.power_loss.model import Disk, Tree, cuts, states, write
from tests.power_loss.recording import Forks, Step, read_trace
from tests.power_loss.scenarios import Scenario

Try: TypeAlias = partial[str]
"""Cuts it, lets it go on, and returns what is wrong then; "" for nothing."""

ERRORS: Final = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EMFILE)
"""What a call is made to fail with, in turns."""
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PROOFS: Final = ("journal verify", "archive verify", "journal ls")
"""They end well after anything."""
_MOST_TOLD: Final = 600
_DISKS_OF_A_MOMENT: Final = 3
"""That are tried, where not all moments are."""


class Recorded:
    """An operation that was run once, with what it did to the disk.

    Attributes:
        home: where it ran; what is tried stands there too, since the journal has paths.
        steps: its calls.
        there: what stood in its home after it.
        ours: numbers, from 1, of those that are not the queue manager's.
    """

    def __init__(self, scenario: Scenario, folder: Path, forks: Forks) -> None:
        self.scenario = scenario
        self.home = folder / "home"
        self._forks = forks
        self._before = folder / "before"
        self._argv = scenario.argv.format(home=self.home).split()
        estate = Estate.create(self.home)
        estate.queue("IN")
        estate.queue("OUT")
        scenario.prepare(estate)
        before, known = scenario.kind.look(self.home), operations(self.home)
        shutil.copytree(self.home, self._before)
        self.safe = self.home / "emulator"
        forks.warm(self.home, self._argv)
        again = scenario.kind.again(self.home, self._argv, known)
        if again:
            forks.warm(self.home, again)
        self._reset()
        self.disk = Disk(self.home, self.safe)
        trace = folder / "trace"
        ran = forks.run(self.home, self._argv, trace)
        assert ran.code == 0, ran
        self.there = _on_disk(self.home)
        self.states = States(before, scenario.kind.look(self.home), known)
        self.steps: list[Step] = list(read_trace(trace))
        numbered = enumerate(self.steps, 1)
        self.ours = [at for at, step in numbered if not step.path.is_relative_to(self.safe)]

        self.there = _on_disk(self.home)

    @property
    def replayed(self) -> Tree:
        """The disk when nothing of the calls is lost."""
        disk = deepcopy(self.disk)
        for step in self.steps:
            disk.do(step)
        return disk.tree(lambda *_: 1.0)

    def _reset(self) -> None:
        shutil.rmtree(self.home)
        shutil.copytree(self._before, self.home)

    # -- what is tried --------------------------------------------------------------------------

    def power_cuts(self, random: Random, most: int) -> list[Try]:
        """On what a power cut leaves, around each call of ours and amid the others; none twice."""
        disks = list(self._disks(random, most))
        drawn = random.sample(disks, min(_DISKS_OF_A_MOMENT * most, len(disks)))
        return [partial(self._after_power_cut, *one) for one in drawn]

    def cuts_at_its_end(self) -> list[Try]:
        """On what a power cut leaves of it when it has ended well."""
        disks = self._disks(Random(0), len(self.steps))
        return [partial(self._after_power_cut, *one) for one in disks if one[1]]

    def kills(self, random: Random, most: int) -> list[Try]:
        """Before each call."""
        return [partial(self._after_kill, at) for at in self._drawn(random, most)]

    def kills_again(self, random: Random, most: int) -> list[Try]:
        """Before each call, and in what goes on before one; once before each one there."""
        calls = len(self.steps)
        tries = [(at, random.randint(1, calls)) for at in self._drawn(random, most)]
        commit = calls * 2 // 3
        tries += [(commit, at) for at in self._drawn(random, most - len(tries))]
        return [partial(self._after_kill, at, again) for at, again in tries]

    def signals(self, random: Random, most: int) -> list[Try]:
        """Before a third of the calls, in turns."""
        return [partial(self._after_signal, at) for at in self._drawn(random, most)[::3]]

    def errors(self, random: Random, most: int) -> list[Try]:
        """Of each call of ours."""
        numbers = random.sample(self.ours, min(most, len(self.ours)))
        return [partial(self._after_error, at, random.choice(ERRORS)) for at in numbers]

    def _drawn(self, random: Random, most: int) -> list[int]:
        numbers = range(1, len(self.steps) + 1)
        return random.sample(numbers, max(0, min(most, len(numbers))))

    def _disks(self, random: Random, most: int) -> Iterator[tuple[Tree, bool]]:
        """Each with whether the operation was over."""
        moments = cuts(self.steps, self.safe)
        chosen = set(random.sample(moments, min(most, len(moments))))
        at_random = min(2, most // 100)
        safe = self.safe.relative_to(self.home)
        disk = deepcopy(self.disk)
        seen = set()
        for number in range(len(self.steps) + 1):
            for tree in states(disk, random, at_random) if number in chosen else ():
                ours = [one for one in sorted(tree.items()) if not one[0].is_relative_to(safe)]
                digest = (
                    disk.version,
                    number == len(self.steps),
                    sha256(repr(ours).encode()).digest(),
                )
                if digest not in seen:
                    seen.add(digest)
                    yield tree, number == len(self.steps)
            if number < len(self.steps):
                disk.do(self.steps[number])

    # -- what comes of it -----------------------------------------------------------------------

    def _after_power_cut(self, tree: Tree, is_over: bool) -> str:
        shutil.rmtree(self.home)
        write(tree, self.home)
        return self._gone_on(is_over=is_over)

    def _after_kill(self, number: int, again: int = 0) -> str:
        self._anew(at=number)
        return self._gone_on(again)

    def _after_signal(self, number: int) -> str:
        self._anew(at=number, signal=SIGNALS[number % len(SIGNALS)])
        return self._gone_on()

    def _after_error(self, number: int, error: int) -> str:
        self._anew(failing=number, error=error)
        return self._gone_on()

    def _anew(self, **more: int) -> None:
        """Run it once more from the beginning."""
        self._reset()
        self._run(self._argv, **more)

    def _run(self, argv: Sequence[str], **more: int) -> Ran:
        ran = self._forks.run(self.home, argv, None, **more)
        assert "Traceback" not in ran.err, ran.err
        assert "internal error" not in ran.err, ran.err
        assert ran.code in range(-9, 144), ran
        return ran

    def _gone_on(self, again: int = 0, *, is_over: bool = False) -> str:
        """Let it go on, and look what is there, and what the proofs say."""
        scenario, known = self.scenario, self.states.known
        try:
            wrong = scenario.kind.told(self.home, self.states, is_over=is_over)
            if wrong:
                return wrong
            argv = scenario.kind.again(self.home, self._argv, known)
            if argv and again:
                self._run(argv, at=again)
                argv = scenario.kind.again(self.home, self._argv, known)
            ran = self._run(argv) if argv else None
            wrong = scenario.kind.problem(self.home, self.states, ran)
        except AssertionError as error:
            return f"{error}"[:_MOST_TOLD]
        if wrong:
            return f"{wrong}; {ran}"[:_MOST_TOLD]
        for line in _PROOFS:
            proof = estate_of(self.home).run(*line.split(), "-o", "json")
            unknown = line == "journal verify" and self._may_be_unknown(proof)
            if proof.code != 0 and not unknown:
                return f"{line}: {proof}"[:_MOST_TOLD]
        return ""

    def _may_be_unknown(self, proof: Ran) -> bool:
        """Whether what is not proven is what docs/evidence.md names: an unknown commit."""
        return "outcome unknown" in proof.out or self._argv[:2] == ["archive", "prune"]


def _on_disk(folder: Path) -> Tree:
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in (folder, *folder.rglob("*"))
        if not path.name.endswith("-shm")
    }


TRIES: Final = {
    "disks": Recorded.power_cuts,
    "kills": Recorded.kills,
    "kills of both": Recorded.kills_again,
    "signals": Recorded.signals,
    "errors": Recorded.errors,
}
"""What is tried, by the heading of its column in docs/evidence.md."""
