/*
 * raw_records -- the records of minidumps as tables of fields, for minidump_print_raw().
 *
 * Private to minidump.  Names of fields are those of Breakpad's minidump_format.h.
 */
#ifndef MINIDUMP_RAW_RECORDS_H
#define MINIDUMP_RAW_RECORDS_H

#include <stdint.h>

enum raw_form {
	RAW_HEX, RAW_DECIMAL, RAW_TIME,
	RAW_STRING,                  /* the offset of a MINIDUMP_STRING */
	RAW_UTF16,                   /* `count` units */
	RAW_SKIPPED                  /* `count` bytes nobody reads */
};

struct raw_field {
	const char *name;
	uint8_t size;                /* bytes of one */
	uint8_t form;                /* enum raw_form */
	uint16_t count;              /* 0 and 1: one */
};

/* How a stream is laid out. */
enum raw_layout {
	RAW_BYTES,                   /* nobody knows: a hexdump */
	RAW_RECORD,
	RAW_LIST,                    /* a count, perhaps padding, entries */
	RAW_SIZED_LIST,              /* header size, entry size, count, entries */
	RAW_WIDE_LIST,               /* the same with a count of 8 bytes */
	RAW_MEMORY_64_LIST,
	RAW_TEXT
};

struct raw_stream {
	uint32_t type;
	uint8_t layout;              /* enum raw_layout */
	const char *entry;           /* what a record of it is called */
	uint32_t entry_bytes;        /* of a list's; 0: as the stream says */
	const struct raw_field *fields;
	uint8_t field_count;
};

/* Never NULL: what is not known is RAW_BYTES. */
const struct raw_stream *raw_stream_of(uint32_t type);

#endif
