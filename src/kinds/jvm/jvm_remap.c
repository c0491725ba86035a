/*
 * jvm_remap.c -- exceptions, frames and classes through the mappings (doc/api/jvm.md).
 *
 * All of it runs in one guarded read of the mappings: what stays is copied into the arena.
 */
#include "kinds/jvm/jvm_text.h"

#include "base/arena.h"
#include "base/limits.h"

#define NAME_BYTES   ((size_t)16 << 20)      /* scratch: a class, a signature */
#define FIRST_FRAMES 16u

struct remapping {
	struct jvm *jvm;
	struct err *err;
};

/* --- Names ------------------------------------------------------------------------------------ */

static int copy_text(struct jvm *jvm, struct text text, struct text *copy, struct err *err)
{
	char *bytes = arena_strndup(&jvm->work->arena, text.bytes ? text.bytes : "", text.size);

	*copy = (struct text){ bytes, text.size };
	return bytes ? 0 : err_no_memory(err);
}

/* Of what lies in a mapping, where one name stands at one place. */
static int copy_name(struct jvm *jvm, struct text name, struct text *copy, struct err *err)
{
	struct jvm_copy *slot = &jvm->copies[((uintptr_t)name.bytes >> 2) % JVM_COPIES];

	if (slot->name.bytes != name.bytes || slot->name.size != name.size) {
		if (copy_text(jvm, name, &slot->copy, err) < 0)
			return -1;
		slot->name = name;
	}
	*copy = slot->copy;
	return 0;
}

static struct text find_class(const struct jvm *jvm, struct text obfuscated)
{
	for (size_t i = 0; i < jvm->mapping_count; i++) {
		struct text original;

		if (!jvm_mapping_is_open(&jvm->mappings[i]) || !jvm->mappings[i].module)
			continue;
		original = proguard_class(&jvm->mappings[i].cache, obfuscated);
		if (original.bytes)
			return original;
	}
	return TEXT_NONE;
}

/* "a.b.C", in jvm->name. */
static int join_exception(struct jvm *jvm, const struct jvm_exception *exception, struct err *err)
{
	buf_clear(&jvm->name);
	if (exception->module.size) {
		buf_add_text(&jvm->name, exception->module);
		buf_add_char(&jvm->name, '.');
	}
	buf_add_text(&jvm->name, exception->type);
	return buf_check(&jvm->name, err);
}

static int remap_exception(struct jvm *jvm, const struct jvm_exception *exception,
			   struct jvm_exception *remapped, struct err *err)
{
	struct text original;
	const char *dot;

	*remapped = *exception;
	if (join_exception(jvm, exception, err) < 0)
		return -1;
	original = find_class(jvm, buf_text(&jvm->name));
	if (!original.bytes)
		return 0;
	if (copy_text(jvm, original, &original, err) < 0)
		return -1;
	dot = memrchr(original.bytes, '.', original.size);
	remapped->module = dot ? (struct text){ original.bytes, (size_t)(dot - original.bytes) } : TEXT("");
	remapped->type = dot ? text_from(original, remapped->module.size + 1) : original;
	return 0;
}

static int remap_exceptions(struct jvm *jvm, struct err *err)
{
	for (size_t i = 0; i < jvm->request.exception_count; i++)
		if (remap_exception(jvm, &jvm->request.exceptions[i], &jvm->exceptions[i], err) < 0)
			return -1;
	return 0;
}

/* --- Classes ---------------------------------------------------------------------------------- */

static int add_class(struct jvm *jvm, struct text name, struct err *err)
{
	struct text original = map_get(&jvm->seen, name) ? TEXT_NONE : find_class(jvm, name);

	if (!original.bytes)
		return 0;
	if (map_put(&jvm->seen, name, jvm->classes) < 0)
		return err_no_memory(err);
	jvm->classes[jvm->class_count].obfuscated = name;
	return copy_name(jvm, original, &jvm->classes[jvm->class_count++].original, err);
}

