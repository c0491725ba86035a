/* proguard_command.c -- "symgate proguard": ask a mapping, list it, tell its UUID. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/mapping_file.h"
#include "cli/options.h"

#define OUT_BYTES   ((size_t)1 << 30)
#define FLUSH_BYTES ((size_t)256 * 1024)

/* --- uuid ------------------------------------------------------------------------------------- */

static int show_uuid(const char *path, struct err *err)
{
	char text[DEBUGID_TEXT_BYTES];
	struct file_map map;
	struct debugid id;

	if (file_map_path(&map, path, err) < 0)
		return -1;
	id = proguard_uuid(map.bytes ? (const void *)map.bytes : "", map.size);
	file_unmap(&map);
	debugid_format(&id, text);
	printf("%s\n", text);
	return 0;
}

/* --- dump ------------------------------------------------------------------------------------- */

static int flush(struct buf *out, struct err *err)
{
	int rc = buf_check(out, err);

	if (rc == 0 && out->size > 0)
		rc = file_write_all(STDOUT_FILENO, out->bytes, out->size, err);
	buf_clear(out);
	return rc;
}

static int dump(const struct proguard *mapping, struct err *err)
{
	struct buf out;
	int rc = 0;

	buf_init(&out, OUT_BYTES);
	for (uint32_t i = 0; rc == 0 && proguard_dump_class(mapping, i, &out); i++)
		if (out.size > FLUSH_BYTES)
			rc = flush(&out, err);
	if (rc == 0)
		rc = flush(&out, err);
	buf_release(&out);
	return rc;
}

/* --- lookup ----------------------------------------------------------------------------------- */

/* "CLASS", "CLASS.METHOD", "CLASS.METHOD:LINE" or "CLASS.METHOD(TYPES)". */
static void read_query(struct text text, struct proguard_query *query)
{
	const char *open = text.size ? memchr(text.bytes, '(', text.size) : NULL;
	const char *colon = open || !text.size ? NULL : memrchr(text.bytes, ':', text.size);
	const char *dot;
	uint64_t line;

	*query = (struct proguard_query){ .has_line = false };
	if (open && text_ends_with(text, ")")) {
		query->by_parameters = true;
		query->parameters = (struct text){ open + 1, text.size - (size_t)(open - text.bytes) - 2 };
		text.size = (size_t)(open - text.bytes);
	}
	if (colon && text_to_u64(text_from(text, (size_t)(colon - text.bytes) + 1), 10, &line) &&
	    line <= UINT32_MAX) {
		query->has_line = true;
		query->line = (uint32_t)line;
		text.size = (size_t)(colon - text.bytes);
	}
	dot = text.size ? memrchr(text.bytes, '.', text.size) : NULL;
	query->class_name = text;
	if (!dot)
		return;
	query->class_name.size = (size_t)(dot - text.bytes);
	query->method = text_from(text, query->class_name.size + 1);
}

static void show_frame(const struct proguard_frame *frame, struct buf *out)
{
	buf_add_string(out, "  ");
	buf_add_visible(out, frame->class_name);
	buf_add_char(out, '.');
	buf_add_visible(out, frame->method);
	buf_add_char(out, '(');
	if (frame->parameters.bytes)
		buf_add_visible(out, frame->parameters);
	buf_add_string(out, ") ");
	buf_add_visible(out, frame->file.stem);
	buf_add_visible(out, frame->file.extension);
	if (frame->has_line)
		buf_printf(out, ":%u", (unsigned)frame->line);
	buf_add_string(out, frame->is_synthesized ? " (synthesized)\n" : "\n");
}

static void json_frame(const struct proguard_frame *frame, struct json_writer *json)
{
	struct buf file;

	buf_init(&file, OUT_BYTES);
	proguard_file_add(frame->file, &file);
	json_object(json);
	json_member_text(json, "class", frame->class_name);
	json_member_text(json, "method", frame->method);
	json_member_text(json, "type", frame->type);
	json_member_text(json, "parameters", frame->parameters);
	json_member_text(json, "file", buf_text(&file));
	if (frame->has_line)
		json_member_u64(json, "line", frame->line);
	json_member_bool(json, "synthesized", frame->is_synthesized);
	json_object_end(json);
	buf_release(&file);
}

struct lookup_answer { struct text asked, original; const struct proguard_frames *frames; };

static void show_answer(const struct lookup_answer *answer, struct buf *out)
{
	buf_add_visible(out, answer->asked);
	if (answer->original.bytes) {
		buf_add_string(out, "\n  ");
		buf_add_visible(out, answer->original);
	}
	buf_add_string(out, answer->original.bytes || answer->frames->count > 0 ? "\n" : "  -\n");
	for (size_t i = 0; i < answer->frames->count; i++)
		show_frame(&answer->frames->frames[i], out);
}

