/* A program of the C client that tries options: what each does, and which do not go together. */
#include "expect.h"

static char buffer[500];
static MQLONG length;
static MQMD md;
static MQPMO pmo;
static MQHOBJ queue;

static void put_with(MQHOBJ hobj, MQLONG options) {
  MQMD m = {MQMD_DEFAULT};
  md = m;
  md.Version = 2;
  pmo.Options = options;
  MQPUT(hconn, hobj, &md, &pmo, 1, "x", &cc, &rc);
}

static void get_with(MQLONG options) {
  MQMD m = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  md = m;
  gmo.Options = options;
  MQGET(hconn, queue, &md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
}

static void gets(void) {
  const MQLONG wrong[] = {
      0x80000,
      MQGMO_SET_SIGNAL,
      MQGMO_MARK_SKIP_BACKOUT | MQGMO_SYNCPOINT,
      MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT,
      MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT,
      MQGMO_SYNCPOINT_IF_PERSISTENT | MQGMO_NO_SYNCPOINT,
      MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT,
      MQGMO_BROWSE_FIRST | MQGMO_SYNCPOINT,
      MQGMO_BROWSE_NEXT | MQGMO_SYNCPOINT_IF_PERSISTENT,
      MQGMO_BROWSE_MSG_UNDER_CURSOR | MQGMO_MSG_UNDER_CURSOR,
      MQGMO_BROWSE_NEXT | MQGMO_UNLOCK,
      MQGMO_UNLOCK | MQGMO_WAIT,
      MQGMO_UNLOCK | MQGMO_SYNCPOINT,
      MQGMO_LOCK,
      MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE,
  };
  put_with(queue, MQPMO_NONE);
  OK;
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    get_with(wrong[i]);
    FAILS(MQRC_OPTIONS_ERROR);
  }
  get_with(MQGMO_UNLOCK | MQGMO_NO_SYNCPOINT);
  WARNS(MQRC_NO_MSG_LOCKED);
  get_with(MQGMO_WAIT | MQGMO_MSG_UNDER_CURSOR);
  FAILS(MQRC_NO_MSG_UNDER_CURSOR);
  get_with(MQGMO_BROWSE_NEXT | MQGMO_LOGICAL_ORDER);
  OK;
  get_with(MQGMO_BROWSE_NEXT);
  FAILS(MQRC_INCONSISTENT_BROWSE);
  get_with(MQGMO_BROWSE_FIRST | MQGMO_LOCK);
  OK;
  get_with(MQGMO_UNLOCK);
  OK;
  get_with(MQGMO_SYNCPOINT_IF_PERSISTENT);
  OK;
  MQBACK(hconn, &cc, &rc);
  get_with(MQGMO_NONE);
  FAILS(MQRC_NO_MSG_AVAILABLE);
}

/* To set context implies to pass it, and all of it implies that of identity. */
static void contexts(void) {
  const MQLONG open_with[] = {MQOO_PASS_IDENTITY_CONTEXT, MQOO_PASS_ALL_CONTEXT,
                              MQOO_SET_IDENTITY_CONTEXT, MQOO_SET_ALL_CONTEXT};
  const MQLONG put_options[] = {MQPMO_PASS_IDENTITY_CONTEXT, MQPMO_PASS_ALL_CONTEXT,
                                MQPMO_SET_IDENTITY_CONTEXT, MQPMO_SET_ALL_CONTEXT};
  const MQLONG reasons[4][4] = {
      {0, MQRC_NOT_OPEN_FOR_PASS_ALL, MQRC_NOT_OPEN_FOR_SET_IDENT, MQRC_NOT_OPEN_FOR_SET_ALL},
      {0, 0, MQRC_NOT_OPEN_FOR_SET_IDENT, MQRC_NOT_OPEN_FOR_SET_ALL},
      {0, MQRC_NOT_OPEN_FOR_PASS_ALL, 0, MQRC_NOT_OPEN_FOR_SET_ALL},
      {0, 0, 0, 0}};
  put_with(queue, MQPMO_NONE);
  MQHOBJ saves = opened("IN", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT), keep = queue;
  pmo.Context = queue;
  MQHOBJ out = opened("OUT", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT);
  put_with(out, MQPMO_PASS_ALL_CONTEXT);
  FAILS(MQRC_CONTEXT_HANDLE_ERROR);
  pmo.Context = saves;
  put_with(out, MQPMO_PASS_ALL_CONTEXT);
  FAILS(MQRC_CONTEXT_NOT_AVAILABLE);
  MQCLOSE(hconn, &out, MQCO_NONE, &cc, &rc);
  queue = saves;
  get_with(MQGMO_NONE);
  OK;
  for (int i = 0; i < 4; i++) {
    out = opened("OUT", MQOO_OUTPUT | open_with[i]);
    OK;
    for (int j = 0; j < 4; j++) {
      put_with(out, put_options[j]);
      EXPECT(rc == reasons[i][j]);
    }
    MQCLOSE(hconn, &out, MQCO_NONE, &cc, &rc);
  }
  MQCLOSE(hconn, &saves, MQCO_NONE, &cc, &rc);
  queue = keep;
  out = opened("OUT", MQOO_INPUT_SHARED);
  clear(out);
  MQCLOSE(hconn, &out, MQCO_NONE, &cc, &rc);
}

