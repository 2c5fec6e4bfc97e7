/* bag_messages.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * From a bag to a PCF message and back. Items of one selector become a list where the bag allows
 * it; lists become items, groups and bags one another.
 */

#include "bags.h"

#define MOST_DEPTH 20            /* groups inside one another; a bag may even be in itself */
#define MOST_EMPTY 65536         /* strings of a list that take no room in the message */

typedef struct { char *data; size_t length, room; int failed, depth; } Text;

static void write_bytes(Text *to, const void *data, size_t length) {
  if (to->failed) return;
  if (to->length + length > to->room) {
    size_t wanted = 2 * to->room + length + 256;
    char *larger = realloc(to->data, wanted);
    if (larger == NULL) {
      to->failed = 1;
      return;
    }
    to->data = larger, to->room = wanted;
  }
  if (length) memcpy(to->data + to->length, data, length);
  to->length += length;
}

static void write_int(Text *to, MQLONG value) { write_bytes(to, &value, sizeof value); }

/* StrucLength is written last, when it is known; what follows is padded to four bytes. */
static size_t begin_structure(Text *to, MQLONG type, MQLONG parameter) {
  size_t at = to->length;
  write_int(to, type);
  write_int(to, 0);
  write_int(to, parameter);
  return at;
}

static void end_structure(Text *to, size_t at) {
  static const char padding[4];
  write_bytes(to, padding, (4 - to->length % 4) % 4);
  MQLONG length = (MQLONG)(to->length - at);
  if (!to->failed) memcpy(to->data + at + 4, &length, sizeof length);
}

/* -- writing --------------------------------------------------------------------------------- */

static MQLONG write_items(Text *to, const Bag *bag, MQLONG *count);

static MQLONG write_group(Text *to, const Item *item, MQLONG *count) {
  const Bag *inner = bag_of((MQHBAG)item->number);
  MQLONG inside = 0;
  if (inner == NULL || !(inner->options & MQCBO_GROUP_BAG) || to->depth > MOST_DEPTH)
    return MQRC_NESTED_BAG_NOT_SUPPORTED;
  size_t at = begin_structure(to, MQCFT_GROUP, item->selector), counted = to->length;
  write_int(to, 0);
  end_structure(to, at);
  to->depth++;
  MQLONG reason = write_items(to, inner, &inside);
  to->depth--;
  if (!to->failed) memcpy(to->data + counted, &inside, sizeof inside);
  ++*count;
  return reason;
}

static MQLONG write_one(Text *to, const Item *item, MQLONG *count) {
  static const MQLONG types[] = {
    [MQITEM_INTEGER] = MQCFT_INTEGER, [MQITEM_STRING] = MQCFT_STRING,
    [MQITEM_BYTE_STRING] = MQCFT_BYTE_STRING, [MQITEM_INTEGER_FILTER] = MQCFT_INTEGER_FILTER,
    [MQITEM_STRING_FILTER] = MQCFT_STRING_FILTER, [MQITEM_INTEGER64] = MQCFT_INTEGER64,
    [MQITEM_BYTE_STRING_FILTER] = MQCFT_BYTE_STRING_FILTER,
  };
  if (item->type == MQITEM_BAG) return write_group(to, item, count);
  size_t at = begin_structure(to, types[item->type], item->selector);
  int is_filter = item->type == MQITEM_INTEGER_FILTER || item->type == MQITEM_STRING_FILTER ||
                  item->type == MQITEM_BYTE_STRING_FILTER;
  if (is_filter) write_int(to, item->op);
  if (item->type == MQITEM_INTEGER || item->type == MQITEM_INTEGER_FILTER) {
    write_int(to, (MQLONG)item->number);
  } else if (item->type == MQITEM_INTEGER64) {
    write_int(to, 0);
    write_bytes(to, &item->number, sizeof item->number);
  } else {
    if (item->type == MQITEM_STRING || item->type == MQITEM_STRING_FILTER)
      write_int(to, item->ccsid);
    write_int(to, item->length);
    write_bytes(to, item->data, (size_t)item->length);
  }
  end_structure(to, at);
  ++*count;
  return MQRC_NONE;
}

