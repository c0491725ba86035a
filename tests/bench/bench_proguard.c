/*
 * bench_proguard.c -- a mapping made into its lookup file, and frames found in it; one thread.
 *
 *	bench_proguard MAPPING CLASS METHOD LINE
 *
 * Prints seconds of processor time, the most private memory, the size of the file, and the mean time of a
 * look-up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "proguard/proguard.h"
#include "proguard/proguard_write.h"

#define MEMORY_BYTES ((size_t)4 << 30)
#define LOOKUPS 1000000u
#define MEGABYTE 1e6

static double seconds_since(clock_t before)
{
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* The most that was resident, without the mapping, which is all touched before. */
static double peak_bytes(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long kilobytes = 0;
	char line[128];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %lu", &kilobytes) == 1)
			break;
	if (status)
		fclose(status);
	return (double)kilobytes * 1024;
}

static unsigned touch(const struct file_map *map)
{
	unsigned sum = 0;

	for (size_t i = 0; i < map->size; i += 4096)
		sum += map->bytes[i];
	return sum;
}

static int ask(const struct file_map *map, char **words, struct err *err)
{
	struct proguard_frames frames = { 0 };
	struct proguard_query query = { .class_name = text_of(words[0]), .method = text_of(words[1]),
					.line = (uint32_t)strtoul(words[2], NULL, 10), .has_line = true };
	struct proguard mapping;
	clock_t before = clock();
	int rc = proguard_open(&mapping, map->bytes, map->size, err);

	for (unsigned i = 0; i < LOOKUPS && rc == 0; i++)
		rc = proguard_find(&mapping, &query, &frames, err);
	if (rc == 0)
		printf("%.3f us, %zu frames\n", seconds_since(before) * 1e6 / LOOKUPS, frames.count);
	proguard_frames_release(&frames);
	return rc;
}

int main(int argc, char **argv)
{
	int fd = memfd_create("cache", MFD_CLOEXEC), rc = -1;
	struct file_map map = { NULL, 0 }, cache = { NULL, 0 };
	struct proguard_report report;
	struct err err = ERR_INIT;
	clock_t before;
	double base;

	if (argc != 5)
		return 2;
	mem_keep_no_large_blocks();
	if (file_map_path(&map, argv[1], &err) == 0 && touch(&map) > 0) {
		base = peak_bytes();
		before = clock();
		rc = proguard_write((struct text){ (const char *)map.bytes, map.size }, MEMORY_BYTES, fd, &report,
				    &err);
		if (rc == 0)
			printf("%.3f s, %.1f MB private, a cache of %.1f MB, %llu methods\n", seconds_since(before),
			       (peak_bytes() - base) / MEGABYTE, (double)report.bytes / MEGABYTE,
			       (unsigned long long)report.methods);
	}
	if (rc == 0)
		rc = file_map_fd(&cache, fd, &err);
	if (rc == 0)
		rc = ask(&cache, argv + 2, &err);
	if (rc < 0)
		fprintf(stderr, "%s\n", err.text);
	file_unmap(&cache);
	file_unmap(&map);
	close(fd);
	return rc < 0;
}
