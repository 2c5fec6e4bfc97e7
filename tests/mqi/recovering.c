/* A program whose connections are made again when the server of its queue manager is gone.
 *
 * Who runs it is told on standard output what to do with the server, and answers with a line:
 * crash (killed, and started again), crash-soon and stop-soon (after the answer), down (killed), up
 * (started), restart and restart-r (the queue manager is, not its server). */
#include "expect.h"

#include <pthread.h>
#include <time.h>

#define MOST_EVENTS 64
#define NO_ANSWER (-2)

static MQLONG events[MOST_EVENTS], delays[MOST_EVENTS];
static MQHCONN watched;  /* the connection that the handler is told of */
static int n_events;
static MQLONG answer;  /* the ReconnectDelay that the handler sets */
static useconds_t linger_us;  /* how long the handler goes on after it has noted the event */

static void ask_runner(const char *what) {
  char line[16];
  puts(what);
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL) exit(2);
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void handler(MQHCONN of, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  MQLONG cc = MQCC_OK, rc = MQRC_NONE;
  (void)md, (void)gmo, (void)data;
  EXPECT(of == watched && cbc->CallType == MQCBCT_EVENT_CALL);
  if (cbc->Reason == MQRC_RECONNECTING) {
    MQSTS sts = {MQSTS_DEFAULT};
    EXPECT(cbc->CompCode == MQCC_WARNING && cbc->ReconnectDelay >= 0);
    MQCMIT(of, &cc, &rc);
    FAILS(MQRC_CALL_IN_PROGRESS);
    MQSTAT(of, MQSTAT_TYPE_RECONNECTION, &sts, &cc, &rc);
    OK;
    EXPECT(sts.Reason == MQRC_CONNECTION_BROKEN && memcmp(sts.ObjectName, "QM1 ", 4) == 0);
  }
  if (cbc->Reason == MQRC_RECONNECTED) {
    EXPECT(cbc->CompCode == MQCC_OK);
  }
  int at = __atomic_load_n(&n_events, __ATOMIC_RELAXED);
  delays[at % MOST_EVENTS] = cbc->ReconnectDelay;
  events[at % MOST_EVENTS] = cbc->Reason;
  __atomic_store_n(&n_events, at + 1, __ATOMIC_RELEASE);
  if (cbc->Reason == MQRC_RECONNECTING && answer != NO_ANSWER) cbc->ReconnectDelay = answer;
  usleep(linger_us);
}

static void connect_and_answer(MQLONG options, MQLONG delay) {
  MQCNO cno = {MQCNO_DEFAULT};
  MQCBD cbd = {MQCBD_DEFAULT};
  cno.Options = options;
  if (!(options & MQCNO_HANDLE_SHARE_NO_BLOCK)) cno.Options |= MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &hconn, &cc, &rc);
  OK;
  watched = hconn, answer = delay, n_events = 0;
  cbd.CallbackType = MQCBT_EVENT_HANDLER;
  cbd.CallbackFunction = (MQPTR)handler;
  MQCB(hconn, MQOP_REGISTER, &cbd, MQHO_UNUSABLE_HOBJ, NULL, NULL, &cc, &rc);
  OK;
}

static void connect_with(MQLONG options) { connect_and_answer(options, NO_ANSWER); }

static void put_with(MQHOBJ hobj, MQLONG options, const char *text) {
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  md.Persistence = MQPER_PERSISTENT;
  pmo.Options = options;
  MQPUT(hconn, hobj, &md, &pmo, (MQLONG)strlen(text), (PMQVOID)text, &cc, &rc);
}

static char got[32];

static void get_with(MQHOBJ hobj, MQLONG options, MQLONG wait_ms) {
  MQMD md = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQLONG length;
  gmo.Options = options, gmo.WaitInterval = wait_ms;
  memset(got, 0, sizeof got);
  MQGET(hconn, hobj, &md, &gmo, sizeof got - 1, got, &length, &cc, &rc);
}

#define GOT(text) EXPECT(cc == MQCC_OK && strcmp(got, text) == 0)

static MQLONG depth(MQHOBJ hobj) {
  MQLONG selector = MQIA_CURRENT_Q_DEPTH, found = -1;
  MQINQ(hconn, hobj, 1, &selector, 1, &found, 0, NULL, &cc, &rc);
  OK;
  return found;
}

#define ALL (MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE | MQOO_INQUIRE)

