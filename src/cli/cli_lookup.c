/*
 * cli_lookup.c -- "symgate lookup": addresses of one object into functions, files and lines; for
 * managed code, methods and IL offsets into files and lines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/addr2line.h"
#include "cli/cli.h"
#include "cli/methods.h"
#include "cli/cli_names.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "ppdbcache/ppdbcache.h"
#include "symcache/symcache.h"

#define LINE_BYTES 65536u
#define OUT_BYTES ((size_t)1 << 30)
#define BATCH_QUESTIONS 4096u
#define TOGETHER 64u                 /* look-ups; each needs room for the longest chain */

struct lookup_question {
	struct text text;            /* as it was written */
	bool is_valid;
	uint64_t address;
	struct text symbol;          /* SYMBOL+OFFSET until its address is known; else TEXT_NONE */
	struct method_question method;       /* of managed code, instead */
	size_t first_frame, frame_count;
};

struct lookup_command {
	struct cli *cli;
	const char *path, *arch, *section;
	bool relative, demangled;
	struct addr2line style;
	uint64_t section_address;    /* of --section; 0: addresses are the object's */
	struct subject subject;
	struct names names;
	struct file_map map;
	bool is_managed;
	struct ppdbcache managed;            /* instead of cache */
	struct symcache cache;
	uint64_t base;               /* what an address of the file has more than ours */
	int object_fd;               /* what symbols are looked for in, or -1 */
	struct lookup_question questions[BATCH_QUESTIONS];
	size_t question_count;
	struct symcache_frame *frames;       /* of all questions */
	size_t frame_count, frame_capacity;
	struct buf out, file;
	bool found_any, met_nonsense;
	char **addresses;            /* none: standard input's */
	int address_count;
};

/* --- Asking --------------------------------------------------------------------------- */

/* The questions that have an address in the object, asked together. */
struct look {
	struct lookup_command *lookup;
	struct lookup_question *asked[TOGETHER];
	struct symcache_query queries[TOGETHER];
	size_t count;
};

static int look_guarded(void *payload)
{
	struct look *look = payload;
	struct lookup_command *lookup = look->lookup;

	return (int)symcache_lookup_many(look->queries, look->count,
					 lookup->frames + lookup->frame_count,
					 TOGETHER * LIMIT_INLINE_DEPTH);
}

static int meet_names(struct lookup_command *lookup, const struct lookup_question *question,
		      struct err *err)
{
	const struct symcache_frame *frames = lookup->frames + question->first_frame;

	for (size_t i = 0; i < question->frame_count; i++)
		if (names_meet(&lookup->names, frames[i].function, frames[i].language, err) < 0)
			return -1;
	return 0;
}

