/* crash_walk.c -- see crash_walk.h. */
#include "convert/crash_walk.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "convert/convert.h"
#include "sandbox/sandbox.h"
#include "unwind/regions.h"

#define EXPECTED_BYTES 4096u                 /* of a stack, looked at for addresses of modules */
#define IDENTITY_BYTES ((size_t)4096)        /* of a want's name; longer ones are not asked for */

/* A cell_answer, or -1. */
static int ask(struct crash_walk *walk, const char *role, uint32_t module, int *fd, struct err *err)
{
	struct crash_json identity;
	int got = CELL_ANSWER_ABSENT;

	if (walk->want_count == LIMIT_CELL_ENTRIES)
		return CELL_ANSWER_ABSENT;
	walk->want_count++;
	buf_init(&identity.out, IDENTITY_BYTES);
	json_writer_init(&identity.json, &identity.out);
	crash_json_module(&identity, &walk->identities[module]);
	if (!identity.out.failed)
		got = cell_want(walk->cell, role, text_of(walk->first_id), buf_text(&identity.out), fd,
				err);
	buf_release(&identity.out);
	return got;
}

/* Names what will be asked for after this one. */
static int ask_ahead(struct crash_walk *walk, uint32_t first, struct err *err)
{
	int fd = -1;

	walk->has_asked = true;
	for (uint32_t i = 0; i < walk->modules.count; i++)
		if (walk->expected[i] && i != first && ask(walk, CONVERT_WANT_AHEAD, i, &fd, err) < 0)
			return -1;
	return 0;
}

void crash_walk_expect(struct crash_walk *walk, const struct unwind_registers *registers,
		       const struct unwind_memory *memory)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(registers->arch);
	uint64_t stack = registers->values[facts->sp], word = registers->values[facts->pc];
	uint32_t module;

	if (!unwind_registers_has(registers, facts->sp))
		return;
	for (unsigned at = 0; at <= EXPECTED_BYTES; at += facts->word_bytes) {
		module = unwind_module_at(&walk->modules, word);
		if (module != UNWIND_NO_MODULE)
			walk->expected[module] = true;
		if (stack > UINT64_MAX - at ||
		    !unwind_memory_read(memory, stack + at, facts->word_bytes, &word))
			return;
	}
}

int crash_walk_want(struct crash_walk *walk, const char *role, uint32_t module,
		    struct file_map *map, struct err *err)
{
	int fd = -1, got, rc;

	if (!walk->has_asked && ask_ahead(walk, module, err) < 0)
		return -1;
	got = ask(walk, role, module, &fd, err);
	if (got != CELL_ANSWER_FILE)
		return got < 0 ? -1 : 0;     /* too late is as good as absent */
	rc = file_map_fd(map, fd, err);
	close(fd);
	return rc < 0 ? -1 : 1;
}

static int want_cfi(struct crash_walk *walk, uint32_t module, struct err *err)
{
	struct unwind_module *item = &walk->modules.items[module];
	struct crash_walk_cache *cache = &walk->caches[module];
	struct err unreadable = ERR_INIT;
	struct file_map map;
	int got = crash_walk_want(walk, "cfi", module, &map, err);

	item->state = UNWIND_CFI_ABSENT;
	if (got <= 0)
		return got;
	if (cfi_open(&cache->cfi, map.bytes, map.size, &unreadable) == 0) {
		item->cfi = &cache->cfi;
		item->state = UNWIND_CFI_OPEN;
	}
	return 0;
}

static int want_symbols(struct crash_walk *walk, uint32_t module, struct err *err)
{
	struct crash_walk_cache *cache = &walk->caches[module];
	struct err unreadable = ERR_INIT;
	struct file_map map;
	int got = crash_walk_want(walk, "symcache", module, &map, err);

	cache->symbols = UNWIND_CFI_ABSENT;
	if (got <= 0)
		return got;
	if (symcache_open(&cache->symcache, map.bytes, map.size, &unreadable) == 0)
		cache->symbols = UNWIND_CFI_OPEN;
	return 0;
}

static enum unwind_answer has_function(void *payload, uint32_t module, uint64_t address)
{
	const struct crash_walk *walk = payload;
	const struct crash_walk_cache *cache = &walk->caches[module];
	struct symcache_frame frame;

	if (cache->symbols == UNWIND_CFI_WANTED)
		return UNWIND_NOT_YET;
	if (cache->symbols == UNWIND_CFI_ABSENT)
		return UNWIND_YES;
	return symcache_lookup(&cache->symcache, address, &frame, 1) > 0 &&
	       !text_is(frame.function, "??") ? UNWIND_YES : UNWIND_NO;
}

int crash_walk_open(struct crash_walk *walk, struct cell *cell,
		    const struct crash_json_module *identities, size_t count, enum unwind_os os,
		    struct arena *arena, struct err *err)
{
	*walk = (struct crash_walk){ .cell = cell, .identities = identities, .os = os };
	walk->only_modules = text_is(cell->parameters, CONVERT_ONLY_MODULES);
	walk->modules.items = arena_alloc(arena, count + 1, sizeof(*walk->modules.items));
	walk->caches = arena_alloc(arena, count + 1, sizeof(*walk->caches));
	walk->frames = arena_alloc(arena, LIMIT_CRASH_FRAMES, sizeof(*walk->frames));
	walk->expected = arena_alloc(arena, count + 1, sizeof(*walk->expected));
	if (!walk->modules.items || !walk->caches || !walk->frames || !walk->expected)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu modules", count);
	walk->modules.count = count;
	if (count > 0 && !debugid_is_nil(&identities[0].debug_id))
		debugid_format(&identities[0].debug_id, walk->first_id);
	for (size_t i = 0; i < count; i++) {
		walk->modules.items[i].address = identities[i].base;
		walk->modules.items[i].size = identities[i].size;
	}
	walk->symbols = (struct unwind_symbols){ .has_function = has_function, .payload = walk };
	return 0;
}

