/*
 * object -- files that can say what an address means.
 *
 * A format is one `struct object_format`, defined const in its own folder and
 * listed once in object.c.  Adding a format adds a folder and one line there;
 * nothing else in the program learns its name.
 *
 * Pure: bytes in, facts out.  No clock, no opening of files named inside the input:
 * a file that needs another says so in `wants` and is given it with object_attach().
 *
 * Addresses handed out are relative to the object's load address.
 * Everything handed out is borrowed: from the mapping, or from the arena given to open.
 *
 * May include: base, unpack.
 */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/debugid.h"
#include "base/text.h"
#include "base/work_budget.h"

struct arena;
struct dwarf;
struct err;
struct object;

enum object_offers {                 /* what a file turned out to hold */
	OBJECT_OFFERS_SYMBOLS = 1 << 0,
	OBJECT_OFFERS_DEBUG   = 1 << 1,
	OBJECT_OFFERS_UNWIND  = 1 << 2,
	OBJECT_OFFERS_SOURCES = 1 << 3,
};

enum object_kind {
	OBJECT_KIND_NONE, OBJECT_KIND_RELOCATABLE, OBJECT_KIND_EXECUTABLE, OBJECT_KIND_LIBRARY,
	OBJECT_KIND_DUMP, OBJECT_KIND_DEBUG, OBJECT_KIND_SOURCE, OBJECT_KIND_OTHER,
	OBJECT_KINDS
};

/* Files one object points to.  The object works without them, knowing less. */
enum object_role {
	OBJECT_ROLE_DWZ,             /* .gnu_debugaltlink / supplementary file */
	OBJECT_ROLE_DWP,             /* package of split units; id is the object's own */
	OBJECT_ROLE_DEBUGLINK,       /* .gnu_debuglink */
	OBJECT_ROLE_DWO,             /* one split unit; id is its 64-bit dwo id in hex */
	OBJECT_ROLE_BCSYMBOLMAP,     /* what hidden names stand for; id is the object's own */
	OBJECT_ROLE_IL2CPP,          /* Unity's line map: no object says that it has one */
	OBJECT_ROLE_SOURCEMAP,       /* of a minified file, which is no object */
	OBJECT_ROLE_JSBUNDLE,        /* what an artifact bundle holds (jsfile/jsbundle.h): for a file of it */
	OBJECT_ROLES
};

struct object_want {
	enum object_role role;
	struct text id;              /* hex build id (or dwo id), or TEXT_NONE */
	struct text name;            /* file name as written in the object, or TEXT_NONE */
	uint32_t crc;                /* of a debuglink target; 0 otherwise */
};

struct object {
	const struct object_format *format;
	const uint8_t *bytes;        /* borrowed: the mapping outlives us */
	size_t size;
	unsigned offers;             /* enum object_offers, or-ed */
	uint32_t arch;               /* enum arch */
	enum object_kind kind;
	struct debugid debug_id;     /* nil when there is none */
	struct text code_id;         /* lower-case hex, or TEXT_NONE */
	struct text debug_file;      /* name of the debug file it points to, or TEXT_NONE */
	struct text code_file;       /* name of the file with the code, where its debug file tells it
				      * (Breakpad), or TEXT_NONE */
	struct text srcsrv_vcs;      /* "git", "perforce", "other" (PDB), or TEXT_NONE */
	uint64_t load_address;       /* subtracted from every address handed out */
	bool undecorates;            /* names follow Windows decoration (PE, PDB) */
	bool symbols_end_at_functions;       /* a symbol without a size is no name for what lies
				      * behind a function that begins after it (PDB) */
	bool wants_variables;        /* in: functions shall come with theirs; set after opening,
				      * before all else.  Few want it, and it takes its time. */
	bool takes_units;            /* in: they are read by object_take_unit(), each once; set
				      * before preparing */
	bool gives_units;            /* out, by preparing: they can only be read so */
	const struct object_want *wants;
	size_t want_count;
	struct work_budget *work;    /* what may be done for the file and its companions */
	struct arena *arena;         /* given to object_open(); owns state */
	struct dwarf *dwarf;         /* of the formats that hold DWARF, once prepared; NULL: none */
	void *state;                 /* the format's own */
};

