"""`queue ls` of 10,000 queues over the REST API against the same through pymqi: processor time.

Run: python -m benchmarks.listing_ends [QUEUES]

Both ask emulated queue managers that serve in processes of their own; what these spend is not
counted. Needs pymqi, h11 and urllib3.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.browsing import MQTRIAGE
from benchmarks.growth import fill_queues
from benchmarks.measure import Figure, Rounds
from benchmarks.process import run
from mqtriage.emulator.mqi.library import sdk

QUEUES: Final = 10_000
BOUND: Final = 3.0
_LIST: Final = (MQTRIAGE, "queue", "ls", "-q", "-m", "QM1")


@contextmanager
def serving(env: Mapping[str, str], *options: str) -> Iterator[str]:
    """A server in a process of its own; the last line that it says once clients can come."""
    words = [MQTRIAGE, "emulator", "serve", "QM1", *options]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=dict(env), text=True) as server:
        assert server.stderr is not None
        try:
            yield next(line for line in server.stderr if "; interrupt to stop" in line)
        finally:
            server.send_signal(signal.SIGTERM)


def figures(queues: int = QUEUES, rounds: int = 3) -> list[Figure]:
    """The ratio of what the two commands had of the processors."""
    with tempfile.TemporaryDirectory() as made:
        home, folder = Path(made) / "home", Path(made) / "sdk"
        env = {"PATH": "/usr/bin:/bin", **fill_queues(home, queues)}
        sdk.lay_out(folder)
        over_mq = env | sdk.environment(folder, "QM1", home)
        over_rest = env | {"MQTRIAGE_PASSWORD": "passw0rd"}
        by_rest: list[float] = []
        by_mq: list[float] = []
        for _ in range(rounds):
            with serving(env, "--web", "0") as line:
                url = line.split("listening on ")[1].split(";")[0]
                rest = ("--backend", "rest", "--url", url, "--set", "user=admin")
                by_rest.append(run([*_LIST, *rest], env=over_rest).processor_s)
            with serving(env):
                mq = ("--backend", "mq", "--set", "library=pymqi")
                by_mq.append(run([*_LIST, *mq], env=over_mq).processor_s)
    both = Rounds(by_rest, by_mq)
    what = f"queue ls of {queues:,} queues over REST / through pymqi, processor time"
    return [Figure(what, both.ratios, BOUND, False, f"{both.text(lambda s: f'{s:.2f}')} s")]


def main(queues: int = QUEUES) -> int:
    """Measure and print; 1 where the promise is not kept."""
    shown = figures(queues)
    print("\n".join(figure.line() for figure in shown))
    return 0 if all(figure.holds for figure in shown) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
