/* A program of the C client whose messages are read ahead of it (MQOO_READ_AHEAD, DEFREADA). */
#include <signal.h>

#include "expect.h"

static MQHOBJ sink;

static void put_all(const char *queue, int count, MQLONG persistence) {
  MQHOBJ hobj = opened(queue, MQOO_OUTPUT);
  OK;
  for (int i = 0; i < count; i++) {
    MQMD md = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    char text[20];
    md.Persistence = persistence;
    sprintf(text, "%d", i);
    memset(md.MsgId, 'a' + i, sizeof md.MsgId);
    pmo.Options = MQPMO_NO_SYNCPOINT;
    MQPUT(hconn, hobj, &md, &pmo, (MQLONG)strlen(text), text, &cc, &rc);
    OK;
  }
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  OK;
}

static MQLONG depth(MQHCONN connection, const char *queue) {
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ hobj;
  MQLONG selector = MQIA_CURRENT_Q_DEPTH, found;
  memcpy(od.ObjectName, queue, strlen(queue));
  MQOPEN(connection, &od, MQOO_INQUIRE, &hobj, &cc, &rc);
  OK;
  MQINQ(connection, hobj, 1, &selector, 1, &found, 0, NULL, &cc, &rc);
  OK;
  MQCLOSE(connection, &hobj, MQCO_NONE, &cc, &rc);
  OK;
  return found;
}

/* MQGET with MQGMO_* options; what was got is in `text`. */
static char text[20];
static MQLONG length;
static MQMD md;
static void get(MQHOBJ hobj, MQLONG options, MQLONG room, const char *msg_id) {
  static const MQMD initial = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  gmo.Options = options, gmo.Version = MQGMO_VERSION_3;
  md = initial;
  if (msg_id != NULL) memset(md.MsgId, *msg_id, sizeof md.MsgId);
  memset(text, 0, sizeof text);
  MQGET(hconn, hobj, &md, &gmo, room, text, &length, &cc, &rc);
  if (cc == MQCC_OK) EXPECT(gmo.ReturnedLength == length && gmo.Options == options);
}

static void empty(const char *queue) {
  sink = opened(queue, MQOO_INPUT_SHARED | MQOO_NO_READ_AHEAD);
  OK;
  clear(sink);
  MQCLOSE(hconn, &sink, MQCO_NONE, &cc, &rc);
  OK;
}

/* How many are left of ten after one MQGET. */
static MQLONG left_by(const char *queue, MQLONG open, MQLONG options, MQLONG persistence) {
  put_all(queue, 10, persistence);
  MQHOBJ hobj = opened(queue, open);
  OK;
  get(hobj, options, sizeof text, NULL);
  OK;
  MQLONG left = depth(hconn, queue);
  if (options & MQGMO_SYNCPOINT) MQBACK(hconn, &cc, &rc);
  MQCLOSE(hconn, &hobj, MQCO_IMMEDIATE, &cc, &rc);
  OK;
  EXPECT(depth(hconn, queue) == (options & MQGMO_SYNCPOINT ? 10 : left));
  empty(queue);
  return left;
}

static void is_as_the_queue_and_the_program_say(void) {
  const MQLONG in = MQOO_INPUT_SHARED, no = MQPER_NOT_PERSISTENT;
  EXPECT(left_by("YES", in, 0, no) == 0);
  EXPECT(left_by("YES", in, MQGMO_WAIT | MQGMO_NO_SYNCPOINT, no) == 0);
  EXPECT(left_by("YES", in, 0, MQPER_PERSISTENT) == 9);
  EXPECT(left_by("YES", in | MQOO_NO_READ_AHEAD, 0, no) == 9);
  EXPECT(left_by("YES", in | MQOO_BROWSE, 0, no) == 9);
  EXPECT(left_by("YES", in, MQGMO_SYNCPOINT, no) >= 9);
  EXPECT(left_by("NO", in, 0, no) == 9);
  EXPECT(left_by("NO", in | MQOO_READ_AHEAD, 0, no) == 0);
  EXPECT(left_by("NO", in | MQOO_READ_AHEAD, MQGMO_SYNCPOINT_IF_PERSISTENT, no) == 0);
  EXPECT(left_by("NEVER", in | MQOO_READ_AHEAD, 0, no) == 9);
  MQHOBJ hobj = opened("NO", in | MQOO_READ_AHEAD | MQOO_NO_READ_AHEAD);
  (void)hobj;
  FAILS(MQRC_OPTIONS_ERROR);
}

static void local_bindings_read_nothing_ahead(void) {
  MQCNO cno = {MQCNO_DEFAULT};
  MQHCONN outer = hconn;
  cno.Options = MQCNO_LOCAL_BINDING | MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &hconn, &cc, &rc);
  OK;
  EXPECT(left_by("YES", MQOO_INPUT_SHARED, 0, MQPER_NOT_PERSISTENT) == 9);
  leave();
  hconn = outer;
}

