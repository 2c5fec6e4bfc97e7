/* reconnect.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * Automatic client reconnection (MQCNO_RECONNECT, MQCNO_RECONNECT_Q_MGR). What opened a handle is
 * kept as the request that it was; when the server is gone, the call that meets it waits, connects
 * again, makes the same requests with the same numbers, and is then made once more itself. Other
 * threads wait for it where they wait for any call on the connection. A thread of the library looks
 * after connections on which no call is made, so that event handlers are told in time.
 *
 * A request that no server has read is made again whatever it is. One that was read and not
 * answered may have been carried out: a commit, or a put outside a unit of work, is then
 * MQRC_CALL_INTERRUPTED. IBM documents that for puts of persistent messages; here it holds for
 * others too, since their queue manager may have gone on while its server ended. The wait of an
 * MQGET begins anew.
 *
 * Source: IBM MQ documentation, "Automatic client reconnection", "Application recovery", MQCNO
 * Options, MQCBC ReconnectDelay, MQSTS, reasons 2003, 2544 to 2549, 2555, 2556.
 */

#include "recovery.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

#define WATCH_MS 200
#define AT_ONCE_MS 1000
#define MOST_AT_ONCE 5  /* a request that ends every server which reads it is not made for ever */

_Thread_local Connection *recovering;

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* -- whether a program wants it -------------------------------------------------------------- */

/* The mode of a connection, by what the program, the channel and mqclient.ini say; a reason where
 * local bindings cannot have it. */
MQLONG reconnection_wanted(const MQCNO *cno, const MQCD *cd, int is_bound, MQLONG *mode) {
  MQLONG options = cno != NULL ? cno->Options : 0, by_default = MQRCN_NO;
  ClientSettings settings;
  *mode = MQRCN_NO;
  if (is_bound)
    return options & (MQCNO_RECONNECT | MQCNO_RECONNECT_Q_MGR) ? MQRC_OPTIONS_ERROR : MQRC_NONE;
  if (options & MQCNO_RECONNECT_DISABLED) return MQRC_NONE;
  read_client_ini(&settings);
  if (settings.default_mode >= 0) by_default = settings.default_mode;
  else if (cd != NULL && cd->Version >= 10) by_default = cd->DefReconnect;
  if (by_default == MQRCN_DISABLED) return MQRC_NONE;
  if (options & MQCNO_RECONNECT) *mode = MQRCN_YES;
  else if (options & MQCNO_RECONNECT_Q_MGR) *mode = MQRCN_Q_MGR;
  else if (by_default == MQRCN_YES || by_default == MQRCN_Q_MGR) *mode = by_default;
  return MQRC_NONE;
}

/* MQCNO_* with what was found of connecting again, as the server is to know it. */
MQLONG resolved_options(const MQCNO *cno, MQLONG mode) {
  MQLONG options = cno != NULL ? cno->Options : 0;
  options &= ~(MQCNO_RECONNECT | MQCNO_RECONNECT_Q_MGR | MQCNO_RECONNECT_DISABLED);
  return options | (mode == MQRCN_YES ? MQCNO_RECONNECT
                    : mode == MQRCN_Q_MGR ? MQCNO_RECONNECT_Q_MGR
                    : MQCNO_RECONNECT_DISABLED);
}

static int take_identity(Recovery *r, const Frame *reply) {
  if (reply->n_ints < 3 || reply->n_blobs < 3 || reply->blobs[2].length > QMID_LENGTH) return -1;
  size_t length = reply->blobs[1].length;
  memset(r->name, ' ', sizeof r->name);
  memcpy(r->name, reply->blobs[1].data, length < sizeof r->name ? length : sizeof r->name);
  memset(r->qmid, ' ', QMID_LENGTH);
  memcpy(r->qmid, reply->blobs[2].data, reply->blobs[2].length);
  r->syncpoint_is_default = reply->ints[2];
  r->connected_ms = now_ms();
  return 0;
}

/* Keep what a connection was made with; -1 where there is no memory. */
int prepare_recovery(Connection *c, MQLONG mode, const Frame *request, const Frame *reply) {
  Recovery *r = calloc(1, sizeof *r);
  if (r == NULL) return -1;
  if (keep_request(&r->connected, V_CONN, request) || take_identity(r, reply)) {
    end_recovery(r);
    return -1;
  }
  read_client_ini(&r->settings);
  r->mode = mode, r->last = 1;
  c->recovery = r;
  return 0;
}

