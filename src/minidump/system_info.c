/* system_info.c -- system and CPU as texts, MISC_INFO, BREAKPAD_INFO. */
#include "minidump/minidump_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

static const struct {
	uint32_t platform;
	enum minidump_os os;
} platforms[] = {
	{ MD_OS_WIN32S, MINIDUMP_OS_UNKNOWN }, { MD_OS_WIN32_WINDOWS, MINIDUMP_WINDOWS },
	{ MD_OS_WIN32_NT, MINIDUMP_WINDOWS },  { MD_OS_WIN32_CE, MINIDUMP_WINDOWS },
	{ MD_OS_MAC_OS_X, MINIDUMP_MACOS },    { MD_OS_IOS, MINIDUMP_IOS },
	{ MD_OS_LINUX, MINIDUMP_LINUX },       { MD_OS_SOLARIS, MINIDUMP_SOLARIS },
	{ MD_OS_ANDROID, MINIDUMP_ANDROID },   { MD_OS_PS3, MINIDUMP_PS3 },
	{ MD_OS_NACL, MINIDUMP_NACL },         { MD_OS_FUCHSIA, MINIDUMP_FUCHSIA },
};

static const struct { const char *name, *long_name; } os_names[MINIDUMP_OSES] = {
	[MINIDUMP_OS_UNKNOWN] = { "", "unknown" },
	[MINIDUMP_WINDOWS] = { "Windows", "Windows NT" },
	[MINIDUMP_MACOS] = { "macOS", "Mac OS X" },
	[MINIDUMP_IOS] = { "iOS", "iOS" },
	[MINIDUMP_LINUX] = { "Linux", "Linux" },
	[MINIDUMP_SOLARIS] = { "Solaris", "Solaris" },
	[MINIDUMP_ANDROID] = { "Android", "Android" },
	[MINIDUMP_PS3] = { "PS3", "PS3" },
	[MINIDUMP_NACL] = { "NaCl", "NaCl" },
	[MINIDUMP_FUCHSIA] = { "Fuchsia", "Fuchsia" },
};

static const struct {
	uint16_t architecture;
	enum arch arch;
	enum unwind_arch unwind_arch;
	bool is_64_bit;
} architectures[] = {
	{ MD_CPU_ARCHITECTURE_X86, ARCH_X86, UNWIND_X86, false },
	{ MD_CPU_ARCHITECTURE_X86_WIN64, ARCH_X86, UNWIND_X86, false },
	{ MD_CPU_ARCHITECTURE_AMD64, ARCH_X86_64, UNWIND_X86_64, true },
	{ MD_CPU_ARCHITECTURE_ARM, ARCH_ARM, UNWIND_ARM, false },
	{ MD_CPU_ARCHITECTURE_ARM64, ARCH_ARM64, UNWIND_ARM64, true },
	{ MD_CPU_ARCHITECTURE_ARM64_OLD, ARCH_ARM64, UNWIND_ARM64, true },
	{ MD_CPU_ARCHITECTURE_MIPS, ARCH_MIPS, UNWIND_MIPS, false },
	{ MD_CPU_ARCHITECTURE_MIPS64, ARCH_MIPS64, UNWIND_MIPS64, true },
	{ MD_CPU_ARCHITECTURE_PPC, ARCH_PPC, UNWIND_PPC, false },
	{ MD_CPU_ARCHITECTURE_PPC64, ARCH_PPC64, UNWIND_PPC64, true },
	{ MD_CPU_ARCHITECTURE_SPARC, ARCH_UNKNOWN, UNWIND_SPARC, false },
};

const char *minidump_os_name(enum minidump_os os) { return os_names[os].name; }
const char *minidump_os_long_name(enum minidump_os os) { return os_names[os].long_name; }

const char *minidump_cpu_name(const struct minidump_system *system)
{
	return system->has_unwind_arch ? unwind_arch_facts(system->unwind_arch)->name : "unknown";
}

/* --- Versions ------------------------------------------------------------------------------- */

static struct text kept(struct minidump *dump, const char *words)
{
	size_t size = strlen(words);
	char *copy = arena_strndup(dump->arena, words, size);

