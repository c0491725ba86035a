/*
 * raw.c -- a dump as it stands there, stream by stream: minidump_print_raw().
 *
 * What is printed is bounded whatever the dump says: streams, entries of a list, bytes of a text,
 * and all of it together.
 */
#include "minidump/minidump_parts.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "minidump/raw_records.h"

#define STREAMS_MOST 4096u
#define ENTRIES_MOST LIMIT_MINIDUMP_RANGES
#define TEXT_BYTES_MOST ((size_t)1 << 20)
#define HEX_BYTES_MOST 1024u
#define HEX_ROW_BYTES 16u
#define FLUSH_BYTES ((size_t)1 << 20)
#define ALL_BYTES_MOST ((size_t)512 << 20)

struct raw_printer {
	struct minidump *dump;
	struct buf *out;
	minidump_flush_fn *flush;
	void *payload;
	size_t printed_bytes;        /* handed to flush so far */
	struct err *err;
};

static int flush(struct raw_printer *raw)
{
	raw->printed_bytes += raw->out->size;
	if (buf_check(raw->out, raw->err) < 0 || raw->flush(raw->payload, raw->out, raw->err) < 0)
		return -1;
	if (raw->printed_bytes > ALL_BYTES_MOST)
		return err_set(raw->err, ERR_LIMIT, "the listing is longer than %zu bytes",
			       ALL_BYTES_MOST);
	return 0;
}

static int flush_some(struct raw_printer *raw)
{
	return raw->out->size > FLUSH_BYTES ? flush(raw) : 0;
}

/* --- Fields --------------------------------------------------------------------------------------- */

static void print_text(struct raw_printer *raw, struct text text)
{
	if (!text.bytes) {
		buf_add_string(raw->out, "(cannot be read)");
		return;
	}
	buf_add_char(raw->out, '"');
	buf_add_visible(raw->out, text);
	buf_add_char(raw->out, '"');
}

static void print_number(struct raw_printer *raw, enum raw_form form, uint64_t value)
{
	char time[CLOCK_TEXT_BYTES];

	switch (form) {
	case RAW_DECIMAL:
		buf_printf(raw->out, "%llu", (unsigned long long)value);
		break;
	case RAW_TIME:
		clock_format_utc((int64_t)value, time);
		buf_printf(raw->out, "0x%llx %s", (unsigned long long)value, time);
		break;
	case RAW_STRING:
		buf_printf(raw->out, "0x%llx ", (unsigned long long)value);
		if (value)
			print_text(raw, minidump_string(raw->dump, value));
		break;
	default:
		buf_printf(raw->out, "0x%llx", (unsigned long long)value);
		break;
	}
}

/* False: the record ends before this field does. */
static bool print_field(struct raw_printer *raw, struct reader *record, const struct raw_field *field)
{
	unsigned count = field->count > 1 ? field->count : 1;
	uint64_t bytes = (uint64_t)count * field->size;

	if (reader_left(record) < bytes)
		return false;
	if (field->form == RAW_SKIPPED) {
		reader_skip(record, bytes);
		return true;
	}
	if (field->form == RAW_UTF16) {
		struct text text = minidump_utf16_field(raw->dump, record, count);

		buf_printf(raw->out, "  %s = ", field->name);
		print_text(raw, text.bytes ? text : TEXT(""));
		buf_add_char(raw->out, '\n');
		return true;
	}
	for (unsigned i = 0; i < count; i++) {
		buf_printf(raw->out, "  %s", field->name);
		if (count > 1)
			buf_printf(raw->out, "[%u]", i);
		buf_add_string(raw->out, " = ");
		print_number(raw, (enum raw_form)field->form, reader_unsigned(record, field->size));
		buf_add_char(raw->out, '\n');
	}
	return true;
}

static void print_record(struct raw_printer *raw, struct reader record,
			 const struct raw_stream *stream)
{
	for (unsigned i = 0; i < stream->field_count; i++)
		if (!print_field(raw, &record, &stream->fields[i]))
			break;
}

/* --- What is said beside the fields ------------------------------------------------------------------ */

static void print_registers(struct raw_printer *raw, struct minidump_location context)
{
	const struct unwind_arch_facts *facts;
	struct unwind_registers registers;

	if (context.size == 0)
		return;
	if (!minidump_context(raw->dump, context, &registers)) {
		buf_add_string(raw->out, "  (registers) = (cannot be read)\n");
		return;
	}
	facts = unwind_arch_facts(registers.arch);
	for (unsigned i = 0; i < facts->register_count; i++)
		buf_printf(raw->out, "  (%s) = 0x%0*llx\n", facts->names[i], 2 * facts->word_bytes,
			   (unsigned long long)registers.values[i]);
}

