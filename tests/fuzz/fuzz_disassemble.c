/* fuzz_disassemble.c -- code: every byte is part of one line, and lines are JSON. */
#include <stdint.h>
#include <stdlib.h>

#include "base/arch.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "convert/disassemble.h"

#define OUT_BYTES ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(uint32_t arch, struct text code, uint64_t asked)
{
	struct json_reader reader;
	struct json_writer json;
	struct buf out;
	struct err err = ERR_INIT;
	uint64_t read;

	buf_init(&out, OUT_BYTES);
	json_writer_init(&json, &out);
	json_array(&json);
	if (disassemble_write(arch, code, 0xfffffff0u, asked, &json, &read, &err) < 0)
		abort();
	json_array_end(&json);
	if (read > code.size || (read < asked && read < code.size))
		abort();
	reader = json_reader_over("lines", (struct text){ out.bytes, out.size });
	json_reader_skip(&reader);
	if (!json_reader_at_end(&reader))
		abort();
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text code = { (const char *)bytes, size < 1 << 16 ? size : 1 << 16 };

	check(ARCH_X86_64, code, code.size);
	check(ARCH_X86, code, code.size / 2);
	check(ARCH_ARM64, code, code.size);
	check(ARCH_ARM, code, code.size / 2);
	return 0;
}
