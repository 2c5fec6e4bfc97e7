/* A program of the C client that turns message handles into buffers and back, and converts
 * characters. */
#include "expect.h"

static MQHMSG new_handle(void) {
  MQCMHO cmho = { MQCMHO_DEFAULT };
  MQHMSG made;
  MQCRTMH(hconn, &cmho, &made, &cc, &rc);
  OK;
  return made;
}

static void drop(MQHMSG *message) {
  MQDMHO dmho = { MQDMHO_DEFAULT };
  MQDLTMH(hconn, message, &dmho, &cc, &rc);
  OK;
}

static void set(MQHMSG message, char *name, MQLONG type, MQLONG length, void *value) {
  MQSMPO smpo = { MQSMPO_DEFAULT };
  MQPD pd = { MQPD_DEFAULT };
  MQCHARV charv = { MQCHARV_DEFAULT };
  charv.VSPtr = name, charv.VSLength = MQVS_NULL_TERMINATED;
  MQSETMP(hconn, message, &smpo, &charv, &pd, type, length, value, &cc, &rc);
}

static int count(MQHMSG message) {
  MQIMPO impo = { MQIMPO_DEFAULT };
  MQPD pd = { MQPD_DEFAULT };
  MQCHARV all = { MQPROP_INQUIRE_ALL };
  MQLONG type, length;
  int found = 0;
  char value[100];
  for (;;) {
    MQINQMP(hconn, message, &impo, &all, &pd, &type, sizeof value, value, &length, &cc, &rc);
    if (rc == MQRC_PROPERTY_NOT_AVAILABLE) return found;
    OK;
    impo.Options = MQIMPO_INQ_NEXT;
    found++;
  }
}

