/*
 * bench_demangle -- how many names of each kind become readable in a second.
 *
 * usage: bench_demangle FILE...    (a name a line; what follows a tab is not read)
 */
#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "demangle/demangle.h"

#define BENCH_SECONDS 1.0

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t all_names(const char *bytes, size_t size, struct buf *out)
{
	size_t count = 0, length;

	for (size_t at = 0; at < size; at++, count++) {
		const char *end = memchr(bytes + at, '\n', size - at);
		const char *tab;

		length = end ? (size_t)(end - bytes) - at : size - at;
		tab = memchr(bytes + at, '\t', length);
		buf_clear(out);
		demangle((struct text){ bytes + at, tab ? (size_t)(tab - bytes) - at : length },
			 LANGUAGE_UNKNOWN, out);
		at += length;
	}
	return count;
}

int main(int argc, char **argv)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	for (int i = 1; i < argc; i++) {
		static char bytes[1 << 20];
		FILE *file = fopen(argv[i], "re");
		size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, count = 0;
		double start = seconds(), spent;

		if (file)
			fclose(file);
		if (size == 0) {
			fprintf(stderr, "bench_demangle: nothing in %s\n", argv[i]);
			return 1;
		}
		do {
			count += all_names(bytes, size, &out);
			spent = seconds() - start;
		} while (spent < BENCH_SECONDS);
		printf("%-40s %9.0f names/s\n", argv[i], (double)count / spent);
	}
	buf_release(&out);
	return 0;
}
