/* support.c -- see support.h. */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"

#define SUPPORT_TIMEOUT_SECONDS "120"
#define LOAD_STRETCH_MOST 8

/* How much longer things take where others keep the processors busy: 1 to LOAD_STRETCH_MOST. */
static double load_stretch(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	double load, stretch;

	if (processors < 1 || getloadavg(&load, 1) != 1)
		return 1;
	stretch = 1 + load / (double)processors;
	return stretch < LOAD_STRETCH_MOST ? stretch : LOAD_STRETCH_MOST;
}

int64_t support_stretched(int64_t millis)
{
	return (int64_t)((double)millis * load_stretch());
}

/* Check reads these when a test case is made, which is before support_main(). */
__attribute__((constructor)) static void allow_more_time(void)
{
	const char *asked = getenv("CK_TIMEOUT_MULTIPLIER");
	char multiplier[32];

	setenv("CK_DEFAULT_TIMEOUT", SUPPORT_TIMEOUT_SECONDS, 0);
	snprintf(multiplier, sizeof(multiplier), "%.1f",
		 (asked ? strtod(asked, NULL) : 1) * load_stretch());
	setenv("CK_TIMEOUT_MULTIPLIER", multiplier, 1);
}

/* What is kept until the end can be reached from here: leak checkers call it no leak. */
static void **kept;
static size_t kept_count, kept_capacity;

void *support_keep(void *block)
{
	if (!block || vec_reserve(&kept, &kept_capacity, kept_count + 1, sizeof(*kept)) < 0)
		ck_abort_msg("no memory");
	kept[kept_count++] = block;
	return block;
}

static void count(int passed, int failed, const char *suite)
{
	const char *path = getenv("SUPPORT_COUNTS");
	char line[256];
	int size, fd;

	if (!path)
		return;
	size = snprintf(line, sizeof(line), "%d %d %s\n", passed, failed, suite);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || size < 0 || write(fd, line, (size_t)size) != size)
		fprintf(stderr, "support: cannot write to %s\n", path);
	if (fd >= 0)
		close(fd);
}

void support_skip(const char *name)
{
	const char *path = getenv("SUPPORT_COUNTS");
	FILE *file = path ? fopen(path, "a") : NULL;

	printf("skipped %s\n", name);
	if (!file)
		return;
	fprintf(file, "0 0 %s skipped\n", name);
	fclose(file);
}

int support_main(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed, run;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	run = srunner_ntests_run(runner);
	/* Check tells a suite's name nowhere; the program's serves as well. */
	count(run - failed, failed, program_invocation_short_name);
	srunner_free(runner);
	return failed || !run ? EXIT_FAILURE : EXIT_SUCCESS;
}

void support_every_allocation_failure(int (*work)(void *payload, struct err *err),
				      void *payload, long most)
{
	long live = atomic_load(&mem_live);

	for (long n = 0; n <= most; n++) {
		struct err err = ERR_INIT;
		int result;

		atomic_store(&mem_fail_after, n);
		result = work(payload, &err);
		atomic_store(&mem_fail_after, -1);
		if (atomic_load(&mem_live) != live)
			ck_abort_msg("allocation %ld failing: %ld blocks are not given back", n,
				     atomic_load(&mem_live) - live);
		if (result == 0)
			return;
		if (err.kind != ERR_NO_MEMORY && err.kind != ERR_LIMIT)
			ck_abort_msg("allocation %ld failing: reported as %s: %s", n,
				     err_kind_name(err.kind), err.text);
	}
	ck_abort_msg("no success after %ld failing allocations", most);
}

const char *support_shared(const char *relative)
{
	const char *top = getenv("SYMGATE_SHARED");
	char *path;

	if (!top || !*top)
		return NULL;
	path = support_printf("%s/%s", top, relative);
	return access(path, R_OK) == 0 ? path : NULL;
}

const char *support_source(const char *relative)
{
	return support_printf("%s/%s", SUPPORT_SOURCE_DIR, relative);
}

struct file_map support_map(const char *path)
{
	struct err err = ERR_INIT;
	struct file_map map;

	if (file_map_path(&map, path, &err) < 0)
		ck_abort_msg("%s", err.text);
	return map;
}

struct file_map support_read(const char *path)
{
	struct file_map map = support_map(path);
	struct file_map read = { NULL, map.size };
	uint8_t *copy = support_keep(mem_get(map.size));

	if (map.size)
		memcpy(copy, map.bytes, map.size);
	read.bytes = copy;
	file_unmap(&map);
	return read;
}

char *support_printf(const char *fmt, ...)
{
	struct buf buf;
	va_list ap;

	buf_init(&buf, (size_t)1 << 24);
	va_start(ap, fmt);
	buf_vprintf(&buf, fmt, ap);
	va_end(ap);
	return support_keep(buf.failed ? NULL : buf.bytes);
}
