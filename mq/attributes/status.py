"""What DISPLAY QSTATUS, QMSTATUS, CONN and AUTHREC show, with the numbers of PCF.

Kinds: QSTATUS and QHANDLE for DISPLAY QSTATUS TYPE(QUEUE) and TYPE(HANDLE), QSTATS for RESET
QSTATS, QMSTATUS, CONN for
DISPLAY CONN TYPE(CONN), AUTHRECS for DISPLAY AUTHREC. Nothing here can be set.
Source: IBM MQ 9.4 "Inquire Queue Status", "Inquire Queue Manager Status", "Inquire Connection" and
"Inquire Authority Records" (Response). Selectors: MQ 10.0 header files.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.attribute import Attribute, ValueKind
from mqtriage.mq.attributes.others import APPLICATION_TYPES
from mqtriage.mq.attributes.pubsub import AUTHORITIES, AUTHREC_OBJECT_TYPES

_Q: Final = ("QSTATUS",)
_H: Final = ("QHANDLE",)
_S: Final = ("QSTATS",)
_M: Final = ("QMSTATUS",)
_C: Final = ("CONN",)
_R: Final = ("AUTHRECS",)
_INT: Final = ValueKind.INTEGER
_WORD: Final = ValueKind.WORD
_TEXT: Final = ValueKind.STRING
_WORDS: Final = ValueKind.WORDS
_LIST: Final = ValueKind.LIST

_NO_YES: Final = {"NO": 0, "YES": 1}
_INPUT: Final = {"NO": 0, "SHARED": 1, "EXCL": 2}
_MONITOR: Final = {"NONE": -1, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
_SERVICE: Final = {"STOPPED": 0, "STARTING": 1, "RUNNING": 2, "STOPPING": 3}

A = Attribute

# fmt: off
TABLES: Final[dict[str, tuple[Attribute, ...]]] = {
    "QSTATUS": (
        A("QUEUE", _TEXT, _Q, "MQCA_Q_NAME", 2016),
        A("TYPE", _WORD, _Q, "MQIACF_Q_STATUS_TYPE", 1103, words={"HANDLE": 1104, "QUEUE": 1105}),
        A("CURDEPTH", _INT, _Q, "MQIA_CURRENT_Q_DEPTH", 3),
        A("CURFSIZE", _INT, _Q, "MQIACF_CUR_Q_FILE_SIZE", 1437),
        A("CURMAXFS", _INT, _Q, "MQIACF_CUR_MAX_FILE_SIZE", 1438),
        A("IPPROCS", _INT, _Q, "MQIA_OPEN_INPUT_COUNT", 17),
        A("LGETDATE", _TEXT, _Q, "MQCACF_LAST_GET_DATE", 3130, max_length=12),
        A("LGETTIME", _TEXT, _Q, "MQCACF_LAST_GET_TIME", 3131, max_length=8),
        A("LPUTDATE", _TEXT, _Q, "MQCACF_LAST_PUT_DATE", 3128, max_length=12),
        A("LPUTTIME", _TEXT, _Q, "MQCACF_LAST_PUT_TIME", 3129, max_length=8),
        A("MEDIALOG", _TEXT, _Q, "MQCACF_MEDIA_LOG_EXTENT_NAME", 3073, max_length=24),
        A("MONQ", _WORD, _Q, "MQIA_MONITORING_Q", 123, words=_MONITOR),
        A("MSGAGE", _INT, _Q, "MQIACF_OLDEST_MSG_AGE", 1227, words={"": -1}),
        A("OPPROCS", _INT, _Q, "MQIA_OPEN_OUTPUT_COUNT", 18),
        A("QTIME", _WORDS, _Q, "MQIACF_Q_TIME_INDICATOR", 1226, words={"": -1, " ": -1}),
        A("UNCOM", _WORD, _Q, "MQIACF_UNCOMMITTED_MSGS", 1027, words=_NO_YES),
    ),
    "QHANDLE": (
        A("QUEUE", _TEXT, _H, "MQCA_Q_NAME", 2016),
        A("TYPE", _WORD, _H, "MQIACF_Q_STATUS_TYPE", 1103, words={"HANDLE": 1104, "QUEUE": 1105}),
        A("APPLDESC", _TEXT, _H, "MQCACF_APPL_DESC", 3174, max_length=64),
        A("APPLTAG", _TEXT, _H, "MQCACF_APPL_TAG", 3058, max_length=28),
        A("APPLTYPE", _INT, _H, "MQIA_APPL_TYPE", 1, words=APPLICATION_TYPES),
        A("BROWSE", _WORD, _H, "MQIACF_OPEN_BROWSE", 1102, words=_NO_YES),
        A("CHANNEL", _TEXT, _H, "MQCACH_CHANNEL_NAME", 3501, max_length=20),
        A("CONNAME", _TEXT, _H, "MQCACH_CONNECTION_NAME", 3506, max_length=264),
        A("ASTATE", _WORD, _H, "MQIACF_ASYNC_STATE", 1308, words={"NONE": 0}),
        A("HSTATE", _WORD, _H, "MQIACF_HANDLE_STATE", 1028, words={"INACTIVE": 0, "ACTIVE": 1}),
        A("INPUT", _WORD, _H, "MQIACF_OPEN_INPUT_TYPE", 1098, words=_INPUT),
        A("INQUIRE", _WORD, _H, "MQIACF_OPEN_INQUIRE", 1101, words=_NO_YES),
        A("OUTPUT", _WORD, _H, "MQIACF_OPEN_OUTPUT", 1099, words=_NO_YES),
        A("PID", _INT, _H, "MQIACF_PROCESS_ID", 1024, words={"": 0}),
        A("QMURID", _TEXT, _H, "MQBACF_Q_MGR_UOW_ID", 7009),
        A("SET", _WORD, _H, "MQIACF_OPEN_SET", 1100, words=_NO_YES),
        A("TID", _INT, _H, "MQIACF_THREAD_ID", 1025, words={"": 0}),
        A("URID", _TEXT, _H, "MQBACF_EXTERNAL_UOW_ID", 7005),
        A("URTYPE", _WORD, _H, "MQIACF_UOW_TYPE", 1132, words={"QMGR": 0}),
        A("USERID", _TEXT, _H, "MQCACF_USER_IDENTIFIER", 3025, max_length=64),
    ),
    "QSTATS": (
        A("QUEUE", _TEXT, _S, "MQCA_Q_NAME", 2016),
        A("RESETINT", _INT, _S, "MQIA_TIME_SINCE_RESET", 35),
        A("HIQDEPTH", _INT, _S, "MQIA_HIGH_Q_DEPTH", 36),
        A("MSGSIN", _INT, _S, "MQIA_MSG_ENQ_COUNT", 37),
        A("MSGSOUT", _INT, _S, "MQIA_MSG_DEQ_COUNT", 38),
    ),
    "QMSTATUS": (
        A("QMNAME", _TEXT, _M, "MQCA_Q_MGR_NAME", 2015),
        A("TYPE", _WORD, _M, words={"QMGR": 0}),
        A("STATUS", _WORD, _M, "MQIACF_Q_MGR_STATUS", 1149, words={"RUNNING": 2}),
        A("CHINIT", _WORD, _M, "MQIACF_CHINIT_STATUS", 1232, words=_SERVICE),
        A("CMDSERV", _WORD, _M, "MQIACF_CMD_SERVER_STATUS", 1233, words=_SERVICE),
        A("CONNS", _INT, _M, "MQIACF_CONNECTION_COUNT", 1230),
        A("STARTDA", _TEXT, _M, "MQCACF_Q_MGR_START_DATE", 3175, max_length=12),
        A("STARTTI", _TEXT, _M, "MQCACF_Q_MGR_START_TIME", 3176, max_length=8),
    ),
    "CONN": (
        A("CONN", _TEXT, _C, "MQBACF_CONNECTION_ID", 7006),
        A("EXTCONN", _TEXT, _C),
        A("TYPE", _WORD, _C, "MQIACF_CONN_INFO_TYPE", 1110, words={"CONN": 1111}),
        A("APPLDESC", _TEXT, _C, "MQCACF_APPL_DESC", 3174, max_length=64),
        A("APPLTAG", _TEXT, _C, "MQCACF_APPL_TAG", 3058, max_length=28),
        A("APPLTYPE", _INT, _C, "MQIA_APPL_TYPE", 1, words=APPLICATION_TYPES),
        A("CHANNEL", _TEXT, _C, "MQCACH_CHANNEL_NAME", 3501, max_length=20),
        A("CONNAME", _TEXT, _C, "MQCACH_CONNECTION_NAME", 3506, max_length=264),
        A("CONNOPTS", _LIST, _C),
        A("CONNTAG", _TEXT, _C, "MQBACF_CONN_TAG", 7038),
        A("PID", _INT, _C, "MQIACF_PROCESS_ID", 1024, words={"": 0}),
        A("TID", _INT, _C, "MQIACF_THREAD_ID", 1025, words={"": 0}),
        A("UOWSTATE", _WORD, _C, "MQIACF_UOW_STATE", 1128, words={"NONE": 0, "ACTIVE": 1}),
        A("URTYPE", _WORD, _C, "MQIACF_UOW_TYPE", 1132, words={"QMGR": 0}),
        A("USERID", _TEXT, _C, "MQCACF_USER_IDENTIFIER", 3025, max_length=64),
    ),
    "AUTHRECS": (
        A("PROFILE", _TEXT, _R, "MQCACF_AUTH_PROFILE_NAME", 3067),
        A("ENTITY", _TEXT, _R, "MQCACF_ENTITY_NAME", 3068, max_length=1024),
        A("ENTTYPE", _WORD, _R, "MQIACF_ENTITY_TYPE", 1118, words={"PRINCIPAL": 1, "GROUP": 2}),
        A("OBJTYPE", _WORD, _R, "MQIACF_OBJECT_TYPE", 1016, words=AUTHREC_OBJECT_TYPES),
        A("AUTHLIST", _WORDS, _R, "MQIACF_AUTHORIZATION_LIST", 1115, words=AUTHORITIES),
    ),
}
# fmt: on
