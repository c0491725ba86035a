/* test_wpa_path.c -- the SymCache protocol's paths and headers, and SymCache folders. */
#include "kinds/wpa/wpa_folder.h"
#include "kinds/wpa/wpa_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)1 << 20)
#define N "44e4ec8c2f41492b9369d6b9a059577c"
#define D "44E4EC8C-2f41-492b-9369-d6b9a059577c"
#define X "{0x44e4ec8c,0x2f41,0x492b,{0x93,0x69,0xd6,0xb9,0xa0,0x59,0x57,0x7c}}"
#define LONG_NAME_3 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static struct arena arena;
static char folder[] = "/tmp/symgate-wpa-XXXXXX";

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
}

static void teardown(void)
{
	arena_release(&arena);
}

static int read_path(const char *text, struct wpa_path *path)
{
	struct err err = ERR_INIT;
	int rc = wpa_path_read(text_of(text), &arena, path, &err);

	ck_assert_msg(rc >= 0, "%s: %s", text, err.text);
	return rc;
}

START_TEST(reads_paths)
{
	static const struct { const char *path, *version, *name; uint32_t age; } cases[] = {
		{ "3.1.0/my.pdb/" N, "3.1.0", "my.pdb", 1 },
		{ "3.1.0/my.pdb/" N "/", "3.1.0", "my.pdb", 1 },
		{ "3.1.0/my.pdb/" N "/31", "3.1.0", "my.pdb", 31 },
		{ "3.1.0/my.pdb/" N "/31/", "3.1.0", "my.pdb", 31 },
		{ "03.001.0/my.pdb/" D, "3.1.0", "my.pdb", 1 },
		{ "3.1.0/my.pdb/{" D "}", "3.1.0", "my.pdb", 1 },
		{ "3.1.0/my.pdb/%7B" D "%7d/2", "3.1.0", "my.pdb", 2 },
		{ "3.1.0/my.pdb/(" D ")", "3.1.0", "my.pdb", 1 },
		{ "3.1.0/my.pdb/" X "/4294967295", "3.1.0", "my.pdb", 4294967295u },
		{ "3.1.0/my.pdb/" N "/4294967296", "3.1.0", "my.pdb", 0 },
		{ "3.1.0/my.pdb/" N "/-1", "3.1.0", "my.pdb", 0 },
		{ "3.1.0/my%20b%c3%a4d.pdb/" N, "3.1.0", "my b\xc3\xa4""d.pdb", 1 },
		{ "3.1.0/..pdb/" N, "3.1.0", "..pdb", 1 },
		{ "3.256.0/my.pdb/" N, "3.0.0", "my.pdb", 1 },
		{ "3.1.256/my.pdb/" N, "3.1.0", "my.pdb", 1 },
		{ "65536.1.0/my.pdb/" N, "0.1.0", "my.pdb", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char version[SEMVER_TEXT_BYTES], id[DEBUGID_TEXT_BYTES];
		struct wpa_path path;

		ck_assert_msg(read_path(cases[i].path, &path) == 1, "%s", cases[i].path);
		semver_format(&path.version, version);
		ck_assert_msg(strcmp(version, cases[i].version) == 0 && text_is(path.name, cases[i].name) &&
			      path.id.age == cases[i].age, "%s", cases[i].path);
		debugid_format_uuid_simple(&path.id, id);
		ck_assert_str_eq(id, N);
	}
}
END_TEST

START_TEST(refuses_paths)
{
	static const char *const paths[] = {
		"", "3", "3.1", "3.1.0", "3.1.0/", "3.1.0/my.pdb", "3.1.0/my.pdb/", "3.1.0//" N, "3.1/my.pdb/" N,
		"3.1.0.0/my.pdb/" N, "3.1.0-rc/my.pdb/" N, "3.1.x/my.pdb/" N, "2147483648.1.0/my.pdb/" N,
		"3.1.0/../" N, "3.1.0/./" N, "3.1.0/%2e%2e/" N, "3.1.0/a%2Fb.pdb/" N, "3.1.0/a%5cb.pdb/" N,
		"3.1.0/a\\b.pdb/" N, "3.1.0/c:b.pdb/" N, "3.1.0/a%00.pdb/" N, "3.1.0/a%0a.pdb/" N,
		"3.1.0/%ff.pdb/" N, "3.1.0/my.pdb/" N "0", "3.1.0/my.pdb/44e4ec8c", "3.1.0/my.pdb/" N "/a",
		"3.1.0/my.pdb/" N "/1F", "3.1.0/my.pdb/" N "/0x1", "3.1.0/my.pdb/" N "/1/2",
		"3.1.0/my.pdb/" N "//1", "3.1.0/my.pdb/{" N "}", "3.1.0/my.pdb/{" D, "3.1.0/my.pdb/{}",
		"3.1.0/my.pdb/{0x44e4ec8c}", "3.1.0/my.pdb/{0x144e4ec8c,0x2f41,0x492b,{0x93,0x69,0xd6,0xb9,"
		"0xa0,0x59,0x57,0x7c}}", "3.1.0/my.pdb/44e4ec8c2f41-492b-9369-d6b9a059577c-----",
		"3.1.0/" LONG_NAME_3 LONG_NAME_3 LONG_NAME_3 LONG_NAME_3 "/" N,
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct wpa_path path;

		ck_assert_msg(read_path(paths[i], &path) == 0, "%s", paths[i]);
	}
}
END_TEST

START_TEST(a_full_arena_is_told)
{
	struct wpa_path path;
	struct err err = ERR_INIT;
	struct arena small;

	arena_init(&small, 1);
	ck_assert_int_eq(wpa_path_read(TEXT("3.1.0/my.pdb/" N), &small, &path, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	arena_release(&small);
}
END_TEST

START_TEST(reads_the_header)
{
	static const struct { const char *value, *refusal; } cases[] = {
		{ "3.0.0", NULL }, { "v3.0.0", NULL }, { "3.0.0, 9.9.9", NULL }, { "2.0.0", NULL },
		{ "3.1.0-rc1", NULL }, { "", "not a valid version" }, { "3", "not a valid version" },
		{ "3.1", "not a valid version" }, { "3.300.0", "not a valid version" },
		{ "0.9.0", "unsupported version number" }, { "3.1.0", "must be less than" },
		{ "3.2.0", "must be less than" },
	};
	const struct semver requested = { .major = 3, .minor = 1 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct semver exceeds;
		const char *refusal = wpa_exceeds_read(text_of(cases[i].value), &requested, &exceeds);

		ck_assert_msg(!refusal == !cases[i].refusal, "%s: %s", cases[i].value, refusal);
		ck_assert_msg(!refusal || strstr(refusal, cases[i].refusal), "%s: %s", cases[i].value, refusal);
	}
}
END_TEST

START_TEST(reads_times)
{
	static const struct { const char *text; int64_t at; } cases[] = {
		{ "2020-01-28T07:10:11.1234567+00:00", 1580195411 }, { "1970-01-01T00:00:00Z", 0 },
		{ "2020-01-28T09:10:11+02:00\r\n", 1580195411 }, { "2020-01-28T05:40:11.5-01:30", 1580195411 },
		{ "2000-03-01T00:00:00+00:00", 951868800 }, { "9999-12-31T23:59:59Z", 253402300799 },
	};
	static const char *const bad[] = {
		"", "tomorrow", "2020-01-28", "2020-01-28T07:10:11", "2020-13-28T07:10:11Z", "2020-01-28T07:10:11+0000",
		"2020-01-28T07:10:11Zx",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t at = -1;

		ck_assert_msg(wpa_folder_read_time(text_of(cases[i].text), &at) && at == cases[i].at, "%s: %lld",
			      cases[i].text, (long long)at);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int64_t at;

		ck_assert_msg(!wpa_folder_read_time(text_of(bad[i]), &at), "%s", bad[i]);
	}
}
END_TEST

static void write_file(const char *name, const char *bytes)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(bytes, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

#define ID "44E4EC8C2F41492B9369D6B9A059577C1F"

START_TEST(finds_files_in_folders)
{
	struct wpa_folder_found found;
	struct wpa_path path;
	char remove[128];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_file("My.PDB/" ID "/my.pdb-v3.1.0.symcache", "old");
	write_file("My.PDB/" ID "/my.pdb-V3.2.0.SymCache", "newer");
	write_file("My.PDB/" ID "/my.pdb-v3.9.0.symcache", "");
	write_file("My.PDB/" ID "/my.pdb-v3.8.0.symcache.pending", "x");
	write_file("My.PDB/" ID "/my.pdb-v4.0.0.symcache", "newest");
	write_file("My.PDB/" ID "/my.pdb-v3.3.0.negativesymcache", "2020-01-28T07:10:11+00:00");
	write_file("My.PDB/" ID "/my.pdb-v3.4.0.negativesymcache", "2999-01-28T07:10:11+00:00");
	write_file("My.PDB/" ID "/my.pdb-v3.5.0.negativesymcache", "junk");
	write_file("other.pdb/44e4ec8c2f41492b9369d6b9a059577c1f/other.pdb-v3.1.0.symcache", "x");

	ck_assert_int_eq(read_path("3.1.0/my.pdb/" N "/31", &path), 1);
	wpa_folder_look(folder, &path, 1700000000, &found);
	ck_assert(found.is_file);
	ck_assert_str_eq(found.path, "My.PDB/" ID "/my.pdb-V3.2.0.SymCache");
	ck_assert_uint_eq(found.negative_count, 1);
	ck_assert_uint_eq(found.negatives[0].minor, 4);
	ck_assert_int_eq(read_path("4.0.0/MY.pdb/" N "/31", &path), 1);
	wpa_folder_look(folder, &path, 1700000000, &found);
	ck_assert_str_eq(found.path, "My.PDB/" ID "/my.pdb-v4.0.0.symcache");
	ck_assert_int_eq(read_path("3.1.0/other.pdb/" N "/31", &path), 1);
	wpa_folder_look(folder, &path, 1700000000, &found);
	ck_assert(found.is_file);
	ck_assert_int_eq(read_path("3.1.0/other.pdb/" N "/30", &path), 1);
	wpa_folder_look(folder, &path, 1700000000, &found);
	ck_assert(!found.is_file);
	wpa_folder_look("/no/such/folder", &path, 1700000000, &found);
	ck_assert(!found.is_file);
	snprintf(remove, sizeof(remove), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(remove), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("wpa path");
	Suite *suite = suite_create("wpa path");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, reads_paths);
	tcase_add_test(tests, refuses_paths);
	tcase_add_test(tests, a_full_arena_is_told);
	tcase_add_test(tests, reads_the_header);
	tcase_add_test(tests, reads_times);
	tcase_add_test(tests, finds_files_in_folders);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
