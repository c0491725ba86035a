/* cfi_sort.c -- entries in the order of the text.  One sort by digits: half a million entries are
 * in order after four passes. */
#include "cfi/cfi_writer.h"

#include "base/mem.h"

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

static bool is_ascending(const struct cfi_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (entries[i - 1].start > entries[i].start)
			return false;
	return true;
}

static void sort_digit(const struct cfi_entry *from, struct cfi_entry *to, size_t count,
		       unsigned shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i].start >> shift & (DIGITS - 1)]++;
	for (unsigned i = 0; i < DIGITS; i++) {
		size_t here = at[i];

		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
}

/* Equal starts stay in their order. */
static int sort_by_start(struct cfi_writer *writer, struct err *err)
{
	uint64_t all = 0;
	struct cfi_entry *other;

	if (is_ascending(writer->entries, writer->entry_count))
		return 0;
	other = mem_get_array(writer->entry_count, sizeof(*other));
	if (!other)
		return err_set(err, ERR_NO_MEMORY, "no memory to sort %zu records",
			       writer->entry_count);
	for (size_t i = 0; i < writer->entry_count; i++)
		all |= writer->entries[i].start;
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS) {
		struct cfi_entry *sorted = other;

		sort_digit(writer->entries, sorted, writer->entry_count, shift);
		other = writer->entries;
		writer->entries = sorted;
		writer->entry_capacity = writer->entry_count;
	}
	mem_give_back(other);
	return 0;
}

/* The shortest of those that start there, the first of equals; *next is behind them. */
static struct cfi_entry choose(const struct cfi_entry *entries, size_t count, size_t at,
			       size_t *next)
{
	struct cfi_entry best = entries[at];

	for (*next = at + 1; *next < count && entries[*next].start == best.start; ++*next)
		if (entries[*next].size < best.size)
			best = entries[*next];
	return best;
}

int cfi_writer_sort(struct cfi_writer *writer, struct err *err)
{
	size_t kept = 0, next;
	uint64_t end = 0;

	if (sort_by_start(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < writer->entry_count; i = next) {
		struct cfi_entry entry = choose(writer->entries, writer->entry_count, i, &next);

		if (kept > 0 && entry.start < end)
			continue;
		end = entry.start + entry.size;
		writer->entries[kept++] = entry;
	}
	writer->entry_count = kept;
	return 0;
}
