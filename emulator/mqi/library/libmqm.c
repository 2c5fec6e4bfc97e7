/* libmqm.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * The calls of the MQI for programs that link to libmqm_r or libmqic_r. Each call becomes one frame
 * on a Unix socket to `mqtriage emulator serve`, which answers with one frame (frames.py says how
 * frames look). Structures travel as they are, up to the length of their version; what their
 * pointers lead to travels beside them, and pointers in what comes back are left as they were.
 */

#include "libmqm.h"

#include <dirent.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

#define EXPORT __attribute__((visibility("default")))

#define MOST_RECORDS 16384       /* destinations of a distribution list */

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static Connection *table[MOST_CONNECTIONS];
static MQLONG turns[MOST_CONNECTIONS];
static Connection *common;        /* for message handles that belong to no connection */
static char last_name[49];        /* the queue manager that was connected to last */
static unsigned long threads;     /* that have used the library so far */
static _Thread_local unsigned long this_thread;
static pthread_key_t thread_end;
_Thread_local Connection *delivering;

static void store32(unsigned char *at, uint32_t value) { memcpy(at, &value, 4); }

static uint32_t load32(const unsigned char *at) { uint32_t value; memcpy(&value, at, 4); return value; }

static int send_all(int fd, struct iovec *parts, int count) {
  while (count > 0) {
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)count };
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    while (count > 0 && (size_t)sent >= parts->iov_len) {
      sent -= (ssize_t)parts->iov_len;
      parts++, count--;
    }
    if (count > 0) {
      parts->iov_base = (char *)parts->iov_base + sent;
      parts->iov_len -= (size_t)sent;
    }
  }
  return 0;
}

static int room(Connection *c, size_t wanted) {
  if (wanted <= c->capacity) return 0;
  unsigned char *larger = realloc(c->buffer, wanted);
  if (larger == NULL) return -1;
  c->buffer = larger;
  c->capacity = wanted;
  return 0;
}

/* Read one frame: the magic and its length first, most often with all the rest in the same read. */
static int receive(Connection *c, Frame *reply) {
  size_t got = 0, wanted = HEADER;
  if (c->capacity > (1u << 20)) {  /* do not hold on to the room of one huge message */
    free(c->buffer);
    c->buffer = NULL;
    c->capacity = 0;
  }
  if (room(c, 16384)) return IN_DOUBT;
  for (;;) {
    if (got >= HEADER && wanted == HEADER) {
      uint32_t length = load32(c->buffer + 4);
      if (memcmp(c->buffer, "MQTR", 4) != 0 || length > MOST_FRAME) return IN_DOUBT;
      wanted = HEADER + length;
      if (room(c, wanted)) return IN_DOUBT;
    }
    if (got >= wanted && got >= HEADER) break;
    ssize_t more = recv(c->fd, c->buffer + got, (wanted > HEADER ? wanted : c->capacity) - got, 0);
    if (more < 0 && errno == EINTR) continue;
    /* reset: the peer closed its end with the request unread */
    if (more < 0 && errno == ECONNRESET && got == 0) return NOT_SENT;
    if (more <= 0) return IN_DOUBT;
    got += (size_t)more;
  }
  if (got != wanted) return IN_DOUBT;
  reply->n_ints = c->buffer[10];
  reply->n_blobs = c->buffer[11];
  if (reply->n_ints < 2 || reply->n_ints > MOST_INTS || reply->n_blobs > MOST_BLOBS) return IN_DOUBT;
  size_t at = HEADER, heads = (size_t)(4 * (reply->n_ints + reply->n_blobs));
  if (heads > wanted - HEADER) return IN_DOUBT;
  memcpy(reply->ints, c->buffer + at, (size_t)(4 * reply->n_ints));
  at += (size_t)(4 * reply->n_ints);
  const unsigned char *lengths = c->buffer + at;
  at = HEADER + heads;
  for (int i = 0; i < reply->n_blobs; i++) {
    uint32_t length = load32(lengths + 4 * i);
    if (length > wanted - at) return IN_DOUBT;
    reply->blobs[i].data = c->buffer + at;
    reply->blobs[i].length = length;
    at += length;
  }
  return 0;
}

int transact(Connection *c, int verb, const Frame *request, Frame *reply) {
  unsigned char head[HEADER + 4 * (MOST_INTS + MOST_BLOBS)];
  struct iovec parts[1 + MOST_BLOBS];
  size_t at = HEADER, total = 0;
  int count = 1;
  for (int i = 0; i < request->n_ints; i++, at += 4) memcpy(head + at, &request->ints[i], 4);
  for (int i = 0; i < request->n_blobs; i++, at += 4) {
    store32(head + at, (uint32_t)request->blobs[i].length);
    total += request->blobs[i].length;
    if (request->blobs[i].length) {
      parts[count].iov_base = (void *)request->blobs[i].data;
      parts[count++].iov_len = request->blobs[i].length;
    }
  }
  memcpy(head, "MQTR", 4);
  store32(head + 4, (uint32_t)(at - HEADER + total));
  head[8] = (unsigned char)verb, head[9] = 0;
  head[10] = (unsigned char)request->n_ints, head[11] = (unsigned char)request->n_blobs;
  parts[0].iov_base = head, parts[0].iov_len = at;
  if (total > MOST_FRAME - 4096) return TOO_LONG;
  if (send_all(c->fd, parts, count)) return NOT_SENT;
  return receive(c, reply);
}

static void add_handle(Frame *f, MQHMSG handle) {
  add_int(f, (MQLONG)(handle & 0xffffffff));
  add_int(f, (MQLONG)(handle >> 32));
}

/* -- structures ------------------------------------------------------------------------------ */

static const MQLONG od_ends[] = { 0, MQOD_END_1, MQOD_END_2, MQOD_END_3, MQOD_END_4 };
static const MQLONG md_ends[] = { 0, MQMD_END_1, MQMD_END_2 };
static const MQLONG pmo_ends[] = { 0, MQPMO_END_1, MQPMO_END_2, MQPMO_END_3 };
static const MQLONG gmo_ends[] = { 0, MQGMO_END_1, MQGMO_END_2, MQGMO_END_3, MQGMO_END_4 };
static const MQLONG cno_ends[] = { 0, MQCNO_END_1, MQCNO_END_2, MQCNO_END_3, MQCNO_END_4,
                                   MQCNO_END_5, MQCNO_END_6, MQCNO_END_7, MQCNO_END_8 };
static const MQLONG sts_ends[] = { 0, MQSTS_END_1, MQSTS_END_2 };
#define ONE(name) static const MQLONG name##_ends[] = { 0, name##_END_1 };
ONE(MQSD) ONE(MQSRO) ONE(MQBO) ONE(MQCBD) ONE(MQCTLO) ONE(MQCMHO) ONE(MQDMHO) ONE(MQSMPO)
ONE(MQIMPO) ONE(MQDMPO) ONE(MQPD) ONE(MQBMHO) ONE(MQMHBO)

#define ENDS(table) table, (int)(sizeof table / sizeof *table)

/* How many bytes of a structure to send: to the end of its version, or the first 8 where the
 * StrucId or the version is none that we know, so that the server can say what is wrong. */
static size_t length_of(const void *structure, const char *id, const MQLONG *ends, int count) {
  if (structure == NULL) return 0;
  MQLONG version;
  memcpy(&version, (const char *)structure + 4, 4);
  if (memcmp(structure, id, 4) != 0 || version < 1 || version >= count) return 8;
  return (size_t)ends[version];
}

static void add_structure(Frame *f, const void *s, const char *id, const MQLONG *ends, int count) {
  add(f, s, length_of(s, id, ends, count));
}

/* Copy a structure back, no longer than what was sent, keeping `kept` bytes at each offset. */
typedef struct { int offset, length; } Kept;

static void copy_back(void *to, const Frame *request, int sent, const Frame *reply, int got,
                      const Kept *kept, int n_kept) {
  char saved[8][24];
  if (to == NULL || got >= reply->n_blobs) return;
  size_t length = reply->blobs[got].length;
  if (length > request->blobs[sent].length) length = request->blobs[sent].length;
  for (int i = 0; i < n_kept; i++)
    if ((size_t)(kept[i].offset + kept[i].length) <= length)
      memcpy(saved[i], (char *)to + kept[i].offset, (size_t)kept[i].length);
  memcpy(to, reply->blobs[got].data, length);
  for (int i = 0; i < n_kept; i++)
    if ((size_t)(kept[i].offset + kept[i].length) <= length)
      memcpy((char *)to + kept[i].offset, saved[i], (size_t)kept[i].length);
}

#define AT(type, field, bytes) { (int)offsetof(type, field), bytes }
static const Kept od_kept[] = { AT(MQOD, ObjectRecPtr, 16), AT(MQOD, ObjectString, 24),
                                AT(MQOD, SelectionString, 24), AT(MQOD, ResObjectString, 24) };
static const Kept pmo_kept[] = { AT(MQPMO, PutMsgRecPtr, 16) };
static const Kept sd_kept[] = { AT(MQSD, ObjectString, 24), AT(MQSD, SubName, 24),
                                AT(MQSD, SubUserData, 24), AT(MQSD, SelectionString, 24),
                                AT(MQSD, ResObjectString, 24) };
static const Kept sts_kept[] = { AT(MQSTS, ObjectString, 24), AT(MQSTS, SubName, 24) };
static const Kept impo_kept[] = { AT(MQIMPO, ReturnedName, 24) };
#define KEPT(table) table, (int)(sizeof table / sizeof *table)

static const char *charv_text(const void *structure, const MQCHARV *v) {
  if (v->VSPtr != NULL) return v->VSPtr;
  return v->VSOffset && structure != NULL ? (const char *)structure + v->VSOffset : NULL;
}

/* Pointer and offset both given, or a length that is none. */
static int bad_charv(const MQCHARV *v) {
  return (v->VSPtr != NULL && v->VSOffset != 0) || v->VSLength < MQVS_NULL_TERMINATED ||
         (v->VSLength > 0 && v->VSPtr == NULL && v->VSOffset == 0);
}

