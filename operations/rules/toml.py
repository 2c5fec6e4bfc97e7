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
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final, TypeVar

from mqtriage.messages.filters.where import parse_where
from mqtriage.model.tables import (
    FLAG,
    Key,
    Keys,
    ValueForm,
    of_type,
    one_of,
    toml_table,
    values_of,
    wrong,
)
from mqtriage.model.units import parse_rate, rate_text
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.errors import MQTriageError, UsageError
from mqtriage.mq.jcl import is_job
from mqtriage.mq.rules_table.job import parse_job
from mqtriage.mq.rules_table.parser import RulesTable, TableProblem, parse
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

T = TypeVar("T")
FORMAT: Final = "mqtriage-rules/1"
PARK: Final = "park"
_ACTIONS: Final = (*map(str, Action), PARK.upper())
_PATTERNS: Final = (*NUMBERS, *NAMES)
_AT: Final = re.compile(r" \(at line (\d+), column (\d+)\)\Z")
_OF_TOML: Final = re.compile(r"\[\[?[A-Za-z_.]+\]|[A-Za-z_]\w*\s*=")
"""The beginning of a line of TOML; keywords of a table have a parenthesis behind them."""
_SHELL: Final = re.compile(r"\A#!|^[^#*'\"\n]*<<-?\s*['\"]?[A-Za-z_]", re.M)
_A_SCRIPT: Final = (
    "a shell script, not rules: copy the lines between << and the word that ends them into a file"
)
_MOST_RULES: Final = 50


def read_rules(text: str) -> RulesTable:
    """Read rules in either form, or in a job of CSQUDLQH; what is wrong is part of the table."""
    if is_job(text):
        return parse_job(text)
    table = parse_toml(text) if is_toml(text) else parse(text)
    script = _SHELL.search(text)
    if script is None or not any(problem.severity == "error" for problem in table.problems):
        return table
    line = text.count("\n", 0, script.end()) + 1
    return RulesTable(problems=(TableProblem(line, 1, "error", _A_SCRIPT),))


def is_toml(text: str) -> bool:
    """Whether this is our form: no table of IBM's has such a line, be it whole or not."""
    return any(_OF_TOML.match(line.strip()) for line in text.split("\n"))


