/* test_file.c -- files appear whole, and names from outside stay inside. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char home[64];
static char there[256];          /* where the test began */

static void enter_fresh_folder(void)
{
	ck_assert_ptr_nonnull(getcwd(there, sizeof(there)));
	snprintf(home, sizeof(home), "test-file-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(home));
	ck_assert_int_eq(chdir(home), 0);
}

static void leave_folder(void)
{
	char *command = support_printf("chmod -R u+rwx %s; rm -rf %s", home, home);

	ck_assert_int_eq(chdir(there), 0);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *path, const char *words)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	struct err err = ERR_INIT;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, words, strlen(words), &err), 0);
	close(fd);
}

static const char *get(const char *path)
{
	static struct buf buf;
	struct err err = ERR_INIT;

	buf_release(&buf);
	buf_init(&buf, 1 << 20);
	ck_assert_msg(file_read_all(path, 1 << 20, &buf, &err) == 0, "%s", err.text);
	return buf_string(&buf);
}

START_TEST(maps_files)
{
	struct err err = ERR_INIT;
	struct file_map map;

	put("a", "words");
	put("empty", "");
	ck_assert_int_eq(file_map_path(&map, "a", &err), 0);
	ck_assert_uint_eq(map.size, 5);
	ck_assert_mem_eq(map.bytes, "words", 5);
	file_unmap(&map);
	ck_assert_ptr_null(map.bytes);
	file_unmap(&map);
	ck_assert_int_eq(file_map_path(&map, "empty", &err), 0);
	ck_assert(map.bytes == NULL && map.size == 0);
	ck_assert_int_eq(file_map_path(&map, "missing", &err), -1);
	ck_assert(err.kind == ERR_IO && err_is_absent(&err));
	ck_assert_int_eq(file_map_path(&map, ".", &err), -1);
	ck_assert_str_eq(err.text, ".: not a regular file");
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(file_map_path(&map, "pipe", &err), -1);
}
END_TEST

START_TEST(reads_up_to_a_limit)
{
	static const struct {
		size_t max, ceiling;
		enum err_kind kind;
	} cases[] = {
		{ 10, 10, ERR_NONE }, { 11, 10, ERR_LIMIT }, { 9, 10, ERR_TOO_LARGE },
		{ 0, 10, ERR_TOO_LARGE }, { 10, 9, ERR_LIMIT }, { 1 << 20, 1 << 21, ERR_NONE },
	};

	put("ten", "0123456789");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = ERR_INIT;
		struct buf buf;
		int result;

		buf_init(&buf, cases[i].ceiling);
		result = file_read_all("ten", cases[i].max, &buf, &err);
		ck_assert_msg(err.kind == cases[i].kind, "case %zu: %s", i, err.text);
		ck_assert_int_eq(result, cases[i].kind ? -1 : 0);
		if (result == 0)
			ck_assert_str_eq(buf_string(&buf), "0123456789");
		buf_release(&buf);
	}
}
END_TEST

START_TEST(makes_folders)
{
	struct err err = ERR_INIT;
	struct stat now;

	umask(077);
	ck_assert_int_eq(file_make_folders("a/b//c/", 0755, &err), 0);
	ck_assert_int_eq(file_make_folders("a/b/c", 0700, &err), 0);
	ck_assert_int_eq(stat("a/b/c", &now), 0);
	ck_assert_uint_eq(now.st_mode & 07777, 0755);
	put("a/file", "");
	ck_assert_int_eq(file_make_folders("a/file", 0755, &err), -1);
	ck_assert_int_eq(file_make_folders("a/file/b", 0755, &err), -1);
	ck_assert_int_eq(err.os_errno, ENOTDIR);
	ck_assert_int_eq(file_make_folders("", 0755, &err), -1);
	ck_assert_int_eq(file_make_folders("/tmp", 0755, &err), 0);
	ck_assert_int_eq(file_make_folders("/", 0755, &err), 0);
}
END_TEST

START_TEST(publishes_whole_files)
{
	struct err err = ERR_INIT;
	char temporary[64], other[64];
	struct stat now;
	int fd, second;

	ck_assert_int_eq(file_temporary(".", temporary, sizeof(temporary), &fd, &err), 0);
	ck_assert_int_eq(file_temporary(".", other, sizeof(other), &second, &err), 0);
	ck_assert_str_ne(temporary, other);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &now), 0);
	ck_assert_uint_eq(now.st_mode & 07777, 0600);
	ck_assert(file_is_held(AT_FDCWD, temporary));
	ck_assert(!file_is_held(AT_FDCWD, "missing"));
	ck_assert_int_eq(file_write_all(fd, "new", 3, &err), 0);
	ck_assert_int_eq(file_publish(fd, temporary, "deep/er/name", 0440, &err), 0);
	ck_assert_str_eq(get("deep/er/name"), "new");
	ck_assert_int_eq(access(temporary, F_OK), -1);
	ck_assert_int_eq(stat("deep/er/name", &now), 0);
	ck_assert_uint_eq(now.st_mode & 07777, 0440);
	ck_assert_int_eq(stat("deep", &now), 0);
	ck_assert_uint_eq(now.st_mode & 07777, 0750);
	ck_assert_int_eq(file_write_all(second, "newer", 5, &err), 0);
	ck_assert_int_eq(file_publish(second, other, "deep/er/name", 0644, &err), 0);
	ck_assert_str_eq(get("deep/er/name"), "newer");
	ck_assert_int_eq(file_publish(second, other, "gone", 0644, &err), -1);
	ck_assert(err.kind == ERR_IO && err_is_absent(&err));
	close(fd);
	close(second);
}
END_TEST