static MQLONG wrong_string(const MQCHARV *object, const MQCHARV *selection) {
  if (bad_charv(object)) return MQRC_OBJECT_STRING_ERROR;
  return bad_charv(selection) ? MQRC_SELECTION_STRING_ERROR : MQRC_NONE;
}

static MQLONG wrong_subscription(const MQSD *sd) {
  if (bad_charv(&sd->SubName)) return MQRC_SUB_NAME_ERROR;
  if (bad_charv(&sd->SubUserData)) return MQRC_SUB_USER_DATA_ERROR;
  return wrong_string(&sd->ObjectString, &sd->SelectionString);
}

static void add_charv(Frame *f, const void *structure, const MQCHARV *v) {
  const char *text = charv_text(structure, v);
  size_t length = 0;
  if (text != NULL) length = v->VSLength < 0 ? strlen(text) : (size_t)v->VSLength;
  add(f, text, length);
}

static int fill_charv(void *structure, MQCHARV *v, const Frame *reply, int got) {
  if (got >= reply->n_blobs) return 0;
  size_t length = reply->blobs[got].length, copied = length;
  char *text = (char *)charv_text(structure, v);
  if (text != NULL && v->VSBufSize > 0) {
    if (copied > (size_t)v->VSBufSize) copied = (size_t)v->VSBufSize;
    memcpy(text, reply->blobs[got].data, copied);
    if (copied < (size_t)v->VSBufSize) text[copied] = 0;
  }
  v->VSLength = (MQLONG)length;
  v->VSCCSID = 1208;
  return text != NULL && copied < length;
}

/* How long an MQPMR is, by the fields that it has. */
static size_t record_length(MQLONG fields) {
  return (fields & MQPMRF_MSG_ID ? 24 : 0) + (fields & MQPMRF_CORREL_ID ? 24 : 0) +
         (fields & MQPMRF_GROUP_ID ? 24 : 0) + (fields & MQPMRF_FEEDBACK ? 4 : 0) +
         (fields & MQPMRF_ACCOUNTING_TOKEN ? 32 : 0);
}

/* Records of a distribution list, which a pointer or else an offset leads to. */
typedef struct { void *at; size_t length; } Records;

static Records records(const void *structure, MQPTR pointer, MQLONG offset, MQLONG count,
                       size_t each) {
  Records found = { NULL, 0 };
  if (count <= 0 || count > MOST_RECORDS || (pointer != NULL && offset != 0)) return found;
  found.at = pointer != NULL ? pointer : offset ? (char *)structure + offset : NULL;
  found.length = found.at != NULL ? (size_t)count * each : 0;
  return found;
}

/* Records that come back: as many as there is room for. */
static void fill_records(Records to, const Frame *reply, int got) {
  if (got >= reply->n_blobs || to.at == NULL) return;
  size_t length = reply->blobs[got].length;
  if (length) memcpy(to.at, reply->blobs[got].data, length < to.length ? length : to.length);
}

static int od_version(const MQOD *od) {
  return od != NULL && memcmp(od->StrucId, MQOD_STRUC_ID, 4) == 0 ? od->Version : 0;
}

static Records od_objects(const MQOD *od) {
  Records none = { NULL, 0 };
  if (od_version(od) < 2 || od_version(od) > 4) return none;
  return records(od, od->ObjectRecPtr, od->ObjectRecOffset, od->RecsPresent, sizeof(MQOR));
}

static Records od_responses(const MQOD *od) {
  Records none = { NULL, 0 };
  if (od_version(od) < 2 || od_version(od) > 4) return none;
  return records(od, od->ResponseRecPtr, od->ResponseRecOffset, od->RecsPresent, sizeof(MQRR));
}

static int has_records(const MQPMO *pmo) {
  return pmo != NULL && memcmp(pmo->StrucId, MQPMO_STRUC_ID, 4) == 0 && pmo->Version >= 2 &&
         pmo->Version <= 3;
}

static Records put_records(const MQPMO *pmo) {
  Records none = { NULL, 0 };
  if (!has_records(pmo)) return none;
  return records(pmo, pmo->PutMsgRecPtr, pmo->PutMsgRecOffset, pmo->RecsPresent,
                 record_length(pmo->PutMsgRecFields));
}

static Records put_responses(const MQPMO *pmo) {
  Records none = { NULL, 0 };
  if (!has_records(pmo)) return none;
  return records(pmo, pmo->ResponseRecPtr, pmo->ResponseRecOffset, pmo->RecsPresent, sizeof(MQRR));
}

static void add_od(Frame *f, MQOD *od) {
  add_structure(f, od, MQOD_STRUC_ID, ENDS(od_ends));
  if (od_version(od) == 4) {
    add_charv(f, od, &od->ObjectString);
    add_charv(f, od, &od->SelectionString);
  } else {
    add(f, NULL, 0);
    add(f, NULL, 0);
  }
  add(f, od_objects(od).at, od_objects(od).length);
}

/* -- connections ----------------------------------------------------------------------------- */

static void forget(Connection *c) {
  for (Consumer *each = c->consumers, *next; each != NULL; each = next) {
    next = each->next;
    free(each);
  }
  if (c->fd >= 0) close(c->fd);
  pthread_mutex_destroy(&c->io);
  pthread_mutex_destroy(&c->state);
  pthread_cond_destroy(&c->changed);
  end_recovery(c->recovery);
  end_ahead(c, 0);
  free(c->buffer);
  free(c->place);
  free(c);
}

void hold(Connection *c) {
  pthread_mutex_lock(&table_lock);
  c->users++;
  pthread_mutex_unlock(&table_lock);
}

void release(Connection *c) {
  pthread_mutex_lock(&table_lock);
  int last = --c->users == 0 && c->closed;
  pthread_mutex_unlock(&table_lock);
  if (last) forget(c);
}

/* The child of a fork shares no connection with its parent: its copies of the sockets are closed,
 * so that the server sees when the parent ends. */
static void in_child(void) {
  for (int i = 0; i < MOST_CONNECTIONS; i++)
    if (table[i] != NULL && table[i]->fd >= 0) close(table[i]->fd), table[i]->fd = -1;
  if (common != NULL && common->fd >= 0) close(common->fd), common->fd = -1;
  common = NULL;
  pthread_mutex_init(&table_lock, NULL);
}

/* Numbers of threads are not used again, as pthread_t may be. */
static unsigned long my_thread(void) {
  if (this_thread == 0) this_thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  return this_thread;
}

static int is_foreign(const Connection *c) {
  return c->sharing == MQCNO_HANDLE_SHARE_NONE && c->owner != my_thread();
}

static Connection *acquire(MQHCONN handle) {
  MQLONG slot = handle % MOST_CONNECTIONS;
  Connection *found = NULL;
  if (handle <= 0) return NULL;
  pthread_mutex_lock(&table_lock);
  Connection *c = table[slot];
  if (c != NULL && c->handle == handle && c->pid == getpid()) found = c, c->users++;
  pthread_mutex_unlock(&table_lock);
  return found;
}

/* One connection may be found lost by a thread while another looks. */
int is_broken(Connection *c) { return __atomic_load_n(&c->broken, __ATOMIC_RELAXED); }

void break_off(Connection *c) { __atomic_store_n(&c->broken, 1, __ATOMIC_RELAXED); }

static int is_consuming(const Connection *c) {
  return delivering == c;
}

static int finish(Connection *c, MQLONG reason, PMQLONG cc, PMQLONG rc) {
  if (c != NULL) release(c);
  *cc = reason == MQRC_NONE ? MQCC_OK : MQCC_FAILED;
  *rc = reason;
  return 0;
}

/* Take the socket for one call; 0 where another call has it and this one may not wait. The library's
 * own thread, which connects again, is waited for. */
static int take(Connection *c) {
  if (c->sharing == MQCNO_HANDLE_SHARE_NO_BLOCK) {
    if (pthread_mutex_trylock(&c->io) == 0) return 1;
    if (!is_made_again(c)) return 0;
  }
  pthread_mutex_lock(&c->io);
  return 1;
}

/* Take a connection for one call; 0 with the reason set when it cannot be used. */
static Connection *enter(MQHCONN handle, PMQLONG cc, PMQLONG rc) {
  Connection *c = acquire(handle);
  if (c == NULL) return finish(NULL, MQRC_HCONN_ERROR, cc, rc), NULL;
  if (c->recovery != NULL && recovering == c)
    return finish(c, MQRC_CALL_IN_PROGRESS, cc, rc), NULL;
  pthread_mutex_lock(&c->state);
  int inside = is_consuming(c), busy = c->started && !c->suspended && !inside;
  int foreign = !inside && is_foreign(c);
  pthread_mutex_unlock(&c->state);
  if (foreign) return finish(c, MQRC_HCONN_ERROR, cc, rc), NULL;
  if (busy) return finish(c, MQRC_HCONN_ASYNC_ACTIVE, cc, rc), NULL;
  if (!take(c)) return finish(c, MQRC_CALL_IN_PROGRESS, cc, rc), NULL;
  if (is_broken(c)) {
    MQLONG reason = c->recovery != NULL ? reason_of_loss(c) : MQRC_CONNECTION_BROKEN;
    pthread_mutex_unlock(&c->io);
    return finish(c, reason, cc, rc), NULL;
  }
  return c;
}

static void leave(Connection *c) {
  pthread_mutex_unlock(&c->io);
  release(c);
}

/* Send, receive, and set CompCode and Reason; the reply stays valid until `leave`. */
int ask(Connection *c, int verb, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc) {
  if (c->recovery != NULL) return ask_again(c, verb, request, reply, cc, rc);
  if (transact(c, verb, request, reply)) {
    break_off(c);
    reply->n_ints = reply->n_blobs = 0;
    *cc = MQCC_FAILED, *rc = MQRC_CONNECTION_BROKEN;
    return -1;
  }
  *cc = reply->ints[0], *rc = reply->ints[1];
  return 0;
}

static int simple(MQHCONN handle, int verb, const Frame *request, PMQLONG cc, PMQLONG rc) {
  Frame reply;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return -1;
  ask(c, verb, request, &reply, cc, rc);
  leave(c);
  return *cc == MQCC_FAILED ? -1 : 0;
}

