"""What is linted, and by which rules: options of `lint`, `lint fix` and `lint baseline`."""

from __future__ import annotations

from mqtriage.model.options import arguments, flag, repeated, text
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class LintOptions:
    """As typed; `definitions/lint/config.py` has what they change."""

    files: tuple[str, ...] = arguments(
        "FILES",
        help="MQSC files, dumps, folders or -. Default: the live queue manager.",
        completes="file",
    )
    select: tuple[str, ...] = repeated(
        metavar="CODES",
        help="Rules to run, such as BKO,DLY001; you can repeat it.",
        completes="rule",
    )
    ignore: tuple[str, ...] = repeated(
        metavar="CODES", help="Rules to omit, in the same format as --select.", completes="rule"
    )
    fail_on: str | None = text(metavar="SEVERITY", help="error (default), warning, info or never.")
    queues: tuple[str, ...] = repeated(
        "--queue",
        metavar="PATTERN",
        help="Report only findings on these queues or their backout queues.",
        completes="queue",
    )
    user: str | None = text(
        "--as",
        metavar="USER",
        help="Check that USER, or GROUP(name), has inq, put and passall authority.",
    )
    from_analysis: str | None = text(
        help="Take the required staging queue sizes from FILE, the output of analyze delay -o "
        "json.",
        completes="file",
    )
    stdin_filename: str | None = text(help="File name to use for standard input.", completes="file")
    environments: tuple[str, ...] = repeated(
        "--env",
        metavar="NAME",
        help="Subfolder with scripts that run after the others; also selects your rules for NAME.",
    )
    together: bool = flag(help="Treat all files as one queue manager, in the order given.")
    decode_secrets: bool = flag(help="Also read base64-encoded values in Secrets.")
    whole: bool = flag(help="Treat the scripts as the complete definitions of the queue manager.")
    platform: str | None = text(help="Platform that the scripts are for.", choices=("dist", "zos"))
    config: str | None = text(
        help="Use this settings file instead of the nearest one.", completes="file"
    )
