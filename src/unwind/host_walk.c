/* host_walk.c -- see host_walk.h. */
#include "unwind/host_walk.h"

#include <libunwind.h>
#include <string.h>

#define WORD_BYTES     8u
#define HEADER_BYTES   12u
#define ENTRY_BYTES    8u
#define HEADER_VERSION 1u
#define CIE_AUGMENTATION_AT 9u         /* behind length, id and version */
#define AUGMENTATION_BYTES  8u
/* LSB Core, .eh_frame_hdr: how its numbers are written. */
#define DW_EH_PE_UDATA4         0x03u
#define DW_EH_PE_PCREL_SDATA4   0x1bu
#define DW_EH_PE_DATAREL_SDATA4 0x3bu

bool unwind_image_open(struct unwind_image *image, const struct unwind_memory *memory, uint64_t address)
{
	const struct unwind_region *region = unwind_memory_find(memory, address, HEADER_BYTES);
	const uint8_t *header;
	uint64_t count;

	image->table_count = 0;
	if (!region)
		return false;
	header = region->bytes + (address - region->address);
	if (header[0] != HEADER_VERSION || header[1] != DW_EH_PE_PCREL_SDATA4 ||
	    header[2] != DW_EH_PE_UDATA4 || header[3] != DW_EH_PE_DATAREL_SDATA4 ||
	    !unwind_memory_read(memory, address + 8, 4, &count) ||
	    count > (region->size - (address - region->address) - HEADER_BYTES) / ENTRY_BYTES)
		return false;
	image->table_base = address;
	image->table = address + HEADER_BYTES;
	image->table_count = count;
	return count > 0;
}

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
#define HOST_ARCH      UNWIND_X86_64
#else
#define HOST_ARCH      UNWIND_ARM64
#endif

/* Exported by libunwind and used by its own accessors for other processes, but in no header. */
#define search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
extern int search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
			       unw_proc_info_t *found, int need_unwind_info, void *payload);

bool unwind_host_can(enum unwind_arch arch)
{
	return arch == HOST_ARCH;
}

/* --- Accessors --------------------------------------------------------------------------------- */

static int find_rules(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *found,
		      int need_unwind_info, void *payload)
{
	struct unwind_host *host = payload;
	uint32_t module = unwind_module_at(host->modules, ip);
	const struct unwind_image *image;
	unw_dyn_info_t info;

	if (module == UNWIND_NO_MODULE)
		return -UNW_ESTOPUNWIND;
	image = host->image(host->payload, module, true);
	if (!image || image->table_count == 0)
		return -UNW_ESTOPUNWIND;
	memset(&info, 0, sizeof(info));
	info.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	info.start_ip = host->modules->items[module].address;
	info.end_ip = info.start_ip + host->modules->items[module].size;
	info.u.rti.segbase = image->table_base;
	info.u.rti.table_data = image->table;
	info.u.rti.table_len = image->table_count * ENTRY_BYTES / sizeof(unw_word_t);
	/* Where there are no rules libunwind would guess; our own walk does so with more knowledge. */
	return search_unwind_table(space, ip, &info, found, need_unwind_info, payload) < 0
	       ? -UNW_ESTOPUNWIND : 0;
}

static void put_rules(unw_addr_space_t space, unw_proc_info_t *found, void *payload)
{
	(void)space, (void)found, (void)payload;
}

static int no_list(unw_addr_space_t space, unw_word_t *list, void *payload)
{
	(void)space, (void)list, (void)payload;
	return -UNW_ENOINFO;
}

/* --- Which frames a signal made ------------------------------------------------------------------ */

static bool read_rules(const struct unwind_host *host, const struct unwind_image *image,
		       uint64_t address, unsigned width, uint64_t *value)
{
	return unwind_memory_read(&image->memory, address, width, value) ||
	       unwind_memory_read(host->memory, address, width, value);
}

static uint64_t extended(uint64_t offset)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)offset;
}

