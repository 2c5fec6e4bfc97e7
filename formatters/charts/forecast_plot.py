"""`delay forecast --plot FILE`: what lands on each target and when, as a picture.

The only home of matplotlib, which is the extra `plot`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from mqtriage.mq.errors import StorageError, UsageError

SUFFIXES: Final = (".png", ".svg")
MOST_TARGETS: Final = 8
_ROW_INCHES: Final = 2.4
_RED: Final = "#b3261e"

Record = Mapping[str, Any]


def check_file(path: Path) -> None:
    """Refuse what cannot become a picture before anything is browsed.

    Raises:
        UsageError: Another suffix, or matplotlib is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"--plot {path}: name a file that ends in .png or .svg")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError(
            "--plot needs matplotlib", hint="pip install 'mqtriage[plot]'; --heat needs nothing"
        ) from None


def by_target(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The records of each target in order of time, the targets with the most messages first."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(str(record["target"]), []).append(record)
    return dict(sorted(found.items(), key=lambda item: -sum(r["count"] for r in item[1])))


def draw(records: Sequence[Record], bucket_ms: int, title: str, path: Path) -> int:
    """Draw the forecast to *path*; return how many targets it shows.

    Bars are what lands in a bucket, the line is the depth that the target would have, the dashed
    line its MAXDEPTH; the first bucket in which it would be full is red.

    Raises:
        StorageError: The file cannot be written.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    targets = list(by_target(records).items())[:MOST_TARGETS]
    figure = Figure(figsize=(10, 0.8 + _ROW_INCHES * max(1, len(targets))), layout="constrained")
    figure.suptitle(title)
    axes = figure.subplots(max(1, len(targets)), 1, squeeze=False, sharex=True)[:, 0]
    if not targets:
        axes[0].text(0.5, 0.5, "nothing becomes due", ha="center", va="center")
        axes[0].set_axis_off()
    for axis, (target, found) in zip(axes, targets, strict=False):
        _draw_target(axis, target, found, bucket_ms)
    try:
        # no date inside: the same forecast gives the same file
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "mqtriage"}):
            figure.savefig(path, metadata=metadata)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    return len(targets)


def _draw_target(axis: Any, target: str, found: list[Record], bucket_ms: int) -> None:
    span = timedelta(milliseconds=bucket_ms)
    starts = [datetime.fromisoformat(record["bucket_time"]) for record in found]
    full = next((n for n, record in enumerate(found) if record["will_fill"]), None)
    colours = [_RED if n == full else "#4a7ab5" for n in range(len(found))]
    counts = [record["count"] for record in found]
    axis.bar(starts, counts, width=span * 0.9, align="edge", color=colours, label="lands")
    doomed = [record["doomed"] for record in found]
    if any(doomed):
        axis.bar(
            starts, doomed, width=span * 0.9, align="edge", color="none", edgecolor=_RED,
            hatch="//", label="expires before",
        )  # fmt: skip
    depths = [(s + span, r["target_depth"]) for s, r in zip(starts, found, strict=True)]
    known = [(at, depth) for at, depth in depths if depth is not None]
    if known:
        axis.step(
            *zip(*known, strict=True),
            where="post",
            marker=".",
            color="#333333",
            label="depth, unread",
        )
    most = found[0]["target_maxdepth"]
    if most is not None and known and max(depth for _, depth in known) * 4 >= most:
        axis.axhline(most, color=_RED, linestyle="--", label=f"MAXDEPTH {most}")
    total = sum(counts)
    axis.set_title(f"{target}: {total} message{'s' * (total != 1)}", loc="left", fontsize="medium")
    axis.set_ylabel("messages")
    axis.legend(loc="upper left", fontsize="small")
