/*
 * source -- places that hold debug files, and where in them a file would be.
 *
 * A kind (filesystem, http, s3, gcs, sentry) is one const vtable, a layout one
 * row of a table.  From a query (a module's ids, a UUID, or a URL of a release; file types) a
 * source lists locations; nothing here
 * touches the network: a location is opened at once (filesystem) or becomes a fetch order.
 *
 * May include: base, config, fetch (its order), cJSON.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"
#include "fetch/fetch.h"

struct arena;
struct buf;
struct cJSON;
struct config;
struct err;

enum file_type {                     /* names in JSON: file_type_name() */
	FILE_TYPE_PE, FILE_TYPE_PDB, FILE_TYPE_PORTABLEPDB, FILE_TYPE_MACH_DEBUG,
	FILE_TYPE_MACH_CODE, FILE_TYPE_ELF_DEBUG, FILE_TYPE_ELF_CODE, FILE_TYPE_WASM_DEBUG,
	FILE_TYPE_WASM_CODE, FILE_TYPE_BREAKPAD, FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_UUIDMAP,
	FILE_TYPE_BCSYMBOLMAP, FILE_TYPE_IL2CPP, FILE_TYPE_PROGUARD,
	FILE_TYPE_MINIFIED_SOURCE, FILE_TYPE_SOURCE_MAP, FILE_TYPE_SOURCE,       /* of JavaScript */
	FILE_TYPES
};
const char *file_type_name(enum file_type type);
bool file_type_named(struct text name, enum file_type *type);

enum object_type {                   /* "elf", "macho", "pe", "pe_dotnet", "wasm", else unknown */
	OBJECT_TYPE_UNKNOWN, OBJECT_TYPE_ELF, OBJECT_TYPE_MACHO, OBJECT_TYPE_PE,
	OBJECT_TYPE_PE_DOTNET, OBJECT_TYPE_WASM, OBJECT_TYPES
};
const char *object_type_name(enum object_type type);
enum object_type object_type_named(struct text name);

/* What is known of a module. */
struct object_ids {
	enum object_type type;
	struct debugid debug_id;             /* nil: none */
	struct text code_id;                 /* normalised; TEXT_NONE: none */
	struct text code_file, debug_file, debug_checksum;   /* TEXT_NONE: none */
};

/* What a source is asked by: which members of a query count. */
enum source_query_by {
	SOURCE_BY_MODULE,            /* ids, all of them */
	SOURCE_BY_UUID,              /* ids, of which there is the debug id alone: ProGuard mappings and
				      * source bundles of JVM programs */
	SOURCE_BY_URL,               /* url, release, dist and a debug id, as far as they are known: files
				      * of JavaScript, and source bundles that hold some */
};

/* What a source is asked for: files of these types. */
struct source_query {
	enum source_query_by by;
	const struct object_ids *ids;        /* never NULL; BY_URL: the debug id alone, nil: none */
	struct text url;                     /* "https://example.org/app.js", "~/app.js"; TEXT_NONE: none */
	struct text release, dist;           /* TEXT_NONE: none */
	const enum file_type *types;         /* the preferred first */
	size_t type_count;
	const struct fetch_header *federated;    /* for servers that may ask us in turn (layout debuginfod) */
	size_t federated_count;
};

struct source_kind;
struct source {
	const struct source_kind *kind;
	struct text id;
	bool is_public;
	bool has_index;              /* a symstore that lists its files */
	const struct source_pointers *pointers;  /* where file.ptr may lead; NULL: it is not asked for */
	const struct source_filters *filters;    /* the component's own */
	const struct source_layout *layout;
	unsigned casing;
	uint8_t credentials[32];     /* keyed hash of what opens it (headers, tokens); zero: none */
	bool has_credentials;
	struct text proxy;           /* "socks5h://..."; empty: none; TEXT_NONE: the environment's */
	void *state;                 /* the kind's own */
};
struct source_list {
	struct source *sources;
	size_t count;
	/* SHA-256 of the JSON they were read from: the same locations for the same ids. */
	bool has_identity;
	uint8_t identity[32];
};

