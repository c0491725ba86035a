/* fake.c -- see fake.h. */
#include "kinds/native/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "base/limits.h"
#include "support/support.h"

const struct config fake_config = { .request_memory_bytes = LIMIT_REQUEST_ARENA_BYTES };

int fake_holds;

int fake_parse(struct work *work, struct text body, struct err *err)
{
	const struct work_body sent = work_body_of(body);

	return work->kind->parse(work, &sent, err);
}

/* --- The resolver ------------------------------------------------------------------------ */

static struct fake_entry *find(struct fake_resolver *fake, const struct derive *derive)
{
	if (derive->kind == &derived_variables)
		return fake->variables;
	for (size_t i = 0; i < fake->count; i++)
		if (fake->entries[i].kind == derive->kind &&
		    text_ends_with(derive->location->uri, fake->entries[i].location))
			return &fake->entries[i];
	return NULL;
}

static struct fake_change *find_change(struct fake_resolver *fake, const struct fake_entry *entry)
{
	for (unsigned i = 0; i < FAKE_CHANGES; i++)
		if (fake->changes[i].entry == entry && fake->changes[i].times)
			return &fake->changes[i];
	return NULL;
}

static void give_changed(struct fake_change *change, struct cache_found *found)
{
	if (!change)
		return;
	found->payload = change->payload;
	change->hold.is_changed = !change->is_unreadable;
	change->hold.is_unreadable = true;
	found->hold = &change->hold;
}

static void remember_key(struct fake_resolver *fake, const struct derive *derive)
{
	if (derive->key.kind != CACHE_SYMCACHES || derive->key.text.size > sizeof(fake->key_bytes))
		return;
	memcpy(fake->key_bytes, derive->key.text.bytes, derive->key.text.size);
	fake->last_symcache_key = (struct text){ fake->key_bytes, derive->key.text.size };
}

static enum resolved entry(struct resolver *resolver, const struct derive *derive,
			   struct cache_found *found, struct err *err)
{
	static struct cache_hold nothing;
	struct fake_resolver *fake = (struct fake_resolver *)resolver;
	struct fake_entry *known = find(fake, derive);

	(void)err;
	fake->asked++;
	remember_key(fake, derive);
	if (known && known->waits) {
		known->waits--;
		fake->waited++;
		return RESOLVED_WAIT;
	}
	fake_holds++;
	fake->auxiliaries += strcmp(derive->kind->operation, "auxiliary") == 0;
	*found = (struct cache_found){ .state = CACHE_FAILED, .failure = ERR_NOT_FOUND,
				       .hold = &nothing };
	if (!known)
		return RESOLVED_READY;
	found->failure = known->failure;
	found->details = known->payload;
	if (!known->failure) {
		found->state = CACHE_READY;
		found->payload = known->damaged ? TEXT("damaged") : known->payload;
		give_changed(find_change(fake, known), found);
	}
	return RESOLVED_READY;
}

static enum resolved names(struct resolver *resolver, struct convert_name *list, size_t count,
			   struct arena *arena, struct err *err)
{
	static const struct { const char *name, *readable; } known[] = {
		{ "_Z5outeri", "outer(int)" }, { "_ZN5innerEv", "inner()" },
		{ "_Z4mainv", "main()" }, { "_Zstart", "_start" },
	};
	struct fake_resolver *fake = (struct fake_resolver *)resolver;

	(void)arena, (void)err;
	if (fake->name_waits) {
		fake->name_waits--;
		return RESOLVED_WAIT;
	}
	fake->name_messages++;
	fake->names += count;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++)
			if (text_is(list[i].name, known[j].name))
				list[i].readable = text_of(known[j].readable);
	return RESOLVED_READY;
}

static void invalidate(struct resolver *resolver, const struct derive *derive,
		  const struct cache_found *found, const char *why)
{
	struct fake_resolver *fake = (struct fake_resolver *)resolver;
	struct fake_entry *known = find(fake, derive);
	struct fake_change *change = find_change(fake, known);

	(void)why;
	if (!found->hold)
		abort();             /* the fuzz target links no Check */
	fake->invalidated++;
	if (change) {
		change->times--;
		return;
	}
	if (known && known->damaged)
		known->damaged--;
}

