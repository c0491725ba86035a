/* test_native.c -- modules, addresses, choice, candidates and whole answers. */
#include "support/support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/arch.h"
#include "base/guard.h"
#include "base/limits.h"
#include "kinds/native/fake.h"
#include "kinds/native/symbolication.h"
#include "work/envelope.h"
#include "kinds/kinds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- One request from body to reply ------------------------------------------------------ */

struct answered { struct buf reply; unsigned steps; struct err err; };

static int answer_with(struct answered *out, struct fake_resolver *fake, const char *body,
		       struct text scope)
{
	struct work work;
	enum stepped stepped = STEP_ERROR;
	int result = -1;

	buf_init(&out->reply, 1 << 20);
	out->steps = 0;
	out->err = (struct err)ERR_INIT;
	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, scope, &out->err) < 0)
		return -1;
	if (fake_parse(&work, text_of(body), &out->err) < 0)
		goto done;
	do {
		stepped = work.kind->step(&work, &fake->resolver, &out->err);
		out->steps++;
	} while (stepped == STEP_WAIT && out->steps < 100);
	if (stepped == STEP_DONE)
		result = work.kind->answer(&work, &out->reply, &out->err);
done:
	work_release(&work);
	return result;
}

static void expect_answer(struct fake_resolver *fake, const char *body, const char *reply)
{
	struct answered answered;

	ck_assert_msg(answer_with(&answered, fake, body, TEXT_NONE) == 0, "%s",
		      answered.err.text);
	ck_assert_str_eq(buf_string(&answered.reply), reply);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&answered.reply);
}

#define FEATURES(debug, unwind, symbols, sources) "{\"has_debug_info\":" debug \
	",\"has_unwind_info\":" unwind ",\"has_symbols\":" symbols ",\"has_sources\":" sources "}"
#define NO_FEATURES FEATURES("false", "false", "false", "false")
#define DEBUG_FEATURES FEATURES("true", "true", "true", "false")
#define FILTERED(id, types) "{\"type\":\"http\",\"id\":\"" id "\",\"url\":\"http://h/" id \
	"/\",\"filters\":{\"filetypes\":[" types "]}}"
#define ELF_MODULE "{\"type\":\"elf\",\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\"," \
	"\"image_addr\":\"0x10000\",\"image_size\":4096}"
#define ELF_ECHO(status, features, arch) "{\"debug_status\":\"" status "\",\"features\":" \
	features ",\"arch\":\"" arch "\",\"type\":\"elf\",\"code_id\":\"abcdef01\"," \
	"\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096"
#define ONE_FRAME(address) "\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"" address \
	"\"}]}]"

static struct buf made;              /* the hand-made SymCache */

static struct text made_symcache(uint32_t arch)
{
	buf_init(&made, 1 << 20);
	fake_symcache(&made, arch);
	return buf_text(&made);
}

static void forget_made(void)
{
	buf_release(&made);
}

/* --- Modules ----------------------------------------------------------------------------- */

static struct symbolication *parsed(struct work *work, const char *body)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(work_init(work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE,
				   &err), 0);
	ck_assert_msg(fake_parse(work, text_of(body), &err) == 0, "%s", err.text);
	return work->state;
}

static const struct { const char *what; bool rel; uint64_t mode, address; int index; } finds[] = {
	{ "first byte of a", false, 0, 0x1000, 1 },
	{ "inside a, whose size is inferred", false, 0, 0x1234, 1 },
	{ "before all", false, 0, 0xfff, -1 },
	{ "start of b", false, 0, 0x2000, 0 },
	{ "one past b's end", false, 0, 0x3000, 0 },
	{ "behind b's end", false, 0, 0x3001, -1 },
	{ "between b and c", false, 0, 0x3456, -1 },
	{ "inside c", false, 0, 0x4567, 2 },
	{ "far behind c, which is open", false, 0, UINT64_MAX, 2 },
	{ "relative to b", true, 0, 0x3456, 0 },
	{ "relative to c, out of range", true, 2, UINT64_MAX, 2 },
	{ "relative to none", true, 3, 0, -1 },
	{ "relative to none at all", true, UINT64_MAX, 0, -1 },
};

START_TEST(finds_modules)
{
	struct work work;
	struct symbolication *native = parsed(&work, "{\"modules\":["
		"{\"type\":\"x\",\"image_addr\":\"0x2000\",\"image_size\":4096},"
		"{\"type\":\"x\",\"image_addr\":\"0x1000\"},"
		"{\"type\":\"x\",\"image_addr\":\"0x4000\"}]}");
	struct addr_mode mode = { finds[_i].rel, finds[_i].mode };
	struct native_module *found = module_table_find(&native->table, mode, finds[_i].address);
	int index = found ? (int)(found - native->table.modules) : -1;

	ck_assert_msg(index == finds[_i].index, "%s: %d", finds[_i].what, index);
	ck_assert(native->table.modules[1].has_size);
	ck_assert_uint_eq(native->table.modules[1].image_size, 0x1000);
	ck_assert(!native->table.modules[2].has_size);
	work_release(&work);
}
END_TEST

START_TEST(two_modules_at_one_address)
{
	struct work work;
	struct symbolication *native = parsed(&work, "{\"modules\":["
		"{\"type\":\"x\",\"image_addr\":\"0x1000\"},"
		"{\"type\":\"x\",\"image_addr\":\"0x1000\",\"image_size\":16}]}");

	ck_assert(native->table.modules[0].has_size);
	ck_assert_uint_eq(native->table.modules[0].image_size, 0);
	ck_assert_uint_eq(native->table.modules[1].image_size, 16);
	work_release(&work);
}
END_TEST

/* --- Addresses --------------------------------------------------------------------------- */

