/*
 * convert -- what cells do: inspect a downloaded file, make a SymCache, demangle names.
 *
 * Each operation is bytes in by descriptor, files and a small JSON reply out; the asking
 * side has a function that writes the parameters and one that reads the reply.
 *
 * May include: base, unpack, object, demangle, symcache, ppdbcache,
 * sourcecache, cfi, proguard, unwind, minidump, coredump, applecrash, stacktext, sandbox.
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/debugid.h"
#include "base/text.h"
#include "object/object.h"
#include "sandbox/sandbox.h"

struct arena;
struct buf;
struct config;
struct err;

/* The role of a want for what the cell is likely to ask for later.  Answered ABSENT at once, whatever
 * there is. */
#define CONVERT_WANT_AHEAD "ahead"

/* The parameters of minidump and coredump where nobody asks for stacks: threads without frames, and
 * modules. */
#define CONVERT_ONLY_MODULES "modules"

/* The table for nursery_start(). */
extern const struct cell_operation convert_operations[];
extern const size_t convert_operation_count;

/*
 * inspect: input "file" (as downloaded), output "object".
 * Unpacks one level by content, chooses the slice of a fat file by id, opens the object and
 * says what it offers.  `object_written` tells whether "object" holds the result; if not, the
 * input itself is the object.
 */
struct convert_inspect {
	struct debugid debug_id;     /* nil: none */
	struct text code_id;         /* TEXT_NONE: none */
	uint64_t max_bytes;          /* of the unpacked file */
	uint64_t max_section_bytes;
	bool is_copied;              /* the output is written though it is the input as it is */
};
struct convert_meta {
	bool has_debug_info, has_unwind_info, has_symbols, has_sources;
	bool is_extract;             /* it is not the file as it came: unpacked, or a slice of it */
	struct text srcsrv_vcs;      /* TEXT_NONE, "git", "perforce", "other" */
	const struct object_want *wants;
	size_t want_count;
	/* what a person asks for: */
	struct text format, kind, arch, debug_id, code_id, debug_file;
	struct text code_file;       /* of a .sym: the file with the code, where it tells that */
	uint64_t text_bytes;         /* of a .sym: its characters without line ends; else 0 */
};
int convert_inspect_parameters(const struct convert_inspect *inspect, struct buf *out,
			       struct err *err) __attribute__((warn_unused_result));
/* The reply is {"object_written":bool,"meta":{...}}; meta_json gets the part to store. */
int convert_inspect_reply(struct text reply, struct arena *arena, bool *object_written,
			  struct text *meta_json, struct err *err)
	__attribute__((warn_unused_result));
/* Reads what is stored for an object: its features, and the files it wants beside itself. */
int convert_meta_parse(struct text json, struct arena *arena, struct convert_meta *meta,
		       struct err *err) __attribute__((warn_unused_result));

/*
 * auxiliary: input "file" (as downloaded), output "object".
 * A file that is no object but helps to read one: copied, unpacked as by inspect.  Of a UUID map
 * there is no output, only `original`: the UUID the program had before it was built again.
 */
enum convert_auxiliary_kind {
	CONVERT_NAME_MAP,            /* a BCSymbolMap: whether it is one shows where it is used */
	CONVERT_UUID_MAP, CONVERT_LINE_MAP,
	CONVERT_AUXILIARIES
};
struct convert_auxiliary {
	enum convert_auxiliary_kind kind;
	uint64_t max_bytes;          /* of the unpacked file */
};
int convert_auxiliary_parameters(const struct convert_auxiliary *auxiliary, struct buf *out,
				 struct err *err) __attribute__((warn_unused_result));
int convert_auxiliary_reply(struct text reply, struct debugid *original /* nil: none */,
			    struct err *err) __attribute__((warn_unused_result));

/*
 * symcache: input "object", output "symcache"; wants companions by role name ("dwz", "dwp",
 * "debuglink", "dwo", "bcsymbolmap", "il2cpp") while it works.  The reply counts units, bad units, ranges.
 */
