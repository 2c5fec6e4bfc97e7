"""`mqtriage doctor`: options, help and examples."""

from __future__ import annotations

from mqtriage.cli.frame.commands_in_results import name_in_error
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import Connections, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.context import doctor as examined
from mqtriage.commands.context.authority_needs import NeedState
from mqtriage.commands.context.doctor import BackendChoice, local_user
from mqtriage.emulator.core.clock import wall_us
from mqtriage.formatters.cells import visible
from mqtriage.model.client_settings import client_settings
from mqtriage.model.options import arguments
from mqtriage.model.output_forms import IDS, MQSC
from mqtriage.model.rest_settings import rest_settings
from mqtriage.model.result import Document
from mqtriage.mq.errors import MQTriageError, NotFound


@takes(Connections, Output)
def doctor(
    app: AppContext,
    queue: tuple[str, ...] = arguments("QUEUE", help="Check these queues too.", completes="queue"),
) -> None:
    """Check the client, the connection and your authority.

    Reports what is installed, how to fix problems, and which backend it uses and why. Then it
    connects, and lists the authorities that each group of commands needs, and those that are
    missing. It only opens and closes queues, and does not read, put or remove messages. For a
    missing authority, it shows the SET AUTHREC command that an administrator must run. Exits 7 if
    it cannot connect, 5 if QUEUE does not exist, and 6 if an authority is missing. With several
    queue managers, it prints a row for each, and exits 3 if not all of them respond.

    Examples:
        mqtriage doctor
        mqtriage doctor ORDERS.IN --context prod
        mqtriage doctor -m 'PROD*'
        mqtriage doctor -o json
    """
    if len(app.target.connections) > 1:
        from mqtriage.cli.frame.several import answers_of_each

        app.output.refuse_forms(MQSC)
        answers = list(answers_of_each(app, lambda one: _examined(one, queue)))
        for document, failure in answers:
            if failure is not None:
                app.run.note(ExitCode.PARTLY_DONE if _reached(answers) else outcome_of(failure))
                name = document.data["backend"]["queue_manager"]
                text = f"error: {name}: {visible(failure.text)}"
                app.run.tell_error(failure, outcome_of(failure), f"{name}: ", text)
        documents = [document for document, _ in answers]
        app.output.emit(examined.overview(documents))
    else:
        app.output.refuse_forms(IDS, MQSC)
        document, problem = _examined(app, queue)
        if problem is not None:
            app.run.note(outcome_of(problem))
        documents = [document]
        app.output.emit(document)
    authorities = [row for document in documents for row in document.data["authorities"]]
    if any(row["state"] == "missing" for row in authorities):
        app.run.note(ExitCode.NOT_AUTHORIZED)
    absent = {
        row["object"]: f"{row['answer']} on {document.data['backend']['queue_manager']}"
        for document in documents
        for row in document.data["authorities"]
        if row["state"] == NeedState.NO_OBJECT
    }
    if named := [name for name in queue if name in absent]:
        raise NotFound(
            "; ".join(f"{name}: {absent[name]}" for name in dict.fromkeys(named)),
            hint="mqtriage queue ls",
        )


def _examined(app: AppContext, queues: tuple[str, ...]) -> tuple[Document, MQTriageError | None]:
    """What there is to say of one queue manager, and why it was not reached."""
    chosen = _chosen(app)
    problem: MQTriageError | None = None
    try:
        with app.target.open_backend(read_only=False) as backend:
            reached = examined.connection(backend, wall_us(), queues)
            chosen = chosen._replace(queue_manager=backend.queue_manager)
    except MQTriageError as error:
        name_in_error(error, app.run.in_commands)
        reached, problem = examined.failure(error, chosen), error
    here = examined.installation(app.run.environ, over_rest=chosen.chosen == "rest")
    return examined.report(here, chosen, reached), problem


def _reached(answers: list[tuple[Document, MQTriageError | None]]) -> bool:
    return any(problem is None for _, problem in answers)


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
        user = rest.user or ("by its certificate" if rest.certificate else "none given")
        where = f"at {rest.url}"
    return BackendChoice(
        chosen, backend.shown_origin if backend else "", settings.text("qmgr") or "", where, user
    )
