/* convert.c -- see convert.h. */
#include "cfi/convert.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "object/object.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)256 << 20)

static int convert(const void *bytes, size_t size, unsigned chain_max, int fd,
		   struct cfi_report *report, struct err *err)
{
	struct cfi_options options = { .chain_max = chain_max };
	struct object object;
	struct arena arena;
	int rc;

	arena_init(&arena, ARENA_BYTES);
	rc = object_open(&object, bytes, size, &arena, err);
	if (rc == 0) {
		rc = cfi_write(&object, &options, fd, report, err);
		object_release(&object);
	}
	arena_release(&arena);
	return rc;
}

static int make_file(void)
{
	int fd = memfd_create("cfi", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static struct text read_file(int fd)
{
	struct stat stat;
	char *bytes;

	ck_assert_int_eq(fstat(fd, &stat), 0);
	bytes = support_keep(mem_get((size_t)stat.st_size + 1));
	ck_assert_int_eq(pread(fd, bytes, (size_t)stat.st_size, 0), stat.st_size);
	return (struct text){ bytes, (size_t)stat.st_size };
}

struct text convert_bytes(const void *bytes, size_t size, unsigned chain_max,
			  struct cfi_report *report, struct err *err)
{
	struct text cache = TEXT_NONE;
	int fd = make_file();

	if (convert(bytes, size, chain_max, fd, report, err) == 0)
		cache = read_file(fd);
	close(fd);
	return cache;
}

struct text convert_path(const char *path)
{
	struct file_map map = support_map(path);
	struct cfi_report report;
	struct err err = ERR_INIT;
	struct text cache = convert_bytes(map.bytes, map.size, 0, &report, &err);

	ck_assert_msg(cache.bytes != NULL, "%s: %s", path, err.text);
	ck_assert_msg(report.bad_records == 0, "%s: %s", path, report.first_bad);
	file_unmap(&map);
	return cache;
}

struct text convert_records(const char *arch, const char *records)
{
	const char *file = support_printf("MODULE Linux %s 000000000000000000000000000000001 a\n%s",
					  arch, records);
	struct cfi_report report;
	struct err err = ERR_INIT;
	struct text cache = convert_bytes(file, strlen(file), 0, &report, &err);

	ck_assert_msg(cache.bytes != NULL, "%s", err.text);
	return cache;
}

struct cfi convert_open(struct text cache)
{
	struct err err = ERR_INIT;
	struct cfi cfi;

	ck_assert_msg(cfi_open(&cfi, cache.bytes, cache.size, &err) == 0, "%s", err.text);
	return cfi;
}

/* Whatever was read, the records ascend. */
static void check_order(int fd)
{
	struct text cache = read_file(fd), line, rest;
	struct cfi cfi = convert_open(cache);
	struct cfi_rows rows;
	struct cfi_win win;

	for (rest = cfi.text; text_take_line(&rest, &line);) {
		unsigned long long start;
		char copy[64];

		snprintf(copy, sizeof(copy), "%.*s", (int)(line.size < 60 ? line.size : 60),
			 line.bytes);
		if (sscanf(copy, "STACK CFI INIT %llx", &start) == 1)
			ck_assert_msg(cfi_find(&cfi, start, &rows) && rows.start == start, "%s",
				      copy);
		if (sscanf(copy, "STACK WIN 4 %llx", &start) == 1)
			ck_assert_msg(cfi_find_win(&cfi, start, &win), "%s", copy);
	}
}

void convert_survive(void *payload, const uint8_t *bytes, size_t size)
{
	struct cfi_report report;
	struct err err = ERR_INIT;
	int fd = make_file();

	(void)payload;
	if (convert(bytes, size, 0, fd, &report, &err) == 0)
		check_order(fd);
	close(fd);
}

int convert_work(void *object, struct err *err)
{
	const struct text *bytes = object;
	struct cfi_report report;
	int fd = make_file();
	int rc = convert(bytes->bytes, bytes->size, 0, fd, &report, err);

	close(fd);
	return rc;
}