	return copy ? (struct text){ copy, size } : TEXT_NONE;
}

/* Takes the text up to the next blank, and the blank. */
static struct text take_word(struct text *rest)
{
	const char *blank = rest->size ? memchr(rest->bytes, ' ', rest->size) : NULL;
	struct text word = { rest->bytes, blank ? (size_t)(blank - rest->bytes) : rest->size };
	size_t taken = word.size + (blank ? 1 : 0);

	rest->bytes += taken;
	rest->size -= taken;
	return word;
}

static void drop_last_word(struct text *words)
{
	while (words->size > 0 && words->bytes[words->size - 1] != ' ')
		words->size--;
	if (words->size > 0)
		words->size--;
}

/* Breakpad on Linux leaves the numbers 0 and writes `uname -srvmo`: "Linux 4.9.60 #1 SMP x86_64".
 * The machine is the last word, or the one before "Linux/GNU"; between it and the release stands
 * what was built. */
static void take_uname(struct minidump_system *system)
{
	struct text rest = system->service_pack, release;

	(void)take_word(&rest);
	release = take_word(&rest);
	if (release.size == 0 || text_is(release, "0.0.0"))
		return;
	system->os_version = release;
	if (text_ends_with(rest, " Linux/GNU") || text_is(rest, "Linux/GNU"))
		drop_last_word(&rest);
	drop_last_word(&rest);
	system->os_build = rest;
}

static void name_version(struct minidump *dump, struct minidump_system *system)
{
	char numbers[40];

	snprintf(numbers, sizeof(numbers), "%u.%u.%u", (unsigned)system->major,
		 (unsigned)system->minor, (unsigned)system->build);
	system->os_version = kept(dump, numbers);
	system->os_build = system->service_pack.bytes ? system->service_pack : TEXT("");
	if (system->platform_id == MD_OS_LINUX && text_is(system->os_version, "0.0.0"))
		take_uname(system);
}

/* --- Processors ----------------------------------------------------------------------------- */

/* Of the main id register (MIDR): implementer, and with it the part. */
static const struct minidump_code_name arm_vendors[] = {
	{ 0x41, "ARM" }, { 0x51, "Qualcomm" }, { 0x56, "Marvell" }, { 0x69, "Intel/Marvell" },
};
static const struct minidump_code_name arm_parts[] = {
	{ 0x41009260, "ARM926" },     { 0x41009460, "ARM946" },     { 0x41009660, "ARM966" },
	{ 0x4100b020, "ARM11-MPCore" }, { 0x4100b360, "ARM1136" },  { 0x4100b560, "ARM1156" },
	{ 0x4100b760, "ARM1176" },    { 0x4100c050, "Cortex-A5" },  { 0x4100c080, "Cortex-A8" },
	{ 0x4100c090, "Cortex-A9" },  { 0x4100c0f0, "Cortex-A15" }, { 0x4100c140, "Cortex-R4" },
	{ 0x4100c150, "Cortex-R5" },  { 0x510000f0, "Scorpion" },   { 0x510006f0, "Krait" },
};
/* HWCAP_... of Linux, bit by bit. */
static const char *const arm_features[] = {
	"swp", "half", "thumb", "26bit", "fastmult", "fpa", "vfpv2", "edsp", "java", "iwmmxt",
	"crunch", "thumbee", "neon", "vfpv3", "vfpv3d16", "tls", "vfpv4", "idiva", "idivt",
};
#define ARM_PART_MASK 0xff00fff0u
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static void describe_arm(const struct minidump_system *system, struct reader *cpu, struct buf *out)
{
	uint32_t id = reader_u32(cpu), features = reader_u32(cpu);
	const char *vendor = minidump_code_name(arm_vendors, COUNT_OF(arm_vendors), id >> 24);
	const char *part = minidump_code_name(arm_parts, COUNT_OF(arm_parts), id & ARM_PART_MASK);
	const char *between = " features: ";

	buf_printf(out, "ARMv%u", (unsigned)system->level);
	if (id) {
		if (vendor)
			buf_printf(out, " %s", vendor);
		else
			buf_printf(out, " vendor(0x%x)", (unsigned)(id >> 24));
		if (part)
			buf_printf(out, " %s", part);
		else
			buf_printf(out, " part(0x%x)", (unsigned)(id & ARM_PART_MASK));
	}
	for (size_t i = 0; i < COUNT_OF(arm_features); i++) {
		if (!(features >> i & 1))
			continue;
		buf_printf(out, "%s%s", between, arm_features[i]);
		between = ",";
	}
}

