/*
 * inspect.c -- in a cell: what is this file, and what does it offer?
 *
 * Downloads arrive packed and with several objects in one; what is stored is one object as
 * it is.  The output file is written only when the input is not that already.
 */
#include "convert/convert_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "symcache/symcache.h"
#include "unpack/unpack.h"

#define COPY_BYTES ((size_t)1 << 20)

struct inspection {
	int input, output;
	struct convert_inspect asked;
	struct file_map map;         /* of the input, or of the output once that is written */
	bool written;
	struct arena arena;
};

static int read_parameters(struct inspection *inspection, struct text parameters, struct err *err)
{
	struct convert_inspect *asked = &inspection->asked;
	const char *debug_id;
	cJSON *object;
	int rc;

	if (convert_json_parse(parameters, &object, err) < 0)
		return -1;
	debug_id = convert_json_string(object, "debug_id");
	if (!debug_id || !debugid_parse(text_of(debug_id), &asked->debug_id))
		asked->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	asked->max_bytes = convert_json_size(object, "max_bytes");
	object_section_max_bytes = convert_json_size(object, "max_section_bytes");
	asked->is_copied = convert_json_bool(object, "copy");
	rc = convert_json_text(object, "code_id", &inspection->arena, &asked->code_id, err);
	cJSON_Delete(object);
	return rc;
}

static int map_again(struct inspection *inspection, struct err *err)
{
	file_unmap(&inspection->map);
	inspection->written = true;
	return file_map_fd(&inspection->map, inspection->output, err);
}

static int unpack(struct inspection *inspection, struct err *err)
{
	enum unpack_kind kind = unpack_recognise(inspection->map.bytes, inspection->map.size);

	if (kind == UNPACK_NONE)
		return 0;
	if (kind == UNPACK_ZIP || kind == UNPACK_CAB) {
		const struct text archive = { (const char *)inspection->map.bytes,
					      inspection->map.size };

		if (unpack_archive(kind, archive, inspection->output,
				   inspection->asked.max_bytes, err) < 0)
			return -1;
		return map_again(inspection, err);
	}
	if (lseek(inspection->input, 0, SEEK_SET) < 0)
		return err_os(err, errno, "going to the start of the input");
	if (unpack_stream(kind, inspection->input, inspection->output,
			  inspection->asked.max_bytes, err) < 0)
		return err->kind == ERR_LIMIT ? -1
			: err_while(err, "unpacking %s", unpack_kind_name(kind));
	return map_again(inspection, err);
}

/* Forwards: the target lies before the source when both are one file. */
static int move_bytes(int from, uint64_t offset, uint64_t size, int to, struct err *err)
{
	uint64_t done = 0;
	char *chunk = mem_get(COPY_BYTES);
	int rc = 0;

	if (!chunk)
		return err_set(err, ERR_NO_MEMORY, "no memory to copy a slice");
	while (rc == 0 && done < size) {
		size_t want = size - done < COPY_BYTES ? (size_t)(size - done) : COPY_BYTES;
		ssize_t got = pread(from, chunk, want, (off_t)(offset + done));

		if (got <= 0)
			rc = err_os(err, got < 0 ? errno : EIO, "reading a slice");
		else if (pwrite(to, chunk, (size_t)got, (off_t)done) != got)
			rc = err_os(err, errno ? errno : EIO, "writing a slice");
		else
			done += (uint64_t)got;
	}
	if (rc == 0 && ftruncate(to, (off_t)size) < 0)
		rc = err_os(err, errno, "ending a slice");
	mem_give_back(chunk);
	return rc;
}

static int take_slice(struct inspection *inspection, struct err *err)
{
	const struct file_map *map = &inspection->map;
	struct text slice;
	uint64_t offset;

	if (object_slice_count(map->bytes, map->size) == 1)
		return 0;
	if (object_choose_slice(map->bytes, map->size, &inspection->asked.debug_id,
				inspection->asked.code_id, &inspection->arena, &slice, err) < 0)
		return -1;
	offset = (uint64_t)((const uint8_t *)slice.bytes - map->bytes);
	if (offset == 0 && slice.size == map->size)
		return 0;
	if (move_bytes(inspection->written ? inspection->output : inspection->input, offset,
		       slice.size, inspection->output, err) < 0)
		return -1;
	return map_again(inspection, err);
}

/* Of a file that nobody else would find where it lies. */
static int take_copy(struct inspection *inspection, struct err *err)
{
	if (!inspection->asked.is_copied || inspection->written)
		return 0;
	if (inspection->map.size > inspection->asked.max_bytes)
		return err_set(err, ERR_LIMIT, "the file is larger than max_download_size");
	return move_bytes(inspection->input, 0, inspection->map.size, inspection->output, err) < 0
	       ? -1 : map_again(inspection, err);
}

/* --- The reply -------------------------------------------------------------------------- */

static size_t choose_wants(const struct object *object, struct object_want *wants)
{
	size_t count = 0;

	for (size_t i = 0; i < object->want_count && count < LIMIT_CELL_WANTS; i++)
		if (convert_may_tell(&object->wants[i]))
			wants[count++] = object->wants[i];
	return count;
}

/* Without line ends, which differ between systems. */
static uint64_t text_bytes_of(const struct object *object)
{
	uint64_t count = object->size;

	if (strcmp(object->format->name, "breakpad") != 0)
		return 0;
	for (size_t i = 0; i < object->size; i++)
		count -= object->bytes[i] == '\n' || object->bytes[i] == '\r';
	return count;
}

