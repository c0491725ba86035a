/* cli_object.c -- "symgate object info": what a debug file is and what it offers. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "cli/cli_table.h"

#define OUT_BYTES ((size_t)64 * 1024 * 1024)

static const struct { unsigned bit; const char *word, *key; } offers[] = {
	{ DESCRIBE_DEBUG, "debug information", "has_debug_info" },
	{ DESCRIBE_SYMBOLS, "symbols", "has_symbols" },
	{ DESCRIBE_UNWIND, "unwind information", "has_unwind_info" },
	{ DESCRIBE_SOURCES, "sources", "has_sources" },
};
#define OFFERS (sizeof(offers) / sizeof(offers[0]))

static void json_counts(const struct described *slice, struct json_writer *json)
{
	if (slice->has_methods) {
		json_member_u64(json, "methods", slice->methods);
		json_member_u64(json, "points", slice->points);
		json_member_u64(json, "bad_methods", slice->bad_methods);
	}
	if (!slice->has_sources)
		return;
	json_member_u64(json, "sources_inside", slice->sources_inside);
	json_member_u64(json, "sources_linked", slice->sources_linked);
	json_member_u64(json, "sources_unreadable", slice->sources_unreadable);
	json_member_u64(json, "source_links", slice->source_links);
}

static void show_counts(const struct described *slice, struct buf *out)
{
	if (slice->has_methods)
		buf_printf(out, "  methods       %llu, %llu sequence points, %llu unreadable\n",
			   (unsigned long long)slice->methods, (unsigned long long)slice->points,
			   (unsigned long long)slice->bad_methods);
	if (slice->has_sources)
		buf_printf(out, "  sources       %llu inside, %llu linked, %llu unreadable; %llu links\n",
			   (unsigned long long)slice->sources_inside,
			   (unsigned long long)slice->sources_linked,
			   (unsigned long long)slice->sources_unreadable,
			   (unsigned long long)slice->source_links);
}

/* --- For programs ---------------------------------------------------------------------- */

static void json_slice(const struct described *slice, struct json_writer *json)
{
	json_object(json);
	json_member_text(json, "error", slice->trouble);
	if (slice->trouble.size == 0) {
		json_member_text(json, "format", slice->format);
		json_member_text(json, "kind", slice->kind);
		json_member_text(json, "arch", slice->arch);
		json_member_text(json, "debug_id", slice->debug_id);
		json_member_text(json, "code_id", slice->code_id);
		json_member_text(json, "debug_file", slice->debug_file);
		json_member_hex(json, "load_address", slice->load_address);
		json_member_u64(json, "size", slice->size);
		for (size_t i = 0; i < OFFERS; i++)
			json_member_bool(json, offers[i].key, slice->offers & offers[i].bit);
		json_counts(slice, json);
		json_key(json, "wants");
		json_array(json);
		for (size_t i = 0; i < slice->want_count; i++) {
			json_object(json);
			json_member_text(json, "role", slice->wants[i].role);
			json_member_text(json, "id", slice->wants[i].id);
			json_member_text(json, "name", slice->wants[i].name);
			json_object_end(json);
		}
		json_array_end(json);
	}
	json_object_end(json);
}

static void json_info(const char *path, const struct description *description, struct buf *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "file", path);
	json_member_text(&json, "packed", description->packed);
	json_key(&json, "objects");
	json_array(&json);
	for (size_t i = 0; i < description->slice_count; i++)
		json_slice(&description->slices[i], &json);
	json_array_end(&json);
	json_object_end(&json);
	buf_add_char(out, '\n');
}

/* --- For people ------------------------------------------------------------------------- */

static void show_offers(const struct described *slice, struct buf *out)
{
	bool any = false;

	buf_add_string(out, "  offers        ");
	for (size_t i = 0; i < OFFERS; i++) {
		if (!(slice->offers & offers[i].bit))
			continue;
		buf_printf(out, "%s%s", any ? ", " : "", offers[i].word);
		any = true;
	}
	buf_add_string(out, any ? "\n" : "nothing\n");
}