/* Where the list comes from decides what a filesystem source may name. */
enum source_origin { SOURCE_OF_CONFIG, SOURCE_OF_REQUEST };

/* A JSON array of source objects.  ERR_BAD_SHAPE: "sources[2]: unknown type `ftp`". */
int source_list_parse(const struct cJSON *array, enum source_origin origin,
		      const struct config *config, struct arena *arena,
		      struct source_list *list, struct err *err)
	__attribute__((warn_unused_result));

/* Reads the config file's as source_list_parse() does, telling everything that is wrong or odd:
 * keys nobody knows, folders that are not there, one id for two places.  `place` is
 * "sources[2].path".  -1: there are errors, of which `err` has the first. */
enum source_note_kind { SOURCE_NOTE_ERROR, SOURCE_NOTE_WARNING };
typedef void source_note_fn(void *payload, enum source_note_kind kind, const char *place,
			    const char *words);
int source_list_check(const struct cJSON *array, const struct config *config, struct arena *arena,
		      source_note_fn *note, void *payload, struct err *err)
	__attribute__((warn_unused_result));

struct location {
	const struct source *source;
	enum file_type type;
	struct text path;            /* relative to the source */
	struct text uri;             /* as candidates and cache keys name it */
	struct text address;         /* where a server said it is; TEXT_NONE: where the path is */
	const struct source_query *query;    /* what it answers; stays as long */
};
struct location_list { struct location *locations; size_t count, capacity; };

/* Appends this source's locations in order of preference (file types in the query's order). */
int source_locations(const struct source *source, const struct source_query *query,
		     struct arena *arena, struct location_list *list, struct err *err)
	__attribute__((warn_unused_result));

/* Could it hold files of that type of a module at all? */
bool source_may_hold(const struct source *source, enum file_type type);

/* --- Sources that say what they hold --------------------------------------------------------
 *
 * A sentry source is asked about each module.  A symstore with an index says the number of its
 * last segment; all segments together make the list of its files.  What is kept of either is a
 * text that a cell made of it (convert's operation "listing"), in the cache, whose scope is
 * global; it is believed no more than the cell is. */
enum source_listing_kind {
	SOURCE_LISTING_NONE,         /* there is nothing to ask */
	SOURCE_LISTING_MODULE,       /* sentry: lines of "TYPE ID" */
	SOURCE_LISTING_ARTIFACTS,    /* sentry, asked BY_URL: see source_artifact_location() */
	SOURCE_LISTING_LAST_ID,      /* symstore: a number */
	SOURCE_LISTING_INDEX,        /* symstore: sorted paths, a line each */
};
struct source_listing {
	enum source_listing_kind kind;
	const struct source *source;
	struct location location;    /* what is read for it; INDEX: the folder of the segments */
	struct text key;             /* of the cache, after the scope */
	uint64_t last_id;            /* INDEX */
};
bool source_is_listed(const struct source *source);
/* What to ask it first. */
int source_listing_first(const struct source *source, const struct source_query *query,
			 struct arena *arena, struct source_listing *listing, struct err *err)
	__attribute__((warn_unused_result));
/* What to ask after that; `text` is what it gave.  NONE: the text is the list. */
int source_listing_next(const struct source_listing *listing, struct text text,
			struct arena *arena, struct source_listing *next, struct err *err)
	__attribute__((warn_unused_result));
/* The types a Sentry server's file may be of: an answer that names another one is no answer.
 * Static memory. */
const char *const *source_listed_types(size_t *count);
/* As source_locations(), of a listed source; without a text there are none. */
int source_listed_locations(const struct source *source, struct text text,
			    const struct source_query *query, struct arena *arena,
			    struct location_list *list, struct err *err)
	__attribute__((warn_unused_result));

/* A file that the answer to a question BY_URL names: by its id, at an absolute address, which is
 * sent what opens the source only where it begins with the source's own. */
int source_artifact_location(const struct source *source, const struct source_query *query,
			     enum file_type type, struct text id, struct text address,
			     struct arena *arena, struct location *location, struct err *err)
	__attribute__((warn_unused_result));

