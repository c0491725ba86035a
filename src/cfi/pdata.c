/* pdata.c -- see pdata.h: which processor's records these are. */
#include "cfi/pdata.h"

static enum cpu_family family_of(const struct cfi_writer *writer)
{
	return arch_family(writer->object->arch);
}

int pdata_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	if (family_of(writer) == CPU_X86_64)
		return pdata_x64_collect(writer, source, err);
	if (family_of(writer) == CPU_ARM64)
		return pdata_arm64_collect(writer, source, err);
	return 0;
}

int pdata_print(struct cfi_writer *writer, const struct cfi_entry *entry, struct err *err)
{
	return family_of(writer) == CPU_X86_64 ? pdata_x64_print(writer, entry, err)
					       : pdata_arm64_print(writer, entry, err);
}
