"""Our own form of a rules table: TOML, for what IBM's table cannot say.

    format = "mqtriage-rules/1"

    [control]                       # as the control data entry of the table; may be left out
    inputq = "ORDERS.DLQ"

    [[rule]]
    name = "gold customers first"
    reason = ["MQRC_Q_FULL", 2051]  # the patterns of the table, in lower case; a list is "or"
    destq = "ORDERS.*"
    where = "body.customer.tier = 'gold' and age < 1h"      # anything that --where takes
    action = "retry"                # retry, fwd, discard, ignore, or park
    retry = 3                       # attempts in a run, as in a table
    max_retries = 5                 # how often it may take one message in all runs; the journal
    rate = "20/s"                   # counts. Then the next rule is tried.

    [[rule]]
    action = "park"                 # as it is, header and all, to a queue
    queue = "ORDERS.PARKED"

Rules are tried from the top as in a table, and the same engine runs them. `park` is FWD with
HEADER(YES). Texts are taken as they stand: what is not in quotes in a table is upper case there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import product
from math import prod
from typing import Any, Final

from mqtriage.messages.filters.where import parse_where
from mqtriage.model.units import parse_rate
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.rules_table.parser import CONTROL_KEYWORDS, RulesTable, TableProblem, parse
from mqtriage.mq.rules_table.table import (
    NAMES,
    NUMBERS,
    Action,
    Control,
    Pattern,
    Single,
    TableRule,
    shadowed,
)
from mqtriage.mq.rules_table.values import (
    NUMBER_PREFIXES,
    Bad,
    choice,
    code,
    count,
    forward_name,
    generic_name,
    object_name,
    wait_value,
)

FORMAT: Final = "mqtriage-rules/1"
PARK: Final = "park"
_ACTIONS: Final = (*map(str, Action), PARK.upper())
_PATTERNS: Final = (*NUMBERS, *NAMES)
_OWN: Final = (
    "name", "where", "queue", "action", "fwdq", "fwdqm", "header", "putaut", "retry",
    "max_retries", "rate",
)  # fmt: skip
_RULE_KEYS: Final = frozenset((*_OWN, *(key.lower() for key in _PATTERNS)))
_AT: Final = re.compile(r" \(at line (\d+), column (\d+)\)\Z")
_MOST_RULES: Final = 50


def read_rules(text: str) -> RulesTable:
    """Read rules in either form; what is wrong is part of the table."""
    return parse_toml(text) if is_toml(text) else parse(text)


def is_toml(text: str) -> bool:
    """Whether this is our form: no table of IBM's has such a line."""
    return any(line.strip() == "[[rule]]" or line.startswith("format") for line in text.split("\n"))


