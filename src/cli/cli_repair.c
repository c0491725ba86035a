/* cli_repair.c -- "symgate repair": a damaged database, put aside and made anew. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "cli/cli_table.h"
#include "store/repair.h"

#define OUT_BYTES ((size_t)64 * 1024)

static void tell_as_json(const struct store_repair *repair, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_bool(&json, "sound", repair->is_sound);
	if (repair->words[0])
		json_member_text(&json, "damage", text_of(repair->words));
	if (repair->aside[0]) {
		json_member_text(&json, "aside", text_of(repair->aside));
		json_member_u64(&json, "entries", repair->entries);
		json_member_u64(&json, "jobs", repair->jobs);
		json_member_u64(&json, "samples", repair->samples);
	}
	json_object_end(&json);
	buf_add_char(out, '\n');
}

static void tell(const struct store_repair *repair, const char *copy, struct buf *out)
{
	if (repair->is_sound && !copy) {
		buf_add_string(out, "the database is sound\n");
		return;
	}
	if (repair->words[0]) {
		buf_add_string(out, repair->aside[0] ? "it was damaged: " : "it is damaged: ");
		buf_add_visible(out, text_of(repair->words));
		buf_add_char(out, '\n');
	}
	if (!repair->aside[0])
		return;
	buf_add_string(out, repair->words[0] ? "it lies now in " : "what was there lies now in ");
	buf_add_visible(out, text_of(repair->aside));
	if (copy)
		buf_add_string(out, "\nthe copy is in its place\n");
	else
		buf_printf(out, "\ncarried over: %llu entries of the cache, %llu jobs, %llu samples\n",
			   (unsigned long long)repair->entries, (unsigned long long)repair->jobs,
			   (unsigned long long)repair->samples);
}

static int repair(const struct cli *cli, const char *copy, bool only_look, struct err *err)
{
	struct store_repair done;
	struct config config;
	struct buf out;
	int rc;

	if (cli_config_load(cli, &config, err) < 0)
		return -1;
	rc = state_take_owner(&config, err);
	if (rc == 0)
		rc = only_look ? store_examine(&config, &done, err)
			       : store_repair(&config, copy, &done, err);
	config_release(&config);
	if (rc < 0)
		return -1;
	buf_init(&out, OUT_BYTES);
	if (cli->json)
		tell_as_json(&done, &out);
	else
		tell(&done, copy, &out);
	rc = table_write(&out, err);
	buf_release(&out);
	return rc < 0 ? -1 : only_look && !done.is_sound ? CLI_FAILED : CLI_OK;
}

enum { OPTION_CHECK = 1, OPTION_FROM };
static const struct cli_option options[] = {
	{ OPTION_CHECK, 0, "check", NULL }, { OPTION_FROM, 0, "from", "FILE" }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	const char *copy = NULL, *value;
	struct cli_reader reader;
	bool only_look = false;
	struct err err = ERR_INIT;
	int option, rc;

	cli_reader_init(&reader, cli, &cli_repair, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		only_look = only_look || option == OPTION_CHECK;
		if (option == OPTION_FROM)
			copy = value;
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count > 0)
		return cli_misused(&cli_repair, "what is `%s`?", argv[1]);
	if (only_look && copy)
		return cli_misused(&cli_repair, "--check changes nothing, and --from does");
	rc = repair(cli, copy, only_look, &err);
	return rc < 0 ? cli_fail(&err) : rc;
}

const struct cli_command cli_repair = {
	.name = "repair",
	.arguments = "[--check | --from FILE]",
	.about = "put a damaged database aside, and carry over what can be read of it",
	.help =
	"With the service stopped: looks at every page of STATE_DIR/symgate.db. A sound database is\n"
	"left alone. A damaged one goes to STATE_DIR/damaged-TIME, a new one takes its place, with\n"
	"the rows that can still be read. What is lost is made again when it is asked for; jobs that\n"
	"were under way and cannot be read are lost.\n"
	"\n"
	"  --check       only look; the service may be running\n"
	"  --from FILE   put FILE, made by `symgate backup`, in its place instead\n"
	"\n"
	"exit codes: 0 sound now, 1 damaged (--check) or failed, 2 wrong usage\n",
	.options = options,
	.run = run,
};
