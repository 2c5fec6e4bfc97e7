/* ahead.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * Read ahead: nonpersistent messages that a client has taken from a queue before its program asks
 * for them. They are in the memory of the program alone, and are lost with it. The buffer is filled
 * when an MQGET, or a consumer, finds nothing in it; what comes to the queue later waits for the
 * next time. Local bindings read nothing ahead, nor do handles that browse.
 *
 * Source: IBM MQ documentation, "Improving performance of nonpersistent messages", "MQGET options
 * and read ahead", MQCO_QUIESCE of MQCLOSE, reasons 2457, 2458, 2517, 2518. The size of the buffer
 * is what IBM's Java client asks for; MaximumSize of the MessageBuffer stanza changes it.
 */

#include "libmqm.h"

#include <stddef.h>

#define OVERHEAD 364  /* what a message takes beside its data: an MQMD */
#define MOST_AT_ONCE (8u << 20)  /* and one message more, which all go into a frame */

#define NOT_PERMITTED                                                                          \
  (MQGMO_SET_SIGNAL | MQGMO_SYNCPOINT | MQGMO_MARK_SKIP_BACKOUT | MQGMO_MSG_UNDER_CURSOR |    \
   MQGMO_LOCK | MQGMO_UNLOCK | MQGMO_LOGICAL_ORDER | MQGMO_COMPLETE_MSG |                     \
   MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE)
#define LASTING \
  (MQGMO_SYNCPOINT_IF_PERSISTENT | MQGMO_NO_SYNCPOINT | MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_CONVERT)

/* A message in the buffer, and how long its parts are, one behind the other. */
typedef struct Sent {
  struct Sent *next;
  MQLONG cc, rc, length, md, gmo, properties, data;
  unsigned char bytes[];
} Sent;

struct Ahead {
  struct Ahead *next;
  MQHOBJ hobj;
  int begun, off, quiesced;
  MQLONG options, representation[2];  /* those of the first MQGET: MQGMO_*, Encoding and CCSID */
  MQLONG returned[2];                 /* Encoding and CCSID of the message that was given last */
  size_t size;
  Sent *sent;
  Sent *given;                        /* the reply to the last MQGET is of this one */
  unsigned char gmo[sizeof(MQGMO)];
};

static Ahead *of_handle(const Connection *c, MQHOBJ hobj) {
  for (Ahead *each = c->ahead; each != NULL; each = each->next)
    if (each->hobj == hobj) return each;
  return NULL;
}

/* A handle was opened for which messages may be sent ahead. */
void begin_ahead(Connection *c, MQHOBJ hobj) {
  if (c->ahead_size == 0) return;
  Ahead *a = calloc(1, sizeof *a);
  if (a == NULL) return;  /* there is none, then */
  a->hobj = hobj, a->next = c->ahead, c->ahead = a;
}

static void drop(Ahead *a) {
  for (Sent *each = a->sent, *next; each != NULL; each = next) next = each->next, free(each);
  free(a->given);
  free(a);
}

/* The handle is closed, or 0 for all of them: what is in the buffer is lost. */
void end_ahead(Connection *c, MQHOBJ hobj) {
  for (Ahead **at = &c->ahead; *at != NULL;) {
    Ahead *each = *at;
    if (hobj == 0 || each->hobj == hobj) *at = each->next, drop(each);
    else at = &each->next;
  }
}

/* Whether an MQCLOSE with MQCO_QUIESCE has to wait until the program has got the rest. */
int quiesce_ahead(Connection *c, MQHOBJ hobj, MQLONG options) {
  Ahead *a = of_handle(c, hobj);
  if (a == NULL || !(options & MQCO_QUIESCE)) return 0;
  a->quiesced = a->sent != NULL;
  return a->quiesced;
}

/* Whether the program has got the last message of a handle that is to be closed. */
int is_last_ahead(const Connection *c, MQHOBJ hobj) {
  const Ahead *a = of_handle(c, hobj);
  return a != NULL && a->quiesced && a->sent == NULL;
}

static MQLONG number_at(const void *structure, size_t offset) {
  MQLONG number;
  memcpy(&number, (const char *)structure + offset, 4);
  return number;
}

static int is_new(const Ahead *a, const unsigned char *md, int which, size_t offset) {
  MQLONG now = number_at(md, offset);
  return now != a->representation[which] && now != a->returned[which];
}

