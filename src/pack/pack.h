/*
 * pack -- files written compressed: gzip, zstd, and zip archives with source bundles among them.
 *
 * What is written is the same for the same bytes: no times, no names of ours.
 *
 * May include: base.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"

struct err;

enum pack_kind { PACK_NONE, PACK_GZIP, PACK_ZSTD, PACK_KINDS };

/* "none", "gz", "zst" */
bool pack_kind_named(const char *name, enum pack_kind *kind);

/* From the file's beginning to its end, into out_fd, which is empty. */
int pack_file(enum pack_kind kind, int in_fd, int out_fd, struct err *err)
	__attribute__((warn_unused_result));

/* --- zip_write.c: an archive (PKWARE's APPNOTE 6.3.9, without its 64-bit parts) -------------------- */

#define ZIP_WRITE_BYTES_MAX   ((uint64_t)UINT32_MAX)    /* of the archive */
#define ZIP_WRITE_ENTRIES_MAX 65535u
#define ZIP_WRITE_ENTRY_BYTES ((size_t)64 * 1024 * 1024)

struct zip_writer {
	int fd;                      /* written at its position */
	uint64_t at;                 /* bytes of the archive so far */
	unsigned count;
	struct buf directory;
};

void zip_writer_init(struct zip_writer *zip, int fd);
void zip_writer_release(struct zip_writer *zip);
/* Deflated, where that makes it smaller.  ERR_LIMIT: the archive would be too large. */
int  zip_writer_add(struct zip_writer *zip, struct text name, struct text contents, struct err *err)
	__attribute__((warn_unused_result));
int  zip_writer_end(struct zip_writer *zip, struct err *err) __attribute__((warn_unused_result));

/* --- bundle_write.c: source bundles ("SYSB", a version, a zip with manifest.json) -------------------- */

struct bundle_writer {
	struct zip_writer zip;
	struct buf files;            /* the manifest's, as JSON */
	struct buf name;
	struct map names;            /* zip names that are taken; they lie in the arena */
	struct arena arena;
	unsigned count;
};

struct bundle_attribute { const char *name; struct text value; };

/* The file is empty. */
int  bundle_writer_init(struct bundle_writer *bundle, int fd, struct err *err)
	__attribute__((warn_unused_result));
void bundle_writer_release(struct bundle_writer *bundle);
/* UTF-8 both; a path that is there already gets a number. */
int  bundle_writer_add(struct bundle_writer *bundle, struct text path, struct text contents, struct err *err)
	__attribute__((warn_unused_result));
/* The same, found by its URL too. */
int  bundle_writer_add_url(struct bundle_writer *bundle, struct text path, struct text url, struct text contents,
			   struct err *err) __attribute__((warn_unused_result));
/* Attributes without a value are left out. */
int  bundle_writer_end(struct bundle_writer *bundle, const struct bundle_attribute *attributes,
		       size_t attribute_count, struct err *err) __attribute__((warn_unused_result));

#endif
