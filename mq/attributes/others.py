"""The attributes of namelists, process definitions, authentication information and services.

Keywords, words and defaults: IBM MQ 9.4 "DEFINE NAMELIST", "DEFINE PROCESS", "DEFINE AUTHINFO" and
"DEFINE SERVICE". Selectors: MQ 10.0 header files.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.attribute import Attribute, ValueKind

_N: Final = ("NAMELIST",)
_P: Final = ("PROCESS",)
_I: Final = ("AUTHINFO",)
_S: Final = ("SERVICE",)
_INT: Final = ValueKind.INTEGER
_WORD: Final = ValueKind.WORD
_TEXT: Final = ValueKind.STRING
_LIST: Final = ValueKind.LIST

_NO_YES: Final = {"NO": 0, "YES": 1}
_CHECK: Final = {"OPTIONAL": 0, "NONE": 1, "REQDADM": 2, "REQUIRED": 3}
APPLICATION_TYPES: Final = {
    "CICS": 1, "MVS": 2, "IMS": 3, "DOS": 5, "UNIX": 6, "OS400": 8, "WINDOWS": 9, "WINDOWSNT": 11,
    "NSK": 13, "NOTESAGENT": 22, "USER": 25,
}  # fmt: skip
AUTH_TYPES: Final = {"CRLLDAP": 1, "OCSP": 2, "IDPWOS": 3, "IDPWLDAP": 4}

A = Attribute


def _altered(kinds: tuple[str, ...]) -> tuple[Attribute, Attribute]:
    return (
        A("ALTDATE", _TEXT, kinds, "MQCA_ALTERATION_DATE", 2027, "AlterationDate", max_length=12,
          read_only=True),
        A("ALTTIME", _TEXT, kinds, "MQCA_ALTERATION_TIME", 2028, "AlterationTime", max_length=8,
          read_only=True),
    )  # fmt: skip


# fmt: off
NAMELIST_ATTRIBUTES: Final = (
    *_altered(_N),
    A("DESCR", _TEXT, _N, "MQCA_NAMELIST_DESC", 2009, "NamelistDesc", max_length=64, default=""),
    A("NAMCOUNT", _INT, _N, "MQIA_NAME_COUNT", 19, "NameCount", maximum=256, read_only=True),
    A("NAMES", _LIST, _N, "MQCA_NAMES", 2020, "Names", default=""),
    A("NLTYPE", _WORD, _N, "MQIA_NAMELIST_TYPE", 72, "NamelistType",
      words={"NONE": 0, "QUEUE": 1, "CLUSTER": 2, "AUTHINFO": 4}, default="NONE", only="zos"),
)

PROCESS_ATTRIBUTES: Final = (
    *_altered(_P),
    A("APPLICID", _TEXT, _P, "MQCA_APPL_ID", 2001, "ApplId", max_length=256, default=""),
    A("APPLTYPE", _INT, _P, "MQIA_APPL_TYPE", 1, "ApplType", words=APPLICATION_TYPES,
      default="UNIX", zos_default="MVS"),
    A("DESCR", _TEXT, _P, "MQCA_PROCESS_DESC", 2011, "ProcessDesc", max_length=64, default=""),
    A("ENVRDATA", _TEXT, _P, "MQCA_ENV_DATA", 2007, "EnvData", max_length=128, default=""),
    A("USERDATA", _TEXT, _P, "MQCA_USER_DATA", 2021, "UserData", max_length=128, default=""),
)

AUTHINFO_ATTRIBUTES: Final = (
    A("AUTHTYPE", _WORD, _I, "MQIA_AUTH_INFO_TYPE", 66, "AuthInfoType", words=AUTH_TYPES),
    A("ADOPTCTX", _WORD, _I, "MQIA_ADOPT_CONTEXT", 260, "AdoptContext", words=_NO_YES,
      default="YES", channel_types=("IDPWOS", "IDPWLDAP")),
    *_altered(_I),
    A("AUTHENMD", _WORD, _I, "MQIA_AUTHENTICATION_METHOD", 266, "AuthenticationMethod",
      words={"OS": 0, "PAM": 1}, default="OS", channel_types=("IDPWOS",)),
    A("AUTHORMD", _WORD, _I, "MQIA_LDAP_AUTHORMD", 263, "AuthorizationMethod",
      words={"OS": 0, "SEARCHGRP": 1, "SEARCHUSR": 2, "SRCHGRPSN": 3}, default="OS",
      channel_types=("IDPWLDAP",)),
    A("BASEDNG", _TEXT, _I, "MQCA_LDAP_BASE_DN_GROUPS", 2132, "BaseDNGroup", max_length=1024,
      default="", channel_types=("IDPWLDAP",)),
    A("BASEDNU", _TEXT, _I, "MQCA_LDAP_BASE_DN_USERS", 2126, "BaseDNUser", max_length=1024,
      default="", channel_types=("IDPWLDAP",)),
    A("CHCKCLNT", _WORD, _I, "MQIA_CHECK_CLIENT_BINDING", 258, "CheckClient", words=_CHECK,
      default="REQDADM", channel_types=("IDPWOS", "IDPWLDAP")),
    A("CHCKLOCL", _WORD, _I, "MQIA_CHECK_LOCAL_BINDING", 257, "CheckLocal", words=_CHECK,
      default="OPTIONAL", channel_types=("IDPWOS", "IDPWLDAP")),
    A("CLASSGRP", _TEXT, _I, "MQCA_LDAP_GROUP_OBJECT_CLASS", 2133, "ClassGroup", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
    A("CLASSUSR", _TEXT, _I, "MQCA_LDAP_USER_OBJECT_CLASS", 2128, "ClassUser", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
    A("CONNAME", _TEXT, _I, "MQCA_AUTH_INFO_CONN_NAME", 2053, "AuthInfoConnName",
      max_length=264, default="", channel_types=("CRLLDAP", "IDPWLDAP")),
    A("DESCR", _TEXT, _I, "MQCA_AUTH_INFO_DESC", 2046, "AuthInfoDesc", max_length=64,
      default=""),
    A("FAILDLAY", _INT, _I, "MQIA_AUTHENTICATION_FAIL_DELAY", 259, "FailureDelay", maximum=60,
      default=1, unit="seconds", channel_types=("IDPWOS", "IDPWLDAP")),
    A("FINDGRP", _TEXT, _I, "MQCA_LDAP_FIND_GROUP_FIELD", 2135, "FindGroup", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
    A("GRPFIELD", _TEXT, _I, "MQCA_LDAP_GROUP_ATTR_FIELD", 2134, "GroupField", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
    A("LDAPPWD", _TEXT, _I, "MQCA_LDAP_PASSWORD", 2048, "LDAPPassword", max_length=32,
      default="", channel_types=("CRLLDAP", "IDPWLDAP")),
    A("LDAPUSER", _TEXT, _I, "MQCA_LDAP_USER_NAME", 2047, "LDAPUserName", max_length=1024,
      default="", channel_types=("CRLLDAP", "IDPWLDAP")),
    A("NESTGRP", _WORD, _I, "MQIA_LDAP_NESTGRP", 264, "GroupNesting", words=_NO_YES,
      default="NO", channel_types=("IDPWLDAP",)),
    A("OCSPURL", _TEXT, _I, "MQCA_AUTH_INFO_OCSP_URL", 2109, "OCSPResponderURL", max_length=256,
      default="", channel_types=("OCSP",)),
    A("SECCOMM", _WORD, _I, "MQIA_LDAP_SECURE_COMM", 261, "SecureComms",
      words={"NO": 0, "YES": 1, "ANON": 2}, default="NO", channel_types=("IDPWLDAP",)),
    A("SHORTUSR", _TEXT, _I, "MQCA_LDAP_SHORT_USER_FIELD", 2127, "ShortUser", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
    A("USRFIELD", _TEXT, _I, "MQCA_LDAP_USER_ATTR_FIELD", 2129, "UserField", max_length=128,
      default="", channel_types=("IDPWLDAP",)),
)

SERVICE_ATTRIBUTES: Final = (
    *_altered(_S),
    A("CONTROL", _WORD, _S, "MQIA_SERVICE_CONTROL", 139, "StartMode",
      words={"QMGR": 0, "STARTONLY": 1, "MANUAL": 2}, default="MANUAL"),
    A("DESCR", _TEXT, _S, "MQCA_SERVICE_DESC", 2078, "ServiceDesc", max_length=64, default=""),
    A("SERVTYPE", _WORD, _S, "MQIA_SERVICE_TYPE", 121, "ServiceType",
      words={"COMMAND": 0, "SERVER": 1}, default="COMMAND"),
    A("STARTARG", _TEXT, _S, "MQCA_SERVICE_START_ARGS", 2080, "StartArguments", max_length=255,
      default=""),
    A("STARTCMD", _TEXT, _S, "MQCA_SERVICE_START_COMMAND", 2079, "StartCommand", max_length=255,
      default=""),
    A("STDERR", _TEXT, _S, "MQCA_STDERR_DESTINATION", 2084, "StderrDestination", max_length=255,
      default=""),
    A("STDOUT", _TEXT, _S, "MQCA_STDOUT_DESTINATION", 2083, "StdoutDestination", max_length=255,
      default=""),
    A("STOPARG", _TEXT, _S, "MQCA_SERVICE_STOP_ARGS", 2082, "StopArguments", max_length=255,
      default=""),
    A("STOPCMD", _TEXT, _S, "MQCA_SERVICE_STOP_COMMAND", 2081, "StopCommand", max_length=255,
      default=""),
)
# fmt: on
