/* bags.h: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * What bags are, for the files that make up the administration interface (MQAI).
 */

#ifndef BAGS_H
#define BAGS_H

#include <stdlib.h>
#include <string.h>

#include "cmqc.h"
#include "cmqcfc.h"
#include "cmqbc.h"

#define EXPORT __attribute__((visibility("default")))
#define SYSTEM_ITEMS 9

typedef struct {
  MQLONG selector, type;          /* type: MQITEM_* */
  MQINT64 number;                 /* the value, or the handle of a bag */
  MQLONG op, ccsid, length;       /* op: MQCFOP_* of a filter */
  char *data;                     /* a string, or bytes */
  int is_owner;                   /* of the bag in it, which ends with the item */
} Item;

typedef struct {
  MQLONG options;                 /* MQCBO_* */
  MQLONG system[SYSTEM_ITEMS + 1];  /* MQIASY_*: by the negative of its selector */
  int count, room;
  Item *items;
} Bag;

/* -- mqai.c ---------------------------------------------------------------------------------- */

Bag *bag_of(MQHBAG handle);
MQHBAG new_bag(MQLONG options);
void drop_bag(MQHBAG handle);
void empty_bag(Bag *bag);
MQLONG append_item(Bag *bag, const Item *item);
MQLONG alterable(MQHBAG handle, Bag **bag);
MQLONG place_of(const Bag *bag, MQLONG selector, MQLONG index, int *at);
void end_call(MQLONG reason, PMQLONG cc, PMQLONG rc);

/* -- bag_messages.c: 0, or the reason why not ------------------------------------------------ */

MQLONG message_of_bag(const Bag *bag, char **message, MQLONG *length);
MQLONG bag_of_message(Bag *bag, const char *message, MQLONG length);

#endif
