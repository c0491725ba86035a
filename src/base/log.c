/*
 * log.c -- see log.h.
 *
 * A line is made on the stack and written at once: logging needs no lock and no memory,
 * so it still works when there is none.  What does not fit is cut, and the line says so.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define LOG_LINE_BYTES    8192u
#define LOG_MESSAGE_BYTES 4096u
#define LOG_END_BYTES     32u     /* kept free for the mark of a cut and the end */
#define LOG_FILE_MODE     0640

static const char *const level_names[LOG_LEVELS] = {
	[LOG_OFF] = "off", [LOG_ERROR] = "error", [LOG_WARN] = "warn",
	[LOG_INFO] = "info", [LOG_DEBUG] = "debug", [LOG_TRACE] = "trace",
};

static atomic_int log_level = LOG_INFO;
static atomic_int log_fd = STDERR_FILENO;
static enum log_format log_format = LOG_KEYVALUE;
static char log_path[PATH_MAX];
static _Thread_local char log_request_id[LOG_REQUEST_ID_BYTES];

struct line {
	char bytes[LOG_LINE_BYTES];
	size_t used;
	bool is_cut;
};

/* All of it or nothing, so that an escape is never halved. */
static void add(struct line *line, const char *bytes, size_t size)
{
	if (line->is_cut || size > sizeof(line->bytes) - LOG_END_BYTES - line->used) {
		line->is_cut = true;
		return;
	}
	memcpy(line->bytes + line->used, bytes, size);
	line->used += size;
}

static void add_string(struct line *line, const char *string)
{
	add(line, string, strlen(string));
}

/* Written even into a line that is cut: a quote or a brace that was opened. */
static void add_end(struct line *line, const char *string)
{
	size_t size = strlen(string);

	if (size <= sizeof(line->bytes) - line->used) {
		memcpy(line->bytes + line->used, string, size);
		line->used += size;
	}
}

/* \xNN in our own form; \u00NN in JSON, where a byte that is not UTF-8 is U+FFFD. */
static void add_escaped_byte(struct line *line, unsigned char c)
{
	char escape[8];

	if (log_format == LOG_JSON && c >= 0x80)
		snprintf(escape, sizeof(escape), "\\ufffd");
	else
		snprintf(escape, sizeof(escape), log_format == LOG_JSON ? "\\u00%02x" : "\\x%02x",
			 (unsigned)c);
	add_string(line, escape);
}

static void add_escaped_character(struct line *line, const char *at, size_t size, bool valid)
{
	char escape[8];

	if (log_format == LOG_JSON && size == 2 && utf8_is_control(at, size)) {
		snprintf(escape, sizeof(escape), "\\u00%02x", (unsigned)(unsigned char)at[1]);
		add_string(line, escape);
	} else if (log_format == LOG_JSON && !valid) {
		add_escaped_byte(line, 0xff);
	} else {
		for (size_t i = 0; i < size; i++)
			add_escaped_byte(line, (unsigned char)at[i]);
	}
}

static void add_quoted(struct line *line, const char *value)
{
	size_t left = strlen(value);
	bool valid;
	size_t size;

	add(line, "\"", 1);
	if (line->is_cut)
		return;
	for (const char *at = value; left; at += size, left -= size) {
		size = utf8_step(at, left, &valid);
		if (*at == '"' || *at == '\\') {
			char escape[2] = { '\\', *at };

			add(line, escape, 2);
		} else if (*at == '\n') {
			add(line, "\\n", 2);
		} else if (!valid || utf8_is_control(at, size)) {
			add_escaped_character(line, at, size, valid);
		} else {
			add(line, at, size);
		}
	}
	add_end(line, "\"");
}

static bool needs_quotes(const char *value)
{
	if (!*value)
		return true;
	for (; *value; value++)
		if ((unsigned char)*value <= ' ' || (unsigned char)*value >= 0x7f ||
		    strchr("\"\\=", *value))
			return true;
	return false;
}

/* Keys and events are our own words; what is not stays out of the line's syntax. */
static void add_word(struct line *line, const char *word)
{
	for (; *word; word++) {
		char c = *word;
		bool is_fine = ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
			       c == '_' || c == '-' || c == '.';

		add(line, is_fine ? &c : "_", 1);
	}
}

