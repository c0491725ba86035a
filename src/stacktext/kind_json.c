/*
 * kind_json.c -- which request some JSON is, by the names in it, as far as it was given.
 *
 * A request that is cut, or ends in something that is no JSON, is what its beginning says: who reads it
 * says what is wrong with it.
 */
#include "stacktext/stacktext_internal.h"

#include "base/json_reader.h"

struct json_look {
	struct json_reader json;
	size_t members;              /* of the outermost object */
	bool has_stacktraces, has_symbolicate, has_status, has_event, has_pending, has_crash_info;
	bool is_mozilla, is_ips;
	/* Said by a platform, by types of modules, and by what only one kind's frames or requests have. */
	unsigned native, js, jvm;
};

typedef void member_fn(struct json_look *look, const struct json_string *name);

static void each_member(struct json_look *look, member_fn *read)
{
	struct json_string name;

	if (!json_reader_object(&look->json)) {
		json_reader_skip(&look->json);
		return;
	}
	while (json_reader_member(&look->json, &name))
		read(look, &name);
}

static void each_element(struct json_look *look, member_fn *read)
{
	if (!json_reader_array(&look->json)) {
		json_reader_skip(&look->json);
		return;
	}
	while (json_reader_element(&look->json))
		each_member(look, read);
}

static bool is_one_of(const struct json_string *name, const char *const *names)
{
	for (; *names; names++)
		if (json_string_is(name, *names))
			return true;
	return false;
}

/* --- Values that tell --------------------------------------------------------------------------- */

#define CERTAIN 100u                 /* a platform's name, against what frames hint at */

static void read_platform(struct json_look *look)
{
	static const char *const js[] = { "javascript", "node", NULL };
	static const char *const jvm[] = { "java", "android", "kotlin", NULL };
	static const char *const native[] = { "native", "cocoa", "csharp", "rust", "c", NULL };
	struct json_string value;

	if (!json_reader_string(&look->json, &value)) {
		json_reader_skip(&look->json);
		return;
	}
	look->js += CERTAIN * is_one_of(&value, js);
	look->jvm += CERTAIN * is_one_of(&value, jvm);
	look->native += CERTAIN * is_one_of(&value, native);
}

static void read_module_member(struct json_look *look, const struct json_string *name)
{
	static const char *const jvm[] = { "proguard", "source", "jvm", NULL };
	struct json_string value;

	if (!json_string_is(name, "type") || !json_reader_string(&look->json, &value)) {
		look->native += json_string_is(name, "image_addr");
		json_reader_skip(&look->json);
	} else if (json_string_is(&value, "sourcemap")) {
		look->js++;
	} else if (is_one_of(&value, jvm)) {
		look->jvm++;
	} else {
		look->native++;
	}
}

static void read_frame_member(struct json_look *look, const struct json_string *name)
{
	static const char *const jvm[] = { "index", "signature", "method_synthesized", NULL };

	look->native += json_string_is(name, "instruction_addr");
	look->js += json_string_is(name, "colno");
	look->jvm += is_one_of(name, jvm);
	json_reader_skip(&look->json);
}

static void read_trace_member(struct json_look *look, const struct json_string *name)
{
	if (json_string_is(name, "frames")) {
		each_element(look, read_frame_member);
		return;
	}
	look->jvm += json_string_is(name, "exception");
	json_reader_skip(&look->json);
}

/* --- The outermost object ----------------------------------------------------------------------- */

static void note_name(struct json_look *look, const struct json_string *name)
{
	static const char *const mozilla[] = { "memoryMap", "jobs", NULL };
	static const char *const ips[] = { "bug_type", "incident_id", "usedImages", NULL };
	static const char *const event[] = { "exception", "debug_meta", "event_id", NULL };
	static const char *const js[] = { "release", "dist", "allow_scraping", NULL };
	static const char *const jvm[] = { "texts", "classes", "release_package", NULL };

	look->is_mozilla |= is_one_of(name, mozilla);
	look->is_ips |= is_one_of(name, ips);
	look->has_event |= is_one_of(name, event);
	look->has_status |= json_string_is(name, "status");
	look->has_pending |= json_string_is(name, "request_id");
	look->has_crash_info |= json_string_is(name, "crash_info");
	look->has_symbolicate |= json_string_is(name, "symbolicate");
	look->js += is_one_of(name, js);
	look->jvm += is_one_of(name, jvm);
	look->native += json_string_is(name, "signal");
}

static void read_top_member(struct json_look *look, const struct json_string *name)
{
	look->members++;
	note_name(look, name);
	if (json_string_is(name, "platform")) {
		read_platform(look);
	} else if (json_string_is(name, "stacktraces")) {
		look->has_stacktraces = true;
		each_element(look, read_trace_member);
	} else if (json_string_is(name, "modules")) {
		each_element(look, read_module_member);
	} else {
		json_reader_skip(&look->json);
	}
}

static enum stacktext_kind request_kind_of(const struct json_look *look)
{
	if (look->jvm > look->js && look->jvm > look->native)
		return STACKTEXT_REQUEST_JVM;
	return look->js > look->native ? STACKTEXT_REQUEST_JS : STACKTEXT_REQUEST_NATIVE;
}

static const char *reason_of(struct json_look *look)
{
	if (look->members == 0)
		return json_reader_at_end(&look->json) ? "an empty object of JSON" : NULL;
	if (look->has_crash_info)
		return "a report of minidump_stackwalk as JSON, which is not read: its text is";
	if (look->has_status || look->has_pending)
		return "an answer of a symbolication service, not a request";
	if (look->has_event)
		return "an event of an error tracker: a request has `stacktraces` and `modules`";
	return "JSON that is no request: it has no `stacktraces`";
}

struct stacktext_detected kind_json_detect(struct text json)
{
	struct json_look look = { .json = json_reader_over("the request", json) };
	struct stacktext_detected detected = { .kind = STACKTEXT_UNKNOWN };

	each_member(&look, read_top_member);
	if (look.has_symbolicate)
		detected.kind = STACKTEXT_REQUEST_ANY;
	else if (look.is_mozilla)
		detected.kind = STACKTEXT_REQUEST_MOZILLA;
	else if (look.is_ips)
		detected.kind = STACKTEXT_IPS;
	else if (!look.has_status && (look.has_stacktraces || look.jvm > 0))
		detected.kind = request_kind_of(&look);
	else
		detected.reason = reason_of(&look);
	return detected;
}
