/* apikey_command.c -- "symgate apikey": the keys of those who may send files. */
#include <stdio.h>
#include <string.h>

#include "apikey/apikey.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/cli_table.h"
#include "cli/options.h"
#include "cli/state.h"
#include "store/store.h"

#define OUT_BYTES ((size_t)64 << 20)
#define ID_COLUMNS 22u
#define STATE_COLUMNS 9u
#define NAME_COLUMNS 24u

struct keys {
	struct store *store;
	struct buf out;
	struct json_writer json;
	bool as_json;
	int64_t now;
	size_t lines;
};

/* The whole key goes to standard output alone, and once. */
static int create(struct keys *keys, struct text name, struct err *err)
{
	char id[APIKEY_ID_BYTES], token[APIKEY_TOKEN_BYTES];

	if (apikey_create(keys->store, name, keys->now, id, token, err) < 0)
		return -1;
	if (keys->as_json) {
		json_object(&keys->json);
		json_member_string(&keys->json, "id", id);
		json_member_text(&keys->json, "name", name);
		json_member_string(&keys->json, "key", token);
		json_object_end(&keys->json);
	} else {
		buf_add_string(&keys->out, token);
	}
	buf_add_char(&keys->out, '\n');
	return CLI_OK;
}

static int revoke(struct keys *keys, struct text key, struct err *err)
{
	int revoked = apikey_revoke(keys->store, key, keys->now, err);

	if (revoked < 0)
		return -1;
	if (revoked == 0) {
		fprintf(stderr, "symgate: there is no key of that name or id that is good\n");
		return CLI_NOTHING;
	}
	if (keys->as_json) {
		json_object(&keys->json);
		json_member_u64(&keys->json, "revoked", 1);
		json_object_end(&keys->json);
		buf_add_char(&keys->out, '\n');
	}
	return CLI_OK;
}

static void line_as_json(struct keys *keys, const struct apikey_line *line)
{
	json_object(&keys->json);
	json_member_text(&keys->json, "id", line->id);
	json_member_text(&keys->json, "name", line->name);
	table_json_time(&keys->json, "created_at", line->created_at);
	if (line->used_at)
		table_json_time(&keys->json, "used_at", line->used_at);
	if (line->revoked_at)
		table_json_time(&keys->json, "revoked_at", line->revoked_at);
	json_object_end(&keys->json);
}

static int show_line(void *payload, const struct apikey_line *line)
{
	struct keys *keys = payload;

	keys->lines++;
	if (keys->as_json) {
		line_as_json(keys, line);
		return 0;
	}
	table_add_cell(&keys->out, line->id, ID_COLUMNS);
	table_add_cell(&keys->out, line->revoked_at ? TEXT("revoked") : TEXT("good"), STATE_COLUMNS);
	table_add_cell(&keys->out, line->name, NAME_COLUMNS);
	buf_add_string(&keys->out, "created ");
	table_add_time(&keys->out, line->created_at, keys->now);
	buf_add_string(&keys->out, line->used_at ? "; last used " : "; never used");
	if (line->used_at)
		table_add_time(&keys->out, line->used_at, keys->now);
	buf_add_char(&keys->out, '\n');
	return 0;
}

static int list(struct keys *keys, struct text none, struct err *err)
{
	(void)none;
	if (keys->as_json)
		json_array(&keys->json);
	if (apikey_list(keys->store, show_line, keys, err) < 0)
		return -1;
	if (keys->as_json) {
		json_array_end(&keys->json);
		buf_add_char(&keys->out, '\n');
	}
	return keys->lines > 0 ? CLI_OK : CLI_NOTHING;
}

static const struct {
	const char *name;
	bool takes_key, makes_folder;
	int (*run)(struct keys *keys, struct text key, struct err *err);
} verbs[] = {
	{ "create", true, true, create }, { "list", false, false, list }, { "revoke", true, false, revoke },
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int carry_out(const struct cli *cli, size_t verb, struct text key)
{
	struct keys keys = { .as_json = cli->json, .now = clock_unix_seconds() };
	struct err err = ERR_INIT;
	struct config config;
	int rc;

	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	buf_init(&keys.out, OUT_BYTES);
	json_writer_init(&keys.json, &keys.out);
	rc = state_take_owner(&config, &err);
	if (rc == 0)
		rc = verbs[verb].makes_folder ? store_open(&keys.store, &config, &err)
					      : state_open(&config, &keys.store, &err);
	if (rc == 0) {
		rc = verbs[verb].run(&keys, key, &err);
		store_close(keys.store);
	}
	if (rc >= 0 && table_write(&keys.out, &err) < 0)
		rc = -1;
	buf_release(&keys.out);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : rc;
}

static int run_apikey(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;
	size_t verb = 0;

	cli_reader_init(&reader, cli, &cli_apikey, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count == 0)
		return cli_misused(&cli_apikey, "create, list or revoke?");
	while (verb < VERBS && strcmp(verbs[verb].name, argv[1]) != 0)
		verb++;
	if (verb == VERBS)
		return cli_misused(&cli_apikey, "unknown verb `%s`", argv[1]);
	if (reader.operand_count < 1 + verbs[verb].takes_key)
		return cli_misused(&cli_apikey, "%s which key?", argv[1]);
	if (reader.operand_count > 1 + verbs[verb].takes_key)
		return cli_misused(&cli_apikey, "unknown argument `%s`", argv[2 + verbs[verb].takes_key]);
	return carry_out(cli, verb, text_of(verbs[verb].takes_key ? argv[2] : NULL));
}

const struct cli_command cli_apikey = {
	.name = "apikey",
	.arguments = "create NAME | list | revoke NAME|ID",
	.about = "make, list and revoke the keys of those who may send files",
	.help =
	"  create NAME      a new key, on standard output; it is shown only now, the database holds its\n"
	"                   SHA-256. Clients send it as `Authorization: APIKey KEY'\n"
	"  list             all keys: id, name, when they were made and last used, whether revoked\n"
	"  revoke NAME|ID   the key is refused from the next request on\n"
	"\n"
	"The service may be running or not.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 there is no such key\n",
	.verbs = "create|list|revoke",
	.run = run_apikey,
};
