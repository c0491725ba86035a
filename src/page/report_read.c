/* report_read.c -- see report_read.h. */
#include "page/report_read.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "page/report_modules.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Frames: where they stand ---------------------------------------------------------------- */

/* What of a frame is looked at while they are counted. */
struct frame_mark {
	struct text status, function;
	uint64_t original_index, index;
	bool has_original, has_index, symbolicated, has_symbolicated;
};

#define MARK(field) offsetof(struct frame_mark, field)

static const struct report_member data_members[] = {
	{ REPORT_NAME("symbolicated"), REPORT_BOOL, MARK(symbolicated), MARK(has_symbolicated), NULL, 0 },
};
static const struct report_member mark_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, MARK(status), 0, NULL, 0 },
	{ REPORT_NAME("original_index"), REPORT_NUMBER, MARK(original_index), MARK(has_original), NULL, 0 },
	{ REPORT_NAME("function"), REPORT_TEXT, MARK(function), 0, NULL, 0 },
	{ REPORT_NAME("index"), REPORT_NUMBER, MARK(index), MARK(has_index), NULL, 0 },
	{ REPORT_NAME("data"), REPORT_GROUP, 0, 0, data_members, COUNT(data_members) },
};

static bool is_unnamed(const struct report *report, const struct frame_mark *mark)
{
	if (report->shape == REPORT_MOZILLA)
		return !mark->function.size;
	if (mark->has_symbolicated)
		return !mark->symbolicated;
	return mark->status.bytes && !text_is(mark->status, "symbolicated");
}

static void add_place(struct report *report, struct report_thread *thread, size_t at, uint64_t call)
{
	report->frames++;
	if (report->place_count == REPORT_FRAMES_MAX) {
		report->frames_left_out++;
		return;
	}
	if (vec_reserve(&report->places, &report->place_capacity, report->place_count + 1,
			sizeof(*report->places)) < 0) {
		report->json.no_memory = true;
		return;
	}
	report->places[report->place_count++] = (struct frame_place){ at, call };
	thread->count++;
}

static void read_frame(struct report *report, struct json_reader *reader, struct report_thread *thread)
{
	struct arena_mark mark = arena_mark(&report->arena);
	struct frame_mark frame = { .has_index = false };
	size_t at = reader->pos;

	if (json_reader_peek(reader) == '{')
		report_json_object(&report->json, reader, mark_members, COUNT(mark_members), &frame);
	else
		json_reader_skip(reader);
	report->is_native |= frame.has_original;
	thread->unnamed += is_unnamed(report, &frame);
	add_place(report, thread, at, frame.has_original ? frame.original_index
				      : frame.has_index ? frame.index : REPORT_NO_CALL);
	arena_rewind(&report->arena, mark);
}

static void read_frames(struct report *report, struct json_reader *reader, struct report_thread *thread)
{
	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_element(reader))
		read_frame(report, reader, thread);
}

/* --- Threads --------------------------------------------------------------------------------- */

#define THREAD(field) offsetof(struct report_thread, field)

static const struct report_member exception_members[] = {
	{ REPORT_NAME("type"), REPORT_TEXT, THREAD(exception_type), 0, NULL, 0 },
	{ REPORT_NAME("module"), REPORT_TEXT, THREAD(exception_module), 0, NULL, 0 },
};
static const struct report_member thread_members[] = {
	{ REPORT_NAME("thread_id"), REPORT_NUMBER, THREAD(id), THREAD(has_id), NULL, 0 },
	{ REPORT_NAME("thread_name"), REPORT_TEXT, THREAD(name), 0, NULL, 0 },
	{ REPORT_NAME("is_requesting"), REPORT_BOOL, THREAD(is_requesting), THREAD(is_other), NULL, 0 },
	{ REPORT_NAME("registers"), REPORT_LIST, THREAD(registers_at), 0, NULL, 0 },
	{ REPORT_NAME("exception"), REPORT_GROUP, 0, 0, exception_members, COUNT(exception_members) },
	{ REPORT_NAME("frames_omitted"), REPORT_NUMBER, THREAD(frames_omitted), THREAD(is_other), NULL, 0 },
	{ REPORT_NAME("frames_left_alone"), REPORT_NUMBER, THREAD(frames_left_alone), THREAD(is_other), NULL, 0 },
};

/* Native frames count from the innermost, whatever their order; of others the request knows. */
static bool is_reversed(const struct report *report, const struct report_thread *thread)
{
	const struct frame_place *first = report->places + thread->first;
	uint64_t last = thread->count ? first[thread->count - 1].call : 0;

	if (report->is_native && thread->count && first->call != last)
		return first->call > last;
	return report->view->is_caller_first;
}

static void add_thread(struct report *report, struct report_thread *thread)
{
	if (report->thread_count == REPORT_THREADS_MAX) {
		report->threads_left_out++;
		return;
	}
	if (vec_reserve(&report->threads, &report->thread_capacity, report->thread_count + 1,
			sizeof(*report->threads)) < 0) {
		report->json.no_memory = true;
		return;
	}
	report->threads[report->thread_count++] = *thread;
}