struct convert_symcache {
	uint64_t max_section_bytes;
	unsigned threads;
	bool of_variables;           /* see symcache.h: of what functions hold, not what they are called */
	bool wants_split_units;      /* single .dwo files can be found: up to
					LIMIT_CELL_SPLIT_UNITS of them are asked for */
};
struct convert_symcache_reply {
	uint64_t units, bad_units, ranges, bytes;
	uint64_t steps;              /* of work (base/work_budget.h); 0: not said */
	struct text first_bad;
};
int convert_symcache_parameters(const struct convert_symcache *symcache, struct buf *out,
				struct err *err) __attribute__((warn_unused_result));
int convert_symcache_reply_parse(struct text reply, struct arena *arena,
				 struct convert_symcache_reply *out, struct err *err)
	__attribute__((warn_unused_result));

/*
 * cficache: input "object", output "cficache"; no companions.  Without parameters all sizes are
 * those of the program.  The reply is that of symcache, a record being a unit.
 */
struct convert_cficache {
	uint64_t max_section_bytes;
	uint64_t unwind_chain_max;   /* chained unwind information of PE files */
};
int convert_cficache_parameters(const struct convert_cficache *cficache, struct buf *out,
				struct err *err) __attribute__((warn_unused_result));

/*
 * ppdbcache: input "object", output "ppdbcache"; no parameters.  The reply is that of symcache,
 * a method being a unit.
 */

/*
 * section: input "object", output "section": the bytes of one section, as they are stored.  The
 * parameters are its name, of 1 to CONVERT_SECTION_NAME_BYTES bytes; no reply.  ERR_NOT_FOUND: it
 * is not there, or has no bytes.
 */
#define CONVERT_SECTION_NAME_BYTES 256u
int convert_section_parameters(struct text name, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

/*
 * asm: input "object", output "asm": a stretch of its code as JSON: startAddress, arch, syntax, instructions, size.
 * The parameters are convert_asm_text()'s; no reply.  ERR_NOT_FOUND: the file has no such address;
 * ERR_UNSUPPORTED: it is of a processor whose code we do not read.
 */
struct convert_asm {
	uint32_t start, size;        /* relative to the load address; bytes */
	bool to_function_end;        /* if that is behind them */
};
#define CONVERT_ASM_TEXT_BYTES 18u           /* with its NUL */
#define CONVERT_ASM_BYTES_MAX  (128u << 10)  /* of code; the rest is left out */
void convert_asm_text(const struct convert_asm *wanted, char out[CONVERT_ASM_TEXT_BYTES]);

/*
 * sources: input "object", output "sources": all the sources of an object, ready to be quoted.
 * symbfile: input "file" (as uploaded), output "index": a symbfile ready for look-ups.
 * symbfile-make: inputs "symcache" and "object", outputs "ranges" and, unless absent, "pads": symbfiles of it.
 * sourcefile: input "file" (as downloaded), output "sources": that one source file.
 * The reply is that of symcache, a file being a unit.
 */
struct convert_sources { uint64_t source_max_bytes; bool by_url; };
int convert_sources_parameters(const struct convert_sources *sources, struct buf *out,
			       struct err *err) __attribute__((warn_unused_result));

/*
 * jsfile: input "file" (as downloaded), output "jsfile": a file of a JavaScript release (jsfile/jsfile.h).
 * jsbundle: input "object", output "index": what an artifact bundle holds (jsfile/jsbundle.h).
 * bundled: input "object", output "jsfile": one file of it.  Wants that index by the role "jsbundle"; absent, the
 * bundle's manifest is read.  There is no reply.
 */
struct convert_jsfile {
	struct text header;          /* what a header says of its source map; TEXT_NONE: nothing */
	uint32_t number;             /* bundled: of the index */
	uint64_t bytes_max;          /* unpacked */
};
int convert_jsfile_parameters(const struct convert_jsfile *jsfile, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));

/*
 * sourcemap: input "file", a file of a JavaScript release, output "sourcemap": its lookup file
 * (sourcemap/sourcemap.h).  Wants the map, another such file, by the role "sourcemap"; absent, it is
 * inside of the first.  The reply is that of symcache, a function being a unit.
 */
struct convert_sourcemap {
	uint64_t functions, bad_functions;   /* of the minified file; bad ones are parts not read */
	uint64_t tokens, bytes;
	const char *first_bad;               /* what was expected there; NULL: all was read */
};
/* What the operation does, for those who have the two texts. */
int convert_write_sourcemap(struct text map, struct text minified, size_t memory_bytes, int fd,
			    struct convert_sourcemap *made, struct err *err)
	__attribute__((warn_unused_result));

