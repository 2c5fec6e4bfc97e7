/* A program of the C client that publishes and subscribes. */
#include "expect.h"
#include <cmqcfc.h>

static char buffer[1000];
static MQLONG length;
static void get(MQHOBJ queue, MQMD *md, int wait) {
  MQMD d = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  *md = d;
  gmo.Options = MQGMO_NO_SYNCPOINT | (wait ? MQGMO_WAIT : 0);
  gmo.WaitInterval = wait;
  MQGET(hconn, queue, md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
}
static void pub(char *t, char *s, MQLONG opts) {
  MQOD od = {MQOD_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  od.Version = 4;
  od.ObjectType = MQOT_TOPIC;
  text_in(&od.ObjectString, t);
  pmo.Options = opts;
  MQPUT1(hconn, &od, &md, &pmo, strlen(s), s, &cc, &rc);
}
int main(void) {
  connect_here();
  MQMD md;
  MQHOBJ hobj, hsub;
  {
    MQSD sd = {MQSD_DEFAULT};
    char res[100] = "";
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE | MQSO_FAIL_IF_QUIESCING;
    text_in(&sd.ObjectString, "sport/foot");
    sd.ResObjectString.VSPtr = res;
    sd.ResObjectString.VSBufSize = 100;
    hobj = MQHO_NONE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    EXPECT(!strcmp(res, "sport/foot") && sd.ResObjectString.VSLength == 10);
    EXPECT(hobj > 0 && hsub > 0);
    pub("sport/foot", "goal", MQPMO_NO_SYNCPOINT);
    OK;
    get(hobj, &md, 1000);
    OK;
    EXPECT(length == 4 && !memcmp(buffer, "goal", 4));
    EXPECT(!memcmp(md.CorrelId, sd.SubCorrelId, 24));
    EXPECT(md.PutApplType == MQAT_UNIX);
    get(hobj, &md, 0);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    MQSUBRQ(hconn, hsub, MQSR_ACTION_PUBLICATION, NULL, &cc, &rc);
    FAILS(MQRC_SRO_ERROR);
    MQSRO sro = {MQSRO_DEFAULT};
    MQSUBRQ(hconn, hsub, MQSR_ACTION_PUBLICATION, &sro, &cc, &rc);
    FAILS(MQRC_NO_RETAINED_MSG);
    MQSUBRQ(hconn, hsub, 9, &sro, &cc, &rc);
    FAILS(MQRC_ACTION_ERROR);
    MQSUBRQ(hconn, 999, 1, &sro, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
    sro.Version = 8;
    MQSUBRQ(hconn, hsub, 1, &sro, &cc, &rc);
    FAILS(MQRC_SRO_ERROR);
    pub("sport/foot", "ret", MQPMO_RETAIN | MQPMO_NO_SYNCPOINT);
    OK;
    get(hobj, &md, 1000);
    OK;
    MQSRO s2 = {MQSRO_DEFAULT};
    MQSUBRQ(hconn, hsub, 1, &s2, &cc, &rc);
    OK;
    EXPECT(s2.NumPubs == 1);
    get(hobj, &md, 1000);
    OK;
    MQCLOSE(hconn, &hsub, MQCO_NONE, &cc, &rc);
    OK;
    MQCLOSE(hconn, &hobj, 0, &cc, &rc);
    OK;
  }
  { /* metadata of resource usage: sent when it is subscribed to, and when it is asked for again */
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE | MQSO_FAIL_IF_QUIESCING;
    text_in(&sd.ObjectString, "$SYS/MQ/INFO/QMGR/QM1/Monitor/METADATA/CLASSES");
    hobj = MQHO_NONE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    for (int again = 0; again < 2; again++) {
      get(hobj, &md, 0);
      OK;
      PMQCFH head = (PMQCFH)buffer;
      PMQCFGR group = (PMQCFGR)(head + 1);
      EXPECT(!memcmp(md.Format, MQFMT_PCF, 8) && head->ParameterCount == 2);
      EXPECT(group->Type == MQCFT_GROUP && group->Parameter == MQGACF_MONITOR_CLASS);
      get(hobj, &md, 0);
      FAILS(MQRC_NO_MSG_AVAILABLE);
      MQSRO sro = {MQSRO_DEFAULT};
      MQSUBRQ(hconn, hsub, MQSR_ACTION_PUBLICATION, &sro, &cc, &rc);
      OK;
      EXPECT(sro.NumPubs == 1);
    }
    MQCLOSE(hconn, &hsub, MQCO_NONE, &cc, &rc);
    OK;
    MQCLOSE(hconn, &hobj, 0, &cc, &rc);
    OK;
  }
  {
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED;
    text_in(&sd.ObjectString, "sport/foot");
    hobj = MQHO_NONE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    get(hobj, &md, 500);
    OK;
    EXPECT(length == 3 && !memcmp(buffer, "ret", 3));
    MQCLOSE(hconn, &hsub, 0, &cc, &rc);
  }
  {
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_NEW_PUBLICATIONS_ONLY;
    text_in(&sd.ObjectString, "sport/foot");
    hobj = MQHO_NONE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    get(hobj, &md, 200);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    MQCLOSE(hconn, &hsub, 0, &cc, &rc);
  }
  {
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_PUBLICATIONS_ON_REQUEST;
    text_in(&sd.ObjectString, "sport/foot");
    hobj = MQHO_NONE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    get(hobj, &md, 200);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    pub("sport/foot", "n1", MQPMO_RETAIN);
    OK;
    get(hobj, &md, 100);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    MQSRO s2 = {MQSRO_DEFAULT};
    MQSUBRQ(hconn, hsub, 1, &s2, &cc, &rc);
    OK;
    get(hobj, &md, 100);
    OK;
    MQCLOSE(hconn, &hsub, 0, &cc, &rc);
  }
  {
    MQSD sd = {MQSD_DEFAULT};
    hobj = MQHO_NONE;
    text_in(&sd.ObjectString, "a");
    sd.Options = 0;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    sd.Options = MQSO_CREATE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_HOBJ_ERROR);
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_DURABLE;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_SUB_NAME_ERROR);
    sd.Options = MQSO_RESUME;
    text_in(&sd.SubName, "NOTHERE");
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_NO_SUBSCRIPTION);
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_WILDCARD_CHAR | MQSO_WILDCARD_TOPIC;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    MQSD s2 = {MQSD_DEFAULT};
    s2.Options = MQSO_CREATE | MQSO_MANAGED;
    hobj = MQHO_NONE;
    MQSUB(hconn, &s2, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_TOPIC_STRING_ERROR);
    strcpy(s2.ObjectName, "NO.TOPIC");
    MQSUB(hconn, &s2, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_UNKNOWN_OBJECT_NAME);
    s2.Version = 2;
    MQSUB(hconn, &s2, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_SD_ERROR);
    MQSUB(hconn, NULL, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_SD_ERROR);
    MQSD s3 = {MQSD_DEFAULT};
    s3.Options = MQSO_CREATE | MQSO_MANAGED;
    s3.ObjectString.VSLength = 5;
    MQSUB(hconn, &s3, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_OBJECT_STRING_ERROR);
  }
  { /* durable, resume, alter, own queue */
    MQHOBJ queue = opened("OUT", MQOO_INPUT_SHARED | MQOO_OUTPUT);
    OK;
    clear(queue);
    MQSD sd = {MQSD_DEFAULT};
    text_in(&sd.ObjectString, "news/#");
    text_in(&sd.SubName, "MY.DUR");
    text_in(&sd.SubUserData, "udata");
    sd.Options = MQSO_CREATE | MQSO_DURABLE | MQSO_RESUME | MQSO_FAIL_IF_QUIESCING;
    MQSUB(hconn, &sd, &queue, &hsub, &cc, &rc);
    OK;
    MQHOBJ hs2;
    MQSD s2 = {MQSD_DEFAULT};
    s2.Options = MQSO_CREATE | MQSO_DURABLE;
    text_in(&s2.ObjectString, "news/#");
    text_in(&s2.SubName, "MY.DUR");
    MQSUB(hconn, &s2, &queue, &hs2, &cc, &rc);
    FAILS(MQRC_SUB_ALREADY_EXISTS);
    s2.Options = MQSO_RESUME | MQSO_DURABLE;
    MQSUB(hconn, &s2, &queue, &hs2, &cc, &rc);
    FAILS(MQRC_SUBSCRIPTION_IN_USE);
    MQCLOSE(hconn, &hsub, MQCO_KEEP_SUB, &cc, &rc);
    OK;
    pub("news/a/b", "stored", MQPMO_NO_SYNCPOINT);
    OK;
    MQSD s3 = {MQSD_DEFAULT};
    char ud[20] = "";
    s3.Options = MQSO_RESUME | MQSO_DURABLE;
    text_in(&s3.SubName, "MY.DUR");
    s3.SubUserData.VSPtr = ud;
    s3.SubUserData.VSBufSize = 20;
    MQHOBJ hq = MQHO_NONE;
    MQSUB(hconn, &s3, &hq, &hsub, &cc, &rc);
    OK;
    EXPECT(!strcmp(ud, "udata") && s3.SubUserData.VSLength == 5);
    get(hq, &md, 500);
    OK;
    EXPECT(length == 6 && !memcmp(buffer, "stored", 6));
    MQCLOSE(hconn, &hsub, MQCO_REMOVE_SUB, &cc, &rc);
    OK;
    MQSUB(hconn, &s3, &hq, &hsub, &cc, &rc);
    FAILS(MQRC_NO_SUBSCRIPTION);
  }
  { /* topic handles */
    MQOD od = {MQOD_DEFAULT};
    MQHOBJ t;
    od.Version = 4;
    od.ObjectType = MQOT_TOPIC;
    char res[40] = "";
    text_in(&od.ObjectString, "x/y");
    strcpy(od.ObjectName, "BASE");
    od.ResObjectString.VSPtr = res;
    od.ResObjectString.VSBufSize = 40;
    MQOPEN(hconn, &od, MQOO_OUTPUT, &t, &cc, &rc);
    OK;
    EXPECT(!strcmp(res, "dev/x/y"));
    MQPMO pmo = {MQPMO_DEFAULT};
    MQMD m = {MQMD_DEFAULT};
    pmo.Options = MQPMO_WARN_IF_NO_SUBS_MATCHED | MQPMO_NO_SYNCPOINT;
    MQPUT(hconn, t, &m, &pmo, 1, "x", &cc, &rc);
    WARNS(MQRC_NO_SUBS_MATCHED);
    pmo.Options = MQPMO_NO_SYNCPOINT;
    MQPUT(hconn, t, &m, &pmo, 1, "x", &cc, &rc);
    OK;
    MQGMO gmo = {MQGMO_DEFAULT};
    MQGET(hconn, t, &m, &gmo, 10, buffer, &length, &cc, &rc);
    FAILS(MQRC_NOT_OPEN_FOR_INPUT);
    MQCLOSE(hconn, &t, 0, &cc, &rc);
    OK;

    od.ObjectString.VSPtr = NULL;
    od.ObjectString.VSLength = 0;
    memset(od.ObjectName, 0, 48);
    MQOPEN(hconn, &od, MQOO_OUTPUT, &t, &cc, &rc);
    FAILS(MQRC_TOPIC_STRING_ERROR);
  }
  { /* selection, wildcards */
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_WILDCARD_CHAR;
    text_in(&sd.ObjectString, "w*t");
    hobj = 0;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    pub("what", "1", 0);
    OK;
    get(hobj, &md, 500);
    OK;
    MQCLOSE(hconn, &hsub, 0, &cc, &rc);
    MQSD s2 = {MQSD_DEFAULT};
    s2.Options = MQSO_CREATE | MQSO_MANAGED;
    text_in(&s2.ObjectString, "w/t");
    text_in(&s2.SelectionString, "a =");
    hobj = 0;
    MQSUB(hconn, &s2, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_SELECTION_NOT_AVAILABLE);
    MQSD s3 = {MQSD_DEFAULT};
    s3.Options = MQSO_CREATE | MQSO_MANAGED;
    text_in(&s3.ObjectString, "w/t");
    s3.SubExpiry = 0;
    hobj = 0;
    MQSUB(hconn, &s3, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_EXPIRY_ERROR);
    s3.SubExpiry = -1;
    s3.PubPriority = 10;
    MQSUB(hconn, &s3, &hobj, &hsub, &cc, &rc);
    FAILS(MQRC_PRIORITY_ERROR);
    MQSD s4 = {MQSD_DEFAULT};
    s4.Options = MQSO_CREATE | MQSO_MANAGED;
    text_in(&s4.ObjectString, "w/t");
    s4.PubPriority = 5;
    hobj = 0;
    MQSUB(hconn, &s4, &hobj, &hsub, &cc, &rc);
    OK;
    pub("w/t", "p", 0);
    get(hobj, &md, 500);
    OK;
    EXPECT(md.Priority == 5);
  }
  { /* group sub, same correl */
    MQSD sd = {MQSD_DEFAULT};
    sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_SET_CORREL_ID;
    memset(sd.SubCorrelId, 0x41, 24);
    text_in(&sd.ObjectString, "c");
    hobj = 0;
    MQSUB(hconn, &sd, &hobj, &hsub, &cc, &rc);
    OK;
    pub("c", "1", 0);
    get(hobj, &md, 500);
    OK;
    EXPECT(md.CorrelId[0] == 0x41);
  }
  leave();
  return 0;
}
