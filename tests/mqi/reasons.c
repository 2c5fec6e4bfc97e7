/* A program of the C client that opens, puts, gets and connects with structures of every version
 * and with what is wrong. */
#include "expect.h"

int main(void) {
  connect_here();
  MQHOBJ queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_INQUIRE | MQOO_BROWSE);
  OK;
  clear(queue);
  char buffer[100];
  MQLONG length;
  for (int v = 1; v <= 4; v++) { /* od */
    MQOD od = {MQOD_DEFAULT};
    MQHOBJ x;
    od.Version = v;
    strcpy(od.ObjectName, "IN");
    MQOPEN(hconn, &od, MQOO_OUTPUT, &x, &cc, &rc);
    OK;
    if (v >= 3)
      EXPECT(!memcmp(od.ResolvedQName, "IN ", 3) && !memcmp(od.ResolvedQMgrName, "QM1 ", 4));
    MQCLOSE(hconn, &x, 0, &cc, &rc);
    OK;
  }
  {
    MQOD od = {MQOD_DEFAULT};
    MQHOBJ x;
    od.Version = 5;
    MQOPEN(hconn, &od, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OD_ERROR);
    od.Version = 0;
    MQOPEN(hconn, &od, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OD_ERROR);
    od.Version = 1;
    od.StrucId[0] = 'X';
    MQOPEN(hconn, &od, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OD_ERROR);
    MQOPEN(hconn, NULL, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OD_ERROR);
    MQOD o2 = {MQOD_DEFAULT};
    MQOPEN(hconn, &o2, MQOO_OUTPUT, NULL, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
    strcpy(o2.ObjectName, "IN");
    MQOPEN(hconn, &o2, 0, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQOPEN(hconn, &o2, MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQOPEN(hconn, &o2, MQOO_FAIL_IF_QUIESCING, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQOPEN(hconn, &o2, MQOO_OUTPUT | MQOO_SAVE_ALL_CONTEXT, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQOPEN(hconn, &o2, MQOO_INPUT_SHARED | MQOO_PASS_ALL_CONTEXT, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQOPEN(hconn, &o2, MQOO_OUTPUT | MQOO_BIND_ON_OPEN | MQOO_BIND_NOT_FIXED, &x, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    strcpy(o2.ObjectName, "NO.SUCH");
    MQOPEN(hconn, &o2, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_UNKNOWN_OBJECT_NAME);
    EXPECT(x == -1);
    strcpy(o2.ObjectQMgrName, "NOQMGR");
    MQOPEN(hconn, &o2, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_UNKNOWN_REMOTE_Q_MGR);
    o2.ObjectType = 99;
    MQOPEN(hconn, &o2, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OBJECT_TYPE_ERROR);

    MQOD o4 = {MQOD_DEFAULT};
    o4.ObjectType = MQOT_Q_MGR;
    MQOPEN(hconn, &o4, MQOO_INQUIRE, &x, &cc, &rc);
    OK;
    MQCLOSE(hconn, &x, 0, &cc, &rc);
    OK;
    MQOPEN(hconn, &o4, MQOO_OUTPUT, &x, &cc, &rc);
    FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
    MQOD o5 = {MQOD_DEFAULT};
    strcpy(o5.ObjectName, "SYSTEM.DEFAULT.MODEL.QUEUE");
    strcpy(o5.DynamicQName, "IN");
    MQOPEN(hconn, &o5, MQOO_INPUT_SHARED, &x, &cc, &rc);
    FAILS(MQRC_OBJECT_ALREADY_EXISTS);
    strcpy(o5.DynamicQName, "BAD NAME*");
    MQOPEN(hconn, &o5, MQOO_INPUT_SHARED, &x, &cc, &rc);
    FAILS(MQRC_DYNAMIC_Q_NAME_ERROR);
    strcpy(o5.DynamicQName, "X*");
    MQOPEN(hconn, &o5, MQOO_INQUIRE, &x, &cc, &rc);
    OK;
    MQCLOSE(hconn, &x, MQCO_NONE, &cc, &rc);
    OK;
  }
  for (int v = 1; v <= 2; v++)
    for (int pv = 1; pv <= 3; pv++)
      for (int gv = 1; gv <= 4; gv++) {
        MQMD md = {MQMD_DEFAULT};
        MQPMO pmo = {MQPMO_DEFAULT};
        MQGMO gmo = {MQGMO_DEFAULT};
        md.Version = v;
        pmo.Version = pv;
        gmo.Version = gv;
        pmo.Options = MQPMO_NO_SYNCPOINT;
        gmo.Options = MQGMO_NO_SYNCPOINT;
        MQPUT(hconn, queue, &md, &pmo, 5, "hello", &cc, &rc);
        OK;
        EXPECT(!memcmp(pmo.ResolvedQName, "IN ", 3));
        MQMD m2 = {MQMD_DEFAULT};
        m2.Version = v;
        memset(&m2.BackoutCount, 7, 4);
        MQGET(hconn, queue, &m2, &gmo, 100, buffer, &length, &cc, &rc);
        OK;
        EXPECT(length == 5 && !memcmp(buffer, "hello", 5) && m2.BackoutCount == 0);
        EXPECT(!memcmp(m2.MsgId, md.MsgId, 24));
        if (gv >= 3) EXPECT(gmo.ReturnedLength == 5);
        if (gv >= 2)
          EXPECT(gmo.GroupStatus == ' ' && gmo.SegmentStatus == ' ' && gmo.Segmentation == ' ');
      }
  {
    MQMD md = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    MQGMO gmo = {MQGMO_DEFAULT};
    md.Version = 3;
    MQPUT(hconn, queue, &md, &pmo, 0, NULL, &cc, &rc);
    FAILS(MQRC_MD_ERROR);
    md.Version = 1;
    md.StrucId[0] = 'x';
    MQPUT(hconn, queue, &md, &pmo, 0, NULL, &cc, &rc);
    FAILS(MQRC_MD_ERROR);
    MQGET(hconn, queue, &md, &gmo, 0, NULL, &length, &cc, &rc);
    FAILS(MQRC_MD_ERROR);
    md.StrucId[0] = 'M';
    pmo.Version = 4;
    MQPUT(hconn, queue, &md, &pmo, 0, NULL, &cc, &rc);
    FAILS(MQRC_PMO_ERROR);
    MQPUT(hconn, queue, &md, NULL, 0, NULL, &cc, &rc);
    FAILS(MQRC_PMO_ERROR);
    MQPUT(hconn, queue, NULL, &pmo, 0, NULL, &cc, &rc);
    FAILS(MQRC_PMO_ERROR);
    pmo.Version = 1;
    gmo.Version = 5;
    MQGET(hconn, queue, &md, &gmo, 0, NULL, &length, &cc, &rc);
    FAILS(MQRC_GMO_ERROR);
    MQGET(hconn, queue, &md, NULL, 0, NULL, &length, &cc, &rc);
    FAILS(MQRC_GMO_ERROR);
    gmo.Version = 1;
    MQGET(hconn, queue, &md, &gmo, 5, NULL, &length, &cc, &rc);
    FAILS(MQRC_BUFFER_ERROR);
    MQGET(hconn, queue, &md, &gmo, -1, buffer, &length, &cc, &rc);
    FAILS(MQRC_BUFFER_LENGTH_ERROR);
    MQGET(hconn, queue, &md, &gmo, 5, buffer, NULL, &cc, &rc);
    FAILS(MQRC_DATA_LENGTH_ERROR);
    MQPUT(hconn, queue, &md, &pmo, 5, NULL, &cc, &rc);
    FAILS(MQRC_BUFFER_ERROR);
    MQPUT(hconn, queue, &md, &pmo, -5, buffer, &cc, &rc);
    FAILS(MQRC_BUFFER_LENGTH_ERROR);
    MQPUT(hconn, 77, &md, &pmo, 5, buffer, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
    MQPUT(77, queue, &md, &pmo, 5, buffer, &cc, &rc);
    FAILS(MQRC_HCONN_ERROR);
    MQPUT(-1, queue, &md, &pmo, 5, buffer, &cc, &rc);
    FAILS(MQRC_HCONN_ERROR);
    MQPUT(0, queue, &md, &pmo, 5, buffer, &cc, &rc);
    FAILS(MQRC_HCONN_ERROR);
  }
  { /* md field checks */
    struct {
      int off;
      MQLONG v;
      MQLONG want;
    } t[] = {{12, 0, 2029}, {12, 65536, 0}, {16, 0, 2013}, {16, -2, 2013}, {20, -1, 2014},
             {20, 10, 0},   {40, -3, 2050}, {44, 3, 2047}, {44, -1, 2047}};
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
      MQMD md = {MQMD_DEFAULT};
      MQPMO pmo = {MQPMO_DEFAULT};
      memcpy((char *)&md + t[i].off, &t[i].v, 4);
      MQPUT(hconn, queue, &md, &pmo, 1, "x", &cc, &rc);
      EXPECT(rc == t[i].want);
    }
    MQMD md = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    md.Priority = 12;
    MQPUT(hconn, queue, &md, &pmo, 1, "x", &cc, &rc);
    WARNS(MQRC_PRIORITY_EXCEEDS_MAXIMUM);
    EXPECT(md.Priority == 12);
    MQMD r = {MQMD_DEFAULT};
    r.MsgType = MQMT_REQUEST;
    MQPUT(hconn, queue, &r, &pmo, 1, "x", &cc, &rc);
    FAILS(MQRC_MISSING_REPLY_TO_Q);
    MQMD rr = {MQMD_DEFAULT};
    rr.Report = MQRO_COA;
    MQPUT(hconn, queue, &rr, &pmo, 1, "x", &cc, &rc);
    FAILS(MQRC_MISSING_REPLY_TO_Q);
    MQMD c = {MQMD_DEFAULT};
    MQPMO po = {MQPMO_DEFAULT};
    po.Options = MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    po.Options = MQPMO_SET_ALL_CONTEXT;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_SET_ALL);
    po.Options = MQPMO_SET_IDENTITY_CONTEXT;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_SET_IDENT);

    po.Options = MQPMO_SET_ALL_CONTEXT | MQPMO_NO_CONTEXT;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    po.Options = MQPMO_NO_CONTEXT;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    OK;
    EXPECT(c.UserIdentifier[0] == ' ' && c.PutDate[0] == ' ');
    po.Options = MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE;
    MQPUT(hconn, queue, &c, &po, 1, "x", &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
  }
  clear(queue);
  {
    MQGMO gmo = {MQGMO_DEFAULT};
    MQMD md = {MQMD_DEFAULT};
    gmo.Options = MQGMO_NO_SYNCPOINT;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    gmo.Options = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    gmo.Options = MQGMO_MSG_UNDER_CURSOR;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NO_MSG_UNDER_CURSOR);
    gmo.Options = MQGMO_BROWSE_MSG_UNDER_CURSOR;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NO_MSG_UNDER_CURSOR);
    gmo.Options = MQGMO_UNLOCK;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    WARNS(MQRC_NO_MSG_LOCKED);
    gmo.Options = MQGMO_WAIT;
    gmo.WaitInterval = -5;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_WAIT_INTERVAL_ERROR);
    gmo.Options = MQGMO_SET_SIGNAL | MQGMO_WAIT;
    gmo.WaitInterval = 0;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    gmo.Options = MQGMO_SYNCPOINT | MQGMO_BROWSE_FIRST;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    gmo.Options = MQGMO_LOCK;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);

    gmo.Version = 2;
    gmo.Options = 0;
    gmo.MatchOptions = 0x40000;
    MQGET(hconn, queue, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_MATCH_OPTIONS_ERROR);
  }
  MQHOBJ o = opened("IN", MQOO_OUTPUT);
  OK;
  {
    MQGMO gmo = {MQGMO_DEFAULT};
    MQMD md = {MQMD_DEFAULT};
    MQGET(hconn, o, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_INPUT);
    gmo.Options = MQGMO_BROWSE_FIRST;
    MQGET(hconn, o, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_BROWSE);
    MQHOBJ br = opened("IN", MQOO_BROWSE);
    OK;
    gmo.Options = 0;
    MQGET(hconn, br, &md, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_INPUT);
    MQPMO pmo = {MQPMO_DEFAULT};
    MQPUT(hconn, br, &md, &pmo, 1, "x", &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_OUTPUT);
    MQLONG s = MQIA_CURRENT_Q_DEPTH, v = 0;
    MQINQ(hconn, br, 1, &s, 1, &v, 0, NULL, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_INQUIRE);
    MQSET(hconn, br, 1, &s, 1, &v, 0, NULL, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_SET);
    MQCLOSE(hconn, &br, MQCO_DELETE, &cc, &rc);
    FAILS(MQRC_OPTION_NOT_VALID_FOR_TYPE);
    MQCLOSE(hconn, &br, 0x4000, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQCLOSE(hconn, &br, 0, &cc, &rc);
    OK;
    MQCLOSE(hconn, &br, 0, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
    MQHOBJ none = MQHO_NONE;
    MQCLOSE(hconn, &none, 0, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
  }
  {
    MQBO bo = {MQBO_DEFAULT};
    bo.Version = 9;
    MQBEGIN(hconn, &bo, &cc, &rc);
    FAILS(MQRC_BO_ERROR);
    bo.Version = 1;
    bo.Options = 5;
    MQBEGIN(hconn, &bo, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQBEGIN(hconn, NULL, &cc, &rc);
    WARNS(MQRC_NO_EXTERNAL_PARTICIPANTS);
  }
  {
    MQSTS st = {MQSTS_DEFAULT};
    MQSTAT(hconn, 7, &st, &cc, &rc);
    FAILS(MQRC_STAT_TYPE_ERROR);
    st.Version = 7;
    MQSTAT(hconn, MQSTAT_TYPE_ASYNC_ERROR, &st, &cc, &rc);
    FAILS(MQRC_STS_ERROR);
    MQSTAT(hconn, 0, NULL, &cc, &rc);
    FAILS(MQRC_STS_ERROR);
    st.Version = 1;
    MQSTAT(hconn, 0, &st, &cc, &rc);
    OK;
    st.Version = 2;
    MQSTAT(hconn, 0, &st, &cc, &rc);
    OK;
  }
  MQCNO cno = {MQCNO_DEFAULT};
  MQHCONN hh;
  MQSTS sts = {MQSTS_DEFAULT};
  MQSTAT(hconn, MQSTAT_TYPE_RECONNECTION, &sts, &cc, &rc);
  OK;
  for (int v = 1; v <= 8; v++) {
    cno.Version = v;
    cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
    MQCONNX("QM1", &cno, &hh, &cc, &rc);
    OK;
    MQDISC(&hh, &cc, &rc);
    OK;
  }
  cno.Version = 9;
  MQCONNX("QM1", &cno, &hh, &cc, &rc);
  FAILS(MQRC_CNO_ERROR);
  EXPECT(hh == -1);
  cno.Version = 1;
  cno.Options = MQCNO_CLIENT_BINDING | MQCNO_LOCAL_BINDING | MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &hh, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  cno.Options = 0x40000000;
  MQCONNX("QM1", &cno, &hh, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  MQCONNX("BAD NAME", NULL, &hh, &cc, &rc);
  FAILS(MQRC_Q_MGR_NAME_ERROR);
  clear(queue);
  MQDISC(&hconn, &cc, &rc);
  OK;
  MQDISC(&hconn, &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);
  return 0;
}
