/* stacktext_kind.c -- see stacktext_kind.h: files by their magic numbers, then JSON, then text. */
#include "stacktext/stacktext_kind.h"

#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

static const char *const kind_names[STACKTEXT_KINDS] = {
	[STACKTEXT_UNKNOWN] = "unknown", [STACKTEXT_REQUEST_NATIVE] = "symbolicate",
	[STACKTEXT_REQUEST_JS] = "symbolicate-js", [STACKTEXT_REQUEST_JVM] = "symbolicate-jvm",
	[STACKTEXT_REQUEST_ANY] = "symbolicate-any", [STACKTEXT_REQUEST_MOZILLA] = "mozilla",
	[STACKTEXT_MINIDUMP] = "minidump", [STACKTEXT_APPLE] = "applecrash", [STACKTEXT_IPS] = "ips",
	[STACKTEXT_CORE] = "core", [STACKTEXT_JS] = "js", [STACKTEXT_JVM] = "jvm",
	[STACKTEXT_NATIVE] = "stacktext",
};
static const char *const dialect_names[STACKTEXT_DIALECTS] = {
	[STACKTEXT_NO_DIALECT] = "none", [STACKTEXT_GDB] = "gdb", [STACKTEXT_SANITIZER] = "sanitizer",
	[STACKTEXT_GLIBC] = "glibc", [STACKTEXT_ANDROID] = "android", [STACKTEXT_RUST] = "rust",
	[STACKTEXT_STACKWALK] = "stackwalk", [STACKTEXT_STACKWALK_MACHINE] = "stackwalk-machine",
	[STACKTEXT_LLDB] = "lldb",
};

const char *stacktext_kind_name(enum stacktext_kind kind)
{
	return kind_names[kind];
}

bool stacktext_kind_named(struct text name, enum stacktext_kind *kind)
{
	for (*kind = 0; *kind < STACKTEXT_KINDS; ++*kind)
		if (text_is(name, kind_names[*kind]))
			return true;
	return false;
}

const char *stacktext_dialect_name(enum stacktext_dialect dialect)
{
	return dialect_names[dialect];
}

/* --- Files ---------------------------------------------------------------------------------- */

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const struct {
	const char *magic;
	size_t size;
	enum stacktext_kind kind;
	bool is_packed;
	const char *reason;
} magics[] = {
	{ MAGIC("MDMP\x93\xa7"), STACKTEXT_MINIDUMP, false, NULL },
	{ MAGIC("PMDM"), STACKTEXT_MINIDUMP, false, NULL },          /* of the other byte order */
	{ MAGIC("\x1f\x8b\x08"), STACKTEXT_CORE, true, NULL },
	{ MAGIC("\x28\xb5\x2f\xfd"), STACKTEXT_CORE, true, NULL },
	{ MAGIC("\xfd" "7zXZ\0"), STACKTEXT_CORE, true, NULL },
	{ MAGIC("\x04\x22\x4d\x18"), STACKTEXT_CORE, true, NULL },
	{ MAGIC("PK\3\4"), STACKTEXT_UNKNOWN, false, "a zip archive: unpack it, and drop what is in it" },
	{ MAGIC("BZh"), STACKTEXT_UNKNOWN, false, "a file packed by bzip2, which is not read" },
	{ MAGIC("MZ"), STACKTEXT_UNKNOWN, false, "a program of Windows, not the dump of a crash" },
	{ MAGIC("Microsoft C/C++"), STACKTEXT_UNKNOWN, false, "a PDB: debug information, not a crash" },
	{ MAGIC("BSJB"), STACKTEXT_UNKNOWN, false, "a Portable PDB: debug information, not a crash" },
	{ MAGIC("\0asm"), STACKTEXT_UNKNOWN, false, "a program of WebAssembly, not a crash" },
	{ MAGIC("SYSB"), STACKTEXT_UNKNOWN, false, "a bundle of sources, not a crash" },
	{ MAGIC("MODULE "), STACKTEXT_UNKNOWN, false, "a Breakpad symbol file: debug information, not a crash" },
	{ MAGIC("\xcf\xfa\xed\xfe"), STACKTEXT_UNKNOWN, false, "a Mach-O file, not a crash report" },
	{ MAGIC("\xce\xfa\xed\xfe"), STACKTEXT_UNKNOWN, false, "a Mach-O file, not a crash report" },
	{ MAGIC("\xca\xfe\xba\xbe"), STACKTEXT_UNKNOWN, false, "a Mach-O file or a Java class, not a crash report" },
	{ MAGIC("PAGEDU"), STACKTEXT_UNKNOWN, false, "a dump of the Windows kernel, which is not read" },
	{ MAGIC("%PDF-"), STACKTEXT_UNKNOWN, false, "a PDF" },
	{ MAGIC("\x89PNG"), STACKTEXT_UNKNOWN, false, "a picture: drop the text it shows" },
	{ MAGIC("\xff\xd8\xff"), STACKTEXT_UNKNOWN, false, "a picture: drop the text it shows" },
	{ MAGIC("\xff\xfe"), STACKTEXT_UNKNOWN, false, "text in UTF-16: save it as UTF-8" },
	{ MAGIC("\xfe\xff"), STACKTEXT_UNKNOWN, false, "text in UTF-16: save it as UTF-8" },
};

