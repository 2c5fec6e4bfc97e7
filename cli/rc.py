"""`mqtriage rc`: explain a code without a queue manager at hand."""

from __future__ import annotations

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument


@takes(Output)
def rc(
    app: AppContext, code: str = argument("CODE|NAME", help="2053, 0x0805, MQRC_Q_FULL or MQFB_...")
) -> None:
    """Explain a reason or feedback code.

    A number that is both a reason and a feedback code is shown as both: MQDLH.Reason may hold
    either. No queue manager is needed.

    Examples:
        mqtriage rc 2053
        mqtriage rc MQRC_NOT_AUTHORIZED -o json
    """
    from mqtriage.commands.help.rc import explain as explain_code

    app.emit(explain_code(code))