static const struct {
	const char *what;
	uint32_t arch;
	enum maybe_bool says;        /* the frame itself */
	bool any_says;
	size_t index;
	const char *ip; uint64_t ip_value;   /* a register, if any */
	uint64_t signal;             /* 0: none */
	uint64_t address, adjusted;  /* adjusted 0: below the module (at 0x1000) */
} adjusts[] = {
	{ "x86_64, innermost", ARCH_X86_64, 0, false, 0, NULL, 0, 0, 0x1235, 0x1235 },
	{ "x86_64, caller", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "x86, caller", ARCH_X86, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "unknown arch, caller", ARCH_UNKNOWN, 0, false, 1, NULL, 0, 0, 0x1235, 0x1234 },
	{ "arm, innermost", ARCH_ARMV7, 0, false, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "arm, caller", ARCH_ARMV7, 0, false, 1, NULL, 0, 0, 0x1235, 0x1232 },
	{ "arm64, innermost", ARCH_ARM64, 0, false, 0, NULL, 0, 0, 0x1237, 0x1234 },
	{ "arm64, caller", ARCH_ARM64, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "arm64_32, caller", ARCH_ARM64_32, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "ppc, caller", ARCH_PPC, 0, false, 1, NULL, 0, 0, 0x1234, 0x1230 },
	{ "ppc64, caller", ARCH_PPC64, 0, false, 1, NULL, 0, 0, 0x1234, 0x1228 },
	{ "mips, caller", ARCH_MIPS, 0, false, 1, NULL, 0, 0, 0x1238, 0x1230 },
	{ "mips, innermost", ARCH_MIPS, 0, false, 0, NULL, 0, 0, 0x1239, 0x1238 },
	{ "told to, innermost", ARCH_X86_64, MAYBE_TRUE, true, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "told not to, caller", ARCH_X86_64, MAYBE_FALSE, true, 1, NULL, 0, 0, 0x1235, 0x1235 },
	{ "another frame says", ARCH_X86_64, 0, true, 0, NULL, 0, 0, 0x1235, 0x1234 },
	{ "a signal elsewhere", ARCH_X86_64, 0, false, 0, "rip", 0x9, 11, 0x1235, 0x1234 },
	{ "a signal right here", ARCH_X86_64, 0, false, 0, "rip", 0x1235, 11, 0x1235, 0x1235 },
	{ "a signal that does not count", ARCH_X86_64, 0, false, 0, "rip", 0x9, 6, 0x1235, 0x1235 },
	{ "the register of another CPU", ARCH_X86_64, 0, false, 0, "pc", 0x9, 11, 0x1235, 0x1235 },
	{ "arm64's register", ARCH_ARM64, 0, false, 0, "pc", 0x9, 4, 0x1234, 0x1230 },
	{ "ppc's register", ARCH_PPC, 0, false, 0, "srr0", 0x9, 10, 0x1234, 0x1230 },
	{ "x86's register", ARCH_X86, 0, false, 0, "eip", 0x9, 11, 0x1234, 0x1233 },
	{ "registers but no signal", ARCH_X86_64, 0, false, 0, "rip", 0x9, 0, 0x1235, 0x1235 },
	{ "below the module", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0x1000, 0 },
	{ "aligned below the module", ARCH_ARM64, 0, false, 1, NULL, 0, 0, 0x1003, 0 },
	{ "below zero", ARCH_X86_64, 0, false, 1, NULL, 0, 0, 0, 0 },
};

START_TEST(adjusts_addresses)
{
	struct raw_frame frames[2] = { { .adjust = MAYBE_UNSET } };
	struct cpu_register ip = { text_of(adjusts[_i].ip), adjusts[_i].ip_value, 0 };
	struct raw_trace trace = {
		.frames = frames, .frame_count = 2, .registers = &ip,
		.register_count = adjusts[_i].ip ? 1 : 0,
	};
	struct adjustment adjustment = {
		.arch = adjusts[_i].arch, .any_frame_says = adjusts[_i].any_says, .trace = &trace,
		.signal = { adjusts[_i].signal != 0, adjusts[_i].signal },
	};
	uint64_t adjusted = 0;
	bool inside;

	frames[adjusts[_i].index].adjust = adjusts[_i].says;
	inside = adjust_address(&adjustment, adjusts[_i].index, 0x1000, adjusts[_i].address,
				&adjusted);
	ck_assert_msg(inside == (adjusts[_i].adjusted != 0), "%s", adjusts[_i].what);
	if (inside)
		ck_assert_msg(adjusted == adjusts[_i].adjusted, "%s: 0x%llx", adjusts[_i].what,
			      (unsigned long long)adjusted);
}
END_TEST

/* --- Choice ------------------------------------------------------------------------------ */

/* d: debug info, s: symbols, S: sources, u: unwind only, -: nothing, x: failed */
static const struct { const char *what, *found; enum lookup_purpose purpose; size_t winner; }
choices[] = {
	{ "nothing found", "", LOOKUP_DEBUG, NO_WINNER },
	{ "debug info before symbols", "sd", LOOKUP_DEBUG, 1 },
	{ "the first of equals", "xdd", LOOKUP_DEBUG, 1 },
	{ "symbols before failures", "xs", LOOKUP_DEBUG, 1 },
	{ "the first failure", "-xx", LOOKUP_DEBUG, 1 },
	{ "useless ones do not count", "-uS", LOOKUP_DEBUG, NO_WINNER },
	{ "unwind", "Suu", LOOKUP_UNWIND, 1 },
	{ "unwind: none", "S-", LOOKUP_UNWIND, NO_WINNER },
	{ "sources", "dxS", LOOKUP_SOURCE, 2 },
	{ "sources: a failure", "dx", LOOKUP_SOURCE, 1 },
};

START_TEST(chooses)
{
	const char *found = choices[_i].found;
	struct candidate candidates[8] = { { .held = { .is_settled = true } } }, *list[8];
	struct lookup lookup = { .candidates = list };

	for (; found[lookup.locations.count]; lookup.locations.count++) {
		struct candidate *one = &candidates[lookup.locations.count];
		char c = found[lookup.locations.count];

		list[lookup.locations.count] = one;
		one->held.failure = c == 'x' ? ERR_DOWNLOAD : ERR_NONE;
		one->meta.has_debug_info = one->meta.has_unwind_info = c == 'd';
		one->meta.has_symbols = c == 's' || c == 'd';
		one->meta.has_unwind_info = c == 'u' || c == 'd';
		one->meta.has_sources = c == 'S';
	}
	ck_assert_msg(lookup_choose(&lookup, choices[_i].purpose) == choices[_i].winner, "%s",
		      choices[_i].what);
}
END_TEST

/* --- Whole answers ----------------------------------------------------------------------- */

START_TEST(empty_requests)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{}", "{\"status\":\"completed\",\"stacktraces\":[],\"modules\":[]}");
	expect_answer(&fake, "{\"platform\":\"native\",\"signal\":11,\"sources\":[],"
		"\"stacktraces\":[{\"thread_id\":7,\"thread_name\":\"main\",\"is_requesting\":true,"
		"\"registers\":{\"eip\":\"0x0000000000000010\"},\"frames\":[]}]}",
		"{\"status\":\"completed\",\"signal\":11,\"stacktraces\":[{\"thread_id\":7,"
		"\"thread_name\":\"main\",\"is_requesting\":true,\"registers\":{\"eip\":\"0x10\"},"
		"\"frames\":[]}],\"modules\":[]}");
	ck_assert_uint_eq(fake.asked, 0);
}
END_TEST