/* Each is told once. */
static int remap_classes(struct jvm *jvm, struct err *err)
{
	const struct text_list *classes = &jvm->request.classes;

	for (size_t i = 0; i < classes->count; i++)
		if (add_class(jvm, classes->texts[i], err) < 0)
			return -1;
	return 0;
}

/* --- Frames ----------------------------------------------------------------------------------- */

struct trace_walk {                        /* of one stack trace, the innermost frame first */
	struct jvm *jvm;
	struct jvm_trace_result *trace;
	struct err *err;
	struct proguard_query query;         /* of the frame it is at */
	struct text signature;               /* its, in Java's words; TEXT_NONE: as it was sent */
	char *thrown;                        /* class of the exception */
};

static struct jvm_result *add_result(struct trace_walk *walk, const struct jvm_frame *raw)
{
	struct jvm_result_list *list = &walk->trace->frames;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : FIRST_FRAMES;
		struct jvm_result *grown = arena_alloc_raw(&walk->jvm->work->arena, capacity, sizeof(*grown));

		if (!grown) {
			err_no_memory(walk->err);
			return NULL;
		}
		if (list->count)
			memcpy(grown, list->items, list->count * sizeof(*grown));
		list->items = grown;
		list->capacity = capacity;
	}
	list->items[list->count] = (struct jvm_result){
		.raw = raw, .signature = walk->signature.bytes ? walk->signature : raw->signature,
	};
	return &list->items[list->count++];
}

/* As it was sent, but for its signature. */
static int keep_frame(struct trace_walk *walk, const struct jvm_frame *raw)
{
	struct jvm_result *result = add_result(walk, raw);

	if (!result)
		return -1;
	result->module = raw->module;
	result->function = raw->function;
	result->lineno = raw->lineno;
	result->has_lineno = raw->has_lineno;
	result->is_synthesized = raw->is_synthesized;
	return 0;
}

static int copy_file(struct trace_walk *walk, const struct proguard_file *file, struct text *copy)
{
	size_t size = file->stem.size + file->extension.size;
	char *bytes;

	*copy = TEXT_NONE;
	if (!size)
		return 0;
	if (!file->extension.size)
		return copy_name(walk->jvm, file->stem, copy, walk->err);
	bytes = arena_alloc_raw(&walk->jvm->work->arena, size, 1);
	if (!bytes)
		return err_no_memory(walk->err);
	if (file->stem.size)
		memcpy(bytes, file->stem.bytes, file->stem.size);
	memcpy(bytes + file->stem.size, file->extension.bytes, file->extension.size);
	*copy = (struct text){ bytes, size };
	return 0;
}

static bool is_in_package(const struct jvm *jvm, struct text module)
{
	const struct text package = jvm->request.release_package;

	return package.bytes && module.size >= package.size &&
	       (!package.size || memcmp(module.bytes, package.bytes, package.size) == 0);
}

static int take_found(struct trace_walk *walk, const struct jvm_frame *raw, const struct proguard_frame *found)
{
	struct jvm_result *result = add_result(walk, raw);
	struct jvm *jvm = walk->jvm;

	if (!result || copy_name(jvm, found->class_name, &result->module, walk->err) < 0 ||
	    copy_file(walk, &found->file, &result->file) < 0)
		return -1;
	result->function = raw->function;
	if (!found->is_class_only && copy_name(jvm, found->method, &result->function, walk->err) < 0)
		return -1;
	result->lineno = found->line;
	result->has_lineno = found->has_line;
	result->is_mapped = true;
	result->is_synthesized = found->is_synthesized;
	result->is_in_app = raw->in_app == MAYBE_UNSET && is_in_package(jvm, result->module);
	return 0;
}

/* What the compiler made is left out of stacks with lines.  Of frames that become many, the request has
 * so many: then only the first of each. */
