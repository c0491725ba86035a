/* test_report.c -- the page of an answer: what it says, and that no string of it makes markup. */
#include "page/report.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "page/markup.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ID "01234567-89ab-4def-8123-456789abcdef"

static const char native[] =
	"{\"status\":\"completed\",\"stacktraces\":["
	"{\"thread_id\":1,\"frames\":[{\"status\":\"missing\",\"original_index\":0,\"instruction_addr\":\"0x2010\","
	"\"package\":\"/lib/libgone.so\",\"trust\":\"scan\"}]},"
	"{\"thread_id\":7,\"thread_name\":\"worker\",\"is_requesting\":true,\"registers\":{\"rip\":\"0x1010\"},"
	"\"frames\":["
	"{\"status\":\"symbolicated\",\"original_index\":0,\"instruction_addr\":\"0x1010\",\"package\":\"/bin/app\","
	"\"function\":\"price(int)\",\"abs_path\":\"/src/shop.cc\",\"lineno\":12,\"trust\":\"context\","
	"\"pre_context\":[\"before 10\",\"before 11\"],\"context_line\":\"the line 12\",\"post_context\":[\"after 13\"],"
	"\"source_link\":\"https://e.example/shop.cc\"},"
	"{\"status\":\"symbolicated\",\"original_index\":0,\"instruction_addr\":\"0x1010\",\"package\":\"/bin/app\","
	"\"function\":\"total()\",\"abs_path\":\"/src/shop.cc\",\"lineno\":40,\"trust\":\"context\"},"
	"{\"status\":\"missing\",\"original_index\":1,\"instruction_addr\":\"0x2020\",\"package\":\"/lib/libgone.so\"},"
	"{\"status\":\"unknown_image\",\"original_index\":2,\"instruction_addr\":\"0x9000\"}]}],"
	"\"modules\":["
	"{\"debug_status\":\"found\",\"code_file\":\"/bin/app\",\"debug_id\":\"a-1\",\"image_addr\":\"0x1000\","
	"\"image_size\":4096,\"arch\":\"x86_64\"},"
	"{\"debug_status\":\"missing\",\"code_file\":\"/lib/libgone.so\",\"code_id\":\"c0de\",\"image_addr\":\"0x2000\","
	"\"image_size\":4096,\"candidates\":[{\"source\":\"ours\",\"location\":\"https://s.example/c0/de\","
	"\"download\":{\"status\":\"noperm\",\"details\":\"403 Forbidden\"}}]},"
	"{\"debug_status\":\"unused\",\"code_file\":\"/lib/libc.so\",\"image_addr\":\"0x5000\",\"image_size\":16}],"
	"\"signal\":11,\"timestamp\":1700000000,\"system_info\":{\"os_name\":\"Linux\",\"cpu_arch\":\"x86_64\"},"
	"\"crashed\":true,\"crash_reason\":\"SIGSEGV / SEGV_MAPERR / 0x10\",\"remarks\":[\"memory was cut off\"]}";

static const char js[] =
	"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
	"{\"function\":\"add\",\"filename\":\"app.js\",\"abs_path\":\"https://e.example/app.js\",\"lineno\":2,\"colno\":9,"
	"\"context_line\":\"return a + b\",\"data\":{\"symbolicated\":true,\"resolved_with\":\"release\"}},"
	"{\"function\":\"n\",\"abs_path\":\"https://e.example/b.min.js\",\"lineno\":1,\"colno\":5,"
	"\"data\":{\"symbolicated\":false}}]}],"
	"\"errors\":[{\"abs_path\":\"https://e.example/b.min.js\",\"type\":\"missing_sourcemap\",\"sourcemap\":\"b.map\"}],"
	"\"scraping_attempts\":[{\"url\":\"https://e.example/b.map\",\"status\":\"failure\",\"reason\":\"not_found\"}]}";