static void handles_and_events(void) {
  MQSTS sts = {MQSTS_DEFAULT};
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ closed = opened("OUT", MQOO_OUTPUT), hobj = opened("IN", ALL);
  MQCLOSE(hconn, &closed, MQCO_NONE, &cc, &rc);
  put_with(hobj, MQPMO_NO_SYNCPOINT, "first");
  OK;
  ask_runner("crash");
  put_with(hobj, MQPMO_NO_SYNCPOINT, "second");
  OK;
  EXPECT(n_events >= 2 && events[0] == MQRC_RECONNECTING && delays[0] > 0);
  EXPECT(events[n_events - 1] == MQRC_RECONNECTED);
  MQSTAT(hconn, MQSTAT_TYPE_RECONNECTION, &sts, &cc, &rc);
  EXPECT(cc == MQCC_OK && sts.CompCode == MQCC_OK && sts.Reason == MQRC_NONE);
  MQHOBJ more = opened("IN", MQOO_OUTPUT);
  EXPECT(more > hobj);
  get_with(hobj, MQGMO_NO_SYNCPOINT, 0);
  GOT("first");
  get_with(hobj, MQGMO_NO_SYNCPOINT, 0);
  GOT("second");
  closed = MQHO_UNUSABLE_HOBJ;
  leave();
}

static void units_of_work(void) {
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ hobj = opened("IN", ALL);
  put_with(hobj, MQPMO_NO_SYNCPOINT, "there");
  put_with(hobj, MQPMO_SYNCPOINT, "lost");
  OK;
  ask_runner("crash");
  put_with(hobj, MQPMO_SYNCPOINT, "more");
  FAILS(MQRC_BACKED_OUT);
  get_with(hobj, MQGMO_SYNCPOINT, 0);
  FAILS(MQRC_BACKED_OUT);
  get_with(hobj, MQGMO_NO_SYNCPOINT, 0);
  GOT("there");
  MQBACK(hconn, &cc, &rc);
  OK;
  EXPECT(depth(hobj) == 0);
  put_with(hobj, MQPMO_SYNCPOINT, "lost too");
  OK;
  ask_runner("crash");
  MQCMIT(hconn, &cc, &rc);
  WARNS(MQRC_BACKED_OUT);
  EXPECT(depth(hobj) == 0);
  ask_runner("crash");
  put_with(hobj, MQPMO_SYNCPOINT, "alone");  /* nothing was in the unit: nothing is lost */
  OK;
  MQCMIT(hconn, &cc, &rc);
  OK;
  EXPECT(depth(hobj) == 1);
  get_with(hobj, MQGMO_SYNCPOINT, 0);
  GOT("alone");
  ask_runner("crash");
  MQBACK(hconn, &cc, &rc);
  OK;
  get_with(hobj, MQGMO_SYNCPOINT, 0);
  GOT("alone");
  MQCMIT(hconn, &cc, &rc);
  OK;
  put_with(hobj, MQPMO_SYNCPOINT, "left");
  OK;
  ask_runner("crash");
  MQDISC(&hconn, &cc, &rc);
  WARNS(MQRC_BACKED_OUT);
  EXPECT(hconn == MQHC_UNUSABLE_HCONN);
}

static void waits_and_cursors(void) {
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("crash-soon");
  get_with(hobj, MQGMO_WAIT | MQGMO_NO_SYNCPOINT, 1000);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  EXPECT(events[n_events - 1] == MQRC_RECONNECTED);
  ask_runner("stop-soon");
  get_with(hobj, MQGMO_WAIT | MQGMO_NO_SYNCPOINT, 1000);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  put_with(hobj, MQPMO_NO_SYNCPOINT, "a");
  put_with(hobj, MQPMO_NO_SYNCPOINT, "b");
  get_with(hobj, MQGMO_BROWSE_FIRST, 0);
  GOT("a");
  get_with(hobj, MQGMO_BROWSE_NEXT, 0);
  GOT("b");
  ask_runner("crash");
  get_with(hobj, MQGMO_MSG_UNDER_CURSOR | MQGMO_NO_SYNCPOINT, 0);
  FAILS(MQRC_NO_MSG_UNDER_CURSOR);
  get_with(hobj, MQGMO_BROWSE_NEXT, 0);
  GOT("a");
  clear(hobj);
  leave();
}

static MQHOBJ opened_model(const char *name) {
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ hobj;
  strcpy(od.ObjectName, name);
  strcpy(od.DynamicQName, "MADE.*");
  MQOPEN(hconn, &od, ALL, &hobj, &cc, &rc);
  OK;
  return hobj;
}

