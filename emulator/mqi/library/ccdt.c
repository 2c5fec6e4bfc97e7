/* ccdt.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * Client channel definition tables in JSON: which channels lead to a queue manager, or to one of a
 * group, and in which order they are tried. Of a channel these are read: name, type, queueManager,
 * host and port, clientWeight, affinity, sharingConversations, defaultReconnect,
 * maximumMessageLength and cipherSpecification. A table is read from a file alone; the format of
 * binary ones (AMQCLCHL.TAB) is not documented.
 *
 * Source: IBM MQ documentation, "Channel attributes supported by the JSON CCDT", "JSON CCDT
 * examples", "URL access to the CCDT", "Queue manager groups in the CCDT", "Connection affinity",
 * reasons 2058, 2278, 2600. A table that cannot be understood is 2278 here.
 */

#include "libmqm.h"

#include <ctype.h>
#include <stdint.h>
#include <time.h>

#define MOST_BYTES (16l << 20)
#define DEEPEST 32
#define LONGEST 512

typedef struct {
  const char *at, *end;
  char path[LONGEST];             /* names of the objects that lead here, with dots between */
  int depth, is_bad;
  MQCD *channels;
  int count, is_client;
  char host[200], port[16];
} Reader;

static int is_at(const Reader *r, const char *path) { return strcmp(r->path, path) == 0; }

/* -- what stands in a table -------------------------------------------------------------------- */

static void begin_object(Reader *r) {
  static const MQCD initial = { MQCD_CLIENT_CONN_DEFAULT };
  if (is_at(r, "channel.clientConnection.connection")) *r->host = 0, strcpy(r->port, "1414");
  if (!is_at(r, "channel")) return;
  MQCD *more = realloc(r->channels, (size_t)(r->count + 1) * sizeof *more);
  if (more == NULL) {
    r->is_bad = 1;
    return;
  }
  r->channels = more, r->channels[r->count++] = initial, r->is_client = 0;
}

static void end_object(Reader *r) {
  if (r->count == 0) return;
  MQCD *cd = &r->channels[r->count - 1];
  if (is_at(r, "channel.clientConnection.connection") && *r->host) {
    size_t length = strnlen(cd->ConnectionName, sizeof cd->ConnectionName);
    char one[sizeof r->host + sizeof r->port + 4];
    int more = snprintf(one, sizeof one, "%s%s(%s)", length ? "," : "", r->host, r->port);
    if (length + (size_t)more < sizeof cd->ConnectionName)
      memcpy(cd->ConnectionName + length, one, (size_t)more);
  }
  if (is_at(r, "channel") && (!r->is_client || *cd->ChannelName == 0)) r->count--;
}

static MQLONG number_of(const char *text, const char *const *words, MQLONG otherwise) {
  for (MQLONG i = 0; words[i] != NULL; i++)
    if (strcmp(words[i], text) == 0) return i;
  return otherwise;
}

static void take_text(char *to, size_t room, const char *text) {
  memset(to, 0, room);
  memcpy(to, text, strnlen(text, room));
}

static void take_value(Reader *r, const char *text) {
  static const char *const affinities[] = { "none", "preferred", NULL };
  static const char *const reconnects[] = { "no", "yes", "queueManager", "disabled", NULL };
  if (r->count == 0) return;
  MQCD *cd = &r->channels[r->count - 1];
  if (is_at(r, "channel.name")) take_text(cd->ChannelName, sizeof cd->ChannelName, text);
  else if (is_at(r, "channel.type")) r->is_client = strcmp(text, "clientConnection") == 0;
  else if (is_at(r, "channel.clientConnection.queueManager"))
    take_text(cd->QMgrName, sizeof cd->QMgrName, text);
  else if (is_at(r, "channel.clientConnection.connection.host"))
    snprintf(r->host, sizeof r->host, "%s", text);
  else if (is_at(r, "channel.clientConnection.connection.port"))
    snprintf(r->port, sizeof r->port, "%s", text);
  else if (is_at(r, "channel.general.maximumMessageLength")) cd->MaxMsgLength = atoi(text);
  else if (is_at(r, "channel.connectionManagement.clientWeight"))
    cd->ClientChannelWeight = atoi(text);
  else if (is_at(r, "channel.connectionManagement.affinity"))
    cd->ConnectionAffinity = number_of(text, affinities, MQCAFTY_PREFERRED);
  else if (is_at(r, "channel.connectionManagement.sharingConversations"))
    cd->SharingConversations = atoi(text);
  else if (is_at(r, "channel.connectionManagement.defaultReconnect"))
    cd->DefReconnect = number_of(text, reconnects, MQRCN_NO);
  else if (is_at(r, "channel.transmissionSecurity.cipherSpecification"))
    take_text(cd->SSLCipherSpec, sizeof cd->SSLCipherSpec, text);
}

/* -- JSON -------------------------------------------------------------------------------------- */

static int next(Reader *r) {
  while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++;
  return r->at < r->end ? (unsigned char)*r->at : 0;
}

