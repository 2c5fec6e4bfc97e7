/* mqai_commands.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * The administration interface (MQAI): messages that are put and got as bags, and commands. It
 * works through the MQI of this library.
 */

#include "bags.h"

#define DEFAULT_WAIT_MS 30000

/* -- messages -------------------------------------------------------------------------------- */

EXPORT void mqBagToBuffer(MQHBAG options, MQHBAG handle, MQLONG room, PMQVOID buffer,
                          PMQLONG data_length, PMQLONG cc, PMQLONG rc) {
  const Bag *bag = bag_of(handle);
  MQLONG length = 0, reason = MQRC_NONE;
  char *message = NULL;
  if (bag == NULL) reason = MQRC_HBAG_ERROR;
  else if (options != MQHB_NONE && bag_of(options) == NULL) reason = MQRC_HBAG_ERROR;
  else if (data_length == NULL) reason = MQRC_DATA_LENGTH_ERROR;
  else reason = message_of_bag(bag, &message, &length);
  if (!reason) *data_length = length;
  if (!reason && room < length) reason = MQRC_BUFFER_LENGTH_ERROR;
  if (!reason && buffer == NULL) reason = MQRC_BUFFER_ERROR;
  if (!reason) memcpy(buffer, message, (size_t)length);
  free(message);
  end_call(reason, cc, rc);
}

EXPORT void mqBufferToBag(MQHBAG options, MQLONG length, PMQVOID buffer, MQHBAG handle, PMQLONG cc,
                          PMQLONG rc) {
  Bag *bag;
  MQLONG reason = alterable(handle, &bag);
  if (!reason && options != MQHB_NONE && bag_of(options) == NULL) reason = MQRC_HBAG_ERROR;
  if (!reason && length < 0) reason = MQRC_BUFFER_LENGTH_ERROR;
  if (!reason && buffer == NULL) reason = MQRC_BUFFER_ERROR;
  if (!reason) {
    empty_bag(bag);
    reason = bag_of_message(bag, buffer, length);
  }
  end_call(reason, cc, rc);
}

static MQLONG wrong_format(const MQMD *md) {
  int known = memcmp(md->Format, MQFMT_ADMIN, 8) == 0 || memcmp(md->Format, MQFMT_EVENT, 8) == 0 ||
              memcmp(md->Format, MQFMT_PCF, 8) == 0;
  if (!known) return MQRC_FORMAT_NOT_SUPPORTED;
  return md->Encoding == MQENC_NATIVE ? MQRC_NONE : MQRC_ENCODING_NOT_SUPPORTED;
}

EXPORT void mqPutBag(MQHCONN hconn, MQHOBJ hobj, PMQVOID md, PMQVOID pmo, MQHBAG handle, PMQLONG cc,
                     PMQLONG rc) {
  const Bag *bag = bag_of(handle);
  MQLONG length = 0, reason = bag == NULL ? MQRC_HBAG_ERROR : md == NULL ? MQRC_MD_ERROR
                                                                        : wrong_format(md);
  char *message = NULL;
  if (!reason) reason = message_of_bag(bag, &message, &length);
  if (reason) {
    end_call(reason, cc, rc);
    return;
  }
  MQPUT(hconn, hobj, md, pmo, length, message, cc, rc);
  free(message);
}

/* Get a message of whatever length; the caller frees it. */
static char *get_whole(MQHCONN hconn, MQHOBJ hobj, PMQVOID md, PMQVOID gmo, PMQLONG length,
                       PMQLONG cc, PMQLONG rc) {
  MQLONG room = 65536;
  for (;;) {
    char *buffer = malloc((size_t)room);
    if (buffer == NULL) {
      end_call(MQRC_STORAGE_NOT_AVAILABLE, cc, rc);
      return NULL;
    }
    MQGET(hconn, hobj, md, gmo, room, buffer, length, cc, rc);
    if (*rc != MQRC_TRUNCATED_MSG_FAILED) return buffer;
    free(buffer);
    room = *length;
  }
}

