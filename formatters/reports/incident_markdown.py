"""An incident as Markdown, to paste into a ticket."""

from __future__ import annotations

from collections.abc import Iterator

from mqtriage.commands.incident import ARCHIVE, MESSAGES, Incident
from mqtriage.formatters.forms.markdown import escaped, fenced
from mqtriage.formatters.forms.select import text_of
from mqtriage.formatters.style import Style
from mqtriage.model.output_forms import MD
from mqtriage.model.result import Document
from mqtriage.model.units import count_text


def page(incident: Incident, style: Style) -> Iterator[str]:
    """What the page shows except the messages, which it only counts."""
    style = style._replace(form=MD)
    yield f"# {escaped('Incident on ' + incident.about['queue_manager'])}\n\n"
    about = text_of(Document("IncidentAbout", incident.about), style)
    for number, part in enumerate(incident.parts):
        if number == 1:  # what is wrong comes first
            yield f"\n## About\n\n{about}"
        is_messages = part.name == MESSAGES
        yield f"\n## {escaped(part.title)}\n\n"
        warnings = part.result.warnings if part.result is not None else []
        for warning in (*warnings, *(incident.left_out if is_messages else ())):
            yield f"Warning: {escaped(warning)}\n\n"
        if note := incident.id_note(part):
            yield f"Note: {escaped(note)}\n\n"
        if part.result is None:
            yield f"Not here: {escaped(part.problem)}\n"
        elif is_messages:
            counts = ", ".join(
                f"{name} {'not read' if n is None else n}"
                for name, n in incident.message_counts().items()
            )
            total = count_text(len(incident.messages), "message")
            yield f"{total} in {ARCHIVE}: {escaped(counts)}\n"
        else:
            yield text_of(part.result, style)
    yield f"\n## Definitions\n\n{fenced(incident.definitions)}"