/* All items of the selector of the first one, as a list. */
static void write_list(Text *to, const Bag *bag, const Item *first, MQLONG number, MQLONG *count) {
  const Item *end = bag->items + bag->count;
  MQLONG type = first->type == MQITEM_STRING ? MQCFT_STRING_LIST
      : first->type == MQITEM_INTEGER ? MQCFT_INTEGER_LIST : MQCFT_INTEGER64_LIST;
  MQLONG widest = 0;
  for (const Item *each = first; each < end; each++)
    if (each->selector == first->selector && each->length > widest) widest = each->length;
  size_t at = begin_structure(to, type, first->selector);
  if (type == MQCFT_STRING_LIST) write_int(to, first->ccsid);
  write_int(to, number);
  if (type == MQCFT_STRING_LIST) write_int(to, widest);
  for (const Item *each = first; each < end; each++) {
    if (each->selector != first->selector) continue;
    if (type == MQCFT_INTEGER_LIST) write_int(to, (MQLONG)each->number);
    else if (type == MQCFT_INTEGER64_LIST) write_bytes(to, &each->number, sizeof each->number);
    else write_bytes(to, each->data, (size_t)each->length);
    for (MQLONG blank = each->length; type == MQCFT_STRING_LIST && blank < widest; blank++)
      write_bytes(to, " ", 1);
  }
  end_structure(to, at);
  ++*count;
}

/* The parameter that lists which attributes an inquire command asks for; 0 where there is none. */
static MQLONG attributes_of(MQLONG command) {
  switch (command) {
    case MQCMD_INQUIRE_Q_MGR: return MQIACF_Q_MGR_ATTRS;
    case MQCMD_INQUIRE_Q: return MQIACF_Q_ATTRS;
    case MQCMD_INQUIRE_Q_STATUS: return MQIACF_Q_STATUS_ATTRS;
    case MQCMD_INQUIRE_PROCESS: return MQIACF_PROCESS_ATTRS;
    case MQCMD_INQUIRE_NAMELIST: return MQIACF_NAMELIST_ATTRS;
    case MQCMD_INQUIRE_CHANNEL: return MQIACF_CHANNEL_ATTRS;
    case MQCMD_INQUIRE_CHANNEL_STATUS: return MQIACH_CHANNEL_INSTANCE_ATTRS;
    case MQCMD_INQUIRE_AUTH_INFO: return MQIACF_AUTH_INFO_ATTRS;
    case MQCMD_INQUIRE_CONNECTION: return MQIACF_CONNECTION_ATTRS;
    case MQCMD_INQUIRE_LISTENER: return MQIACF_LISTENER_ATTRS;
    case MQCMD_INQUIRE_SERVICE: return MQIACF_SERVICE_ATTRS;
    case MQCMD_INQUIRE_TOPIC: return MQIACF_TOPIC_ATTRS;
    case MQCMD_INQUIRE_SUBSCRIPTION: return MQIACF_SUB_ATTRS;
    case MQCMD_INQUIRE_Q_MGR_STATUS: return MQIACF_Q_MGR_STATUS_ATTRS;
    default: return 0;
  }
}

static MQLONG write_inquiries(Text *to, const Bag *bag, MQLONG number, MQLONG *count) {
  MQLONG parameter = attributes_of(bag->system[-MQIASY_COMMAND]);
  if (parameter == 0) return MQRC_INQUIRY_COMMAND_ERROR;
  size_t at = begin_structure(to, MQCFT_INTEGER_LIST, parameter);
  write_int(to, number);
  for (int i = 0; i < bag->count; i++)
    if (bag->items[i].selector == MQIACF_INQUIRY) write_int(to, (MQLONG)bag->items[i].number);
  end_structure(to, at);
  ++*count;
  return MQRC_NONE;
}

static MQLONG write_items(Text *to, const Bag *bag, MQLONG *count) {
  MQLONG inquiries = 0, reason = MQRC_NONE;
  for (int i = 0; i < bag->count && !reason; i++) {
    const Item *item = &bag->items[i];
    MQLONG number = 0;
    int seen = 0;
    for (int j = 0; j < bag->count; j++) {
      if (bag->items[j].selector != item->selector) continue;
      number++;
      seen |= j < i;
    }
    int can_be_list = item->type == MQITEM_INTEGER || item->type == MQITEM_STRING ||
                      item->type == MQITEM_INTEGER64;
    int as_list = bag->options & (MQCBO_LIST_FORM_ALLOWED | MQCBO_ADMIN_BAG) && number > 1 &&
                  can_be_list;
    if (item->selector == MQIACF_INQUIRY && bag->options & MQCBO_ADMIN_BAG) inquiries++;
    else if (!as_list) reason = write_one(to, item, count);
    else if (!seen) write_list(to, bag, item, number, count);
  }
  return reason || !inquiries ? reason : write_inquiries(to, bag, inquiries, count);
}