/* --- What a unit says ---------------------------------------------------------------- */

#define OBJECT_NO_FILE   UINT32_MAX
#define OBJECT_NO_PARENT UINT32_MAX

struct object_file_name {
	struct text comp_dir, directory, name;   /* any may be TEXT_NONE */
};

/* Lasts until the next line's address, the last one to the end of the function's range.
 * file OBJECT_NO_FILE with line 0: nothing known from here on. */
struct object_line {
	uint64_t address;
	uint32_t file;               /* index into the unit's files */
	uint32_t line;               /* 0: unknown */
};

struct object_range {
	uint64_t address, size;
};

/* An inlined call.  Ranges lie inside the parent's and do not overlap siblings'. */
struct object_inlinee {
	uint32_t parent;             /* index of an earlier inlinee, or OBJECT_NO_PARENT */
	uint32_t call_file;          /* where it was inlined: index into the unit's files */
	uint32_t call_line;
	uint32_t language;           /* enum language */
	struct text name;            /* mangled where the file has it; TEXT_NONE: unknown */
	struct text variables;       /* as of a function */
	const struct object_range *ranges;   /* ascending */
	size_t range_count;
};

/* One contiguous piece of a function; a function with several ranges is several of these.
 * One without a name is lines that belong to no function (assembler, padding): it says
 * something only where no function does, and takes the name of a symbol there. */
struct object_function {
	struct object_range range;   /* size > 0 */
	struct text name;
	/* Its parameters and local variables, each "name\0type\0" and once; DWARF only, and only
	 * when the object wants them.  In scratch memory: they go with the unit. */
	struct text variables;
	uint32_t language;
	const struct object_line *lines;         /* strictly ascending addresses, inside the range */
	size_t line_count;
	const struct object_inlinee *inlinees;   /* parents before children */
	size_t inlinee_count;
};

/* Receives one unit's functions.  Called by one thread for one unit; `files` is the unit's
 * whole table and stays valid and the same during the unit.  Nonzero stops the unit with -1
 * (err is then the sink's). */
struct object_sink {
	void *payload;
	int (*function)(void *payload, const struct object_file_name *files, size_t file_count,
			const struct object_function *function, struct err *err);
};

/* What the function costs whoever takes it: charged before it is handed out. */
#define OBJECT_FUNCTION_STEPS 16u
#define OBJECT_INLINEE_STEPS  8u

static inline uint64_t object_function_steps(const struct object_function *function)
{
	uint64_t steps = OBJECT_FUNCTION_STEPS + function->line_count;
	uint64_t bytes = function->name.size + function->variables.size;

	for (size_t i = 0; i < function->inlinee_count; i++) {
		const struct object_inlinee *inlinee = &function->inlinees[i];

		steps += OBJECT_INLINEE_STEPS + inlinee->range_count;
		bytes += inlinee->name.size + inlinee->variables.size;
	}
	return steps + bytes / WORK_BYTES_PER_STEP;
}

struct object_symbol {
	uint64_t address;
	uint64_t size;               /* 0: unknown, reaches to the next */
	struct text name;
	struct text file;            /* source file of a local symbol (STT_FILE), or TEXT_NONE */
};

/* Return nonzero to stop. */
typedef int object_symbol_fn(void *payload, const struct object_symbol *symbol);

/* --- Managed code: methods by number, places by IL offset ------------------------------ */

struct object_document {
	struct text name;
	uint32_t language;
};

struct object_point {
	uint32_t offset;             /* in the method's IL code */
	uint32_t document;           /* index into the documents */
	uint32_t line;
};

struct object_method {
	uint32_t number;             /* row of its definition, from 1 */
	uint32_t kickoff;            /* the method it is the state machine of; 0: none */
	const struct object_point *points;       /* strictly ascending offsets */
	size_t point_count;
};