/*
 * proguard: input "file" (as downloaded, packed or not), output "proguard": a mapping of ProGuard or R8 ready
 * for look-ups.  The reply is that of symcache, a line being a unit.
 */
struct convert_proguard { uint64_t max_bytes; };     /* of the unpacked file */
int convert_proguard_parameters(const struct convert_proguard *proguard, struct buf *out,
				struct err *err) __attribute__((warn_unused_result));

/*
 * program: input "object" (a PDB), output "symcache": what the operator's transcoder makes of it.  ERR_CRASHED:
 * it failed, ERR_LIMIT: its time was over.  `scratch` is the folder where folders are made for it to work in.
 */
#define CONVERT_TRANSCODE "program"
struct config_transcoder;
struct convert_transcode {
	const struct config_transcoder *transcoder;
	struct text name;                    /* of the PDB */
	const char *scratch;
	uint64_t memory_bytes, file_bytes, cpu_seconds;      /* ceilings of each of its processes */
};
int convert_transcode_parameters(const struct convert_transcode *transcode, struct buf *out,
				 struct err *err) __attribute__((warn_unused_result));

/*
 * listing: input "file", output "listing": what a source says it holds, turned into lines that
 * can be searched (source/source.h says which).  There is no reply.
 */
enum convert_listing_kind {
	CONVERT_LISTING_FILES,       /* a Sentry server's answer: lines of "TYPE ID" */
	CONVERT_LISTING_LAST_ID,     /* of a symstore: a number */
	CONVERT_LISTING_ARTIFACTS,   /* a Sentry server's answer about a release: see convert_artifact */
	CONVERT_LISTING_INDEX,       /* all its segments, a line end after each: sorted paths */
	CONVERT_LISTINGS
};
struct convert_listing {
	enum convert_listing_kind kind;
	const char *const *types;    /* FILES: one of another type invalidates the listing */
	size_t type_count;
};
/* What is kept of ARTIFACTS: for each one NUL-ended texts, "bundle" or "file", id, url, resolved_with,
 * abs_path, "headers" if it was served with any, and "map" and a text if one of them names a source map. */
struct convert_artifact {
	bool is_bundle, has_headers;
	struct text id, url, resolved_with;
	struct text abs_path;        /* of a file */
	struct text source_map;      /* what a header says of it; TEXT_NONE: none does */
};
/* Takes the next off what is left; false: there is none, or no sense in it. */
bool convert_artifact_take(struct text *records, struct convert_artifact *artifact);
int convert_listing_parameters(const struct convert_listing *listing, struct buf *out,
			       struct err *err) __attribute__((warn_unused_result));

/*
 * minidump-raw: input "minidump", output "text": its streams as they stand there, for people.  No
 * parameters, no reply.
 */

/*
 * minidump, applecrash, coredump, stacktext: input "file" (as uploaded); the reply is what crashed, as JSON of the shape of a
 * request to /symbolicate: "stacktraces" and "modules", and beside them "system_info", "crashed",
 * and where they are known "timestamp", "crash_reason" and "crash_details",
 * as the answer tells them (doc/api/).  No parameters, no output.
 *
 * A core or a minidump may be packed by gzip, zstd, lz4 or xz; then the output "report" holds it while it is read.
 *
 * Of a minidump and a core the stacks are walked here.  The unwind rules and the symbols of a
 * module are wanted by the roles "cfi" and "symcache", with the module, as it stands in the
 * report's list, for a name; what is absent is walked without.  Modules frames lie in are all
 * asked for, so that whoever answers knows them.
 */

/*
 * demangle: resident.  One message holds any number of names, the answer as many.
 * `readable` TEXT_NONE: the name stands for itself.
 */
struct convert_name {
	struct text name;
	enum language language;
	struct text readable;        /* out; in the arena given */
};
int convert_names_message(const struct convert_name *names, size_t count, struct buf *out,
			  struct err *err) __attribute__((warn_unused_result));
int convert_names_reply(struct text reply, struct convert_name *names, size_t count,
			struct arena *arena, struct err *err) __attribute__((warn_unused_result));

#endif
