/* A program of the C client that puts and gets messages in segments, and has them put together. */
#include "expect.h"

static char buffer[5000];
static MQLONG length;
static MQMD md;
static MQPMO pmo;
static MQGMO gmo;
static MQHOBJ queue;

static void init(void) {
  MQMD m = {MQMD_DEFAULT};
  MQPMO p = {MQPMO_DEFAULT};
  MQGMO g = {MQGMO_DEFAULT};
  md = m;
  md.Version = 2;
  pmo = p;
  gmo = g;
  gmo.Version = 3;
  gmo.MatchOptions = MQMO_NONE;
}

static void put_segment(MQLONG flags, MQLONG options, const char *text) {
  md.MsgFlags = flags;
  memcpy(md.MsgId, MQMI_NONE, 24);
  pmo.Options = options;
  MQPUT(hconn, queue, &md, &pmo, (MQLONG)strlen(text), (PMQVOID)text, &cc, &rc);
}

static void put_three(MQLONG options) {
  init();
  memcpy(md.Format, MQFMT_STRING, 8);
  put_segment(MQMF_SEGMENT, options | MQPMO_LOGICAL_ORDER, "one ");
  OK;
  put_segment(MQMF_SEGMENT, options | MQPMO_LOGICAL_ORDER, "two ");
  OK;
  put_segment(MQMF_LAST_SEGMENT, options | MQPMO_LOGICAL_ORDER, "three");
  OK;
  EXPECT(md.Offset == 8);
}

static void get(MQLONG options, MQLONG size) {
  init();
  gmo.Options = options;
  memset(buffer, 0, sizeof buffer);
  MQGET(hconn, queue, &md, &gmo, size, buffer, &length, &cc, &rc);
}

static void whole(void) {
  put_three(MQPMO_NO_SYNCPOINT);
  get(MQGMO_COMPLETE_MSG | MQGMO_BROWSE_FIRST, 100);
  OK;
  EXPECT(length == 13 && memcmp(buffer, "one two three", 13) == 0);
  EXPECT(md.Offset == 0 && md.MsgFlags == (MQMF_SEGMENT | MQMF_LAST_SEGMENT));
  EXPECT(gmo.SegmentStatus == MQSS_LAST_SEGMENT && gmo.GroupStatus == MQGS_NOT_IN_GROUP);
  EXPECT(gmo.ReturnedLength == 13);
  get(MQGMO_COMPLETE_MSG | MQGMO_BROWSE_NEXT, 100);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  get(MQGMO_COMPLETE_MSG, 6);
  WARNS(MQRC_TRUNCATED_MSG_FAILED);
  EXPECT(length == 13 && memcmp(buffer, "one tw", 6) == 0);
  get(MQGMO_COMPLETE_MSG | MQGMO_SYNCPOINT, 100);
  OK;
  MQBACK(hconn, &cc, &rc);
  get(MQGMO_BROWSE_FIRST, 100);
  EXPECT(md.BackoutCount == 1 && length == 4);
  get(MQGMO_BROWSE_NEXT, 100);
  EXPECT(md.BackoutCount == 1 && md.Offset == 4);
  get(MQGMO_COMPLETE_MSG | MQGMO_ACCEPT_TRUNCATED_MSG, 6);
  WARNS(MQRC_TRUNCATED_MSG_ACCEPTED);
  EXPECT(length == 13 && md.BackoutCount == 1);
  get(0, 100);
  FAILS(MQRC_NO_MSG_AVAILABLE);
}

static void one_by_one(void) {
  put_three(MQPMO_NO_SYNCPOINT);
  get(MQGMO_LOGICAL_ORDER, 100);
  OK;
  EXPECT(gmo.SegmentStatus == MQSS_SEGMENT);
  get(MQGMO_LOGICAL_ORDER | MQGMO_SYNCPOINT, 100);
  FAILS(MQRC_INCONSISTENT_UOW);
  init();
  gmo.Options = MQGMO_LOGICAL_ORDER;
  gmo.MatchOptions = MQMO_MATCH_OFFSET;
  md.Offset = 8;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  FAILS(MQRC_MATCH_OPTIONS_ERROR);
  get(MQGMO_LOGICAL_ORDER, 100);
  OK;
  EXPECT(md.Offset == 4);
  get(0, 100);
  WARNS(MQRC_INCOMPLETE_MSG);
  EXPECT(gmo.SegmentStatus == MQSS_LAST_SEGMENT);
  put_three(MQPMO_NO_SYNCPOINT);
  get(MQGMO_LOGICAL_ORDER, 100);
  MQCLOSE(hconn, &queue, MQCO_NONE, &cc, &rc);
  WARNS(MQRC_INCOMPLETE_MSG);
  queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE);
  clear(queue);
}

