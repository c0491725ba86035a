/* sourceless.c -- see sourceless.h. */
#include "cli/sourceless.h"

#include <unistd.h>

#include "base/limits.h"
#include "cli/cli_cells.h"
#include "sandbox/sandbox.h"

static struct sourceless *of(struct resolver *resolver)
{
	return (struct sourceless *)(void *)((char *)resolver - offsetof(struct sourceless, resolver));
}

/* The report of the body is all there is. */
static enum resolved find_entry(struct resolver *resolver, const struct derive *derive,
				struct cache_found *found, struct err *err)
{
	struct sourceless *alone = of(resolver);

	if (derive->kind->from != DERIVED_FROM_BODY)
		return err_set(err, ERR_INTERNAL, "there is no source of this"), RESOLVED_ERROR;
	if (alone->failure.kind == ERR_NONE) {
		*found = (struct cache_found){ .state = CACHE_READY, .payload = buf_text(&alone->report) };
		return RESOLVED_READY;
	}
	if (derive->kind->judge)
		derive->kind->judge(&alone->failure);
	*found = (struct cache_found){ .state = CACHE_FAILED, .failure = alone->failure.kind,
				       .details = text_of(alone->failure.text) };
	return RESOLVED_READY;
}

/* Names are what debug information says. */
static enum resolved find_names(struct resolver *resolver, struct convert_name *names, size_t count,
				struct arena *arena, struct err *err)
{
	(void)resolver, (void)names, (void)arena;
	if (count == 0)
		return RESOLVED_READY;
	return err_set(err, ERR_INTERNAL, "there is no source of names"), RESOLVED_ERROR;
}

static void ignore_damage(struct resolver *resolver, const struct derive *derive,
			  const struct cache_found *found, const char *why)
{
	(void)resolver, (void)derive, (void)found, (void)why;
}

static struct text keep(struct sourceless *alone, struct text text)
{
	char *copy = arena_strndup(&alone->work.arena, text.bytes ? text.bytes : "", text.size);

	return copy ? (struct text){ copy, text.size } : TEXT_NONE;
}

/* The kind takes note that it was asked for and is nowhere. */
static int find_want(void *payload, const char *role, struct text id, struct text name)
{
	struct sourceless *alone = payload;
	struct err err = ERR_INIT;
	struct work_want want = { .role = keep(alone, text_of(role)), .id = keep(alone, id),
				  .name = keep(alone, name) };

	if (alone->work.kind->want)
		(void)alone->work.kind->want(&alone->work, &want, &alone->resolver, &err);
	return -1;
}

int sourceless_walk(struct sourceless *alone, const struct request_kind *kind,
		    const struct config *config, struct nursery *nursery, const struct work_body *body,
		    const char *operation, struct err *err)
{
	const struct cell_file input = { "file", body->fd };
	struct cell_file output = { "report", -1 };          /* room for what comes packed */
	const struct cell_order order = {
		.operation = operation, .inputs = &input, .input_count = 1,
		.outputs = &output, .output_count = 1, .want_max = LIMIT_CELL_ENTRIES,
	};

	*alone = (struct sourceless){
		.resolver = { .entry = find_entry, .names = find_names, .invalidate = ignore_damage },
		.nursery = nursery, .fd = body->fd, .failure = ERR_INIT, .output_fd = -1,
	};
	buf_init(&alone->report, LIMIT_CRASH_REPORT_BYTES);
	if (work_init(&alone->work, kind, config, &alone->none, TEXT_NONE, err) < 0)
		return -1;
	if (work_parse(&alone->work, body, err) < 0 || cells_temporary(&output.fd, err) < 0)
		return -1;
	if (cells_run(nursery, &order, find_want, alone, &alone->report, &alone->failure) < 0 &&
	    alone->failure.kind == ERR_NONE)
		err_set(&alone->failure, ERR_INTERNAL, "a cell ended without a word");
	alone->output_fd = output.fd;
	return 0;
}

int sourceless_answer(struct sourceless *alone, struct buf *reply, struct err *err)
{
	switch (work_step(&alone->work, &alone->resolver, err)) {
	case STEP_DONE:
		return work_answer(&alone->work, reply, err);
	case STEP_WAIT:
		return err_set(err, ERR_INTERNAL, "it waits for what nobody makes");
	default:
		return -1;
	}
}

void sourceless_release(struct sourceless *alone)
{
	work_release(&alone->work);
	buf_release(&alone->report);
	if (alone->output_fd >= 0)
		close(alone->output_fd);
}
