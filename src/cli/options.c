/* options.c -- see options.h. */
#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

enum { COMMON_CONFIG = -16, COMMON_STATE_DIR, COMMON_JSON, COMMON_HELP };

const struct cli_option cli_common_options[] = {
	{ COMMON_CONFIG, 'c', "config", "FILE" },
	{ COMMON_STATE_DIR, 0, "state-dir", "DIR" },
	{ COMMON_JSON, 0, "json", NULL },
	{ COMMON_HELP, 'h', "help", NULL },      /* main() has seen it */
	CLI_OPTIONS_END
};
static const struct cli_option no_options[] = { CLI_OPTIONS_END };

void cli_reader_init(struct cli_reader *reader, struct cli *cli, const struct cli_command *command,
		     int argc, char **argv)
{
	*reader = (struct cli_reader){ .cli = cli, .command = command, .argc = argc, .argv = argv,
				       .at = 1, .options = no_options };
	if (command && command->options)
		reader->options = command->options;
}

int cli_misused(const struct cli_command *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "symgate %s: ", command->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: symgate %s%s%s\nsee symgate %s --help\n", command->name,
		*command->arguments ? " " : "", command->arguments, command->name);
	return CLI_USAGE;
}

static int misused(const struct cli_reader *reader, const char *what, const char *word)
{
	if (reader->command)
		cli_misused(reader->command, "%s `%s`", what, word);
	else
		fprintf(stderr, "symgate: %s `%s`; symgate --help lists the options\n", what, word);
	return -1;
}

static const struct cli_option *by_letter(const struct cli_option *options, char letter)
{
	for (; options->id; options++)
		if (options->letter == letter)
			return options;
	return NULL;
}

static const struct cli_option *by_name(const struct cli_option *options, const char *name, size_t size)
{
	for (; options->id; options++)
		if (options->name && strlen(options->name) == size &&
		    memcmp(options->name, name, size) == 0)
			return options;
	return NULL;
}

static int take_common(struct cli_reader *reader, int id, const char *value)
{
	struct cli *cli = reader->cli;

	switch (id) {
	case COMMON_CONFIG:
		if (cli->config_count == CLI_CONFIG_FILES_MAX)
			return misused(reader, "too many config files:", value);
		cli->config_paths[cli->config_count++] = value;
		return 0;
	case COMMON_STATE_DIR:
		cli->state_dir = value;
		return 0;
	case COMMON_JSON:
		cli->json = true;
		return 0;
	default:
		return 0;
	}
}

/* `rest` is what follows the option in its own word: its value, or NULL. */
static int take(struct cli_reader *reader, const struct cli_option *option, const char *rest,
		const char **value)
{
	const char *word = reader->argv[reader->at - 1];

	*value = rest;
	if (option->value && !rest) {
		if (reader->at >= reader->argc)
			return misused(reader, "a value is missing after", word);
		*value = reader->argv[reader->at++];
	}
	return option->id;
}

static int take_letter(struct cli_reader *reader, const char **value)
{
	char letter = *reader->bundle++;
	const struct cli_option *option = by_letter(reader->options, letter);
	const char *rest = NULL;

	if (!option)
		option = by_letter(cli_common_options, letter);
	if (!option) {
		reader->bundle = NULL;
		return misused(reader, "unknown option", reader->argv[reader->at - 1]);
	}
	if (option->value && *reader->bundle)
		rest = reader->bundle;
	if (option->value || !*reader->bundle)
		reader->bundle = NULL;
	return take(reader, option, rest, value);
}

static int take_name(struct cli_reader *reader, const char *word, const char **value)
{
	const char *equals = strchr(word, '=');
	size_t size = equals ? (size_t)(equals - word) : strlen(word);
	const struct cli_option *option = by_name(reader->options, word, size);

	if (!option)
		option = by_name(cli_common_options, word, size);
	if (!option)
		return misused(reader, "unknown option", word - 2);
	if (equals && !option->value)
		return misused(reader, "no value belongs to", word - 2);
	return take(reader, option, equals ? equals + 1 : NULL, value);
}

/* One word: an option's id, or 0 for an operand. */
static int read_word(struct cli_reader *reader, const char **value)
{
	char *word = reader->argv[reader->at++];

	if (!reader->ended && word[0] == '-' && word[1] == '-' && !word[2]) {
		reader->ended = true;
		return 0;
	}
	if (reader->ended || word[0] != '-' || !word[1]) {
		reader->argv[++reader->operand_count] = word;
		return 0;
	}
	if (word[1] == '-')
		return take_name(reader, word + 2, value);
	reader->bundle = word + 1;
	return take_letter(reader, value);
}

int cli_next_option(struct cli_reader *reader, const char **value)
{
	*value = NULL;
	while (reader->bundle || reader->at < reader->argc) {
		int id = reader->bundle ? take_letter(reader, value) : read_word(reader, value);

		if (id == -1 || id > 0)
			return id;
		if (id < -1 && take_common(reader, id, *value) < 0)
			return -1;
		/* The command's own name ends what stands before it. */
		if (!reader->command && reader->operand_count > 0)
			return 0;
	}
	return 0;
}

int cli_only_operands(struct cli_reader *reader)
{
	const char *value;

	return cli_next_option(reader, &value);
}
