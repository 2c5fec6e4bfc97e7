"""Channels, listeners, namelists and their kin: kept, shown, changed, deleted."""

from __future__ import annotations

import pytest

from mqtriage.mq.mqsc import parse
from mqtriage.mq.mqsc_reply import Ending, Reply
from mqtriage.emulator import mqsc_server
from tests.unit.emulator.conftest import Lab


def run(lab: Lab, text: str) -> list[Reply]:
    script = parse(text)
    return [mqsc_server.execute(lab.mq, script, command) for command in script.commands]


def shown(lab: Lab, text: str) -> list[dict[str, int | str]]:
    (reply,) = run(lab, text)
    return [dict(told.object) for told in reply.told if told.object is not None]


def messages(lab: Lab, text: str) -> list[str]:
    return [reply.told[0].id for reply in run(lab, text)]
