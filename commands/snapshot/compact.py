"""`snapshot compact`: days that ended as few large files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from mqtriage.commands.snapshot.prune import AT_WORK_S
from mqtriage.model.installing import install_command
from mqtriage.model.result import Listing, columns_of, keys_of
from mqtriage.mq.errors import UsageError
from mqtriage.pipeline.snapshots import compact as days
from mqtriage.pipeline.snapshots.files import day_of
from mqtriage.pipeline.snapshots.problems import Problems


def compact(folder: Path, problems: Problems) -> Listing:
    """Compact the days that ended a day ago or longer, when nobody writes to them any more.

    Args:
        problems: takes what stays as it is, and why; complete after the last record.

    Raises:
        NotFound: No such folder.
        Refused: Another process does the same.
        StorageError: A file cannot be written or removed.
        UsageError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise UsageError(
            "snapshot compact: pyarrow is not installed", hint=install_command("parquet")
        )
    listing = Listing("CompactedSnapshotList", columns_of(days.Compacted), ())
    with ExitStack() as held:
        held.enter_context(days.at_work(folder))
        before = day_of(int((time.time() - AT_WORK_S) * 1_000_000))
        chosen = days.days(folder, before, problems)
        at_work = held.pop_all()

    def records() -> Iterator[days.Compacted]:
        with at_work:
            for day in chosen:
                compacted = days.compact(folder, day, problems)
                if compacted is not None:
                    yield compacted
        listing.summary["problems"] = problems.summary()
        listing.warnings += (f"stays as it is: {text}" for text in problems.warnings())

    listing.items = map(keys_of, records())
    return listing
