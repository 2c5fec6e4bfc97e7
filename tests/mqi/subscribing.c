/* A program of the C client that intercepts publications, and whose subscriptions end by
 * themselves. */
#include "expect.h"

static char buffer[1000];
static MQLONG length;

static MQHOBJ subscribed(MQSD *sd, char *topic, MQLONG options, MQHOBJ *hsub) {
  MQHOBJ queue = MQHO_NONE;
  sd->Options = MQSO_CREATE | MQSO_MANAGED | options;
  text_in(&sd->ObjectString, topic);
  MQSUB(hconn, sd, &queue, hsub, &cc, &rc);
  return queue;
}

static void published(char *topic, char *text, MQLONG options, MQLONG level, MQHMSG original) {
  MQOD od = {MQOD_DEFAULT};
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  od.Version = MQOD_VERSION_4;
  od.ObjectType = MQOT_TOPIC;
  text_in(&od.ObjectString, topic);
  pmo.Version = MQPMO_VERSION_3;
  pmo.Options = MQPMO_NO_SYNCPOINT | options;
  pmo.PubLevel = level;
  pmo.OriginalMsgHandle = original;
  memcpy(md.Format, MQFMT_STRING, 8);
  MQPUT1(hconn, &od, &md, &pmo, (MQLONG)strlen(text), text, &cc, &rc);
}