static void name_of(MQHOBJ hobj, char *name) {
  MQLONG selector = MQCA_Q_NAME;
  MQINQ(hconn, hobj, 1, &selector, 0, NULL, 48, name, &cc, &rc);
  OK;
}

static void dynamic_queues(void) {
  char before[2][49] = {""}, after[49] = "";
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ made[2] = {opened_model("SYSTEM.DEFAULT.MODEL.QUEUE"), opened_model("KEPT.MODEL")};
  for (int i = 0; i < 2; i++) name_of(made[i], before[i]);
  MQHOBJ other = opened(before[0], MQOO_OUTPUT);
  OK;
  put_with(made[1], MQPMO_NO_SYNCPOINT, "kept");
  OK;
  ask_runner("crash");
  for (int i = 0; i < 2; i++) {
    name_of(made[i], after);
    EXPECT(strcmp(before[i], after) == 0);
  }
  put(other, "again");
  OK;
  get_with(made[0], MQGMO_NO_SYNCPOINT, 0);
  GOT("again");
  get_with(made[1], MQGMO_NO_SYNCPOINT, 0);
  GOT("kept");
  MQCLOSE(hconn, &made[1], MQCO_DELETE, &cc, &rc);
  OK;
  leave();
}

static void subscribe(MQLONG options, char *name, MQHOBJ *hobj, MQHOBJ *hsub) {
  MQSD sd = {MQSD_DEFAULT};
  sd.Options = options;
  text_in(&sd.ObjectString, "news");
  if (name != NULL) text_in(&sd.SubName, name);
  MQSUB(hconn, &sd, hobj, hsub, &cc, &rc);
}

static void publish(MQHOBJ topic, const char *text) {
  put_with(topic, MQPMO_NO_SYNCPOINT, text);
  OK;
}

static void subscriptions(void) {
  MQHOBJ managed = MQHO_NONE, durable = MQHO_NONE, own, topic, hsub[3];
  MQOD od = {MQOD_DEFAULT};
  connect_with(MQCNO_RECONNECT_Q_MGR);
  own = opened("OUT", ALL);
  subscribe(MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE, NULL, &managed, &hsub[0]);
  OK;
  subscribe(MQSO_CREATE | MQSO_MANAGED | MQSO_DURABLE, "DURABLE", &durable, &hsub[1]);
  OK;
  subscribe(MQSO_CREATE, NULL, &own, &hsub[2]);
  OK;
  MQCLOSE(hconn, &own, MQCO_NONE, &cc, &rc);
  OK;
  od.ObjectType = MQOT_TOPIC, od.Version = MQOD_VERSION_4;
  text_in(&od.ObjectString, "news");
  MQOPEN(hconn, &od, MQOO_OUTPUT, &topic, &cc, &rc);
  OK;
  publish(topic, "before");
  ask_runner("crash");
  publish(topic, "after");
  get_with(managed, MQGMO_NO_SYNCPOINT, 0);  /* what a subscription that ends had is gone */
  GOT("after");
  get_with(durable, MQGMO_NO_SYNCPOINT, 0);
  GOT("before");
  get_with(durable, MQGMO_NO_SYNCPOINT, 0);
  GOT("after");
  own = opened("OUT", ALL);
  OK;
  EXPECT(depth(own) == 2);
  clear(own);
  for (int i = 0; i < 3; i++) {
    MQCLOSE(hconn, &hsub[i], i == 1 ? MQCO_REMOVE_SUB : MQCO_NONE, &cc, &rc);
    OK;
  }
  ask_runner("crash");
  publish(topic, "nobody");
  EXPECT(depth(own) == 0);
  leave();
}

static void what_cannot_be_made_again(void) {
  MQMD md = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQHOBJ none = MQHO_NONE, hsub;
  MQLONG length;
  connect_with(MQCNO_RECONNECT);
  MQHOBJ hobj = opened("IN", ALL);
  put_with(hobj, MQPMO_LOGICAL_ORDER, "x");
  FAILS(MQRC_RECONNECT_INCOMPATIBLE);
  get_with(hobj, MQGMO_LOGICAL_ORDER, 0);
  FAILS(MQRC_RECONNECT_INCOMPATIBLE);
  gmo.Version = MQGMO_VERSION_3, gmo.MatchOptions = MQMO_MATCH_MSG_TOKEN;
  MQGET(hconn, hobj, &md, &gmo, 0, NULL, &length, &cc, &rc);
  FAILS(MQRC_RECONNECT_Q_MGR_REQD);
  subscribe(MQSO_CREATE | MQSO_MANAGED | MQSO_DURABLE, "DURABLE", &none, &hsub);
  FAILS(MQRC_RECONNECT_Q_MGR_REQD);
  EXPECT(n_events == 0);
  leave();
}