/* -- finding the server ---------------------------------------------------------------------- */

static int folder_of_servers(char *path, size_t size) {
  const char *home = getenv("MQTRIAGE_HOME"), *data = getenv("XDG_DATA_HOME"), *me = getenv("HOME");
  int n;
  if (home != NULL && *home) n = snprintf(path, size, "%s/emulator", home);
  else if (data != NULL && *data) n = snprintf(path, size, "%s/mqtriage/emulator", data);
  else n = snprintf(path, size, "%s/.local/share/mqtriage/emulator", me != NULL ? me : "");
  return n > 0 && (size_t)n < size ? 0 : -1;
}

static void file_name(const char *name, char *safe, size_t size) {
  size_t at = 0;
  for (; *name && at + 4 < size; name++) {
    if (*name == '/') at += (size_t)snprintf(safe + at, size - at, "%%2F");
    else if (*name == '%') at += (size_t)snprintf(safe + at, size - at, "%%25");
    else safe[at++] = *name;
  }
  safe[at] = 0;
}

static int ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a > b && strcmp(text + a - b, end) == 0;
}

/* The one queue manager that is there, where a program names none. */
static void only_one(const char *folder, char *safe, size_t size) {
  DIR *list = opendir(folder);
  struct dirent *entry;
  int count = 0;
  *safe = 0;
  while (list != NULL && (entry = readdir(list)) != NULL)
    if (entry->d_name[0] != '.' && ends_with(entry->d_name, ".qmgr") && count++ == 0)
      snprintf(safe, size, "%.*s", (int)(strlen(entry->d_name) - 5), entry->d_name);
  if (list != NULL) closedir(list);
  if (count != 1) *safe = 0;
}

/* Connect to the server of the queue manager whose file is `place`, NAME.qmgr. */
int connect_to(const char *place) {
  char path[4096];
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int n = snprintf(path, sizeof path, "%.*s.mqi", (int)strlen(place) - 5, place);
  if (n < 0 || (size_t)n >= sizeof path) return -1;
  int at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), failed = fd < 0;
  /* a path through /proc fits into sun_path, however long the folder's own name is */
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", at);
  while (!failed && connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
    if (errno != EINTR) failed = 1;
  close(at);
  if (failed && fd >= 0) close(fd);
  return failed ? -1 : fd;
}

/* Find the file of a queue manager, NAME.qmgr in the folder of servers; the reason why not, or 0. */
static MQLONG find(const char *wanted, char *place, size_t size) {
  char folder[3500], safe[160], name[49];
  struct stat there;
  size_t length = 0;
  while (length < 48 && wanted != NULL && wanted[length]) length++;
  while (length > 0 && wanted[length - 1] == ' ') length--;
  memcpy(name, wanted != NULL ? wanted : "", length);
  name[length] = 0;
  const char *given = *name == '*' ? name + 1 : name;
  if (*given == 0 && getenv("MQTRIAGE_QMGR") != NULL) given = getenv("MQTRIAGE_QMGR");
  if (folder_of_servers(folder, sizeof folder)) return MQRC_Q_MGR_NOT_AVAILABLE;
  if (*given) file_name(given, safe, sizeof safe);
  else only_one(folder, safe, sizeof safe);
  if (*safe == 0) return MQRC_Q_MGR_NAME_ERROR;
  snprintf(place, size, "%s/%s.qmgr", folder, safe);
  return stat(place, &there) != 0 ? MQRC_Q_MGR_NAME_ERROR : MQRC_NONE;
}

/* The port that a queue manager is listened for on (emulator serve --tcp), 0 for none. */
static int port_of(const char *place) {
  char path[4096];
  int port = 0, n = snprintf(path, sizeof path, "%.*s.mqi/port", (int)strlen(place) - 5, place);
  FILE *file = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &port) != 1) port = 0;
  fclose(file);
  return port;
}

/* Find the queue manager that a channel leads to: by the port where one is listened for on it; by
 * its name, whatever the address, where nobody listens there. Of several on a port, and for a group,
 * it is the first by name. */
static MQLONG find_at(const char *wanted, int port, char *place, size_t size) {
  char folder[3500], name[4096], named[4096] = "";
  int is_any = wanted == NULL || *wanted == '*' || strspn(wanted, " ") == strnlen(wanted, 48);
  int is_listening = 0, is_taken = 0;
  struct dirent *entry;
  MQLONG reason = find(is_any ? "" : wanted, named, sizeof named);
  DIR *list = folder_of_servers(folder, sizeof folder) ? NULL : opendir(folder);
  *place = 0;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ".qmgr")) continue;
    snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
    int its_port = port_of(name);
    is_listening |= its_port != 0;
    if (its_port != port) continue;
    is_taken = 1;
    if (is_any ? *place == 0 || strcmp(name, place) < 0 : strcmp(name, named) == 0)
      snprintf(place, size, "%s", name);
  }
  if (list != NULL) closedir(list);
  if (*place) return MQRC_NONE;
  if (is_any && is_listening) return MQRC_HOST_NOT_AVAILABLE;
  if (is_taken) return MQRC_Q_MGR_NAME_ERROR;
  if (reason == MQRC_NONE) snprintf(place, size, "%s", named);
  return reason;
}

/* Reach the server of a queue manager: a socket, or -1. */
static int reach(const char *wanted) {
  char place[4096];
  return find(wanted, place, sizeof place) ? -1 : connect_to(place);
}

static Connection *new_connection(int fd) {
  Connection *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  pthread_mutex_init(&c->io, NULL);
  pthread_mutex_init(&c->state, NULL);
  pthread_condattr_t monotonic;  /* waits are not to change with the clock */
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&c->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  c->fd = fd, c->pid = getpid(), c->owner = my_thread(), c->users = 1;
  return c;
}

static MQHCONN enter_in_table(Connection *c) {
  MQHCONN handle = MQHC_UNUSABLE_HCONN;
  pthread_mutex_lock(&table_lock);
  for (int slot = 1; slot < MOST_CONNECTIONS && handle < 0; slot++) {
    if (table[slot] != NULL) continue;  /* what a parent of this process left there stays */
    table[slot] = c;
    turns[slot] = (turns[slot] + 1) % 0xfffff;
    handle = c->handle = turns[slot] * MOST_CONNECTIONS + slot;
  }
  pthread_mutex_unlock(&table_lock);
  return handle;
}

static void add_csp(Frame *f, const MQCNO *cno) {
  const MQCSP *csp = NULL;
  if (cno != NULL && cno->Version >= 5) {
    csp = cno->SecurityParmsPtr;
    if (csp == NULL && cno->SecurityParmsOffset)
      csp = (const MQCSP *)((const char *)cno + cno->SecurityParmsOffset);
  }
  if (csp == NULL || csp->AuthenticationType != MQCSP_AUTH_USER_ID_AND_PWD) {
    add(f, NULL, 0);
    add(f, NULL, 0);
    return;
  }
  const char *user = csp->CSPUserIdPtr, *password = csp->CSPPasswordPtr;
  if (user == NULL && csp->CSPUserIdOffset) user = (const char *)csp + csp->CSPUserIdOffset;
  if (password == NULL && csp->CSPPasswordOffset)
    password = (const char *)csp + csp->CSPPasswordOffset;
  add(f, user, csp->CSPUserIdLength > 0 ? (size_t)csp->CSPUserIdLength : 0);
  add(f, password, csp->CSPPasswordLength > 0 ? (size_t)csp->CSPPasswordLength : 0);
}

static const MQCD *channel_definition(const MQCNO *cno) {
  if (cno == NULL || cno->Version < 2) return NULL;
  if (cno->ClientConnPtr != NULL) return cno->ClientConnPtr;
  return cno->ClientConnOffset ? (const MQCD *)((const char *)cno + cno->ClientConnOffset) : NULL;
}

/* Whether a program asks for local bindings. */
static int is_bound(const MQCNO *cno) {
  const char *type = getenv("MQ_CONNECT_TYPE");
  return (cno != NULL && cno->Options & MQCNO_LOCAL_BINDING) ||
         (type != NULL && strcasecmp(type, "LOCAL") == 0);
}

/* The channel that a client names, in an MQCD or else in MQSERVER (CHANNEL/TCP/host(port)); NULL for
   a local program. */
static const char *channel_of(const MQCNO *cno, const MQCD *cd, size_t *length) {
  const char *server = getenv("MQSERVER");
  *length = 0;
  if (is_bound(cno)) return NULL;
  if (cd != NULL) {
    *length = sizeof cd->ChannelName;
    return cd->ChannelName;
  }
  if (server == NULL) return NULL;
  *length = strcspn(server, "/");
  if (*length > 20) *length = 20;
  return server;
}

/* How many bytes of messages a client reads ahead; 0 for local bindings, and for a channel that
   shares no conversations. */
static size_t size_of_ahead(const MQCNO *cno, const MQCD *cd) {
  ClientSettings settings;
  if (is_bound(cno) || (cd != NULL && cd->Version >= 9 && cd->SharingConversations == 0)) return 0;
  read_client_ini(&settings);
  return (size_t)settings.ahead_kilobytes * 1024;
}

/* The channel that a client names, and what an MQCD says of it. */
typedef struct { char name[20]; MQLONG max_message_length; char cipher_spec[32]; } Channel;

/* Whether a client names one. */
static int describe_channel(Channel *channel, const MQCNO *cno, const MQCD *cd) {
  size_t length;
  const char *name = channel_of(cno, cd, &length);
  memset(channel, 0, sizeof *channel);
  if (name == NULL) return 0;
  memcpy(channel->name, name, length);
  if (cd != NULL) channel->max_message_length = cd->MaxMsgLength;
  if (cd != NULL && cd->Version >= 7) memcpy(channel->cipher_spec, cd->SSLCipherSpec, 32);
  return 1;
}

/* -- threads --------------------------------------------------------------------------------- */

static void stop_consuming(Connection *c);