static const char jvm[] =
	"{\"status\":\"completed\",\"exceptions\":[{\"type\":\"Sold\",\"module\":\"com.example\"}],"
	"\"stacktraces\":[{\"exception\":{\"type\":\"Sold\",\"module\":\"com.example\"},\"frames\":["
	"{\"function\":\"checkout\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"lineno\":40,\"index\":0},"
	"{\"function\":\"total\",\"filename\":\"Shop.java\",\"module\":\"com.example.Shop\",\"lineno\":21,\"index\":0}],"
	"\"frames_omitted\":5}],"
	"\"texts\":[{\"text\":\"at com.example.Shop.total(Shop.java:21)\",\"modules\":[{\"debug_status\":\"missing\","
	"\"code_file\":\"/data/app/lib.so\"}],\"lines_left_alone\":2}],"
	"\"classes\":{\"a.b\":\"com.example.Shop\"},\"errors\":[{\"uuid\":\"67e9247c\",\"type\":\"missing\"}]}";

static const char mozilla[] =
	"{\"results\":[{\"stacks\":[[{\"frame\":0,\"module\":\"xul.pdb\",\"module_offset\":\"0xb2e3f7\","
	"\"function\":\"Paint\",\"function_offset\":\"0x7\",\"file\":\"paint.cpp\",\"line\":5,\"inlines\":["
	"{\"function\":\"Blend\",\"file\":\"blend.cpp\",\"line\":9}]},"
	"{\"frame\":1,\"module\":\"gone.pdb\",\"module_offset\":\"0x10\"}]],"
	"\"found_modules\":{\"xul.pdb/44E4\":true,\"gone.pdb/55F5\":false,\"other.pdb/6\":null},"
	"\"module_errors\":{\"gone.pdb/55F5\":[{\"name\":\"NotFound\",\"message\":\"no source has it\"}]}}]}";

static const char lines[] =
	"{\"symbolicatedStacks\":[[\"Paint (in xul.pdb)\",\"0x10 (in gone.pdb)\"]],\"knownModules\":[true,false]}";

static struct buf out;

static const struct page_look report_look = { .root = "../../" };

/* The page; NULL: it was refused. */
static const char *page_of(struct text json, const struct report_view *view, struct err *err)
{
	struct html_writer html;

	buf_release(&out);
	buf_init(&out, REPORT_PAGE_BYTES_MAX);
	html_writer_init(&html, &out);
	*err = (struct err)ERR_INIT;
	if (page_report(&html, &report_look, view, json, err) < 0)
		return NULL;
	ck_assert_uint_eq(html.depth, 0);
	return buf_string(&out);
}

static const char *whole(const char *json)
{
	const struct report_view view = { .id = TEXT(ID) };
	struct err err;
	const char *page = page_of(text_of(json), &view, &err);

	ck_assert_msg(page != NULL, "%s", err.text);
	return page;
}

static void wants(const char *page, const char *part)
{
	ck_assert_msg(strstr(page, part) != NULL, "no %s in %.1000s", part, page);
}

static void wants_not(const char *page, const char *part)
{
	ck_assert_msg(strstr(page, part) == NULL, "%s in %.1000s", part, page);
}

static void wants_in_order(const char *page, const char *first, const char *second)
{
	wants(page, first);
	wants(page, second);
	ck_assert_msg(strstr(page, first) < strstr(page, second), "%s comes after %s", first, second);
}

START_TEST(a_crash_is_told_from_its_reason_to_its_modules)
{
	const char *page = whole(native);

	wants(page, "<h1>SIGSEGV / SEGV_MAPERR / 0x10 in price(int)</h1>");
	wants(page, "2023-11-14T22:13:20Z");
	wants(page, "<li>memory was cut off</li>");
	wants_in_order(page, "Thread 7 worker, which crashed", "Thread 1");
	wants(page, "<code class=\"function\">total()</code> <span class=\"place\">/src/shop.cc:40</span>");
	wants(page, "<summary>1 inlined call</summary><ol><li><code class=\"function\">price(int)</code>");
	wants(page, "    10  before 10\n    11  before 11\n<mark>    12  the line 12</mark>\n    13  after 13\n");
	wants(page, "<a class=\"source\" href=\"https://e.example/shop.cc\" rel=\"noreferrer\">source</a>");
	wants(page, "<dt>rip</dt><dd>0x1010</dd>");
	wants(page, "#2   0x2020 in libgone.so+0x20\n");
	wants(page, "href=\"../../ui/r/" ID ".json\"");
	wants_not(page, "<form");
	wants_not(page, "href=\"/");
}
END_TEST

