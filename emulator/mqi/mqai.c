/* mqai.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * The administration interface (MQAI): bags and the items in them. What goes to the queue manager
 * and comes from it is in mqai_commands.c. A bag is for one thread at a time.
 */

#include <pthread.h>

#include "bags.h"

#define MOST_BAGS 65536

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static Bag *table[MOST_BAGS];

void end_call(MQLONG reason, PMQLONG cc, PMQLONG rc) {
  *cc = reason == MQRC_NONE ? MQCC_OK : reason == MQRC_STRING_TRUNCATED ? MQCC_WARNING : MQCC_FAILED;
  *rc = reason;
}

/* -- bags ------------------------------------------------------------------------------------ */

Bag *bag_of(MQHBAG handle) {
  pthread_mutex_lock(&table_lock);
  Bag *bag = handle >= 0 && handle < MOST_BAGS ? table[handle] : NULL;
  pthread_mutex_unlock(&table_lock);
  return bag;
}

static void reset_system_items(Bag *bag) {
  MQLONG *system = bag->system;
  memset(system, 0, sizeof bag->system);
  system[-MQIASY_TYPE] = bag->options & (MQCBO_ADMIN_BAG | MQCBO_COMMAND_BAG) ? MQCFT_COMMAND
                                                                             : MQCFT_USER;
  system[-MQIASY_MSG_SEQ_NUMBER] = 1, system[-MQIASY_CONTROL] = MQCFC_LAST;
  system[-MQIASY_VERSION] = MQCFH_VERSION_1, system[-MQIASY_BAG_OPTIONS] = bag->options;
}

MQHBAG new_bag(MQLONG options) {
  MQHBAG handle = MQHB_UNUSABLE_HBAG;
  Bag *bag = calloc(1, sizeof *bag);
  if (bag == NULL) return handle;
  bag->options = options;
  reset_system_items(bag);
  pthread_mutex_lock(&table_lock);
  for (MQHBAG at = 0; at < MOST_BAGS && handle < 0; at++)
    if (table[at] == NULL) table[at] = bag, handle = at;
  pthread_mutex_unlock(&table_lock);
  if (handle < 0) free(bag);
  return handle;
}

static void drop_item(Item *item) {
  if (item->is_owner) drop_bag((MQHBAG)item->number);
  free(item->data);
}

static void cut(Bag *bag, int count) {
  while (bag->count > count) drop_item(&bag->items[--bag->count]);
}

void empty_bag(Bag *bag) {
  cut(bag, 0);
  reset_system_items(bag);
}

void drop_bag(MQHBAG handle) {
  Bag *bag = bag_of(handle);
  if (bag == NULL) return;
  cut(bag, 0);
  pthread_mutex_lock(&table_lock);
  table[handle] = NULL;
  pthread_mutex_unlock(&table_lock);
  free(bag->items);
  free(bag);
}

/* Set an item's value, with a copy of its data. */
static MQLONG assign(Item *to, const Item *from) {
  char *data = malloc((size_t)from->length + 1);
  if (data == NULL) return MQRC_STORAGE_NOT_AVAILABLE;
  if (from->length) memcpy(data, from->data, (size_t)from->length);
  *to = *from;
  to->data = data;
  return MQRC_NONE;
}

MQLONG append_item(Bag *bag, const Item *item) {
  if (bag->count == bag->room) {
    int room = bag->room ? 2 * bag->room : 16;
    Item *larger = realloc(bag->items, (size_t)room * sizeof *larger);
    if (larger == NULL) return MQRC_STORAGE_NOT_AVAILABLE;
    bag->items = larger, bag->room = room;
  }
  MQLONG reason = assign(&bag->items[bag->count], item);
  if (!reason) bag->count++;
  return reason;
}