/* -- which calls are under syncpoint, and which cannot be made ------------------------------- */

static MQLONG options_in(const Blob *structure) {
  MQLONG options = 0;
  if (structure->length >= 12) memcpy(&options, (const char *)structure->data + 8, 4);
  return options;
}

static MQLONG put_options(int verb, const Frame *request) {
  return options_in(&request->blobs[verb == V_PUT ? 1 : 5]);
}

static int is_under_syncpoint(const Recovery *r, int verb, const Frame *request) {
  MQLONG options, explicitly = MQGMO_SYNCPOINT, not = MQGMO_NO_SYNCPOINT;
  if (verb == V_PUT || verb == V_PUT1) {
    options = put_options(verb, request);
  } else if (verb == V_GET) {
    options = options_in(&request->blobs[1]);
    explicitly |= MQGMO_SYNCPOINT_IF_PERSISTENT;
    if (options & (MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR)) return 0;
  } else {
    return 0;
  }
  return (options & explicitly) != 0 || (r->syncpoint_is_default && !(options & not));
}

/* What relies on the queue manager that it was begun with, or on what it has in memory. */
static MQLONG unfit_get(const Recovery *r, const Blob *gmo) {
  MQLONG match = 0;
  if (options_in(gmo) & MQGMO_LOGICAL_ORDER) return MQRC_RECONNECT_INCOMPATIBLE;
  if (gmo->length >= MQGMO_END_2) memcpy(&match, (const char *)gmo->data + MQGMO_END_1, 4);
  return match & MQMO_MATCH_MSG_TOKEN && r->mode != MQRCN_Q_MGR ? MQRC_RECONNECT_Q_MGR_REQD : 0;
}

static MQLONG unfit(const Recovery *r, int verb, const Frame *request) {
  if (verb == V_PUT || verb == V_PUT1)
    return put_options(verb, request) & MQPMO_LOGICAL_ORDER ? MQRC_RECONNECT_INCOMPATIBLE : 0;
  if (verb == V_GET) return unfit_get(r, &request->blobs[1]);
  if (verb == V_CB) return unfit_get(r, &request->blobs[2]);
  if (verb == V_SUB && options_in(&request->blobs[0]) & MQSO_DURABLE && r->mode != MQRCN_Q_MGR)
    return MQRC_RECONNECT_Q_MGR_REQD;
  return 0;
}

/* -- connecting again ------------------------------------------------------------------------ */

static void tell(Connection *c, MQLONG cc, MQLONG rc, MQLONG *delay) {
  Connection *outer = delivering;
  delivering = c;
  tell_handlers(c, cc, rc, delay);
  delivering = outer;
}

static MQLONG delay_of(const ClientSettings *settings, int attempt) {
  struct timespec now;
  int at = attempt < settings->n_delays ? attempt : settings->n_delays - 1;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return settings->delays[at].ms +
         (MQLONG)((now.tv_nsec / 1000) % (settings->delays[at].random_ms + 1));
}

/* Wait, unless the program leaves. */
static int wait_ms(Connection *c, MQLONG ms) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += ms / 1000, until.tv_nsec += ms % 1000 * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  pthread_mutex_lock(&c->state);
  while (!c->recovery->leaving &&
         pthread_cond_timedwait(&c->changed, &c->state, &until) != ETIMEDOUT) {}
  int leaving = c->recovery->leaving;
  pthread_mutex_unlock(&c->state);
  return leaving;
}

static void use_socket(Connection *c, int fd) { __atomic_store_n(&c->fd, fd, __ATOMIC_RELEASE); }

static void hang_up(Connection *c) {
  int fd = c->fd;
  use_socket(c, -1);
  if (fd >= 0) close(fd);
}

static int is_hung_up(Connection *c) {
  struct pollfd looked = { .fd = __atomic_load_n(&c->fd, __ATOMIC_ACQUIRE), .events = POLLRDHUP };
  return poll(&looked, 1, 0) > 0;
}