static void what_was_read_ahead_is_given_as_it_is_asked_for(void) {
  put_all("YES", 4, MQPER_NOT_PERSISTENT);
  MQHOBJ hobj = opened("YES", MQOO_INPUT_SHARED);
  OK;
  get(hobj, 0, sizeof text, NULL);
  OK;
  EXPECT(strcmp(text, "0") == 0 && md.MsgId[0] == 'a');
  get(hobj, 0, sizeof text, "c");
  OK;
  EXPECT(strcmp(text, "2") == 0 && md.MsgId[5] == 'c');
  get(hobj, 0, 0, NULL);
  WARNS(MQRC_TRUNCATED_MSG_FAILED);
  EXPECT(length == 1 && md.MsgId[0] == 'b');
  get(hobj, 0, sizeof text, "x");
  FAILS(MQRC_NO_MSG_AVAILABLE);
  put_all("YES", 1, MQPER_PERSISTENT);
  get(hobj, 0, sizeof text, NULL);
  OK;
  EXPECT(strcmp(text, "1") == 0);
  get(hobj, 0, sizeof text, NULL);
  OK;
  EXPECT(strcmp(text, "3") == 0 && md.Persistence == MQPER_NOT_PERSISTENT);
  get(hobj, 0, sizeof text, NULL);
  OK;
  EXPECT(strcmp(text, "0") == 0 && md.Persistence == MQPER_PERSISTENT);
  get(hobj, 0, sizeof text, NULL);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  OK;
}

static void options_stay_as_they_were(void) {
  put_all("YES", 3, MQPER_NOT_PERSISTENT);
  MQHOBJ hobj = opened("YES", MQOO_INPUT_SHARED);
  OK;
  get(hobj, MQGMO_ACCEPT_TRUNCATED_MSG, 0, NULL);
  WARNS(MQRC_TRUNCATED_MSG_ACCEPTED);
  EXPECT(length == 1);
  get(hobj, 0, sizeof text, NULL);
  FAILS(MQRC_OPTIONS_CHANGED);
  get(hobj, MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_CONVERT, sizeof text, NULL);
  FAILS(MQRC_OPTIONS_CHANGED);
  get(hobj, MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_SYNCPOINT, sizeof text, NULL);
  FAILS(MQRC_OPTIONS_ERROR);
  get(hobj, MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_FAIL_IF_QUIESCING, sizeof text, NULL);
  OK;
  EXPECT(strcmp(text, "1") == 0);
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  OK;
  EXPECT(depth(hconn, "YES") == 0);
}

static void a_close_can_wait_for_the_rest(void) {
  put_all("YES", 3, MQPER_NOT_PERSISTENT);
  MQHOBJ hobj = opened("YES", MQOO_INPUT_SHARED);
  OK;
  get(hobj, 0, sizeof text, NULL);
  OK;
  MQCLOSE(hconn, &hobj, MQCO_QUIESCE, &cc, &rc);
  WARNS(MQRC_READ_AHEAD_MSGS);
  put_all("YES", 1, MQPER_NOT_PERSISTENT);
  get(hobj, 0, sizeof text, "x");
  FAILS(MQRC_HOBJ_QUIESCED);
  for (int i = 1; i < 3; i++) {
    get(hobj, 0, sizeof text, NULL);
    OK;
    EXPECT(*text == '0' + i);
  }
  get(hobj, 0, sizeof text, NULL);
  FAILS(MQRC_HOBJ_QUIESCED_NO_MSGS);
  MQCLOSE(hconn, &hobj, MQCO_QUIESCE, &cc, &rc);
  OK;
  EXPECT(depth(hconn, "YES") == 1);
  empty("YES");
}

