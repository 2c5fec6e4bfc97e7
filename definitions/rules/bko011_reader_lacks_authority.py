from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.finding import Command, Severity, Violations, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.catalogue import quoted
from mqtriage.mq.security.authority_records import RecordIndex


def _grant(name: str, entity: str, words: list[str]) -> Command:
    keyword, _, who = entity.rstrip(")").partition("(")
    return Command(
        f"SET AUTHREC PROFILE({quoted(name)}) OBJTYPE(QUEUE) {keyword}({quoted(who)}) +\n"
        f"       AUTHADD({','.join(words)})"
    )


@rule(Severity.ERROR)
def check(estate: Estate) -> Violations:
    if estate.authorities is None or not estate.load.readers:
        return
    index = RecordIndex(estate.authorities)
    for reader in estate.load.readers:
        for queue in estate.of_kind("QLOCAL"):
            if not any_matches(reader.queues, queue.name):
                continue
            needs: list[tuple[str, tuple[str, ...]]] = [(queue.name, ("INQ",))]
            if queue.text("BOQNAME") and queue.number("BOTHRESH"):
                needs.append((queue.text("BOQNAME") or "", ("PUT", "PASSALL")))
            for name, words in needs:
                record = index.of(reader.entity, name)
                lacking = [word for word in words if record is None or not record.allows(word)]
                if lacking:
                    message = f"{reader.entity} reads it and lacks {', '.join(lacking)} on {name}"
                    yield violation(queue, "BOQNAME", message, _grant(name, reader.entity, lacking))