/* Nobody finds the connection any more; what still uses it goes on until it releases it. */
static void take_from_table(Connection *c) {
  pthread_mutex_lock(&table_lock);
  if (table[c->handle % MOST_CONNECTIONS] == c) {
    table[c->handle % MOST_CONNECTIONS] = NULL;
    c->closed = 1;
    c->users--;
  }
  pthread_mutex_unlock(&table_lock);
}

/* The handle that this thread has to the queue manager in `place` if it may have no second one: one
 * of a local program that is not shared, or any from inside a consumer that it calls. */
static MQHCONN handle_of_thread(const char *place, int local) {
  MQHCONN handle = MQHC_UNUSABLE_HCONN;
  pthread_mutex_lock(&table_lock);
  for (int slot = 1; slot < MOST_CONNECTIONS && handle < 0; slot++) {
    Connection *c = table[slot];
    if (c == NULL || c->pid != getpid() || strcmp(c->place, place) != 0) continue;
    int mine = local && c->is_local && c->sharing == MQCNO_HANDLE_SHARE_NONE &&
               c->owner == my_thread();
    if ((mine || is_consuming(c)) && !is_broken(c)) handle = c->handle;
  }
  pthread_mutex_unlock(&table_lock);
  return handle;
}

/* A thread has ended: connections that no other thread may use end with it, backed out. */
static void end_thread(void *number) {
  for (int slot = 1; slot < MOST_CONNECTIONS; slot++) {
    pthread_mutex_lock(&table_lock);
    Connection *c = table[slot];
    int mine = c != NULL && c->pid == getpid() && c->sharing == MQCNO_HANDLE_SHARE_NONE &&
               c->owner == (unsigned long)(uintptr_t)number;
    if (mine) c->users++;
    pthread_mutex_unlock(&table_lock);
    if (!mine) continue;
    give_up_recovery(c);
    stop_consuming(c);
    take_from_table(c);
    release(c);
  }
}

static void prepare(void) {
  pthread_atfork(NULL, NULL, in_child);
  pthread_key_create(&thread_end, end_thread);
}

/* More than one of options that exclude each other, or one that there is not. */
static int bad_options(MQLONG options) {
  static const MQLONG alone[] = {
    MQCNO_HANDLE_SHARE_NONE | MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK,
    MQCNO_LOCAL_BINDING | MQCNO_CLIENT_BINDING,
    MQCNO_RECONNECT | MQCNO_RECONNECT_DISABLED | MQCNO_RECONNECT_Q_MGR,
  };
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
    if (options & alone[i] & ((options & alone[i]) - 1)) return 1;
  return (options & ~0x1fffffff) != 0;
}

/* Whether a channel is to be in TLS, and nothing says where keys are. */
static MQLONG without_keys(const MQCNO *cno, const Channel *channel) {
  const char *repository = getenv("MQSSLKEYR");
  const MQSCO *sco = NULL;
  ClientSettings settings;
  if (channel->cipher_spec[0] <= ' ') return MQRC_NONE;
  if (cno != NULL && cno->Version >= 4) {
    sco = cno->SSLConfigPtr;
    if (sco == NULL && cno->SSLConfigOffset)
      sco = (const MQSCO *)((const char *)cno + cno->SSLConfigOffset);
  }
  if (sco != NULL && sco->KeyRepository[0] > ' ') return MQRC_NONE;
  if (repository != NULL && *repository) return MQRC_NONE;
  read_client_ini(&settings);
  return settings.has_key_repository ? MQRC_NONE : MQRC_KEY_REPOSITORY_ERROR;
}

/* Connect to the queue manager in `place`, as a channel says. */
static void connect_by(PMQCHAR name, PMQCNO cno, const MQCD *cd, const char *place,
                       PMQHCONN handle, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQLONG recovery_mode = MQRCN_NO;
  MQLONG shared = MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK;
  MQLONG sharing = cno != NULL ? cno->Options & shared : 0;
  if (sharing == 0) sharing = MQCNO_HANDLE_SHARE_NONE;
  MQLONG reason = reconnection_wanted(cno, cd, is_bound(cno), &recovery_mode);
  if (cno != NULL && bad_options(cno->Options)) reason = MQRC_OPTIONS_ERROR;
  if (reason) {
    finish(NULL, reason, cc, rc);
    return;
  }
  Channel channel;
  int local = !describe_channel(&channel, cno, cd);
  if (!local && (reason = without_keys(cno, &channel)) != MQRC_NONE) {
    finish(NULL, reason, cc, rc);
    return;
  }
  if (sharing == MQCNO_HANDLE_SHARE_NONE && (*handle = handle_of_thread(place, local)) > 0) {
    *cc = MQCC_WARNING, *rc = MQRC_ALREADY_CONNECTED;
    return;
  }
  int fd = connect_to(place);
  if (fd < 0) {
    finish(NULL, MQRC_Q_MGR_NOT_AVAILABLE, cc, rc);
    return;
  }
  Connection *c = new_connection(fd);
  if (c == NULL || (c->place = strdup(place)) == NULL) {
    if (c != NULL) forget(c);
    else close(fd);
    finish(NULL, MQRC_STORAGE_NOT_AVAILABLE, cc, rc);
    return;
  }
  c->sharing = sharing, c->is_local = local, c->ahead_size = size_of_ahead(cno, cd);
  pthread_setspecific(thread_end, (void *)(uintptr_t)my_thread());
  add_int(&request, resolved_options(cno, recovery_mode));
  add_int(&request, getpid());
  add(&request, name, name != NULL ? strnlen(name, 48) : 0);
  add_structure(&request, cno, MQCNO_STRUC_ID, ENDS(cno_ends));
  const char *application = getenv("MQAPPLNAME");
  if (cno != NULL && cno->Version >= 7 && cno->ApplName[0] > ' ') add(&request, cno->ApplName, 28);
  else if (application != NULL && *application) add(&request, application, strlen(application));
  else add(&request, program_invocation_short_name, strlen(program_invocation_short_name));
  add_csp(&request, cno);
  add(&request, &channel, local ? 0 : sizeof channel);
  c->closed = 1;
  if (transact(c, V_CONN, &request, &reply)) {
    release(c);
    finish(NULL, MQRC_Q_MGR_NOT_AVAILABLE, cc, rc);
    return;
  }
  *cc = reply.ints[0], *rc = reply.ints[1];
  if (*cc == MQCC_FAILED) {
    release(c);
    return;
  }
  if (recovery_mode != MQRCN_NO && prepare_recovery(c, recovery_mode, &request, &reply)) {
    release(c);
    finish(NULL, MQRC_STORAGE_NOT_AVAILABLE, cc, rc);
    return;
  }
  c->closed = 0;
  pthread_mutex_lock(&table_lock);
  if (reply.n_blobs > 1)
    snprintf(last_name, sizeof last_name, "%.*s", (int)reply.blobs[1].length,
             (const char *)reply.blobs[1].data);
  pthread_mutex_unlock(&table_lock);
  if (cno != NULL && cno->Version >= 5 && reply.n_blobs > 0 && reply.blobs[0].length == 24)
    memcpy(cno->ConnectionId, reply.blobs[0].data, 24);
  *handle = enter_in_table(c);
  if (*handle == MQHC_UNUSABLE_HCONN) {
    c->closed = 1;
    release(c);
    finish(NULL, MQRC_MAX_CONNS_LIMIT_REACHED, cc, rc);
    return;
  }
  if (c->recovery != NULL) watch(c);
}

/* Whether another channel of a table, or another address of it, may do better. */
static int may_go_on(MQLONG rc) {
  return rc == MQRC_Q_MGR_NOT_AVAILABLE || rc == MQRC_HOST_NOT_AVAILABLE ||
         rc == MQRC_Q_MGR_NAME_ERROR || rc == MQRC_CHANNEL_NOT_AVAILABLE ||
         rc == MQRC_UNKNOWN_CHANNEL_NAME;
}

/* Connect by the first channel of a table that can be. */
static void connect_by_table(PMQCHAR name, PMQCNO cno, const Table *table, PMQHCONN handle,
                             PMQLONG cc, PMQLONG rc) {
  char place[4096], blank[1] = "";
  int count, is_over = 0;
  MQCD *channels;
  MQLONG reason = read_table(table, name, &channels, &count);
  finish(NULL, reason ? reason : MQRC_HOST_NOT_AVAILABLE, cc, rc);
  for (int i = 0; i < count && !is_over; i++) {
    char addresses[sizeof channels[i].ConnectionName + 1] = "", *at;
    memcpy(addresses, channels[i].ConnectionName, sizeof channels[i].ConnectionName);
    for (char *one = strtok_r(addresses, ",", &at); one != NULL && !is_over;
         one = strtok_r(NULL, ",", &at)) {
      const char *port = strrchr(one, '(');
      reason = find_at(name, port != NULL ? atoi(port + 1) : 1414, place, sizeof place);
      finish(NULL, reason, cc, rc);
      if (*cc == MQCC_OK)
        connect_by(name != NULL && *name == '*' ? blank : name, cno, &channels[i], place, handle,
                   cc, rc);
      is_over = *cc != MQCC_FAILED || !may_go_on(*rc);
    }
  }
  free(channels);
}

EXPORT void MQCONNX(PMQCHAR name, PMQCNO cno, PMQHCONN handle, PMQLONG cc, PMQLONG rc) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char place[4096];
  Table table = { 0 };
  pthread_once(&once, prepare);
  if (handle == NULL) {
    finish(NULL, MQRC_HCONN_ERROR, cc, rc);
    return;
  }
  *handle = MQHC_UNUSABLE_HCONN;
  if (length_of(cno, MQCNO_STRUC_ID, ENDS(cno_ends)) == 8) {
    finish(NULL, MQRC_CNO_ERROR, cc, rc);
    return;
  }
  const MQCD *cd = channel_definition(cno);
  MQLONG reason = cd == NULL && !is_bound(cno) ? find_table(cno, &table) : MQRC_NONE;
  if (*table.place && reason == MQRC_NONE) {
    connect_by_table(name, cno, &table, handle, cc, rc);
    return;
  }
  if (reason == MQRC_NONE) reason = find(name, place, sizeof place);
  if (reason) finish(NULL, reason, cc, rc);
  else connect_by(name, cno, cd, place, handle, cc, rc);
}

