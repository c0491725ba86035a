/* config.c -- "symgate config": check a file, print all keys. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/table.h"

#define OUT_BYTES ((size_t)16 * 1024 * 1024)

struct notes {
	bool as_json;
	struct json_writer json;     /* the array of notes */
	unsigned warnings;
};

static void take_note(void *payload, enum config_note_kind kind, const char *text)
{
	struct notes *notes = payload;
	bool warning = kind == CONFIG_NOTE_WARNING;

	notes->warnings += warning;
	if (!notes->as_json) {
		fprintf(stderr, warning ? "warning: %s\n" : "note: %s is accepted and has no meaning here\n",
			text);
		return;
	}
	json_object(&notes->json);
	json_member_string(&notes->json, "kind", warning ? "warning" : "without_meaning");
	json_member_string(&notes->json, "text", text);
	json_object_end(&notes->json);
}

static int check(const struct cli *cli, const char *path, bool strict)
{
	struct notes notes = { .as_json = cli->json };
	struct config config;
	struct err err = ERR_INIT;
	struct buf out;
	bool fine;

	buf_init(&out, OUT_BYTES);
	json_writer_init(&notes.json, &out);
	json_object(&notes.json);
	json_member_string(&notes.json, "file", path);
	json_key(&notes.json, "notes");
	json_array(&notes.json);
	fine = config_load(&config, &path, 1, cli->state_dir, take_note, &notes, &err) == 0;
	if (fine && cli_check_sources(&config, &err) < 0) {
		config_release(&config);
		fine = false;
	}
	json_array_end(&notes.json);
	if (fine)
		config_release(&config);
	else
		json_member_string(&notes.json, "error", err.text);
	if (fine && strict && notes.warnings > 0) {
		err_set(&err, ERR_MALFORMED, "%s: %u warning%s, and --strict was asked for", path,
			notes.warnings, notes.warnings > 1 ? "s" : "");
		fine = false;
	}
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

static int run(struct cli *cli, int argc, char **argv)
{
	const char *path = NULL;
	bool strict = false;

	if (argc >= 2 && strcmp(argv[1], "print") == 0)
		return argc == 2 ? print(cli)
				 : cli_misused(&cli_config, "print takes no argument");
	if (argc < 2 || strcmp(argv[1], "check") != 0)
		return cli_misused(&cli_config, "check or print?");
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--strict") == 0)
			strict = true;
		else if (argv[i][0] == '-' || path)
			return cli_misused(&cli_config, "what is `%s`?", argv[i]);
		else
			path = argv[i];
	}
	if (!path && cli->config_count > 0)
		path = cli->config_paths[cli->config_count - 1];
	if (!path)
		return cli_misused(&cli_config, "which FILE?");
	return check(cli, path, strict);
}

const struct cli_command cli_config = {
	.name = "config",
	.arguments = "check [--strict] FILE | print",
	.about = "check a configuration file, or print every key with its default",
	.help =
	"check reads FILE as the service would and changes nothing. What is wrong is named by\n"
	"file, line and key. An unknown key is an error in symgate's own sections and a\n"
	"warning with the nearest known name elsewhere; keys of the reference service that\n"
	"mean nothing here are listed.\n"
	"\n"
	"  --strict   warnings are errors\n"
	"\n"
	"print writes a whole file of defaults, each key explained.\n"
	"\n"
	"exit codes: 0 fine, 1 not fine, 2 wrong usage\n",
	.run = run,
};
