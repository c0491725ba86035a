/*
 * mozilla_asm.c -- POST /asm/v1: the code of a module as text, from its executable.
 *
 * A cell reads the executable and writes the answer, which is looked through before it is given away.
 */
#include "kinds/kinds.h"
#include "kinds/mozilla/mozilla_ids.h"
#include "kinds/mozilla/mozilla_json.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "work/answer_head.h"
#include "work/derived.h"

#define LOADING "An error occurred when loading the binary: "

/* ELF files are filed by a build id, which a debug id may have to stand in for; others as they are named. */
enum code_way { CODE_OF_ELF, CODE_OF_OTHERS, CODE_WAYS };

static const enum file_type elf_types[] = { FILE_TYPE_ELF_CODE };
static const enum file_type other_types[] = { FILE_TYPE_PE, FILE_TYPE_MACH_CODE };

struct asm_code {
	struct mozilla_request request;      /* its refusal */
	int status;                          /* of the refusal */
	struct convert_asm wanted;
	bool is_done;
	enum code_way way;
	struct object_ids ids[CODE_WAYS];
	struct source_query queries[CODE_WAYS];
	struct lookup lookups[CODE_WAYS];
	struct held held, *open;
	struct text mapped;                  /* over its payload, while it is open */
	struct text answer;
};

/* --- What is asked ---------------------------------------------------------------------------------- */

static int refuse(struct work *work, int status, const char *words, struct text details, struct err *err)
{
	struct asm_code *code = work->state;

	code->status = status;
	code->is_done = true;
	return mozilla_refuse(&code->request, &work->arena, err, "%s%.*s", words, (int)details.size,
			      details.bytes ? details.bytes : "") < 0 ? -1 : 0;
}

static int read_hex(struct work *work, struct text json, const char *name, uint32_t *value, struct err *err)
{
	struct text text;
	uint64_t wide;
	int rc = mozilla_json_member_string(json, name, &work->arena, &text, err);

	if (rc != 0)
		return rc < 0 ? -1 : refuse(work, 400, "Couldn't parse request: missing a string: ", text_of(name), err);
	if (!text_starts_with(text, "0x"))
		return refuse(work, 400, "Couldn't parse request: Unexpected hex string without 0x prefix: ", text, err);
	if (!text_to_u64(text_from(text, 2), 16, &wide) || wide > UINT32_MAX)
		return refuse(work, 400, "Couldn't parse request: no number of 32 bits: ", text, err);
	*value = (uint32_t)wide;
	return 0;
}

static bool may_be_looked_for(struct text name)
{
	return name.size <= LIMIT_NAME_BYTES && !text_has_controls(name) && text_is_utf8(name) &&
	       !(name.size && (memchr(name.bytes, '/', name.size) || memchr(name.bytes, '\\', name.size))) &&
	       !text_is(name, ".") && !text_is(name, "..");
}

/* Ids that are none count as absent. */
static void take_ids(struct object_ids *ids, struct text code_id, char *lower, struct text debug_id)
{
	if (!debugid_parse(debug_id, &ids->debug_id) || debugid_is_nil(&ids->debug_id))
		ids->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (code_id.size <= LIMIT_NAME_BYTES && codeid_normalise(code_id, lower))
		ids->code_id = text_of(lower);
}

static int read_ids(struct work *work, struct text json, struct err *err)
{
	static const char *const names[] = { "name", "codeId", "debugName", "debugId" };
	struct asm_code *code = work->state;
	struct object_ids *ids = &code->ids[CODE_OF_OTHERS];
	struct text given[4] = { TEXT_NONE, TEXT_NONE, TEXT_NONE, TEXT_NONE };
	bool is_whole;
	char *lower;

	for (size_t i = 0; i < 4; i++)
		if (mozilla_json_member_string(json, names[i], &work->arena, &given[i], err) < 0)
			return -1;
	lower = arena_alloc(&work->arena, given[1].size + 1, 1);
	if (!lower)
		return err_no_memory(err);
	if (!may_be_looked_for(given[0]) || !may_be_looked_for(given[2]))
		return refuse(work, 404, LOADING, TEXT("no file has a name like that"), err);
	ids->code_file = given[0].size ? given[0] : given[2];
	ids->debug_file = given[2].size ? given[2] : given[0];
	take_ids(ids, given[1], lower, given[3]);
	if (mozilla_elf_ids(&code->ids[CODE_OF_ELF], ids, given[3], &work->arena, &is_whole, err) < 0)
		return -1;
	return code->ids[CODE_OF_ELF].code_id.size ? 0 : refuse(work, 404, LOADING, TEXT("neither id is one"), err);
}

static int code_parse(struct work *work, const struct work_body *body, struct err *err)
{
	struct asm_code *code = arena_alloc(&work->arena, 1, sizeof(*code));
	struct text json, more;

	if (!code)
		return err_no_memory(err);
	work->state = code;
	code->request.dialect = MOZILLA_ELIOT;
	if (!mozilla_json_check(body->bytes, &json) || !mozilla_json_is_object(json))
		return refuse(work, 400, "Couldn't parse request: no JSON object", TEXT_NONE, err);
	more = mozilla_json_member(json, "continueUntilFunctionEnd");
	code->wanted.to_function_end = text_is(more, "true");
	if (more.bytes && !code->wanted.to_function_end && !text_is(more, "false"))
		return refuse(work, 400, "Couldn't parse request: neither true nor false: continueUntilFunctionEnd",
			      TEXT_NONE, err);
	if (read_hex(work, json, "startAddress", &code->wanted.start, err) < 0)
		return -1;
	if (!code->is_done && read_hex(work, json, "size", &code->wanted.size, err) < 0)
		return -1;
	return code->is_done ? 0 : read_ids(work, json, err);
}

