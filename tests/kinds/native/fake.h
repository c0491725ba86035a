/*
 * fake -- the components below symbolicate, made of tables: a resolver that knows what it was
 * told, and SymCache bytes written by hand.
 */
#ifndef TESTS_SYMBOLICATE_FAKE_H
#define TESTS_SYMBOLICATE_FAKE_H

#include "base/buf.h"
#include "config/config.h"
#include "work/work.h"

struct fake_entry {
	const struct derived_kind *kind;
	const char *location;        /* how its URI ends */
	enum err_kind failure;       /* ERR_NONE: ready, with this payload */
	struct text payload;         /* or the failure's details */
	unsigned waits;              /* so many WAITs first */
	unsigned damaged;            /* so many damaged payloads first */
};

/* An entry whose file is changed while it is read. */
#define FAKE_CHANGES 3u
struct cache_hold { bool is_changed, is_unreadable; };
struct fake_change {
	const struct fake_entry *entry;
	unsigned times;
	struct text payload;         /* what it holds then */
	bool is_unreadable;          /* instead, nobody touched it, but it cannot be read */
	struct cache_hold hold;
};

struct fake_resolver {
	struct resolver resolver;
	struct fake_entry *entries;
	size_t count;
	struct fake_change changes[FAKE_CHANGES];
	struct fake_entry *variables;        /* the SymCache with variables; NULL: not found */
	unsigned asked, waited, invalidated, name_messages, name_waits;
	unsigned auxiliaries;        /* answers about files that are no objects */
	size_t names;
	struct text last_symcache_key;
	char key_bytes[2048];
};

/* work->kind->parse() of bytes. */
int fake_parse(struct work *work, struct text body, struct err *err);

/* What is not in the table is not found. */
void fake_resolver_init(struct fake_resolver *fake, struct fake_entry *entries, size_t count);
/* How many entries are held that nobody gave back. */
extern int fake_holds;

/* Two functions, one of them inlined in the first, a C function, a bare symbol:
 *	0x100 outer at /src/lib/a.cpp:9, 0x110 inner at :77 inlined at :10, 0x120 outer at :11
 *	0x200 main at /src/main.c:5      0x300 bare    0x400 nothing */
void fake_symcache(struct buf *out, uint32_t arch);
/* The same with variables for names: outer has n (int), inner v (char**) and w (void*), the
 * others none. */
void fake_variables(struct buf *out, uint32_t arch);

/* One candidate's features as they are stored. */
#define FAKE_META_DEBUG \
	"{\"has_debug_info\":true,\"has_unwind_info\":true,\"has_symbols\":true,\"has_sources\":false}"
#define FAKE_META_SYMBOLS \
	"{\"has_debug_info\":false,\"has_unwind_info\":true,\"has_symbols\":true,\"has_sources\":false}"
#define FAKE_META_SOURCES \
	"{\"has_debug_info\":false,\"has_unwind_info\":false,\"has_symbols\":false,\"has_sources\":true}"
#define FAKE_META_NOTHING \
	"{\"has_debug_info\":false,\"has_unwind_info\":false,\"has_symbols\":false,\"has_sources\":false}"

/* The defaults that matter here. */
extern const struct config fake_config;

#endif