MQLONG alterable(MQHBAG handle, Bag **bag) {
  *bag = bag_of(handle);
  if (*bag == NULL) return MQRC_HBAG_ERROR;
  return (*bag)->options & MQCBO_SYSTEM_BAG ? MQRC_SYSTEM_BAG_NOT_ALTERABLE : MQRC_NONE;
}

EXPORT void mqCreateBag(MQLONG options, PMQHBAG bag, PMQLONG cc, PMQLONG rc) {
  MQLONG kind = options & (MQCBO_ADMIN_BAG | MQCBO_COMMAND_BAG | MQCBO_GROUP_BAG);
  MQLONG known = MQCBO_ADMIN_BAG | MQCBO_COMMAND_BAG | MQCBO_GROUP_BAG | MQCBO_LIST_FORM_ALLOWED |
                 MQCBO_REORDER_AS_REQUIRED | MQCBO_CHECK_SELECTORS;
  MQLONG reason = MQRC_NONE;
  if (bag == NULL) reason = MQRC_HBAG_ERROR;
  else if (options & ~known || kind & (kind - 1)) reason = MQRC_OPTIONS_ERROR;
  else if ((*bag = new_bag(options)) < 0) reason = MQRC_STORAGE_NOT_AVAILABLE;
  end_call(reason, cc, rc);
}

EXPORT void mqDeleteBag(PMQHBAG bag, PMQLONG cc, PMQLONG rc) {
  Bag *found = bag == NULL ? NULL : bag_of(*bag);
  MQLONG reason = found == NULL ? MQRC_HBAG_ERROR
      : found->options & MQCBO_SYSTEM_BAG ? MQRC_SYSTEM_BAG_NOT_DELETABLE : MQRC_NONE;
  if (!reason) drop_bag(*bag), *bag = MQHB_UNUSABLE_HBAG;
  end_call(reason, cc, rc);
}

EXPORT void mqClearBag(MQHBAG handle, PMQLONG cc, PMQLONG rc) {
  Bag *bag;
  MQLONG reason = alterable(handle, &bag);
  if (!reason) empty_bag(bag);
  end_call(reason, cc, rc);
}

EXPORT void mqTruncateBag(MQHBAG handle, MQLONG count, PMQLONG cc, PMQLONG rc) {
  Bag *bag;
  MQLONG reason = alterable(handle, &bag);
  if (!reason && (count < 0 || count > bag->count)) reason = MQRC_ITEM_COUNT_ERROR;
  if (!reason) cut(bag, count);
  end_call(reason, cc, rc);
}

/* -- finding items --------------------------------------------------------------------------- */

static int is_system(MQLONG selector) { return selector <= -1 && selector >= -SYSTEM_ITEMS; }

static int is_any(MQLONG selector) {
  return selector == MQSEL_ANY_SELECTOR || selector == MQSEL_ANY_USER_SELECTOR ||
         selector == MQSEL_ANY_SYSTEM_SELECTOR;
}

static void take_system(const Bag *bag, MQLONG selector, Item *found) {
  Item item = { .selector = selector, .type = MQITEM_INTEGER, .number = bag->system[-selector] };
  *found = item;
}

/* One of all items: system items come first, in the order of their numbers. */
static MQLONG find_any(const Bag *bag, MQLONG selector, MQLONG index, Item *found) {
  MQLONG of_system = selector == MQSEL_ANY_USER_SELECTOR ? 0 : SYSTEM_ITEMS;
  MQLONG of_user = selector == MQSEL_ANY_SYSTEM_SELECTOR ? 0 : bag->count;
  if (index < 0) return MQRC_INDEX_ERROR;
  if (index >= of_system + of_user) return MQRC_INDEX_NOT_PRESENT;
  if (index < of_system) take_system(bag, -1 - index, found);
  else *found = bag->items[index - of_system];
  return MQRC_NONE;
}