static void note(Connection *c, Failure *where, const Opened *made, MQLONG cc, MQLONG rc) {
  Failure found = { .cc = cc, .rc = rc };
  memset(found.name, ' ', sizeof found.name);
  if (made == NULL) {
    memcpy(found.name, c->recovery->name, sizeof found.name);
  } else if (made->verb == V_OPEN && made->request.blobs[0].length >= MQOD_END_1) {
    const MQOD *od = made->request.blobs[0].data;
    found.object_type = od->ObjectType, found.options = made->request.ints[0];
    memcpy(found.name, od->ObjectName, sizeof found.name);
  } else if (made->verb == V_SUB && made->request.blobs[0].length >= MQSD_END_1) {
    const MQSD *sd = made->request.blobs[0].data;
    found.object_type = MQOT_TOPIC;
    memcpy(found.name, sd->ObjectName, sizeof found.name);
  }
  pthread_mutex_lock(&c->state);
  *where = found;
  pthread_mutex_unlock(&c->state);
}

/* The reasons after which another attempt may go better. */
static int may_pass(MQLONG rc) {
  return rc == MQRC_Q_MGR_NOT_AVAILABLE || rc == MQRC_Q_MGR_QUIESCING || rc == MQRC_Q_MGR_STOPPING ||
         rc == MQRC_CONNECTION_BROKEN || rc == MQRC_CONNECTION_QUIESCING ||
         rc == MQRC_CONNECTION_STOPPING || rc == MQRC_Q_MGR_NAME_ERROR;
}

/* One request on the new connection: 0 when it was carried out, MQRC_CONNECTION_BROKEN when another
 * attempt may go better, else why not. */
static MQLONG request_again(Connection *c, int verb, const Frame *request, Frame *reply) {
  if (transact(c, verb, request, reply)) return MQRC_CONNECTION_BROKEN;
  if (reply->ints[0] != MQCC_FAILED) return MQRC_NONE;
  return may_pass(reply->ints[1]) ? MQRC_CONNECTION_BROKEN : reply->ints[1];
}

static MQLONG number_next(Connection *c, MQLONG number) {
  Frame request = { 0 }, reply;
  add_int(&request, number);
  return request_again(c, V_NEXT, &request, &reply);
}

static MQLONG open_again(Connection *c, const Opened *made) {
  MQHOBJ first = made->handles[0] ? made->handles[0] : made->handles[1];
  Frame reply;
  MQLONG reason = number_next(c, first);
  if (reason == MQRC_NONE) reason = request_again(c, made->verb, &made->request, &reply);
  if (reason == MQRC_OBJECT_ALREADY_EXISTS && made->verb == V_OPEN) {
    Frame request = made->request;  /* a permanent dynamic queue, which is there still */
    MQOD od = { MQOD_DEFAULT };
    memcpy(&od, request.blobs[0].data, request.blobs[0].length);
    memcpy(od.ObjectName, od.DynamicQName, sizeof od.ObjectName);
    request.blobs[0].data = &od;
    reason = request_again(c, V_OPEN, &request, &reply);
  }
  /* the connection that was lost may not have ended yet */
  if (reason == MQRC_SUBSCRIPTION_IN_USE) reason = MQRC_CONNECTION_BROKEN;
  if (reason) return reason;
  int same = made->verb == V_OPEN
      ? reply.n_ints > 2 && reply.ints[2] == first
      : reply.n_ints > 3 && reply.ints[3] == made->handles[1] &&
            (!made->handles[0] || reply.ints[2] == made->handles[0]);
  return same ? MQRC_NONE : MQRC_HOBJ_ERROR;
}

static MQLONG close_again(Connection *c, const Opened *made) {
  for (int i = 0; i < 2; i++) {
    if (!made->handles[i] || made->open[i]) continue;
    Frame request = { 0 }, reply;
    add_int(&request, made->handles[i]);
    add_int(&request, MQCO_NONE);
    MQLONG reason = request_again(c, V_CLOSE, &request, &reply);
    if (reason) return reason;
  }
  return MQRC_NONE;
}

static MQLONG restore_message_handles(Connection *c) {
  for (const MessageHandle *each = c->recovery->message_handles; each != NULL; each = each->next) {
    Frame request = { 0 }, reply;
    add_int(&request, (MQLONG)(each->number & 0xffffffff));
    add_int(&request, (MQLONG)(each->number >> 32));
    add(&request, each->content, each->length);
    MQLONG reason = request_again(c, V_RESTORE, &request, &reply);
    if (reason) return reason;
  }
  return MQRC_NONE;
}

