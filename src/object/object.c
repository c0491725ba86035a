/* object.c -- the list of formats, and the one way in. */
#include "object/object.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/work_budget.h"

#define OBJECT_MIN_BYTES 16u     /* shorter files are of no format */

#define SYMBOL_STEPS 8u          /* beside what grows with its name */

extern const struct object_format object_format_elf;
extern const struct object_format object_format_bundle;
extern const struct object_format object_format_breakpad;
extern const struct object_format object_format_macho;
extern const struct object_format object_format_ppdb;
extern const struct object_format object_format_wasm;
extern const struct object_format object_format_pe;
extern const struct object_format object_format_pdb;

/* In the order in which a file is judged by its first bytes. */
static const struct object_format *const formats[] = {
	&object_format_elf,
	&object_format_bundle,
	&object_format_breakpad,
	&object_format_ppdb,
	&object_format_macho,
	&object_format_wasm,
	&object_format_pe,
	&object_format_pdb,
};

uint64_t object_section_max_bytes = LIMIT_SECTION_BYTES;

static const char *const kind_names[OBJECT_KINDS] = {
	[OBJECT_KIND_NONE] = "none", [OBJECT_KIND_RELOCATABLE] = "rel",
	[OBJECT_KIND_EXECUTABLE] = "exe", [OBJECT_KIND_LIBRARY] = "lib",
	[OBJECT_KIND_DUMP] = "dump", [OBJECT_KIND_DEBUG] = "dbg",
	[OBJECT_KIND_SOURCE] = "src", [OBJECT_KIND_OTHER] = "other",
};

static const char *const role_names[OBJECT_ROLES] = {
	[OBJECT_ROLE_DWZ] = "dwz", [OBJECT_ROLE_DWP] = "dwp",
	[OBJECT_ROLE_DEBUGLINK] = "debuglink", [OBJECT_ROLE_DWO] = "dwo",
	[OBJECT_ROLE_BCSYMBOLMAP] = "bcsymbolmap",
	[OBJECT_ROLE_IL2CPP] = "il2cpp", [OBJECT_ROLE_SOURCEMAP] = "sourcemap",
	[OBJECT_ROLE_JSBUNDLE] = "jsbundle",
};

const char *object_kind_name(enum object_kind kind)
{
	return kind < OBJECT_KINDS ? kind_names[kind] : "other";
}

const char *object_role_name(enum object_role role)
{
	return role < OBJECT_ROLES ? role_names[role] : "unknown";
}

const struct object_format *object_recognise(const uint8_t *bytes, size_t size)
{
	if (size < OBJECT_MIN_BYTES)
		return NULL;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (size >= formats[i]->probe_bytes && formats[i]->probe(bytes, size))
			return formats[i];
	return NULL;
}

int object_open(struct object *object, const void *bytes, size_t size,
		struct arena *arena, struct err *err)
{
	const struct object_format *format = object_recognise(bytes, size);

	*object = (struct object){
		.format = format, .bytes = bytes, .size = size, .arena = arena,
		.code_id = TEXT_NONE, .debug_file = TEXT_NONE, .srcsrv_vcs = TEXT_NONE,
	};
	if (!format)
		return err_set(err, ERR_UNSUPPORTED, "no known object format");
	object->work = arena_alloc(arena, 1, sizeof(*object->work));
	if (!object->work)
		return err_set(err, ERR_NO_MEMORY, "no memory for its work budget");
	work_budget_init(object->work, size);
	if (format->open(object, arena, err) < 0) {
		object_release(object);
		return err_while(err, "reading %s", format->name);
	}
	return 0;
}

void object_release(struct object *object)
{
	if (object->format && object->format->release && object->state)
		object->format->release(object);
	object->state = NULL;
}

size_t object_slice_count(const void *bytes, size_t size)
{
	const struct object_format *format = object_recognise(bytes, size);

	return format && format->slice_count ? format->slice_count(bytes, size) : 1;
}

int object_slice(const void *bytes, size_t size, size_t index, struct text *slice,
		 struct err *err)
{
	const struct object_format *format = object_recognise(bytes, size);

	if (format && format->slice) {
		if (format->slice(bytes, size, index, slice, err) < 0)
			return err_while(err, "reading %s", format->name);
		return 0;
	}
	if (index > 0)
		return err_set(err, ERR_NOT_FOUND, "the file holds one object, not %zu", index + 1);
	*slice = (struct text){ bytes, size };
	return 0;
}

static bool is_wanted(const struct object *object, const struct debugid *debug_id,
		      struct text code_id)
{
	if (debug_id && !debugid_is_nil(debug_id))
		return memcmp(object->debug_id.uuid, debug_id->uuid, DEBUGID_UUID_BYTES) == 0 &&
		       object->debug_id.age >= debug_id->age;
	if (code_id.size > 0 && object->code_id.size > 0)
		return text_equal_ignoring_case(object->code_id, code_id);
	return true;
}

/* 1: take it, 0: another one, -1: it does not open. */
static int judge_slice(struct text slice, const struct debugid *debug_id, struct text code_id,
		       struct arena *arena, struct err *err)
{
	struct arena_mark mark = arena_mark(arena);
	struct object object;
	int verdict = -1;

	if (object_open(&object, slice.bytes, slice.size, arena, err) == 0)
		verdict = is_wanted(&object, debug_id, code_id);
	object_release(&object);
	arena_rewind(arena, mark);
	return verdict;
}

int object_choose_slice(const void *bytes, size_t size, const struct debugid *debug_id,
			struct text code_id, struct arena *arena, struct text *slice,
			struct err *err)
{
	size_t count = object_slice_count(bytes, size);
	struct err first = ERR_INIT;