START_TEST(a_frame_without_a_name_says_why_and_leads_to_its_module)
{
	const char *page = whole(native);

	wants(page, "<a href=\"#m1\" class=\"reason\">no name: no source has its debug file</a>");
	wants(page, "<span class=\"reason\">no name: no module covers this address</span>");
	wants(page, "<span class=\"trust doubtful\">scan</span>");
	wants(page, "<tr id=\"m1\" class=\"bad\">");
	wants(page, "<b>noperm</b> ours <code>https://s.example/c0/de</code>: the source refused it, 403 Forbidden");
	wants(page, "Put the debug file of this very build");
	wants_in_order(page, "<tr id=\"m1\"", "<tr id=\"m0\"");
	wants(page, "<a href=\"../../ui/op/failures?module=libgone.so\">Ask again, as an operator</a>");
	wants_not(page, "failures?module=app");
	wants_in_order(page, "<tr id=\"m0\"", "<tr id=\"m2\" class=\"unused\">");
}
END_TEST

START_TEST(other_kinds_are_told_too)
{
	const char *page = whole(js);

	wants(page, "https://e.example/app.js:2:9");
	wants(page, "class=\"reason\">no name: the minified file names a source map that cannot be had</a>");
	wants(page, "<tr id=\"e0\">");
	wants(page, "<b>not_found</b>: it is not there");
	page = whole(jvm);
	wants(page, "<h1>Sold in checkout</h1>");
	wants(page, "<code class=\"function\">com.example.Shop.total</code>");
	wants(page, "5 more frames were left out");
	wants(page, "2 lines were not asked for");
	wants(page, "no source has the mapping");
	wants(page, "<dt>a.b</dt><dd>com.example.Shop</dd>");
	wants(page, "/data/app/lib.so");
	page = whole(mozilla);
	wants(page, "<code class=\"function\">Paint</code> <span class=\"place\">paint.cpp:5</span>");
	wants(page, "<code class=\"function\">Blend</code>");
	wants(page, "in <a href=\"#m0\">xul.pdb</a> + 0xb2e3f7");
	wants(page, "no name: no source has its debug file");
	wants(page, "<b>missing</b>: no source has its debug file, no source has it");
	page = whole(lines);
	wants(page, "<code class=\"function\">0x10 (in gone.pdb)</code>");
	wants_not(page, "no name");
}
END_TEST

