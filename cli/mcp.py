"""`mqtriage mcp`: what of the verbs an assistant may ask; the server is in commands/mcp."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING
from functools import partial
from typing import Any, Final

from mqtriage import __version__
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import read_help
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Guards, connection_words
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import CommandParameter, parameters_of, takes, verb_function
from mqtriage.files.private import private_folder
from mqtriage.messages.filters.expression import leaves
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.installing import install_command
from mqtriage.model.options import duration
from mqtriage.mq.errors import Refused, UsageError

READING: Final = (
    "context ls", "context show", "emulator ls", "qmgr show",
    "queue ls", "queue show", "queue status",
    "msg browse", "msg show", "msg count",
    "delay status", "delay browse", "delay forecast",
    "backout ls", "backout explain", "backout pending", "backout browse", "backout causes",
    "expiry status", "expiry browse", "expiry explain", "expiry reports",
    "dlq browse", "dlq causes",
    "check qmgr", "check queue", "check delay", "check backout", "check dlq", "check expiry",
    "snapshot ls", "snapshot diff", "journal ls", "journal show", "journal verify",
    "lint check", "drift", "doctor", "rc",
)  # fmt: skip
"""Verbs that an assistant may run: they look, and end by themselves."""
MOST_RECORDS: Final = 200
"""Of one answer; 50 where the assistant asks for no number."""
_RECORDS: Final = 50
MOST_BYTES: Final = 200_000
"""Of one answer; records are left out from its end."""
_PRIVATE: Final = frozenset(
    {"body", "body_hex", "headers", "headers_hex", "properties", "pcf", "appl_identity_data",
     "accounting_token", "command", "sample_body"}
)  # fmt: skip
"""Keys of what a program wrote, or a person typed."""
_CONDITIONS: Final = frozenset(
    {"where", "what_they_share", "also_share", "selector", "rule", "rule_toml"}
)
_OF_BODIES: Final = frozenset(
    {"body", "body_contains", "body_regex", "body_path", "prop", "selector"}
)
"""Parameters that show message data, or answer whether it has something."""
_CONNECTION: Final = ("qmgr", "context")
_NO_USE: Final = (
    "explain_select",
    "contents_of",
    "ids_from",
    "interval",
    "existing",
    "until",
    "wait",
    "mqsc",
)
"""Options that write elsewhere than to the answer, or have no end."""
_NO_PLAN: Final = ("dlq run",)
"""What takes a file of rules."""
_SAFE: Final = ("rate", "max_errors", "expect")
"""Of the safety of operations, what a plan may hold; no guard is taken off by an assistant."""


@takes(ConnectionOptions)
def mcp(
    app: AppContext,
    timeout: int = duration(help="Time limit for one call.", default="60s"),
) -> None:
    """Give AI assistants read access (Model Context Protocol).

    This is a server that the assistant starts, on standard input and output; see
    docs/assistants.md. It offers a tool for each verb that only reads. For each operation, it
    offers a tool that writes the plan to a file, so that a person can read it and run mqtriage
    apply. The server itself never changes anything. Contexts and guards apply as on the command
    line. With -m or --context, the assistant cannot choose a different queue manager. Unless the
    context has mcp_bodies=true, the server omits message data, headers and properties, and rejects
    conditions on them. A response has at most 200 records. You need the mcp extra: run pip install
    '.[mcp]' in your mqtriage checkout.

    Examples:
        mqtriage mcp --context prod
        mqtriage mcp
    """
    try:
        from mqtriage.commands.mcp.server import serve
    except ImportError as error:
        raise UsageError(
            f"mqtriage mcp needs its SDK ({error})", hint=install_command("mcp")
        ) from error
    from mqtriage.commands.mcp.prompts import PROMPTS

    if app.run.terminals.stdin:
        app.run.say("Waiting for an assistant on standard input; Ctrl-C ends the server.")
    serve(list(tools_of(app, timeout / 1000)), PROMPTS, __version__)


def tools_of(app: AppContext, timeout_s: float) -> Iterator[Any]:
    """The tools: a name, what it does, its arguments, and what carries it out."""
    from mqtriage.commands.mcp.server import Tool

    fixed = connection_words(app.target.connection)
    for path, (target, line) in _verbs():
        body = verb_function(target)
        is_plan = Guards in body.verb.groups or path == "plan"
        if (path not in READING and not is_plan) or path in _NO_PLAN:
            continue
        offered = list(_offered(parameters_of(body), is_plan=is_plan, fixed=bool(fixed)))
        name = path.replace(" ", "_").replace("-", "_")
        text = " ".join((line, *read_help(body.__doc__ or "").paragraphs))
        if is_plan:
            name = "plan_definitions" if path == "plan" else f"plan_{name}"
            text = f"Writes a plan and changes nothing. The plan is for: {line} {text[len(line) :]}"
        schema = schema_of(offered)
        if path == "plan":
            schema["properties"]["mqsc"] = {
                "type": "string", "description": "The desired definitions, as MQSC."
            }  # fmt: skip
            schema["required"] = ["mqsc"]
        run = partial(_call, app, path, offered, fixed, timeout_s, is_plan)
        yield Tool(name, " ".join(text.split())[:1000], schema, run)


def _verbs() -> Iterator[tuple[str, tuple[str, str]]]:
    for noun, group in GROUPS.items():
        for verb, entry in group.verbs.items():
            yield f"{noun} {verb}", entry
    yield from COMMANDS.items()


def _offered(
    parameters: Iterable[CommandParameter], *, is_plan: bool, fixed: bool
) -> Iterator[CommandParameter]:
    """Those of a verb that an assistant may give: none names a file to read or write."""
    for one in parameters:
        if one.opt.completes == "file" or one.name in _NO_USE:
            continue
        if one.heading == ConnectionOptions.TITLE:
            if one.name in _CONNECTION and not fixed:
                yield one
        elif one.heading == Guards.TITLE:
            if is_plan and one.name in _SAFE:
                yield one
        elif one.heading in ("", SelectionOptions.TITLE):
            yield one


def schema_of(parameters: Iterable[CommandParameter]) -> dict[str, Any]:
    """JSON Schema of the arguments; one that takes an array of texts also takes a single text."""
    properties: dict[str, Any] = {}
    required = []
    for one in parameters:
        kind = {"flag": "boolean", "pair": "boolean", "number": "integer"}.get(one.opt.kind)
        many = one.opt.kind in ("repeated", "arguments", "comma_list")
        entry: dict[str, Any] = {"type": kind or (["array", "string"] if many else "string")}
        if many:
            entry["items"] = {"type": "string"}
        if one.opt.choices and not many:
            entry["enum"] = list(one.opt.choices)
        entry["description"] = f"{one.opt.help} {one.opt.metavar or ''}".strip()
        properties[one.name] = entry
        if one.default is MISSING:
            required.append(one.name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _call(
    app: AppContext,
    path: str,
    offered: list[CommandParameter],
    fixed: list[str],
    timeout_s: float,
    is_plan: bool,
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Run the verb as the command line would, in a process of its own that can be ended."""
    shows_bodies = _shows_bodies(app, arguments)
    if not shows_bodies:
        refuse_message_data(arguments)
    names = {one.name for one in offered}
    given = dict(arguments)
    if "limit" in names:
        given["limit"] = min(int(given.get("limit") or _RECORDS), MOST_RECORDS)
    words = [*path.split(), *_words(offered, given), *fixed, "-o", "json", "--no-input"]
    plan_file, text = "", str(given.get("mqsc") or "")
    if is_plan:
        folder = app.target.home() / "plans"
        private_folder(folder)
        stamp = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.urandom(3).hex()}"
        plan_file = str(folder / f"{path.replace(' ', '-')}-{stamp}.plan")
        words.append(f"--out={plan_file}" if path == "plan" else f"--plan={plan_file}")
    places = ["-"] if path == "plan" else _places(offered, given)
    environ = {**os.environ, **app.run.environ, "NO_COLOR": "1"}
    if not is_plan:
        environ["MQTRIAGE_READ_ONLY"] = "true"
    argv = [sys.executable, "-m", "mqtriage", *words, *(["--", *places] if places else [])]
    try:
        ran = subprocess.run(
            argv, input=text.encode(), capture_output=True, timeout=timeout_s, env=environ,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"error": f"{path}: took longer than {timeout_s:g} s and was stopped; request less"}
    answer: dict[str, Any] = {"exit": ran.returncode}
    talk = [line for line in ran.stderr.decode("utf-8", "replace").splitlines() if line]
    answer |= read_answer(ran.stdout, shows_bodies=shows_bodies)
    if plan_file and os.path.exists(plan_file):
        answer["plan_file"] = plan_file
        answer["to_carry_out"] = f"mqtriage apply {plan_file}"
    elif "answer" not in answer or ran.returncode in (2, 5, 6, 7, 8):
        answer["error"] = " ".join(talk)[:2000] or f"exit {ran.returncode}"
    if talk and "error" not in answer:
        answer["said"] = talk[:20]
    return answer


