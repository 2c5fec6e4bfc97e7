"""The options of `msg put`: the message data, and the fields of its descriptor."""

from __future__ import annotations

from mqtriage.model.options import argument, number, pair, repeated, text
from mqtriage.records import dataclass

MESSAGE_DATA = argument("[BODY]", help="Message data; - reads standard input.", default=None)
"""The data as text, ``-`` for standard input."""


@dataclass(frozen=True, slots=True)
class PutOptions:
    """The options as typed; None where one was not given.

    Attributes:
        file: names of files of bytes, a message each, where the data is no BODY.
        priority: 0 to 9; persistent: None takes DEFPSIST of the queue.
        prop: ``name=value`` each; they make an MQRFH2 with a usr folder.
        ccsid: of the data; a body given as text is written in it.
        report: names of MQRO_ options, joined by commas.
    """

    file: tuple[str, ...] = repeated(
        metavar="FILE", help="Read message data from this file, unchanged.", completes="file"
    )
    count: int = number(
        help="Number of messages to put.", minimum=None, default=1, show_default=False
    )
    correl_id: str | None = text(
        "--correlid", metavar="ID", help="CorrelId: 48 hex digits, ID:HEX, text:ABC or b64:..."
    )
    expiry: str | None = text(metavar="30s", help="Lifetime. Default: unlimited.")
    priority: int | None = number(
        metavar="0..9", help="Priority. Default: the queue's value.", minimum=None
    )
    persistent: bool | None = pair(
        "--persistent/--not-persistent", help="Persistence. Default: the queue's value."
    )
    format: str | None = text(
        "--md-format",
        metavar="MQSTR",
        help="Format. Default: MQSTR for text, blank for bytes from a file.",
    )
    prop: tuple[str, ...] = repeated(
        metavar="NAME=VALUE", help="Property, stored in the usr folder of an MQRFH2."
    )
    ccsid: int | None = number(help="Code page of the data; text is converted to it.", minimum=None)
    encoding: int | None = number(help="Encoding of the numbers in the data.", minimum=None)
    reply_to: str | None = text(help="Value of ReplyToQ.", completes="queue")
    report: str | None = text(metavar="COD,...", help="Report options, by name or as a number.")


def message_data(body: str | None, options: PutOptions) -> tuple[str, ...]:
    """The arguments that are data of the message: its body and its properties."""
    return (*(text for text in (body,) if text not in (None, "-")), *(options.prop or ()))
