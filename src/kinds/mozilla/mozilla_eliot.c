/*
 * mozilla_eliot.c -- bodies as today's server reads them: version 5, and version 4 where the
 * configuration says so.  All modules of a job are looked at before its stacks, job after job; what is
 * wrong first is told.
 */
#include "kinds/mozilla/mozilla_json.h"

#include "base/arena.h"
#include "base/err.h"

/* Where in the body we are, and with what. */
struct eliot_reading {
	struct mozilla_request *request;
	struct arena *arena;
	struct err *err;
	size_t job, stack, frame;
};

#define REFUSE(reading, ...) mozilla_refuse((reading)->request, (reading)->arena, (reading)->err, __VA_ARGS__)

/* --- Modules -------------------------------------------------------------------------------------- */

static bool is_word_character(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

/* One line end may follow, as patterns that end in "$" have it. */
static struct text without_line_end(struct text text)
{
	if (text_ends_with(text, "\n"))
		text.size--;
	return text;
}

static bool is_name(struct text name)
{
	name = without_line_end(name);
	for (size_t i = 0; i < name.size; i++)
		if (!is_word_character(name.bytes[i]) &&
		    (!name.bytes[i] || !strchr("_.+{}@<> ~-", name.bytes[i])))
			return false;
	return true;
}

static bool is_id(struct text id)
{
	id = without_line_end(id);
	for (size_t i = 0; i < id.size; i++)
		if (ascii_hex_value(id.bytes[i]) < 0)
			return false;
	return true;
}

static int read_module(struct eliot_reading *reading, struct text value, size_t index,
		       struct mozilla_slot *slot)
{
	struct text pair[2], name, id;
	bool no_memory = false;

	if (!mozilla_json_pair(value, pair))
		return REFUSE(reading, "job %zu has invalid modules: module index %zu does not have a "
			      "debug_filename and debug_id", reading->job, index);
	if ((!mozilla_json_string(pair[0], reading->arena, &name, &no_memory) || !is_name(name)) && !no_memory)
		return REFUSE(reading, "job %zu has invalid modules: module index %zu has an invalid "
			      "debug_filename", reading->job, index);
	if (no_memory)
		return err_no_memory(reading->err);
	if ((!mozilla_json_string(pair[1], reading->arena, &id, &no_memory) || !is_id(id)) && !no_memory)
		return REFUSE(reading, "job %zu has invalid modules: module index %zu has an invalid "
			      "debug_id", reading->job, index);
	if (no_memory)
		return err_no_memory(reading->err);
	slot->module = mozilla_modules_get(&reading->request->modules, name, id, reading->arena);
	return slot->module ? 0 : err_no_memory(reading->err);
}

static int read_modules(struct eliot_reading *reading, struct text list, struct mozilla_job *job)
{
	struct json_reader json = json_reader_over("the body", list);
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "job %zu has invalid modules: modules must be a list", reading->job);
	job->slots = arena_alloc(reading->arena, mozilla_json_count(list), sizeof(*job->slots));
	if (!job->slots)
		return err_no_memory(reading->err);
	if (json_reader_array(&json))
		for (; rc == 0 && json_reader_element(&json); job->slot_count++)
			rc = read_module(reading, mozilla_json_take(&json), job->slot_count,
					 &job->slots[job->slot_count]);
	return rc;
}

/* --- Stacks --------------------------------------------------------------------------------------- */

static int refuse_frame(struct eliot_reading *reading, const char *what)
{
	return REFUSE(reading, "job %zu has invalid stacks: stack %zu frame %zu %s", reading->job,
		      reading->stack, reading->frame, what);
}

/* true and false are 1 and 0. */
static bool read_integer(struct text value, struct mozilla_offset *integer)
{
	if (text_is(value, "true") || text_is(value, "false")) {
		*integer = (struct mozilla_offset){ false, value.bytes[0] == 't' };
		return true;
	}
	return mozilla_json_integer(value, integer);
}

static bool is_integer(struct text value)
{
	return mozilla_json_is_number(value) && !memchr(value.bytes, '.', value.size) &&
	       !memchr(value.bytes, 'e', value.size) && !memchr(value.bytes, 'E', value.size);
}

static int read_frame(struct eliot_reading *reading, struct text value, const struct mozilla_job *job,
		      struct mozilla_frame *frame)
{
	struct mozilla_offset index = { false, 0 };
	struct text pair[2];
	bool is_known;

