/* test_wants -- a cell that reads what was sent wants another entry, and waits for it: with one
 * cell in all, told that there is none, and told that it comes too late. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "config/config.h"
#include "convert/convert.h"
#include "lookup/lookup.h"
#include "workshop/workshop.h"

#define BUILD_ID "abcdef01"
#define OPERATIONS_MOST 32u

/* --- In the cell: each line of the file is a want, each line of the reply what became of it --- */

static int run_asking(struct cell *cell, struct err *err)
{
	char line[256];
	FILE *file = fdopen(cell_input(cell, "file"), "r");

	while (fgets(line, sizeof(line), file)) {
		struct stat st;
		int fd = -1, got;

		line[strcspn(line, "\n")] = '\0';
		got = cell_want(cell, "object", text_of(line), TEXT_NONE, &fd, err);
		if (got < 0)
			return -1;
		if (got == CELL_ANSWER_FILE && fstat(fd, &st) == 0)
			buf_printf(cell->reply, "%s: %lld bytes\n", line, (long long)st.st_size);
		else
			buf_printf(cell->reply, "%s: %s\n", line, got == CELL_ANSWER_LATE ? "late" : "absent");
	}
	return buf_check(cell->reply, err);
}

static int keep_reply(struct text reply, struct arena *arena, struct text *payload, struct err *err)
{
	char *copy = arena_strndup(arena, reply.bytes, reply.size);

	*payload = (struct text){ copy, reply.size };
	return copy ? 0 : err_set(err, ERR_NO_MEMORY, "no memory");
}

static const struct derived_kind derived_answers = {
	.name = "answers", .cache = CACHE_KINDS, .operation = "asking", .input = "file", .output = "out",
	.from = DERIVED_FROM_BODY, .payload = keep_reply, .waits = true,
};

/* --- The kind of request ---------------------------------------------------------------------- */

struct asking {
	struct held held; struct object_ids ids; struct source_query query;
	 struct lookup lookup; struct buf answers;
};

static const enum file_type types[] = { FILE_TYPE_ELF_DEBUG };

static int parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct asking *asking = arena_alloc(&work->arena, 1, sizeof(*asking));

	(void)body;
	if (!asking)
		return err_no_memory(err);
	buf_init(&asking->answers, 65536);
	asking->held.derive.kind = &derived_answers;
	asking->ids = (struct object_ids){ .type = OBJECT_TYPE_ELF, .code_id = TEXT(BUILD_ID) };
	asking->query = (struct source_query){ .ids = &asking->ids, .types = types, .type_count = 1 };
	work->state = asking;
	return cache_key_make(&asking->held.derive.key, &work->arena, CACHE_KINDS, TEXT_NONE,
			      TEXT("the body"), err);
}

static int open_answers(void *payload, struct text bytes, struct err *damage)
{
	struct asking *asking = payload;

	buf_add_text(&asking->answers, bytes);
	return buf_check(&asking->answers, damage);
}

static enum stepped step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct asking *asking = work->state;
	const struct held_opening opening = { .open = open_answers, .payload = asking,
					      .arena = &work->arena };
	enum resolved resolved = held_resolve(&asking->held, &opening, resolver, err);

	return resolved == RESOLVED_WAIT ? STEP_WAIT : resolved == RESOLVED_READY ? STEP_DONE : STEP_ERROR;
}

static int answer(struct work *work, struct buf *reply, struct err *err)
{
	struct asking *asking = work->state;

	buf_add_text(reply, asking->held.failure ? asking->held.details : buf_text(&asking->answers));
	return buf_check(reply, err);
}

static enum resolved want(struct work *work, struct work_want *want, struct resolver *resolver,
			  struct err *err)
{
	struct asking *asking = work->state;
	const struct lookup_request request = {
		.sources = work->default_sources, .query = &asking->query,
	};
	enum resolved resolved;