MQLONG message_of_bag(const Bag *bag, char **message, MQLONG *length) {
  const MQLONG *system = bag->system;
  MQCFH head = { MQCFH_DEFAULT };
  Text text = { 0 };
  MQLONG count = 0;
  head.Type = system[-MQIASY_TYPE], head.Version = system[-MQIASY_VERSION];
  head.Command = system[-MQIASY_COMMAND], head.MsgSeqNumber = system[-MQIASY_MSG_SEQ_NUMBER];
  head.Control = system[-MQIASY_CONTROL], head.CompCode = system[-MQIASY_COMP_CODE];
  head.Reason = system[-MQIASY_REASON];
  for (int i = 0; i < bag->count; i++)  /* groups are there from version 3 on */
    if (bag->items[i].type == MQITEM_BAG && head.Version < MQCFH_VERSION_3)
      head.Version = MQCFH_VERSION_3;
  write_bytes(&text, &head, sizeof head);
  MQLONG reason = write_items(&text, bag, &count);
  if (text.failed) reason = MQRC_STORAGE_NOT_AVAILABLE;
  if (reason) {
    free(text.data);
    return reason;
  }
  memcpy(text.data + offsetof(MQCFH, ParameterCount), &count, sizeof count);
  *message = text.data;
  *length = (MQLONG)text.length;
  return MQRC_NONE;
}

/* -- reading --------------------------------------------------------------------------------- */

typedef struct { const char *at, *end; } Rest;

