"""The options that the verbs of `mqtriage analyze` share."""

from __future__ import annotations

from dataclasses import dataclass

from mqtriage.cli.frame.option_fields import flag, number, text


@dataclass(frozen=True, slots=True)
class SparkWork:
    """Which messages count, and where Spark runs."""

    where: str | None = text(
        "--where", metavar="CONDITION", help="Only these messages; the language of msg browse."
    )
    master: str | None = text(
        "--master",
        metavar="MASTER",
        help="Spark's master, or sc://HOST:PORT. Default: SPARK_REMOTE, else local[*].",
    )
    memory: str | None = text(
        "--memory", metavar="SIZE", help="Memory of the driver's Java. Default: 2g."
    )


@dataclass(frozen=True, slots=True)
class SparkSpan(SparkWork):
    """Likewise, and of which time."""

    since: str | None = text(
        "--since", metavar="TIME", help="Only snapshots from then on: RFC 3339, or now-7d."
    )
    until: str | None = text("--until", metavar="TIME", help="Only snapshots before then.")


@dataclass(frozen=True, slots=True)
class Analysis(SparkSpan):
    """Likewise, and where the results of one job go."""

    out: str | None = text(
        "--out", metavar="DIR", help="Write all tables of the job as Parquet below DIR."
    )
    table: str | None = text(
        "--table", metavar="NAME", help="Print this table of the job, not the first."
    )
    plot: bool = flag("--plot", help="Draw a chart of characters in place of the table.")
    limit: int | None = number("--limit", help="Print N records at most.", minimum=1)
    submit: bool = flag(
        "--submit", help="Run nothing: write the zip and print the spark-submit line."
    )
