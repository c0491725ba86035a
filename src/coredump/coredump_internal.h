/* coredump_internal.h -- what the files of coredump share. */
#ifndef COREDUMP_COREDUMP_INTERNAL_H
#define COREDUMP_COREDUMP_INTERNAL_H

#include "coredump/coredump.h"

#include "object/elf/elf_file.h"

/* What the notes say, as found. */
struct coredump_notes {
	struct coredump_thread *threads;
	size_t thread_count;
	struct coredump_mapping *mappings;
	size_t mapping_count;
	struct text vmcoreinfo;      /* lines of a kernel; TEXT_NONE: it is of none */
	uint64_t vdso;               /* AT_SYSINFO_EHDR; 0: not told */
};

/* threads.c: the registers of an elf_prstatus; false: too short. */
bool coredump_read_thread(const struct coredump *core, struct reader status,
			  struct coredump_thread *thread);
/* The walker of a machine; false: there is none. */
bool coredump_walker(uint16_t machine, bool is_64_bit, enum unwind_arch *arch);

/* notes.c */
int coredump_read_notes(struct coredump *core, const struct elf_file *file, struct arena *arena,
			struct coredump_notes *notes, struct err *err)
	__attribute__((warn_unused_result));

/* core_kernel.c: what a kernel says of itself, its release; and where it lies, with its build id.
 * False: nothing tells. */
void coredump_read_kernel(struct coredump *core, struct text vmcoreinfo);
bool coredump_find_kernel(const struct coredump *core, struct text vmcoreinfo,
			  struct coredump_module *module);

/* core_modules.c: mappings of one file become one module, with the id its headers in memory have. */
int coredump_find_modules(struct coredump *core, const struct coredump_notes *notes,
			  struct arena *arena, struct err *err) __attribute__((warn_unused_result));

#endif