START_TEST(no_sources_and_every_member_echoed)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{\"sources\":[],\"modules\":[{\"type\":\"pe\",\"debug_id\":"
		"\"FF9F9F7841DB88F0CDEDA9E1E9BFF3B51\",\"code_file\":\"C:\\\\k.dll\",\"debug_file\":"
		"\"k.pdb\",\"image_addr\":\"0x749d0000\",\"image_size\":851968,\"debug_checksum\":"
		"\"SHA256:00\"}],\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x749e8630\","
		"\"platform\":\"nodejs\",\"adjust_instruction_addr\":false,\"function_id\":9,"
		"\"package\":\"p\",\"lang\":\"unknown\",\"symbol\":\"s\",\"sym_addr\":\"5\","
		"\"function\":\"f\",\"filename\":\"n\",\"abs_path\":\"a\",\"lineno\":0,"
		"\"pre_context\":[\"x\"],\"context_line\":\"y\",\"post_context\":[],"
		"\"source_link\":\"l\",\"in_app\":true,\"vars\":{\"a\":\"int\"},\"trust\":\"cfi\"}]}],"
		"\"options\":{\"dif_candidates\":true}}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[{\"status\":\"missing\","
		"\"original_index\":0,\"platform\":\"node\",\"instruction_addr\":\"0x749e8630\","
		"\"adjust_instruction_addr\":false,\"function_id\":\"0x9\",\"package\":\"C:\\\\k.dll\","
		"\"lang\":\"unknown\",\"symbol\":\"s\",\"sym_addr\":\"0x5\",\"function\":\"f\","
		"\"filename\":\"n\",\"abs_path\":\"a\",\"lineno\":0,\"pre_context\":[\"x\"],"
		"\"context_line\":\"y\",\"source_link\":\"l\",\"in_app\":true,\"vars\":{\"a\":\"int\"},"
		"\"trust\":\"cfi\"}]}],\"modules\":[{\"debug_status\":\"missing\",\"features\":"
		NO_FEATURES ",\"arch\":\"unknown\",\"type\":\"pe\",\"code_file\":\"C:\\\\k.dll\","
		"\"debug_id\":\"ff9f9f78-41db-88f0-cded-a9e1e9bff3b5-1\",\"debug_file\":\"k.pdb\","
		"\"debug_checksum\":\"SHA256:00\",\"image_addr\":\"0x749d0000\",\"image_size\":851968}]}");
}
END_TEST

#define REQUEST(options, frames) "{\"sources\":[" FILTERED("s", "\"elf_code\",\"elf_debug\"") \
	"],\"modules\":[" ELF_MODULE "],\"stacktraces\":[{\"frames\":[" frames "]}]," \
	"\"options\":{" options "}}"

#define OUTER(address, line, index, sym) "{\"status\":\"symbolicated\",\"original_index\":" \
	index ",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"cpp\"," \
	"\"symbol\":\"_Z5outeri\"," sym "\"function\":\"outer(int)\",\"filename\":\"a.cpp\"," \
	"\"abs_path\":\"/src/lib/a.cpp\",\"lineno\":" line "}"
#define INNER(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"cpp\"," \
	"\"symbol\":\"_ZN5innerEv\",\"function\":\"inner()\",\"filename\":\"a.cpp\"," \
	"\"abs_path\":\"/src/lib/a.cpp\",\"lineno\":77}"
#define MAIN(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"c\"," \
	"\"symbol\":\"main\",\"sym_addr\":\"0x10200\",\"function\":\"main\",\"filename\":\"main.c\"," \
	"\"abs_path\":\"/src/main.c\",\"lineno\":5}"
#define BARE(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"symbol\":\"bare\"," \
	"\"sym_addr\":\"0x10300\",\"function\":\"bare\",\"lineno\":0}"

START_TEST(a_found_module_with_inlined_calls)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 1, 1 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 2, 1 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.name_waits = 1;
	expect_answer(&fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10110\"},{\"instruction_addr\":\"0x10201\"},"
		"{\"instruction_addr\":\"0x310\",\"addr_mode\":\"rel:0\"},"
		"{\"instruction_addr\":\"0x10450\"},{\"instruction_addr\":\"0x9\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		INNER("0x10110", "0") ","
		OUTER("0x10110", "10", "0", "\"sym_addr\":\"0x10100\",") ","
		MAIN("0x10200", "1") "," BARE("0x1030f", "2") ","
		"{\"status\":\"missing_symbol\",\"original_index\":3,\"instruction_addr\":\"0x10450\","
		"\"package\":\"/bin/x\"},{\"status\":\"unknown_image\",\"original_index\":4,"
		"\"instruction_addr\":\"0x9\"}]}],\"modules\":["
		ELF_ECHO("found", DEBUG_FEATURES, "x86_64") ",\"candidates\":["
		"{\"source\":\"s\",\"location\":\"http://h/s/ab/cdef01\",\"download\":"
		"{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01.debug\",\"download\":{\"status\":\"ok\",\"features\":"
		DEBUG_FEATURES "},\"debug\":{\"status\":\"ok\"}}]}]}");
	ck_assert_uint_eq(fake.invalidated, 2);
	ck_assert_uint_eq(fake.name_messages, 1);
	ck_assert_uint_eq(fake.names, 3);     /* outer, inner, bare; C names are never mangled */
	ck_assert(text_is(fake.last_symcache_key, "scope: global\n\nsource: s\nlocation: "
			  "http://h/s/ab/cdef01.debug\n"));
	forget_made();
}
END_TEST

START_TEST(caller_first_is_turned_twice)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, REQUEST("\"frame_order\":\"caller_first\"",
		"{\"instruction_addr\":\"0x10201\"},{\"instruction_addr\":\"0x10110\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[" MAIN("0x10200", "1") ","
		OUTER("0x10110", "10", "0", "\"sym_addr\":\"0x10100\",") ","
		INNER("0x10110", "0") "]}],\"modules\":["
		ELF_ECHO("found", DEBUG_FEATURES, "x86_64") "}]}");
	forget_made();
}
END_TEST

START_TEST(a_module_at_zero_is_relative)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_WASM32), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"wasm_debug\"") "],\"modules\":["
		"{\"type\":\"wasm\",\"code_id\":\"abcdef01\"}],\"stacktraces\":[{\"frames\":["
		"{\"instruction_addr\":\"0x205\",\"addr_mode\":\"rel:0\"},"
		"{\"instruction_addr\":\"0x205\"}]}]}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[{\"status\":\"symbolicated\","
		"\"original_index\":0,\"addr_mode\":\"rel:0\",\"instruction_addr\":\"0x205\",\"lang\":"
		"\"c\",\"symbol\":\"main\",\"sym_addr\":\"0x200\",\"function\":\"main\",\"filename\":"
		"\"main.c\",\"abs_path\":\"/src/main.c\",\"lineno\":5},{\"status\":\"missing_symbol\","
		"\"original_index\":1,\"instruction_addr\":\"0x205\"}]}],\"modules\":["
		"{\"debug_status\":\"found\",\"features\":" DEBUG_FEATURES ",\"arch\":\"wasm32\","
		"\"type\":\"wasm\",\"code_id\":\"abcdef01\",\"image_addr\":\"0x0\"}]}");
	forget_made();
}
END_TEST

