/* A program of the C client with threads that have connections of their own, share one, and have
 * messages delivered, all at once. */
#include "expect.h"

#include <pthread.h>

enum { THREADS = 3, CONNECTS = 8, PUTS = 10, SHARED_PUTS = 60, STARTS = 10 };

static int delivered;

static void consumer(MQHCONN handle, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  (void)handle, (void)md, (void)gmo, (void)data;
  if (cbc->CallType == MQCBCT_MSG_REMOVED) __atomic_add_fetch(&delivered, 1, __ATOMIC_RELAXED);
}

static void open_in(MQHCONN handle, MQLONG options, MQHOBJ *hobj) {
  MQLONG cc, rc;
  MQOD od = {MQOD_DEFAULT};
  strcpy(od.ObjectName, "IN");
  MQOPEN(handle, &od, options, hobj, &cc, &rc);
  OK;
}

static void *with_a_connection(void *unused) {
  MQLONG cc, rc;
  for (int i = 0; i < CONNECTS; i++) {
    MQHCONN mine;
    MQHOBJ hobj;
    MQCONN("QM1", &mine, &cc, &rc);
    OK;
    open_in(mine, MQOO_OUTPUT, &hobj);
    for (int k = 0; k < PUTS; k++) {
      MQMD md = {MQMD_DEFAULT};
      MQPMO pmo = {MQPMO_DEFAULT};
      MQPUT(mine, hobj, &md, &pmo, 5, "hello", &cc, &rc);
      OK;
    }
    MQDISC(&mine, &cc, &rc);
    OK;
  }
  return unused;
}

static void *on_the_shared_one(void *unused) {
  MQLONG cc, rc;
  for (int i = 0; i < SHARED_PUTS; i++) {
    MQOD od = {MQOD_DEFAULT};
    MQMD md = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    MQCMHO cmho = {MQCMHO_DEFAULT};
    MQDMHO dmho = {MQDMHO_DEFAULT};
    MQHMSG message;
    strcpy(od.ObjectName, "IN");
    MQPUT1(hconn, &od, &md, &pmo, 5, "hello", &cc, &rc);
    OK;
    MQCRTMH(MQHC_UNASSOCIATED_HCONN, &cmho, &message, &cc, &rc);
    OK;
    MQDLTMH(MQHC_UNASSOCIATED_HCONN, &message, &dmho, &cc, &rc);
    OK;
  }
  return unused;
}

static void *with_a_consumer(void *unused) {
  MQLONG cc, rc;
  MQHCONN mine;
  MQHOBJ hobj;
  MQCNO cno = {MQCNO_DEFAULT};
  MQCBD cbd = {MQCBD_DEFAULT};
  MQCTLO ctlo = {MQCTLO_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &mine, &cc, &rc);
  OK;
  open_in(mine, MQOO_INPUT_SHARED, &hobj);
  cbd.CallbackFunction = (MQPTR)consumer;
  gmo.Options = MQGMO_NO_SYNCPOINT;
  MQCB(mine, MQOP_REGISTER, &cbd, hobj, &md, &gmo, &cc, &rc);
  OK;
  for (int i = 0; i < STARTS; i++) {
    MQCTL(mine, MQOP_START, &ctlo, &cc, &rc);
    OK;
    usleep(20000);
    MQCTL(mine, MQOP_SUSPEND, &ctlo, &cc, &rc);
    OK;
    MQCTL(mine, MQOP_RESUME, &ctlo, &cc, &rc);
    OK;
    MQCTL(mine, MQOP_STOP, &ctlo, &cc, &rc);
    OK;
  }
  MQCTL(mine, MQOP_START, &ctlo, &cc, &rc);
  OK;
  for (int i = 0; i < 1000; i++) {
    int all = THREADS * (CONNECTS * PUTS + SHARED_PUTS);
    if (__atomic_load_n(&delivered, __ATOMIC_RELAXED) == all) break;
    usleep(10000);
  }
  MQDISC(&mine, &cc, &rc);  /* while messages are being delivered */
  OK;
  return unused;
}

int main(void) {
  void *(*kinds[])(void *) = {with_a_connection, on_the_shared_one, with_a_consumer};
  pthread_t threads[3 * THREADS];
  connect_here();
  for (int i = 0; i < 3 * THREADS; i++) pthread_create(&threads[i], NULL, kinds[i % 3], NULL);
  for (int i = 0; i < 3 * THREADS; i++) pthread_join(threads[i], NULL);
  EXPECT(delivered == THREADS * (CONNECTS * PUTS + SHARED_PUTS));
  leave();
  return 0;
}
