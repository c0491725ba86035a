/* dump_builder.c -- see dump_builder.h. */
#include "minidump/dump_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST ((size_t)64 << 20)
#define HEADER_BYTES 32u
#define DIRECTORY_BYTES 12u

/* Check's own words serve only within a test; the corpus is written by a program. */
static void require(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "dump_builder: %s\n", what);
	abort();
}

void dump_put(struct dump_builder *dump, const void *bytes, size_t size)
{
	buf_add(&dump->out, bytes, size);
	require(!dump->out.failed, "too large");
}

void dump_zeros(struct dump_builder *dump, size_t size)
{
	while (size-- > 0)
		dump_put(dump, "", 1);
}

static void put_number(struct dump_builder *dump, uint64_t value, unsigned size)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[dump->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	dump_put(dump, bytes, size);
}

void dump_u8(struct dump_builder *dump, uint8_t value)   { put_number(dump, value, 1); }
void dump_u16(struct dump_builder *dump, uint16_t value) { put_number(dump, value, 2); }
void dump_u32(struct dump_builder *dump, uint32_t value) { put_number(dump, value, 4); }
void dump_u64(struct dump_builder *dump, uint64_t value) { put_number(dump, value, 8); }

void dump_set_u32(struct dump_builder *dump, uint32_t at, uint32_t value)
{
	struct dump_builder word = { .big_endian = dump->big_endian };

	buf_init(&word.out, sizeof(value) * 2);
	dump_u32(&word, value);
	require(at + sizeof(value) <= dump->out.size, "changed beyond the end");
	memcpy(dump->out.bytes + at, word.out.bytes, sizeof(value));
	buf_release(&word.out);
}

uint32_t dump_here(const struct dump_builder *dump)
{
	return (uint32_t)dump->out.size;
}

void dump_begin(struct dump_builder *dump, bool big_endian)
{
	*dump = (struct dump_builder){ .big_endian = big_endian };
	buf_init(&dump->out, BYTES_MOST);
	dump_zeros(dump, HEADER_BYTES + DUMP_STREAMS_MAX * DIRECTORY_BYTES);
}

void dump_release(struct dump_builder *dump)
{
	buf_release(&dump->out);
}

uint32_t dump_string(struct dump_builder *dump, const char *text)
{
	uint32_t at = dump_here(dump);

	dump_u32(dump, (uint32_t)strlen(text) * 2);
	dump_field(dump, text, (uint32_t)strlen(text) + 1);
	return at;
}

void dump_field(struct dump_builder *dump, const char *text, uint32_t units)
{
	for (uint32_t i = 0; i < units; i++)
		dump_u16(dump, (uint8_t)(i < strlen(text) ? text[i] : 0));
}

uint32_t dump_utf8(struct dump_builder *dump, const char *text)
{
	uint32_t at = dump_here(dump);

	dump_u32(dump, (uint32_t)strlen(text));
	dump_put(dump, text, strlen(text) + 1);
	return at;
}

void dump_stream(struct dump_builder *dump, uint32_t type)
{
	require(dump->stream_count < DUMP_STREAMS_MAX, "too many streams");
	dump->streams[dump->stream_count].type = type;
	dump->streams[dump->stream_count].rva = dump_here(dump);
}

void dump_stream_end(struct dump_builder *dump)
{
	dump->streams[dump->stream_count].size =
		dump_here(dump) - dump->streams[dump->stream_count].rva;
	dump->stream_count++;
}