/* --- Frames that fail -------------------------------------------------------------------- */

START_TEST(names_of_frames_nobody_knows)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{\"stacktraces\":[{\"frames\":["
		"{\"instruction_addr\":1,\"function\":\"_Z4mainv\"},"
		"{\"instruction_addr\":2,\"symbol\":\"_Z4mainv\"},"
		"{\"instruction_addr\":3,\"symbol\":\"_Z4mainv\",\"function\":\"x\"},"
		"{\"instruction_addr\":4,\"function\":\"plain\"},"
		"{\"instruction_addr\":5,\"trust\":\"scan\"},"
		"{\"instruction_addr\":6,\"function\":\"_Zstart\"},"
		"{\"instruction_addr\":7}]},"
		"{\"frames\":[{\"instruction_addr\":8,\"function\":\"_start\"},"
		"{\"instruction_addr\":9},{\"instruction_addr\":10}]}]}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"unknown_image\",\"original_index\":0,\"instruction_addr\":\"0x1\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"main()\"},"
		"{\"status\":\"unknown_image\",\"original_index\":1,\"instruction_addr\":\"0x2\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"main()\"},"
		"{\"status\":\"unknown_image\",\"original_index\":2,\"instruction_addr\":\"0x3\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"x\"},"
		"{\"status\":\"unknown_image\",\"original_index\":3,\"instruction_addr\":\"0x4\","
		"\"function\":\"plain\"},"
		"{\"status\":\"unknown_image\",\"original_index\":5,\"instruction_addr\":\"0x6\","
		"\"symbol\":\"_Zstart\",\"function\":\"_start\"}]},"
		"{\"frames\":["
		"{\"status\":\"unknown_image\",\"original_index\":0,\"instruction_addr\":\"0x8\","
		"\"function\":\"_start\"},"
		"{\"status\":\"unknown_image\",\"original_index\":1,\"instruction_addr\":\"0x9\"},"
		"{\"status\":\"unknown_image\",\"original_index\":2,\"instruction_addr\":\"0xa\"}"
		"]}],\"modules\":[]}");
}
END_TEST

START_TEST(a_module_only_dropped_frames_spoke_of_is_unused)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, REQUEST("\"dif_candidates\":false",
		"{\"instruction_addr\":\"0x10001\",\"trust\":\"scan\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[]}],\"modules\":["
		ELF_ECHO("unused", DEBUG_FEATURES, "x86_64") "}]}");
	forget_made();
}
END_TEST

/* --- Statuses ---------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum err_kind kind;
	const char *details, *frame, *module, *download, *use;
} failures[] = {
	{ "not found", ERR_NOT_FOUND, "", "missing", "missing",
	  "{\"status\":\"notfound\"}", "" },
	{ "denied", ERR_DENIED, "403 Forbidden", "missing", "fetching_failed",
	  "{\"status\":\"noperm\",\"details\":\"403 Forbidden\"}", "" },
	{ "download error", ERR_DOWNLOAD, "500 Internal Server Error", "missing",
	  "fetching_failed", "{\"status\":\"error\",\"details\":"
	  "\"download failed: 500 Internal Server Error\"}", "" },
	{ "timeout", ERR_TIMEOUT, "200ms", "missing", "timeout",
	  "{\"status\":\"error\",\"details\":\"download timed out after 200ms\"}", "" },
	{ "malformed", ERR_MALFORMED, "reading elf", "malformed", "malformed",
	  "{\"status\":\"malformed\"}", ",\"debug\":{\"status\":\"malformed\"}" },
	{ "unsupported", ERR_UNSUPPORTED, "a PDB", "missing", "unsupported",
	  "{\"status\":\"error\",\"details\":\"unsupported: a PDB\"}",
	  ",\"debug\":{\"status\":\"malformed\"}" },
	{ "crashed", ERR_CRASHED, "the cell died of signal 11", "malformed", "malformed",
	  "{\"status\":\"malformed\",\"details\":\"the cell died of signal 11\"}",
	  ",\"debug\":{\"status\":\"malformed\",\"details\":\"the cell died of signal 11\"}" },
	{ "our own trouble", ERR_IO, "disk full", "missing", "other",
	  "{\"status\":\"error\",\"details\":\"internal error\"}",
	  ",\"debug\":{\"status\":\"malformed\"}" },
};

START_TEST(objects_that_cannot_be_had)
{
	struct fake_entry entry = { &derived_object_meta, "cdef01", failures[_i].kind,
				    text_of(failures[_i].details), 1, 0 };
	struct fake_resolver fake;
	char *reply = support_printf("{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"%s\",\"original_index\":0,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\"}]}],\"modules\":[{\"debug_status\":\"%s\",\"features\":"
		NO_FEATURES ",\"arch\":\"unknown\",\"type\":\"elf\",\"code_id\":\"abcdef01\","
		"\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096,"
		"\"candidates\":[{\"source\":\"s\",\"location\":\"No object files listed on this "
		"source\",\"download\":{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":%s%s}]}]}", failures[_i].frame,
		failures[_i].module, failures[_i].download, failures[_i].use);

	fake_resolver_init(&fake, &entry, 1);
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"elf_code\"") "],\"modules\":["
		      ELF_MODULE "]," ONE_FRAME("0x10110") ",\"options\":{\"dif_candidates\":true}}",
		      reply);
}
END_TEST

static const struct {
	const char *what;
	enum err_kind kind;
	const char *details, *frame, *module, *use;
} conversions[] = {
	{ "malformed", ERR_MALFORMED, "bad DWARF", "malformed", "malformed",
	  "{\"status\":\"malformed\"}" },
	{ "over a limit", ERR_LIMIT, "took more than 4 GiB", "malformed", "malformed",
	  "{\"status\":\"malformed\",\"details\":\"took more than 4 GiB\"}" },
	{ "gone meanwhile", ERR_NOT_FOUND, "", "missing", "missing",
	  "{\"status\":\"error\",\"details\":\"Object file no longer available\"}" },
	{ "unsupported", ERR_UNSUPPORTED, "no units", "missing", "unsupported",
	  "{\"status\":\"error\",\"details\":\"unsupported: no units\"}" },
	{ "our own trouble", ERR_IO, "disk full", "missing", "other",
	  "{\"status\":\"error\",\"details\":\"internal error\"}" },
	{ "damaged for ever", ERR_NONE, "damaged", "malformed", "malformed",
	  "{\"status\":\"malformed\"}" },
};

START_TEST(objects_that_cannot_be_converted)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_SYMBOLS), 0, 0 },
		{ &derived_symcache, "cdef01", conversions[_i].kind, text_of(conversions[_i].details),
		  1, 0 },
	};
	struct fake_resolver fake;
	char *reply = support_printf("{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"%s\",\"original_index\":0,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\"}]}],\"modules\":[{\"debug_status\":\"%s\",\"features\":"
		FEATURES("false", "true", "true", "false") ",\"arch\":\"unknown\",\"type\":\"elf\","
		"\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\","
		"\"image_size\":4096,\"candidates\":[{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":{\"status\":\"ok\",\"features\":"
		FEATURES("false", "true", "true", "false") "},\"debug\":%s}]}]}",
		conversions[_i].frame, conversions[_i].module, conversions[_i].use);

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"elf_code\"") "],\"modules\":["
		      ELF_MODULE "]," ONE_FRAME("0x10110") ",\"options\":{\"dif_candidates\":true,"
		      "\"apply_source_context\":false}}", reply);
	ck_assert_uint_eq(fake.invalidated, conversions[_i].kind ? 0 : HELD_SENSELESS_TRIES);
}
END_TEST

START_TEST(dotnet_is_unsupported)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "c.pdb", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		FILTERED("s", "\"pdb\"") "],\"modules\":[{\"type\":\"pe_dotnet\",\"debug_file\":"
		"\"c.pdb\",\"debug_id\":\"3249d99d0c4049318610f4e4fb0b6936\"}],\"stacktraces\":[{"
		"\"frames\":[{\"instruction_addr\":10,\"function_id\":6,\"addr_mode\":\"rel:0\"}]}],"
		"\"options\":{\"dif_candidates\":true}}", TEXT_NONE), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "{\"status\":\"missing\","
		"\"original_index\":0,\"addr_mode\":\"rel:0\",\"instruction_addr\":\"0xa\","
		"\"function_id\":\"0x6\"}"));
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply),
		"\"debug_status\":\"unsupported\",\"features\":" DEBUG_FEATURES));
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "\"debug\":{\"status\":\"error\","
		"\"details\":\"unsupported: Only portable PDB files can be used for .NET "
		"symbolication\"}"));
	buf_release(&answered.reply);
}
END_TEST

/* --- Sources, scopes, companions --------------------------------------------------------- */

