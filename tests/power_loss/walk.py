"""An operation recorded, then cut at its calls: by a power cut, by a kill, by an error."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

from mqtriage.operations.ledger.journal import Journal
from tests.acceptance.messages.estate import Estate
from tests.power_loss.model import Disk, Tree, cuts, states, write
from tests.power_loss.recording import Step, read_trace, run
from tests.power_loss.scenarios import Scenario, problem

RESUME = ("journal", "resume", "--yes", "-q", "-o", "json")
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS)
"""What a call is made to fail with, in turns."""
_MOST_TOLD = 600


class Recorded:
    """An operation that was run once, with what it did to the disk.

    Attributes:
        home: where it ran; what is tried stands there too, since the journal has paths.
        steps: its calls.
    """

    def __init__(self, scenario: Scenario, folder: Path, preload: Path) -> None:
        self.scenario = scenario
        self.home = folder / "home"
        self._preload = preload
        self._before = folder / "before"
        self._argv = scenario.argv.format(home=self.home).split()
        estate = Estate.create(self.home)
        estate.queue("IN")
        estate.queue("OUT")
        scenario.prepare(estate)
        shutil.copytree(self.home, self._before)
        self.safe = self.home / "emulator"
        self.disk = Disk(self.home, self.safe)
        trace = folder / "trace"
        ran = run(preload, self.home, self._argv, trace)
        assert ran.code == 0, ran
        self.steps: list[Step] = list(read_trace(trace))

    def disks(self, random: Random, at_random: int, most: int) -> Iterator[Tree]:
        """What a power cut leaves at *most* moments, all that there are if it is 0; none twice.

        Args:
            at_random: disks of a moment that are drawn, beside the extremes.
        """
        moments = cuts(self.steps, self.safe)
        chosen = set(random.sample(moments, min(most, len(moments))) if most else moments)
        safe = self.safe.relative_to(self.home)
        seen = set()
        for number in range(len(self.steps) + 1):
            for tree in states(self.disk, random, at_random) if number in chosen else ():
                ours = [one for one in sorted(tree.items()) if not one[0].is_relative_to(safe)]
                digest = self.disk.version, sha256(repr(ours).encode()).digest()
                if digest not in seen:
                    seen.add(digest)
                    yield tree
            if number < len(self.steps):
                self.disk.do(self.steps[number])

    def after_power_cut(self, tree: Tree) -> str:
        """What is wrong once the power is back on that disk; "" for nothing."""
        shutil.rmtree(self.home)
        write(tree, self.home)
        return self._resumed()

    def after_kill(self, number: int) -> str:
        """What is wrong after a kill just before that call."""
        ran = self._anew(MQT_KILL_AT=number)
        return self._resumed() if ran < 0 else ""

    def after_error(self, number: int) -> str:
        """What is wrong where that call of ours failed."""
        ours = [at for at, step in enumerate(self.steps, 1) if self._is_ours(step)]
        at = ours[number % len(ours)]
        self._anew(MQT_FAIL_AT=at, MQT_ERRNO=ERRORS[number % len(ERRORS)])
        return self._resumed()

    def _is_ours(self, step: Step) -> bool:
        return not step.path.is_relative_to(self.safe)

    def _anew(self, **more: int) -> int:
        """Run it once more from the beginning; returns its exit code, negative for a signal."""
        shutil.rmtree(self.home)
        shutil.copytree(self._before, self.home)
        ran = run(self._preload, self.home, self._argv, None, **more)
        assert "Traceback" not in ran.err, ran.err
        return ran.code

    def _resumed(self) -> str:
        """Resume it, and look where the messages are, and what the proofs say."""
        estate = Estate(self.home)
        planned = Journal(self.home / "journal").rows("SELECT max(messages) FROM operation")
        began = bool(next(planned, (0,))[0])
        ran = estate.run(*RESUME)
        wrong = problem(self.scenario, self.home, began=began)
        if ran.code not in ((0, 3) if began else (1, 5)):
            return f"{wrong} resume: {ran}"[:_MOST_TOLD]
        if wrong:
            return f"{wrong}; resume: {ran}"[:_MOST_TOLD]
        for line in (("journal", "verify"), ("archive", "verify"), ("journal", "ls")):
            ran = estate.run(*line, "-o", "json")
            unknown = line == ("journal", "verify") and "unknown outcome" in ran.out
            if ran.code != 0 and not unknown:
                return f"{line}: {ran}"[:_MOST_TOLD]
        return ""
