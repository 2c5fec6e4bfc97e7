"""Texts that an assistant begins with: the three troubles."""

from __future__ import annotations

from typing import Final

from mqtriage.commands.mcp.server import Prompt

_END: Final = (
    " Say what you looked at and what you could not see. Change nothing: where something is to be"
    " done, make a plan with a plan_ tool and give me its path and the command that carries it out."
)

PROMPTS: Final = (
    Prompt(
        "poison_messages",
        "Why messages are on a backout queue, and what to do with them.",
        {"queue": "The backout queue."},
        "Messages are on the backout queue {queue}. Find out whose backout queue it is"
        " (backout_origin), what its messages share (backout_causes), and what each client does"
        " with such a message (backout_explain on the queue it is of). Check that BOTHRESH, BOQNAME"
        " and the backout queue are right (backout_ls). Propose which messages can go back and"
        " which cannot, by conditions that I can read, and plan the requeue with a rate." + _END,
    ),
    Prompt(
        "delayed_messages",
        "Whether delayed messages will be delivered in time, and what to stop.",
        {"queue": "The queue that they are for."},
        "Messages for {queue} are sent with a delivery delay. Look at the staging queue"
        " (delay_status), at what waits for {queue} (delay_browse, delay_forecast), and say what is"
        " overdue, what will not fit on the queue when it is due, and what expires before. If the"
        " staging queue is nearly full, say how large it has to be. Plan to cancel, release or"
        " reschedule only what I name." + _END,
    ),
    Prompt(
        "expired_messages",
        "Why a queue counts messages that nobody can get.",
        {"queue": "The queue."},
        "The depth of {queue} counts messages that no program can get. Compare what is counted with"
        " what can be seen (expiry_status, queue_status, queue_who), explain who discards expired"
        " messages there and when (expiry_explain), and say which report messages a sweep would"
        " send. Give me the command for the sweep; do not plan anything else." + _END,
    ),
)
