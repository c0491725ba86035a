/*
 * convert_names.c -- names to a resident cell and back, many at a time.
 *
 * Records, not JSON: a large answer has a hundred thousand names.  All numbers are
 * little-endian u32.
 *
 *	message: count, then per name: language, size, bytes
 *	answer:  count, then per name: size (NONE: the name stands for itself), bytes
 */
#include "convert/convert_internal.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/reader.h"
#include "demangle/demangle.h"
#include "sandbox/sandbox.h"

#define NONE UINT32_MAX
#define NAME_HEAD_BYTES 8u
#define MESSAGE_BYTES_MAX ((size_t)64 << 20)
#define ANSWER_BYTES_MAX ((size_t)16 << 20)  /* what a channel carries in one message */

static void add_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));     /* hosts are little-endian: see reader.h */
}

static struct text take_text(struct reader *reader, uint32_t size)
{
	const uint8_t *bytes = reader_take(reader, size);

	return (struct text){ (const char *)bytes, bytes ? size : 0 };
}

/* --- The asking side -------------------------------------------------------------------- */

int convert_names_message(const struct convert_name *names, size_t count, struct buf *out,
			  struct err *err)
{
	if (count > CONVERT_NAMES_MAX)
		return err_set(err, ERR_LIMIT, "%zu names at once are too many", count);
	add_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		/* Too long to be demangled: its place is kept, its bytes stay here. */
		bool travels = names[i].name.size <= LIMIT_MANGLED_BYTES;

		add_u32(out, (uint32_t)names[i].language);
		add_u32(out, travels ? (uint32_t)names[i].name.size : 0);
		if (travels)
			buf_add_text(out, names[i].name);
	}
	return buf_check(out, err);
}

static int take_readable(struct reader *reader, struct convert_name *name, struct arena *arena,
			 struct err *err)
{
	uint32_t size = reader_u32(reader);
	struct text readable;
	char *copy;

	name->readable = TEXT_NONE;
	if (size == NONE || reader->failed)
		return 0;
	if (size > LIMIT_DEMANGLED_BYTES)
		return err_set(err, ERR_MALFORMED, "a cell's name is too long");
	readable = take_text(reader, size);
	if (!readable.bytes)
		return 0;                        /* reader_check() says so */
	if (!text_is_utf8(readable) || memchr(readable.bytes, '\0', readable.size))
		return 0;                        /* not a name a person can read */
	copy = arena_strndup(arena, readable.bytes, readable.size);
	if (!copy)
		return err_set(err, arena->is_refused ? ERR_NO_MEMORY : ERR_LIMIT, "no room for names");
	name->readable = (struct text){ copy, readable.size };
	return 0;
}

int convert_names_reply(struct text reply, struct convert_name *names, size_t count,
			struct arena *arena, struct err *err)
{
	struct reader reader = reader_over("names from a cell", reply.bytes, reply.size);

	if (reader_u32(&reader) != count && !reader.failed)
		return err_set(err, ERR_MALFORMED, "a cell answered another number of names");
	for (size_t i = 0; i < count && !reader.failed; i++)
		if (take_readable(&reader, &names[i], arena, err) < 0)
			return -1;
	if (reader_check(&reader, err) < 0)
		return -1;
	if (!reader_at_end(&reader))
		return err_set(err, ERR_MALFORMED, "a cell answered more than it was asked");
	return 0;
}

/* --- In the cell ------------------------------------------------------------------------ */

static void answer_one(struct text name, uint32_t language, struct buf *readable,
		       struct buf *out)
{
	bool known;

	buf_clear(readable);
	known = name.size > 0 &&
		demangle(name, language < LANGUAGES ? (enum language)language : LANGUAGE_UNKNOWN,
			 readable) &&
		!readable->failed && readable->size <= LIMIT_DEMANGLED_BYTES;
	/* The ceiling leaves room for the heads to come: only bytes can be too many. */
	if (!known || readable->size + sizeof(uint32_t) > out->ceiling_bytes - out->size) {
		add_u32(out, NONE);
		return;
	}
	add_u32(out, (uint32_t)readable->size);
	buf_add_text(out, buf_text(readable));
}

static int answer_all(struct text message, struct buf *readable, struct buf *out, struct err *err)
{
	struct reader reader = reader_over("names", message.bytes, message.size);
	uint32_t count = reader_u32(&reader);

	if (count > reader_left(&reader) / NAME_HEAD_BYTES || count > CONVERT_NAMES_MAX)
		return err_set(err, ERR_INTERNAL, "a message says more names than it holds");
	/* What is left of a message's space once the count and every name's head are in. */
	add_u32(out, count);
	out->ceiling_bytes = ANSWER_BYTES_MAX - (size_t)count * sizeof(uint32_t);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t language = reader_u32(&reader);
		struct text name = take_text(&reader, reader_u32(&reader));

		out->ceiling_bytes += sizeof(uint32_t);
		answer_one(name, language, readable, out);
	}
	if (reader_check(&reader, err) < 0)
		return -1;
	return buf_check(out, err);
}

/* Half of its CPU time spent: better to leave between two messages than to be stopped in the
 * middle of one. */
static bool is_old(void)
{
	struct rlimit limit;
	struct timespec used;

	if (getrlimit(RLIMIT_CPU, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
	    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0)
		return false;
	return (rlim_t)used.tv_sec >= limit.rlim_cur / 2;
}

int convert_run_demangle(struct cell *cell, struct err *err)
{
	struct buf message, readable, answer;
	int rc;

	buf_init(&message, MESSAGE_BYTES_MAX);
	buf_init(&readable, LIMIT_DEMANGLED_BYTES + 1);
	buf_init(&answer, ANSWER_BYTES_MAX);
	while ((rc = cell_next_message(cell, &message, err)) > 0) {
		buf_clear(&answer);
		answer.ceiling_bytes = ANSWER_BYTES_MAX;
		rc = answer_all(buf_text(&message), &readable, &answer, err);
		if (rc == 0)
			rc = cell_send_message(cell, buf_text(&answer), err);
		if (rc < 0 || is_old())
			break;
	}
	buf_release(&answer);
	buf_release(&readable);
	buf_release(&message);
	return rc < 0 ? -1 : 0;
}