static void add_field(struct line *line, const char *key, const char *value)
{
	if (log_format == LOG_JSON) {
		add(line, line->used > 1 ? ",\"" : "\"", line->used > 1 ? 2 : 1);
		add_word(line, key);
		add(line, "\":", 2);
		add_quoted(line, value);
		return;
	}
	add(line, " ", 1);
	add_word(line, key);
	add(line, "=", 1);
	if (needs_quotes(value))
		add_quoted(line, value);
	else
		add_string(line, value);
}

/* A field of which not even the first byte of the value fits is taken back. */
static void add_whole_field(struct line *line, const char *key, const char *value)
{
	size_t before = line->used;

	if (line->is_cut)
		return;
	if (sizeof(line->bytes) - LOG_END_BYTES - before < strlen(key) + 8) {
		line->is_cut = true;
		return;
	}
	add_field(line, key, value);
}

static void begin(struct line *line, enum log_level level, const char *event)
{
	char now[CLOCK_TEXT_BYTES];

	line->used = 0;
	line->is_cut = false;
	clock_format_utc(clock_unix_seconds(), now);
	if (log_format == LOG_JSON) {
		add(line, "{", 1);
		add_field(line, "time", now);
		add_field(line, "level", log_level_name(level));
		add_field(line, "event", event);
		return;
	}
	add_string(line, now);
	add(line, " ", 1);
	add_string(line, log_level_name(level));
	add(line, " ", 1);
	add_word(line, event);
}

static void finish(struct line *line)
{
	if (line->is_cut)
		add_end(line, log_format == LOG_JSON ? ",\"cut\":true" : " cut=true");
	add_end(line, log_format == LOG_JSON ? "}\n" : "\n");
	while (write(atomic_load(&log_fd), line->bytes, line->used) < 0 && errno == EINTR)
		;
}

void log_event(enum log_level level, const char *event, const struct log_field *fields,
	       unsigned count)
{
	int saved = errno;
	struct line line;

	if (!log_wants(level))
		return;
	begin(&line, level, event);
	for (unsigned i = 0; i < count; i++)
		if (fields[i].value)
			add_whole_field(&line, fields[i].key, fields[i].value);
	if (log_request_id[0])
		add_whole_field(&line, "x_request_id", log_request_id);
	finish(&line);
	errno = saved;
}

void log_message(enum log_level level, const char *event, const char *request,
		 const char *fmt, ...)
{
	char message[LOG_MESSAGE_BYTES];
	struct log_field fields[2];
	int saved = errno;
	va_list ap;

	if (!log_wants(level))
		return;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	fields[0] = (struct log_field){ "request", request };
	fields[1] = (struct log_field){ "message", message };
	log_event(level, event, fields, 2);
	errno = saved;
}

void log_set_request_id(const char *id)
{
	size_t size = id ? strnlen(id, sizeof(log_request_id) - 1) : 0;

	if (size)
		memcpy(log_request_id, id, size);
	log_request_id[size] = '\0';
}

static int open_file(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, LOG_FILE_MODE);
}

int log_open(const char *path, enum log_level level, enum log_format format)
{
	int fd = STDERR_FILENO;
	int old;

	if (path) {
		if (strlen(path) >= sizeof(log_path)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open_file(path);
		if (fd < 0)
			return -1;
	}
	memset(log_path, 0, sizeof(log_path));
	if (path)
		memcpy(log_path, path, strlen(path));
	log_format = format;
	atomic_store(&log_level, (int)level);
	old = atomic_exchange(&log_fd, fd);
	if (old != STDERR_FILENO)
		close(old);
	return 0;
}

/* The number of the descriptor stays, so that no writer meets a closed one. */
void log_reopen(void)
{
	int saved = errno;
	int fd;

	if (!log_path[0])
		return;
	fd = open_file(log_path);
	if (fd >= 0) {
		dup3(fd, atomic_load(&log_fd), O_CLOEXEC);
		close(fd);
	}
	errno = saved;
}

bool log_wants(enum log_level level)
{
	return level != LOG_OFF &&
	       (int)level <= atomic_load_explicit(&log_level, memory_order_relaxed);
}

int log_descriptor(void)
{
	return atomic_load(&log_fd);
}

bool log_level_named(const char *name, enum log_level *level)
{
	for (unsigned i = 0; i < LOG_LEVELS; i++) {
		if (text_equal_ignoring_case(text_of(name), text_of(level_names[i]))) {
			*level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

const char *log_level_name(enum log_level level)
{
	return (unsigned)level < LOG_LEVELS ? level_names[level] : "off";
}
