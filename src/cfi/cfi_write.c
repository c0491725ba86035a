/* cfi_write.c -- from an object to a text of STACK records: collect, sort, print. */
#include <string.h>

#include "base/mem.h"
#include "cfi/cfi_writer.h"
#include "cfi/frame_section.h"

static const uint8_t preamble[] = { 'C', 'I', 'F', 'C', CFI_VERSION, 0, 0, 0 };

static const struct {
	int (*collect)(struct cfi_writer *writer, uint32_t source, struct err *err);
	int (*print)(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err);
} readers[OBJECT_UNWIND_KINDS] = {
	[OBJECT_UNWIND_DEBUG_FRAME] = { frame_section_collect, frame_section_print },
	[OBJECT_UNWIND_EH_FRAME] = { frame_section_collect, frame_section_print },
	[OBJECT_UNWIND_COMPACT] = { compact_unwind_collect, compact_unwind_print },
	[OBJECT_UNWIND_PDATA] = { pdata_collect, pdata_print },
	[OBJECT_UNWIND_BREAKPAD] = { breakpad_collect, breakpad_print },
};

static bool is_frames(enum object_unwind_kind kind)
{
	return kind == OBJECT_UNWIND_DEBUG_FRAME || kind == OBJECT_UNWIND_EH_FRAME;
}

static bool is_macho(const struct cfi_writer *writer)
{
	return strcmp(writer->object->format->name, "macho") == 0;
}

static int take_section(void *payload, const struct object_unwind *section, struct err *err)
{
	struct cfi_writer *writer = payload;
	struct cfi_source *source = &writer->sources[writer->source_count];

	if (writer->source_count == CFI_SOURCES_MAX)
		return err_set(err, ERR_INTERNAL, "more than %u sections to unwind by",
			       CFI_SOURCES_MAX);
	/* Where nobody knows the registers, only what is text already can be said. */
	if (!writer->registers && section->kind != OBJECT_UNWIND_BREAKPAD)
		return 0;
	*source = (struct cfi_source){ .section = *section,
				       .collect = readers[section->kind].collect,
				       .print = readers[section->kind].print };
	writer->source_count++;
	if (!is_frames(section->kind))
		return 0;
	if (frame_section_new(&source->frames, &source->section, writer->object->load_address,
			      err) < 0)
		return -1;
	source->frames->registers = is_macho(writer) && section->kind == OBJECT_UNWIND_EH_FRAME
					    ? cfi_registers_of_macho(writer->object->arch)
					    : writer->registers;
	return 0;
}

/* Of a Mach-O file with compact unwind information __eh_frame holds what that refers to. */
static bool is_only_referred_to(const struct cfi_writer *writer, uint32_t source)
{
	for (uint32_t i = 0; i < writer->source_count; i++)
		if (writer->sources[i].section.kind == OBJECT_UNWIND_COMPACT)
			return writer->sources[source].section.kind == OBJECT_UNWIND_EH_FRAME;
	return false;
}

static int collect(struct cfi_writer *writer, struct err *err)
{
	struct object_unwind_sink sink = { writer, take_section, cfi_writer_take_stack_frame };

	if (object_each_unwind(writer->object, &sink, err) < 0)
		return -1;
	for (uint32_t i = 0; i < writer->source_count; i++) {
		const struct cfi_source *source = &writer->sources[i];

		work_allowance_add(&writer->work, source->section.bytes.size);
		if (!is_only_referred_to(writer, i) && source->collect(writer, i, err) < 0)
			return err_while(err, "reading %s", source->section.name);
	}
	return 0;
}

/* Tells readers of Windows' dumps what the module is called. */
static void print_module(struct cfi_writer *writer)
{
	const struct object *object = writer->object;
	char id[DEBUGID_TEXT_BYTES];

	if (strcmp(object->format->name, "pe") != 0 || debugid_is_nil(&object->debug_id) ||
	    object->debug_file.size == 0 || text_has_controls(object->debug_file))
		return;
	debugid_format_breakpad(&object->debug_id, id);
	cfi_out_add(&writer->out, TEXT("MODULE windows "));
	cfi_out_add(&writer->out, text_of(arch_name(object->arch)));
	cfi_out_add(&writer->out, TEXT(" "));
	cfi_out_add(&writer->out, text_of(id));
	cfi_out_add(&writer->out, TEXT(" "));
	cfi_out_add(&writer->out, object->debug_file);
	cfi_out_add(&writer->out, TEXT("\n"));
}

static int print(struct cfi_writer *writer, struct err *err)
{
	cfi_out_add(&writer->out, (struct text){ (const char *)preamble, sizeof(preamble) });
	print_module(writer);
	if (cfi_writer_print_wins(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < writer->entry_count; i++) {
		const struct cfi_entry *entry = &writer->entries[i];
		uint64_t before = writer->out.written + writer->out.used;

		if (writer->sources[entry->source].print(writer, entry, err) < 0)
			return -1;
		writer->report->records += writer->out.written + writer->out.used > before;
		if (work_charge(&writer->work, (writer->out.written + writer->out.used - before) /
					       WORK_BYTES_PER_STEP, err) < 0)
			return -1;
	}
	return cfi_out_finish(&writer->out, err);
}

static void release(struct cfi_writer *writer)
{
	for (uint32_t i = 0; i < writer->source_count; i++)
		mem_give_back(writer->sources[i].frames);
	mem_give_back(writer->entries);
	mem_give_back(writer->wins);
	cfi_out_close(&writer->out);
}

int cfi_write(struct object *object, const struct cfi_options *options, int fd,
	      struct cfi_report *report, struct err *err)
{
	uint64_t before = work_budget_steps(object->work);
	struct cfi_writer writer = {
		.object = object, .report = report,
		.registers = cfi_registers_of(object->arch),
		.chain_max = options->chain_max ? options->chain_max : CFI_CHAIN_MAX,
	};
	int rc = -1;

	*report = (struct cfi_report){ .records = 0 };
	work_allowance_begin(&writer.work, object->work, object->size);
	if (cfi_out_open(&writer.out, fd, err) == 0 && collect(&writer, err) == 0 &&
	    cfi_writer_sort(&writer, err) == 0)
		rc = print(&writer, err);
	report->bytes = writer.out.written;
	work_allowance_end(&writer.work);
	report->steps = work_budget_steps(object->work) - before;
	release(&writer);
	return rc;
}
