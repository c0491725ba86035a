/* thread_list.c -- threads, their names, which of them crashed, and the memory to walk in. */
#include "minidump/minidump_parts.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/search.h"

#define STACK_WORD_BYTES 8u                  /* must be there at the stack pointer, on all processors */
#define LAST_ERROR_POINTERS 13u              /* before LastErrorValue in a TEB */

/* --- Names ---------------------------------------------------------------------------------- */

struct minidump_thread_name { uint32_t id, order; uint64_t rva; };

static int compare_names(const void *a, const void *b)
{
	const struct minidump_thread_name *first = a, *second = b;

	if (first->id != second->id)
		return first->id < second->id ? -1 : 1;
	return (first->order > second->order) - (first->order < second->order);
}

/* The last of that id; NULL: none. */
static const struct minidump_thread_name *name_of(const struct minidump_thread_name *names,
						   size_t count, uint32_t id)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, count, names[at].id <= id);
	return at > 0 && names[at - 1].id == id ? &names[at - 1] : NULL;
}

static void read_names(struct minidump *dump)
{
	struct minidump_entries entries;
	struct minidump_thread_name *names;

	if (!minidump_simple_list(dump, MD_THREAD_NAME_LIST_STREAM, MD_THREAD_NAME_SIZE,
				  LIMIT_MINIDUMP_THREADS, &entries))
		return;
	names = minidump_records(dump, entries.count, sizeof(*names));
	if (!names)
		return;
	for (uint32_t i = 0; i < entries.count; i++) {
		names[i].id = reader_u32(&entries.reader);
		names[i].rva = reader_u64(&entries.reader);
		names[i].order = i;
	}
	qsort(names, entries.count, sizeof(*names), compare_names);
	for (size_t i = 0; i < dump->thread_count; i++) {
		const struct minidump_thread_name *name = name_of(names, entries.count,
								  dump->threads[i].id);

		if (!name)
			continue;
		dump->threads[i].name = minidump_string(dump, name->rva);
		if (!dump->threads[i].name.bytes)
			minidump_lose(dump, "thread %u: its name cannot be read", (unsigned)name->id);
	}
}

/* --- Threads -------------------------------------------------------------------------------- */

static void read_thread(struct reader *reader, struct minidump_thread *thread)
{
	thread->id = reader_u32(reader);
	thread->suspend_count = reader_u32(reader);
	thread->priority_class = reader_u32(reader);
	thread->priority = reader_u32(reader);
	thread->teb = reader_u64(reader);
	thread->stack_start = reader_u64(reader);
	thread->stack = minidump_read_location(reader);
	thread->context = minidump_read_location(reader);
}

/* A list that ends before its count does is none: what follows could not be told from the rest. */
int minidump_read_threads(struct minidump *dump, struct err *err)
{
	struct minidump_entries entries;
	uint32_t count = 0;

	if (minidump_simple_list(dump, MD_THREAD_LIST_STREAM, MD_THREAD_SIZE, LIMIT_MINIDUMP_THREADS,
				 &entries) && entries.reader.size >= sizeof(count)) {
		struct reader head = reader_window(&entries.reader, entries.reader.name, 0,
						   sizeof(count));

		count = reader_u32(&head);
		if (count <= entries.count || entries.count == LIMIT_MINIDUMP_THREADS)
			dump->threads = minidump_records(dump, entries.count, sizeof(*dump->threads));
		else
			entries.count = 0;
		if (minidump_check_memory(dump, err) < 0)
			return -1;
	}
	if (!dump->threads)
		return err_set(err, ERR_MALFORMED, "The thread list stream was not found");
	dump->thread_count = entries.count;
	for (uint32_t i = 0; i < entries.count; i++)
		read_thread(&entries.reader, &dump->threads[i]);
	read_names(dump);
	return minidump_check_memory(dump, err);
}

bool minidump_thread_is_dumper(const struct minidump *dump, size_t thread)
{
	return dump->breakpad.has_dump_thread &&
	       dump->threads[thread].id == dump->breakpad.dump_thread_id;
}

void minidump_find_requesting(struct minidump *dump)
{
	uint32_t id;

	if (dump->has_exception)
		id = dump->exception.thread_id;
	else if (dump->breakpad.has_requesting_thread)
		id = dump->breakpad.requesting_thread_id;
	else
		return;
	for (size_t i = dump->thread_count; i-- > 0;) {
		if (dump->threads[i].id != id)
			continue;
		if (!minidump_thread_is_dumper(dump, i))
			dump->requesting_thread = i;
		return;
	}
}

bool minidump_thread_registers(const struct minidump *dump, size_t thread,
			       struct unwind_registers *registers)
{
	if (thread == dump->requesting_thread && dump->has_exception &&
	    minidump_context(dump, dump->exception.context, registers))
		return true;
	return minidump_context(dump, dump->threads[thread].context, registers);
}

/* --- Stacks --------------------------------------------------------------------------------- */

/* What the descriptor points to; cut where the file ends. */
static struct minidump_memory described_stack(const struct minidump *dump,
					      const struct minidump_thread *thread)
{
	struct reader bytes = minidump_clamped(dump, "stack", thread->stack.rva, thread->stack.size);
	struct minidump_memory memory = { .start = thread->stack_start };

	if (thread->stack.rva == 0 || bytes.size == 0 ||
	    memory.start > UINT64_MAX - bytes.size)
		return memory;
	memory.bytes = bytes.bytes;
	memory.size = bytes.size;
	return memory;
}

static bool holds(const struct minidump_memory *memory, uint64_t address, size_t size)
{
	return memory->bytes && address >= memory->start && size <= memory->size &&
	       address - memory->start <= memory->size - size;
}

/* Windows leaves descriptors empty where the list of memory has the stack; a thread that runs on
 * a stack of its own making (a fiber, a signal's) has another one than its descriptor says. */
struct minidump_memory minidump_thread_stack(const struct minidump *dump, size_t thread,
					     const struct unwind_registers *registers)
{
	const struct minidump_thread *it = &dump->threads[thread];
	const struct minidump_memory *listed = minidump_memory_at(dump, it->stack_start);
	struct minidump_memory stack = described_stack(dump, it);
	unsigned sp = unwind_arch_facts(registers->arch)->sp;

	if (listed && stack.size < it->stack.size && listed->size > stack.size)
		stack = *listed;
	else if (listed && !stack.bytes)
		stack = *listed;
	if (!unwind_registers_has(registers, sp) ||
	    holds(&stack, registers->values[sp], STACK_WORD_BYTES))
		return stack;
	listed = minidump_memory_at(dump, registers->values[sp]);
	return listed ? *listed : stack;
}

bool minidump_thread_last_error(const struct minidump *dump, size_t thread, uint32_t *error)
{
	unsigned pointer = dump->system.is_64_bit ? 8 : 4;
	uint64_t address = dump->threads[thread].teb + (uint64_t)LAST_ERROR_POINTERS * pointer;
	const uint8_t *bytes = minidump_memory_read(dump, address, sizeof(*error));
	struct reader reader = reader_over("TEB", bytes, bytes ? sizeof(*error) : 0);

	reader.big_endian = dump->big_endian;
	*error = reader_u32(&reader);
	return !reader.failed;
}