static int is_next(Reader *r, int character) {
  if (next(r) != character) return 0;
  r->at++;
  return 1;
}

static unsigned code_of(Reader *r) {
  unsigned code = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    const char *digits = "0123456789abcdef", *digit = NULL;
    if (r->at < r->end && *r->at) digit = strchr(digits, tolower((unsigned char)*r->at));
    if (digit == NULL) return r->is_bad = 1, 0;
    code = code * 16 + (unsigned)(digit - digits);
  }
  return code;
}

/* A string, as far as there is room; characters that MQ has no use for in a name are question marks. */
static void read_string(Reader *r, char *to, size_t room) {
  size_t length = 0;
  r->at++;
  while (r->at < r->end && *r->at != '"') {
    char character = *r->at++;
    if (character == '\\' && r->at < r->end) {
      static const char escapes[] = "b\bf\fn\nr\rt\t";
      character = *r->at++;
      if (character == 'u') {
        unsigned code = code_of(r);
        character = code > 0 && code < 128 ? (char)code : '?';
      } else {
        const char *found = strchr(escapes, character);
        if (character && found != NULL && (found - escapes) % 2 == 0) character = found[1];
      }
    }
    if (length + 1 < room) to[length++] = character;
  }
  to[length] = 0;
  if (r->at++ >= r->end) r->is_bad = 1;
}

static void read_value(Reader *r);

static void read_member(Reader *r) {
  char name[100];
  size_t before = strlen(r->path);
  if (next(r) != '"') {
    r->is_bad = 1;
    return;
  }
  read_string(r, name, sizeof name);
  if (!is_next(r, ':')) r->is_bad = 1;
  if (before + strlen(name) + 2 < sizeof r->path)
    sprintf(r->path + before, "%s%s", before ? "." : "", name);
  if (!r->is_bad) read_value(r);
  r->path[before] = 0;
}

/* Members of an object or an array; IBM's own examples have a comma behind the last one. */
static void read_all(Reader *r, int end, void (*read_one)(Reader *)) {
  r->at++;
  if (++r->depth > DEEPEST) r->is_bad = 1;
  while (!r->is_bad && !is_next(r, end)) {
    read_one(r);
    if (!is_next(r, ',') && next(r) != end) r->is_bad = 1;
  }
  r->depth--;
}

static void read_value(Reader *r) {
  char text[LONGEST];
  size_t length = 0;
  switch (next(r)) {
    case '{':
      begin_object(r);
      read_all(r, '}', read_member);
      end_object(r);
      return;
    case '[':
      read_all(r, ']', read_value);
      return;
    case '"':
      read_string(r, text, sizeof text);
      break;
    default:
      while (r->at < r->end && *r->at &&
             (isalnum((unsigned char)*r->at) || strchr("+-.", *r->at) != NULL)) {
        if (length + 1 < sizeof text) text[length++] = *r->at;
        r->at++;
      }
      text[length] = 0;
      if (length == 0) r->is_bad = 1;
  }
  if (!r->is_bad) take_value(r, text);
}

/* -- which channels, in which order -------------------------------------------------------------- */

static size_t length_of_name(const char *name, size_t most) {
  size_t length = strnlen(name, most);
  while (length > 0 && name[length - 1] == ' ') length--;
  return length;
}

/* Keep the channels whose queueManager is that of the MQCONN, without its asterisk; a table may be
 * written with one too (*ANY_QM). */
static int keep_applicable(MQCD *channels, int count, const char *name) {
  size_t length = name != NULL ? length_of_name(name, sizeof(MQCHAR48)) : 0;
  int kept = 0;
  if (length > 0 && *name == '*') name++, length--;
  for (int i = 0; i < count; i++) {
    const char *group = channels[i].QMgrName;
    size_t own = length_of_name(group, sizeof(MQCHAR48));
    if (own > 1 && *group == '*') group++, own--;
    if (own == length && memcmp(group, name, length) == 0) channels[kept++] = channels[i];
  }
  return kept;
}

static int is_before(const MQCD *a, const MQCD *b) {
  if (a->ClientChannelWeight == 0 && b->ClientChannelWeight == 0)
    return strncmp(a->ChannelName, b->ChannelName, sizeof a->ChannelName) < 0;
  return a->ClientChannelWeight == 0 && b->ClientChannelWeight != 0;
}

static void move_to(MQCD *channels, int from, int to) {
  MQCD moved = channels[from];
  memmove(channels + to + 1, channels + to, (size_t)(from - to) * sizeof moved);
  channels[to] = moved;
}

/* What the order is drawn by: the same on each machine for AFFINITY(PREFERRED), else any. */
static unsigned seed_of(const MQCD *channels, int count) {
  char host[256] = "";
  struct timespec now;
  unsigned seed = 1;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (int i = 0; i < count; i++)
    if (channels[i].ConnectionAffinity == MQCAFTY_NONE)
      return (unsigned)now.tv_nsec ^ (unsigned)getpid();
  gethostname(host, sizeof host - 1);
  for (const char *at = host; *at; at++) seed = seed * 31 + (unsigned char)*at;
  return seed;
}

