/*
 * bench_cfi -- a module's unwind information to a CfiCache, and random look-ups in it, one thread.
 *
 *	bench_cfi OBJECT CACHE [COUNT]
 *
 * Prints the processor time of the conversion (the file written and opened included), the anonymous
 * memory it took, and the mean time of a look-up with all its rules read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cfi/cfi.h"
#include "object/object.h"
#include "bench/facts.h"

#define DEFAULT_COUNT 1000000u

static double seconds_since(clock_t before)
{
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

static int convert(const char *from, int fd, struct err *err)
{
	static const struct cfi_options options;
	unsigned long before = facts_anonymous();
	clock_t start = clock();
	struct cfi_report report;
	struct object object;
	struct file_map map;
	struct arena arena;

	arena_init(&arena, LIMIT_CELL_DATA_BYTES);
	if (file_map_path(&map, from, err) < 0 ||
	    object_open(&object, map.bytes, map.size, &arena, err) < 0 ||
	    cfi_write(&object, &options, fd, &report, err) < 0)
		return -1;
	printf("converted: %" PRIu64 " records, %" PRIu64 " bad, %" PRIu64 " bytes, %" PRIu64
	       " steps, %.3f s, %lu kB still anonymous\n", report.records, report.bad_records,
	       report.bytes, report.steps, seconds_since(start), facts_anonymous() - before);
	if (report.first_bad[0])
		printf("first bad: %s\n", report.first_bad);
	object_release(&object);
	arena_release(&arena);
	file_unmap(&map);
	return 0;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t count_rules(const struct cfi_rows *rows)
{
	struct cfi_rules rules;
	struct cfi_rule rule;
	uint64_t count = 0;

	cfi_rules_begin(&rules, rows);
	while (cfi_rules_next(&rules, &rule) > 0)
		count++;
	return count;
}

static int look_up(const char *path, unsigned long count, struct err *err)
{
	uint64_t state = UINT64_C(88172645463325252), rules = 0, found = 0, last = 0;
	struct cfi_rows rows;
	struct file_map map;
	struct cfi_win win;
	struct cfi cfi;
	clock_t start;

	if (file_map_path(&map, path, err) < 0 || cfi_open(&cfi, map.bytes, map.size, err) < 0)
		return -1;
	for (uint64_t bit = UINT64_C(1) << 40; bit; bit >>= 1)      /* where the code ends */
		for (uint64_t i = 0; i < 64 && (bit & ~UINT64_C(63)); i++)
			if (cfi_find(&cfi, (last | bit) + i * (bit >> 6), &rows) ||
			    cfi_find_win(&cfi, (last | bit) + i * (bit >> 6), &win)) {
				last |= bit;
				break;
			}
	start = clock();
	for (unsigned long i = 0; i < count; i++) {
		uint64_t address = next_random(&state) % (last + 1);

		if (cfi_find(&cfi, address, &rows)) {
			found++;
			rules += count_rules(&rows);
		} else if (cfi_find_win(&cfi, address, &win)) {
			found++;
		}
	}
	printf("looked up: %lu below 0x%" PRIx64 ", %" PRIu64 " found, %.2f rules each, %.3f us\n",
	       count, last, found, found ? (double)rules / (double)found : 0,
	       seconds_since(start) / (double)(count ? count : 1) * 1e6);
	file_unmap(&map);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int fd, rc;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_cfi OBJECT CACHE [COUNT]\n");
		return 2;
	}
	fd = open(argv[2], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0) {
		perror(argv[2]);
		return 1;
	}
	rc = convert(argv[1], fd, &err);
	close(fd);
	if (rc == 0)
		rc = look_up(argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : DEFAULT_COUNT, &err);
	if (rc < 0)
		fprintf(stderr, "bench_cfi: %s\n", err.text);
	return rc < 0;
}
