/* recovery.h: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * What is known of a connection that is to be made again: what remembered.c keeps of the calls that
 * were made, and reconnect.c makes again.
 */

#ifndef RECOVERY_H
#define RECOVERY_H

#include "libmqm.h"

#define QMID_LENGTH 48

/* A request that opened something, and the numbers of what it opened, 0 for none. A handle that
 * the program has closed stays here as long as another handle came of the same request, or a
 * subscription is to be made with it. */
typedef struct Opened {
  struct Opened *next;
  int verb;
  Frame request;
  void *memory;
  MQHOBJ handles[2];
  int open[2];
} Opened;

/* A message handle, and its content as the server last told it. */
typedef struct MessageHandle {
  struct MessageHandle *next;
  MQHMSG number;
  void *content;
  size_t length;
} MessageHandle;

typedef struct { MQLONG cc, rc, object_type, options; MQCHAR48 name; } Failure;

struct Recovery {
  MQLONG mode;                    /* MQRCN_YES or MQRCN_Q_MGR */
  ClientSettings settings;
  Opened connected;               /* the request that connected */
  MQCHAR48 name;
  char qmid[QMID_LENGTH];
  int syncpoint_is_default;       /* as on z/OS */
  Opened *opened;
  MessageHandle *message_handles;
  MQLONG last;                    /* the highest number of a handle */
  int in_unit, unit_lost;
  MQLONG untold;                  /* why there is no connection any more, if no call has said so */
  int leaving;                    /* guarded by the connection's state */
  int watching;                   /* the thread that looks after the connection makes it again */
  Failure cause, failure;         /* for MQSTAT, guarded likewise */
  long long connected_ms;
};

int keep_request(Opened *made, int verb, const Frame *request);
void remember(Recovery *r, int verb, const Frame *request, const Frame *reply);
void forget_handle(Recovery *r, MQHOBJ handle);
void learn_message_handle(Recovery *r, int verb, const Frame *request, Frame *reply);

#endif
