"""The structures of the MQI as one table: names, types and order of their fields, by version.

A heading is ``Name StrucId first-version``. A line is ``Field type default``. ``-- n`` begins what
version n added. Types:

    i       MQLONG, 4 bytes            q       MQINT64 or MQHMSG, 8 bytes
    P       pointer, 8 bytes           V       MQCHARV, 24 bytes
    cN      N characters               bN      N bytes
    B       one character              i*N     N MQLONGs

Offsets follow from native alignment on a 64-bit machine. Order, types and initial values: IBM MQ
documentation, "MQI data types"; lengths are checked in CI against the `ibmmq` wheel.
"""

from __future__ import annotations

from typing import Final

MQI: Final = """
MQCHARV -
  VSPtr P 0
  VSOffset i 0
  VSBufSize i 0
  VSLength i 0
  VSCCSID i -3

MQMD MD
  Report i 0
  MsgType i 8
  Expiry i -1
  Feedback i 0
  Encoding i 546
  CodedCharSetId i 0
  Format c8 ' '
  Priority i -1
  Persistence i 2
  MsgId b24
  CorrelId b24
  BackoutCount i 0
  ReplyToQ c48
  ReplyToQMgr c48
  UserIdentifier c12
  AccountingToken b32
  ApplIdentityData c32
  PutApplType i 0
  PutApplName c28
  PutDate c8
  PutTime c8
  ApplOriginData c4
  -- 2
  GroupId b24
  MsgSeqNumber i 1
  Offset i 0
  MsgFlags i 0
  OriginalLength i -1

MQOD OD
  ObjectType i 1
  ObjectName c48
  ObjectQMgrName c48
  DynamicQName c48 'AMQ.*'
  AlternateUserId c12
  -- 2
  RecsPresent i 0
  KnownDestCount i 0
  UnknownDestCount i 0
  InvalidDestCount i 0
  ObjectRecOffset i 0
  ResponseRecOffset i 0
  ObjectRecPtr P 0
  ResponseRecPtr P 0
  -- 3
  AlternateSecurityId b40
  ResolvedQName c48
  ResolvedQMgrName c48
  -- 4
  ObjectString V
  SelectionString V
  ResObjectString V
  ResolvedType i -3

MQPMO PMO
  Options i 0
  Timeout i -1
  Context i 0
  KnownDestCount i 0
  UnknownDestCount i 0
  InvalidDestCount i 0
  ResolvedQName c48
  ResolvedQMgrName c48
  -- 2
  RecsPresent i 0
  PutMsgRecFields i 0
  PutMsgRecOffset i 0
  ResponseRecOffset i 0
  PutMsgRecPtr P 0
  ResponseRecPtr P 0
  -- 3
  OriginalMsgHandle q 0
  NewMsgHandle q 0
  Action i 0
  PubLevel i 9

MQGMO GMO
  Options i 0
  WaitInterval i 0
  Signal1 i 0
  Signal2 i 0
  ResolvedQName c48
  -- 2
  MatchOptions i 3
  GroupStatus B ' '
  SegmentStatus B ' '
  Segmentation B ' '
  Reserved1 B ' '
  -- 3
  MsgToken b16
  ReturnedLength i -1
  -- 4
  Reserved2 i 0
  MsgHandle q 0

MQBO BO
  Options i 0

MQCNO CNO
  Options i 0
  -- 2
  ClientConnOffset i 0
  ClientConnPtr P 0
  -- 3
  ConnTag b128
  -- 4
  SSLConfigPtr P 0
  SSLConfigOffset i 0
  -- 5
  ConnectionId b24
  SecurityParmsOffset i 0
  SecurityParmsPtr P 0
  -- 6
  CCDTUrlPtr P 0
  CCDTUrlOffset i 0
  CCDTUrlLength i 0
  Reserved b8
  -- 7
  ApplName c28
  Reserved2 b4
  -- 8
  BalanceParmsPtr P 0
  BalanceParmsOffset i 0
  Reserved3 b4

MQCSP CSP
  AuthenticationType i 0
  Reserved1 b4
  CSPUserIdPtr P 0
  CSPUserIdOffset i 0
  CSPUserIdLength i 0
  Reserved2 b8
  CSPPasswordPtr P 0
  CSPPasswordOffset i 0
  CSPPasswordLength i 0
  -- 2
  Reserved3 b8
  InitialKeyPtr P 0
  InitialKeyOffset i 0
  InitialKeyLength i 0
  -- 3
  Reserved4 b8
  TokenPtr P 0
  TokenOffset i 0
  TokenLength i 0

MQSCO SCO
  KeyRepository c256
  CryptoHardware c256
  AuthInfoRecCount i 0
  AuthInfoRecOffset i 0
  AuthInfoRecPtr P 0
  -- 2
  KeyResetCount i 0
  FipsRequired i 0
  -- 3
  EncryptionPolicySuiteB i*4 1
  -- 4
  CertificateValPolicy i 0
  -- 5
  CertificateLabel c64
  -- 6
  KeyRepoPasswordPtr P 0
  KeyRepoPasswordOffset i 0
  KeyRepoPasswordLength i 0
  -- 7
  HTTPSCertValidation i 0
  HTTPSCertRevocation i 0
  HTTPSKeyStorePtr P 0
  HTTPSKeyStoreOffset i 0
  HTTPSKeyStoreLength i 0

MQBNO BNO
  ApplType i 0
  Timeout i -1
  Options i 0

MQSD SD
  Options i 0
  ObjectName c48
  AlternateUserId c12
  AlternateSecurityId b40
  SubExpiry i -1
  ObjectString V
  SubName V
  SubUserData V
  SubCorrelId b24
  PubPriority i -3
  PubAccountingToken b32
  PubApplIdentityData c32
  SelectionString V
  SubLevel i 1
  ResObjectString V

MQSRO SRO
  Options i 0
  NumPubs i 0

MQSTS STAT
  CompCode i 0
  Reason i 0
  PutSuccessCount i 0
  PutWarningCount i 0
  PutFailureCount i 0
  ObjectType i 1
  ObjectName c48
  ObjectQMgrName c48
  ResolvedObjectName c48
  ResolvedQMgrName c48
  -- 2
  ObjectString V
  SubName V
  OpenOptions i 0
  SubOptions i 0

MQCBD CBD
  CallbackType i 1
  Options i 0
  CallbackArea P 0
  CallbackFunction P 0
  CallbackName c128
  MaxMsgLength i -1

MQCBC CBC
  CallType i 0
  Hobj i -1
  CallbackArea P 0
  ConnectionArea P 0
  CompCode i 0
  Reason i 0
  State i 0
  DataLength i 0
  BufferLength i 0
  Flags i 0
  -- 2
  ReconnectDelay i 0

MQCTLO CTLO
  Options i 0
  Reserved i -1
  ConnectionArea P 0

MQCMHO CMHO
  Options i 0

MQDMHO DMHO
  Options i 0

MQDMPO DMPO
  Options i 0

MQSMPO SMPO
  Options i 0
  ValueEncoding i 546
  ValueCCSID i -3

MQIMPO IMPO
  Options i 0
  RequestedEncoding i 546
  RequestedCCSID i -3
  ReturnedEncoding i 546
  ReturnedCCSID i 0
  Reserved1 i 0
  ReturnedName V
  TypeString c8

MQPD PD
  Options i 0
  Support i 1
  Context i 0
  CopyOptions i 22

MQBMHO BMHO
  Options i 1

MQMHBO MHBO
  Options i 1
"""

