/*
 * mozilla_module -- the modules of one request to Mozilla's API, each once, and how each gets its
 * symbols.  Private to these kinds.
 *
 * A .sym file is looked for first and alone: a store may hold a PDB of gigabytes beside it.  Only
 * where there is none, native files are asked for; ELF files last, since they are filed by a build id,
 * of which a debug id tells the first 16 bytes: folders are looked through for the rest, unless all of it
 * was sent in place of a debug id (mozilla_ids.h).
 */
#ifndef KINDS_MOZILLA_MOZILLA_MODULE_H
#define KINDS_MOZILLA_MOZILLA_MODULE_H

#include "lookup/symcache_lookup.h"
#include "symcache/symcache.h"

enum mozilla_found { MOZILLA_NOT_ASKED, MOZILLA_FOUND, MOZILLA_MISSING };

/* What is told of a module's way to those who ask for figures. */
struct mozilla_figures {
	int64_t asked_at, got_at, made_at;   /* monotonic micros: first asked for; the file was there; its
						SymCache was; 0: never */
	bool has_waited;                     /* it was not in the cache, or not all of it */
	uint64_t fetched_bytes, cached_bytes;
};

/* The files looked for, one after the other. */
enum mozilla_way { MOZILLA_SYM, MOZILLA_NATIVE, MOZILLA_ELF, MOZILLA_WAYS };

struct mozilla_module {
	struct text name, id, key;           /* as they were sent; key: "NAME/ID" */
	bool is_wanted;                      /* some frame is in it */
	struct object_ids ids, elf_ids;
	bool is_identified, is_completed, is_settled;
	enum mozilla_way way;                /* the one it is on, or ended on */
	struct module_lookup lookups[MOZILLA_WAYS];
	struct held held;
	struct symcache cache;               /* over its payload, while it is open */
	bool has_cache;
	enum mozilla_found found;
	struct text file_name;               /* of the module, as its .sym says; TEXT_NONE: it does not */
	const char *error_kind;              /* why not found; NULL: it was */
	struct text error;
	struct mozilla_figures figures;
	size_t job_count, frame_count;       /* that look it up */
	size_t named_by, used_by;            /* the last jobs that do, plus 1 */
};

struct mozilla_modules {
	struct mozilla_module **modules;     /* in the order they were named */
	size_t count, capacity;
	uint32_t *slots;                     /* by name and id: an index plus 1; 0: free */
	size_t slot_count;
	struct held *open;                   /* what is read together */
};

/* No .sym: names are those of compilers. */
static inline bool mozilla_module_is_native(const struct mozilla_module *module)
{
	return module->way != MOZILLA_SYM;
}

/* The one of that name and id, a new one at first.  NULL: no memory. */
struct mozilla_module *mozilla_modules_get(struct mozilla_modules *modules, struct text name,
					   struct text id, struct arena *arena)
	__attribute__((warn_unused_result));
/* READY: all that are wanted are settled. */
enum resolved mozilla_modules_advance(struct mozilla_modules *modules, struct work *work,
				      struct resolver *resolver, struct err *err);
void mozilla_modules_release(struct mozilla_modules *modules);

#endif