void dump_finish(struct dump_builder *dump)
{
	const uint32_t header[] = { 0x504d444d, 0x1234a793, dump->stream_count, HEADER_BYTES, 0,
				    1600000000 };

	for (uint32_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		dump_set_u32(dump, i * 4, header[i]);
	for (uint32_t i = 0; i < dump->stream_count; i++) {
		uint32_t at = HEADER_BYTES + i * DIRECTORY_BYTES;

		dump_set_u32(dump, at, dump->streams[i].type);
		dump_set_u32(dump, at + 4, dump->streams[i].size);
		dump_set_u32(dump, at + 8, dump->streams[i].rva);
	}
}

/* --- Streams ------------------------------------------------------------------------------------ */

void dump_system(struct dump_builder *dump, uint32_t platform, uint16_t architecture, const char *csd)
{
	uint32_t text = csd ? dump_string(dump, csd) : 0;
	bool is_unknown = csd && strncmp(csd, "Linux ", 6) == 0;

	dump_stream(dump, MD_SYSTEM_INFO_STREAM);
	dump_u16(dump, architecture);
	dump_u16(dump, 6);
	dump_u16(dump, 0x1a05);
	dump_u8(dump, 4);
	dump_u8(dump, 1);
	dump_u32(dump, is_unknown ? 0 : 10);
	dump_u32(dump, 0);
	dump_u32(dump, is_unknown ? 0 : 22000);
	dump_u32(dump, platform);
	dump_u32(dump, text);
	dump_u32(dump, 0x100);
	dump_u32(dump, 0x756e6547);          /* "Genu", "ineI", "ntel" */
	dump_u32(dump, 0x49656e69);
	dump_u32(dump, 0x6c65746e);
	dump_zeros(dump, 12);
	dump_stream_end(dump);
}

void dump_exception(struct dump_builder *dump, uint32_t code, uint32_t flags, uint64_t address,
		    const uint64_t *parameters, uint32_t count)
{
	dump_stream(dump, MD_EXCEPTION_STREAM);
	dump_u32(dump, 7);
	dump_u32(dump, 0);
	dump_u32(dump, code);
	dump_u32(dump, flags);
	dump_u64(dump, 0);
	dump_u64(dump, address);
	dump_u32(dump, count);
	dump_u32(dump, 0);
	for (uint32_t i = 0; i < 15; i++)
		dump_u64(dump, i < count ? parameters[i] : 0);
	dump_u64(dump, 0);
	dump_stream_end(dump);
}

static uint32_t put_context(struct dump_builder *dump, uint64_t rip, uint64_t rsp)
{
	uint32_t at = dump_here(dump);

	dump_zeros(dump, 0x30);
	dump_u32(dump, MD_CONTEXT_AMD64 | 0xf);
	dump_zeros(dump, 0x98 - 0x34);
	dump_u64(dump, rsp);
	dump_u64(dump, rsp + 0x20);
	dump_zeros(dump, 0xf8 - 0xa8);
	dump_u64(dump, rip);
	dump_zeros(dump, 1232 - 0x100);
	return at;
}

static void put_thread(struct dump_builder *dump, uint32_t id, uint64_t stack, uint32_t stack_size,
		       uint32_t stack_rva, uint32_t context)
{
	dump_u32(dump, id);
	dump_zeros(dump, 12);
	dump_u64(dump, 0x7ffde000);
	dump_u64(dump, stack);
	dump_u32(dump, stack_size);
	dump_u32(dump, stack_rva);
	dump_u32(dump, 1232);
	dump_u32(dump, context);
}

static void put_module(struct dump_builder *dump, uint64_t base, uint32_t size, uint32_t name,
		       uint32_t codeview_size, uint32_t codeview)
{
	dump_u64(dump, base);
	dump_u32(dump, size);
	dump_u32(dump, 0);
	dump_u32(dump, 0x5f000000);
	dump_u32(dump, name);
	dump_u32(dump, MD_VSFIXEDFILEINFO_SIGNATURE);
	dump_u32(dump, MD_VSFIXEDFILEINFO_VERSION);
	dump_u32(dump, 1);
	dump_u32(dump, 2);
	dump_u32(dump, 3);
	dump_u32(dump, 4);
	dump_zeros(dump, 52 - 24);
	dump_u32(dump, codeview_size);
	dump_u32(dump, codeview);
	dump_zeros(dump, 8 + 16);
}

static void sample_threads(struct dump_builder *dump)
{
	uint32_t first = put_context(dump, DUMP_SAMPLE_RIP, DUMP_SAMPLE_RSP);
	uint32_t second = put_context(dump, 0x401000, 0x7ffe0000);
	uint32_t crash = put_context(dump, DUMP_SAMPLE_RIP + 1, DUMP_SAMPLE_RSP);
	uint32_t stack = dump_here(dump), name;

	for (uint64_t i = 0; i < 32; i++)
		dump_u64(dump, 0x1000 + i);
	dump_stream(dump, MD_THREAD_LIST_STREAM);
	dump_u32(dump, 2);
	put_thread(dump, 7, DUMP_SAMPLE_STACK, 256, stack, first);
	put_thread(dump, 8, 0x7ffe0000, 0, 0, second);
	dump_stream_end(dump);
	name = dump_string(dump, "renderer");
	dump_stream(dump, MD_THREAD_NAME_LIST_STREAM);
	dump_u32(dump, 1);
	dump_u32(dump, 7);
	dump_u64(dump, name);
	dump_stream_end(dump);
	dump_exception(dump, 11, 1, 0x45, NULL, 0);
	dump_set_u32(dump, dump_here(dump) - 8, 1232);
	dump_set_u32(dump, dump_here(dump) - 4, crash);
	dump_stream(dump, MD_BREAKPAD_INFO_STREAM);
	dump_u32(dump, 3);
	dump_u32(dump, 8);
	dump_u32(dump, 7);
	dump_stream_end(dump);
	dump_stream(dump, MD_MEMORY_LIST_STREAM);
	dump_u32(dump, 3);
	dump_u32(dump, 0);                   /* padding */
	dump_u64(dump, DUMP_SAMPLE_STACK);
	dump_u32(dump, 256);
	dump_u32(dump, stack);
	dump_u64(dump, DUMP_SAMPLE_STACK + 8);
	dump_u32(dump, 16);
	dump_u32(dump, stack);               /* overlaps */
	dump_u64(dump, 0x1000);
	dump_u32(dump, 8);
	dump_u32(dump, stack + 8);
	dump_stream_end(dump);
}

static void sample_modules(struct dump_builder *dump)
{
	static const uint8_t id[20] = { 0xf1, 0xc3, 0xbc, 0xc0, 0x27, 0x98, 0x65, 0xfe, 0x30, 0x58,
					0x40, 0x4b, 0x28, 0x31, 0xd9, 0xe6, 0x41, 0x35, 0x38, 0x6c };
	uint32_t program = dump_string(dump, "/opt/app"), library = dump_string(dump, "C:\\x.dll");
	uint32_t elf, pdb, old;

	elf = dump_here(dump);
	dump_u32(dump, MD_CVINFOELF_SIGNATURE);
	dump_put(dump, id, sizeof(id));
	pdb = dump_here(dump);
	dump_u32(dump, MD_CVINFOPDB70_SIGNATURE);
	dump_u32(dump, 0x5a9832e5);
	dump_u16(dump, 0x2872);
	dump_u16(dump, 0x41c1);
	dump_put(dump, "\x83\x8e\xd9\x89\x14\xe9\xb7\xff", 8);
	dump_u32(dump, 0x1a);
	dump_put(dump, "x.pdb", 6);
	old = dump_here(dump);
	dump_u32(dump, MD_CVINFOPDB20_SIGNATURE);
	dump_u32(dump, 0);
	dump_u32(dump, 0x3af1cd12);
	dump_u32(dump, 3);
	dump_put(dump, "old.pdb", 8);
	dump_stream(dump, MD_MODULE_LIST_STREAM);
	dump_u32(dump, 5);
	put_module(dump, 0x500000, 0x1000, library, 30, pdb);
	put_module(dump, 0x400000, 0x2000, program, 24, elf);
	put_module(dump, 0x401800, 0x2000, library, 24, old);    /* overlaps the program */
	put_module(dump, 0x600000, 0x1000, library, 24, old);
	put_module(dump, 0x700000, 0, program, 0, 0);            /* nowhere */
	dump_stream_end(dump);
	dump_stream(dump, MD_UNLOADED_MODULE_LIST_STREAM);
	dump_u32(dump, 12);
	dump_u32(dump, 24);
	dump_u32(dump, 2);
	for (uint32_t i = 0; i < 2; i++) {
		dump_u64(dump, 0x800000 - i * 0x800);
		dump_u32(dump, 0x1000);
		dump_u32(dump, 0);
		dump_u32(dump, 0x5f000001);
		dump_u32(dump, library);
	}
	dump_stream_end(dump);
}

static void sample_annotations(struct dump_builder *dump)
{
	uint32_t key = dump_utf8(dump, "prod"), value = dump_utf8(dump, "app"), simple, list, objects;
	uint32_t module, modules;

	simple = dump_here(dump);
	dump_u32(dump, 1);
	dump_u32(dump, key);
	dump_u32(dump, value);
	list = dump_here(dump);
	dump_u32(dump, 1);
	dump_u32(dump, value);
	objects = dump_here(dump);
	dump_u32(dump, 1);
	dump_u32(dump, key);
	dump_u16(dump, 1);
	dump_u16(dump, 0);
	dump_u32(dump, value);
	module = dump_here(dump);
	dump_u32(dump, 1);
	dump_u32(dump, 8);
	dump_u32(dump, list);
	dump_u32(dump, 12);
	dump_u32(dump, simple);
	dump_u32(dump, 16);
	dump_u32(dump, objects);
	modules = dump_here(dump);
	dump_u32(dump, 1);
	dump_u32(dump, 1);
	dump_u32(dump, 28);
	dump_u32(dump, module);
	dump_stream(dump, MD_CRASHPAD_INFO_STREAM);
	dump_u32(dump, 1);
	for (uint8_t i = 0; i < 32; i++)
		dump_u8(dump, i);
	dump_u32(dump, 12);
	dump_u32(dump, simple);
	dump_u32(dump, 16);
	dump_u32(dump, modules);
	dump_stream_end(dump);
}

static void put_text_stream(struct dump_builder *dump, uint32_t type, const char *text)
{
	dump_stream(dump, type);
	dump_put(dump, text, strlen(text));
	dump_stream_end(dump);
}

static void sample_linux(struct dump_builder *dump)
{
	uint32_t name, map;

	put_text_stream(dump, MD_LINUX_CPU_INFO, "processor\t: 0\nmicrocode\t: 0x2b\nmicrocode : 0x1\n");
	put_text_stream(dump, MD_LINUX_PROC_STATUS, "Name:\tapp\nPid:\t42\n");
	put_text_stream(dump, MD_LINUX_LSB_RELEASE, "ID=debian\nVERSION_ID=\"12\"\n"
			"VERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
	put_text_stream(dump, MD_LINUX_CMD_LINE, "/opt/app");
	put_text_stream(dump, MD_LINUX_MAPS,
			"00400000-00402000 r-xp 00000000 fc:01 18881  /opt/app with blank\n"
			"nonsense\n7ffe0000-7fff0000 rw-s 00001000 00:00 0\n");
	put_text_stream(dump, MD_MOZ_LINUX_LIMITS,
			"Limit                     Soft Limit           Hard Limit           Units     \n"
			"Max cpu time              unlimited            unlimited            seconds   \n"
			"Max nice priority         0                    0                    \n");
	name = dump_string(dump, "/lib/ld.so");
	map = dump_here(dump);
	dump_u64(dump, 0x10000);
	dump_u32(dump, name);
	dump_u64(dump, 0x20000);
	dump_stream(dump, MD_LINUX_DSO_DEBUG);
	dump_u32(dump, 1);
	dump_u32(dump, map);
	dump_u32(dump, 1);
	dump_u64(dump, 0x30000);
	dump_u64(dump, 0x40000);
	dump_u64(dump, 0x50000);
	dump_stream_end(dump);
}

static void sample_others(struct dump_builder *dump)
{
	uint32_t type = dump_string(dump, "File"), object = dump_string(dump, "\\Device"), record;

	dump_stream(dump, MD_HANDLE_DATA_STREAM);
	dump_u32(dump, 16);
	dump_u32(dump, 40);
	dump_u32(dump, 1);
	dump_u32(dump, 0);
	dump_u64(dump, 0x44);
	dump_u32(dump, type);
	dump_u32(dump, object);
	dump_zeros(dump, 24);
	dump_stream_end(dump);
	dump_stream(dump, MD_MEMORY_INFO_LIST_STREAM);
	dump_u32(dump, 16);
	dump_u32(dump, 48);
	dump_u64(dump, 1);
	dump_u64(dump, 0x400000);
	dump_u64(dump, 0x400000);
	dump_u32(dump, 0x80);
	dump_u32(dump, 0);
	dump_u64(dump, 0x2000);
	dump_u32(dump, 0x1000);
	dump_u32(dump, 0x20);
	dump_u32(dump, 0x1000000);
	dump_u32(dump, 0);
	dump_stream_end(dump);
	dump_stream(dump, MD_ASSERTION_INFO_STREAM);
	dump_field(dump, "x != 0", 128);
	dump_field(dump, "f", 128);
	dump_field(dump, "f.c", 128);
	dump_u32(dump, 12);
	dump_u32(dump, 1);
	dump_stream_end(dump);
	record = dump_here(dump);
	dump_u64(dump, MD_MOZ_MACOS_CRASH_INFO_STREAM);
	dump_u64(dump, 5);
	dump_u64(dump, 3);
	dump_u64(dump, 0);
	dump_u64(dump, 9);
	dump_put(dump, "/usr/lib/x\0abort() called\0\0\0second", 35);
	dump_stream(dump, MD_MOZ_MACOS_CRASH_INFO_STREAM);
	dump_u32(dump, MD_MOZ_MACOS_CRASH_INFO_STREAM);
	dump_u32(dump, 1);
	dump_u32(dump, 40);
	dump_u32(dump, 40 + 35);
	dump_u32(dump, record);
	dump_zeros(dump, 19 * 8);
	dump_stream_end(dump);
	dump_stream(dump, MD_MOZ_MACOS_BOOTARGS_STREAM);
	dump_u32(dump, MD_MOZ_MACOS_BOOTARGS_STREAM);
	dump_u64(dump, object);
	dump_stream_end(dump);
	dump_stream(dump, MD_MISC_INFO_STREAM);
	dump_u32(dump, 24);
	dump_u32(dump, 3);
	dump_u32(dump, 4711);
	dump_u32(dump, 1500000000);
	dump_u32(dump, 5);
	dump_u32(dump, 6);
	dump_stream_end(dump);
	dump_stream(dump, 0xabcd1234);       /* nobody's */
	dump_u32(dump, 1);
	dump_stream_end(dump);
}

void dump_sample(struct dump_builder *dump, bool big_endian)
{
	dump_begin(dump, big_endian);
	dump_system(dump, MD_OS_LINUX, MD_CPU_ARCHITECTURE_AMD64,
		    "Linux 4.9.60-linuxkit-aufs #1 SMP Mon Nov 6 16:00:12 UTC 2017 x86_64 Linux/GNU ");
	sample_threads(dump);
	sample_modules(dump);
	sample_annotations(dump);
	sample_linux(dump);
	sample_others(dump);
	dump_finish(dump);
}