/* Where the item of a selector stands; its place goes to `at`. */
MQLONG place_of(const Bag *bag, MQLONG selector, MQLONG index, int *at) {
  MQLONG count = 0;
  *at = -1;
  for (int i = 0; i < bag->count; i++) {
    if (bag->items[i].selector != selector) continue;
    if (count == (index == MQIND_NONE ? 0 : index)) *at = i;
    count++;
  }
  if (index < 0 && index != MQIND_NONE) return MQRC_INDEX_ERROR;
  if (count == 0) return MQRC_SELECTOR_NOT_PRESENT;
  if (index == MQIND_NONE && count > 1) return MQRC_SELECTOR_NOT_UNIQUE;
  return *at < 0 ? MQRC_INDEX_NOT_PRESENT : MQRC_NONE;
}

static MQLONG find(MQHBAG handle, MQLONG selector, MQLONG index, Item *found) {
  const Bag *bag = bag_of(handle);
  int at;
  if (bag == NULL) return MQRC_HBAG_ERROR;
  if (is_any(selector)) return find_any(bag, selector, index, found);
  if (selector < 0 && !is_system(selector)) return MQRC_SELECTOR_NOT_SUPPORTED;
  if (selector < 0) {
    if (index < 0 && index != MQIND_NONE) return MQRC_INDEX_ERROR;
    if (index > 0) return MQRC_INDEX_NOT_PRESENT;
    take_system(bag, selector, found);
    return MQRC_NONE;
  }
  MQLONG reason = place_of(bag, selector, index, &at);
  if (!reason) *found = bag->items[at];
  return reason;
}

static MQLONG find_of_type(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG type, Item *found) {
  MQLONG reason = find(handle, selector, index, found);
  return reason ? reason : found->type != type ? MQRC_SELECTOR_WRONG_TYPE : MQRC_NONE;
}

EXPORT void mqCountItems(MQHBAG handle, MQLONG selector, PMQLONG count, PMQLONG cc, PMQLONG rc) {
  const Bag *bag = bag_of(handle);
  MQLONG reason = MQRC_NONE, found = 0;
  if (bag == NULL) reason = MQRC_HBAG_ERROR;
  else if (count == NULL) reason = MQRC_ITEM_COUNT_ERROR;
  else if (selector == MQSEL_ALL_SELECTORS) found = bag->count + SYSTEM_ITEMS;
  else if (selector == MQSEL_ALL_USER_SELECTORS) found = bag->count;
  else if (selector == MQSEL_ALL_SYSTEM_SELECTORS) found = SYSTEM_ITEMS;
  else if (is_system(selector)) found = 1;
  else if (selector < 0) reason = MQRC_SELECTOR_NOT_SUPPORTED;
  else for (int i = 0; i < bag->count; i++) found += bag->items[i].selector == selector;
  if (!reason) *count = found;
  end_call(reason, cc, rc);
}

EXPORT void mqInquireItemInfo(MQHBAG handle, MQLONG selector, MQLONG index, PMQLONG out_selector,
                              PMQLONG type, PMQLONG cc, PMQLONG rc) {
  Item item;
  MQLONG reason = find(handle, selector, index, &item);
  if (!reason && out_selector != NULL) *out_selector = item.selector;
  if (!reason && type != NULL) *type = item.type;
  end_call(reason, cc, rc);
}

/* -- adding, setting and deleting items ------------------------------------------------------ */

/* Whether a bag that checks selectors takes this one for an item of that type. */
static int fits(MQLONG selector, MQLONG type) {
  switch (type) {
    case MQITEM_STRING: case MQITEM_STRING_FILTER:
      return selector >= MQCA_FIRST && selector <= MQCA_LAST;
    case MQITEM_BYTE_STRING: case MQITEM_BYTE_STRING_FILTER:
      return selector >= MQBA_FIRST && selector <= MQBA_LAST;
    case MQITEM_BAG:
      return selector >= MQGA_FIRST && selector <= MQGA_LAST;
    default:
      return selector >= MQIA_FIRST && selector <= MQIA_LAST;
  }
}