static int answer_together(struct look *look, struct err *err)
{
	struct lookup_command *lookup = look->lookup;
	size_t before = lookup->frame_count;
	int cut_short;

	if (vec_reserve(&lookup->frames, &lookup->frame_capacity,
		     before + TOGETHER * LIMIT_INLINE_DEPTH, sizeof(*lookup->frames)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for the frames");
	(void)guard_run(look_guarded, look, &cut_short);
	if (cut_short)
		return err_set(err, ERR_IO, "%s was cut short while it was read", lookup->path);
	for (size_t i = 0; i < look->count; i++) {
		struct lookup_question *question = look->asked[i];

		question->first_frame = before + look->queries[i].first;
		question->frame_count = look->queries[i].count;
		lookup->frame_count += question->frame_count;
		lookup->found_any = lookup->found_any || question->frame_count > 0;
		if (meet_names(lookup, question, err) < 0)
			return -1;
	}
	look->count = 0;
	return 0;
}

/* The questions that name symbols get their addresses. */
static int locate_symbols(struct lookup_command *lookup, struct err *err)
{
	static struct cells_symbol symbols[BATCH_QUESTIONS];
	size_t count = 0, at = 0;
	uint64_t unused;

	for (size_t i = 0; i < lookup->question_count; i++)
		if (lookup->questions[i].symbol.size > 0)
			symbols[count++] = (struct cells_symbol){ .name = lookup->questions[i].symbol };
	if (count == 0)
		return 0;
	if (lookup->object_fd >= 0 &&
	    cells_locate(lookup->subject.nursery, lookup->object_fd, NULL, &unused, symbols, count,
			 err) < 0)
		return err_while(err, "%s", lookup->path);
	for (size_t i = 0; i < lookup->question_count; i++) {
		struct lookup_question *question = &lookup->questions[i];

		if (question->symbol.size == 0)
			continue;
		question->is_valid = symbols[at].is_found;
		question->address += symbols[at++].address + lookup->base;
		lookup->met_nonsense = lookup->met_nonsense || !question->is_valid;
	}
	return 0;
}

static int answer_questions(struct lookup_command *lookup, struct err *err)
{
	struct look look = { .lookup = lookup };

	for (size_t i = 0; i < lookup->question_count; i++) {
		struct lookup_question *question = &lookup->questions[i];
		uint64_t address = question->address - lookup->base;

		if (question->symbol.size == 0)
			address += lookup->section_address;
		if (!question->is_valid ||
		    (!lookup->section && question->address < lookup->base))
			continue;
		look.asked[look.count] = question;
		look.queries[look.count++] = (struct symcache_query){
			.cache = &lookup->cache, .address = address,
		};
		if (look.count == TOGETHER && answer_together(&look, err) < 0)
			return -1;
	}
	return answer_together(&look, err);
}

/* --- Showing -------------------------------------------------------------------------- */

static struct text frame_file(struct lookup_command *lookup, const struct symcache_frame *frame)
{
	buf_clear(&lookup->file);
	if (frame->has_file)
		symcache_frame_path(frame, &lookup->file);
	return buf_text(&lookup->file);
}

static void show_frame(struct lookup_command *lookup, const struct symcache_frame *frame,
		       bool inlined)
{
	bool colour = lookup->cli->colour;
	struct text file = frame_file(lookup, frame);
	struct buf *out = &lookup->out;

	if (inlined)
		buf_add_string(out, " (inlined by) ");
	buf_add_string(out, colour ? "\033[1m" : "");
	buf_add_visible(out, names_readable(&lookup->names, frame->function, frame->language));
	buf_add_string(out, colour ? "\033[0m at \033[36m" : " at ");
	if (file.size > 0)
		buf_add_visible(out, file);
	else
		buf_add_string(out, "??");
	buf_printf(out, "%s:%u\n", colour ? "\033[0m" : "", (unsigned)frame->line);
}

static const char *what_is_asked(const struct lookup_command *lookup)
{
	return lookup->is_managed ? "a method and IL offset" : "an address or a symbol";
}

static const struct ppdbcache_place *look_up_method(struct lookup_command *lookup,
						    const struct lookup_question *question,
						    struct ppdbcache_place *place)
{
	if (!ppdbcache_lookup(&lookup->managed, question->method.method,
			      question->method.offset, place))
		return NULL;
	lookup->found_any = true;
	return place;
}

/* As addr2line would; nonsense is as good as nothing there. */
static void show_as_addr2line(struct lookup_command *lookup, const struct lookup_question *question)
{
	addr2line_begin(&lookup->style, question->is_valid ? question->address : 0, &lookup->out);
	for (size_t i = 0; i < question->frame_count; i++) {
		const struct symcache_frame *frame = &lookup->frames[question->first_frame + i];

		addr2line_frame(&lookup->style, i,
				names_readable(&lookup->names, frame->function, frame->language),
				frame_file(lookup, frame), frame->line, &lookup->out);
	}
	if (question->frame_count == 0)
		addr2line_nothing(&lookup->style, &lookup->out);
}

static void show_question(struct lookup_command *lookup, const struct lookup_question *question)
{
	struct ppdbcache_place place;
	struct buf *out = &lookup->out;

	if (lookup->style.is_used && !lookup->is_managed) {
		show_as_addr2line(lookup, question);
		return;
	}

	if (!question->is_valid) {
		buf_add_visible(out, question->text);
		buf_printf(out, ": ?? (not %s)\n", what_is_asked(lookup));
		return;
	}
	if (lookup->is_managed) {
		method_show(&question->method, look_up_method(lookup, question, &place),
			    lookup->cli->colour, out);
		return;
	}
	buf_printf(out, "0x%llx: ", (unsigned long long)question->address);
	for (size_t i = 0; i < question->frame_count; i++)
		show_frame(lookup, &lookup->frames[question->first_frame + i], i > 0);
	if (question->frame_count == 0)
		buf_add_string(out, "?? at ??:0\n");
}

static void json_frame(struct lookup_command *lookup, const struct symcache_frame *frame,
		       struct json_writer *json)
{
	json_object(json);
	json_member_text(json, "function",
			 names_readable(&lookup->names, frame->function, frame->language));
	json_member_text(json, "symbol", frame->function);
	if (frame->has_file)
		json_member_text(json, "file", frame_file(lookup, frame));
	json_member_u64(json, "line", frame->line);
	json_object_end(json);
}

static void json_address(struct lookup_command *lookup, const struct lookup_question *question,
			 struct json_writer *json)
{
	json_member_hex(json, "address", question->address);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < question->frame_count; i++)
		json_frame(lookup, &lookup->frames[question->first_frame + i], json);
	json_array_end(json);
}

static void json_nonsense(const struct lookup_command *lookup,
			  const struct lookup_question *question,
			  struct json_writer *json)
{
	char words[64];

	snprintf(words, sizeof(words), "not %s", what_is_asked(lookup));
	json_member_text(json, lookup->is_managed ? "method" : "address", question->text);
	json_member_string(json, "error", words);
	json_key(json, "frames");
	json_array(json);
	json_array_end(json);
}

static void json_question(struct lookup_command *lookup, const struct lookup_question *question)
{
	struct ppdbcache_place place;
	struct json_writer json;

	json_writer_init(&json, &lookup->out);
	json_object(&json);
	if (!question->is_valid)
		json_nonsense(lookup, question, &json);
	else if (lookup->is_managed)
		method_json(&question->method, look_up_method(lookup, question, &place), &json);
	else
		json_address(lookup, question, &json);
	json_object_end(&json);
	buf_add_char(&lookup->out, '\n');
}

struct showing { struct lookup_command *lookup; const struct lookup_question *question; };

/* The texts of frames lie in the mapped file: guarded too. */
static int show_guarded(void *payload)
{
	struct showing *showing = payload;

	if (showing->lookup->cli->json)
		json_question(showing->lookup, showing->question);
	else
		show_question(showing->lookup, showing->question);
	return 0;
}

/* --- A batch -------------------------------------------------------------------------- */

static int answer_batch(struct lookup_command *lookup, struct err *err)
{
	int cut_short = 0;

	if (!lookup->is_managed &&
	    (locate_symbols(lookup, err) < 0 || answer_questions(lookup, err) < 0))
		return -1;
	if (names_ask(&lookup->names, err) < 0)
		return -1;
	for (size_t i = 0; i < lookup->question_count && !cut_short; i++) {
		struct showing showing = { lookup, &lookup->questions[i] };

		(void)guard_run(show_guarded, &showing, &cut_short);
	}
	if (cut_short)
		return err_set(err, ERR_IO, "%s was cut short while it was read", lookup->path);
	lookup->question_count = 0;
	lookup->frame_count = 0;
	if (buf_check(&lookup->out, err) < 0 ||
	    file_write_all(STDOUT_FILENO, lookup->out.bytes, lookup->out.size, err) < 0)
		return -1;
	buf_clear(&lookup->out);
	return 0;
}

static bool parse_address(struct text text, uint64_t *address)
{
	if (text_starts_with(text, "0x") || text_starts_with(text, "0X"))
		text = (struct text){ text.bytes + 2, text.size - 2 };
	return text_to_u64(text, 16, address);
}

/* "main", "main+0x12", "main+18"; the offset goes into the address for now. */
static bool parse_symbol(struct text text, struct lookup_question *question)
{
	const char *plus = text.size ? memrchr(text.bytes, '+', text.size) : NULL;
	struct text offset = TEXT_NONE;

	question->symbol = text;
	question->address = 0;
	if (!plus || plus == text.bytes)
		return text.size > 0;
	offset.bytes = plus + 1;
	offset.size = (size_t)(text.bytes + text.size - offset.bytes);
	if (text_starts_with(offset, "0x") ? parse_address(offset, &question->address)
					   : text_to_u64(offset, 10, &question->address))
		question->symbol.size = (size_t)(plus - text.bytes);
	return true;
}

/* The text must live until the batch is answered. */
static int ask(struct lookup_command *lookup, struct text text, struct err *err)
{
	struct lookup_question *question = &lookup->questions[lookup->question_count];

	*question = (struct lookup_question){ .text = text };
	if (lookup->is_managed)
		question->is_valid = method_parse(text, &question->method);
	else
		question->is_valid = parse_address(text, &question->address) ||
				     parse_symbol(text, question);
	if (!question->is_valid)
		lookup->met_nonsense = true;
	lookup->question_count++;
	return lookup->question_count == BATCH_QUESTIONS ? answer_batch(lookup, err) : 0;
}

/* Asks every whole line in the buffer; *used is where the rest begins. */
static int ask_lines(struct lookup_command *lookup, struct text bytes, bool is_end, size_t *used,
		     struct err *err)
{
	*used = 0;
	while (*used < bytes.size) {
		const char *line = bytes.bytes + *used;
		size_t left = bytes.size - *used;
		const char *end = memchr(line, '\n', left);
		struct text text;

		if (!end && !is_end && left < LINE_BYTES)
			break;
		text = text_trim((struct text){ line, end ? (size_t)(end - line) : left });
		*used += end ? (size_t)(end - line) + 1 : left;
		if (text.size > 0 && ask(lookup, text, err) < 0)
			return -1;
	}
	return answer_batch(lookup, err);
}

/* What has come is answered at once: who asks through a pipe waits for it. */
static int ask_input(struct lookup_command *lookup, struct err *err)
{
	static char bytes[2 * LINE_BYTES];
	size_t size = 0, used;
	ssize_t got;

	do {
		got = read(STDIN_FILENO, bytes + size, LINE_BYTES - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading addresses from standard input");
		size += (size_t)got;
		if (ask_lines(lookup, (struct text){ bytes, size }, got == 0, &used, err) < 0)
			return -1;
		memmove(bytes, bytes + used, size - used);
		size -= used;
	} while (got != 0);
	return 0;
}

/* --- The whole ------------------------------------------------------------------------ */

static int open_made(struct lookup_command *lookup, int fd, struct err *err)
{
	struct file_map *map = &lookup->map;

	if (file_map_fd(map, fd, err) < 0)
		return -1;
	return lookup->is_managed ? ppdbcache_open(&lookup->managed, map->bytes, map->size, err)
				  : symcache_open(&lookup->cache, map->bytes, map->size, err);
}

static unsigned address_digits(const struct described *object)
{
	enum arch arch;

	if (!arch_named(object->arch, &arch))
		return 16;
	switch (arch_family(arch)) {
	case CPU_X86: case CPU_ARM: case CPU_PPC: case CPU_MIPS: case CPU_WASM32:
		return 8;
	default:
		return 16;
	}
}

/* Addresses count from its beginning. */
static int find_section(struct lookup_command *lookup, struct err *err)
{
	if (!lookup->section)
		return 0;
	if (cells_locate(lookup->subject.nursery, lookup->subject.object_fd, lookup->section,
			 &lookup->section_address, NULL, 0, err) < 0)
		return err_while(err, "%s", lookup->path);
	lookup->section_address += lookup->base;
	return 0;
}

static int open_cache(struct lookup_command *lookup, struct err *err)
{
	struct subject *subject = &lookup->subject;
	int fd = subject->fd, made = -1, rc;

	if (subject->kind == SUBJECT_OBJECT) {
		lookup->base = lookup->relative ? 0 : subject->object->load_address;
		lookup->style.digits = address_digits(subject->object);
		if (find_section(lookup, err) < 0 || subject_prefer_debug(subject, err) < 0 ||
		    cells_temporary(&made, err) < 0)
			return -1;
		lookup->object_fd = subject->object_fd;
		rc = subject_convert(subject, made, NULL, err);
		if (rc < 0)
			goto done;
		fd = made;
	}
	lookup->is_managed = subject_is_managed(subject);
	rc = open_made(lookup, fd, err);
	if (rc < 0)
		err_while(err, "%s", lookup->path);
done:
	if (made >= 0)
		close(made);
	return rc;
}

static int run_lookup(struct lookup_command *lookup, char **addresses, int count, struct err *err)
{
	if (guard_install() < 0)
		return err_os(err, errno, "installing a signal handler");
	if (subject_open(&lookup->subject, lookup->path, err) < 0 || open_cache(lookup, err) < 0)
		return -1;
	if (count == 0)
		return ask_input(lookup, err);
	for (int i = 0; i < count; i++)
		if (ask(lookup, text_trim(text_of(addresses[i])), err) < 0)
			return -1;
	return answer_batch(lookup, err);
}

/* An object that can answer nothing gets a word about it. */
static void say_why_nothing(const struct lookup_command *lookup)
{
	const struct described *object = lookup->subject.object;

	if (object && !(object->offers & (DESCRIBE_DEBUG | DESCRIBE_SYMBOLS)))
		fprintf(stderr, "symgate: %s has neither debug information nor symbols, and none "
			"was found for it\n", lookup->path);
}

static int exit_code(const struct lookup_command *lookup)
{
	if (lookup->met_nonsense) {
		fprintf(stderr, "symgate: some of the input was not %s\n", what_is_asked(lookup));
		return CLI_FAILED;
	}
	return lookup->found_any ? CLI_OK : CLI_NOTHING;
}

static int run_with_names(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
			  struct err *err)
{
	struct lookup_command *lookup = payload;
	struct companions folders = lookup->subject.companions;
	const char *line_map = lookup->subject.maps.line_map;
	int rc = -1;

	(void)cli;
	subject_init(&lookup->subject, config, nursery);
	lookup->subject.companions = folders;
	lookup->subject.maps.line_map = line_map;
	lookup->subject.arch = lookup->arch;
	buf_init(&lookup->out, OUT_BYTES);
	buf_init(&lookup->file, 4 * LIMIT_NAME_BYTES);
	if (names_open(&lookup->names, lookup->demangled ? nursery : NULL, err) == 0) {
		rc = run_lookup(lookup, lookup->addresses, lookup->address_count, err);
		names_close(&lookup->names);
	}
	mem_give_back(lookup->frames);
	buf_release(&lookup->out);
	buf_release(&lookup->file);
	file_unmap(&lookup->map);
	if (rc == 0 && !lookup->found_any)
		say_why_nothing(lookup);
	subject_release(&lookup->subject);
	return rc < 0 ? -1 : exit_code(lookup);
}

enum lookup_option {
	OPTION_RELATIVE = 1, OPTION_NO_DEMANGLE, OPTION_ARCH, OPTION_LINE_MAP, OPTION_DEBUG_DIR,
	OPTION_EXE, OPTION_FUNCTIONS, OPTION_INLINES, OPTION_DEMANGLE, OPTION_BASENAMES,
	OPTION_PRETTY, OPTION_ADDRESSES, OPTION_SECTION,
};
static const struct cli_option options[] = {
	{ OPTION_RELATIVE, 0, "relative", NULL },
	{ OPTION_NO_DEMANGLE, 0, "no-demangle", NULL },
	{ OPTION_ARCH, 0, "arch", "ARCH" },
	{ OPTION_LINE_MAP, 0, "il2cpp-map", "FILE" },
	{ OPTION_DEBUG_DIR, 0, "debug-dir", "DIR" },
	{ OPTION_EXE, 'e', "exe", "FILE" },
	{ OPTION_FUNCTIONS, 'f', "functions", NULL },
	{ OPTION_INLINES, 'i', "inlines", NULL },
	{ OPTION_DEMANGLE, 'C', "demangle", NULL },
	{ OPTION_BASENAMES, 's', "basenames", NULL },
	{ OPTION_PRETTY, 'p', "pretty-print", NULL },
	{ OPTION_ADDRESSES, 'a', "addresses", NULL },
	{ OPTION_SECTION, 'j', "section", "SECTION" },
	CLI_OPTIONS_END
};

/* Those of addr2line choose its output. */
static void take_style(struct lookup_command *lookup, enum lookup_option option, const char *value)
{
	struct addr2line *style = &lookup->style;

	if (!style->is_used)
		lookup->demangled = false;
	style->is_used = true;
	style->functions |= option == OPTION_FUNCTIONS;
	style->inlines |= option == OPTION_INLINES;
	style->basenames |= option == OPTION_BASENAMES;
	style->pretty |= option == OPTION_PRETTY;
	style->addresses |= option == OPTION_ADDRESSES;
	lookup->demangled |= option == OPTION_DEMANGLE;
	if (option == OPTION_SECTION)
		lookup->section = value;
	if (option == OPTION_EXE)
		lookup->path = value;
}

/* false: there is no room for one more. */
static bool take_option(struct lookup_command *lookup, enum lookup_option option, const char *value)
{
	struct companions *companions = &lookup->subject.companions;

	switch (option) {
	case OPTION_RELATIVE:
		lookup->relative = true;
		return true;
	case OPTION_NO_DEMANGLE:
		lookup->demangled = false;
		return true;
	case OPTION_ARCH:
		lookup->arch = value;
		return true;
	case OPTION_LINE_MAP:
		lookup->subject.maps.line_map = value;
		return true;
	case OPTION_DEBUG_DIR:
		if (companions->debug_folder_count == COMPANIONS_FOLDERS)
			return false;
		companions->debug_folders[companions->debug_folder_count++] = value;
		return true;
	default:
		take_style(lookup, option, value);
		return true;
	}
}

static int run(struct cli *cli, int argc, char **argv)
{
	static struct lookup_command lookup;         /* its batch is large for a stack */
	struct cli_reader reader;
	const char *value;
	int option, first = 1;

	lookup.cli = cli;
	lookup.demangled = true;
	lookup.object_fd = -1;
	lookup.style.digits = 16;
	cli_reader_init(&reader, cli, &cli_lookup, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		if (!take_option(&lookup, (enum lookup_option)option, value))
			return cli_misused(&cli_lookup, "too many folders: %s", value);
	if (option < 0)
		return CLI_USAGE;
	if (!lookup.path && reader.operand_count == 0)
		return cli_misused(&cli_lookup, "no OBJECT is named");
	if (!lookup.path)
		lookup.path = argv[first++];
	lookup.addresses = argv + first;
	lookup.address_count = reader.operand_count + 1 - first;
	return cells_command(cli, run_with_names, &lookup);
}

const struct cli_command cli_lookup = {
	.name = "lookup",
	.arguments = "[--relative] [--no-demangle] [--arch ARCH] [--debug-dir DIR] [--il2cpp-map FILE]\n"
	"       [-fiCspa] [-j SECTION] OBJECT|-e OBJECT [ADDRESS|SYMBOL+OFFSET|METHOD+OFFSET...]",
	.about = "functions, files, lines and inlined calls at addresses of an object",
	.help =
	"OBJECT is an ELF, Mach-O or WebAssembly file, a dSYM folder, a PE image, a PDB, a\n"
	"Breakpad .sym file, a SymCache or a PpdbCache; gzip and zstd are unpacked. Addresses\n"
	"are hexadecimal, with or without 0x, as the object itself counts them (WebAssembly:\n"
	"from the start of the file); without any they are read from standard input, one on a\n"
	"line, and answered as they come. A symbol is named as the compiler wrote it; its offset\n"
	"is decimal, or hexadecimal with 0x: main+23, main+0x17. What is hexadecimal as a whole is\n"
	"an address.\n"
	"\n"
	"Managed code (a Portable PDB, or a .NET image with one inside or beside it) is asked by\n"
	"method and IL offset, both hexadecimal: 0x06000003+0x1c or 3+1c. It answers with files\n"
	"and lines; names of methods are not in its debug information.\n"
	"\n"
	"  --relative      addresses are relative to the object's load address (for a\n"
	"                  SymCache they always are)\n"
	"  --no-demangle   names as the compiler wrote them\n"
	"  --arch ARCH     which object of a fat Mach-O file: x86_64, arm64, ...\n"
	"  --debug-dir DIR where separate debug information lies, besides the object's own\n"
	"                  folder; may be repeated (default: /usr/lib/debug)\n"
	"  --il2cpp-map FILE\n"
	"                  the line map of a Unity program: lines are those of its C#\n"
	"                  (default: the file il2cpp beside an OBJECT called executable,\n"
	"                  debuginfo or breakpad)\n"
	"\n"
	"Any of addr2line's options chooses its output (but for discriminators):\n"
	"\n"
	"  -e, --exe FILE      the OBJECT\n"
	"  -f, --functions     names of functions, as the compiler wrote them\n"
	"  -C, --demangle      readable ones\n"
	"  -i, --inlines       the calls that were inlined, too\n"
	"  -s, --basenames     files without their folders\n"
	"  -p, --pretty-print  each frame on one line\n"
	"  -a, --addresses     the address before each answer\n"
	"  -j, --section SECTION\n"
	"                      addresses count from the beginning of that section (ELF)\n"
	"\n"
	"Separate debug information is found by build id in DIR/.build-id, by debug link\n"
	"beside the object, in .debug beside it and below DIR; dwz files and OBJECT.dwp\n"
	"likewise, OBJECT.dSYM for Mach-O, the PDB a PE image names beside it and in DIR. Names\n"
	"a dSYM hides come from UUID.bcsymbolmap in BCSymbolMaps beside the dSYM or beside its\n"
	"folder, where Xcode's archives have them, beside the dSYM, or in DIR. Single .dwo files\n"
	"are found where the program says they were written, or beside the object.\n"
	"\n"
	"With --json one object per line: {\"address\", \"frames\": [{\"function\", \"symbol\",\n"
	"\"file\", \"line\"}]}, innermost call first; of managed code {\"method\", \"offset\",\n"
	"\"frames\": [{\"file\", \"line\", \"language\"}]}.\n"
	"\n"
	"exit codes: 0 something was found, 1 failed, 2 wrong usage, 3 nothing was found\n",
	.options = options,
	.only_files = true,
	.run = run,
};
