"""MQOPEN, MQPUT and MQPUT1 as a program calls them: of one object, or of a whole list.

A distribution list is an MQOD with RecsPresent above 0: each MQOR behind it names a queue. A put to
it is one put to each of them, one after the other; so messages to several remote queues lie on
their transmission queue one by one, and not as one message with an MQDH, which DISTL would allow.

Sources: IBM MQ documentation, "MQOPEN - Open object" and "MQPUT - Put message" (usage notes on
distribution lists), "MQOD", "MQPMO", "MQPMR", "MQRR".
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.emulator.mqi.session import CallReply, OpenObject, Session
from mqtriage.emulator.mqi.verbs import objects as verbs_objects
from mqtriage.emulator.mqi.verbs import put as verbs_put
from mqtriage.emulator.mqi.verbs.put_message_records import PutMessageRecords
from mqtriage.emulator.pubsub import topics
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, pack, unpack
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.structures import Value, structure

KIND: Final = "list"
"""`OpenObject.kind` of a distribution list."""

_INT: Final = Struct("<i")
_OD_LENGTH_2: Final = 208
_NO_RECORDS: Final = (bytes(4), b"")
"""RecsPresent as it stands in an MQPMO; version 1 has none."""
_OBJECT: Final = Struct("48s48s")
_RESPONSE: Final = Struct("<ii")
_OPTIONS: Final = (
    cmqc.MQOO_OUTPUT
    | cmqc.MQOO_PASS_IDENTITY_CONTEXT
    | cmqc.MQOO_PASS_ALL_CONTEXT
    | cmqc.MQOO_SET_IDENTITY_CONTEXT
    | cmqc.MQOO_SET_ALL_CONTEXT
    | cmqc.MQOO_ALTERNATE_USER_AUTHORITY
    | cmqc.MQOO_FAIL_IF_QUIESCING
    | cmqc.MQOO_BIND_ON_OPEN
    | cmqc.MQOO_BIND_NOT_FIXED
    | cmqc.MQOO_BIND_ON_GROUP
)
_CONTEXT: Final = 0xF00 | cmqc.MQOO_ALTERNATE_USER_AUTHORITY


class DestinationOutcome(NamedTuple):
    """What became of one destination, as in an MQRR."""

    comp_code: int
    reason: int


_DONE: Final = DestinationOutcome(cmqc.MQCC_OK, cmqc.MQRC_NONE)
_NOT_OPEN: Final = DestinationOutcome(cmqc.MQCC_FAILED, cmqc.MQRC_OPEN_FAILED)


def summary(outcomes: Sequence[DestinationOutcome]) -> DestinationOutcome:
    """What the call itself says: what is common to all, else MQRC_MULTIPLE_REASONS (2136)."""
    if len(set(outcomes)) == 1:
        return outcomes[0]
    failed = all(outcome.comp_code == cmqc.MQCC_FAILED for outcome in outcomes)
    return DestinationOutcome(
        cmqc.MQCC_FAILED if failed else cmqc.MQCC_WARNING, cmqc.MQRC_MULTIPLE_REASONS
    )


def _responses(outcomes: Sequence[DestinationOutcome]) -> bytes:
    """The MQRRs, which are set where the outcome is mixed alone; else no bytes."""
    if summary(outcomes).reason != cmqc.MQRC_MULTIPLE_REASONS:
        return b""
    return b"".join(_RESPONSE.pack(*outcome) for outcome in outcomes)


def _counts(
    outcomes: Sequence[DestinationOutcome], opened: Sequence[OpenObject | None]
) -> dict[str, Value]:
    """How many are on local queues and on remote ones, and failed; for an MQOD or MQPMO."""
    good = [
        destination
        for destination, outcome in zip(opened, outcomes, strict=True)
        if destination is not None and outcome.comp_code != cmqc.MQCC_FAILED
    ]
    remote = sum(destination.is_remote for destination in good)
    return {
        "KnownDestCount": len(good) - remote,
        "UnknownDestCount": remote,
        "InvalidDestCount": len(opened) - len(good),
    }


# -- opening --------------------------------------------------------------------------------------


def open_object(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQOPEN; the last blob holds the MQORs."""
    od, object_string, selection, records = blobs
    session.need_handle("open")
    if not _is_list(od):
        return verbs_objects.open_object(session, numbers, (od, object_string, selection))
    opening = _opened_list(session, numbers[0], od, records, selection)
    comp_code, reason = summary(opening.outcomes)
    number = -1 if comp_code == cmqc.MQCC_FAILED else session.add(opening.opened)
    return CallReply((number,), (opening.od, b"", _responses(opening.outcomes)), reason, comp_code)


