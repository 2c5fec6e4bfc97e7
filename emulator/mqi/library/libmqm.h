/* libmqm.h: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * What the files of the library share: frames, connections, and their consumers. No program
 * includes it; theirs are the headers in inc/.
 */

#ifndef LIBMQM_H
#define LIBMQM_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmqc.h"
#include "cmqec.h"
#include "cmqxc.h"

enum { V_CONN = 1, V_DISC, V_OPEN, V_CLOSE, V_PUT, V_PUT1, V_GET, V_CMIT, V_BACK, V_BEGIN, V_INQ,
       V_SET, V_SUB, V_SUBRQ, V_STAT, V_CRTMH, V_DLTMH, V_SETMP, V_INQMP, V_DLTMP, V_CB, V_WAIT,
       V_BUFMH, V_MHBUF, V_XCNVC, V_NEXT, V_RESTORE, V_AHEAD };

#define MOST_CONNECTIONS 1024
#define MOST_BLOBS 12
#define MOST_INTS 16
#define MOST_FRAME 0x7000000u
#define HEADER 12
#define IDLE_MS 50

typedef struct { const void *data; size_t length; } Blob;

typedef struct {
  MQLONG ints[MOST_INTS];
  Blob blobs[MOST_BLOBS];
  int n_ints, n_blobs;
} Frame;

/* What became of a request: answered; not carried out, since no peer has read it; read by a peer
 * that has not answered; or too long to be sent. */
enum { ANSWERED = 0, NOT_SENT = -1, IN_DOUBT = -2, TOO_LONG = -3 };

typedef struct Consumer {
  struct Consumer *next;
  MQCBD cbd;
  MQMD md;
  MQGMO gmo;
  MQHOBJ hobj;
  int suspended, gone, idle_ms;
  MQLONG flags;                   /* MQCBCF_* of the call that comes next */
} Consumer;

typedef struct Ahead Ahead;        /* messages read ahead of the program (ahead.c) */

typedef struct Recovery Recovery;  /* what is known to connect again (reconnect.c) */

typedef struct Connection {
  pthread_mutex_t io;             /* one call at a time on the socket */
  pthread_mutex_t state;          /* guards what follows */
  pthread_cond_t changed;
  int fd, users, closed, broken;
  pid_t pid;
  unsigned long owner;            /* the thread that connected */
  char *place;                    /* the file of the queue manager */
  MQLONG sharing, handle;
  int is_local;  /* names no channel */
  unsigned char *buffer;          /* the reply that was read last */
  size_t capacity;
  Consumer *consumers;
  MQCTLO ctlo;
  int started, suspended, stop, running;
  MQLONG told;                    /* the end that event handlers were told of last */
  size_t ahead_size;              /* bytes that may be read ahead for each handle, 0 for none */
  Ahead *ahead;                   /* guarded by io */
  Recovery *recovery;             /* NULL: the connection is not to be made again */
} Connection;

/* -- libmqm.c -------------------------------------------------------------------------------- */

extern _Thread_local Connection *delivering;  /* whose consumers this thread calls */

void hold(Connection *c);
void release(Connection *c);
int transact(Connection *c, int verb, const Frame *request, Frame *reply);
int ask(Connection *c, int verb, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc);
int connect_to(const char *place);
void break_off(Connection *c);
int is_broken(Connection *c);
void tell_handlers(Connection *c, MQLONG cc, MQLONG rc, MQLONG *delay);

static inline void add_int(Frame *f, MQLONG value) { f->ints[f->n_ints++] = value; }

static inline void add(Frame *f, const void *data, size_t length) {
  f->blobs[f->n_blobs].data = data;
  f->blobs[f->n_blobs++].length = data == NULL ? 0 : length;
}

/* -- client_ini.c ---------------------------------------------------------------------------- */

#define MOST_DELAYS 16

typedef struct {
  MQLONG default_mode;            /* MQRCN_*, or -1 */
  int timeout_s, n_delays, ahead_kilobytes, has_key_repository;
  struct { int ms, random_ms; } delays[MOST_DELAYS];
} ClientSettings;

void read_client_ini(ClientSettings *settings);

/* -- ahead.c --------------------------------------------------------------------------------- */

void begin_ahead(Connection *c, MQHOBJ hobj);
void end_ahead(Connection *c, MQHOBJ hobj);
int quiesce_ahead(Connection *c, MQHOBJ hobj, MQLONG options);
int is_last_ahead(const Connection *c, MQHOBJ hobj);
int ask_for_message(Connection *c, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc);

/* -- ccdt.c ---------------------------------------------------------------------------------- */

typedef struct { char place[4096]; int is_url; } Table;

MQLONG find_table(const MQCNO *cno, Table *table);
MQLONG read_table(const Table *table, const char *name, MQCD **channels, int *count);

/* -- reconnect.c ----------------------------------------------------------------------------- */

extern _Thread_local Connection *recovering;  /* which this thread connects again */

MQLONG reconnection_wanted(const MQCNO *cno, const MQCD *cd, int is_bound, MQLONG *mode);
MQLONG resolved_options(const MQCNO *cno, MQLONG mode);
int prepare_recovery(Connection *c, MQLONG mode, const Frame *request, const Frame *reply);
void watch(Connection *c);
void end_recovery(Recovery *r);
int ask_again(Connection *c, int verb, const Frame *request, Frame *reply, PMQLONG cc, PMQLONG rc);
int unit_was_lost(Connection *c, MQLONG cc, MQLONG rc);
void give_up_recovery(Connection *c);
int is_made_again(Connection *c);
MQLONG reason_of_loss(Connection *c);
void status_of_recovery(Connection *c, MQLONG type, MQSTS *sts);

#endif