static void read_thread(struct report *report, struct json_reader *reader)
{
	struct report_thread thread = { .first = report->place_count };
	struct json_string name;

	if (!json_reader_object(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_member(reader, &name)) {
		if (json_string_is(&name, "frames"))
			read_frames(report, reader, &thread);
		else
			report_json_member(&report->json, reader, thread_members, COUNT(thread_members), &name,
					   &thread);
	}
	add_thread(report, &thread);
}

static void read_threads(struct report *report, struct json_reader *reader)
{
	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return;
	}
	report->shape = REPORT_STACKS;
	while (json_reader_element(reader))
		read_thread(report, reader);
}

/* --- Mozilla's answers ------------------------------------------------------------------------- */

/* Lists of frames, which are objects or, of version 4, strings. */
static void read_lists(struct report *report, struct json_reader *reader, enum report_shape shape)
{
	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return;
	}
	report->shape = shape;
	while (json_reader_element(reader)) {
		struct report_thread thread = { .first = report->place_count };

		read_frames(report, reader, &thread);
		add_thread(report, &thread);
	}
}

typedef void member_fn(struct report *report, struct json_reader *reader, const struct json_string *name);

/* Every member of every object of an array; false, and past it: it is no array. */
static bool read_members(struct report *report, struct json_reader *reader, member_fn *read)
{
	struct json_string name;

	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return false;
	}
	while (json_reader_element(reader)) {
		if (!json_reader_object(reader)) {
			json_reader_skip(reader);
			continue;
		}
		while (json_reader_member(reader, &name))
			read(report, reader, &name);
	}
	return true;
}

static void read_result(struct report *report, struct json_reader *reader, const struct json_string *name)
{
	if (json_string_is(name, "stacks"))
		read_lists(report, reader, REPORT_MOZILLA);
	else if (json_string_is(name, "found_modules"))
		report_modules_found(report, reader);
	else if (json_string_is(name, "module_errors"))
		report_modules_blame(report, reader);
	else
		json_reader_skip(reader);
}

static void read_results(struct report *report, struct json_reader *reader)
{
	(void)read_members(report, reader, read_result);
}

/* --- Errors ------------------------------------------------------------------------------------ */

#define ERROR(field) offsetof(struct report_error, field)

static const struct report_member error_members[] = {
	{ REPORT_NAME("type"), REPORT_TEXT, ERROR(type), 0, NULL, 0 },
	{ REPORT_NAME("abs_path"), REPORT_TEXT, ERROR(abs_path), 0, NULL, 0 },
	{ REPORT_NAME("uuid"), REPORT_TEXT, ERROR(uuid), 0, NULL, 0 },
	{ REPORT_NAME("source"), REPORT_TEXT, ERROR(source), 0, NULL, 0 },
	{ REPORT_NAME("sourcemap"), REPORT_TEXT, ERROR(sourcemap), 0, NULL, 0 },
	{ REPORT_NAME("url"), REPORT_TEXT, ERROR(url), 0, NULL, 0 },
	{ REPORT_NAME("line"), REPORT_NUMBER, ERROR(line), ERROR(has_line), NULL, 0 },
	{ REPORT_NAME("col"), REPORT_NUMBER, ERROR(column), ERROR(has_column), NULL, 0 },
};

static void read_errors(struct report *report, struct json_reader *reader)
{
	if (!json_reader_array(reader)) {
		json_reader_skip(reader);
		return;
	}
	while (json_reader_element(reader)) {
		struct report_error error = { .has_line = false };

		if (report->error_count == REPORT_ERRORS_MAX) {
			json_reader_skip(reader);
			continue;
		}
		report_json_object(&report->json, reader, error_members, COUNT(error_members), &error);
		if (vec_reserve(&report->errors, &report->error_capacity, report->error_count + 1,
				sizeof(error)) < 0)
			report->json.no_memory = true;
		else
			report->errors[report->error_count++] = error;
	}
}

/* --- The whole --------------------------------------------------------------------------------- */

#define FACT(field) offsetof(struct report_facts, field)

