/*
 * applecrash -- Apple's crash reports: the text form of macOS, iOS, watchOS and simulators, and
 * the JSON form (.ips) of newer systems (doc/formats/applecrash.md).
 *
 * Pure: bytes in, facts out.  Texts point into the report or into the arena; both must live as
 * long as the result.  May include: base.
 */
#ifndef APPLECRASH_APPLECRASH_H
#define APPLECRASH_APPLECRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"

struct arena;
struct err;

struct applecrash_frame {
	uint64_t address;            /* absolute */
	struct text module;          /* short name; TEXT_NONE: none is known */
};

struct applecrash_register {
	struct text name;
	uint64_t value;
};

struct applecrash_thread {
	bool has_id;                 /* false: the backtrace of the last exception */
	uint64_t id;
	struct text name;            /* TEXT_NONE: none */
	bool is_crashed;
	const struct applecrash_frame *frames;           /* innermost first */
	size_t frame_count;
	const struct applecrash_register *registers;     /* of the crashed thread alone */
	size_t register_count;
};

struct applecrash_image {
	uint64_t base, size;         /* size 0: unknown */
	struct text name, arch, version, path;   /* TEXT_NONE: not said */
	struct debugid uuid;
};

/* What the report says of itself; TEXT_NONE where it does not. */
struct applecrash {
	bool has_timestamp;
	int64_t timestamp;           /* unix seconds */
	struct text code_type, hardware_model, os_version;
	struct text exception_type, details;
	const struct applecrash_thread *threads;
	size_t thread_count;
	const struct applecrash_image *images;
	size_t image_count;
};

/* Reads either form: what begins with { is JSON, or at least its first line is.  Text that is no
 * report gives an empty one, and so does JSON that is none.  ERR_MALFORMED: not UTF-8; with the
 * line, a number, date or id of the text form that is none; with the byte, what is no JSON.
 * ERR_NO_MEMORY: over the arena's ceiling. */
int applecrash_read(struct applecrash *report, struct text text, struct arena *arena,
		    struct err *err) __attribute__((warn_unused_result));

/* "macOS 12.3 (21E230)" is name "macOS", version "12.3", build "21E230"; the older names of
 * systems become today's.  A text of another shape is all name. */
struct applecrash_system { struct text name, version, build; };
struct applecrash_system applecrash_system_of(struct text os_version);

#endif
