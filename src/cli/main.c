/* main.c -- the table of subcommands, and what they share. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/process.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/state.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "config/config.h"
#include "shared/shared.h"
#include "source/source.h"
#include "supervisor/crash.h"
#include "supervisor/supervisor.h"
#include "work/request_json.h"
#include "work/work.h"

static const struct cli_command *const commands[] = {
	&cli_serve, &cli_fcgi, &cli_config, &cli_backup, &cli_repair, &cli_status, &cli_why,
	&cli_cache, &cli_cleanup, &cli_apikey, &cli_prefetch,
	&cli_symbolicate, &cli_lookup, &cli_symcache, &cli_js, &cli_retrace, &cli_proguard, &cli_bundle_jvm, &cli_cfi, &cli_symbfile, &cli_push_symbols, &cli_sourcemap, &cli_object, &cli_sort,
	&cli_minidump, &cli_applecrash, &cli_stacktext, &cli_coredump,
};
#define SOURCES_ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

struct text cli_member(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(item) ? text_of(item->valuestring) : TEXT_NONE;
}

/* Texts of errors quote what was found in files: a terminal obeys none of it. */
void cli_say(const char *words)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 2);
	buf_add_string(&out, "symgate: ");
	for (; *words; words += *words == '\n') {
		size_t line = strcspn(words, "\n");

		buf_add_visible(&out, (struct text){ words, line });
		buf_add_char(&out, '\n');
		words += line;
	}
	if (buf_string(&out)[out.size - 1] != '\n')
		buf_add_char(&out, '\n');
	fputs(buf_string(&out), stderr);
	buf_release(&out);
}

int cli_fail(const struct err *err)
{
	cli_say(err->text);
	if (*state_taken_owner())
		cli_say(state_taken_owner());
	return CLI_FAILED;
}

static void show_note(void *payload, enum config_note_kind kind, const char *text)
{
	(void)payload;
	if (kind == CONFIG_NOTE_WARNING)
		fprintf(stderr, "symgate: warning: %s\n", text);
}

/* As the shell's user means it: from the folder we were started in. */
static int absolute(const char *path, char *out, size_t capacity, struct err *err)
{
	size_t used = 0;

	if (path[0] != '/') {
		if (!getcwd(out, capacity))
			return err_os(err, errno, "finding the current folder");
		used = strlen(out);
	}
	if ((size_t)snprintf(out + used, capacity - used, "%s%s", used > 0 ? "/" : "", path) >= capacity - used)
		return err_set(err, ERR_IO, "the name is too long: %s", path);
	return 0;
}

struct source_notes {
	const struct config *config;
	config_note_fn *note;
	void *payload;
	unsigned errors;
	struct err first;
};

static void take_source_note(void *payload, enum source_note_kind kind, const char *place,
			     const char *words)
{
	struct source_notes *notes = payload;
	bool is_error = kind == SOURCE_NOTE_ERROR;
	struct err whole = ERR_INIT;

	err_set(&whole, ERR_BAD_SHAPE, "%s:%zu: %s: %s", config_source_file(notes->config),
		config_source_line(notes->config, text_of(place)), place, words);
	if (is_error && notes->errors++ == 0)
		notes->first = whole;
	notes->note(notes->payload, is_error ? CONFIG_NOTE_ERROR : CONFIG_NOTE_WARNING, whole.text);
}

/* The config component takes `sources` as it stands: whether they are sources is said here, once,
 * and not by every process that cannot start with them. */
int cli_check_sources(const struct config *config, config_note_fn *note, void *payload,
		      unsigned *errors, struct err *err)
{
	struct source_notes notes = { .config = config, .note = note, .payload = payload };
	struct arena arena;
	struct cJSON *json;
	int rc;

	arena_init(&arena, SOURCES_ARENA_BYTES);
	rc = request_json_parse(text_of(config->sources_json), &arena, &json, err);
	if (rc == 0)
		rc = source_list_check(json, config, &arena, take_source_note, &notes, err);
	arena_release(&arena);
	if (rc < 0 && notes.errors > 0) {
		*errors += notes.errors;
		*err = notes.first;
		return -1;
	}
	if (rc < 0 || shared_check(config, err) < 0) {
		note(payload, CONFIG_NOTE_ERROR, err->text);
		(*errors)++;
		return -1;
	}
	return 0;
}

const char *cli_default_config(const struct cli *cli)
{
	static const char *const places[] = { SYSCONFDIR "/symgate/symgate.yml",
					      "/etc/symgate/symgate.yml" };
	const char *named = getenv("SYMGATE_CONFIG");

	if (named)
		return named[0] ? named : NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (access(places[i], R_OK) == 0)
			return places[i];
		if (errno == EACCES && !cli->only_files) {
			fprintf(stderr, "symgate: warning: this user may not read %s: the defaults are "
				"used\n", places[i]);
			return NULL;
		}
	}
	return NULL;
}