def parse_toml(text: str) -> RulesTable:
    """Read the TOML form; never raises: what is wrong is a problem with its line."""
    try:
        document = toml_table(text)
    except UsageError as error:
        at = _AT.search(error.text)
        place = (int(at[1]), int(at[2])) if at else (text.count("\n") + 1, 1)
        return RulesTable(problems=(TableProblem(*place, "error", _AT.sub("", error.text)),))
    reader = _Reader(text)
    reader.read(document)
    if not any(problem.severity == "error" for problem in reader.problems):
        for rule, by in shadowed(reader.rules):
            why = f"{rule.title} never matches: {by.title} handles all of its messages"
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
        tables = self._values(document, _FILE)
        self._line = next(
            (n for n, line in enumerate(self._lines, 1) if _header(line) == "[control]"), 1
        )
        self.control = Control(**self._values(tables.get("control", {}), _CONTROL))
        for number, rule in enumerate(tables.get("rule", ())):
            self._line = self._starts[number] if number < len(self._starts) else 1
            self._rule(rule)

    def _rule(self, rule: Mapping[str, Any]) -> None:
        before = len(self.problems)
        values = self._values(rule, _RULE)
        patterns = {key: values.pop(key) for key in _PATTERNS if key in values}
        patterns = {key: pattern for key, pattern in patterns.items() if pattern is not None}
        action = values.pop("action", "")
        if not action:
            return
        parks = action == PARK.upper()
        target = "queue" if parks else "fwdq"
        queues = {key: values.pop(key, "") for key in ("queue", "fwdq")}
        if action in ("FWD", PARK.upper()) and rule.get(target, "") == "":
            self._error(target, f"{target} does not exist: name a target", "the name of a queue")
        for key in ("fwdq", "fwdqm", "header") if action != "FWD" else ():
            if key in rule:
                self._error(key, f"{key} is ignored: action is {action.lower()}")
        if "queue" in rule and not parks:
            self._error("queue", "queue goes with action = 'park'", "fwdq")
        new_rule = TableRule(
            len(self.rules) + 1,
            self._line,
            Action.FWD if parks else Action(action),
            patterns,
            _patterns_text(patterns, values.get("where", "")),
            queues[target],
            **values,
        )
        for key in ("max_retries", "rate"):
            if key in rule and new_rule.action.is_final:
                self._error(key, f"{key} is ignored: action is {action.lower()}")
        if len(self.problems) == before:
            self.rules.append(new_rule)

    def _values(self, table: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        def report(key: str, error: UsageError) -> None:
            self._error(key, error.text, error.hint or "")

        return values_of(table, keys, "", report=report)

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
        self.problems.append(TableProblem(line, 1, "error", text, expected))


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
        return Bad("is not a rate", '"20/s", "600/m" or "1000/h"')


def _tables(value: object, where: str) -> list[dict[str, Any]]:
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return value
    raise wrong(value, where, f"[[{where}]]")


def _form(read: Callable[[str], T | Bad]) -> ValueForm[T]:
    """A number or a text that *read* takes."""

    def read_value(value: object, where: str) -> T:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise wrong(value, where, "a number or a text")
        result = read(str(value))
        if isinstance(result, Bad):
            raise UsageError(f"{where} {value!r:.60} {result.why}", hint=result.expected)
        return result

    return ValueForm(read_value)


def _pattern(key: str) -> ValueForm[Pattern | None]:
    """A pattern, or a list of them; None takes everything."""
    single: ValueForm[Single] = (
        _form(lambda text: "*" if text == "*" else code(text, NUMBER_PREFIXES[key]))
        if key in NUMBERS
        else _form(lambda text: generic_name(text, True, NAMES[key]))
    )

    def read(value: object, where: str) -> Pattern | None:
        items = value if isinstance(value, list) else [value]
        if not items:
            raise UsageError(f"{where} is an empty list, which matches nothing")
        values = [single.read(item, where) for item in items]
        if any(isinstance(value, str) and value and not value.strip("*") for value in values):
            return None
        return values[0] if len(values) == 1 else tuple(dict.fromkeys(values))

    return ValueForm(read)


WORD: Final = _form(str)
_QUEUE: Final = _form(lambda text: forward_name(text, True, "Q"))
_FILE: Final[Keys] = {
    "format": Key("format", one_of(FORMAT)),
    "control": Key("control", of_type(dict, "a table", "object")),
    "rule": Key("rule", ValueForm(_tables), is_required=True),
    "test": Key("test", ValueForm(lambda value, _: value)),  # `dlq rules` reads it
}
_CONTROL: Final = {
    "inputq": Key("inputq", _form(object_name)),
    "inputqm": Key("inputqm", _form(object_name)),
    "retryint": Key("retryint_s", _form(count)),
    "wait": Key("wait", _form(wait_value)),
}
_RULE: Final = {
    "name": Key("name", WORD),
    "where": Key("where", _form(_condition)),
    "queue": Key("queue", _QUEUE),
    "action": Key("action", _form(lambda text: choice(text, *_ACTIONS)), is_required=True),
    "fwdq": Key("fwdq", _QUEUE),
    "fwdqm": Key("fwdqm", _form(lambda text: forward_name(text, True, "QM"))),
    "header": Key("header", FLAG),
    "putaut": Key("putaut", _form(lambda text: choice(text, "DEF", "CTX"))),
    "retry": Key("retry", _form(count)),
    "max_retries": Key("max_retries", _form(count)),
    "rate": Key("rate_per_s", _form(_rate)),
    **{key.lower(): Key(key, _pattern(key)) for key in _PATTERNS},
}
"""What stands in a rule, by the fields of `TableRule`, and its patterns by their keywords."""


def _patterns_text(patterns: Mapping[str, Pattern], where: str) -> str:
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
    control = [*_key_lines(table.control, Control(), _CONTROL, _CONTROL)]
    if control:
        lines += ["[control]", *control, ""]
    for rule in table.rules:
        lines += ["[[rule]]", *_rule_lines(rule), ""]
    return "\n".join(lines)


def rule_in_toml(where: str) -> str:
    """A rule that leaves the messages a condition selects: to be given an action."""
    return f'[[rule]]\nwhere = {_toml(where)}\naction = "ignore"'


def _rule_lines(rule: TableRule) -> Iterator[str]:
    usual = TableRule(0, 0, rule.action)
    yield from _key_lines(rule, usual, _RULE, ("name",))
    for key, pattern in rule.patterns.items():
        words = [_value_of(key, one) for one in _singles(pattern)]
        shown = f"[{', '.join(words)}]" if isinstance(pattern, tuple) else words[0]
        yield f"{key.lower()} = {shown}"
    yield from _key_lines(rule, usual, _RULE, ("where",))
    yield f"action = {_toml(str(rule.action).lower())}"
    target = ("fwdq", "fwdqm", "header") if rule.action is Action.FWD else ()
    yield from _key_lines(rule, usual, _RULE, (*target, "putaut", "retry", "max_retries"))
    if rule.rate_per_s is not None:
        yield f'rate = "{rate_text(rule.rate_per_s)}"'


def _key_lines(record: object, usual: object, keys: Keys, words: Iterable[str]) -> Iterator[str]:
    """Those of the keys whose values are not the usual ones."""
    for word in words:
        value = getattr(record, keys[word].field)
        if value != getattr(usual, keys[word].field):
            yield f"{word} = {_toml(value)}"


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
    control = table.control
    words = [
        f"{key}({value})"
        for key, value in (
            ("INPUTQ", f"'{control.inputq}'" if control.inputq else ""),
            ("INPUTQM", f"'{control.inputqm}'" if control.inputqm else ""),
            ("RETRYINT", control.retryint_s if control.retryint_s != 60 else ""),
            ("WAIT", control.wait),
        )
        if value != ""
    ]
    if words:
        lines.append(" ".join(words))
    for rule in table.rules:
        many = 1
        for pattern in rule.patterns.values():
            many *= len(_singles(pattern))
        beyond = _beyond(rule)
        if beyond:
            why = f"{rule.title}: {beyond} cannot be expressed in a table"
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
    for values in product(*(_singles(pattern) for pattern in rule.patterns.values())):
        words = [f"{key}({_quoted(key, one)})" for key, one in zip(keys, values, strict=True)]
        words.append(f"ACTION({rule.action})")
        if rule.action is Action.FWD:
            words.append(f"FWDQ({_name(rule.fwdq)})")
            words += [f"FWDQM({_name(rule.fwdqm)})"] if rule.fwdqm else []
            words += [] if rule.header else ["HEADER(NO)"]
        words += [] if rule.putaut == "DEF" else [f"PUTAUT({rule.putaut})"]
        words += [] if rule.retry == 1 else [f"RETRY({rule.retry})"]
        yield " +\n  ".join(_broken(words))


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


def _name(name: str) -> str:
    return name if name.startswith("&") else f"'{name}'"
