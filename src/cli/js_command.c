/* js_command.c -- "symgate js": a minified stack in, as it was written out. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_sources.h"
#include "cli/js_modules.h"
#include "cli/js_ram_folder.h"
#include "cli/js_stack_show.h"
#include "cli/js_store.h"
#include "cli/options.h"
#include "cli/standalone.h"
#include "kinds/kinds.h"
#include "stacktext/js_stack.h"
#include "work/request_json.h"
#include "work/work.h"

struct js_wish {
	struct js_store_wish store;
	bool with_context;
	struct text input;
	size_t frames;               /* out: how many there are */
};

/* --- The request --------------------------------------------------------------------------------- */

static bool is_request(struct text input)
{
	return text_starts_with(text_trim(input), "{");
}

static bool has_files(const struct js_wish *wish)
{
	return wish->store.bundle_count + wish->store.dir_count + wish->store.map_count > 0;
}

static void count_frames(struct js_wish *wish, const cJSON *traces)
{
	const cJSON *trace;

	cJSON_ArrayForEach(trace, traces)
		wish->frames += (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(trace, "frames"));
}

/* Unless it says so itself. */
static int forbid_scraping(cJSON *request, struct err *err)
{
	if (cJSON_HasObjectItem(request, "scraping") || cJSON_AddFalseToObject(request, "allow_scraping"))
		return 0;
	return err_set(err, ERR_NO_MEMORY, "no memory for a request");
}

static int replace_sources(cJSON *request, struct text list, struct err *err)
{
	static const char *const own[] = { "source", "sources", "release", "dist" };
	cJSON *sources = cJSON_ParseWithLength(list.bytes, list.size);

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(request, own[i]);
	if (sources && cJSON_AddItemToObject(request, "sources", sources) &&
	    cJSON_AddStringToObject(request, "release", JS_STORE_RELEASE))
		return forbid_scraping(request, err);
	return err_set(err, ERR_NO_MEMORY, "no memory for a request");
}

/* A single folder, and no map is named: of a RAM bundle it has its map. */
static int find_ram_map(struct js_wish *wish, struct err *err)
{
	static char map[PATH_MAX];
	struct js_store_wish *store = &wish->store;
	int found;

	if (store->dir_count != 1 || store->map_count > 0 || store->bundle_count > 0)
		return 0;
	found = js_ram_folder_map(store->dirs[0], map, err);
	if (found > 0)
		store->maps[store->map_count++] = map;
	return found < 0 ? -1 : 0;
}

/* Files of the command line are of a release of our own; without any a request asks whom it names. */
static int set_sources(struct standalone *alone, struct js_wish *wish, cJSON *request, struct err *err)
{
	cJSON *traces = cJSON_GetObjectItemCaseSensitive(request, "stacktraces");
	struct buf made, list;
	int rc;

	count_frames(wish, traces);
	if (!has_files(wish)) {
		if (!cJSON_HasObjectItem(request, "source") && !cJSON_HasObjectItem(request, "sources") &&
		    !cJSON_AddNullToObject(request, "sources"))
			return err_set(err, ERR_NO_MEMORY, "no memory for a request");
		return 0;
	}
	if (find_ram_map(wish, err) < 0)
		return -1;
	if (wish->store.map_count == 1 &&
	    js_modules_place(alone->nursery, wish->store.maps[0], traces, err) < 0)
		return -1;
	buf_init(&made, LIMIT_REPLY_BYTES);
	buf_init(&list, LIMIT_REPLY_BYTES);
	rc = js_store_make(&wish->store, alone->local.folder, traces, &made, err);
	sources_list(buf_text(&made), TEXT("[]"), &list);
	if (rc == 0)
		rc = buf_check(&list, err);
	if (rc == 0)
		rc = replace_sources(request, buf_text(&list), err);
	buf_release(&list);
	buf_release(&made);
	return rc;
}