START_TEST(answers_without_a_stack_say_so)
{
	static const struct {
		const char *json, *words;
	} cases[] = {
		{ "{\"status\":\"failed\",\"message\":\"not a minidump\"}", "it could not be read: not a minidump" },
		{ "{\"status\":\"timeout\"}", "it was not ready in time" },
		{ "{\"status\":\"internal_error\"}", "the service&#39;s log has the reason" },
		{ "{\"status\":\"pending\",\"request_id\":\"x\",\"retry_after\":30}", "it is not ready yet" },
		{ "{\"status\":\"else\"}", "it says no more than that" },
		{ "{\"title\":\"Symbol Not Found\"}", "There is no stack in this answer" },
		{ "{}", "There is no stack in this answer" },
		{ "[]", "of a kind this page does not know: the answer has no object at byte 0" },
		{ "", "of a kind this page does not know" },
		{ "Symbol Not Found", "of a kind this page does not know" },
		{ "{\"stacktraces\":[{\"frames\":[{\"function\":\"f\"", "The answer is damaged" },
		{ "{\"stacktraces\":[],\"modules\":[]}", "<h1>Report</h1>" },
		{ "{\"stacktraces\":{},\"modules\":7,\"errors\":\"x\",\"results\":[1],\"texts\":null}",
		  "There is no stack in this answer" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *page = whole(cases[i].json);

		wants(page, cases[i].words);
		wants(page, "ui/r/" ID ".json");
	}
}
END_TEST

START_TEST(a_thread_has_a_page_of_its_own)
{
	struct report_view view = { .id = TEXT(ID), .is_thread = true, .thread = 0 };
	struct err err;
	const char *page = page_of(text_of(native), &view, &err);

	ck_assert_ptr_nonnull(page);
	wants(page, "<h2 id=\"thread\">Thread 1</h2>");
	wants(page, "scan: by a search of the stack: it may be none");
	wants(page, "href=\"../../ui/r/" ID "?modules=0#m1\"");
	wants_not(page, "id=\"modules\"");
	view.thread = 2;
	ck_assert_ptr_null(page_of(text_of(native), &view, &err));
	ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
	ck_assert_uint_eq(out.size, 0);
}
END_TEST

START_TEST(whoever_has_the_token_may_delete)
{
	const struct report_view view = { .id = TEXT("a/b?c"), .token = TEXT("\"t"), .kept_until = 1700000000 };
	struct err err;
	const char *page = page_of(text_of(native), &view, &err);

	wants(page, "<form method=\"post\" action=\"../../ui/r/a%2Fb%3Fc/delete\"><input type=\"hidden\" "
		    "name=\"token\" value=\"&quot;t\">");
	wants(page, "<dt>Kept until</dt><dd>2023-11-14T22:13:20Z</dd>");
}
END_TEST

START_TEST(the_query_says_what_is_shown)
{
	struct report_view view = { .frames_from = 1 };

	report_view_read(&view, TEXT("from=200&threads=7&modules=100&other=1&from"));
	ck_assert_uint_eq(view.frames_from, 200);
	ck_assert_uint_eq(view.threads_from, 7);
	ck_assert_uint_eq(view.modules_from, 100);
	report_view_read(&view, TEXT("&&from=-1&threads=99999999999999999999&modules=x"));
	ck_assert_uint_eq(view.frames_from, 200);
	ck_assert_uint_eq(view.threads_from, 7);
	report_view_read(&view, TEXT_NONE);
}
END_TEST

/* --- Strings ------------------------------------------------------------------------------------- */

/* An answer with one of its strings, names of members included, as somebody else would like it. */
struct swap {
	struct text json;
	size_t from, to;             /* between the quotes */
};

/* The next string from `swap.to` on. */
static bool next_string(struct swap *swap)
{
	const char *begin = memchr(swap->json.bytes + swap->to + 1, '"', swap->json.size - swap->to - 1);
	const char *end = begin ? memchr(begin + 1, '"', swap->json.size - (size_t)(begin + 1 - swap->json.bytes))
				: NULL;

	if (!end)
		return false;
	swap->from = (size_t)(begin + 1 - swap->json.bytes);
	swap->to = (size_t)(end - swap->json.bytes);
	return true;
}

static void put_in(const struct swap *swap, struct text word, size_t times, struct buf *json)
{
	buf_clear(json);
	buf_add(json, swap->json.bytes, swap->from);
	for (size_t i = 0; i < times; i++)
		buf_add_text(json, word);
	buf_add(json, swap->json.bytes + swap->to, swap->json.size - swap->to);
	ck_assert(!json->failed);
}

/* Of the same length, and in as many parts: a module is called by the last of its path. */
static struct text harmless(struct text said, char *bytes)
{
	for (size_t i = 0; i < said.size; i++)
		bytes[i] = said.bytes[i] == '/' || said.bytes[i] == '\\' ? said.bytes[i] : 'a';
	return (struct text){ bytes, said.size };
}

static void read_tree(const struct buf *json, bool is_thread, struct buf *tree)
{
	const struct report_view view = { .id = TEXT(ID), .kind = TEXT("minidump"), .is_thread = is_thread };
	const char *trouble;
	struct err err;

	buf_clear(tree);
	if (!page_of(buf_text(json), &view, &err)) {
		ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
		return;
	}
	ck_assert_msg(markup_read(buf_text(&out), tree, &trouble), "%s: %.2000s", trouble, buf_string(json));
}

/* `json` as it stands in the answer, `said` as it is meant. */
static const struct {
	const char *what;
	struct text json, said;
	size_t times;
} hostile[] = {
#define SAME(text) REPORT_BYTES(text), REPORT_BYTES(text)
#define REPORT_BYTES(literal) { (literal), sizeof(literal) - 1 }
	{ "the end of a script", SAME("</script><script>alert(1)</script>"), 1 },
	{ "an image", SAME("<img src=x onerror=alert(1)>"), 1 },
	{ "the end of an attribute", REPORT_BYTES("\\\" onfocus=\\\"alert(1)\\\" autofocus=\\\""),
	  REPORT_BYTES("\" onfocus=\"alert(1)\" autofocus=\""), 1 },
	{ "the other quote", SAME("' onfocus='alert(1)' x='"), 1 },
	{ "the end of what it stands in", SAME("</pre></code></td></details></textarea></title></style>-->]]>"), 1 },
	{ "a link that runs", SAME("javascript:alert(1)"), 1 },
	{ "one in capitals behind a blank", SAME(" JaVaScRiPt:alert(1)"), 1 },
	{ "one that is a page", SAME("data:text/html,<script>alert(1)</script>"), 1 },
	{ "to another host", SAME("//evil.example/x"), 1 },
	{ "references", SAME("&lt;b&gt;&#60;&amp"), 1 },
	{ "NUL", REPORT_BYTES("a\\u0000<b>"), REPORT_BYTES("a\0<b>"), 1 },
	{ "controls", REPORT_BYTES("\\u001b[31m\\r\\n\\b"), REPORT_BYTES("\x1b[31m\r\n\b"), 1 },
	{ "no UTF-8", SAME("\xff\xfe<\xc0\xbc\xed\xa0\x80"), 1 },
	{ "half a character", SAME("<\xf0\x9f\x92"), 1 },
	{ "half a pair", REPORT_BYTES("\\ud800<"), REPORT_BYTES("\xef\xbf\xbd<"), 1 },
	{ "the direction of writing", REPORT_BYTES("\\u202egnp.exe\\u2066"),
	  REPORT_BYTES("\xe2\x80\xaegnp.exe\xe2\x81\xa6"), 1 },
	{ "nothing", SAME(""), 1 },
	{ "a template", SAME("{{7*7}}${7*7}%s%n"), 1 },
	{ "a name of 64 KiB", SAME("<"), 65536 },
	{ "one of 64 KiB that ends within a character", SAME("\xf0\x9f\x92\xa5<"), 13107 },
};

static const char *const answers[] = { native, js, jvm, mozilla, lines, "{\"status\":\"failed\",\"message\":\"m\"}" };

static size_t swap_strings(const char *answer, size_t which, bool is_thread)
{
	struct swap swap = { .json = text_of(answer), .to = 0 };
	struct buf json, bad, good;
	char bytes[256];
	size_t count = 0;

	buf_init(&json, 1 << 24);
	buf_init(&bad, 1 << 24);
	buf_init(&good, 1 << 24);
	for (; next_string(&swap); count++) {
		put_in(&swap, hostile[which].json, hostile[which].times, &json);
		read_tree(&json, is_thread, &bad);
		put_in(&swap, harmless(hostile[which].said, bytes), hostile[which].times, &json);
		read_tree(&json, is_thread, &good);
		ck_assert_msg(text_equal(buf_text(&bad), buf_text(&good)), "%s makes elements at byte %zu of %s",
			      hostile[which].what, swap.from, answer);
	}
	buf_release(&json);
	buf_release(&bad);
	buf_release(&good);
	return count;
}

/* _i is a row of the table. */
START_TEST(no_string_of_any_answer_makes_markup)
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT(answers); i++)
		for (int is_thread = 0; is_thread < 2; is_thread++)
			count += swap_strings(answers[i], (size_t)_i, is_thread);
	ck_assert_uint_gt(count, 500);
}
END_TEST

