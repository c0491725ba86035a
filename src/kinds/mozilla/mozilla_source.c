/*
 * mozilla_source.c -- POST /source/v1: a source file of a module, for those who name an address whose
 * function is in it.
 *
 * What is given away is what the debug information of that address names: no other path is looked for.
 */
#include "kinds/kinds.h"
#include "kinds/mozilla/mozilla_json.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "kinds/debuginfod/buildid_source.h"
#include "sourcecache/sourcecache.h"
#include "work/answer_head.h"
#include "work/derived.h"

enum file_step { FILE_MODULE, FILE_FRAME, FILE_CHOOSE, FILE_SOURCES, FILE_DONE };

struct mozilla_file {
	struct mozilla_request request;      /* of one frame */
	struct text path;
	enum file_step step;
	int status;                          /* of the refusal */
	struct module_lookup lookup;         /* for its sources */
	struct held held, *open;
	struct sourcecache cache;            /* over its payload, while it is open */
	struct text contents;                /* TEXT_NONE: there are none */
};

/* --- What is asked ---------------------------------------------------------------------------------- */

static int refuse(struct work *work, int status, const char *words, struct text details, struct err *err)
{
	struct mozilla_file *file = work->state;

	file->status = status;
	file->step = FILE_DONE;
	return mozilla_refuse(&file->request, &work->arena, err, "%s%.*s", words, (int)details.size,
			      details.bytes ? details.bytes : "") < 0 ? -1 : 0;
}

static int make_frame(struct mozilla_file *file, struct text name, struct text id, uint64_t offset,
		      struct arena *arena, struct err *err)
{
	struct mozilla_request *request = &file->request;
	struct mozilla_job *job = &request->jobs[0];

	job->slots = arena_alloc(arena, 1, sizeof(*job->slots));
	job->stacks = arena_alloc(arena, 1, sizeof(*job->stacks));
	if (!job->slots || !job->stacks || !(job->stacks->frames = arena_alloc(arena, 1, sizeof(struct mozilla_frame))))
		return err_no_memory(err);
	job->slots->module = mozilla_modules_get(&request->modules, name, id, arena);
	if (!job->slots->module)
		return err_no_memory(err);
	job->stacks->frames->offset.magnitude = offset;
	job->stacks->frames->name = MOZILLA_NO_NAME;
	request->job_count = job->slot_count = job->stack_count = job->stacks->count = 1;
	mozilla_mark(request);
	return 0;
}

static int file_parse(struct work *work, const struct work_body *body, struct err *err)
{
	static const char *const names[] = { "debugName", "debugId", "moduleOffset", "file" };
	struct mozilla_file *file = arena_alloc(&work->arena, 1, sizeof(*file));
	struct text json, given[4];
	uint64_t offset;

	if (!file)
		return err_no_memory(err);
	work->state = file;
	file->request.dialect = MOZILLA_ELIOT;
	file->request.version = 5;
	if (!mozilla_json_check(body->bytes, &json) || !mozilla_json_is_object(json))
		return refuse(work, 400, "Couldn't parse request: no JSON object", TEXT_NONE, err);
	for (size_t i = 0; i < 4; i++) {
		int rc = mozilla_json_member_string(json, names[i], &work->arena, &given[i], err);

		if (rc != 0)
			return rc < 0 ? -1 : refuse(work, 400, "Couldn't parse request: missing a string: ",
						    text_of(names[i]), err);
	}
	if (!text_starts_with(given[2], "0x"))
		return refuse(work, 400, "Couldn't parse request: Unexpected hex string without 0x prefix: ",
			      given[2], err);
	if (!text_to_u64(text_from(given[2], 2), 16, &offset) || offset > UINT32_MAX)
		return refuse(work, 400, "Couldn't parse request: no offset of 32 bits: ", given[2], err);
	file->path = given[3];
	return make_frame(file, given[0], given[1], offset, &work->arena, err);
}

/* --- Looking ---------------------------------------------------------------------------------------- */

static const struct mozilla_frame *frame_of(const struct mozilla_file *file)
{
	return &file->request.jobs[0].stacks->frames[0];
}

static bool is_named(const struct mozilla_file *file)
{
	const struct mozilla_frame *frame = frame_of(file);
	bool is = text_equal(frame->file, file->path) && file->path.size > 0;

	for (size_t i = 0; i < frame->call_count; i++)
		is |= text_equal(frame->calls[i].file, file->path) && file->path.size > 0;
	return is;
}

