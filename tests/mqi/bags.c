/* A program of the administration interface: bags, and commands by way of them. */
#include "expect.h"

#include <cmqbc.h>
#include <cmqcfc.h>

static char text[100];
static MQLONG number, length, selector, type, op, ccsid;
static MQHBAG inner;

static MQHBAG new_bag(MQLONG options) {
  MQHBAG bag;
  mqCreateBag(options, &bag, &cc, &rc);
  OK;
  return bag;
}

static void delete(MQHBAG bag) {
  mqDeleteBag(&bag, &cc, &rc);
  OK;
  EXPECT(bag == MQHB_UNUSABLE_HBAG);
}

static MQLONG count(MQHBAG bag, MQLONG what) {
  mqCountItems(bag, what, &number, &cc, &rc);
  OK;
  return number;
}

static MQLONG integer(MQHBAG bag, MQLONG what, MQLONG index) {
  mqInquireInteger(bag, what, index, &number, &cc, &rc);
  return number;
}

/* The string of an item without its padding. */
static const char *string(MQHBAG bag, MQLONG what, MQLONG index) {
  memset(text, 0, sizeof text);
  mqInquireString(bag, what, index, 60, text, &length, &ccsid, &cc, &rc);
  OK;
  mqTrim(60, text, text, &cc, &rc);
  OK;
  return text;
}

static void items(void) {
  MQHBAG bag = new_bag(MQCBO_USER_BAG);
  MQINT64 large = 1LL << 40;
  mqAddInteger(bag, 5, 1, &cc, &rc);
  OK;
  mqAddInteger(bag, 5, 2, &cc, &rc);
  mqAddString(bag, 9, MQBL_NULL_TERMINATED, "hello", &cc, &rc);
  OK;
  mqAddInteger64(bag, 11, large, &cc, &rc);
  mqAddByteString(bag, 12, 3, (PMQBYTE) "\1\2\3", &cc, &rc);
  mqAddIntegerFilter(bag, 13, 7, MQCFOP_GREATER, &cc, &rc);
  mqAddStringFilter(bag, 14, 2, "A*", MQCFOP_LIKE, &cc, &rc);
  mqAddByteStringFilter(bag, 15, 1, (PMQBYTE) "x", MQCFOP_EQUAL, &cc, &rc);
  OK;
  EXPECT(count(bag, MQSEL_ALL_USER_SELECTORS) == 8 && count(bag, 5) == 2 && count(bag, 6) == 0);
  EXPECT(count(bag, MQSEL_ALL_SELECTORS) == 8 + count(bag, MQSEL_ALL_SYSTEM_SELECTORS));
  EXPECT(integer(bag, 5, 1) == 2);
  integer(bag, 5, MQIND_NONE);
  FAILS(MQRC_SELECTOR_NOT_UNIQUE);
  integer(bag, 5, 2);
  FAILS(MQRC_INDEX_NOT_PRESENT);
  integer(bag, 5, -7);
  FAILS(MQRC_INDEX_ERROR);
  integer(bag, 6, MQIND_NONE);
  FAILS(MQRC_SELECTOR_NOT_PRESENT);
  integer(bag, 9, MQIND_NONE);
  FAILS(MQRC_SELECTOR_WRONG_TYPE);
  integer(bag, -50, MQIND_NONE);
  FAILS(MQRC_SELECTOR_NOT_SUPPORTED);
  integer(-1, 5, 0);
  FAILS(MQRC_HBAG_ERROR);
  EXPECT(integer(bag, MQIASY_TYPE, MQIND_NONE) == MQCFT_USER);
  EXPECT(!strcmp(string(bag, 9, 0), "hello") && length == 5);
  mqInquireString(bag, 9, 0, 3, text, &length, NULL, &cc, &rc);
  WARNS(MQRC_STRING_TRUNCATED);
  EXPECT(!memcmp(text, "hel", 3) && length == 5);
  mqInquireInteger64(bag, 11, 0, &large, &cc, &rc);
  OK;
  EXPECT(large == 1LL << 40);
  mqInquireByteString(bag, 12, 0, 5, (PMQBYTE)text, &length, &cc, &rc);
  OK;
  EXPECT(length == 3 && !memcmp(text, "\1\2\3\0\0", 5));
  mqInquireIntegerFilter(bag, 13, 0, &number, &op, &cc, &rc);
  OK;
  EXPECT(number == 7 && op == MQCFOP_GREATER);
  mqInquireStringFilter(bag, 14, 0, 3, text, &length, &ccsid, &op, &cc, &rc);
  OK;
  EXPECT(!memcmp(text, "A* ", 3) && length == 2 && op == MQCFOP_LIKE);
  mqInquireByteStringFilter(bag, 15, 0, 1, (PMQBYTE)text, &length, &op, &cc, &rc);
  OK;
  EXPECT(*text == 'x' && op == MQCFOP_EQUAL);
  mqInquireItemInfo(bag, MQSEL_ANY_USER_SELECTOR, 2, &selector, &type, &cc, &rc);
  OK;
  EXPECT(selector == 9 && type == MQITEM_STRING);
  mqInquireItemInfo(bag, MQSEL_ANY_USER_SELECTOR, 8, &selector, &type, &cc, &rc);
  FAILS(MQRC_INDEX_NOT_PRESENT);
  mqAddString(bag, 5, 1, "x", &cc, &rc);
  FAILS(MQRC_INCONSISTENT_ITEM_TYPE);
  mqAddInteger(bag, -4, 1, &cc, &rc);
  FAILS(MQRC_SELECTOR_OUT_OF_RANGE);
  delete(bag);
  mqClearBag(bag, &cc, &rc);
  FAILS(MQRC_HBAG_ERROR);
}