def _shows_bodies(app: AppContext, arguments: Mapping[str, Any]) -> bool:
    """Whether the context of a call allows message data."""
    own = app.another()
    connection = app.target.connection
    if chosen := {name: arguments[name] for name in _CONNECTION if arguments.get(name)}:
        both = {
            name: tuple(
                part
                for text in ([value] if isinstance(value, str) else value)
                for part in text.split(",")
            )
            for name, value in chosen.items()
        }
        connection = Connections(**both)  # type: ignore[arg-type]
    own.bind(connection, None)
    allowed = []
    for one in own.target.connections or [own.target.connection]:
        with own.target.only(one):
            settings = own.target.settings
            allowed.append(settings.flag("mcp_bodies") and not settings.is_untrusted("mcp_bodies"))
    return bool(allowed) and all(allowed)


def refuse_message_data(arguments: Mapping[str, Any]) -> None:
    """Refuse what shows message data, or answers what is in it.

    Raises:
        Refused: One of the arguments does.
        UsageError: A condition cannot be understood.
    """
    hint = "a person may allow it for a context: mcp_bodies = true"
    asked = [name for name in arguments if name in _OF_BODIES]
    where = arguments.get("where") or ()
    for text in [where] if isinstance(where, str) else where:
        asked += [leaf.field for leaf in leaves(parse_where(text)) if is_of_bodies(leaf.field)]
    keys = str(arguments.get("by") or "").split(",")
    asked += [key for key in keys if key.strip() and is_of_bodies(key.strip())]
    if asked:
        raise Refused(f"{', '.join(asked)}: message data is not shown to assistants", hint=hint)


