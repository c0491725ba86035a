/*
 * passes.c -- tokens and keys that open sources: asked for once, good for all that need the
 * same, kept in memory until they end.
 *
 * 1. A pass is asked for (fetch set, or about to be) only while somebody waits for it; the
 *    source whose steps it follows is that of its first waiter.
 * 2. Failures are told to those who waited and not kept.
 */
#include "workshop/internal.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"

#define PASSES_MAX       100u
#define PASS_ARENA_BYTES ((size_t)8 << 20)

struct pass {
	struct pass *next;
	struct shop *shop;
	uint8_t name[HASH_SHA256_BYTES];
	struct arena arena;
	struct source_pass way;
	bool is_had;
	struct task *waiting;                /* by next_waiting */
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
		fetch_cancel(pass->shop->fetcher, pass->fetch);
	close_answer(pass);
	arena_release(&pass->arena);
	mem_give_back(pass);
}

static void take_out(struct pass *pass)
{
	struct pass **at = &pass->shop->passes;

	while (*at != pass)
		at = &(*at)->next;
	*at = pass->next;
}

/* The pass leaves the table when it failed; its waiters go on either way. */
static void end(struct pass *pass, const struct err *failure)
{
	struct task *waiting = pass->waiting;
	struct err why = ERR_INIT;

	pass->waiting = NULL;
	pass->is_had = !failure;
	if (failure) {
		why = *failure;
		take_out(pass);
	}
	while (waiting) {
		struct task *task = waiting;

		waiting = task->next_waiting;
		task->next_waiting = NULL;
		task->pass = NULL;
		obtain_go_on(task, pass->way.secret, failure ? &why : NULL);
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
	return fetch_start(pass->shop->fetcher, order, answered, pass, &pass->fetch, err);
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
	const struct source *source = pass->waiting->obtaining->source;
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
static struct pass *find(struct shop *shop, const uint8_t *name)
{
	int64_t now = clock_unix_seconds();
	struct pass **at = &shop->passes, *found = NULL;

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
static void make_room(struct shop *shop)
{
	struct pass *oldest = NULL;
	unsigned count = 0;

	for (struct pass *pass = shop->passes; pass; pass = pass->next) {
		count++;
		if (pass->is_had)
			oldest = pass;
	}
	if (count < PASSES_MAX || !oldest)
		return;
	take_out(oldest);
	free_pass(oldest);
}

static struct pass *make(struct shop *shop, const uint8_t *name)
{
	struct pass *pass = mem_get(sizeof(*pass));

	if (!pass)
		return NULL;
	make_room(shop);
	memcpy(pass->name, name, sizeof(pass->name));
	pass->shop = shop;
	pass->fd = -1;
	arena_init(&pass->arena, PASS_ARENA_BYTES);
	pass->next = shop->passes;
	shop->passes = pass;
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

int passes_ask(struct task *task, struct text *secret, struct err *err)
{
	const struct source *source = task->obtaining->source;
	uint8_t name[HASH_SHA256_BYTES];
	struct pass *pass;

	source_pass_name(source, name);
	pass = find(task->shop, name);
	if (!pass) {
		pass = make(task->shop, name);
		if (!pass)
			return err_set(err, ERR_NO_MEMORY, "no room for a pass");
		if (begin(pass, source, err) < 0)
			return -1;
	}
	if (pass->is_had) {
		*secret = pass->way.secret;
		return 1;
	}
	task->pass = pass;
	task->next_waiting = pass->waiting;
	pass->waiting = task;
	return 0;
}

void passes_leave(struct task *task)
{
	struct pass *pass = task->pass;
	struct task **at;

	if (!pass)
		return;
	for (at = &pass->waiting; *at != task; at = &(*at)->next_waiting)
		;
	*at = task->next_waiting;
	task->next_waiting = NULL;
	task->pass = NULL;
	if (pass->waiting)
		return;
	take_out(pass);
	free_pass(pass);
}

void passes_release(struct shop *shop)
{
	while (shop->passes) {
		struct pass *pass = shop->passes;

		shop->passes = pass->next;
		free_pass(pass);
	}
}
