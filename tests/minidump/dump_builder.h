/*
 * dump_builder -- writes minidumps of either byte order for tests: header, directory, streams.
 *
 * Everything is appended; what points elsewhere is written after what it points to.
 */
#ifndef MINIDUMP_DUMP_BUILDER_H
#define MINIDUMP_DUMP_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "minidump/streams.h"

#define DUMP_STREAMS_MAX 32u

struct dump_builder {
	struct buf out;
	bool big_endian;
	struct { uint32_t type, size, rva; } streams[DUMP_STREAMS_MAX];
	uint32_t stream_count;
};

void dump_begin(struct dump_builder *dump, bool big_endian);
void dump_release(struct dump_builder *dump);

/* Where the next byte goes. */
uint32_t dump_here(const struct dump_builder *dump);
void dump_put(struct dump_builder *dump, const void *bytes, size_t size);
void dump_zeros(struct dump_builder *dump, size_t size);
void dump_u8(struct dump_builder *dump, uint8_t value);
void dump_u16(struct dump_builder *dump, uint16_t value);
void dump_u32(struct dump_builder *dump, uint32_t value);
void dump_u64(struct dump_builder *dump, uint64_t value);
/* Changes what stands somewhere. */
void dump_set_u32(struct dump_builder *dump, uint32_t at, uint32_t value);

/* A MINIDUMP_STRING of ASCII; a string of Crashpad's.  Where they stand. */
uint32_t dump_string(struct dump_builder *dump, const char *text);
uint32_t dump_utf8(struct dump_builder *dump, const char *text);
/* ASCII as UTF-16 in a field of that many units. */
void dump_field(struct dump_builder *dump, const char *text, uint32_t units);

void dump_stream(struct dump_builder *dump, uint32_t type);      /* begins here */
void dump_stream_end(struct dump_builder *dump);
/* Writes header and directory. */
void dump_finish(struct dump_builder *dump);

/* System info of that platform and architecture, version 10.0.22000. */
void dump_system(struct dump_builder *dump, uint32_t platform, uint16_t architecture, const char *csd);
/* An exception of thread 7 with up to 15 parameters, no context. */
void dump_exception(struct dump_builder *dump, uint32_t code, uint32_t flags, uint64_t address,
		    const uint64_t *parameters, uint32_t count);

/* A dump with all streams there are: Linux on amd64, threads 7 (crashed) and 8 (wrote it). */
void dump_sample(struct dump_builder *dump, bool big_endian);
#define DUMP_SAMPLE_STACK 0x7fff0000u
#define DUMP_SAMPLE_RIP   0x401234u
#define DUMP_SAMPLE_RSP   0x7fff0010u

#endif
