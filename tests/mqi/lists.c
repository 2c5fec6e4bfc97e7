/* A program of the C client that puts to several queues at once. */
#include "expect.h"

#define MOST 6

typedef struct {
  MQBYTE24 MsgId;
  MQBYTE24 CorrelId;
} IdRecord;

typedef struct {
  MQBYTE24 GroupId;
  MQLONG Feedback;
  MQBYTE32 AccountingToken;
} OtherRecord;

static MQOD od;
static MQMD md;
static MQPMO pmo;
static MQHOBJ list;
static struct {  /* the objects lie behind the MQOD, so that an offset leads to them, too */
  MQOD od;
  MQOR objects[MOST];
  MQRR responses[MOST];
} at_offset;
static MQOR *const objects = at_offset.objects;
static MQRR *const responses = at_offset.responses;
static const MQBYTE24 no_id;

static void init(void) {
  MQOD o = {MQOD_DEFAULT};
  MQMD m = {MQMD_DEFAULT};
  MQPMO p = {MQPMO_DEFAULT};
  od = o, md = m, pmo = p;
  od.Version = MQOD_VERSION_2;
  pmo.Version = MQPMO_VERSION_2;
  pmo.Options = MQPMO_NO_SYNCPOINT;
  list = MQHO_UNUSABLE_HOBJ;
  memset(responses, 0x55, sizeof at_offset.responses);
}

/* Name the queues of a list; it is not opened yet. */
static void name(int count, const char *const *names) {
  init();
  memset(objects, 0, sizeof at_offset.objects);
  for (int i = 0; i < count; i++) memcpy(objects[i].ObjectName, names[i], strlen(names[i]));
  od.RecsPresent = count;
  od.ObjectRecPtr = objects;
  od.ResponseRecPtr = responses;
}

static void open_list(void) { MQOPEN(hconn, &od, MQOO_OUTPUT, &list, &cc, &rc); }

static void put_to_list(const char *text) {
  MQPUT(hconn, list, &md, &pmo, (MQLONG)strlen(text), (PMQVOID)text, &cc, &rc);
}

static void close_list(void) {
  MQCLOSE(hconn, &list, MQCO_NONE, &cc, &rc);
  OK;
}

static MQMD got(const char *queue, const char *text) {
  MQMD found = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQLONG length;
  char buffer[20] = "";
  MQHOBJ hobj = opened(queue, MQOO_INPUT_SHARED);
  OK;
  found.Version = MQMD_VERSION_2;
  MQGET(hconn, hobj, &found, &gmo, sizeof buffer - 1, buffer, &length, &cc, &rc);
  OK;
  EXPECT(strcmp(buffer, text) == 0);
  MQCLOSE(hconn, &hobj, 0, &cc, &rc);
  return found;
}

#define SAME(a, b) (memcmp(a, b, sizeof(MQBYTE24)) == 0)
#define COUNTS(s, known, unknown, invalid) \
  EXPECT((s).KnownDestCount == known && (s).UnknownDestCount == unknown && \
         (s).InvalidDestCount == invalid)
#define RESPONSE(at, cc_, rc_) \
  EXPECT(responses[at].CompCode == (cc_) && responses[at].Reason == (rc_))

static const char *const TWO[] = {"IN", "OUT"};