/* A text is one trace. */
static int request_of_text(struct text stack, struct buf *out, struct err *err)
{
	struct buf traces;
	size_t count;
	int rc;

	buf_init(&traces, LIMIT_SYMBOLICATE_BODY_BYTES);
	rc = js_stack_write_frames(stack, &traces, &count, err);
	buf_add_string(out, "{\"options\":{\"frame_order\":\"callee_first\"},\"stacktraces\":");
	buf_add_text(out, buf_text(&traces));
	buf_add_char(out, '}');
	buf_release(&traces);
	return rc < 0 ? -1 : buf_check(out, err);
}

static int make_request(struct standalone *alone, struct js_wish *wish, struct buf *out, struct err *err)
{
	struct buf body;
	char *printed = NULL;
	cJSON *request;
	int rc;

	buf_init(&body, LIMIT_SYMBOLICATE_BODY_BYTES);
	if (is_request(wish->input))
		buf_add_text(&body, wish->input);
	rc = is_request(wish->input) ? buf_check(&body, err) : request_of_text(wish->input, &body, err);
	request = rc == 0 ? cJSON_ParseWithLength(body.bytes, body.size) : NULL;
	if (rc == 0 && !cJSON_IsObject(request))
		rc = err_set(err, ERR_BAD_REQUEST, "it is no JSON");
	if (rc == 0)
		rc = set_sources(alone, wish, request, err);
	if (rc == 0)
		printed = cJSON_PrintUnformatted(request);
	if (printed)
		buf_add_string(out, printed);
	if (rc == 0)
		rc = printed ? buf_check(out, err) : err_set(err, ERR_NO_MEMORY, "no memory for a request");
	cJSON_free(printed);
	cJSON_Delete(request);
	buf_release(&body);
	return rc;
}

/* --- The answer ---------------------------------------------------------------------------------- */

static int show(struct standalone *alone, const struct js_wish *wish, struct text reply, struct err *err)
{
	cJSON *json = cJSON_ParseWithLength(reply.bytes, reply.size);
	struct buf out, errors;
	int rc = 0;

	buf_init(&out, 4 * LIMIT_REPLY_BYTES);
	buf_init(&errors, LIMIT_REPLY_BYTES);
	if (!text_is(cli_member(json, "status"), "completed"))
		rc = err_set(err, ERR_INTERNAL, "%.*s", 200, cJSON_IsObject(json) ? reply.bytes : "no answer");
	else if (is_request(wish->input))
		js_stack_show_reply(json, wish->with_context, &out);
	else
		rc = js_stack_show(wish->input, json, wish->with_context, &out, err);
	if (rc == 0 && !alone->cli->json) {
		js_stack_show_errors(json, &errors);
		fputs(buf_string(&errors), stderr);
	}
	rc = standalone_write(alone->cli, reply, &out, rc, err);
	buf_release(&errors);
	buf_release(&out);
	cJSON_Delete(json);
	return rc;
}

static int answer(struct standalone *alone, void *payload, struct err *err)
{
	struct js_wish *wish = payload;
	struct work_body body;
	struct buf request, reply;
	int rc;

	buf_init(&request, LIMIT_SYMBOLICATE_BODY_BYTES);
	buf_init(&reply, LIMIT_REPLY_BYTES);
	rc = make_request(alone, wish, &request, err);
	body = work_body_of(buf_text(&request));
	if (rc == 0)
		rc = standalone_answer(alone, &request_kind_js, &body, &reply, err);
	if (rc == 0)
		rc = show(alone, wish, buf_text(&reply), err);
	buf_release(&reply);
	buf_release(&request);
	return rc;
}

/* --- The command ---------------------------------------------------------------------------------- */

