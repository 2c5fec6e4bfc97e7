"""What each MQRC_* reason code means, in our own words; read by `mq.code_texts` when asked.

Numbers and names: `mq.codes`. Reasons of events end in "(event)", those of calls that
ended with MQCC_WARNING in "(warning)".
"""

from __future__ import annotations

from typing import Final

MEANINGS: Final[dict[str, str]] = {
    "MQRC_NONE": "The call completed; there is nothing to report.",
    "MQRC_ALIAS_BASE_Q_TYPE_ERROR": (
        "The alias leads to an object of a type it may not name, such as another alias or a model "
        "queue."
    ),
    "MQRC_ALREADY_CONNECTED": (
        "The program is already connected to this queue manager; the existing handle is returned "
        "(warning)."
    ),
    "MQRC_BACKED_OUT": (
        "The queue manager rolled the unit of work back instead of committing it; nothing of it "
        "took effect."
    ),
    "MQRC_BUFFER_ERROR": "The buffer pointer given to the call is not usable.",
    "MQRC_BUFFER_LENGTH_ERROR": "BufferLength is negative or larger than the call allows.",
    "MQRC_CHAR_ATTR_LENGTH_ERROR": "The length given for character attributes is not valid.",
    "MQRC_CHAR_ATTRS_ERROR": "The area for character attributes is not usable.",
    "MQRC_CHAR_ATTRS_TOO_SHORT": (
        "The area for character attributes was too small; what fitted was returned (warning)."
    ),
    "MQRC_CONNECTION_BROKEN": (
        "The connection to the queue manager is gone. Handles are no longer valid and an open unit "
        "of work was or will be backed out."
    ),
    "MQRC_DATA_LENGTH_ERROR": (
        "The DataLength parameter is not usable; also a message longer than the channel or client "
        "may carry."
    ),
    "MQRC_DYNAMIC_Q_NAME_ERROR": (
        "The name asked for when a dynamic queue was to be made from a model is not valid."
    ),
    "MQRC_ENVIRONMENT_ERROR": (
        "The call or option cannot be used in the environment the program runs in."
    ),
    "MQRC_EXPIRY_ERROR": (
        "The lifetime is not valid: Expiry is 0 or negative other than -1, or above the maximum "
        "where that is enforced. A JMS send gets it too when its delivery delay exceeds the time "
        "to live or a CAPEXPRY on the way."
    ),
    "MQRC_FEEDBACK_ERROR": "Feedback holds a value that does not fit the message type.",
    "MQRC_GET_INHIBITED": (
        "Gets are disabled (GET(DISABLED)) on the queue or on the alias that was opened; browsing "
        "is refused as well."
    ),
    "MQRC_HANDLE_NOT_AVAILABLE": "The connection has as many open handles as MAXHANDS allows.",
    "MQRC_HCONN_ERROR": (
        "The connection handle is not valid: never connected, or disconnected since."
    ),
    "MQRC_HOBJ_ERROR": (
        "The object handle is not valid: never opened, closed since, or of another connection."
    ),
    "MQRC_INHIBIT_VALUE_ERROR": (
        "The value for inhibiting puts or gets is neither enabled nor disabled."
    ),
    "MQRC_INT_ATTR_COUNT_ERROR": (
        "The count of integer attributes is negative or not consistent with the selectors."
    ),
    "MQRC_INT_ATTR_COUNT_TOO_SMALL": (
        "There was no room for all integer attributes; what fitted was returned (warning)."
    ),
    "MQRC_INT_ATTRS_ARRAY_ERROR": "The array for integer attributes is not usable.",
    "MQRC_SYNCPOINT_LIMIT_REACHED": (
        "One more message would exceed MAXUMSGS, the number of uncommitted messages a unit of work "
        "may hold."
    ),
    "MQRC_MAX_CONNS_LIMIT_REACHED": "The queue manager takes no more connections.",
    "MQRC_MD_ERROR": (
        "The message descriptor is not valid: wrong StrucId, unknown version or unusable pointer."
    ),
    "MQRC_MISSING_REPLY_TO_Q": (
        "ReplyToQ is blank although the message is a request or asks for reports."
    ),
    "MQRC_MSG_TYPE_ERROR": (
        "MsgType is neither one of MQ's values nor in the range for applications."
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q": "The message is longer than MAXMSGL of the queue.",
    "MQRC_MSG_TOO_BIG_FOR_Q_MGR": "The message is longer than MAXMSGL of the queue manager.",
    "MQRC_NO_MSG_AVAILABLE": (
        "No message on the queue matches what was asked for, also after the wait interval. Expired "
        "and uncommitted messages count in CURDEPTH but are not returned."
    ),
    "MQRC_NO_MSG_UNDER_CURSOR": (
        "The browse cursor stands on no message, or the message it stood on was taken or has "
        "expired."
    ),
    "MQRC_NOT_AUTHORIZED": (
        "The user lacks an authority that the operation needs, or the connection was refused by "
        "security."
    ),
    "MQRC_NOT_OPEN_FOR_BROWSE": "The handle was opened without MQOO_BROWSE.",
    "MQRC_NOT_OPEN_FOR_INPUT": "The handle was opened without one of the MQOO_INPUT options.",
    "MQRC_NOT_OPEN_FOR_INQUIRE": "The handle was opened without MQOO_INQUIRE.",
    "MQRC_NOT_OPEN_FOR_OUTPUT": "The handle was opened without MQOO_OUTPUT.",
    "MQRC_NOT_OPEN_FOR_SET": "The handle was opened without MQOO_SET.",
    "MQRC_OBJECT_CHANGED": (
        "The definition of the object changed since it was opened, in a way that makes the handle "
        "unusable."
    ),
    "MQRC_OBJECT_IN_USE": (
        "The object is open with options that conflict: exclusive input, NOSHARE, or an "
        "administrative command while programs hold it."
    ),
    "MQRC_OBJECT_TYPE_ERROR": (
        "ObjectType in the object descriptor is not a type this call can open."
    ),
    "MQRC_OD_ERROR": (
        "The object descriptor is not valid: wrong StrucId, unknown version or unusable pointer."
    ),
    "MQRC_OPTION_NOT_VALID_FOR_TYPE": (
        "An option does not fit the type of the object, for example input from a remote queue."
    ),
    "MQRC_OPTIONS_ERROR": (
        "The options are unknown or contradict each other, for example browse-first with browse- "
        "next. A delayed JMS send gets it for a retained publication, a message group, or a "
        "clustered target that is not DEFBIND(NOTFIXED)."
    ),
    "MQRC_PERSISTENCE_ERROR": (
        "Persistence is none of not persistent, persistent and as-queue-default."
    ),
    "MQRC_PERSISTENT_NOT_ALLOWED": (
        "Persistent messages cannot be put here, for example to a temporary dynamic queue."
    ),
    "MQRC_PRIORITY_EXCEEDS_MAXIMUM": (
        "Priority is above MAXPRTY; the message was put and is treated as of the highest priority "
        "(warning)."
    ),
    "MQRC_PRIORITY_ERROR": "Priority is negative and not one of the special values.",
    "MQRC_PUT_INHIBITED": (
        "Puts are disabled (PUT(DISABLED)) on some object that the name leads through: alias, "
        "remote definition, base queue or transmission queue."
    ),
    "MQRC_Q_DELETED": "The queue was deleted while the program had it open.",
    "MQRC_Q_FULL": "The queue holds MAXDEPTH messages; expired and uncommitted ones count.",
    "MQRC_Q_NOT_EMPTY": (
        "The queue cannot be deleted or cleared because messages or uncommitted changes are on it."
    ),
    "MQRC_Q_SPACE_NOT_AVAILABLE": (
        "There is no room for the message data: MAXFSIZE of the queue file, the file system, or on "
        "z/OS the page set or structure is full."
    ),
    "MQRC_Q_TYPE_ERROR": "The queue is of a type that does not fit the operation.",
    "MQRC_Q_MGR_NAME_ERROR": (
        "There is no queue manager of that name here, or the name does not match the one connected "
        "to."
    ),
    "MQRC_Q_MGR_NOT_AVAILABLE": (
        "The queue manager is not running, is ending, or cannot be reached."
    ),
    "MQRC_REPORT_OPTIONS_ERROR": (
        "The Report field has bits set that the queue manager does not know and has to refuse."
    ),
    "MQRC_SECOND_MARK_NOT_ALLOWED": (
        "A second message was marked to skip backout in the same unit of work (z/OS)."
    ),
    "MQRC_SECURITY_ERROR": (
        "The security service failed, so that the authority could not be checked."
    ),
    "MQRC_TOKEN_TIMESTAMP_NOT_VALID": "The authentication token has expired or is not valid yet.",
    "MQRC_SELECTOR_COUNT_ERROR": "The number of attribute selectors is not valid.",
    "MQRC_SELECTOR_LIMIT_EXCEEDED": "More attribute selectors than the call takes.",
    "MQRC_SELECTOR_ERROR": "An attribute selector is unknown, or cannot be inquired or set.",
    "MQRC_SELECTOR_NOT_FOR_TYPE": (
        "One of the attributes does not apply to this type of object; the others were returned "
        "(warning)."
    ),
    "MQRC_SIGNAL_OUTSTANDING": "A signal is still outstanding on this handle.",
    "MQRC_SIGNAL_REQUEST_ACCEPTED": (
        "No message yet; the signal will be given when one arrives (warning)."
    ),
    "MQRC_STORAGE_NOT_AVAILABLE": "There is not enough memory to complete the call.",
    "MQRC_SYNCPOINT_NOT_AVAILABLE": (
        "Syncpoint cannot be used with this object or in this environment."
    ),
    "MQRC_TRIGGER_CONTROL_ERROR": "The value for trigger control is neither on nor off.",
    "MQRC_TRIGGER_DEPTH_ERROR": "The trigger depth is not above 0.",
    "MQRC_TRIGGER_MSG_PRIORITY_ERR": "The trigger message priority is not between 0 and MAXPRTY.",
    "MQRC_TRIGGER_TYPE_ERROR": "The trigger type is not one of the documented values.",
    "MQRC_TRUNCATED_MSG_ACCEPTED": (
        "The buffer was too small and the program accepts that: the rest of the message is lost, "
        "the message is off the queue (warning)."
    ),
    "MQRC_TRUNCATED_MSG_FAILED": (
        "The buffer was too small; the message stays on the queue and DataLength says how long it "
        "is (warning)."
    ),
    "MQRC_UNKNOWN_ALIAS_BASE_Q": "The queue or topic that the alias names does not exist.",
    "MQRC_UNKNOWN_OBJECT_NAME": (
        "No object of that name and type is known to the queue manager. Names are case-sensitive."
    ),
    "MQRC_UNKNOWN_OBJECT_Q_MGR": (
        "ObjectQMgrName is neither this queue manager nor a name it can route to."
    ),
    "MQRC_UNKNOWN_REMOTE_Q_MGR": (
        "The name leads to a remote queue manager for which there is no transmission queue or "
        "cluster route."
    ),
    "MQRC_WAIT_INTERVAL_ERROR": "WaitInterval is negative and not -1.",
    "MQRC_XMIT_Q_TYPE_ERROR": "The transmission queue named is not a local queue.",
    "MQRC_XMIT_Q_USAGE_ERROR": "The transmission queue named does not have USAGE(XMITQ).",
    "MQRC_NOT_OPEN_FOR_PASS_ALL": (
        "The put passes all context, but the queue was opened without MQOO_PASS_ALL_CONTEXT."
    ),
    "MQRC_NOT_OPEN_FOR_PASS_IDENT": (
        "The put passes identity context, but the queue was opened without that option."
    ),
    "MQRC_NOT_OPEN_FOR_SET_ALL": (
        "The put sets all context, but the queue was opened without MQOO_SET_ALL_CONTEXT."
    ),
    "MQRC_NOT_OPEN_FOR_SET_IDENT": (
        "The put sets identity context, but the queue was opened without that option."
    ),
    "MQRC_CONTEXT_HANDLE_ERROR": (
        "The handle that context is to be passed from is not an input queue that saves it."
    ),
    "MQRC_CONTEXT_NOT_AVAILABLE": (
        "No context was saved on that handle, because nothing was got with it yet or it was a "
        "browse."
    ),
    "MQRC_OBJECT_ALREADY_EXISTS": "The object to be made, usually a dynamic queue, exists already.",
    "MQRC_OBJECT_DAMAGED": "The file of the object is damaged and the object cannot be used.",
    "MQRC_RESOURCE_PROBLEM": "A resource of the system is used up: disk, handles, memory or logs.",
    "MQRC_ANOTHER_Q_MGR_CONNECTED": "The thread is already connected to a different queue manager.",
    "MQRC_UNKNOWN_REPORT_OPTION": (
        "The Report field has bits that are not known here; they were left alone and the message "
        "was put (warning)."
    ),
    "MQRC_STORAGE_CLASS_ERROR": "The storage class of the queue does not exist (z/OS).",
    "MQRC_SUPPRESSED_BY_EXIT": "An exit program suppressed the call or the message.",
    "MQRC_FORMAT_ERROR": (
        "The data could not be converted: Format names no conversion, or the data is not what "
        "Format says."
    ),
    "MQRC_SOURCE_CCSID_ERROR": (
        "The code page of the message is unknown or cannot be converted from (warning)."
    ),
    "MQRC_SOURCE_INTEGER_ENC_ERROR": "The integer encoding of the message is not known (warning).",
    "MQRC_SOURCE_DECIMAL_ENC_ERROR": "The decimal encoding of the message is not known (warning).",
    "MQRC_SOURCE_FLOAT_ENC_ERROR": (
        "The floating-point encoding of the message is not known (warning)."
    ),
    "MQRC_TARGET_CCSID_ERROR": (
        "The code page asked for is unknown or cannot be converted to (warning)."
    ),
    "MQRC_TARGET_INTEGER_ENC_ERROR": "The integer encoding asked for is not known (warning).",
    "MQRC_TARGET_DECIMAL_ENC_ERROR": "The decimal encoding asked for is not known (warning).",
    "MQRC_TARGET_FLOAT_ENC_ERROR": "The floating-point encoding asked for is not known (warning).",
    "MQRC_NOT_CONVERTED": "The message was returned as it was sent, not converted (warning).",
    "MQRC_CONVERTED_MSG_TOO_BIG": (
        "After conversion the data did not fit into the buffer; it was returned unconverted "
        "(warning)."
    ),
    "MQRC_NO_EXTERNAL_PARTICIPANTS": (
        "No resource manager but the queue manager takes part in the global unit of work (warning)."
    ),
    "MQRC_PARTICIPANT_NOT_AVAILABLE": (
        "A resource manager that should take part in the unit of work is not available."
    ),
    "MQRC_OUTCOME_MIXED": "Some participants committed and others rolled back.",
    "MQRC_OUTCOME_PENDING": "Some participants have not yet said how they ended.",
    "MQRC_BRIDGE_STARTED": "The IMS or CICS bridge has started (event).",
    "MQRC_BRIDGE_STOPPED": "The IMS or CICS bridge has stopped (event).",
    "MQRC_UOW_IN_PROGRESS": "A global unit of work was to begin while another is open.",
    "MQRC_DH_ERROR": "The distribution header in the data is not valid.",
    "MQRC_MULTIPLE_REASONS": (
        "Several destinations of a distribution list ended with different reasons; see the "
        "response records."
    ),
    "MQRC_OPEN_FAILED": "This destination of a distribution list could not be opened.",
    "MQRC_CNO_ERROR": "The connect options structure is not valid.",
    "MQRC_DLH_ERROR": "The dead-letter header (MQDLH) in front of the data is not valid.",
    "MQRC_HEADER_ERROR": (
        "An MQ header in the data is not valid: its length, version or what it says about the next "
        "part."
    ),
    "MQRC_INCOMPLETE_TRANSACTION": "The transaction of the bridge is not complete.",
    "MQRC_IIH_ERROR": "The IMS information header (MQIIH) in the data is not valid.",
    "MQRC_PCF_ERROR": "The data is not a valid PCF message.",
    "MQRC_DBCS_ERROR": "A double-byte string in the data is not valid.",
    "MQRC_OBJECT_NAME_ERROR": (
        "The object name is blank, or holds characters that are not allowed in names."
    ),
    "MQRC_OBJECT_Q_MGR_NAME_ERROR": (
        "The name of the queue manager in the object descriptor is not valid."
    ),
    "MQRC_Q_MGR_QUIESCING": (
        "The queue manager is ending in a controlled way and the program asked to be told."
    ),
    "MQRC_Q_MGR_STOPPING": "The queue manager is ending now.",
    "MQRC_PMO_ERROR": "The put message options are not valid.",
    "MQRC_API_EXIT_NOT_FOUND": "The API exit named in the configuration was not found.",
    "MQRC_API_EXIT_LOAD_ERROR": "The API exit could not be loaded.",
    "MQRC_REMOTE_Q_NAME_ERROR": "The remote queue definition has a blank or invalid RNAME.",
    "MQRC_INCONSISTENT_PERSISTENCE": (
        "The messages of one group or the segments of one message are not all persistent or all "
        "not."
    ),
    "MQRC_GMO_ERROR": "The get message options are not valid.",
    "MQRC_STOPPED_BY_CLUSTER_EXIT": "A cluster workload exit refused the call.",
    "MQRC_CLUSTER_RESOLUTION_ERROR": (
        "The cluster queue could not be resolved, because no full repository answered."
    ),
    "MQRC_CONVERTED_STRING_TOO_BIG": (
        "A converted string does not fit its field in a fixed structure."
    ),
    "MQRC_TMC_ERROR": "The character trigger message (MQTMC2) is not valid.",
    "MQRC_STORAGE_MEDIUM_FULL": "The page set or structure that holds the queue is full (z/OS).",
    "MQRC_PAGESET_ERROR": "A page set could not be used (z/OS).",
    "MQRC_NAME_NOT_VALID_FOR_TYPE": (
        "The name given does not fit the object type, for example a queue name with the queue "
        "manager type."
    ),
    "MQRC_UNEXPECTED_ERROR": (
        "The queue manager met an error it did not expect; its error log and FDC files say more."
    ),
    "MQRC_UNKNOWN_XMIT_Q": (
        "The transmission queue that the remote definition names does not exist."
    ),
    "MQRC_UNKNOWN_DEF_XMIT_Q": "The default transmission queue (DEFXMITQ) does not exist.",
    "MQRC_DEF_XMIT_Q_TYPE_ERROR": "The default transmission queue is not a local queue.",
    "MQRC_DEF_XMIT_Q_USAGE_ERROR": "The default transmission queue does not have USAGE(XMITQ).",
    "MQRC_MSG_MARKED_BROWSE_CO_OP": (
        "The message is marked as browsed by another of the co-operating handles."
    ),
    "MQRC_NAME_IN_USE": "The name of the dynamic queue is in use.",
    "MQRC_CONNECTION_QUIESCING": "The connection is being ended in a controlled way.",
    "MQRC_CONNECTION_STOPPING": "The connection is being ended now.",
    "MQRC_ADAPTER_NOT_AVAILABLE": "The adapter of the environment (CICS, IMS) is not available.",
    "MQRC_MSG_ID_ERROR": "A message could not be selected by this MsgId in this environment.",
    "MQRC_CORREL_ID_ERROR": "A message could not be selected by this CorrelId in this environment.",
    "MQRC_FILE_SYSTEM_ERROR": "A file could not be read or written.",
    "MQRC_NO_MSG_LOCKED": "Unlock was asked for, but this handle has no message locked.",
    "MQRC_CONNECTION_NOT_AUTHORIZED": "The connection is not authorised in this environment.",
    "MQRC_MSG_TOO_BIG_FOR_CHANNEL": "The message is longer than MAXMSGL of the channel.",
    "MQRC_CALL_IN_PROGRESS": "Another call is running on the same connection handle.",
    "MQRC_RMH_ERROR": "The reference message header is not valid.",
    "MQRC_Q_MGR_ACTIVE": "The queue manager has become active (event).",
    "MQRC_Q_MGR_NOT_ACTIVE": "The queue manager has ended or is not active (event).",
    "MQRC_Q_DEPTH_HIGH": "The depth reached the high limit, QDEPTHHI (event).",
    "MQRC_Q_DEPTH_LOW": "The depth fell to the low limit, QDEPTHLO (event).",
    "MQRC_Q_SERVICE_INTERVAL_HIGH": (
        "Nothing was got within the service interval although messages waited (event)."
    ),
    "MQRC_Q_SERVICE_INTERVAL_OK": "Messages are got within the service interval again (event).",
    "MQRC_RFH_HEADER_FIELD_ERROR": (
        "A field of the rules and formatting header has a value that is not allowed."
    ),
    "MQRC_UNIT_OF_WORK_NOT_STARTED": "No unit of work has been started.",
    "MQRC_CHANNEL_AUTO_DEF_OK": "A channel was defined automatically (event).",
    "MQRC_CHANNEL_AUTO_DEF_ERROR": "A channel could not be defined automatically (event).",
    "MQRC_CFH_ERROR": "The PCF header (MQCFH) is not valid.",
    "MQRC_CFIL_ERROR": "A PCF integer list (MQCFIL) is not valid.",
    "MQRC_CFIN_ERROR": "A PCF integer parameter (MQCFIN) is not valid.",
    "MQRC_CFSL_ERROR": "A PCF string list (MQCFSL) is not valid.",
    "MQRC_CFST_ERROR": "A PCF string parameter (MQCFST) is not valid.",
    "MQRC_INCOMPLETE_GROUP": "The operation leaves or found a message group that is not complete.",
    "MQRC_INCOMPLETE_MSG": (
        "The operation leaves or found a segmented message that is not complete."
    ),
    "MQRC_INCONSISTENT_CCSIDS": "The segments of one message are in different code pages.",
    "MQRC_INCONSISTENT_ENCODINGS": "The segments of one message have different encodings.",
    "MQRC_INCONSISTENT_UOW": (
        "Messages of one group were put partly inside and partly outside units of work."
    ),
    "MQRC_INVALID_MSG_UNDER_CURSOR": "The message under the cursor cannot be got in logical order.",
    "MQRC_MATCH_OPTIONS_ERROR": "The match options are not valid, or do not fit the other options.",
    "MQRC_MDE_ERROR": "The message descriptor extension (MQMDE) in the data is not valid.",
    "MQRC_MSG_FLAGS_ERROR": "MsgFlags has bits that are unknown or contradict each other.",
    "MQRC_MSG_SEQ_NUMBER_ERROR": "MsgSeqNumber is not between 1 and 999 999 999.",
    "MQRC_OFFSET_ERROR": "Offset of a segment is negative or does not fit.",
    "MQRC_ORIGINAL_LENGTH_ERROR": "OriginalLength does not fit the segment or report message.",
    "MQRC_SEGMENT_LENGTH_ZERO": "A segment that is not the last has no data.",
    "MQRC_UOW_NOT_AVAILABLE": (
        "No unit of work can be had for this operation, for example inside a group put without one."
    ),
    "MQRC_WRONG_GMO_VERSION": "An option needs a later version of the get message options.",
    "MQRC_WRONG_MD_VERSION": "A group or segment field needs version 2 of the message descriptor.",
    "MQRC_GROUP_ID_ERROR": "GroupId is not valid.",
    "MQRC_INCONSISTENT_BROWSE": (
        "A browse in logical order was mixed with other kinds of browse on the same handle."
    ),
    "MQRC_XQH_ERROR": "The transmission queue header (MQXQH) in the data is not valid.",
    "MQRC_SRC_ENV_ERROR": "The source environment data of a reference message is not valid.",
    "MQRC_DEST_ENV_ERROR": "The destination environment data of a reference message is not valid.",
    "MQRC_TM_ERROR": "The trigger message (MQTM) is not valid.",
    "MQRC_CLUSTER_EXIT_ERROR": "The cluster workload exit failed.",
    "MQRC_CLUSTER_PUT_INHIBITED": "Every instance of the cluster queue has puts disabled.",
    "MQRC_CLUSTER_RESOURCE_ERROR": (
        "A resource that clustering needs is missing, for example a SYSTEM.CLUSTER queue."
    ),
    "MQRC_NO_DESTINATIONS_AVAILABLE": "No instance of the cluster queue could be reached.",
    "MQRC_CONN_TAG_IN_USE": "The connection tag is in use by another connection.",
    "MQRC_PARTIALLY_CONVERTED": "Part of the message was converted and part was not (warning).",
    "MQRC_CONNECTION_ERROR": "The connection failed for a reason that has no code of its own.",
    "MQRC_OPTION_ENVIRONMENT_ERROR": "The option cannot be used in this environment.",
    "MQRC_CD_ERROR": "The channel definition given to the connect call is not valid.",
    "MQRC_CLIENT_CONN_ERROR": "The client connection structure is not valid.",
    "MQRC_CHANNEL_STOPPED_BY_USER": "An operator stopped the channel (event).",
    "MQRC_CHANNEL_STARTED": "A channel has started (event).",
    "MQRC_CHANNEL_STOPPED": "A channel has stopped (event).",
    "MQRC_CHANNEL_CONV_ERROR": "The channel could not convert a message (event).",
    "MQRC_UNKNOWN_ENTITY": "The user or group is not known to the security service.",
    "MQRC_FUNCTION_NOT_SUPPORTED": (
        "The queue manager does not know this function. A JMS client gets it for a delivery delay "
        "on a queue manager older than 8.0."
    ),
    "MQRC_PARAMETER_MISSING": "A parameter that the command needs is missing.",
    "MQRC_CMD_SERVER_NOT_AVAILABLE": (
        "The command server is not running, so that the command cannot be done."
    ),
    "MQRC_STRING_LENGTH_ERROR": "A string length is negative or too large.",
    "MQRC_INQUIRY_COMMAND_ERROR": "An inquiry was sent in a way that only serves other commands.",
    "MQRC_HBAG_ERROR": "The bag handle is not valid.",
    "MQRC_CODED_CHAR_SET_ID_ERROR": "The code page identifier is not valid.",
    "MQRC_MSG_TOKEN_ERROR": "The message token does not fit the options of the get.",
    "MQRC_MISSING_WIH": "The message for this queue needs a work information header (z/OS).",
    "MQRC_WIH_ERROR": "The work information header in the data is not valid.",
    "MQRC_RFH_ERROR": (
        "The MQRFH or MQRFH2 in the data is not valid: its length, version or folders."
    ),
    "MQRC_RFH_STRING_ERROR": (
        "The name-value string of the rules and formatting header is not valid."
    ),
    "MQRC_RFH_COMMAND_ERROR": "The rules and formatting header holds an unknown command.",
    "MQRC_RFH_PARM_ERROR": "A parameter in the rules and formatting header is not valid.",
    "MQRC_RFH_DUPLICATE_PARM": "A parameter stands twice in the rules and formatting header.",
    "MQRC_RFH_PARM_MISSING": "A parameter is missing from the rules and formatting header.",
    "MQRC_CHAR_CONVERSION_ERROR": "Characters could not be converted by the Java client.",
    "MQRC_UCS2_CONVERSION_ERROR": "Unicode characters could not be converted.",
    "MQRC_DB2_NOT_AVAILABLE": "Db2, which shared queues need, is not available (z/OS).",
    "MQRC_OBJECT_NOT_UNIQUE": "The name fits both a private and a shared object (z/OS).",
    "MQRC_CF_NOT_AVAILABLE": "The coupling facility is not available (z/OS).",
    "MQRC_CF_STRUC_IN_USE": "The coupling facility structure is in use (z/OS).",
    "MQRC_CF_STRUC_ERROR": "The coupling facility structure cannot be used (z/OS).",
    "MQRC_GLOBAL_UOW_CONFLICT": "The handle takes part in a different global unit of work.",
    "MQRC_LOCAL_UOW_CONFLICT": "A local unit of work is open where a global one was asked for.",
    "MQRC_HANDLE_IN_USE_FOR_UOW": "The handle is in use by another unit of work.",
    "MQRC_UOW_ENLISTMENT_ERROR": (
        "The queue manager could not be enlisted in the global unit of work."
    ),
    "MQRC_UOW_MIX_NOT_SUPPORTED": (
        "Local and global units of work were mixed in a way that is not supported."
    ),
    "MQRC_BACKOUT_THRESHOLD_REACHED": (
        "The message was rolled back as often as BOTHRESH says and no backout queue could take it. "
        "Only seen in MQDLH.Reason and in the Feedback of reports."
    ),
    "MQRC_MSG_NOT_MATCHED": (
        "No consumer of a JMS connection consumer wants the message. Only seen in MQDLH.Reason and "
        "in the Feedback of reports."
    ),
    "MQRC_JMS_FORMAT_ERROR": (
        "A JMS client cannot make sense of the message, usually its MQRFH2. Only seen in "
        "MQDLH.Reason and in the Feedback of reports."
    ),
    "MQRC_SEGMENTS_NOT_SUPPORTED": "Segments cannot be put to this queue.",
    "MQRC_CF_STRUC_FAILED": "The coupling facility structure has failed (z/OS).",
    "MQRC_API_EXIT_ERROR": "The API exit ended with an error.",
    "MQRC_KEY_REPOSITORY_ERROR": (
        "The TLS key repository cannot be opened, or its password is missing."
    ),
    "MQRC_CRYPTO_HARDWARE_ERROR": "The cryptographic hardware is not set up as configured.",
    "MQRC_AUTH_INFO_TYPE_ERROR": "The authentication information object is of the wrong type.",
    "MQRC_SSL_ALREADY_INITIALIZED": (
        "TLS was already set up in this process with other values (warning)."
    ),
    "MQRC_SSL_CONFIG_ERROR": "The TLS settings are incomplete or contradict each other.",
    "MQRC_SSL_INITIALIZATION_ERROR": (
        "TLS could not be set up: key repository, certificate, cipher or handshake."
    ),
    "MQRC_Q_INDEX_TYPE_ERROR": "The queue is not indexed as the get needs it (INDXTYPE, z/OS).",
    "MQRC_CFBS_ERROR": "A PCF byte string parameter (MQCFBS) is not valid.",
    "MQRC_SSL_NOT_ALLOWED": "TLS was asked for where it cannot be used.",
    "MQRC_JSSE_ERROR": "The Java TLS layer reported an error.",
    "MQRC_SSL_PEER_NAME_MISMATCH": "The certificate of the other end does not match SSLPEER.",
    "MQRC_SSL_PEER_NAME_ERROR": "The SSLPEER value is not valid.",
    "MQRC_UNSUPPORTED_CIPHER_SUITE": "The cipher suite is not supported by this Java runtime.",
    "MQRC_SSL_CERTIFICATE_REVOKED": "The certificate has been revoked.",
    "MQRC_SSL_CERT_STORE_ERROR": "The certificate revocation store could not be used.",
    "MQRC_CLIENT_EXIT_LOAD_ERROR": "An exit of the client channel could not be loaded.",
    "MQRC_CLIENT_EXIT_ERROR": "An exit of the client channel failed.",
    "MQRC_UOW_COMMITTED": "The unit of work was committed by the queue manager (event).",
    "MQRC_SSL_KEY_RESET_ERROR": "The TLS key reset count is not valid.",
    "MQRC_LOGGER_STATUS": "The logger moved to a new extent (event).",
    "MQRC_COMMAND_MQSC": "An MQSC command was issued (event).",
    "MQRC_COMMAND_PCF": "A PCF command was issued (event).",
    "MQRC_CFIF_ERROR": "A PCF integer filter (MQCFIF) is not valid.",
    "MQRC_CFSF_ERROR": "A PCF string filter (MQCFSF) is not valid.",
    "MQRC_CFGR_ERROR": "A PCF group (MQCFGR) is not valid.",
    "MQRC_MSG_NOT_ALLOWED_IN_GROUP": "This kind of message cannot be part of a group.",
    "MQRC_FILTER_OPERATOR_ERROR": "The operator of a filter is not valid.",
    "MQRC_EPH_ERROR": "The embedded PCF header (MQEPH) is not valid.",
    "MQRC_RFH_FORMAT_ERROR": "The text in an MQRFH2 folder is not well formed.",
    "MQRC_CFBF_ERROR": "A PCF byte string filter (MQCFBF) is not valid.",
    "MQRC_CLIENT_CHANNEL_CONFLICT": (
        "The channel was given both in the call and by a channel table."
    ),
    "MQRC_SD_ERROR": "The subscription descriptor is not valid.",
    "MQRC_TOPIC_STRING_ERROR": (
        "The topic string is not valid: too long, too many levels, or with wildcards where none "
        "may be."
    ),
    "MQRC_STS_ERROR": "The status structure is not valid.",
    "MQRC_NO_SUBSCRIPTION": (
        "No subscription of that name exists, or the request does not identify one."
    ),
    "MQRC_SUBSCRIPTION_IN_USE": "The subscription is open in another program.",
    "MQRC_STAT_TYPE_ERROR": "The type asked of the status call is not valid.",
    "MQRC_SUB_USER_DATA_ERROR": "The user data of the subscription is not valid.",
    "MQRC_SUB_ALREADY_EXISTS": "A subscription of that name exists already.",
    "MQRC_IDENTITY_MISMATCH": "Another user owns the subscription or asynchronous put.",
    "MQRC_ALTER_SUB_ERROR": "The subscription cannot be altered in this way.",
    "MQRC_DURABILITY_NOT_ALLOWED": (
        "The topic does not allow durable, or non-durable, subscriptions."
    ),
    "MQRC_NO_RETAINED_MSG": "The topic has no retained publication (warning).",
    "MQRC_SRO_ERROR": "The subscription request options are not valid.",
    "MQRC_SUB_NAME_ERROR": "The subscription name is missing or not valid.",
    "MQRC_OBJECT_STRING_ERROR": "The object string of the descriptor is not valid.",
    "MQRC_PROPERTY_NAME_ERROR": "The name of the message property is not valid.",
    "MQRC_SEGMENTATION_NOT_ALLOWED": "A message with properties cannot be segmented this way.",
    "MQRC_CBD_ERROR": "The callback descriptor is not valid.",
    "MQRC_CTLO_ERROR": "The control callback options are not valid.",
    "MQRC_NO_CALLBACKS_ACTIVE": "No callback is registered or all are suspended.",
    "MQRC_CALLBACK_NOT_REGISTERED": "No callback is registered for that handle.",
    "MQRC_OPTIONS_CHANGED": (
        "The reconnected or read-ahead handle no longer has the options it was opened with."
    ),
    "MQRC_READ_AHEAD_MSGS": "Messages are still in the read-ahead buffer of the client.",
    "MQRC_SELECTOR_SYNTAX_ERROR": "The selection string does not follow the syntax of selectors.",
    "MQRC_HMSG_ERROR": "The message handle is not valid.",
    "MQRC_PROPERTY_NAME_TOO_BIG": "The name of the property did not fit into the buffer (warning).",
    "MQRC_PROP_VALUE_NOT_CONVERTED": "The value of the property could not be converted (warning).",
    "MQRC_PROP_TYPE_NOT_SUPPORTED": "The property has a type that is not supported (warning).",
    "MQRC_PROPERTY_VALUE_TOO_BIG": "The value of the property did not fit into the buffer.",
    "MQRC_PROP_CONV_NOT_SUPPORTED": "The property cannot be converted to the type asked for.",
    "MQRC_PROPERTY_NOT_AVAILABLE": "The message has no such property, or no further one.",
    "MQRC_PROP_NUMBER_FORMAT_ERROR": "The value of the property is no number.",
    "MQRC_PROPERTY_TYPE_ERROR": "The type given for the property is not valid.",
    "MQRC_PROPERTIES_TOO_BIG": (
        "The properties are longer than MAXPROPL of the queue manager allows."
    ),
    "MQRC_PUT_NOT_RETAINED": "The publication was made but could not be retained (warning).",
    "MQRC_ALIAS_TARGTYPE_CHANGED": "The alias named a queue and now names a topic, or the reverse.",
    "MQRC_MAX_MSG_LENGTH_ERROR": "The maximum message length of the callback is not valid.",
    "MQRC_OPERATION_ERROR": "The operation asked of the control or callback call is not valid.",
    "MQRC_UNSUPPORTED_PROPERTY": "The property needs support that the queue manager does not have.",
    "MQRC_MSG_LENGTH_ERROR": "The message length is not valid.",
    "MQRC_GET_ENABLED": (
        "Gets were enabled again while a callback was waiting (told to the callback)."
    ),
    "MQRC_MODULE_NOT_FOUND": "The module of the callback was not found.",
    "MQRC_MIXED_CONTENT_NOT_ALLOWED": "An XML folder of the properties mixes text and elements.",
    "MQRC_MSG_HANDLE_IN_USE": "The message handle is in use by another call.",
    "MQRC_HCONN_ASYNC_ACTIVE": (
        "Callbacks are running on this connection, so that other calls are not taken."
    ),
    "MQRC_PUBLICATION_FAILURE": (
        "The publication was delivered to none of the subscribers it had to reach. A delayed JMS "
        "publication gets it where PMSGDLV or NPMSGDLV of the topic is not ALLAVAIL."
    ),
    "MQRC_SUB_INHIBITED": "Subscribing is disabled on the topic (SUB(DISABLED)).",
    "MQRC_SELECTOR_ALWAYS_FALSE": "The selection string can never be true.",
    "MQRC_DURABILITY_NOT_ALTERABLE": (
        "The durability of an existing subscription cannot be changed."
    ),
    "MQRC_TOPIC_NOT_ALTERABLE": "The topic of an existing subscription cannot be changed.",
    "MQRC_SUBLEVEL_NOT_ALTERABLE": "The level of an existing subscription cannot be changed.",
    "MQRC_PROPERTY_NAME_LENGTH_ERR": "The length of the property name is not valid.",
    "MQRC_DUPLICATE_GROUP_SUB": "A grouped subscription of another name covers this topic already.",
    "MQRC_GROUPING_NOT_ALTERABLE": "The grouping of an existing subscription cannot be changed.",
    "MQRC_HOBJ_QUIESCED": "The handle is quiesced; messages remain in the read-ahead buffer.",
    "MQRC_HOBJ_QUIESCED_NO_MSGS": "The handle is quiesced and no messages remain.",
    "MQRC_SELECTION_STRING_ERROR": (
        "The selection string is not valid: its pointer, length or code page."
    ),
    "MQRC_CONNECTION_SUSPENDED": "The connection is suspended because callbacks are suspended.",
    "MQRC_INVALID_DESTINATION": "The destination of the subscription is not valid.",
    "MQRC_INVALID_SUBSCRIPTION": "The subscription is not valid for this call.",
    "MQRC_SELECTOR_NOT_ALTERABLE": "The selector of an existing subscription cannot be changed.",
    "MQRC_RETAINED_MSG_Q_ERROR": "The queue that holds retained publications cannot be used.",
    "MQRC_RETAINED_NOT_DELIVERED": (
        "The retained publication could not be given to the new subscriber."
    ),
    "MQRC_CONNECTION_STOPPED": "The callbacks of the connection are stopped.",
    "MQRC_PUBSUB_INHIBITED": "Publish/subscribe is switched off (PSMODE).",
    "MQRC_OPERATION_NOT_ALLOWED": (
        "The call is not allowed at this point, for example inside a callback."
    ),
    "MQRC_CHANNEL_NOT_AVAILABLE": (
        "The channel is not available now: stopped, at its limit of instances, or the queue "
        "manager is not running."
    ),
    "MQRC_HOST_NOT_AVAILABLE": (
        "The host could not be reached: address, port, listener or firewall."
    ),
    "MQRC_CHANNEL_CONFIG_ERROR": (
        "Client and server channel do not fit: cipher, sharing, lengths or names."
    ),
    "MQRC_UNKNOWN_CHANNEL_NAME": (
        "The server-connection channel does not exist on the queue manager."
    ),
    "MQRC_LOOPING_PUBLICATION": "A publication has come back to where it was made.",
    "MQRC_STANDBY_Q_MGR": (
        "This is a standby instance of the queue manager, which takes no connections."
    ),
    "MQRC_RECONNECTING": "The client is connecting again on its own (event).",
    "MQRC_RECONNECTED": "The client has connected again on its own (event).",
    "MQRC_RECONNECT_QMID_MISMATCH": (
        "Reconnection reached a different queue manager from the one it has to be."
    ),
    "MQRC_RECONNECT_INCOMPATIBLE": "An option in use cannot be kept over a reconnection.",
    "MQRC_RECONNECT_FAILED": "The client could not connect again.",
    "MQRC_CALL_INTERRUPTED": (
        "The connection broke during the call; it is not known whether the operation took effect."
    ),
    "MQRC_NO_SUBS_MATCHED": "No subscription matched the publication (warning).",
    "MQRC_SELECTION_NOT_AVAILABLE": "Selection on message content is not possible here.",
    "MQRC_CHANNEL_SSL_WARNING": "A TLS channel reported a problem (event).",
    "MQRC_CONTENT_ERROR": "The content of the message could not be read to evaluate the selector.",
    "MQRC_RECONNECT_Q_MGR_REQD": "The option needs reconnection to the same queue manager.",
    "MQRC_RECONNECT_TIMED_OUT": "Reconnecting took longer than allowed.",
    "MQRC_PUBLISH_EXIT_ERROR": "The publish exit failed.",
    "MQRC_DEF_SYNCPOINT_INHIBITED": (
        "A call relied on the default for syncpoint, which is switched off."
    ),
    "MQRC_MULTICAST_ONLY": "The topic can be used by multicast only.",
    "MQRC_SYNCPOINT_NOT_ALLOWED": "The operation cannot be done under syncpoint.",
    "MQRC_CHANNEL_BLOCKED": (
        "A channel authentication record (CHLAUTH) or user list blocked the channel (event)."
    ),
    "MQRC_CHANNEL_BLOCKED_WARNING": (
        "A channel authentication record would block the channel if it were enforced (event)."
    ),
    "MQRC_INSTALLATION_MISMATCH": (
        "The program uses the libraries of another MQ installation than the queue manager."
    ),
    "MQRC_NOT_PRIVILEGED": "The user lacks the privilege that the function needs.",
    "MQRC_PROPERTIES_DISABLED": "Message properties are switched off.",
    "MQRC_INSTALLATION_MISSING": "The MQ installation that was asked for is not there.",
    "MQRC_FASTPATH_NOT_AVAILABLE": "A fast-path connection is not possible here.",
    "MQRC_CIPHER_SPEC_NOT_SUITE_B": "The cipher does not conform to Suite B.",
    "MQRC_SUITE_B_ERROR": "The Suite B settings are not valid.",
    "MQRC_CERT_VAL_POLICY_ERROR": "The certificate validation policy is not valid.",
    "MQRC_PASSWORD_PROTECTION_ERROR": "The password could not be protected as both ends require.",
    "MQRC_CSP_ERROR": (
        "The security parameters of the connect call (user and password) are not valid."
    ),
    "MQRC_CERT_LABEL_NOT_ALLOWED": "A certificate label is given where none may be.",
    "MQRC_ADMIN_TOPIC_STRING_ERROR": "The administrative topic string is not valid.",
    "MQRC_AMQP_NOT_AVAILABLE": "The AMQP service is not available.",
    "MQRC_CCDT_URL_ERROR": "The client channel table could not be read from its URL.",
    "MQRC_Q_MGR_RECONNECT_REQUESTED": (
        "The queue manager asked the client to connect elsewhere, to balance the load."
    ),
    "MQRC_BNO_ERROR": "The balancing options structure is not valid.",
    "MQRC_REOPEN_EXCL_INPUT_ERROR": (
        "A C++ program would have had to reopen a queue held for exclusive input."
    ),
    "MQRC_REOPEN_INQUIRE_ERROR": "A C++ program would have had to reopen an object to inquire it.",
    "MQRC_REOPEN_SAVED_CONTEXT_ERR": (
        "A C++ program would have had to reopen a queue and lose saved context."
    ),
    "MQRC_REOPEN_TEMPORARY_Q_ERROR": (
        "A C++ program would have had to reopen a temporary queue, which would delete it."
    ),
    "MQRC_STRUC_ID_ERROR": (
        "The StrucId at the data pointer is not that of the structure asked for."
    ),
    "MQRC_NOT_CONNECTED": "The operation needs a connection and there is none.",
    "MQRC_NOT_OPEN": "The operation needs an open object and it is not open.",
    "MQRC_INSUFFICIENT_DATA": "There is less data than the structure needs.",
}