EXPORT void MQCONN(PMQCHAR name, PMQHCONN handle, PMQLONG cc, PMQLONG rc) {
  MQCONNX(name, NULL, handle, cc, rc);
}

/* -- consumers ------------------------------------------------------------------------------- */

static void call_with(Connection *c, Consumer *each, MQCBC *cbc, PMQMD md, PMQGMO gmo, void *data) {
  MQCB_FUNCTION *function;
  memcpy(&function, &each->cbd.CallbackFunction, sizeof function);
  if (function == NULL) return;
  cbc->Version = MQCBC_VERSION_2, cbc->Hobj = each->hobj;
  cbc->CallbackArea = each->cbd.CallbackArea, cbc->ConnectionArea = c->ctlo.ConnectionArea;
  function(c->handle, md, gmo, data, cbc);
}

static void call_consumer(Connection *c, Consumer *each, MQLONG type, MQLONG cc, MQLONG rc,
                          PMQMD md, PMQGMO gmo, void *data, MQLONG length, MQLONG buffer_length) {
  MQCBC cbc = { MQCBC_DEFAULT };
  cbc.CallType = type, cbc.CompCode = cc, cbc.Reason = rc, cbc.Flags = each->flags;
  cbc.DataLength = length, cbc.BufferLength = buffer_length;
  call_with(c, each, &cbc, md, gmo, data);
}

static int is_end(MQLONG rc) {
  return rc == MQRC_CONNECTION_BROKEN || rc == MQRC_CONNECTION_STOPPING ||
         rc == MQRC_CONNECTION_QUIESCING || rc == MQRC_Q_MGR_QUIESCING || rc == MQRC_Q_MGR_STOPPING;
}

/* Tell event handlers; each may change the delay before the next attempt to connect again, which
 * stays as it is where they set what is none. */
void tell_handlers(Connection *c, MQLONG cc, MQLONG rc, MQLONG *delay) {
  for (Consumer *each = c->consumers; each != NULL; each = each->next) {
    if (each->cbd.CallbackType != MQCBT_EVENT_HANDLER || each->gone) continue;
    MQCBC cbc = { MQCBC_DEFAULT };
    cbc.CallType = MQCBCT_EVENT_CALL, cbc.CompCode = cc, cbc.Reason = rc;
    if (delay != NULL) cbc.ReconnectDelay = *delay;
    call_with(c, each, &cbc, NULL, NULL, NULL);
    if (delay != NULL && cbc.ReconnectDelay >= MQRD_NO_RECONNECT) *delay = cbc.ReconnectDelay;
  }
}

/* Tell event handlers that the queue manager or the connection ends; of each step once. */
static void tell_end(Connection *c, MQLONG rc) {
  if (!is_end(rc) || __atomic_exchange_n(&c->told, rc, __ATOMIC_RELAXED) == rc) return;
  tell_handlers(c, MQCC_FAILED, rc, NULL);
}

/* One get for a consumer: 1 when something was given to it, 0 when nothing was there, -1 when the
 * connection is lost. */
static int consume(Connection *c, Consumer *each) {
  MQLONG room_for = each->cbd.MaxMsgLength, cc, rc;
  MQMD md = each->md;
  MQGMO gmo = each->gmo;
  Frame request = { 0 }, reply;
  gmo.Options &= ~MQGMO_WAIT;
  add_int(&request, each->hobj);
  add_int(&request, room_for < 0 ? (MQLONG)MOST_FRAME : room_for);
  add_structure(&request, &md, MQMD_STRUC_ID, ENDS(md_ends));
  add_structure(&request, &gmo, MQGMO_STRUC_ID, ENDS(gmo_ends));
  pthread_mutex_lock(&c->io);
  if (is_broken(c) || ask_for_message(c, &request, &reply, &cc, &rc)) {
    pthread_mutex_unlock(&c->io);
    return -1;
  }
  each->flags = is_last_ahead(c, each->hobj) ? MQCBCF_READA_BUFFER_EMPTY : MQCBCF_NONE;
  MQLONG length = reply.n_ints > 2 ? reply.ints[2] : 0;
  copy_back(&md, &request, 0, &reply, 0, NULL, 0);
  copy_back(&gmo, &request, 1, &reply, 1, NULL, 0);
  size_t size = reply.n_blobs > 2 ? reply.blobs[2].length : 0;
  char *data = malloc(size + 1);
  if (data != NULL && size) memcpy(data, reply.blobs[2].data, size);
  pthread_mutex_unlock(&c->io);
  if (data == NULL) return 0;
  if (cc != MQCC_FAILED) {
    int stays = rc == MQRC_TRUNCATED_MSG_FAILED ||
                gmo.Options & (MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR);
    each->idle_ms = 0;
    if (rc == MQRC_TRUNCATED_MSG_FAILED) each->suspended = 1;  /* else it would be given for ever */
    call_consumer(c, each, stays ? MQCBCT_MSG_NOT_REMOVED : MQCBCT_MSG_REMOVED, cc, rc, &md, &gmo,
                  data, length, (MQLONG)size);
    free(data);
    return 1;
  }
  free(data);
  if (rc != MQRC_NO_MSG_AVAILABLE) {
    each->suspended = !unit_was_lost(c, cc, rc);
    call_consumer(c, each, MQCBCT_EVENT_CALL, cc, rc, &md, &gmo, NULL, 0, 0);
    tell_end(c, rc);
    return 1;
  }
  MQLONG limit = each->gmo.Options & MQGMO_WAIT ? each->gmo.WaitInterval : 0;
  if (limit < 0 || each->idle_ms < limit) return 0;
  each->idle_ms = limit ? 0 : -0x7fffffff;  /* with no wait, once until a message comes */
  call_consumer(c, each, MQCBCT_EVENT_CALL, cc, rc, &md, &gmo, NULL, 0, 0);
  return 1;
}

/* Forget consumers that are gone; not while event handlers are told by who connects again. */
static void sweep(Connection *c) {
  pthread_mutex_lock(&c->io);
  for (Consumer **at = &c->consumers; *at != NULL;) {
    Consumer *each = *at;
    if (each->gone) *at = each->next, free(each);
    else at = &each->next;
  }
  pthread_mutex_unlock(&c->io);
}

static void tell_all(Connection *c, MQLONG flag, MQLONG type) {
  for (Consumer *each = c->consumers; each != NULL; each = each->next)
    if (each->cbd.Options & flag && !each->gone)
      call_consumer(c, each, type, MQCC_OK, MQRC_NONE, NULL, NULL, NULL, 0, 0);
}

static int wait_for_change(Connection *c) {
  Frame request = { 0 }, reply;
  MQLONG cc, rc;
  add_int(&request, IDLE_MS);
  pthread_mutex_lock(&c->io);
  int lost = is_broken(c) || ask(c, V_WAIT, &request, &reply, &cc, &rc);
  pthread_mutex_unlock(&c->io);
  if (!lost && cc == MQCC_FAILED) tell_end(c, rc);
  for (Consumer *each = c->consumers; each != NULL; each = each->next)
    if (each->idle_ms >= 0) each->idle_ms += lost ? 0 : IDLE_MS;
  return lost;
}

static int goes_on(Connection *c) {
  pthread_mutex_lock(&c->state);
  int on = !c->stop && !c->suspended;
  pthread_mutex_unlock(&c->state);
  return on;
}

static void *deliver(void *argument) {
  Connection *c = argument, *outer = delivering;
  int lost = 0;
  delivering = c;
  tell_all(c, MQCBDO_START_CALL, MQCBCT_START_CALL);
  for (;;) {
    pthread_mutex_lock(&c->state);
    while (c->suspended && !c->stop) pthread_cond_wait(&c->changed, &c->state);
    int stop = c->stop;
    pthread_mutex_unlock(&c->state);
    if (stop || lost) break;
    sweep(c);
    int given = 0;
    for (Consumer *each = c->consumers; each != NULL && goes_on(c); each = each->next) {
      if (each->gone || each->suspended || each->cbd.CallbackType != MQCBT_MESSAGE_CONSUMER) continue;
      int got = consume(c, each);
      if (got < 0) lost = 1;
      given |= got > 0;
    }
    if (!given && !lost && goes_on(c) && wait_for_change(c)) lost = 1;
  }
  if (lost) tell_end(c, MQRC_CONNECTION_BROKEN);
  tell_all(c, MQCBDO_STOP_CALL, MQCBCT_STOP_CALL);
  sweep(c);
  pthread_mutex_lock(&c->state);
  c->started = c->running = c->suspended = 0;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->state);
  delivering = outer;
  release(c);
  return NULL;
}

/* Stop consumers and wait until none is being called, except from inside one. */
static void stop_consuming(Connection *c) {
  pthread_mutex_lock(&c->state);
  if (c->started) {
    c->stop = 1;
    pthread_cond_broadcast(&c->changed);
    if (!is_consuming(c))
      while (c->running) pthread_cond_wait(&c->changed, &c->state);
  }
  pthread_mutex_unlock(&c->state);
}

static MQLONG start_consuming(Connection *c, int wait) {
  pthread_mutex_lock(&c->state);
  if (c->started) {
    pthread_mutex_unlock(&c->state);
    return c->stop ? MQRC_CALL_IN_PROGRESS : MQRC_HCONN_ASYNC_ACTIVE;
  }
  int count = 0;
  for (Consumer *each = c->consumers; each != NULL; each = each->next) count += !each->gone;
  if (count == 0) {
    pthread_mutex_unlock(&c->state);
    return MQRC_NO_CALLBACKS_ACTIVE;
  }
  c->started = c->running = 1;
  c->stop = c->suspended = 0;
  hold(c);
  MQLONG reason = MQRC_NONE;
  if (wait) {
    pthread_mutex_unlock(&c->state);
    deliver(c);
    return MQRC_NONE;
  }
  pthread_t thread;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &detached, deliver, c) != 0) {
    c->started = c->running = 0;
    reason = MQRC_RESOURCE_PROBLEM;
  }
  pthread_attr_destroy(&detached);
  pthread_mutex_unlock(&c->state);
  if (reason) release(c);
  return reason;
}

