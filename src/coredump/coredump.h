/*
 * coredump -- reads ELF core files: what a process was when the kernel (or gcore) wrote it down.
 *
 * Of either class and byte order.  The bytes are borrowed and must outlive everything: memory and
 * texts point into them; lists lie in the arena.  A core that was cut tells what is left of it.
 * Sources: System V ABI, ELF; Linux uapi/linux/elf.h and the elf_prstatus of each processor.
 *
 * May include: base, object (ids), unwind/registers.h, unwind/regions.h.
 */
#ifndef COREDUMP_COREDUMP_H
#define COREDUMP_COREDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/debugid.h"
#include "base/text.h"
#include "unwind/regions.h"
#include "unwind/registers.h"

#define COREDUMP_ID_BYTES 64u        /* of a build id; longer ones are cut */

struct arena;
struct err;

struct coredump_thread {
	uint64_t id;                 /* of the kernel's task */
	uint32_t signal;             /* it was stopped by; 0: none */
	struct unwind_registers registers;       /* nothing valid: this processor has no walker */
};

struct coredump_mapping {            /* one line of NT_FILE */
	uint64_t start, end;
	uint64_t offset;             /* in the file, bytes */
	struct text path;
};

struct coredump_module {
	uint64_t base, size;
	struct text path;            /* TEXT_NONE: nobody says */
	uint8_t id[COREDUMP_ID_BYTES];
	size_t id_size;              /* 0: the headers in memory have none, or are not there */
	struct debugid debug_id;     /* of the build id; nil without one */
};

struct coredump {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	bool big_endian, is_64_bit;
	uint16_t machine;            /* e_machine */
	enum arch arch;              /* ARCH_UNKNOWN: one we have no name for */
	bool has_walker;             /* threads have registers */
	struct text command, arguments;          /* of NT_PRPSINFO; TEXT_NONE: not told */
	uint64_t process_id;
	bool has_signal;
	int32_t signal, signal_code; /* si_signo, si_code */
	bool has_fault_address;
	uint64_t fault_address;      /* si_addr of signals that have one */
	const struct coredump_thread *threads;   /* the first is the one the signal was for */
	size_t thread_count;
	const struct coredump_mapping *mappings; /* of files, as the kernel lists them */
	size_t mapping_count;
	const struct coredump_module *modules;   /* by address */
	size_t module_count;
	bool is_kernel;              /* of a crashed kernel: its threads are processors */
	struct text kernel_release;  /* "6.1.0-13-amd64"; TEXT_NONE: of no kernel */
	struct unwind_memory memory;
	uint64_t lost_bytes;         /* segments say there is more than the file holds */
};

/* ERR_MALFORMED: no ELF core file.  ERR_NO_MEMORY: over the arena's ceiling. */
int coredump_open(struct coredump *core, const uint8_t *bytes, size_t size, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));

/* Was the module mapped from this file?  What tells is which parts of it were mapped where, and the pages
 * of the core that no process may write to.  ERR_NOT_FOUND: no, with what differs; ERR_MALFORMED: it
 * is no ELF file. */
int coredump_match(const struct coredump *core, const struct coredump_module *module,
		   const uint8_t *bytes, size_t size, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

#endif
