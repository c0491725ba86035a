/* push_command.c -- "symgate push-symbols": the symbfiles of objects, made and sent to a service in parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/options.h"
#include "cli/symbfile_files.h"
#include "base/log.h"
#include "fetch/fetch.h"
#include "kinds/symbfile/upload_folder.h"
#include "symbfile/symbfile.h"

#define PART_BYTES ((uint64_t)16 << 20)
#define ANSWER_BYTES ((uint64_t)1 << 20)
#define WORDS_BYTES 1024u
#define TRIES 4u
#define PAUSE_SECONDS 2u             /* before the second, and twice as long before each other */
#define STEP_MILLIS 1000

struct push {
	const struct cli *cli;
	const char *url, *key, *debug, *arch;
	uint64_t part_bytes;
	struct nursery *nursery;
	struct config config;
	struct fetcher *fetcher;
	bool asks_no_more;           /* that service does not say what it has */
	unsigned sent_count, known_count;    /* parts */
};

/* --- Parts -------------------------------------------------------------------------------------- */

/* A symbfile cut into whole ones. */
struct push_parts {
	uint64_t part_bytes;
	int fds[LIMIT_SYMBFILE_PARTS];
	uint64_t bytes[LIMIT_SYMBFILE_PARTS];
	unsigned count;
	struct symbfile_writer writer;       /* of the last */
};

static int end_part(struct push_parts *parts, struct err *err)
{
	int rc = symbfile_writer_end(&parts->writer, err);

	if (rc == 0)
		parts->bytes[parts->count - 1] = parts->writer.written_bytes;
	symbfile_writer_release(&parts->writer);
	return rc;
}

static int begin_part(struct push_parts *parts, struct err *err)
{
	if (parts->count == LIMIT_SYMBFILE_PARTS)
		return err_set(err, ERR_LIMIT, "more than %u parts: --part-size is too small", LIMIT_SYMBFILE_PARTS);
	if (cells_temporary(&parts->fds[parts->count], err) < 0)
		return -1;
	return symbfile_writer_init(&parts->writer, parts->fds[parts->count++], err);
}

/* A function and what was inlined into it stay together. */
static int make_room(struct push_parts *parts, bool may_cut, struct err *err)
{
	if (!may_cut || symbfile_writer_bytes(&parts->writer) < parts->part_bytes)
		return 0;
	return end_part(parts, err) < 0 ? -1 : begin_part(parts, err);
}

static int put_range(void *payload, const struct symbfile_range *range, struct err *err)
{
	struct push_parts *parts = payload;

	return make_room(parts, range->depth == 0, err) < 0 ? -1
	       : symbfile_write_range(&parts->writer, range, err);
}

static int put_pad(void *payload, const struct symbfile_pad *pad, struct err *err)
{
	struct push_parts *parts = payload;

	return make_room(parts, true, err) < 0 ? -1 : symbfile_write_pad(&parts->writer, pad, err);
}

static int cut(struct push_parts *parts, int fd, struct err *err)
{
	const struct symbfile_sink sink = { parts, put_range, put_pad };
	struct symbfile_report report;
	struct file_map map;
	int rc;

	if (file_map_fd(&map, fd, err) < 0)
		return -1;
	rc = begin_part(parts, err);
	if (rc == 0)
		rc = symbfile_read(map.bytes, map.size, &sink, &report, err);
	if (rc == 0)
		rc = end_part(parts, err);
	symbfile_writer_release(&parts->writer);
	file_unmap(&map);
	return rc;
}

static void release_parts(struct push_parts *parts)
{
	for (unsigned i = 0; i < parts->count; i++)
		close(parts->fds[i]);
}

/* --- Sending ------------------------------------------------------------------------------------ */

struct push_sending { bool ended; struct err status; };

static void sent(void *payload, const struct err *status, uint64_t bytes)
{
	struct push_sending *sending = payload;

	(void)bytes;
	sending->ended = true;
	sending->status = *status;
}