/* Documents stay valid and the same during the walk; nonzero stops it with -1. */
struct object_managed_sink {
	void *payload;
	int (*method)(void *payload, const struct object_document *documents, size_t document_count,
		      const struct object_method *method, struct err *err);
};

struct object_managed_report {
	size_t methods, bad_methods;             /* bad ones cost themselves */
	char first_bad[240];                     /* "" when none */
};

/* --- Sources ------------------------------------------------------------------------------ */

enum object_source_type {            /* what a source bundle says of its files */
	OBJECT_SOURCE_UNTYPED, OBJECT_SOURCE_PLAIN, OBJECT_SOURCE_MINIFIED, OBJECT_SOURCE_MAP,
	OBJECT_SOURCE_RAM_BUNDLE, OBJECT_SOURCE_TYPES
};

struct object_source {
	enum object_source_type type;
	struct debugid debug_id;     /* of a file of JavaScript; nil: not said */
	struct text_map headers;     /* as it was served, names in lower case; of two the later counts */
	struct text source_map;      /* URL or path of its source map, as a header says it; or TEXT_NONE */
	struct text path;            /* what line records call it; TEXT_NONE or "": none of them does */
	struct text url;             /* where it came from, or TEXT_NONE */
	bool is_inside;              /* false: only the links say where it is */
	struct text packed;          /* its contents, */
	unsigned packing;            /* enum unpack_kind, */
	uint64_t size;               /* and how much they unpack to */
	uint32_t crc;                /* of the unpacked contents; 0: not said */
	char trouble[96];            /* why its contents cannot be had; "" when they can */
};

/* Where sources of a path that begins so are: "C:\\src\\*" -> "https://example.org/" and the rest. */
struct object_source_link {
	struct text pattern, url;
};

struct object_source_sink {
	void *payload;
	/* In the order of the file: of two with one path or URL the later counts. */
	int (*source)(void *payload, const struct object_source *source, struct err *err);
	int (*link)(void *payload, const struct object_source_link *link, struct err *err);
};

/* --- Unwind information -------------------------------------------------------------------- */

enum object_unwind_kind {
	OBJECT_UNWIND_DEBUG_FRAME,   /* DWARF5 §6.4 */
	OBJECT_UNWIND_EH_FRAME,      /* the same as the LSB has it */
	OBJECT_UNWIND_COMPACT,       /* Mach-O __unwind_info */
	OBJECT_UNWIND_PDATA,         /* PE exception directory: RUNTIME_FUNCTION records */
	OBJECT_UNWIND_BREAKPAD,      /* a symbol file, STACK records somewhere in it */
	OBJECT_UNWIND_KINDS
};

/* One section.  The addresses inside are those of the file, not relative to its load address. */
struct object_unwind {
	enum object_unwind_kind kind;
	const char *name;            /* ".eh_frame": for messages */
	struct text bytes;           /* unpacked; as long as the object */
	uint64_t address;            /* where it lies */
	bool big_endian;
	unsigned address_bytes;      /* 4 or 8 */
	uint64_t text_address, data_address;     /* what such pointers are relative to; 0: unknown */
	uint64_t lowest_code;        /* functions below were discarded by the linker; 0: unknown */
};

/* x86's frames as a PDB has them: FPO (type 0 to 3) and frame data (type 4). */
struct object_stack_frame {
	uint32_t type;
	uint32_t address, size;      /* of the code, in the image */
	uint32_t prologue_bytes, parameter_bytes, saved_register_bytes, local_bytes,
		 max_stack_bytes;
	bool uses_base_pointer;
	struct text program;         /* of frame data, else TEXT_NONE; as long as the object */
};

struct object_unwind_sink {
	void *payload;
	int (*section)(void *payload, const struct object_unwind *section, struct err *err);
	int (*stack_frame)(void *payload, const struct object_stack_frame *frame, struct err *err);
};

/* What a thread has taken of an object that gives its units; zero before the first. */
struct object_taken {
	size_t unit;                 /* its number, as it would have without being taken */
	void *state;                 /* the format's own, as long as the object */
};