START_TEST(sources_are_looked_for_afterwards)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_object_meta, ".src.zip", ERR_NONE, TEXT(FAKE_META_SOURCES), 1, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("b", "\"elf_debug\",\"sourcebundle\"") ","
		FILTERED("a", "\"mach_code\"") "],\"modules\":[" ELF_MODULE "],"
		ONE_FRAME("0x10200") ",\"options\":{\"dif_candidates\":true}}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[" MAIN("0x10200", "0")
		"]}],\"modules\":[" ELF_ECHO("found", FEATURES("true", "true", "true", "true"),
		"x86_64") ",\"candidates\":[{\"source\":\"a\",\"location\":\"No object files listed "
		"on this source\",\"download\":{\"status\":\"notfound\"}},"
		"{\"source\":\"b\",\"location\":\"http://h/b/ab/cdef01.debug\",\"download\":"
		"{\"status\":\"ok\",\"features\":" DEBUG_FEATURES "},\"debug\":{\"status\":\"ok\"}},"
		"{\"source\":\"b\",\"location\":\"http://h/b/ab/cdef01.src.zip\",\"download\":"
		"{\"status\":\"ok\",\"features\":" FEATURES("false", "false", "false", "true")
		"}}]}]}");
	ck_assert_uint_eq(fake.asked, 5);     /* .debug once, .src.zip twice, both caches */
	forget_made();
}
END_TEST

START_TEST(keys_carry_scope_and_companions)
{
	static const char meta[] = "{\"has_debug_info\":true,\"wants\":["
		"{\"role\":\"dwz\",\"id\":\"0011\"},{\"role\":\"dwz\",\"id\":\"2233\"},"
		"{\"role\":\"debuglink\",\"name\":\"x.debug\"}]}";
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01.debug", ERR_NONE, TEXT(meta), 0, 0 },
		{ &derived_object_meta, "/11.debug", ERR_NONE, TEXT(FAKE_META_NOTHING), 2, 0 },
		{ &derived_symcache, "cdef01.debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10200\"}"), TEXT("mine")), 0);
	ck_assert(text_is(fake.last_symcache_key, "scope: mine\n\nsource: s\nlocation: "
		"http://h/s/ab/cdef01.debug\n\ncompanion: dwz\nsource: s\nlocation: "
		"http://h/s/00/11.debug\n\ncompanion: dwz\nabsent: 2233\n"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "/00/11"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "/22/33"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* A UUID map leads to the BCSymbolMap; both are looked for in all sources, the first that is
 * there counts, and neither is told to the user. */
#define MAP_META "{\"has_debug_info\":true,\"wants\":[{\"role\":\"bcsymbolmap\",\"id\":\"00\"}]}"
#define ORIGINAL_UUID "c8374b6d-6e96-34d8-ae38-efaa5fec424f"
#define OWN_UUID "12/34567812345678123456789abcdef0"

static const struct {
	const char *what;
	enum err_kind uuid_maps[2], symbol_maps[2];      /* of either source */
	const char *key;                                 /* what companions add to it */
} map_cases[] = {
	{ "both in the first", { ERR_NONE, ERR_NONE }, { ERR_NONE, ERR_NONE },
	  "\nbcsymbolmap:\nsource: a\nlocation: http://h/a/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap\n" },
	{ "the second has the maps", { ERR_NOT_FOUND, ERR_NONE }, { ERR_MALFORMED, ERR_NONE },
	  "\nbcsymbolmap:\nsource: b\nlocation: http://h/b/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap\n" },
	{ "no UUID map", { ERR_NOT_FOUND, ERR_DOWNLOAD }, { ERR_NONE, ERR_NONE }, "" },
	{ "no BCSymbolMap", { ERR_NONE, ERR_NONE }, { ERR_TIMEOUT, ERR_NOT_FOUND }, "" },
};

START_TEST(maps_are_found_in_two_steps)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/a/" OWN_UUID "/debuginfo", ERR_NONE, TEXT(MAP_META), 0, 0 },
		{ &derived_uuid_map, "/a/" OWN_UUID "/uuidmap", map_cases[_i].uuid_maps[0],
		  TEXT(ORIGINAL_UUID), 1, 1 },
		{ &derived_uuid_map, "/b/" OWN_UUID "/uuidmap", map_cases[_i].uuid_maps[1],
		  TEXT(ORIGINAL_UUID), 0, 0 },
		{ &derived_symbol_map, "/a/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap",
		  map_cases[_i].symbol_maps[0], TEXT("whatever"), 2, 0 },
		{ &derived_symbol_map, "/b/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap",
		  map_cases[_i].symbol_maps[1], TEXT("whatever"), 0, 0 },
		{ &derived_symcache, "/debuginfo", ERR_NONE, made_symcache(ARCH_ARM64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	char key[512];

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		"{\"type\":\"http\",\"id\":\"a\",\"url\":\"http://h/a/\",\"layout\":{\"type\":\"unified\"}},"
		"{\"type\":\"http\",\"id\":\"b\",\"url\":\"http://h/b/\",\"layout\":{\"type\":\"unified\"}}],"
		"\"modules\":[{\"type\":\"macho\",\"image_addr\":\"0x10000\","
		"\"debug_id\":\"12345678-1234-5678-1234-56789abcdef0\"}],"
		"\"options\":{\"dif_candidates\":true}," ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	snprintf(key, sizeof(key), "scope: mine\n\nsource: a\nlocation: http://h/a/" OWN_UUID
		 "/debuginfo\n%s", map_cases[_i].key);
	ck_assert_msg(text_is(fake.last_symcache_key, key), "%s: %.*s", map_cases[_i].what,
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.invalidated, map_cases[_i].uuid_maps[0] == ERR_NONE);
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "uuidmap"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "bcsymbolmap"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* A line map stands under the module's own ids in all sources; the first that is there and is one
 * counts.  Only some layouts have a place for it. */
#define UNITY_MODULE "{\"type\":\"elf\",\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\"," \
	"\"debug_id\":\"12345678-1234-5678-1234-56789abcdef0\",\"image_addr\":\"0x10000\"}"
#define UNIFIED(id) LAID_OUT(id, "unified")
#define LAID_OUT(id, layout) "{\"type\":\"http\",\"id\":\"" id "\",\"url\":\"http://h/" id "/\"," \
	"\"layout\":{\"type\":\"" layout "\"}}"

static const struct {
	const char *what, *module, *sources;
	enum err_kind maps[2];                           /* of either source */
	unsigned asked;                                  /* maps among what was asked for */
	const char *key;                                 /* what the map adds to it */
} line_map_cases[] = {
	{ "in the first", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NONE, ERR_NONE }, 2,
	  "\nil2cpp:\nsource: a\nlocation: http://h/a/ab/cdef01/il2cpp\n" },
	{ "in the second", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_MALFORMED, ERR_NONE }, 2,
	  "\nil2cpp:\nsource: b\nlocation: http://h/b/ab/cdef01/il2cpp\n" },
	{ "nowhere", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NOT_FOUND, ERR_TIMEOUT }, 2, "" },
	{ "without a debug id", ELF_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NONE, ERR_NONE }, 0,
	  "" },
	{ "no place for one", UNITY_MODULE, UNIFIED("a") "," LAID_OUT("b", "debuginfod"),
	  { ERR_NOT_FOUND, ERR_NONE }, 1, "" },
};