	for (size_t i = 0; i < count; i++) {
		struct err here = ERR_INIT;
		int verdict = -1;

		if (object_slice(bytes, size, i, slice, &here) == 0) {
			/* A file that is one object is taken as it is, whatever its ids. */
			if (count == 1 && slice->size == size)
				return 0;
			verdict = judge_slice(*slice, debug_id, code_id, arena, &here);
		}
		if (verdict > 0)
			return 0;
		if (verdict < 0 && first.kind == ERR_NONE)
			first = here;
	}
	*slice = TEXT_NONE;
	if (first.kind == ERR_NONE)
		return err_set(err, ERR_NOT_FOUND, "none of the %zu objects in the file has these ids",
			       count);
	*err = first;
	return -1;
}

int object_attach(struct object *object, enum object_role role, const void *bytes, size_t size,
		  struct err *err)
{
	if (!object->format->attach)
		return err_set(err, ERR_UNSUPPORTED, "%s files want no companions",
			       object->format->name);
	work_budget_add(object->work, size);
	if (object->format->attach(object, role, bytes, size, err) < 0)
		return err_while(err, "reading its %s file", object_role_name(role));
	return 0;
}

int object_want_split_units(struct object *object, struct err *err)
{
	if (object->format->want_split_units && object->format->want_split_units(object, err) < 0)
		return err_while(err, "reading %s", object->format->name);
	return 0;
}

int object_prepare(struct object *object, struct err *err)
{
	if (object->format->prepare && object->format->prepare(object, err) < 0)
		return err_while(err, "reading %s", object->format->name);
	return 0;
}

size_t object_unit_count(const struct object *object)
{
	return object->format->unit_count ? object->format->unit_count(object) : 0;
}

int object_read_unit(const struct object *object, size_t unit, struct arena *scratch,
		     const struct object_sink *sink, struct err *err)
{
	if (unit >= object_unit_count(object))
		return err_set(err, ERR_INTERNAL, "there is no unit %zu", unit);
	return object->format->read_unit(object, unit, scratch, sink, err);
}

int object_take_unit(const struct object *object, struct object_taken *taken, struct err *err)
{
	int rc = object->format->take_unit(object, taken, err);

	return rc < 0 ? err_while(err, "reading %s", object->format->name) : rc;
}

int object_read_taken(const struct object *object, const struct object_taken *taken,
		      struct arena *scratch, const struct object_sink *sink, struct err *err)
{
	return object->format->read_taken(object, taken, scratch, sink, err);
}

void object_units_done(struct object *object)
{
	if (object->format->units_done)
		object->format->units_done(object);
}

struct charged_symbols {
	object_symbol_fn *fn;
	void *payload;
	struct work_allowance work;
};

static int charge_symbol(void *payload, const struct object_symbol *symbol)
{
	struct charged_symbols *charged = payload;
	uint64_t bytes = symbol->name.size + symbol->file.size;

	return !work_spend(&charged->work, SYMBOL_STEPS + bytes / WORK_BYTES_PER_STEP) ||
	       charged->fn(charged->payload, symbol);
}

int object_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
		       struct err *err)
{
	struct charged_symbols charged = { .fn = fn, .payload = payload };
	int rc;

	if (!object->format->each_symbol)
		return 0;
	work_allowance_begin(&charged.work, object->work, object->size);
	rc = object->format->each_symbol(object, charge_symbol, &charged, err);
	if (rc == 0 && charged.work.is_over)
		rc = work_allowance_refuse(&charged.work, err);
	work_allowance_end(&charged.work);
	return rc;
}

int object_section_address(const struct object *object, const char *name, uint64_t *address,
			   struct err *err)
{
	if (!object->format->section_address)
		return err_set(err, ERR_UNSUPPORTED, "%s files are not asked by section",
			       object->format->name);
	return object->format->section_address(object, name, address, err);
}

int object_stored_section(const struct object *object, struct text name, struct text *bytes,
			  struct err *err)
{
	if (!object->format->stored_section)
		return err_set(err, ERR_UNSUPPORTED, "%s files are not asked by section",
			       object->format->name);
	return object->format->stored_section(object, name, bytes, err);
}

int object_each_method(const struct object *object, struct arena *scratch,
		       const struct object_managed_sink *sink,
		       struct object_managed_report *report, struct err *err)
{
	if (!object->format->each_method)
		return err_set(err, ERR_UNSUPPORTED, "%s files hold no managed code",
			       object->format->name);
	if (object->format->each_method(object, scratch, sink, report, err) < 0)
		return err_while(err, "reading %s", object->format->name);
	return 0;
}

int object_each_source(const struct object *object, struct arena *scratch,
		       const struct object_source_sink *sink, struct err *err)
{
	if (!object->format->each_source)
		return err_set(err, ERR_UNSUPPORTED, "%s files hold no sources",
			       object->format->name);
	if (object->format->each_source(object, scratch, sink, err) < 0)
		return err_while(err, "reading %s", object->format->name);
	return 0;
}

int object_each_unwind(struct object *object, const struct object_unwind_sink *sink,
		       struct err *err)
{
	if (!object->format->each_unwind)
		return 0;
	if (object->format->each_unwind(object, sink, err) < 0)
		return err_while(err, "reading %s", object->format->name);
	return 0;
}

struct text object_image_at(const struct object *object, uint64_t address)
{
	return object->format->image_at ? object->format->image_at(object, address) : TEXT_NONE;
}