static int fill(int fd, void *payload, struct err *err)
{
	const char *words = payload;

	if (file_write_all(fd, words, strlen(words), err) < 0)
		return -1;
	return strcmp(words, "bad") == 0 ? err_set(err, ERR_MALFORMED, "bad words") : 0;
}

/* Beside where it will be, or where it is told; what failed leaves what was there. */
START_TEST(makes_whole_files)
{
	static const char *const paths[] = { "new", "./new", "below/new" };
	char words[] = "words", bad[] = "bad", longer[5000];
	struct err err = ERR_INIT;
	struct stat st;

	ck_assert_int_eq(mkdir("below", 0700), 0);
	for (size_t i = 0; i < COUNT(paths); i++) {
		ck_assert_int_eq(file_make(NULL, paths[i], 0640, fill, words, &err), 0);
		ck_assert_str_eq(get(paths[i]), "words");
		ck_assert_int_eq(stat(paths[i], &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, 0640);
		ck_assert_int_eq(file_make(i ? NULL : "below", paths[i], 0640, fill, bad, &err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_str_eq(get(paths[i]), "words");
	}
	ck_assert_int_eq(system("test \"$(ls -A . below | tr '\\n' ' ')\" = '.: below new  below: new '"), 0);
	ck_assert_int_eq(file_put("below", "new", "more", 4, 0600, &err), 0);
	ck_assert_str_eq(get("new"), "more");
	ck_assert_int_eq(file_make("missing", "new", 0600, fill, words, &err), -1);
	ck_assert_int_eq(file_make(NULL, "/proc/none", 0600, fill, words, &err), -1);
	ck_assert_msg(strncmp(err.text, "making a temporary file in /proc", 32) == 0, "%s", err.text);
	memset(longer, '/', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(file_make(NULL, longer, 0600, fill, words, &err), -1);
	ck_assert_msg(strncmp(err.text, "the name is too long: ///", 25) == 0, "%s", err.text);
}
END_TEST

START_TEST(refuses_impossible_temporaries)
{
	struct err err = ERR_INIT;
	char path[64], small[8];
	int fd;

	ck_assert_int_eq(file_temporary("missing", path, sizeof(path), &fd, &err), -1);
	ck_assert(err.kind == ERR_IO && err_is_absent(&err));
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(file_temporary(".", small, sizeof(small), &fd, &err), -1);
}
END_TEST

START_TEST(fills_standard_descriptors)
{
	struct err err = ERR_INIT;
	struct stat now;
	int saved = dup(STDERR_FILENO);

	close(STDIN_FILENO);
	close(STDERR_FILENO);
	ck_assert_int_eq(file_fill_standard_descriptors(&err), 0);
	for (int fd = 0; fd < 3; fd++)
		ck_assert_int_eq(fstat(fd, &now), 0);
	ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFD) & FD_CLOEXEC, 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	ck_assert_int_eq(file_fill_standard_descriptors(&err), 0);
}
END_TEST

START_TEST(fixtures_are_made_once_and_anew_for_new_words)
{
	const char *path = support_fixture("base/words", "echo one >\"$DIR/part\"; cat \"$DIR/part\" >\"$OUT\"");
	struct stat first, again;

	ck_assert_str_eq(get(path), "one\n");
	ck_assert_int_eq(stat(path, &first), 0);
	support_fixture("base/words", "echo one >\"$DIR/part\"; cat \"$DIR/part\" >\"$OUT\"");
	ck_assert_int_eq(stat(path, &again), 0);
	ck_assert_uint_eq(first.st_ino, again.st_ino);
	support_fixture("base/words", "test -d \"$SRC/src/base\"; echo two >\"$OUT\"");
	ck_assert_str_eq(get(path), "two\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/file");
	TCase *tcase = tcase_create("file");

	tcase_add_checked_fixture(tcase, enter_fresh_folder, leave_folder);
	tcase_add_test(tcase, maps_files);
	tcase_add_test(tcase, reads_up_to_a_limit);
	tcase_add_test(tcase, makes_folders);
	tcase_add_test(tcase, publishes_whole_files);
	tcase_add_test(tcase, makes_whole_files);
	tcase_add_test(tcase, refuses_impossible_temporaries);
	tcase_add_test(tcase, fills_standard_descriptors);
	tcase_add_test(tcase, fixtures_are_made_once_and_anew_for_new_words);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