START_TEST(line_maps_are_found)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/a/ab/cdef01/debuginfo", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_line_map, "/a/ab/cdef01/il2cpp", line_map_cases[_i].maps[0],
		  TEXT("a map"), 1, 0 },
		{ &derived_line_map, "/b/ab/cdef01/il2cpp", line_map_cases[_i].maps[1],
		  TEXT("a map"), 0, 0 },
		{ &derived_symcache, "/debuginfo", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	char key[512], body[2048];

	fake_resolver_init(&fake, entries, COUNT(entries));
	snprintf(body, sizeof(body), "{\"sources\":[%s],\"modules\":[%s],\"options\":"
		 "{\"dif_candidates\":true}," ONE_FRAME("0x10200") "}", line_map_cases[_i].sources,
		 line_map_cases[_i].module);
	ck_assert_int_eq(answer_with(&answered, &fake, body, TEXT("mine")), 0);
	snprintf(key, sizeof(key), "scope: mine\n\nsource: a\nlocation: "
		 "http://h/a/ab/cdef01/debuginfo\n%s", line_map_cases[_i].key);
	ck_assert_msg(text_is(fake.last_symcache_key, key), "%s: %.*s", line_map_cases[_i].what,
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.auxiliaries, line_map_cases[_i].asked);
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "il2cpp"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* Where every kind of file has the same place, the object there is not taken for a map. */
START_TEST(an_object_is_no_line_map)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/abcdef01/symbols", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "/abcdef01/symbols", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		LAID_OUT("s", "slashsymbols") "],\"modules\":[" UNITY_MODULE "],"
		ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	ck_assert_msg(text_is(fake.last_symcache_key, "scope: mine\n\nsource: s\nlocation: "
			      "http://h/s/x/abcdef01/symbols\n"), "%.*s",
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.auxiliaries, 0);
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* Variables stand in a file of their own; what cannot be had of it is left out. */
#define META_OF(format) "{\"has_debug_info\":true,\"format\":\"" format "\"}"
#define VARS_OUTER "\"vars\":{\"n\":\"int\"}"
#define VARS_INNER "\"vars\":{\"v\":\"char**\",\"w\":\"void*\"}"

static const struct {
	const char *what, *meta;
	enum err_kind failure;
	unsigned waits, damaged;
	bool is_asked, is_told;
} variables_cases[] = {
	{ "unasked", META_OF("elf"), ERR_NONE, 0, 0, false, false },
	{ "there", META_OF("elf"), ERR_NONE, 0, 0, true, true },
	{ "there later", META_OF("wasm"), ERR_NONE, 2, 0, true, true },
	{ "damaged once", META_OF("macho"), ERR_NONE, 1, 1, true, true },
	{ "damaged always", META_OF("pe"), ERR_NONE, 0, 99, true, false },
	{ "too large to be made", META_OF("elf"), ERR_LIMIT, 0, 0, true, false },
	{ "no DWARF", META_OF("pdb"), ERR_NONE, 0, 0, true, false },
};

START_TEST(variables_are_told_to_those_who_ask)
{
	struct buf lists;
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, text_of(variables_cases[_i].meta), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_entry variables = { &derived_symcache, "cdef01", variables_cases[_i].failure,
					TEXT_NONE, variables_cases[_i].waits,
					variables_cases[_i].damaged };
	struct fake_resolver fake;
	struct answered answered;
	char body[1024];

	buf_init(&lists, 65536);
	fake_variables(&lists, ARCH_X86_64);
	variables.payload = buf_text(&lists);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.variables = &variables;
	snprintf(body, sizeof(body), "{\"sources\":[{\"type\":\"http\",\"id\":\"s\",\"url\":"
		 "\"http://h/s/\"}],\"modules\":[" ELF_MODULE "],\"options\":{\"extract_variables\":%s},"
		 "\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10112\"},"
		 "{\"instruction_addr\":\"0x10200\",\"adjust_instruction_addr\":false},"
		 "{\"instruction_addr\":\"0x10500\",\"vars\":{\"mine\":\"stay\"}}]}]}",
		 variables_cases[_i].is_asked ? "true" : "false");
	ck_assert_int_eq(answer_with(&answered, &fake, body, TEXT("mine")), 0);
	ck_assert_msg((strstr(buf_string(&answered.reply), VARS_INNER) != NULL) ==
		      variables_cases[_i].is_told, "%s: %s", variables_cases[_i].what,
		      buf_string(&answered.reply));
	ck_assert_msg((strstr(buf_string(&answered.reply), VARS_OUTER) != NULL) ==
		      variables_cases[_i].is_told, "%s", variables_cases[_i].what);
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "\"vars\":{\"mine\":\"stay\"}"));
	ck_assert_msg(text_is(fake.last_symcache_key, variables_cases[_i].is_asked &&
		      !strstr(variables_cases[_i].meta, "pdb")
		      ? "scope: mine\n\nsource: s\nlocation: http://h/s/ab/cdef01\n\nvariables\n"
		      : "scope: mine\n\nsource: s\nlocation: http://h/s/ab/cdef01\n"), "%s: %.*s",
		      variables_cases[_i].what, (int)fake.last_symcache_key.size,
		      fake.last_symcache_key.bytes);
	buf_release(&answered.reply);
	buf_release(&lists);
	forget_made();
}
END_TEST

