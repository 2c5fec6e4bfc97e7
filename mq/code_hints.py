"""What to do next about the codes that operators meet most; read by `mq.code_texts` when asked.

A command of ours stands in single quotes; a test holds each against the command tree.
"""

from __future__ import annotations

from typing import Final

HINTS: Final[dict[str, str]] = {
    "MQRC_ALIAS_BASE_Q_TYPE_ERROR": (
        "Point TARGET of the alias at a local or remote queue or a topic; see 'mqtriage queue show "
        "NAME'."
    ),
    "MQRC_BACKED_OUT": (
        "Nothing was changed. Look for the first failing call of the unit of work, mend that, and "
        "run again."
    ),
    "MQRC_CONNECTION_BROKEN": (
        "Connect again; the unit of work was backed out. 'mqtriage qmgr show' tells whether it "
        "answers."
    ),
    "MQRC_DYNAMIC_Q_NAME_ERROR": (
        "Give a valid DynamicQName: up to 48 characters, or up to 33 and a trailing '*'."
    ),
    "MQRC_EXPIRY_ERROR": (
        "Set Expiry above 0 or to -1; for a delayed send keep the delay within the time to live "
        "and CAPEXPRY. 'mqtriage expiry explain QUEUE' shows CAPEXPRY."
    ),
    "MQRC_GET_INHIBITED": (
        "ALTER QLOCAL(NAME) GET(ENABLED), on the alias too if one is used; 'mqtriage queue show "
        "NAME'."
    ),
    "MQRC_HANDLE_NOT_AVAILABLE": (
        "Close handles that are no longer used, or ALTER QMGR MAXHANDS(n)."
    ),
    "MQRC_HCONN_ERROR": "Connect again and use the new handle.",
    "MQRC_HOBJ_ERROR": "Open the queue again and use the new handle.",
    "MQRC_SYNCPOINT_LIMIT_REACHED": (
        "Commit in smaller batches ('--batch'), or ALTER QMGR MAXUMSGS(n)."
    ),
    "MQRC_MD_ERROR": (
        "Check StrucId and Version of the MQMD that the program builds; structure and library may "
        "be of different levels."
    ),
    "MQRC_MISSING_REPLY_TO_Q": (
        "Set ReplyToQ, or take the report options off; 'mqtriage msg show MSGID -q QUEUE' shows "
        "the Report field."
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q": (
        "ALTER QLOCAL(NAME) MAXMSGL(n), up to the queue manager's; for delayed messages see "
        "'mqtriage delay define -n'."
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q_MGR": (
        "ALTER QMGR MAXMSGL(n) and MAXMSGL of the queues and channels on the way."
    ),
    "MQRC_NO_MSG_AVAILABLE": (
        "Compare counted and visible messages with 'mqtriage expiry status NAME'; uncommitted, "
        "expired and not-matching messages are not returned."
    ),
    "MQRC_NO_MSG_UNDER_CURSOR": (
        "The message was taken or has expired since it was browsed: browse again from the front."
    ),
    "MQRC_NOT_AUTHORIZED": (
        "Ask which authority is missing: DISPLAY AUTHREC PROFILE(NAME) OBJTYPE(QUEUE), DISPLAY "
        "ENTAUTH, or the queue manager's error log."
    ),
    "MQRC_NOT_OPEN_FOR_BROWSE": (
        "A program has to open with MQOO_BROWSE to browse; 'mqtriage msg browse QUEUE' does."
    ),
    "MQRC_NOT_OPEN_FOR_INPUT": "Open the queue with one of the MQOO_INPUT options.",
    "MQRC_NOT_OPEN_FOR_INQUIRE": (
        "Open with MQOO_INQUIRE; a JMS reader needs inquire authority on the queue for poison "
        "handling."
    ),
    "MQRC_NOT_OPEN_FOR_OUTPUT": "Open the queue with MQOO_OUTPUT.",
    "MQRC_OBJECT_CHANGED": "Close the handle and open the queue again.",
    "MQRC_OBJECT_IN_USE": (
        "See who holds it: DISPLAY QSTATUS(NAME) TYPE(HANDLE) ALL. For emptying, 'mqtriage msg "
        "purge NAME' works beside other readers."
    ),
    "MQRC_OPTION_NOT_VALID_FOR_TYPE": "Check the type of the queue: 'mqtriage queue show NAME'.",
    "MQRC_OPTIONS_ERROR": (
        "Look for two options that exclude each other. For a delayed send: no group, no retained "
        "publication, DEFBIND(NOTFIXED) on a clustered target."
    ),
    "MQRC_PERSISTENT_NOT_ALLOWED": (
        "Put non-persistent messages, or use a permanent dynamic or predefined queue."
    ),
    "MQRC_PUT_INHIBITED": (
        "ALTER QLOCAL(NAME) PUT(ENABLED), also on an alias or transmission queue on the way; "
        "'mqtriage queue show NAME'."
    ),
    "MQRC_Q_DELETED": "Find out who deleted the queue, define it again, then open it again.",
    "MQRC_Q_FULL": (
        "Find out why nothing is read: 'mqtriage queue status NAME', 'mqtriage expiry status "
        "NAME'. Then 'mqtriage queue set NAME MAXDEPTH=n', or move messages with 'mqtriage msg "
        "requeue'."
    ),
    "MQRC_Q_NOT_EMPTY": (
        "Take the messages off with 'mqtriage msg purge NAME' and end open units of work, or "
        "DELETE QLOCAL(NAME) PURGE."
    ),
    "MQRC_Q_SPACE_NOT_AVAILABLE": (
        "Look at CURFSIZE and CURMAXFS: 'mqtriage queue status NAME'. Make room on the file system "
        "or ALTER QLOCAL(NAME) MAXFSIZE(n)."
    ),
    "MQRC_Q_TYPE_ERROR": "Check the type of the queue: 'mqtriage queue show NAME'.",
    "MQRC_Q_MGR_NAME_ERROR": (
        "Check the name, case included, in -m and MQTRIAGE_QMGR; dspmq and 'mqtriage emulator ls' "
        "show what exists."
    ),
    "MQRC_Q_MGR_NOT_AVAILABLE": ("Start it (strmqm, 'mqtriage emulator start') or its listener."),
    "MQRC_REPORT_OPTIONS_ERROR": "Take unknown bits out of the Report field.",
    "MQRC_SECURITY_ERROR": (
        "See the queue manager's error log; REFRESH SECURITY after a change to users or groups."
    ),
    "MQRC_TRUNCATED_MSG_ACCEPTED": "Read with a larger buffer: the rest of the message is lost.",
    "MQRC_TRUNCATED_MSG_FAILED": (
        "Read with a buffer of at least DataLength bytes; mqtriage grows its own."
    ),
    "MQRC_UNKNOWN_ALIAS_BASE_Q": (
        "Define the target or correct it: ALTER QALIAS(NAME) TARGET(QUEUE)."
    ),
    "MQRC_UNKNOWN_OBJECT_NAME": "Look for the name in its exact case: 'mqtriage queue ls'.",
    "MQRC_UNKNOWN_OBJECT_Q_MGR": (
        "Check ObjectQMgrName, remote definitions and cluster channels: DISPLAY CLUSQMGR(*)."
    ),
    "MQRC_UNKNOWN_REMOTE_Q_MGR": (
        "Define a transmission queue with the name of the remote queue manager, or DEFXMITQ."
    ),
    "MQRC_XMIT_Q_USAGE_ERROR": "ALTER QLOCAL(NAME) USAGE(XMITQ), or name another XMITQ.",
    "MQRC_NOT_OPEN_FOR_PASS_ALL": (
        "Open for output with MQOO_PASS_ALL_CONTEXT; for mqtriage grant passall or take the loss "
        "with '--context default'."
    ),
    "MQRC_NOT_OPEN_FOR_SET_ALL": (
        "Open for output with MQOO_SET_ALL_CONTEXT; for mqtriage grant setall or take the loss "
        "with '--context default'."
    ),
    "MQRC_OBJECT_DAMAGED": "Recover the object: rcrmqobj, or delete and define it again.",
    "MQRC_RESOURCE_PROBLEM": (
        "See the queue manager's error log for the resource: disk, file handles, memory."
    ),
    "MQRC_FORMAT_ERROR": (
        "Look at Format, CCSID and Encoding and at the first bytes: 'mqtriage msg show MSGID -q "
        "QUEUE --decode'."
    ),
    "MQRC_NOT_CONVERTED": (
        "Read without conversion, or correct the Format: 'mqtriage msg show MSGID -q QUEUE "
        "--decode'."
    ),
    "MQRC_DLH_ERROR": "Look at the bytes: 'mqtriage msg show MSGID -q QUEUE'.",
    "MQRC_OBJECT_NAME_ERROR": "Give 1 to 48 of A-Z a-z 0-9 . / _ %.",
    "MQRC_Q_MGR_QUIESCING": (
        "Stop now and connect again when the queue manager has been started again."
    ),
    "MQRC_Q_MGR_STOPPING": "Connect again when the queue manager has been started again.",
    "MQRC_STORAGE_MEDIUM_FULL": (
        "Enlarge the page set or structure, or take messages off; 'mqtriage queue status NAME'."
    ),
    "MQRC_UNEXPECTED_ERROR": (
        "See the queue manager's error log and its FDC files, then IBM support."
    ),
    "MQRC_UNKNOWN_XMIT_Q": (
        "Define the transmission queue, or correct XMITQ of the remote definition."
    ),
    "MQRC_UNKNOWN_DEF_XMIT_Q": "Define the queue that DEFXMITQ names, or ALTER QMGR DEFXMITQ(' ').",
    "MQRC_MSG_TOO_BIG_FOR_CHANNEL": "Raise MAXMSGL of the channel at both ends.",
    "MQRC_INCOMPLETE_GROUP": (
        "Get or put the rest of the group, or end it; 'mqtriage msg browse QUEUE --groupid ID'."
    ),
    "MQRC_CLUSTER_PUT_INHIBITED": "Enable puts on an instance: ALTER QLOCAL(NAME) PUT(ENABLED).",
    "MQRC_NO_DESTINATIONS_AVAILABLE": (
        "See whether instances and channels are there: DISPLAY QCLUSTER(NAME), DISPLAY CHSTATUS(*)."
    ),
    "MQRC_FUNCTION_NOT_SUPPORTED": (
        "A delivery delay needs a queue manager of 8.0 or later; 'mqtriage qmgr show' shows "
        "CMDLEVEL."
    ),
    "MQRC_RFH_ERROR": (
        "Look at the header: 'mqtriage msg show MSGID -q QUEUE'. Messages moved on keep "
        "it: '--headers strip' takes it off."
    ),
    "MQRC_BACKOUT_THRESHOLD_REACHED": (
        "Set both attributes: 'mqtriage backout set QUEUE --threshold N --boq NAME'; then "
        "'mqtriage dlq browse' and 'mqtriage msg requeue'."
    ),
    "MQRC_MSG_NOT_MATCHED": (
        "Check the selectors of the JMS consumers against the message: 'mqtriage dlq browse'."
    ),
    "MQRC_JMS_FORMAT_ERROR": (
        "Look at the MQRFH2: 'mqtriage msg show MSGID -q QUEUE'; correct the sender."
    ),
    "MQRC_ENVIRONMENT_ERROR": (
        "Check that library, bindings or client mode and queue manager belong together: "
        "'--transport client' asks for a client connection."
    ),
    "MQRC_MAX_CONNS_LIMIT_REACHED": (
        "End connections that are no longer used: DISPLAY CONN(*), DISPLAY CHSTATUS(*); or raise "
        "MAXINST of the channel."
    ),
    "MQRC_CONNECTION_QUIESCING": "Connect again when the queue manager has been started again.",
    "MQRC_CONNECTION_STOPPING": "Connect again when the queue manager has been started again.",
    "MQRC_CONNECTION_NOT_AUTHORIZED": (
        "Grant the user the right to connect: SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('USER') "
        "AUTHADD(CONNECT)."
    ),
    "MQRC_CLIENT_CONN_ERROR": (
        "Check connection and channel of the context, and MQSERVER where none is chosen."
    ),
    "MQRC_CMD_SERVER_NOT_AVAILABLE": (
        "Start the command server: START CMDSERV, or strmqcsv and the queue manager's name."
    ),
    "MQRC_SSL_CONFIG_ERROR": (
        "Give '--tls-keyrepo' where '--tls-cipher' is given, and the same CipherSpec as SSLCIPH "
        "of the channel."
    ),
    "MQRC_SSL_NOT_ALLOWED": "Leave '--tls-cipher' out: the channel uses no TLS.",
    "MQRC_SSL_PEER_NAME_MISMATCH": (
        "Compare '--tls-peer' with the subject of the queue manager's certificate."
    ),
    "MQRC_SSL_PEER_NAME_ERROR": "Write '--tls-peer' as a distinguished name: CN=qm1,O=Example.",
    "MQRC_UNSUPPORTED_CIPHER_SUITE": (
        "Give '--tls-cipher' the CipherSpec that SSLCIPH of the channel has."
    ),
    "MQRC_SSL_CERTIFICATE_REVOKED": "Have a new certificate issued for the end that was revoked.",
    "MQRC_CERT_LABEL_NOT_ALLOWED": (
        "Leave '--tls-label' out, or use a level of MQ and a CipherSpec that send it."
    ),
    "MQRC_CCDT_URL_ERROR": "Check that the file or URL of '--ccdt' can be read and is a CCDT.",
    "MQRC_KEY_REPOSITORY_ERROR": (
        "Check '--tls-keyrepo' of the client, SSLKEYR of the queue manager, and that the password "
        "stash file lies beside the key repository."
    ),
    "MQRC_SSL_INITIALIZATION_ERROR": (
        "Check the key repository, certificate label and cipher, then the queue manager's "
        "error log."
    ),
    "MQRC_JSSE_ERROR": "Check trust store, key store and cipher suite of the Java client.",
    "MQRC_NO_SUBSCRIPTION": "List what there is: DISPLAY SUB(*).",
    "MQRC_SUBSCRIPTION_IN_USE": "End the other program, or see DISPLAY CONN(*) for who holds it.",
    "MQRC_SELECTOR_SYNTAX_ERROR": (
        "Mend the selection string: text in 'quotes', ids as \"0x414D...\", fields as "
        "Root.MQMD.Format (IBM MQ documentation, Message selector syntax)."
    ),
    "MQRC_SELECTOR_ALWAYS_FALSE": "Name a property: this selection string never selects anything.",
    "MQRC_SELECTION_STRING_ERROR": "A selection string has at most 10,240 bytes.",
    "MQRC_PROPERTY_NOT_AVAILABLE": (
        "List the properties that are there: 'mqtriage msg show MSGID -q QUEUE'."
    ),
    "MQRC_PUBLICATION_FAILURE": (
        "For delayed publications set ALTER TOPIC(NAME) PMSGDLV(ALLAVAIL) NPMSGDLV(ALLAVAIL); "
        "otherwise look at the subscribers' queues."
    ),
    "MQRC_CHANNEL_NOT_AVAILABLE": (
        "DISPLAY CHSTATUS(NAME) and MAXINST of the channel; START CHANNEL(NAME) if it is stopped."
    ),
    "MQRC_HOST_NOT_AVAILABLE": (
        "Check host and port and that the listener runs: DISPLAY LSSTATUS(*)."
    ),
    "MQRC_CHANNEL_CONFIG_ERROR": (
        "Compare cipher, SHARECNV and MAXMSGL of client and server channel: DISPLAY CHANNEL(NAME)."
    ),
    "MQRC_UNKNOWN_CHANNEL_NAME": (
        "DEFINE CHANNEL(NAME) CHLTYPE(SVRCONN), or correct the name of the channel."
    ),
    "MQRC_STANDBY_Q_MGR": "Connect to the active instance; list both addresses in the context.",
    "MQRC_RECONNECT_FAILED": ("Check whether any instance is up."),
    "MQRC_CALL_INTERRUPTED": (
        "Find out whether the operation took effect before it is repeated: 'mqtriage msg count' on"
        " both queues."
    ),
    "MQRC_SELECTION_NOT_AVAILABLE": "Leave the selector away and select here: '--where'.",
    "MQRC_CHANNEL_BLOCKED": (
        "DISPLAY CHLAUTH(NAME) MATCH(RUNCHECK) with the address and user shows which record blocks "
        "it."
    ),
    "MQRC_PASSWORD_PROTECTION_ERROR": (
        "Use TLS on the channel, or set PasswordProtection alike at both ends."
    ),
    "MQRC_CSP_ERROR": ("Check the user and the password that were given."),
    "MQRCCF_COMMAND_FAILED": (
        "Read the reply before it, or run it again with '--verbose' for the reason of each call."
    ),
    "MQRCCF_NOT_AUTHORIZED": (
        "Grant the authority on the object: SET AUTHREC PROFILE(NAME) OBJTYPE(QUEUE) "
        "PRINCIPAL('USER') AUTHADD(...)."
    ),
    "MQRCCF_NONE_FOUND": "Check the pattern: 'mqtriage queue ls PATTERN'.",
    "MQRCCF_UNKNOWN_OBJECT_NAME": "Look for the name in its exact case: 'mqtriage queue ls'.",
    "MQRCCF_CUSTOM_ERROR": "Write CUSTOM as NAME(VALUE) pairs: CUSTOM('CAPEXPRY(1000)').",
    "MQRCCF_OBJECT_ALREADY_EXISTS": (
        "Use ALTER, or DEFINE with REPLACE; 'mqtriage queue show NAME'."
    ),
    "MQRCCF_OBJECT_OPEN": ("See who holds it: DISPLAY QSTATUS(NAME) TYPE(HANDLE) ALL."),
    "MQRCCF_ATTR_VALUE_ERROR": (
        "Check the range of the attribute; 'mqtriage queue set NAME ATTR=VALUE -n' says it."
    ),
    "MQRCCF_Q_WRONG_TYPE": "Check the type of the queue: 'mqtriage queue show NAME'.",
    "MQRCCF_Q_STATUS_NOT_FOUND": (
        "Open the queue, or ask for DISPLAY QLOCAL(NAME) instead; 'mqtriage queue status NAME'."
    ),
    "MQFB_EXPIRATION": (
        "See 'mqtriage msg show MSGID'; a report with full data holds the whole message."
    ),
    "MQFB_COA": "Nothing is to be done: it is a confirmation that the sender asked for.",
    "MQFB_COD": "Nothing is to be done: it is a confirmation that the sender asked for.",
    "MQFB_APPL_CANNOT_BE_STARTED": (
        "Check the process definition (DISPLAY PROCESS(NAME)) and that the program is there for "
        "the trigger monitor's user; then 'mqtriage msg requeue'."
    ),
    "MQFB_TM_ERROR": "Look at the MQTM: 'mqtriage msg show MSGID -q QUEUE'.",
    "MQFB_APPL_TYPE_ERROR": "Correct APPLTYPE: ALTER PROCESS(NAME) APPLTYPE(n).",
    "MQFB_XMIT_Q_MSG_ERROR": (
        "Only messages with an MQXQH belong on a transmission queue: 'mqtriage msg browse QUEUE'."
    ),
    "MQFB_NAN": "Look at the program that got the message; it refused it.",
    "MQFB_BIND_OPEN_CLUSRCVR_DEL": (
        "Put with BIND_NOT_FIXED, or put the message again: 'mqtriage msg requeue'."
    ),
}