static void print_derived(struct raw_printer *raw, const char *name, struct text text)
{
	if (!text.bytes)
		return;
	buf_printf(raw->out, "  (%s) = ", name);
	print_text(raw, text);
	buf_add_char(raw->out, '\n');
}

static void print_identity(struct raw_printer *raw, uint64_t base)
{
	const struct minidump_module *module = minidump_module_at(raw->dump, base);
	char id[DEBUGID_TEXT_BYTES], version[MINIDUMP_VERSION_BYTES];

	if (!module || module->base != base)
		return;
	print_derived(raw, "code_identifier", module->code_id);
	print_derived(raw, "debug_file", module->debug_file);
	if (!debugid_is_nil(&module->debug_id)) {
		debugid_format_breakpad(&module->debug_id, id);
		print_derived(raw, "debug_identifier", text_of(id));
	}
	print_derived(raw, "misc_name", module->misc_name);
	minidump_module_version(raw->dump, module, version);
	if (version[0])
		print_derived(raw, "version", text_of(version));
}

static void print_beside(struct raw_printer *raw, uint32_t type, struct reader entry)
{
	char reason[MINIDUMP_REASON_BYTES];

	switch (type) {
	case MD_THREAD_LIST_STREAM:
		reader_seek(&entry, MD_THREAD_SIZE - 8);
		print_registers(raw, minidump_read_location(&entry));
		break;
	case MD_MODULE_LIST_STREAM:
		print_identity(raw, reader_u64(&entry));
		break;
	case MD_EXCEPTION_STREAM:
		if (!raw->dump->has_exception)
			break;
		minidump_crash_reason(raw->dump, reason);
		print_derived(raw, "reason", text_of(reason));
		reader_seek(&entry, MD_EXCEPTION_STREAM_SIZE - 8);
		if (!entry.failed)
			print_registers(raw, minidump_read_location(&entry));
		break;
	default:
		break;
	}
}

/* --- Lists ------------------------------------------------------------------------------------------- */

static int print_entries(struct raw_printer *raw, struct reader *entries, uint64_t count,
			 uint64_t entry_bytes, const struct raw_stream *stream)
{
	uint64_t there = entry_bytes ? reader_left(entries) / entry_bytes : 0;
	uint64_t take = count < there ? count : there;

	buf_printf(raw->out, "  count = %llu\n", (unsigned long long)count);
	if (take > ENTRIES_MOST)
		take = ENTRIES_MOST;
	for (uint64_t i = 0; i < take; i++) {
		struct reader entry = reader_part(entries, stream->entry, entry_bytes);

		buf_printf(raw->out, "%s[%llu]\n", stream->entry, (unsigned long long)i);
		print_record(raw, entry, stream);
		print_beside(raw, stream->type, entry);
		if (flush_some(raw) < 0)
			return -1;
	}
	if (take < count)
		buf_printf(raw->out, "(%llu more are not there or not listed)\n",
			   (unsigned long long)(count - take));
	return 0;
}

static int print_list(struct raw_printer *raw, struct reader *list, const struct raw_stream *stream)
{
	uint32_t count = reader_u32(list);

	if (reader_left(list) == (uint64_t)count * stream->entry_bytes + sizeof(uint32_t))
		reader_skip(list, sizeof(uint32_t));
	return print_entries(raw, list, count, stream->entry_bytes, stream);
}

static int print_sized_list(struct raw_printer *raw, struct reader *list,
			    const struct raw_stream *stream)
{
	uint32_t header_bytes = reader_u32(list), entry_bytes = reader_u32(list);
	uint64_t count = stream->layout == RAW_WIDE_LIST ? reader_u64(list) : reader_u32(list);

	buf_printf(raw->out, "  header_bytes = %u\n  entry_bytes = %u\n", (unsigned)header_bytes,
		   (unsigned)entry_bytes);
	reader_seek(list, header_bytes);
	return print_entries(raw, list, list->failed ? 0 : count, entry_bytes, stream);
}

static int print_memory_64(struct raw_printer *raw, struct reader *list,
			   const struct raw_stream *stream)
{
	uint64_t count = reader_u64(list), base = reader_u64(list);

	buf_printf(raw->out, "  base_rva = 0x%llx\n", (unsigned long long)base);
	return print_entries(raw, list, count, stream->entry_bytes, stream);
}

/* --- Texts and bytes --------------------------------------------------------------------------------- */

static int print_lines(struct raw_printer *raw, const struct reader *stream)
{
	size_t size = stream->size < TEXT_BYTES_MOST ? stream->size : TEXT_BYTES_MOST;
	const char *bytes = (const char *)stream->bytes;
	size_t start = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && bytes[i] != '\n' && bytes[i] != '\0')
			continue;
		if (i > start || i < size) {
			buf_add_string(raw->out, "  ");
			buf_add_visible(raw->out, (struct text){ bytes + start, i - start });
			buf_add_char(raw->out, '\n');
		}
		start = i + 1;
	}
	if (size < stream->size)
		buf_printf(raw->out, "  (%zu more bytes)\n", stream->size - size);
	return flush_some(raw);
}

