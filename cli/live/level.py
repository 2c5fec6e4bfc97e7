"""What `mqtriage top` shows at a time: a screen, or what was opened from one, as it was left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from mqtriage.cli.frame.several import is_count
from mqtriage.cli.live.sampling import WatchedManager
from mqtriage.cli.live.screens import TopScreen
from mqtriage.formatters.cells import visible
from mqtriage.formatters.forms.rows import arranged
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.records import dataclass

Row = tuple[WatchedManager, Record]

_NAMES: Final = (Show.NAME, Show.TEXT, Show.ID)
_GLOB: Final = frozenset("*?[")
_QUEUE_MANAGER: Final = Field("queue_manager", "QMGR", Show.NAME, 12)


@dataclass(eq=False)
class Level:
    """A screen, or what was opened from one, as it was left."""

    name: str
    screens: dict[WatchedManager, TopScreen]
    sort: str | None
    descending: bool
    filter: str = ""
    listings: dict[WatchedManager, Listing] = field(default_factory=dict)
    cursor: Any = None
    marked: set[Any] = field(default_factory=set)
    has_details: bool = False
    """Whether the details were opened here, not on the level above."""

    @property
    def screen(self) -> TopScreen:
        return next(iter(self.screens.values()))

    @property
    def listing(self) -> Listing | None:
        return next(iter(self.listings.values()), None)

    @property
    def fields(self) -> list[Field]:
        listing = self.listing
        fields = [f for f in listing.fields if not f.wide] if listing is not None else []
        return [_QUEUE_MANAGER, *fields] if len(self.screens) > 1 and fields else fields

    @property
    def sort_heading(self) -> str:
        """The heading of the column that sorts, as the list shows it; "" where none does."""
        return next((f.heading for f in self.fields if f.key == self.sort), self.sort or "")

    @property
    def sorts_names(self) -> bool:
        return any(f.key == self.sort and f.show in _NAMES for f in self.fields)

    def sort_by(self, key: str) -> None:
        """Sort by another column: names from A on, numbers from the greatest on."""
        self.sort, screen = key, self.screen
        self.descending = screen.descending if key == screen.sort else not self.sorts_names

    def key(self, row: Row) -> tuple[WatchedManager, str]:
        """What a row is known by from one sample to the next."""
        one, record = row
        listing = self.listings.get(one)
        if listing is None:
            return one, ""
        first = listing.fields[0].key  # of a listing that has no ids
        return one, str(record.get(listing.id_key if listing.id_key in record else first))

    def rows(self) -> list[Row]:
        """Those of all queue managers."""
        several = len(self.screens) > 1
        return [
            (one, {**record, "queue_manager": one.name} if several else record)
            for one in self.screens
            for record in (self.listings[one].items if one in self.listings else ())
        ]

    def chosen(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that pass the filter, sorted."""
        if (listing := self.listing) is None:
            return []
        fields = self.fields
        keys = [f.key for f in fields]
        passing = [{**row[1], "": row} for row in rows if passes(row[1], keys, self.filter)]
        sort = self.sort if self.sort in keys else None
        shown = replace(listing, fields=tuple(fields), items=passing)
        return [
            row[""] for row in arranged(shown, sort=sort, descending=self.descending, limit=None)
        ]

    def totals(self) -> str:
        """Counts over all queues, as far as they are known: ``staged 2  overdue 0  due 1m 1``."""
        known: dict[str, dict[str, Any]] = {}
        for one, listing in self.listings.items():
            for name, value in listing.summary.items():
                if name in _BY_QUEUE and isinstance(value, dict):
                    continue
                inner = value if isinstance(value, dict) else {name: value}
                for key, number in inner.items():
                    if number is not None:
                        known.setdefault(str(key), {})[one.name] = number
        return "  ".join(filter(None, (total_text(*total) for total in known.items())))


_BY_QUEUE: Final = ("holding", "maxdepth", "origins", "comparable")
"""Of a summary, what has a value for each queue, which the rows show."""
_IN_WORDS: Final = {"boq": "backout queues", "off": "poison handling off"}
"""States of `backout ls`, which say too little without their column."""


def total_text(key: str, values: Mapping[str, Any]) -> str:
    """A value of each queue manager in one text: counts are added up, and nothing else is."""
    name = _IN_WORDS.get(key) or key.replace("_", " ")
    several = len(values) > 1
    if several and key == "percent_full":
        where = max(values, key=lambda one: values[one])
        return f"fullest {visible(where)} {values[where]}%"
    if several and key == "maxdepth":  # percent_full is what it is for
        return ""
    if several and is_count(key, *values.values()):
        return f"{name} {sum(values.values())}"
    texts = {one: visible(str(value)) for one, value in values.items()}
    if len({*texts.values()}) > 1:
        return f"{name} " + ", ".join(f"{visible(one)} {text}" for one, text in texts.items())
    return f"{name} {next(iter(texts.values()))}"


def passes(record: Record, keys: Sequence[str], text: str) -> bool:
    """Whether one of the columns holds a text, in any case of letters, or fits it as a glob.

    A column that shows the name of a number (``reason_name``) has the number, too.
    """
    if not text:
        return True
    pattern = text.lower()
    known = dict.fromkeys(name for key in keys for name in (key, key.removesuffix("_name")))
    values = [str(value).lower() for key in known if (value := record.get(key)) is not None]
    if _GLOB.isdisjoint(pattern):
        return any(pattern in value for value in values)
    return any(fnmatchcase(value, pattern) for value in values)
