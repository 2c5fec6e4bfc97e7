/* A program of the C client that inquires and sets attributes. */
#include "expect.h"

int main(void) {
  connect_here();
  MQHOBJ queue = opened("IN", MQOO_INQUIRE | MQOO_SET | MQOO_INPUT_SHARED | MQOO_OUTPUT);
  OK;
  MQLONG s[20], v[20];
  char ch[2000];

  s[0] = 99999;
  MQINQ(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_SELECTOR_ERROR);
  s[0] = MQIA_MAX_HANDLES;
  MQINQ(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  WARNS(MQRC_SELECTOR_NOT_FOR_TYPE);
  EXPECT(v[0] == MQIAV_NOT_APPLICABLE);
  s[0] = MQCA_XMIT_Q_NAME;
  memset(ch, '?', 60);
  MQINQ(hconn, queue, 1, s, 0, NULL, 48, ch, &cc, &rc);
  WARNS(MQRC_SELECTOR_NOT_FOR_TYPE);
  EXPECT(ch[0] == '*');
  s[0] = MQIA_CURRENT_Q_DEPTH;
  MQINQ(hconn, queue, 1, s, 0, NULL, 0, NULL, &cc, &rc);
  WARNS(MQRC_INT_ATTR_COUNT_TOO_SMALL);
  s[0] = MQCA_Q_DESC;
  MQINQ(hconn, queue, 1, s, 0, NULL, 10, ch, &cc, &rc);
  WARNS(MQRC_CHAR_ATTRS_TOO_SHORT);
  MQINQ(hconn, queue, -1, s, 0, NULL, 10, ch, &cc, &rc);
  FAILS(MQRC_SELECTOR_COUNT_ERROR);
  MQINQ(hconn, queue, 257, s, 0, NULL, 10, ch, &cc, &rc);
  FAILS(MQRC_SELECTOR_LIMIT_EXCEEDED);
  MQINQ(hconn, queue, 1, s, -1, v, 10, ch, &cc, &rc);
  FAILS(MQRC_INT_ATTR_COUNT_ERROR);
  MQINQ(hconn, queue, 1, s, 0, v, -1, ch, &cc, &rc);
  FAILS(MQRC_CHAR_ATTR_LENGTH_ERROR);
  MQINQ(hconn, queue, 1, NULL, 0, v, 10, ch, &cc, &rc);
  FAILS(MQRC_SELECTOR_ERROR);
  s[0] = MQIA_MAX_Q_DEPTH;
  MQINQ(hconn, queue, 1, s, 1, NULL, 0, ch, &cc, &rc);
  FAILS(MQRC_INT_ATTRS_ARRAY_ERROR);
  s[0] = MQCA_Q_DESC;
  MQINQ(hconn, queue, 1, s, 0, v, 64, NULL, &cc, &rc);
  FAILS(MQRC_CHAR_ATTRS_ERROR);
  MQINQ(hconn, queue, 0, s, 0, v, 0, ch, &cc, &rc);
  OK;
  MQLONG all[] = {MQIA_Q_TYPE,
                  MQIA_MAX_Q_DEPTH,
                  MQIA_MAX_MSG_LENGTH,
                  MQIA_BACKOUT_THRESHOLD,
                  MQIA_SHAREABILITY,
                  MQIA_DEF_INPUT_OPEN_OPTION,
                  MQIA_INHIBIT_GET,
                  MQIA_INHIBIT_PUT,
                  MQIA_DEF_PERSISTENCE,
                  MQIA_DEF_PRIORITY,
                  MQIA_MSG_DELIVERY_SEQUENCE,
                  MQIA_TRIGGER_CONTROL,
                  MQIA_TRIGGER_TYPE,
                  MQIA_USAGE,
                  MQIA_OPEN_INPUT_COUNT,
                  MQIA_OPEN_OUTPUT_COUNT,
                  MQIA_DEFINITION_TYPE,
                  MQIA_HARDEN_GET_BACKOUT,
                  MQIA_RETENTION_INTERVAL};
  MQINQ(hconn, queue, 19, all, 19, v, 0, NULL, &cc, &rc);
  OK;
  EXPECT(v[0] == MQQT_LOCAL && v[1] == 5000 && v[14] == 1 && v[15] == 1);
  MQLONG al[] = {MQCA_Q_NAME,
                 MQCA_Q_DESC,
                 MQCA_CREATION_DATE,
                 MQCA_CREATION_TIME,
                 MQCA_BACKOUT_REQ_Q_NAME,
                 MQCA_INITIATION_Q_NAME,
                 MQCA_PROCESS_NAME,
                 MQCA_TRIGGER_DATA,
                 MQCA_CLUSTER_NAME};
  memset(ch, '?', sizeof ch);
  MQINQ(hconn, queue, 9, al, 0, NULL, sizeof ch, ch, &cc, &rc);
  OK;
  /* mixed order */
  MQLONG mix[] = {MQCA_Q_NAME, MQIA_MAX_Q_DEPTH, MQCA_Q_DESC, MQIA_INHIBIT_PUT};
  MQINQ(hconn, queue, 4, mix, 2, v, 112, ch, &cc, &rc);
  OK;
  EXPECT(v[0] == 5000 && v[1] == 0 && !memcmp(ch, "IN ", 3));
  /* set */
  s[0] = MQIA_INHIBIT_PUT;
  v[0] = 1;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  OK;
  put(queue, "x");
  FAILS(MQRC_PUT_INHIBITED);
  v[0] = 5;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_INHIBIT_VALUE_ERROR);
  v[0] = 0;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  OK;
  s[0] = MQIA_INHIBIT_GET;
  v[0] = 1;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  OK;
  {
    MQMD md = {MQMD_DEFAULT};
    MQGMO gmo = {MQGMO_DEFAULT};
    MQLONG length;
    MQGET(hconn, queue, &md, &gmo, 10, ch, &length, &cc, &rc);
    FAILS(MQRC_GET_INHIBITED);
  }
  v[0] = 0;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  OK;
  s[0] = MQIA_MAX_Q_DEPTH;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_SELECTOR_ERROR);
  s[0] = MQIA_TRIGGER_CONTROL;
  v[0] = 7;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_TRIGGER_CONTROL_ERROR);
  s[0] = MQIA_TRIGGER_TYPE;
  v[0] = 9;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_TRIGGER_TYPE_ERROR);
  s[0] = MQIA_TRIGGER_DEPTH;
  v[0] = 0;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_TRIGGER_DEPTH_ERROR);
  s[0] = MQIA_TRIGGER_MSG_PRIORITY;
  v[0] = 77;
  MQSET(hconn, queue, 1, s, 1, v, 0, NULL, &cc, &rc);
  FAILS(MQRC_TRIGGER_MSG_PRIORITY_ERR);

  s[0] = MQCA_TRIGGER_DATA;
  memset(ch, ' ', 64);
  memcpy(ch, "some data", 9);
  MQSET(hconn, queue, 1, s, 0, NULL, 64, ch, &cc, &rc);
  OK;
  memset(ch, 0, 64);
  MQINQ(hconn, queue, 1, s, 0, NULL, 64, ch, &cc, &rc);
  OK;
  EXPECT(!memcmp(ch, "some data ", 10));
  MQSET(hconn, queue, 1, s, 0, NULL, 10, ch, &cc, &rc);
  FAILS(MQRC_CHAR_ATTRS_TOO_SHORT);
  s[0] = MQIA_INHIBIT_GET;
  MQSET(hconn, queue, 1, s, 0, v, 0, ch, &cc, &rc);
  FAILS(MQRC_INT_ATTR_COUNT_TOO_SMALL);
  MQSET(hconn, queue, 1, s, 1, NULL, 0, ch, &cc, &rc);
  FAILS(MQRC_INT_ATTRS_ARRAY_ERROR);
  /* qmgr */
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ m;
  od.ObjectType = MQOT_Q_MGR;
  MQOPEN(hconn, &od, MQOO_INQUIRE, &m, &cc, &rc);
  OK;
  MQLONG qm[] = {
      MQIA_COMMAND_LEVEL,    MQIA_PLATFORM,     MQIA_CODED_CHAR_SET_ID, MQIA_MAX_MSG_LENGTH,
      MQIA_SYNCPOINT,        MQIA_MAX_PRIORITY, MQIA_MAX_HANDLES,       MQIA_MAX_UNCOMMITTED_MSGS,
      MQIA_TRIGGER_INTERVAL, MQIA_DIST_LISTS,   MQIA_AUTHORITY_EVENT};
  MQINQ(hconn, m, 11, qm, 11, v, 0, NULL, &cc, &rc);
  OK;
  EXPECT(v[1] == MQPL_UNIX && v[4] == MQSP_AVAILABLE && v[5] == 9);
  MQLONG qc[] = {MQCA_Q_MGR_NAME, MQCA_DEAD_LETTER_Q_NAME, MQCA_COMMAND_INPUT_Q_NAME,
                 MQCA_Q_MGR_DESC, MQCA_Q_MGR_IDENTIFIER,   MQCA_DEF_XMIT_Q_NAME};
  memset(ch, '?', sizeof ch);
  MQINQ(hconn, m, 6, qc, 0, NULL, sizeof ch, ch, &cc, &rc);
  OK;
  EXPECT(!memcmp(ch, "QM1 ", 4));
  s[0] = MQIA_CURRENT_Q_DEPTH;
  MQINQ(hconn, m, 1, s, 1, v, 0, NULL, &cc, &rc);
  WARNS(MQRC_SELECTOR_NOT_FOR_TYPE);
  /* a remote queue is inquired without a way to it */
  MQHOBJ r = opened("SYSTEM.DEFAULT.REMOTE.QUEUE", MQOO_INQUIRE);
  OK;
  s[0] = MQIA_Q_TYPE;
  MQINQ(hconn, r, 1, s, 1, v, 0, NULL, &cc, &rc);
  OK;
  EXPECT(v[0] == MQQT_REMOTE);
  opened("SYSTEM.DEFAULT.REMOTE.QUEUE", MQOO_OUTPUT);
  FAILS(MQRC_REMOTE_Q_NAME_ERROR);

  leave();
  return 0;
}
