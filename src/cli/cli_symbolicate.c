/* cli_symbolicate.c -- "symgate symbolicate": one request, answered without a service. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_sources.h"
#include "cli/local.h"
#include "cli/options.h"
#include "cli/stackrequest.h"
#include "cli/standalone.h"
#include "cli/trace.h"
#include "cli/tried.h"
#include "kinds/kinds.h"
#include "stacktext/stacktext.h"
#include "work/request_json.h"
#include "work/work.h"

#define READ_BYTES 65536u

struct wish {
	const char *path;            /* NULL: there are addresses */
	struct standalone_symbols symbols;
	const char *maps;            /* --maps; NULL: none */
	char **addresses;
	int address_count;
	bool found;                  /* some frame got a name */
};

/* What the request is made of. */
struct making {
	struct standalone *alone;
	const struct wish *wish;
};

/* --- The request ------------------------------------------------------------------------- */

static int read_input(struct buf *body, size_t most, struct err *err)
{
	ssize_t got;

	do {
		char *capacity = buf_reserve(body, READ_BYTES);

		if (!capacity)
			return buf_check(body, err);
		got = read(STDIN_FILENO, capacity, READ_BYTES);
		if (got < 0)
			return err_os(err, errno, "reading standard input");
		body->size += (size_t)got;
		if (body->size > most)
			return err_set(err, ERR_TOO_LARGE, "standard input is over %zu bytes", most);
	} while (got > 0);
	return 0;
}

static int read_body(const struct config *config, const struct wish *wish, struct buf *body,
		     struct err *err)
{
	size_t most = (size_t)config->symbolicate_body_max_bytes;

	if (strcmp(wish->path, "-") == 0)
		return read_input(body, most, err);
	return file_read_all(wish->path, most, body, err);
}

/* 1: it is JSON.  What begins as JSON and is none goes through: the refusal has the words. */
static int look_at_json(struct making *making, struct text body, struct err *err)
{
	struct err why = ERR_INIT;
	struct arena arena;
	struct cJSON *json;
	int rc = 0;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	if (request_json_parse(body, &arena, &json, &why) == 0)
		rc = standalone_add_modules(making->alone, cJSON_GetObjectItemCaseSensitive(json, "modules"), err) < 0 ? -1 : 1;
	arena_release(&arena);
	return rc;
}

/* gdb's text may begin with a bracket. */
static bool looks_like_json(struct text body)
{
	struct text trimmed = text_trim(body);
	struct err err = ERR_INIT;
	struct arena arena;
	struct cJSON *json;
	bool is_json;

	if (trimmed.size == 0 || trimmed.bytes[0] != '[')
		return trimmed.size == 0 || trimmed.bytes[0] == '{';
	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	is_json = request_json_parse(body, &arena, &json, &err) == 0;
	arena_release(&arena);
	return is_json;
}

/* A stack of the addresses on the command line: where it stopped, then who called. */
static int add_addresses(const struct wish *wish, struct stacktext *text, struct arena *arena,
			 struct err *err)
{
	size_t count = (size_t)wish->address_count;

	text->frames = arena_alloc(arena, count, sizeof(*text->frames));
	text->stacks = arena_alloc(arena, 1, sizeof(*text->stacks));
	if (!text->frames || !text->stacks)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu addresses", count);
	for (size_t i = 0; i < count; i++) {
		struct stacktext_frame *frame = &text->frames[i];

		frame->has_address = true;
		frame->is_return = i > 0;
		if (!stacktext_address(text_of(wish->addresses[i]), &frame->address))
			return err_set(err, ERR_BAD_REQUEST, "`%s` is not an address",
				       wish->addresses[i]);
	}
	text->stacks[0] = (struct stacktext_stack){ .first = 0, .count = count };
	text->frame_count = count;
	text->stack_count = 1;
	return 0;
}

static int read_stacks(struct making *making, struct text whole, struct stacktext *text,
		       struct err *err)
{
	const struct wish *wish = making->wish;

