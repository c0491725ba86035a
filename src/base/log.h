/*
 * log -- one line per event: time, level, event, key=value (or JSON), one O_APPEND write.
 *
 * Control bytes and quotes in values are escaped; a line is never split between
 * writes.  Safe from any thread.  Destination and level are set once at start;
 * log_reopen() after SIGHUP.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE, LOG_LEVELS };
enum log_format { LOG_KEYVALUE, LOG_JSON };

/* path NULL: standard error.  0 or -1 with errno. */
int  log_open(const char *path, enum log_level level, enum log_format format);
void log_reopen(void);
bool log_wants(enum log_level level);
/* The descriptor lines go to, for a child that closes everything else. */
int  log_descriptor(void);

/*
 * log_event(LOG_INFO, "job_done", "id", "%s", id, "millis", "%lld", (long long)n, NULL):
 * pairs of key and (format, argument) cannot be checked by the compiler, so instead the
 * fields are ready text:
 */
struct log_field { const char *key; const char *value; };   /* value NULL: left out */
void log_event(enum log_level level, const char *event, const struct log_field *fields,
	       unsigned count);

/* The everyday form: one `message` field, printf-checked; request is its id or NULL. */
void log_message(enum log_level level, const char *event, const char *request,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * From now on every line of this thread says which request of a client it is about: the id it came
 * with (X-Request-Id).  NULL or "": about none.  Longer ones are cut.
 */
#define LOG_REQUEST_ID_BYTES 65u
void log_set_request_id(const char *id);

bool log_level_named(const char *name, enum log_level *level);
const char *log_level_name(enum log_level level);

#endif