def parse_toml(text: str) -> RulesTable:
    """Read the TOML form; never raises: what is wrong is a problem with its line."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        why = str(error)
        at = _AT.search(why)
        place = (int(at[1]), int(at[2])) if at else (text.count("\n") + 1, 1)
        return RulesTable(problems=(TableProblem(*place, "error", _AT.sub("", why)[:200]),))
    reader = _Reader(text)
    reader.read(document)
    if not any(problem.severity == "error" for problem in reader.problems):
        for rule, by in shadowed(reader.rules):
            why = f"{rule.title} can never be hit: {by.title} takes all of it"
            reader.problems.append(TableProblem(rule.line, 1, "warning", why))
    return RulesTable(reader.control, tuple(reader.rules), tuple(sorted(reader.problems)))


class _Reader:
    """What was read so far."""

    def __init__(self, text: str) -> None:
        self.control = Control()
        self.rules: list[TableRule] = []
        self.problems: list[TableProblem] = []
        self._lines = text.split("\n")
        self._starts = [n for n, line in enumerate(self._lines, 1) if _header(line) == "[[rule]]"]
        self._line = 1

    def read(self, document: Mapping[str, Any]) -> None:
        for key in document:
            if key not in ("format", "control", "rule", "test"):
                self._error(key, "is no part of a file of rules", "format, [control], [[rule]]")
        if document.get("format", FORMAT) != FORMAT:
            self._error("format", "is of another version", f'"{FORMAT}"')
        control, rules = document.get("control", {}), document.get("rule", [])
        if isinstance(control, dict):
            self._line = next(
                (n for n, line in enumerate(self._lines, 1) if _header(line) == "[control]"), 1
            )
            self._control(control)
        else:
            self._error("control", "is no table", "[control]")
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            self._error("rule", "is not a list of tables", "[[rule]]")
            rules = []
        elif not rules:
            self._error("rule", "is not there", "[[rule]]")
        for number, rule in enumerate(rules):
            self._line = self._starts[number] if number < len(self._starts) else 1
            self._rule(rule)

    def _control(self, control: Mapping[str, Any]) -> None:
        known = {key.lower() for key in CONTROL_KEYWORDS}
        for key in control:
            if key not in known:
                self._error(key, "is no control data", ", ".join(sorted(known)))
        values = {
            "inputq": self._value(control, "inputq", "", object_name),
            "inputqm": self._value(control, "inputqm", "", object_name),
            "retryint_s": self._value(control, "retryint", 60, count),
            "wait": self._value(control, "wait", "", wait_value),
        }
        self.control = Control(**values)

    def _rule(self, rule: Mapping[str, Any]) -> None:
        before = len(self.problems)
        for key in rule:
            if key not in _RULE_KEYS:
                self._error(key, "is no key of a rule", "a pattern, where, action ...")
        patterns = {
            key: pattern
            for key in _PATTERNS
            if key.lower() in rule
            and (pattern := self._pattern(key, rule[key.lower()])) is not None
        }
        name = self._value(rule, "name", "", str)
        where = self._value(rule, "where", "", _condition)
        action = self._value(rule, "action", "", lambda value: choice(value, *_ACTIONS))
        if not action:
            if "action" not in rule:
                self._error("action", "is not there", " or ".join(_ACTIONS).lower())
            return
        parks = action == PARK.upper()
        target = "queue" if parks else "fwdq"
        fwdq = self._value(rule, target, "", lambda value: forward_name(value, True, "Q"))
        if action in ("FWD", PARK.upper()) and not fwdq:
            self._error(target, "is not there: where to?", "the name of a queue")
        for key in ("fwdq", "fwdqm", "header") if action != "FWD" else ():
            if key in rule:
                self._error(key, f"is not looked at: action is {action.lower()}")
        if "queue" in rule and not parks:
            self._error("queue", "goes with action = 'park'", "fwdq")
        header = rule.get("header", True)
        if not isinstance(header, bool):
            self._error("header", "is neither true nor false")
        new_rule = TableRule(
            len(self.rules) + 1,
            self._line,
            Action.FWD if parks else Action(action),
            patterns,
            _shown(patterns, where),
            fwdq,
            self._value(rule, "fwdqm", "", lambda value: forward_name(value, True, "QM")),
            header is True,
            self._value(rule, "putaut", "DEF", lambda value: choice(value, "DEF", "CTX")),
            self._value(rule, "retry", 1, count),
            name,
            where,
            self._value(rule, "max_retries", None, count),
            self._value(rule, "rate", None, _rate),
        )
        for key in ("max_retries", "rate"):
            if key in rule and new_rule.action.is_final:
                self._error(key, f"is not looked at: action is {action.lower()}")
        if len(self.problems) == before:
            self.rules.append(new_rule)

    def _pattern(self, key: str, value: Any) -> Pattern | None:
        """The pattern; None where it takes everything or is wrong."""
        given = value if isinstance(value, list) else [value]
        if not given:
            self._error(key.lower(), "is an empty list, which nothing fits")
            return None
        values: list[Single] = []
        for item in given:
            if isinstance(item, bool) or not isinstance(item, int | str):
                self._error(key.lower(), f"{item!r:.40} is neither a number nor a text")
                return None
            if key in NUMBERS:
                single: Any = code(str(item), NUMBER_PREFIXES[key]) if item != "*" else "*"
            else:
                single = generic_name(str(item), True, NAMES[key])
            if isinstance(single, Bad):
                self._error(key.lower(), f"{item!r:.60} {single.why}", single.expected)
                return None
            values.append(single)
        if any(isinstance(value, str) and value and not value.strip("*") for value in values):
            return None
        return values[0] if len(values) == 1 else tuple(dict.fromkeys(values))

    def _value(
        self, table: Mapping[str, Any], key: str, default: Any, read: Callable[[str], Any]
    ) -> Any:
        value = table.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | str):
            self._error(key, f"{value!r:.40} is neither a number nor a text")
            return default
        result = read(str(value))
        if isinstance(result, Bad):
            self._error(key, f"{value!r:.60} {result.why}", result.expected)
            return default
        return result

    def _error(self, key: str, text: str, expected: str = "") -> None:
        """Note what is wrong with a key, at the line where it stands in its table."""
        line = self._line
        for number in range(self._line, len(self._lines) + 1):
            text_there = self._lines[number - 1]
            if number > self._line and _header(text_there).startswith("["):
                break
            if text_there.partition("=")[0].strip().strip("\"'") == key:
                line = number
                break
        self.problems.append(TableProblem(line, 1, "error", f"{key} {text}", expected))


def _header(line: str) -> str:
    return line.partition("#")[0].strip()


def _condition(text: str) -> str | Bad:
    try:
        parse_where(text, what="where")
    except MQTriageError as error:
        return Bad(f"cannot be read: {error.text}", "what --where takes")
    return text


def _rate(text: str) -> float | Bad:
    try:
        return parse_rate(text)
    except MQTriageError:
        return Bad("is no rate", '"20/s", "600/m" or "1000/h"')


def _shown(patterns: Mapping[str, Pattern], where: str) -> str:
    words = [
        f"{key}({'|'.join(_word(key, one) for one in _singles(pattern))})"
        for key, pattern in patterns.items()
    ]
    return " ".join([*words, *([f"where {where}"] if where else [])])


def _singles(pattern: Pattern) -> tuple[Single, ...]:
    return pattern if isinstance(pattern, tuple) else (pattern,)


def _word(key: str, value: Single) -> str:
    """A value as people write it: the name of a reason, a number, a name."""
    if key == "REASON" and isinstance(value, int):
        name = name_of_reason(value)
        return name if name.startswith("MQRC_") else str(value)
    return str(value)


# writing ------------------------------------------------------------------------------------------


def to_toml(table: RulesTable) -> str:
    """The table in our form."""
    lines = [f'format = "{FORMAT}"', ""]
    control = _control_given(table.control)
    if control:
        lines += ["[control]", *(f"{key} = {_toml(value)}" for key, value in control.items()), ""]
    for rule in table.rules:
        lines += ["[[rule]]", *_rule_lines(rule), ""]
    return "\n".join(lines)


def _control_given(control: Control) -> dict[str, int | str]:
    """What of the control data is not as usual."""
    usual = asdict(Control())
    given = {key: value for key, value in asdict(control).items() if value != usual[key]}
    return {key.removesuffix("_s"): value for key, value in given.items()}


def _action_given(rule: TableRule) -> dict[str, int | str]:
    """The action with those of its keywords that are not as usual; a switch is a bool."""
    given: dict[str, int | str] = {"action": str(rule.action)}
    if rule.action is Action.FWD:
        given["fwdq"] = rule.fwdq
        if rule.fwdqm:
            given["fwdqm"] = rule.fwdqm
        if not rule.header:
            given["header"] = False
    if rule.putaut != "DEF":
        given["putaut"] = rule.putaut
    if rule.retry != 1:
        given["retry"] = rule.retry
    return given


def rule_in_toml(where: str) -> str:
    """A rule that leaves the messages a condition selects: to be given an action."""
    return f'[[rule]]\nwhere = {_toml(where)}\naction = "ignore"'


def _rule_lines(rule: TableRule) -> Iterator[str]:
    if rule.name:
        yield f"name = {_toml(rule.name)}"
    for key, pattern in rule.patterns.items():
        words = [_value_of(key, one) for one in _singles(pattern)]
        shown = f"[{', '.join(words)}]" if isinstance(pattern, tuple) else words[0]
        yield f"{key.lower()} = {shown}"
    if rule.where:
        yield f"where = {_toml(rule.where)}"
    given = _action_given(rule)
    given["action"] = str(rule.action).lower()
    if rule.max_retries is not None:
        given["max_retries"] = rule.max_retries
    if rule.rate_per_s is not None:
        given["rate"] = _rate_text(rule.rate_per_s)
    yield from (f"{key} = {_toml(value)}" for key, value in given.items())


def _rate_text(rate_per_s: float) -> str:
    for seconds, unit in ((1, "s"), (60, "m")):
        number = rate_per_s * seconds
        if abs(number - round(number)) < 1e-9:
            return f"{round(number)}/{unit}"
    return f"{round(rate_per_s * 3_600)}/h"


def _value_of(key: str, value: Single) -> str:
    word = _word(key, value)
    return word if word == str(value) and isinstance(value, int) else _toml(word)


def _toml(value: int | str) -> str:
    import json

    # a JSON text is a TOML text, but for DEL, which TOML wants escaped
    return json.dumps(value).replace("\x7f", "\\u007f")


def to_table(table: RulesTable) -> tuple[str, list[TableProblem]]:
    """The rules as a table of IBM's, and which of them it cannot say.

    A list of values becomes a rule for each. Names are left out.
    """
    problems: list[TableProblem] = []
    lines: list[str] = []
    control = _control_given(table.control)
    if control:
        lines.append(" ".join(_keyword(key, value) for key, value in control.items()))
    for rule in table.rules:
        many = prod(len(_singles(pattern)) for pattern in rule.patterns.values())
        beyond = _beyond(rule)
        if beyond:
            why = f"{rule.title}: {beyond} cannot be said in a table"
            problems.append(TableProblem(rule.line, 1, "error", why))
        elif many > _MOST_RULES:
            why = f"{rule.title}: its lists would become {many} rules"
            problems.append(TableProblem(rule.line, 1, "error", why))
        else:
            lines += _table_lines(rule)
    return "".join(f"{line}\n" for line in lines), problems


def _beyond(rule: TableRule) -> str:
    """What of a rule a table has no words for, "" for nothing."""
    if rule.where:
        return f"where = {rule.where[:80]!r}"
    if rule.max_retries is not None:
        return "max_retries"
    return "rate" if rule.rate_per_s is not None else ""


def _table_lines(rule: TableRule) -> Iterator[str]:
    keys = list(rule.patterns)
    given = [_keyword(key, value) for key, value in _action_given(rule).items()]
    for values in product(*(_singles(pattern) for pattern in rule.patterns.values())):
        words = [f"{key}({_quoted(key, one)})" for key, one in zip(keys, values, strict=True)]
        yield " +\n  ".join(_broken(words + given))


def _broken(words: list[str]) -> list[str]:
    """Lines of at most 72 characters where the words allow it."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > 66:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _quoted(key: str, value: Single) -> str:
    word = _word(key, value)
    if isinstance(value, int):
        return word
    doubled = word.replace("'", "''")
    return f"'{doubled}'"


def _keyword(key: str, value: int | str) -> str:
    """A keyword of the control data or of an action; names of queues stand in quotes."""
    word = "NO" if value is False else value
    is_name = key in ("inputq", "inputqm", "fwdq", "fwdqm") and not str(value).startswith("&")
    return f"{key.upper()}('{word}')" if is_name else f"{key.upper()}({word})"