static MQLONG checked(const Bag *bag, const Item *item) {
  if (item->selector < 0) return MQRC_SELECTOR_OUT_OF_RANGE;
  if (bag->options & (MQCBO_CHECK_SELECTORS | MQCBO_ADMIN_BAG) && !fits(item->selector, item->type))
    return MQRC_SELECTOR_OUT_OF_RANGE;
  for (int i = 0; i < bag->count; i++)
    if (bag->items[i].selector == item->selector && bag->items[i].type != item->type)
      return MQRC_INCONSISTENT_ITEM_TYPE;
  return MQRC_NONE;
}

/* A string or bytes that a program hands over; a length of -1 is up to the NUL. */
static MQLONG take_data(Item *item, MQLONG length, const void *buffer) {
  if (length == MQBL_NULL_TERMINATED && item->type != MQITEM_BYTE_STRING &&
      item->type != MQITEM_BYTE_STRING_FILTER)
    length = buffer == NULL ? 0 : (MQLONG)strlen(buffer);
  if (length < 0) return MQRC_BUFFER_LENGTH_ERROR;
  if (length > 0 && buffer == NULL) return MQRC_BUFFER_ERROR;
  item->data = (char *)buffer, item->length = length;
  return MQRC_NONE;
}

static void add_to(MQHBAG handle, Item *item, MQLONG reason, PMQLONG cc, PMQLONG rc) {
  Bag *bag;
  if (!reason) reason = alterable(handle, &bag);
  if (!reason) reason = checked(bag, item);
  if (!reason) item->ccsid = bag->system[-MQIASY_CODED_CHAR_SET_ID];
  if (!reason) reason = append_item(bag, item);
  end_call(reason, cc, rc);
}

static void remove_at(Bag *bag, int at) {
  drop_item(&bag->items[at]);
  memmove(&bag->items[at], &bag->items[at + 1], (size_t)(--bag->count - at) * sizeof(Item));
}

static void remove_all(Bag *bag, MQLONG selector) {
  for (int i = bag->count - 1; i >= 0; i--)
    if (bag->items[i].selector == selector) remove_at(bag, i);
}

static MQLONG set_system(Bag *bag, const Item *item, MQLONG index) {
  if (!is_system(item->selector)) return MQRC_SELECTOR_OUT_OF_RANGE;
  if (item->selector == MQIASY_BAG_OPTIONS) return MQRC_SYSTEM_ITEM_NOT_ALTERABLE;
  if (item->type != MQITEM_INTEGER) return MQRC_SELECTOR_WRONG_TYPE;
  if (index > 0) return MQRC_INDEX_NOT_PRESENT;
  bag->system[-item->selector] = (MQLONG)item->number;
  return MQRC_NONE;
}

/* Change an item; with MQIND_NONE one that is not there is added, with MQIND_ALL it replaces all. */
static MQLONG set_item(Bag *bag, Item *item, MQLONG index) {
  int at;
  if (item->selector < 0) return set_system(bag, item, index);
  item->ccsid = bag->system[-MQIASY_CODED_CHAR_SET_ID];
  if (index == MQIND_ALL) {
    MQLONG reason = checked(bag, item);
    if (reason && reason != MQRC_INCONSISTENT_ITEM_TYPE) return reason;
    remove_all(bag, item->selector);
    return append_item(bag, item);
  }
  MQLONG reason = place_of(bag, item->selector, index, &at);
  if (reason == MQRC_SELECTOR_NOT_PRESENT && index == MQIND_NONE) {
    reason = checked(bag, item);
    return reason ? reason : append_item(bag, item);
  }
  if (reason) return reason;
  if (bag->items[at].type != item->type) return MQRC_SELECTOR_WRONG_TYPE;
  Item made;
  if ((reason = assign(&made, item)) != MQRC_NONE) return reason;
  drop_item(&bag->items[at]);
  bag->items[at] = made;
  return MQRC_NONE;
}