def is_of_bodies(field: str) -> bool:
    """Whether a field is in the data of a message, or a property of it."""
    return bool(re.match(r"(?i)body$|body\.|body_digest$|prop\.|\$|/", field))


def _words(offered: Iterable[CommandParameter], given: Mapping[str, Any]) -> Iterator[str]:
    for one in offered:
        value = given.get(one.name)
        if not one.words or value is None:
            continue
        word = one.words[-1]
        if one.opt.kind == "flag":
            if value:
                yield word
        elif one.opt.kind == "pair":
            yes, _, no = word.partition("/")
            yield yes if value else no
        else:
            for text in value if isinstance(value, list) else [value]:
                yield f"{word}={text}"


def _places(offered: Iterable[CommandParameter], given: Mapping[str, Any]) -> list[str]:
    """The arguments by their place, which stand behind ``--``."""
    places: list[str] = []
    for one in offered:
        value = given.get(one.name)
        if not one.words and value is not None:
            places += value if isinstance(value, list) else [str(value)]
    return places


def read_answer(data: bytes, *, shows_bodies: bool) -> dict[str, Any]:
    """The JSON that the verb wrote, cut to what an assistant may have at a time."""
    try:
        whole = json.loads(data)
    except ValueError:
        text = data.decode("utf-8", "replace").strip()
        return {"answer": text[:MOST_BYTES]} if text else {}
    if not shows_bodies:
        whole = without_message_data(whole)
    items = whole.get("items") if isinstance(whole, dict) else None
    if not isinstance(items, list):
        if len(json.dumps(whole)) > MOST_BYTES:
            return {"error": f"more than {MOST_BYTES} bytes: request less"}
        return {"answer": whole}
    count = len(items)
    del items[MOST_RECORDS:]
    sizes = [len(json.dumps(item)) for item in items]
    while items and sum(sizes[: len(items)]) > MOST_BYTES:
        items.pop()
    return {"answer": whole} | ({"left_out": count - len(items)} if len(items) < count else {})


def without_message_data(value: Any) -> Any:
    """The same without what a program wrote: data, headers, properties, values in conditions."""
    if isinstance(value, list):
        return [without_message_data(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        if key in _PRIVATE or key.startswith(("body.", "prop.")):
            continue
        if key in _CONDITIONS:
            kept[key] = _masked(item)
        else:
            kept[key] = without_message_data(item)
    return kept


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if not isinstance(value, str) or not value:
        return None
    from mqtriage.commands.incident import masked_where

    try:
        return masked_where(value)
    except UsageError:
        return "***"
