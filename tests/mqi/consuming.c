/* A program of the C client that has messages delivered to functions (MQCB, MQCTL). */
#include "expect.h"

static volatile int n, ev, start, stop, reg, dereg;
static MQLONG lastrc, lasttype;
static volatile int action;
static MQHOBJ q;
static volatile int wrong_inside;
static void inside(int is_so) {
  if (!is_so) wrong_inside++;
}
static void con(MQHCONN c, PMQMD md, PMQGMO g, PMQVOID d, PMQCBC b) {
  MQLONG cc2, rc2;
  (void)md, (void)g, (void)d;
  switch (b->CallType) {
    case MQCBCT_START_CALL:
      start++;
      break;
    case MQCBCT_STOP_CALL:
      stop++;
      break;
    case MQCBCT_REGISTER_CALL:
      reg++;
      break;
    case MQCBCT_DEREGISTER_CALL:
      dereg++;
      break;
    case MQCBCT_EVENT_CALL:
      ev++;
      lastrc = b->Reason;
      break;
    default:
      lasttype = b->CallType;
      n++;
      lastrc = b->Reason;
      inside(b->DataLength == 0 || d != NULL);
      if (action == 1) {
        MQCTLO o = {MQCTLO_DEFAULT};
        MQCTL(c, MQOP_STOP, &o, &cc2, &rc2);
        inside(cc2 == 0);
      }
      if (action == 2) {
        MQMD m = {MQMD_DEFAULT};
        MQPMO p = {MQPMO_DEFAULT};
        MQOD od = {MQOD_DEFAULT};
        strcpy(od.ObjectName, "OUT");
        MQPUT1(c, &od, &m, &p, b->DataLength, d, &cc2, &rc2);
        inside(cc2 == 0);
      }
      if (action == 3) {
        MQBACK(c, &cc2, &rc2);
        inside(cc2 == 0);
        if (n >= 3) {
          action = 4;
        }
      } else if (action == 4) {
        MQCMIT(c, &cc2, &rc2);
      }
      if (action == 5) {
        MQHCONN x = c;
        MQDISC(&x, &cc2, &rc2);
        inside(rc2 == 2219);
      }
      if (action == 6) {
        MQCBD cb = {MQCBD_DEFAULT};
        MQCB(c, MQOP_DEREGISTER, &cb, q, NULL, NULL, &cc2, &rc2);
        inside(cc2 == 0);
      }
      if (action == 7) {
        MQCTLO o = {MQCTLO_DEFAULT};
        MQCTL(c, MQOP_SUSPEND, &o, &cc2, &rc2);
        inside(cc2 == 0);
      }
  }
}
static void waitn(int k) {
  for (int i = 0; i < 300 && n < k; i++) usleep(10000);
}
int main(void) {
  connect_here();
  MQCNO cno = {MQCNO_DEFAULT};
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQHCONN h2;
  MQCONNX("QM1", &cno, &h2, &cc, &rc);
  OK;
  q = opened("IN", MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT);
  OK;
  clear(q);
  MQHOBJ q2;
  {
    MQOD od = {MQOD_DEFAULT};
    strcpy(od.ObjectName, "IN");
    MQOPEN(h2, &od, MQOO_OUTPUT, &q2, &cc, &rc);
    OK;
  }
#define PUT2(s)                                      \
  do {                                               \
    MQMD md = {MQMD_DEFAULT};                        \
    MQPMO pm = {MQPMO_DEFAULT};                      \
    pm.Options = MQPMO_NO_SYNCPOINT;                 \
    MQPUT(h2, q2, &md, &pm, strlen(s), s, &cc, &rc); \
    OK;                                              \
  } while (0)
  MQCBD cb = {MQCBD_DEFAULT};
  MQCTLO co = {MQCTLO_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQGMO g = {MQGMO_DEFAULT};
  g.Options = MQGMO_NO_SYNCPOINT;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  FAILS(MQRC_NO_CALLBACKS_ACTIVE);
  MQCTL(hconn, 77, &co, &cc, &rc);
  FAILS(MQRC_OPERATION_ERROR);
  co.Version = 4;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  FAILS(MQRC_CTLO_ERROR);
  co.Version = 1;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CALLBACK_ROUTINE_ERROR);
  cb.CallbackFunction = (MQPTR)con;
  cb.CallbackType = 9;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CALLBACK_TYPE_ERROR);
  cb.CallbackType = 1;
  cb.Options = 0x40000000;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CBD_OPTIONS_ERROR);
  cb.Options = MQCBDO_START_CALL | MQCBDO_STOP_CALL | MQCBDO_REGISTER_CALL | MQCBDO_DEREGISTER_CALL;
  cb.Version = 3;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CBD_ERROR);
  cb.Version = 1;
  MQCB(hconn, MQOP_REGISTER, NULL, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CBD_ERROR);
  MQCB(hconn, MQOP_REGISTER, &cb, 999, &md, &g, &cc, &rc);
  FAILS(MQRC_HOBJ_ERROR);
  MQCB(hconn, MQOP_DEREGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_CALLBACK_NOT_REGISTERED);
  MQCB(hconn, 0, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_OPERATION_ERROR);
  cb.MaxMsgLength = -5;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  FAILS(MQRC_MAX_MSG_LENGTH_ERROR);
  cb.MaxMsgLength = -1;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  for (int i = 0; i < 100 && !start; i++) usleep(5000);
  EXPECT(start == 1);
  {
    MQMD m = {MQMD_DEFAULT};
    MQPMO p = {MQPMO_DEFAULT};
    MQPUT(hconn, q, &m, &p, 1, "x", &cc, &rc);
    FAILS(MQRC_HCONN_ASYNC_ACTIVE);
    MQCTL(hconn, MQOP_START, &co, &cc, &rc);
    FAILS(MQRC_HCONN_ASYNC_ACTIVE);
    MQCB(hconn, MQOP_DEREGISTER, &cb, q, &md, &g, &cc, &rc);
    FAILS(MQRC_HCONN_ASYNC_ACTIVE);
  }
  PUT2("one");
  PUT2("two");
  waitn(2);
  EXPECT(n == 2 && lasttype == MQCBCT_MSG_REMOVED);
  MQCTL(hconn, MQOP_SUSPEND, &co, &cc, &rc);
  OK;
  PUT2("three");
  usleep(150000);
  EXPECT(n == 2);
  MQCTL(hconn, MQOP_RESUME, &co, &cc, &rc);
  OK;
  waitn(3);
  EXPECT(n == 3);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  EXPECT(stop == 1);
  n = 0;
  action = 1;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  PUT2("x");
  PUT2("y");
  waitn(1);
  usleep(200000);
  EXPECT(n == 1);
  MQMD mm = {MQMD_DEFAULT};
  MQGMO gg = {MQGMO_DEFAULT};
  char b[10];
  MQLONG l;
  MQGET(hconn, q, &mm, &gg, 10, b, &l, &cc, &rc);
  OK;
  n = 0;
  action = 2;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  PUT2("fwd");
  waitn(1);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  n = 0;
  action = 3;
  gg.Options = g.Options = MQGMO_SYNCPOINT;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  PUT2("back");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(4);
  EXPECT(n == 4);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  n = 0;
  action = 5;
  PUT2("disc");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(1);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  n = 0;
  action = 7;
  PUT2("s1");
  PUT2("s2");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(1);
  usleep(150000);
  EXPECT(n == 1);
  action = 0;
  MQCTL(hconn, MQOP_RESUME, &co, &cc, &rc);
  OK;
  waitn(2);
  EXPECT(n == 2);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  n = 0;
  action = 6;
  PUT2("d1");
  PUT2("d2");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(1);
  usleep(150000);
  EXPECT(n == 1);
  action = 0;
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  EXPECT(dereg >= 1);
  clear(q);
  /* browse consumer */
  n = 0;
  action = 0;
  g.Options = MQGMO_BROWSE_NEXT;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  PUT2("b1");
  PUT2("b2");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(2);
  EXPECT(n == 2 && lasttype == MQCBCT_MSG_NOT_REMOVED);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  MQCB(hconn, MQOP_DEREGISTER, &cb, q, NULL, NULL, &cc, &rc);
  OK;
  clear(q);
  /* no message */
  ev = 0;
  g.Options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT;
  g.WaitInterval = 100;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  for (int i = 0; i < 300 && !ev; i++) usleep(10000);
  EXPECT(ev && lastrc == 2033);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  /* too long for it: given once, in part, and it stays */
  n = 0;
  cb.MaxMsgLength = 2;
  g.Options = MQGMO_NO_SYNCPOINT;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  PUT2("long");
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  OK;
  waitn(1);
  usleep(150000);
  EXPECT(n == 1 && lastrc == 2080 && lasttype == MQCBCT_MSG_NOT_REMOVED);
  MQCTL(hconn, MQOP_STOP, &co, &cc, &rc);
  OK;
  clear(q);
  cb.MaxMsgLength = -1;
  MQCB(hconn, MQOP_REGISTER, &cb, q, &md, &g, &cc, &rc);
  OK;
  /* START_WAIT, stop from inside */
  n = 0;
  action = 1;
  PUT2("w");
  MQCTL(hconn, MQOP_START_WAIT, &co, &cc, &rc);
  OK;
  EXPECT(n == 1);
  action = 0;
  /* closing the queue deregisters */
  MQCLOSE(hconn, &q, 0, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &co, &cc, &rc);
  FAILS(MQRC_NO_CALLBACKS_ACTIVE);
  /* event handler */
  MQCBD eh = {MQCBD_DEFAULT};
  eh.CallbackType = MQCBT_EVENT_HANDLER;
  eh.CallbackFunction = (MQPTR)con;
  MQCB(hconn, MQOP_REGISTER, &eh, MQHO_UNUSABLE_HOBJ, NULL, NULL, &cc, &rc);
  OK;
  MQCB(hconn, MQOP_DEREGISTER, &eh, MQHO_UNUSABLE_HOBJ, NULL, NULL, &cc, &rc);
  OK;
  EXPECT(!wrong_inside);
  MQDISC(&h2, &cc, &rc);
  OK;
  leave();
  return 0;
}