/* Segments 1 to last_id of an INDEX. */
int source_segment(const struct source_listing *index, uint64_t number, struct arena *arena,
		   struct location *location, struct text *key, struct err *err)
	__attribute__((warn_unused_result));
/* How a location is reached: at once by descriptor, or by a transfer. */
enum source_access { SOURCE_OPENED, SOURCE_ORDERED, SOURCE_NEEDS_CREDENTIAL };
/* OPENED: *fd is read-only (filesystem: mapped in place, never copied).  ORDERED: the order is
 * filled but for its fd and max_bytes.  NEEDS_CREDENTIAL: get one and call source_reach_with().
 * ERR_NOT_FOUND, ERR_DENIED, ERR_DOWNLOAD, ERR_IO. */
int source_reach(const struct location *location, struct arena *arena, enum source_access *access,
		 int *fd, struct fetch_order *order, struct err *err)
	__attribute__((warn_unused_result));

/* Is it a file.ptr, a text that says where on this machine the file is?  What was got is not the file
 * then, and at most SOURCE_POINTER_BYTES: source_follow() opens it.  ERR_DENIED: it leads where
 * the operator does not want, or refuses; ERR_DOWNLOAD: to nothing; ERR_MALFORMED, ERR_IO. */
#define SOURCE_POINTER_BYTES 4096u
bool source_is_pointer(const struct location *location);
int source_follow(const struct location *location, int pointer, struct arena *arena, int *fd,
		  struct err *err) __attribute__((warn_unused_result));

/* What folders lacked, so that one look at a folder now says it still lacks all of it; for one thread. */
struct source_absences;
struct source_absences *source_absences_new(void);       /* NULL: no memory */
void source_absences_free(struct source_absences *absences);
/* From here on each folder is looked at again. */
void source_absences_begin_request(struct source_absences *absences);
/* Is it plain that there is no such file?  A look that asks nobody but the kernel; false where that
 * does not tell, or the source does not let us look.  `absences` may be NULL. */
bool source_lacks(const struct location *location, struct source_absences *absences);
int source_reach_with(const struct location *location, struct text credential, struct arena *arena,
		      enum source_access *access, int *fd, struct fetch_order *order,
		      struct err *err) __attribute__((warn_unused_result));

/* What opens some sources has to be asked for first: a token, the keys of this machine.  It is
 * good for all sources whose credentials have the same name, and for some time. */
struct source_credential {
	struct fetch_order order;    /* to be carried out, but for its fd and max_bytes */
	struct text secret;          /* the credential, for source_reach_with() */
	int64_t until;               /* unix seconds */
	unsigned step;               /* the kind's own, zero at first */
	struct text memory;          /* likewise */
};
#define SOURCE_CREDENTIAL_BYTES ((uint64_t)256 * 1024)     /* an answer on the way to one */

void source_credential_name(const struct source *source, uint8_t name[32]);
/* 1: carry out the order and step again with what it brought; 0: there it is; -1.  Everything
 * lies in the arena, which stays from step to step. */
int  source_credential_step(const struct source *source, struct source_credential *credential, struct text answer,
		      struct arena *arena, struct err *err) __attribute__((warn_unused_result));
/* An order failed: puts it in the source's own words. */
void source_credential_fail(const struct source *source, struct err *err);

/* Why a header of that name cannot be added to what we ask; NULL: it can (see header.h). */
const char *source_header_refusal(struct text name, bool is_operator);

/* A build id that begins with these lower-case digits, where a folder of the operator's has a file by
 * it, as gdb files them ("ab/cdef...", whatever follows the id): lower case, NUL-ended.  False: it has
 * none, or cannot be looked through.  Of several the first in order.  Looks into one folder. */
#define SOURCE_BUILD_ID_BYTES 129u
bool source_find_build_id(const struct source *source, struct text beginning,
			  char out[SOURCE_BUILD_ID_BYTES]);

/* Does a file of this source get copied into the object cache? (filesystem: no) */
bool source_is_local(const struct source *source);

#endif