static void json_answer(const struct lookup_answer *answer, struct json_writer *json)
{
	json_object(json);
	json_member_text(json, "asked", answer->asked);
	json_member_text(json, "class", answer->original);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = 0; i < answer->frames->count; i++)
		json_frame(&answer->frames->frames[i], json);
	json_array_end(json);
	json_object_end(json);
}

struct mapping_looking { const struct proguard *mapping; struct proguard_frames frames; bool found; };

/* A class by its whole name; else a method of one. */
static int answer_one(struct mapping_looking *looking, struct text asked, struct lookup_answer *answer, struct err *err)
{
	struct proguard_query query;

	*answer = (struct lookup_answer){ asked, proguard_class(looking->mapping, asked), &looking->frames };
	looking->frames.count = 0;
	looking->found |= answer->original.bytes != NULL;
	if (answer->original.bytes)
		return 0;
	read_query(asked, &query);
	if (proguard_find(looking->mapping, &query, &looking->frames, err) < 0)
		return -1;
	looking->found |= looking->frames.count > 0;
	return 0;
}

/* 1: some was found. */
static int look_up(const struct cli *cli, const struct proguard *mapping, char **names, int count, struct err *err)
{
	struct mapping_looking looking = { .mapping = mapping };
	struct lookup_answer answer;
	struct json_writer json;
	struct buf out;
	int rc = 0;

	buf_init(&out, OUT_BYTES);
	json_writer_init(&json, &out);
	if (cli->json)
		json_array(&json);
	for (int i = 0; i < count && rc == 0; i++) {
		rc = answer_one(&looking, text_of(names[i]), &answer, err);
		if (rc == 0 && cli->json)
			json_answer(&answer, &json);
		else if (rc == 0)
			show_answer(&answer, &out);
	}
	if (cli->json) {
		json_array_end(&json);
		buf_add_char(&out, '\n');
	}
	if (rc == 0)
		rc = flush(&out, err);
	buf_release(&out);
	proguard_frames_release(&looking.frames);
	return rc < 0 ? -1 : looking.found;
}

/* --- The command ------------------------------------------------------------------------------- */

struct proguard_operands { char **words; int count; };        /* a verb, a mapping, names */

static int run_verb(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		    struct err *err)
{
	const struct proguard_operands *operands = payload;
	struct mapping_file file;
	int rc = mapping_file_open(&file, nursery, config, operands->words[1], err);

	if (rc == 0 && strcmp(operands->words[0], "dump") == 0)
		rc = dump(&file.mapping, err) < 0 ? -1 : 1;
	else if (rc == 0)
		rc = look_up(cli, &file.mapping, operands->words + 2, operands->count - 2, err);
	mapping_file_release(&file);
	return rc < 0 ? -1 : rc > 0 ? CLI_OK : CLI_NOTHING;
}

static int run_uuid(char **paths, int count)
{
	struct err err = ERR_INIT;

	for (int i = 0; i < count; i++)
		if (show_uuid(paths[i], &err) < 0)
			return cli_fail(&err);
	return CLI_OK;
}

static int run_proguard(struct cli *cli, int argc, char **argv)
{
	struct cli_reader reader;
	const char *verb;

	cli_reader_init(&reader, cli, &cli_proguard, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	verb = reader.operand_count > 0 ? argv[1] : "";
	if (strcmp(verb, "uuid") == 0)
		return reader.operand_count < 2 ? cli_misused(&cli_proguard, "which mapping?")
						: run_uuid(argv + 2, reader.operand_count - 1);
	if (strcmp(verb, "dump") != 0 && strcmp(verb, "lookup") != 0)
		return cli_misused(&cli_proguard, "lookup, dump or uuid?");
	if (strcmp(verb, "dump") == 0 ? reader.operand_count != 2 : reader.operand_count < 3)
		return cli_misused(&cli_proguard, strcmp(verb, "dump") == 0 ? "dump takes one mapping"
				   : "which mapping, and which names?");
	return cells_command(cli, run_verb, &(struct proguard_operands){ argv + 1, reader.operand_count });
}

const struct cli_command cli_proguard = {
	.name = "proguard",
	.arguments = "lookup MAPPING NAME ... | dump MAPPING | uuid MAPPING ...",
	.about = "ask a mapping of ProGuard or R8, list it, or tell its UUID",
	.help =
	"lookup tells what each NAME was called: a CLASS, a method as CLASS.METHOD, CLASS.METHOD:LINE, or\n"
	"CLASS.METHOD(TYPES) with its original types; of inlined calls the innermost first. With --json as an\n"
	"array of objects. dump lists all classes and methods as they are looked up. uuid tells what a\n"
	"MAPPING is known by.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found\n",
	.verbs = "lookup|dump|uuid",
	.only_files = true,
	.run = run_proguard,
};