static void properties_come_with_their_message(void) {
  MQCMHO cmho = {MQCMHO_DEFAULT};
  MQHMSG message;
  MQHOBJ hobj = opened("YES", MQOO_OUTPUT);
  OK;
  MQCRTMH(hconn, &cmho, &message, &cc, &rc);
  OK;
  MQCHARV name = {MQCHARV_DEFAULT};
  text_in(&name, "number");
  for (MQLONG i = 0; i < 3; i++) {
    MQSMPO smpo = {MQSMPO_DEFAULT};
    MQPD pd = {MQPD_DEFAULT};
    MQMD put = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    MQSETMP(hconn, message, &smpo, &name, &pd, MQTYPE_INT32, 4, &i, &cc, &rc);
    OK;
    pmo.Options = MQPMO_NO_SYNCPOINT, pmo.Version = MQPMO_VERSION_3, pmo.OriginalMsgHandle = message;
    MQPUT(hconn, hobj, &put, &pmo, 1, "x", &cc, &rc);
    OK;
  }
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  hobj = opened("YES", MQOO_INPUT_SHARED);
  OK;
  for (MQLONG i = 0; i < 3; i++) {
    MQIMPO impo = {MQIMPO_DEFAULT};
    MQPD pd = {MQPD_DEFAULT};
    MQMD got = {MQMD_DEFAULT};
    MQGMO gmo = {MQGMO_DEFAULT};
    MQLONG type = MQTYPE_INT32, value = -1, bytes;
    gmo.Version = MQGMO_VERSION_4, gmo.MsgHandle = message;
    gmo.Options = MQGMO_PROPERTIES_IN_HANDLE;
    MQGET(hconn, hobj, &got, &gmo, sizeof text, text, &length, &cc, &rc);
    OK;
    EXPECT(length == 1 && depth(hconn, "YES") == 0);
    MQINQMP(hconn, message, &impo, &name, &pd, &type, 4, &value, &bytes, &cc, &rc);
    OK;
    EXPECT(value == i);
  }
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  OK;
}

static volatile int calls, events, flags, last_rc, depth_seen = -1;
static void consumer(MQHCONN connection, PMQMD m, PMQGMO g, PMQVOID data, PMQCBC context) {
  MQHOBJ hobj = context->Hobj;
  (void)m, (void)g, (void)data;
  flags = context->Flags, last_rc = context->Reason;
  if (context->CallType == MQCBCT_EVENT_CALL) {
    events++;
  } else if (context->CallType == MQCBCT_MSG_REMOVED && calls++ == 0) {
    depth_seen = depth(connection, "YES");
    MQCLOSE(connection, &hobj, MQCO_QUIESCE, &cc, &rc);
    WARNS(MQRC_READ_AHEAD_MSGS);
  }
}

static void consumers_have_messages_read_ahead(void) {
  MQCBD cbd = {MQCBD_DEFAULT};
  MQCTLO ctlo = {MQCTLO_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQMD any = {MQMD_DEFAULT};
  put_all("YES", 3, MQPER_NOT_PERSISTENT);
  MQHOBJ hobj = opened("YES", MQOO_INPUT_SHARED);
  OK;
  cbd.CallbackFunction = (MQPTR)consumer;
  MQCB(hconn, MQOP_REGISTER, &cbd, hobj, &any, &gmo, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &ctlo, &cc, &rc);
  OK;
  for (int i = 0; i < 500 && events == 0; i++) usleep(10000);
  MQCTL(hconn, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  EXPECT(depth_seen == 0 && calls == 3 && events == 1);
  EXPECT(last_rc == MQRC_HOBJ_QUIESCED_NO_MSGS && flags == MQCBCF_READA_BUFFER_EMPTY);
  MQCLOSE(hconn, &hobj, MQCO_QUIESCE, &cc, &rc);
  OK;
}

static void managed_queues_may_be_read_ahead(void) {
  MQSD sd = {MQSD_DEFAULT};
  MQHOBJ hobj = MQHO_NONE, hsub, topic;
  MQOD od = {MQOD_DEFAULT};
  sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_READ_AHEAD;
  text_in(&sd.ObjectString, "a/b");
  MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
  OK;
  od.ObjectType = MQOT_TOPIC, od.Version = MQOD_VERSION_4;
  text_in(&od.ObjectString, "a/b");
  MQOPEN(hconn, &od, MQOO_OUTPUT, &topic, &cc, &rc);
  OK;
  for (int i = 0; i < 3; i++) {
    put(topic, "t");
    OK;
  }
  get(hobj, 0, sizeof text, NULL);
  OK;
  MQCLOSE(hconn, &hobj, MQCO_QUIESCE, &cc, &rc);
  WARNS(MQRC_READ_AHEAD_MSGS);
  MQCLOSE(hconn, &hobj, MQCO_IMMEDIATE, &cc, &rc);
  OK;
}

/* QUEUE OPTIONS: one MQGET, and the end without another word. */
static void die(const char *queue, MQLONG options) {
  MQHOBJ hobj = opened(queue, options);
  OK;
  get(hobj, 0, sizeof text, NULL);
  OK;
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
  connect_here();
  if (argc > 2) die(argv[1], atoi(argv[2]));
  is_as_the_queue_and_the_program_say();
  local_bindings_read_nothing_ahead();
  what_was_read_ahead_is_given_as_it_is_asked_for();
  options_stay_as_they_were();
  a_close_can_wait_for_the_rest();
  properties_come_with_their_message();
  consumers_have_messages_read_ahead();
  managed_queues_may_be_read_ahead();
  leave();
  return 0;
}
