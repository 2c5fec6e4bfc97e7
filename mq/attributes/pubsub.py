"""The attributes of topics, subscriptions, authority records and channel authentication records.

Keywords, words and defaults: IBM MQ 9.4 and 10.0 syntax diagrams of DEFINE TOPIC, DEFINE SUB,
SET AUTHREC and SET CHLAUTH. Selectors: MQ 10.0 header files.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.attribute import Attribute, ValueKind

_T: Final = ("TOPIC",)
_S: Final = ("SUB",)
_AUTH: Final = ("AUTHREC",)
_CHL: Final = ("CHLAUTH",)
_INT: Final = ValueKind.INTEGER
_WORD: Final = ValueKind.WORD
_NAME: Final = ValueKind.NAME
_TEXT: Final = ValueKind.STRING
_WORDS: Final = ValueKind.WORDS
_LIST: Final = ValueKind.LIST

_NO_YES: Final = {"NO": 0, "YES": 1}
_INHIBIT: Final = {"ASPARENT": 0, "DISABLED": 1, "ENABLED": 2}
_DELIVERY: Final = {"ASPARENT": 0, "ALL": 1, "ALLDUR": 2, "ALLAVAIL": 3}
_SCOPE: Final = {"ALL": 0, "ASPARENT": 1, "QMGR": 4}
_PARENT_NO_YES: Final = {"ASPARENT": -1, "NO": 0, "YES": 1}

AUTHORITIES: Final = {
    "NONE": 0, "ALTUSR": 1, "BROWSE": 2, "CHG": 3, "CLR": 4, "CONNECT": 5, "CRT": 6, "DLT": 7,
    "DSP": 8, "GET": 9, "INQ": 10, "PUT": 11, "PASSALL": 12, "PASSID": 13, "SET": 14, "SETALL": 15,
    "SETID": 16, "CTRL": 17, "CTRLX": 18, "PUB": 19, "SUB": 20, "RESUME": 21, "SYSTEM": 22,
    "ALL": -1, "ALLADM": -2, "ALLMQI": -3,
}  # fmt: skip
"""SET AUTHREC AUTHADD and AUTHRMV, with MQAUTH_* numbers."""

AUTHREC_OBJECT_TYPES: Final = {
    "QUEUE": 1, "NAMELIST": 2, "PROCESS": 3, "QMGR": 5, "CHANNEL": 6, "AUTHINFO": 7, "TOPIC": 8,
    "COMMINFO": 9, "LISTENER": 11, "SERVICE": 12, "CLNTCONN": 1014, "RQMNAME": 1017,
}  # fmt: skip

A = Attribute

# fmt: off
TOPIC_ATTRIBUTES: Final = (
    A("TYPE", _WORD, _T, "MQIA_TOPIC_TYPE", 208, "TopicType",
      words={"LOCAL": 0, "CLUSTER": 1}, default="LOCAL", alterable=True),
    A("ALTDATE", _TEXT, _T, "MQCA_ALTERATION_DATE", 2027, "AlterationDate", max_length=12,
      read_only=True),
    A("ALTTIME", _TEXT, _T, "MQCA_ALTERATION_TIME", 2028, "AlterationTime", max_length=8,
      read_only=True),
    A("CAPEXPRY", _INT, _T, "MQIA_CAP_EXPIRY", 276, "CapExpiry", minimum=1,
      words={"NOLIMIT": -1, "ASPARENT": -2}, default="ASPARENT", unit="tenths of a second"),
    A("CLROUTE", _WORD, _T, "MQIA_CLUSTER_PUB_ROUTE", 255, "ClusterPubRoute",
      words={"DIRECT": 0, "TOPICHOST": 1, "NONE": 2}, default="DIRECT"),
    A("CLUSTER", _NAME, _T, "MQCA_CLUSTER_NAME", 2029, "ClusterName", default=""),
    A("COMMINFO", _NAME, _T, "MQCA_COMM_INFO_NAME", 2110, "CommunicationInformation",
      default="", only="dist"),
    A("CUSTOM", _TEXT, _T, "MQCA_CUSTOM", 2119, "Custom", max_length=128, default=""),
    A("DEFPRESP", _WORD, _T, "MQIA_DEF_PUT_RESPONSE_TYPE", 184, "DefPutResponse",
      words={"ASPARENT": 0, "SYNC": 1, "ASYNC": 2}, default="ASPARENT"),
    A("DEFPRTY", _INT, _T, "MQIA_DEF_PRIORITY", 6, "DefPriority", maximum=9,
      words={"ASPARENT": -2}, default="ASPARENT"),
    A("DEFPSIST", _WORD, _T, "MQIA_TOPIC_DEF_PERSISTENCE", 185, "DefPersistence",
      words=_PARENT_NO_YES, default="ASPARENT"),
    A("DESCR", _TEXT, _T, "MQCA_TOPIC_DESC", 2093, "TopicDesc", max_length=64, default=""),
    A("DURSUB", _WORD, _T, "MQIA_DURABLE_SUB", 175, "DurableSubscriptions",
      words={"ASPARENT": 0, "YES": 1, "NO": 2}, default="ASPARENT"),
    A("MCAST", _WORD, _T, "MQIA_MULTICAST", 176, "Multicast",
      words={"ASPARENT": 0, "ENABLED": 1, "DISABLED": 2, "ONLY": 3}, default="ASPARENT",
      only="dist"),
    A("MDURMDL", _NAME, _T, "MQCA_MODEL_DURABLE_Q", 2096, "DurableModelQName", default=""),
    A("MNDURMDL", _NAME, _T, "MQCA_MODEL_NON_DURABLE_Q", 2097, "NonDurableModelQName",
      default=""),
    A("NPMSGDLV", _WORD, _T, "MQIA_NPM_DELIVERY", 196, "NonPersistentMsgDelivery",
      words=_DELIVERY, default="ASPARENT"),
    A("OTELPCTL", _WORD, _T, "MQIA_OTEL_PROPAGATION_CONTROL", 279, "OTELPropagationControl",
      words={"QMGR": 0, "MANUAL": 1, "AUTO": 2, "ASPARENT": 3}, default="ASPARENT",
      only="zos", sure=False),
    A("OTELTRAC", _WORD, _T, "MQIA_OTEL_TRACE", 278, "OTELTrace",
      words={"QMGR": 0, "OFF": 1, "ON": 2, "ASPARENT": 4}, default="ASPARENT", only="zos",
      sure=False),
    A("PMSGDLV", _WORD, _T, "MQIA_PM_DELIVERY", 195, "PersistentMsgDelivery",
      words=_DELIVERY, default="ASPARENT"),
    A("PROXYSUB", _WORD, _T, "MQIA_PROXY_SUB", 199, "ProxySubscriptions",
      words={"FORCE": 1, "FIRSTUSE": 2}, default="FIRSTUSE"),
    A("PUB", _WORD, _T, "MQIA_INHIBIT_PUB", 181, "InhibitPublications", words=_INHIBIT,
      default="ASPARENT"),
    A("PUBSCOPE", _WORD, _T, "MQIA_PUB_SCOPE", 219, "PublicationScope", words=_SCOPE,
      default="ASPARENT"),
    A("QSGDISP", _WORD, _T, "MQIA_QSG_DISP", 63, "QSGDisposition",
      words={"QMGR": 0, "COPY": 1, "GROUP": 3, "PRIVATE": 4, "LIVE": 6}, default="QMGR",
      only="zos"),
    A("SUB", _WORD, _T, "MQIA_INHIBIT_SUB", 182, "InhibitSubscriptions", words=_INHIBIT,
      default="ASPARENT"),
    A("SUBSCOPE", _WORD, _T, "MQIA_SUB_SCOPE", 218, "SubscriptionScope", words=_SCOPE,
      default="ASPARENT"),
    A("TOPICSTR", _TEXT, _T, "MQCA_TOPIC_STRING", 2094, "TopicString", max_length=10_240,
      default=""),
    A("USEDLQ", _WORD, _T, "MQIA_USE_DEAD_LETTER_Q", 234, "UseDLQ",
      words={"ASPARENT": 0, "NO": 1, "YES": 2}, default="ASPARENT"),
    A("WILDCARD", _WORD, _T, "MQIA_WILDCARD_OPERATION", 216, "WildcardOperation",
      words={"BLOCK": 1, "PASSTHRU": 2}, default="PASSTHRU"),
)

SUB_ATTRIBUTES: Final = (
    A("ALTDATE", _TEXT, _S, "MQCA_ALTERATION_DATE", 2027, "AlterationDate", max_length=12,
      read_only=True),
    A("ALTTIME", _TEXT, _S, "MQCA_ALTERATION_TIME", 2028, "AlterationTime", max_length=8,
      read_only=True),
    A("CRDATE", _TEXT, _S, "MQCA_CREATION_DATE", 2004, "CreationDate", max_length=12,
      read_only=True),
    A("CRTIME", _TEXT, _S, "MQCA_CREATION_TIME", 2005, "CreationTime", max_length=8,
      read_only=True),
    A("DEST", _NAME, _S, "MQCACF_DESTINATION", 3154, "Destination", default=""),
    A("DESTCLAS", _WORD, _S, "MQIACF_DESTINATION_CLASS", 1273, "DestinationClass",
      words={"MANAGED": 1, "PROVIDED": 2}, default="PROVIDED"),
    A("DESTCORL", _TEXT, _S, "MQBACF_DESTINATION_CORREL_ID", 7015,
      "DestinationCorrelId", max_length=48),
    A("DESTQMGR", _NAME, _S, "MQCACF_DESTINATION_Q_MGR", 3153,
      "DestinationQueueManager", default=""),
    A("DURABLE", _WORD, _S, "MQIA_DURABLE_SUB", 175, "Durable",
      words={"YES": 1, "NO": 2}, read_only=True),
    A("EXPIRY", _INT, _S, "MQIACF_EXPIRY", 1244, "Expiry", maximum=999_999_999,
      words={"UNLIMITED": -1}, default="UNLIMITED", unit="tenths of a second"),
    A("PSPROP", _WORD, _S, "MQIACF_PUBSUB_PROPERTIES", 1271, "PublishSubscribeProperties",
      words={"NONE": 0, "COMPAT": 1, "RFH2": 2, "MSGPROP": 3}, default="MSGPROP"),
    A("PUBACCT", _TEXT, _S, "MQBACF_ACCOUNTING_TOKEN", 7010,
      "PublishedAccountingToken", max_length=64),
    A("PUBAPPID", _TEXT, _S, "", 0, "PublishedApplicationIdentifier", max_length=32,
      default=""),
    A("PUBPRTY", _INT, _S, "MQIACF_PUB_PRIORITY", 1283, "PublishPriority", maximum=9,
      words={"ASQDEF": -1, "ASPUB": -3}, default="ASPUB"),
    A("REQONLY", _WORD, _S, "MQIACF_REQUEST_ONLY", 1280, "RequestOnly",
      words={"YES": 1, "NO": 2}, default="NO"),
    A("SELECTOR", _TEXT, _S, "MQCACF_SUB_SELECTOR", 3160, "Selector", max_length=10_240,
      default=""),
    A("SUBID", _TEXT, _S, "MQBACF_SUB_ID", 7016, "SubId", max_length=48, read_only=True),
    A("SUBLEVEL", _INT, _S, "MQIACF_SUB_LEVEL", 1307, "SubscriptionLevel", maximum=9,
      default=1),
    A("SUBSCOPE", _WORD, _S, "MQIACF_SUBSCRIPTION_SCOPE", 1275, "SubscriptionScope",
      words={"QMGR": 1, "ALL": 2}, default="ALL"),
    A("SUBUSER", _TEXT, _S, "MQCACF_SUB_USER_ID", 3156, "SubscriptionUser",
      max_length=1024, default="", sure=False),
    A("TOPICOBJ", _NAME, _S, "MQCA_TOPIC_NAME", 2092, "TopicObject", default=""),
    A("TOPICSTR", _TEXT, _S, "MQCA_TOPIC_STRING", 2094, "TopicString",
      max_length=10_240, default=""),
    A("USERDATA", _TEXT, _S, "MQCACF_SUB_USER_DATA", 3159, "Userdata",
      max_length=10_240, default=""),
    A("VARUSER", _WORD, _S, "MQIACF_VARIABLE_USER_ID", 1277, "VariableUser",
      words={"FIXED": 1, "ANY": 2}, default="ANY"),
    A("WSCHEMA", _WORD, _S, "MQIACF_WILDCARD_SCHEMA", 1288, "WildcardSchema",
      words={"CHAR": 1, "TOPIC": 2}, default="TOPIC"),
)

AUTHREC_ATTRIBUTES: Final = (
    A("PROFILE", _TEXT, _AUTH, "MQCACF_AUTH_PROFILE_NAME", 3067, "ProfileName"),
    A("OBJTYPE", _WORD, _AUTH, "MQIACF_OBJECT_TYPE", 1016, "ObjectType",
      words=AUTHREC_OBJECT_TYPES),
    A("PRINCIPAL", _LIST, _AUTH, pcf="PrincipalNames", max_length=1024),
    A("GROUP", _LIST, _AUTH, pcf="GroupNames", max_length=1024),
    A("AUTHADD", _WORDS, _AUTH, "MQIACF_AUTH_ADD_AUTHS", 1116, "AuthorityAdd",
      words=AUTHORITIES),
    A("AUTHRMV", _WORDS, _AUTH, "MQIACF_AUTH_REMOVE_AUTHS", 1117, "AuthorityRemove",
      words=AUTHORITIES),
    A("SERVCOMP", _TEXT, _AUTH, pcf="ServiceComponent", max_length=48),
)

CHLAUTH_ATTRIBUTES: Final = (
    A("TYPE", _WORD, _CHL, "MQIACF_CHLAUTH_TYPE", 1352, "Type",
      words={"BLOCKUSER": 1, "BLOCKADDR": 2, "SSLPEERMAP": 3, "ADDRESSMAP": 4,
             "USERMAP": 5, "QMGRMAP": 6}),
    A("ACTION", _WORD, _CHL, pcf="Action",
      words={"ADD": 5, "REPLACE": 6, "REMOVE": 7, "REMOVEALL": 8}, default="ADD"),
    A("ADDRESS", _TEXT, _CHL, "MQCACH_CONNECTION_NAME", 3506, "Address", max_length=264,
      default=""),
    A("ADDRLIST", _LIST, _CHL, "MQCACH_CONNECTION_NAME_LIST", 3566, "AddrList",
      max_length=264),
    A("ALTDATE", _TEXT, _CHL, "MQCA_ALTERATION_DATE", 2027, "AlterationDate",
      max_length=12, read_only=True),
    A("ALTTIME", _TEXT, _CHL, "MQCA_ALTERATION_TIME", 2028, "AlterationTime",
      max_length=8, read_only=True),
    A("CHCKCLNT", _WORD, _CHL, "MQIA_CHECK_CLIENT_BINDING", 258, "CheckClient",
      words={"NONE": 1, "REQDADM": 2, "REQUIRED": 3, "ASQMGR": 4}, default="ASQMGR",
      sure=False),
    A("CLNTUSER", _TEXT, _CHL, "MQCACH_CLIENT_USER_ID", 3567, "ClntUser",
      max_length=1024),
    A("CUSTOM", _TEXT, _CHL, "MQCA_CUSTOM", 2119, "Custom", max_length=128, default=""),
    A("DESCR", _TEXT, _CHL, "MQCA_CHLAUTH_DESC", 2118, "Description", max_length=64,
      default=""),
    A("MCAUSER", _TEXT, _CHL, "MQCACH_MCA_USER_ID", 3527, "MCAUser", max_length=1024,
      default=""),
    A("QMNAME", _TEXT, _CHL, "MQCA_REMOTE_Q_MGR_NAME", 2017, "QMName", max_length=48),
    A("SSLCERTI", _TEXT, _CHL, "MQCA_SSL_CERT_ISSUER_NAME", 2130, "SSLCertIssuer",
      max_length=1024, default=""),
    A("SSLPEER", _TEXT, _CHL, "MQCACH_SSL_PEER_NAME", 3545, "SSLPeer", max_length=1024),
    A("USERLIST", _LIST, _CHL, "MQCACH_MCA_USER_ID_LIST", 3568, "UserList",
      max_length=1024),
    A("USERSRC", _WORD, _CHL, "MQIACH_USER_SOURCE", 1638, "UserSrc",
      words={"MAP": 0, "NOACCESS": 1, "CHANNEL": 2}, default="MAP"),
    A("WARN", _WORD, _CHL, "MQIACH_WARNING", 1639, "Warn", words=_NO_YES, default="NO"),
)
# fmt: on