static struct stacktext_detected unknown(const char *reason)
{
	return (struct stacktext_detected){ .kind = STACKTEXT_UNKNOWN, .reason = reason };
}

#define ELF_DATA 5u                  /* byte order: 2 is big endian */
#define ELF_TYPE 16u
#define ELF_TYPE_CORE 4u

static struct stacktext_detected detect_elf(struct text bytes)
{
	const uint8_t *head = (const uint8_t *)bytes.bytes;
	bool is_big;

	if (bytes.size < ELF_TYPE + 2)
		return unknown("an ELF file that ends in its header");
	is_big = head[ELF_DATA] == 2;
	if (head[ELF_TYPE + is_big] == ELF_TYPE_CORE && head[ELF_TYPE + !is_big] == 0)
		return (struct stacktext_detected){ .kind = STACKTEXT_CORE };
	return unknown("an ELF file that is no core: a program, a library or its debug information");
}

/* False: no file known by its first bytes. */
static bool detect_file(struct text bytes, struct stacktext_detected *detected)
{
	if (text_starts_with(bytes, "\x7f" "ELF")) {
		*detected = detect_elf(bytes);
		return true;
	}
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (bytes.size >= magics[i].size && memcmp(bytes.bytes, magics[i].magic, magics[i].size) == 0) {
			*detected = (struct stacktext_detected){
				.kind = magics[i].kind, .is_packed = magics[i].is_packed, .reason = magics[i].reason };
			return true;
		}
	return false;
}

/* --- The whole -------------------------------------------------------------------------------- */

struct stacktext_detected stacktext_detect(struct text bytes)
{
	struct stacktext_detected detected;
	struct text text;

	bytes.size = bytes.size < STACKTEXT_HEAD_BYTES ? bytes.size : STACKTEXT_HEAD_BYTES;
	if (detect_file(bytes, &detected))
		return detected;
	text = text_starts_with(bytes, "\xef\xbb\xbf") ? after(bytes, 3) : bytes;
	text = text_trim(text);
	if (text.size == 0)
		return unknown("nothing: it is empty");
	if (memchr(text.bytes, '\0', text.size))
		return unknown("a file of no kind that is read here");
	if (text.bytes[0] == '{') {
		detected = kind_json_detect(text);
		if (detected.kind != STACKTEXT_UNKNOWN)
			return detected;
	} else {
		detected = unknown(NULL);
	}
	if (detected.reason)
		return detected;
	return kind_lines_detect(text);
}