START_TEST(public_sources_are_global)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":[{\"type\":\"http\",\"id\":"
		"\"s\",\"url\":\"http://h/s/\",\"is_public\":true}],\"modules\":[" ELF_MODULE "],"
		ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	ck_assert(text_is(fake.last_symcache_key,
			  "scope: global\n\nsource: s\nlocation: http://h/s/ab/cdef01\n"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* --- Files that change under our hands --------------------------------------------------- */

#define TWO_FRAMES REQUEST("\"extract_variables\":true", "{\"instruction_addr\":\"0x10110\"}," \
			   "{\"instruction_addr\":\"0x10200\"}")

/* A sound file whose answers are others: functions go by the names of variables. */
static struct buf other;

static void make_other(void)
{
	buf_init(&other, 1 << 20);
	fake_variables(&other, ARCH_X86_64);
}

static const struct {
	const char *what;
	unsigned symcache, variables;        /* so often */
} changes[] = {
	{ "the SymCache, once", 1, 0 }, { "the SymCache, often", 8, 0 },
	{ "variables", 0, 1 }, { "variables, often", 0, 8 },
	{ "both", 3, 5 },
};

/* What was read from a file that changed means nothing: the answer is that of the file that was
 * made again, in the same request. */
START_TEST(files_that_change_while_they_are_read_are_made_again)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE,
		  TEXT("{\"has_debug_info\":true,\"format\":\"elf\"}"), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_entry variables = { &derived_symcache, "cdef01", ERR_NONE, TEXT_NONE, 0, 0 };
	struct answered whole, again;
	struct fake_resolver fake;

	ck_assert_int_eq(guard_install(), 0);
	make_other();
	variables.payload = buf_text(&other);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.variables = &variables;
	ck_assert_int_eq(answer_with(&whole, &fake, TWO_FRAMES, TEXT_NONE), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&whole.reply), "\"vars\""));
	fake.changes[0] = (struct fake_change){ .entry = &entries[1], .payload = buf_text(&other),
						.times = changes[_i].symcache };
	fake.changes[1] = (struct fake_change){ .entry = &variables, .payload = entries[1].payload,
						.times = changes[_i].variables };
	ck_assert_msg(answer_with(&again, &fake, TWO_FRAMES, TEXT_NONE) == 0, "%s: %s",
		      changes[_i].what, again.err.text);
	ck_assert_str_eq(buf_string(&again.reply), buf_string(&whole.reply));
	ck_assert_uint_eq(fake.invalidated, changes[_i].symcache + changes[_i].variables);
	buf_release(&again.reply);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&whole.reply);
	buf_release(&other);
	forget_made();
}
END_TEST

/* Somebody changes it whenever it is made: that is no fact about the module. */
START_TEST(a_file_that_keeps_changing_is_our_trouble_not_the_modules)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct answered answered;
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.changes[0] = (struct fake_change){ .entry = &entries[1], .times = UINT_MAX,
						.payload = TEXT("damaged") };
	ck_assert_int_eq(answer_with(&answered, &fake, TWO_FRAMES, TEXT_NONE), -1);
	ck_assert_int_eq(answered.err.kind, ERR_IO);
	ck_assert_ptr_nonnull(strstr(answered.err.text, "symcaches"));
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

#define PAGE_BYTES      4096u
#define CUT_FILE_BYTES  (3 * PAGE_BYTES)
#define SYMC_FILE_COUNT 44u          /* where the header says how many files there are */
#define SYMC_STRINGS    60u          /* ... and bytes of strings */

/* The head and all records stand in the first page; the first function's name, that of all
 * frames of "outer", is said to lie in the last page. */
static void make_cut_symcache(int fd)
{
	struct text sound = made_symcache(ARCH_X86_64);
	uint32_t files, strings, name = 2 * PAGE_BYTES;
	uint8_t *bytes = (uint8_t *)made.bytes;

	memcpy(&files, bytes + SYMC_FILE_COUNT, sizeof(files));
	memcpy(&strings, bytes + SYMC_STRINGS, sizeof(strings));
	strings += CUT_FILE_BYTES - (uint32_t)sound.size;
	memcpy(bytes + SYMC_STRINGS, &strings, sizeof(strings));
	memcpy(bytes + 80 + (size_t)files * 24, &name, sizeof(name));
	ck_assert_int_eq(ftruncate(fd, CUT_FILE_BYTES), 0);
	ck_assert_int_eq(pwrite(fd, bytes, sound.size, 0), (ssize_t)sound.size);
	forget_made();
}

/* It opens, and fails while frames of a sound file are looked up beside its own: only that one
 * is made again, whether somebody cut it or nobody touched it and its page cannot be read. */
START_TEST(a_page_that_fails_among_others_is_told_apart)
{
	char path[] = "symcache-XXXXXX";
	int fd = mkstemp(path);
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, TEXT_NONE, 0, 0 },
		{ &derived_object_meta, "cdef02", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef02", ERR_NONE, TEXT_NONE, 0, 0 },
	};
	struct fake_resolver fake;
	struct file_map map;
	struct answered answered;
	struct err err = ERR_INIT;
	const char *reply;

	ck_assert_int_eq(guard_install(), 0);
	make_cut_symcache(fd);
	ck_assert_int_eq(file_map_fd(&map, fd, &err), 0);
	ck_assert_int_eq(ftruncate(fd, PAGE_BYTES), 0);
	entries[1].payload = entries[3].payload = made_symcache(ARCH_X86_64);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.changes[0] = (struct fake_change){
		.entry = &entries[3], .times = 2, .is_unreadable = _i,
		.payload = { (const char *)map.bytes, map.size },
	};
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		FILTERED("s", "\"elf_code\"") "],\"modules\":[" ELF_MODULE ",{\"type\":\"elf\","
		"\"code_id\":\"abcdef02\",\"image_addr\":\"0x20000\",\"image_size\":4096}],"
		"\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10110\"},"
		"{\"instruction_addr\":\"0x20111\"},{\"instruction_addr\":\"0x10111\"}]}]}",
		TEXT_NONE), 0);
	reply = buf_string(&answered.reply);
	for (unsigned i = 0; i < 3; i++) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "\"status\":\"symbolicated\",\"original_index\":%u", i);
		ck_assert_ptr_nonnull(strstr(reply, wanted));
	}
	ck_assert_ptr_null(strstr(reply, "malformed"));
	ck_assert_uint_eq(fake.invalidated, 2);
	buf_release(&answered.reply);
	forget_made();
	file_unmap(&map);
	close(fd);
	unlink(path);
}
END_TEST

