/* retrace_command.c -- "symgate retrace": stack traces in, the same with original names out. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/mapping_file.h"
#include "cli/options.h"
#include "proguard/retrace.h"

#define IN_BYTES    (RETRACE_LINE_BYTES_MAX + 1)
#define OUT_BYTES   ((size_t)1 << 30)        /* what one line may become */
#define FLUSH_BYTES ((size_t)256 * 1024)

struct retrace_stream {
	struct retrace *retrace;
	int in;
	char *bytes;                 /* of a line whose end has not come, IN_BYTES */
	size_t size;
	bool is_passing;             /* a line too long to be looked at: its rest goes through */
	struct buf out;
};

static int flush(struct retrace_stream *stream, struct err *err)
{
	int rc = buf_check(&stream->out, err);

	if (rc == 0 && stream->out.size > 0)
		rc = file_write_all(STDOUT_FILENO, stream->out.bytes, stream->out.size, err);
	buf_clear(&stream->out);
	return rc;
}

static int take_line(struct retrace_stream *stream, struct text line, struct err *err)
{
	if (stream->is_passing) {
		stream->is_passing = false;
		buf_add_text(&stream->out, line);
		buf_add_char(&stream->out, '\n');
	} else if (retrace_line(stream->retrace, line, &stream->out, err) < 0) {
		return -1;
	}
	return stream->out.size > FLUSH_BYTES ? flush(stream, err) : 0;
}

/* The whole lines there are; what is left waits for its end. */
static int take_lines(struct retrace_stream *stream, struct err *err)
{
	struct text rest = { stream->bytes, stream->size };
	const char *end;

	while (rest.size > 0 && (end = memchr(rest.bytes, '\n', rest.size))) {
		struct text line = { rest.bytes, (size_t)(end - rest.bytes) };

		if (take_line(stream, line, err) < 0)
			return -1;
		rest = text_from(rest, line.size + 1);
	}
	if (rest.size == IN_BYTES) {
		buf_add_text(&stream->out, rest);
		stream->is_passing = true;
		rest.size = 0;
	}
	memmove(stream->bytes, rest.bytes, rest.size);
	stream->size = rest.size;
	return flush(stream, err);
}

