/* test_absence -- what folders lacked is believed only as long as nothing can have changed. */
#include "support/support.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "source/absence.h"
#include "source/source.h"

#define SETTLED_SECONDS 5       /* longer than it takes to trust a folder */

static unsigned long looks;

/* Every look by path goes through here. */
int stat(const char *path, struct stat *st)
{
	looks++;
	return fstatat(AT_FDCWD, path, st, 0);
}

/* `change` makes the name appear, `back` only what hides that. */
static const struct { const char *what, *name, *before, *change; unsigned long looks, watched; } cases[] = {
	{ "a file", "a/x", "mkdir a", "touch a/x", 1, 0 },
	{ "a blank component", "a//x", "mkdir a", "touch a/x", 1, 0 },
	{ "in the root", "x", "true", "touch x", 1, 0 },
	{ "in new folders", "b/c/d/x", "mkdir b", "mkdir -p b/c/d; touch b/c/d/x", 1, 0 },
	{ "moved", "a/x", "mkdir a other; touch other/x", "mv other/x a/x", 1, 0 },
	{ "linked", "a/x", "mkdir a other; touch other/x", "ln other/x a/x", 1, 0 },
	{ "a time set back", "a/x", "mkdir a", "touch -r a ../time; touch a/x; touch -r ../time a", 1, 0 },
	{ "the folder replaced", "a/x", "mkdir a other; touch other/x", "mv a gone; mv other a", 1, 0 },
	{ "a folder above replaced", "a/c/x", "mkdir -p a/c other/c; touch other/c/x",
	  "mv a gone; mv other a", 1, 0 },
	{ "the folder made anew", "a/x", "mkdir a", "rmdir a; mkdir a; touch a/x", 1, 0 },
	{ "a link led elsewhere", "a/x", "mkdir c other; touch other/x; ln -s c a", "ln -sfn other a", 1, 1 },
	{ "a link above led elsewhere", "a/c/x", "mkdir -p b/c other/c; touch other/c/x; ln -s b a",
	  "ln -sfn other a", 1, 1 },
	/* What these folders lack may come without any change to them. */
	{ "a link that led nowhere", "a/x", "ln -s other a", "mkdir other; touch other/x", 2, 2 },
	{ "a file's link that led nowhere", "a/x", "mkdir a; ln -s ../other a/x", "touch other", 2, 2 },
	{ "a file in the way", "a/x", "touch a", "rm a; mkdir a; touch a/x", 2, 2 },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static char *new_folder(const char *name)
{
	char here[4096];
	char *top;

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	top = support_printf("%s/absence-%s-XXXXXX", here, name);
	ck_assert_ptr_nonnull(mkdtemp(top));
	return top;
}

static void run(const char *root, const char *script)
{
	ck_assert_int_eq(system(support_printf("cd %s && { %s; }", root, script)), 0);
}

static bool is_absent(struct source_absences *absences, const char *root, const char *name)
{
	char *path = support_printf("%s/%s", root, name);

	return absence_is_sure(absences, path, strlen(path), strlen(root));
}

/* So many requests, each asking twice; `looks` are those of the last. */
static void ask(struct source_absences *absences, const char *root, const char *name, unsigned requests)
{
	while (requests-- > 0) {
		source_absences_begin_request(absences);
		looks = 0;
		ck_assert_msg(is_absent(absences, root, name), "%s", name);
		(void)is_absent(absences, root, name);
	}
}

START_TEST(what_appears_is_seen)
{
	char *top = new_folder("tree");
	struct source_absences *absences = source_absences_new();
	char *roots[CASES];

	for (size_t i = 0; i < CASES; i++) {
		roots[i] = support_printf("%s/%zu/root", top, i);
		run(top, support_printf("mkdir -p %s", roots[i]));
		run(roots[i], cases[i].before);
	}
	sleep(SETTLED_SECONDS);
	for (size_t i = 0; i < CASES; i++) {
		ask(absences, roots[i], cases[i].name, 3);
		ck_assert_msg(looks == cases[i].looks, "%s: %lu looks", cases[i].what, looks);
	}
	for (size_t i = 0; i < CASES; i++)
		run(roots[i], cases[i].change);
	source_absences_begin_request(absences);
	for (size_t i = 0; i < CASES; i++)
		ck_assert_msg(!is_absent(absences, roots[i], cases[i].name), "%s", cases[i].what);
	source_absences_free(absences);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

/* Folders that are asked about again are looked at no more, and each change alone is seen at once. */
START_TEST(what_appears_in_watched_folders_is_seen)
{
	char *top = new_folder("watched");
	char *roots[CASES];

	for (size_t i = 0; i < CASES; i++) {
		roots[i] = support_printf("%s/%zu/root", top, i);
		run(top, support_printf("mkdir -p %s", roots[i]));
		run(roots[i], cases[i].before);
	}
	sleep(SETTLED_SECONDS);
	for (size_t i = 0; i < CASES; i++) {
		struct source_absences *absences = source_absences_new();

		ask(absences, roots[i], cases[i].name, 6);
		ck_assert_msg(looks == cases[i].watched, "%s: %lu looks", cases[i].what, looks);
		/* Nobody's business. */
		run(top, "touch ../time; chmod 0600 ../time");
		ask(absences, roots[i], cases[i].name, 1);
		ck_assert_msg(looks == cases[i].watched, "%s: %lu looks later", cases[i].what, looks);
		run(roots[i], cases[i].change);
		source_absences_begin_request(absences);
		ck_assert_msg(!is_absent(absences, roots[i], cases[i].name), "%s", cases[i].what);
		source_absences_free(absences);
	}
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

/* Nothing happens to the folder that is covered. */
START_TEST(what_is_mounted_is_seen)
{
	char *top = new_folder("mounted"), *folder = support_printf("%s/a", top);
	struct source_absences *absences = source_absences_new();

	run(top, "mkdir a");
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0) {
		sleep(SETTLED_SECONDS);
		ask(absences, top, "a/x", 6);
		ck_assert_uint_eq(looks, 0);
		ck_assert_int_eq(mount("none", folder, "tmpfs", 0, NULL), 0);
		run(top, "touch a/x");
		source_absences_begin_request(absences);
		ck_assert(!is_absent(absences, top, "a/x"));
		ck_assert_int_eq(umount(folder), 0);
	}
	source_absences_free(absences);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

/* As long as a folder's clock may stand still between two changes, it is not trusted. */
START_TEST(new_folders_are_not_trusted)
{
	char *top = new_folder("new");
	struct source_absences *absences = source_absences_new();

	for (unsigned i = 0; i < 20; i++) {
		char *name = support_printf("x%u", i), *path = support_printf("%s/%s", top, name);
		int fd;

		for (unsigned repeat = 0; repeat < 3; repeat++) {
			source_absences_begin_request(absences);
			ck_assert(is_absent(absences, top, name));
		}
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		ck_assert_int_ge(fd, 0);
		close(fd);
		ck_assert(!is_absent(absences, top, name));
	}
	source_absences_free(absences);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

/* One look serves all names below a folder, and more names than are remembered are all right. */
START_TEST(a_look_is_shared)
{
	enum { FEW = 50, MANY = 5000 };
	char *top = new_folder("many");
	struct source_absences *absences = source_absences_new();

	sleep(SETTLED_SECONDS);
	for (unsigned repeat = 0; repeat < 3; repeat++) {
		source_absences_begin_request(absences);
		looks = 0;
		for (unsigned i = 0; i < FEW; i++)
			ck_assert(is_absent(absences, top, support_printf("%02x/%u.debug", i % 16, i)));
	}
	/* Names that share a slot are looked at each time. */
	ck_assert_uint_le(looks, FEW / 5);
	for (unsigned repeat = 0; repeat < 3; repeat++) {
		source_absences_begin_request(absences);
		for (unsigned i = 0; i < MANY; i++)
			ck_assert(is_absent(absences, top, support_printf("%02x/%u", i % 256, i)));
	}
	run(top, "mkdir 07; touch 07/7");
	source_absences_begin_request(absences);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert(is_absent(absences, top, support_printf("%02x/%u", i % 256, i)) == (i != 7));
	source_absences_free(absences);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("absence");
	TCase *tests = tcase_create("absence");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_appears_is_seen);
	tcase_add_test(tests, what_appears_in_watched_folders_is_seen);
	tcase_add_test(tests, what_is_mounted_is_seen);
	tcase_add_test(tests, new_folders_are_not_trusted);
	tcase_add_test(tests, a_look_is_shared);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