START_TEST(nobodys_names_are_obeyed)
{
	static const char json[] =
		"{\"stacktraces\":[{\"frames\":[{\"status\":\"symbolicated\",\"function\":\"<b>\\u202e\\u0000\",\"source_link\":"
		"\"javascript:alert(1)\"}]}]}";
	const char *page = whole(json);

	wants(page, "<code class=\"function\">&lt;b&gt;[U+202E][U+0000]</code>");
	wants(page, "<a class=\"source\">javascript:alert(1)</a>");
	wants_not(page, "href=\"javascript");
}
END_TEST

START_TEST(what_nobody_would_read_is_cut)
{
	struct swap swap = { .json = text_of(native) };
	struct buf json;

	buf_init(&json, 1 << 20);
	while (next_string(&swap) && !text_starts_with(text_from(swap.json, swap.from), "total()"))
		;
	put_in(&swap, TEXT("\xc3\xa4"), 32768, &json);
	wants(whole(buf_string(&json)), "\xc3\xa4 ... (cut here)</code>");
	ck_assert_uint_lt(out.size, 16384);
	buf_release(&json);
}
END_TEST

/* --- Long ones ------------------------------------------------------------------------------------- */

static void add_frames(struct buf *json, size_t count, size_t inlined, bool is_reversed)
{
	buf_add_string(json, "{\"frames\":[");
	for (size_t i = 0; i < count; i++) {
		size_t at = is_reversed ? count - 1 - i : i;

		buf_printf(json, "%s{\"status\":\"symbolicated\",\"original_index\":%zu,\"instruction_addr\":\"0x1010\","
			   "\"function\":\"f%zu_\"}", i ? "," : "", at / inlined, at);
	}
	buf_add_string(json, "]}");
}