static MQLONG inquired(MQHMSG message, MQLONG options, char *name, MQLONG *value) {
  MQIMPO impo = {MQIMPO_DEFAULT};
  MQPD pd = {MQPD_DEFAULT};
  MQCHARV wanted = {MQCHARV_DEFAULT};
  MQLONG type = MQTYPE_INT32, length;
  impo.Options = options;
  text_in(&wanted, name);
  MQINQMP(hconn, message, &impo, &wanted, &pd, &type, sizeof *value, value, &length, &cc, &rc);
  return rc;
}

static void set_property(MQHMSG message, char *name, MQLONG value) {
  MQSMPO smpo = {MQSMPO_DEFAULT};
  MQPD pd = {MQPD_DEFAULT};
  MQCHARV given = {MQCHARV_DEFAULT};
  text_in(&given, name);
  MQSETMP(hconn, message, &smpo, &given, &pd, MQTYPE_INT32, sizeof value, &value, &cc, &rc);
  OK;
}

static void message_handles(void) {
  MQCMHO cmho = {MQCMHO_DEFAULT};
  MQDMHO dmho = {MQDMHO_DEFAULT};
  MQHMSG made[3];
  MQLONG value = 0, length;
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ hobj = opened("IN", ALL);
  for (int i = 0; i < 3; i++) {
    MQCRTMH(hconn, &cmho, &made[i], &cc, &rc);
    OK;
  }
  set_property(made[0], "one", 1);
  set_property(made[0], "two", 2);
  set_property(made[0], "three", 3);
  EXPECT(inquired(made[0], MQIMPO_INQ_FIRST, "%", &value) == MQRC_NONE && value == 1);
  MQDLTMH(hconn, &made[2], &dmho, &cc, &rc);
  OK;
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  pmo.Version = MQPMO_VERSION_3, pmo.OriginalMsgHandle = made[0];
  pmo.Options = MQPMO_NO_SYNCPOINT, md.Persistence = MQPER_PERSISTENT;
  MQPUT(hconn, hobj, &md, &pmo, 4, "body", &cc, &rc);
  OK;
  MQGMO gmo = {MQGMO_DEFAULT};
  gmo.Version = MQGMO_VERSION_4, gmo.MsgHandle = made[1];
  gmo.Options = MQGMO_NO_SYNCPOINT | MQGMO_PROPERTIES_IN_HANDLE;
  MQGET(hconn, hobj, &md, &gmo, sizeof got, got, &length, &cc, &rc);
  OK;
  EXPECT(length == 4);
  ask_runner("crash");
  EXPECT(inquired(made[0], MQIMPO_INQ_NEXT, "%", &value) == MQRC_NONE && value == 2);
  EXPECT(inquired(made[1], MQIMPO_NONE, "three", &value) == MQRC_NONE && value == 3);
  set_property(made[1], "four", 4);
  ask_runner("crash");
  EXPECT(inquired(made[1], MQIMPO_NONE, "four", &value) == MQRC_NONE && value == 4);
  EXPECT(inquired(made[1], MQIMPO_NONE, "five", &value) == MQRC_PROPERTY_NOT_AVAILABLE);
  MQDLTMH(hconn, &made[0], &dmho, &cc, &rc);
  OK;
  leave();
}

static char consumed[8][16];
static int n_consumed;
static MQLONG consumer_told;

static void consumer(MQHCONN of, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  MQLONG cc, rc;
  (void)md, (void)gmo;
  if (cbc->CallType == MQCBCT_EVENT_CALL) {
    if (cbc->Reason != MQRC_NO_MSG_AVAILABLE)
      __atomic_store_n(&consumer_told, cbc->Reason, __ATOMIC_RELEASE);
    return;
  }
  memcpy(consumed[n_consumed], data, (size_t)cbc->DataLength);
  if (strcmp(consumed[n_consumed], "hold") != 0) {
    MQCMIT(of, &cc, &rc);
    OK;
  }
  __atomic_add_fetch(&n_consumed, 1, __ATOMIC_RELEASE);
}