static int send_once(struct push *push, const struct fetch_order *order, struct err *err)
{
	struct push_sending sending = { .ended = false };
	struct fetch *fetch;

	if (fetch_start(push->fetcher, order, sent, &sending, &fetch, err) < 0)
		return -1;
	while (!sending.ended)
		if (fetcher_step(push->fetcher, NULL, 0, STEP_MILLIS, err) < 0) {
			fetch_cancel(push->fetcher, fetch);
			return -1;
		}
	if (sending.status.kind != ERR_NONE)
		*err = sending.status;
	return sending.status.kind == ERR_NONE ? 0 : -1;
}

/* What may go better a moment later. */
static bool may_pass(const struct err *err)
{
	return err->kind == ERR_TIMEOUT || err->kind == ERR_RESOLVE ||
	       (err->kind == ERR_DOWNLOAD && !text_starts_with(text_of(err->text), "4"));
}

/* The words of the service, behind the status. */
static void judge(unsigned status, struct text body, struct err *err)
{
	const char *at = body.size ? memmem(body.bytes, body.size, "\"Text\":\"", 8) : NULL;
	size_t left = at ? body.size - (size_t)(at - body.bytes) - 8 : 0;
	const char *end = at ? memchr(at + 8, '"', left) : NULL;
	char before[ERR_TEXT_BYTES];

	(void)status;
	if (!end)
		return;
	snprintf(before, sizeof(before), "%s", err->text);
	err_set(err, err->kind, "%s: %.*s", before, (int)(end - at - 8), at + 8);
}

struct part_headers {
	char url[WORDS_BYTES], key[WORDS_BYTES], id[FILE_ID_TEXT_BYTES], number[16], count[16];
	struct fetch_header headers[6];
};

static int name_part(const struct push *push, const struct symbfile_files *files, const char *what,
		     unsigned part, unsigned count, struct part_headers *out, struct err *err)
{
	size_t size = strlen(push->url);

	while (size > 0 && push->url[size - 1] == '/')
		size--;
	if (snprintf(out->url, sizeof(out->url), "%.*s/api/symbols-%s", (int)size, push->url, what) >=
	    (int)sizeof(out->url) ||
	    snprintf(out->key, sizeof(out->key), "APIKey %s", push->key) >= (int)sizeof(out->key))
		return err_set(err, ERR_BAD_REQUEST, "the URL or the key is too long");
	file_id_format(&files->id, out->id);
	snprintf(out->number, sizeof(out->number), "%u", part);
	snprintf(out->count, sizeof(out->count), "%u", count);
	out->headers[0] = (struct fetch_header){ TEXT("FileID"), text_of(out->id) };
	out->headers[1] = (struct fetch_header){ TEXT("FilePart"), text_of(out->number) };
	out->headers[2] = (struct fetch_header){ TEXT("FileParts"), text_of(out->count) };
	out->headers[3] = (struct fetch_header){ TEXT("Authorization"), text_of(out->key) };
	out->headers[4] = (struct fetch_header){ TEXT("Content-Type"), TEXT("application/octet-stream") };
	out->headers[5] = (struct fetch_header){ TEXT("BuildID"), text_of(files->build_id) };
	return 0;
}

static int send_with_patience(struct push *push, struct fetch_order *order, const char *what, struct err *err)
{
	int rc = -1;

	for (unsigned try = 0; try < TRIES && rc < 0; try++) {
		if (try > 0) {
			fprintf(stderr, "symgate: %s: %s; trying again\n", what, err->text);
			sleep(PAUSE_SECONDS << (try - 1));
		}
		err_clear(err);
		if (cells_temporary(&order->fd, err) < 0)
			return -1;
		rc = send_once(push, order, err);
		close(order->fd);
		if (rc < 0 && !may_pass(err))
			break;
	}
	return rc;
}

/* A page that somebody has for every path, or for whoever is not logged in, says nothing of parts. */
static bool says_so(int fd)
{
	static const char words[] = "{\"success\":true,";
	char said[sizeof(words) - 1];

	return pread(fd, said, sizeof(said), 0) == (ssize_t)sizeof(said) && memcmp(said, words, sizeof(said)) == 0;
}

