"""Which subscriptions get a publication, and what each makes of its copy.

A publication goes to those that are about its topic string, that want publications unasked, whose
selector selects it, and that have the highest subscription level at or below its publication level;
to one of each group.

Choices where the documents are silent: the level is looked for among those whose selectors select
the publication; a proxy subscription has level 1; of a group, the one with the longest topic string
gets the copy.

Sources: IBM MQ documentation, "Subscription levels", "MQSD - SubLevel", "MQSD - Options"
(MQSO_GROUP_SUB), "Topic-based wildcard scheme", "Character-based wildcard scheme".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.selecting import selector_of, selects
from mqtriage.emulator.core.tables.subscriptions import Subscription, every
from mqtriage.emulator.pubsub import topics
from mqtriage.emulator.pubsub.subscription_rows import Kept, all_kept
from mqtriage.mq.descriptor import MQMD, NO_ID, NO_TOKEN
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.messages.filters.selector import Selector

HIGHEST_LEVEL: Final = 9
_FINAL_LEVEL: Final = 1
"""SubLevel that a subscription has where nothing else is said."""


class Terms(NamedTuple):
    """What of a subscription's kept attributes decides about deliveries; None where unusual.

    Attributes:
        correl_id: DESTCORL; all zero leaves the publisher's.
        pattern: of the topic strings, for WSCHEMA(CHAR).
        priority: PUBPRTY; -1 leaves it to the destination.
        on_request: REQONLY(YES): nothing comes but by MQSUBRQ.
        level: SUBLEVEL, 0 to 9.
        grouped: MQSO_GROUP_SUB.
        properties: PSPROP: NONE, MSGPROP, RFH2 or COMPAT.
        user: SUBUSER, where it is another one than who made it.
    """

    selector: Selector | None = None
    correl_id: bytes | None = None
    pattern: re.Pattern[str] | None = None
    priority: int | None = None
    on_request: bool = False
    level: int = _FINAL_LEVEL
    grouped: bool = False
    properties: str = "MSGPROP"
    user_data: str = ""
    accounting_token: bytes = NO_TOKEN
    identity_data: str = ""
    user: str = ""


_USUAL: Final = Terms()


def terms_of(manager: Manager, subscription: Subscription) -> Terms:
    """The terms of one subscription."""
    return manager.derived("subscription terms", _load).get(subscription.id, _USUAL)


def _load(manager: Manager) -> dict[bytes, Terms]:
    topics_of = {subscription.id: subscription.topic for subscription in every(manager.store)}
    every_kept = {bytes.fromhex(number): kept for number, kept in all_kept(manager).items()}
    return {
        number: _read_terms(kept, topics_of.get(number, "")) for number, kept in every_kept.items()
    }


def _read_terms(kept: Kept, topic: str) -> Terms:
    text, correl_id = str(kept.get("SELECTOR", "")), str(kept.get("DESTCORL", ""))
    token = str(kept.get("PUBACCT", ""))
    return Terms(
        selector_of(text, "select publications") if text else None,
        bytes.fromhex(correl_id) if _IS_ID.match(correl_id) else None,
        _by_characters(topic) if kept.get("WSCHEMA") == "CHAR" else None,
        _priority(kept.get("PUBPRTY", "ASPUB")),
        kept.get("REQONLY") == "YES",
        int(kept.get("SUBLEVEL", _FINAL_LEVEL)),
        kept.get("GROUPSUB") == "YES",
        str(kept.get("PSPROP", "MSGPROP")),
        str(kept.get("USERDATA", "")),
        bytes.fromhex(token) if _IS_TOKEN.match(token) else NO_TOKEN,
        str(kept.get("PUBAPPID", "")),
        str(kept.get("SUBUSER", "")),
    )


def _priority(value: int | str) -> int | None:
    return {"ASPUB": None, "ASQDEF": -1}[value] if isinstance(value, str) else value


_IS_ID: Final = re.compile(r"[0-9A-Fa-f]{48}\Z")
_IS_TOKEN: Final = re.compile(r"[0-9A-Fa-f]{64}\Z")


# -- who gets it ----------------------------------------------------------------------------------


def recipients(
    manager: Manager, topic: str, md: MQMD, body: bytes, level: int = HIGHEST_LEVEL
) -> list[Subscription]:
    """The subscriptions that a publication goes to, proxies among them, oldest first."""
    candidates = chosen(manager, matching(manager, topic), md, body)
    levels = {subscription.id: terms_of(manager, subscription).level for subscription in candidates}
    highest = max((one for one in levels.values() if one <= level), default=None)
    return _one_of_each_group(manager, [s for s in candidates if levels[s.id] == highest])


def matching(manager: Manager, topic: str) -> list[Subscription]:
    """The subscriptions to that topic string that get publications unasked, oldest first."""
    matches = [
        s
        for s in every(manager.store)
        if is_about(manager, s, topic) and not terms_of(manager, s).on_request
    ]
    return sorted(matches, key=lambda s: (s.created_us, s.id))


def chosen(
    manager: Manager, candidates: Iterable[Subscription], md: MQMD, body: bytes
) -> list[Subscription]:
    """Those of *candidates* whose selectors select the publication, or that have none."""
    return [
        subscription
        for subscription in candidates
        if (selector := terms_of(manager, subscription).selector) is None
        or selects(selector, md, body)
    ]


def _one_of_each_group(manager: Manager, candidates: list[Subscription]) -> list[Subscription]:
    """Without those of a group (one queue, one CorrelId) besides the most significant one."""
    best: dict[tuple[str, bytes], Subscription] = {}
    for subscription in candidates:
        if terms_of(manager, subscription).grouped:
            group = subscription.destination, correl_id_of(manager, subscription, NO_ID)
            if group not in best or len(subscription.topic) > len(best[group].topic):
                best[group] = subscription
    if not best:
        return candidates
    kept = set(best.values())
    return [
        subscription
        for subscription in candidates
        if subscription in kept or not terms_of(manager, subscription).grouped
    ]


def correl_id_of(manager: Manager, subscription: Subscription, published: bytes) -> bytes:
    """CorrelId of what is delivered: the one the subscription was made with, else its id.

    Args:
        published: CorrelId of the publication, for a subscription that was made with MQCI_NONE.
    """
    correl_id = terms_of(manager, subscription).correl_id
    if correl_id is None:
        return subscription.id
    return correl_id if any(correl_id) else published


def is_about(manager: Manager, subscription: Subscription, topic: str) -> bool:
    """Whether a publication on that topic string is one for the subscription.

    WILDCARD(BLOCK) of a topic object keeps what is published there, and below, from subscriptions
    with a wildcard above it (IBM MQ documentation, "DEFINE TOPIC").
    """
    pattern = terms_of(manager, subscription).pattern
    if pattern is not None:
        matches = pattern.fullmatch(topic) is not None
    else:
        matches = topic_matches(subscription.topic.split("/"), topic.split("/"))
    if not matches or subscription.topic == topic:
        return matches
    plain = _before_wildcards(subscription.topic, by_characters=pattern is not None)
    return all(plain.startswith(f"{node}/") for node in topics.blocked(manager, topic))


def _before_wildcards(topic: str, *, by_characters: bool) -> str:
    """The part of a subscription's topic string up to its first wildcard."""
    if by_characters:
        return re.split(r"(?<!%)[*?]", topic)[0]
    levels = topic.split("/")
    first = next((at for at, level in enumerate(levels) if level in ("#", "+")), len(levels))
    return "/".join((*levels[:first], ""))


def _by_characters(topic: str) -> re.Pattern[str]:
    """A topic string with the wildcards * and ?; % before one of them, or itself, is plain."""
    wild = {"*": ".*", "?": "."}
    pieces = re.findall(r"%[*?%]|.", topic, re.DOTALL)
    return re.compile("".join(wild.get(p, re.escape(p[-1])) for p in pieces), re.DOTALL)


def topic_matches(pattern: list[str], levels: list[str]) -> bool:
    """Whether levels match; `reachable` holds how many of them the pattern so far may cover.

    # and + are wildcards as a whole level alone, and only in the pattern (IBM MQ documentation,
    "Topic-based wildcard scheme").
    """
    reachable = {0}
    for part in pattern:
        if part == "#":
            reachable = set(range(min(reachable), len(levels) + 1))
        else:
            reachable = {
                at + 1 for at in reachable if at < len(levels) and part in ("+", levels[at])
            }
        if not reachable:
            return False
    return len(levels) in reachable