int cli_config_load(const struct cli *cli, struct config *config, struct err *err)
{
	const char *const *paths = cli->config_paths;
	const char *path = cli->config_count == 0 ? cli_default_config(cli) : NULL;
	size_t count = path ? 1 : cli->config_count;
	char state_dir[CLI_PATH_BYTES];
	unsigned errors = 0;

	if (path)
		paths = &path;
	if (cli->state_dir && absolute(cli->state_dir, state_dir, sizeof(state_dir), err) < 0)
		return err_while(err, "--state-dir");
	if (config_load(config, paths, count, cli->state_dir ? state_dir : NULL, show_note, NULL,
			err) < 0)
		return -1;
	if (cli_check_sources(config, show_note, NULL, &errors, err) == 0)
		return 0;
	config_release(config);
	return -1;
}

int cli_log_in_state(struct config *config, char *path, struct err *err)
{
	if (config->log_path)
		return 0;
	if ((size_t)snprintf(path, CLI_PATH_BYTES, "%s/symgate.log", config->state_dir) >= CLI_PATH_BYTES)
		return err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
	config->log_path = path;
	return file_make_folders(config->state_dir, 0700, err);
}

static void show_usage(FILE *out)
{
	fprintf(out, "symgate " PACKAGE_VERSION ": crash addresses into functions, files and lines\n\n"
		     "usage: symgate [-c FILE] [--state-dir DIR] [--json] COMMAND ...\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->about);
	fprintf(out, "\n  -c, --config FILE   the YAML file (default: $SYMGATE_CONFIG, or\n"
		     "                      /etc/symgate/symgate.yml where there is one);\n"
		     "                      may be repeated, later files override earlier ones\n"
		     "  --state-dir DIR     instead of state_dir in the file\n"
		     "  --json              machine-readable output\n"
		     "  --bash-completion   a script for bash, of these commands and their options\n"
		     "  symgate help COMMAND says more; so does man symgate\n\n"
		     "exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found\n");
}

static void show_help(const struct cli_command *command)
{
	printf("usage: symgate %s%s%s\n%s\n\n%s", command->name, *command->arguments ? " " : "",
	       command->arguments, command->about, command->help ? command->help : "");
}

/* NULL: there is none, and standard error has been told so. */
static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	fprintf(stderr, "symgate: unknown command `%s`; symgate --help lists them\n", name);
	return NULL;
}

/* argv[0] is the command's name. */
static int run_command(struct cli *cli, int argc, char **argv)
{
	const struct cli_command *command = find_command(argv[0]);

	if (!command)
		return CLI_USAGE;
	for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++) {
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
			show_help(command);
			return CLI_OK;
		}
	}
	cli->only_files = command->only_files;
	return command->run(cli, argc, argv);
}

/* "symgate help", "symgate help COMMAND"; argv[0] is `help`. */
static int run_help(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ? find_command(argv[1]) : NULL;

	if (argc > 1 && !command)
		return CLI_USAGE;
	if (command)
		show_help(command);
	else
		show_usage(stdout);
	return CLI_OK;
}

enum { OPTION_HELP = 1, OPTION_VERSION, OPTION_COMPLETION };
static const struct cli_option main_options[] = {
	{ OPTION_HELP, 'h', "help", NULL },
	{ OPTION_VERSION, 'V', "version", NULL },
	{ OPTION_COMPLETION, 0, "bash-completion", NULL },
	CLI_OPTIONS_END
};

static int run_option(int option)
{
	switch (option) {
	case OPTION_HELP:
		show_usage(stdout);
		return CLI_OK;
	case OPTION_VERSION:
		printf("symgate " PACKAGE_VERSION "\n");
		return CLI_OK;
	default:
		return completion_print(commands, COMMANDS, main_options);
	}
}

int main(int argc, char **argv)
{
	struct cli cli = { 0 };
	struct cli_reader reader;
	const char *value;
	struct err err = ERR_INIT;
	int option;

	process_protect();
#ifndef SYMGATE_SANITIZED                    /* sanitizers tell more */
	crash_install();
#endif
	supervisor_register_counters();
	if (file_fill_standard_descriptors(&err) < 0)
		return cli_fail(&err);
	cli.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	cli_reader_init(&reader, &cli, NULL, argc, argv);
	reader.options = main_options;
	option = cli_next_option(&reader, &value);
	if (option != 0)
		return option < 0 ? CLI_USAGE : run_option(option);
	if (reader.operand_count == 0) {
		show_usage(stderr);
		return CLI_USAGE;
	}
	argc -= reader.at - 1;
	argv += reader.at - 1;
	if (!strcmp(argv[0], "help"))
		return run_help(argc, argv);
	return run_command(&cli, argc, argv);
}