static int print_hex(struct raw_printer *raw, const struct reader *stream)
{
	size_t size = stream->size < HEX_BYTES_MOST ? stream->size : HEX_BYTES_MOST;

	for (size_t row = 0; row < size; row += HEX_ROW_BYTES) {
		buf_printf(raw->out, "  %04zx ", row);
		for (size_t i = row; i < row + HEX_ROW_BYTES; i++) {
			if (i < size)
				buf_printf(raw->out, " %02x", stream->bytes[i]);
			else
				buf_add_string(raw->out, "   ");
		}
		buf_add_string(raw->out, "  ");
		for (size_t i = row; i < size && i < row + HEX_ROW_BYTES; i++)
			buf_add_char(raw->out, stream->bytes[i] >= ' ' && stream->bytes[i] < 0x7f
							? (char)stream->bytes[i] : '.');
		buf_add_char(raw->out, '\n');
	}
	if (size < stream->size)
		buf_printf(raw->out, "  (%zu more bytes)\n", stream->size - size);
	return flush_some(raw);
}

/* --- Streams that lead elsewhere: the last of each counts ---------------------------------------------- */

static int print_crashpad(struct raw_printer *raw)
{
	struct minidump_crashpad crashpad;
	char report[DEBUGID_TEXT_BYTES], client[DEBUGID_TEXT_BYTES];

	if (minidump_crashpad(raw->dump, &crashpad, raw->err) < 0)
		return -1;
	debugid_format(&crashpad.report_id, report);
	debugid_format(&crashpad.client_id, client);
	buf_printf(raw->out, "  version = %u\n  report_id = %s\n  client_id = %s\n",
		   (unsigned)crashpad.version, report, client);
	for (size_t i = 0; i < crashpad.annotation_count; i++) {
		const struct minidump_annotation *it = &crashpad.annotations[i];

		if (flush_some(raw) < 0)
			return -1;
		buf_add_string(raw->out, "  ");
		if (it->module != MINIDUMP_NO_MODULE)
			buf_printf(raw->out, "module[%u].", (unsigned)it->module);
		buf_add_string(raw->out, it->kind == MINIDUMP_ANNOTATION_SIMPLE ? "simple_annotations["
			       : it->kind == MINIDUMP_ANNOTATION_LIST ? "list_annotations["
								      : "annotation_objects[");
		if (it->kind != MINIDUMP_ANNOTATION_LIST)
			print_text(raw, it->name);
		buf_add_string(raw->out, "]");
		if (it->kind == MINIDUMP_ANNOTATION_OBJECT)
			buf_printf(raw->out, " (type = %u)", (unsigned)it->type);
		buf_add_string(raw->out, " = ");
		print_text(raw, it->value);
		buf_add_char(raw->out, '\n');
	}
	return 0;
}

static int print_mac_crash(struct raw_printer *raw)
{
	struct minidump_mac_crash_list list;

	if (minidump_mac_crash_info(raw->dump, &list, raw->err) < 0)
		return -1;
	for (size_t i = 0; i < list.count; i++) {
		const struct minidump_mac_crash *it = &list.items[i];

		buf_printf(raw->out, "record[%zu]\n  version = %llu\n  thread = 0x%llx\n"
			   "  dialog_mode = 0x%llx\n  abort_cause = 0x%llx\n", i,
			   (unsigned long long)it->version, (unsigned long long)it->thread,
			   (unsigned long long)it->dialog_mode, (unsigned long long)it->abort_cause);
		print_derived(raw, "module_path", it->module_path);
		print_derived(raw, "message", it->message);
		print_derived(raw, "signature_string", it->signature);
		print_derived(raw, "backtrace", it->backtrace);
		print_derived(raw, "message2", it->message2);
	}
	return flush_some(raw);
}

static int print_dso_debug(struct raw_printer *raw)
{
	struct minidump_dso_debug debug;

	if (minidump_dso_debug(raw->dump, &debug, raw->err) < 0)
		return -1;
	buf_printf(raw->out, "  version = %u\n  dso_count = %zu\n  brk = 0x%llx\n  ldbase = 0x%llx\n"
		   "  dynamic = 0x%llx\n", (unsigned)debug.version, debug.map_count,
		   (unsigned long long)debug.brk, (unsigned long long)debug.loader_base,
		   (unsigned long long)debug.dynamic);
	for (size_t i = 0; i < debug.map_count; i++) {
		if (flush_some(raw) < 0)
			return -1;
		buf_printf(raw->out, "link_map[%zu]\n  addr = 0x%llx\n  name = ", i,
			   (unsigned long long)debug.maps[i].address);
		print_text(raw, debug.maps[i].name);
		buf_printf(raw->out, "\n  ld = 0x%llx\n", (unsigned long long)debug.maps[i].dynamic);
	}
	return 0;
}