def _is_list(od: bytes) -> bool:
    if len(od) < _OD_LENGTH_2:
        return False
    (kind,), (count,) = _INT.unpack_from(od, 8), _INT.unpack_from(od, 168)
    return bool(kind == cmqc.MQOT_Q and count > 0)


class _Opened(NamedTuple):
    """A list that was opened, what became of each queue, and the MQOD as it goes back."""

    opened: OpenObject
    outcomes: list[DestinationOutcome]
    od: bytes


def _opened_list(
    session: Session, options: int, od: bytes, records: bytes, selection: bytes
) -> _Opened:
    """Open each queue that an MQOR names; one that cannot be opened keeps no other out."""
    doing = "open a distribution list"
    connection, layout = session.connection, structure("MQOD")
    fields = layout.decode(od, doing)
    reason = _wrong(fields, options, records, selection)
    if connection.manager.is_zos:
        reason = cmqc.MQRC_RECS_PRESENT_ERROR
    if reason:
        raise mqi_error(reason, doing)
    one = layout.patched(od, RecsPresent=0)
    destinations: list[OpenObject | None] = []
    outcomes: list[DestinationOutcome] = []
    for name, where in _OBJECT.iter_unpack(records):
        described = layout.patched(one, ObjectName=name, ObjectQMgrName=where)
        try:
            destinations.append(_destination(session, options, described, name, where))
            outcomes.append(_DONE)
        except MQIError as error:
            destinations.append(None)
            outcomes.append(DestinationOutcome(error.comp_code, error.reason))
    opened = OpenObject(KIND, "", options, connection, destinations=tuple(destinations))
    return _Opened(opened, outcomes, layout.patched(od, **_counts(outcomes, destinations)))


def _wrong(fields: dict[str, Value], options: int, records: bytes, selection: bytes) -> int:
    """The reason why an MQOD opens no distribution list, or 0."""
    if fields["ObjectName"]:
        return cmqc.MQRC_OBJECT_NAME_ERROR
    if fields["ObjectQMgrName"]:
        return cmqc.MQRC_OBJECT_Q_MGR_NAME_ERROR
    if options & ~_OPTIONS:
        return cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE
    if not options & cmqc.MQOO_OUTPUT:
        return cmqc.MQRC_OPTIONS_ERROR
    if len(records) != _OBJECT.size * int(fields["RecsPresent"]):  # by pointer and offset, or none
        return cmqc.MQRC_OBJECT_RECORDS_ERROR
    if fields["ResponseRecOffset"] and fields["ResponseRecPtr"]:
        return cmqc.MQRC_RESPONSE_RECORDS_ERROR
    return cmqc.MQRC_SELECTOR_INVALID_FOR_TYPE if selection else 0


def _destination(
    session: Session, options: int, od: bytes, raw_name: bytes, raw_where: bytes
) -> OpenObject:
    """One queue of a list."""
    name, where = verbs_objects.text(raw_name), verbs_objects.text(raw_where)
    doing = f"open {name}"
    there = session.connection.at(name)
    queue = there.manager.queues.get(name)
    if queue is not None and where in ("", there.manager.identity.name):
        if queue.kind == "QMODEL":
            raise mqi_error(cmqc.MQRC_Q_TYPE_ERROR, doing, object_name=name)
        if topics.behind_alias(there.manager, name) is not None:
            raise mqi_error(cmqc.MQRC_ALIAS_BASE_Q_TYPE_ERROR, doing, object_name=name)
    return verbs_objects.opened_object(session, options, od, b"", b"")[0]


# -- putting --------------------------------------------------------------------------------------


