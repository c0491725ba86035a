/*
 * proguard -- mapping files of ProGuard and R8: what obfuscated classes, methods and lines were called.
 *
 * A mapping (text) is made into a cache once (proguard_write.h), which is mapped and searched in place:
 * opening reads the head, a class is one binary search, a method a second.  Names are borrowed from the
 * cache.  The cache is untrusted: every index is checked where it is used.  Its layout is
 * doc/formats/proguard.md, which tells the rules of remapping too.
 *
 * May include: base.
 */
#ifndef PROGUARD_PROGUARD_H
#define PROGUARD_PROGUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct buf;
struct debugid;
struct err;

/* What one frame may become; more are cut off and that is said. */
#define PROGUARD_FRAMES_MAX (1u << 17)

#define PROGUARD_SECTIONS 11u

struct proguard {
	const uint8_t *sections[PROGUARD_SECTIONS];      /* borrowed; proguard_layout.h */
	uint32_t counts[PROGUARD_SECTIONS];
	struct text map_id, map_hash;        /* what it says of itself (pg_map_id, pg_map_hash); TEXT_NONE */
	bool has_line_info;          /* any method has a line */
	bool is_by_r8;               /* it says so, or has headers only R8 writes */
};

/* ERR_MALFORMED; ERR_UNSUPPORTED: of another version. */
int proguard_open(struct proguard *mapping, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* --- Names -------------------------------------------------------------------------------- */

/* The original name of a class; TEXT_NONE: the mapping does not know it. */
struct text proguard_class(const struct proguard *mapping, struct text obfuscated);
/* The original name of a method whose entries all have the same; TEXT_NONE: unknown, or not one. */
struct text proguard_method(const struct proguard *mapping, struct text obfuscated_class,
			    struct text obfuscated_method);

/* A class with its methods, by obfuscated names, as lines of a mapping.  False: there is none of that index,
 * or the buffer is full. */
bool proguard_dump_class(const struct proguard *mapping, uint32_t index, struct buf *out);

/* --- Frames ------------------------------------------------------------------------------- */

/* How a source file is called: one part after the other.  Both empty: it has no name. */
struct proguard_file { struct text stem, extension; };

struct proguard_frame {
	struct text class_name, method;
	struct proguard_file file;
	uint32_t line;
	bool has_line;               /* false: it is not known, and the frame's own is none */
	bool is_synthesized;         /* made by the compiler */
	bool is_class_only;          /* of the method nothing was found: it keeps its name */
	struct text type, parameters;        /* as the mapping has them; TEXT_NONE: class only */
	uint32_t entry;              /* ascending in the order of the mapping */
};

/* Grown as needed and used again and again: zeroed at first, released once. */
struct proguard_frames {
	struct proguard_frame *frames;       /* the innermost first */
	size_t count, capacity;
	bool is_cut;                 /* there were more than PROGUARD_FRAMES_MAX */
	uint64_t visited;            /* entries that were looked at, of all look-ups */
};
void proguard_frames_release(struct proguard_frames *frames);

struct proguard_query {
	struct text class_name, method;      /* obfuscated */
	uint32_t line;
	bool has_line;               /* 0 is a line too */
	bool by_parameters;          /* where there is no line */
	struct text parameters;      /* original types, a comma between two */
	/* rewriteFrame: */
	bool may_rewrite;            /* no frame of this stack but outlines was before */
	struct text thrown;          /* class of the exception, remapped; TEXT_NONE: none */
};

/* What an outline leaves for the frame after it: one for each mapping and stack, zeroed. */
struct proguard_carry { uint32_t position; bool is_set; };

enum proguard_outcome {
	PROGUARD_UNKNOWN,            /* the class is: nothing was said */
	PROGUARD_FOUND,              /* at least one frame */
	PROGUARD_OUTLINE,            /* it is no frame of anybody's; may_rewrite stays */
	PROGUARD_CLEARED,            /* rules took all frames away; may_rewrite ends */
};

/* The whole rule: outlines, positions they carry, entries, rewriting.  -1: ERR_NO_MEMORY. */
int proguard_remap(const struct proguard *mapping, const struct proguard_query *query,
		   struct proguard_carry *carry, struct proguard_frames *frames,
		   enum proguard_outcome *outcome, struct err *err) __attribute__((warn_unused_result));
/* The entries alone, of a frame without a stack; none where the method has none. */
int proguard_find(const struct proguard *mapping, const struct proguard_query *query,
		  struct proguard_frames *frames, struct err *err) __attribute__((warn_unused_result));

/* The name of a class's source file, where nothing says it: `reference` is the file another class of the
 * same origin has, for its extension; TEXT_NONE: none. */
struct proguard_file proguard_file_of_class(struct text class_name, struct text reference);
void proguard_file_add(struct proguard_file file, struct buf *out);

/* --- Signatures ---------------------------------------------------------------------------- */

/*
 * A method's descriptor, "(ILa/b;)V", in Java's words with original class names; mapping NULL: with the
 * names it has.  `shown` gets "(int, pkg.Class)", `parameters` the types with bare commas between, as
 * queries have them; either may be NULL.  Appended.  False: it is none, and nothing was appended.
 */
bool proguard_signature(const struct proguard *mapping, struct text descriptor, struct buf *shown,
			struct buf *parameters);
/* One type of a descriptor, "[La/b;" as "pkg.Class[]".  False: it is none. */
bool proguard_type(const struct proguard *mapping, struct text descriptor, struct buf *shown);

/* --- The file ------------------------------------------------------------------------------- */

/* Is it a mapping, by its first lines: comments, and a class "a.b.C -> d:"? */
bool proguard_probe(const void *bytes, size_t size);
/* What R8 calls it in its first lines, the whole hash where it says so, else the id: 7 to 64 hexadecimal
 * digits; TEXT_NONE: nothing. */
struct text proguard_own_id(const void *bytes, size_t size);
/* What a mapping is known by: the UUID (version 5) of its bytes. */
struct debugid proguard_uuid(const void *bytes, size_t size);
/* Its id as R8 writes it for source files: "r8-map-id-<id>", alone or behind others; TEXT_NONE: none. */
struct text proguard_map_id(struct text source_file);
/* Is it of the mapping that says so of itself?  At least seven digits have to be the same. */
bool proguard_is_of_map(struct text id, struct text map_id, struct text map_hash);

#endif
