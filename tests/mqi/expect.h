/* What the C programs of these tests share. Each of them ends at the first line where something is
 * not as expected, and names it. */
#include <cmqc.h>
#include <cmqxc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPECT(what)                                                                     \
  do {                                                                                   \
    if (!(what)) {                                                                       \
      printf("line %d: %s: CompCode %d, Reason %d\n", __LINE__, #what, (int)cc, (int)rc); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)
#define OK EXPECT(cc == MQCC_OK && rc == MQRC_NONE)
#define WARNS(reason) EXPECT(cc == MQCC_WARNING && rc == (reason))
#define FAILS(reason) EXPECT(cc == MQCC_FAILED && rc == (reason))

#define UNUSED __attribute__((unused))

static MQLONG cc, rc;
static MQHCONN hconn;

UNUSED static void connect_here(void) {
  MQCNO cno = {MQCNO_DEFAULT};
  cno.Options = MQCNO_HANDLE_SHARE_BLOCK;
  MQCONNX("QM1", &cno, &hconn, &cc, &rc);
  OK;
}

UNUSED static void leave(void) {
  MQDISC(&hconn, &cc, &rc);
  OK;
}

/* Open a queue; what came of it is in cc and rc. */
UNUSED static MQHOBJ opened(const char *name, MQLONG options) {
  MQOD od = {MQOD_DEFAULT};
  MQHOBJ hobj;
  memcpy(od.ObjectName, name, strlen(name));
  MQOPEN(hconn, &od, options, &hobj, &cc, &rc);
  return hobj;
}

UNUSED static void put(MQHOBJ hobj, const char *text) {
  MQMD md = {MQMD_DEFAULT};
  MQPMO pmo = {MQPMO_DEFAULT};
  pmo.Options = MQPMO_NO_SYNCPOINT;
  MQPUT(hconn, hobj, &md, &pmo, (MQLONG)strlen(text), (PMQVOID)text, &cc, &rc);
}

UNUSED static void clear(MQHOBJ hobj) {
  char buffer[10];
  MQLONG length;
  do {
    MQMD md = {MQMD_DEFAULT};
    MQGMO gmo = {MQGMO_DEFAULT};
    gmo.Options = MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_NO_SYNCPOINT;
    MQGET(hconn, hobj, &md, &gmo, sizeof buffer, buffer, &length, &cc, &rc);
  } while (cc != MQCC_FAILED);
  FAILS(MQRC_NO_MSG_AVAILABLE);
}

UNUSED static void text_in(MQCHARV *string, char *text) {
  string->VSPtr = text;
  string->VSLength = MQVS_NULL_TERMINATED;
}
