/* A program of the C client that puts and gets messages with all that the queue manager does to
 * them. */
#include "expect.h"

static char buffer[5000];
static MQLONG length;
static MQMD md;
static MQPMO pmo;
static MQGMO gmo;
static void init(void) {
  MQMD m = {MQMD_DEFAULT};
  MQPMO pp = {MQPMO_DEFAULT};
  MQGMO gg = {MQGMO_DEFAULT};
  md = m;
  pmo = pp;
  gmo = gg;
}
static MQHOBJ model(char *dyn, MQLONG o, char name[49]) {
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ x;
  strcpy(od.ObjectName, "SYSTEM.DEFAULT.MODEL.QUEUE");
  strcpy(od.DynamicQName, dyn);
  MQOPEN(hconn, &od, o, &x, &cc, &rc);
  memcpy(name, od.ObjectName, 48);
  name[48] = 0;
  return x;
}
int main(void) {
  connect_here();
  MQHOBJ queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE | MQOO_INQUIRE);
  OK;
  clear(queue);
  char dn[49];
  /* request, reply */
  MQHOBJ r = model("AMQ.SAMPLE.*", MQOO_INPUT_EXCLUSIVE, dn);
  OK;
  init();
  md.MsgType = MQMT_REQUEST;
  memcpy(md.ReplyToQ, dn, 48);
  md.Report = MQRO_COPY_MSG_ID_TO_CORREL_ID;
  memcpy(md.Format, MQFMT_STRING, 8);
  MQPUT(hconn, queue, &md, &pmo, 4, "req?", &cc, &rc);
  OK;
  MQBYTE24 id;
  memcpy(id, md.MsgId, 24);
  init();
  gmo.Options = MQGMO_WAIT | MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_CONVERT;
  gmo.WaitInterval = 100;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  EXPECT(!memcmp(md.ReplyToQMgr, "QM1 ", 4));
  {
    MQOD od = {MQOD_DEFAULT};
    MQMD m = {MQMD_DEFAULT};
    memcpy(od.ObjectName, md.ReplyToQ, 48);
    memcpy(od.ObjectQMgrName, md.ReplyToQMgr, 48);
    m.MsgType = MQMT_REPLY;
    memcpy(m.CorrelId, md.MsgId, 24);
    m.Persistence = MQPER_NOT_PERSISTENT;
    MQPUT1(hconn, &od, &m, &pmo, 3, "ans", &cc, &rc);
    OK;
  }
  init();
  memcpy(md.CorrelId, id, 24);
  gmo.Options = MQGMO_WAIT;
  gmo.WaitInterval = 1000;
  MQGET(hconn, r, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  EXPECT(length == 3 && md.MsgType == MQMT_REPLY);
  {
    init();
    md.Persistence = MQPER_PERSISTENT;
    MQOD od = {MQOD_DEFAULT};
    strcpy(od.ObjectName, dn);
    MQPUT1(hconn, &od, &md, &pmo, 3, "ans", &cc, &rc);
    FAILS(MQRC_PERSISTENT_NOT_ALLOWED);
  }
  {
    MQHOBJ second;
    MQOD od = {MQOD_DEFAULT};
    memcpy(od.ObjectName, dn, 48);
    MQOPEN(hconn, &od, MQOO_INPUT_SHARED, &second, &cc, &rc);
    FAILS(MQRC_OBJECT_IN_USE);
  }
  MQCLOSE(hconn, &r, MQCO_DELETE, &cc, &rc);
  OK;
  {
    MQOD od = {MQOD_DEFAULT};
    MQMD m = {MQMD_DEFAULT};
    memcpy(od.ObjectName, dn, 48);
    MQPUT1(hconn, &od, &m, &pmo, 3, "ans", &cc, &rc);
    FAILS(MQRC_UNKNOWN_OBJECT_NAME);
  }
  /* reports */
  char rn[49];
  r = model("REP.*", MQOO_INPUT_SHARED, rn);
  init();
  md.Report = MQRO_COA_WITH_DATA | MQRO_COD_WITH_FULL_DATA | MQRO_EXPIRATION;
  memcpy(md.ReplyToQ, rn, 48);
  MQPUT(hconn, queue, &md, &pmo, 5, "hello", &cc, &rc);
  OK;
  init();
  MQGET(hconn, r, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  EXPECT(md.MsgType == MQMT_REPORT && md.Feedback == MQFB_COA && length == 5);
  init();
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  init();
  MQGET(hconn, r, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  EXPECT(md.Feedback == MQFB_COD);
  /* truncation */
  put(queue, "0123456789");
  init();
  MQGET(hconn, queue, &md, &gmo, 4, buffer, &length, &cc, &rc);
  WARNS(MQRC_TRUNCATED_MSG_FAILED);
  EXPECT(length == 10);
  init();
  memset(buffer, 0, 20);
  gmo.Options = MQGMO_ACCEPT_TRUNCATED_MSG;
  MQGET(hconn, queue, &md, &gmo, 4, buffer, &length, &cc, &rc);
  WARNS(MQRC_TRUNCATED_MSG_ACCEPTED);
  EXPECT(length == 10 && !memcmp(buffer, "0123", 4) && !buffer[4]);
  init();
  MQGET(hconn, queue, &md, &gmo, 4, buffer, &length, &cc, &rc);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  put(queue, "x");
  init();
  MQGET(hconn, queue, &md, &gmo, 0, NULL, &length, &cc, &rc);
  WARNS(MQRC_TRUNCATED_MSG_FAILED);
  EXPECT(length == 1);
  clear(queue);
  put(queue, "");
  OK;
  init();
  MQGET(hconn, queue, &md, &gmo, 0, NULL, &length, &cc, &rc);
  OK;
  EXPECT(length == 0);
  /* convert */
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 500;
  MQPUT(hconn, queue, &md, &pmo, 2, "\xC1\xC2", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 819;
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  OK;
  EXPECT(!memcmp(buffer, "AB", 2) && md.CodedCharSetId == 819);
  init();
  md.CodedCharSetId = 500;
  MQPUT(hconn, queue, &md, &pmo, 2, "\xC1\xC2", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 819;
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  WARNS(MQRC_FORMAT_ERROR);
  EXPECT(md.CodedCharSetId == 500 && buffer[0] == '\xC1');
  init();
  memcpy(md.Format, "MYFMT   ", 8);
  md.CodedCharSetId = 500;
  MQPUT(hconn, queue, &md, &pmo, 2, "\xC1\xC2", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 819;
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  WARNS(MQRC_FORMAT_ERROR);
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 819;
  MQPUT(hconn, queue, &md, &pmo, 2, "\xE9\xE9", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 1208;
  MQGET(hconn, queue, &md, &gmo, 2, buffer, &length, &cc, &rc);
  WARNS(MQRC_TRUNCATED);
  EXPECT(length == 2 && md.CodedCharSetId == 819);
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 819;
  MQPUT(hconn, queue, &md, &pmo, 2, "\xE9\xE9", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT | MQGMO_ACCEPT_TRUNCATED_MSG;
  md.CodedCharSetId = 1208;
  MQGET(hconn, queue, &md, &gmo, 2, buffer, &length, &cc, &rc);
  WARNS(MQRC_TRUNCATED_MSG_ACCEPTED);
  EXPECT(length == 2 && md.CodedCharSetId == 1208 && !memcmp(buffer, "\xC3\xA9", 2));
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 99999;
  MQPUT(hconn, queue, &md, &pmo, 2, "ab", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 1208;
  MQGET(hconn, queue, &md, &gmo, 20, buffer, &length, &cc, &rc);
  WARNS(MQRC_SOURCE_CCSID_ERROR);
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 819;
  MQPUT(hconn, queue, &md, &pmo, 2, "ab", &cc, &rc);
  OK;
  init();
  gmo.Options = MQGMO_CONVERT;
  md.CodedCharSetId = 99999;
  MQGET(hconn, queue, &md, &gmo, 20, buffer, &length, &cc, &rc);
  WARNS(MQRC_TARGET_CCSID_ERROR);
  /* dead letter header with text: converts */
  {
    MQDLH d = {MQDLH_DEFAULT};
    d.Encoding = MQENC_NATIVE;
    d.CodedCharSetId = 819;
    memcpy(d.Format, MQFMT_STRING, 8);
    char m[200];
    memcpy(m, &d, sizeof d);
    memcpy(m + sizeof d, "text", 4);
    init();
    memcpy(md.Format, MQFMT_DEAD_LETTER_HEADER, 8);
    md.Encoding = MQENC_NATIVE;
    md.CodedCharSetId = 819;
    MQPUT(hconn, queue, &md, &pmo, sizeof d + 4, m, &cc, &rc);
    OK;
    init();
    gmo.Options = MQGMO_CONVERT;
    md.CodedCharSetId = 500;
    MQGET(hconn, queue, &md, &gmo, 300, buffer, &length, &cc, &rc);
    OK;
    EXPECT(md.CodedCharSetId == 500 && md.Encoding == MQENC_NATIVE && length == sizeof d + 4 &&
           !memcmp(buffer, "\xC4\xD3\xC8\x40\1\0\0\0", 8) &&
           !memcmp(buffer + sizeof d, "\xA3\x85\xA7\xA3", 4));
  }
  /* async put + MQSTAT */
  MQHOBJ qa = opened("OUT", MQOO_OUTPUT | MQOO_SET | MQOO_INQUIRE | MQOO_INPUT_SHARED);
  clear(qa);
  MQSTS st = {MQSTS_DEFAULT};
  MQSTAT(hconn, MQSTAT_TYPE_ASYNC_ERROR, &st, &cc, &rc);
  OK;
  init();
  pmo.Options = MQPMO_ASYNC_RESPONSE | MQPMO_SYNCPOINT;
  for (int i = 0; i < 3; i++) {
    MQPUT(hconn, qa, &md, &pmo, 1, "a", &cc, &rc);
    OK;
  }
  MQLONG s = MQIA_INHIBIT_PUT, v = 1;
  MQSET(hconn, qa, 1, &s, 1, &v, 0, NULL, &cc, &rc);
  OK;
  MQPUT(hconn, qa, &md, &pmo, 1, "a", &cc, &rc);
  OK;
  v = 0;
  MQSET(hconn, qa, 1, &s, 1, &v, 0, NULL, &cc, &rc);
  MQSTAT(hconn, MQSTAT_TYPE_ASYNC_ERROR, &st, &cc, &rc);
  OK;
  EXPECT(st.CompCode == MQCC_FAILED && st.Reason == 2051 && st.PutSuccessCount == 3 &&
         st.PutFailureCount == 1 && !memcmp(st.ObjectName, "OUT ", 3));
  MQCMIT(hconn, &cc, &rc);
  OK;
  clear(qa);
  /* lock, unlock, under cursor */
  put(queue, "l1");
  put(queue, "l2");
  init();
  gmo.Options = MQGMO_BROWSE_FIRST | MQGMO_LOCK;
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  OK;
  {
    MQHCONN h2;
    MQCNO c = {MQCNO_DEFAULT};
    c.Options = MQCNO_HANDLE_SHARE_BLOCK;
    MQCONNX("QM1", &c, &h2, &cc, &rc);
    MQOD od = {MQOD_DEFAULT};
    MQHOBJ q2;
    strcpy(od.ObjectName, "IN");
    MQOPEN(h2, &od, MQOO_INPUT_SHARED, &q2, &cc, &rc);
    init();
    MQGET(h2, q2, &md, &gmo, 10, buffer, &length, &cc, &rc);
    OK;
    EXPECT(!memcmp(buffer, "l2", 2));
    init();
    MQGET(h2, q2, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    init();
    gmo.Options = MQGMO_MSG_UNDER_CURSOR;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    OK;
    EXPECT(!memcmp(buffer, "l1", 2));
    MQDISC(&h2, &cc, &rc);
  }
  /* backout count, inhibit, uow */
  put(queue, "b");
  for (int i = 0; i < 3; i++) {
    init();
    gmo.Options = MQGMO_SYNCPOINT;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    OK;
    EXPECT(md.BackoutCount == i);
    MQBACK(hconn, &cc, &rc);
    OK;
  }
  clear(queue);
  /* expiry */
  init();
  md.Expiry = 2;
  MQPUT(hconn, queue, &md, &pmo, 1, "e", &cc, &rc);
  OK;
  usleep(400000);
  init();
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  init();
  md.Expiry = 1000;
  MQPUT(hconn, queue, &md, &pmo, 1, "e", &cc, &rc);
  OK;
  usleep(250000);
  init();
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  OK;
  EXPECT(md.Expiry > 900 && md.Expiry < 1000);
  /* wait timing */
  init();
  gmo.Options = MQGMO_WAIT;
  gmo.WaitInterval = 300;
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  /* big message */
  {
    char *big = calloc(1, 5000000);
    init();
    MQPUT(hconn, queue, &md, &pmo, 4194304, big, &cc, &rc);
    OK;
    MQPUT(hconn, queue, &md, &pmo, 4194305, big, &cc, &rc);
    FAILS(MQRC_MSG_TOO_BIG_FOR_Q_MGR);
    init();
    MQGET(hconn, queue, &md, &gmo, 5000000, big, &length, &cc, &rc);
    OK;
    EXPECT(length == 4194304);
    free(big);
  }
  /* context */
  MQHOBJ qs = opened("IN", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT);
  OK;
  init();
  md.Version = 1;
  pmo.Options = MQPMO_SET_ALL_CONTEXT;
  memcpy(md.UserIdentifier, "someone     ", 12);
  memcpy(md.PutDate, "20200102", 8);
  memcpy(md.PutTime, "03040506", 8);
  md.PutApplType = MQAT_CICS;
  memcpy(md.PutApplName, "app                         ", 28);
  MQPUT(hconn, qs, &md, &pmo, 1, "c", &cc, &rc);
  OK;
  init();
  MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
  OK;
  EXPECT(!memcmp(md.UserIdentifier, "someone", 7) && !memcmp(md.PutDate, "20200102", 8) &&
         md.PutApplType == MQAT_CICS);
  /* save and pass all context */
  MQHOBJ qi = opened("IN", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT),
         qo = opened("OUT", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT);
  put(queue, "ctx");
  init();
  pmo.Options = MQPMO_PASS_ALL_CONTEXT;
  pmo.Context = qi;
  MQPUT(hconn, qo, &md, &pmo, 1, "c", &cc, &rc);
  FAILS(MQRC_CONTEXT_NOT_AVAILABLE);
  init();
  MQGET(hconn, qi, &md, &gmo, 10, buffer, &length, &cc, &rc);
  OK;
  pmo.Options = MQPMO_PASS_ALL_CONTEXT;
  pmo.Context = qi;
  MQPUT(hconn, qo, &md, &pmo, 1, "c", &cc, &rc);
  OK;
  pmo.Context = 999;
  MQPUT(hconn, qo, &md, &pmo, 1, "c", &cc, &rc);
  FAILS(MQRC_CONTEXT_HANDLE_ERROR);
  clear(qa);
  leave();
  return 0;
}
