/* A program of the C client whose properties say what becomes of them (MQPD, MQPMO.Action). */
#include "expect.h"

static MQHOBJ queue;

static MQHMSG new_handle(void) {
  MQCMHO options = {MQCMHO_DEFAULT};
  MQHMSG handle;
  MQCRTMH(hconn, &options, &handle, &cc, &rc);
  OK;
  return handle;
}

static void set(MQHMSG handle, const char *name, const char *value, const MQPD *described) {
  MQSMPO options = {MQSMPO_DEFAULT};
  MQCHARV text = {MQCHARV_DEFAULT};
  MQPD pd = *described;
  text_in(&text, (char *)name);
  MQSETMP(hconn, handle, &options, &text, &pd, MQTYPE_STRING, (MQLONG)strlen(value),
          (PMQVOID)value, &cc, &rc);
  OK;
}

/* Inquire a property; its descriptor, with the outcome in cc and rc. */
static MQPD inquired(MQHMSG handle, const char *name, const char *value) {
  MQIMPO options = {MQIMPO_DEFAULT};
  MQCHARV text = {MQCHARV_DEFAULT};
  MQPD pd = {MQPD_DEFAULT};
  MQLONG type, length;
  char found[50] = "";
  text_in(&text, (char *)name);
  MQINQMP(hconn, handle, &options, &text, &pd, &type, sizeof found - 1, found, &length, &cc, &rc);
  EXPECT(cc != MQCC_OK || value == NULL || strcmp(found, value) == 0);
  return pd;
}

static void expect_there(MQHMSG handle, const char *name, const char *value) {
  inquired(handle, name, value);
  OK;
}

static void expect_gone(MQHMSG handle, const char *name) {
  inquired(handle, name, NULL);
  FAILS(MQRC_PROPERTY_NOT_AVAILABLE);
}

static void put_with(MQHOBJ where, MQLONG action, MQHMSG original, MQHMSG new) {
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  pmo.Version = MQPMO_VERSION_3;
  pmo.Options = MQPMO_NO_SYNCPOINT;
  pmo.Action = action;
  pmo.OriginalMsgHandle = original, pmo.NewMsgHandle = new;
  MQPUT(hconn, where, &md, &pmo, 4, "body", &cc, &rc);
}