/* The address of the FDE that an entry of the sorted table names for an address; 0: none. */
static uint64_t find_fde(const struct unwind_host *host, const struct unwind_image *image, uint64_t ip)
{
	uint64_t low = 0, high = image->table_count, offset;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_rules(host, image, image->table + middle * ENTRY_BYTES, 4, &offset))
			return 0;
		if (image->table_base + extended(offset) <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 ||
	    !read_rules(host, image, image->table + (low - 1) * ENTRY_BYTES + 4, 4, &offset))
		return 0;
	return image->table_base + extended(offset);
}

/* Does the augmentation of its CIE say so ('S')?  libunwind goes by that too, but does not tell. */
static bool is_signal_frame(const struct unwind_host *host, const struct unwind_frame *frame)
{
	const struct unwind_image *image =
		frame->module == UNWIND_NO_MODULE ? NULL
						  : host->image(host->payload, frame->module, true);
	uint64_t fde = image ? find_fde(host, image, frame->instruction) : 0, back, cie, letter;

	if (fde == 0 || !read_rules(host, image, fde + 4, 4, &back))
		return false;
	cie = fde + 4 - back;
	for (unsigned i = 0; i < AUGMENTATION_BYTES; i++) {
		if (!read_rules(host, image, cie + CIE_AUGMENTATION_AT + i, 1, &letter) || letter == 0)
			return false;
		if (letter == 'S')
			return true;
	}
	return false;
}

/* Byte by byte, where a word reaches over the end of what is known: what is not reads as 0. */
static bool read_part(const struct unwind_memory *memory, uint64_t address, uint64_t *word)
{
	bool has_any = false;

	*word = 0;
	for (unsigned i = 0; i < WORD_BYTES; i++) {
		uint64_t byte;

		if (address + i < address || !unwind_memory_read(memory, address + i, 1, &byte))
			continue;
		*word |= byte << 8 * i;
		has_any = true;
	}
	return has_any;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int is_write,
			 void *payload)
{
	struct unwind_host *host = payload;
	const struct unwind_image *image = NULL;
	uint32_t module;
	uint64_t value;

	(void)space;
	if (is_write || host->reads_left == 0)
		return -UNW_EINVAL;
	host->reads_left--;
	if (!unwind_memory_read(host->memory, address, WORD_BYTES, &value)) {
		module = unwind_module_at(host->modules, address);
		if (module != UNWIND_NO_MODULE)
			image = host->image(host->payload, module, false);
		if (!image || (!unwind_memory_read(&image->memory, address, WORD_BYTES, &value) &&
			       !read_part(&image->memory, address, &value)))
			return -UNW_EINVAL;
	}
	*word = value;
	return 0;
}

/* Both sides number registers alike: x86-64 by its ABI's DWARF numbers, arm64 from x0 to pc. */
static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
			   int is_write, void *payload)
{
	const struct unwind_host *host = payload;

	(void)space;
	if (is_write || number < 0 || !unwind_registers_has(host->first, (unsigned)number))
		return -UNW_EBADREG;
	*value = host->first->values[number];
	return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
			int is_write, void *payload)
{
	(void)space, (void)number, (void)value, (void)is_write, (void)payload;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *payload)
{
	(void)space, (void)cursor, (void)payload;
	return -UNW_EINVAL;
}

static int name_function(unw_addr_space_t space, unw_word_t address, char *name, size_t size,
			 unw_word_t *offset, void *payload)
{
	(void)space, (void)address, (void)name, (void)size, (void)offset, (void)payload;
	return -UNW_ENOINFO;
}

/* --- The walk ------------------------------------------------------------------------------------ */

/* The frame the cursor is at.  `is_called`: its program counter is a return address. */
static void take_frame(struct unwind_host *host, unw_cursor_t *cursor, bool is_called)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(host->arch);
	struct unwind_frame *frame = &host->frames[host->frame_count];
	struct unwind_registers *registers = &host->last;
	uint64_t kept = facts->saved | UINT64_C(1) << facts->pc | UINT64_C(1) << facts->sp;

	unwind_registers_init(registers, host->arch);
	for (unsigned i = 0; i < facts->register_count; i++) {
		unw_word_t value;

		if ((kept >> i & 1) && unw_get_reg(cursor, (unw_regnum_t)i, &value) == 0)
			unwind_registers_set(registers, i, value);
	}
	frame->resume_address = registers->values[facts->pc];
	frame->instruction = frame->resume_address - (is_called ? facts->call_bytes : 0);
	frame->stack_pointer = registers->values[facts->sp];
	frame->frame_pointer = registers->values[facts->fp];
	frame->module = unwind_module_at(host->modules, frame->instruction);
	frame->trust = UNWIND_TRUST_CFI;
	if (frame->module != UNWIND_NO_MODULE)
		host->modules->items[frame->module].is_touched = true;
	host->frame_count++;
	host->modules->frame_count++;
}