/* Look at the options of an MQGET: the reason why it cannot be, 0 where it can. */
static MQLONG check(Ahead *a, const unsigned char *md, MQLONG options) {
  if (!a->begun) {
    a->begun = 1, a->off = (options & NOT_PERMITTED) != 0, a->options = options;
    a->representation[0] = a->returned[0] = number_at(md, offsetof(MQMD, Encoding));
    a->representation[1] = a->returned[1] = number_at(md, offsetof(MQMD, CodedCharSetId));
    return MQRC_NONE;
  }
  if (a->off) return MQRC_NONE;
  if (options & NOT_PERMITTED) return MQRC_OPTIONS_ERROR;
  if ((options ^ a->options) & LASTING) return MQRC_OPTIONS_CHANGED;
  if (options & MQGMO_CONVERT && (is_new(a, md, 0, offsetof(MQMD, Encoding)) ||
                                  is_new(a, md, 1, offsetof(MQMD, CodedCharSetId))))
    return MQRC_OPTIONS_CHANGED;
  return MQRC_NONE;
}

/* -- which message it is ---------------------------------------------------------------------- */

static int is_zero(const unsigned char *bytes, size_t length) {
  while (length > 0 && bytes[length - 1] == 0) length--;
  return length == 0;
}

static int fits(const unsigned char *wanted, size_t length, const unsigned char *there) {
  return is_zero(wanted, length) || memcmp(wanted, there, length) == 0;
}

/* Whether a message is one that an MQGET asks for. */
static int is_asked_for(const Sent *sent, const Blob *md, const Blob *gmo) {
  MQLONG match = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID;
  const unsigned char *wanted = md->data, *there = sent->bytes;
  if (gmo->length >= MQGMO_END_2) match = number_at(gmo->data, offsetof(MQGMO, MatchOptions));
  if (match & MQMO_MATCH_MSG_ID && !fits(wanted + 48, 24, there + 48)) return 0;
  if (match & MQMO_MATCH_CORREL_ID && !fits(wanted + 72, 24, there + 72)) return 0;
  if (match & MQMO_MATCH_MSG_TOKEN && gmo->length >= MQGMO_END_3 && sent->gmo >= MQGMO_END_3 &&
      memcmp((const char *)gmo->data + offsetof(MQGMO, MsgToken),
             there + sent->md + offsetof(MQGMO, MsgToken), 16) != 0)
    return 0;
  if (md->length < MQMD_END_2 || sent->md < MQMD_END_2) return 1;
  if (match & MQMO_MATCH_GROUP_ID && !fits(wanted + MQMD_END_1, 24, there + MQMD_END_1)) return 0;
  if (match & MQMO_MATCH_MSG_SEQ_NUMBER && memcmp(wanted + 348, there + 348, 4) != 0) return 0;
  return !(match & MQMO_MATCH_OFFSET) || memcmp(wanted + 352, there + 352, 4) == 0;
}

static Sent **next_asked_for(Ahead *a, const Frame *request) {
  Sent **at = &a->sent;
  while (*at != NULL && !is_asked_for(*at, &request->blobs[0], &request->blobs[1])) at = &(*at)->next;
  return at;
}

/* -- giving and filling ------------------------------------------------------------------------ */

/* What stands in the program's MQGMO afterwards, with the options that it asked with. */
static size_t gmo_of(Ahead *a, const Sent *sent, const Blob *asked, MQLONG copied) {
  size_t length = asked->length < (size_t)sent->gmo ? asked->length : (size_t)sent->gmo;
  size_t end = length < sizeof a->gmo ? length : sizeof a->gmo;
  const unsigned char *theirs = sent->bytes + sent->md;
  static const struct { size_t at, length; } out[] = {
    { offsetof(MQGMO, ResolvedQName), 48 }, { offsetof(MQGMO, GroupStatus), 4 },
    { offsetof(MQGMO, MsgToken), 16 },
  };
  memcpy(a->gmo, asked->data, end);
  for (size_t i = 0; i < sizeof out / sizeof *out; i++)
    if (out[i].at + out[i].length <= end)
      memcpy(a->gmo + out[i].at, theirs + out[i].at, out[i].length);
  if (end >= MQGMO_END_3) memcpy(a->gmo + offsetof(MQGMO, ReturnedLength), &copied, 4);
  return end;
}

/* The message handle of the program gets the properties that the message came with. */
static int tell_handle(Connection *c, const Sent *sent, const Blob *gmo) {
  Frame request = { 0 }, reply;
  MQLONG cc, rc, handle[2] = { 0, 0 };
  if (gmo->length >= MQGMO_END_4)
    memcpy(handle, (const char *)gmo->data + offsetof(MQGMO, MsgHandle), sizeof handle);
  if (handle[0] == 0 && handle[1] == 0) return 0;
  add_int(&request, handle[0]);
  add_int(&request, handle[1]);
  add(&request, sent->bytes + sent->md + sent->gmo, (size_t)sent->properties);
  return ask(c, V_RESTORE, &request, &reply, &cc, &rc);
}

