/*
 * passes.c -- see passes.h.
 *
 * 1. A pass is asked for (fetch set, or about to be) only while somebody waits for it; the
 *    source whose steps it follows is that of its first waiter.
 * 2. Failures are told to those who waited and not kept.
 */
#include "passes/passes.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "source/source.h"

#define PASSES_MAX       100u
#define PASS_ARENA_BYTES ((size_t)8 << 20)
#define DOUBT_SECONDS    60          /* a younger one is not the reason */

struct pass {
	struct pass *next;
	struct passes *passes;
	uint8_t name[HASH_SHA256_BYTES];
	struct arena arena;
	struct source_pass way;
	bool is_had;
	int64_t asked_at;                    /* unix seconds */
	struct pass_wait *waiting;
	struct fetch *fetch;
	int fd;                              /* of an answer; -1 */
};

static void close_answer(struct pass *pass)
{
	if (pass->fd >= 0)
		close(pass->fd);
	pass->fd = -1;
}

static void free_pass(struct pass *pass)
{
	if (pass->fetch)
		fetch_cancel(pass->passes->fetcher, pass->fetch);
	close_answer(pass);
	arena_release(&pass->arena);
	mem_give_back(pass);
}

static void take_out(struct pass *pass)
{
	struct pass **at = &pass->passes->first;

	while (*at != pass)
		at = &(*at)->next;
	*at = pass->next;
}

/* The pass leaves the table when it failed; its waiters go on either way. */
static void end(struct pass *pass, const struct err *failure)
{
	struct pass_wait *waiting = pass->waiting;
	struct err why = ERR_INIT;

	pass->waiting = NULL;
	pass->is_had = !failure;
	if (failure) {
		why = *failure;
		take_out(pass);
	}
	while (waiting) {
		struct pass_wait *wait = waiting;

		waiting = wait->next;
		wait->next = NULL;
		wait->pass = NULL;
		wait->told(wait, pass->way.secret, failure ? &why : NULL);
	}
	if (failure)
		free_pass(pass);
}

static int read_answer(struct pass *pass, struct text *answer, struct err *err)
{
	off_t size = pass->fd < 0 ? 0 : lseek(pass->fd, 0, SEEK_END);
	char *bytes;

	*answer = TEXT_NONE;
	if (pass->fd < 0)
		return 0;
	bytes = size < 0 ? NULL : arena_alloc(&pass->arena, (size_t)size + 1, 1);
	if (!bytes || pread(pass->fd, bytes, (size_t)size, 0) != size)
		return err_set(err, bytes ? ERR_IO : ERR_NO_MEMORY, "reading an answer");
	*answer = (struct text){ bytes, (size_t)size };
	close_answer(pass);
	return 0;
}

static void answered(void *payload, const struct err *status, uint64_t bytes);

static int carry_out(struct pass *pass, struct err *err)
{
	struct fetch_order *order = &pass->way.order;

	pass->fd = memfd_create("pass", MFD_CLOEXEC);
	if (pass->fd < 0)
		return err_set(err, ERR_IO, "no descriptor for an answer");
	order->fd = pass->fd;
	order->max_bytes = SOURCE_PASS_BYTES;
	if (pass->passes->most_millis > 0)
		order->total_millis = pass->passes->most_millis;
	return fetch_start(pass->passes->fetcher, order, answered, pass, &pass->fetch, err);
}

/* 1: there it is, 0: an answer is waited for, -1. */
static int step(struct pass *pass, const struct source *source, struct err *err)
{
	struct text answer;
	int more;

	if (read_answer(pass, &answer, err) < 0)
		return -1;
	more = source_pass_step(source, &pass->way, answer, &pass->arena, err);
	if (more <= 0)
		return more < 0 ? -1 : 1;
	return carry_out(pass, err);
}

static void answered(void *payload, const struct err *status, uint64_t bytes)
{
	struct pass *pass = payload;
	const struct source *source = pass->waiting->source;
	struct err err = *status;
	int got;

	(void)bytes;
	pass->fetch = NULL;
	if (status->kind != ERR_NONE) {
		source_pass_fail(source, &err);
		end(pass, &err);
		return;
	}
	got = step(pass, source, &err);
	if (got != 0)
		end(pass, got < 0 ? &err : NULL);
}

/* --- The table ---------------------------------------------------------------------------- */

/* Without those that are over; NULL: there is none of that name. */
static struct pass *find(struct passes *passes, const uint8_t *name)
{
	int64_t now = clock_unix_seconds();
	struct pass **at = &passes->first, *found = NULL;

	while (*at) {
		struct pass *pass = *at;

		if (pass->is_had && pass->way.until <= now) {
			*at = pass->next;
			free_pass(pass);
			continue;
		}
		if (memcmp(pass->name, name, sizeof(pass->name)) == 0)
			found = pass;
		at = &pass->next;
	}
	return found;
}

/* The oldest that nobody waits for makes room. */
static void make_room(struct passes *passes)
{
	struct pass *oldest = NULL;
	unsigned count = 0;

	for (struct pass *pass = passes->first; pass; pass = pass->next) {
		count++;
		if (pass->is_had)
			oldest = pass;
	}
	if (count < PASSES_MAX || !oldest)
		return;
	take_out(oldest);
	free_pass(oldest);
}

static struct pass *make(struct passes *passes, const uint8_t *name)
{
	struct pass *pass = mem_get(sizeof(*pass));

	if (!pass)
		return NULL;
	make_room(passes);
	memcpy(pass->name, name, sizeof(pass->name));
	pass->passes = passes;
	pass->asked_at = clock_unix_seconds();
	pass->fd = -1;
	arena_init(&pass->arena, PASS_ARENA_BYTES);
	pass->next = passes->first;
	passes->first = pass;
	return pass;
}

static int begin(struct pass *pass, const struct source *source, struct err *err)
{
	int got = step(pass, source, err);

	if (got < 0) {
		take_out(pass);
		free_pass(pass);
	} else if (got > 0) {
		pass->is_had = true;
	}
	return got;
}

int passes_ask(struct passes *passes, struct pass_wait *wait, struct text *secret,
	       struct err *err)
{
	uint8_t name[HASH_SHA256_BYTES];
	struct pass *pass;

	source_pass_name(wait->source, name);
	pass = find(passes, name);
	if (!pass) {
		pass = make(passes, name);
		if (!pass)
			return err_set(err, ERR_NO_MEMORY, "no room for a pass");
		if (begin(pass, wait->source, err) < 0)
			return -1;
	}
	if (pass->is_had) {
		*secret = pass->way.secret;
		return 1;
	}
	wait->pass = pass;
	wait->next = pass->waiting;
	pass->waiting = wait;
	return 0;
}

void passes_leave(struct pass_wait *wait)
{
	struct pass *pass = wait->pass;
	struct pass_wait **at;

	if (!pass)
		return;
	for (at = &pass->waiting; *at != wait; at = &(*at)->next)
		;
	*at = wait->next;
	wait->next = NULL;
	wait->pass = NULL;
	if (pass->waiting)
		return;
	take_out(pass);
	free_pass(pass);
}

void passes_doubt(struct passes *passes, const struct source *source)
{
	uint8_t name[HASH_SHA256_BYTES];
	struct pass *pass;

	source_pass_name(source, name);
	pass = find(passes, name);
	if (pass && pass->is_had && clock_unix_seconds() - pass->asked_at >= DOUBT_SECONDS) {
		take_out(pass);
		free_pass(pass);
	}
}

void passes_release(struct passes *passes)
{
	while (passes->first) {
		struct pass *pass = passes->first;

		passes->first = pass->next;
		free_pass(pass);
	}
}