static MQLONG int_at(const char *at) {
  MQLONG value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* An item of `length` bytes at `at`, which have to be in the structure. */
static MQLONG append_text(Bag *bag, Item *item, const char *at, MQLONG length, const char *end) {
  if (length < 0 || at > end || length > end - at) return MQRC_BAG_CONVERSION_ERROR;
  item->data = (char *)at, item->length = length;
  return append_item(bag, item);
}

static MQLONG append_numbers(Bag *bag, Item *item, const char *at, const char *end, size_t width) {
  MQLONG count = int_at(at + 12), reason = MQRC_NONE;
  if (count < 0 || (size_t)count * width > (size_t)(end - at - 16)) return MQRC_BAG_CONVERSION_ERROR;
  for (MQLONG i = 0; i < count && !reason; i++) {
    const char *place = at + 16 + (size_t)i * width;
    item->number = int_at(place);
    if (width == sizeof(MQINT64)) memcpy(&item->number, place, width);
    reason = append_item(bag, item);
  }
  return reason;
}

static MQLONG append_strings(Bag *bag, Item *item, const char *at, const char *end) {
  if (end - at < 24) return MQRC_BAG_CONVERSION_ERROR;
  MQLONG count = int_at(at + 16), width = int_at(at + 20), reason = MQRC_NONE;
  item->ccsid = int_at(at + 12);
  if (count < 0 || width < 0 || (width == 0 && count > MOST_EMPTY)) return MQRC_BAG_CONVERSION_ERROR;
  if ((size_t)count * (size_t)width > (size_t)(end - at - 24)) return MQRC_BAG_CONVERSION_ERROR;
  for (MQLONG i = 0; i < count && !reason; i++)
    reason = append_text(bag, item, at + 24 + (size_t)i * (size_t)width, width, end);
  return reason;
}

static MQLONG read_structures(Bag *bag, Rest *rest, MQLONG count, int depth);

static MQLONG append_group(Bag *bag, Item *item, Rest *rest, MQLONG count, int depth) {
  if (depth > MOST_DEPTH || count < 0) return MQRC_BAG_CONVERSION_ERROR;
  MQHBAG inner = new_bag(MQCBO_GROUP_BAG | MQCBO_SYSTEM_BAG);
  if (inner == MQHB_UNUSABLE_HBAG) return MQRC_STORAGE_NOT_AVAILABLE;
  MQLONG reason = read_structures(bag_of(inner), rest, count, depth + 1);
  item->type = MQITEM_BAG, item->number = inner, item->is_owner = 1;
  if (!reason) reason = append_item(bag, item);
  if (reason) drop_bag(inner);
  return reason;
}

/* One structure, from `at` to `end`; what follows a group is in `rest`. */
static MQLONG read_structure(Bag *bag, const char *at, const char *end, Rest *rest, int depth) {
  static const MQLONG shortest[] = {
    [MQCFT_INTEGER] = 16, [MQCFT_STRING] = 20, [MQCFT_INTEGER_LIST] = 16, [MQCFT_STRING_LIST] = 24,
    [MQCFT_BYTE_STRING] = 16, [MQCFT_INTEGER_FILTER] = 20, [MQCFT_STRING_FILTER] = 24,
    [MQCFT_BYTE_STRING_FILTER] = 20, [MQCFT_GROUP] = 16, [MQCFT_INTEGER64] = 24,
    [MQCFT_INTEGER64_LIST] = 16,
  };
  MQLONG type = int_at(at);
  Item item = { .selector = int_at(at + 8) };
  if (type < 0 || (size_t)type >= sizeof shortest / sizeof *shortest || !shortest[type] ||
      end - at < shortest[type])
    return MQRC_BAG_CONVERSION_ERROR;
  switch (type) {
    case MQCFT_INTEGER:
      item.type = MQITEM_INTEGER, item.number = int_at(at + 12);
      return append_item(bag, &item);
    case MQCFT_INTEGER64:
      item.type = MQITEM_INTEGER64;
      memcpy(&item.number, at + 16, sizeof item.number);
      return append_item(bag, &item);
    case MQCFT_INTEGER_FILTER:
      item.type = MQITEM_INTEGER_FILTER, item.op = int_at(at + 12), item.number = int_at(at + 16);
      return append_item(bag, &item);
    case MQCFT_INTEGER_LIST:
      item.type = MQITEM_INTEGER;
      return append_numbers(bag, &item, at, end, sizeof(MQLONG));
    case MQCFT_INTEGER64_LIST:
      item.type = MQITEM_INTEGER64;
      return append_numbers(bag, &item, at, end, sizeof(MQINT64));
    case MQCFT_STRING:
      item.type = MQITEM_STRING, item.ccsid = int_at(at + 12);
      return append_text(bag, &item, at + 20, int_at(at + 16), end);
    case MQCFT_STRING_LIST:
      item.type = MQITEM_STRING;
      return append_strings(bag, &item, at, end);
    case MQCFT_STRING_FILTER:
      item.type = MQITEM_STRING_FILTER, item.op = int_at(at + 12), item.ccsid = int_at(at + 16);
      return append_text(bag, &item, at + 24, int_at(at + 20), end);
    case MQCFT_BYTE_STRING:
      item.type = MQITEM_BYTE_STRING;
      return append_text(bag, &item, at + 16, int_at(at + 12), end);
    case MQCFT_BYTE_STRING_FILTER:
      item.type = MQITEM_BYTE_STRING_FILTER, item.op = int_at(at + 12);
      return append_text(bag, &item, at + 20, int_at(at + 16), end);
    default:
      return append_group(bag, &item, rest, int_at(at + 12), depth);
  }
}

static MQLONG read_structures(Bag *bag, Rest *rest, MQLONG count, int depth) {
  MQLONG reason = MQRC_NONE;
  for (MQLONG i = 0; i < count && !reason; i++) {
    if (rest->end - rest->at < 12) return MQRC_BAG_CONVERSION_ERROR;
    const char *at = rest->at;
    MQLONG length = int_at(at + 4);
    if (length < 12 || length > rest->end - at) return MQRC_BAG_CONVERSION_ERROR;
    rest->at += length;
    reason = read_structure(bag, at, at + length, rest, depth);
  }
  return reason;
}

MQLONG bag_of_message(Bag *bag, const char *message, MQLONG length) {
  MQCFH head;
  if (length < (MQLONG)sizeof head) return MQRC_BAG_CONVERSION_ERROR;
  memcpy(&head, message, sizeof head);
  if (head.StrucLength != MQCFH_STRUC_LENGTH) return MQRC_BAG_CONVERSION_ERROR;
  Rest rest = { message + sizeof head, message + length };
  MQLONG reason = read_structures(bag, &rest, head.ParameterCount, 0);
  if (reason) return reason;
  MQLONG *system = bag->system;
  system[-MQIASY_TYPE] = head.Type, system[-MQIASY_VERSION] = head.Version;
  system[-MQIASY_COMMAND] = head.Command, system[-MQIASY_MSG_SEQ_NUMBER] = head.MsgSeqNumber;
  system[-MQIASY_CONTROL] = head.Control, system[-MQIASY_COMP_CODE] = head.CompCode;
  system[-MQIASY_REASON] = head.Reason;
  return MQRC_NONE;
}