static int run_stream(struct retrace_stream *stream, struct err *err)
{
	for (;;) {
		ssize_t got = read(stream->in, stream->bytes + stream->size, IN_BYTES - stream->size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading");
		if (got == 0)
			break;
		stream->size += (size_t)got;
		if (take_lines(stream, err) < 0)
			return -1;
	}
	if (stream->size > 0 || stream->is_passing) {
		if (take_line(stream, (struct text){ stream->bytes, stream->size }, err) < 0)
			return -1;
	}
	return flush(stream, err);
}

/* The trace is written, but not all of it was looked up. */
static void tell_left_alone(const struct retrace *retrace)
{
	if (retrace->left_alone)
		fprintf(stderr, "symgate: %ju frames were left as they are: their methods have too many entries\n",
			(uintmax_t)retrace->left_alone);
}

static int retrace_all(const struct proguard *mapping, const struct retrace_options *options, int in,
		       struct err *err)
{
	struct retrace retrace;
	struct retrace_stream stream = { .retrace = &retrace, .in = in };
	int rc = retrace_open(&retrace, mapping, options, err);

	buf_init(&stream.out, OUT_BYTES);
	stream.bytes = rc == 0 ? mem_get(IN_BYTES) : NULL;
	if (rc == 0)
		rc = stream.bytes ? run_stream(&stream, err)
				  : err_set(err, ERR_NO_MEMORY, "no memory for a line");
	if (rc == 0)
		tell_left_alone(&retrace);
	mem_give_back(stream.bytes);
	buf_release(&stream.out);
	retrace_release(&retrace);
	return rc;
}

/* --- The command ------------------------------------------------------------------------------ */

enum { OPTION_REGEX = 1, OPTION_VERBOSE, OPTION_LIKE, OPTION_QUIET };
static const struct cli_option options[] = {
	{ OPTION_REGEX, 'r', "regex", "EXPRESSION" }, { OPTION_VERBOSE, 'v', "verbose", NULL },
	{ OPTION_LIKE, 0, "like", "mapping|proguard|r8|library" }, { OPTION_QUIET, 'q', "quiet", NULL },
	CLI_OPTIONS_END
};

struct retrace_wish {
	struct retrace_options options;
	const char *mapping, *trace;         /* trace NULL: standard input */
	bool quiet;
};

static int retrace_with(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
			struct err *err)
{
	const struct retrace_wish *wish = payload;
	struct mapping_file file;
	int in = STDIN_FILENO, rc;

	(void)cli;
	rc = mapping_file_open(&file, nursery, config, wish->mapping, err);
	if (rc == 0 && wish->trace) {
		in = open(wish->trace, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		rc = in < 0 ? err_os(err, errno, "%s", wish->trace) : 0;
	}
	if (rc == 0 && !wish->trace && !wish->quiet && isatty(STDIN_FILENO))
		fprintf(stderr, "symgate: stack traces, please; Control-D ends them\n");
	if (rc == 0)
		rc = retrace_all(&file.mapping, &wish->options, in, err);
	if (wish->trace && in >= 0)
		close(in);
	mapping_file_release(&file);
	return rc < 0 ? -1 : CLI_OK;
}

/* Their own options, which have one dash. */
static void take_single_dashes(int argc, char **argv)
{
	static char regex[] = "--regex", verbose[] = "--verbose", quiet[] = "--quiet";
	char *const known[] = { regex, verbose, quiet };

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++)
			if (strcmp(argv[i], known[j] + 1) == 0)
				argv[i] = known[j];
}

static int take_option(int option, const char *value, struct retrace_wish *wish)
{
	switch (option) {
	case OPTION_REGEX:
		wish->options.regex = value;
		return 0;
	case OPTION_VERBOSE:
		wish->options.verbose = true;
		return 0;
	case OPTION_LIKE:
		return retrace_dialect_named(value, &wish->options.dialect) ? 0 : -1;
	default:
		wish->quiet = true;
		return 0;
	}
}

static int run_retrace(struct cli *cli, int argc, char **argv)
{
	struct retrace_wish wish = { .options.is_bounded = true };
	struct cli_reader reader;
	const char *value;
	int option;

	take_single_dashes(argc, argv);
	cli_reader_init(&reader, cli, &cli_retrace, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		if (take_option(option, value, &wish) < 0)
			return cli_misused(&cli_retrace, "`%s' is not mapping, proguard, r8 or library", value);
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count < 1 || reader.operand_count > 2)
		return cli_misused(&cli_retrace, "which mapping, and which trace?");
	wish.mapping = argv[1];
	if (reader.operand_count > 1 && strcmp(argv[2], "-") != 0)
		wish.trace = argv[2];
	return cells_command(cli, retrace_with, &wish);
}

const struct cli_command cli_retrace = {
	.name = "retrace",
	.arguments = "[-v] [-r EXPRESSION] [--like DIALECT] MAPPING [TRACE]",
	.about = "give Java stack traces their original names",
	.help =
	"Reads stack traces, logs or thread dumps from TRACE or standard input and writes them with the\n"
	"names and lines that MAPPING, of ProGuard or R8, tells. What is no part of a trace goes through\n"
	"as it is, line by line.\n"
	"\n"
	"  -r, --regex EXPRESSION  lines to look for, with %c for classes, %C with slashes, %m methods,\n"
	"                          %s source files, %l lines, %t types, %a arguments\n"
	"  -v, --verbose           methods with their types and arguments\n"
	"  --like DIALECT          write as this program does: proguard, r8, library (Sentry's) or\n"
	"                          mapping, the one that made it (the default)\n"
	"  -q, --quiet             do not ask for traces when standard input is a terminal\n"
	"\n"
	"-regex, -verbose and -quiet are understood too.\n"
	"\n"
	"Frames of methods with so many entries that looking through them would take very long are left as\n"
	"they are; how many is said at the end.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.only_files = true,
	.run = run_retrace,
};
