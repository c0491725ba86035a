/*
 * sourcecache -- source files ready to be quoted: our own layout (doc/formats/sourcecache.md).
 *
 * Written once from an object that has sources, then mapped and searched in place: opening
 * reads the header only, finding a path is one binary search, a line is two numbers away.
 * The file is untrusted: every index is checked.
 *
 * May include: base, unpack, object.h.
 */
#ifndef SOURCECACHE_SOURCECACHE_H
#define SOURCECACHE_SOURCECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"

struct buf;
struct err;
struct object;

#define SOURCECACHE_NO_LINK UINT32_MAX

struct sourcecache {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	struct debugid debug_id;
	bool slashes_are_one, links_any_path;
	uint32_t file_count, link_count;
	uint64_t string_bytes;
	const uint8_t *files, *links, *strings;      /* inside bytes */
};

/* What the cache says about one path. */
struct sourcecache_source {
	bool is_inside;              /* there are contents, perhaps none to read */
	struct text contents;        /* UTF-8 */
	const uint8_t *line_starts;
	uint32_t line_count;
	struct text url;             /* where it came from, or TEXT_NONE */
	uint32_t link;               /* or the link that says so, or SOURCECACHE_NO_LINK */
};

/* Header and section bounds only; ERR_MALFORMED, ERR_UNSUPPORTED for another version. */
int sourcecache_open(struct sourcecache *cache, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* False: nothing is known of that path. */
bool sourcecache_find(const struct sourcecache *cache, struct text path,
		      struct sourcecache_source *source);

/* Line `number` (from 1) without its end; false: there is none. */
bool sourcecache_line(const struct sourcecache_source *source, uint32_t number, struct text *line);

/* The URL of a source found under that path, appended; nothing when it has none or it would be
 * longer than an URL may be. */
void sourcecache_url(const struct sourcecache *cache, const struct sourcecache_source *source,
		     struct text path, struct buf *url);

struct sourcecache_options {
	uint64_t source_max_bytes;   /* larger files are left out */
	size_t memory_bytes;         /* ceiling of the writer's own memory */
	bool by_url;                 /* files are found by their URLs, of those that have one */
};

struct sourcecache_report {
	size_t files, bad_files, links;      /* bad ones cost themselves */
	uint64_t bytes;
	char first_bad[240];                 /* "" when none */
};

/* Writes all sources of an opened object into the file `fd` (empty). */
int sourcecache_write(const struct object *object, const struct sourcecache_options *options,
		      int fd, struct sourcecache_report *report, struct err *err)
	__attribute__((warn_unused_result));

/* One file, under the empty path.  ERR_MALFORMED when it is no UTF-8. */
int sourcecache_write_one(struct text contents, const struct sourcecache_options *options, int fd,
			  struct sourcecache_report *report, struct err *err)
	__attribute__((warn_unused_result));

#endif