static const char *part_of(const struct buf *json, struct report_view *view)
{
	struct err err;
	const char *page;

	view->id = TEXT(ID);
	page = page_of(buf_text(json), view, &err);
	ck_assert_msg(page != NULL, "%s", err.text);
	return page;
}

START_TEST(long_stacks_come_by_page)
{
	struct report_view view = { .frames_from = 0 };
	struct buf json;
	const char *page;

	buf_init(&json, (size_t)64 << 20);
	buf_add_string(&json, "{\"stacktraces\":[");
	add_frames(&json, 100000, 1, false);
	buf_add_string(&json, "]}");
	page = part_of(&json, &view);
	wants(page, "100000 frames");
	wants(page, "f199_");
	wants_not(page, "f200_");
	wants(page, "threads/0?from=200\">Frames 200 to 399</a>");
	ck_assert_uint_lt(out.size, 100000);
	view = (struct report_view){ .is_thread = true, .frames_from = 99900 };
	page = part_of(&json, &view);
	wants(page, "<ol class=\"frames\" start=\"99900\">");
	wants(page, "f99999_");
	wants_not(page, "f99899_");
	wants(page, "threads/0?from=99700\">Frames 99700 to 99899</a>");
	view.frames_from = SIZE_MAX;
	wants_not(part_of(&json, &view), "f99999_");
	buf_release(&json);
}
END_TEST

START_TEST(pages_hold_whole_calls)
{
	struct report_view view = { .frames_from = 0 };
	struct buf json;
	const char *page;

	buf_init(&json, 1 << 20);
	buf_add_string(&json, "{\"stacktraces\":[");
	add_frames(&json, 603, 3, true);
	buf_add_string(&json, "]}");
	page = part_of(&json, &view);
	wants_in_order(page, ">f2_<", ">f0_<");
	wants(page, "2 inlined calls");
	wants(page, "f200_");
	wants_not(page, "f201_");
	wants(page, "threads/0?from=201\">Frames 201 to 400</a>");
	view = (struct report_view){ .is_thread = true, .frames_from = 400 };
	page = part_of(&json, &view);
	wants(page, "start=\"133\"");
	wants(page, "f399_");
	wants_not(page, "f398_");
	wants(page, "f599_");
	wants_not(page, "f600_");
	buf_release(&json);
}
END_TEST