EXPORT void mqGetBag(MQHCONN hconn, MQHOBJ hobj, PMQVOID md, PMQVOID gmo, MQHBAG handle, PMQLONG cc,
                     PMQLONG rc) {
  const MQGMO *options = gmo;
  Bag *bag;
  MQLONG length = 0, reason = alterable(handle, &bag);
  if (!reason && md == NULL) reason = MQRC_MD_ERROR;
  if (!reason && options != NULL && options->Options & MQGMO_ACCEPT_TRUNCATED_MSG)
    reason = MQRC_OPTIONS_ERROR;
  if (reason) {
    end_call(reason, cc, rc);
    return;
  }
  char *message = get_whole(hconn, hobj, md, gmo, &length, cc, rc);
  if (message != NULL && *cc != MQCC_FAILED) {
    reason = wrong_format(md);
    if (!reason) {
      empty_bag(bag);
      reason = bag_of_message(bag, message, length);
    }
    if (reason) end_call(reason, cc, rc);
  }
  free(message);
}

/* -- commands -------------------------------------------------------------------------------- */

/* The queues of a command: those that the program names, or the usual ones, opened here. */
typedef struct {
  MQHOBJ commands, replies;
  int own_commands, own_replies;
  MQCHAR48 reply_name;
} Queues;

static MQLONG wait_of(MQHBAG options, PMQLONG wait_ms) {
  const Bag *bag = options == MQHB_NONE ? NULL : bag_of(options);
  int at;
  *wait_ms = DEFAULT_WAIT_MS;
  if (options == MQHB_NONE) return MQRC_NONE;
  if (bag == NULL) return MQRC_HBAG_ERROR;
  MQLONG reason = place_of(bag, MQIACF_WAIT_INTERVAL, MQIND_NONE, &at);
  if (reason == MQRC_SELECTOR_NOT_PRESENT) return bag->count ? MQRC_OPTIONS_ERROR : MQRC_NONE;
  if (bag->count > 1 && !reason) return MQRC_OPTIONS_ERROR;
  if (reason || bag->items[at].type != MQITEM_INTEGER || bag->items[at].number < MQWI_UNLIMITED)
    return MQRC_WAIT_INTERVAL_ERROR;
  *wait_ms = (MQLONG)bag->items[at].number;
  return MQRC_NONE;
}

static void open_queues(MQHCONN hconn, Queues *queues, PMQLONG cc, PMQLONG rc) {
  static const char command_queue[] = "SYSTEM.ADMIN.COMMAND.QUEUE";
  static const char model[] = "SYSTEM.DEFAULT.MODEL.QUEUE";
  *cc = MQCC_OK, *rc = MQRC_NONE;
  if (queues->commands == MQHO_NONE) {
    MQOD od = { MQOD_DEFAULT };
    memcpy(od.ObjectName, command_queue, sizeof command_queue);
    MQOPEN(hconn, &od, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING, &queues->commands, cc, rc);
    if (*cc == MQCC_FAILED) return;
    queues->own_commands = 1;
  }
  if (queues->replies == MQHO_NONE) {
    MQOD od = { MQOD_DEFAULT };
    memcpy(od.ObjectName, model, sizeof model);
    MQOPEN(hconn, &od, MQOO_INPUT_EXCLUSIVE | MQOO_FAIL_IF_QUIESCING, &queues->replies, cc, rc);
    if (*cc == MQCC_FAILED) return;
    queues->own_replies = 1;
    memcpy(queues->reply_name, od.ObjectName, sizeof queues->reply_name);
  } else {
    MQLONG selector = MQCA_Q_NAME;
    MQINQ(hconn, queues->replies, 1, &selector, 0, NULL, sizeof queues->reply_name,
          queues->reply_name, cc, rc);
  }
}

static void close_queues(MQHCONN hconn, Queues *queues) {
  MQLONG cc, rc;  /* what they tell would hide what became of the command */
  if (queues->own_commands) MQCLOSE(hconn, &queues->commands, MQCO_NONE, &cc, &rc);
  if (queues->own_replies) MQCLOSE(hconn, &queues->replies, MQCO_DELETE_PURGE, &cc, &rc);
}

