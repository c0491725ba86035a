/* test_upload_folder.c -- lists of parts: any order of them, damage, and every allocation that fails. */
#include "kinds/symbfile/upload_folder.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)1 << 20)
#define RUNS 200u
#define COMMAND_BYTES 48u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char state[] = "/tmp/symgate-uploads-XXXXXX";
static struct config config;
static const struct file_id id = { { 0xab } };

static void start(void)
{
	ck_assert_ptr_nonnull(mkdtemp(state));
	config.state_dir = state;
}

static void stop(void)
{
	ck_assert_int_eq(system(support_printf("rm -rf %s", state)), 0);
	memcpy(state + strlen(state) - 6, "XXXXXX", 6);
}

/* What the fuzzer's commands are, by chance. */
START_TEST(takes_parts_in_any_order)
{
	uint64_t random = UINT64_C(88172645463325252);

	for (unsigned run = 0; run < RUNS; run++) {
		uint8_t commands[COMMAND_BYTES];

		for (size_t i = 0; i < sizeof(commands); i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			commands[i] = (uint8_t)(random >> 32);
			if (i % 2 == 0 && run % 2)
				commands[i] = (uint8_t)((commands[i] & 0xF8) | 5);   /* all of one upload */
		}
		LLVMFuzzerTestOneInput(commands, sizeof(commands));
	}
}
END_TEST

static const char *put_list(const char *name, const char *words)
{
	struct arena arena;
	const char *path;
	FILE *file;

	arena_init(&arena, ARENA_BYTES);
	path = support_printf("%s/%s", upload_folder(&config, &arena), upload_folder_path(&id, "", &arena));
	ck_assert_int_eq(system(support_printf("mkdir -p %s", path)), 0);
	path = support_printf("%s/%s", path, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(words, file), 0);
	fclose(file);
	arena_release(&arena);
	return path;
}

static const struct { const char *words; const char *text; } lists[] = {
	{ "parts 2\n0 0-a-1\n1 1-b-2 more\njoined joined-c\n", NULL },
	{ "parts 2\n1 1-b-2 begun\nold 1\n", NULL },
	{ "parts 1024\n", NULL },
	{ "", "damaged" }, { "parts 0\n", "damaged" }, { "parts 1025\n", "damaged" }, { "parts x\n", "damaged" },
	{ "parts 2\n2 2-a-1\n", "damaged" }, { "parts 2\nx\n", "damaged" }, { "parts 2\nold 2\n", "damaged" },
	{ "parts 2\nold x\n", "damaged" }, { "part 2\n", "damaged" },
};

START_TEST(reads_lists)
{
	struct upload_list list;
	struct err err = ERR_INIT;
	struct arena arena;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	put_list("ranges", lists[_i].words);
	rc = upload_list_read(&config, &id, SYMBOLS_RANGES, &arena, &list, &err);
	ck_assert_msg(rc == (lists[_i].text ? -1 : 1), "%s: %d %s", lists[_i].words, rc, err.text);
	ck_assert_msg(!lists[_i].text || strstr(err.text, lists[_i].text), "%s", err.text);
	if (_i == 0) {
		ck_assert_str_eq(list.parts[1], "1-b-2");
		ck_assert_int_eq(list.pieces[1], UPLOAD_MORE);
		ck_assert_str_eq(list.joined, "joined-c");
	}
	ck_assert(_i != 1 || (list.are_old[1] && !list.parts[0] && list.pieces[1] == UPLOAD_BEGUN));
	arena_release(&arena);
}
END_TEST

static int put_parts(void *payload, struct err *err)
{
	struct upload_part part = { .kind = SYMBOLS_RANGES, .part_count = 2 };
	struct file_id found;
	struct text joined;
	struct arena arena;
	int fd = open(payload, O_RDONLY | O_CLOEXEC), rc = 0;

	arena_init(&arena, ARENA_BYTES);
	for (part.part = 0; part.part < 2 && rc == 0; part.part++) {
		part.piece = part.part ? UPLOAD_MORE : UPLOAD_BEGUN;
		rc = upload_folder_put(&config, &id, part.part, fd, &arena, &part.path, err);
		if (rc == 0)
			rc = upload_list_part(&config, &id, &part, &joined, &arena, err);
		if (rc == 1) {
			part.joined = joined;
			rc = upload_list_part(&config, &id, &part, &joined, &arena, err);
		}
	}
	if (rc == 0)
		rc = upload_folder_note_build_id(&config, TEXT("abcdef"), &id, &arena, err);
	if (rc == 0)
		rc = upload_folder_find_build_id(&config, TEXT("ABCDEF"), &found, err) < 0 ? -1 : 0;
	close(fd);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct upload_list list;
	struct err err = ERR_INIT;
	struct arena arena;

	support_every_allocation_failure(put_parts, (void *)(uintptr_t)put_list("source", "bytes"), 200);
	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(upload_list_read(&config, &id, SYMBOLS_RANGES, &arena, &list, &err), 1);
	ck_assert_ptr_nonnull(list.joined);
	arena_release(&arena);
}
END_TEST

/* Links, names with slashes, digits that are none: nothing of it becomes a path. */
START_TEST(build_ids_are_digits)
{
	static const char *const ids[] = { "", "ab", "abc", "../../etc/passwd", "abcd/../..", "abcg", "abc\ndef0" };
	struct err err = ERR_INIT;
	struct file_id found;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		ck_assert_int_eq(upload_folder_note_build_id(&config, text_of(ids[i]), &id, &arena, &err), 0);
		ck_assert_int_eq(upload_folder_find_build_id(&config, text_of(ids[i]), &found, &err), 0);
	}
	ck_assert_int_ne(access(support_printf("%s/symbfiles/build-ids", state), F_OK), 0);
	arena_release(&arena);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("uploads of symbfiles");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, start, stop);
	tcase_add_test(all, takes_parts_in_any_order);
	tcase_add_loop_test(all, reads_lists, 0, (int)(sizeof(lists) / sizeof(lists[0])));
	tcase_add_test(all, survives_every_allocation_failure);
	tcase_add_test(all, build_ids_are_digits);
	suite_add_tcase(suite, all);
	return support_main(suite);
}
