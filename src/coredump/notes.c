/* notes.c -- what the PT_NOTE segments of a core say (uapi/linux/elf.h, fs/binfmt_elf.c). */
#include "coredump/coredump_internal.h"

#include <signal.h>

#include "base/arena.h"
#include "base/err.h"

#define NOTE_HEADER_BYTES  12u
#define PSINFO_PID_32      12u       /* pr_pid of elf_prpsinfo with 16-bit ids */
#define PSINFO_PID_64      24u
#define PSINFO_NAME_32     28u       /* pr_fname, 16 bytes, then pr_psargs, 80 */
#define PSINFO_NAME_64     40u
#define PSINFO_NAME_BYTES  16u
#define PSINFO_ARGS_BYTES  80u

struct note {
	uint32_t type;
	struct text name;            /* without the NUL that ends it */
	struct reader description;
};

/* The next note; false: there is none that is whole. */
static bool next_note(struct reader *notes, struct note *note)
{
	uint32_t name_size, size;
	const uint8_t *name;

	if (reader_left(notes) < NOTE_HEADER_BYTES)
		return false;
	name_size = reader_u32(notes);
	size = reader_u32(notes);
	note->type = reader_u32(notes);
	name = reader_take(notes, name_size);
	reader_seek(notes, (notes->pos + 3) & ~(uint64_t)3);
	note->description = reader_part(notes, "note", size);
	if (notes->failed)
		return false;
	note->description.big_endian = notes->big_endian;
	note->name = (struct text){ (const char *)name, name_size };
	while (note->name.size > 0 && note->name.bytes[note->name.size - 1] == '\0')
		note->name.size--;
	/* The last note of a segment may end without its padding. */
	notes->pos = reader_left(notes) < 4 ? notes->size : (notes->pos + 3) & ~(size_t)3;
	return true;
}

static struct text fixed_string(struct reader reader, uint64_t at, size_t size)
{
	struct reader window = reader_window(&reader, "text", at, size);
	size_t length = 0;

	if (window.failed)
		return TEXT_NONE;
	while (length < size && window.bytes[length] != '\0')
		length++;
	return text_trim((struct text){ (const char *)window.bytes, length });
}

static void read_psinfo(struct coredump *core, struct reader reader)
{
	uint64_t name_at = core->is_64_bit ? PSINFO_NAME_64 : PSINFO_NAME_32;

	core->command = fixed_string(reader, name_at, PSINFO_NAME_BYTES);
	core->arguments = fixed_string(reader, name_at + PSINFO_NAME_BYTES, PSINFO_ARGS_BYTES);
	reader_seek(&reader, core->is_64_bit ? PSINFO_PID_64 : PSINFO_PID_32);
	core->process_id = reader_u32(&reader);
}

static bool has_address(int32_t signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP;
}

/* siginfo_t: si_signo, si_errno, si_code, then what the signal brings. */
static void read_siginfo(struct coredump *core, struct reader reader)
{
	int32_t number = (int32_t)reader_u32(&reader);
	int32_t code;

	(void)reader_u32(&reader);
	code = (int32_t)reader_u32(&reader);
	if (reader.failed)
		return;
	core->has_signal = true;
	core->signal = number;
	core->signal_code = code;
	if (core->is_64_bit)
		reader_skip(&reader, 4);
	core->fault_address = reader_unsigned(&reader, core->is_64_bit ? 8 : 4);
	/* Codes that are not positive are of somebody who sent the signal: no address then. */
	core->has_fault_address = !reader.failed && code > 0 && has_address(number);
	if (!core->has_fault_address)
		core->fault_address = 0;
}

static uint64_t read_word(const struct coredump *core, struct reader *reader)
{
	return core->is_64_bit ? reader_u64(reader) : reader_u32(reader);
}

static void read_auxv(const struct coredump *core, struct reader reader,
		      struct coredump_notes *notes)
{
	while (!reader_at_end(&reader)) {
		uint64_t type = read_word(core, &reader), value = read_word(core, &reader);

		if (!reader.failed && type == AT_SYSINFO_EHDR)
			notes->vdso = value;
	}
}