/* One reply, as a bag in the bag of replies; 1 when it was the last. */
static int take_reply(MQHCONN hconn, MQHOBJ from, const MQBYTE *id, MQLONG wait_ms, Bag *responses,
                      PMQLONG cc, PMQLONG rc) {
  MQMD md = { MQMD_DEFAULT };
  MQGMO gmo = { MQGMO_DEFAULT };
  MQLONG length, reason;
  gmo.Version = MQGMO_VERSION_2, gmo.MatchOptions = MQMO_MATCH_CORREL_ID;
  gmo.Options = MQGMO_WAIT | MQGMO_CONVERT | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING;
  gmo.WaitInterval = wait_ms;
  memcpy(md.CorrelId, id, sizeof md.CorrelId);
  char *message = get_whole(hconn, from, &md, &gmo, &length, cc, rc);
  if (message == NULL || *cc == MQCC_FAILED) {
    free(message);
    return 1;
  }
  Item item = { .selector = MQHA_BAG_HANDLE, .type = MQITEM_BAG, .is_owner = 1 };
  item.number = new_bag(MQCBO_SYSTEM_BAG);
  Bag *bag = bag_of((MQHBAG)item.number);
  reason = bag == NULL ? MQRC_STORAGE_NOT_AVAILABLE : bag_of_message(bag, message, length);
  int last = reason || bag->system[-MQIASY_CONTROL] == MQCFC_LAST;
  if (!reason) reason = append_item(responses, &item);
  if (reason) drop_bag((MQHBAG)item.number);
  free(message);
  end_call(reason, cc, rc);
  return last || reason;
}

/* What the call tells: that the command failed, whatever its replies say, or their first warning. */
static void tell_outcome(const Bag *responses, PMQLONG cc, PMQLONG rc) {
  *cc = MQCC_OK, *rc = MQRC_NONE;
  for (int i = 0; i < responses->count; i++) {
    const Bag *reply = bag_of((MQHBAG)responses->items[i].number);
    if (reply == NULL || reply->system[-MQIASY_COMP_CODE] <= *cc) continue;
    *cc = reply->system[-MQIASY_COMP_CODE];
    *rc = *cc == MQCC_FAILED ? MQRCCF_COMMAND_FAILED : reply->system[-MQIASY_REASON];
  }
}

static void execute(MQHCONN hconn, Bag *admin, Queues *queues, MQLONG wait_ms, Bag *responses,
                    PMQLONG cc, PMQLONG rc) {
  MQMD md = { MQMD_DEFAULT };
  MQPMO pmo = { MQPMO_DEFAULT };
  MQLONG length = 0;
  char *message = NULL;
  MQLONG reason = message_of_bag(admin, &message, &length);
  if (reason) {
    end_call(reason, cc, rc);
    return;
  }
  memcpy(md.Format, MQFMT_ADMIN, sizeof md.Format);
  md.MsgType = MQMT_REQUEST, md.Report = MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG;
  if (wait_ms >= 0) md.Expiry = wait_ms / 100 + 1;
  memcpy(md.ReplyToQ, queues->reply_name, sizeof md.ReplyToQ);
  pmo.Options = MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID | MQPMO_FAIL_IF_QUIESCING;
  MQPUT(hconn, queues->commands, &md, &pmo, length, message, cc, rc);
  free(message);
  if (*cc == MQCC_FAILED) return;
  while (!take_reply(hconn, queues->replies, md.MsgId, wait_ms, responses, cc, rc)) {}
  if (*cc != MQCC_FAILED) tell_outcome(responses, cc, rc);
}

EXPORT void mqExecute(MQHCONN hconn, MQLONG command, MQHBAG options, MQHBAG admin_bag,
                      MQHBAG response_bag, MQHOBJ commands, MQHOBJ replies, PMQLONG cc, PMQLONG rc) {
  Queues queues = { .commands = commands, .replies = replies };
  Bag *admin = bag_of(admin_bag), *responses = NULL, none = { 0 };
  MQLONG wait_ms = 0, reason = wait_of(options, &wait_ms);
  none.options = MQCBO_ADMIN_BAG;
  if (admin_bag == MQHB_NONE) admin = &none, empty_bag(admin);
  if (!reason && admin == NULL) reason = MQRC_HBAG_ERROR;
  if (!reason) reason = alterable(response_bag, &responses);
  if (!reason && !(admin->options & MQCBO_ADMIN_BAG)) reason = MQRC_BAG_WRONG_TYPE;
  if (!reason && responses == admin) reason = MQRC_HBAG_ERROR;
  if (reason) {
    end_call(reason, cc, rc);
    return;
  }
  empty_bag(responses);
  admin->system[-MQIASY_COMMAND] = command;
  open_queues(hconn, &queues, cc, rc);
  if (*cc != MQCC_FAILED) execute(hconn, admin, &queues, wait_ms, responses, cc, rc);
  close_queues(hconn, &queues);
}
