/* test_listing -- a store of many segments is read in slices: other jobs have their turns. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/config.h"
#include "convert/convert.h"
#include "workshop/turn.h"
#include "kinds/kinds.h"

#define SEGMENTS 400u
#define SLICE    32u
#define PATIENCE_MILLIS 60000

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* A symstore in a folder of its own, and a configuration that admits it. */
static char *make_setting(void)
{
	char *folder = support_printf("/tmp/symgate-listing-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(mkdir(support_printf("%s/000Admin", folder), 0700), 0);
	write_file(support_printf("%s/000Admin/lastid.txt", folder), support_printf("%u", SEGMENTS));
	for (unsigned i = 1; i <= SEGMENTS; i++)
		write_file(support_printf("%s/000Admin/%010u", folder, i),
			   support_printf("\"f%u.pdb\\1\",\"x\"\n", i));
	write_file(support_printf("%s/config.yml", folder),
		   support_printf("state_dir: %s/state\nfilesystem_source_roots: [\"%s\"]\n",
				  folder, folder));
	return folder;
}

static void remove_setting(const char *folder)
{
	ck_assert_int_eq(system(support_printf("rm -rf '%s'", folder)), 0);
}

static void begin(struct workshop *workshop, const char *folder, struct buf *reply)
{
	char *body = support_printf(
		"{\"sources\":[{\"id\":\"s\",\"type\":\"filesystem\",\"path\":\"%s\",\"has_index\":true,"
		"\"layout\":{\"type\":\"symstore\"}}],\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x1\"}]}],"
		"\"modules\":[{\"type\":\"pe\",\"image_addr\":\"0x0\",\"image_size\":4096,\"code_file\":\"a.exe\","
		"\"code_id\":\"5ab380779000\",\"debug_file\":\"f7.pdb\","
		"\"debug_id\":\"3249d99d-0c40-4931-8610-f4e4fb0b6936-1\"}]}", folder);
	struct err err = ERR_INIT;
	struct running_job *running = running_job_new(&workshop->jobs, &err);

	ck_assert_msg(running != NULL, "%s", err.text);
	running->kind = &request_kind_symbolicate;
	running->body = work_body_of(text_of(body));
	running->reply = reply;
}

START_TEST(an_index_takes_many_turns)
{
	char *folder = make_setting();
	const char *const paths[] = { support_printf("%s/config.yml", folder) };
	int64_t end = clock_monotonic_millis() + support_stretched(PATIENCE_MILLIS);
	struct nursery *nursery;
	struct config config;
	struct err err = ERR_INIT;
	struct buf reply;
	struct workshop workshop;
	size_t slices = 0;

	ck_assert_msg(config_load(&config, paths, 1, NULL, NULL, NULL, &err) == 0, "%s", err.text);
	ck_assert_msg(nursery_start(&nursery, &config, convert_operations, convert_operation_count,
				    &err) == 0, "%s", err.text);
	ck_assert_msg(workshop_open(&workshop, &config, nursery, "the test", &err) == 0, "%s", err.text);
	buf_init(&reply, (size_t)1 << 20);
	begin(&workshop, folder, &reply);
	while (!workshop.jobs.is_answered) {
		ck_assert_msg(workshop_turn(&workshop, NULL, 0, 100, &err) == 0, "%s", err.text);
		slices += workshop.segments.count;
		ck_assert(clock_monotonic_millis() < end);
	}
	ck_assert_msg(slices >= SEGMENTS / SLICE, "%zu slices", slices);
	ck_assert_uint_eq(workshop.segments.count, 0);
	ck_assert(strstr(buf_string(&reply), "\"completed\"") != NULL);
	buf_release(&reply);
	workshop_close(&workshop);
	nursery_stop(nursery);
	config_release(&config);
	remove_setting(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("listing");
	TCase *tcase = tcase_create("listing");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, an_index_takes_many_turns);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
