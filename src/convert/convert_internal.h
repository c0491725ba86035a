/*
 * convert_internal -- what the files of this component share.  Private to this component.
 */
#ifndef CONVERT_CONVERT_INTERNAL_H
#define CONVERT_CONVERT_INTERNAL_H

#include "convert/convert.h"

struct cJSON;
struct cell;
struct file_map;
struct json_writer;

/* A reply of one of our operations is small; anything larger is a cell gone wrong. */
#define CONVERT_REPLY_BYTES_MAX ((size_t)1 << 20)
#define CONVERT_WANT_ID_BYTES_MAX 256u       /* longer ones are left out */
#define CONVERT_WANT_NAME_BYTES_MAX 1024u

/* Names travel as records: how much of each is believed. */
#define CONVERT_NAMES_MAX (1u << 20)

/* Short enough to be named to the asking side. */
static inline bool convert_may_tell(const struct object_want *want)
{
	return want->id.size <= CONVERT_WANT_ID_BYTES_MAX &&
	       want->name.size <= CONVERT_WANT_NAME_BYTES_MAX;
}

int convert_run_inspect(struct cell *cell, struct err *err);
int convert_run_auxiliary(struct cell *cell, struct err *err);
int convert_run_symcache(struct cell *cell, struct err *err);
int convert_run_cficache(struct cell *cell, struct err *err);
int convert_run_ppdbcache(struct cell *cell, struct err *err);
int convert_run_section(struct cell *cell, struct err *err);
int convert_run_asm(struct cell *cell, struct err *err);
int convert_run_sources(struct cell *cell, struct err *err);
int convert_run_sourcefile(struct cell *cell, struct err *err);
int convert_run_symbfile_make(struct cell *cell, struct err *err);
int convert_run_sourcemap(struct cell *cell, struct err *err);
int convert_run_jsfile(struct cell *cell, struct err *err);
int convert_run_jsbundle(struct cell *cell, struct err *err);
int convert_run_bundled(struct cell *cell, struct err *err);
int convert_run_symbfile(struct cell *cell, struct err *err);
int convert_run_proguard(struct cell *cell, struct err *err);
int convert_run_listing(struct cell *cell, struct err *err);
int convert_run_minidump_raw(struct cell *cell, struct err *err);
int convert_run_demangle(struct cell *cell, struct err *err);
int convert_run_minidump(struct cell *cell, struct err *err);
int convert_run_coredump(struct cell *cell, struct err *err);
int convert_run_transcode(struct cell *cell, struct err *err);
int convert_run_applecrash(struct cell *cell, struct err *err);
int convert_run_stacktext(struct cell *cell, struct err *err);

void convert_meta_write(const struct convert_meta *meta, struct json_writer *json);
/* False: it is not written so, or memory is short; nothing was taken from the arena. */
bool convert_meta_read_quickly(struct text json, struct arena *arena, struct convert_meta *meta);

/* What an input says, unpacked where it is packed (unpacked_text.c): into the output, which serves as the place
 * to unpack to and is empty again afterwards.  *held is given back by mem_give_back(), whatever comes of it. */
struct convert_packed {
	const struct file_map *map;  /* of `in` */
	int in, out;
	uint64_t max_bytes;
	bool may_be_archive;         /* of one file */
};
int convert_unpack_text(const struct convert_packed *packed, struct text *text, char **held, struct err *err)
	__attribute__((warn_unused_result));

/* The UUID a program had before it was built again (uuidmap.c). */
int convert_uuidmap_read(struct text xml, struct debugid *original, struct err *err)
	__attribute__((warn_unused_result));

/* What a listing says, in our own lines (listing_read.c).  ERR_MALFORMED; ERR_LIMIT: too many. */
int convert_listing_read(const struct convert_listing *listing, struct text answer,
			 struct buf *lines, struct err *err) __attribute__((warn_unused_result));

/* The same of files and bundles of a JavaScript release (artifacts_read.c). */
int convert_artifacts_read(struct text answer, struct buf *records, struct err *err)
	__attribute__((warn_unused_result));

/* --- JSON that a cell may have written (convert_json.c) ------------------------------------------ */

/* An object of JSON, refused when it is larger, deeper or fuller than ours ever are: cJSON
 * takes 64 bytes for every value.  Free with cJSON_Delete(). */
int convert_json_parse(struct text json, struct cJSON **object, struct err *err)
	__attribute__((warn_unused_result));
/* A member of an object; absent or of another type: false, 0, TEXT_NONE. */
bool convert_json_bool(const struct cJSON *object, const char *name);
/* A size written as text; absent: UINT64_MAX, no limit. */
uint64_t convert_json_size(const struct cJSON *object, const char *name);
uint64_t convert_json_u64(const struct cJSON *object, const char *name);
int convert_json_text(const struct cJSON *object, const char *name, struct arena *arena,
		      struct text *out, struct err *err) __attribute__((warn_unused_result));
/* Borrowed from the object: NUL-ended, or NULL. */
const char *convert_json_string(const struct cJSON *object, const char *name);

#endif
