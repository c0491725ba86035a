/*
 * minidump_parts -- what the files of this component share.  Private to this component.
 *
 * Readers note what they cannot read with minidump_lose() and go on.  Memory that the arena
 * refused is found out once, at the end of each public function: minidump_check_memory().
 */
#ifndef MINIDUMP_MINIDUMP_PARTS_H
#define MINIDUMP_MINIDUMP_PARTS_H

#include "base/reader.h"
#include "minidump/minidump.h"
#include "minidump/streams.h"

/* --- minidump_parts.c --- */

void minidump_lose(struct minidump *dump, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int minidump_check_memory(const struct minidump *dump, struct err *err)
	__attribute__((warn_unused_result));

/* `size` bytes at `rva`, in the dump's byte order; failed when they are not all there. */
struct reader minidump_part(const struct minidump *dump, const char *name, uint64_t rva,
			    uint64_t size);
/* The same, of a stretch the file may end in: as much as there is. */
struct reader minidump_clamped(const struct minidump *dump, const char *name, uint64_t rva,
			       uint64_t size);
/* The last stream of that type, clamped; a cut one is noted.  False: there is none. */
bool minidump_find_stream(struct minidump *dump, uint32_t type, struct reader *stream);
struct minidump_location minidump_read_location(struct reader *reader);

/* A list within a stream: `count` entries that are really there, read from `entries` on. */
struct minidump_entries { struct reader reader; uint32_t count; };

/* Lists with a count before the entries (and perhaps 4 bytes of padding). */
bool minidump_simple_list(struct minidump *dump, uint32_t type, uint32_t entry_bytes, uint32_t most,
			  struct minidump_entries *entries);
/* Lists that say their header's and entry's size; a count of 8 bytes when `wide`. */
bool minidump_extended_list(struct minidump *dump, uint32_t type, uint32_t entry_bytes, bool wide,
			    uint32_t most, struct minidump_entries *entries);

/* `count` records of `size`, zeroed; NULL with the arena's own flag set when there is no room. */
void *minidump_records(struct minidump *dump, uint32_t count, size_t size);

/* --- minidump_text.c: all in UTF-8, in the arena or the file; TEXT_NONE where it cannot be read --- */

/* MINIDUMP_STRING: a byte count and UTF-16. */
struct text minidump_string(struct minidump *dump, uint64_t rva);
/* Crashpad's: a byte count and UTF-8, in place. */
struct text minidump_utf8_string(struct minidump *dump, uint32_t rva);
/* UTF-16 of a fixed field, up to its NUL. */
struct text minidump_utf16_field(struct minidump *dump, struct reader *reader, uint32_t units);
/* Bytes up to a NUL or the end, in place. */
struct text minidump_c_string(struct reader *reader);

/* --- one for each stream that minidump_read() reads --- */

int minidump_read_system(struct minidump *dump, struct err *err) __attribute__((warn_unused_result));
int minidump_read_threads(struct minidump *dump, struct err *err) __attribute__((warn_unused_result));
void minidump_read_misc(struct minidump *dump);
void minidump_read_breakpad(struct minidump *dump);
void minidump_read_exception(struct minidump *dump);
void minidump_read_modules(struct minidump *dump);
void minidump_read_unloaded(struct minidump *dump);
void minidump_read_memory(struct minidump *dump);
void minidump_find_requesting(struct minidump *dump);

/* --- crash reasons, by system; `out` holds MINIDUMP_REASON_BYTES --- */

struct minidump_code_name { uint32_t code; const char *name; };
/* Of a table sorted by code; NULL: none. */
const char *minidump_code_name(const struct minidump_code_name *table, size_t count, uint32_t code);

void minidump_windows_reason(const struct minidump_exception *exception, char *out);
void minidump_mac_reason(const struct minidump *dump, char *out);

#endif