/* Only a service of our kind says so; any other is sent all. */
static bool is_known(struct push *push, const struct symbfile_files *files, const struct push_parts *parts,
		     const char *what, unsigned part)
{
	char url[WORDS_BYTES + FILE_ID_TEXT_BYTES + 2 * UPLOAD_PART_NAME_BYTES], name[UPLOAD_PART_NAME_BYTES];
	struct part_headers named;
	struct fetch_order order = {
		.url = url, .headers = named.headers + 3, .header_count = 1, .source_id = "push-symbols", .trusted = true,
		.is_whole = true, .max_bytes = ANSWER_BYTES, .is_once = true,
	};
	struct checksum_seal seal;
	struct err err = ERR_INIT;
	bool known;

	if (push->asks_no_more || checksum_seal_file(parts->fds[part], &seal, &err) < 0 ||
	    name_part(push, files, what, part, parts->count, &named, &err) < 0 || cells_temporary(&order.fd, &err) < 0)
		return false;
	upload_part_name(name, part, &seal);
	snprintf(url, sizeof(url), "%s/%s/%u/%s", named.url, named.id, parts->count, name);
	known = send_once(push, &order, &err) == 0 && says_so(order.fd);
	close(order.fd);
	push->asks_no_more = !known && err.kind != ERR_NOT_FOUND;
	return known;
}

static int send_part(struct push *push, const struct symbfile_files *files, const struct push_parts *parts,
		     const char *what, unsigned part, struct err *err)
{
	const struct fetch_file file = { .fd = parts->fds[part], .bytes = parts->bytes[part] };
	struct part_headers named;
	struct fetch_order order = {
		.url = named.url, .headers = named.headers, .header_count = files->build_id[0] ? 6 : 5,
		.source_id = "push-symbols", .trusted = true, .method = "POST", .file = &file, .is_whole = true,
		.max_bytes = ANSWER_BYTES, .is_once = true, .judge = judge,
	};

	if (name_part(push, files, what, part, parts->count, &named, err) < 0)
		return -1;
	if (send_with_patience(push, &order, what, err) == 0)
		return 0;
	return err_while(err, "sending %s, part %u of %u", what, part + 1, parts->count);
}

static int send_file(struct push *push, const struct symbfile_files *files, const char *what, int fd, struct err *err)
{
	struct push_parts parts = { .part_bytes = push->part_bytes };
	int rc = cut(&parts, fd, err);

	for (unsigned i = 0; i < parts.count && rc == 0; i++) {
		bool known = is_known(push, files, &parts, what, i);

		if (!known)
			rc = send_part(push, files, &parts, what, i, err);
		if (rc < 0)
			break;
		*(known ? &push->known_count : &push->sent_count) += 1;
		if (!push->cli->json)
			printf("  %s: part %u of %u, %llu bytes%s\n", what, i + 1, parts.count,
			       (unsigned long long)parts.bytes[i], known ? ", was there" : "");
		fflush(stdout);
	}
	release_parts(&parts);
	return rc;
}

static int push_object(struct push *push, const char *path, struct err *err)
{
	struct symbfile_files files;
	unsigned sent_before = push->sent_count, known_before = push->known_count;
	char id[FILE_ID_TEXT_BYTES];
	int rc = symbfile_files_make(&files, push->nursery, &push->config, path, push->debug, push->arch, err);

	if (rc == 0) {
		file_id_format(&files.id, id);
		if (!push->cli->json)
			printf("%s: file id %s, %llu ranges, %llu return pads\n", path, id,
			       (unsigned long long)files.range_count, (unsigned long long)files.pad_count);
		rc = send_file(push, &files, "ranges", files.ranges, err);
	}
	if (rc == 0)
		rc = send_file(push, &files, "returnpads", files.pads, err);
	if (rc == 0 && push->cli->json)
		printf("{\"file_id\":\"%s\",\"ranges\":%llu,\"return_pads\":%llu,\"parts_sent\":%u,\"parts_skipped\":%u}\n", id,
		       (unsigned long long)files.range_count, (unsigned long long)files.pad_count,
		       push->sent_count - sent_before, push->known_count - known_before);
	symbfile_files_release(&files);
	return rc < 0 ? err_while(err, "%s", path) : 0;
}