static MQLONG pause_consuming(Connection *c, int pause) {
  MQLONG reason = MQRC_NONE;
  pthread_mutex_lock(&c->state);
  if (!c->started) reason = MQRC_OPERATION_NOT_ALLOWED;
  else c->suspended = pause;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->state);
  if (reason == MQRC_NONE && pause && !is_consuming(c)) {
    pthread_mutex_lock(&c->io);  /* a call that is under way ends first */
    pthread_mutex_unlock(&c->io);
  }
  return reason;
}

EXPORT void MQCTL(MQHCONN handle, MQLONG operation, PMQVOID options, PMQLONG cc, PMQLONG rc) {
  Connection *c = acquire(handle);
  MQCTLO *ctlo = options;
  MQLONG reason = MQRC_NONE;
  if (c == NULL) reason = MQRC_HCONN_ERROR;
  else if (ctlo != NULL && length_of(ctlo, MQCTLO_STRUC_ID, ENDS(MQCTLO_ends)) == 8)
    reason = MQRC_CTLO_ERROR;
  else if (is_foreign(c) && !is_consuming(c)) reason = MQRC_HCONN_ERROR;
  else if (is_broken(c)) reason = MQRC_CONNECTION_BROKEN;
  else if (operation == MQOP_START || operation == MQOP_START_WAIT) {
    if (ctlo != NULL && !c->started) c->ctlo = *ctlo;
    reason = start_consuming(c, operation == MQOP_START_WAIT);
  } else if (operation == MQOP_STOP) stop_consuming(c);
  else if (operation == MQOP_SUSPEND) reason = pause_consuming(c, 1);
  else if (operation == MQOP_RESUME) reason = pause_consuming(c, 0);
  else reason = MQRC_OPERATION_ERROR;
  finish(c, reason, cc, rc);
}

static Consumer *registered(Connection *c, MQHOBJ hobj, MQLONG type) {
  for (Consumer *each = c->consumers; each != NULL; each = each->next)
    if (!each->gone && each->hobj == hobj && each->cbd.CallbackType == type) return each;
  return NULL;
}

/* Change the list of consumers, and find the one that it is about. */
static MQLONG change_consumer(Connection *c, MQLONG operation, MQCBD *cbd, MQHOBJ hobj, PMQVOID md,
                              PMQVOID gmo, Consumer **changed) {
  Consumer *each = *changed = registered(c, hobj, cbd->CallbackType);
  if (each == NULL && !(operation & MQOP_REGISTER)) return MQRC_CALLBACK_NOT_REGISTERED;
  if (operation & MQOP_DEREGISTER) {
    each->gone = 1;
    return MQRC_NONE;
  }
  if (operation & MQOP_REGISTER) {
    int is_new = each == NULL;
    if (is_new && (*changed = each = calloc(1, sizeof *each)) == NULL)
      return MQRC_STORAGE_NOT_AVAILABLE;
    static const MQMD default_md = { MQMD_DEFAULT };
    static const MQGMO default_gmo = { MQGMO_DEFAULT };
    each->cbd = *cbd, each->hobj = hobj, each->idle_ms = 0, each->suspended = 0;
    each->md = default_md, each->gmo = default_gmo;
    if (md != NULL) memcpy(&each->md, md, length_of(md, MQMD_STRUC_ID, ENDS(md_ends)));
    if (gmo != NULL) memcpy(&each->gmo, gmo, length_of(gmo, MQGMO_STRUC_ID, ENDS(gmo_ends)));
    if (is_new) {
      Consumer **at = &c->consumers;
      while (*at != NULL) at = &(*at)->next;
      *at = each;
    }
  }
  if (operation & MQOP_SUSPEND) each->suspended = 1;
  if (operation & MQOP_RESUME) each->suspended = 0;
  return MQRC_NONE;
}

/* Tell a consumer that it was registered or deregistered, where it asks for that. */
static void tell_change(Connection *c, Consumer *each, MQLONG operation) {
  MQLONG asked = each->cbd.Options;
  if (operation & MQOP_REGISTER && asked & MQCBDO_REGISTER_CALL)
    call_consumer(c, each, MQCBCT_REGISTER_CALL, MQCC_OK, MQRC_NONE, NULL, NULL, NULL, 0, 0);
  if (operation & MQOP_DEREGISTER && asked & MQCBDO_DEREGISTER_CALL)
    call_consumer(c, each, MQCBCT_DEREGISTER_CALL, MQCC_OK, MQRC_NONE, NULL, NULL, NULL, 0, 0);
}

EXPORT void MQCB(MQHCONN handle, MQLONG operation, PMQVOID descriptor, MQHOBJ hobj, PMQVOID md,
                 PMQVOID gmo, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQCBD *cbd = descriptor, any = { MQCBD_DEFAULT };
  Consumer *changed = NULL;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, operation);
  add_int(&request, hobj);
  add_structure(&request, cbd, MQCBD_STRUC_ID, ENDS(MQCBD_ends));
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  add_structure(&request, gmo, MQGMO_STRUC_ID, ENDS(gmo_ends));
  ask(c, V_CB, &request, &reply, cc, rc);
  if (*cc == MQCC_OK) {
    if (cbd == NULL) cbd = &any;
    MQLONG reason = change_consumer(c, operation, cbd, hobj, md, gmo, &changed);
    *cc = reason ? MQCC_FAILED : MQCC_OK, *rc = reason;
  }
  pthread_mutex_unlock(&c->io);
  if (*cc == MQCC_OK) {  /* its function may make calls */
    tell_change(c, changed, operation);
    if (operation & MQOP_DEREGISTER && !c->running) sweep(c);
  }
  release(c);
}

/* -- the calls ------------------------------------------------------------------------------- */

EXPORT void MQDISC(PMQHCONN handle, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  Connection *c = handle == NULL ? NULL : acquire(*handle);
  if (c == NULL) {
    finish(NULL, MQRC_HCONN_ERROR, cc, rc);
    return;
  }
  if (is_consuming(c) || is_foreign(c)) {
    finish(c, is_consuming(c) ? MQRC_CALL_IN_PROGRESS : MQRC_HCONN_ERROR, cc, rc);
    return;
  }
  give_up_recovery(c);
  stop_consuming(c);
  pthread_mutex_lock(&c->io);
  *cc = MQCC_OK, *rc = MQRC_NONE;
  if (is_broken(c)) *cc = MQCC_FAILED, *rc = MQRC_CONNECTION_BROKEN;
  else ask(c, V_DISC, &request, &reply, cc, rc);
  break_off(c);
  pthread_mutex_unlock(&c->io);
  take_from_table(c);
  *handle = MQHC_UNUSABLE_HCONN;
  release(c);
}

EXPORT void MQBEGIN(MQHCONN handle, PMQVOID options, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 };
  add_structure(&request, options, MQBO_STRUC_ID, ENDS(MQBO_ends));
  simple(handle, V_BEGIN, &request, cc, rc);
}

EXPORT void MQCMIT(MQHCONN handle, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 };
  simple(handle, V_CMIT, &request, cc, rc);
}

EXPORT void MQBACK(MQHCONN handle, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 };
  simple(handle, V_BACK, &request, cc, rc);
}

static int bad_od(const MQOD *od, PMQLONG cc, PMQLONG rc) {
  if (od_version(od) != 4) return 0;
  MQLONG reason = wrong_string(&od->ObjectString, &od->SelectionString);
  if (reason) finish(NULL, reason, cc, rc);
  return reason != MQRC_NONE;
}

EXPORT void MQOPEN(MQHCONN handle, PMQVOID od, MQLONG options, PMQHOBJ hobj, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (hobj == NULL) {
    finish(NULL, MQRC_HOBJ_ERROR, cc, rc);
    return;
  }
  *hobj = MQHO_UNUSABLE_HOBJ;
  if (bad_od(od, cc, rc)) return;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, options);
  add_od(&request, od);
  if (!ask(c, V_OPEN, &request, &reply, cc, rc)) {
    copy_back(od, &request, 0, &reply, 0, KEPT(od_kept));
    if (od_version(od) == 4) fill_charv(od, &((MQOD *)od)->ResObjectString, &reply, 1);
    fill_records(od_responses(od), &reply, 2);
    if (*cc != MQCC_FAILED && reply.n_ints > 2) *hobj = reply.ints[2];
    if (*cc != MQCC_FAILED && reply.n_ints > 3 && reply.ints[3]) begin_ahead(c, *hobj);
  }
  leave(c);
}

EXPORT void MQCLOSE(MQHCONN handle, PMQHOBJ hobj, MQLONG options, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (hobj == NULL) {
    finish(NULL, MQRC_HOBJ_ERROR, cc, rc);
    return;
  }
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, *hobj);
  add_int(&request, options);
  if (quiesce_ahead(c, *hobj, options)) {
    *cc = MQCC_WARNING, *rc = MQRC_READ_AHEAD_MSGS;
    leave(c);
    return;
  }
  ask(c, V_CLOSE, &request, &reply, cc, rc);
  if (*cc != MQCC_FAILED) {
    for (Consumer *each = c->consumers; each != NULL; each = each->next)
      if (each->hobj == *hobj && each->cbd.CallbackType == MQCBT_MESSAGE_CONSUMER) each->gone = 1;
    end_ahead(c, *hobj);
    *hobj = MQHO_UNUSABLE_HOBJ;
  }
  leave(c);
}

static int bad_buffer(MQLONG length, PMQVOID buffer, PMQLONG cc, PMQLONG rc) {
  if (length < 0) return finish(NULL, MQRC_BUFFER_LENGTH_ERROR, cc, rc), 1;
  if (length > 0 && buffer == NULL) return finish(NULL, MQRC_BUFFER_ERROR, cc, rc), 1;
  return 0;
}

static int too_long(MQLONG length, PMQLONG cc, PMQLONG rc) {
  if ((uint32_t)length <= MOST_FRAME - 0x400000) return 0;  /* with room for records beside it */
  return finish(NULL, MQRC_MSG_TOO_BIG_FOR_Q_MGR, cc, rc), 1;
}

