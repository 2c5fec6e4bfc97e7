"""Statistics and accounting messages as amqsmon prints them, for tests that have no output of it.

Source: what IBM's sample amqsmon0.c prints, and IBM MQ documentation, "amqsmon".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_TYPES: Final = {
    164: "MQIStatistics", 165: "QueueStatistics", 166: "ChannelStatistics", 167: "MQIAccounting",
    168: "QueueAccounting",
}  # fmt: skip
_GROUPS: Final = {
    "queueStatisticsData": "QueueStatistics", "queueAccountingData": "QueueAccounting",
}  # fmt: skip
_NAMES: Final = {
    "queueMgrName": "QueueManager", "startDate": "IntervalStartDate",
    "startTime": "IntervalStartTime", "endDate": "IntervalEndDate", "endTime": "IntervalEndTime",
    "applName": "ApplicationName", "userIdentifier": "UserId", "objectCount": "ObjectCount",
    "queueName": "QueueName", "queueMaxDepth": "QMaxDepth", "queueMinDepth": "QMinDepth",
    "puts": "PutCount", "put1s": "Put1Count", "putsFailed": "PutFailCount",
    "put1sFailed": "Put1FailCount", "putBytes": "PutBytes", "gets": "GetCount",
    "getsFailed": "GetFailCount", "getBytes": "GetBytes", "browses": "BrowseCount",
    "browsesFailed": "BrowseFailCount", "browseBytes": "BrowseBytes",
    "msgsExpired": "ExpiredMsgCount", "msgsPurged": "PurgeCount",
    "msgsNotQueued": "NonQueuedMsgCount", "avgQueueTime": "AverageQueueTime",
    "creationDate": "CreateDate", "creationTime": "CreateTime", "queueType": "QueueType",
    "definitionType": "QueueDefinitionType", "commandLevel": "CommandLevel",
    "commits": "CommitCount", "backouts": "BackCount", "connectionId": "ConnectionId",
}  # fmt: skip
"""Names of parameters as amqsevt has them to those of amqsmon."""
_WORDS: Final = ("QueueType", "QueueDefinitionType")
"""Printed without quotes."""


def printed(events: Iterable[Mapping[str, Any]]) -> str:
    """The messages, given as amqsevt prints them; how many there were is the last line."""
    messages = [event for event in events if event["eventType"]["value"] in _TYPES]
    texts = [
        "\n".join([
            f"MonitoringType: {_TYPES[event['eventType']['value']]}",
            *_lines(event["eventData"], ""),
            "\n",
        ])
        for event in messages
    ]  # fmt: skip
    return "".join(texts) + f"{len(texts)} Records Processed.\n"


def _lines(parameters: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in parameters.items():
        word = _NAMES.get(name, "799")  # of a parameter that it does not know it has the number
        if name in _GROUPS:
            for number, group in enumerate(value):
                yield f"{indent}{_GROUPS[name]}: {number}"
                yield from _lines(group, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{word}: [{', '.join(map(str, value))}]"
        elif word == "ConnectionId":
            yield f"{indent}{word}: x'{value.lower()}'"
        elif isinstance(value, str) and word not in _WORDS:
            yield f"{indent}{word}: '{value}'"
        else:
            yield f"{indent}{word}: {value}"