CHANNEL: Final = """
MQCD -
  ChannelName c20
  Version i 11
  ChannelType i 6
  TransportType i 2
  Desc c64
  QMgrName c48
  XmitQName c48
  ShortConnectionName c20
  MCAName c20
  ModeName c8
  TpName c64
  BatchSize i 50
  DiscInterval i 6000
  ShortRetryCount i 10
  ShortRetryInterval i 60
  LongRetryCount i 999999999
  LongRetryInterval i 1200
  SecurityExit c128
  MsgExit c128
  SendExit c128
  ReceiveExit c128
  SeqNumberWrap i 999999999
  MaxMsgLength i 4194304
  PutAuthority i 1
  DataConversion i 0
  SecurityUserData c32
  MsgUserData c32
  SendUserData c32
  ReceiveUserData c32
  -- 2
  UserIdentifier c12
  Password c12
  MCAUserIdentifier c12
  MCAType i 1
  ConnectionName c264
  RemoteUserIdentifier c12
  RemotePassword c12
  -- 3
  MsgRetryExit c128
  MsgRetryUserData c32
  MsgRetryCount i 10
  MsgRetryInterval i 1000
  -- 4
  HeartbeatInterval i 300
  BatchInterval i 0
  NonPersistentMsgSpeed i 2
  StrucLength i 1984
  ExitNameLength i 128
  ExitDataLength i 32
  MsgExitsDefined i 0
  SendExitsDefined i 0
  ReceiveExitsDefined i 0
  MsgExitPtr P 0
  MsgUserDataPtr P 0
  SendExitPtr P 0
  SendUserDataPtr P 0
  ReceiveExitPtr P 0
  ReceiveUserDataPtr P 0
  -- 5
  ClusterPtr P 0
  ClustersDefined i 0
  NetworkPriority i 0
  -- 6
  LongMCAUserIdLength i 0
  LongRemoteUserIdLength i 0
  LongMCAUserIdPtr P 0
  LongRemoteUserIdPtr P 0
  MCASecurityId b40
  RemoteSecurityId b40
  -- 7
  SSLCipherSpec c32
  SSLPeerNamePtr P 0
  SSLPeerNameLength i 0
  SSLClientAuth i 0
  KeepAliveInterval i -1
  LocalAddress c48
  BatchHeartbeat i 0
  -- 8
  HdrCompList i*2 0
  MsgCompList i*16 0
  CLWLChannelRank i 0
  CLWLChannelPriority i 0
  CLWLChannelWeight i 50
  ChannelMonitoring i 0
  ChannelStatistics i 0
  -- 9
  SharingConversations i 10
  PropertyControl i 0
  MaxInstances i 999999999
  MaxInstancesPerClient i 999999999
  ClientChannelWeight i 0
  ConnectionAffinity i 1
  -- 10
  BatchDataLimit i 5000
  UseDLQ i 2
  DefReconnect i 0
  -- 11
  CertificateLabel c64
  -- 12
  SPLProtection i 0
  -- 13
  QuantumSafeAlgorithm i 0
  QuantumSafeRequired i 0
"""