EXPORT void MQPUT(MQHCONN handle, MQHOBJ hobj, PMQVOID md, PMQVOID pmo, MQLONG length,
                  PMQVOID buffer, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (bad_buffer(length, buffer, cc, rc) || too_long(length, cc, rc)) return;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  Records each = put_records(pmo);
  add_int(&request, hobj);
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  add_structure(&request, pmo, MQPMO_STRUC_ID, ENDS(pmo_ends));
  add(&request, buffer, (size_t)length);
  add(&request, each.at, each.length);
  if (!ask(c, V_PUT, &request, &reply, cc, rc)) {
    copy_back(md, &request, 0, &reply, 0, NULL, 0);
    copy_back(pmo, &request, 1, &reply, 1, KEPT(pmo_kept));
    fill_records(each, &reply, 2);
    fill_records(put_responses(pmo), &reply, 3);
  }
  leave(c);
}

EXPORT void MQPUT1(MQHCONN handle, PMQVOID od, PMQVOID md, PMQVOID pmo, MQLONG length,
                   PMQVOID buffer, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (bad_buffer(length, buffer, cc, rc) || too_long(length, cc, rc)) return;
  if (bad_od(od, cc, rc)) return;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  Records each = put_records(pmo);
  add_od(&request, od);
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  add_structure(&request, pmo, MQPMO_STRUC_ID, ENDS(pmo_ends));
  add(&request, buffer, (size_t)length);
  add(&request, each.at, each.length);
  if (!ask(c, V_PUT1, &request, &reply, cc, rc)) {
    copy_back(od, &request, 0, &reply, 0, KEPT(od_kept));
    copy_back(md, &request, 4, &reply, 1, NULL, 0);
    copy_back(pmo, &request, 5, &reply, 2, KEPT(pmo_kept));
    fill_records(each, &reply, 4);
    fill_records(od_responses(od), &reply, 5);
    if (od_version(od) == 4) fill_charv(od, &((MQOD *)od)->ResObjectString, &reply, 3);
  }
  leave(c);
}

EXPORT void MQGET(MQHCONN handle, MQHOBJ hobj, PMQVOID md, PMQVOID gmo, MQLONG length,
                  PMQVOID buffer, PMQLONG data_length, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (data_length == NULL) {
    finish(NULL, MQRC_DATA_LENGTH_ERROR, cc, rc);
    return;
  }
  *data_length = 0;
  if (bad_buffer(length, buffer, cc, rc)) return;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, hobj);
  add_int(&request, length);
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  add_structure(&request, gmo, MQGMO_STRUC_ID, ENDS(gmo_ends));
  if (!ask_for_message(c, &request, &reply, cc, rc)) {
    copy_back(md, &request, 0, &reply, 0, NULL, 0);
    copy_back(gmo, &request, 1, &reply, 1, NULL, 0);
    if (reply.n_ints > 2) *data_length = reply.ints[2];
    if (reply.n_blobs > 2 && reply.blobs[2].length) {
      size_t copied = reply.blobs[2].length;
      memcpy(buffer, reply.blobs[2].data, copied < (size_t)length ? copied : (size_t)length);
    }
  }
  leave(c);
}

static int bad_attributes(MQLONG n_selectors, PMQLONG selectors, MQLONG n_ints, PMQLONG ints,
                          MQLONG length, PMQCHAR chars, PMQLONG cc, PMQLONG rc) {
  MQLONG reason = MQRC_NONE;
  if (n_selectors < 0) reason = MQRC_SELECTOR_COUNT_ERROR;
  else if (n_selectors > 256) reason = MQRC_SELECTOR_LIMIT_EXCEEDED;
  else if (n_ints < 0 || n_ints > 256) reason = MQRC_INT_ATTR_COUNT_ERROR;
  else if (length < 0 || length > 65536) reason = MQRC_CHAR_ATTR_LENGTH_ERROR;
  else if (n_selectors > 0 && selectors == NULL) reason = MQRC_SELECTOR_ERROR;
  else if (n_ints > 0 && ints == NULL) reason = MQRC_INT_ATTRS_ARRAY_ERROR;
  else if (length > 0 && chars == NULL) reason = MQRC_CHAR_ATTRS_ERROR;
  if (reason) finish(NULL, reason, cc, rc);
  return reason != MQRC_NONE;
}

EXPORT void MQINQ(MQHCONN handle, MQHOBJ hobj, MQLONG n_selectors, PMQLONG selectors, MQLONG n_ints,
                  PMQLONG ints, MQLONG length, PMQCHAR chars, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (bad_attributes(n_selectors, selectors, n_ints, ints, length, chars, cc, rc)) return;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, hobj);
  add_int(&request, n_ints);
  add_int(&request, length);
  add(&request, selectors, 4 * (size_t)n_selectors);
  if (!ask(c, V_INQ, &request, &reply, cc, rc) && reply.n_blobs > 1) {
    if (reply.blobs[0].length && reply.blobs[0].length <= 4 * (size_t)n_ints)
      memcpy(ints, reply.blobs[0].data, reply.blobs[0].length);
    if (reply.blobs[1].length && reply.blobs[1].length <= (size_t)length)
      memcpy(chars, reply.blobs[1].data, reply.blobs[1].length);
  }
  leave(c);
}

EXPORT void MQSET(MQHCONN handle, MQHOBJ hobj, MQLONG n_selectors, PMQLONG selectors, MQLONG n_ints,
                  PMQLONG ints, MQLONG length, PMQCHAR chars, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 };
  if (bad_attributes(n_selectors, selectors, n_ints, ints, length, chars, cc, rc)) return;
  add_int(&request, hobj);
  add(&request, selectors, 4 * (size_t)n_selectors);
  add(&request, ints, 4 * (size_t)n_ints);
  add(&request, chars, (size_t)length);
  simple(handle, V_SET, &request, cc, rc);
}

EXPORT void MQSUB(MQHCONN handle, PMQVOID descriptor, PMQHOBJ hobj, PMQHOBJ hsub, PMQLONG cc,
                  PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQSD *sd = descriptor;
  if (hobj == NULL || hsub == NULL) {
    finish(NULL, MQRC_HOBJ_ERROR, cc, rc);
    return;
  }
  *hsub = MQHO_UNUSABLE_HOBJ;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, *hobj);
  add_structure(&request, sd, MQSD_STRUC_ID, ENDS(MQSD_ends));
  int good = request.blobs[0].length > 8;
  MQLONG reason = good ? wrong_subscription(sd) : MQRC_NONE;
  if (reason) {
    finish(NULL, reason, cc, rc);
    leave(c);
    return;
  }
  if (good) {
    add_charv(&request, sd, &sd->ObjectString);
    add_charv(&request, sd, &sd->SubName);
    add_charv(&request, sd, &sd->SubUserData);
    add_charv(&request, sd, &sd->SelectionString);
  } else {
    for (int i = 0; i < 4; i++) add(&request, NULL, 0);
  }
  if (!ask(c, V_SUB, &request, &reply, cc, rc) && good) {
    copy_back(sd, &request, 0, &reply, 0, KEPT(sd_kept));
    fill_charv(sd, &sd->ResObjectString, &reply, 1);
    if (sd->SubUserData.VSBufSize > 0) fill_charv(sd, &sd->SubUserData, &reply, 2);
    if (*cc != MQCC_FAILED && reply.n_ints > 3) *hobj = reply.ints[2], *hsub = reply.ints[3];
    if (*cc != MQCC_FAILED && reply.n_ints > 4 && reply.ints[4]) begin_ahead(c, *hobj);
  }
  leave(c);
}

EXPORT void MQSUBRQ(MQHCONN handle, MQHOBJ hsub, MQLONG action, PMQVOID sro, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, hsub);
  add_int(&request, action);
  add_structure(&request, sro, MQSRO_STRUC_ID, ENDS(MQSRO_ends));
  if (!ask(c, V_SUBRQ, &request, &reply, cc, rc)) copy_back(sro, &request, 0, &reply, 0, NULL, 0);
  leave(c);
}

EXPORT void MQSTAT(MQHCONN handle, MQLONG type, PMQVOID status, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQSTS *sts = status;
  if (type == MQSTAT_TYPE_RECONNECTION || type == MQSTAT_TYPE_RECONNECTION_ERROR) {
    Connection *lost = acquire(handle);  /* answered here, also while the connection is lost */
    int here = lost != NULL && lost->recovery != NULL && length_of(sts, MQSTS_STRUC_ID, ENDS(sts_ends)) > 8;
    if (here) status_of_recovery(lost, type, sts), finish(lost, MQRC_NONE, cc, rc);
    else if (lost != NULL) release(lost);
    if (here) return;
  }
  Connection *c = enter(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, type);
  add_structure(&request, sts, MQSTS_STRUC_ID, ENDS(sts_ends));
  if (!ask(c, V_STAT, &request, &reply, cc, rc)) {
    copy_back(sts, &request, 0, &reply, 0, KEPT(sts_kept));
    if (*cc == MQCC_OK && sts->Version == 2) {
      fill_charv(sts, &sts->ObjectString, &reply, 1);
      fill_charv(sts, &sts->SubName, &reply, 2);
    }
  }
  leave(c);
}

/* -- message handles ------------------------------------------------------------------------- */

/* Message handles may be made before there is a connection: those go over a socket of their own. */
static Connection *enter_for_handles(MQHCONN handle, PMQLONG cc, PMQLONG rc) {
  if (handle != MQHC_UNASSOCIATED_HCONN && handle != MQHC_DEF_HCONN) return enter(handle, cc, rc);
  pthread_mutex_lock(&table_lock);
  if (common != NULL && is_broken(common) && common->users == 1) {
    forget(common);
    common = NULL;
  }
  if (common == NULL) {
    int fd = reach(last_name);
    if (fd >= 0 && (common = new_connection(fd)) == NULL) close(fd);
  }
  Connection *c = common;
  if (c != NULL) c->users++;
  pthread_mutex_unlock(&table_lock);
  if (c == NULL) return finish(NULL, MQRC_Q_MGR_NOT_AVAILABLE, cc, rc), NULL;
  pthread_mutex_lock(&c->io);
  return c;
}