static void set_in(MQHBAG handle, Item *item, MQLONG index, MQLONG reason, PMQLONG cc, PMQLONG rc) {
  Bag *bag;
  if (!reason) reason = alterable(handle, &bag);
  if (!reason) reason = set_item(bag, item, index);
  end_call(reason, cc, rc);
}

EXPORT void mqDeleteItem(MQHBAG handle, MQLONG selector, MQLONG index, PMQLONG cc, PMQLONG rc) {
  Bag *bag;
  Item item;
  int at = -1;
  MQLONG reason = alterable(handle, &bag);
  if (!reason && selector == MQSEL_ANY_USER_SELECTOR) {
    reason = find_any(bag, selector, index, &item);
    at = index;
  } else if (!reason && selector < 0) {
    reason = MQRC_SYSTEM_ITEM_NOT_DELETABLE;
  } else if (!reason) {
    reason = place_of(bag, selector, index == MQIND_ALL ? 0 : index, &at);
  }
  if (!reason && index == MQIND_ALL) remove_all(bag, selector);
  else if (!reason) remove_at(bag, at);
  end_call(reason, cc, rc);
}

EXPORT void mqAddBag(MQHBAG handle, MQLONG selector, MQHBAG value, PMQLONG cc, PMQLONG rc) {
  Item item = { .selector = selector, .type = MQITEM_BAG, .number = value };
  const Bag *inner = bag_of(value);
  MQLONG reason = inner == NULL || value == handle ? MQRC_HBAG_ERROR
      : !(inner->options & MQCBO_GROUP_BAG) ? MQRC_BAG_WRONG_TYPE
      : !fits(selector, MQITEM_BAG) ? MQRC_SELECTOR_OUT_OF_RANGE : MQRC_NONE;
  add_to(handle, &item, reason, cc, rc);
}

EXPORT void mqAddInquiry(MQHBAG handle, MQLONG selector, PMQLONG cc, PMQLONG rc) {
  Item item = { .selector = MQIACF_INQUIRY, .type = MQITEM_INTEGER, .number = selector };
  const Bag *bag = bag_of(handle);
  MQLONG reason = bag == NULL ? MQRC_HBAG_ERROR
      : !(bag->options & MQCBO_ADMIN_BAG) ? MQRC_BAG_WRONG_TYPE
      : selector < 0 ? MQRC_SELECTOR_OUT_OF_RANGE : MQRC_NONE;
  add_to(handle, &item, reason, cc, rc);
}

