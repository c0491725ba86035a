/*
 * mozilla_figures.c -- "debug": how long it took, what was there and what had to be fetched.
 *
 * A file that was fetched is counted from when it was asked for until it had come; what is made of
 * it, from then on until that was there.
 */
#include "kinds/mozilla/mozilla.h"

#include "base/json_writer.h"

#define MICROS 1e6

static bool is_asked(const struct mozilla_module *module)
{
	return module->is_wanted && module->found != MOZILLA_NOT_ASKED && module->figures.asked_at;
}

static double fetch_seconds(const struct mozilla_module *module)
{
	const struct mozilla_figures *figures = &module->figures;

	return figures->got_at > figures->asked_at ? (double)(figures->got_at - figures->asked_at) / MICROS : 0;
}

static double make_seconds(const struct mozilla_module *module)
{
	const struct mozilla_figures *figures = &module->figures;

	return figures->made_at > figures->got_at ? (double)(figures->made_at - figures->got_at) / MICROS : 0;
}

static bool is_fetched(const struct mozilla_module *module)
{
	return is_asked(module) && module->figures.has_waited && module->found == MOZILLA_FOUND;
}

/* Somebody was asked in vain. */
static bool is_missed(const struct mozilla_module *module)
{
	return is_asked(module) && module->figures.has_waited && module->found == MOZILLA_MISSING;
}

static bool is_hit(const struct mozilla_module *module)
{
	return is_asked(module) && !module->figures.has_waited && module->found == MOZILLA_FOUND;
}

typedef bool module_test(const struct mozilla_module *module);
typedef double module_value(const struct mozilla_module *module);

static double fetched_bytes(const struct mozilla_module *module)
{
	return (double)module->figures.fetched_bytes;
}

static double cached_bytes(const struct mozilla_module *module)
{
	return (double)module->figures.cached_bytes;
}

static double sum_of(const struct mozilla_request *request, module_test *test, module_value *value)
{
	double sum = 0;

	for (size_t i = 0; i < request->modules.count; i++)
		if (test(request->modules.modules[i]))
			sum += value(request->modules.modules[i]);
	return sum;
}

static uint64_t count_of(const struct mozilla_request *request, module_test *test)
{
	uint64_t count = 0;

	for (size_t i = 0; i < request->modules.count; i++)
		count += test(request->modules.modules[i]);
	return count;
}

static void write_double(struct json_writer *json, const char *key, double value)
{
	json_key(json, key);
	json_double(json, value);
}

/* By module; left out where there is none. */
static void write_each(const struct mozilla_request *request, const char *key, module_test *test,
		       module_value *value, struct json_writer *json)
{
	if (count_of(request, test) == 0)
		return;
	json_key(json, key);
	json_object(json);
	for (size_t i = 0; i < request->modules.count; i++) {
		const struct mozilla_module *module = request->modules.modules[i];

		if (!test(module))
			continue;
		json_key_text(json, module->key);
		json_double(json, value(module));
	}
	json_object_end(json);
}

static void write_lookups(const struct mozilla_request *request, struct json_writer *json)
{
	uint64_t count = count_of(request, is_asked);
	double waited = sum_of(request, is_asked, fetch_seconds) - sum_of(request, is_fetched, fetch_seconds) -
			sum_of(request, is_missed, fetch_seconds);

	json_key(json, "cache_lookups");
	json_object(json);
	json_member_u64(json, "count", count);
	if (request->version == 5 && count > 0)
		json_member_u64(json, "hits", count_of(request, is_hit));
	write_double(json, "time", waited > 0 ? waited : 0);
	if (request->version == 4)
		write_double(json, "size", sum_of(request, is_hit, cached_bytes));
	json_object_end(json);
}

static void write_users(const struct mozilla_request *request, struct json_writer *json)
{
	uint64_t count = 0;

	for (size_t i = 0; i < request->modules.count; i++) {
		const struct mozilla_module *module = request->modules.modules[i];

		if (is_asked(module))
			count += request->version == 5 ? module->job_count : 1;
	}
	json_key(json, "modules");
	json_object(json);
	json_member_u64(json, "count", count);
	if (count > 0 || request->version == 4) {
		json_key(json, "stacks_per_module");
		json_object(json);
		for (size_t i = 0; i < request->modules.count; i++) {
			const struct mozilla_module *module = request->modules.modules[i];

			if (!is_asked(module))
				continue;
			json_key_text(json, module->key);
			json_u64(json, request->version == 5 ? module->job_count : module->frame_count);
		}
		json_object_end(json);
	}
	json_object_end(json);
}

/* --- Version 4 --------------------------------------------------------------------------------------- */

static void write_stacks(const struct mozilla_request *request, struct json_writer *json)
{
	const struct mozilla_job *job = &request->jobs[0];
	uint64_t count = 0, real = 0;

	for (size_t i = 0; i < job->stack_count; i++) {
		count += job->stacks[i].count;
		for (size_t j = 0; j < job->stacks[i].count; j++)
			real += job->stacks[i].frames[j].index >= 0;
	}
	json_key(json, "stacks");
	json_object(json);
	json_member_u64(json, "count", count);
	json_member_u64(json, "real", real);
	json_object_end(json);
}

static void write_downloads(const struct mozilla_request *request, struct json_writer *json)
{
	json_key(json, "downloads");
	json_object(json);
	json_member_u64(json, "count", count_of(request, is_fetched));
	write_double(json, "time", sum_of(request, is_fetched, fetch_seconds));
	write_double(json, "size", sum_of(request, is_fetched, fetched_bytes));
	json_object_end(json);
}

/* --- Version 5 --------------------------------------------------------------------------------------- */

static void write_transfers(const struct mozilla_request *request, struct json_writer *json)
{
	json_key(json, "downloads");
	json_object(json);
	json_member_u64(json, "count", count_of(request, is_fetched) + count_of(request, is_missed));
	write_double(json, "size", sum_of(request, is_fetched, fetched_bytes));
	write_double(json, "time", sum_of(request, is_fetched, fetch_seconds));
	write_each(request, "size_per_module", is_fetched, fetched_bytes, json);
	write_each(request, "time_per_module", is_fetched, fetch_seconds, json);
	write_each(request, "fail_time_per_module", is_missed, fetch_seconds, json);
	json_object_end(json);
	json_key(json, "parse_sym");
	json_object(json);
	write_double(json, "time", sum_of(request, is_fetched, make_seconds));
	write_each(request, "time_per_module", is_fetched, make_seconds, json);
	json_object_end(json);
	json_key(json, "save_symcache");         /* it is part of that */
	json_object(json);
	write_double(json, "time", 0);
	json_object_end(json);
}

void mozilla_write_figures(const struct mozilla_request *request, double seconds,
			   struct json_writer *json)
{
	json_key(json, "debug");
	json_object(json);
	write_double(json, "time", seconds);
	if (request->version == 4)
		write_stacks(request, json);
	write_users(request, json);
	write_lookups(request, json);
	if (request->version == 4)
		write_downloads(request, json);
	else
		write_transfers(request, json);
	json_object_end(json);
}
