/* crashpad_info.c -- the annotations of Crashpad's clients: minidump_extensions.h of Crashpad. */
#include "minidump/minidump_parts.h"

#include "base/arena.h"
#include "base/limits.h"

#define GUID_BYTES 16u
#define SIMPLE_BYTES 8u
#define OBJECT_BYTES 12u
#define LINK_BYTES   12u                     /* MinidumpModuleCrashpadInfoLink */

/* Annotations of one kind and module: a count, then entries. */
struct minidump_annotation_run {
	enum minidump_annotation_kind kind;
	uint32_t module;
	struct minidump_location at;
};

static uint32_t entry_bytes(enum minidump_annotation_kind kind)
{
	switch (kind) {
	case MINIDUMP_ANNOTATION_SIMPLE: return SIMPLE_BYTES;
	case MINIDUMP_ANNOTATION_OBJECT: return OBJECT_BYTES;
	default:                         return sizeof(uint32_t);
	}
}

static struct text string_at(struct minidump *dump, uint32_t rva)
{
	struct text text = minidump_utf8_string(dump, rva);

	if (!text.bytes)
		minidump_lose(dump, "%s: an annotation's text cannot be read",
			      minidump_stream_name(MD_CRASHPAD_INFO_STREAM));
	return text;
}

static void read_annotation(struct minidump *dump, struct reader *list,
			    struct minidump_annotation *annotation)
{
	uint32_t value;

	if (annotation->kind != MINIDUMP_ANNOTATION_LIST)
		annotation->name = string_at(dump, reader_u32(list));
	if (annotation->kind == MINIDUMP_ANNOTATION_OBJECT) {
		annotation->type = reader_u16(list);
		reader_skip(list, sizeof(uint16_t));
	}
	value = reader_u32(list);
	annotation->value = string_at(dump, value);
}

/* Adds to the list, or only counts while there is none. */
static void read_run(struct minidump *dump, const struct minidump_annotation_run *run,
		     struct minidump_annotation *annotations, size_t *count)
{
	const char *name = minidump_stream_name(MD_CRASHPAD_INFO_STREAM);
	struct reader list = minidump_clamped(dump, name, run->at.rva, run->at.size);
	uint32_t entries = reader_u32(&list);
	size_t there = reader_left(&list) / entry_bytes(run->kind);

	if (run->at.size == 0 || list.failed)
		return;
	if (entries > there || entries > LIMIT_MINIDUMP_ANNOTATIONS - *count) {
		if (!annotations)
			minidump_lose(dump, "%s: not all of %u annotations are read", name,
				      (unsigned)entries);
		entries = there < LIMIT_MINIDUMP_ANNOTATIONS - *count
			? (uint32_t)there : (uint32_t)(LIMIT_MINIDUMP_ANNOTATIONS - *count);
	}
	for (uint32_t i = 0; annotations && i < entries; i++) {
		annotations[*count + i].kind = run->kind;
		annotations[*count + i].module = run->module;
		read_annotation(dump, &list, &annotations[*count + i]);
	}
	*count += entries;
}

static void read_module(struct minidump *dump, uint32_t module, struct minidump_location at,
			struct minidump_annotation *annotations, size_t *count)
{
	struct reader info = minidump_part(dump, "Crashpad's module", at.rva, at.size);
	struct minidump_annotation_run run = { .module = module };

	reader_skip(&info, sizeof(uint32_t));
	run.kind = MINIDUMP_ANNOTATION_LIST;
	run.at = minidump_read_location(&info);
	if (info.failed)
		return;
	read_run(dump, &run, annotations, count);
	run.kind = MINIDUMP_ANNOTATION_SIMPLE;
	run.at = minidump_read_location(&info);
	if (!info.failed)
		read_run(dump, &run, annotations, count);
	run.kind = MINIDUMP_ANNOTATION_OBJECT;
	run.at = minidump_read_location(&info);
	if (!info.failed)
		read_run(dump, &run, annotations, count);
}

/* With `annotations` NULL it only counts. */
static void read_all(struct minidump *dump, struct minidump_location simple,
		     struct minidump_location modules, struct minidump_annotation *annotations,
		     size_t *count)
{
	struct minidump_annotation_run run = { MINIDUMP_ANNOTATION_SIMPLE, MINIDUMP_NO_MODULE, simple };
	struct reader list = minidump_clamped(dump, "Crashpad's modules", modules.rva, modules.size);
	uint32_t links = reader_u32(&list);

	*count = 0;
	read_run(dump, &run, annotations, count);
	if (links > LIMIT_MINIDUMP_MODULES)
		links = LIMIT_MINIDUMP_MODULES;
	for (uint32_t i = 0; i < links && reader_left(&list) >= LINK_BYTES; i++) {
		uint32_t module = reader_u32(&list);

		read_module(dump, module, minidump_read_location(&list), annotations, count);
	}
}

int minidump_crashpad(struct minidump *dump, struct minidump_crashpad *crashpad, struct err *err)
{
	struct minidump_annotation *annotations;
	struct minidump_location simple, modules;
	struct reader stream;
	const uint8_t *ids;
	size_t count;

	*crashpad = (struct minidump_crashpad){ .annotation_count = 0 };
	if (!minidump_find_stream(dump, MD_CRASHPAD_INFO_STREAM, &stream))
		return 0;
	crashpad->version = reader_u32(&stream);
	ids = reader_take(&stream, 2 * GUID_BYTES);
	simple = minidump_read_location(&stream);
	modules = minidump_read_location(&stream);
	if (stream.failed || crashpad->version == 0) {
		minidump_lose(dump, "%s: version %u in %zu bytes", stream.name,
			      (unsigned)crashpad->version, stream.size);
		return 0;
	}
	crashpad->is_there = true;
	crashpad->report_id = dump->big_endian ? debugid_from_uuid(ids, 0) : debugid_from_guid(ids, 0);
	crashpad->client_id = dump->big_endian ? debugid_from_uuid(ids + GUID_BYTES, 0)
					       : debugid_from_guid(ids + GUID_BYTES, 0);
	read_all(dump, simple, modules, NULL, &count);
	annotations = minidump_records(dump, (uint32_t)count, sizeof(*annotations));
	if (annotations)
		read_all(dump, simple, modules, annotations, &count);
	crashpad->annotations = annotations;
	crashpad->annotation_count = annotations ? count : 0;
	return minidump_check_memory(dump, err);
}
