/*
 * imports.c -- indices of other modules.
 *
 * With link-time code generation a module may name types and ids by another's numbers: the
 * index says which of its imports, the import a module by name and that module's number, and
 * the list of exports there which number in the PDB this is.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"
#include "object/pdb/codeview.h"
#include "object/pdb/module.h"

#define IMPORT_MODULE_SHIFT 20u
#define IMPORT_MODULE_MASK  0x7ffu
#define IMPORT_ITEM_MASK    0xfffffu
#define EXPORT_BYTES        8u

static uint32_t find_module(const struct pdb *pdb, uint32_t place)
{
	struct reader strings = pdb->strings;
	struct text name;

	reader_seek(&strings, place);
	name = reader_string(&strings);
	for (uint32_t i = 0; i < pdb->module_count && !strings.failed; i++)
		if (text_equal_ignoring_case(pdb->modules[i].name, name))
			return i;
	return PDB_NO_MODULE;
}

/* Only that subsection is put together: the module may be large. */
static bool find_exports(const struct msf_stream *stream, uint32_t at, uint32_t end,
			 struct arena *scratch, struct reader *exports)
{
	while (end - at >= 8) {
		uint8_t head[8];
		struct reader reader = reader_over("subsection", head, sizeof(head));
		uint32_t kind, size;
		void *copy;

		if (!msf_stream_copy(stream, at, sizeof(head), head))
			return false;
		kind = reader_u32(&reader);
		size = reader_u32(&reader);
		at += 8;
		if (size > end - at)
			return false;
		if (kind == DEBUG_S_CROSSSCOPEEXPORTS) {
			copy = arena_alloc_raw(scratch, size ? size : 1, 1);
			if (!copy || !msf_stream_copy(stream, at, size, copy))
				return false;
			*exports = reader_over("exports", copy, size);
			return true;
		}
		at += size;
		at += (4 - at % 4) % 4;
		if (at > end)
			return false;
	}
	return false;
}

static uint32_t export_word(struct reader exports, size_t index, unsigned word)
{
	reader_seek(&exports, index * EXPORT_BYTES + word * 4);
	return reader_u32(&exports);
}

/* Pairs, sorted by the first: a module's number, the PDB's. */
static uint32_t find_export(struct reader exports, uint32_t number)
{
	size_t count = exports.size / EXPORT_BYTES, at;
	uint32_t global;

	SEARCH_PARTITION_POINT(at, 0, count, export_word(exports, at, 0) < number);
	if (at == count || export_word(exports, at, 0) != number)
		return 0;
	global = export_word(exports, at, 1);
	return global & CODEVIEW_CROSS_MODULE ? 0 : global;
}

/* The same module's exports are put together once: no page is copied twice. */
static void open_list(struct module_reading *reading, size_t index)
{
	const struct pdb *pdb = reading->pdb;
	struct import_list *list = &reading->imports[index];
	struct err ignored = ERR_INIT;
	const struct pdb_module *module;
	struct msf_stream stream;
	uint32_t at, end;

	if (!work_spend(&reading->work, pdb->module_count + index)) {
		list->owner = PDB_NO_MODULE;
		return;
	}
	list->owner = find_module(pdb, list->name);
	for (size_t i = 0; i < index; i++)
		if (reading->imports[i].owner == list->owner) {
			list->exports = reading->imports[i].exports;
			return;
		}
	if (list->owner == PDB_NO_MODULE)
		return;
	module = &pdb->modules[list->owner];
	at = module->symbol_bytes + module->c11_bytes;
	end = at + module->c13_bytes;
	if (msf_stream_open(&pdb->msf, module->stream, "module", &stream, &ignored) < 0 ||
	    at < module->symbol_bytes || end < at || end > stream.size ||
	    !work_spend(&reading->work, (end - at) / 8))     /* subsections there may be */
		return;
	(void)find_exports(&stream, at, end, reading->scratch, &list->exports);
}

/* Lists: the module's name in "/names", a count, numbers. */
int module_imports_open(struct module_reading *reading, struct err *err)
{
	struct reader imports = reading->lines.imports;
	size_t most = imports.size / 8;

	if (most == 0)
		return 0;
	if (most > IMPORT_MODULE_MASK + 1)
		most = IMPORT_MODULE_MASK + 1;
	reading->imports = arena_alloc(reading->scratch, most, sizeof(*reading->imports));
	if (!reading->imports)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu imports", most);
	while (reading->import_count < most && reader_left(&imports) >= 8) {
		struct import_list *list = &reading->imports[reading->import_count];

		list->name = reader_u32(&imports);
		list->numbers = reader_part(&imports, "imports",
					    (uint64_t)reader_u32(&imports) * 4);
		if (imports.failed)
			break;
		open_list(reading, reading->import_count++);
	}
	return 0;
}

uint32_t module_resolve(const struct module_reading *reading, uint32_t index)
{
	uint32_t list = index >> IMPORT_MODULE_SHIFT & IMPORT_MODULE_MASK, number;
	struct reader numbers;

	if (!(index & CODEVIEW_CROSS_MODULE))
		return index;
	if (list >= reading->import_count)
		return 0;
	numbers = reading->imports[list].numbers;
	reader_seek(&numbers, (uint64_t)(index & IMPORT_ITEM_MASK) * 4);
	number = reader_u32(&numbers);
	return numbers.failed ? 0 : find_export(reading->imports[list].exports, number);
}