/* Open again what was open, in the order in which it was opened and with the same handles. */
static MQLONG restore(Connection *c) {
  Recovery *r = c->recovery;
  const Opened *each;
  MQLONG reason = MQRC_NONE;
  for (each = r->opened; each != NULL; each = each->next)
    if ((reason = open_again(c, each)) != MQRC_NONE) break;
  if (!reason)
    for (each = r->opened; each != NULL; each = each->next)
      if ((reason = close_again(c, each)) != MQRC_NONE) break;
  if (!reason) reason = restore_message_handles(c);
  if (!reason) reason = number_next(c, r->last + 1);
  if (!reason || reason == MQRC_CONNECTION_BROKEN) return reason;
  note(c, &r->failure, each, MQCC_FAILED, reason);
  return MQRC_RECONNECT_FAILED;
}

/* One attempt: 0, MQRC_CONNECTION_BROKEN when another may go better, else why there is none. */
static MQLONG attempt(Connection *c) {
  Recovery *r = c->recovery;
  Frame reply;
  char qmid[QMID_LENGTH];
  memcpy(qmid, r->qmid, QMID_LENGTH);
  use_socket(c, connect_to(c->place));
  if (c->fd < 0) return MQRC_CONNECTION_BROKEN;
  MQLONG reason = request_again(c, V_CONN, &r->connected.request, &reply);
  if (reason == MQRC_CONNECTION_BROKEN) return reason;
  if (!reason && take_identity(r, &reply)) reason = MQRC_UNEXPECTED_ERROR;
  if (!reason && r->mode == MQRCN_Q_MGR && memcmp(qmid, r->qmid, QMID_LENGTH) != 0) {
    note(c, &r->failure, NULL, MQCC_FAILED, MQRC_RECONNECT_QMID_MISMATCH);
    return MQRC_RECONNECT_QMID_MISMATCH;
  }
  if (!reason) return restore(c);
  note(c, &r->failure, NULL, MQCC_FAILED, reason);
  return MQRC_RECONNECT_FAILED;
}

/* Attempt it until it goes well, is hopeless, takes too long, or nobody wants it any more. */
static MQLONG attempts(Connection *c) {
  Recovery *r = c->recovery;
  long long until = now_ms() + r->settings.timeout_s * 1000LL;
  for (int count = 0;; count++) {
    MQLONG delay = delay_of(&r->settings, count);
    tell(c, MQCC_WARNING, MQRC_RECONNECTING, &delay);
    if (delay == MQRD_NO_RECONNECT) return MQRC_CONNECTION_BROKEN;
    long long left = until - now_ms();
    int is_last = delay >= left;
    if (wait_ms(c, is_last ? (MQLONG)(left > 0 ? left : 0) : delay)) return MQRC_CONNECTION_BROKEN;
    if (is_last) {
      note(c, &r->failure, NULL, MQCC_FAILED, MQRC_RECONNECT_TIMED_OUT);
      return MQRC_RECONNECT_TIMED_OUT;
    }
    MQLONG reason = attempt(c);
    if (!reason) return reason;
    hang_up(c);
    if (reason != MQRC_CONNECTION_BROKEN) return reason;
  }
}

static int is_leaving(Connection *c) {
  pthread_mutex_lock(&c->state);
  int leaving = c->recovery->leaving;
  pthread_mutex_unlock(&c->state);
  return leaving;
}

/* Event handlers are told how it went; not those of a program that leaves. */
static void tell_outcome(Connection *c, MQLONG reason) {
  Failure none = { 0 };
  if (reason == MQRC_NONE) {
    pthread_mutex_lock(&c->state);
    c->recovery->cause = c->recovery->failure = none;
    pthread_mutex_unlock(&c->state);
    __atomic_store_n(&c->told, MQRC_NONE, __ATOMIC_RELAXED);
    tell(c, MQCC_OK, MQRC_RECONNECTED, NULL);
  } else if (!is_leaving(c)) {
    break_off(c);
    tell(c, MQCC_FAILED, MQRC_RECONNECT_FAILED, NULL);
    tell(c, MQCC_FAILED, MQRC_CONNECTION_BROKEN, NULL);
    __atomic_store_n(&c->told, MQRC_CONNECTION_BROKEN, __ATOMIC_RELAXED);
  }
}

/* Make a lost connection again; 0, or the reason that the call under way ends with. MQDISC finds
 * the connection lost, and not broken off, where it has ended this. */
