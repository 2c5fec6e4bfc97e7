"""`mqtriage doctor`: options, help and examples."""

from __future__ import annotations

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.context import doctor as examined
from mqtriage.commands.context.authority_needs import NeedState
from mqtriage.commands.context.doctor import BackendChoice, local_user
from mqtriage.emulator.core.clock import wall_us
from mqtriage.model.client_settings import client_settings
from mqtriage.model.options import arguments
from mqtriage.model.output_forms import IDS, MQSC
from mqtriage.model.rest_settings import rest_settings
from mqtriage.mq.errors import MQTriageError, NotFound


@takes(ConnectionOptions, Output)
def doctor(
    app: AppContext,
    queue: tuple[str, ...] = arguments("QUEUE", help="Look at these too.", completes="queue"),
) -> None:
    """Check client, connection and authority.

    Says what is installed and what to do where it cannot be used, which backend is chosen and
    why, connects, and lists what each group of commands needs and which of it is missing.

    Nothing is read, put or taken: queues are opened and closed. What is missing comes with the
    SET AUTHREC to ask for. Exit 7 without a connection, 5 where QUEUE is not there, 6 where an
    authority is missing.

    Examples:
        mqtriage doctor
        mqtriage doctor ORDERS.IN --context prod
        mqtriage doctor -o json
    """
    app.output.refuse_forms(IDS, MQSC)
    installed = examined.installation(app.run.environ)
    chosen = _chosen(app)
    try:
        with app.target.open_backend(read_only=False) as backend:
            reached = examined.connection(backend, wall_us(), queue)
            chosen = chosen._replace(queue_manager=backend.queue_manager)
    except MQTriageError as error:
        app.run.note(outcome_of(error))
        reached = examined.failure(error, chosen.user)
    document = examined.report(installed, chosen, reached)
    app.output.emit(document)
    authorities = document.data["authorities"]
    if any(row["state"] == "missing" for row in authorities):
        app.run.note(ExitCode.NOT_AUTHORIZED)
    absent = {
        row["object"]: row["answer"] for row in authorities if row["state"] == NeedState.NO_OBJECT
    }
    if named := [name for name in queue if name in absent]:
        raise NotFound(
            "; ".join(f"{name}: {absent[name]}" for name in dict.fromkeys(named)),
            hint="mqtriage queue ls",
        )


def _chosen(app: AppContext) -> BackendChoice:
    """Which end of the port is in force; what connects fails later, with its reason."""
    settings = app.target.settings
    backend = settings.values.get("backend")
    chosen = str(backend.value) if backend else "emulator"
    user, where = local_user(), str(app.target.home())
    if chosen == "mq":
        client = client_settings(settings.text)
        user, where = client.user or user, client.where or "where the MQ library is set up for"
    elif chosen == "rest":
        rest = rest_settings(settings.text, unchecked=settings.flag("tls.unchecked"))
        user, where = rest.user or user, f"at {rest.url}"
    return BackendChoice(
        chosen, backend.origin if backend else "", settings.text("qmgr") or "", where, user
    )
