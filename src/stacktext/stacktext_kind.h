/*
 * stacktext_kind -- which kind of file or text somebody dropped, by a look at its first bytes.
 *
 * A guess for people who drop or paste something: the reader of that kind has the last word.  Pure, and
 * bounded by STACKTEXT_HEAD_BYTES whatever is given.  May include: base.
 */
#ifndef STACKTEXT_STACKTEXT_KIND_H
#define STACKTEXT_STACKTEXT_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define STACKTEXT_HEAD_BYTES ((size_t)128 * 1024)    /* looked at: of a core its first, of a log 1,500 lines */

enum stacktext_kind {
	STACKTEXT_UNKNOWN,
	STACKTEXT_REQUEST_NATIVE,    /* the body of POST /symbolicate */
	STACKTEXT_REQUEST_JS,        /* ... /symbolicate-js */
	STACKTEXT_REQUEST_JVM,       /* ... /symbolicate-jvm */
	STACKTEXT_REQUEST_ANY,       /* ... /symbolicate-any */
	STACKTEXT_REQUEST_MOZILLA,   /* ... /symbolicate/v5 (jobs) or v4 */
	STACKTEXT_MINIDUMP,
	STACKTEXT_APPLE,             /* an Apple crash report, text */
	STACKTEXT_IPS,               /* the same as JSON, perhaps with text behind its first line */
	STACKTEXT_CORE,              /* an ELF core, perhaps packed */
	STACKTEXT_JS,                /* a stack of JavaScript as text (js_stack.h) */
	STACKTEXT_JVM,               /* a stack of Java as text; native frames of Android may be in it */
	STACKTEXT_NATIVE,            /* a stack of native code as text (stacktext.h) */
	STACKTEXT_KINDS
};

/* Of STACKTEXT_NATIVE: whose text most lines are. */
enum stacktext_dialect {
	STACKTEXT_NO_DIALECT,
	STACKTEXT_GDB, STACKTEXT_SANITIZER, STACKTEXT_GLIBC, STACKTEXT_ANDROID, STACKTEXT_RUST,
	STACKTEXT_STACKWALK, STACKTEXT_STACKWALK_MACHINE, STACKTEXT_LLDB,
	STACKTEXT_DIALECTS
};

struct stacktext_detected {
	enum stacktext_kind kind;
	enum stacktext_dialect dialect;
	bool is_packed;              /* of STACKTEXT_CORE: gzip, zstd, xz or lz4; what is in it is not known */
	const char *reason;          /* of STACKTEXT_UNKNOWN: what it is instead, a phrase in lower case; else NULL */
};

/* The beginning of a file, or all of it. */
struct stacktext_detected stacktext_detect(struct text bytes);

/* "minidump", "symbolicate-js": for forms and logs; of dialects "gdb", "sanitizer"... */
const char *stacktext_kind_name(enum stacktext_kind kind);
bool stacktext_kind_named(struct text name, enum stacktext_kind *kind);
const char *stacktext_dialect_name(enum stacktext_dialect dialect);

#endif