static void handles_and_buffers(void) {
  MQHMSG message = new_handle(), other = new_handle(), none = MQHM_UNUSABLE_HMSG;
  MQMHBO mhbo = { MQMHBO_DEFAULT };
  MQBMHO bmho = { MQBMHO_DEFAULT };
  MQMD md = { MQMD_DEFAULT };
  MQCHARV all = { MQPROP_INQUIRE_ALL }, users = { MQPROP_INQUIRE_ALL_USR }, one = { MQCHARV_DEFAULT };
  MQLONG length = -1, left, number = 7;
  char buffer[1000], whole[1000];

  MQMHBUF(hconn, message, &mhbo, &all, &md, sizeof buffer, buffer, &length, &cc, &rc);
  FAILS(MQRC_PROPERTY_NOT_AVAILABLE);
  set(message, "colour", MQTYPE_STRING, MQVL_NULL_TERMINATED, "red");
  OK;
  set(message, "size", MQTYPE_INT32, 4, &number);
  OK;
  set(message, "jms.Dst", MQTYPE_STRING, 5, "queue");
  OK;
  memcpy(md.Format, MQFMT_STRING, 8);
  md.CodedCharSetId = 819;
  MQMHBUF(hconn, message, &mhbo, &all, &md, 4, buffer, &length, &cc, &rc);
  FAILS(MQRC_PROPERTY_VALUE_TOO_BIG);
  EXPECT(length > 100 && memcmp(md.Format, MQFMT_STRING, 8) == 0);
  MQMHBUF(hconn, message, &mhbo, &all, &md, sizeof buffer, buffer, &left, &cc, &rc);
  OK;
  EXPECT(left == length && length % 4 == 0 && memcmp(buffer, "RFH ", 4) == 0);
  EXPECT(memcmp(md.Format, MQFMT_RF_HEADER_2, 8) == 0 && md.Encoding == MQENC_NATIVE);
  EXPECT(memcmp(buffer + 20, MQFMT_STRING, 8) == 0);
  MQMHBUF(hconn, message, &mhbo, &users, &md, sizeof whole, whole, &left, &cc, &rc);
  OK;
  EXPECT(left < length);
  one.VSPtr = "size", one.VSLength = MQVS_NULL_TERMINATED;
  mhbo.Options = MQMHBO_PROPERTIES_IN_MQRFH2 | MQMHBO_DELETE_PROPERTIES;
  MQMHBUF(hconn, message, &mhbo, &one, &md, sizeof whole, whole, &left, &cc, &rc);
  OK;
  EXPECT(count(message) == 2);
  mhbo.Options = 64;
  MQMHBUF(hconn, message, &mhbo, &all, &md, sizeof buffer, buffer, &left, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  memcpy(mhbo.StrucId, "XXXX", 4);
  MQMHBUF(hconn, message, &mhbo, &all, &md, sizeof buffer, buffer, &left, &cc, &rc);
  FAILS(MQRC_MHBO_ERROR);

  md.CodedCharSetId = 1208, md.Encoding = MQENC_NATIVE;
  memcpy(md.Format, MQFMT_RF_HEADER_2, 8);
  memcpy(buffer + length, "data", 4);
  bmho.Options = MQBMHO_NONE;
  MQBUFMH(hconn, other, &bmho, &md, length + 4, buffer, &left, &cc, &rc);
  OK;
  EXPECT(left == length + 4 && memcmp(buffer, "RFH ", 4) == 0 && count(other) == 3);
  bmho.Options = MQBMHO_DELETE_PROPERTIES;
  MQBUFMH(hconn, other, &bmho, &md, length + 4, buffer, &left, &cc, &rc);
  OK;
  EXPECT(left == 4 && memcmp(buffer, "data", 4) == 0 && count(other) == 3);
  EXPECT(memcmp(md.Format, MQFMT_STRING, 8) == 0 && md.CodedCharSetId == 819);
  MQBUFMH(hconn, other, &bmho, &md, 4, buffer, &left, &cc, &rc);  /* no MQRFH2: as it is */
  OK;
  EXPECT(left == 4);
  memcpy(md.Format, MQFMT_RF_HEADER_2, 8);
  MQBUFMH(hconn, other, &bmho, &md, 4, buffer, &left, &cc, &rc);
  FAILS(MQRC_RFH_ERROR);
  MQBUFMH(hconn, none, &bmho, &md, 4, buffer, &left, &cc, &rc);
  FAILS(MQRC_HMSG_ERROR);
  MQBUFMH(hconn, other, NULL, &md, 4, buffer, &left, &cc, &rc);
  FAILS(MQRC_BMHO_ERROR);
  MQBUFMH(hconn, other, &bmho, NULL, 4, buffer, &left, &cc, &rc);
  FAILS(MQRC_MD_ERROR);
  MQBUFMH(hconn, other, &bmho, &md, 4, NULL, &left, &cc, &rc);
  FAILS(MQRC_BUFFER_ERROR);
  set(message, "size", MQTYPE_INT32, -5, &number);
  FAILS(MQRC_BUFFER_LENGTH_ERROR);
  set(message, "size", MQTYPE_STRING, 3, NULL);
  FAILS(MQRC_BUFFER_ERROR);
  set(message, NULL, MQTYPE_INT32, 4, &number);
  FAILS(MQRC_PROPERTY_NAME_LENGTH_ERR);
  drop(&message);
  drop(&other);
}

#define CONVERT(options, from, given, to, room)                                                \
  MQXCNVC(hconn, options, from, (MQLONG)strlen(given), given, to, room, made, &length, &cc, &rc)
#define MADE(what) EXPECT(length == (MQLONG)sizeof what - 1 && memcmp(made, what, sizeof what - 1) == 0)

static void characters(void) {
  char made[20];
  MQLONG length;
  MQLONG ucs2 = MQDCC_TARGET_ENC_REVERSED;
  CONVERT(0, 819, "AB1", 500, 20);
  OK;
  MADE("\xC1\xC2\xF1");
  CONVERT(0, 1047, "\xAD\xBD", 850, 20);
  OK;
  MADE("[]");
  CONVERT(0, 1208, "\xC3\xA9", 437, 20);
  OK;
  MADE("\x82");
  CONVERT(ucs2, 1208, "\xE2\x82\xAC", 1200, 20);
  OK;
  MADE("\xAC\x20");
  CONVERT(0, 1208, "AB", 1200, 20);
  FAILS(MQRC_TARGET_INTEGER_ENC_ERROR);
  CONVERT(MQDCC_SOURCE_ENC_NORMAL, 1200, "odd", 1208, 20);
  FAILS(MQRC_SOURCE_LENGTH_ERROR);
  CONVERT(0, 1200, "AB", 1208, 20);
  FAILS(MQRC_SOURCE_INTEGER_ENC_ERROR);
  CONVERT(0, 999999, "AB", 1208, 20);
  FAILS(MQRC_SOURCE_CCSID_ERROR);
  CONVERT(0, 819, "AB", -7, 20);
  FAILS(MQRC_TARGET_CCSID_ERROR);
  CONVERT(0x1000, 819, "AB", 37, 20);
  FAILS(MQRC_OPTIONS_ERROR);
  CONVERT(0, 819, "AB", 37, -1);
  FAILS(MQRC_TARGET_LENGTH_ERROR);
  CONVERT(0, 1208, "\xC3", 37, 20);
  FAILS(MQRC_DBCS_ERROR);
  MQXCNVC(hconn, 0, 819, -1, made, 37, 20, made, &length, &cc, &rc);
  FAILS(MQRC_SOURCE_LENGTH_ERROR);
  MQXCNVC(hconn, 0, 819, 2, NULL, 37, 20, made, &length, &cc, &rc);
  FAILS(MQRC_SOURCE_BUFFER_ERROR);
  MQXCNVC(hconn, 0, 819, 2, "AB", 37, 20, NULL, &length, &cc, &rc);
  FAILS(MQRC_TARGET_BUFFER_ERROR);
  CONVERT(0, 819, "ABC", 1140, 2);
  EXPECT(cc == MQCC_WARNING && rc == MQRC_CONVERTED_MSG_TOO_BIG);
  MADE("\xC1\xC2");
  CONVERT(0, 819, "A\xE9", 1208, 2);  /* half a character is none */
  EXPECT(cc == MQCC_WARNING && rc == MQRC_CONVERTED_MSG_TOO_BIG);
  MADE("A");
  CONVERT(MQDCC_FILL_TARGET_BUFFER, 819, "AB", 37, 4);
  OK;
  MADE("\xC1\xC2\x40\x40");
  CONVERT(MQDCC_FILL_TARGET_BUFFER, 819, "AB    ", 37, 2);
  OK;
  MADE("\xC1\xC2");
  CONVERT(MQDCC_FILL_TARGET_BUFFER | ucs2, 819, "AB", 1200, 5);
  FAILS(MQRC_TARGET_LENGTH_ERROR);
  CONVERT(0, 819, "", 37, 20);
  OK;
  EXPECT(length == 0);
}

int main(void) {
  MQCONN("QM1", &hconn, &cc, &rc);
  OK;
  handles_and_buffers();
  characters();
  MQDISC(&hconn, &cc, &rc);
  OK;
  return 0;
}