	if (!mozilla_json_pair(value, pair))
		return refuse_frame(reading, "is not a list of two items");
	is_known = read_integer(pair[0], &index);
	if (!is_known && !is_integer(pair[0]))
		return refuse_frame(reading, "has an invalid module_index");
	if (!is_known || (index.is_negative ? index.magnitude != 1 : index.magnitude >= job->slot_count))
		return refuse_frame(reading, "has a module_index that isn't in modules");
	if (!read_integer(pair[1], &frame->offset) ||
	    (frame->offset.is_negative && frame->offset.magnitude != 1))
		return refuse_frame(reading, "has an invalid module_offset");
	frame->index = index.is_negative ? -1 : (int64_t)index.magnitude;
	frame->name = MOZILLA_NO_NAME;
	return 0;
}

static int read_stack(struct eliot_reading *reading, struct text list, const struct mozilla_job *job,
		      struct mozilla_stack *stack)
{
	struct json_reader json = json_reader_over("the body", list);
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "job %zu has invalid stacks: stack %zu is not a list", reading->job,
			      reading->stack);
	stack->frames = arena_alloc(reading->arena, mozilla_json_count(list), sizeof(*stack->frames));
	if (!stack->frames)
		return err_no_memory(reading->err);
	if (json_reader_array(&json)) {
		for (; rc == 0 && json_reader_element(&json); stack->count++) {
			reading->frame = stack->count;
			rc = read_frame(reading, mozilla_json_take(&json), job,
					&stack->frames[stack->count]);
		}
	}
	return rc;
}

static int read_stacks(struct eliot_reading *reading, struct text list, struct mozilla_job *job)
{
	struct json_reader json = json_reader_over("the body", list);
	size_t count = mozilla_json_is_list(list) ? mozilla_json_count(list) : 0;
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "job %zu has invalid stacks: stacks must be a list of lists",
			      reading->job);
	if (count == 0)
		return REFUSE(reading, "job %zu has invalid stacks: no stacks specified", reading->job);
	job->stacks = arena_alloc(reading->arena, count, sizeof(*job->stacks));
	if (!job->stacks)
		return err_no_memory(reading->err);
	if (json_reader_array(&json)) {
		for (; rc == 0 && json_reader_element(&json); job->stack_count++) {
			reading->stack = job->stack_count;
			rc = read_stack(reading, mozilla_json_take(&json), job,
					&job->stacks[job->stack_count]);
		}
	}
	return rc;
}

/* --- Jobs ------------------------------------------------------------------------------------------- */

static int read_job(struct eliot_reading *reading, struct text value)
{
	struct mozilla_job *job = &reading->request->jobs[reading->job];
	struct text stacks, modules;
	int rc;

	if (!mozilla_json_is_object(value))
		return REFUSE(reading, "job %zu is invalid", reading->job);
	stacks = mozilla_json_member(value, "stacks");
	modules = mozilla_json_member(value, "memoryMap");
	if (!stacks.bytes)
		return REFUSE(reading, "job %zu is invalid: no stacks specified", reading->job);
	if (!modules.bytes)
		return REFUSE(reading, "job %zu is invalid: no memoryMap specified", reading->job);
	rc = read_modules(reading, modules, job);
	return rc == 0 ? read_stacks(reading, stacks, job) : rc;
}

static int read_jobs(struct eliot_reading *reading, struct text jobs)
{
	struct json_reader json = json_reader_over("the body", jobs);
	size_t count = mozilla_json_count(jobs);
	int rc = 0;

	if (count != SIZE_MAX && count > MOZILLA_JOBS_MAX)
		return REFUSE(reading, "please limit number of jobs in a single request to <= %u",
			      MOZILLA_JOBS_MAX);
	if (!mozilla_json_is_list(jobs))     /* an empty object or string is no job at all */
		return count == 0 ? 0 : REFUSE(reading, "job 0 is invalid");
	if (json_reader_array(&json)) {
		for (; rc == 0 && json_reader_element(&json); reading->job++) {
			rc = read_job(reading, mozilla_json_take(&json));
			reading->request->job_count = reading->job + 1;
		}
	}
	return rc;
}

int mozilla_read_eliot(struct mozilla_request *request, struct text body, struct arena *arena,
		       struct err *err)
{
	struct eliot_reading reading = { .request = request, .arena = arena, .err = err };
	struct text json, jobs = TEXT_NONE;
	int rc;

	if (!mozilla_json_check(body, &json))
		rc = REFUSE(&reading, "Payload is not valid JSON");
	else {
		if (request->version == 5 && mozilla_json_is_object(json))
			jobs = mozilla_json_member(json, "jobs");
		if (request->version == 4 && mozilla_json_is_object(json))
			request->wants_figures = mozilla_json_is_true(mozilla_json_member(json, "debug"));
		request->job_count = jobs.bytes ? 0 : 1;
		rc = jobs.bytes ? read_jobs(&reading, jobs) : read_job(&reading, json);
	}
	return rc < 0 ? -1 : 0;
}