static void get_into(MQHOBJ where, MQHMSG handle) {
  MQMD md = {MQMD_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  char body[10];
  MQLONG length;
  gmo.Version = MQGMO_VERSION_4;
  gmo.Options = MQGMO_NO_SYNCPOINT | MQGMO_PROPERTIES_IN_HANDLE;
  gmo.MsgHandle = handle;
  MQGET(hconn, where, &md, &gmo, sizeof body, body, &length, &cc, &rc);
  OK;
  EXPECT(length == 4);
}

static void travels(void) {
  MQPD plain = {MQPD_DEFAULT}, rare = {MQPD_DEFAULT}, none = {MQPD_DEFAULT}, all = {MQPD_DEFAULT};
  MQHMSG sent = new_handle(), received = new_handle();
  rare.Context = MQPD_USER_CONTEXT;
  rare.CopyOptions = MQCOPY_REPLY | MQCOPY_PUBLISH;
  none.CopyOptions = MQCOPY_NONE;
  all.CopyOptions = MQCOPY_ALL;
  set(sent, "plain", "1", &plain);
  set(sent, "rare", "2", &rare);
  set(sent, "none", "3", &none);
  set(sent, "all", "4", &all);
  put_with(queue, MQACTP_NEW, MQHM_NONE, sent);
  OK;
  get_into(queue, received);
  MQPD found = inquired(received, "plain", "1");
  EXPECT(found.Context == MQPD_NO_CONTEXT && found.CopyOptions == MQCOPY_DEFAULT);
  found = inquired(received, "rare", "2");
  EXPECT(found.Context == MQPD_USER_CONTEXT);
  EXPECT(found.CopyOptions == (MQCOPY_REPLY | MQCOPY_PUBLISH));
  EXPECT(found.Support == MQPD_SUPPORT_OPTIONAL);
  EXPECT(inquired(received, "none", "3").CopyOptions == MQCOPY_NONE);
  EXPECT(inquired(received, "all", "4").CopyOptions == MQCOPY_ALL);
}

static void goes_along(void) {
  MQPD forward = {MQPD_DEFAULT}, reply = {MQPD_DEFAULT}, report = {MQPD_DEFAULT};
  MQPD plain = {MQPD_DEFAULT};
  MQHMSG original = new_handle(), received = new_handle();
  static const struct { MQLONG action; const char *along, *not[2]; } cases[] = {
    { MQACTP_FORWARD, "forward", { "reply", "report" } },
    { MQACTP_REPLY, "reply", { "forward", "report" } },
    { MQACTP_REPORT, "report", { "forward", "reply" } },
  };
  forward.CopyOptions = MQCOPY_FORWARD;
  reply.CopyOptions = MQCOPY_REPLY;
  report.CopyOptions = MQCOPY_REPORT;
  set(original, "forward", "f", &forward);
  set(original, "reply", "r", &reply);
  set(original, "report", "p", &report);
  for (int i = 0; i < 3; i++) {
    MQHMSG new = new_handle();
    set(new, "own", "mine", &plain);
    put_with(queue, cases[i].action, original, new);
    OK;
    expect_there(new, cases[i].along, NULL);  /* it tells what was put */
    get_into(queue, received);
    expect_there(received, "own", "mine");
    expect_there(received, cases[i].along, NULL);
    expect_gone(received, cases[i].not[0]);
    expect_gone(received, cases[i].not[1]);
    expect_there(original, "report", "p");
  }
  MQHMSG other = new_handle();
  set(other, "reply", "other", &plain);
  put_with(queue, MQACTP_REPLY, original, other);
  OK;
  get_into(queue, received);
  expect_there(received, "reply", "other");
  put_with(queue, MQACTP_NEW, original, MQHM_NONE);
  OK;
  get_into(queue, received);
  expect_there(received, "forward", "f");
  expect_there(received, "reply", "r");
  put_with(queue, 7, original, MQHM_NONE);
  FAILS(MQRC_ACTION_ERROR);
}

static void is_published(void) {
  MQPD reply = {MQPD_DEFAULT}, plain = {MQPD_DEFAULT};
  MQHMSG sent = new_handle(), received = new_handle();
  MQSD sd = {MQSD_DEFAULT};
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ subscribed = MQHO_NONE, hsub, topic;
  reply.CopyOptions = MQCOPY_REPLY;
  set(sent, "reply", "r", &reply);
  set(sent, "plain", "p", &plain);
  sd.Options = MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE;
  text_in(&sd.ObjectString, "dev/descriptors");
  MQSUB(hconn, &sd, &subscribed, &hsub, &cc, &rc);
  OK;
  od.Version = MQOD_VERSION_4;
  od.ObjectType = MQOT_TOPIC;
  text_in(&od.ObjectString, "dev/descriptors");
  MQOPEN(hconn, &od, MQOO_OUTPUT, &topic, &cc, &rc);
  OK;
  put_with(topic, MQACTP_NEW, MQHM_NONE, sent);
  OK;
  get_into(subscribed, received);
  expect_there(received, "plain", "p");
  expect_gone(received, "reply");
}

/* Properties of the user context go along with context that is passed. */
static void passes_context(void) {
  MQPD user = {MQPD_DEFAULT}, plain = {MQPD_DEFAULT};
  MQHMSG sent = new_handle(), received = new_handle(), more = new_handle();
  MQHOBJ from = opened("IN", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT);
  MQHOBJ to = opened("OUT", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT | MQOO_INPUT_SHARED);
  OK;
  user.Context = MQPD_USER_CONTEXT;
  set(sent, "user", "u", &user);
  set(sent, "both", "of the context", &user);
  set(sent, "plain", "p", &plain);
  put_with(queue, MQACTP_NEW, MQHM_NONE, sent);
  OK;
  get_into(from, received);
  set(more, "both", "of the program", &plain);
  for (int with_handle = 0; with_handle < 2; with_handle++) {
    MQMD md = {MQMD_DEFAULT};
    MQPMO pmo = {MQPMO_DEFAULT};
    pmo.Version = MQPMO_VERSION_3;
    pmo.Options = MQPMO_NO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT;
    pmo.Context = from;
    if (with_handle) pmo.NewMsgHandle = more;
    MQPUT(hconn, to, &md, &pmo, 4, "body", &cc, &rc);
    OK;
    EXPECT(!memcmp(md.Format, MQFMT_NONE, 8));
    get_into(to, received);
    expect_there(received, "user", "u");
    expect_there(received, "both", with_handle ? "of the program" : "of the context");
    expect_gone(received, "plain");
  }
}

/* A property of IBM MQ that this queue manager does not know. */
static void is_supported(void) {
  MQPD required = {MQPD_DEFAULT}, local = {MQPD_DEFAULT}, optional = {MQPD_DEFAULT};
  MQHMSG first = new_handle(), second = new_handle(), third = new_handle();
  MQHMSG received = new_handle();
  required.Support = MQPD_SUPPORT_REQUIRED;
  local.Support = MQPD_SUPPORT_REQUIRED_IF_LOCAL;
  set(first, "mq.Unheard", "1", &required);
  put_with(queue, MQACTP_NEW, MQHM_NONE, first);
  FAILS(MQRC_UNSUPPORTED_PROPERTY);
  set(second, "mq.Unheard", "1", &local);
  put_with(queue, MQACTP_NEW, MQHM_NONE, second);
  FAILS(MQRC_UNSUPPORTED_PROPERTY);
  MQHOBJ remote = opened("FAR", MQOO_OUTPUT);
  put_with(remote, MQACTP_NEW, MQHM_NONE, second);
  OK;
  set(third, "mq.Unheard", "1", &optional);
  put_with(queue, MQACTP_NEW, MQHM_NONE, third);
  OK;
  get_into(queue, received);
  expect_there(received, "mq.Unheard", "1");
}

int main(void) {
  connect_here();
  queue = opened("IN", MQOO_OUTPUT | MQOO_INPUT_SHARED);
  OK;
  travels();
  goes_along();
  is_published();
  is_supported();
  passes_context();
  leave();
  return 0;
}