#define NUMBERS(Kind, KIND, type_)                                                             \
  EXPORT void mqAdd##Kind(MQHBAG handle, MQLONG selector, type_ value, PMQLONG cc,            \
                          PMQLONG rc) {                                                        \
    Item item = { .selector = selector, .type = MQITEM_##KIND, .number = value };             \
    add_to(handle, &item, MQRC_NONE, cc, rc);                                                  \
  }                                                                                            \
  EXPORT void mqSet##Kind(MQHBAG handle, MQLONG selector, MQLONG index, type_ value,          \
                          PMQLONG cc, PMQLONG rc) {                                            \
    Item item = { .selector = selector, .type = MQITEM_##KIND, .number = value };             \
    set_in(handle, &item, index, MQRC_NONE, cc, rc);                                           \
  }                                                                                            \
  EXPORT void mqInquire##Kind(MQHBAG handle, MQLONG selector, MQLONG index, type_ *value,     \
                              PMQLONG cc, PMQLONG rc) {                                        \
    Item item;                                                                                 \
    MQLONG reason = find_of_type(handle, selector, index, MQITEM_##KIND, &item);               \
    if (!reason && value == NULL) reason = MQRC_ITEM_VALUE_ERROR;                              \
    if (!reason) *value = (type_)item.number;                                                  \
    end_call(reason, cc, rc);                                                                  \
  }
NUMBERS(Integer, INTEGER, MQLONG)
NUMBERS(Integer64, INTEGER64, MQINT64)

EXPORT void mqInquireBag(MQHBAG handle, MQLONG selector, MQLONG index, PMQHBAG value, PMQLONG cc,
                         PMQLONG rc) {
  Item item;
  MQLONG reason = find_of_type(handle, selector, index, MQITEM_BAG, &item);
  if (!reason && value == NULL) reason = MQRC_ITEM_VALUE_ERROR;
  if (!reason) *value = (MQHBAG)item.number;
  end_call(reason, cc, rc);
}

EXPORT void mqAddIntegerFilter(MQHBAG handle, MQLONG selector, MQLONG value, MQLONG op, PMQLONG cc,
                               PMQLONG rc) {
  Item item = { .selector = selector, .type = MQITEM_INTEGER_FILTER, .number = value, .op = op };
  add_to(handle, &item, MQRC_NONE, cc, rc);
}

EXPORT void mqSetIntegerFilter(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG value, MQLONG op,
                               PMQLONG cc, PMQLONG rc) {
  Item item = { .selector = selector, .type = MQITEM_INTEGER_FILTER, .number = value, .op = op };
  set_in(handle, &item, index, MQRC_NONE, cc, rc);
}

EXPORT void mqInquireIntegerFilter(MQHBAG handle, MQLONG selector, MQLONG index, PMQLONG value,
                                   PMQLONG op, PMQLONG cc, PMQLONG rc) {
  Item item;
  MQLONG reason = find_of_type(handle, selector, index, MQITEM_INTEGER_FILTER, &item);
  if (!reason && (value == NULL || op == NULL)) reason = MQRC_ITEM_VALUE_ERROR;
  if (!reason) *value = (MQLONG)item.number, *op = item.op;
  end_call(reason, cc, rc);
}

/* The value of a string or bytes, padded to the length of the buffer. */
static MQLONG give_data(const Item *item, MQLONG room, char *buffer, int padding, PMQLONG length) {
  if (room < 0) return MQRC_BUFFER_LENGTH_ERROR;
  if (room > 0 && buffer == NULL) return MQRC_BUFFER_ERROR;
  MQLONG copied = item->length < room ? item->length : room;
  if (copied) memcpy(buffer, item->data, (size_t)copied);
  if (room > copied) memset(buffer + copied, padding, (size_t)(room - copied));
  if (length != NULL) *length = item->length;
  return item->length > room ? MQRC_STRING_TRUNCATED : MQRC_NONE;
}

static void inquire_data(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG type, MQLONG room,
                         void *buffer, PMQLONG length, PMQLONG ccsid, PMQLONG op, PMQLONG cc,
                         PMQLONG rc) {
  int is_text = type == MQITEM_STRING || type == MQITEM_STRING_FILTER;
  Item item;
  MQLONG reason = find_of_type(handle, selector, index, type, &item);
  if (!reason) {
    reason = give_data(&item, room, buffer, is_text ? ' ' : 0, length);
    if (ccsid != NULL) *ccsid = item.ccsid;
    if (op != NULL) *op = item.op;
  }
  end_call(reason, cc, rc);
}

static void add_data(MQHBAG handle, MQLONG selector, MQLONG type, MQLONG length, const void *buffer,
                     MQLONG op, PMQLONG cc, PMQLONG rc) {
  Item item = { .selector = selector, .type = type, .op = op };
  MQLONG reason = take_data(&item, length, buffer);
  add_to(handle, &item, reason, cc, rc);
}

static void set_data(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG type, MQLONG length,
                     const void *buffer, MQLONG op, PMQLONG cc, PMQLONG rc) {
  Item item = { .selector = selector, .type = type, .op = op };
  MQLONG reason = take_data(&item, length, buffer);
  set_in(handle, &item, index, reason, cc, rc);
}

#define TEXTS(Kind, KIND, type_)                                                                \
  EXPORT void mqAdd##Kind(MQHBAG handle, MQLONG selector, MQLONG length, type_ buffer,         \
                          PMQLONG cc, PMQLONG rc) {                                             \
    add_data(handle, selector, MQITEM_##KIND, length, buffer, 0, cc, rc);                       \
  }                                                                                             \
  EXPORT void mqAdd##Kind##Filter(MQHBAG handle, MQLONG selector, MQLONG length, type_ buffer, \
                                  MQLONG op, PMQLONG cc, PMQLONG rc) {                          \
    add_data(handle, selector, MQITEM_##KIND##_FILTER, length, buffer, op, cc, rc);             \
  }                                                                                             \
  EXPORT void mqSet##Kind(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG length,         \
                          type_ buffer, PMQLONG cc, PMQLONG rc) {                               \
    set_data(handle, selector, index, MQITEM_##KIND, length, buffer, 0, cc, rc);                \
  }                                                                                             \
  EXPORT void mqSet##Kind##Filter(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG length, \
                                  type_ buffer, MQLONG op, PMQLONG cc, PMQLONG rc) {            \
    set_data(handle, selector, index, MQITEM_##KIND##_FILTER, length, buffer, op, cc, rc);      \
  }
TEXTS(String, STRING, PMQCHAR)
TEXTS(ByteString, BYTE_STRING, PMQBYTE)

EXPORT void mqInquireString(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG room,
                            PMQCHAR buffer, PMQLONG length, PMQLONG ccsid, PMQLONG cc, PMQLONG rc) {
  inquire_data(handle, selector, index, MQITEM_STRING, room, buffer, length, ccsid, NULL, cc, rc);
}

EXPORT void mqInquireStringFilter(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG room,
                                  PMQCHAR buffer, PMQLONG length, PMQLONG ccsid, PMQLONG op,
                                  PMQLONG cc, PMQLONG rc) {
  inquire_data(handle, selector, index, MQITEM_STRING_FILTER, room, buffer, length, ccsid, op, cc,
               rc);
}

EXPORT void mqInquireByteString(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG room,
                                PMQBYTE buffer, PMQLONG length, PMQLONG cc, PMQLONG rc) {
  inquire_data(handle, selector, index, MQITEM_BYTE_STRING, room, buffer, length, NULL, NULL, cc,
               rc);
}

EXPORT void mqInquireByteStringFilter(MQHBAG handle, MQLONG selector, MQLONG index, MQLONG room,
                                      PMQBYTE buffer, PMQLONG length, PMQLONG op, PMQLONG cc,
                                      PMQLONG rc) {
  inquire_data(handle, selector, index, MQITEM_BYTE_STRING_FILTER, room, buffer, length, NULL, op,
               cc, rc);
}

/* -- strings --------------------------------------------------------------------------------- */

EXPORT void mqPad(PMQCHAR string, MQLONG length, PMQCHAR buffer, PMQLONG cc, PMQLONG rc) {
  Item item = { .type = MQITEM_STRING };
  MQLONG reason = string == NULL ? MQRC_STRING_ERROR
                                 : take_data(&item, MQBL_NULL_TERMINATED, string);
  if (!reason) reason = give_data(&item, length, buffer, ' ', NULL);
  end_call(reason, cc, rc);
}

/* `string` may be `buffer`, and has room for one more character. */
EXPORT void mqTrim(MQLONG length, PMQCHAR buffer, PMQCHAR string, PMQLONG cc, PMQLONG rc) {
  MQLONG reason = length < 0 ? MQRC_BUFFER_LENGTH_ERROR : buffer == NULL ? MQRC_BUFFER_ERROR
      : string == NULL ? MQRC_STRING_ERROR : MQRC_NONE;
  if (!reason) {
    size_t left = strnlen(buffer, (size_t)length);
    while (left > 0 && buffer[left - 1] == ' ') left--;
    memmove(string, buffer, left);
    string[left] = 0;
  }
  end_call(reason, cc, rc);
}