static void describe_x86(const struct minidump *dump, const struct minidump_system *system,
			 struct buf *out)
{
	char vendor[3 * sizeof(uint32_t)];
	struct reader cpu = reader_over("CPU information", system->cpu, sizeof(system->cpu));

	/* Three words in the dump's order, the first letter in the lowest byte. */
	cpu.big_endian = dump->big_endian;
	for (size_t word = 0; word < 3; word++) {
		uint32_t letters = reader_u32(&cpu);

		memcpy(vendor + word * sizeof(letters), &letters, sizeof(letters));
	}
	if (system->unwind_arch == UNWIND_X86 && vendor[0])
		buf_printf(out, "%.*s ", (int)sizeof(vendor), vendor);
	buf_printf(out, "family %u model %u stepping %u", (unsigned)system->level,
		   (unsigned)(system->revision >> 8), (unsigned)(system->revision & 0xff));
}

static void name_cpu(struct minidump *dump, struct minidump_system *system)
{
	struct reader cpu = reader_over("CPU information", system->cpu, sizeof(system->cpu));
	struct buf out;

	system->cpu_info = TEXT("");
	cpu.big_endian = dump->big_endian;
	buf_init(&out, 1024);
	if (system->has_unwind_arch &&
	    (system->unwind_arch == UNWIND_X86 || system->unwind_arch == UNWIND_X86_64))
		describe_x86(dump, system, &out);
	else if (system->has_unwind_arch && system->unwind_arch == UNWIND_ARM)
		describe_arm(system, &cpu, &out);
	if (out.no_memory)
		dump->arena->is_refused = true;
	system->cpu_info = kept(dump, buf_string(&out));
	buf_release(&out);
}

/* --- The streams ---------------------------------------------------------------------------- */

static void read_fields(struct minidump_system *system, struct reader *stream, uint32_t *csd_rva)
{
	const uint8_t *cpu;

	system->architecture = reader_u16(stream);
	system->level = reader_u16(stream);
	system->revision = reader_u16(stream);
	system->cpu_count = reader_u8(stream);
	system->product_type = reader_u8(stream);
	system->major = reader_u32(stream);
	system->minor = reader_u32(stream);
	system->build = reader_u32(stream);
	system->platform_id = reader_u32(stream);
	*csd_rva = reader_u32(stream);
	system->suite_mask = reader_u16(stream);
	reader_skip(stream, sizeof(uint16_t));
	cpu = reader_take(stream, MINIDUMP_CPU_BYTES);
	if (cpu)
		memcpy(system->cpu, cpu, MINIDUMP_CPU_BYTES);
}

int minidump_read_system(struct minidump *dump, struct err *err)
{
	struct minidump_system *system = &dump->system;
	struct reader stream;
	uint32_t csd_rva;

	if (!minidump_find_stream(dump, MD_SYSTEM_INFO_STREAM, &stream) ||
	    stream.size < MD_SYSTEM_INFO_SIZE)
		return err_set(err, ERR_MALFORMED, "The system information stream was not found");
	read_fields(system, &stream, &csd_rva);
	for (size_t i = 0; i < COUNT_OF(platforms); i++)
		if (platforms[i].platform == system->platform_id)
			system->os = platforms[i].os;
	for (size_t i = 0; i < COUNT_OF(architectures); i++) {
		if (architectures[i].architecture != system->architecture)
			continue;
		system->arch = architectures[i].arch;
		system->has_unwind_arch = true;
		system->unwind_arch = architectures[i].unwind_arch;
		system->is_64_bit = architectures[i].is_64_bit;
	}
	system->service_pack = csd_rva ? minidump_string(dump, csd_rva) : TEXT_NONE;
	if (csd_rva && !system->service_pack.bytes)
		minidump_lose(dump, "%s: its text cannot be read", stream.name);
	else if (system->service_pack.bytes)
		system->service_pack = text_trim(system->service_pack);
	name_version(dump, system);
	name_cpu(dump, system);
	return minidump_check_memory(dump, err);
}