DATA: Final = """
MQDLH DLH
  Reason i 0
  DestQName c48
  DestQMgrName c48
  Encoding i 0
  CodedCharSetId i 0
  Format c8 ' '
  PutApplType i 0
  PutApplName c28
  PutDate c8
  PutTime c8

MQTM TM
  QName c48
  ProcessName c48
  TriggerData c64
  ApplType i 0
  ApplId c256
  EnvData c128
  UserData c128

MQRFH2 RFH 2
  StrucLength i 36
  Encoding i 546
  CodedCharSetId i -2
  Format c8 ' '
  Flags i 0
  NameValueCCSID i 1208

MQMDE MDE 2
  StrucLength i 72
  Encoding i 546
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  GroupId b24
  MsgSeqNumber i 1
  Offset i 0
  MsgFlags i 0
  OriginalLength i -1

MQTMC2 -
  StrucId c4 'TMC'
  Version c4 '   2'
  QName c48
  ProcessName c48
  TriggerData c64
  ApplType c4
  ApplId c256
  EnvData c128
  UserData c128
  -- 2
  QMgrName c48

MQRFH RFH
  StrucLength i 32
  Encoding i 546
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0

MQDH DH
  StrucLength i 0
  Encoding i 0
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  PutMsgRecFields i 0
  RecsPresent i 0
  ObjectRecOffset i 0
  PutMsgRecOffset i 0

MQOR -
  ObjectName c48
  ObjectQMgrName c48

MQRR -
  CompCode i 0
  Reason i 0

MQIIH IIH
  StrucLength i 84
  Encoding i 0
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  LTermOverride c8 ' '
  MFSMapName c8 ' '
  ReplyToFormat c8 ' '
  Authenticator c8 ' '
  TranInstanceId b16
  TranState B ' '
  CommitMode B '0'
  SecurityScope B 'C'
  Reserved B ' '

MQCIH CIH
  StrucLength i 180
  Encoding i 0
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  ReturnCode i 0
  CompCode i 0
  Reason i 0
  UOWControl i 273
  GetWaitInterval i -2
  LinkType i 1
  OutputDataLength i -1
  FacilityKeepTime i 0
  ADSDescriptor i 0
  ConversationalTask i 0
  TaskEndStatus i 0
  Facility b8
  Function c4 ' '
  AbendCode c4 ' '
  Authenticator c8 ' '
  Reserved1 c8 ' '
  ReplyToFormat c8 ' '
  RemoteSysId c4 ' '
  RemoteTransId c4 ' '
  TransactionId c4 ' '
  FacilityLike c4 ' '
  AttentionId c4 ' '
  StartCode c4 ' '
  CancelCode c4 ' '
  NextTransactionId c4 ' '
  Reserved2 c8 ' '
  Reserved3 c8 ' '
  -- 2
  CursorPosition i 0
  ErrorOffset i 0
  InputItem i 0
  Reserved4 i 0

MQWIH WIH
  StrucLength i 120
  Encoding i 0
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  ServiceName c32 ' '
  ServiceStep c8 ' '
  MsgToken b16
  Reserved c32 ' '

MQRMH RMH
  StrucLength i 0
  Encoding i 546
  CodedCharSetId i 0
  Format c8 ' '
  Flags i 0
  ObjectType c8 ' '
  ObjectInstanceId b24
  SrcEnvLength i 0
  SrcEnvOffset i 0
  SrcNameLength i 0
  SrcNameOffset i 0
  DestEnvLength i 0
  DestEnvOffset i 0
  DestNameLength i 0
  DestNameOffset i 0
  DataLogicalLength i 0
  DataLogicalOffset i 0
  DataLogicalOffset2 i 0

MQAIR AIR
  AuthInfoType i 1
  AuthInfoConnName c264
  LDAPUserNamePtr P 0
  LDAPUserNameOffset i 0
  LDAPUserNameLength i 0
  LDAPPassword c32
  -- 2
  OCSPResponderURL c256
"""
"""Structures that programs find in message data, for the headers alone."""