/* --- A format ------------------------------------------------------------------------ */

struct object_format {
	const char *name;                /* "elf", "macho": in JSON and metrics */
	size_t probe_bytes;              /* how much probe() may look at, at least */
	bool (*probe)(const uint8_t *head, size_t size);

	/* Reads identity and offers; cheap: no unit is read.  Fills *object. */
	int  (*open)(struct object *object, struct arena *arena, struct err *err);

	/* Files with several objects (fat Mach-O); NULL: always one. */
	size_t (*slice_count)(const uint8_t *bytes, size_t size);
	int  (*slice)(const uint8_t *bytes, size_t size, size_t index,
		      struct text *slice, struct err *err);

	/* Takes a companion's bytes (they outlive the object).  NULL: wants none. */
	int  (*attach)(struct object *object, enum object_role role,
		       const uint8_t *bytes, size_t size, struct err *err);

	/* Adds to `wants` the split units (OBJECT_ROLE_DWO) that none of the companions given so
	 * far has brought; may be thousands.  NULL: has none. */
	int  (*want_split_units)(struct object *object, struct err *err);

	/* Makes units readable: finds and unpacks what they need, once, before unit_count().
	 * NULL: nothing to do. */
	int  (*prepare)(struct object *object, struct err *err);

	/* Independent units; different threads may read different ones at once, each with its
	 * own scratch arena, which the callee may rewind.  An error costs that unit only. */
	size_t (*unit_count)(const struct object *object);               /* NULL: has none */
	int  (*read_unit)(const struct object *object, size_t unit, struct arena *scratch,
			  const struct object_sink *sink, struct err *err);
	/* "unit 17 at .debug_info+0x1234 (src/a.c)": for messages.  NULL: the number says it. */
	void (*unit_name)(const struct object *object, size_t unit, char *out, size_t capacity);

	/* Of an object that gives its units.  NULL: none ever does. */
	int  (*take_unit)(const struct object *object, struct object_taken *taken, struct err *err);
	int  (*read_taken)(const struct object *object, const struct object_taken *taken,
			   struct arena *scratch, const struct object_sink *sink, struct err *err);
	void (*taken_name)(const struct object *object, const struct object_taken *taken, char *out,
			   size_t capacity);

	/* All units have been read as often as they will be, by threads that have ended: what
	 * only that needs goes.  Reading one again still works, slowly.  NULL: nothing goes. */
	void (*units_done)(struct object *object);

	/* The symbol table after prepare(): ascending, one symbol per address (symbols.h says
	 * which).  NULL: has none */
	int  (*each_symbol)(const struct object *object, object_symbol_fn *fn, void *payload,
			    struct err *err);

	/* Where the section of that name begins, as addresses are handed out; before prepare() too.
	 * ERR_NOT_FOUND; ERR_UNSUPPORTED where its addresses are not its own.  NULL: has none. */
	int  (*section_address)(const struct object *object, const char *name, uint64_t *address,
				struct err *err);

	/* The bytes of the section of that name as they are stored, packed or not; before prepare() too.
	 * ERR_NOT_FOUND, also of one without bytes.  NULL: has none. */
	int  (*stored_section)(const struct object *object, struct text name, struct text *bytes,
			       struct err *err);

	/* Managed code.  NULL: has none. */
	int  (*each_method)(const struct object *object, struct arena *scratch,
			    const struct object_managed_sink *sink,
			    struct object_managed_report *report, struct err *err);

	/* Sources inside and links to others.  NULL: has none. */
	int  (*each_source)(const struct object *object, struct arena *scratch,
			    const struct object_source_sink *sink, struct err *err);
	/* Do paths that no source has go through the links too?  And are '\\' and '/' one? */
	bool links_any_path, slashes_are_one;

	/* Hands out what tells how to unwind, that which counts first before the others; without
	 * prepare().  Nonzero stops the walk with -1.  NULL: has none. */
	int  (*each_unwind)(struct object *object, const struct object_unwind_sink *sink,
			    struct err *err);
	/* What the file holds of the image from a relative address on, up to where it ends being
	 * one piece; TEXT_NONE where there is nothing.  NULL: it is no image. */
	struct text (*image_at)(const struct object *object, uint64_t address);