static int take_all(struct trace_walk *walk, const struct jvm_frame *raw)
{
	const struct proguard_frames *found = &walk->jvm->found;
	size_t taken = 0;

	for (size_t i = 0; i < found->count; i++) {
		if (raw->has_lineno && found->frames[i].is_synthesized)
			continue;
		if (taken && !walk->jvm->extra_left) {
			walk->trace->cut++;
			continue;
		}
		walk->jvm->extra_left -= taken > 0;
		taken++;
		if (take_found(walk, raw, &found->frames[i]) < 0)
			return -1;
	}
	walk->trace->cut += found->is_cut;
	return 0;
}

/* Mappings name only what they know, so any can tell a signature; the first does, or the one the frame
 * names. */
static int read_signature(struct trace_walk *walk, const struct jvm_frame *raw,
			  const struct jvm_mapping *named)
{
	struct jvm *jvm = walk->jvm;

	walk->signature = TEXT_NONE;
	buf_clear(&jvm->parameters);
	for (size_t i = 0; i < jvm->mapping_count && raw->signature.bytes; i++) {
		const struct jvm_mapping *mapping = &jvm->mappings[i];

		if (!jvm_mapping_is_open(mapping) || (named ? mapping != named : !mapping->module))
			continue;
		buf_clear(&jvm->shown);
		if (!proguard_signature(&mapping->cache, raw->signature, &jvm->shown,
					&jvm->parameters))
			return 0;
		if (buf_check(&jvm->shown, walk->err) < 0 || buf_check(&jvm->parameters, walk->err) < 0)
			return -1;
		return copy_text(jvm, buf_text(&jvm->shown), &walk->signature, walk->err);
	}
	return 0;
}

static void ask(struct trace_walk *walk, const struct jvm_frame *raw)
{
	walk->query.class_name = raw->module;
	walk->query.method = raw->function;
	walk->query.line = raw->lineno;
	walk->query.has_line = raw->has_lineno;
	walk->query.by_parameters = !raw->has_lineno && walk->signature.bytes;
	walk->query.parameters = walk->query.by_parameters ? buf_text(&walk->jvm->parameters) : TEXT_NONE;
}

/* The mapping the frame names; else the first of the request's that knows its class. */
static int ask_mappings(struct trace_walk *walk, const struct jvm_mapping *named,
			enum proguard_outcome *outcome)
{
	struct jvm *jvm = walk->jvm;

	*outcome = PROGUARD_UNKNOWN;
	for (size_t i = 0; i < jvm->mapping_count && *outcome == PROGUARD_UNKNOWN; i++) {
		const struct jvm_mapping *mapping = &jvm->mappings[i];

		if (jvm_mapping_is_open(mapping) && (named ? mapping == named : mapping->module != NULL) &&
		    proguard_remap(&mapping->cache, &walk->query, &jvm->carries[i], &jvm->found, outcome,
				   walk->err) < 0)
			return -1;
	}
	return 0;
}

static int remap_frame(struct trace_walk *walk, const struct jvm_frame *raw)
{
	const struct jvm_mapping *named = NULL;
	enum proguard_outcome outcome;
	struct text id;

	if (walk->jvm->found.visited > LIMIT_JVM_ENTRIES) {
		walk->trace->left_alone++;
		walk->signature = TEXT_NONE;
		return keep_frame(walk, raw);
	}
	if (jvm_maps_are_named(raw, &id))
		named = jvm_maps_find(walk->jvm, id);
	if (read_signature(walk, raw, named) < 0)
		return -1;
	ask(walk, raw);
	if (ask_mappings(walk, named, &outcome) < 0)
		return -1;
	if (outcome == PROGUARD_OUTLINE)
		return 0;
	walk->query.may_rewrite = false;
	if (outcome == PROGUARD_CLEARED)
		return 0;
	return outcome == PROGUARD_FOUND ? take_all(walk, raw) : keep_frame(walk, raw);
}