/* Give a message of the buffer as the reply to the MQGET; it stays where it is too long. */
static int give(Connection *c, Ahead *a, Sent **at, const Frame *request, Frame *reply, PMQLONG cc,
                PMQLONG rc) {
  Sent *sent = *at;
  MQLONG room = request->ints[1], options = number_at(request->blobs[1].data, 8);
  MQLONG copied = sent->data < room ? sent->data : room;
  *cc = sent->cc, *rc = sent->rc;
  if (sent->data > room) {
    *cc = MQCC_WARNING, *rc = MQRC_TRUNCATED_MSG_ACCEPTED;
    if (!(options & MQGMO_ACCEPT_TRUNCATED_MSG)) *rc = MQRC_TRUNCATED_MSG_FAILED;
  }
  MQLONG version = number_at(request->blobs[0].data, 4);
  memcpy(sent->bytes + 4, &version, 4);
  if (sent->properties && tell_handle(c, sent, &request->blobs[1])) return -1;
  reply->n_ints = 3, reply->ints[0] = *cc, reply->ints[1] = *rc, reply->ints[2] = sent->length;
  reply->n_blobs = 0;
  add(reply, sent->bytes, (size_t)sent->md);
  add(reply, a->gmo, gmo_of(a, sent, &request->blobs[1], copied));
  add(reply, sent->bytes + sent->md + sent->gmo + sent->properties, (size_t)copied);
  a->returned[0] = number_at(sent->bytes, offsetof(MQMD, Encoding));
  a->returned[1] = number_at(sent->bytes, offsetof(MQMD, CodedCharSetId));
  if (*rc == MQRC_TRUNCATED_MSG_FAILED) return 0;
  *at = sent->next, a->size -= OVERHEAD + (size_t)sent->data;
  free(a->given);
  a->given = sent;
  return 0;
}

/* Put the messages of a reply to V_AHEAD at the end of the buffer. */
static void keep(Ahead *a, const Blob *entries) {
  const unsigned char *from = entries->data, *end = from + entries->length;
  Sent **at = &a->sent;
  while (*at != NULL) at = &(*at)->next;
  while (end - from >= 28) {
    MQLONG head[7];
    memcpy(head, from, sizeof head);
    from += sizeof head;
    size_t length = (size_t)head[3] + (size_t)head[4] + (size_t)head[5] + (size_t)head[6];
    Sent *sent = length <= (size_t)(end - from) ? malloc(sizeof *sent + length) : NULL;
    if (sent == NULL) return;
    sent->next = NULL, sent->cc = head[0], sent->rc = head[1], sent->length = head[2];
    sent->md = head[3], sent->gmo = head[4], sent->properties = head[5], sent->data = head[6];
    memcpy(sent->bytes, from, length);
    from += length, *at = sent, at = &sent->next;
    a->size += OVERHEAD + (size_t)sent->data;
  }
}

static void fill(Connection *c, Ahead *a, const Frame *asked) {
  Frame request = { 0 }, reply;
  MQLONG cc, rc;
  if (a->size >= c->ahead_size) return;
  add_int(&request, a->hobj);
  size_t room = c->ahead_size - a->size;
  add_int(&request, (MQLONG)(room < MOST_AT_ONCE ? room : MOST_AT_ONCE));
  add(&request, asked->blobs[0].data, asked->blobs[0].length);
  add(&request, asked->blobs[1].data, asked->blobs[1].length);
  if (!ask(c, V_AHEAD, &request, &reply, &cc, &rc) && cc == MQCC_OK && reply.n_blobs == 1)
    keep(a, &reply.blobs[0]);
}

static int refuse(MQLONG reason, Frame *reply, PMQLONG cc, PMQLONG rc) {
  reply->n_ints = reply->n_blobs = 0;
  *cc = MQCC_FAILED, *rc = reason;
  return 0;
}

/* An MQGET: from the buffer, which is filled first where it has nothing; else from the queue. */
int ask_for_message(Connection *c, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc) {
  Ahead *a = of_handle(c, request->ints[0]);
  const Blob *md = &request->blobs[0], *gmo = &request->blobs[1];
  if (a == NULL || md->length <= 8 || gmo->length <= 8) return ask(c, V_GET, request, reply, cc, rc);
  MQLONG reason = check(a, md->data, number_at(gmo->data, 8));
  if (reason) return refuse(reason, reply, cc, rc);
  if (a->off) return ask(c, V_GET, request, reply, cc, rc);
  Sent **at = next_asked_for(a, request);
  if (*at == NULL && !a->quiesced) {
    fill(c, a, request);
    at = next_asked_for(a, request);
  }
  if (*at != NULL) return give(c, a, at, request, reply, cc, rc);
  if (a->quiesced)
    return refuse(a->sent != NULL ? MQRC_HOBJ_QUIESCED : MQRC_HOBJ_QUIESCED_NO_MSGS, reply, cc, rc);
  return ask(c, V_GET, request, reply, cc, rc);
}