static void changes(void) {
  MQHBAG bag = new_bag(MQCBO_USER_BAG);
  mqSetInteger(bag, 5, MQIND_NONE, 1, &cc, &rc);
  OK;
  mqAddInteger(bag, 5, 2, &cc, &rc);
  mqSetInteger(bag, 5, 1, 22, &cc, &rc);
  OK;
  EXPECT(integer(bag, 5, 0) == 1 && integer(bag, 5, 1) == 22);
  mqSetInteger(bag, 5, MQIND_NONE, 3, &cc, &rc);
  FAILS(MQRC_SELECTOR_NOT_UNIQUE);
  mqSetInteger(bag, 5, MQIND_ALL, 3, &cc, &rc);
  OK;
  EXPECT(count(bag, 5) == 1 && integer(bag, 5, MQIND_NONE) == 3);
  mqSetString(bag, 9, MQIND_NONE, MQBL_NULL_TERMINATED, "one", &cc, &rc);
  OK;
  mqSetString(bag, 9, 0, MQBL_NULL_TERMINATED, "other", &cc, &rc);
  OK;
  EXPECT(!strcmp(string(bag, 9, 0), "other"));
  mqSetString(bag, 5, 0, 1, "x", &cc, &rc);
  FAILS(MQRC_SELECTOR_WRONG_TYPE);
  mqSetInteger(bag, MQIASY_COMMAND, MQIND_NONE, 7, &cc, &rc);
  OK;
  mqSetInteger(bag, MQIASY_BAG_OPTIONS, MQIND_NONE, 7, &cc, &rc);
  FAILS(MQRC_SYSTEM_ITEM_NOT_ALTERABLE);
  mqDeleteItem(bag, MQIASY_COMMAND, MQIND_NONE, &cc, &rc);
  FAILS(MQRC_SYSTEM_ITEM_NOT_DELETABLE);
  mqDeleteItem(bag, 9, MQIND_NONE, &cc, &rc);
  OK;
  EXPECT(count(bag, MQSEL_ALL_USER_SELECTORS) == 1);
  mqTruncateBag(bag, 2, &cc, &rc);
  FAILS(MQRC_ITEM_COUNT_ERROR);
  mqTruncateBag(bag, 0, &cc, &rc);
  OK;
  mqClearBag(bag, &cc, &rc);
  OK;
  EXPECT(integer(bag, MQIASY_COMMAND, MQIND_NONE) == 0);
  delete(bag);
  mqPad("abc", 5, text, &cc, &rc);
  OK;
  EXPECT(!memcmp(text, "abc  ", 5));
  mqPad("abcdef", 5, text, &cc, &rc);
  WARNS(MQRC_STRING_TRUNCATED);
  mqCreateBag(MQCBO_ADMIN_BAG | MQCBO_GROUP_BAG, &bag, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
}

/* A bag becomes a message and a bag again: lists, groups, values of every type. */
static void messages(void) {
  MQHBAG bag = new_bag(MQCBO_COMMAND_BAG | MQCBO_LIST_FORM_ALLOWED), group = new_bag(MQCBO_GROUP_BAG);
  MQHBAG back = new_bag(MQCBO_USER_BAG);
  char buffer[2000];
  mqAddInteger(bag, MQIA_Q_TYPE, 1, &cc, &rc);
  mqAddString(bag, MQCA_Q_NAME, 2, "AA", &cc, &rc);
  mqAddInteger(bag, MQIA_Q_TYPE, 2, &cc, &rc);
  mqAddString(bag, MQCA_Q_NAME, 4, "BBBB", &cc, &rc);
  mqAddInteger64(bag, MQIA_LAST - 1, 1LL << 33, &cc, &rc);
  mqAddByteString(bag, MQBA_FIRST, 5, (PMQBYTE) "12345", &cc, &rc);
  mqAddIntegerFilter(bag, 30, 7, MQCFOP_LESS, &cc, &rc);
  mqAddStringFilter(bag, 2050, 1, "*", MQCFOP_LIKE, &cc, &rc);
  mqAddByteStringFilter(bag, MQBA_FIRST + 1, 1, (PMQBYTE) "z", MQCFOP_EQUAL, &cc, &rc);
  OK;
  mqAddInteger(group, 31, 9, &cc, &rc);
  mqAddBag(bag, MQGA_FIRST, group, &cc, &rc);
  OK;
  mqAddBag(bag, MQGA_FIRST, back, &cc, &rc);
  FAILS(MQRC_BAG_WRONG_TYPE);
  mqBagToBuffer(MQHB_NONE, bag, 10, buffer, &length, &cc, &rc);
  FAILS(MQRC_BUFFER_LENGTH_ERROR);
  mqBagToBuffer(MQHB_NONE, bag, sizeof buffer, buffer, &length, &cc, &rc);
  OK;
  MQCFH head;
  memcpy(&head, buffer, sizeof head);
  EXPECT(head.Type == MQCFT_COMMAND && head.ParameterCount == 8 && length % 4 == 0);
  mqBufferToBag(MQHB_NONE, length, buffer, back, &cc, &rc);
  OK;
  EXPECT(integer(back, MQIA_Q_TYPE, 1) == 2 && !strcmp(string(back, MQCA_Q_NAME, 1), "BBBB"));
  EXPECT(!strcmp(string(back, MQCA_Q_NAME, 0), "AA") && count(back, MQSEL_ALL_USER_SELECTORS) == 10);
  mqInquireBag(back, MQGA_FIRST, MQIND_NONE, &inner, &cc, &rc);
  OK;
  EXPECT(integer(inner, 31, 0) == 9);
  mqAddInteger(inner, 31, 9, &cc, &rc);
  FAILS(MQRC_SYSTEM_BAG_NOT_ALTERABLE);
  for (MQLONG cut = 0; cut < length; cut++) {
    mqBufferToBag(MQHB_NONE, cut, buffer, back, &cc, &rc);
    FAILS(MQRC_BAG_CONVERSION_ERROR);
  }
  delete(bag);
  delete(back);
  delete(group);
}

static void put_and_get(void) {
  MQHOBJ queue = opened("IN", MQOO_INPUT_SHARED | MQOO_OUTPUT);
  MQHBAG bag = new_bag(MQCBO_USER_BAG), got = new_bag(MQCBO_USER_BAG);
  MQMD md = {MQMD_DEFAULT}, back = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  char *large = malloc(200000);
  memset(large, 'l', 200000);
  mqAddString(bag, 2001, 200000, large, &cc, &rc);
  OK;
  mqPutBag(hconn, queue, &md, &pmo, bag, &cc, &rc);
  FAILS(MQRC_FORMAT_NOT_SUPPORTED);
  memcpy(md.Format, MQFMT_PCF, 8);
  mqPutBag(hconn, queue, &md, &pmo, bag, &cc, &rc);
  OK;
  mqGetBag(hconn, queue, &back, &gmo, got, &cc, &rc);
  OK;
  mqInquireString(got, 2001, MQIND_NONE, 200000, large, &length, NULL, &cc, &rc);
  OK;
  EXPECT(length == 200000 && large[199999] == 'l');
  mqGetBag(hconn, queue, &back, &gmo, got, &cc, &rc);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  put(queue, "no bag");
  MQMD other = {MQMD_DEFAULT};
  mqGetBag(hconn, queue, &other, &gmo, got, &cc, &rc);
  FAILS(MQRC_FORMAT_NOT_SUPPORTED);
  free(large);
  delete(bag);
  delete(got);
}

static void execute(MQLONG command, MQHBAG admin, MQHBAG responses) {
  mqExecute(hconn, command, MQHB_NONE, admin, responses, MQHO_NONE, MQHO_NONE, &cc, &rc);
}

static void commands(void) {
  MQHBAG admin = new_bag(MQCBO_ADMIN_BAG), responses = new_bag(MQCBO_ADMIN_BAG);
  mqAddString(admin, MQIA_Q_TYPE, 1, "x", &cc, &rc);
  FAILS(MQRC_SELECTOR_OUT_OF_RANGE);
  mqAddString(admin, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "BAG.NEW", &cc, &rc);
  OK;
  mqAddInteger(admin, MQIA_Q_TYPE, MQQT_LOCAL, &cc, &rc);
  mqAddInteger(admin, MQIA_MAX_Q_DEPTH, 77, &cc, &rc);
  execute(MQCMD_CREATE_Q, admin, responses);
  OK;
  execute(MQCMD_CREATE_Q, admin, responses);  /* it is there now */
  FAILS(MQRCCF_COMMAND_FAILED);
  mqInquireBag(responses, MQHA_BAG_HANDLE, 0, &inner, &cc, &rc);
  OK;
  EXPECT(integer(inner, MQIASY_COMP_CODE, MQIND_NONE) == MQCC_FAILED);
  EXPECT(integer(inner, MQIASY_REASON, MQIND_NONE) == MQRCCF_OBJECT_ALREADY_EXISTS);
  mqDeleteBag(&inner, &cc, &rc);
  FAILS(MQRC_SYSTEM_BAG_NOT_DELETABLE);
  mqClearBag(admin, &cc, &rc);
  mqAddString(admin, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "BAG.*", &cc, &rc);
  mqAddInteger(admin, MQIA_Q_TYPE, MQQT_LOCAL, &cc, &rc);
  mqAddInquiry(admin, MQIA_MAX_Q_DEPTH, &cc, &rc);
  mqAddInquiry(admin, MQIA_CURRENT_Q_DEPTH, &cc, &rc);
  OK;
  execute(MQCMD_INQUIRE_Q, admin, responses);
  OK;
  EXPECT(count(responses, MQHA_BAG_HANDLE) == 1);
  mqInquireBag(responses, MQHA_BAG_HANDLE, 0, &inner, &cc, &rc);
  EXPECT(!strcmp(string(inner, MQCA_Q_NAME, 0), "BAG.NEW"));
  EXPECT(integer(inner, MQIA_MAX_Q_DEPTH, MQIND_NONE) == 77);
  EXPECT(integer(inner, MQIA_CURRENT_Q_DEPTH, MQIND_NONE) == 0);
  integer(inner, MQIA_TRIGGER_TYPE, MQIND_NONE);
  FAILS(MQRC_SELECTOR_NOT_PRESENT);
  execute(MQCMD_DELETE_Q, admin, responses);
  FAILS(MQRC_INQUIRY_COMMAND_ERROR);
  mqClearBag(admin, &cc, &rc);
  mqAddString(admin, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "SYSTEM.*", &cc, &rc);
  execute(MQCMD_INQUIRE_Q_NAMES, admin, responses);
  OK;
  mqInquireBag(responses, MQHA_BAG_HANDLE, 0, &inner, &cc, &rc);
  EXPECT(count(inner, MQCACF_Q_NAMES) >= 5);
  execute(MQCMD_PING_Q_MGR, MQHB_NONE, responses);
  OK;
  delete(responses);
  delete(admin);
}

/* As the samples of IBM MQ ask for all channels, and for the depths of all queues. */
static void lists_of_objects(void) {
  MQHBAG admin = new_bag(MQCBO_ADMIN_BAG), responses = new_bag(MQCBO_ADMIN_BAG);
  mqAddString(admin, MQCACH_CHANNEL_NAME, MQBL_NULL_TERMINATED, "*", &cc, &rc);
  mqAddInteger(admin, MQIACH_CHANNEL_TYPE, MQCHT_ALL, &cc, &rc);
  mqAddInquiry(admin, MQIACH_CHANNEL_TYPE, &cc, &rc);
  OK;
  execute(MQCMD_INQUIRE_CHANNEL, admin, responses);
  OK;
  MQLONG channels = count(responses, MQHA_BAG_HANDLE);
  EXPECT(channels > 3);
  for (MQLONG i = 0; i < channels; i++) {
    mqInquireBag(responses, MQHA_BAG_HANDLE, i, &inner, &cc, &rc);
    OK;
    EXPECT(*string(inner, MQCACH_CHANNEL_NAME, 0) != 0);
    EXPECT(integer(inner, MQIACH_CHANNEL_TYPE, MQIND_NONE) >= MQCHT_SENDER);
  }
  mqClearBag(admin, &cc, &rc);
  mqAddString(admin, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "*", &cc, &rc);
  mqAddInteger(admin, MQIA_Q_TYPE, MQQT_LOCAL, &cc, &rc);
  mqAddInquiry(admin, MQIA_CURRENT_Q_DEPTH, &cc, &rc);
  execute(MQCMD_INQUIRE_Q, admin, responses);
  OK;
  EXPECT(count(responses, MQHA_BAG_HANDLE) > 5);
  mqInquireBag(responses, MQHA_BAG_HANDLE, 0, &inner, &cc, &rc);
  OK;
  EXPECT(integer(inner, MQIA_CURRENT_Q_DEPTH, MQIND_NONE) >= 0 && cc == MQCC_OK);
  delete(admin);
  delete(responses);
}

/* What would take more memory than there is, or calls inside one another without end. */
static void endless(void) {
  MQHBAG bag = new_bag(MQCBO_GROUP_BAG), other = new_bag(MQCBO_GROUP_BAG);
  MQLONG list[15] = {MQCFT_USER, 36, 1, 0, 1, 1, 0, 0, 1, MQCFT_STRING_LIST, 24, 9, 0, 1 << 30, 0};
  mqAddBag(bag, MQGA_FIRST, other, &cc, &rc);
  OK;
  mqAddBag(other, MQGA_FIRST, bag, &cc, &rc);
  OK;
  mqBagToBuffer(MQHB_NONE, bag, sizeof text, text, &length, &cc, &rc);
  FAILS(MQRC_NESTED_BAG_NOT_SUPPORTED);
  mqBufferToBag(MQHB_NONE, sizeof list, list, bag, &cc, &rc);
  FAILS(MQRC_BAG_CONVERSION_ERROR);
  list[13] = 3;
  mqBufferToBag(MQHB_NONE, sizeof list, list, bag, &cc, &rc);
  OK;
  EXPECT(count(bag, 9) == 3 && *string(bag, 9, 2) == 0);
  delete(bag);
  delete(other);
}

/* A message is not cut to be a bag, however long it is. */
static void long_message(void) {
  static char long_text[200000];
  MQHBAG bag = new_bag(MQCBO_USER_BAG);
  MQHOBJ queue = opened("IN", MQOO_OUTPUT | MQOO_INPUT_SHARED);
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  MQGMO gmo = {MQGMO_DEFAULT};
  memset(long_text, 'x', sizeof long_text);
  memcpy(md.Format, MQFMT_PCF, sizeof md.Format);
  mqAddString(bag, 9, sizeof long_text, long_text, &cc, &rc);
  mqPutBag(hconn, queue, &md, &pmo, bag, &cc, &rc);
  OK;
  gmo.Options = MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_NO_SYNCPOINT;
  mqGetBag(hconn, queue, &md, &gmo, bag, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  gmo.Options = MQGMO_NO_SYNCPOINT;
  mqGetBag(hconn, queue, &md, &gmo, bag, &cc, &rc);
  OK;
  mqInquireString(bag, 9, 0, 1, text, &length, NULL, &cc, &rc);
  EXPECT(rc == MQRC_STRING_TRUNCATED && length == sizeof long_text);
  delete(bag);
}

/* A bag that was deleted leaves its handle in others; a reply may have it next. */
static void handles_used_again(void) {
  MQHBAG admin = new_bag(MQCBO_ADMIN_BAG), responses = new_bag(MQCBO_ADMIN_BAG);
  MQHBAG bag = new_bag(MQCBO_USER_BAG), group = new_bag(MQCBO_GROUP_BAG), was = group;
  mqAddBag(bag, MQGA_FIRST, group, &cc, &rc);
  OK;
  delete(group);
  execute(MQCMD_PING_Q_MGR, admin, responses);
  OK;
  mqInquireBag(responses, MQHA_BAG_HANDLE, 0, &inner, &cc, &rc);
  EXPECT(cc == MQCC_OK && inner == was);
  delete(bag);
  EXPECT(integer(inner, MQIASY_COMP_CODE, MQIND_NONE) == MQCC_OK && cc == MQCC_OK);
  delete(admin);
  delete(responses);
}

/* Queues and a wait interval of the program's own; nobody answers on the queue it names. */
static void own_queues(void) {
  MQHBAG admin = new_bag(MQCBO_ADMIN_BAG), responses = new_bag(MQCBO_ADMIN_BAG);
  MQHBAG options = new_bag(MQCBO_USER_BAG), user = new_bag(MQCBO_USER_BAG);
  MQHOBJ queue = opened("OUT", MQOO_OUTPUT), replies = opened("IN", MQOO_INPUT_SHARED | MQOO_INQUIRE);
  mqAddInteger(options, MQIACF_WAIT_INTERVAL, 50, &cc, &rc);
  mqExecute(hconn, MQCMD_PING_Q_MGR, options, admin, responses, queue, replies, &cc, &rc);
  FAILS(MQRC_NO_MSG_AVAILABLE);
  mqExecute(hconn, MQCMD_PING_Q_MGR, options, admin, responses, MQHO_NONE, replies, &cc, &rc);
  OK;
  mqSetInteger(options, MQIACF_WAIT_INTERVAL, MQIND_ALL, -5, &cc, &rc);
  mqExecute(hconn, MQCMD_PING_Q_MGR, options, admin, responses, queue, replies, &cc, &rc);
  FAILS(MQRC_WAIT_INTERVAL_ERROR);
  mqAddInteger(options, 99, 1, &cc, &rc);
  mqExecute(hconn, MQCMD_PING_Q_MGR, options, admin, responses, queue, replies, &cc, &rc);
  FAILS(MQRC_OPTIONS_ERROR);
  execute(MQCMD_PING_Q_MGR, user, responses);
  FAILS(MQRC_BAG_WRONG_TYPE);
  mqExecute(MQHC_UNUSABLE_HCONN, MQCMD_PING_Q_MGR, MQHB_NONE, admin, responses, MQHO_NONE, MQHO_NONE,
            &cc, &rc);
  FAILS(MQRC_HCONN_ERROR);
  delete(admin);
  delete(responses);
  delete(options);
  delete(user);
}

int main(void) {
  connect_here();
  items();
  changes();
  messages();
  put_and_get();
  commands();
  lists_of_objects();
  own_queues();
  endless();
  long_message();
  handles_used_again();
  leave();
  return 0;
}
