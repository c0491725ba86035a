/*
 * bench_report.c -- the page of a crash with many threads: processor time and size.
 *
 *	bench_report [THREADS [FRAMES]]
 *
 * An answer as a browser's minidump gives it: that many threads (70) with that many frames together (4,600),
 * long names, source around a fifth of them, inlined calls, 160 modules with the candidates of three sources.
 * The fastest of some rounds counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "page/report.h"

#define ROUNDS 15
#define MODULES 160u
#define MODULE_BYTES 0x400000u
#define ANSWER_BYTES ((size_t)1 << 30)
#define TEXT_BYTES 256u

static double cpu_millis(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* --- The answer ---------------------------------------------------------------------------------- */

static void say(struct json_writer *json, const char *key, const char *before, size_t number, const char *behind)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%08zu%s", before, number, behind);
	json_member_string(json, key, text);
}

static void write_lines(struct json_writer *json, const char *key, size_t number)
{
	json_key(json, key);
	json_array(json);
	for (size_t i = 0; i < 5; i++)
		json_string(json, (number + i) % 2 ? "\tif (!mList.isEmpty() && aIndex < mList.Length())" : "");
	json_array_end(json);
}

static void write_frame(struct json_writer *json, size_t number, size_t at)
{
	bool is_named = number % 8 != 0;
	size_t module = number * 7 % MODULES;

	json_object(json);
	json_member_string(json, "status", is_named ? "symbolicated" : "missing");
	json_member_u64(json, "original_index", at - (number % 5 == 1));
	json_member_hex(json, "instruction_addr", 0x7f0000000000 + module * (uint64_t)MODULE_BYTES + number);
	say(json, "package", "/usr/lib/browser/components/libcomponent", module, ".so");
	if (is_named) {
		json_member_string(json, "lang", "cpp");
		say(json, "symbol", "_ZN7mozilla6detail16RunnableFunctionIZNS_3dom", number, "E");
		say(json, "function", "mozilla::detail::RunnableFunction<mozilla::dom::Worker", number, ">::Run()");
		json_member_string(json, "filename", "nsThreadUtils.cpp");
		json_member_string(json, "abs_path", "/builds/worker/checkouts/browser/xpcom/threads/nsThreadUtils.cpp");
		json_member_u64(json, "lineno", number % 3000 + 10);
	}
	if (is_named && number % 5 == 0) {
		write_lines(json, "pre_context", number);
		json_member_string(json, "context_line", "\t\treturn mList[aIndex]->Run(aContext);");
		write_lines(json, "post_context", number + 1);
	}
	json_member_string(json, "trust", number % 3 ? "cfi" : "scan");
	json_object_end(json);
}

static void write_threads(struct json_writer *json, size_t threads, size_t frames)
{
	size_t number = 0;

	json_key(json, "stacktraces");
	json_array(json);
	for (size_t i = 0; i < threads; i++) {
		json_object(json);
		json_member_u64(json, "thread_id", 1000 + i);
		say(json, "thread_name", "StyleThread#", i, "");
		json_member_bool(json, "is_requesting", i == 3);
		json_key(json, "frames");
		json_array(json);
		for (size_t j = 0; number < frames * (i + 1) / threads; j++)
			write_frame(json, number++, j);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_candidate(struct json_writer *json, size_t module, size_t source)
{
	json_object(json);
	say(json, "source", "source-", source, "");
	say(json, "location", "https://symbols.example/ab/cdef0123456789abcdef0123456789abcd", module, "/debuginfo");
	json_key(json, "download");
	json_object(json);
	json_member_string(json, "status", source == 2 && module % 4 ? "ok" : "notfound");
	json_object_end(json);
	json_object_end(json);
}

static void write_modules(struct json_writer *json)
{
	json_key(json, "modules");
	json_array(json);
	for (size_t i = 0; i < MODULES; i++) {
		json_object(json);
		json_member_string(json, "debug_status", i % 4 ? "found" : "missing");
		json_member_string(json, "arch", "x86_64");
		say(json, "code_id", "abcdef0123456789abcdef0123456789abcd", i, "");
		say(json, "code_file", "/usr/lib/browser/components/libcomponent", i, ".so");
		say(json, "debug_id", "01234567-89ab-cdef-0123-4567", i, "");
		json_member_hex(json, "image_addr", 0x7f0000000000 + i * (uint64_t)MODULE_BYTES);
		json_member_u64(json, "image_size", MODULE_BYTES);
		json_key(json, "candidates");
		json_array(json);
		for (size_t j = 0; j < 3; j++)
			write_candidate(json, i, j);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_answer(struct buf *answer, size_t threads, size_t frames)
{
	struct json_writer json;

	json_writer_init(&json, answer);
	json_object(&json);
	json_member_string(&json, "status", "completed");
	write_threads(&json, threads, frames);
	write_modules(&json);
	json_member_bool(&json, "crashed", true);
	json_member_string(&json, "crash_reason", "SIGSEGV / SEGV_MAPERR / 0x10");
	json_object_end(&json);
}

/* --- Its pages ------------------------------------------------------------------------------------- */

static int measure(struct text answer, const struct report_view *view, double *fastest, size_t *bytes,
		   struct err *err)
{
	const struct page_look look = { .root = "../../" };
	struct html_writer html;
	struct buf page;
	int rc = 0;

	*fastest = 1e9;
	for (int round = 0; rc == 0 && round < ROUNDS; round++) {
		double start = cpu_millis(), spent;

		buf_init(&page, REPORT_PAGE_BYTES_MAX);
		html_writer_init(&html, &page);
		rc = page_report(&html, &look, view, answer, err);
		spent = cpu_millis() - start;
		*fastest = spent < *fastest ? spent : *fastest;
		*bytes = page.size;
		buf_release(&page);
	}
	return rc;
}

int main(int argc, char **argv)
{
	size_t threads = argc > 1 ? strtoull(argv[1], NULL, 10) : 70;
	size_t frames = argc > 2 ? strtoull(argv[2], NULL, 10) : 4600;
	struct report_view view = { .id = TEXT("01234567-89ab-4def-8123-456789abcdef") };
	double millis = 0, thread_millis = 0;
	size_t bytes = 0, thread_bytes = 0;
	struct err err = ERR_INIT;
	struct buf answer;
	int rc;

	buf_init(&answer, ANSWER_BYTES);
	write_answer(&answer, threads ? threads : 1, frames);
	rc = buf_check(&answer, &err);
	if (rc == 0)
		rc = measure(buf_text(&answer), &view, &millis, &bytes, &err);
	view.is_thread = true;
	if (rc == 0)
		rc = measure(buf_text(&answer), &view, &thread_millis, &thread_bytes, &err);
	if (rc < 0)
		fprintf(stderr, "bench_report: %s\n", err.text);
	else
		printf("{\"answer\": %zu, \"millis\": %.2f, \"bytes\": %zu, \"thread_millis\": %.2f, \"thread_bytes\": %zu}\n",
		       answer.size, millis, bytes, thread_millis, thread_bytes);
	buf_release(&answer);
	return rc < 0;
}