static const struct report_member system_members[] = {
	{ REPORT_NAME("os_name"), REPORT_TEXT, FACT(os_name), 0, NULL, 0 },
	{ REPORT_NAME("os_version"), REPORT_TEXT, FACT(os_version), 0, NULL, 0 },
	{ REPORT_NAME("os_build"), REPORT_TEXT, FACT(os_build), 0, NULL, 0 },
	{ REPORT_NAME("cpu_arch"), REPORT_TEXT, FACT(arch), 0, NULL, 0 },
	{ REPORT_NAME("device_model"), REPORT_TEXT, FACT(device), 0, NULL, 0 },
};
static const struct report_member fact_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, FACT(status), 0, NULL, 0 },
	{ REPORT_NAME("message"), REPORT_LONG, FACT(message), 0, NULL, 0 },
	{ REPORT_NAME("crash_reason"), REPORT_TEXT, FACT(reason), 0, NULL, 0 },
	{ REPORT_NAME("crash_details"), REPORT_LONG, FACT(details), 0, NULL, 0 },
	{ REPORT_NAME("assertion"), REPORT_LONG, FACT(assertion), 0, NULL, 0 },
	{ REPORT_NAME("system_info"), REPORT_GROUP, 0, 0, system_members, COUNT(system_members) },
	{ REPORT_NAME("signal"), REPORT_NUMBER, FACT(signal), FACT(has_signal), NULL, 0 },
	{ REPORT_NAME("timestamp"), REPORT_NUMBER, FACT(timestamp), FACT(has_timestamp), NULL, 0 },
	{ REPORT_NAME("crashed"), REPORT_BOOL, FACT(crashed), FACT(has_crashed), NULL, 0 },
	{ REPORT_NAME("remarks"), REPORT_LIST, FACT(remarks_at), 0, NULL, 0 },
	{ REPORT_NAME("scraping_attempts"), REPORT_LIST, FACT(scraping_at), 0, NULL, 0 },
	{ REPORT_NAME("exceptions"), REPORT_LIST, FACT(exceptions_at), 0, NULL, 0 },
	{ REPORT_NAME("classes"), REPORT_LIST, FACT(classes_at), 0, NULL, 0 },
};

static void read_text(struct report *report, struct json_reader *reader, const struct json_string *name)
{
	if (json_string_is(name, "modules"))
		report_modules_read(report, reader);
	else
		json_reader_skip(reader);
}

/* They are shown as they are; the modules of their native frames are among the others. */
static void read_texts(struct report *report, struct json_reader *reader)
{
	(void)json_reader_peek(reader);
	report->facts.texts_at = reader->pos;
	if (!read_members(report, reader, read_text))
		report->facts.texts_at = 0;
}

static void read_answer_member(struct report *report, struct json_reader *reader, const struct json_string *name)
{
	if (json_string_is(name, "stacktraces"))
		read_threads(report, reader);
	else if (json_string_is(name, "modules"))
		report_modules_read(report, reader);
	else if (json_string_is(name, "errors"))
		read_errors(report, reader);
	else if (json_string_is(name, "results"))
		read_results(report, reader);
	else if (json_string_is(name, "symbolicatedStacks"))
		read_lists(report, reader, REPORT_LINES);
	else if (json_string_is(name, "texts"))
		read_texts(report, reader);
	else
		report_json_member(&report->json, reader, fact_members, COUNT(fact_members), name, &report->facts);
}

static void read_answer(struct report *report)
{
	struct json_reader reader = report_json_at(&report->json, 0);
	struct json_string name;

	if (!json_reader_object(&reader))
		(void)json_reader_refuse(&reader, "object");
	while (json_reader_member(&reader, &name))
		read_answer_member(report, &reader, &name);
	if (!json_reader_at_end(&reader))
		(void)json_reader_refuse(&reader, "end");
	/* What was read up to there is shown, and that there is no more. */
	(void)!json_reader_check(&reader, &report->refusal);
}

/* The one that crashed, or asked for the report; else the first. */
static void choose_thread(struct report *report)
{
	report->crashed = report->thread_count ? 0 : REPORT_NOTHING;
	for (size_t i = 0; i < report->thread_count; i++) {
		report->threads[i].is_reversed = is_reversed(report, &report->threads[i]);
		if (report->threads[i].is_requesting && !report->threads[report->crashed].is_requesting)
			report->crashed = i;
	}
}

int report_read(struct report *report, const struct report_view *view, struct text json, struct err *err)
{
	*report = (struct report){
		.view = view, .json = { json, &report->arena, false }, .refusal = ERR_INIT,
		.crashed = REPORT_NOTHING,
	};
	arena_init(&report->arena, ARENA_BYTES);
	read_answer(report);
	choose_thread(report);
	report_modules_sort(report);
	if (!report->json.no_memory)
		return 0;
	return err_set(err, report->arena.is_full ? ERR_LIMIT : ERR_NO_MEMORY, "no memory to read an answer");
}

void report_release(struct report *report)
{
	mem_give_back(report->places);
	mem_give_back(report->threads);
	mem_give_back(report->modules);
	mem_give_back(report->errors);
	arena_release(&report->arena);
}

const struct frame_place *report_place(const struct report *report, const struct report_thread *thread, size_t i)
{
	return &report->places[thread->first + (thread->is_reversed ? thread->count - 1 - i : i)];
}

bool report_is_same_call(const struct report *report, const struct report_thread *thread, size_t a, size_t b)
{
	uint64_t call = report_place(report, thread, a)->call;

	return call != REPORT_NO_CALL && call == report_place(report, thread, b)->call;
}