static enum resolved step_module(struct mozilla_file *file, struct work *work, struct resolver *resolver,
				 struct err *err)
{
	const struct mozilla_module *module = file->request.jobs[0].slots->module;
	enum resolved resolved = mozilla_modules_advance(&file->request.modules, work, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	file->step = FILE_FRAME;
	if (module->found == MOZILLA_FOUND)
		return RESOLVED_READY;
	return refuse(work, 404, "Could not obtain symbols for the requested library: ", module->error,
		      err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum resolved step_frame(struct mozilla_file *file, struct work *work, struct resolver *resolver,
				struct err *err)
{
	const struct mozilla_module *module = file->request.jobs[0].slots->module;
	enum resolved resolved = mozilla_look_up(&file->request, work, resolver, err);
	int rc = 0;

	file->step = resolved == RESOLVED_WAIT ? FILE_MODULE : FILE_CHOOSE;
	if (resolved != RESOLVED_READY)
		return resolved == RESOLVED_WAIT ? RESOLVED_READY : resolved;
	file->lookup.ids = module->lookups[module->way].ids;
	file->lookup.sources = work->default_sources;
	if (!frame_of(file)->is_resolved)
		rc = refuse(work, 404, "Don't have any debug info for the requested library", TEXT_NONE, err);
	else if (!is_named(file))
		rc = refuse(work, 404, "The requested path is not present in the symbolication frames",
			    TEXT_NONE, err);
	return rc < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

/* Without sources among the debug files, those of the folders the operator names. */
static enum resolved step_folder(struct mozilla_file *file, struct work *work, struct err *err)
{
	int64_t modified_at;

	file->step = FILE_DONE;
	if (source_folder_read(work->config, file->path, &work->arena, &file->contents, &modified_at,
			       err) < 0)
		return RESOLVED_ERROR;
	if (file->contents.bytes)
		return RESOLVED_READY;
	return refuse(work, 404, "An error occurred when reading the file: no source has it", TEXT_NONE,
		      err) < 0 ? RESOLVED_ERROR : RESOLVED_READY;
}

static enum resolved step_choose(struct mozilla_file *file, struct work *work, struct resolver *resolver,
				 struct err *err)
{
	enum resolved resolved = module_lookup_choose(&file->lookup, LOOKUP_SOURCE, work, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (file->lookup.purposes[LOOKUP_SOURCE].failure)
		return step_folder(file, work, err);
	file->held.derive = module_lookup_derive(&file->lookup, LOOKUP_SOURCE, &derived_sources);
	file->step = FILE_SOURCES;
	return RESOLVED_READY;
}

struct file_taking { struct mozilla_file *file; struct arena *arena; struct err *err; };

static int take_contents(void *payload)
{
	struct file_taking *taking = payload;
	struct sourcecache_source found;
	char *copy;

	taking->file->contents = TEXT_NONE;
	if (!sourcecache_find(&taking->file->cache, taking->file->path, &found) || !found.is_inside ||
	    !found.contents.bytes)
		return 0;
	copy = arena_strndup(taking->arena, found.contents.bytes, found.contents.size);
	if (!copy)
		return err_no_memory(taking->err);
	taking->file->contents = (struct text){ copy, found.contents.size };
	return 0;
}

static enum resolved step_sources(struct mozilla_file *file, struct work *work, struct resolver *resolver,
				  struct err *err)
{
	const struct held_opening opening = {
		.open = source_link_open, .payload = &file->cache, .arena = &work->arena,
		.list = &file->open,
	};
	struct file_taking taking = { file, &work->arena, err };
	enum resolved resolved = held_resolve(&file->held, &opening, resolver, err);

	if (resolved != RESOLVED_READY)
		return resolved;
	if (!file->held.failure) {
		resolved = held_read(&file->open, take_contents, &taking, resolver, err);
		if (resolved != RESOLVED_READY)      /* it has changed: once more */
			return resolved == RESOLVED_WAIT ? RESOLVED_READY : resolved;
	}
	if (!file->contents.bytes)
		return step_folder(file, work, err);
	file->step = FILE_DONE;
	return RESOLVED_READY;
}

static enum stepped file_step(struct work *work, struct resolver *resolver, struct err *err)
{
	typedef enum resolved step_fn(struct mozilla_file *file, struct work *work,
				      struct resolver *resolver, struct err *err);
	static step_fn *const steps[] = {
		[FILE_MODULE] = step_module, [FILE_FRAME] = step_frame, [FILE_CHOOSE] = step_choose,
		[FILE_SOURCES] = step_sources,
	};
	struct mozilla_file *file = work->state;
	enum resolved resolved = RESOLVED_READY;

	while (resolved == RESOLVED_READY && file->step != FILE_DONE)
		resolved = steps[file->step](file, work, resolver, err);
	return work_stepped(resolved);
}

/* --- Answers ---------------------------------------------------------------------------------------- */

static int file_head(struct work *work, struct answer_head *head, struct err *err)
{
	const struct mozilla_file *file = work->state;

	(void)err;
	head->status = file->request.refusal ? file->status : 200;
	return 0;
}

static void file_refuse(const struct config *config, int status, struct text words, struct buf *out)
{
	(void)config;
	(void)status;
	mozilla_write_local_refusal(words, out);
}

static int file_answer(struct work *work, struct buf *reply, struct err *err)
{
	const struct mozilla_file *file = work->state;
	struct json_writer json;

	if (file->request.refusal) {
		file_refuse(work->config, file->status, text_of(file->request.refusal), reply);
		return buf_check(reply, err);
	}
	json_writer_init(&json, reply);
	json_object(&json);
	json_key(&json, "symbolsLastModified");
	json_null(&json);
	json_key(&json, "sourceLastModified");
	json_null(&json);
	json_member_text(&json, "file", file->path);
	json_member_text(&json, "source", file->contents);
	json_object_end(&json);
	return buf_check(reply, err);
}

static void file_release(struct work *work)
{
	struct mozilla_file *file = work->state;

	if (file) {
		held_release(&file->held);
		module_lookup_release(&file->lookup);
		mozilla_modules_release(&file->request.modules);
	}
	work->state = NULL;
}

const struct request_kind request_kind_mozilla_source = {
	.name = "mozilla-source", .misses_seconds = MOZILLA_MISSES_SECONDS,
	.parse = file_parse, .step = file_step, .head = file_head,
	.answer = file_answer, .refuse = file_refuse, .release = file_release,
};
