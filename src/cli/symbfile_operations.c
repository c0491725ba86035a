/* symbfile_operations.c -- what cells do with symbfiles for the command line: see cli_cells.h. */
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cli_cells.h"
#include "symbfile/symbfile.h"

#define FLUSH_BYTES ((size_t)1 << 20)

struct symbfile_listing { struct buf out; struct json_writer json; int fd; bool as_json; };

static int flush(struct symbfile_listing *listing, size_t most, struct err *err)
{
	if (buf_check(&listing->out, err) < 0)
		return -1;
	if (listing->out.size <= most)
		return 0;
	if (file_write_all(listing->fd, listing->out.bytes, listing->out.size, err) < 0)
		return -1;
	buf_clear(&listing->out);
	return 0;
}

static void add_place(struct buf *out, struct text file, uint32_t line)
{
	buf_add_char(out, ' ');
	if (file.size)
		buf_add_visible(out, file);
	else
		buf_add_char(out, '?');
	buf_printf(out, ":%u", line);
}

static void range_as_json(struct json_writer *json, const struct symbfile_range *range)
{
	json_object(json);
	json_member_hex(json, "address", range->address);
	json_member_hex(json, "length", range->length);
	json_member_u64(json, "depth", range->depth);
	json_member_text(json, "function", range->function);
	json_member_text(json, "file", range->file);
	json_member_text(json, "call_file", range->call_file);
	json_member_u64(json, "call_line", range->call_line);
	json_key(json, "lines");
	json_array(json);
	for (size_t i = 0; i < range->line_count; i++) {
		json_object(json);
		json_member_hex(json, "offset", range->lines[i].offset);
		json_member_u64(json, "line", range->lines[i].line);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static int list_range(void *payload, const struct symbfile_range *range, struct err *err)
{
	struct symbfile_listing *listing = payload;
	struct buf *out = &listing->out;

	if (listing->as_json) {
		range_as_json(&listing->json, range);
		return flush(listing, FLUSH_BYTES, err);
	}
	buf_printf(out, "range %#llx %#llx depth %u ", (unsigned long long)range->address,
		   (unsigned long long)range->length, range->depth);
	buf_add_visible(out, range->function);
	if (range->file.bytes) {
		buf_add_string(out, " in ");
		buf_add_visible(out, range->file);
	}
	if (range->depth > 0) {
		buf_add_string(out, " called from");
		add_place(out, range->call_file, range->call_line);
	}
	for (size_t i = 0; i < range->line_count; i++)
		buf_printf(out, "%s+%#x:%u", i ? " " : " lines ", range->lines[i].offset, range->lines[i].line);
	buf_add_char(out, '\n');
	return flush(listing, FLUSH_BYTES, err);
}

static int list_pad(void *payload, const struct symbfile_pad *pad, struct err *err)
{
	struct symbfile_listing *listing = payload;
	struct json_writer *json = &listing->json;

	if (!listing->as_json)
		buf_printf(&listing->out, "pad %#llx", (unsigned long long)pad->address);
	else {
		json_object(json);
		json_member_hex(json, "address", pad->address);
		json_key(json, "calls");
		json_array(json);
	}
	for (size_t i = 0; i < pad->count; i++) {
		const struct symbfile_call *call = &pad->calls[i];

		if (!listing->as_json) {
			buf_add_string(&listing->out, i ? ", " : " ");
			buf_add_visible(&listing->out, call->function);
			add_place(&listing->out, call->file, call->line);
			continue;
		}
		json_object(json);
		json_member_text(json, "function", call->function);
		json_member_text(json, "file", call->file);
		json_member_u64(json, "line", call->line);
		json_object_end(json);
	}
	if (listing->as_json) {
		json_array_end(json);
		json_object_end(json);
	} else {
		buf_add_char(&listing->out, '\n');
	}
	return flush(listing, FLUSH_BYTES, err);
}

static int list_all(struct symbfile_listing *listing, struct file_map file, struct err *err)
{
	const struct symbfile_sink sink = { listing, list_range, list_pad };
	struct symbfile_report report;

	if (listing->as_json)
		json_array(&listing->json);
	if (symbfile_read(file.bytes, file.size, &sink, &report, err) < 0)
		return -1;
	if (listing->as_json) {
		json_array_end(&listing->json);
		buf_add_char(&listing->out, '\n');
	}
	return flush(listing, 0, err);
}

static int dump_symbfile(struct cell *cell, struct err *err)
{
	struct symbfile_listing listing = {
		.fd = cell_output(cell, "text"), .as_json = text_is(cell->parameters, "json"),
	};
	struct file_map file = { NULL, 0 };
	int rc;

	buf_init(&listing.out, cell->memory_bytes / 2);
	json_writer_init(&listing.json, &listing.out);
	rc = file_map_fd(&file, cell_input(cell, "symbfile"), err);
	if (rc == 0)
		rc = list_all(&listing, file, err);
	buf_release(&listing.out);
	file_unmap(&file);
	return rc;
}

const struct cell_operation cells_operation_dump_symbfile = { "dump-symbfile", dump_symbfile, NULL };
