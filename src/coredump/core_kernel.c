/*
 * core_kernel.c -- a kernel's core (/proc/vmcore, makedumpfile -E): what its VMCOREINFO note says.
 *
 * Lines of NAME=VALUE (Documentation/admin-guide/kdump/vmcoreinfo.rst).  The kernel is one module,
 * which begins where the segment does that holds its first function.
 */
#include "coredump/coredump_internal.h"

#define KERNEL_NAME "vmlinux"

/* The value of a line; TEXT_NONE: there is none. */
static struct text value_of(struct text lines, const char *name)
{
	size_t size = strlen(name);

	for (size_t at = 0; at < lines.size; at++) {
		size_t end = at;

		while (end < lines.size && lines.bytes[end] != '\n')
			end++;
		if (end - at > size && memcmp(lines.bytes + at, name, size) == 0 &&
		    lines.bytes[at + size] == '=')
			return (struct text){ lines.bytes + at + size + 1, end - at - size - 1 };
		at = end;
	}
	return TEXT_NONE;
}

void coredump_read_kernel(struct coredump *core, struct text vmcoreinfo)
{
	core->is_kernel = vmcoreinfo.size > 0;
	core->kernel_release = value_of(vmcoreinfo, "OSRELEASE");
}

static void read_id(const struct coredump *core, struct text id, struct coredump_module *module)
{
	size_t size = id.size / 2;

	if (size > COREDUMP_ID_BYTES)
		return;
	for (size_t i = 0; i < size; i++) {
		int high = ascii_hex_value(id.bytes[2 * i]), low = ascii_hex_value(id.bytes[2 * i + 1]);

		if (high < 0 || low < 0)
			return;
		module->id[i] = (uint8_t)(high << 4 | low);
	}
	if (size == 0)
		return;
	module->id_size = size;
	module->debug_id = debugid_from_build_id(module->id, size, !core->big_endian);
}

bool coredump_find_kernel(const struct coredump *core, struct text vmcoreinfo,
			  struct coredump_module *module)
{
	struct text first = value_of(vmcoreinfo, "SYMBOL(_stext)");
	const struct unwind_region *region;
	uint64_t address;

	if (!text_to_u64(first, 16, &address))
		return false;
	*module = (struct coredump_module){ .base = address, .size = 1, .path = TEXT(KERNEL_NAME) };
	region = unwind_memory_find(&core->memory, address, 1);
	if (region) {
		module->base = region->address;
		module->size = region->size;
	}
	read_id(core, value_of(vmcoreinfo, "BUILD-ID"), module);
	return true;
}
