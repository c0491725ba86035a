/* report_frame.c -- see report_frame.h. */
#include "page/report_frame.h"

#include "page/report_modules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FRAME(field) offsetof(struct report_frame, field)

static const struct report_member data_members[] = {
	{ REPORT_NAME("symbolicated"), REPORT_BOOL, FRAME(symbolicated), FRAME(has_symbolicated), NULL, 0 },
};
static const struct report_member frame_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, FRAME(status), 0, NULL, 0 },
	{ REPORT_NAME("instruction_addr"), REPORT_NUMBER, FRAME(address), FRAME(has_address), NULL, 0 },
	{ REPORT_NAME("package"), REPORT_TEXT, FRAME(package), 0, NULL, 0 },
	{ REPORT_NAME("symbol"), REPORT_TEXT, FRAME(symbol), 0, NULL, 0 },
	{ REPORT_NAME("function"), REPORT_TEXT, FRAME(function), 0, NULL, 0 },
	{ REPORT_NAME("filename"), REPORT_TEXT, FRAME(filename), 0, NULL, 0 },
	{ REPORT_NAME("abs_path"), REPORT_TEXT, FRAME(abs_path), 0, NULL, 0 },
	{ REPORT_NAME("lineno"), REPORT_NUMBER, FRAME(line), FRAME(has_line), NULL, 0 },
	{ REPORT_NAME("colno"), REPORT_NUMBER, FRAME(column), FRAME(has_column), NULL, 0 },
	{ REPORT_NAME("trust"), REPORT_TEXT, FRAME(trust), 0, NULL, 0 },
	{ REPORT_NAME("addr_mode"), REPORT_RELATIVE, FRAME(relative_to), FRAME(is_relative), NULL, 0 },
	{ REPORT_NAME("pre_context"), REPORT_LIST, FRAME(before_at), 0, NULL, 0 },
	{ REPORT_NAME("context_line"), REPORT_TEXT, FRAME(context_line), 0, NULL, 0 },
	{ REPORT_NAME("post_context"), REPORT_LIST, FRAME(after_at), 0, NULL, 0 },
	{ REPORT_NAME("source_link"), REPORT_LINK, FRAME(source_link), 0, NULL, 0 },
	{ REPORT_NAME("module"), REPORT_TEXT, FRAME(class_name), 0, NULL, 0 },
	{ REPORT_NAME("data"), REPORT_GROUP, 0, 0, data_members, COUNT(data_members) },
};
static const struct report_member mozilla_members[] = {
	{ REPORT_NAME("module"), REPORT_TEXT, FRAME(module), 0, NULL, 0 },
	{ REPORT_NAME("module_offset"), REPORT_NUMBER, FRAME(offset), FRAME(has_offset), NULL, 0 },
	{ REPORT_NAME("function"), REPORT_TEXT, FRAME(function), 0, NULL, 0 },
	{ REPORT_NAME("file"), REPORT_TEXT, FRAME(abs_path), 0, NULL, 0 },
	{ REPORT_NAME("line"), REPORT_NUMBER, FRAME(line), FRAME(has_line), NULL, 0 },
	{ REPORT_NAME("inlines"), REPORT_LIST, FRAME(inlines_at), 0, NULL, 0 },
};

static size_t find_module(const struct report *report, const struct report_frame *frame)
{
	size_t found = REPORT_NOTHING;

	if (frame->is_relative)
		found = frame->relative_to < report->module_count ? (size_t)frame->relative_to : REPORT_NOTHING;
	else if (frame->has_address)
		found = report_module_at(report, frame->address);
	if (found == REPORT_NOTHING)
		found = report_module_named(report, frame->package.size ? frame->package : frame->module);
	return found;
}

void report_frame_next(struct report *report, struct json_reader *reader, struct report_frame *frame)
{
	const bool is_mozilla = report->shape == REPORT_MOZILLA;

	*frame = (struct report_frame){ .module_index = REPORT_NOTHING };
	if (report->shape == REPORT_LINES)
		(void)report_json_text(&report->json, reader, REPORT_TEXT_BYTES, &frame->function);
	else
		report_json_object(&report->json, reader, is_mozilla ? mozilla_members : frame_members,
				   is_mozilla ? COUNT(mozilla_members) : COUNT(frame_members), frame);
	frame->module_index = find_module(report, frame);
}

void report_frame_read(struct report *report, size_t at, struct report_frame *frame)
{
	struct json_reader reader = report_json_at(&report->json, at);

	report_frame_next(report, &reader, frame);
}

struct text report_frame_function(const struct report_frame *frame)
{
	return frame->function.size ? frame->function : frame->symbol;
}

struct text report_frame_path(const struct report_frame *frame)
{
	return frame->abs_path.size ? frame->abs_path : frame->filename;
}

bool report_frame_is_named(const struct report *report, const struct report_frame *frame)
{
	if (report->shape == REPORT_STACKS && frame->has_symbolicated)
		return frame->symbolicated;
	if (report->shape == REPORT_STACKS && frame->status.bytes)
		return text_is(frame->status, "symbolicated");
	return report_frame_function(frame).size > 0;
}

bool report_frame_offset(const struct report *report, const struct report_frame *frame, uint64_t *offset)
{
	const struct report_module *module;

	*offset = frame->has_offset ? frame->offset : frame->address;
	if (frame->has_offset || (frame->is_relative && frame->has_address))
		return true;
	if (!frame->has_address || frame->module_index == REPORT_NOTHING)
		return false;
	module = &report->modules[frame->module_index];
	*offset = frame->address - module->address;
	return module->has_address && frame->address >= module->address;
}

const struct report_error *report_frame_error(const struct report *report, const struct report_frame *frame)
{
	if (!frame->abs_path.size)
		return NULL;
	for (size_t i = 0; i < report->error_count; i++)
		if (text_equal(report->errors[i].abs_path, frame->abs_path))
			return &report->errors[i];
	return NULL;
}
