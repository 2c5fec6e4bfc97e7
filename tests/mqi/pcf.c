/* Asks the command server for a queue, in C: MQCFH, MQCFST, MQCFIN, MQCFIL, MQCFIF. */
#include <cmqc.h>
#include <cmqcfc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MQCFH) == MQCFH_STRUC_LENGTH, "MQCFH");
_Static_assert(sizeof(MQCFIN) == MQCFIN_STRUC_LENGTH, "MQCFIN");
_Static_assert(sizeof(MQCFIN64) == MQCFIN64_STRUC_LENGTH, "MQCFIN64");
_Static_assert(sizeof(MQCFIF) == MQCFIF_STRUC_LENGTH, "MQCFIF");
_Static_assert(sizeof(MQCFGR) == MQCFGR_STRUC_LENGTH, "MQCFGR");
_Static_assert(sizeof(MQEPH) == MQEPH_STRUC_LENGTH_FIXED, "MQEPH");
_Static_assert(offsetof(MQCFST, String) == MQCFST_STRUC_LENGTH_FIXED, "MQCFST");
_Static_assert(offsetof(MQCFSL, Strings) == MQCFSL_STRUC_LENGTH_FIXED, "MQCFSL");
_Static_assert(offsetof(MQCFIL, Values) == MQCFIL_STRUC_LENGTH_FIXED, "MQCFIL");
_Static_assert(offsetof(MQCFIL64, Values) == MQCFIL64_STRUC_LENGTH_FIXED, "MQCFIL64");
_Static_assert(offsetof(MQCFBS, String) == MQCFBS_STRUC_LENGTH_FIXED, "MQCFBS");
_Static_assert(offsetof(MQCFSF, FilterValue) == MQCFSF_STRUC_LENGTH_FIXED, "MQCFSF");
_Static_assert(offsetof(MQCFBF, FilterValue) == MQCFBF_STRUC_LENGTH_FIXED, "MQCFBF");

static const MQCFSL no_strings = {MQCFSL_DEFAULT};
static const MQCFIL64 no_longs = {MQCFIL64_DEFAULT};
static const MQCFBF no_bytes = {MQCFBF_DEFAULT};
static const MQCFSF no_filter = {MQCFSF_DEFAULT};
static const MQCFIN64 no_long = {MQCFIN64_DEFAULT};
static const MQCFBS no_string = {MQCFBS_DEFAULT};
static const MQCFGR no_group = {MQCFGR_DEFAULT};
static const MQEPH no_header = {MQEPH_DEFAULT};

static void check(const char *what, MQLONG cc, MQLONG rc) {
  if (cc != MQCC_OK) {
    printf("%s: %d %d\n", what, (int)cc, (int)rc);
    exit(1);
  }
}

int main(void) {
  MQHCONN conn;
  MQHOBJ replies;
  MQLONG cc, rc, length;
  MQOD model = {MQOD_DEFAULT}, server = {MQOD_DEFAULT};
  MQMD md = {MQMD_DEFAULT}, answer = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQCFH head = {MQCFH_DEFAULT};
  MQCFIN type = {MQCFIN_DEFAULT};
  MQCFIF filter = {MQCFIF_DEFAULT};
  char body[256], buffer[4096], name[48];
  size_t at = 0;

  if (no_strings.Type != MQCFT_STRING_LIST || no_longs.Type != MQCFT_INTEGER64_LIST ||
      no_bytes.Type != MQCFT_BYTE_STRING_FILTER || no_filter.Type != MQCFT_STRING_FILTER ||
      no_long.Type != MQCFT_INTEGER64 || no_string.Type != MQCFT_BYTE_STRING ||
      no_group.Type != MQCFT_GROUP || no_header.PCFHeader.StrucLength != sizeof(MQCFH))
    return 2;
  MQCONN("QM1", &conn, &cc, &rc);
  check("MQCONN", cc, rc);
  strncpy(model.ObjectName, "SYSTEM.DEFAULT.MODEL.QUEUE", sizeof model.ObjectName);
  strncpy(model.DynamicQName, "C.*", sizeof model.DynamicQName);
  MQOPEN(conn, &model, MQOO_INPUT_EXCLUSIVE, &replies, &cc, &rc);
  check("MQOPEN", cc, rc);

  head.Command = MQCMD_INQUIRE_Q;
  head.Version = MQCFH_VERSION_3;
  head.ParameterCount = 3;
  memcpy(body, &head, sizeof head);
  at = sizeof head;
  {
    MQCFST any = {MQCFST_DEFAULT};
    any.Parameter = MQCA_Q_NAME;
    any.StringLength = 2;
    any.StrucLength = MQCFST_STRUC_LENGTH_FIXED + 4;
    memcpy(body + at, &any, MQCFST_STRUC_LENGTH_FIXED);
    memcpy(body + at + MQCFST_STRUC_LENGTH_FIXED, "C*\0\0", 4);
    at += (size_t)any.StrucLength;
  }
  type.Parameter = MQIA_Q_TYPE;
  type.Value = MQQT_LOCAL;
  memcpy(body + at, &type, sizeof type);
  at += sizeof type;
  filter.Parameter = MQIA_MAX_Q_DEPTH;
  filter.Operator = MQCFOP_EQUAL;
  filter.FilterValue = 77;
  memcpy(body + at, &filter, sizeof filter);
  at += sizeof filter;

  strncpy(server.ObjectName, "SYSTEM.ADMIN.COMMAND.QUEUE", sizeof server.ObjectName);
  memcpy(md.Format, MQFMT_ADMIN, sizeof md.Format);
  md.MsgType = MQMT_REQUEST;
  memcpy(md.ReplyToQ, model.ObjectName, sizeof md.ReplyToQ);
  pmo.Options = MQPMO_NO_SYNCPOINT;
  MQPUT1(conn, &server, &md, &pmo, (MQLONG)at, body, &cc, &rc);
  check("MQPUT1", cc, rc);

  gmo.Options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_CONVERT;
  gmo.WaitInterval = 5000;
  gmo.Version = MQGMO_VERSION_2;
  gmo.MatchOptions = MQMO_MATCH_CORREL_ID;
  memcpy(answer.CorrelId, md.MsgId, sizeof answer.CorrelId);
  MQGET(conn, replies, &answer, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
  check("MQGET", cc, rc);
  memcpy(&head, buffer, sizeof head);
  memcpy(name, buffer + sizeof head + MQCFST_STRUC_LENGTH_FIXED, sizeof name);
  printf("%d %d %d %.8s %.9s\n", (int)head.CompCode, (int)head.Reason, (int)head.Control,
         answer.Format, name);
  MQDISC(&conn, &cc, &rc);
  return 0;
}