def put(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQPUT; the last blob holds the MQPMRs."""
    md, pmo, body, records = blobs
    opened = session.object(numbers[0], "put")
    verbs_put.check_put_options(pmo)
    if opened.kind != KIND:
        _refuse_records(pmo)
        return verbs_put.put_to(session, opened, md, pmo, body)
    outcomes = [_NOT_OPEN if destination is None else _DONE for destination in opened.destinations]
    return _put_to_all(session, opened, outcomes, md, pmo, body, records)


def put1(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQPUT1; the blobs are those of MQOPEN and MQPUT one after the other."""
    od, object_string, selection, objects, md, pmo, body, records = blobs
    given = verbs_put.put1_options(pmo)
    if not _is_list(od):
        _refuse_records(pmo)
        plain = (od, object_string, selection, md, pmo, body)
        return verbs_put.put1(session, plain)
    fields = structure("MQPMO").decode(pmo, "put1")
    if fields["RecsPresent"] and (fields["ResponseRecOffset"] or fields["ResponseRecPtr"]):
        raise mqi_error(cmqc.MQRC_RESPONSE_RECORDS_ERROR, "put1", detail="MQOD holds them")
    options = cmqc.MQOO_OUTPUT | (given & _CONTEXT)
    opening = _opened_list(session, options, od, objects, selection)
    try:
        reply = _put_to_all(session, opening.opened, opening.outcomes, md, pmo, body, records)
    finally:
        for connection, handle in opening.opened.handles():
            connection.close(handle)
    md, pmo, records, responses = reply.blobs
    return reply._replace(blobs=(opening.od, md, pmo, b"", records, responses))


def _refuse_records(pmo: bytes) -> None:
    """Records are for distribution lists alone."""
    if pmo[128:132] not in _NO_RECORDS:
        raise mqi_error(cmqc.MQRC_RECS_PRESENT_ERROR, "put", detail="not a distribution list")


def _put_to_all(
    session: Session,
    opened: OpenObject,
    outcomes: list[DestinationOutcome],
    raw_md: bytes,
    pmo: bytes,
    body: bytes,
    records: bytes,
) -> CallReply:
    """Put to each queue that is open; one that cannot be put to keeps none of the others out.

    Each put is final of itself, or part of the unit of work, as its options say. Ids that are made
    come back in the MQPMRs; the MsgId of the MQMD stays as it was (IBM MQ documentation, "MQMD -
    MsgId"). In an MQRR of a queue that did not open stands MQRC_OPEN_FAILED, as the page of that
    reason has it; that of MQPMO.ResponseRecOffset has the reason of the open call.

    Args:
        outcomes: of each destination so far; what failed to open is left out.
    """
    layout = structure("MQPMO")
    fields = layout.decode(pmo, "put")
    structure("MQMD").version_of(raw_md, "put")
    each_record = PutMessageRecords(fields, records)
    given, one = unpack(raw_md), layout.patched(pmo, RecsPresent=0)
    is_new = bool(int(fields["Options"]) & cmqc.MQPMO_NEW_CORREL_ID)
    results = list(outcomes)
    first: MQMD | None = None
    for at, destination in enumerate(opened.destinations):
        if destination is None:
            continue
        md = each_record.applied(given, at)
        if first is not None and is_new:
            md = md._replace(correl_id=first.correl_id)  # one new CorrelId, the same for all
        try:
            reply = verbs_put.put_to(session, destination, pack(md), one, body)
        except MQIError as error:
            results[at] = DestinationOutcome(error.comp_code, error.reason)
            continue
        results[at] = DestinationOutcome(reply.comp_code, reply.reason)
        full = unpack(reply.blobs[0])
        each_record.put(full, at)
        if first is None:
            first = full
            options = int(fields["Options"]) & ~cmqc.MQPMO_NEW_CORREL_ID
            one = layout.patched(one, Options=options)
    if first is not None:
        back = _back(given, first, is_new_correl_id=is_new)
        if each_record.has_accounting_token:
            back = back._replace(accounting_token=given.accounting_token)
        raw_md = pack(back)
    pmo = layout.patched(pmo, **_counts(results, opened.destinations))
    comp_code, reason = summary(results)
    blobs = raw_md, pmo, bytes(each_record.data), _responses(results)
    return CallReply((), blobs, reason, comp_code)


def _back(given: MQMD, full: MQMD, *, is_new_correl_id: bool) -> MQMD:
    """The MQMD as it goes back: of a message that was put, less what may differ between queues."""
    return full._replace(
        msg_id=given.msg_id,
        correl_id=full.correl_id if is_new_correl_id else given.correl_id,
        group_id=given.group_id,
        feedback=given.feedback,
        priority=given.priority,
        persistence=given.persistence,
        expiry_tenths=given.expiry_tenths,
        version=given.version,
    )