#define BUILD_STRING_UNITS 260u
#define DEBUG_BUILD_STRING_UNITS 40u

void minidump_read_misc(struct minidump *dump)
{
	struct minidump_misc *misc = &dump->misc;
	struct reader stream;

	if (!minidump_find_stream(dump, MD_MISC_INFO_STREAM, &stream))
		return;
	if (stream.size < MD_MISCINFO_SIZE) {
		minidump_lose(dump, "%s: too short", stream.name);
		return;
	}
	misc->size = reader_u32(&stream);
	misc->flags = reader_u32(&stream);
	misc->process_id = reader_u32(&stream);
	misc->create_time = reader_u32(&stream);
	misc->user_time = reader_u32(&stream);
	misc->kernel_time = reader_u32(&stream);
	misc->has_process_id = misc->flags & MD_MISCINFO_FLAGS1_PROCESS_ID;
	misc->has_times = misc->flags & MD_MISCINFO_FLAGS1_PROCESS_TIMES;
	misc->has_build = (misc->flags & MD_MISCINFO_FLAGS4_BUILDSTRING) &&
			  stream.size >= MD_MISCINFO4_SIZE;
	if (!misc->has_build)
		return;
	reader_seek(&stream, MD_MISCINFO4_SIZE - 2 * (BUILD_STRING_UNITS + DEBUG_BUILD_STRING_UNITS));
	misc->build_string = minidump_utf16_field(dump, &stream, BUILD_STRING_UNITS);
	misc->debug_build_string = minidump_utf16_field(dump, &stream, DEBUG_BUILD_STRING_UNITS);
}

void minidump_read_breakpad(struct minidump *dump)
{
	struct minidump_breakpad *breakpad = &dump->breakpad;
	struct reader stream;
	uint32_t validity;

	if (!minidump_find_stream(dump, MD_BREAKPAD_INFO_STREAM, &stream))
		return;
	validity = reader_u32(&stream);
	breakpad->dump_thread_id = reader_u32(&stream);
	breakpad->requesting_thread_id = reader_u32(&stream);
	if (stream.failed) {
		minidump_lose(dump, "%s: too short", stream.name);
		return;
	}
	breakpad->has_dump_thread = validity & MD_BREAKPAD_INFO_VALID_DUMP_THREAD_ID;
	breakpad->has_requesting_thread = validity & MD_BREAKPAD_INFO_VALID_REQUESTING_THREAD_ID;
}

/* --- What two streams tell ------------------------------------------------------------------ */

bool minidump_microcode(struct minidump *dump, uint64_t *version)
{
	struct text rest = minidump_text_stream(dump, MD_LINUX_CPU_INFO), key, value;

	while (minidump_next_pair(&rest, ':', &key, &value)) {
		if (!text_is(key, "microcode"))
			continue;
		if (!text_starts_with(value, "0x"))
			return false;
		return text_to_u64((struct text){ value.bytes + 2, value.size - 2 }, 16, version);
	}
	return false;
}

bool minidump_process_id(struct minidump *dump, uint32_t *id)
{
	struct text rest = minidump_text_stream(dump, MD_LINUX_PROC_STATUS), key, value;
	uint64_t number;

	if (dump->misc.has_process_id) {
		*id = dump->misc.process_id;
		return true;
	}
	while (minidump_next_pair(&rest, ':', &key, &value)) {
		if (!text_is(key, "Pid") || !text_to_u64(value, 10, &number) || number > UINT32_MAX)
			continue;
		*id = (uint32_t)number;
		return true;
	}
	return false;
}