static void refused(void) {
  put_three(MQPMO_NO_SYNCPOINT);
  get(MQGMO_COMPLETE_MSG | MQGMO_SYNCPOINT_IF_PERSISTENT, 100);
  FAILS(MQRC_OPTIONS_ERROR);
  init();
  gmo.Options = MQGMO_COMPLETE_MSG;
  gmo.MatchOptions = MQMO_MATCH_OFFSET;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  FAILS(MQRC_MATCH_OPTIONS_ERROR);
  md.Version = 1;
  gmo.Options = 0;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  FAILS(MQRC_WRONG_MD_VERSION);
  init();
  gmo.Version = 2;
  gmo.MatchOptions = MQMO_MATCH_MSG_TOKEN;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  FAILS(MQRC_WRONG_GMO_VERSION);
  get(MQGMO_BROWSE_FIRST, 100);
  get(MQGMO_BROWSE_NEXT, 100);
  get(MQGMO_COMPLETE_MSG | MQGMO_BROWSE_MSG_UNDER_CURSOR, 100);
  FAILS(MQRC_INVALID_MSG_UNDER_CURSOR);
  get(MQGMO_COMPLETE_MSG | MQGMO_MSG_UNDER_CURSOR, 100);
  FAILS(MQRC_INVALID_MSG_UNDER_CURSOR);
  get(MQGMO_BROWSE_FIRST, 100);
  get(MQGMO_COMPLETE_MSG | MQGMO_MSG_UNDER_CURSOR, 100);
  OK;
  EXPECT(length == 13);
  init();
  put_segment(MQMF_SEGMENT, MQPMO_LOGICAL_ORDER, "x");
  OK;
  md.Persistence = MQPER_PERSISTENT;
  put_segment(MQMF_SEGMENT, MQPMO_LOGICAL_ORDER, "x");
  FAILS(MQRC_INCONSISTENT_PERSISTENCE);
  init();
  put_segment(MQMF_NONE, MQPMO_NONE, "x");
  WARNS(MQRC_INCOMPLETE_MSG);
  put_segment(MQMF_NONE, MQPMO_NONE, "x");
  OK;
  clear(queue);
}

/* A persistent message is put together, or cut, in a unit of work alone. */
static void units_of_work(void) {
  init();
  md.Persistence = MQPER_PERSISTENT;
  put_segment(MQMF_SEGMENT, MQPMO_NO_SYNCPOINT | MQPMO_LOGICAL_ORDER, "one");
  put_segment(MQMF_LAST_SEGMENT, MQPMO_NO_SYNCPOINT | MQPMO_LOGICAL_ORDER, "two");
  OK;
  init();
  put_segment(MQMF_NONE, MQPMO_SYNCPOINT, "in a unit of work");
  get(MQGMO_COMPLETE_MSG | MQGMO_NO_SYNCPOINT, 100);
  FAILS(MQRC_UOW_NOT_AVAILABLE);
  MQBACK(hconn, &cc, &rc);
  get(MQGMO_COMPLETE_MSG | MQGMO_NO_SYNCPOINT, 100);
  OK;
  EXPECT(length == 6);
}

static void cut_by_the_queue_manager(void) {
  MQHOBJ small = opened("SMALL", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE), big = queue;
  char text[250];
  memset(text, 'a', sizeof text);
  text[249] = 0;
  queue = small;
  init();
  put_segment(MQMF_NONE, MQPMO_NONE, text);
  FAILS(MQRC_MSG_TOO_BIG_FOR_Q);
  put_segment(MQMF_SEGMENTATION_ALLOWED, MQPMO_NONE, text);
  OK;
  EXPECT(md.MsgFlags == MQMF_SEGMENTATION_ALLOWED);
  EXPECT(memcmp(md.GroupId, MQGI_NONE, 24) != 0);
  get(MQGMO_BROWSE_FIRST, 200);
  EXPECT(length == 96 && gmo.SegmentStatus == MQSS_SEGMENT && gmo.Segmentation == MQSEG_ALLOWED);
  get(MQGMO_COMPLETE_MSG, 300);
  OK;
  EXPECT(length == 249);
  MQCLOSE(hconn, &small, 0, &cc, &rc);
  queue = big;
}