START_TEST(many_threads_and_modules_come_by_page)
{
	struct report_view view = { .threads_from = 0 };
	struct buf json;
	const char *page;

	buf_init(&json, (size_t)16 << 20);
	buf_add_string(&json, "{\"stacktraces\":[");
	for (size_t i = 0; i < 21000; i++)
		buf_printf(&json, "%s{\"thread_id\":%zu,\"frames\":[{\"function\":\"f\"}]}", i ? "," : "", i);
	buf_add_string(&json, "],\"modules\":[");
	for (size_t i = 0; i < 21000; i++)
		buf_printf(&json, "%s{\"debug_status\":\"missing\",\"code_file\":\"m%zu\"}", i ? "," : "", i);
	buf_add_string(&json, "]}");
	page = part_of(&json, &view);
	wants(page, "Thread 199");
	wants_not(page, "Thread 200");
	wants(page, "?threads=200#threads\">19800 more threads");
	wants(page, "1000 threads and 0 frames more are in the JSON alone");
	wants(page, "Modules (21000)");
	wants_not(page, "id=\"m100\"");
	ck_assert_uint_lt(out.size, 300000);
	view = (struct report_view){ .threads_from = 19900, .modules_from = 19950 };
	page = part_of(&json, &view);
	wants(page, "Thread 19999");
	wants(page, "id=\"m19999\"");
	wants(page, "Modules before these");
	buf_release(&json);
}
END_TEST

START_TEST(many_candidates_are_counted)
{
	struct report_view view = { .threads_from = 0 };
	struct buf json;
	const char *page;

	buf_init(&json, 1 << 20);
	buf_add_string(&json, "{\"modules\":[");
	for (size_t i = 0; i < 3; i++) {
		buf_printf(&json, "%s{\"debug_status\":\"missing\",\"candidates\":[", i ? "," : "");
		for (size_t j = 0; j < 150; j++)
			buf_printf(&json, "%s{\"source\":\"s\",\"location\":\"at%zu_%zu_\"}", j ? "," : "", i, j);
		buf_add_string(&json, "]}");
	}
	buf_add_string(&json, "]}");
	page = part_of(&json, &view);
	wants(page, "150 places were looked at</summary>");
	wants(page, "at1_89_");
	wants_not(page, "at1_90_");
	wants(page, "<li>and more, which the JSON has</li>");
	wants(page, "150 places were looked at: the JSON has them.");
	buf_release(&json);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------------------- */

static int write_all(void *payload, struct err *err)
{
	const struct report_view view = { .id = TEXT(ID) };
	struct html_writer html;
	struct buf page;
	int rc = 0;

	(void)payload;
	for (size_t i = 0; i < COUNT(answers) && rc == 0; i++) {
		buf_init(&page, REPORT_PAGE_BYTES_MAX);
		html_writer_init(&html, &page);
		rc = page_report(&html, &report_look, &view, text_of(answers[i]), err);
		buf_release(&page);
	}
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(write_all, NULL, 10000);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	const struct report_view view = { .id = TEXT(ID) };
	const char *trouble;
	struct buf tree;
	struct err err;

	(void)payload;
	buf_init(&tree, 1 << 20);
	ck_assert(page_of((struct text){ (const char *)bytes, size }, &view, &err) != NULL);
	ck_assert_msg(markup_read(buf_text(&out), &tree, &trouble), "%s", trouble);
	buf_release(&tree);
}

/* _i is one of the answers. */
START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)answers[_i], strlen(answers[_i]), read_changed, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *tcase = tcase_create("report");

	tcase_add_test(tcase, a_crash_is_told_from_its_reason_to_its_modules);
	tcase_add_test(tcase, a_frame_without_a_name_says_why_and_leads_to_its_module);
	tcase_add_test(tcase, other_kinds_are_told_too);
	tcase_add_test(tcase, answers_without_a_stack_say_so);
	tcase_add_test(tcase, a_thread_has_a_page_of_its_own);
	tcase_add_test(tcase, whoever_has_the_token_may_delete);
	tcase_add_test(tcase, the_query_says_what_is_shown);
	tcase_add_loop_test(tcase, no_string_of_any_answer_makes_markup, 0, COUNT(hostile));
	tcase_add_test(tcase, nobodys_names_are_obeyed);
	tcase_add_test(tcase, what_nobody_would_read_is_cut);
	tcase_add_test(tcase, long_stacks_come_by_page);
	tcase_add_test(tcase, pages_hold_whole_calls);
	tcase_add_test(tcase, many_threads_and_modules_come_by_page);
	tcase_add_test(tcase, many_candidates_are_counted);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, COUNT(answers));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
