"""The attributes of queues: QLOCAL, QMODEL, QALIAS and QREMOTE, in the order DISPLAY prints them.

Selectors: MQ 10.0 header files (checked against the `ibmmq` wheel). Keywords, ranges and defaults:
IBM MQ 9.4 "DEFINE queues" and its syntax diagrams. Order: a 7.5 DISPLAY QUEUE listing up to
USAGE; attributes that are newer than 7.5 stand where the alphabet puts them (not seen in a
listing). The order of RQMNAME before RNAME is not seen in a listing either.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.attribute import Attribute, ValueKind

_ALL: Final = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")
_LMA: Final = ("QLOCAL", "QMODEL", "QALIAS")
_LAR: Final = ("QLOCAL", "QALIAS", "QREMOTE")
_LM: Final = ("QLOCAL", "QMODEL")
_L: Final = ("QLOCAL",)
_A: Final = ("QALIAS",)
_R: Final = ("QREMOTE",)

_INT: Final = ValueKind.INTEGER
_WORD: Final = ValueKind.WORD
_FLAG: Final = ValueKind.FLAG
_NAME: Final = ValueKind.NAME
_TEXT: Final = ValueKind.STRING

_NO_YES: Final = {"NO": 0, "YES": 1}
_ON: Final = {"DISABLED": 0, "ENABLED": 1}
_INHIBIT: Final = {"ENABLED": 0, "DISABLED": 1}
_MONITOR: Final = {"QMGR": -3, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
_COLLECT: Final = {"QMGR": -3, "OFF": 0, "ON": 1}
_FLAG_NUMBERS: Final = {"NO": 0, "YES": 1}
_Q_TYPE: Final = {"QLOCAL": 1, "QMODEL": 2, "QALIAS": 3, "QREMOTE": 6, "QCLUSTER": 7}
_QSGDISP: Final = {"QMGR": 0, "COPY": 1, "SHARED": 2, "GROUP": 3, "PRIVATE": 4}

A = Attribute

# fmt: off
IDENTITY: Final = (
    A("QUEUE", _NAME, _ALL, "MQCA_Q_NAME", 2016, "QName", read_only=True),
    A("TYPE", _WORD, _ALL, "MQIA_Q_TYPE", 20, "QType", words=_Q_TYPE, read_only=True),
)

QUEUE_ATTRIBUTES: Final = (
    A("ACCTQ", _WORD, _LM, "MQIA_ACCOUNTING_Q", 134, "QueueAccounting", words=_COLLECT,
      default="QMGR"),
    A("ALTDATE", _TEXT, _ALL, "MQCA_ALTERATION_DATE", 2027, "AlterationDate", max_length=12,
      read_only=True),
    A("ALTTIME", _TEXT, _ALL, "MQCA_ALTERATION_TIME", 2028, "AlterationTime", max_length=8,
      read_only=True),
    A("BOQNAME", _NAME, _LM, "MQCA_BACKOUT_REQ_Q_NAME", 2019, "BackoutRequeueName", default=""),
    A("BOTHRESH", _INT, _LM, "MQIA_BACKOUT_THRESHOLD", 22, "BackoutThreshold", default=0,
      unit="rollbacks"),
    A("CAPEXPRY", _INT, _ALL, "MQIA_CAP_EXPIRY", 276, "CapExpiry", minimum=1,
      words={"NOLIMIT": -1}, default="NOLIMIT", unit="tenths of a second"),
    A("CFSTRUCT", _NAME, _LM, "MQCA_CF_STRUC_NAME", 2039, "CFStructure", max_length=12,
      default="", only="zos"),
    A("CLUSNL", _NAME, _LAR, "MQCA_CLUSTER_NAMELIST", 2030, "ClusterNamelist", default=""),
    A("CLUSTER", _NAME, _LAR, "MQCA_CLUSTER_NAME", 2029, "ClusterName", default=""),
    A("CLCHNAME", _TEXT, _LM, "MQCA_CLUS_CHL_NAME", 2124, "ClusterChannelName", max_length=20,
      default=""),
    A("CLWLPRTY", _INT, _LAR, "MQIA_CLWL_Q_PRIORITY", 96, "CLWLQueuePriority", maximum=9,
      default=0),
    A("CLWLRANK", _INT, _LAR, "MQIA_CLWL_Q_RANK", 95, "CLWLQueueRank", maximum=9, default=0),
    A("CLWLUSEQ", _WORD, _L, "MQIA_CLWL_USEQ", 98, "CLWLUseQ",
      words={"QMGR": -3, "LOCAL": 0, "ANY": 1}, default="QMGR"),
    A("CRDATE", _TEXT, _LM, "MQCA_CREATION_DATE", 2004, "CreationDate", max_length=12,
      read_only=True),
    A("CRTIME", _TEXT, _LM, "MQCA_CREATION_TIME", 2005, "CreationTime", max_length=8,
      read_only=True),
    A("CURDEPTH", _INT, _L, "MQIA_CURRENT_Q_DEPTH", 3, "CurrentQDepth", read_only=True,
      unit="messages"),
    A("CUSTOM", _TEXT, _ALL, "MQCA_CUSTOM", 2119, "Custom", max_length=128, default=""),
    A("DEFBIND", _WORD, _LAR, "MQIA_DEF_BIND", 61, "DefBind",
      words={"OPEN": 0, "NOTFIXED": 1, "GROUP": 2}, default="OPEN"),
    A("DEFPRTY", _INT, _ALL, "MQIA_DEF_PRIORITY", 6, "DefPriority", maximum=9, default=0),
    A("DEFPSIST", _WORD, _ALL, "MQIA_DEF_PERSISTENCE", 5, "DefPersistence", words=_NO_YES,
      default="NO"),
    A("DEFPRESP", _WORD, _ALL, "MQIA_DEF_PUT_RESPONSE_TYPE", 184, "DefaultPutResponse",
      words={"SYNC": 1, "ASYNC": 2}, default="SYNC"),
    A("DEFREADA", _WORD, _LMA, "MQIA_DEF_READ_AHEAD", 188, "DefReadAhead",
      words={"NO": 0, "YES": 1, "DISABLED": 2}, default="NO"),
    A("DEFSOPT", _WORD, _LM, "MQIA_DEF_INPUT_OPEN_OPTION", 4, "DefInputOpenOption",
      words={"SHARED": 2, "EXCL": 4}, default="SHARED", zos_default="EXCL"),
    A("DEFTYPE", _WORD, _LM, "MQIA_DEFINITION_TYPE", 7, "DefinitionType",
      words={"PREDEFINED": 1, "PERMDYN": 2, "TEMPDYN": 3, "SHAREDYN": 4}, default="PREDEFINED"),
    A("DESCR", _TEXT, _ALL, "MQCA_Q_DESC", 2013, "QDesc", max_length=64, default=""),
    A("DISTL", _WORD, _LM, "MQIA_DIST_LISTS", 34, "DistLists", words=_NO_YES, default="NO",
      only="dist"),
    A("GET", _WORD, _LMA, "MQIA_INHIBIT_GET", 9, "InhibitGet", words=_INHIBIT,
      default="ENABLED"),
    A("HARDENBO", _FLAG, _LM, "MQIA_HARDEN_GET_BACKOUT", 8, "HardenGetBackout",
      words=_FLAG_NUMBERS, default="YES", zos_default="NO"),
    A("IMGRCOVQ", _WORD, _LM, "MQIA_MEDIA_IMAGE_RECOVER_Q", 272, "ImageRecoverQueue",
      words={"NO": 0, "YES": 1, "QMGR": 2}, default="QMGR", only="dist"),
    A("INDXTYPE", _WORD, _LM, "MQIA_INDEX_TYPE", 57, "IndexType",
      words={"NONE": 0, "MSGID": 1, "CORRELID": 2, "MSGTOKEN": 4, "GROUPID": 5},
      default="NONE", only="zos"),
    A("INITQ", _NAME, _LM, "MQCA_INITIATION_Q_NAME", 2008, "InitiationQName", default=""),
    A("IPPROCS", _INT, _L, "MQIA_OPEN_INPUT_COUNT", 17, "OpenInputCount", read_only=True),
    A("MAXDEPTH", _INT, _LM, "MQIA_MAX_Q_DEPTH", 15, "MaxQDepth", default=5000,
      zos_default=999_999_999, unit="messages"),
    A("MAXFSIZE", _INT, _LM, "MQIA_MAX_Q_FILE_SIZE", 274, "MaxQFileSize", minimum=20,
      maximum=267_386_880, words={"DEFAULT": -1}, default="DEFAULT", only="dist", unit="MB"),
    A("MAXMSGL", _INT, _LM, "MQIA_MAX_MSG_LENGTH", 13, "MaxMsgLength", maximum=104_857_600,
      default=4_194_304, unit="bytes"),
    A("MONQ", _WORD, _LM, "MQIA_MONITORING_Q", 123, "QueueMonitoring", words=_MONITOR,
      default="QMGR"),
    A("MSGDLVSQ", _WORD, _LM, "MQIA_MSG_DELIVERY_SEQUENCE", 16, "MsgDeliverySequence",
      words={"PRIORITY": 0, "FIFO": 1}, default="PRIORITY"),
    A("TRIGGER", _FLAG, _LM, "MQIA_TRIGGER_CONTROL", 24, "TriggerControl",
      words=_FLAG_NUMBERS, default="NO"),
    A("NPMCLASS", _WORD, _LM, "MQIA_NPM_CLASS", 78, "NonPersistentMessageClass",
      words={"NORMAL": 0, "HIGH": 10}, default="NORMAL", only="dist"),
    A("OPPROCS", _INT, _L, "MQIA_OPEN_OUTPUT_COUNT", 18, "OpenOutputCount", read_only=True),
    A("OTELPCTL", _WORD, _ALL, "MQIA_OTEL_PROPAGATION_CONTROL", 279, "OTELPropagationControl",
      words={"QMGR": 0, "MANUAL": 1, "AUTO": 2}, default="QMGR", only="zos", sure=False),
    A("OTELTRAC", _WORD, _ALL, "MQIA_OTEL_TRACE", 278, "OTELTrace",
      words={"QMGR": 0, "OFF": 1, "ON": 2}, default="QMGR", only="zos", sure=False),
    A("PROCESS", _NAME, _LM, "MQCA_PROCESS_NAME", 2012, "ProcessName", default=""),
    A("PUT", _WORD, _ALL, "MQIA_INHIBIT_PUT", 10, "InhibitPut", words=_INHIBIT,
      default="ENABLED"),
    A("PROPCTL", _WORD, _LMA, "MQIA_PROPERTY_CONTROL", 190, "PropertyControl",
      words={"COMPAT": 0, "NONE": 1, "ALL": 2, "FORCE": 3, "V6COMPAT": 4}, default="COMPAT"),
    A("QDEPTHHI", _INT, _LM, "MQIA_Q_DEPTH_HIGH_LIMIT", 40, "QDepthHighLimit", maximum=100,
      default=80, unit="percent of MAXDEPTH"),
    A("QDEPTHLO", _INT, _LM, "MQIA_Q_DEPTH_LOW_LIMIT", 41, "QDepthLowLimit", maximum=100,
      default=20, zos_default=40, unit="percent of MAXDEPTH"),
    A("QDPHIEV", _WORD, _LM, "MQIA_Q_DEPTH_HIGH_EVENT", 43, "QDepthHighEvent", words=_ON,
      default="DISABLED"),
    A("QDPLOEV", _WORD, _LM, "MQIA_Q_DEPTH_LOW_EVENT", 44, "QDepthLowEvent", words=_ON,
      default="DISABLED"),
    A("QDPMAXEV", _WORD, _LM, "MQIA_Q_DEPTH_MAX_EVENT", 42, "QDepthMaxEvent", words=_ON,
      default="ENABLED"),
    A("QSGDISP", _WORD, _ALL, "MQIA_QSG_DISP", 63, "QSGDisposition", words=_QSGDISP,
      default="QMGR", only="zos"),
    A("QSVCIEV", _WORD, _LM, "MQIA_Q_SERVICE_INTERVAL_EVENT", 46, "QServiceIntervalEvent",
      words={"NONE": 0, "HIGH": 1, "OK": 2}, default="NONE"),
    A("QSVCINT", _INT, _LM, "MQIA_Q_SERVICE_INTERVAL", 54, "QServiceInterval",
      default=999_999_999, unit="milliseconds"),
    A("RETINTVL", _INT, _LM, "MQIA_RETENTION_INTERVAL", 21, "RetentionInterval",
      default=999_999_999, unit="hours"),
    A("RQMNAME", _NAME, _R, "MQCA_REMOTE_Q_MGR_NAME", 2017, "RemoteQMgrName", default=""),
    A("RNAME", _NAME, _R, "MQCA_REMOTE_Q_NAME", 2018, "RemoteQName", default=""),
    A("SCOPE", _WORD, _LAR, "MQIA_SCOPE", 45, "Scope", words={"QMGR": 1, "CELL": 2},
      default="QMGR", only="dist"),
    A("SHARE", _FLAG, _LM, "MQIA_SHAREABILITY", 23, "Shareability", words=_FLAG_NUMBERS,
      default="YES", zos_default="NO"),
    A("STATQ", _WORD, _LM, "MQIA_STATISTICS_Q", 128, "QueueStatistics", words=_COLLECT,
      default="QMGR"),
    A("STGCLASS", _NAME, _LM, "MQCA_STORAGE_CLASS", 2022, "StorageClass", max_length=8,
      default="DEFAULT", only="zos"),
    A("STREAMQ", _NAME, _LM, "MQCA_STREAM_QUEUE_NAME", 2138, "StreamQueue", default=""),
    A("STRMQOS", _WORD, _LM, "MQIA_STREAM_QUEUE_QOS", 275, "StreamQueueQoS",
      words={"BESTEF": 0, "MUSTDUP": 1}, default="BESTEF"),
    A("TARGET", _NAME, _A, "MQCA_BASE_OBJECT_NAME", 2002, "BaseObjectName", default=""),
    A("TARGTYPE", _WORD, _A, "MQIA_BASE_TYPE", 193, "TargetType",
      words={"QUEUE": 1, "TOPIC": 8}, default="QUEUE"),
    A("TPIPE", _TEXT, _L, "MQCA_TPIPE_NAME", 2085, "TpipeNames", max_length=8, read_only=True,
      only="zos"),
    A("TRIGDATA", _TEXT, _LM, "MQCA_TRIGGER_DATA", 2023, "TriggerData", max_length=64,
      default=""),
    A("TRIGDPTH", _INT, _LM, "MQIA_TRIGGER_DEPTH", 29, "TriggerDepth", minimum=1, default=1,
      unit="messages"),
    A("TRIGMPRI", _INT, _LM, "MQIA_TRIGGER_MSG_PRIORITY", 26, "TriggerMsgPriority", maximum=9,
      default=0),
    A("TRIGTYPE", _WORD, _LM, "MQIA_TRIGGER_TYPE", 28, "TriggerType",
      words={"NONE": 0, "FIRST": 1, "EVERY": 2, "DEPTH": 3}, default="FIRST"),
    A("USAGE", _WORD, _LM, "MQIA_USAGE", 12, "Usage", words={"NORMAL": 0, "XMITQ": 1},
      default="NORMAL"),
    A("XMITQ", _NAME, _R, "MQCA_XMIT_Q_NAME", 2024, "XmitQName", default=""),
)
# fmt: on

MODEL_DEFAULTS: Final = {"DEFTYPE": "TEMPDYN"}
"""Where a model queue's default is not the local queue's."""
