"""The attributes of channels and listeners.

Keywords, words and defaults: IBM MQ 9.4 and 10.0 "DEFINE CHANNEL" syntax diagrams and its table of
parameters by channel type. Selectors: MQ 10.0 header files. Which channel type takes which keyword
is told as a note, not as an error.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.attribute import CHANNEL_TYPES, Attribute, ValueKind

_C: Final = ("CHANNEL",)
_LSTR: Final = ("LISTENER",)
_INT: Final = ValueKind.INTEGER
_WORD: Final = ValueKind.WORD
_NAME: Final = ValueKind.NAME
_TEXT: Final = ValueKind.STRING
_WORDS: Final = ValueKind.WORDS
_LIST: Final = ValueKind.LIST

_NO_YES: Final = {"NO": 0, "YES": 1}
_LEVELS: Final = {"QMGR": -3, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
_MSG_COMPRESSION: Final = {
    "NONE": 0, "RLE": 1, "ZLIBFAST": 2, "ZLIBHIGH": 4, "SYSTEM": 8, "LZ4FAST": 16, "LZ4HIGH": 32,
    "ANY": 268_435_455,
}  # fmt: skip
_TRPTYPE: Final = {"LU62": 1, "TCP": 2, "NETBIOS": 3, "SPX": 4}
_CONTROL: Final = {"QMGR": 0, "STARTONLY": 1, "MANUAL": 2}
CHANNEL_TYPE_NUMBERS: Final = {
    "SDR": 1, "SVR": 2, "RCVR": 3, "RQSTR": 4, "CLNTCONN": 6, "SVRCONN": 7, "CLUSRCVR": 8,
    "CLUSSDR": 9, "MQTT": 10, "AMQP": 11,
}  # fmt: skip

_SENDERS: Final = ("SDR", "SVR", "CLUSSDR", "CLUSRCVR")
_MESSAGE: Final = ("SDR", "SVR", "RCVR", "RQSTR", "CLUSSDR", "CLUSRCVR")
_MQI: Final = ("CLNTCONN", "SVRCONN")
_MCA: Final = (*_MESSAGE, *_MQI)
_CALLERS: Final = ("SDR", "SVR", "RQSTR", "CLNTCONN", "CLUSSDR", "CLUSRCVR")
_RETRY: Final = ("RCVR", "RQSTR", "CLUSRCVR")
_CLUSTER: Final = ("CLUSSDR", "CLUSRCVR")
_ALL: Final = CHANNEL_TYPES

A = Attribute

# fmt: off
CHANNEL_ATTRIBUTES: Final = (
    A("CHLTYPE", _WORD, _C, "MQIACH_CHANNEL_TYPE", 1511, "ChannelType",
      words=CHANNEL_TYPE_NUMBERS),
    A("AFFINITY", _WORD, _C, "MQIACH_CONNECTION_AFFINITY", 1621, "ConnectionAffinity",
      words={"NONE": 0, "PREFERRED": 1}, default="PREFERRED", channel_types=("CLNTCONN",)),
    A("ALTDATE", _TEXT, _C, "MQCA_ALTERATION_DATE", 2027, "AlterationDate", max_length=12,
      read_only=True),
    A("ALTTIME", _TEXT, _C, "MQCA_ALTERATION_TIME", 2028, "AlterationTime", max_length=8,
      read_only=True),
    A("AMQPKA", _INT, _C, "MQIACH_AMQP_KEEP_ALIVE", 1644, "AMQPKeepAlive", maximum=99_999,
      words={"AUTO": -1}, default="AUTO", channel_types=("AMQP",), sure=False),
    A("BACKLOG", _INT, _C, "MQIACH_BACKLOG", 1602, "Backlog", channel_types=("MQTT",),
      sure=False),
    A("BATCHHB", _INT, _C, "MQIACH_BATCH_HB", 1567, "BatchHeartbeat", maximum=999_999,
      default=0, channel_types=_SENDERS, unit="milliseconds"),
    A("BATCHINT", _INT, _C, "MQIACH_BATCH_INTERVAL", 1564, "BatchInterval", default=0,
      channel_types=_SENDERS, unit="milliseconds"),
    A("BATCHLIM", _INT, _C, "MQIACH_BATCH_DATA_LIMIT", 1624, "BatchDataLimit",
      maximum=999_999, default=5000, channel_types=_SENDERS, unit="KB"),
    A("BATCHSZ", _INT, _C, "MQIACH_BATCH_SIZE", 1502, "BatchSize", minimum=1, maximum=9999,
      default=50, channel_types=_MESSAGE, unit="messages"),
    A("CERTLABL", _TEXT, _C, "MQCA_CERT_LABEL", 2121, "CertificateLabel", max_length=64,
      default=""),
    A("CLNTWGHT", _INT, _C, "MQIACH_CLIENT_CHANNEL_WEIGHT", 1620, "ClientChannelWeight",
      maximum=99, default=0, channel_types=("CLNTCONN",)),
    A("CLUSNL", _NAME, _C, "MQCA_CLUSTER_NAMELIST", 2030, "ClusterNamelist", default="",
      channel_types=_CLUSTER),
    A("CLUSTER", _NAME, _C, "MQCA_CLUSTER_NAME", 2029, "ClusterName", default="",
      channel_types=_CLUSTER),
    A("CLWLPRTY", _INT, _C, "MQIACH_CLWL_CHANNEL_PRIORITY", 1578, "CLWLChannelPriority",
      maximum=9, default=0, channel_types=_CLUSTER),
    A("CLWLRANK", _INT, _C, "MQIACH_CLWL_CHANNEL_RANK", 1577, "CLWLChannelRank", maximum=9,
      default=0, channel_types=_CLUSTER),
    A("CLWLWGHT", _INT, _C, "MQIACH_CLWL_CHANNEL_WEIGHT", 1579, "CLWLChannelWeight",
      minimum=1, maximum=99, default=50, channel_types=_CLUSTER),
    A("COMPHDR", _WORDS, _C, "MQIACH_HDR_COMPRESSION", 1575, "HeaderCompression",
      words={"NONE": 0, "SYSTEM": 8}, default="NONE", channel_types=_MCA),
    A("COMPMSG", _WORDS, _C, "MQIACH_MSG_COMPRESSION", 1576, "MessageCompression",
      words=_MSG_COMPRESSION, default="NONE", channel_types=_MCA),
    A("CONNAME", _TEXT, _C, "MQCACH_CONNECTION_NAME", 3506, "ConnectionName", max_length=264,
      default="", channel_types=_CALLERS),
    A("CONVERT", _WORD, _C, "MQIACH_DATA_CONVERSION", 1515, "DataConversion", words=_NO_YES,
      default="NO", channel_types=_SENDERS),
    A("DEFCDISP", _WORD, _C, "MQIACH_DEF_CHANNEL_DISP", 1614, "DefaultChannelDisposition",
      words={"SHARED": 2, "PRIVATE": 4, "FIXSHARED": 5}, default="PRIVATE", only="zos",
      sure=False),
    A("DEFRECON", _WORD, _C, "MQIACH_DEF_RECONNECT", 1640, "DefReconnect",
      words={"NO": 0, "YES": 1, "QMGR": 2, "DISABLED": 3}, default="NO",
      channel_types=("CLNTCONN",)),
    A("DESCR", _TEXT, _C, "MQCACH_DESC", 3502, "ChannelDesc", max_length=64, default=""),
    A("DISCINT", _INT, _C, "MQIACH_DISC_INTERVAL", 1503, "DiscInterval", maximum=999_999,
      default=6000, channel_types=(*_SENDERS, "SVRCONN"), unit="seconds"),
    A("HBINT", _INT, _C, "MQIACH_HB_INTERVAL", 1563, "HeartbeatInterval", maximum=999_999,
      default=300, channel_types=_MCA, unit="seconds"),
    A("JAASCFG", _TEXT, _C, "MQCACH_JAAS_CONFIG", 3563, "JAASConfig", max_length=1024,
      channel_types=("MQTT",)),
    A("KAINT", _INT, _C, "MQIACH_KEEP_ALIVE_INTERVAL", 1566, "KeepAliveInterval",
      maximum=99_999, words={"AUTO": -1}, default="AUTO", channel_types=_MCA,
      unit="seconds"),
    A("LOCLADDR", _TEXT, _C, "MQCACH_LOCAL_ADDRESS", 3520, "LocalAddress", max_length=48,
      default="", channel_types=(*_CALLERS, "AMQP", "MQTT")),
    A("LONGRTY", _INT, _C, "MQIACH_LONG_RETRY", 1507, "LongRetryCount", default=999_999_999,
      channel_types=_SENDERS),
    A("LONGTMR", _INT, _C, "MQIACH_LONG_TIMER", 1506, "LongRetryInterval", default=1200,
      channel_types=_SENDERS, unit="seconds"),
    A("MAXINST", _INT, _C, "MQIACH_MAX_INSTANCES", 1618, "MaxInstances",
      default=999_999_999, channel_types=("SVRCONN", "AMQP")),
    A("MAXINSTC", _INT, _C, "MQIACH_MAX_INSTS_PER_CLIENT", 1619, "MaxInstancesPerClient",
      default=999_999_999, channel_types=("SVRCONN",)),
    A("MAXMSGL", _INT, _C, "MQIACH_MAX_MSG_LENGTH", 1510, "MaxMsgLength",
      maximum=104_857_600, default=4_194_304, channel_types=(*_MCA, "AMQP"), unit="bytes"),
    A("MCANAME", _TEXT, _C, "MQCACH_MCA_NAME", 3507, "MCAName", max_length=20, default="",
      channel_types=("SDR", "SVR", "RQSTR", "CLUSSDR", "CLUSRCVR")),
    A("MCATYPE", _WORD, _C, "MQIACH_MCA_TYPE", 1517, "MCAType",
      words={"PROCESS": 1, "THREAD": 2}, default="PROCESS",
      channel_types=("SDR", "SVR", "RQSTR", "CLUSSDR", "CLUSRCVR")),
    A("MCAUSER", _TEXT, _C, "MQCACH_MCA_USER_ID", 3527, "MCAUserIdentifier",
      max_length=1024, default=""),
    A("MODENAME", _TEXT, _C, "MQCACH_MODE_NAME", 3503, "ModeName", max_length=8, default="",
      channel_types=_CALLERS),
    A("MONCHL", _WORD, _C, "MQIA_MONITORING_CHANNEL", 122, "ChannelMonitoring",
      words=_LEVELS, default="QMGR", channel_types=(*_MESSAGE, "SVRCONN")),
    A("MRDATA", _TEXT, _C, "MQCACH_MR_EXIT_USER_DATA", 3535, "MsgRetryUserData",
      max_length=32, default="", channel_types=_RETRY),
    A("MREXIT", _TEXT, _C, "MQCACH_MR_EXIT_NAME", 3534, "MsgRetryExit", max_length=128,
      default="", channel_types=_RETRY),
    A("MRRTY", _INT, _C, "MQIACH_MR_COUNT", 1544, "MsgRetryCount", default=10,
      channel_types=_RETRY),
    A("MRTMR", _INT, _C, "MQIACH_MR_INTERVAL", 1545, "MsgRetryInterval", default=1000,
      channel_types=_RETRY, unit="milliseconds"),
    A("MSGDATA", _LIST, _C, "MQCACH_MSG_EXIT_USER_DATA", 3514, "MsgUserData", max_length=32,
      default="", channel_types=_MESSAGE),
    A("MSGEXIT", _LIST, _C, "MQCACH_MSG_EXIT_NAME", 3509, "MsgExit", max_length=128,
      default="", channel_types=_MESSAGE),
    A("NETPRTY", _INT, _C, "MQIACH_NETWORK_PRIORITY", 1565, "NetworkPriority", maximum=9,
      default=0, channel_types=("CLUSRCVR",)),
    A("NPMSPEED", _WORD, _C, "MQIACH_NPM_SPEED", 1562, "NonPersistentMsgSpeed",
      words={"NORMAL": 1, "FAST": 2}, default="FAST", channel_types=_MESSAGE),
    A("PASSWORD", _TEXT, _C, "MQCACH_PASSWORD", 3518, "Password", max_length=12, default="",
      channel_types=_CALLERS, sure=False),
    A("PORT", _INT, _C, "MQIACH_PORT_NUMBER", 1574, "PortNumber", maximum=65_535,
      channel_types=("AMQP", "MQTT")),
    A("PROPCTL", _WORD, _C, "MQIA_PROPERTY_CONTROL", 190, "PropertyControl",
      words={"COMPAT": 0, "NONE": 1, "ALL": 2, "V6COMPAT": 4}, default="COMPAT",
      channel_types=_SENDERS),
    A("PROTOCOL", _WORDS, _C, "MQIACH_PROTOCOL", 1643, "Protocol",
      words={"MQTTV3": 1, "HTTP": 2, "AMQP": 3, "MQTTV311": 4}, channel_types=("MQTT",),
      sure=False),
    A("PUTAUT", _WORD, _C, "MQIACH_PUT_AUTHORITY", 1508, "PutAuthority",
      words={"DEF": 1, "CTX": 2, "ONLYMCA": 3, "ALTMCA": 4}, default="DEF",
      channel_types=("RCVR", "RQSTR", "SVRCONN", "CLUSRCVR")),
    A("QMNAME", _TEXT, _C, "MQCA_Q_MGR_NAME", 2015, "QMgrName", default="",
      channel_types=("CLNTCONN",)),
    A("QSGDISP", _WORD, _C, "MQIA_QSG_DISP", 63, "QSGDisposition",
      words={"QMGR": 0, "COPY": 1, "GROUP": 3, "PRIVATE": 4, "LIVE": 6}, default="QMGR",
      only="zos"),
    A("RCVDATA", _LIST, _C, "MQCACH_RCV_EXIT_USER_DATA", 3516, "ReceiveUserData",
      max_length=32, default="", channel_types=_MCA),
    A("RCVEXIT", _LIST, _C, "MQCACH_RCV_EXIT_NAME", 3511, "ReceiveExit", max_length=128,
      default="", channel_types=_MCA),
    A("SCYDATA", _TEXT, _C, "MQCACH_SEC_EXIT_USER_DATA", 3513, "SecurityUserData",
      max_length=32, default="", channel_types=_MCA),
    A("SCYEXIT", _TEXT, _C, "MQCACH_SEC_EXIT_NAME", 3508, "SecurityExit", max_length=128,
      default="", channel_types=_MCA),
    A("SENDDATA", _LIST, _C, "MQCACH_SEND_EXIT_USER_DATA", 3515, "SendUserData",
      max_length=32, default="", channel_types=_MCA),
    A("SENDEXIT", _LIST, _C, "MQCACH_SEND_EXIT_NAME", 3510, "SendExit", max_length=128,
      default="", channel_types=_MCA),
    A("SEQWRAP", _INT, _C, "MQIACH_SEQUENCE_NUMBER_WRAP", 1509, "SeqNumberWrap", minimum=100,
      default=999_999_999, channel_types=_MESSAGE),
    A("SHARECNV", _INT, _C, "MQIACH_SHARING_CONVERSATIONS", 1615, "SharingConversations",
      default=10, channel_types=_MQI),
    A("SHORTRTY", _INT, _C, "MQIACH_SHORT_RETRY", 1505, "ShortRetryCount", default=10,
      channel_types=_SENDERS),
    A("SHORTTMR", _INT, _C, "MQIACH_SHORT_TIMER", 1504, "ShortRetryInterval", default=60,
      channel_types=_SENDERS, unit="seconds"),
    A("SPLPROT", _WORD, _C, "MQIACH_SPL_PROTECTION", 1646, "SPLProtection",
      words={"PASSTHRU": 0, "REMOVE": 1, "ASPOLICY": 2}, default="PASSTHRU",
      channel_types=("SDR", "SVR", "RCVR", "RQSTR"), sure=False),
    A("SSLCAUTH", _WORD, _C, "MQIACH_SSL_CLIENT_AUTH", 1568, "SSLClientAuth",
      words={"REQUIRED": 0, "OPTIONAL": 1, "NEVER": 2}, default="REQUIRED",
      channel_types=("SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSRCVR", "AMQP", "MQTT")),
    A("SSLCIPH", _TEXT, _C, "MQCACH_SSL_CIPHER_SPEC", 3544, "SSLCipherSpec", max_length=256,
      default="", sure=False),
    A("SSLKEYP", _TEXT, _C, "MQCACH_SSL_KEY_PASSPHRASE", 3565, "SSLPassPhrase",
      max_length=1024, channel_types=("MQTT",)),
    A("SSLKEYR", _TEXT, _C, "MQCA_SSL_KEY_REPOSITORY", 2049, "SSLKeyRepository",
      max_length=256, channel_types=("MQTT",)),
    A("SSLPEER", _TEXT, _C, "MQCACH_SSL_PEER_NAME", 3545, "SSLPeerName", max_length=1024,
      default=""),
    A("STATCHL", _WORD, _C, "MQIA_STATISTICS_CHANNEL", 129, "ChannelStatistics",
      words=_LEVELS, default="QMGR", channel_types=_MESSAGE),
    A("TMPMODEL", _NAME, _C, "MQCACH_TEMPORARY_MODEL_Q", 3572, "TemporaryModelQ",
      channel_types=("AMQP",)),
    A("TMPQPRFX", _TEXT, _C, "MQCACH_TEMPORARY_Q_PREFIX", 3573, "TemporaryQPrefix",
      max_length=32, channel_types=("AMQP",)),
    A("TPNAME", _TEXT, _C, "MQCACH_TP_NAME", 3504, "TpName", max_length=64, default="",
      channel_types=_CALLERS),
    A("TPROOT", _TEXT, _C, "MQCACH_TOPIC_ROOT", 3571, "TopicRoot", max_length=10_240,
      channel_types=("AMQP",)),
    A("TRPTYPE", _WORD, _C, "MQIACH_XMIT_PROTOCOL_TYPE", 1501, "TransportType",
      words=_TRPTYPE, default="TCP"),
    A("USECLTID", _WORD, _C, "MQIACH_USE_CLIENT_ID", 1629, "UseClientID", words=_NO_YES,
      default="NO", channel_types=("AMQP", "MQTT")),
    A("USEDLQ", _WORD, _C, "MQIA_USE_DEAD_LETTER_Q", 234, "UseDLQ",
      words={"NO": 1, "YES": 2}, default="YES", channel_types=_MESSAGE),
    A("USERID", _TEXT, _C, "MQCACH_USER_ID", 3517, "UserIdentifier", max_length=12,
      default="", channel_types=_CALLERS, sure=False),
    A("XMITQ", _NAME, _C, "MQCACH_XMIT_Q_NAME", 3505, "XmitQName", default="",
      channel_types=("SDR", "SVR")),
)

LISTENER_ATTRIBUTES: Final = (
    A("TRPTYPE", _WORD, _LSTR, "MQIACH_XMIT_PROTOCOL_TYPE", 1501, "TransportType",
      words=_TRPTYPE, default="TCP"),
    A("ADAPTER", _INT, _LSTR, "MQIACH_ADAPTER", 1519, "Adapter", only="dist", sure=False),
    A("ALTDATE", _TEXT, _LSTR, "MQCA_ALTERATION_DATE", 2027, "AlterationDate",
      max_length=12, read_only=True),
    A("ALTTIME", _TEXT, _LSTR, "MQCA_ALTERATION_TIME", 2028, "AlterationTime",
      max_length=8, read_only=True),
    A("BACKLOG", _INT, _LSTR, "MQIACH_BACKLOG", 1602, "Backlog", default=0),
    A("COMMANDS", _INT, _LSTR, "MQIACH_COMMAND_COUNT", 1520, "Commands", sure=False),
    A("CONTROL", _WORD, _LSTR, "MQIA_SERVICE_CONTROL", 139, "StartMode", words=_CONTROL,
      default="MANUAL"),
    A("DESCR", _TEXT, _LSTR, "MQCACH_LISTENER_DESC", 3555, "ListenerDesc", max_length=64,
      default=""),
    A("IPADDR", _TEXT, _LSTR, "MQCACH_IP_ADDRESS", 3552, "IPAddress", max_length=48,
      default=""),
    A("LOCLNAME", _TEXT, _LSTR, "MQCACH_LOCAL_NAME", 3521, "LocalName", max_length=16,
      default="", sure=False),
    A("NTBNAMES", _INT, _LSTR, "MQIACH_NAME_COUNT", 1513, "NetbiosNames", sure=False),
    A("PORT", _INT, _LSTR, "MQIACH_PORT", 1522, "Port", maximum=65_535, default=1414),
    A("SESSIONS", _INT, _LSTR, "MQIACH_SESSION_COUNT", 1518, "Sessions", sure=False),
    A("SOCKET", _INT, _LSTR, "MQIACH_SOCKET", 1521, "Socket", sure=False),
    A("TPNAME", _TEXT, _LSTR, "MQCACH_TP_NAME", 3504, "TPName", max_length=64, default=""),
)
# fmt: on
