/* crash_command.c -- "symgate minidump", "applecrash", "coredump", "stacktext": a crash file as a report. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli_cells.h"
#include "cli/cli.h"
#include "cli/core_files.h"
#include "cli/cli_sources.h"
#include "cli/crash_text.h"
#include "cli/minidumps.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/sourceless.h"
#include "cli/standalone.h"
#include "cli/tried.h"
#include "kinds/kinds.h"
#include "work/request_json.h"
#include "work/work.h"

#define COPY_BYTES 65536u

/* One of the three. */
struct crash_command {
	const struct cli_command *command;
	const struct request_kind *kind;
	const char *operation;       /* of cells, the one that reads such a file */
};

struct crash_wish {
	const struct crash_command *what;
	const char *path;            /* "-": standard input */
	int fd;
	uint64_t size;
	struct standalone_symbols symbols;
	bool brief;
	struct buf named;            /* modules without ids, by what their files say: JSON, or empty */
	size_t threads;              /* out: how many it has */
};

/* --- The file ---------------------------------------------------------------------------------- */

static int copy_input(int to, struct err *err)
{
	char bytes[COPY_BYTES];
	ssize_t got;

	while ((got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		if (file_write_all(to, bytes, (size_t)got, err) < 0)
			return -1;
	return got < 0 ? err_os(err, errno, "reading it") : 0;
}

/* What comes through a pipe is copied: cells map what they read. */
static int open_file(struct crash_wish *wish, struct err *err)
{
	bool is_input = strcmp(wish->path, "-") == 0;
	struct stat st;

	if (is_input) {
		if (cells_temporary(&wish->fd, err) < 0 || copy_input(wish->fd, err) < 0)
			return -1;
	} else {
		wish->fd = open(wish->path, O_RDONLY | O_CLOEXEC);
		if (wish->fd < 0)
			return err_os(err, errno, "opening it");
	}
	if (fstat(wish->fd, &st) < 0)
		return err_os(err, errno, "looking at it");
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_IO, "it is no file");
	wish->size = (uint64_t)st.st_size;
	return 0;
}

/* --- Modules of this machine -------------------------------------------------------------------- */

/* The array of modules in a report, which is large before it: looked for as it is written, since quotes in strings
 * are not.  TEXT_NONE: it has none. */
static struct text modules_of(struct text report)
{
	static const char member[] = "\"modules\":[";
	const size_t key_bytes = sizeof(member) - 2;         /* without the bracket */
	struct text rest = report, modules = TEXT_NONE;
	const char *at;

	while (rest.size > 0 && (at = memmem(rest.bytes, rest.size, member, sizeof(member) - 1)) != NULL) {
		struct json_reader json;

		rest = text_from(rest, (size_t)(at - rest.bytes) + key_bytes);
		json = json_reader_over("the modules", rest);
		json_reader_skip(&json);
		modules = json.missing ? TEXT_NONE : (struct text){ rest.bytes, json.pos };
	}
	return modules;
}

/* `core_fd` is of a core, not packed; -1: it is none. */
static int add_modules_of(struct standalone *alone, struct text report, int core_fd,
			  struct buf *named, struct err *err)
{
	struct text modules = modules_of(report);
	struct arena arena;
	struct cJSON *json;
	int rc;

	if (modules.size == 0)
		return 0;
	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	rc = request_json_parse(modules, &arena, &json, err);
	if (rc == 0)
		rc = standalone_add_modules(alone, json, err);
	if (rc == 0 && core_fd >= 0)
		rc = core_files_find(alone, json, core_fd, named, err);
	arena_release(&arena);
	return rc;
}

/* Cells unpack a core into the file for their output. */
static int core_of(const struct crash_wish *wish, int unpacked_fd)
{
	struct stat st;

	if (wish->what->kind != &request_kind_coredump)
		return -1;
	return fstat(unpacked_fd, &st) == 0 && st.st_size > 0 ? unpacked_fd : wish->fd;
}

/* The file is read once only for the names of its modules: where this machine has them they are to
 * be there when its stacks are walked. */
static int find_modules(struct standalone *alone, struct crash_wish *wish, struct err *err)
{
	const struct cell_file input = { "file", wish->fd };
	struct cell_file output = { "report", -1 };          /* room for what comes packed */
	const struct cell_order order = {
		.operation = wish->what->operation, .parameters = TEXT(CONVERT_ONLY_MODULES),
		.inputs = &input, .input_count = 1,
		.outputs = &output, .output_count = 1,
		.want_max = LIMIT_CELL_ENTRIES,
	};
	struct buf report;
	int rc;

	if (cells_temporary(&output.fd, err) < 0)
		return -1;
	buf_init(&report, LIMIT_CRASH_REPORT_BYTES);
	rc = cells_run(alone->nursery, &order, NULL, NULL, &report, err);
	if (rc == 0)
		rc = add_modules_of(alone, buf_text(&report), core_of(wish, output.fd), &wish->named,
				    err);
	close(output.fd);
	buf_release(&report);
	return rc;
}

/* --- The answer ---------------------------------------------------------------------------------- */

/* The fields of the form: {"sources":"[...]"} */
static int write_fields(const struct standalone *alone, const struct crash_wish *wish,
			struct buf *fields, struct err *err)
{
	struct json_writer json;
	struct buf list;
	int rc;

	buf_init(&list, LIMIT_REPLY_BYTES);
	sources_list(buf_text(&alone->sources), text_of(alone->config->sources_json), &list);
	json_writer_init(&json, fields);
	json_object(&json);
	json_member_text(&json, "sources", buf_text(&list));
	if (wish->named.size > 0)
		json_member_text(&json, "modules", buf_text(&wish->named));
	json_object_end(&json);
	rc = buf_check(&list, err);
	buf_release(&list);
	return rc < 0 ? -1 : buf_check(fields, err);
}

static int show_answer(const struct standalone *alone, struct crash_wish *wish, struct text reply,
		       struct err *err)
{
	const struct crash_text_options options = { .brief = wish->brief, .colour = alone->cli->colour };
	struct buf out;
	int rc;

	buf_init(&out, 4 * LIMIT_REPLY_BYTES);
	rc = crash_text_show(reply, &options, &out, &wish->threads, err);
	rc = standalone_write(alone->cli, reply, &out, rc, err);
	buf_release(&out);
	return rc;
}

/* The usual way: a job of a workshop of this process. */
static int answer_from_sources(struct standalone *alone, struct crash_wish *wish,
			       struct buf *reply, struct err *err)
{
	struct work_body body = { .fd = wish->fd, .size = wish->size };
	struct buf fields;
	int rc;

	buf_init(&fields, 2 * LIMIT_REPLY_BYTES);
	rc = write_fields(alone, wish, &fields, err);
	body.bytes = buf_text(&fields);
	if (rc == 0)
		rc = standalone_answer(alone, wish->what->kind, &body, reply, err);
	buf_release(&fields);
	return rc;
}

/* Where nothing is named that could have a file, stacks are walked by what stands in the dump; only
 * when this machine has one of the modules there is more to do.  1: answered; 0: there is more. */
static int answer_without_sources(struct standalone *alone, struct crash_wish *wish,
				  struct buf *reply, struct err *err)
{
	const struct work_body body = { .bytes = TEXT("{}"), .fd = wish->fd, .size = wish->size };
	struct sourceless walked;
	int rc;

	progress_start("reading");
	rc = sourceless_walk(&walked, wish->what->kind, alone->config, alone->nursery, &body,
			     wish->what->operation, err);
	if (rc == 0)
		rc = add_modules_of(alone, buf_text(&walked.report), core_of(wish, walked.output_fd),
				    &wish->named, err);
	progress_stop();
	if (rc == 0 && alone->local.link_count == 0)
		rc = sourceless_answer(&walked, reply, err) < 0 ? -1 : 1;
	sourceless_release(&walked);
	return rc;
}

static int find_answer(struct standalone *alone, struct crash_wish *wish, struct buf *reply,
		       struct err *err)
{
	int rc;

	/* Apple's reports and texts name their frames themselves. */
	if (wish->what->kind->want && standalone_has_no_source(alone)) {
		rc = answer_without_sources(alone, wish, reply, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	} else {
		progress_start("looking for the modules on this machine");
		rc = find_modules(alone, wish, err);
		progress_stop();
		if (rc < 0)
			return -1;
	}
	return answer_from_sources(alone, wish, reply, err);
}

static int answer(struct standalone *alone, void *payload, struct err *err)
{
	struct crash_wish *wish = payload;
	struct buf reply;
	int rc;

	buf_init(&reply, LIMIT_REPLY_BYTES);
	buf_init(&wish->named, LIMIT_REPLY_BYTES);
	rc = find_answer(alone, wish, &reply, err);
	if (rc == 0)
		rc = show_answer(alone, wish, buf_text(&reply), err);
	if (rc == 0 && wish->symbols.folder_count > 0 && !alone->cli->json)
		tried_show(buf_text(&reply), buf_text(&alone->sources), alone->config);
	buf_release(&wish->named);
	buf_release(&reply);
	return rc;
}

/* --- The commands -------------------------------------------------------------------------------- */

enum { OPTION_SYMBOLS = 1, OPTION_SOURCE, OPTION_BRIEF, OPTION_RAW };
static const struct cli_option options[] = {
	{ OPTION_SYMBOLS, 0, "symbols", "DIR" }, { OPTION_SOURCE, 0, "source", "URL" },
	{ OPTION_BRIEF, 0, "brief", NULL }, CLI_OPTIONS_END
};
static const struct cli_option minidump_options[] = {
	{ OPTION_SYMBOLS, 0, "symbols", "DIR" }, { OPTION_SOURCE, 0, "source", "URL" },
	{ OPTION_BRIEF, 0, "brief", NULL }, { OPTION_RAW, 0, "raw", NULL }, CLI_OPTIONS_END
};

static int report(struct cli *cli, struct crash_wish *wish)
{
	struct err err = ERR_INIT;
	int rc = open_file(wish, &err);

	if (rc == 0)
		rc = standalone_run(cli, &wish->symbols, answer, wish, &err);
	if (rc < 0)
		err_while(&err, "%s", strcmp(wish->path, "-") == 0 ? "standard input" : wish->path);
	if (wish->fd >= 0)
		close(wish->fd);
	if (rc < 0)
		return cli_fail(&err);
	return wish->threads > 0 ? CLI_OK : CLI_NOTHING;
}

static int run_crash(struct cli *cli, const struct crash_command *what, int argc, char **argv)
{
	static struct crash_wish wish;
	struct cli_reader reader;
	const char *value;
	bool raw = false;
	int option;

	wish = (struct crash_wish){ .what = what, .fd = -1 };
	cli_reader_init(&reader, cli, what->command, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		if (option == OPTION_RAW)
			raw = true;
		else if (option == OPTION_BRIEF)
			wish.brief = true;
		else if (!standalone_takes(&wish.symbols, option == OPTION_SOURCE, value))
			return cli_misused(what->command, "too many sources: %s", value);
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count != 1)
		return cli_misused(what->command, "which FILE?");
	wish.path = argv[1];
	if (!raw)
		return report(cli, &wish);
	if (wish.brief || wish.symbols.folder_count + wish.symbols.url_count > 0)
		return cli_misused(what->command, "--raw goes alone");
	cli->only_files = true;
	return minidumps_list(cli, wish.path);
}

static int run_minidump(struct cli *cli, int argc, char **argv)
{
	static const struct crash_command what = { &cli_minidump, &request_kind_minidump, "minidump" };

	return run_crash(cli, &what, argc, argv);
}

static int run_applecrash(struct cli *cli, int argc, char **argv)
{
	static const struct crash_command what = { &cli_applecrash, &request_kind_applecrash,
						   "applecrash" };

	return run_crash(cli, &what, argc, argv);
}

static int run_stacktext(struct cli *cli, int argc, char **argv)
{
	static const struct crash_command what = { &cli_stacktext, &request_kind_stacktext, "stacktext" };

	return run_crash(cli, &what, argc, argv);
}

static int run_coredump(struct cli *cli, int argc, char **argv)
{
	static const struct crash_command what = { &cli_coredump, &request_kind_coredump, "coredump" };

	return run_crash(cli, &what, argc, argv);
}

#define SYMBOLS_HELP \
	"  --symbols [LAYOUT:]DIR   a folder of debug files, may be repeated; as `symgate symbolicate`\n" \
	"                           has it\n" \
	"  --source [LAYOUT:]URL    a server of debug files, may be repeated. Without a layout it is\n" \
	"                           asked as a debuginfod for ELF files and as a symbol server\n" \
	"                           (symstore) for PE, PDB and Breakpad files\n" \
	"  --brief                  the thread that crashed alone, without modules\n"

#define SOURCES_HELP \
	"\n" \
	"The sources of the configuration file are used too, and files of this machine where they are\n" \
	"the same build as a module, with the debug information beside them and in /usr/lib/debug.\n" \
	"What is downloaded and converted is forgotten afterwards, unless --state-dir names a\n" \
	"folder to keep it in.\n" \
	"\n" \
	"With --json the service's reply as it is.\n" \
	"\n" \
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 no thread was found in it\n"

const struct cli_command cli_minidump = {
	.name = "minidump",
	.arguments = "[--symbols [LAYOUT:]DIR]... [--source [LAYOUT:]URL]... [--brief] FILE | --raw FILE",
	.about = "the stacks of a minidump, or what it holds",
	.help =
	"FILE is a minidump of either byte order, as Windows, Breakpad, Crashpad and Mozilla\n"
	"write them; - is standard input. Why it was written, the thread that crashed with its\n"
	"registers, the other threads, and what became of each module's debug and unwind\n"
	"information.\n"
	"\n"
	SYMBOLS_HELP
	"  --raw                    no stacks: header, directory and the fields of every stream as\n"
	"                           they stand there; what follows from them is in parentheses\n"
	"                           (registers, ids of modules, the crash reason). Streams nobody\n"
	"                           published are shown as bytes, at most 1024 of each; what cannot\n"
	"                           be read is said at the end, after `lost`\n"
	SOURCES_HELP,
	.options = minidump_options,
	.run = run_minidump,
};

const struct cli_command cli_applecrash = {
	.name = "applecrash",
	.arguments = "[--symbols [LAYOUT:]DIR]... [--source [LAYOUT:]URL]... [--brief] FILE",
	.about = "the stacks of an Apple crash report",
	.help =
	"FILE is a crash report of macOS, iOS, watchOS or a simulator; - is standard input. Its\n"
	"exception, the thread that crashed with its registers, the other threads, and what became\n"
	"of each image's debug information.\n"
	"\n"
	SYMBOLS_HELP
	SOURCES_HELP,
	.options = options,
	.run = run_applecrash,
};

const struct cli_command cli_stacktext = {
	.name = "stacktext",
	.arguments = "[--symbols [LAYOUT:]DIR]... [--source [LAYOUT:]URL]... [--brief] FILE",
	.about = "the stacks of a text, as gdb, sanitizers, Android or Rust print them",
	.help =
	"FILE is a text with stacks as gdb, lldb, AddressSanitizer and the others of its kind, glibc's\n"
	"backtrace_symbols, Android's tombstones, Rust's panics or minidump_stackwalk print them, with\n"
	"the prefixes of a log perhaps; - is standard input. Why it ended, the thread that crashed,\n"
	"the other threads. Frames in modules with a build id get what their debug information says;\n"
	"the others keep the names the text has.\n"
	"\n"
	SYMBOLS_HELP
	SOURCES_HELP,
	.options = options,
	.run = run_stacktext,
};

const struct cli_command cli_coredump = {
	.name = "coredump",
	.arguments = "[--symbols [LAYOUT:]DIR]... [--source [LAYOUT:]URL]... [--brief] FILE",
	.about = "the stacks of a core file",
	.help =
	"FILE is an ELF core as the kernel or gcore writes it, of any processor there is a walker\n"
	"for (x86, x86_64, arm, arm64, mips, ppc), perhaps packed by gzip, zstd, lz4 or xz, as in\n"
	"/var/lib/systemd/coredump; - is standard input. The signal, the thread it\n"
	"was for with its registers, the other threads, and what became of each module's debug and\n"
	"unwind information. A core that was cut is told as far as it goes.\n"
	"\n"
	SYMBOLS_HELP
	SOURCES_HELP,
	.options = options,
	.run = run_coredump,
};