static int begin_trace(struct trace_walk *walk, const struct jvm_trace *trace)
{
	struct jvm *jvm = walk->jvm;
	struct text thrown;

	*walk->trace = (struct jvm_trace_result){ .cut = 0 };
	memset(jvm->carries, 0, jvm->mapping_count * sizeof(*jvm->carries));
	if (!trace->has_exception)
		return 0;
	if (remap_exception(jvm, &trace->exception, &walk->trace->exception, walk->err) < 0 ||
	    join_exception(jvm, &walk->trace->exception, walk->err) < 0 ||
	    copy_text(jvm, buf_text(&jvm->name), &thrown, walk->err) < 0)
		return -1;
	walk->query.may_rewrite = true;
	walk->query.thrown = thrown;
	return 0;
}

static int remap_trace(struct jvm *jvm, const struct jvm_trace *trace, struct jvm_trace_result *result,
		       struct err *err)
{
	struct trace_walk walk = { .jvm = jvm, .trace = result, .err = err };

	if (begin_trace(&walk, trace) < 0)
		return -1;
	for (size_t i = 0; i < trace->count; i++) {
		size_t at = jvm->request.callee_first ? i : trace->count - 1 - i;

		if (remap_frame(&walk, &trace->frames[at]) < 0)
			return -1;
	}
	return 0;
}

/* --- All -------------------------------------------------------------------------------------- */

static int remap_all(void *payload)
{
	const struct remapping *remapping = payload;
	struct jvm *jvm = remapping->jvm;

	memset(jvm->copies, 0, sizeof(jvm->copies));
	map_release(&jvm->seen);
	jvm->class_count = 0;
	jvm->found.visited = 0;
	jvm->extra_left = LIMIT_JVM_EXTRA_FRAMES;
	if (remap_exceptions(jvm, remapping->err) < 0)
		return -1;
	for (size_t i = 0; i < jvm->request.trace_count; i++)
		if (remap_trace(jvm, &jvm->request.traces[i], &jvm->traces[i], remapping->err) < 0)
			return -1;
	if (remap_classes(jvm, remapping->err) < 0)
		return -1;
	return jvm_text_remap(jvm, remapping->err);
}

static int begin(struct jvm *jvm, struct err *err)
{
	struct arena *arena = &jvm->work->arena;

	if (jvm->traces)
		return 0;
	buf_init(&jvm->name, NAME_BYTES);
	buf_init(&jvm->shown, NAME_BYTES);
	buf_init(&jvm->parameters, NAME_BYTES);
	jvm->exceptions = arena_alloc(arena, jvm->request.exception_count, sizeof(*jvm->exceptions));
	jvm->classes = arena_alloc(arena, jvm->request.classes.count, sizeof(*jvm->classes));
	jvm->carries = arena_alloc(arena, jvm->module_mapping_count + JVM_MAPS_ASKED, sizeof(*jvm->carries));
	jvm->traces = arena_alloc(arena, jvm->request.trace_count, sizeof(*jvm->traces));
	return jvm->exceptions && jvm->classes && jvm->carries && jvm->traces ? 0 : err_no_memory(err);
}

enum resolved jvm_remap(struct jvm *jvm, struct resolver *resolver, struct err *err)
{
	struct remapping remapping = { jvm, err };
	struct arena_mark mark;
	enum resolved resolved;

	if (begin(jvm, err) < 0 || jvm_text_begin(jvm, err) < 0)
		return RESOLVED_ERROR;
	mark = arena_mark(&jvm->work->arena);
	resolved = held_read(&jvm->open_mappings, remap_all, &remapping, resolver, err);
	if (resolved == RESOLVED_WAIT)
		arena_rewind(&jvm->work->arena, mark);
	return resolved;
}

void jvm_remap_release(struct jvm *jvm)
{
	proguard_frames_release(&jvm->found);
	map_release(&jvm->seen);
	buf_release(&jvm->name);
	buf_release(&jvm->shown);
	buf_release(&jvm->parameters);
}
