/* test_process.c -- whose files root makes. */
#include "base/process.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "support/support.h"

#define NOBODY 65534
#define NAMELESS 54321               /* a user without an account */

static const struct { const char *what; uid_t me; bool is_there; uid_t owner; enum process_owner decided; } cases[] = {
	{ "a user, their own folder", 1000, true, 1000, PROCESS_STAYS },
	{ "a user, another's folder", 1000, true, 1001, PROCESS_STAYS },
	{ "a user, root's folder", 1000, true, 0, PROCESS_STAYS },
	{ "root, its own folder", 0, true, 0, PROCESS_STAYS },
	{ "root, no folder yet", 0, false, 0, PROCESS_STAYS },
	{ "root, the service's folder", 0, true, 33, PROCESS_BECOMES_OWNER },
};

START_TEST(root_alone_becomes_somebody_else)
{
	struct stat st = { .st_uid = cases[_i].owner };

	ck_assert_msg(process_owner_decide(cases[_i].me, cases[_i].is_there ? &st : NULL) ==
		      cases[_i].decided, "%s", cases[_i].what);
}
END_TEST

START_TEST(a_folder_that_is_not_there_changes_nothing)
{
	struct err err = ERR_INIT;
	char name[40];

	ck_assert_int_eq(process_become_owner("no such folder", &err), 0);
	process_name_owner("no such folder", name, sizeof(name));
	ck_assert_str_eq(name, "somebody");
}
END_TEST

/* In a child: nothing of root is left, and what it makes is the owner's. */
static int become_and_write(const char *folder, uid_t owner)
{
	struct err err = ERR_INIT;
	struct stat st;
	char path[64];
	gid_t groups[64];
	int fd, count;

	if (process_become_owner(folder, &err) != 1 || getuid() != owner || geteuid() != owner ||
	    getgid() == 0 || getegid() == 0 || setuid(0) == 0 || setgid(0) == 0)
		return 1;
	count = getgroups(64, groups);
	for (int i = 0; i < count; i++)
		if (groups[i] == 0)
			return 2;
	snprintf(path, sizeof(path), "%s/made", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != owner || st.st_gid == 0)
		return 3;
	/* Once is enough. */
	return process_become_owner(folder, &err) == 0 ? 0 : 4;
}

START_TEST(what_root_makes_is_the_owners)
{
	uid_t owner = _i ? NAMELESS : NOBODY;
	char folder[] = "/tmp/symgate-process-XXXXXX", made[64];
	int status;
	pid_t child;

	if (geteuid() != 0) {
		support_skip("root-becomes-the-owner");
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chown(folder, owner, _i ? NAMELESS : NOBODY), 0);
	child = fork();
	if (child == 0)
		_exit(become_and_write(folder, owner));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", status);
	snprintf(made, sizeof(made), "%s/made", folder);
	unlink(made);
	rmdir(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/process");
	TCase *tcase = tcase_create("process");

	tcase_add_loop_test(tcase, root_alone_becomes_somebody_else, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, a_folder_that_is_not_there_changes_nothing);
	tcase_add_loop_test(tcase, what_root_makes_is_the_owners, 0, 2);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