/* --- The command -------------------------------------------------------------------------------- */

enum { OPTION_URL = 1, OPTION_KEY, OPTION_DEBUG, OPTION_ARCH, OPTION_PART };
static const struct cli_option options[] = {
	{ OPTION_URL, 'u', "url", "URL" }, { OPTION_KEY, 't', "api-key", "KEY" },
	{ OPTION_DEBUG, 'd', "debug", "FILE" }, { OPTION_ARCH, 0, "arch", "ARCH" },
	{ OPTION_PART, 0, "part-size", "BYTES" }, CLI_OPTIONS_END
};

static int push_all(struct push *push, int count, char **paths)
{
	struct err err = ERR_INIT;
	int rc;

	if (cli_config_load(push->cli, &push->config, &err) < 0)
		return cli_fail(&err);
	if (!push->config.log_path)
		push->config.log_level = LOG_ERROR;
	rc = cells_start(&push->nursery, &push->config, &err);
	if (rc == 0) {
		rc = fetcher_open(&push->fetcher, &push->config, &err);
		for (int i = 0; i < count && rc == 0; i++)
			rc = push_object(push, paths[i], &err);
		if (rc == 0 && !push->cli->json)
			printf("%u parts sent, %u were there already\n", push->sent_count, push->known_count);
		if (push->fetcher)
			fetcher_close(push->fetcher);
		nursery_stop(push->nursery);
	}
	config_release(&push->config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

static bool take_option(struct push *push, int option, const char *value)
{
	switch (option) {
	case OPTION_URL:   push->url = value; return true;
	case OPTION_KEY:   push->key = value; return true;
	case OPTION_DEBUG: push->debug = value; return true;
	case OPTION_ARCH:  push->arch = value; return true;
	default: return text_to_u64(text_of(value), 10, &push->part_bytes) && push->part_bytes > 0;
	}
}

static int run_push(struct cli *cli, int argc, char **argv)
{
	struct push push = { .cli = cli, .part_bytes = PART_BYTES };
	struct cli_reader reader;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_push_symbols, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		if (!take_option(&push, option, value))
			return cli_misused(&cli_push_symbols, "`%s` is no number of bytes", value);
	if (option < 0)
		return CLI_USAGE;
	if (!push.key)
		push.key = getenv("SYMGATE_API_KEY");
	if (!push.url || !push.key)
		return cli_misused(&cli_push_symbols, "%s is missing", push.url ? "--api-key" : "--url");
	if (reader.operand_count == 0)
		return cli_misused(&cli_push_symbols, "which objects?");
	if (push.debug && reader.operand_count > 1)
		return cli_misused(&cli_push_symbols, "--debug is for one object");
	return push_all(&push, reader.operand_count, argv + 1);
}

const struct cli_command cli_push_symbols = {
	.name = "push-symbols",
	.arguments = "--url URL --api-key KEY [-d FILE] [--arch ARCH] [--part-size BYTES] OBJECT...",
	.about = "make the symbfiles of objects and send them to a service",
	.help =
	"Makes ranges and return pads of each OBJECT, as `symgate symbfile write' does, and sends them\n"
	"in parts to URL/api/symbols-ranges and URL/api/symbols-returnpads. What fails in passing is\n"
	"tried again; parts a symgate has already are not sent to it again.\n"
	"\n"
	"  -u, --url URL       of the service\n"
	"  -t, --api-key KEY   one that `symgate apikey create' made there; without it\n"
	"                      $SYMGATE_API_KEY, which other users of this machine do not see\n"
	"  -d, --debug FILE    where the debug information of OBJECT is\n"
	"  --arch ARCH         which object of a fat Mach-O file\n"
	"  --part-size BYTES   about how large a part is, in bytes (default: 16777216)\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.only_files = true,
	.run = run_push,
};