/* --- All ------------------------------------------------------------------------------------------------ */

static int print_bytes(struct raw_printer *raw, uint32_t type, const struct reader *bytes)
{
	struct reader last;
	bool leads = type == MD_CRASHPAD_INFO_STREAM || type == MD_MOZ_MACOS_CRASH_INFO_STREAM ||
		     type == MD_LINUX_DSO_DEBUG;

	if (leads && minidump_find_stream(raw->dump, type, &last) && last.bytes == bytes->bytes) {
		if (type == MD_CRASHPAD_INFO_STREAM)
			return print_crashpad(raw);
		return type == MD_LINUX_DSO_DEBUG ? print_dso_debug(raw) : print_mac_crash(raw);
	}
	return print_hex(raw, bytes);
}

static int print_stream(struct raw_printer *raw, uint32_t at)
{
	struct minidump_stream entry = minidump_stream(raw->dump, at);
	const struct raw_stream *stream = raw_stream_of(entry.type);
	const char *name = minidump_stream_name(entry.type);
	struct reader bytes = minidump_clamped(raw->dump, name ? name : "stream", entry.location.rva,
					       entry.location.size);

	if (entry.location.size == 0)
		return 0;
	buf_printf(raw->out, "\nstream[%u] %s\n", (unsigned)at, name ? name : "(unknown)");
	if (bytes.size < entry.location.size)
		buf_printf(raw->out, "  (the file ends %zu bytes into its %u)\n", bytes.size,
			   (unsigned)entry.location.size);
	switch (stream->layout) {
	case RAW_RECORD:
		print_record(raw, bytes, stream);
		print_beside(raw, entry.type, bytes);
		return flush_some(raw);
	case RAW_LIST:
		return print_list(raw, &bytes, stream);
	case RAW_SIZED_LIST:
	case RAW_WIDE_LIST:
		return print_sized_list(raw, &bytes, stream);
	case RAW_MEMORY_64_LIST:
		return print_memory_64(raw, &bytes, stream);
	case RAW_TEXT:
		return print_lines(raw, &bytes);
	default:
		return print_bytes(raw, entry.type, &bytes);
	}
}

static int print_head(struct raw_printer *raw, uint32_t streams)
{
	const struct minidump *dump = raw->dump;

	buf_printf(raw->out, "header (%s-endian)\n  version = 0x%x\n  stream_count = %u\n"
		   "  stream_directory_rva = 0x%x\n  checksum = 0x%x\n  time_date_stamp = ",
		   dump->big_endian ? "big" : "little", (unsigned)dump->version,
		   (unsigned)dump->stream_count, (unsigned)dump->directory_rva,
		   (unsigned)dump->checksum);
	print_number(raw, RAW_TIME, dump->time_date_stamp);
	buf_printf(raw->out, "\n  flags = 0x%llx\n\n", (unsigned long long)dump->flags);
	for (uint32_t i = 0; i < streams; i++) {
		struct minidump_stream stream = minidump_stream(dump, i);
		const char *name = minidump_stream_name(stream.type);

		buf_printf(raw->out, "directory[%u] stream_type = 0x%x %s, data_size = %u, rva = 0x%x\n",
			   (unsigned)i, (unsigned)stream.type, name ? name : "(unknown)",
			   (unsigned)stream.location.size, (unsigned)stream.location.rva);
	}
	return flush_some(raw);
}

int minidump_print_raw(struct minidump *dump, struct buf *out, minidump_flush_fn *flush_fn,
		       void *payload, struct err *err)
{
	struct raw_printer raw = { .dump = dump, .out = out, .flush = flush_fn, .payload = payload,
				   .err = err };
	uint32_t streams = dump->stream_count < STREAMS_MOST ? dump->stream_count : STREAMS_MOST;
	struct err unread = ERR_INIT;

	/* For contexts, identities and the reason; without them the fields still stand there. */
	if (minidump_read(dump, &unread) < 0 && unread.kind != ERR_MALFORMED) {
		*err = unread;
		return -1;
	}
	if (print_head(&raw, streams) < 0)
		return -1;
	for (uint32_t i = 0; i < streams; i++)
		if (print_stream(&raw, i) < 0)
			return -1;
	if (unread.kind != ERR_NONE || minidump_losses(dump) > 0)
		buf_add_string(out, "\nlost\n");
	if (unread.kind != ERR_NONE)
		buf_printf(out, "  %s\n", unread.text);
	for (size_t i = 0; i < minidump_losses(dump); i++)
		buf_printf(out, "  %s\n", minidump_loss(dump, i));
	if (minidump_check_memory(dump, err) < 0)
		return -1;
	return flush(&raw);
}