/* --- Why, and the other envelopes -------------------------------------------------------- */

START_TEST(tells_why)
{
	struct fake_entry entry = { &derived_object_meta, "cdef01", ERR_MALFORMED,
				    TEXT("reading elf: .symtab ends early"), 0, 0 };
	struct fake_resolver fake;
	struct work work;
	struct err err = ERR_INIT;
	struct buf json;

	fake_resolver_init(&fake, &entry, 1);
	parsed(&work, "{\"sources\":[" FILTERED("s", "\"elf_code\"") "],\"modules\":[" ELF_MODULE
	       "]," ONE_FRAME("0x10110") "}");
	ck_assert_int_eq(work.kind->step(&work, &fake.resolver, &err), STEP_DONE);
	buf_init(&json, 1 << 20);
	ck_assert_int_eq(work_candidates(&work, &json, &err), 0);
	ck_assert_str_eq(buf_string(&json), "{\"modules\":[{\"type\":\"elf\",\"code_id\":"
		"\"abcdef01\",\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096,"
		"\"debug_status\":\"malformed\",\"reason\":\"malformed\","
		"\"details\":\"reading elf: .symtab ends early\","
		"\"candidates\":[{\"source\":\"s\",\"location\":\"No object files listed on this "
		"source\",\"download\":{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":{\"status\":\"malformed\",\"details\":"
		"\"reading elf: .symtab ends early\"},\"debug\":{\"status\":\"malformed\"},"
		"\"file_type\":\"elf_code\",\"reason\":\"malformed\"}]}]}");
	buf_release(&json);
	work_release(&work);
}
END_TEST

START_TEST(envelopes)
{
	struct buf reply;

	buf_init(&reply, 4096);
	envelope_pending(&reply, "0f1b9b2e-6f0f-4c0e-9a0e-000000000000");
	envelope_failed(&reply, TEXT("not \"found\""));
	envelope_timeout(&reply);
	envelope_internal(&reply);
	ck_assert_str_eq(buf_string(&reply), "{\"status\":\"pending\",\"request_id\":"
		"\"0f1b9b2e-6f0f-4c0e-9a0e-000000000000\",\"retry_after\":30}"
		"{\"status\":\"failed\",\"message\":\"not \\\"found\\\"\"}{\"status\":\"timeout\"}"
		"{\"status\":\"internal_error\"}");
	buf_release(&reply);
	ck_assert_ptr_eq(request_kind_named("symbolicate"), &request_kind_symbolicate);
	ck_assert_ptr_null(request_kind_named("minidump"));
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static int answer_whole(void *payload, struct err *err)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT("{\"has_debug_info\":true,\"wants\":["
		  "{\"role\":\"dwz\",\"id\":\"0011\"}]}"), 1, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, *(struct text *)payload, 1, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	int result;

	fake_resolver_init(&fake, entries, COUNT(entries));
	result = answer_with(&answered, &fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10110\"},{\"instruction_addr\":\"0x10201\"}"),
		TEXT("mine"));
	buf_release(&answered.reply);
	*err = answered.err;
	return result;
}

START_TEST(survives_every_allocation_failure)
{
	struct text symcache = made_symcache(ARCH_X86_64);

	support_every_allocation_failure(answer_whole, &symcache, 1000);
	ck_assert_int_eq(fake_holds, 0);
	forget_made();
}
END_TEST

static void answer_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct text symcache = { (const char *)bytes, size };
	struct err err = ERR_INIT;

	(void)payload;
	ck_assert_msg(answer_whole(&symcache, &err) == 0, "%s", err.text);
}

START_TEST(survives_every_byte_change_of_a_symcache)
{
	struct text symcache = made_symcache(ARCH_X86_64);

	support_every_byte_change((const uint8_t *)symcache.bytes, symcache.size, answer_changed,
				  NULL);
	forget_made();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbolicate native");
	TCase *tests = tcase_create("native");

	tcase_add_loop_test(tests, finds_modules, 0, COUNT(finds));
	tcase_add_test(tests, two_modules_at_one_address);
	tcase_add_loop_test(tests, adjusts_addresses, 0, COUNT(adjusts));
	tcase_add_loop_test(tests, chooses, 0, COUNT(choices));
	tcase_add_test(tests, empty_requests);
	tcase_add_test(tests, no_sources_and_every_member_echoed);
	tcase_add_test(tests, a_found_module_with_inlined_calls);
	tcase_add_test(tests, caller_first_is_turned_twice);
	tcase_add_test(tests, a_module_at_zero_is_relative);
	tcase_add_test(tests, names_of_frames_nobody_knows);
	tcase_add_test(tests, a_module_only_dropped_frames_spoke_of_is_unused);
	tcase_add_loop_test(tests, objects_that_cannot_be_had, 0, COUNT(failures));
	tcase_add_loop_test(tests, objects_that_cannot_be_converted, 0, COUNT(conversions));
	tcase_add_test(tests, dotnet_is_unsupported);
	tcase_add_test(tests, sources_are_looked_for_afterwards);
	tcase_add_test(tests, keys_carry_scope_and_companions);
	tcase_add_loop_test(tests, maps_are_found_in_two_steps, 0, (int)COUNT(map_cases));
	tcase_add_loop_test(tests, line_maps_are_found, 0, (int)COUNT(line_map_cases));
	tcase_add_test(tests, an_object_is_no_line_map);
	tcase_add_loop_test(tests, variables_are_told_to_those_who_ask, 0,
			    (int)COUNT(variables_cases));
	tcase_add_test(tests, public_sources_are_global);
	tcase_add_loop_test(tests, files_that_change_while_they_are_read_are_made_again, 0,
			    (int)COUNT(changes));
	tcase_add_test(tests, a_file_that_keeps_changing_is_our_trouble_not_the_modules);
	tcase_add_loop_test(tests, a_page_that_fails_among_others_is_told_apart, 0, 2);
	tcase_add_test(tests, tells_why);
	tcase_add_test(tests, envelopes);
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, survives_every_byte_change_of_a_symcache);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
