/* symbolication_request.c -- what POST /symbolicate asks, from JSON.  The tables are
 * doc/api/symbolicate.md. */
#include "kinds/native/symbolication.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "kinds/request_members.h"
#include "kinds/stacktrace_json.h"
#include "work/request_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(type, field) offsetof(struct type, field)
#define OWNER(field, type, name) ((struct type *)((char *)(field) - AT(type, name)))

static int read_frame_order(const cJSON *json, const struct schema_place *place, void *field,
			    void *context, struct err *err)
{
	bool *caller_first = field, callee_first = true;
	int rc = request_members_callee_first(json, place, &callee_first, context, err);

	*caller_first = !callee_first;
	return rc;
}

static const struct schema_member option_members[] = {
	{ "dif_candidates", SCHEMA_BOOL, AT(symbolication_options, dif_candidates), 0, NULL },
	{ "apply_source_context", SCHEMA_BOOL, AT(symbolication_options, apply_source_context), 0,
	  NULL },
	{ "frame_order", SCHEMA_OTHER, AT(symbolication_options, caller_first), 0,
	  read_frame_order },
	{ "extract_variables", SCHEMA_BOOL, AT(symbolication_options, extract_variables), 0, NULL },
};

static int read_options(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	return schema_read(json, place, option_members, COUNT(option_members), field, context, err);
}

static int read_traces(const cJSON *json, const struct schema_place *place, void *field,
		       void *context, struct err *err)
{
	struct work *work = context;

	return stacktrace_json_traces(json, place, &work->arena, OWNER(field, raw_report, traces),
				      err);
}

static int read_modules(const cJSON *json, const struct schema_place *place, void *field,
			void *context, struct err *err)
{
	struct work *work = context;

	return stacktrace_json_modules(json, place, &work->arena,
				       OWNER(field, raw_report, modules), err);
}

static const struct schema_member request_members[] = {
	{ "platform", SCHEMA_OTHER, 0, 0, request_members_platform },
	{ "signal", SCHEMA_U32, AT(symbolication_request, report.signal), SCHEMA_NULL, NULL },
	{ "sources", SCHEMA_OTHER, AT(symbolication_request, sources), 0, request_members_sources },
	{ "stacktraces", SCHEMA_OTHER, AT(symbolication_request, report.traces), 0, read_traces },
	{ "modules", SCHEMA_OTHER, AT(symbolication_request, report.modules), 0, read_modules },
	{ "options", SCHEMA_OTHER, AT(symbolication_request, options), 0, read_options },
	{ "scraping", SCHEMA_OTHER, AT(symbolication_request, scraping), 0, request_members_scraping },
};

static void reverse_frames(struct raw_trace *trace)
{
	for (size_t i = 0; i < trace->frame_count / 2; i++) {
		struct raw_frame *other = &trace->frames[trace->frame_count - 1 - i];
		struct raw_frame swap = trace->frames[i];

		trace->frames[i] = *other;
		*other = swap;
	}
}

int symbolication_request_read(struct symbolication_request *request, struct work *work,
			       const cJSON *json, struct err *err)
{
	*request = (struct symbolication_request){
		.sources = work->default_sources,
		.options = { .apply_source_context = true },
		.scraping = scraping_default(),
	};
	if (schema_read(json, NULL, request_members, COUNT(request_members), request, work,
			err) < 0)
		return -1;
	if (request->options.caller_first)
		for (size_t i = 0; i < request->report.trace_count; i++)
			reverse_frames(&request->report.traces[i]);
	return 0;
}
