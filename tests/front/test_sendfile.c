/* test_sendfile.c -- which files the web server is told of, and how. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "front/front_internal.h"
#include "support/support.h"

static char folder[] = "/tmp/symgate-sendfile-XXXXXX";
static char path[256];
static struct reply reply;

static void write_file(const char *at, const char *bytes)
{
	FILE *file = fopen(at, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fputs(bytes, file) >= 0, 1);
	ck_assert_int_eq(fclose(file), 0);
}

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/cache", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/cache/blob", folder);
	write_file(path, "0123456789");
	reply_init(&reply);
	reply_reset(&reply);
}

static void teardown(void)
{
	reply_release(&reply);
}

static struct config config_of(enum config_sendfile sendfile)
{
	static char cache[256];

	snprintf(cache, sizeof(cache), "%s/cache", folder);
	return (struct config){ .cache_dir = cache, .sendfile = sendfile, .sendfile_prefix = "/files/" };
}

static bool may(const struct config *config, const char *file, uint64_t offset, uint64_t size, char *name)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	reply_file(&reply, "text/plain", fd, offset, size);
	return reply_may_hand_over(config, &reply, name, SENDFILE_PATH_BYTES);
}

static const char *header(const char *name)
{
	for (size_t i = 0; i < reply.header_count; i++)
		if (strcmp(reply.headers[i].name, name) == 0)
			return reply.headers[i].value;
	return NULL;
}

START_TEST(names_a_blob)
{
	static const struct { enum config_sendfile sendfile; const char *name; } cases[] = {
		{ CONFIG_SENDFILE_X_SENDFILE, "X-Sendfile" }, { CONFIG_SENDFILE_X_ACCEL, "X-Accel-Redirect" },
	};
	struct config config = config_of(cases[_i].sendfile);
	char name[SENDFILE_PATH_BYTES];

	ck_assert(may(&config, path, 0, 10, name));
	ck_assert_str_eq(name, "blob");
	reply_hand_over(&config, &reply, name);
	ck_assert(reply.is_handed_over);
	ck_assert_uint_eq(reply_body_size(&reply.body), 0);
	ck_assert_str_eq(header(cases[_i].name), _i == 0 ? path : "/files/blob");
}
END_TEST

START_TEST(names_nothing_else)
{
	struct config config = config_of(CONFIG_SENDFILE_X_SENDFILE), none = config_of(CONFIG_SENDFILE_NONE);
	char name[SENDFILE_PATH_BYTES], other[300];

	ck_assert(!may(&none, path, 0, 10, name));
	ck_assert(!may(&config, path, 1, 9, name));          /* not all of it */
	ck_assert(!may(&config, path, 0, 9, name));
	snprintf(other, sizeof(other), "%s/beside", folder); /* not in cache_dir */
	write_file(other, "0123456789");
	ck_assert(!may(&config, other, 0, 10, name));
	snprintf(other, sizeof(other), "%s/cache2", folder); /* nor in one of a longer name */
	ck_assert_int_eq(mkdir(other, 0700), 0);
	snprintf(other, sizeof(other), "%s/cache2/blob", folder);
	write_file(other, "0123456789");
	ck_assert(!may(&config, other, 0, 10, name));
	snprintf(other, sizeof(other), "%s/cache/link", folder);     /* a link leads to what it leads to */
	ck_assert_int_eq(symlink("/etc/passwd", other), 0);
	ck_assert(!may(&config, other, 0, 1, name));
	snprintf(other, sizeof(other), "%s/cache/a b", folder);      /* a name to be escaped */
	write_file(other, "0123456789");
	ck_assert(!may(&config, other, 0, 10, name));
	ck_assert(may(&config, path, 0, 10, name));
	reply.status = 404;
	ck_assert(!reply_may_hand_over(&config, &reply, name, sizeof(name)));
	reply.status = 200;
	ck_assert_int_eq(unlink(path), 0);                   /* nobody else could open it */
	ck_assert(!reply_may_hand_over(&config, &reply, name, sizeof(name)));
	write_file(path, "0123456789");                      /* another one of that name */
	ck_assert(!reply_may_hand_over(&config, &reply, name, sizeof(name)));
}
END_TEST

START_TEST(sends_it_when_headers_are_full)
{
	struct config config = config_of(CONFIG_SENDFILE_X_SENDFILE);
	char name[SENDFILE_PATH_BYTES], header_name[REPLY_HEADERS_MAX][16];

	ck_assert(may(&config, path, 0, 10, name));
	for (unsigned i = 0; i < REPLY_HEADERS_MAX; i++) {
		snprintf(header_name[i], sizeof(header_name[i]), "X-%u", i);
		reply_header(&reply, header_name[i], "x");
	}
	reply_hand_over(&config, &reply, name);
	ck_assert(!reply.is_handed_over);
	ck_assert_uint_eq(reply_body_size(&reply.body), 10);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("sendfile");
	Suite *suite = suite_create("sendfile");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, names_a_blob, 0, 2);
	tcase_add_test(tests, names_nothing_else);
	tcase_add_test(tests, sends_it_when_headers_are_full);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