static void show_wants(const struct described *slice, struct buf *out)
{
	for (size_t i = 0; i < slice->want_count; i++) {
		const struct described_want *want = &slice->wants[i];

		buf_add_string(out, "  wants         ");
		buf_add_visible(out, want->role);
		if (want->name.size > 0) {
			buf_add_char(out, ' ');
			buf_add_visible(out, want->name);
		}
		if (want->id.size > 0) {
			buf_add_string(out, " (id ");
			buf_add_visible(out, want->id);
			buf_add_char(out, ')');
		}
		buf_add_char(out, '\n');
	}
}

static void show_slice(const struct described *slice, struct buf *out)
{
	if (slice->trouble.size > 0) {
		table_add_field(out, "unreadable", slice->trouble);
		return;
	}
	table_add_field(out, "format", slice->format);
	table_add_field(out, "kind", slice->kind);
	table_add_field(out, "architecture", slice->arch);
	table_add_field(out, "debug id", slice->debug_id);
	table_add_field(out, "code id", slice->code_id);
	table_add_field(out, "debug file", slice->debug_file);
	buf_printf(out, "  load address  0x%llx\n  size          %llu\n",
		   (unsigned long long)slice->load_address, (unsigned long long)slice->size);
	show_offers(slice, out);
	show_counts(slice, out);
	show_wants(slice, out);
}

static void show_info(const char *path, const struct description *description, struct buf *out)
{
	for (size_t i = 0; i < description->slice_count; i++) {
		buf_add_visible(out, text_of(path));
		if (description->slice_count > 1)
			buf_printf(out, " (object %zu of %zu)", i + 1, description->slice_count);
		buf_add_char(out, '\n');
		table_add_field(out, "packed", description->packed);
		show_slice(&description->slices[i], out);
	}
}

/* --- The whole --------------------------------------------------------------------------- */

static int show(struct cli *cli, struct nursery *nursery, const struct config *config,
		const char *path, struct err *err)
{
	struct subject subject;
	struct buf out;
	int rc;

	subject_init(&subject, config, nursery);
	buf_init(&out, OUT_BYTES);
	rc = subject_open(&subject, path, err);
	if (rc == 0 && subject.kind != SUBJECT_OBJECT)
		rc = err_set(err, ERR_UNSUPPORTED,
			     "%s is a SymCache or PpdbCache; symgate symcache dump lists it", path);
	if (rc == 0 && cli->json)
		json_info(subject.path, &subject.description, &out);
	else if (rc == 0)
		show_info(subject.path, &subject.description, &out);
	if (rc == 0)
		rc = table_write(&out, err);
	buf_release(&out);
	subject_release(&subject);
	return rc;
}

struct named_files { char **paths; int count; };

static int show_all(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		    struct err *err)
{
	const struct named_files *files = payload;
	int code = CLI_OK;

	for (int i = 0; i < files->count; i++) {
		err_clear(err);
		if (show(cli, nursery, config, files->paths[i], err) < 0)
			code = cli_fail(err);
	}
	return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;

	cli_reader_init(&reader, cli, &cli_object, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count < 2 || strcmp(argv[1], "info") != 0)
		return cli_misused(&cli_object, "info, and which FILE?");
	return cells_command(cli, show_all, &(struct named_files){ argv + 2, reader.operand_count - 1 });
}

const struct cli_command cli_object = {
	.name = "object",
	.arguments = "info FILE...",
	.about = "what a debug file is: ids, kind, architecture, what it offers and wants",
	.help =
	"Every object of a file is listed: a fat Mach-O file holds several. Compressed files\n"
	"are unpacked first. `wants' names the files an object points to: dwz, dwp, debuglink\n"
	"and dwo.\n"
	"\n"
	"Of managed code it counts methods and sequence points, of sources what lies inside, what\n"
	"only links name, what cannot be read, and the links.\n"
	"\n"
	"With --json one object per file: {\"file\", \"objects\": [{\"format\", \"kind\", \"arch\",\n"
	"\"debug_id\", \"code_id\", \"load_address\", \"has_debug_info\", ..., \"wants\"}]}.\n"
	"\n"
	"exit codes: 0 done, 1 a file could not be read, 2 wrong usage\n",
	.verbs = "info",
	.only_files = true,
	.run = run,
};
