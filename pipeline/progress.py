"""How far Spark has come, from what its scheduler says of running stages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY_SECONDS: Final = 0.5


@contextmanager
def watched(session: SparkSession, tell: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """Give a function that tells what is being done; tasks are added to it while it goes on."""
    doing = [""]
    done = threading.Event()

    def say(text: str) -> None:
        doing[0] = text
        tell(text)

    def poll() -> None:
        while not done.wait(_EVERY_SECONDS):
            text = tasks(session)
            if text and not done.is_set():
                tell(f"{doing[0]}, {text}")

    if hasattr(session, "registerProgressHandler") and not hasattr(session, "_jsparkSession"):
        yield say  # Spark Connect: there is no scheduler to ask
        return
    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield say
    finally:
        done.set()
        thread.join()


def tasks(session: SparkSession) -> str:
    """``3 of 12 tasks`` over the stages that run now; "" when none does."""
    tracker = session.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    if not known:
        return ""
    return f"{sum(s.numCompletedTasks for s in known)} of {sum(s.numTasks for s in known)} tasks"