static void write_reply(const struct inspection *inspection, const struct object *object,
			struct buf *out)
{
	struct object_want wants[LIMIT_CELL_WANTS];
	char debug_id[DEBUGID_TEXT_BYTES];
	struct json_writer json;
	struct convert_meta meta = {
		.has_debug_info = object->offers & OBJECT_OFFERS_DEBUG,
		.has_unwind_info = object->offers & OBJECT_OFFERS_UNWIND,
		.has_symbols = object->offers & OBJECT_OFFERS_SYMBOLS,
		.has_sources = object->offers & OBJECT_OFFERS_SOURCES,
		.is_extract = inspection->written,
		.format = text_of(object->format->name),
		.kind = text_of(object_kind_name(object->kind)),
		.arch = text_of(arch_name(object->arch)),
		.code_id = object->code_id, .wants = wants,
	};

	debugid_format(&object->debug_id, debug_id);
	if (!debugid_is_nil(&object->debug_id))
		meta.debug_id = text_of(debug_id);
	if (object->debug_file.size <= CONVERT_WANT_NAME_BYTES_MAX)
		meta.debug_file = object->debug_file;
	if (object->code_file.size <= CONVERT_WANT_NAME_BYTES_MAX)
		meta.code_file = object->code_file;
	meta.text_bytes = text_bytes_of(object);
	if (object->srcsrv_vcs.size <= CONVERT_WANT_NAME_BYTES_MAX)
		meta.srcsrv_vcs = object->srcsrv_vcs;
	meta.want_count = choose_wants(object, wants);
	json_writer_init(&json, out);
	json_object(&json);
	json_member_bool(&json, "object_written", inspection->written);
	json_key(&json, "meta");
	convert_meta_write(&meta, &json);
	json_object_end(&json);
}

static int tell(struct inspection *inspection, struct buf *out, struct err *err)
{
	struct object object;

	if (object_open(&object, inspection->map.bytes, inspection->map.size, &inspection->arena,
			err) < 0) {
		/* Whatever a source calls a debug file and we cannot recognise is a broken one. */
		if (err->kind == ERR_UNSUPPORTED && !object.format)
			err->kind = ERR_MALFORMED;
		return -1;
	}
	write_reply(inspection, &object, out);
	object_release(&object);
	return buf_check(out, err);
}

int convert_run_inspect(struct cell *cell, struct err *err)
{
	struct inspection inspection = {
		.input = cell_input(cell, "file"), .output = cell_output(cell, "object"),
	};
	int rc = -1;

	arena_init(&inspection.arena, cell->memory_bytes);
	if (read_parameters(&inspection, cell->parameters, err) == 0 &&
	    file_map_fd(&inspection.map, inspection.input, err) == 0 &&
	    unpack(&inspection, err) == 0 &&
	    take_slice(&inspection, err) == 0 &&
	    take_copy(&inspection, err) == 0)
		rc = tell(&inspection, cell->reply, err);
	file_unmap(&inspection.map);
	arena_release(&inspection.arena);
	return rc;
}

/* --- Files that are no objects ------------------------------------------------------------ */

static int read_auxiliary_parameters(struct inspection *inspection, struct text parameters,
				     enum convert_auxiliary_kind *kind, struct err *err)
{
	uint64_t number;
	cJSON *object;

	if (convert_json_parse(parameters, &object, err) < 0)
		return -1;
	inspection->asked.max_bytes = convert_json_size(object, "max_bytes");
	number = convert_json_u64(object, "kind");
	cJSON_Delete(object);
	if (number >= CONVERT_AUXILIARIES)
		return err_set(err, ERR_INTERNAL, "asked to read an unknown kind of file");
	*kind = (enum convert_auxiliary_kind)number;
	return 0;
}

/* A line map is looked at at once: of several the first good one is used. */
static int tell_auxiliary(const struct inspection *inspection, enum convert_auxiliary_kind kind,
			  struct buf *out, struct err *err)
{
	const struct text bytes = { (const char *)inspection->map.bytes, inspection->map.size };
	char original[DEBUGID_TEXT_BYTES];
	struct json_writer json;
	struct debugid id;

	if ((kind == CONVERT_UUID_MAP && convert_uuidmap_read(bytes, &id, err) < 0) ||
	    (kind == CONVERT_LINE_MAP && symcache_check_line_map(bytes, err) < 0))
		return -1;
	if (kind != CONVERT_UUID_MAP && !inspection->written &&
	    move_bytes(inspection->input, 0, bytes.size, inspection->output, err) < 0)
		return -1;
	json_writer_init(&json, out);
	json_object(&json);
	if (kind == CONVERT_UUID_MAP) {
		debugid_format(&id, original);
		json_member_string(&json, "original", original);
	}
	json_object_end(&json);
	return buf_check(out, err);
}

int convert_run_auxiliary(struct cell *cell, struct err *err)
{
	struct inspection inspection = {
		.input = cell_input(cell, "file"), .output = cell_output(cell, "object"),
	};
	enum convert_auxiliary_kind kind = CONVERT_NAME_MAP;
	int rc = -1;

	arena_init(&inspection.arena, cell->memory_bytes);
	if (read_auxiliary_parameters(&inspection, cell->parameters, &kind, err) == 0 &&
	    file_map_fd(&inspection.map, inspection.input, err) == 0 &&
	    unpack(&inspection, err) == 0)
		rc = tell_auxiliary(&inspection, kind, cell->reply, err);
	file_unmap(&inspection.map);
	arena_release(&inspection.arena);
	return rc;
}
