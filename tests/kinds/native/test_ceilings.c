/*
 * test_ceilings.c -- requests that need more memory than they may have, at every place where
 * they may find out.
 *
 * The arena's last block takes what is left below the ceiling, so a ceiling raised in steps of
 * one alignment makes every single allocation the one that is refused.
 */
#include "support/support.h"

#include <string.h>

#include "base/arch.h"
#include "base/buf.h"
#include "kinds/native/fake.h"
#include "kinds/native/symbolication.h"
#include "kinds/kinds.h"
#include "lookup/plan_memo.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BODY_BYTES ((size_t)64 << 20)
#define FINE_STEP_BYTES ((size_t)16)
#define COARSE_STEPS 150u

/* --- Bodies ------------------------------------------------------------------------------ */

static void add_sources(struct buf *body, unsigned count)
{
	buf_add_string(body, "\"sources\":[");
	for (unsigned i = 0; i < count; i++)
		buf_printf(body, "%s{\"type\":\"http\",\"id\":\"s%u\",\"url\":\"http://h/s%u/\","
			   "\"headers\":{\"authorization\":\"secret %u\"},\"filters\":{\"filetypes\":"
			   "[\"elf_debug\",\"sourcebundle\",\"il2cpp\",\"uuidmap\"],"
			   "\"path_patterns\":[\"*/x\",\"*/y\"]},"
			   "\"layout\":{\"type\":\"native\",\"casing\":\"lowercase\"}}",
			   i ? "," : "", i, i, i);
	buf_add_string(body, "],");
}

static void add_modules(struct buf *body, unsigned count, bool whole)
{
	buf_add_string(body, "\"modules\":[");
	for (unsigned i = 0; i < count; i++) {
		buf_add_string(body, i ? ",{\"type\":\"elf\"" : "{\"type\":\"elf\"");
		if (whole)
			buf_printf(body, ",\"code_id\":\"abcdef%02x\",\"code_file\":\"/bin/x\","
				   "\"debug_id\":\"0f1b9b2e-6f0f-4c0e-9a0e-0000000000%02x\","
				   "\"debug_file\":\"x.debug\",\"debug_checksum\":\"SHA256:00\","
				   "\"image_addr\":\"0x%x\",\"image_size\":4096",
				   i & 0xff, i & 0xff, 0x10000 + 0x1000 * i);
		buf_add_char(body, '}');
	}
	buf_add_string(body, "],");
}

static void add_frame(struct buf *body, unsigned index, bool whole)
{
	buf_printf(body, "%s{\"instruction_addr\":\"0x%x\"", index ? "," : "",
		   0x10100 + 0x10 * (index % 0x40));
	if (whole)
		buf_printf(body, ",\"function\":\"_Z4mai%uv\",\"package\":\"/bin/x\",\"trust\":\"cfi\","
			   "\"addr_mode\":\"abs\",\"platform\":\"nodejs\","
			   "\"adjust_instruction_addr\":true,\"function_id\":\"0x1\",\"lang\":\"cpp\","
			   "\"sym_addr\":\"0x5\",\"filename\":\"a.c\",\"abs_path\":\"/src/lib/a.cpp\","
			   "\"lineno\":7,\"pre_context\":[\"a\",\"b\"],\"context_line\":\"c\","
			   "\"post_context\":[\"d\"],\"source_link\":\"http://h/a.c\",\"in_app\":true,"
			   "\"vars\":{\"n\":\"1\",\"v\":\"2\"}", index);
	buf_add_char(body, '}');
}

static void add_traces(struct buf *body, unsigned traces, unsigned frames, bool whole)
{
	buf_add_string(body, "\"stacktraces\":[");
	for (unsigned i = 0; i < traces; i++) {
		buf_add_string(body, i ? ",{" : "{");
		if (whole)
			buf_printf(body, "\"thread_id\":%u,\"thread_name\":\"t\",\"is_requesting\":true,"
				   "\"registers\":{\"rip\":\"0x10100\",\"rsp\":\"0x7\",\"rip\":\"0x1\"},", i);
		buf_add_string(body, "\"frames\":[");
		for (unsigned j = 0; j < frames; j++)
			add_frame(body, j, whole);
		buf_add_string(body, "]}");
	}
	buf_add_string(body, "]");
}

static void add_options(struct buf *body)
{
	buf_add_string(body, ",\"platform\":\"native\",\"signal\":11,\"options\":{"
		       "\"dif_candidates\":true,\"apply_source_context\":true,"
		       "\"frame_order\":\"caller_first\",\"extract_variables\":true},"
		       "\"scraping\":{\"enabled\":true,\"verify_ssl\":false,"
		       "\"allowed_origins\":[\"*\"],\"headers\":{\"a\":\"b\",\"c\":\"d\"}}");
}

