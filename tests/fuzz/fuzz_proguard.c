/*
 * fuzz_proguard.c -- by its first byte: a mapping, a lookup file, a stack trace, or a descriptor.
 *
 * What is made of a mapping can be opened, listed and asked; a mapping says of each line what it says of all.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "proguard/mapping_header.h"
#include "proguard/mapping_read.h"
#include "proguard/proguard.h"
#include "proguard/proguard_write.h"
#include "proguard/retrace.h"

#define MEMORY_BYTES ((size_t)64 << 20)
#define OUT_BYTES    ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char known[] =
	"# compiler: R8\no.Main$In -> a.b:\n# {\"id\":\"sourceFile\",\"fileName\":\"M.kt\"}\n"
	"    1:1:void callee():54:54 -> t\n    1:1:void caller(int):40 -> t\n"
	"    # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(Lo/Boom;)\"],\"actions\":[\"removeInnerFrames(1)\"]}\n"
	"    void p(int):3:9 -> u\n    void q():4 -> u\n"
	"    4:4:int out():98:98 -> s\n    27:27:int out():0:0 -> s\n"
	"    # {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4,\"2\":5}}\n"
	"o.Boom -> a.c:\no.Out -> a:\n    1:2:int outline():0 -> a\n    # {\"id\":\"com.android.tools.r8.outline\"}\n";

static void ask(const struct proguard *mapping, struct text class_name, struct text method, uint32_t line)
{
	struct proguard_query query = { .class_name = class_name, .method = method, .line = line,
					.has_line = line != 1, .may_rewrite = true, .thrown = TEXT("o.Boom") };
	struct proguard_frames frames = { 0 };
	struct proguard_carry carry = { .position = 1, .is_set = line == 2 };
	enum proguard_outcome outcome;
	struct err err = ERR_INIT;

	(void)proguard_class(mapping, class_name);
	(void)proguard_method(mapping, class_name, method);
	if (proguard_remap(mapping, &query, &carry, &frames, &outcome, &err) < 0 ||
	    proguard_find(mapping, &query, &frames, &err) < 0)
		abort();
	query.by_parameters = true;
	query.parameters = TEXT("int");
	if (proguard_remap(mapping, &query, &carry, &frames, &outcome, &err) < 0)
		abort();
	proguard_frames_release(&frames);
}

static void ask_all(const struct proguard *mapping)
{
	struct buf out;

	buf_init(&out, OUT_BYTES);
	for (uint32_t i = 0; i < 64 && proguard_dump_class(mapping, i, &out); i++)
		;
	buf_release(&out);
	for (uint32_t line = 0; line < 6; line++) {
		ask(mapping, TEXT("a"), TEXT("a"), line);
		ask(mapping, TEXT("a.b"), TEXT("t"), line);
		ask(mapping, TEXT("c"), TEXT("m"), line);
	}
}

static void read_records(struct text text)
{
	struct mapping_reader reader = mapping_reader_over(text);
	struct mapping_record record;
	size_t before = 0;

	while (mapping_reader_next(&reader, &record)) {
		if (reader.pos <= before || reader.pos > text.size)
			abort();
		before = reader.pos;
		if (record.kind == MAPPING_R8_HEADER && !mapping_header_is_valid(record.json)) {
			mapping_reader_refuse(&reader);
			before = reader.record_at;
		}
	}
}

/* A lookup file, if it is one; ours has to be. */
static void open_cache(const uint8_t *bytes, size_t size, bool is_ours)
{
	struct proguard mapping;
	struct err err = ERR_INIT;

	if (proguard_open(&mapping, bytes, size, &err) == 0)
		ask_all(&mapping);
	else if (is_ours)
		abort();
}

static struct file_map cache_of(struct text text)
{
	int fd = memfd_create("cache", MFD_CLOEXEC);
	struct proguard_report report;
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;

	if (proguard_write(text, MEMORY_BYTES, fd, &report, &err) == 0 && file_map_fd(&map, fd, &err) < 0)
		abort();
	close(fd);
	return map;
}

static void write_cache(struct text text)
{
	struct file_map map = cache_of(text);

	if (map.size > 0)
		open_cache(map.bytes, map.size, true);
	file_unmap(&map);
}

static void trace(const struct proguard *mapping, enum retrace_dialect dialect, bool verbose, struct text text)
{
	const struct retrace_options options = { .dialect = dialect, .verbose = verbose };
	struct retrace retrace;
	struct err err = ERR_INIT;
	struct text line;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	if (retrace_open(&retrace, mapping, &options, &err) < 0)
		abort();
	while (text_take_line(&text, &line) && retrace_line(&retrace, line, &out, &err) == 0)
		;
	retrace_release(&retrace);
	buf_release(&out);
}

static void with_known(struct text text, bool is_trace)
{
	struct file_map map = cache_of(TEXT(known));
	struct proguard mapping;
	struct err err = ERR_INIT;
	struct buf shown, parameters;

	if (proguard_open(&mapping, map.bytes, map.size, &err) < 0)
		abort();
	for (unsigned dialect = RETRACE_OF_MAPPING; is_trace && dialect < RETRACE_DIALECTS; dialect++) {
		trace(&mapping, (enum retrace_dialect)dialect, false, text);
		trace(&mapping, (enum retrace_dialect)dialect, true, text);
	}
	buf_init(&shown, OUT_BYTES);
	buf_init(&parameters, OUT_BYTES);
	if (!is_trace && !proguard_signature(&mapping, text, &shown, &parameters) &&
	    (shown.size > 0 || parameters.size > 0))
		abort();
	(void)proguard_type(&mapping, text, &shown);
	(void)proguard_map_id(text);
	(void)proguard_probe(text.bytes, text.size);
	(void)proguard_own_id(text.bytes, text.size);
	buf_release(&shown);
	buf_release(&parameters);
	file_unmap(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text text = { (const char *)bytes + 1, size - 1 };

	if (size == 0)
		return 0;
	switch (bytes[0]) {
	case 'c': open_cache(bytes + 1, size - 1, false); break;
	case 't': with_known(text, true); break;
	case 's': with_known(text, false); break;
	default:
		read_records(text);
		write_cache(text);
		break;
	}
	return 0;
}
