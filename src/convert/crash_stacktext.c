/* crash_stacktext.c -- in a cell: a stack somebody pasted, as threads and modules. */
#include "convert/crash_json.h"
#include "convert/convert_internal.h"

#include <stdio.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/err.h"
#include "stacktext/stacktext_images.h"
#include "stacktext/stacktext_kind.h"

#define NAME_BYTES 256u              /* of a thread, told */

struct text_report {
	struct crash_json json;
	const struct stacktext *text;
	const struct stacktext_images *images;
	struct arena *arena;
};

/* --- Facts --------------------------------------------------------------------------------------- */

static struct text first_word(struct text text)
{
	size_t size = 0;

	while (size < text.size && !ascii_is_blank(text.bytes[size]))
		size++;
	return (struct text){ text.bytes, size };
}

/* "amd64" and "arm64" as we call them. */
static struct text arch_of(struct text cpu)
{
	struct text word = first_word(cpu);
	enum arch arch;

	if (text_is(word, "amd64"))
		return TEXT("x86_64");
	return arch_named(word, &arch) ? text_of(arch_name(arch)) : TEXT("unknown");
}

static void write_facts(struct text_report *report)
{
	const struct stacktext_facts *facts = &report->text->facts;
	const struct crash_json_system system = {
		.os_name = facts->is_android ? TEXT("Android") : facts->os_name,
		.os_version = facts->os_version, .cpu_arch = arch_of(facts->cpu),
	};
	struct json_writer *json = &report->json.json;

	crash_json_system(&report->json, &system);
	json_member_bool(json, "crashed", facts->reason.bytes != NULL);
	json_member_text(json, "crash_reason", facts->reason);
	json_member_text(json, "crash_details", facts->details);
}

/* Why names are those of the text, and what is not told. */
static void write_remarks(struct text_report *report)
{
	const struct stacktext_images *images = report->images;
	struct json_writer *json = &report->json.json;
	size_t without = 0;
	char words[200];

	for (size_t i = 0; i < images->count; i++)
		without += !images->images[i].build_id.bytes && !images->images[i].debug_id.size;
	json_key(json, "remarks");
	json_array(json);
	if (images->count == 0)
		json_string(json, "the text has no build ids and does not say where its modules were: no source can be "
			    "asked, and frames keep the names it gives; a core or a minidump of the crash has them");
	else if (without > 0 &&
		 snprintf(words, sizeof(words), "the text gives no id of %zu of %zu modules: no source is asked for them, and their frames "
			  "keep the names it gives",
			  without, images->count) > 0)
		json_string(json, words);
	if (report->text->frame_count > images->frame_count &&
	    snprintf(words, sizeof(words), "%zu frames behind the first %zu are left out",
		     report->text->frame_count - images->frame_count, images->frame_count) > 0)
		json_string(json, words);
	json_array_end(json);
}

/* --- Threads --------------------------------------------------------------------------------------- */

/* "/src/crash.c", "C:\\src\\crash.c" */
static bool is_absolute(struct text file)
{
	return file.size > 2 && (file.bytes[0] == '/' || (file.bytes[1] == ':' && file.bytes[2] == '\\'));
}

static void write_frame(struct text_report *report, size_t index)
{
	const struct stacktext_frame *frame = &report->text->frames[index];
	size_t image = report->images->of_frames[index];
	struct json_writer *json = &report->json.json;
	char mode[32];

	json_object(json);
	/* One that says no address has its name alone. */
	json_member_hex(json, "instruction_addr", frame->has_address ? frame->address
					       : image != STACKTEXT_NO_IMAGE ? frame->offset : 0);
	if (!frame->has_address && image != STACKTEXT_NO_IMAGE &&
	    snprintf(mode, sizeof(mode), "rel:%zu", image) > 0)
		json_member_string(json, "addr_mode", mode);
	json_member_bool(json, "adjust_instruction_addr", frame->is_return);
	json_member_text(json, "function", frame->function);
	json_member_text(json, "filename", frame->file);
	if (is_absolute(frame->file))
		json_member_text(json, "abs_path", frame->file);
	if (frame->line > 0)
		json_member_u64(json, "lineno", frame->line);
	json_member_text(json, "package", frame->module);
	json_object_end(json);
}

/* What a stack is called: the thread, else the line above it, where that is not the reason. */
static struct text name_of(const struct text_report *report, const struct stacktext_stack *stack)
{
	struct text name = stack->name.size > 0 || stack->has_number ? stack->name : stack->title;
	struct text reason = report->text->facts.reason;

