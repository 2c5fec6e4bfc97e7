"""Texts that an assistant begins with: the three troubles."""

from __future__ import annotations

from typing import Final

from mqtriage.commands.mcp.server import Prompt

_END: Final = (
    " Report what you looked at and what you could not see. Change nothing. If something needs to "
    "be done, make a plan with a plan_ tool, and give me its path and the command that applies it."
)

PROMPTS: Final = (
    Prompt(
        "poison_messages",
        "Why messages are on a backout queue, and what to do with them.",
        {"queue": "The backout queue."},
        "There are messages on the backout queue {queue}. Find out which queue it belongs to "
        "(backout_browse, group origin), what its messages have in common (backout_causes), and "
        "what each client does with such a message (backout_explain on that queue). Check that "
        "BOTHRESH, BOQNAME and the backout queue are correct (backout_ls). Suggest which messages "
        "can be moved back and which cannot, using conditions that I can read, and plan the "
        "requeue with a rate." + _END,
    ),
    Prompt(
        "delayed_messages",
        "Whether delayed messages will be delivered in time, and what to stop.",
        {"queue": "The target queue of the messages."},
        "Messages for {queue} are sent with a delivery delay. Look at the staging queue "
        "(delay_status) and at the messages that are waiting for {queue} (delay_browse, "
        "delay_forecast). Report which are overdue, which will not fit on the queue when they are "
        "due, and which expire before then. If the staging queue is nearly full, tell me how "
        "large it needs to be. Plan to cancel, release or reschedule only the messages that I "
        "name." + _END,
    ),
    Prompt(
        "expired_messages",
        "Why a queue counts messages that nobody can get.",
        {"queue": "The queue."},
        "The depth of {queue} counts messages that no program can get. Compare the messages that "
        "are counted with those that are visible (expiry_status, queue_status). "
        "Explain what discards expired messages there, and when (expiry_explain), and which "
        "report messages a sweep would send. Give me the command for the sweep, and do not plan "
        "anything else." + _END,
    ),
)
