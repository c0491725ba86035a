/*
 * derived.h -- the kinds of derived entries, each a row: from what a cell makes it, and what
 * becomes of that.
 *
 * A kind has a file of its own and a line in the list of derived.c; the workshop knows none of
 * them.  What a cell writes is hostile: a row reads the reply of its operation, and checks what
 * somebody else's cell is said to have written.
 */
#ifndef WORK_DERIVED_H
#define WORK_DERIVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cache/cache.h"
#include "source/source.h"

struct arena;
struct buf;
struct config;
struct derive;
struct err;

enum derived_from {                  /* the file its cell reads */
	DERIVED_FROM_LOCATION,       /* that of derive->location, as it came */
	DERIVED_FROM_OBJECT,         /* the object in it: inspected, and kept under object_key */
	DERIVED_FROM_LINK,           /* what derive->link leads to */
	DERIVED_FROM_SEGMENTS,       /* the segments of derive->listing, one after the other */
	DERIVED_FROM_ENTRY,          /* that of another entry: derive->base */
	DERIVED_FROM_BODY,           /* what was sent with the request; the result is its job's alone */
};

struct derived_kind {
	const char *name;            /* for people */
	enum cache_kind cache;       /* of its keys: version, folder and times are that kind's; of
	                                what is a job's alone: CACHE_KINDS */
	const char *operation;       /* what a cell does (convert/convert.h), */
	const char *input, *output;  /* and the roles of its files */
	enum derived_from from;

	/* What the operation is to be told; NULL: nothing. */
	int (*parameters)(const struct derive *derive, const struct config *config, struct buf *out,
			  struct err *err);
	/* How large the file may be that is fetched; NULL: config->max_download_bytes. */
	uint64_t (*input_bytes_max)(const struct config *config);

	/* What of the reply is kept; NULL: what the cell wrote is, not what it says. */
	int (*payload)(struct text reply, struct arena *arena, struct text *payload, struct err *err);
	size_t row_bytes_max;        /* up to here it stands in its row, above as a blob; a payload()
	                                always does */
	/* Is this what the kind's payload is?  Of what others share; NULL: it goes through a cell
	 * like a download. */
	int (*check)(struct text payload, struct err *err);
	/* Says in the log what is worth knowing of a reply; NULL: nothing is. */
	void (*report)(const struct derive *derive, struct text reply);

	/* May others be asked for it, and told?  NULL: never. */
	bool (*may_share)(const struct derive *derive);
	bool looks_first;            /* nothing else is asked of its file before it: that a folder lacks that is
	                                looked at for this kind, too */
	bool keeps_object;           /* the file that is fetched for it is kept under object_key */
	bool is_object;              /* the cell reads it to tell about it, and says what to keep: with
	                                CACHE_OBJECTS that is all that is kept */
	bool forgets_failures;       /* they are told to who waits, and not remembered */
	bool keeps_old;              /* what is there is believed once more when it cannot be had */
	bool logs_failures;          /* no answer tells of them: the log does */
	bool heeds_head;             /* what the file's server says of its source map is its part, when it
	                                has none */
	bool waits;                  /* its cell asks the job for more (work.h), and waits for it */
	/* A failure that says something else of this kind than of others; NULL: none does. */
	void (*judge)(struct err *failure);
};

/* Nobody else can want it, and it is not kept beyond its job. */
static inline bool derived_is_of_job(const struct derived_kind *kind)
{
	return kind->cache == CACHE_KINDS;
}

/* --- The list: a line for each ------------------------------------------------------------ */

extern const struct derived_kind
	derived_object_meta, derived_object_file,        /* derived_object.c */
	derived_section,             /* derived_section.c */
	derived_asm,                 /* derived_asm.c */
	derived_symcache, derived_variables,             /* derived_symcache.c */
	derived_cficache,            /* derived_cficache.c */
	derived_minidump_report, derived_applecrash_report, derived_coredump_report, /* derived_crash.c */
	derived_stacktext_report,
	derived_linked_minidump_report, derived_linked_applecrash_report,
	derived_ppdb,                /* derived_managed.c */
	derived_sources, derived_url_sources, derived_sourcefile,     /* derived_sources.c */
	derived_jsfile, derived_scraped, derived_jsbundle, derived_bundled,      /* derived_jsfile.c */
	derived_sourcemap,           /* derived_sourcemap.c */
	derived_symbfile,            /* derived_symbfile.c */
	derived_proguard,            /* derived_proguard.c */
	derived_uuid_map, derived_symbol_map, derived_line_map,          /* derived_auxiliary.c */
	derived_wpa,                 /* derived_wpa.c */
	derived_module_listing, derived_artifact_listing, derived_last_id, derived_index;          /* derived_listing.c */

extern const struct derived_kind *const derived_kinds[];
extern const size_t derived_kind_count;

/* --- By what is looked for ---------------------------------------------------------------- */

/* Of a file that is no object but helps to read one. */
const struct derived_kind *derived_auxiliary_of(enum file_type type);
const struct derived_kind *derived_listing_of(enum source_listing_kind kind);

/* --- For rows ----------------------------------------------------------------------------- */

bool derived_may_always_share(const struct derive *derive);
/* Of files as they came: when their source lets others have them. */
bool derived_may_share_file(const struct derive *derive);
/* Units that were left out, of a reply of symcache, ppdbcache or sources. */
void derived_report_units(const struct derive *derive, struct text reply);

#endif