static MQLONG reconnect(Connection *c) {
  Recovery *r = c->recovery;
  Connection *outer = recovering;
  hang_up(c);
  if (r->in_unit) r->unit_lost = 1;
  r->in_unit = 0;
  if (is_leaving(c)) return MQRC_CONNECTION_BROKEN;
  note(c, &r->cause, NULL, MQCC_FAILED, MQRC_CONNECTION_BROKEN);
  recovering = c;
  MQLONG reason = attempts(c);
  tell_outcome(c, reason);
  recovering = outer;
  return reason;
}

/* Whoever connects again for this connection gives up, since the program leaves. */
void give_up_recovery(Connection *c) {
  if (c->recovery == NULL) return;
  pthread_mutex_lock(&c->state);
  c->recovery->leaving = 1;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->state);
}

/* Why a connection is lost for good: to its next call the reason itself, then 2009. */
MQLONG reason_of_loss(Connection *c) {
  MQLONG reason = c->recovery->untold;
  c->recovery->untold = MQRC_NONE;
  return reason ? reason : MQRC_CONNECTION_BROKEN;
}

/* Whether a thread that is not the program's makes this connection again. */
int is_made_again(Connection *c) {
  return c->recovery != NULL && __atomic_load_n(&c->recovery->watching, __ATOMIC_ACQUIRE);
}

static void *keep_watch(void *argument) {
  Connection *c = argument;
  while (!is_broken(c) && !wait_ms(c, WATCH_MS)) {
    if (!is_hung_up(c)) continue;
    __atomic_store_n(&c->recovery->watching, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&c->io);
    /* a call may have met it meanwhile */
    if (!is_broken(c) && is_hung_up(c)) c->recovery->untold = reconnect(c);
    pthread_mutex_unlock(&c->io);
    __atomic_store_n(&c->recovery->watching, 0, __ATOMIC_RELEASE);
  }
  release(c);
  return NULL;
}

/* Look after a connection as long as there is one; without that thread the next call does. The
 * program's signals are not for it. */
void watch(Connection *c) {
  pthread_t thread;
  sigset_t all, before;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  hold(c);
  if (pthread_create(&thread, &detached, keep_watch, c) != 0) release(c);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
}

/* -- calls ----------------------------------------------------------------------------------- */

/* CompCode and Reason of a call that ends here, without an answer. */
static int ended(Frame *reply, MQLONG comp_code, MQLONG reason, PMQLONG cc, PMQLONG rc) {
  reply->n_ints = reply->n_blobs = 0;
  *cc = comp_code, *rc = reason;
  return 0;
}

/* MQCMIT or MQDISC, and what they had to commit is backed out. */
static int ended_backed_out(Recovery *r, Frame *reply, PMQLONG cc, PMQLONG rc) {
  r->unit_lost = 0;
  return ended(reply, MQCC_WARNING, MQRC_BACKED_OUT, cc, rc);
}

/* Keep in mind what a call has done. */
static void learn(Recovery *r, int verb, const Frame *request, Frame *reply) {
  if (reply->ints[0] == MQCC_FAILED) return;
  learn_message_handle(r, verb, request, reply);
  if (verb == V_OPEN || verb == V_SUB) remember(r, verb, request, reply);
  else if (verb == V_CLOSE) forget_handle(r, request->ints[0]);
  else if (verb == V_CMIT || verb == V_BACK) r->in_unit = r->unit_lost = 0;
  else if (is_under_syncpoint(r, verb, request)) r->in_unit = 1;
}

/* The call was lost with its connection, and there is a new one: 1 when it has ended, 0 when it is
 * to be made once more. */
static int ended_by_loss(Recovery *r, int verb, const Frame *request, int in_doubt, int had_unit,
                         Frame *reply, PMQLONG cc, PMQLONG rc) {
  if (verb == V_BACK) {
    r->unit_lost = 0;
    return 0;
  }
  if (verb == V_CMIT && had_unit) {
    if (!in_doubt) return ended_backed_out(r, reply, cc, rc), 1;
    r->unit_lost = 0;
    return ended(reply, MQCC_FAILED, MQRC_CALL_INTERRUPTED, cc, rc), 1;
  }
  if (is_under_syncpoint(r, verb, request))  /* alone in its unit, it was backed out with that */
    return had_unit ? (ended(reply, MQCC_FAILED, MQRC_BACKED_OUT, cc, rc), 1) : 0;
  if ((verb == V_PUT || verb == V_PUT1) && in_doubt)
    return ended(reply, MQCC_FAILED, MQRC_CALL_INTERRUPTED, cc, rc), 1;
  return 0;
}

