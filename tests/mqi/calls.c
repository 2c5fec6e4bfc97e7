/* A program of the C client: calls each part of the MQI once. */
#include "expect.h"

static volatile int consumed, started, stopped;

static void consumer(MQHCONN hconn, PMQMD md, PMQGMO gmo, PMQVOID data, PMQCBC cbc) {
  (void)hconn, (void)md, (void)gmo;
  if (cbc->CallType == MQCBCT_START_CALL) started++;
  if (cbc->CallType == MQCBCT_STOP_CALL) stopped++;
  if (cbc->CallType == MQCBCT_MSG_REMOVED && cbc->CompCode == MQCC_OK &&
      cbc->DataLength == 3 && memcmp(data, "abc", 3) == 0 && *(int *)cbc->CallbackArea == 42)
    consumed++;
}

int main(void) {
  MQHCONN hconn, second;
  MQHOBJ hobj, reply;
  MQCNO cno = { MQCNO_DEFAULT };
  MQOD od = { MQOD_DEFAULT };
  MQMD md = { MQMD_DEFAULT };
  MQPMO pmo = { MQPMO_DEFAULT };
  MQGMO gmo = { MQGMO_DEFAULT };
  MQLONG length;
  char buffer[64];

  cno.Version = MQCNO_VERSION_5;
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &hconn, &cc, &rc);
  OK;
  EXPECT(memcmp(cno.ConnectionId, "AMQC", 4) == 0);
  strncpy(od.ObjectName, "IN", sizeof od.ObjectName);
  MQOPEN(hconn, &od, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_INQUIRE | MQOO_SET, &hobj, &cc, &rc);
  OK;
  MQPUT(hconn, hobj, &md, &pmo, 3, "abc", &cc, &rc);
  OK;
  EXPECT(memcmp(pmo.ResolvedQName, "IN ", 3) == 0);
  memcpy(md.MsgId, MQMI_NONE, sizeof md.MsgId);
  memset(md.MsgId, 0, 24);
  MQGET(hconn, hobj, &md, &gmo, 2, buffer, &length, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_TRUNCATED_MSG_FAILED && length == 3);
  memset(md.MsgId, 0, 24);
  MQGET(hconn, hobj, &md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
  OK;
  EXPECT(length == 3 && memcmp(buffer, "abc", 3) == 0);
  MQGET(hconn, hobj, &md, &gmo, -1, buffer, &length, &cc, &rc);
  EXPECT(rc == MQRC_BUFFER_LENGTH_ERROR);
  MQGET(hconn, hobj, NULL, &gmo, 1, buffer, &length, &cc, &rc);
  EXPECT(rc == MQRC_MD_ERROR);

  MQLONG selectors[] = { MQIA_MAX_Q_DEPTH, MQCA_Q_NAME, MQIA_INHIBIT_GET };
  MQLONG ints[2];
  char name[48];
  MQINQ(hconn, hobj, 3, selectors, 2, ints, 48, name, &cc, &rc);
  OK;
  EXPECT(ints[0] == 5000 && ints[1] == 0 && memcmp(name, "IN      ", 8) == 0);
  MQINQ(hconn, hobj, 3, selectors, 1, ints, 48, name, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_INT_ATTR_COUNT_TOO_SMALL);
  ints[0] = 1;
  MQSET(hconn, hobj, 1, &selectors[2], 1, ints, 0, NULL, &cc, &rc);
  OK;
  ints[0] = 0;
  MQSET(hconn, hobj, 1, &selectors[2], 1, ints, 0, NULL, &cc, &rc);
  OK;

  MQOD model = { MQOD_DEFAULT };
  strncpy(model.ObjectName, "SYSTEM.DEFAULT.MODEL.QUEUE", sizeof model.ObjectName);
  strncpy(model.DynamicQName, "ANSWER.*", sizeof model.DynamicQName);
  MQOPEN(hconn, &model, MQOO_INPUT_EXCLUSIVE, &reply, &cc, &rc);
  OK;
  EXPECT(memcmp(model.ObjectName, "ANSWER.", 7) == 0);
  MQCLOSE(hconn, &reply, MQCO_NONE, &cc, &rc);
  OK;
  EXPECT(reply == MQHO_UNUSABLE_HOBJ);

  MQCMHO cmho = { MQCMHO_DEFAULT };
  MQSMPO smpo = { MQSMPO_DEFAULT };
  MQIMPO impo = { MQIMPO_DEFAULT };
  MQDMPO dmpo = { MQDMPO_DEFAULT };
  MQDMHO dmho = { MQDMHO_DEFAULT };
  MQPD pd = { MQPD_DEFAULT };
  MQHMSG message;
  MQCHARV property = { MQCHARV_DEFAULT };
  char found[32];
  MQLONG type = MQTYPE_AS_SET, number = 7;
  MQCRTMH(MQHC_UNASSOCIATED_HCONN, &cmho, &message, &cc, &rc);
  OK;
  property.VSPtr = "size", property.VSLength = MQVS_NULL_TERMINATED;
  MQSETMP(hconn, message, &smpo, &property, &pd, MQTYPE_INT32, 4, &number, &cc, &rc);
  OK;
  property.VSPtr = "%", property.VSLength = 1;
  impo.Options = MQIMPO_INQ_FIRST;
  impo.ReturnedName.VSPtr = found, impo.ReturnedName.VSBufSize = sizeof found;
  number = 0;
  MQINQMP(hconn, message, &impo, &property, &pd, &type, 4, &number, &length, &cc, &rc);
  OK;
  EXPECT(type == MQTYPE_INT32 && number == 7 && length == 4);
  EXPECT(impo.ReturnedName.VSLength == 4 && memcmp(found, "size", 4) == 0);
  impo.Options = MQIMPO_INQ_NEXT;
  MQINQMP(hconn, message, &impo, &property, &pd, &type, 4, &number, &length, &cc, &rc);
  EXPECT(rc == MQRC_PROPERTY_NOT_AVAILABLE);
  property.VSPtr = "size", property.VSLength = 4;
  MQDLTMP(hconn, message, &dmpo, &property, &cc, &rc);
  OK;
  MQDLTMH(hconn, &message, &dmho, &cc, &rc);
  OK;
  EXPECT(message == MQHM_UNUSABLE_HMSG);

  MQCBD cbd = { MQCBD_DEFAULT };
  MQCTLO ctlo = { MQCTLO_DEFAULT };
  int area = 42;
  MQMD any = { MQMD_DEFAULT };
  MQGMO wait = { MQGMO_DEFAULT };
  cbd.CallbackFunction = (MQPTR)consumer;
  cbd.CallbackArea = &area;
  cbd.Options = MQCBDO_START_CALL | MQCBDO_STOP_CALL;
  wait.Options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT, wait.WaitInterval = MQWI_UNLIMITED;
  MQCB(hconn, MQOP_REGISTER, &cbd, hobj, &any, &wait, &cc, &rc);
  OK;
  MQCTL(hconn, MQOP_START, &ctlo, &cc, &rc);
  OK;
  MQCONN("QM1", &second, &cc, &rc);
  OK;
  memset(&md.MsgId, 0, 24);
  MQPUT1(second, &od, &md, &pmo, 3, "abc", &cc, &rc);
  OK;
  for (int i = 0; i < 500 && !consumed; i++) usleep(10000);
  EXPECT(consumed == 1 && started == 1);
  MQCTL(hconn, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  EXPECT(stopped == 1);
  MQCB(hconn, MQOP_DEREGISTER, &cbd, hobj, NULL, NULL, &cc, &rc);
  OK;

  MQBO bo = { MQBO_DEFAULT };
  MQBEGIN(second, &bo, &cc, &rc);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_NO_EXTERNAL_PARTICIPANTS);
  pmo.Options = MQPMO_SYNCPOINT;
  memset(&md.MsgId, 0, 24);
  MQPUT1(second, &od, &md, &pmo, 3, "abc", &cc, &rc);
  OK;
  MQBACK(second, &cc, &rc);
  OK;
  MQDISC(&second, &cc, &rc);
  OK;
  EXPECT(second == MQHC_UNUSABLE_HCONN);
  MQCLOSE(hconn, &hobj, MQCO_NONE, &cc, &rc);
  OK;
  MQDISC(&hconn, &cc, &rc);
  OK;
  MQCMIT(hconn, &cc, &rc);
  EXPECT(rc == MQRC_HCONN_ERROR);
  return 0;
}