EXPORT void MQCRTMH(MQHCONN handle, PMQVOID options, PMQHMSG message, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (message == NULL) {
    finish(NULL, MQRC_HMSG_ERROR, cc, rc);
    return;
  }
  *message = MQHM_UNUSABLE_HMSG;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_structure(&request, options, MQCMHO_STRUC_ID, ENDS(MQCMHO_ends));
  if (!ask(c, V_CRTMH, &request, &reply, cc, rc) && *cc != MQCC_FAILED && reply.n_ints > 3)
    *message = (MQHMSG)(((uint64_t)(uint32_t)reply.ints[3] << 32) | (uint32_t)reply.ints[2]);
  leave(c);
}

EXPORT void MQDLTMH(MQHCONN handle, PMQHMSG message, PMQVOID options, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (message == NULL) {
    finish(NULL, MQRC_HMSG_ERROR, cc, rc);
    return;
  }
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, *message);
  add_structure(&request, options, MQDMHO_STRUC_ID, ENDS(MQDMHO_ends));
  if (!ask(c, V_DLTMH, &request, &reply, cc, rc) && *cc != MQCC_FAILED)
    *message = MQHM_UNUSABLE_HMSG;
  leave(c);
}

/* The name of a property stands in no structure: where there is a pointer, nobody looks at the
 * offset, and programs leave there what happens to be (ibmmq for Node does). */
static int bad_name(const MQCHARV *name, PMQLONG cc, PMQLONG rc) {
  if (name != NULL) {
    MQCHARV looked_at = *name;
    if (name->VSPtr != NULL) looked_at.VSOffset = 0;
    if (!bad_charv(&looked_at)) return 0;
  }
  return finish(NULL, MQRC_PROPERTY_NAME_ERROR, cc, rc), 1;
}

EXPORT void MQSETMP(MQHCONN handle, MQHMSG message, PMQVOID smpo, PMQVOID name, PMQVOID pd,
                    MQLONG type, MQLONG length, PMQVOID value, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQCHARV *property = name;
  if (type == MQTYPE_STRING && length == MQVL_NULL_TERMINATED && value != NULL)
    length = (MQLONG)strlen(value);
  if (bad_name(property, cc, rc) || bad_buffer(length, value, cc, rc)) return;
  if (too_long(length, cc, rc)) return;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, message);
  add_int(&request, type);
  add_int(&request, length);
  add_structure(&request, smpo, MQSMPO_STRUC_ID, ENDS(MQSMPO_ends));
  add_charv(&request, property, property);
  add_structure(&request, pd, MQPD_STRUC_ID, ENDS(MQPD_ends));
  add(&request, value, length > 0 ? (size_t)length : 0);
  if (!ask(c, V_SETMP, &request, &reply, cc, rc)) copy_back(pd, &request, 2, &reply, 0, NULL, 0);
  leave(c);
}

EXPORT void MQINQMP(MQHCONN handle, MQHMSG message, PMQVOID options, PMQVOID name, PMQVOID pd,
                    PMQLONG type, MQLONG length, PMQVOID value, PMQLONG data_length, PMQLONG cc,
                    PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQCHARV *property = name;
  MQIMPO *impo = options;
  if (bad_name(property, cc, rc) || bad_buffer(length, value, cc, rc)) return;
  if (type == NULL || data_length == NULL) {
    finish(NULL, type == NULL ? MQRC_PROPERTY_TYPE_ERROR : MQRC_DATA_LENGTH_ERROR, cc, rc);
    return;
  }
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, message);
  int good = length_of(impo, MQIMPO_STRUC_ID, ENDS(MQIMPO_ends)) > 8;
  add_int(&request, good && impo->Options & MQIMPO_CONVERT_TYPE ? *type : MQTYPE_AS_SET);
  add_int(&request, length);
  add_structure(&request, impo, MQIMPO_STRUC_ID, ENDS(MQIMPO_ends));
  add_int(&request, good ? impo->ReturnedName.VSBufSize : 0);
  add_charv(&request, property, property);
  add_structure(&request, pd, MQPD_STRUC_ID, ENDS(MQPD_ends));
  if (!ask(c, V_INQMP, &request, &reply, cc, rc) && reply.n_ints > 3) {
    copy_back(impo, &request, 0, &reply, 0, KEPT(impo_kept));
    copy_back(pd, &request, 2, &reply, 1, NULL, 0);
    *type = reply.ints[2];
    *data_length = reply.ints[3];
    if (reply.n_blobs > 2 && reply.blobs[2].length <= (size_t)length && reply.blobs[2].length)
      memcpy(value, reply.blobs[2].data, reply.blobs[2].length);
    if (reply.n_blobs > 3 && good)
      fill_charv(impo, &impo->ReturnedName, &reply, 3);
  }
  leave(c);
}

EXPORT void MQDLTMP(MQHCONN handle, MQHMSG message, PMQVOID options, PMQVOID name, PMQLONG cc,
                    PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQCHARV *property = name;
  if (bad_name(property, cc, rc)) return;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, message);
  add_structure(&request, options, MQDMPO_STRUC_ID, ENDS(MQDMPO_ends));
  add_charv(&request, property, property);
  ask(c, V_DLTMP, &request, &reply, cc, rc);
  leave(c);
}

EXPORT void MQBUFMH(MQHCONN handle, MQHMSG message, PMQVOID options, PMQVOID md, MQLONG length,
                    PMQVOID buffer, PMQLONG data_length, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (data_length == NULL) {
    finish(NULL, MQRC_DATA_LENGTH_ERROR, cc, rc);
    return;
  }
  if (bad_buffer(length, buffer, cc, rc) || too_long(length, cc, rc)) return;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, message);
  add_structure(&request, options, MQBMHO_STRUC_ID, ENDS(MQBMHO_ends));
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  add(&request, buffer, (size_t)length);
  if (!ask(c, V_BUFMH, &request, &reply, cc, rc) && *cc != MQCC_FAILED && reply.n_blobs > 1) {
    copy_back(md, &request, 1, &reply, 0, NULL, 0);
    *data_length = (MQLONG)reply.blobs[1].length;
    if (*data_length && *data_length <= length)
      memcpy(buffer, reply.blobs[1].data, (size_t)*data_length);
  }
  leave(c);
}

EXPORT void MQMHBUF(MQHCONN handle, MQHMSG message, PMQVOID options, PMQVOID name, PMQVOID md,
                    MQLONG length, PMQVOID buffer, PMQLONG data_length, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  if (data_length == NULL) {
    finish(NULL, MQRC_DATA_LENGTH_ERROR, cc, rc);
    return;
  }
  if (bad_name(name, cc, rc) || bad_buffer(length, buffer, cc, rc)) return;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_handle(&request, message);
  add_int(&request, length);
  add_structure(&request, options, MQMHBO_STRUC_ID, ENDS(MQMHBO_ends));
  add_charv(&request, name, name);
  add_structure(&request, md, MQMD_STRUC_ID, ENDS(md_ends));
  if (!ask(c, V_MHBUF, &request, &reply, cc, rc) && reply.n_ints > 2) {
    *data_length = reply.ints[2];
    copy_back(md, &request, 2, &reply, 0, NULL, 0);
    if (reply.n_blobs > 1 && reply.blobs[1].length && reply.blobs[1].length <= (size_t)length)
      memcpy(buffer, reply.blobs[1].data, reply.blobs[1].length);
  }
  leave(c);
}

EXPORT void MQXCNVC(MQHCONN handle, MQLONG options, MQLONG source_ccsid, MQLONG source_length,
                    PMQCHAR source, MQLONG target_ccsid, MQLONG target_length, PMQCHAR target,
                    PMQLONG data_length, PMQLONG cc, PMQLONG rc) {
  Frame request = { 0 }, reply;
  MQLONG reason = MQRC_NONE;
  if (data_length == NULL) reason = MQRC_DATA_LENGTH_ERROR;
  else if (source_length < 0 || (uint32_t)source_length > MOST_FRAME - 8192)
    reason = MQRC_SOURCE_LENGTH_ERROR;
  else if (source_length > 0 && source == NULL) reason = MQRC_SOURCE_BUFFER_ERROR;
  else if (target_length < 0) reason = MQRC_TARGET_LENGTH_ERROR;
  else if (target_length > 0 && target == NULL) reason = MQRC_TARGET_BUFFER_ERROR;
  if (reason) {
    finish(NULL, reason, cc, rc);
    return;
  }
  *data_length = 0;
  Connection *c = enter_for_handles(handle, cc, rc);
  if (c == NULL) return;
  add_int(&request, options);
  add_int(&request, source_ccsid);
  add_int(&request, target_ccsid);
  add_int(&request, target_length);
  add(&request, source, (size_t)source_length);
  if (!ask(c, V_XCNVC, &request, &reply, cc, rc) && *cc != MQCC_FAILED && reply.n_blobs > 0) {
    size_t made = reply.blobs[0].length;
    if (made && made <= (size_t)target_length) memcpy(target, reply.blobs[0].data, made);
    *data_length = (MQLONG)made;
  }
  leave(c);
}

/* -- exits and installable services, of which there are none ---------------------------------- */

EXPORT void MQXEP(MQHCONFIG config, MQLONG reason, MQLONG function, PMQFUNC entry, PMQXEPO options,
                  PMQLONG cc, PMQLONG rc) {
  (void)config, (void)reason, (void)function, (void)entry, (void)options;
  finish(NULL, MQRC_FUNCTION_NOT_SUPPORTED, cc, rc);
}

EXPORT void MQXCLWLN(PMQWXP parms, MQPTR record, MQLONG offset, PMQPTR next, PMQLONG cc, PMQLONG rc) {
  (void)parms, (void)record, (void)offset, (void)next;
  finish(NULL, MQRC_FUNCTION_NOT_SUPPORTED, cc, rc);
}

EXPORT void MQZEP(MQHCONFIG config, MQLONG function, PMQFUNC entry, PMQLONG cc, PMQLONG rc) {
  (void)config, (void)function, (void)entry;
  finish(NULL, MQRC_FUNCTION_NOT_SUPPORTED, cc, rc);
}