static const struct body_case {
	const char *what, *kind;
	unsigned sources, modules, traces, frames;
	bool whole, fine;
} bodies[] = {
	{ "everything once", "symbolicate", 1, 1, 1, 1, true, true },
	{ "a few of everything", "symbolicate", 3, 3, 2, 4, true, false },
	{ "modules of nothing", "symbolicate", 0, 40000, 0, 0, false, false },
	{ "whole modules", "symbolicate", 1, 200, 1, 200, true, false },
	{ "frames of nothing", "symbolicate", 0, 1, 10, 4000, false, false },
	{ "whole frames", "symbolicate", 1, 4, 20, 100, true, false },
	{ "sources", "symbolicate", 250, 2, 1, 2, true, false },
};

static void make_body(struct buf *body, const struct body_case *with)
{
	buf_init(body, BODY_BYTES);
	buf_add_char(body, '{');
	add_sources(body, with->sources);
	add_modules(body, with->modules, with->whole);
	add_traces(body, with->traces, with->frames, with->whole);
	if (with->whole)
		add_options(body);
	buf_add_char(body, '}');
	ck_assert(!body->failed);
}

/* --- The sweep --------------------------------------------------------------------------- */

struct outcome { bool is_whole; size_t held_bytes; struct err err; };

static struct outcome answer_below(const struct body_case *with, struct text body,
				   struct text symcache, struct text variables, size_t ceiling)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/s0/ab/cdef00.debug", ERR_NONE, TEXT("{\"has_debug_info\":true,"
		  "\"has_sources\":true,\"wants\":[{\"role\":\"dwz\",\"id\":\"0011\"},"
		  "{\"role\":\"debuglink\",\"name\":\"y.debug\",\"crc\":7}]}"), 1, 0 },
		{ &derived_symcache, "/s0/ab/cdef00.debug", ERR_NONE, symcache, 1, 0 },
	};
	struct fake_entry with_variables = { .payload = variables };
	struct config config = fake_config;
	struct outcome outcome = { .err = ERR_INIT };
	struct fake_resolver fake;
	struct buf reply;
	struct work work;
	enum stepped stepped = STEP_ERROR;

	config.request_memory_bytes = ceiling;
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.variables = &with_variables;
	fake.resolver.memo = plan_memo_new();
	buf_init(&reply, BODY_BYTES);
	if (work_init(&work, request_kind_named(with->kind), &config, NULL, TEXT("mine"),
		      &outcome.err) < 0)
		goto done;
	if (fake_parse(&work, body, &outcome.err) == 0)
		do
			stepped = work.kind->step(&work, &fake.resolver, &outcome.err);
		while (stepped == STEP_WAIT);
	outcome.is_whole = stepped == STEP_DONE &&
			   work.kind->answer(&work, &reply, &outcome.err) == 0;
done:
	outcome.held_bytes = work.arena.held_bytes;
	work_release(&work);
	plan_memo_free(fake.resolver.memo);
	buf_release(&reply);
	return outcome;
}

static bool is_told_as_a_limit(const struct err *err)
{
	return err->kind == ERR_LIMIT || err->kind == ERR_TOO_LARGE || err->kind == ERR_NO_MEMORY;
}

START_TEST(refuses_below_every_ceiling)
{
	const struct body_case *with = &bodies[_i];
	struct buf body, symcache, variables;
	struct outcome whole;
	size_t step, refused = 0;

	make_body(&body, with);
	buf_init(&symcache, BODY_BYTES);
	buf_init(&variables, BODY_BYTES);
	fake_symcache(&symcache, ARCH_X86_64);
	fake_variables(&variables, ARCH_X86_64);
	whole = answer_below(with, buf_text(&body), buf_text(&symcache), buf_text(&variables),
			     BODY_BYTES * 8);
	ck_assert_msg(whole.is_whole, "%s: %s", with->what, whole.err.text);
	step = with->fine ? FINE_STEP_BYTES : whole.held_bytes / COARSE_STEPS;
	for (size_t ceiling = 0; ceiling < whole.held_bytes; ceiling += step) {
		struct outcome one = answer_below(with, buf_text(&body), buf_text(&symcache),
						  buf_text(&variables), ceiling);

		ck_assert_msg(one.is_whole || is_told_as_a_limit(&one.err), "%s: %zu bytes: %s",
			      with->what, ceiling, one.err.text);
		ck_assert_uint_le(one.held_bytes, ceiling);
		ck_assert_int_eq(fake_holds, 0);
		refused += !one.is_whole;
	}
	ck_assert_uint_gt(refused, 0);
	buf_release(&body);
	buf_release(&symcache);
	buf_release(&variables);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbolicate ceilings");
	TCase *tests = tcase_create("ceilings");

	tcase_add_loop_test(tests, refuses_below_every_ceiling, 0, (int)COUNT(bodies));
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
