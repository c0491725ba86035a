/* own_symbols.c -- see own_symbols.h. */
#include "supervisor/own_symbols.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "object/elf/elf_file.h"

#define PROGRAM_PATH  "/proc/self/exe"
#define PROGRAM_NAME  "symgate"
#define MODULES_MAX   64u
#define NAME_BYTES    48u
#define ARENA_BYTES   ((size_t)1 << 20)

struct own_module {
	uint64_t base, start, end;
	char name[NAME_BYTES];
};

static struct own_module modules[MODULES_MAX];
static size_t module_count;          /* the first is the program */
static struct arena arena;
static struct elf_file program;
static struct elf_symbols symbols;   /* empty: it was stripped */

static void keep_name(struct own_module *module, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t size;

	name = name ? name + 1 : path;
	if (module_count == 0)
		name = PROGRAM_NAME;
	size = strlen(name);
	if (size > NAME_BYTES - 1)
		size = NAME_BYTES - 1;
	memcpy(module->name, name, size);
	module->name[size] = '\0';
}

static int add_module(struct dl_phdr_info *info, size_t size, void *payload)
{
	struct own_module *module = &modules[module_count];

	(void)size, (void)payload;
	module->base = info->dlpi_addr;
	module->start = UINT64_MAX;
	module->end = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (start < module->start)
			module->start = start;
		if (start + segment->p_memsz > module->end)
			module->end = start + segment->p_memsz;
	}
	keep_name(module, info->dlpi_name);
	module_count++;
	return module_count == MODULES_MAX;
}

void own_symbols_open(void)
{
	struct err err = ERR_INIT;
	struct file_map map;

	if (module_count > 0)
		return;
	(void)dl_iterate_phdr(add_module, NULL);
	arena_init(&arena, ARENA_BYTES);
	/* Mapped as long as this process lives. */
	if (file_map_path(&map, PROGRAM_PATH, &err) == 0 &&
	    elf_file_read(&program, map.bytes, map.size, &arena, &err) == 0)
		symbols = elf_file_symtab(&program);
}

/* The last function that begins at or before the address and reaches over it. */
static void find_function(uint64_t address, struct own_place *place)
{
	for (uint32_t i = 0; i < symbols.count; i++) {
		ElfW(Sym) symbol;

		memcpy(&symbol, symbols.entries.bytes + (size_t)i * sizeof(symbol), sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address < symbol.st_value ||
		    address - symbol.st_value >= symbol.st_size)
			continue;
		place->function = elf_symbols_name(&program, &symbols, i);
		place->function_offset = address - symbol.st_value;
		return;
	}
}

void own_symbols_find(uint64_t address, struct own_place *place)
{
	*place = (struct own_place){ .module = TEXT_NONE, .function = TEXT_NONE };
	for (size_t i = 0; i < module_count; i++) {
		if (address < modules[i].start || address >= modules[i].end)
			continue;
		place->module = text_of(modules[i].name);
		place->offset = address - modules[i].base;
		if (i == 0)
			find_function(place->offset, place);
		return;
	}
}