	/* Gives back what prepare() took outside the arena.  NULL: nothing. */
	void (*release)(struct object *object);
};

/* The most one section may unpack to, larger ones count as absent: LIMIT_SECTION_BYTES, unless
 * a cell was told otherwise before it opened anything. */
extern uint64_t object_section_max_bytes;

/* The format of these bytes, or NULL. */
const struct object_format *object_recognise(const uint8_t *bytes, size_t size);

/* Recognise and open.  The bytes stay the caller's; the rest is the arena's.
 * ERR_UNSUPPORTED: no format of ours; ERR_MALFORMED: "reading elf: ...". A fat file opens
 * as ERR_UNSUPPORTED: choose a slice first. */
int object_open(struct object *object, const void *bytes, size_t size,
		struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* Before the arena goes: big unpacked sections are not the arena's.  The object is of
 * no use afterwards.  Twice, or after a failed open, is fine. */
void object_release(struct object *object);

/* How many objects the file holds: 1 for everything but fat files. */
size_t object_slice_count(const void *bytes, size_t size);
int object_slice(const void *bytes, size_t size, size_t index, struct text *slice,
		 struct err *err) __attribute__((warn_unused_result));

/* The slice for these ids: debug id with equal UUID and at least
 * that age, else equal code id, else the first that opens.  Either may be absent (nil, TEXT_NONE). */
int object_choose_slice(const void *bytes, size_t size, const struct debugid *debug_id,
			struct text code_id, struct arena *arena, struct text *slice,
			struct err *err) __attribute__((warn_unused_result));

/* Companions come before object_prepare().  One may bring wants of its own (the dwz file of a
 * debuglink target): read `wants` again afterwards. */
int object_attach(struct object *object, enum object_role role, const void *bytes, size_t size,
		  struct err *err) __attribute__((warn_unused_result));
/* For those who can find single split units: asked after the other companions were attached. */
int object_want_split_units(struct object *object, struct err *err)
	__attribute__((warn_unused_result));
int object_prepare(struct object *object, struct err *err) __attribute__((warn_unused_result));
size_t object_unit_count(const struct object *object);
int object_read_unit(const struct object *object, size_t unit, struct arena *scratch,
		     const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
/* The next unit, for the thread that asks with its own `taken`: 1, 0: there are no more, -1: the
 * object cannot be read on.  Only of an object that gives its units: compressed DWARF is never
 * whole in memory then, and one thread unpacks while others read. */
int object_take_unit(const struct object *object, struct object_taken *taken, struct err *err)
	__attribute__((warn_unused_result));
int object_read_taken(const struct object *object, const struct object_taken *taken,
		      struct arena *scratch, const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));
/* Gives back what only reading units needs; what they told stays. */
void object_units_done(struct object *object);
int object_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
		       struct err *err) __attribute__((warn_unused_result));

/* ERR_UNSUPPORTED when the format has none of it. */
int object_section_address(const struct object *object, const char *name, uint64_t *address,
			   struct err *err) __attribute__((warn_unused_result));
int object_stored_section(const struct object *object, struct text name, struct text *bytes,
			  struct err *err) __attribute__((warn_unused_result));
int object_each_method(const struct object *object, struct arena *scratch,
		       const struct object_managed_sink *sink,
		       struct object_managed_report *report, struct err *err)
	__attribute__((warn_unused_result));
int object_each_source(const struct object *object, struct arena *scratch,
		       const struct object_source_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* Nothing is handed out where the format has none. */
int object_each_unwind(struct object *object, const struct object_unwind_sink *sink,
		       struct err *err) __attribute__((warn_unused_result));
struct text object_image_at(const struct object *object, uint64_t address);

const char *object_kind_name(enum object_kind kind);   /* "rel", "exe", "lib", "dbg", ... */
const char *object_role_name(enum object_role role);   /* "dwz", "dwp", "debuglink", ... */

#endif