static void wait_until(int count) {
  for (int i = 0; i < 1000 && __atomic_load_n(&n_consumed, __ATOMIC_ACQUIRE) < count; i++)
    usleep(10000);
  EXPECT(__atomic_load_n(&n_consumed, __ATOMIC_ACQUIRE) == count);
}

static void consumers(void) {
  MQCBD cbd = {MQCBD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQCTLO ctlo = {MQCTLO_DEFAULT};
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHCONN started = hconn;
  MQHOBJ hobj = opened("IN", ALL);
  cbd.CallbackFunction = (MQPTR)consumer;
  gmo.Options = MQGMO_SYNCPOINT;
  MQCB(hconn, MQOP_REGISTER, &cbd, hobj, &md, &gmo, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &ctlo, &cc, &rc);
  OK;
  for (int round = 1; round <= 2; round++) {
    connect_here();
    MQHOBJ beside = opened("IN", MQOO_OUTPUT);
    put_with(beside, MQPMO_NO_SYNCPOINT, round == 1 ? "one" : "hold");
    OK;
    leave();
    hconn = started;
    wait_until(round);
    ask_runner("crash");
  }
  wait_until(3);  /* what was held in the lost unit of work comes again, after its end was told */
  EXPECT(__atomic_load_n(&consumer_told, __ATOMIC_ACQUIRE) == MQRC_BACKED_OUT);
  MQCTL(hconn, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  EXPECT(strcmp(consumed[0], "one") == 0 && strcmp(consumed[2], "hold") == 0);
  MQCMIT(hconn, &cc, &rc);
  OK;
  leave();
}

static MQHOBJ swept[2];
static int left;

/* Deregisters another consumer, and returns once event handlers are told of a lost connection. */
static void leaves_meanwhile(MQHCONN of, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  MQLONG cc, rc;
  MQCBD cbd = {MQCBD_DEFAULT};
  (void)md, (void)gmo, (void)data;
  if (cbc->CallType != MQCBCT_MSG_REMOVED) return;
  MQCB(of, MQOP_DEREGISTER, &cbd, swept[1], NULL, NULL, &cc, &rc);
  OK;
  __atomic_store_n(&left, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&n_events, __ATOMIC_ACQUIRE) == 0) usleep(1000);
}

/* The list of consumers is walked by the thread that connects again, and by that which delivers. */
static void consumers_that_go_meanwhile(void) {
  MQCBD cbd = {MQCBD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQCTLO ctlo = {MQCTLO_DEFAULT};
  connect_with(MQCNO_RECONNECT);
  linger_us = 50000;
  put_with(opened("IN", MQOO_OUTPUT), MQPMO_NO_SYNCPOINT, "x");
  OK;
  cbd.CallbackFunction = (MQPTR)leaves_meanwhile;
  gmo.Options = MQGMO_NO_SYNCPOINT;
  for (int i = 0; i < 2; i++) {
    swept[i] = opened(i ? "OUT" : "IN", MQOO_INPUT_SHARED);
    MQCB(hconn, MQOP_REGISTER, &cbd, swept[i], &md, &gmo, &cc, &rc);
    OK;
  }
  MQCTL(hconn, MQOP_START, &ctlo, &cc, &rc);
  OK;
  while (!__atomic_load_n(&left, __ATOMIC_ACQUIRE)) usleep(1000);
  ask_runner("crash");
  for (int i = 0; i < 1000 && __atomic_load_n(&n_events, __ATOMIC_ACQUIRE) < 2; i++) usleep(10000);
  MQCTL(hconn, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  linger_us = 0;
  leave();
}

static void no_more_attempts(void) {
  MQSTS sts = {MQSTS_DEFAULT};
  connect_and_answer(MQCNO_RECONNECT, MQRD_NO_RECONNECT);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("down");
  put(hobj, "x");
  FAILS(MQRC_CONNECTION_BROKEN);
  EXPECT(n_events == 3 && events[1] == MQRC_RECONNECT_FAILED);
  EXPECT(events[2] == MQRC_CONNECTION_BROKEN);
  put(hobj, "x");
  FAILS(MQRC_CONNECTION_BROKEN);
  MQSTAT(hconn, MQSTAT_TYPE_RECONNECTION, &sts, &cc, &rc);
  EXPECT(cc == MQCC_OK && sts.Reason == MQRC_CONNECTION_BROKEN);
  MQDISC(&hconn, &cc, &rc);
  FAILS(MQRC_CONNECTION_BROKEN);
  ask_runner("up");
}

/* A delay that is none leaves the one that there was. */
static void delay_that_is_none(void) {
  connect_and_answer(MQCNO_RECONNECT, -1999);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("crash");
  put(hobj, "x");
  OK;
  EXPECT(events[n_events - 1] == MQRC_RECONNECTED);
  clear(hobj);
  leave();
}

/* MQCNO_HANDLE_SHARE_NO_BLOCK is about other threads of the program, not about the library's. */
static void not_shared_with_the_library(void) {
  connect_with(MQCNO_RECONNECT | MQCNO_HANDLE_SHARE_NO_BLOCK);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("down");
  while (__atomic_load_n(&n_events, __ATOMIC_ACQUIRE) == 0) usleep(1000);
  ask_runner("up-soon");
  put(hobj, "x");
  OK;
  clear(hobj);
  leave();
}

static void idle(void) {
  connect_with(MQCNO_RECONNECT);
  ask_runner("crash");
  for (int i = 0; i < 500 && __atomic_load_n(&n_events, __ATOMIC_ACQUIRE) < 2; i++) usleep(10000);
  EXPECT(n_events >= 2 && events[0] == MQRC_RECONNECTING);
  usleep(50000);
  EXPECT(events[n_events - 1] == MQRC_RECONNECTED);
  MQCMIT(hconn, &cc, &rc);
  OK;
  leave();
}

static void *put_in_thread(void *hobj) {
  MQLONG cc, rc;
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  MQPUT(hconn, *(MQHOBJ *)hobj, &md, &pmo, 1, "x", &cc, &rc);
  FAILS(MQRC_CONNECTION_BROKEN);
  return NULL;
}

static void leaving(void) {
  pthread_t thread;
  connect_and_answer(MQCNO_RECONNECT, 60000);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("down");
  pthread_create(&thread, NULL, put_in_thread, &hobj);
  while (__atomic_load_n(&n_events, __ATOMIC_ACQUIRE) == 0) usleep(1000);
  usleep(50000);
  MQHCONN mine = hconn;
  double begun = now_s();
  MQDISC(&mine, &cc, &rc);
  OK;
  EXPECT(now_s() - begun < 2);
  pthread_join(thread, NULL);
  ask_runner("up");
}

/* A queue manager that is ended takes along what is connected, unless it is ended with -r. */
static void ended_queue_manager(void) {
  connect_with(MQCNO_RECONNECT_Q_MGR);
  MQHOBJ hobj = opened("IN", ALL);
  ask_runner("restart-r");
  put_with(hobj, MQPMO_NO_SYNCPOINT, "x");
  OK;
  get_with(hobj, MQGMO_NO_SYNCPOINT, 0);
  GOT("x");
  EXPECT(events[n_events - 1] == MQRC_RECONNECTED);
  n_events = 0;
  ask_runner("restart");
  for (int i = 0; i < 2; i++) {
    put_with(hobj, MQPMO_NO_SYNCPOINT, "x");
    FAILS(MQRC_CONNECTION_BROKEN);
  }
  EXPECT(n_events == 0);
  MQDISC(&hconn, &cc, &rc);
}

static void queue_gone(void) {
  MQSTS sts = {MQSTS_DEFAULT};
  connect_with(MQCNO_RECONNECT);
  MQHOBJ hobj = opened("GONE", MQOO_OUTPUT);
  OK;
  ask_runner("crash-without-GONE");
  put(hobj, "x");
  FAILS(MQRC_RECONNECT_FAILED);
  MQSTAT(hconn, MQSTAT_TYPE_RECONNECTION_ERROR, &sts, &cc, &rc);
  EXPECT(cc == MQCC_OK && sts.Reason == MQRC_UNKNOWN_OBJECT_NAME);
  EXPECT(memcmp(sts.ObjectName, "GONE", 4) == 0);
  MQDISC(&hconn, &cc, &rc);
}

int main(void) {
  handles_and_events();
  units_of_work();
  waits_and_cursors();
  dynamic_queues();
  subscriptions();
  message_handles();
  what_cannot_be_made_again();
  consumers();
  idle();
  delay_that_is_none();
  not_shared_with_the_library();
  consumers_that_go_meanwhile();
  no_more_attempts();
  leaving();
  ended_queue_manager();
  queue_gone();
  return 0;
}
