/* crash_core.c -- in a cell: a core file's threads walked, its modules and what is said of it. */
#include "convert/crash_host.h"
#include "convert/convert_internal.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "convert/core_file.h"
#include "convert/core_remarks.h"
#include "coredump/coredump.h"
#include "minidump/minidump.h"

/* Modules by address, none that reaches into the next; NULL with err. */
static struct crash_json_module *identify(const struct coredump *core, struct arena *arena,
					  struct err *err)
{
	struct crash_json_module *identities = arena_alloc(arena, core->module_count + 1,
							   sizeof(*identities));

	if (!identities)
		err_set(err, ERR_NO_MEMORY, "no memory for %zu modules", core->module_count);
	for (size_t i = 0; identities && i < core->module_count; i++) {
		const struct coredump_module *module = &core->modules[i];
		char *code_id = arena_alloc(arena, 2 * COREDUMP_ID_BYTES + 1, 1);
		uint64_t size = module->size;

		if (!code_id) {
			err_set(err, ERR_NO_MEMORY, "no memory for the id of a module");
			return NULL;
		}
		hex_format(module->id, module->id_size, code_id);
		if (i + 1 < core->module_count && size > core->modules[i + 1].base - module->base)
			size = core->modules[i + 1].base - module->base;
		identities[i] = (struct crash_json_module){
			.type = "elf", .base = module->base, .size = size, .code_file = module->path,
			.debug_file = module->path, .debug_id = module->debug_id,
			.code_id = module->id_size > 0 ? text_of(code_id) : TEXT_NONE,
		};
	}
	return identities;
}

/* "SIGSEGV / SEGV_MAPERR / 0x10", as of a minidump. */
static void write_reason(const struct coredump *core, struct crash_json *report)
{
	const struct minidump_exception signal = {
		.code = (uint32_t)core->signal, .flags = (uint32_t)core->signal_code,
	};
	char reason[MINIDUMP_REASON_BYTES], whole[MINIDUMP_REASON_BYTES + 32] = "";

	minidump_linux_reason(&signal, reason);
	if (core->has_fault_address)
		snprintf(whole, sizeof(whole), "%s / 0x%llx", reason,
			 (unsigned long long)core->fault_address);
	json_member_string(&report->json, "crash_reason",
			   !core->has_signal ? "" : core->has_fault_address ? whole : reason);
}

static void write_facts(const struct coredump *core, struct crash_json *report)
{
	const struct crash_json_system facts = {
		.os_name = TEXT("Linux"), .os_version = core->kernel_release,
		.cpu_arch = text_of(arch_name(core->arch)),
	};

	crash_json_system(report, &facts);
	json_member_bool(&report->json, "crashed", core->has_signal);
	write_reason(core, report);
	if (core->has_signal) {
		json_key(&report->json, "signal");
		json_i64(&report->json, core->signal);
	}
}

/* libunwind knows this machine's processor, but no kernel. */
static bool is_of_host(const struct coredump *core)
{
	return core->has_walker && core->thread_count > 0 && !core->is_kernel &&
	       unwind_host_can(core->threads[0].registers.arch);
}

static int walk_thread(const struct coredump *core, const struct coredump_thread *thread,
		       struct crash_host *host, struct err *err)
{
	if (is_of_host(core))
		return crash_host_thread(host, &thread->registers, err);
	return crash_walk_thread(host->walk, &thread->registers, &core->memory, err);
}

static int write_thread(const struct coredump *core, size_t thread, struct crash_host *host,
			struct crash_json *report, struct err *err)
{
	struct crash_walk *walk = host->walk;
	const struct coredump_thread *dumped = &core->threads[thread];
	const struct crash_walk_told told = {
		.id = dumped->id,
		/* A core names its process, which is how the first of its threads is called. */
		.name = dumped->id != 0 && dumped->id == core->process_id && core->command.size > 0
			? core->command : TEXT_NONE,
		.has_requesting = core->has_signal,
		.is_requesting = core->has_signal && thread == 0,
	};

	walk->frame_count = 0;
	if (core->has_walker && !walk->only_modules && walk_thread(core, dumped, host, err) < 0)
		return -1;
	crash_walk_write_thread(walk, &told, core->has_walker ? &dumped->registers : NULL, report);
	return 0;
}

static int write_core(const struct coredump *core, const struct core_file *file,
		      struct crash_host *host, struct crash_json *report, struct err *err)
{
	struct crash_walk *walk = host->walk;

	write_facts(core, report);
	core_remarks_write(core, file, &report->json);
	for (size_t i = 0; core->has_walker && i < core->thread_count; i++)
		crash_walk_expect(walk, &core->threads[i].registers, &core->memory);
	crash_json_threads(report);
	for (size_t i = 0; i < core->thread_count; i++)
		if (write_thread(core, i, host, report, err) < 0)
			return -1;
	crash_json_list_end(report);
	if (crash_walk_finish(walk, err) < 0)
		return -1;
	crash_json_modules(report);
	for (size_t i = 0; i < walk->modules.count; i++)
		crash_json_module(report, &walk->identities[i]);
	crash_json_list_end(report);
	return 0;
}

static int read_file(struct cell *cell, struct text file, struct arena *arena, void *payload,
		     struct err *err)
{
	struct crash_json_module *identities;
	struct crash_json report;
	struct crash_walk walk;
	struct crash_host host;
	struct coredump core;

	if (coredump_open(&core, (const uint8_t *)file.bytes, file.size, arena, err) < 0)
		return -1;
	identities = identify(&core, arena, err);
	if (!identities ||
	    crash_walk_open(&walk, cell, identities, core.module_count, UNWIND_OS_OTHER, arena,
			    err) < 0)
		return -1;
	walk.ends_without_return = true;
	if (crash_host_open(&host, &walk, core.thread_count > 0 ? core.threads[0].registers.arch
								: UNWIND_X86,
			    &core.memory, arena, err) < 0)
		return -1;
	crash_json_begin(&report);
	return crash_json_end(&report, cell, write_core(&core, payload, &host, &report, err), err);
}

static int map_file(struct cell *cell, struct file_map *map, void *payload, struct err *err)
{
	return core_file_map(cell, map, payload, err);
}

int convert_run_coredump(struct cell *cell, struct err *err)
{
	struct core_file file;

	return crash_json_run(cell, map_file, read_file, &file, err);
}
