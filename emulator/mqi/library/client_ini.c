/* client_ini.c: not IBM's: an interface-compatible test double made by mqtriage.
 *
 * What the CHANNELS stanza of mqclient.ini says of connecting again: DefRecon, ReconDelay and
 * MQReconnectTimeout; MaximumSize of its MessageBuffer stanza; whether its SSL stanza has a
 * SSLKeyRepository. The file is the one that MQCLNTCF names, else mqclient.ini in the working
 * directory, else that in the home directory. The data directory of an installed IBM MQ, where
 * IBM's client looks before the home directory, is left alone.
 *
 * Source: IBM MQ documentation, "CHANNELS stanza of the client configuration file", "Location of
 * the client configuration file". Of the default delays only the growth from 1 to 25 seconds is
 * known for sure; the random part is taken as a quarter. So it is with the default size of the
 * buffer for what is read ahead, which is the one that IBM's Java client asks for.
 */

#include "libmqm.h"

#include <ctype.h>
#include <strings.h>

#define MOST_DELAY_MS 1000000000 /* two of them are an MQLONG still */

/* MQCLNTCF is a URL; a path without its protocol will do. */
static const char *path_in(const char *url) {
  if (strncmp(url, "file:", 5) != 0) return url;
  return url + (strncmp(url + 5, "//", 2) == 0 ? 7 : 5);
}

static FILE *open_file(void) {
  const char *named = getenv("MQCLNTCF"), *home = getenv("HOME");
  char path[4096];
  if (named != NULL && *named) return fopen(path_in(named), "re");
  FILE *found = fopen("mqclient.ini", "re");
  if (found != NULL || home == NULL) return found;
  int n = snprintf(path, sizeof path, "%s/mqclient.ini", home);
  return n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
}

static char *stripped(char *text) {
  while (isspace((unsigned char)*text)) text++;
  for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) *--end = 0;
  return text;
}

static MQLONG mode_of(const char *word, MQLONG otherwise) {
  static const struct { const char *word; MQLONG mode; } modes[] = {
    { "NO", MQRCN_NO }, { "YES", MQRCN_YES }, { "QMGR", MQRCN_Q_MGR },
    { "DISABLED", MQRCN_DISABLED },
  };
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcasecmp(word, modes[i].word) == 0) return modes[i].mode;
  return otherwise;
}

/* (delay[,random]) (delay[,random])..., in milliseconds; the last one is used again and again. */
static void read_delays(const char *text, ClientSettings *settings) {
  int count = 0;
  while (count < MOST_DELAYS && (text = strchr(text, '(')) != NULL) {
    long ms, random_ms = 0;
    if (sscanf(text++, "(%ld ,%ld", &ms, &random_ms) < 1) continue;
    if (ms < 0 || ms > MOST_DELAY_MS || random_ms < 0 || random_ms > MOST_DELAY_MS) continue;
    settings->delays[count].ms = (int)ms, settings->delays[count].random_ms = (int)random_ms;
    settings->n_delays = ++count;
  }
}

void read_client_ini(ClientSettings *settings) {
  static const ClientSettings defaults = {
    .default_mode = -1, .timeout_s = 1800, .n_delays = 6, .ahead_kilobytes = 100,
    .delays = { { 1000, 250 }, { 2000, 500 }, { 4000, 1000 }, { 8000, 2000 }, { 16000, 4000 },
                { 25000, 6250 } },
  };
  char line[1024];
  enum { ELSEWHERE, CHANNELS, MESSAGE_BUFFER, SSL } inside = ELSEWHERE;
  *settings = defaults;
  FILE *file = open_file();
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *name = stripped(line), *value = strchr(name, '=');
    if (*name == '#' || *name == ';' || *name == 0) continue;
    if (value == NULL) {
      inside = strcasecmp(name, "CHANNELS:") == 0 ? CHANNELS
               : strcasecmp(name, "MessageBuffer:") == 0 ? MESSAGE_BUFFER
               : strcasecmp(name, "SSL:") == 0 ? SSL : ELSEWHERE;
      continue;
    }
    *value++ = 0, name = stripped(name), value = stripped(value);
    if (inside == MESSAGE_BUFFER && strcasecmp(name, "MaximumSize") == 0) {
      int kilobytes = atoi(value);  /* -1: as the client thinks fit */
      if (kilobytes >= 0 && kilobytes <= 999999) settings->ahead_kilobytes = kilobytes;
    }
    if (inside == SSL && strcasecmp(name, "SSLKeyRepository") == 0)
      settings->has_key_repository = *value != 0;
    if (inside != CHANNELS) continue;
    if (strcasecmp(name, "DefRecon") == 0)
      settings->default_mode = mode_of(value, settings->default_mode);
    else if (strcasecmp(name, "MQReconnectTimeout") == 0) {
      int seconds = atoi(value);
      if (seconds > 0) settings->timeout_s = seconds;
    } else if (strcasecmp(name, "ReconDelay") == 0)
      read_delays(value, settings);
  }
  if (file != NULL) fclose(file);
}