static void prepare(struct crash_walk *walk, const struct unwind_memory *memory, struct unwind *unwind)
{
	*unwind = (struct unwind){
		.memory = memory, .modules = &walk->modules, .symbols = &walk->symbols, .os = walk->os,
		.ends_without_return = walk->ends_without_return,
		.passes_bad_pointers = walk->ends_without_return, .frames = walk->frames,
		.capacity = LIMIT_CRASH_FRAMES,
	};
}

static int walk_to_end(struct crash_walk *walk, struct unwind *unwind, struct err *err)
{
	enum unwind_state state;
	int rc = 0;

	do {
		state = unwind_walk(unwind);
		if (state == UNWIND_NEEDS_CFI)
			rc = want_cfi(walk, unwind->needed, err);
		else if (state == UNWIND_NEEDS_SYMBOLS)
			rc = want_symbols(walk, unwind->needed, err);
	} while (state != UNWIND_END && rc == 0);
	return rc;
}

int crash_walk_thread(struct crash_walk *walk, const struct unwind_registers *registers,
		      const struct unwind_memory *memory, struct err *err)
{
	struct unwind unwind;
	int rc;

	walk->frame_count = 0;
	if (walk->only_modules)
		return 0;
	prepare(walk, memory, &unwind);
	unwind_begin(&unwind, registers);
	rc = walk_to_end(walk, &unwind, err);
	walk->frame_count = unwind.frame_count < LIMIT_CRASH_FRAMES ? unwind.frame_count
								    : LIMIT_CRASH_FRAMES;
	return rc;
}

int crash_walk_on(struct crash_walk *walk, const struct unwind_registers *registers,
		  const struct unwind_memory *memory, struct err *err)
{
	size_t done = walk->frame_count - 1;
	struct unwind_frame last = walk->frames[done];
	struct unwind unwind;
	int rc;

	prepare(walk, memory, &unwind);
	unwind.frames += done;
	unwind.capacity -= done;
	unwind_begin_at(&unwind, registers, &last);
	rc = walk_to_end(walk, &unwind, err);
	walk->frame_count = done + (unwind.frame_count < unwind.capacity ? unwind.frame_count
									 : unwind.capacity);
	return rc;
}

int crash_walk_finish(struct crash_walk *walk, struct err *err)
{
	for (size_t i = 0; i < walk->modules.count; i++) {
		const struct unwind_module *module = &walk->modules.items[i];

		if (module->is_touched && module->state == UNWIND_CFI_WANTED &&
		    want_cfi(walk, (uint32_t)i, err) < 0)
			return -1;
	}
	return 0;
}

static void write_registers(const struct unwind_registers *registers, struct json_writer *json)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(registers->arch);

	json_key(json, "registers");
	json_object(json);
	for (unsigned i = 0; i < facts->register_count; i++)
		if (unwind_registers_has(registers, i))
			json_member_hex(json, facts->names[i], registers->values[i]);
	json_object_end(json);
}

/* `says`: whether the address is one to return to, for every frame. */
static void write_frame(const struct crash_walk *walk, const struct unwind_frame *frame, bool says,
			struct json_writer *json)
{
	json_object(json);
	json_member_hex(json, "instruction_addr", frame->resume_address);
	if (says)
		json_member_bool(json, "adjust_instruction_addr",
				 frame->instruction != frame->resume_address);
	if (frame->module != UNWIND_NO_MODULE)
		json_member_text(json, "package", walk->identities[frame->module].code_file);
	json_member_string(json, "trust", unwind_trust_name(frame->trust));
	json_object_end(json);
}

void crash_walk_begin_thread(const struct crash_walk *walk, const struct crash_walk_told *told,
			     const struct unwind_registers *registers, struct crash_json *report)
{
	struct json_writer *json = &report->json;

	json_object(json);
	json_member_u64(json, "thread_id", told->id);
	json_member_text(json, "thread_name", told->name);
	if (told->has_requesting)
		json_member_bool(json, "is_requesting", told->is_requesting);
	if (registers && walk->frame_count > 0)
		write_registers(registers, json);
	json_key(json, "frames");
	json_array(json);
}

void crash_walk_write_thread(const struct crash_walk *walk, const struct crash_walk_told *told,
			     const struct unwind_registers *registers, struct crash_json *report)
{
	struct json_writer *json = &report->json;
	bool has_interrupted = false;

	crash_walk_begin_thread(walk, told, registers, report);
	for (size_t i = 1; i < walk->frame_count; i++)
		has_interrupted |= walk->frames[i].instruction == walk->frames[i].resume_address;
	for (size_t i = 0; i < walk->frame_count; i++)
		write_frame(walk, &walk->frames[i], has_interrupted, json);
	json_array_end(json);
	json_object_end(json);
}