static void got(MQHOBJ queue, MQMD *md, MQLONG options, MQHMSG handle) {
  MQMD initial = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  *md = initial;
  gmo.Version = MQGMO_VERSION_4;
  gmo.Options = MQGMO_NO_SYNCPOINT | options;
  gmo.MsgHandle = handle;
  memset(buffer, 0, sizeof buffer);
  MQGET(hconn, queue, md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
}

/* The value of a property as it stands, and the name it goes by; its type is returned. */
static MQLONG property(MQHMSG handle, char *name, char *value, MQLONG room, char *called) {
  MQIMPO impo = {MQIMPO_DEFAULT};
  MQPD pd = {MQPD_DEFAULT};
  MQCHARV wanted = {MQCHARV_DEFAULT};
  MQLONG type = MQTYPE_AS_SET, size = 0;
  text_in(&wanted, name);
  memset(value, 0, (size_t)room);
  memset(called, 0, 40);
  impo.ReturnedName.VSPtr = called;
  impo.ReturnedName.VSBufSize = 40;
  MQINQMP(hconn, handle, &impo, &wanted, &pd, &type, room, value, &size, &cc, &rc);
  return type;
}

int main(void) {
  MQMD md;
  MQHOBJ final, first, final_sub, first_sub, queue, hsub;
  MQHMSG handle;
  MQCMHO cmho = {MQCMHO_DEFAULT};
  char value[64], called[40];

  connect_here();
  MQCRTMH(hconn, &cmho, &handle, &cc, &rc);
  OK;
  { /* the interceptor gets it first, and publishes it again for the others */
    MQSD sd = {MQSD_DEFAULT}, high = {MQSD_DEFAULT};
    final = subscribed(&sd, "orders/#", 0, &final_sub);
    OK;
    high.SubLevel = 9;
    text_in(&high.SubUserData, "audit");
    first = subscribed(&high, "orders/#", 0, &first_sub);
    OK;
    published("orders/new", "order", MQPMO_RETAIN, 9, MQHM_NONE);
    OK;
    got(final, &md, 0, MQHM_NONE);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    got(first, &md, MQGMO_PROPERTIES_IN_HANDLE, handle);
    OK;
    EXPECT(length == 5 && !memcmp(buffer, "order", 5) && !memcmp(md.Format, MQFMT_STRING, 8));
    EXPECT(property(handle, "MQTopicString", value, 64, called) == MQTYPE_STRING);
    OK;
    EXPECT(!strcmp(value, "orders/new") && !strcmp(called, "MQTopicString"));
    EXPECT(property(handle, "mqps.Sud", value, 64, called) == MQTYPE_STRING);
    EXPECT(!strcmp(value, "audit") && !strcmp(called, "MQSubUserData"));
    EXPECT(property(handle, "MQPubLevel", value, 64, called) == MQTYPE_INT32);
    EXPECT(*(MQLONG *)value == 9);
    EXPECT(property(handle, "MQPubOptions", value, 64, called) == MQTYPE_INT32);
    EXPECT(*(MQLONG *)value == MQPMO_RETAIN);
    property(handle, "MQIsRetained", value, 64, called);
    FAILS(MQRC_PROPERTY_NOT_AVAILABLE);
    published("orders/seen", "order", 0, 8, handle);
    OK;
    got(final, &md, MQGMO_PROPERTIES_IN_HANDLE, handle);
    OK;
    property(handle, "MQTopicString", value, 64, called);
    OK;
    EXPECT(!strcmp(value, "orders/seen"));
    property(handle, "MQSubUserData", value, 64, called);
    FAILS(MQRC_PROPERTY_NOT_AVAILABLE);
    published("orders/new", "x", 0, 10, MQHM_NONE);
    FAILS(MQRC_PMO_ERROR);
    MQCLOSE(hconn, &first_sub, MQCO_NONE, &cc, &rc);
    OK;
    MQSRO sro = {MQSRO_DEFAULT};
    sro.Options = 1;
    MQSUBRQ(hconn, final_sub, MQSR_ACTION_PUBLICATION, &sro, &cc, &rc);
    FAILS(MQRC_OPTIONS_ERROR);
    sro.Options = MQSRO_FAIL_IF_QUIESCING;
    MQSUBRQ(hconn, final_sub, MQSR_ACTION_PUBLICATION, &sro, &cc, &rc);
    OK;
    got(final, &md, MQGMO_PROPERTIES_IN_HANDLE, handle);
    OK;
    EXPECT(property(handle, "MQIsRetained", value, 64, called) == MQTYPE_BOOLEAN);
    EXPECT(*(MQLONG *)value == 1);
  }
  { /* who asks for no properties has the data alone; MQRFH2 where that is asked for */
    published("orders/new", "plain", 0, 9, MQHM_NONE);
    got(final, &md, MQGMO_PROPERTIES_COMPATIBILITY, MQHM_NONE);
    OK;
    EXPECT(length == 5 && !memcmp(buffer, "plain", 5));
    published("orders/new", "plain", 0, 9, MQHM_NONE);
    got(final, &md, MQGMO_PROPERTIES_FORCE_MQRFH2, MQHM_NONE);
    OK;
    EXPECT(!memcmp(md.Format, MQFMT_RF_HEADER_2, 8) && !memcmp(buffer, "RFH ", 4));
    EXPECT(!memcmp(buffer + 40, "<mqps><Top>orders/new</Top></mqps>", 34));
    EXPECT(!memcmp(buffer + length - 5, "plain", 5));
  }
  { /* a subscription that ends by itself */
    MQSD sd = {MQSD_DEFAULT};
    sd.SubExpiry = 3;
    queue = subscribed(&sd, "news", 0, &hsub);
    OK;
    published("news", "in time", 0, 9, MQHM_NONE);
    OK;
    usleep(400000);
    published("news", "too late", MQPMO_WARN_IF_NO_SUBS_MATCHED, 9, MQHM_NONE);
    WARNS(MQRC_NO_SUBS_MATCHED);
    MQSRO sro = {MQSRO_DEFAULT};
    MQSUBRQ(hconn, hsub, MQSR_ACTION_PUBLICATION, &sro, &cc, &rc);
    FAILS(MQRC_NO_SUBSCRIPTION);
    got(queue, &md, 0, MQHM_NONE);
    OK;
    EXPECT(length == 7 && !memcmp(buffer, "in time", 7));
    got(queue, &md, 0, MQHM_NONE);
    FAILS(MQRC_NO_MSG_AVAILABLE);
    MQCLOSE(hconn, &hsub, MQCO_REMOVE_SUB, &cc, &rc);
    OK;
    MQCLOSE(hconn, &queue, MQCO_NONE, &cc, &rc);
    OK;
  }
  { /* what comes back from a subscription that is resumed */
    MQSD sd = {MQSD_DEFAULT}, again = {MQSD_DEFAULT};
    text_in(&sd.SubName, "LASTING");
    sd.SubExpiry = 36000;
    sd.SubLevel = 2;
    queue = subscribed(&sd, "news", MQSO_DURABLE, &hsub);
    OK;
    MQCLOSE(hconn, &hsub, MQCO_KEEP_SUB, &cc, &rc);
    OK;
    again.Options = MQSO_RESUME;
    text_in(&again.SubName, "LASTING");
    queue = MQHO_NONE;
    MQSUB(hconn, &again, &queue, &hsub, &cc, &rc);
    OK;
    EXPECT(again.SubExpiry == 36000 && again.SubLevel == 2);
    EXPECT((again.Options & (MQSO_DURABLE | MQSO_MANAGED)) == (MQSO_DURABLE | MQSO_MANAGED));
    EXPECT(!memcmp(again.SubCorrelId, sd.SubCorrelId, 24));
    MQCLOSE(hconn, &hsub, MQCO_REMOVE_SUB, &cc, &rc);
    OK;
  }
  { /* strings that cannot be */
    MQSD name = {MQSD_DEFAULT}, data = {MQSD_DEFAULT};
    name.SubName.VSLength = 5;
    subscribed(&name, "news", 0, &hsub);
    FAILS(MQRC_SUB_NAME_ERROR);
    data.SubUserData.VSLength = -5;
    subscribed(&data, "news", 0, &hsub);
    FAILS(MQRC_SUB_USER_DATA_ERROR);
  }
  leave();
  return 0;
}
