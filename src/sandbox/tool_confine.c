/* tool_confine.c -- see tool_confine.h; landlock(7). */
#include "sandbox/tool_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/tool.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* The kernel's words, which older headers lack. */
#define LANDLOCK_VERSION_FLAG 1u
#define RULE_PATH_BENEATH 1
#define FS_WRITE_FILE  (1ull << 1)
#define FS_REMOVE_MAKE (0x1ffull << 4)   /* REMOVE_DIR 4 to MAKE_SYM 12 */
#define FS_REFER       (1ull << 13)      /* of version 2 on */
#define FS_TRUNCATE    (1ull << 14)      /* of version 3 on */
#define NET_TCP        3ull              /* bind and connect, of version 4 on */

struct rules { uint64_t fs, net; };
struct __attribute__((packed)) rule { uint64_t allowed; int32_t folder; };

static void forbid(struct rules *rules, size_t *size)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);

	*size = 0;
	if (version < 1)
		return;
	rules->fs = FS_WRITE_FILE | FS_REMOVE_MAKE;
	rules->fs |= version >= 2 ? FS_REFER : 0;
	rules->fs |= version >= 3 ? FS_TRUNCATE : 0;
	rules->net = version >= 4 ? NET_TCP : 0;
	*size = version >= 4 ? sizeof(*rules) : sizeof(rules->fs);
}

static int allow(int ruleset, const char *path, uint64_t what)
{
	struct rule rule = { .allowed = what, .folder = open(path, O_PATH | O_CLOEXEC) };
	int rc;

	if (rule.folder < 0)
		return -1;
	rc = (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	close(rule.folder);
	return rc;
}

int tool_confine(const struct tool_order *order)
{
	struct rules rules = { 0, 0 };
	size_t size;
	int ruleset, rc;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	forbid(&rules, &size);
	if (size == 0)
		return 0;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	if (ruleset < 0)
		return -1;
	rc = allow(ruleset, order->scratch, rules.fs);
	for (size_t i = 0; rc == 0 && order->writable[i]; i++)
		rc = allow(ruleset, order->writable[i], rules.fs);
	if (rc == 0)
		rc = allow(ruleset, "/dev/null", rules.fs & (FS_WRITE_FILE | FS_TRUNCATE));
	if (rc == 0)
		rc = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
	return rc;
}