/* NT_FILE: count and page size, `count` triples of start, end and page offset, then the names. */
static int read_mappings(const struct coredump *core, struct reader reader, struct arena *arena,
			 struct coredump_notes *notes, struct err *err)
{
	uint64_t count = read_word(core, &reader), page_size = read_word(core, &reader);
	struct reader names;

	if (reader.failed || count > reader_left(&reader) / (core->is_64_bit ? 24 : 12))
		return 0;
	notes->mappings = arena_alloc(arena, (size_t)count + 1, sizeof(*notes->mappings));
	if (!notes->mappings)
		return err_set(err, ERR_NO_MEMORY, "no memory for %llu mapped files",
			       (unsigned long long)count);
	names = reader;
	reader_skip(&names, count * (core->is_64_bit ? 24 : 12));
	notes->mapping_count = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct coredump_mapping *mapping = &notes->mappings[notes->mapping_count];

		mapping->start = read_word(core, &reader);
		mapping->end = read_word(core, &reader);
		if (__builtin_mul_overflow(read_word(core, &reader), page_size, &mapping->offset))
			mapping->offset = UINT64_MAX;
		mapping->path = reader_string(&names);
		if (names.failed)
			break;
		notes->mapping_count += mapping->end > mapping->start;
	}
	return 0;
}

static int read_note(struct coredump *core, const struct note *note, struct arena *arena,
		     struct coredump_notes *notes, struct err *err)
{
	if (text_is(note->name, "VMCOREINFO")) {
		notes->vmcoreinfo = (struct text){ (const char *)note->description.bytes,
						   note->description.size };
		return 0;
	}
	/* "CORE" on Linux; the BSDs use names and numbers of their own. */
	if (!text_is(note->name, "CORE"))
		return 0;
	switch (note->type) {
	case NT_PRSTATUS:
		notes->thread_count += coredump_read_thread(core, note->description,
							    &notes->threads[notes->thread_count]);
		return 0;
	case NT_PRPSINFO:
		read_psinfo(core, note->description);
		return 0;
	case NT_SIGINFO:
		/* Debuggers write one for each thread, the stopped one's first. */
		if (!core->has_signal)
			read_siginfo(core, note->description);
		return 0;
	case NT_AUXV:
		read_auxv(core, note->description, notes);
		return 0;
	case NT_FILE:
		return notes->mappings ? 0 : read_mappings(core, note->description, arena, notes, err);
	default:
		return 0;
	}
}

static struct reader segment_notes(const struct elf_file *file, const struct elf_segment *segment)
{
	uint64_t left = segment->offset < file->whole.size ? file->whole.size - segment->offset : 0;
	struct reader notes = reader_window(&file->whole, "notes", segment->offset,
					    segment->file_bytes < left ? segment->file_bytes : left);

	notes.big_endian = file->whole.big_endian;
	return notes;
}

static size_t count_threads(const struct elf_file *file)
{
	size_t count = 0;

	for (size_t i = 0; i < file->segment_count; i++) {
		struct reader notes;
		struct note note;

		if (file->segments[i].type != PT_NOTE)
			continue;
		notes = segment_notes(file, &file->segments[i]);
		while (next_note(&notes, &note))
			count += note.type == NT_PRSTATUS;
	}
	return count;
}

int coredump_read_notes(struct coredump *core, const struct elf_file *file, struct arena *arena,
			struct coredump_notes *notes, struct err *err)
{
	*notes = (struct coredump_notes){ .mappings = NULL };
	notes->threads = arena_alloc(arena, count_threads(file) + 1, sizeof(*notes->threads));
	if (!notes->threads)
		return err_set(err, ERR_NO_MEMORY, "no memory for the threads of a core");
	for (size_t i = 0; i < file->segment_count; i++) {
		struct reader reader;
		struct note note;

		if (file->segments[i].type != PT_NOTE)
			continue;
		reader = segment_notes(file, &file->segments[i]);
		while (next_note(&reader, &note))
			if (read_note(core, &note, arena, notes, err) < 0)
				return -1;
	}
	return 0;
}
