"""The options of `msg put` and `delay put`: what the message says of itself."""

from __future__ import annotations

from typing import Annotated

import typer

Body = Annotated[
    str | None,
    typer.Argument(
        metavar="[BODY]", help="Message data; - reads standard input.", show_default=False
    ),
]
File = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Message data, put as it is.")
]
Count = Annotated[
    int, typer.Option("--count", metavar="N", help="How many times.", show_default=False)
]
CorrelId = Annotated[
    str | None, typer.Option("--correlid", metavar="ID", help="48 hex digits, ID:, text: or b64:.")
]
Expiry = Annotated[
    str | None, typer.Option("--expiry", metavar="30s", help="Lifetime. Default: unlimited.")
]
Priority = Annotated[
    int | None, typer.Option("--priority", metavar="0..9", help="Default: the queue's.")
]
Persistent = Annotated[
    bool | None,
    typer.Option("--persistent/--not-persistent", help="Default: the queue's.", show_default=False),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="MQSTR", help="Default: MQSTR for text, blank for bytes of a file."
    ),
]
Prop = Annotated[
    list[str] | None,
    typer.Option("--prop", metavar="NAME=VALUE", help="Property, in an MQRFH2 (folder usr)."),
]
Ccsid = Annotated[
    int | None,
    typer.Option("--ccsid", metavar="N", help="Code page of the data; text is written in it."),
]
Encoding = Annotated[
    int | None, typer.Option("--encoding", metavar="N", help="Encoding of numbers in the data.")
]
ReplyTo = Annotated[str | None, typer.Option("--reply-to", metavar="QUEUE", help="ReplyToQ.")]
Report = Annotated[
    str | None, typer.Option("--report", metavar="COD,...", help="Report options, by name.")
]