static void all_succeed(void) {
  name(2, TWO);
  open_list();
  OK;
  COUNTS(od, 2, 0, 0);
  EXPECT(od.ObjectRecPtr == objects && responses[0].Reason == 0x55555555);
  put_to_list("both");
  OK;
  COUNTS(pmo, 2, 0, 0);
  EXPECT(SAME(md.MsgId, no_id) && md.PutDate[0] == '2');
  MQMD first = got("IN", "both"), second = got("OUT", "both");
  EXPECT(!SAME(first.MsgId, second.MsgId));
  MQLONG selector = MQIA_Q_TYPE, value;
  MQINQ(hconn, list, 1, &selector, 1, &value, 0, NULL, &cc, &rc);
  FAILS(MQRC_NOT_OPEN_FOR_INQUIRE);
  MQCLOSE(hconn, &list, MQCO_DELETE, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  close_list();
  put_to_list("both");
  FAILS(MQRC_HOBJ_ERROR);
}

/* Records behind the structures, which offsets lead to. */
static void by_offset(void) {
  name(2, TWO);
  at_offset.od = od;
  at_offset.od.ObjectRecPtr = at_offset.od.ResponseRecPtr = NULL;
  at_offset.od.ObjectRecOffset = (MQLONG)((char *)objects - (char *)&at_offset);
  at_offset.od.ResponseRecOffset = (MQLONG)((char *)responses - (char *)&at_offset);
  memcpy(objects[1].ObjectName, "NONE", 4);
  MQOPEN(hconn, &at_offset.od, MQOO_OUTPUT, &list, &cc, &rc);
  WARNS(MQRC_MULTIPLE_REASONS);
  COUNTS(at_offset.od, 1, 0, 1);
  RESPONSE(0, MQCC_OK, MQRC_NONE);
  RESPONSE(1, MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME);
  struct { MQPMO pmo; MQRR responses[2]; IdRecord ids[2]; } put = {0};
  put.pmo = pmo;
  memset(put.ids[0].MsgId, 'a', 24);
  put.pmo.RecsPresent = 2;
  put.pmo.PutMsgRecFields = MQPMRF_MSG_ID | MQPMRF_CORREL_ID;
  put.pmo.PutMsgRecOffset = (MQLONG)((char *)put.ids - (char *)&put);
  put.pmo.ResponseRecOffset = (MQLONG)((char *)put.responses - (char *)&put);
  MQPUT(hconn, list, &md, &put.pmo, 3, "one", &cc, &rc);
  WARNS(MQRC_MULTIPLE_REASONS);
  COUNTS(put.pmo, 1, 0, 1);
  EXPECT(put.responses[0].CompCode == MQCC_OK && put.responses[0].Reason == MQRC_NONE);
  EXPECT(put.responses[1].CompCode == MQCC_FAILED && put.responses[1].Reason == MQRC_OPEN_FAILED);
  MQMD in = got("IN", "one");
  EXPECT(SAME(in.MsgId, put.ids[0].MsgId));
  close_list();
}

/* What cannot be opened, each for a reason of its own. */
static void some_fail(void) {
  static const char *const names[] = {"IN", "TO.TOPIC", "SYSTEM.DEFAULT.MODEL.QUEUE", "FAR", "NONE",
                                      "TO.IN"};
  name(6, names);
  open_list();
  WARNS(MQRC_MULTIPLE_REASONS);
  COUNTS(od, 2, 1, 3);
  RESPONSE(0, MQCC_OK, MQRC_NONE);
  RESPONSE(1, MQCC_FAILED, MQRC_ALIAS_BASE_Q_TYPE_ERROR);
  RESPONSE(2, MQCC_FAILED, MQRC_Q_TYPE_ERROR);
  RESPONSE(3, MQCC_OK, MQRC_NONE);
  RESPONSE(4, MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME);
  RESPONSE(5, MQCC_OK, MQRC_NONE);
  pmo.RecsPresent = 2;  /* fewer than there are queues */
  MQRR two[2];
  pmo.ResponseRecPtr = two;
  put_to_list("three");
  WARNS(MQRC_MULTIPLE_REASONS);
  COUNTS(pmo, 2, 1, 3);
  EXPECT(two[0].Reason == MQRC_NONE && two[1].Reason == MQRC_OPEN_FAILED);
  got("IN", "three");
  got("IN", "three");
  close_list();
  name(2, names + 1);  /* all fail, of two reasons */
  open_list();
  FAILS(MQRC_MULTIPLE_REASONS);
  COUNTS(od, 0, 0, 2);
  RESPONSE(1, MQCC_FAILED, MQRC_Q_TYPE_ERROR);
  EXPECT(list == MQHO_UNUSABLE_HOBJ);
  static const char *const nowhere[] = {"NONE", "NONE.EITHER"};
  name(2, nowhere);  /* all fail alike */
  open_list();
  FAILS(MQRC_UNKNOWN_OBJECT_NAME);
  EXPECT(responses[0].Reason == 0x55555555);
}

static void ids(void) {
  IdRecord records[2] = {0};
  name(2, TWO);
  open_list();
  OK;
  pmo.RecsPresent = 2;
  pmo.PutMsgRecFields = MQPMRF_MSG_ID | MQPMRF_CORREL_ID;
  pmo.PutMsgRecPtr = records;
  memset(records[0].CorrelId, 'x', 24);
  memset(records[1].CorrelId, 'y', 24);
  put_to_list("ids");
  OK;
  MQMD in = got("IN", "ids"), out = got("OUT", "ids");
  EXPECT(SAME(in.MsgId, records[0].MsgId) && SAME(out.MsgId, records[1].MsgId));
  EXPECT(!SAME(in.MsgId, no_id) && !SAME(in.MsgId, out.MsgId));
  EXPECT(in.CorrelId[0] == 'x' && out.CorrelId[23] == 'y');
  EXPECT(SAME(md.CorrelId, no_id) && SAME(md.MsgId, no_id));
  pmo.Options |= MQPMO_NEW_MSG_ID | MQPMO_NEW_CORREL_ID;
  put_to_list("new");
  OK;
  MQMD in2 = got("IN", "new"), out2 = got("OUT", "new");
  EXPECT(!SAME(in2.MsgId, in.MsgId) && !SAME(in2.MsgId, out2.MsgId));
  EXPECT(in2.CorrelId[0] != 'x' && SAME(in2.CorrelId, out2.CorrelId));
  EXPECT(SAME(records[1].CorrelId, out2.CorrelId) && SAME(records[1].MsgId, out2.MsgId));
  EXPECT(SAME(md.CorrelId, out2.CorrelId));
  close_list();
}

static void other_fields(void) {
  OtherRecord records[2] = {0};
  name(2, TWO);
  MQOPEN(hconn, &od, MQOO_OUTPUT | MQOO_SET_IDENTITY_CONTEXT, &list, &cc, &rc);
  OK;
  pmo.RecsPresent = 2;
  pmo.PutMsgRecFields = MQPMRF_GROUP_ID | MQPMRF_FEEDBACK | MQPMRF_ACCOUNTING_TOKEN;
  pmo.PutMsgRecPtr = records;
  put_to_list("x");
  FAILS(MQRC_PMO_RECORD_FLAGS_ERROR);
  pmo.Options |= MQPMO_SET_IDENTITY_CONTEXT;
  md.Version = MQMD_VERSION_2;
  md.MsgFlags = MQMF_MSG_IN_GROUP;
  md.MsgType = MQMT_REPORT;
  memset(records[0].GroupId, 'g', 24);
  records[0].Feedback = MQFB_COA, records[1].Feedback = MQFB_COD;
  memset(records[1].AccountingToken, 't', 32);
  put_to_list("others");
  OK;
  MQMD in = got("IN", "others"), out = got("OUT", "others");
  EXPECT(in.GroupId[0] == 'g' && out.GroupId[0] != 'g');
  EXPECT(SAME(records[1].GroupId, out.GroupId) && !SAME(out.GroupId, no_id));
  EXPECT(in.Feedback == MQFB_COA && out.Feedback == MQFB_COD);
  EXPECT(in.AccountingToken[31] == 0 && out.AccountingToken[31] == 't');
  close_list();
}

static void unit_of_work(void) {
  name(2, TWO);
  open_list();
  pmo.Options = MQPMO_SYNCPOINT;
  put_to_list("gone");
  OK;
  MQBACK(hconn, &cc, &rc);
  OK;
  put_to_list("kept");
  OK;
  MQCMIT(hconn, &cc, &rc);
  OK;
  got("IN", "kept");
  got("OUT", "kept");
  close_list();
}

static void put_once(void) {
  static const char *const names[] = {"IN", "OUT", "SHUT"};
  name(2, TWO);
  MQPUT1(hconn, &od, &md, &pmo, 4, "once", &cc, &rc);
  OK;
  COUNTS(od, 2, 0, 0);
  COUNTS(pmo, 2, 0, 0);
  got("IN", "once");
  got("OUT", "once");
  name(3, names);
  pmo.RecsPresent = 3;
  IdRecord records[3] = {0};
  pmo.PutMsgRecPtr = records;
  pmo.PutMsgRecFields = MQPMRF_MSG_ID | MQPMRF_CORREL_ID;
  MQPUT1(hconn, &od, &md, &pmo, 4, "once", &cc, &rc);
  WARNS(MQRC_MULTIPLE_REASONS);
  COUNTS(pmo, 2, 0, 1);
  RESPONSE(1, MQCC_OK, MQRC_NONE);
  RESPONSE(2, MQCC_FAILED, MQRC_PUT_INHIBITED);
  MQMD in = got("IN", "once");
  EXPECT(SAME(in.MsgId, records[0].MsgId) && SAME(records[2].MsgId, no_id));
  got("OUT", "once");
  pmo.ResponseRecPtr = responses;  /* MQPUT1 answers in those of the MQOD */
  MQPUT1(hconn, &od, &md, &pmo, 4, "once", &cc, &rc);
  FAILS(MQRC_RESPONSE_RECORDS_ERROR);
  name(1, names + 2);
  MQPUT1(hconn, &od, &md, &pmo, 4, "once", &cc, &rc);
  FAILS(MQRC_PUT_INHIBITED);
}

static void bad_lists(void) {
  name(2, TWO);
  od.ObjectRecOffset = 500;
  open_list();
  FAILS(MQRC_OBJECT_RECORDS_ERROR);
  od.ObjectRecOffset = 0, od.ObjectRecPtr = NULL;
  open_list();
  FAILS(MQRC_OBJECT_RECORDS_ERROR);
  name(2, TWO);
  od.ResponseRecOffset = 500;
  open_list();
  FAILS(MQRC_RESPONSE_RECORDS_ERROR);
  name(2, TWO);
  od.RecsPresent = -1;
  open_list();
  FAILS(MQRC_RECS_PRESENT_ERROR);
  name(2, TWO);
  od.ObjectType = MQOT_TOPIC;
  open_list();
  FAILS(MQRC_RECS_PRESENT_ERROR);
  name(2, TWO);
  od.ObjectName[0] = 'A';
  open_list();
  FAILS(MQRC_OBJECT_NAME_ERROR);
  name(2, TWO);
  od.ObjectQMgrName[0] = 'A';
  open_list();
  FAILS(MQRC_OBJECT_Q_MGR_NAME_ERROR);
  name(2, TWO);
  MQOPEN(hconn, &od, MQOO_OUTPUT | MQOO_INQUIRE, &list, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  MQOPEN(hconn, &od, MQOO_FAIL_IF_QUIESCING, &list, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
}

static void bad_records(void) {
  IdRecord records[2] = {0};
  name(2, TWO);
  open_list();
  OK;
  pmo.RecsPresent = 2;
  pmo.PutMsgRecPtr = records;
  put_to_list("x");
  FAILS(MQRC_PMO_RECORD_FLAGS_ERROR);
  pmo.PutMsgRecFields = 64;
  put_to_list("x");
  FAILS(MQRC_PMO_RECORD_FLAGS_ERROR);
  pmo.PutMsgRecFields = MQPMRF_MSG_ID;
  pmo.PutMsgRecOffset = 500;
  put_to_list("x");
  FAILS(MQRC_PUT_MSG_RECORDS_ERROR);
  pmo.PutMsgRecOffset = 0;
  pmo.ResponseRecPtr = responses, pmo.ResponseRecOffset = 500;
  put_to_list("x");
  FAILS(MQRC_RESPONSE_RECORDS_ERROR);
  pmo.ResponseRecOffset = 0, pmo.RecsPresent = -1;
  put_to_list("x");
  FAILS(MQRC_RECS_PRESENT_ERROR);
  close_list();
  list = opened("IN", MQOO_OUTPUT);
  pmo.RecsPresent = 1;
  put_to_list("x");
  FAILS(MQRC_RECS_PRESENT_ERROR);
  close_list();
}

int main(void) {
  connect_here();
  all_succeed();
  by_offset();
  some_fail();
  ids();
  other_fields();
  unit_of_work();
  put_once();
  bad_lists();
  bad_records();
  leave();
  return 0;
}
