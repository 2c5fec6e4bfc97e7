"""The words for reason and feedback codes: what each means, and what to do next.

The tables are large, so nothing imports this module before a code is explained. They are keyed by
name, since 265 as a reason would be something else than as feedback.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq import codes
from mqtriage.mq.code_hints import HINTS
from mqtriage.mq.reason_texts import MEANINGS as REASON_MEANINGS

FEEDBACK_MEANINGS: Final[dict[str, str]] = {
    "MQFB_NONE": "No feedback is given.",
    "MQFB_QUIT": "The application that gets the message should end.",
    "MQFB_EXPIRATION": "The message was discarded because its lifetime was over before it was got.",
    "MQFB_COA": "The message has arrived on its destination queue.",
    "MQFB_COD": "The message has been got from its destination queue by an application.",
    "MQFB_CHANNEL_COMPLETED": "The channel ended normally.",
    "MQFB_CHANNEL_FAIL_RETRY": "The channel ended with an error and will try again.",
    "MQFB_CHANNEL_FAIL": "The channel ended with an error and will not try again.",
    "MQFB_APPL_CANNOT_BE_STARTED": (
        "The application named in a trigger message could not be started; the trigger monitor put "
        "the message on the dead-letter queue."
    ),
    "MQFB_TM_ERROR": "The trigger message is not valid, so the trigger monitor could not use it.",
    "MQFB_APPL_TYPE_ERROR": (
        "The application type in the process definition is not one the trigger monitor can start."
    ),
    "MQFB_STOPPED_BY_MSG_EXIT": "A message exit of the channel stopped the message.",
    "MQFB_ACTIVITY": "An activity report: it says what was done with the message on its way.",
    "MQFB_XMIT_Q_MSG_ERROR": (
        "A message on the transmission queue is not in the right form: its MQXQH is missing or "
        "damaged."
    ),
    "MQFB_PAN": "The application that got the message reports success.",
    "MQFB_NAN": "The application that got the message reports failure.",
    "MQFB_STOPPED_BY_CHAD_EXIT": "The channel auto-definition exit stopped the channel.",
    "MQFB_STOPPED_BY_PUBSUB_EXIT": "A publish/subscribe exit stopped the message.",
    "MQFB_NOT_A_REPOSITORY_MSG": (
        "A message that is no repository message was found on a cluster repository queue."
    ),
    "MQFB_BIND_OPEN_CLUSRCVR_DEL": (
        "The message was bound to one cluster instance, whose cluster-receiver channel is gone."
    ),
    "MQFB_MAX_ACTIVITIES": (
        "The message was discarded because it had passed through as many activities as allowed."
    ),
    "MQFB_NOT_FORWARDED": "The trace-route message was not forwarded.",
    "MQFB_NOT_DELIVERED": "The trace-route message was not put to its target queue.",
    "MQFB_UNSUPPORTED_FORWARDING": (
        "A forwarding option of the trace-route message is not supported."
    ),
    "MQFB_UNSUPPORTED_DELIVERY": "A delivery option of the trace-route message is not supported.",
    "MQFB_DATA_LENGTH_ZERO": "IMS bridge: a segment in the data has length 0.",
    "MQFB_DATA_LENGTH_NEGATIVE": "IMS bridge: a segment in the data has a negative length.",
    "MQFB_DATA_LENGTH_TOO_BIG": "IMS bridge: a segment length goes beyond the data.",
    "MQFB_BUFFER_OVERFLOW": "IMS bridge: the segment lengths together exceed the buffer.",
    "MQFB_LENGTH_OFF_BY_ONE": "IMS bridge: a segment length is one byte too long.",
    "MQFB_IIH_ERROR": "IMS bridge: the MQIIH in the message is not valid.",
    "MQFB_NOT_AUTHORIZED_FOR_IMS": "IMS bridge: the user is not authorised for the transaction.",
    "MQFB_DATA_LENGTH_TOO_SHORT": "IMS bridge: a segment length is too short for its length field.",
    "MQFB_IMS_ERROR": "IMS bridge: IMS ended with an error that was not expected.",
    "MQFB_CICS_INTERNAL_ERROR": "CICS bridge: an error inside the bridge.",
    "MQFB_CICS_NOT_AUTHORIZED": "CICS bridge: the user is not authorised.",
    "MQFB_CICS_BRIDGE_FAILURE": "CICS bridge: the bridge ended abnormally.",
    "MQFB_CICS_CORREL_ID_ERROR": "CICS bridge: CorrelId of the message is not valid.",
    "MQFB_CICS_CCSID_ERROR": "CICS bridge: the code page in the MQCIH is not valid.",
    "MQFB_CICS_ENCODING_ERROR": "CICS bridge: the encoding in the MQCIH is not valid.",
    "MQFB_CICS_CIH_ERROR": "CICS bridge: the MQCIH is not valid.",
    "MQFB_CICS_UOW_ERROR": "CICS bridge: the unit-of-work control in the MQCIH is not valid.",
    "MQFB_CICS_COMMAREA_ERROR": "CICS bridge: the data for the program is too long or not valid.",
    "MQFB_CICS_APPL_NOT_STARTED": "CICS bridge: the program or transaction was not started.",
    "MQFB_CICS_APPL_ABENDED": "CICS bridge: the program ended abnormally.",
    "MQFB_CICS_DLQ_ERROR": "CICS bridge: a message could not be put to the dead-letter queue.",
    "MQFB_CICS_UOW_BACKED_OUT": "CICS bridge: the unit of work was backed out.",
    "MQFB_PUBLICATIONS_ON_REQUEST": (
        "Publish/subscribe: the subscriber gets publications on request only."
    ),
    "MQFB_SUBSCRIBER_IS_PUBLISHER": (
        "Publish/subscribe: the subscriber made the publication and does not get its own."
    ),
    "MQFB_MSG_SCOPE_MISMATCH": (
        "Publish/subscribe: the scope of the message does not match the subscription."
    ),
    "MQFB_SELECTOR_MISMATCH": (
        "Publish/subscribe: the message does not match the selector of the subscription."
    ),
    "MQFB_NOT_A_GROUPUR_MSG": (
        "A message that does not belong there was found on the group unit of recovery queue."
    ),
}

COMMAND_MEANINGS: Final[dict[str, str]] = {
    "MQRCCF_CFH_TYPE_ERROR": "Type in the PCF header is not one the command server takes.",
    "MQRCCF_CFH_LENGTH_ERROR": "The length in the PCF header is not 36.",
    "MQRCCF_CFH_VERSION_ERROR": "The version in the PCF header does not fit the command.",
    "MQRCCF_CFH_MSG_SEQ_NUMBER_ERR": "The message sequence number in the PCF header is not 1.",
    "MQRCCF_CFH_CONTROL_ERROR": "Control in the PCF header is not LAST.",
    "MQRCCF_CFH_PARM_COUNT_ERROR": "The parameter count in the PCF header is wrong.",
    "MQRCCF_CFH_COMMAND_ERROR": "The command is not known to this queue manager.",
    "MQRCCF_COMMAND_FAILED": (
        "The command failed; an earlier reply, or the reason beside it, says why."
    ),
    "MQRCCF_CFIN_LENGTH_ERROR": "The length of an integer parameter is not 16.",
    "MQRCCF_CFST_LENGTH_ERROR": "The length of a string parameter is wrong.",
    "MQRCCF_CFST_STRING_LENGTH_ERR": "A string is longer than its attribute allows.",
    "MQRCCF_STRUCTURE_TYPE_ERROR": "A parameter structure has an unknown type.",
    "MQRCCF_CFIN_PARM_ID_ERROR": "An integer parameter is not valid for the command.",
    "MQRCCF_CFST_PARM_ID_ERROR": "A string parameter is not valid for the command.",
    "MQRCCF_MSG_LENGTH_ERROR": "The message is longer or shorter than its structures add up to.",
    "MQRCCF_CFIN_DUPLICATE_PARM": "An integer parameter was given twice.",
    "MQRCCF_CFST_DUPLICATE_PARM": "A string parameter was given twice.",
    "MQRCCF_PARM_COUNT_TOO_SMALL": "The command needs more parameters.",
    "MQRCCF_PARM_COUNT_TOO_BIG": "The command has more parameters than it takes.",
    "MQRCCF_Q_TYPE_ERROR": "The queue type is not valid for the command.",
    "MQRCCF_MD_FORMAT_ERROR": "The Format of the request is not MQADMIN.",
    "MQRCCF_REPLACE_VALUE_ERROR": "The value for replace is neither yes nor no.",
    "MQRCCF_PARM_SEQUENCE_ERROR": "The parameters are not in the order that the command needs.",
    "MQRCCF_PURGE_VALUE_ERROR": "The value for purge is neither yes nor no.",
    "MQRCCF_CHL_STATUS_NOT_FOUND": "No status exists for the channel.",
    "MQRCCF_ESCAPE_TYPE_ERROR": "The escape type is not MQSC.",
    "MQRCCF_NOT_AUTHORIZED": "The user lacks the authority that the command needs.",
    "MQRCCF_CFST_CONFLICTING_PARM": "A string parameter contradicts another one.",
    "MQRCCF_FILTER_ERROR": "The filter is not valid.",
    "MQRCCF_OBJECT_IN_USE": "The object is in use.",
    "MQRCCF_ENTITY_NAME_MISSING": "The command needs a user or group name.",
    "MQRCCF_AUTH_VALUE_ERROR": "An authority given is not valid for the object type.",
    "MQRCCF_AUTH_VALUE_MISSING": "The command names no authority.",
    "MQRCCF_NONE_FOUND": "Nothing matches the name or filter.",
    "MQRCCF_PARM_CONFLICT": "Two parameters contradict each other.",
    "MQRCCF_OBJECT_NAME_RESTRICTED": "The name is reserved for the queue manager.",
    "MQRCCF_Q_ATTR_CONFLICT": "The attributes given do not fit together on one queue.",
    "MQRCCF_PARM_MISSING": "A parameter that the command needs is missing.",
    "MQRCCF_PARM_VALUE_ERROR": "The value of a parameter is not valid.",
    "MQRCCF_CFIF_OPERATOR_ERROR": "The operator of an integer filter is not valid.",
    "MQRCCF_CFSF_OPERATOR_ERROR": "The operator of a string filter is not valid.",
    "MQRCCF_TOO_MANY_FILTERS": "More than one filter was given.",
    "MQRCCF_UNKNOWN_OBJECT_NAME": "An object that the command refers to does not exist.",
    "MQRCCF_CUSTOM_ERROR": "The text of CUSTOM does not follow its syntax.",
    "MQRCCF_STREAMQ_DEST_NOT_SUPP": (
        "The queue named by STREAMQ is of a type that cannot receive streamed messages."
    ),
    "MQRCCF_STREAMQ_DEST_CONFLICT": (
        "The queue named by STREAMQ streams itself, or is streamed to in a way that makes a chain."
    ),
    "MQRCCF_STREAMQ_NOT_SUPPORTED": "STREAMQ cannot be set on this queue.",
    "MQRCCF_STREAMQ_CONFLICT": "STREAMQ contradicts another attribute of the queue.",
    "MQRCCF_OBJECT_ALREADY_EXISTS": "An object of that name exists already.",
    "MQRCCF_OBJECT_WRONG_TYPE": "The object exists with another type.",
    "MQRCCF_LIKE_OBJECT_WRONG_TYPE": "The object to copy from is of another type.",
    "MQRCCF_OBJECT_OPEN": "The object is open in a program.",
    "MQRCCF_ATTR_VALUE_ERROR": "The value of an attribute is out of range.",
    "MQRCCF_UNKNOWN_Q_MGR": "The queue manager is not known.",
    "MQRCCF_Q_WRONG_TYPE": "The command does not fit the type of the queue.",
    "MQRCCF_OBJECT_NAME_ERROR": "The name is not valid for an object.",
    "MQRCCF_HOST_NOT_AVAILABLE": "The host of the channel could not be reached.",
    "MQRCCF_CHANNEL_IN_USE": "The channel is running.",
    "MQRCCF_CHANNEL_NOT_FOUND": "The channel does not exist.",
    "MQRCCF_Q_STATUS_NOT_FOUND": (
        "No status exists for the queue, for example because nobody has it open."
    ),
}


def meaning_of_reason(number: int) -> str:
    """What a reason code means; "" when we have no words for it."""
    if codes.MQRC_APPL_FIRST <= number <= codes.MQRC_APPL_LAST:
        return "A reason of an application or exit, not of MQ: ask those who wrote it."
    name = codes.name_of_reason(number)
    return REASON_MEANINGS.get(name) or COMMAND_MEANINGS.get(name, "")


def meaning_of_feedback(number: int) -> str:
    """What a feedback code means; a reason code in Feedback has the reason's meaning."""
    name = codes.feedback_names().get(number)
    if name is not None:
        return FEEDBACK_MEANINGS.get(name, "")
    if codes.MQFB_IMS_FIRST <= number <= codes.MQFB_IMS_LAST:
        return f"IMS bridge: IMS sense code {number - codes.MQFB_IMS_ERROR}."
    if codes.MQFB_IMS_NACK_1A_REASON_FIRST <= number <= codes.MQFB_IMS_NACK_1A_REASON_LAST:
        nack = number - codes.MQFB_IMS_NACK_1A_REASON_FIRST
        return f"IMS bridge: IMS refused the message with sense code 001A, reason {nack}."
    if codes.MQFB_APPL_FIRST <= number <= codes.MQFB_APPL_LAST:
        return "Feedback of an application, not of MQ: ask those who wrote it."
    return meaning_of_reason(number)


def hint_for_reason(number: int) -> str:
    """What to do next about a reason code; "" when there is nothing to advise."""
    return HINTS.get(codes.name_of_reason(number), "")


def hint_for_feedback(number: int) -> str:
    """What to do next about a feedback code; "" when there is nothing to advise."""
    return HINTS.get(codes.name_of_feedback(number), "")