	if (stacktext_read(text, whole, &making->alone->local.arena, err) < 0)
		return -1;
	if (wish->maps && text->mapping_count == 0)
		return err_set(err, ERR_MALFORMED, "%s has no mappings: the text of /proc/PID/maps, or of "
			       "gdb's `info proc mappings', is expected", wish->maps);
	if (wish->address_count > 0)
		return add_addresses(wish, text, &making->alone->local.arena, err);
	if (text->frame_count == 0 && text->mapping_count > 0)
		return err_set(err, ERR_MALFORMED, "%s has mappings and no stack: --maps FILE ADDRESS... "
			       "asks for addresses", wish->path ? wish->path : wish->maps);
	if (text->frame_count == 0)
		return err_set(err, ERR_MALFORMED, "%s is neither JSON nor a stack as gdb, a sanitizer or "
			       "glibc's backtrace_symbols print it", wish->path ? wish->path : wish->maps);
	return 0;
}

static int make_from_text(struct making *making, struct text whole, struct buf *body, struct err *err)
{
	struct stacktext text;
	struct buf request;
	int rc;

	buf_init(&request, LIMIT_REPLY_BYTES);
	rc = read_stacks(making, whole, &text, err);
	if (rc == 0)
		rc = stackrequest_write(&text, &making->alone->local, making->alone->folder_list,
					making->alone->folder_count, &request, err);
	if (rc == 0)
		sources_add(buf_text(&request), buf_text(&making->alone->sources),
			    text_of(making->alone->config->sources_json), body);
	buf_release(&request);
	return rc < 0 ? -1 : buf_check(body, err);
}

/* The mappings, then the text: one after the other they are one text. */
static int read_texts(const struct making *making, struct buf *whole, struct err *err)
{
	const struct wish *wish = making->wish;

	if (wish->maps && file_read_all(wish->maps, STACKTEXT_BYTES_MAX, whole, err) < 0)
		return err_while(err, "--maps");
	if (wish->maps)
		buf_add_char(whole, '\n');
	return wish->path ? read_body(making->alone->config, wish, whole, err) : buf_check(whole, err);
}

static int make_body(struct making *making, struct buf *body, struct err *err)
{
	struct buf whole;
	int rc = -1;

	buf_init(&whole, LIMIT_REPLY_BYTES);
	if (read_texts(making, &whole, err) < 0)
		goto done;
	if (making->wish->maps || !looks_like_json(buf_text(&whole))) {
		rc = make_from_text(making, buf_text(&whole), body, err);
		goto done;
	}
	rc = look_at_json(making, buf_text(&whole), err);
	if (rc > 0)
		sources_add(buf_text(&whole), buf_text(&making->alone->sources),
			    text_of(making->alone->config->sources_json), body);
	else if (rc == 0)
		buf_add_text(body, buf_text(&whole));
	rc = rc < 0 ? -1 : buf_check(body, err);
done:
	buf_release(&whole);
	return rc;
}

/* --- The answer ----------------------------------------------------------------------------- */

static int show_answer(struct cli *cli, struct text reply, bool *found, struct err *err)
{
	struct buf out;
	int rc;

	buf_init(&out, 4 * LIMIT_REPLY_BYTES);
	rc = trace_show(reply, cli->colour, &out, found, err);
	rc = standalone_write(cli, reply, &out, rc, err);
	buf_release(&out);
	return rc;
}

static int make_and_answer(struct standalone *alone, void *payload, struct err *err)
{
	struct wish *wish = payload;
	struct making making = { .alone = alone, .wish = wish };
	struct work_body sent;
	struct buf body, reply;
	int rc = -1;

	buf_init(&body, 2 * LIMIT_REPLY_BYTES);
	buf_init(&reply, LIMIT_REPLY_BYTES);
	rc = make_body(&making, &body, err);
	sent = work_body_of(buf_text(&body));
	if (rc == 0)
		rc = standalone_answer(alone, &request_kind_symbolicate, &sent, &reply, err);
	if (rc == 0)
		rc = show_answer(alone->cli, buf_text(&reply), &wish->found, err);
	if (rc == 0 && wish->symbols.folder_count > 0 && !alone->cli->json)
		tried_show(buf_text(&reply), buf_text(&alone->sources), alone->config);
	buf_release(&body);
	buf_release(&reply);
	return rc;
}

