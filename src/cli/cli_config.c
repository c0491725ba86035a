/* cli_config.c -- "symgate config": check a file, print all keys. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/cli_table.h"

#define OUT_BYTES ((size_t)16 * 1024 * 1024)

struct notes {
	bool as_json;
	struct json_writer json;     /* the array of notes */
	unsigned warnings;
};

static const struct { const char *name, *before, *after; } kinds[] = {
	[CONFIG_NOTE_ERROR] = { "error", "error", "" },
	[CONFIG_NOTE_WARNING] = { "warning", "warning", "" },
	[CONFIG_NOTE_WITHOUT_MEANING] = { "without_meaning", "note",
					  " is accepted and has no meaning here" },
};

static void take_note(void *payload, enum config_note_kind kind, const char *text)
{
	struct notes *notes = payload;

	notes->warnings += kind == CONFIG_NOTE_WARNING;
	if (!notes->as_json) {
		fprintf(stderr, "%s: %s%s\n", kinds[kind].before, text, kinds[kind].after);
		return;
	}
	json_object(&notes->json);
	json_member_string(&notes->json, "kind", kinds[kind].name);
	json_member_string(&notes->json, "text", text);
	json_object_end(&notes->json);
}

/* Everything that is wrong in the file is noted.  -1: it is not fine. */
static int survey(const struct cli *cli, const char *path, bool strict, struct notes *notes,
		  struct err *err)
{
	struct err sources_err = ERR_INIT;
	struct config config;
	unsigned errors;

	if (config_survey(&config, &path, 1, cli->state_dir, take_note, notes, &errors, err) < 0)
		return -1;
	if (cli_check_sources(&config, take_note, notes, &errors, &sources_err) < 0 &&
	    err->kind == ERR_NONE)
		*err = sources_err;
	config_release(&config);
	if (errors == 0 && strict && notes->warnings > 0)
		return err_set(err, ERR_MALFORMED, "%s: %u warning%s, and --strict was asked for", path,
			       notes->warnings, notes->warnings > 1 ? "s" : "");
	if (errors > 0 && !cli->json)
		err_set(err, ERR_MALFORMED, "%s: %u error%s", path, errors, errors > 1 ? "s" : "");
	return errors > 0 ? -1 : 0;
}

static int check(const struct cli *cli, const char *path, bool strict)
{
	struct notes notes = { .as_json = cli->json };
	struct err err = ERR_INIT;
	struct buf out;
	bool fine;

	buf_init(&out, OUT_BYTES);
	json_writer_init(&notes.json, &out);
	json_object(&notes.json);
	json_member_string(&notes.json, "file", path);
	json_key(&notes.json, "notes");
	json_array(&notes.json);
	fine = survey(cli, path, strict, &notes, &err) == 0;
	json_array_end(&notes.json);
	if (!fine)
		json_member_string(&notes.json, "error", err.text);
	json_member_bool(&notes.json, "ok", fine);
	json_object_end(&notes.json);
	if (cli->json)
		puts(buf_string(&out));
	else if (fine)
		printf("%s: fine\n", path);
	else
		cli_fail(&err);
	buf_release(&out);
	return fine ? CLI_OK : CLI_FAILED;
}

static int print(const struct cli *cli)
{
	struct config config;
	struct err err = ERR_INIT;
	struct buf out;
	int rc;

	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	buf_init(&out, OUT_BYTES);
	rc = config_print(&config, &out, &err);
	if (rc == 0)
		rc = table_write(&out, &err);
	buf_release(&out);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

enum { OPTION_STRICT = 1 };
static const struct cli_option options[] = {
	{ OPTION_STRICT, 0, "strict", NULL }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	const char *path = NULL, *value;
	struct cli_reader reader;
	bool strict = false;
	int option;

	cli_reader_init(&reader, cli, &cli_config, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		strict = true;
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count == 1 && strcmp(argv[1], "print") == 0)
		return print(cli);
	if (reader.operand_count < 1 || strcmp(argv[1], "check") != 0)
		return cli_misused(&cli_config, "check or print?");
	if (reader.operand_count > 2)
		return cli_misused(&cli_config, "what is `%s`?", argv[3]);
	if (reader.operand_count == 2)
		path = argv[2];
	if (!path && cli->config_count > 0)
		path = cli->config_paths[cli->config_count - 1];
	if (!path)
		path = cli_default_config(cli);
	if (!path)
		return cli_misused(&cli_config, "which FILE?");
	return check(cli, path, strict);
}

const struct cli_command cli_config = {
	.name = "config",
	.arguments = "check [--strict] [FILE] | print",
	.about = "check a configuration file, or print every key with its default",
	.help =
	"check reads FILE (else what a command would read) as the service would and changes nothing. All that is wrong is named\n"
	"by file, line and key. An unknown key is an error in symgate's own sections and a\n"
	"warning with the nearest known name elsewhere, in sources too, as is a filesystem\n"
	"source whose folder this user cannot read; keys of Symbolicator that mean\n"
	"nothing here are listed.\n"
	"\n"
	"  --strict   warnings are errors\n"
	"\n"
	"print writes a whole file of defaults, each key explained.\n"
	"\n"
	"exit codes: 0 fine, 1 not fine, 2 wrong usage\n",
	.options = options,
	.verbs = "check|print",
	.run = run,
};
