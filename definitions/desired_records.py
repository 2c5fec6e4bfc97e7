"""What SET AUTHREC, DELETE AUTHREC and SET CHLAUTH of some files amount to, given what is there.

These commands add to a record or take from it, so a plan is made for the record that results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mqtriage.definitions.estate import DefiningCommand, texts_of
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.values import attributes_given
from mqtriage.mq.security.authority_records import authority_words, in_steps
from mqtriage.mq.security.channel_auth_records import KEYS, LISTS, Record, changed, key_of

Values = Mapping[str, AttributeValue]

RECORDS: Final = ("CHLAUTH", "AUTHREC")
"""Kinds that are no objects: records that SET makes and changes."""
_ENTITIES: Final = ("PRINCIPAL", "GROUP")


def record_name(kind: str, values: Values) -> str:
    """What tells a record from the others: ``ORDERS.** QUEUE GROUP(apps)``."""
    if kind == "CHLAUTH":
        return " ".join(part for part in key_of(values) if part)
    entity = next(word for word in _ENTITIES if word in values)
    return f"{values['PROFILE']} {values['OBJTYPE']} {entity}({values[entity]})"


def identity_of(kind: str, values: Values) -> dict[str, AttributeValue]:
    """The values that say which record it is; they never differ."""
    if kind == "AUTHREC":
        return {key: value for key, value in values.items() if key != "AUTHLIST"}
    keys = ("CHLAUTH", "TYPE", *KEYS[str(values["TYPE"])])
    return {key: values[key] for key in keys if key in values}


def displayed_record(kind: str, shown: Values) -> dict[str, AttributeValue]:
    """A record of DISPLAY as it is compared: nothing blank, no date, lists in order."""
    if kind == "AUTHREC":
        words = {word.strip() for word in str(shown.get("AUTHLIST", "")).upper().split(",")}
        is_manager = shown.get("OBJTYPE") == "QMGR"
        return {
            "PROFILE": "SELF" if is_manager else shown.get("PROFILE", ""),
            "OBJTYPE": shown.get("OBJTYPE", ""),
            str(shown.get("ENTTYPE", "")): shown.get("ENTITY", ""),
            "AUTHLIST": ",".join(sorted(words - {"NONE", ""})),
        }
    record = {"CHLAUTH": shown.get("CHLAUTH", "")}
    for key, value in shown.items():
        entry = attribute("CHLAUTH", key)
        if entry is not None and not entry.read_only and value not in ("", entry.default):
            record[key] = _ordered(value) if key in LISTS.values() else value
    return record


def filled(values: Values, other: Values) -> dict[str, AttributeValue]:
    """A CHLAUTH record with what is not named where *other* names it."""
    record = dict(values)
    for key in other:
        entry = attribute("CHLAUTH", key)
        if key not in record:
            record[key] = "" if entry is None or entry.default is None else entry.default
    return record


def _ordered(members: AttributeValue) -> str:
    return ",".join(sorted(member for member in str(members).split(",") if member))


def desired_records(
    kind: str, sources: Iterable[DefiningCommand], there: Iterable[Values], *, exact: bool = False
) -> Iterator[tuple[DefiningCommand, Values, bool]]:
    """Each record that the commands touch as they leave it: last command, values, whether it is.

    Args:
        exact: as the commands alone make it; what somebody added by hand does not belong there.
    """
    live = {record_name(kind, record): record for record in there}
    remaining = {} if exact else dict(live)
    touched: dict[str, tuple[DefiningCommand, Values]] = {}
    for source in sources:
        command = source.command
        if command.noun != kind or command.verb not in ("SET", "DELETE"):
            continue
        steps = (
            _authority_step(command, remaining)
            if kind == "AUTHREC"
            else _channel_step(command, remaining, live)
        )
        for name, named, after in steps:
            touched[name] = source, after or named
            remaining.pop(name, None)
            if after is not None:
                remaining[name] = after
    for name, (source, values) in touched.items():
        yield source, values, name in remaining


def _authority_step(
    command: Command, there: Mapping[str, Values]
) -> Iterator[tuple[str, Values, Values | None]]:
    type_ = (command.value("OBJTYPE") or "").upper()
    profile = "SELF" if type_ == "QMGR" else command.value("PROFILE") or ""
    for entity in _ENTITIES:
        for who in texts_of(command, entity):
            named: Values = {"PROFILE": profile, "OBJTYPE": type_, entity: who}
            name = record_name("AUTHREC", named)
            if command.verb == "DELETE":
                yield name, named, None
                continue
            old = {w for w in str(there.get(name, {}).get("AUTHLIST", "")).split(",") if w}
            held = set(old)
            for adds, words in in_steps(texts_of(command, "AUTHADD"), texts_of(command, "AUTHRMV")):
                if adds:
                    granted = authority_words(words, type_)
                    # ALL and ALLADM do not make anybody a creator of what is there already
                    held |= granted if "CRT" in _upper(words) else granted - {"CRT"}
                else:
                    held -= held if "ALL" in _upper(words) else authority_words(words, type_)
            yield name, named, {**named, "AUTHLIST": ",".join(sorted(held))}


def _upper(words: Iterable[str]) -> set[str]:
    return {word.upper() for word in words}


def _channel_step(
    command: Command, there: Mapping[str, Values], live: Mapping[str, Values]
) -> Iterator[tuple[str, Values, Values | None]]:
    given = attributes_given(command)
    action = str(given.pop("ACTION", "ADD"))
    profile = command.named()
    if "TYPE" not in given:
        raise UsageError(f"SET CHLAUTH({profile}): TYPE is needed")
    named = displayed_record("CHLAUTH", {"CHLAUTH": profile, **given})
    if action == "REMOVEALL":
        pair = (profile, given["TYPE"])
        every = {**live, **there}
        gone = [n for n, record in every.items() if (record["CHLAUTH"], record["TYPE"]) == pair]
        for name in gone:
            yield name, every[name], None
        return
    name = record_name("CHLAUTH", named)
    held = there.get(name)
    if action == "ADD" and held is not None and str(named["TYPE"]) not in LISTS:
        yield name, named, displayed_record("CHLAUTH", {**held, **given})
        return
    if action == "REMOVE" and held is None:
        yield name, named, None
        return
    records: list[Record] = [] if held is None else [held]
    try:
        step = changed(records, named, action, f"SET CHLAUTH({profile})")
    except MQIError as error:
        raise UsageError(error.text) from error
    yield name, named, displayed_record("CHLAUTH", step[0]) if step else None
