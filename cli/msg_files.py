"""`mqtriage msg archive` and `msg load`: messages to and from files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Annotated, Any, cast

import typer

from mqtriage.cli.frame import message_flow as journalled
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output, Safety, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.cli.msg import Queue
from mqtriage.mq.errors import StorageError, unreadable


@takes(SelectionOptions, Connection, Output)
def archive(
    app: AppContext,
    selection: SelectionOptions,
    queue: Queue,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="A new file. Default: one in the archive."),
    ] = None,
    file_format: Annotated[
        str,
        typer.Option(
            "--file-format",
            metavar="ndjson|dmpmqmsg",
            help="Our archive, or the text of IBM's dmpmqmsg.",
        ),
    ] = "ndjson",
    text_lines: Annotated[
        bool,
        typer.Option(
            "--text-lines",
            help="In dmpmqmsg files, text that can be read instead of hexadecimal.",
            show_default=False,
        ),
    ] = False,
    compress: Annotated[
        bool,
        typer.Option(
            "--compress", help="Compress it; so does an --out that ends in .gz.", show_default=False
        ),
    ] = False,
    no_bodies: Annotated[
        bool,
        typer.Option(
            "--no-bodies",
            help="Descriptors alone: such a copy cannot be put back.",
            show_default=False,
        ),
    ] = False,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Copy messages to a file; they stay on the queue.

    The file has descriptor and data of each message as they were, with digests, and an index
    beside it. msg load puts them back; a dmpmqmsg file can be loaded by IBM's tool too. An
    existing file is never overwritten.

    Examples:
        mqtriage msg archive ORDERS.IN
        mqtriage msg archive ORDERS.BO --out orders.ndjson.gz --older-than 1d
        mqtriage msg archive ORDERS.BO --out orders.dump --file-format dmpmqmsg --text-lines
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.operations.message_archive import archive as archive_messages
    from mqtriage.operations.message_archive import destination

    to = destination(
        file_format,
        out,
        app.archive_folder(),
        text=text_lines,
        compress=compress,
        bodies=not no_bodies,
    )
    which = choosing.chosen(app, selection)
    choosing.read_note(app, queue, no_expiry_effects)
    with app.open_backend(read_only=True) as backend:
        document = archive_messages(backend, queue, which, to)
    app.emit(document)
    if app.output.fail_empty and not document.data["count"]:
        app.note(ExitCode.NOTHING_MATCHED)


@takes(Safety, Connection, Output)
def load(
    app: AppContext,
    safety: Safety,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Archive, listing or dump; - is standard input.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="QUEUE", help="Queue that gets the messages.")],
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="Load the rest of a damaged file.", show_default=False),
    ] = False,
    *,
    copies: choosing.Copies,
) -> None:
    """Put the messages of a file on a queue.

    Reads our archives, the output of msg browse -o ndjson and of amqsbcg, and the files of IBM's
    dmpmqmsg (qload). Ids, context with the put time, and the lifetime that was left are put as
    they were. A damaged file is refused with the line before anything is put. T lines of dmpmqmsg
    are not byte-exact: each gives a newline. The load is in the journal: journal resume goes on
    with one that was cut and puts nothing twice, journal undo takes it off again.

    Examples:
        mqtriage msg load orders.ndjson --to ORDERS.IN --dry-run
        mqtriage msg load orders.dump --to ORDERS.IN --yes
        mqtriage msg browse ORDERS.IN -o ndjson | mqtriage msg load - --to ORDERS.COPY --yes
    """
    from mqtriage.operations.load import LoadRequest

    copy = copies.options(safety.reports)
    with opened(app, file) as data, app.open_backend() as backend:
        request = LoadRequest(
            data, file, to, copy, safety.batch, skip_damaged,
            path="" if file == "-" else os.path.abspath(file),
        )  # fmt: skip
        journalled.load(app, backend, safety, request)


@contextmanager
def opened(app: AppContext, name: str) -> Iterator[IO[bytes]]:
    """A file to read twice; standard input is kept in a temporary one that has no name.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read.
    """
    from tempfile import TemporaryFile

    try:
        if name != "-":
            with open(name, "rb") as file:
                if not file.seekable():
                    raise StorageError(
                        f"{name}: it can be read only once", hint="give it as standard input: -"
                    )
                yield _unpacked(file)
            return
        with TemporaryFile() as kept:
            _copy_stdin(app, kept)
            yield _unpacked(kept)
    except OSError as error:
        raise unreadable(name, error) from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """What a compressed file holds; any other as it is."""
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not packed:
        return file
    import gzip

    return cast("IO[bytes]", gzip.GzipFile(fileobj=file))


def _copy_stdin(app: AppContext, file: IO[bytes]) -> None:
    from shutil import copyfileobj

    binary: Any = getattr(app.stdin, "buffer", None)
    if binary is None:
        file.write(app.stdin.read().encode("utf-8", "surrogateescape"))
    else:
        copyfileobj(binary, file)
