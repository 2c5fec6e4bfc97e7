"""Where `--out` puts the tables of a job: columns as the schema promises, each table whole.

    DIR/<table>/                          of a run without a period
    DIR/<table>/period=<YYYY-MM[-DD]>/    of a run with one, beside those of others

On this machine a table is written beside its place, under a name that begins with a dot, and all
tables of a job take their places when the last one is done: in one step each, where the system can
swap two names, so that a reader sees what was there or what is there now. Behind an address Spark
writes into the place itself. A Delta table is written in place too, a period in one transaction.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mqtriage.files.failures import storage_errors
from mqtriage.files.folders import replace_folder
from mqtriage.files.locks import FileLock
from mqtriage.files.private import private_folder
from mqtriage.model.analysis_tables import (
    COLUMN_NOTES,
    TABLES_OF,
    VERSION,
    VERSION_COLUMN,
    AnalysisTable,
)
from mqtriage.mq.errors import Refused
from mqtriage.pipeline.folders import (
    DELTA,
    PARQUET,
    PERIOD,
    is_address,
    place_of,
    plain_path,
    refuse_to_write_over,
    there_already,
)


@dataclass(slots=True)
class Results:
    """The tables that one run of a job writes.

    Attributes:
        out: folder or address; "" writes none.
        period: a UTC day or month, whose rows alone are replaced; "" for none.
        form: parquet or delta, which needs a period.
        begun: tables that were begun, True for those that are written.
    """

    out: str
    period: str = ""
    form: str = PARQUET
    begun: dict[str, bool] = field(default_factory=dict)
    _lock: FileLock | None = None

    def open(self, job: str) -> None:
        """Keep others that run *job* off, on this machine.

        Raises:
            Refused: Somebody runs it, or rows are there that may not be written over.
        """
        if not self.out or is_address(self.out):
            return
        folder = plain_path(self.out)
        busy = Refused(f"{self.out}: another analyze {job} writes there")
        with storage_errors(f"--out {self.out}"):
            self._lock = FileLock(private_folder(folder) / f".{job}.lock", busy)
        refuse_to_write_over(self.out, TABLES_OF[job], self.period, self.form)

    @property
    def in_place(self) -> bool:
        """Whether rows are replaced by `write`, before it is known that all went well."""
        return is_address(self.out) or self.form == DELTA

    def write(self, frame: DataFrame, table: AnalysisTable) -> None:
        """Write a table, each task its own rows; nothing where that was done."""
        if self.begun.get(table.name):
            return
        if self.form == DELTA:
            self.begun[table.name] = False
            rows = typed(frame, table).withColumn(PERIOD, F.lit(self.period))
            only = f"{PERIOD} = '{self.period}'"
            writer = rows.write.format(DELTA).mode("overwrite").option("replaceWhere", only)
            writer.partitionBy(PERIOD).save(place_of(self.out, table.name))
            self.begun[table.name] = True
            return
        # what an attempt that broke left is written over, and so is a period
        over = table.name in self.begun or bool(self.period) or not is_address(self.out)
        self.begun[table.name] = False
        writer = typed(frame, table).write.mode("overwrite" if over else "errorifexists")
        try:
            writer.parquet(self._writing(table.name))
        except AnalysisException as error:
            if "PATH_ALREADY_EXISTS" not in str(error):
                raise
            raise there_already(place_of(self.out, table.name)) from error
        self.begun[table.name] = True

    def written(self, frame: DataFrame, table: AnalysisTable) -> DataFrame:
        """A table as `write` left it."""
        if self.form == DELTA:
            there = frame.sparkSession.read.format(DELTA).load(place_of(self.out, table.name))
            return there.filter(F.col(PERIOD) == self.period)
        schema = typed(frame, table).schema
        return frame.sparkSession.read.schema(schema).parquet(self._writing(table.name))

    def begin_anew(self) -> None:
        """Let all tables be written over that were written."""
        self.begun = dict.fromkeys(self.begun, False)

    def put_in_place(self) -> None:
        """Give the tables their places."""
        if not self.out or self.in_place:
            return
        for name in self.begun:
            place = plain_path(place_of(self.out, name, self.period))
            with storage_errors(place):
                private_folder(place.parent)
                replace_folder(Path(self._writing(name)), place)

    def close(self) -> None:
        """Take away what was begun and did not come to its place, and let others write."""
        if self._lock is None:
            return
        for name in () if self.in_place else self.begun:
            shutil.rmtree(self._writing(name), ignore_errors=True)
        with suppress(OSError):
            self._lock.release()

    def _writing(self, name: str) -> str:
        """Where Spark writes a table."""
        if is_address(self.out):
            return place_of(self.out, name, self.period)
        return str(plain_path(self.out) / f".{name}.new")


def typed(frame: DataFrame, table: AnalysisTable) -> DataFrame:
    """The columns that the schema promises, of its types, what each says as its comment."""
    there = set(frame.columns)
    columns = [
        F.col(name).cast(type_).alias(name, metadata={"comment": COLUMN_NOTES[name]})
        for name, type_ in table.types.items()
        if name in there
    ]
    return frame.select(*columns, F.lit(VERSION).alias(VERSION_COLUMN))