/* Those with a weight of 0 by name, then the others as their weights will have it. */
static void put_in_order(MQCD *channels, int count) {
  unsigned seed = seed_of(channels, count);
  for (int i = 1; i < count; i++)
    for (int to = 0; to < i; to++)
      if (is_before(&channels[i], &channels[to])) {
        move_to(channels, i, to);
        break;
      }
  for (int i = 0; i < count; i++) {
    long total = 0, drawn;
    for (int j = i; j < count; j++) total += channels[j].ClientChannelWeight;
    if (channels[i].ClientChannelWeight == 0 || total <= 0) continue;
    drawn = rand_r(&seed) % total;
    for (int j = i; j < count; j++)
      if ((drawn -= channels[j].ClientChannelWeight) < 0) {
        move_to(channels, j, i);
        break;
      }
  }
}

/* -- the file ------------------------------------------------------------------------------------ */

static void complain(const char *place, const char *text) {
  fprintf(stderr, "mqtriage: %s: %s\n", place, text);
}

/* A file URL as a path; NULL for what is fetched otherwise. */
static const char *path_in(const char *url, char *path, size_t size) {
  size_t length = 0;
  if (strncmp(url, "file:", 5) == 0) url += strncmp(url + 5, "//", 2) == 0 ? 7 : 5;
  else if (strstr(url, "://") != NULL) return NULL;
  else return url;
  for (; *url && length + 1 < size; url++) {
    unsigned code;
    if (*url == '%' && sscanf(url + 1, "%2x", &code) == 1) path[length++] = (char)code, url += 2;
    else path[length++] = *url;
  }
  path[length] = 0;
  return path;
}

static char *content_of(const char *path, size_t *length) {
  FILE *file = fopen(path, "re");
  char *text = NULL;
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size >= 0 && size <= MOST_BYTES && (text = malloc((size_t)size + 1)) != NULL) {
    rewind(file);
    *length = fread(text, 1, (size_t)size, file);
  }
  if (file != NULL) fclose(file);
  return text;
}

/* The channels of a table that lead to a queue manager, in the order in which they are tried; the
 * reason why there is none. */
MQLONG read_table(const Table *table, const char *name, MQCD **channels, int *count) {
  char decoded[4096];
  size_t length = 0;
  MQLONG unread = table->is_url ? MQRC_CCDT_URL_ERROR : MQRC_Q_MGR_NAME_ERROR;
  const char *path = path_in(table->place, decoded, sizeof decoded);
  *channels = NULL, *count = 0;
  if (path == NULL)
    return complain(table->place, "a client channel definition table is read from a file alone"),
           MQRC_CCDT_URL_ERROR;
  char *text = content_of(path, &length);
  if (text == NULL) return complain(path, "no client channel definition table"), unread;
  Reader r = { .at = text, .end = text + length };
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3;
  int is_json = next(&r) == '{';
  if (is_json) read_value(&r);
  if (r.is_bad || next(&r) != 0) is_json = is_json ? -1 : 0;
  free(text);
  if (is_json <= 0) {
    free(r.channels);
    complain(path, is_json ? "a client channel definition table that is not JSON as it should be"
                           : "a binary client channel definition table, whose format is not "
                             "documented: give one in JSON");
    return MQRC_CLIENT_CONN_ERROR;
  }
  *count = keep_applicable(r.channels, r.count, name), *channels = r.channels;
  put_in_order(*channels, *count);
  return *count > 0 ? MQRC_NONE : MQRC_Q_MGR_NAME_ERROR;
}

/* The table that a client is to use where no MQCD says how to connect, "" for none; or a reason. */
MQLONG find_table(const MQCNO *cno, Table *table) {
  const char *url = getenv("MQCCDTURL"), *server = getenv("MQSERVER");
  const char *folder = getenv("MQCHLLIB"), *file = getenv("MQCHLTAB");
  const char *given = NULL;
  MQLONG length = 0;
  *table->place = 0, table->is_url = 1;
  if (cno != NULL && cno->Version >= MQCNO_VERSION_6) {
    if (cno->CCDTUrlPtr != NULL && cno->CCDTUrlOffset != 0) return MQRC_CCDT_URL_ERROR;
    given = cno->CCDTUrlPtr;
    if (cno->CCDTUrlOffset) given = (const char *)cno + cno->CCDTUrlOffset;
    length = given != NULL ? cno->CCDTUrlLength : 0;
  }
  if (length < 0 || (size_t)length >= sizeof table->place) return MQRC_CCDT_URL_ERROR;
  if (length > 0) snprintf(table->place, sizeof table->place, "%.*s", (int)length, given);
  else if (server != NULL && *server) return MQRC_NONE;
  else if (url != NULL && *url) snprintf(table->place, sizeof table->place, "%s", url);
  else if (folder != NULL || file != NULL) {
    snprintf(table->place, sizeof table->place, "%s/%s", folder != NULL ? folder : "/var/mqm",
             file != NULL ? file : "AMQCLCHL.TAB");
    table->is_url = 0;
  }
  return MQRC_NONE;
}