enum { OPTION_BUNDLE = 1, OPTION_DIR, OPTION_MAP, OPTION_CONTEXT };
static const struct cli_option options[] = {
	{ OPTION_BUNDLE, 0, "bundle", "FILE" }, { OPTION_DIR, 0, "dir", "DIR" },
	{ OPTION_MAP, 0, "map", "FILE" }, { OPTION_CONTEXT, 0, "context", NULL }, CLI_OPTIONS_END
};

static bool take(const char **list, unsigned *count, const char *value)
{
	if (*count == JS_STORE_NAMES_MAX)
		return false;
	list[(*count)++] = value;
	return true;
}

static bool take_option(int option, const char *value, struct js_wish *wish)
{
	struct js_store_wish *store = &wish->store;

	switch (option) {
	case OPTION_BUNDLE: return take(store->bundles, &store->bundle_count, value);
	case OPTION_DIR:    return take(store->dirs, &store->dir_count, value);
	case OPTION_MAP:    return take(store->maps, &store->map_count, value);
	default:            wish->with_context = true; return true;
	}
}

static int read_input(int fd, struct buf *out, struct err *err)
{
	char bytes[65536];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		buf_add(out, bytes, (size_t)got);
	return got < 0 ? err_os(err, errno, "reading it") : buf_check(out, err);
}

static int run_on(struct cli *cli, struct js_wish *wish, const char *path)
{
	static const struct standalone_symbols none;
	bool is_input = strcmp(path, "-") == 0;
	int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct err err = ERR_INIT;
	struct buf input;
	int rc;

	buf_init(&input, LIMIT_SYMBOLICATE_BODY_BYTES);
	rc = fd < 0 ? err_os(&err, errno, "opening it") : read_input(fd, &input, &err);
	wish->input = buf_text(&input);
	if (rc == 0)
		rc = standalone_run(cli, &none, answer, wish, &err);
	if (rc < 0)
		err_while(&err, "%s", is_input ? "standard input" : path);
	if (fd >= 0 && !is_input)
		close(fd);
	buf_release(&input);
	if (rc < 0)
		return cli_fail(&err);
	return wish->frames > 0 ? CLI_OK : CLI_NOTHING;
}

static int run_js(struct cli *cli, int argc, char **argv)
{
	static struct js_wish wish;
	struct cli_reader reader;
	const char *value;
	int option;

	wish = (struct js_wish){ .frames = 0 };
	cli_reader_init(&reader, cli, &cli_js, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		if (!take_option(option, value, &wish))
			return cli_misused(&cli_js, "too many files: %s", value);
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count != 1)
		return cli_misused(&cli_js, "which STACK?");
	return run_on(cli, &wish, argv[1]);
}

const struct cli_command cli_js = {
	.name = "js",
	.arguments = "[--bundle FILE | --dir DIR | --map FILE]... [--context] STACK",
	.about = "minified stacks of JavaScript as they were written",
	.help =
	"STACK is what an engine wrote (V8, SpiderMonkey, JavaScriptCore or Hermes), with any text\n"
	"around it, or the JSON of a request to /symbolicate-js; - is standard input. Frames come back\n"
	"with the function, file, line and column of the source; what is not found stays as it is, and\n"
	"standard error says why.\n"
	"\n"
	"  --bundle FILE  an artifact bundle, as sentry-cli makes them\n"
	"  --dir DIR      a folder of minified files and their maps: each frame's file is the one whose\n"
	"                 path has most in common with its URL; or a RAM bundle of React Native for\n"
	"                 Android (js-modules/UNBUNDLE) with its map\n"
	"  --map FILE     a source map: of the file it is called after, with the minified file beside it\n"
	"                 where there is one; a single one is that of all frames,\n"
	"                 and of a RAM bundle of React Native that of its modules (12.js:1:300)\n"
	"  --context      the lines around each frame\n"
	"\n"
	"All may be repeated. Without them a request's own sources are asked, or those of the\n"
	"configuration file, and the web.\n"
	"\n"
	"With --json the service's reply as it is.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 there is no frame in it\n",
	.options = options,
	.run = run_js,
};