static void puts_(void) {
  put_with(queue, 1);
  FAILS(MQRC_OPTIONS_ERROR);
  put_with(queue, MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE);
  FAILS(MQRC_OPTIONS_ERROR);
  MQMD m = {MQMD_DEFAULT};
  md = m;
  MQOD once = {MQOD_DEFAULT};
  strcpy(once.ObjectName, "OUT");
  pmo.Options = MQPMO_LOGICAL_ORDER;
  MQPUT1(hconn, &once, &md, &pmo, 1, "x", &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  md = m;
  md.Priority = 77;
  md.Report = MQRO_COA;
  memcpy(md.Format, MQFMT_STRING, 8);
  pmo.Options = MQPMO_MD_FOR_OUTPUT_ONLY;
  MQPUT(hconn, queue, &md, &pmo, 1, "x", &cc, &rc);
  OK;
  EXPECT(md.Priority == 0 && md.Report == 0 && memcmp(md.Format, MQFMT_NONE, 8) == 0);
  clear(queue);
  md = m;
  pmo.Options = MQPMO_NONE;
  md.Report = 0x8000;
  MQPUT(hconn, queue, &md, &pmo, 1, "x", &cc, &rc);
  FAILS(MQRC_REPORT_OPTIONS_ERROR);
  md = m;
  md.Version = 2;
  md.MsgFlags = 0x1000;
  MQPUT(hconn, queue, &md, &pmo, 1, "x", &cc, &rc);
  FAILS(MQRC_MSG_FLAGS_ERROR);
  MQHOBJ far = opened("FAR", MQOO_OUTPUT);
  OK;
  md.Report = 0x8000; /* the queue manager there may know both */
  MQPUT(hconn, far, &md, &pmo, 1, "x", &cc, &rc);
  WARNS(MQRC_UNKNOWN_REPORT_OPTION);
  EXPECT(memcmp(pmo.ResolvedQName, "THERE ", 6) == 0);
  put_with(far, MQPMO_RESOLVE_LOCAL_Q);
  OK;
  EXPECT(memcmp(pmo.ResolvedQName, "QM2 ", 4) == 0);
  EXPECT(memcmp(pmo.ResolvedQMgrName, "QM1 ", 4) == 0);
  MQCLOSE(hconn, &far, MQCO_NONE, &cc, &rc);
  MQOD od = {MQOD_DEFAULT};
  od.Version = MQOD_VERSION_3;
  memcpy(od.ObjectName, "FAR", 3);
  MQOPEN(hconn, &od, MQOO_OUTPUT | MQOO_RESOLVE_LOCAL_Q, &far, &cc, &rc);
  OK;
  EXPECT(memcmp(od.ResolvedQName, "QM2 ", 4) == 0);
  MQCLOSE(hconn, &far, MQCO_NONE, &cc, &rc);
  MQOD topic = {MQOD_DEFAULT};
  topic.Version = MQOD_VERSION_4;
  topic.ObjectType = MQOT_TOPIC;
  text_in(&topic.ObjectString, "dev/new");
  MQOPEN(hconn, &topic, MQOO_OUTPUT | MQOO_RESOLVE_LOCAL_TOPIC, &far, &cc, &rc);
  OK;
  EXPECT(memcmp(topic.ResolvedQName, "BASE ", 5) == 0);
  MQCLOSE(hconn, &far, MQCO_NONE, &cc, &rc);
}

/* A queue with DEFPRESP(ASYNC) that has puts disabled: the call itself knows nothing of it. */
static void later(void) {
  MQSTS sts = {MQSTS_DEFAULT};
  MQHOBJ hobj = opened("LATER", MQOO_OUTPUT);
  put_with(hobj, MQPMO_SYNC_RESPONSE);
  FAILS(MQRC_PUT_INHIBITED);
  put_with(hobj, MQPMO_RESPONSE_AS_Q_DEF);
  OK;
  MQSTAT(hconn, MQSTAT_TYPE_ASYNC_ERROR, &sts, &cc, &rc);
  OK;
  EXPECT(sts.PutFailureCount == 1 && sts.Reason == MQRC_PUT_INHIBITED);
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
}

static void closes(void) {
  MQHOBJ hobj = opened("OUT", MQOO_OUTPUT);
  MQCLOSE(hconn, &hobj, MQCO_DELETE | MQCO_DELETE_PURGE, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  MQCLOSE(hconn, &hobj, MQCO_KEEP_SUB | MQCO_REMOVE_SUB, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  MQCLOSE(hconn, &hobj, 0x40, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  MQCLOSE(hconn, &hobj, MQCO_REMOVE_SUB, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  MQCLOSE(hconn, &hobj, MQCO_DELETE, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  MQCLOSE(hconn, &hobj, MQCO_QUIESCE, &cc, &rc);
  OK;
  MQSD sd = {MQSD_DEFAULT};
  MQHOBJ managed = MQHO_NONE, subscription;
  sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE;
  text_in(&sd.ObjectString, "a/b");
  MQSUB(hconn, &sd, &managed, &subscription, &cc, &rc);
  OK;
  MQCLOSE(hconn, &subscription, MQCO_DELETE, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  MQCLOSE(hconn, &subscription, MQCO_KEEP_SUB, &cc, &rc);
  FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
  MQCLOSE(hconn, &subscription, MQCO_REMOVE_SUB, &cc, &rc);
  OK;
  MQCLOSE(hconn, &managed, MQCO_NONE, &cc, &rc);
}

int main(void) {
  MQPMO p = {MQPMO_DEFAULT};
  pmo = p;
  connect_here();
  queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE);
  OK;
  clear(queue);
  gets();
  contexts();
  puts_();
  later();
  closes();
  leave();
  return 0;
}
