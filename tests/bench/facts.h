/*
 * facts -- what a debug file says, written down: the form both sides of the DWARF benchmark
 * write, so that both do the same work in the end.
 *
 *	U name                       a unit, then N name per file of its line table
 *	F start size name            a function's contiguous piece
 *	I depth file line name       an inlined call in it, then R start size per range
 *	L address file line          rows of the line table
 */
#ifndef BENCH_FACTS_H
#define BENCH_FACTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FACTS_BYTES ((size_t)1 << 20)

struct facts {
	FILE *file;              /* NULL: counted only */
	size_t used;
	unsigned long functions, inlinees, ranges, rows;
	char bytes[FACTS_BYTES];
};

static inline void facts_flush(struct facts *facts)
{
	if (facts->file)
		(void)fwrite(facts->bytes, 1, facts->used, facts->file);
	facts->used = 0;
}

static inline void facts_add(struct facts *facts, const char *bytes, size_t size)
{
	if (size > FACTS_BYTES)
		size = FACTS_BYTES;
	if (size > FACTS_BYTES - facts->used)
		facts_flush(facts);
	memcpy(facts->bytes + facts->used, bytes, size);
	facts->used += size;
}

static inline void facts_number(struct facts *facts, uint64_t number)
{
	char digits[17];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	facts_add(facts, digits + at, sizeof(digits) - at);
	facts_add(facts, " ", 1);
}

static inline void facts_begin(struct facts *facts, char what)
{
	const char start[2] = { what, ' ' };

	facts_add(facts, start, sizeof(start));
}

static inline void facts_end(struct facts *facts, const char *name, size_t size)
{
	facts_add(facts, name, size);
	facts_add(facts, "\n", 1);
}

/* Kilobytes of anonymous memory in use now; 0 when the system does not say. */
static inline unsigned long facts_anonymous(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long kilobytes = 0;
	char line[128];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %lu", &kilobytes) == 1)
			break;
	if (status)
		fclose(status);
	return kilobytes;
}

static inline void facts_say(const struct facts *facts, unsigned long anonymous)
{
	printf("functions %lu inlined %lu ranges %lu rows %lu anonymous %lu kB\n",
	       facts->functions, facts->inlinees, facts->ranges, facts->rows, anonymous);
}

#endif