static int disconnect(Connection *c, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc) {
  Recovery *r = c->recovery;
  int lost = r->unit_lost, got = transact(c, V_DISC, request, reply);
  if (got == ANSWERED) *cc = reply->ints[0], *rc = reply->ints[1];
  else ended(reply, MQCC_OK, MQRC_NONE, cc, rc);  /* there is nothing to leave any more */
  if (got == IN_DOUBT && r->in_unit)
    return ended(reply, MQCC_FAILED, MQRC_CALL_INTERRUPTED, cc, rc);
  if (*cc != MQCC_FAILED && (lost || (got != ANSWERED && r->in_unit)))
    return ended_backed_out(r, reply, cc, rc);
  return 0;
}

/* Send, receive, and set CompCode and Reason, over as many connections as it takes; -1 when the
 * connection is lost for good. */
int ask_again(Connection *c, int verb, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc) {
  Recovery *r = c->recovery;
  int at_once = 0;
  if (verb == V_DISC) return disconnect(c, request, reply, cc, rc);
  MQLONG reason = unfit(r, verb, request);
  if (reason == MQRC_NONE && r->unit_lost && is_under_syncpoint(r, verb, request))
    reason = MQRC_BACKED_OUT;
  if (reason) return ended(reply, MQCC_FAILED, reason, cc, rc);
  if (r->unit_lost && verb == V_CMIT) return ended_backed_out(r, reply, cc, rc);
  for (;;) {
    int got = transact(c, verb, request, reply), had_unit = r->in_unit;
    /* a server that stops, or whose queue manager was ended with -r, has not done it */
    if (got == ANSWERED && reply->ints[1] == MQRC_CONNECTION_STOPPING) got = NOT_SENT;
    if (got == ANSWERED) break;
    if (now_ms() - r->connected_ms < AT_ONCE_MS) at_once++;
    int is_hopeless = got == TOO_LONG || at_once > MOST_AT_ONCE;
    if (is_hopeless) break_off(c);
    reason = is_hopeless ? MQRC_CONNECTION_BROKEN : reconnect(c);
    if (reason) {
      ended(reply, MQCC_FAILED, reason, cc, rc);
      return -1;
    }
    if (ended_by_loss(r, verb, request, got == IN_DOUBT, had_unit, reply, cc, rc)) return 0;
  }
  learn(r, verb, request, reply);
  *cc = reply->ints[0], *rc = reply->ints[1];
  return 0;
}

/* Whether a consumer's get has met a unit of work that was lost with its connection. It is told
 * once; the next get begins another one, whether or not the consumer calls MQBACK. */
int unit_was_lost(Connection *c, MQLONG cc, MQLONG rc) {
  if (c->recovery == NULL || cc != MQCC_FAILED || rc != MQRC_BACKED_OUT) return 0;
  pthread_mutex_lock(&c->io);
  int lost = c->recovery->unit_lost;
  c->recovery->unit_lost = 0;
  pthread_mutex_unlock(&c->io);
  return lost;
}

/* MQSTAT of a connection that is being made again, or that could not be. */
void status_of_recovery(Connection *c, MQLONG type, MQSTS *sts) {
  pthread_mutex_lock(&c->state);
  const Failure *found =
      type == MQSTAT_TYPE_RECONNECTION ? &c->recovery->cause : &c->recovery->failure;
  sts->CompCode = found->cc, sts->Reason = found->rc;
  sts->PutSuccessCount = sts->PutWarningCount = sts->PutFailureCount = 0;
  sts->ObjectType = found->object_type ? found->object_type : MQOT_Q_MGR;
  memset(sts->ObjectQMgrName, ' ', sizeof sts->ObjectQMgrName);
  memset(sts->ResolvedObjectName, ' ', sizeof sts->ResolvedObjectName);
  memset(sts->ResolvedQMgrName, ' ', sizeof sts->ResolvedQMgrName);
  memcpy(sts->ObjectName, found->name, sizeof sts->ObjectName);
  if (found->rc == MQRC_NONE) memset(sts->ObjectName, ' ', sizeof sts->ObjectName);
  if (sts->Version >= 2) sts->OpenOptions = found->options, sts->SubOptions = 0;
  pthread_mutex_unlock(&c->state);
}
