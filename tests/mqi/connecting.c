/* A program of the C client that connects in every way a thread may. */
#include "expect.h"

#include <pthread.h>
#include <sys/wait.h>

static MQHCONN first, shared;
static MQHOBJ queue;
static int from_inside;

static void put_in_a_unit_of_work(MQHCONN hconn, MQHOBJ hobj) {
  MQLONG cc, rc;
  MQMD md = { MQMD_DEFAULT };
  MQPMO pmo = { MQPMO_DEFAULT };
  pmo.Options = MQPMO_SYNCPOINT;
  MQPUT(hconn, hobj, &md, &pmo, 3, "abc", &cc, &rc);
  OK;
}

static void open_in(MQHCONN hconn, MQHOBJ *hobj) {
  MQLONG cc, rc;
  MQOD od = { MQOD_DEFAULT };
  strcpy(od.ObjectName, "IN");
  MQOPEN(hconn, &od, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_INQUIRE, hobj, &cc, &rc);
  OK;
}

static MQLONG depth(MQHCONN hconn, MQHOBJ hobj) {
  MQLONG cc, rc, selector = MQIA_CURRENT_Q_DEPTH, found;
  MQINQ(hconn, hobj, 1, &selector, 1, &found, 0, NULL, &cc, &rc);
  OK;
  return found;
}

/* A thread has a handle of its own, and may not use or end that of another one. */
static void *other_thread(void *unused) {
  MQLONG cc, rc;
  MQHCONN mine, theirs = first;
  MQHOBJ hobj;
  MQCMIT(theirs, &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);
  MQDISC(&theirs, &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);
  MQCMIT(shared, &cc, &rc);
  OK;
  MQCONN("QM1", &mine, &cc, &rc);
  OK;
  EXPECT(mine != first);
  open_in(mine, &hobj);
  put_in_a_unit_of_work(mine, hobj);
  return unused;  /* without MQDISC */
}

static void consumer(MQHCONN hconn, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  MQLONG cc, rc;
  MQHCONN mine;
  MQCNO cno = { MQCNO_DEFAULT };
  (void)md, (void)gmo, (void)data;
  if (cbc->CallType != MQCBCT_MSG_REMOVED) return;
  MQCONN("QM1", &mine, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_ALREADY_CONNECTED && mine == hconn);
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &mine, &cc, &rc);
  OK;
  EXPECT(mine != hconn);
  MQDISC(&mine, &cc, &rc);
  OK;
  __atomic_store_n(&from_inside, 1, __ATOMIC_RELEASE);
}

int main(void) {
  MQLONG cc, rc;
  MQHCONN again, more;
  MQCNO cno = { MQCNO_DEFAULT };
  MQCD channel = { MQCD_CLIENT_CONN_DEFAULT };
  pthread_t thread;

  strncpy(channel.ChannelName, "A.SVRCONN", sizeof channel.ChannelName);

  MQCONN("QM1", &first, &cc, &rc);
  OK;
  MQCONN("QM1", &again, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_ALREADY_CONNECTED && again == first);
  MQCONNX("                                                ", &cno, &again, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_ALREADY_CONNECTED && again == first);
  cno.Version = MQCNO_VERSION_2;
  cno.ClientConnPtr = &channel;  /* a client: each connection is one more */
  MQCONNX("QM1", &cno, &again, &cc, &rc);
  OK;
  MQCONNX("QM1", &cno, &more, &cc, &rc);
  OK;
  EXPECT(again != first && more != first && more != again);
  MQDISC(&again, &cc, &rc);
  OK;
  MQDISC(&more, &cc, &rc);
  OK;
  cno.ClientConnPtr = NULL;
  cno.Options = MQCNO_HANDLE_SHARE_NO_BLOCK;
  MQCONNX("QM1", &cno, &more, &cc, &rc);
  OK;
  EXPECT(more != first);
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &shared, &cc, &rc);
  OK;
  EXPECT(shared != first && shared != more);
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK;
  MQCONNX("QM1", &cno, &again, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  MQCONN("NONE", &again, &cc, &rc);
  FAILS(MQRC_Q_MGR_NAME_ERROR);
  EXPECT(again == MQHC_UNUSABLE_HCONN);
  MQCONN("QM1", NULL, &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);
  MQDISC(NULL, &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);

  open_in(first, &queue);
  pthread_create(&thread, NULL, other_thread, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 500 && depth(first, queue) != 0; i++) usleep(10000);
  EXPECT(depth(first, queue) == 0);

  MQDISC(&first, &cc, &rc);
  OK;
  MQCONN("QM1", &first, &cc, &rc);  /* nothing is left of the old one */
  OK;
  open_in(first, &queue);

  pid_t child = fork();
  if (child == 0) {  /* shares nothing with its parent */
    MQHOBJ hobj;
    MQCMIT(first, &cc, &rc);
    FAILS(MQRC_HCONN_ERROR);
    MQCONN("QM1", &again, &cc, &rc);
    OK;
    open_in(again, &hobj);
    put_in_a_unit_of_work(again, hobj);
    MQDISC(&again, &cc, &rc);  /* which commits */
    OK;
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT(depth(first, queue) == 1);

  MQHOBJ consumed;
  MQCBD cbd = { MQCBD_DEFAULT };
  MQCTLO ctlo = { MQCTLO_DEFAULT };
  MQMD md = { MQMD_DEFAULT };
  MQGMO gmo = { MQGMO_DEFAULT };
  open_in(shared, &consumed);
  cbd.CallbackFunction = (MQPTR)consumer;
  gmo.Options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT, gmo.WaitInterval = MQWI_UNLIMITED;
  MQCB(shared, MQOP_REGISTER, &cbd, consumed, &md, &gmo, &cc, &rc);
  OK;
  MQCTL(shared, MQOP_START, &ctlo, &cc, &rc);
  OK;
  for (int i = 0; i < 500 && !__atomic_load_n(&from_inside, __ATOMIC_ACQUIRE); i++) usleep(10000);
  EXPECT(from_inside);
  MQCTL(shared, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  MQHCONN *all[] = { &first, &shared, &more };
  for (int i = 0; i < 3; i++) {
    MQDISC(all[i], &cc, &rc);
    OK;
  }
  return 0;
}