	if (text_is(want->id, "never"))
		return RESOLVED_WAIT;
	if (!text_is(want->id, BUILD_ID))
		return RESOLVED_READY;
	if (!asking->lookup.is_planned && lookup_plan(&asking->lookup, work, &request, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_resolve(&asking->lookup, work, resolver, err);
	for (size_t i = 0; resolved == RESOLVED_READY && i < asking->lookup.locations.count; i++)
		if (!asking->lookup.candidates[i]->held.failure)
			want->entry = &asking->lookup.candidates[i]->held.derive;
	return resolved;
}

static void release(struct work *work)
{
	struct asking *asking = work->state;

	if (!asking)
		return;
	held_release(&asking->held);
	lookup_release(&asking->lookup);
	buf_release(&asking->answers);
}

static const struct request_kind kind = {
	.name = "asking", .takes_file = true, .parse = parse, .step = step, .answer = answer,
	.want = want, .release = release,
};

/* --- One request ------------------------------------------------------------------------------ */

static char *folder;

static void set_up(const char *body)
{
	folder = support_printf("/tmp/symgate-wants-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(system(support_printf(
		"cd '%s' && mkdir -p files/ab && cp /bin/true files/ab/cdef01.debug && printf '%s' > body &&"
		" printf 'state_dir: %s/state\\nlimits: {job_time: %lldms}\\nworkshop: {cells: 1, waiting_cells: 1}\\n"
		"filesystem_source_roots: [\"%s\"]\\nsources:\\n- {id: s, type: filesystem, path: %s/files,"
		" layout: {type: native}}\\n' > config.yml", folder, body, folder, (long long)support_stretched(4000),
		folder, folder)), 0);
}

static void start_cells(struct nursery **nursery, const struct config *config)
{
	static struct cell_operation operations[OPERATIONS_MOST];
	struct err err = ERR_INIT;

	ck_assert_uint_lt(convert_operation_count, OPERATIONS_MOST);
	memcpy(operations, convert_operations, convert_operation_count * sizeof(operations[0]));
	operations[convert_operation_count] = (struct cell_operation){ "asking", run_asking, NULL };
	ck_assert_msg(nursery_start(nursery, config, operations, convert_operation_count + 1, &err) == 0,
		      "%s", err.text);
}

static const struct { const char *what, *body, *answer; } cases[] = {
	{ "there", BUILD_ID "\\n", BUILD_ID ": SIZE bytes\n" },
	{ "absent", "other\\n", "other: absent\n" },
	{ "late", "never\\n", "never: late\n" },
	{ "all of them", "other\\n" BUILD_ID "\\n" BUILD_ID "\\nnever\\n",
	  "other: absent\n" BUILD_ID ": SIZE bytes\n" BUILD_ID ": SIZE bytes\nnever: late\n" },
};

static void check(const char *reply, const char *expected)
{
	char size[32], *at;
	struct stat st;
	char *text = support_printf("%s", expected);

	ck_assert_int_eq(stat("/bin/true", &st), 0);
	snprintf(size, sizeof(size), "%lld", (long long)st.st_size);
	while ((at = strstr(text, "SIZE"))) {
		*at = '\0';
		text = support_printf("%s%s%s", text, size, at + 4);
	}
	ck_assert_str_eq(reply, text);
}

START_TEST(wants_are_answered)
{
	struct nursery *nursery;
	struct config config;
	struct work_body body = { .bytes = TEXT_NONE };
	struct err err = ERR_INIT;
	struct buf reply;

	set_up(cases[_i].body);
	const char *const paths[] = { support_printf("%s/config.yml", folder) };

	ck_assert_msg(config_load(&config, paths, 1, NULL, NULL, NULL, &err) == 0, "%s", err.text);
	start_cells(&nursery, &config);
	body.fd = open(support_printf("%s/body", folder), O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(body.fd, 0);
	buf_init(&reply, (size_t)1 << 20);
	ck_assert_msg(workshop_answer(&config, nursery, &kind, &body, &reply, NULL, &err) == 0, "%s",
		      err.text);
	check(buf_string(&reply), cases[_i].answer);
	buf_release(&reply);
	close(body.fd);
	nursery_stop(nursery);
	config_release(&config);
	ck_assert_int_eq(system(support_printf("rm -rf '%s'", folder)), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wants");
	TCase *tcase = tcase_create("wants");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, wants_are_answered, 0, sizeof(cases) / sizeof(cases[0]));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
