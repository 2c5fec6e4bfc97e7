/* remembered.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * What is kept of the calls on a connection that is to be made again: the requests that opened what
 * is open, and what the message handles hold.
 */

#include "recovery.h"

#include <stddef.h>

/* Copy a request with all that its blobs are of; -1 where there is no memory. */
int keep_request(Opened *made, int verb, const Frame *request) {
  size_t total = 1, at = 0;
  for (int i = 0; i < request->n_blobs; i++) total += request->blobs[i].length;
  char *memory = malloc(total);
  if (memory == NULL) return -1;
  made->verb = verb, made->memory = memory, made->request = *request;
  for (int i = 0; i < request->n_blobs; i++) {
    size_t length = request->blobs[i].length;
    if (length) memcpy(memory + at, request->blobs[i].data, length);
    made->request.blobs[i].data = memory + at;
    at += length;
  }
  return 0;
}

static void drop(Opened *made) {
  for (int i = 0; i < made->request.n_blobs; i++)  /* a password may be among them */
    explicit_bzero((void *)made->request.blobs[i].data, made->request.blobs[i].length);
  free(made->memory);
}

static void drop_message_handle(MessageHandle **at) {
  MessageHandle *dropped = *at;
  *at = dropped->next;
  free(dropped->content);
  free(dropped);
}

void end_recovery(Recovery *r) {
  if (r == NULL) return;
  for (Opened *each = r->opened, *next; each != NULL; each = next) {
    next = each->next;
    drop(each);
    free(each);
  }
  while (r->message_handles != NULL) drop_message_handle(&r->message_handles);
  drop(&r->connected);
  free(r);
}

static size_t length_of_name(const char *name) {
  size_t length = strnlen(name, sizeof(MQCHAR48));
  while (length > 0 && name[length - 1] == ' ') length--;
  return length;
}

static int is_same_name(const char *a, const char *b) {
  size_t length = length_of_name(a);
  return length == length_of_name(b) && memcmp(a, b, length) == 0;
}

/* The queue that opening a model queue made is to have the same name again. */
static void keep_dynamic_name(Opened *made, const Frame *reply) {
  MQOD *od = (MQOD *)made->request.blobs[0].data;
  if (made->request.blobs[0].length < MQOD_END_1 || reply->n_blobs < 1 ||
      reply->blobs[0].length < MQOD_END_1 || od->ObjectType != MQOT_Q)
    return;
  if (made->request.blobs[0].length >= MQOD_END_2 && od->RecsPresent) return;
  MQCHAR48 name;  /* the reply is read from where it came, and need not be aligned */
  memcpy(name, (const char *)reply->blobs[0].data + offsetof(MQOD, ObjectName), sizeof name);
  if (!is_same_name(name, od->ObjectName)) memcpy(od->DynamicQName, name, sizeof name);
}

/* A durable subscription is resumed; made anew only if it is gone and the program did make it. */
static void keep_to_resume(Opened *made, const Frame *reply) {
  MQSD *sd = (MQSD *)made->request.blobs[0].data;
  MQLONG options;
  if (made->request.blobs[0].length < MQSD_END_1 || reply->blobs[0].length < MQSD_END_1) return;
  memcpy(&options, (const char *)reply->blobs[0].data + offsetof(MQSD, Options), sizeof options);
  if (options & MQSO_DURABLE) sd->Options = (sd->Options & ~MQSO_ALTER) | MQSO_RESUME;
}

void remember(Recovery *r, int verb, const Frame *request, const Frame *reply) {
  if (reply->n_ints < (verb == V_OPEN ? 3 : 4) || reply->n_blobs < 1) return;
  Opened *made = calloc(1, sizeof *made), **at = &r->opened;
  if (made == NULL || keep_request(made, verb, request)) {
    free(made);
    return;
  }
  if (verb == V_OPEN) {
    made->handles[0] = reply->ints[2];
    keep_dynamic_name(made, reply);
  } else {
    if (reply->ints[2] != request->ints[0]) made->handles[0] = reply->ints[2];
    made->handles[1] = reply->ints[3];
    keep_to_resume(made, reply);
  }
  for (int i = 0; i < 2; i++) {
    made->open[i] = made->handles[i] != 0;
    if (made->handles[i] > r->last) r->last = made->handles[i];
  }
  while (*at != NULL) at = &(*at)->next;
  *at = made;
}

static int is_needed(const Opened *made) {
  if (made->open[0] || made->open[1]) return 1;
  for (const Opened *each = made->next; each != NULL; each = each->next)
    if (each->verb == V_SUB && !each->handles[0] && each->request.ints[0] == made->handles[0])
      return 1;
  return 0;
}

void forget_handle(Recovery *r, MQHOBJ handle) {
  for (Opened *each = r->opened; each != NULL; each = each->next)
    for (int i = 0; i < 2; i++) if (each->handles[i] == handle) each->open[i] = 0;
  for (int dropped = 1; dropped;) {
    dropped = 0;
    for (Opened **at = &r->opened; *at != NULL;) {
      Opened *each = *at;
      if (is_needed(each)) {
        at = &each->next;
        continue;
      }
      *at = each->next, dropped = 1;
      drop(each);
      free(each);
    }
  }
}

/* The message handle that a call makes, uses or deletes, as its two numbers stand in the frame. */
static MQHMSG message_handle_of(int verb, const Frame *request, const Frame *reply) {
  const MQLONG *halves = verb == V_CRTMH ? reply->ints + 2 : request->ints;
  MQHMSG number = 0;
  switch (verb) {
    case V_CRTMH: case V_DLTMH: case V_SETMP: case V_INQMP: case V_DLTMP: case V_BUFMH: case V_MHBUF:
      return (MQHMSG)(((uint64_t)(uint32_t)halves[1] << 32) | (uint32_t)halves[0]);
    case V_GET:
      if (request->blobs[1].length >= MQGMO_END_4)
        memcpy(&number, (const char *)request->blobs[1].data + offsetof(MQGMO, MsgHandle), 8);
      return number;
    default:
      return 0;
  }
}

/* Keep the content of a message handle of this connection, which the server has added to the reply
 * of a call that changed it (verbs/properties.py), and take it out of the reply. */
void learn_message_handle(Recovery *r, int verb, const Frame *request, Frame *reply) {
  MQHMSG number = message_handle_of(verb, request, reply);
  MessageHandle **at = &r->message_handles;
  if (number == 0) return;
  while (*at != NULL && (*at)->number != number) at = &(*at)->next;
  if (verb == V_DLTMH) {
    if (*at != NULL) drop_message_handle(at);
    return;
  }
  if (reply->n_blobs == 0) return;
  const Blob *told = &reply->blobs[--reply->n_blobs];
  if (*at == NULL && verb != V_CRTMH) return;  /* another connection made it, which keeps it */
  if (*at == NULL && (*at = calloc(1, sizeof **at)) == NULL) return;
  void *content = malloc(told->length + 1);
  if (content == NULL) return;
  memcpy(content, told->data, told->length);
  free((*at)->content);
  (*at)->number = number, (*at)->content = content, (*at)->length = told->length;
}
