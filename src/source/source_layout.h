/*
 * source_layout -- how a source arranges its files: one row of a table each.
 *
 * Private to source.
 */
#ifndef SOURCE_SOURCE_LAYOUT_H
#define SOURCE_SOURCE_LAYOUT_H

#include "source/shape.h"
#include "source/source.h"

enum { LAYOUT_CASING_DEFAULT, LAYOUT_CASING_LOWER, LAYOUT_CASING_UPPER };

#define LAYOUT_PATHS 4u              /* two recipes, each with a compressed variant */

extern const struct source_layout *const source_layout_default;   /* native */

/* The `layout` member into source->layout and source->casing. */
int source_layout_parse(const struct shape *shape, struct source *source, struct err *err)
	__attribute__((warn_unused_result));

bool source_layout_has(const struct source_layout *layout, enum file_type type);

/* Such places may be servers that ask others, us perhaps: they are told by whom a request came. */
bool source_layout_is_federated(const struct source_layout *layout);

/* Stores of this layout may keep a list of their files. */
/* One of the three that have the paths of Microsoft's symbol stores. */
bool source_layout_is_symstore(const struct source_layout *layout);
bool source_layout_may_have_index(const struct source_layout *layout);

/* Are files that belong to no module looked for in it?  Stores of other makers' layouts are only
 * asked for them where their filters name the type: their servers know none, and need not learn
 * what releases there are. */
bool source_layout_has_releases(const struct source_layout *layout);

/* At most LAYOUT_PATHS relative paths, the preferred one first; *count may be 0.
 * ERR_NO_MEMORY only. */
int source_layout_paths(const struct source_layout *layout, unsigned casing,
			const struct source_query *query, enum file_type type, struct arena *arena,
			struct text paths[LAYOUT_PATHS], size_t *count, struct err *err)
	__attribute__((warn_unused_result));

/* Can it be one component of a path: not empty, `.` or `..`, under 256 bytes, without control
 * characters? */
bool source_layout_is_name(struct text name);
/* The last component of a module's name, when it can; TEXT_NONE otherwise. */
struct text source_layout_basename(struct text name);

/* One building block of the table: appends, or says false when the query does not give it. */
struct buf;
struct source_layout_block {
	const char *name;                    /* as between the braces */
	bool (*build)(const struct source_query *query, bool ssqp, struct buf *out);
};
/* NULL when there is none of that name. */
const struct source_layout_block *source_layout_block_named(struct text name);

#endif