/* --- Looking ---------------------------------------------------------------------------------------- */

/* READY: *file is the executable, or NULL. */
static enum resolved find_file(struct asm_code *code, struct work *work, struct resolver *resolver,
			       const struct candidate **file, struct err *err)
{
	struct lookup *lookup = &code->lookups[code->way];
	struct source_query *query = &code->queries[code->way];
	const struct lookup_request request = { .sources = work->default_sources, .query = query };
	enum resolved resolved;

	*file = NULL;
	*query = (struct source_query){
		.ids = &code->ids[code->way], .types = code->way == CODE_OF_ELF ? elf_types : other_types,
		.type_count = code->way == CODE_OF_ELF ? 1 : 2,
	};
	if (!lookup->is_planned && lookup_plan(lookup, work, &request, resolver, err) < 0)
		return RESOLVED_ERROR;
	resolved = lookup_resolve(lookup, work, resolver, err);
	for (size_t i = 0; resolved == RESOLVED_READY && i < lookup->locations.count && !*file; i++)
		if (!lookup->candidates[i]->held.failure && mozilla_ids_fit(query->ids, lookup->candidates[i]))
			*file = lookup->candidates[i];
	return resolved;
}

static int describe(struct asm_code *code, const struct candidate *file, struct work *work, struct err *err)
{
	const struct derive *derive = &file->held.derive;
	char *part = arena_alloc(&work->arena, CONVERT_ASM_TEXT_BYTES, 1), *text;
	struct text place;

	if (!part)
		return err_no_memory(err);
	convert_asm_text(&code->wanted, part);
	if (lookup_location_text(derive->location, &work->arena, &place, err) < 0)
		return -1;
	text = arena_printf(&work->arena, "%.*sasm: %s\n", (int)place.size, place.bytes, part);
	if (!text)
		return err_no_memory(err);
	code->held.derive = (struct derive){
		.kind = &derived_asm, .location = derive->location, .object_key = derive->object_key,
		.part = text_of(part), .is_extract = derive->is_extract,
	};
	return lookup_make_key(&code->held.derive.key, work, CACHE_SOURCES, derive->location, text_of(text), err);
}

static int open_answer(void *payload, struct text bytes, struct err *damage)
{
	struct asm_code *code = payload;
	struct text json;

	if (!mozilla_json_check(bytes, &json) || !mozilla_json_is_object(json))
		return err_set(damage, ERR_MALFORMED, "disassembled code is no JSON object");
	code->mapped = json;
	return 0;
}

struct code_taking { struct asm_code *code; struct arena *arena; struct err *err; };

static int take_answer(void *payload)
{
	struct code_taking *taking = payload;
	struct text mapped = taking->code->mapped;
	char *copy = arena_strndup(taking->arena, mapped.bytes, mapped.size);

	if (!copy)
		return err_no_memory(taking->err);
	taking->code->answer = (struct text){ copy, mapped.size };
	return 0;
}

static enum resolved take(struct asm_code *code, struct work *work, struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = {
		.open = open_answer, .payload = code, .arena = &work->arena, .list = &code->open,
	};
	struct code_taking taking = { code, &work->arena, err };
	enum resolved resolved = held_resolve(&code->held, &opening, resolver, err);
	enum err_kind failure = code->held.failure;
	bool is_told = failure == ERR_NOT_FOUND || failure == ERR_UNSUPPORTED;

	if (resolved != RESOLVED_READY)
		return resolved;
	if (failure)
		return refuse(work, 404, is_told ? "" : LOADING,
			      code->held.details, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	resolved = held_read(&code->open, take_answer, &taking, resolver, err);
	if (resolved == RESOLVED_READY)
		code->is_done = true;
	return resolved == RESOLVED_WAIT ? RESOLVED_READY : resolved;        /* it has changed: once more */
}

static enum resolved step_once(struct asm_code *code, struct work *work, struct resolver *resolver, struct err *err)
{
	const struct candidate *file;
	enum resolved resolved;

	if (code->held.derive.kind)
		return take(code, work, resolver, err);
	resolved = find_file(code, work, resolver, &file, err);
	if (resolved != RESOLVED_READY)
		return resolved;
	if (file)
		return describe(code, file, work, err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	if (++code->way < CODE_WAYS)
		return RESOLVED_READY;
	return refuse(work, 404, LOADING, TEXT("no source has it"),
		      err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum stepped code_step(struct work *work, struct resolver *resolver, struct err *err)
{
	struct asm_code *code = work->state;
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY && !code->is_done)
		resolved = step_once(code, work, resolver, err);
	return work_stepped(resolved);
}

/* --- Answers ---------------------------------------------------------------------------------------- */

static int code_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct asm_code *code = work->state;

	(void)err;
	head->status = code->request.refusal ? code->status : 200;
	return 0;
}

static void code_refuse(const struct config *config, int status, struct text words, struct buf *out)
{
	(void)config;
	(void)status;
	mozilla_write_local_refusal(words, out);
}

static int code_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct asm_code *code = work->state;

	if (code->request.refusal)
		mozilla_write_local_refusal(text_of(code->request.refusal), reply);
	else
		buf_add_text(reply, code->answer);
	return buf_check(reply, err);
}

static void code_release(struct work *work)
{
	struct asm_code *code = work->state;

	if (code) {
		held_release(&code->held);
		for (size_t i = 0; i < CODE_WAYS; i++)
			lookup_release(&code->lookups[i]);
	}
	work->state = NULL;
}

const struct request_kind request_kind_mozilla_asm = {
	.name = "mozilla-asm", .misses_seconds = MOZILLA_MISSES_SECONDS,
	.parse = code_parse, .step = code_step, .head = code_head,
	.answer = code_answer, .refuse = code_refuse, .release = code_release,
};
