/* crash_apple.c -- in a cell: an Apple crash report as threads and modules. */
#include "convert/crash_json.h"
#include "convert/convert_internal.h"

#include "applecrash/applecrash.h"
#include "base/arch.h"
#include "base/err.h"

/* "ARM-64 (Native)" is arm64; one nobody knows, and none, are unknown. */
static struct text arch_of(struct text code_type)
{
	size_t size = 0;
	enum arch arch;

	while (size < code_type.size && !ascii_is_blank(code_type.bytes[size]))
		size++;
	return arch_named((struct text){ code_type.bytes, size }, &arch) ? text_of(arch_name(arch))
									 : TEXT("unknown");
}

static void write_facts(struct crash_json *report, const struct applecrash *crash)
{
	struct applecrash_system system = applecrash_system_of(crash->os_version);
	const struct crash_json_system facts = {
		.os_name = system.name, .os_version = system.version, .os_build = system.build,
		.cpu_arch = arch_of(crash->code_type), .device_model = crash->hardware_model,
	};

	if (crash->has_timestamp) {
		json_key(&report->json, "timestamp");
		json_i64(&report->json, crash->timestamp);
	}
	crash_json_system(report, &facts);
	json_member_bool(&report->json, "crashed", true);
	json_member_text(&report->json, "crash_reason", crash->exception_type);
	json_member_text(&report->json, "crash_details", crash->details);
}

static void write_thread(struct crash_json *report, const struct applecrash_thread *thread)
{
	struct json_writer *json = &report->json;

	json_object(json);
	if (thread->has_id)
		json_member_u64(json, "thread_id", thread->id);
	json_member_text(json, "thread_name", thread->name);
	json_member_bool(json, "is_requesting", thread->is_crashed);
	json_key(json, "registers");
	json_object(json);
	for (size_t i = 0; i < thread->register_count; i++) {
		json_key_text(json, thread->registers[i].name);
		json_hex(json, thread->registers[i].value);
	}
	json_object_end(json);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < thread->frame_count; i++) {
		json_object(json);
		json_member_hex(json, "instruction_addr", thread->frames[i].address);
		json_member_text(json, "package", thread->frames[i].module);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void write_image(struct crash_json *report, const struct applecrash_image *image)
{
	char code_id[DEBUGID_TEXT_BYTES];

	debugid_format_uuid_simple(&image->uuid, code_id);
	crash_json_module(report, &(struct crash_json_module){
		.type = "macho", .base = image->base, .size = image->size,
		.code_file = image->path, .debug_file = image->path, .code_id = text_of(code_id),
		.debug_id = image->uuid,
	});
}

static int write_report(struct cell *cell, const struct applecrash *crash, struct err *err)
{
	struct crash_json report;

	crash_json_begin(&report);
	write_facts(&report, crash);
	crash_json_threads(&report);
	for (size_t i = 0; i < crash->thread_count; i++)
		write_thread(&report, &crash->threads[i]);
	crash_json_list_end(&report);
	crash_json_modules(&report);
	for (size_t i = 0; i < crash->image_count; i++)
		write_image(&report, &crash->images[i]);
	crash_json_list_end(&report);
	return crash_json_end(&report, cell, 0, err);
}

static int read_file(struct cell *cell, struct text file, struct arena *arena, void *payload,
		     struct err *err)
{
	struct applecrash crash;

	(void)payload;
	return applecrash_read(&crash, file, arena, err) < 0 ? -1 : write_report(cell, &crash, err);
}

int convert_run_applecrash(struct cell *cell, struct err *err)
{
	return crash_json_run(cell, NULL, read_file, NULL, err);
}