enum { OPTION_SYMBOLS = 1, OPTION_SOURCE, OPTION_MAPS };
static const struct cli_option options[] = {
	{ OPTION_SYMBOLS, 0, "symbols", "DIR" }, { OPTION_SOURCE, 0, "source", "URL" },
	{ OPTION_MAPS, 0, "maps", "FILE" }, CLI_OPTIONS_END
};

/* With --maps one word may be a file with a stack; all others are addresses. */
static void take_operands(struct wish *wish, char **operands, int count)
{
	uint64_t address;

	if (count > 0 && (!wish->maps || (count == 1 && !stacktext_address(text_of(operands[0]),
									    &address)))) {
		wish->path = operands[0];
		operands++;
		count--;
	}
	wish->addresses = operands;
	wish->address_count = count;
}

static int run(struct cli *cli, int argc, char **argv)
{
	static struct wish wish;
	struct err err = ERR_INIT;
	struct cli_reader reader;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_symbolicate, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		if (option == OPTION_MAPS)
			wish.maps = value;
		else if (!standalone_takes(&wish.symbols, option == OPTION_SOURCE, value))
			return cli_misused(&cli_symbolicate, "too many sources: %s", value);
	}
	if (option < 0)
		return CLI_USAGE;
	take_operands(&wish, argv + 1, reader.operand_count);
	if (!wish.maps && wish.address_count > 0)
		return cli_misused(&cli_symbolicate, "what is `%s`?", wish.addresses[0]);
	if (!wish.path && !wish.maps)
		return cli_misused(&cli_symbolicate, "which FILE? (- is standard input)");
	if (standalone_run(cli, &wish.symbols, make_and_answer, &wish, &err) < 0)
		return cli_fail(&err);
	return wish.found ? CLI_OK : CLI_NOTHING;
}

const struct cli_command cli_symbolicate = {
	.name = "symbolicate",
	.arguments = "[--symbols [LAYOUT:]DIR]... [--source [LAYOUT:]URL]... [--maps FILE] FILE | "
		     "--maps FILE ADDRESS...",
	.about = "name the frames of a request or of a printed stack, without a service",
	.help =
	"FILE is what would be posted to /symbolicate (JSON: stacktraces, modules, sources), or a\n"
	"text with stacks as gdb, AddressSanitizer and the others of its kind, glibc's\n"
	"backtrace_symbols, Android's tombstones or Rust print them, out of a log perhaps; - is\n"
	"standard input. No service is needed. The sources of the configuration file are used\n"
	"unless the request names its own.\n"
	"\n"
	"  --symbols [LAYOUT:]DIR   a folder of debug files, may be repeated. Every layout is tried:\n"
	"                           unified, native, symstore, symstore_index2, ssqp, debuginfod,\n"
	"                           slashsymbols, DIR/.build-id, and files that are called as the\n"
	"                           modules are; or LAYOUT alone\n"
	"  --source [LAYOUT:]URL    a server of debug files, may be repeated. Without a layout it is\n"
	"                           asked as a debuginfod for ELF files and as a symbol server\n"
	"                           (symstore) for PE, PDB and Breakpad files\n"
	"  --maps FILE              where the program's files were mapped: a copy of /proc/PID/maps,\n"
	"                           or the text of gdb's `info proc mappings'. Each ADDRESS is then\n"
	"                           looked up in the file mapped there, as one stack: the first is\n"
	"                           where it stopped, the others are what called\n"
	"\n"
	"Programs and libraries the modules name are used where this machine has them and they are\n"
	"the same build, with the debug information beside them and in /usr/lib/debug.\n"
	"\n"
	"What is downloaded and converted is forgotten afterwards, unless --state-dir names a\n"
	"folder to keep it in. Filesystem sources may name any folder, and without -c sources\n"
	"on this machine and in private networks may be asked.\n"
	"\n"
	"With --json the service's reply as it is.\n"
	"\n"
	"exit codes: 0 some frame got a name, 1 failed, 2 wrong usage, 3 no frame got a name\n",
	.options = options,
	.run = run,
};