void fake_resolver_init(struct fake_resolver *fake, struct fake_entry *entries, size_t count)
{
	*fake = (struct fake_resolver){
		.resolver = { .entry = entry, .names = names, .invalidate = invalidate },
		.entries = entries, .count = count,
	};
}

/* --- A SymCache, by its published layout ------------------------------------------------------ */

#define NONE UINT32_MAX
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void add_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void pad(struct buf *out)
{
	while (out->size % 8)
		buf_add_char(out, 0);
}

static uint32_t add_text(struct buf *strings, struct text text)
{
	uint32_t at = (uint32_t)strings->size;

	if (!text.bytes)
		return NONE;
	buf_add_char(strings, (char)text.size);
	buf_add_text(strings, text);
	return at;
}

static uint32_t add_name(struct buf *strings, const char *name)
{
	return add_text(strings, text_of(name));
}

static const struct { const char *comp_dir, *directory, *name; } files[] = {
	{ "/src", "lib", "a.cpp" }, { "/src", NULL, "main.c" },
};
static const struct { const char *name; uint32_t entry, language; } functions[] = {
	{ "_Z5outeri", 0x100, LANGUAGE_CPP }, { "_ZN5innerEv", NONE, LANGUAGE_CPP },
	{ "main", 0x200, LANGUAGE_C }, { "bare", 0x300, NONE },
};
static const struct text variables[COUNT(functions)] = {
	{ "n\0int", sizeof("n\0int") }, { "v\0char**\0w\0void*", sizeof("v\0char**\0w\0void*") },
	{ "", 0 }, { "", 0 },
};
/* file, line, function, inlined into; the first is a call location, then one per range. */
static const uint32_t locations[][4] = {
	{ 0, 10, 0, NONE },
	{ 0, 9, 0, NONE }, { 0, 77, 1, 0 }, { 0, 11, 0, NONE }, { 1, 5, 2, NONE },
	{ NONE, 0, 3, NONE }, { NONE, NONE, NONE, NONE },
};
static const uint32_t ranges[] = { 0x100, 0x110, 0x120, 0x200, 0x300, 0x400 };

static void add_header(struct buf *out, uint32_t arch, uint32_t string_bytes)
{
	static const char zeros[32];

	add_u32(out, 0x434d5953);
	add_u32(out, 9);
	buf_add(out, zeros, 32);
	add_u32(out, arch);
	add_u32(out, COUNT(files));
	add_u32(out, COUNT(functions));
	add_u32(out, COUNT(locations));
	add_u32(out, COUNT(ranges));
	add_u32(out, string_bytes);
	buf_add(out, zeros, 16);
}

static void make_symcache(struct buf *out, uint32_t arch, bool of_variables)
{
	struct buf strings, body;

	buf_init(&strings, 65536);
	buf_init(&body, 65536);
	for (size_t i = 0; i < COUNT(files); i++) {
		add_u32(&body, add_name(&strings, files[i].comp_dir));
		add_u32(&body, add_name(&strings, files[i].directory));
		add_u32(&body, add_name(&strings, files[i].name));
		for (int j = 0; j < 3; j++)
			add_u32(&body, NONE);
	}
	pad(&body);
	for (size_t i = 0; i < COUNT(functions); i++) {
		add_u32(&body, add_text(&strings, of_variables ? variables[i]
							       : text_of(functions[i].name)));
		add_u32(&body, NONE);
		add_u32(&body, functions[i].entry);
		add_u32(&body, functions[i].language);
	}
	pad(&body);
	buf_add(&body, locations, sizeof(locations));
	pad(&body);
	buf_add(&body, ranges, sizeof(ranges));
	pad(&body);
	add_header(out, arch, (uint32_t)strings.size);
	pad(out);
	buf_add(out, body.bytes, body.size);
	buf_add(out, strings.bytes, strings.size);
	buf_release(&strings);
	buf_release(&body);
}

void fake_symcache(struct buf *out, uint32_t arch)
{
	make_symcache(out, arch, false);
}

void fake_variables(struct buf *out, uint32_t arch)
{
	make_symcache(out, arch, true);
}
