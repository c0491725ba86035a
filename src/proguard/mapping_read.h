/*
 * mapping_read -- a mapping's text, one record after the other (doc/formats/proguard.md, "Mapping files").
 *
 * Every byte string is a mapping: what cannot be read is a failed record, and reading goes on at the next
 * line.  Records borrow from the text.  Reading is linear in the text's size, whatever it holds.
 *
 * May include: base.
 */
#ifndef PROGUARD_MAPPING_READ_H
#define PROGUARD_MAPPING_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum mapping_record_kind {
	MAPPING_FAILED,
	MAPPING_HEADER,              /* "# key: value" */
	MAPPING_R8_HEADER,           /* "# {...}": whether it is one, mapping_header.h tells */
	MAPPING_CLASS, MAPPING_FIELD, MAPPING_METHOD,
};

/* Numbers are 64 bit as they are written. */
struct mapping_record {
	enum mapping_record_kind kind;
	struct text original, obfuscated;    /* class, field, method */
	struct text type;            /* field, method */
	struct text receiver;        /* method: the class before its name; TEXT_NONE: none stands there */
	struct text arguments;       /* method: what stands in the parentheses */
	struct text declaration;     /* method: from its type to the closing parenthesis */
	uint64_t start, end, original_start, original_end;
	bool has_range, has_original_start, has_original_end;
	struct text key, value;      /* header; value TEXT_NONE: no colon */
	struct text json;            /* R8's header */
};

struct mapping_reader {
	const char *bytes;
	size_t size, pos;
	bool is_ascii;               /* what was looked at of the record; false: it may not be */
	size_t blanks_from, blanks_end;      /* the blanks found last */
	size_t failed_at;            /* what begins here was seen to be no record; SIZE_MAX: nothing */
	size_t record_at, text_at;   /* of the last record: where its line, and its text, begins */
};

struct mapping_reader mapping_reader_over(struct text text);
/* False: the end. */
bool mapping_reader_next(struct mapping_reader *reader, struct mapping_record *record);
/* The R8 header just read is none: its line is a failed record. */
void mapping_reader_refuse(struct mapping_reader *reader);
/* One line by itself; MAPPING_FAILED also when more stands behind the record. */
struct mapping_record mapping_read_line(struct text line);

/* Is it a mapping at all?  Among the first 50 records is a class with a member after it. */
bool mapping_read_is_valid(struct text text);

#endif
