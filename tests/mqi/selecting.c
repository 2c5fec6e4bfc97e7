/* A program of the C client: selection strings, publish and subscribe, asynchronous puts and their
 * status, browsers that mark, and the names of reasons; ends as calls.c does. */
#include <cmqc.h>
#include <cmqstrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what)                                                                     \
  do {                                                                                   \
    if (!(what)) {                                                                       \
      printf("line %d: %s: CompCode %d, Reason %d %s\n", __LINE__, #what, cc, rc, MQRC_STR(rc)); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)
#define OK EXPECT(cc == MQCC_OK && rc == MQRC_NONE)

static MQLONG cc, rc, length;
static MQHCONN hconn;
static char buffer[64];

static MQHOBJ opened(MQLONG options, char *selector) {
  MQHOBJ hobj;
  MQOD od = { MQOD_DEFAULT };
  od.Version = MQOD_VERSION_4;
  strncpy(od.ObjectName, "IN", sizeof od.ObjectName);
  if (selector != NULL) {
    od.SelectionString.VSPtr = selector;
    od.SelectionString.VSLength = MQVS_NULL_TERMINATED;
  }
  MQOPEN(hconn, &od, options, &hobj, &cc, &rc);
  return hobj;
}

static void get(MQHOBJ hobj, MQLONG options) {
  MQMD md = { MQMD_DEFAULT };
  MQGMO gmo = { MQGMO_DEFAULT };
  gmo.Options = options;
  memset(buffer, 0, sizeof buffer);
  MQGET(hconn, hobj, &md, &gmo, sizeof buffer - 1, buffer, &length, &cc, &rc);
}

static void put(MQHOBJ hobj, MQLONG priority, char *text, MQLONG options) {
  MQMD md = { MQMD_DEFAULT };
  MQPMO pmo = { MQPMO_DEFAULT };
  md.Priority = priority;
  pmo.Options = options;
  MQPUT(hconn, hobj, &md, &pmo, (MQLONG)strlen(text), text, &cc, &rc);
}

static void select_from_a_queue(void) {
  MQHOBJ out = opened(MQOO_OUTPUT, NULL);
  put(out, 3, "three", MQPMO_NO_SYNCPOINT);
  put(out, 7, "seven", MQPMO_NO_SYNCPOINT);
  OK;
  MQHOBJ in = opened(MQOO_INPUT_SHARED | MQOO_BROWSE, "Root.MQMD.Priority < 5");
  OK;
  get(in, MQGMO_BROWSE_FIRST);
  EXPECT(cc == MQCC_OK && strcmp(buffer, "three") == 0);
  get(in, MQGMO_BROWSE_NEXT);
  EXPECT(rc == MQRC_NO_MSG_AVAILABLE);
  get(in, MQGMO_NO_SYNCPOINT);
  EXPECT(cc == MQCC_OK && strcmp(buffer, "three") == 0);
  get(in, MQGMO_NO_SYNCPOINT);
  EXPECT(rc == MQRC_NO_MSG_AVAILABLE);
  MQCLOSE(hconn, &in, MQCO_NONE, &cc, &rc);
  OK;
  opened(MQOO_BROWSE, "Root.MQMD.Priority <");
  EXPECT(cc == MQCC_FAILED && rc == MQRC_SELECTOR_SYNTAX_ERROR);
  EXPECT(strcmp(MQRC_STR(rc), "MQRC_SELECTOR_SYNTAX_ERROR") == 0);
  opened(MQOO_OUTPUT, "a = 1");
  EXPECT(rc == MQRC_SELECTOR_INVALID_FOR_TYPE);
  MQOD od = { MQOD_DEFAULT };
  MQHOBJ hobj;
  od.Version = MQOD_VERSION_4;
  strncpy(od.ObjectName, "IN", sizeof od.ObjectName);
  od.SelectionString.VSLength = 5;
  MQOPEN(hconn, &od, MQOO_BROWSE, &hobj, &cc, &rc);
  EXPECT(rc == MQRC_SELECTION_STRING_ERROR);
  od.SelectionString.VSPtr = "a = 1", od.SelectionString.VSOffset = 12;
  MQOPEN(hconn, &od, MQOO_BROWSE, &hobj, &cc, &rc);
  EXPECT(rc == MQRC_SELECTION_STRING_ERROR);
  MQCLOSE(hconn, &out, MQCO_NONE, &cc, &rc);
  OK;
}

static void browse_with_marks(void) {
  MQHOBJ first = opened(MQOO_BROWSE | MQOO_CO_OP, NULL), second = opened(MQOO_BROWSE | MQOO_CO_OP, NULL);
  OK;
  get(first, MQGMO_BROWSE_CO_OP);
  EXPECT(cc == MQCC_OK && strcmp(buffer, "seven") == 0);
  get(second, MQGMO_BROWSE_CO_OP);
  EXPECT(rc == MQRC_NO_MSG_AVAILABLE);
  get(second, MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_CO_OP);
  EXPECT(rc == MQRC_MSG_MARKED_BROWSE_CO_OP);
  MQCLOSE(hconn, &first, MQCO_NONE, &cc, &rc);
  MQCLOSE(hconn, &second, MQCO_NONE, &cc, &rc);
  OK;
  MQHOBJ in = opened(MQOO_INPUT_SHARED, NULL);
  get(in, MQGMO_NO_SYNCPOINT);
  EXPECT(cc == MQCC_OK && strcmp(buffer, "seven") == 0);
  MQCLOSE(hconn, &in, MQCO_NONE, &cc, &rc);
}

static void publish_and_subscribe(void) {
  MQSD sd = { MQSD_DEFAULT };
  MQOD od = { MQOD_DEFAULT };
  MQHOBJ hobj = MQHO_NONE, hsub, topic;
  sd.Options = MQSO_CREATE | MQSO_NON_DURABLE | MQSO_MANAGED | MQSO_FAIL_IF_QUIESCING;
  sd.ObjectString.VSPtr = "fruit/fresh", sd.ObjectString.VSLength = MQVS_NULL_TERMINATED;
  sd.SelectionString.VSPtr = "JMSPriority > 5", sd.SelectionString.VSLength = MQVS_NULL_TERMINATED;
  MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
  OK;
  od.Version = MQOD_VERSION_4, od.ObjectType = MQOT_TOPIC;
  od.ObjectString.VSPtr = "fruit/fresh", od.ObjectString.VSLength = MQVS_NULL_TERMINATED;
  MQOPEN(hconn, &od, MQOO_OUTPUT, &topic, &cc, &rc);
  OK;
  put(topic, 2, "apple", MQPMO_NO_SYNCPOINT);
  put(topic, 8, "cherry", MQPMO_NO_SYNCPOINT);
  OK;
  get(hobj, MQGMO_NO_SYNCPOINT);
  EXPECT(cc == MQCC_OK && strcmp(buffer, "cherry") == 0);
  get(hobj, MQGMO_NO_SYNCPOINT);
  EXPECT(rc == MQRC_NO_MSG_AVAILABLE);
  MQCLOSE(hconn, &hsub, MQCO_NONE, &cc, &rc);
  OK;
  hobj = MQHO_NONE;
  sd.SelectionString.VSPtr = "JMSPriority >";
  MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
  EXPECT(cc == MQCC_FAILED && rc == MQRC_SELECTION_NOT_AVAILABLE);
  sd.SelectionString.VSOffset = 8;
  MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
  EXPECT(rc == MQRC_SELECTION_STRING_ERROR);
}

static void put_without_waiting(void) {
  MQSTS sts = { MQSTS_DEFAULT };
  MQHOBJ hobj = opened(MQOO_OUTPUT | MQOO_INPUT_SHARED, NULL);
  put(hobj, 4, "later", MQPMO_ASYNC_RESPONSE | MQPMO_NO_SYNCPOINT);
  OK;
  MQSTAT(hconn, MQSTAT_TYPE_ASYNC_ERROR, &sts, &cc, &rc);
  OK;
  EXPECT(sts.PutSuccessCount == 1 && sts.PutFailureCount == 0 && sts.Reason == MQRC_NONE);
  get(hobj, MQGMO_NO_SYNCPOINT);
  OK;
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
}

int main(void) {
  MQCONN("QM1", &hconn, &cc, &rc);
  OK;
  select_from_a_queue();
  browse_with_marks();
  publish_and_subscribe();
  put_without_waiting();
  MQDISC(&hconn, &cc, &rc);
  OK;
  return 0;
}