/* The properties of a message are in its first segment; what is asked for is done to the whole. */
static void properties_and_code_page(void) {
  MQHOBJ small = opened("SMALL", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE);
  MQHMSG handle;
  MQCMHO cmho = {MQCMHO_DEFAULT};
  MQDMHO dmho = {MQDMHO_DEFAULT};
  MQSMPO smpo = {MQSMPO_DEFAULT};
  MQIMPO impo = {MQIMPO_DEFAULT};
  MQPD pd = {MQPD_DEFAULT};
  MQCHARV name = {MQCHARV_DEFAULT};
  MQLONG value = 7, type = MQTYPE_INT32;
  char text[150];
  text_in(&name, "number");
  MQCRTMH(hconn, &cmho, &handle, &cc, &rc);
  OK;
  MQSETMP(hconn, handle, &smpo, &name, &pd, type, sizeof value, &value, &cc, &rc);
  OK;
  init();
  pmo.Version = MQPMO_VERSION_3;
  pmo.OriginalMsgHandle = handle;
  md.MsgFlags = MQMF_SEGMENTATION_ALLOWED;
  md.CodedCharSetId = 819;
  memcpy(md.Format, MQFMT_STRING, 8);
  memset(text, '\xE9', sizeof text);
  MQPUT(hconn, small, &md, &pmo, sizeof text, text, &cc, &rc);
  OK;
  MQDLTMH(hconn, &handle, &dmho, &cc, &rc);
  MQCRTMH(hconn, &cmho, &handle, &cc, &rc);
  OK;
  init();
  gmo.Version = MQGMO_VERSION_4;
  gmo.MsgHandle = handle;
  gmo.Options = MQGMO_COMPLETE_MSG | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_CONVERT;
  md.CodedCharSetId = 1208;
  MQGET(hconn, small, &md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
  OK;
  EXPECT(length == 300 && md.CodedCharSetId == 1208 && memcmp(buffer, "\xC3\xA9\xC3", 3) == 0);
  value = 0;
  MQINQMP(hconn, handle, &impo, &name, &pd, &type, sizeof value, &value, &length, &cc, &rc);
  OK;
  EXPECT(value == 7);
  MQDLTMH(hconn, &handle, &dmho, &cc, &rc);
  OK;
  MQCLOSE(hconn, &small, 0, &cc, &rc);
}

/* An MQMD of version 1 has an MQMDE in front of the data. */
static void version_1(void) {
  MQMDE extension = {MQMDE_DEFAULT};
  char data[sizeof extension + 3];
  init();
  md.Version = 1;
  memcpy(md.Format, MQFMT_MD_EXTENSION, 8);
  memcpy(extension.Format, MQFMT_STRING, 8);
  extension.CodedCharSetId = 1208;
  extension.MsgFlags = MQMF_LAST_SEGMENT;
  memcpy(data, &extension, sizeof extension);
  memcpy(data + sizeof extension, "end", 3);
  MQPUT(hconn, queue, &md, &pmo, sizeof data, data, &cc, &rc);
  OK;
  EXPECT(memcmp(md.Format, MQFMT_MD_EXTENSION, 8) == 0);
  get(MQGMO_BROWSE_FIRST, 100);
  EXPECT(length == 3 && memcmp(md.Format, MQFMT_STRING, 8) == 0);
  init();
  md.Version = 1;
  MQGET(hconn, queue, &md, &gmo, 100, buffer, &length, &cc, &rc);
  OK;
  EXPECT(length == (MQLONG)sizeof data && memcmp(buffer, MQMDE_STRUC_ID, 4) == 0);
  EXPECT(memcmp(md.Format, MQFMT_MD_EXTENSION, 8) == 0);
  init();
  md.Version = 1;
  memcpy(md.Format, MQFMT_MD_EXTENSION, 8);
  MQPUT(hconn, queue, &md, &pmo, 3, "MDE", &cc, &rc);
  FAILS(MQRC_MDE_ERROR);
}

static int calls;
static void consume(MQHCONN c, PMQMD m, PMQGMO g, PMQVOID b, PMQCBC context) {
  (void)c, (void)m, (void)g;
  if (context->CallType == MQCBCT_MSG_REMOVED && context->DataLength == 13) {
    calls += memcmp(b, "one two three", 13) == 0;
  }
}

static void consumer(void) {
  MQCBD cbd = {MQCBD_DEFAULT};
  MQCTLO ctlo = {MQCTLO_DEFAULT};
  init();
  cbd.CallbackFunction = (MQPTR)(void (*)(void))consume;
  gmo.Options = MQGMO_COMPLETE_MSG | MQGMO_WAIT | MQGMO_NO_SYNCPOINT;
  gmo.WaitInterval = 2000;
  MQCB(hconn, MQOP_REGISTER, &cbd, queue, &md, &gmo, &cc, &rc);
  OK;
  put_three(MQPMO_NO_SYNCPOINT);
  MQCTL(hconn, MQOP_START, &ctlo, &cc, &rc);
  OK;
  for (int i = 0; i < 400 && !__atomic_load_n(&calls, __ATOMIC_SEQ_CST); i++) usleep(5000);
  MQCTL(hconn, MQOP_STOP, &ctlo, &cc, &rc);
  OK;
  EXPECT(calls == 1);
  MQCB(hconn, MQOP_DEREGISTER, &cbd, queue, &md, &gmo, &cc, &rc);
}

int main(void) {
  connect_here();
  queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE);
  OK;
  clear(queue);
  whole();
  one_by_one();
  refused();
  units_of_work();
  cut_by_the_queue_manager();
  properties_and_code_page();
  version_1();
  consumer();
  leave();
  return 0;
}
