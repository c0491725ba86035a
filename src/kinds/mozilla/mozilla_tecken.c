/*
 * mozilla_tecken.c -- bodies of version 4 as they were documented in 2017.  What is wrong is told in the
 * words of that server, and in those of its next versions where it had none.
 */
#include "kinds/mozilla/mozilla_json.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"

#define NAME_BYTES_MAX 1024u
#define NUMBER_BYTES_MAX 64u

struct tecken_reading {
	struct mozilla_request *request;
	struct arena *arena;
	struct err *err;
};

#define REFUSE(reading, words) mozilla_refuse((reading)->request, (reading)->arena, (reading)->err, words)

/* --- The version ------------------------------------------------------------------------------------ */

/* As a number: 4, 4.0, 0.4e1. */
static bool is_four(struct text value)
{
	char number[NUMBER_BYTES_MAX];

	if (!mozilla_json_is_number(value) || value.size >= sizeof(number))
		return false;
	memcpy(number, value.bytes, value.size);
	number[value.size] = '\0';
	return strtod(number, NULL) == 4.0;
}

/* --- Modules ---------------------------------------------------------------------------------------- */

static int read_module(struct tecken_reading *reading, struct text value, struct mozilla_slot *slot)
{
	struct text pair[2], name, id;
	bool no_memory = false;

	if (!mozilla_json_pair(value, pair))
		return REFUSE(reading, "Must be a list of lists of size 2");
	if (!mozilla_json_string(pair[0], reading->arena, &name, &no_memory) ||
	    !mozilla_json_string(pair[1], reading->arena, &id, &no_memory))
		return no_memory ? err_no_memory(reading->err)
				 : REFUSE(reading, "Must be a list of lists of size 2");
	if (name.size > NAME_BYTES_MAX || id.size > NAME_BYTES_MAX)
		return REFUSE(reading, "module name too long");
	if (memchr(name.bytes, '\0', name.size) || memchr(id.bytes, '\0', id.size))
		return REFUSE(reading, "module_name contains null-byte");
	slot->module = mozilla_modules_get(&reading->request->modules, name, id, reading->arena);
	return slot->module ? 0 : err_no_memory(reading->err);
}

static int read_modules(struct tecken_reading *reading, struct text list, struct mozilla_job *job)
{
	struct json_reader json = json_reader_over("the body", list);
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "Must be a list");
	job->slots = arena_alloc(reading->arena, mozilla_json_count(list), sizeof(*job->slots));
	if (!job->slots)
		return err_no_memory(reading->err);
	if (json_reader_array(&json))
		for (; rc == 0 && json_reader_element(&json); job->slot_count++)
			rc = read_module(reading, mozilla_json_take(&json),
					 &job->slots[job->slot_count]);
	return rc;
}

/* --- Stacks ----------------------------------------------------------------------------------------- */

/* An index of a module, or any below 0; an offset that is no integer is answered as it was sent. */
static int read_frame(struct tecken_reading *reading, struct text value, const struct mozilla_job *job,
		      struct mozilla_frame *frame)
{
	struct mozilla_offset index;
	struct text pair[2];

	frame->name = MOZILLA_NO_NAME;
	if (!mozilla_json_pair(value, pair))
		return REFUSE(reading, "List of lists of frames must be 2 numbers");
	if (!mozilla_json_is_number(pair[0]) || !mozilla_json_is_number(pair[1]))
		return REFUSE(reading, "Frame must be two integers");
	if (!mozilla_json_integer(pair[0], &index) ||
	    (!index.is_negative && index.magnitude >= job->slot_count))
		return REFUSE(reading, "Frame must be two integers");
	frame->index = index.is_negative ? -1 : (int64_t)index.magnitude;
	if (mozilla_json_integer(pair[1], &frame->offset))
		return 0;
	frame->echoed.bytes = arena_strndup(reading->arena, pair[1].bytes, pair[1].size);
	frame->echoed.size = pair[1].size;
	return frame->echoed.bytes ? 0 : err_no_memory(reading->err);
}

static int read_stack(struct tecken_reading *reading, struct text list, const struct mozilla_job *job,
		      struct mozilla_stack *stack)
{
	struct json_reader json = json_reader_over("the body", list);
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "Must be a list of lists");
	stack->frames = arena_alloc(reading->arena, mozilla_json_count(list), sizeof(*stack->frames));
	if (!stack->frames)
		return err_no_memory(reading->err);
	if (json_reader_array(&json)) {
		for (; rc == 0 && json_reader_element(&json); stack->count++) {
			struct text frame = mozilla_json_take(&json);

			rc = mozilla_json_is_list(frame)
			     ? read_frame(reading, frame, job, &stack->frames[stack->count])
			     : REFUSE(reading, "Must be a list of lists of lists");
		}
	}
	return rc;
}

static int read_stacks(struct tecken_reading *reading, struct text list, struct mozilla_job *job)
{
	struct json_reader json = json_reader_over("the body", list);
	int rc = 0;

	if (!mozilla_json_is_list(list))
		return REFUSE(reading, "Must be a list");
	job->stacks = arena_alloc(reading->arena, mozilla_json_count(list), sizeof(*job->stacks));
	if (!job->stacks)
		return err_no_memory(reading->err);
	if (json_reader_array(&json))
		for (; rc == 0 && json_reader_element(&json); job->stack_count++)
			rc = read_stack(reading, mozilla_json_take(&json), job,
					&job->stacks[job->stack_count]);
	return rc;
}

/* --- Outside ---------------------------------------------------------------------------------------- */

static int read_body(struct tecken_reading *reading, struct text body)
{
	struct mozilla_job *job = &reading->request->jobs[0];
	struct text json, stacks, modules;
	int rc;

	if (!mozilla_json_check(body, &json))
		return REFUSE(reading, "Invalid JSON passed in");
	if (!mozilla_json_is_object(json))
		return REFUSE(reading, "Not a dict");
	stacks = mozilla_json_member(json, "stacks");
	modules = mozilla_json_member(json, "memoryMap");
	if (!stacks.bytes)
		return REFUSE(reading, "Missing key JSON \"'stacks'\"");
	if (!modules.bytes)
		return REFUSE(reading, "Missing key JSON \"'memoryMap'\"");
	if (!is_four(mozilla_json_member(json, "version")))
		return REFUSE(reading, "Expect version==4");
	reading->request->job_count = 1;
	reading->request->wants_figures = mozilla_json_is_true(mozilla_json_member(json, "debug"));
	rc = read_modules(reading, modules, job);
	return rc == 0 ? read_stacks(reading, stacks, job) : rc;
}

int mozilla_read_tecken(struct mozilla_request *request, struct text body, struct arena *arena,
			struct err *err)
{
	struct tecken_reading reading = { request, arena, err };

	return read_body(&reading, body) < 0 ? -1 : 0;
}
