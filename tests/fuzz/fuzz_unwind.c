/*
 * fuzz_unwind -- each kind of unwind section, without a container around it.
 *
 * The first byte says which, the second for which processor; of compact unwind information what
 * follows is __eh_frame as well, of PE the whole image.  What is written must ascend.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cfi/cfi.h"
#include "cfi/sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct {
	enum object_unwind_kind kind;
	const char *format;
} kinds[] = {
	{ OBJECT_UNWIND_EH_FRAME, "elf" }, { OBJECT_UNWIND_DEBUG_FRAME, "elf" },
	{ OBJECT_UNWIND_COMPACT, "macho" }, { OBJECT_UNWIND_PDATA, "pe" },
	{ OBJECT_UNWIND_BREAKPAD, "breakpad" },
};

static const enum arch arches[] = {
	ARCH_X86_64, ARCH_ARM64, ARCH_X86, ARCH_ARM, ARCH_MIPS, ARCH_PPC64, ARCH_ARM64_32,
};

/* Every INIT record is found where it begins. */
static void check(int fd)
{
	struct err err = ERR_INIT;
	struct file_map map;
	struct text rest, line;
	struct cfi_rows rows;
	struct cfi cfi;

	if (file_map_fd(&map, fd, &err) < 0)
		return;
	if (cfi_open(&cfi, map.bytes, map.size, &err) < 0)
		abort();
	for (rest = cfi.text; text_take_line(&rest, &line);) {
		unsigned long long start;
		char head[48];

		snprintf(head, sizeof(head), "%.*s", (int)(line.size < 40 ? line.size : 40),
			 line.bytes);
		if (sscanf(head, "STACK CFI INIT %llx", &start) == 1 &&
		    (!cfi_find(&cfi, start, &rows) || rows.start != start))
			abort();
	}
	file_unmap(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct cfi_options options;
	struct sections sections;
	struct cfi_report report;
	struct err err = ERR_INIT;
	long live = mem_live;
	unsigned kind;
	int fd;

	if (size < 3)
		return 0;
	kind = bytes[0] % (sizeof(kinds) / sizeof(kinds[0]));
	sections_init(&sections, kinds[kind].format,
		      arches[bytes[1] % (sizeof(arches) / sizeof(arches[0]))]);
	sections.image = (struct text){ (const char *)bytes + 2, size - 2 };
	sections_add(&sections, kinds[kind].kind, 0, bytes + 2, size - 2);
	if (kinds[kind].kind == OBJECT_UNWIND_COMPACT)
		sections_add(&sections, OBJECT_UNWIND_EH_FRAME, 0, bytes + 2, size - 2);
	fd = memfd_create("cfi", MFD_CLOEXEC);
	if (fd >= 0 && cfi_write(&sections.object, &options, fd, &report, &err) == 0)
		check(fd);
	close(fd);
	if (mem_live != live)
		abort();
	return 0;
}
