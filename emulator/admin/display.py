"""What a DISPLAY asks for: which attributes are printed, and which objects are kept.

Rules (IBM MQ 9.4 "DISPLAY QUEUE"; seen in captures): a specific name without attributes prints all
of them, a generic one prints name and type alone, named attributes and that of WHERE are added,
ALL prints all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mqtriage.mq.attributes.catalogue import COMMAND_KEYWORDS, Attribute, AttributeValue, attribute
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.verbs import parameters_of
from mqtriage.mq.mqsc.where import Filter, read_where
from mqtriage.records import NamedTuple


class NotEmulated(UsageError):
    """A form of a command that IBM documents, and that is not done here; its words."""


class Display(NamedTuple):
    """Attributes to print (None: all) and the filter (None: keep all)."""

    attributes: frozenset[str] | None
    where: Filter | None

    def keeps(self, kind: str, held: dict[str, AttributeValue]) -> bool:
        """Whether the object is displayed; *held* has its name and type too."""
        return self.where is None or self.where.keeps(kind, held.get(self.where.keyword))

    def of(self, kinds_attributes: Iterable[str]) -> list[str]:
        """Those of the attributes that are printed, in their order."""
        if self.attributes is None:
            return list(kinds_attributes)
        return [keyword for keyword in kinds_attributes if keyword in self.attributes]


def read_display(
    command: Command,
    kinds: tuple[str, ...],
    *,
    steering: Collection[str] = (),
    known: Collection[str] = (),
    all_by_default: bool | None = None,
) -> Display:
    """Read the parameters of a DISPLAY.

    Args:
        steering: keywords that are no attributes here (TYPE of DISPLAY QUEUE).
        known: attributes that stand in no table (QTIME of DISPLAY QSTATUS).
        all_by_default: without attributes print all; None decides by the name being generic.

    Raises:
        UsageError: An attribute that none of *kinds* has, or a wrong WHERE.
    """
    named: set[str] = set()
    where, everything = None, False
    for parameter in command.parameters:
        keyword = parameter.keyword
        if keyword == "WHERE":
            where = read_where(parameter, kinds)
        elif keyword == "ALL":
            everything = True
        elif keyword in steering and (
            parameter.values or not (keyword in known or _known(kinds, keyword))
        ):
            continue
        elif keyword in known:
            named.add(keyword)
        else:
            entries = _known(kinds, keyword)
            if entries:
                named.add(entries[0].keyword)
            elif keyword in (parameters_of(command.verb, command.noun) or ()):
                if not COMMAND_KEYWORDS.get(keyword):
                    raise NotEmulated(f"{command.verb} {command.noun} {keyword}")
            elif "DISPLAY" not in COMMAND_KEYWORDS.get(keyword, ()):
                raise UsageError(f"{keyword[:40]} is not an attribute of what is displayed")
    if all_by_default is None:
        name = command.named("*")
        all_by_default = not name.endswith("*")
    if everything or (not named and where is None and all_by_default):
        return Display(None, where)
    if where is not None:
        named.add(where.keyword)
    return Display(frozenset(named), where)


def word_of(command: Command, keyword: str, allowed: tuple[str, ...], default: str = "") -> str:
    """The word that a parameter has.

    Args:
        default: what it is where the command does not say; "" for the first that is allowed.
    """
    word = (command.value(keyword) or default or allowed[0]).upper()
    if word not in allowed:
        raise UsageError(f"{keyword}({word[:20]}): allowed {', '.join(allowed)}")
    return word


def _known(kinds: tuple[str, ...], keyword: str) -> list[Attribute]:
    """The attribute of that keyword of each kind that has it."""
    return [entry for kind in kinds if (entry := attribute(kind, keyword)) is not None]