/* Stacks grow downwards, but for that of a signal's handler, which may lie anywhere. */
static bool is_above(const struct unwind_host *host, unw_cursor_t *cursor, bool was_interrupted)
{
	unw_word_t sp = 0, pc = 0;

	if (unw_get_reg(cursor, UNW_REG_IP, &pc) < 0 || unw_get_reg(cursor, UNW_REG_SP, &sp) < 0)
		return false;
	if (pc == 0)
		return false;
	return was_interrupted || sp > host->frames[host->frame_count - 1].stack_pointer;
}

static void walk_on(struct unwind_host *host, unw_cursor_t *cursor)
{
	while (host->frame_count < host->capacity) {
		struct unwind_frame *here = &host->frames[host->frame_count - 1];
		bool is_signal = is_signal_frame(host, here);
		int rc;

		/* Nobody called what the kernel lets a handler return to. */
		if (is_signal)
			here->instruction = here->resume_address;
		rc = unw_step(cursor);
		if (rc == 0)
			host->has_ended = true;
		if (rc <= 0 || !is_above(host, cursor, is_signal))
			return;
		take_frame(host, cursor, !is_signal);
	}
	host->has_ended = true;              /* no more are wanted */
}

static void take_first(struct unwind_host *host)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(host->arch);
	struct unwind_frame *frame = &host->frames[0];

	*frame = (struct unwind_frame){
		.resume_address = host->first->values[facts->pc],
		.instruction = host->first->values[facts->pc],
		.stack_pointer = host->first->values[facts->sp],
		.frame_pointer = host->first->values[facts->fp],
		.module = unwind_module_at(host->modules, host->first->values[facts->pc]),
		.trust = UNWIND_TRUST_CONTEXT,
	};
	host->last = *host->first;
	host->frame_count = 1;
	if (frame->module != UNWIND_NO_MODULE)
		host->modules->items[frame->module].is_touched = true;
}

void unwind_host_walk(struct unwind_host *host, const struct unwind_registers *registers)
{
	unw_accessors_t accessors = {
		.find_proc_info = find_rules, .put_unwind_info = put_rules,
		.get_dyn_info_list_addr = no_list, .access_mem = access_memory,
		.access_reg = access_register, .access_fpreg = access_float,
		.resume = resume, .get_proc_name = name_function,
	};
	uint64_t left = host->all_reads < UNWIND_LIMIT_HOST_ALL_READS
			? UNWIND_LIMIT_HOST_ALL_READS - host->all_reads : 0;
	uint64_t reads = left < UNWIND_LIMIT_HOST_READS ? left : UNWIND_LIMIT_HOST_READS;
	unw_addr_space_t space;
	unw_cursor_t cursor;

	host->first = registers;
	host->frame_count = 0;
	host->has_ended = true;
	if (!unwind_registers_has(registers, unwind_arch_facts(registers->arch)->pc))
		return;
	host->has_ended = false;
	host->reads_left = reads;
	take_first(host);
	space = unw_create_addr_space(&accessors, 0);
	if (!space)
		return;
	if (unw_init_remote(&cursor, space, host) == 0)
		walk_on(host, &cursor);
	unw_destroy_addr_space(space);
	host->all_reads += reads - host->reads_left;
}

#else

bool unwind_host_can(enum unwind_arch arch)
{
	(void)arch;
	return false;
}

void unwind_host_walk(struct unwind_host *host, const struct unwind_registers *registers)
{
	(void)registers;
	host->frame_count = 0;
	host->has_ended = false;
}

#endif
