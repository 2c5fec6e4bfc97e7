"""What has expired since a snapshot with message data was taken, as an archive to revive from."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from mqtriage.mq.errors import Refused
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.writing import new_copy
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.problems import Problems


def write_expired(
    folder: Path, reference: str, queue_manager: str | None, now_us: int, out: Path
) -> str:
    """Write the messages of a snapshot whose lifetime is over to the new archive *out*.

    Args:
        queue_manager: whose snapshots are meant; None where there are no others.
        now_us: the queue manager's time.

    Returns:
        The id of the snapshot.

    Raises:
        NotFound: No such snapshot.
        Refused: It has no message data.
    """
    problems = Problems()
    index = reader.Index(folder, problems, queue_manager)
    name = index.resolve(reference)
    chain = index.chain_to(name, problems)
    with new_copy(out, queue="", queue_manager=chain.queue_manager, at=rfc3339(now_us)) as file:
        for row in reader.messages_at(folder, chain, problems):
            end = row["expiry_time"]
            if end is None or end > now_us:
                continue
            message = reader.message_of(row)
            if message is None:
                raise Refused(
                    f"snapshot {name} has no message data",
                    hint="mqtriage snapshot take --body full keeps it",
                )
            file.add(row["queue"], message, sha256(message.body).digest())
    return name
