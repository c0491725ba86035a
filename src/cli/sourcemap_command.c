/* sourcemap_command.c -- "symgate sourcemap": check a source map, list it, look places up in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/options.h"

#define REPLY_BYTES ((size_t)1 << 20)

enum sourcemap_verb { VERB_CHECK, VERB_DUMP, VERB_LOOKUP, VERBS };
static const char *const verbs[VERBS] = { "check", "dump", "lookup" };

struct sourcemap_wish {
	enum sourcemap_verb verb;
	const char *minified, *context;
	char **operands;             /* what stands behind the verb */
	int operand_count;
};

static int open_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd >= 0 ? fd : err_os(err, errno, "%s", path);
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void write_parameters(const struct cli *cli, const struct sourcemap_wish *wish, struct buf *out)
{
	buf_printf(out, "%s\n%s\n%s\n", verbs[wish->verb], cli->json ? "json" : "text",
		   wish->context ? wish->context : "0");
	for (int i = 1; i < wish->operand_count; i++)
		buf_printf(out, "%s\n", wish->operands[i]);
}

/* CLI_FAILED: the map has errors. */
static int ask(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
	       struct err *err)
{
	const struct sourcemap_wish *wish = payload;
	struct cell_file inputs[] = { { "map", -1 }, { "minified", -1 } };
	struct cell_file outputs[] = { { "text", -1 }, { "cache", -1 } };
	struct cell_order order = {
		.operation = cells_operation_sourcemap_text.name,
		.inputs = inputs, .input_count = wish->minified ? 2 : 1,
		.outputs = outputs, .output_count = 2,
	};
	struct buf parameters, reply;
	int rc = -1;

	(void)config;
	buf_init(&parameters, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	write_parameters(cli, wish, &parameters);
	order.parameters = buf_text(&parameters);
	inputs[0].fd = open_file(wish->operands[0], err);
	if (inputs[0].fd >= 0 && wish->minified)
		inputs[1].fd = open_file(wish->minified, err);
	if (inputs[0].fd >= 0 && (!wish->minified || inputs[1].fd >= 0) &&
	    buf_check(&parameters, err) == 0 && cells_temporary(&outputs[0].fd, err) == 0 &&
	    cells_temporary(&outputs[1].fd, err) == 0) {
		rc = cells_run(nursery, &order, NULL, NULL, &reply, err);
		rc = rc < 0 ? err_while(err, "%s", wish->operands[0])
			    : cells_copy_out(outputs[0].fd, err);
	}
	if (rc == 0)
		rc = text_is(buf_text(&reply), "invalid") ? CLI_FAILED : CLI_OK;
	close_file(outputs[1].fd);
	close_file(outputs[0].fd);
	close_file(inputs[1].fd);
	close_file(inputs[0].fd);
	buf_release(&reply);
	buf_release(&parameters);
	return rc;
}

/* --- The command line --------------------------------------------------------------------- */

static bool is_number(const char *text, size_t size)
{
	uint64_t number;

	return text_to_u64((struct text){ text, size }, 10, &number) && number < UINT32_MAX;
}

/* LINE:COLUMN, in a RAM bundle behind the name of the module: "12.js:1:3". */
static bool is_place(const char *text)
{
	const char *module = strstr(text, ".js:");
	size_t line;

	if (module && !is_number(text, (size_t)(module - text)))
		return false;
	if (module)
		text = module + strlen(".js:");
	line = strcspn(text, ":");
	return text[line] && is_number(text, line) && is_number(text + line + 1, strlen(text) - line - 1) &&
	       strtoul(text, NULL, 10) > 0 && strtoul(text + line + 1, NULL, 10) > 0;
}

static int check_usage(const struct sourcemap_wish *wish)
{
	const char *verb = verbs[wish->verb];

	if (wish->context && wish->verb != VERB_LOOKUP)
		return cli_misused(&cli_sourcemap, "%s has no context", verb);
	if (wish->context && !is_number(wish->context, strlen(wish->context)))
		return cli_misused(&cli_sourcemap, "no number of lines: %s", wish->context);
	if (wish->minified && wish->verb == VERB_DUMP)
		return cli_misused(&cli_sourcemap, "dump needs no minified file");
	if (wish->verb != VERB_LOOKUP)
		return wish->operand_count == 1 ? CLI_OK
			: cli_misused(&cli_sourcemap, "%s takes one MAP", verb);
	if (wish->operand_count < 2)
		return cli_misused(&cli_sourcemap, "lookup takes a MAP and places");
	for (int i = 1; i < wish->operand_count; i++)
		if (!is_place(wish->operands[i]))
			return cli_misused(&cli_sourcemap, "no [N.js:]LINE:COLUMN, both from 1: %s",
					   wish->operands[i]);
	return CLI_OK;
}

enum { OPTION_MINIFIED = 1, OPTION_CONTEXT };
static const struct cli_option options[] = {
	{ OPTION_MINIFIED, 'm', "minified", "FILE" }, { OPTION_CONTEXT, 0, "context", "LINES" },
	CLI_OPTIONS_END
};

static int run_sourcemap(struct cli *cli, int argc, char **argv)
{
	struct sourcemap_wish wish = { .operands = argv + 2 };
	struct cli_reader reader;
	unsigned verb = 0;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_sourcemap, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		*(option == OPTION_MINIFIED ? &wish.minified : &wish.context) = value;
	if (option < 0)
		return CLI_USAGE;
	while (verb < VERBS && (reader.operand_count < 1 || strcmp(argv[1], verbs[verb]) != 0))
		verb++;
	if (verb == VERBS)
		return cli_misused(&cli_sourcemap, "check, dump or lookup?");
	wish.verb = (enum sourcemap_verb)verb;
	wish.operand_count = reader.operand_count - 1;
	if (check_usage(&wish) != CLI_OK)
		return CLI_USAGE;
	return cells_command(cli, ask, &wish);
}

const struct cli_command cli_sourcemap = {
	.name = "sourcemap",
	.arguments = "check [-m FILE] MAP | dump MAP | lookup [-m FILE] [--context LINES] MAP [N.js:]LINE:COLUMN...",
	.about = "tell what is wrong with a source map, list it, or look places up in it",
	.help =
	"check tells what MAP says against the standard (ECMA-426), as errors, and what makes it of\n"
	"less use, as remarks: tokens outside of the lines of the minified file or of a source, and\n"
	"sources whose text the map has not. With --json it is an object.\n"
	"dump lists its tokens, sections laid behind each other: where each stands and where it\n"
	"leads to, with its name. With --json it is an array. Of an indexed RAM bundle of React\n"
	"Native, in place of a MAP, it lists the startup code and the modules.\n"
	"lookup tells where places of the minified file come from. With --json it is an array.\n"
	"N.js:LINE:COLUMN is a place in module N of a RAM bundle, as its stacks have it, where MAP\n"
	"tells where modules begin (x_facebook_offsets).\n"
	"Lines and columns count from 1, as in stacks; columns are UTF-16 units.\n"
	"\n"
	"  -m, --minified FILE  the file MAP is of: for check its lines, for lookup the names of\n"
	"                       functions (a map of Hermes or Metro has them itself)\n"
	"  --context LINES      so many lines of the source before and behind, where MAP has them\n"
	"\n"
	"exit codes: 0 done, 1 failed, or check found errors, 2 wrong usage\n",
	.options = options,
	.verbs = "check|dump|lookup",
	.only_files = true,
	.run = run_sourcemap,
};