	if (reason.bytes && name.bytes && reason.bytes >= name.bytes && reason.bytes < name.bytes + name.size)
		return TEXT_NONE;
	if (name.size > 1 && name.bytes[name.size - 1] == ':')
		name.size--;
	if (name.size > NAME_BYTES)
		name.size = NAME_BYTES;
	return name;
}

static void write_thread(struct text_report *report, const struct stacktext_stack *stack)
{
	struct json_writer *json = &report->json.json;

	json_object(json);
	if (stack->has_id || stack->has_number)
		json_member_u64(json, "thread_id", stack->has_id ? stack->id : stack->number);
	json_member_text(json, "thread_name", name_of(report, stack));
	json_member_bool(json, "is_requesting", stack->is_crashed);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = stack->first; i < stack->first + stack->count && i < report->images->frame_count; i++)
		write_frame(report, i);
	json_array_end(json);
	json_object_end(json);
}

/* --- Modules --------------------------------------------------------------------------------------- */

static bool ends_with(struct text path, const char *extension)
{
	size_t size = strlen(extension);

	return path.size > size && text_equal_ignoring_case(text_from(path, path.size - size), text_of(extension));
}

static const char *type_of(const struct stacktext *text, struct text path)
{
	if (ends_with(path, ".dll") || ends_with(path, ".exe") || ends_with(path, ".drv") ||
	    text_starts_with(text->facts.os_name, "Windows"))
		return "pe";
	if (ends_with(path, ".dylib") || text_starts_with(text->facts.os_name, "Mac") ||
	    text_starts_with(text->facts.os_name, "iOS"))
		return "macho";
	return "elf";
}

static int write_module(struct text_report *report, const struct stacktext_image *image, struct err *err)
{
	struct crash_json_module module = {
		.type = type_of(report->text, image->path), .base = image->base,
		.size = image->end - image->base, .code_file = image->path,
		.debug_file = image->debug_file.size > 0 ? image->debug_file : image->path,
		.debug_id = { .kind = DEBUGID_NIL },
	};
	char *id = arena_alloc_raw(report->arena, image->build_id.size + 1, 1);

	if (!id)
		return err_set(err, ERR_NO_MEMORY, "no memory for the id of a module");
	if (image->debug_id.size > 0 && !debugid_parse(image->debug_id, &module.debug_id))
		module.debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (image->build_id.size > 0 && codeid_normalise(image->build_id, id)) {
		module.code_id = text_of(id);
		module.debug_id = debugid_from_code_id(module.code_id);
	}
	crash_json_module(&report->json, &module);
	return 0;
}

/* --- The whole ------------------------------------------------------------------------------------- */

static int write_report(struct text_report *report, struct cell *cell, struct err *err)
{
	int rc = 0;

	crash_json_begin(&report->json);
	write_facts(report);
	write_remarks(report);
	crash_json_threads(&report->json);
	for (size_t i = 0; i < report->text->stack_count; i++)
		if (report->text->stacks[i].first < report->images->frame_count)
			write_thread(report, &report->text->stacks[i]);
	crash_json_list_end(&report->json);
	crash_json_modules(&report->json);
	for (size_t i = 0; i < report->images->count && rc == 0; i++)
		rc = write_module(report, &report->images->images[i], err);
	crash_json_list_end(&report->json);
	return crash_json_end(&report->json, cell, rc, err);
}

/* Of a text without stacks: what it is instead. */
static int refuse(struct text file, struct err *err)
{
	const struct stacktext_detected detected = stacktext_detect(file);

	switch (detected.kind) {
	case STACKTEXT_UNKNOWN:
		return err_set(err, ERR_MALFORMED, "no stack in it: it is %s", detected.reason);
	case STACKTEXT_JS:
	case STACKTEXT_JVM:
		return err_set(err, ERR_MALFORMED, "a stack of %s, which /symbolicate-%s takes",
			       detected.kind == STACKTEXT_JS ? "JavaScript" : "Java", stacktext_kind_name(detected.kind));
	default:
		return err_set(err, ERR_MALFORMED, "no stack in it: it looks like `%s`", stacktext_kind_name(detected.kind));
	}
}

static int read_text(struct cell *cell, struct text file, struct arena *arena, void *payload, struct err *err)
{
	struct stacktext_images images;
	struct stacktext text;
	struct text_report report = { .text = &text, .images = &images, .arena = arena };

	(void)payload;
	if (stacktext_read(&text, file, arena, err) < 0)
		return -1;
	if (text.frame_count == 0)
		return refuse(file, err);
	return stacktext_images_find(&images, &text, arena, err) < 0 ? -1 : write_report(&report, cell, err);
}

int convert_run_stacktext(struct cell *cell, struct err *err)
{
	return crash_json_run(cell, NULL, read_text, NULL, err);
}
