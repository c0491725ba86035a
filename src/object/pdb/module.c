/* module.c -- walks a module's symbols and hands out its functions. */
#include "object/pdb/module.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/vec.h"
#include "object/pdb/codeview.h"

#define MODULE_STEPS  64u            /* beside what is in it */
#define STRETCH_STEPS 8u
#define SYMBOLS_SIGNATURE  4u            /* C13; older ones have other symbols */
#define SCOPE_DEPTH_MAX    1024u
#define STREAM_NAME_BYTES  96u

/* A function as its symbol tells it. */
struct procedure {
	uint32_t section, offset, size;
	uint32_t start, end;         /* source addresses */
	struct text name;
	uint32_t type;               /* 0: the name says all */
	bool type_is_id;
	bool is_thunk;
	uint32_t symbol_at;          /* of the function, also for a part of it */
	bool is_part;                /* that the compiler put elsewhere */
};

struct scopes {
	uint32_t site[SCOPE_DEPTH_MAX];          /* innermost site of each open scope */
	uint32_t depth;
};

/* --- Names --------------------------------------------------------------------------- */

static int keep_name(const struct module_reading *reading, struct text text, struct text *kept,
		     struct err *err)
{
	struct pdb_name *name = pdb_names_keep(reading->pdb->names, text, err);

	if (!name)
		return -1;
	*kept = (struct text){ name->bytes, name->size };
	return 0;
}

/* The public symbol where the function begins, or NULL. */
static const struct symbol_record *public_at(const struct pdb *pdb,
					     const struct procedure *procedure)
{
	uint32_t image;

	if (pdb->publics.count == 0)
		return NULL;
	image = pdb_stretch_at(pdb, procedure->start, procedure->end).image;
	return image == PDB_NO_ADDRESS ? NULL : symbols_at(&pdb->publics, image);
}

static bool has_lambda(struct text name)
{
	return memmem(name.bytes, name.size, "<lambda_", 8) ||
	       memmem(name.bytes, name.size, "`lambda at ", 11);
}

/* Is this the deleting destructor of the destructor's class?  That of another class with the same
 * code may be folded into it. */
static bool is_deleting(struct text decorated, struct text destructor)
{
	const char *mark = memrchr(destructor.bytes, '~', destructor.size);
	size_t size, head = 4;

	if (!mark || (!text_starts_with(decorated, "??_G") && !text_starts_with(decorated, "??_E")))
		return false;
	mark++;
	for (size = 0; mark + size < destructor.bytes + destructor.size && mark[size] != '<';)
		size++;
	if (decorated.size > head + 2 && memcmp(decorated.bytes + head, "?$", 2) == 0)
		head += 2;
	return decorated.size > head + size && decorated.bytes[head + size] == '@' &&
	       memcmp(decorated.bytes + head, mark, size) == 0;
}

/*
 * Some of clang's records have poor names; then the decorated name of the public symbol there,
 * if it has one, else none.  A deleting destructor's is that of the destructor it calls.  Lambdas
 * are named by the path, line and column they stand at, or by a number of which there are many.
 */
static int name_decorated(const struct module_reading *reading, const struct procedure *procedure,
			  struct text *name, struct err *err)
{
	const struct pdb *pdb = reading->pdb;
	const struct symbol_record *record;
	bool lambda, destructor;

	*name = TEXT_NONE;
	if (procedure->name.size == 0)
		return 0;
	destructor = memchr(procedure->name.bytes, '~', procedure->name.size);
	lambda = has_lambda(procedure->name);
	if (!destructor && !lambda)
		return 0;
	record = public_at(pdb, procedure);
	if (record && pdb_public_name(pdb, record, name, err) < 0)
		return -1;
	if (name->size > 0 && !(destructor && is_deleting(*name, procedure->name)) &&
	    !(lambda && text_starts_with(*name, "?") && has_lambda(*name)))
		*name = TEXT_NONE;
	return 0;
}

/* What the namer did since it was asked last. */
static int charge_name(struct module_reading *reading, struct err *err)
{
	uint64_t steps = reading->namer.work + reading->namer.out.size / WORK_BYTES_PER_STEP;

	reading->namer.work = 0;
	return work_charge(&reading->work, steps, err);
}

/* With parameters where the type is known; else as the symbol has it. */
static int find_name(struct module_reading *reading, const struct procedure *procedure,
			  struct text *name, struct err *err)
{
	uint32_t type = module_resolve(reading, procedure->type);

	if (name_decorated(reading, procedure, name, err) < 0)
		return -1;
	if (name->size > 0)
		return 0;
	if (type != 0 && procedure->type_is_id)
		type = namer_type_of_id(&reading->namer, type);
	/* An empty name is told as one that was left out, which only the namer does. */
	if ((type != 0 || procedure->name.size == 0) &&
	    namer_function(&reading->namer, procedure->name, type))
		return keep_name(reading, buf_text(&reading->namer.out), name, err);
	if (reading->namer.out.no_memory)
		return err_set(err, ERR_NO_MEMORY, "no memory for a name");
	*name = procedure->name;
	if (name->size == 0 || reading->in_place)
		return 0;
	return keep_name(reading, procedure->name, name, err);
}

static int name_procedure(struct module_reading *reading, const struct procedure *procedure,
			  struct text *name, struct err *err)
{
	if (find_name(reading, procedure, name, err) < 0)
		return -1;
	return charge_name(reading, err);
}

/* Inlined functions are named once for all places they are inlined at. */
static int name_site(struct module_reading *reading, uint32_t id, struct text *text,
		     struct err *err)
{
	const struct pdb *pdb = reading->pdb;
	uint32_t index = module_resolve(reading, id);
	_Atomic(struct pdb_name *) *slot;
	struct pdb_name *name;

	if (index == 0)
		index = id;
	slot = pdb->id_names && pdb_has_type(&pdb->ids, index)
		       ? &pdb->id_names[index - pdb->ids.begin] : NULL;
	name = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
	if (!name) {
		if (!namer_id(&reading->namer, index) && !namer_plain_id(&reading->namer, index))
			buf_clear(&reading->namer.out);
		if (reading->namer.out.no_memory)
			return err_set(err, ERR_NO_MEMORY, "no memory for a name");
		name = pdb_names_keep(pdb->names, buf_text(&reading->namer.out), err);
		if (!name || charge_name(reading, err) < 0)
			return -1;
		/* Two threads may both have made it: either will do. */
		if (slot)
			atomic_store_explicit(slot, name, memory_order_release);
	}
	*text = (struct text){ name->bytes, name->size };
	return 0;
}

/* --- Handing out --------------------------------------------------------------------- */

/* The part of [start, end) inside the stretch, where it is now; false: none. */
static bool move(const struct pdb_stretch *stretch, uint32_t start, uint32_t end,
		 struct object_range *range)
{
	uint32_t last = stretch->start + stretch->size;

	if (start < stretch->start)
		start = stretch->start;
	if (end > last)
		end = last;
	if (start >= end)
		return false;
	*range = (struct object_range){ stretch->image + (start - stretch->start), end - start };
	return true;
}

static size_t move_lines(const struct module_reading *reading, const struct pdb_stretch *stretch,
			 uint32_t end, struct object_line *lines)
{
	const struct rows *rows = &reading->rows;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		uint32_t row_end = i + 1 < rows->count ? rows->items[i + 1].start : end;
		struct object_line *before = count > 0 ? &lines[count - 1] : NULL;
		struct object_range range;

		if ((before && before->file == row->file && before->line == row->line) ||
		    !move(stretch, row->start, row_end, &range))
			continue;
		lines[count++] = (struct object_line){ range.address, row->file,
				row->file == OBJECT_NO_FILE ? 0 : row->line };
	}
	return count;
}

static int fill_inlinee(struct module_reading *reading, const struct pdb_stretch *stretch,
			const struct call *call, struct object_inlinee *inlinee,
			struct object_range *ranges, struct err *err)
{
	const struct inline_builder *builder = &reading->builder;

	*inlinee = (struct object_inlinee){
		.parent = call->parent ? call->parent - 1 : OBJECT_NO_PARENT,
		.call_file = call->file,
		.call_line = call->file == OBJECT_NO_FILE ? 0 : call->line,
		.ranges = ranges,
	};
	for (uint32_t at = call->first_range; at > 0; at = builder->ranges[at - 1].next)
		if (move(stretch, builder->ranges[at - 1].start, builder->ranges[at - 1].end,
			 &ranges[inlinee->range_count]))
			inlinee->range_count++;
	return name_site(reading, builder->sites[call->site].id, &inlinee->name, err);
}

static int hand_out_stretch(struct module_reading *reading, const struct procedure *procedure,
			    const struct pdb_stretch *stretch, struct text name, struct err *err)
{
	const struct inline_builder *builder = &reading->builder;
	struct object_function function = {
		.range = { stretch->image, stretch->size }, .name = name,
		.inlinee_count = builder->call_count,
	};
	struct object_line *lines = arena_alloc_raw(reading->scratch, reading->rows.count + 1,
						    sizeof(*lines));
	struct object_inlinee *inlinees = arena_alloc_raw(reading->scratch,
							  builder->call_count + 1,
							  sizeof(*inlinees));
	struct object_range *ranges = arena_alloc_raw(reading->scratch,
						      builder->range_count + 1,
						      sizeof(*ranges));

	if (!lines || !inlinees || !ranges)
		return err_set(err, ERR_NO_MEMORY, "no memory for a function's lines");
	if (work_charge(&reading->work, STRETCH_STEPS + reading->rows.count +
			builder->call_count + builder->range_count, err) < 0)
		return -1;
	for (size_t i = 0; i < builder->call_count; i++) {
		if (fill_inlinee(reading, stretch, &builder->calls[i], &inlinees[i], ranges,
				 err) < 0)
			return -1;
		ranges += builder->calls[i].range_count;
	}
	function.lines = lines;
	function.line_count = move_lines(reading, stretch, procedure->end, lines);
	function.inlinees = inlinees;
	if (work_charge(&reading->work, object_function_steps(&function), err) < 0)
		return -1;
	return reading->sink->function(reading->sink->payload, reading->lines.files,
				       reading->lines.file_count, &function, err);
}

/* An optimiser may have moved parts of it to different places: each is told by itself. */
static int hand_out(struct module_reading *reading, const struct procedure *procedure,
		    struct text name,
		    struct err *err)
{
	uint32_t at = procedure->start;

	while (at < procedure->end) {
		struct arena_mark mark = arena_mark(reading->scratch);
		struct pdb_stretch stretch = pdb_stretch_at(reading->pdb, at, procedure->end);
		int rc = 0;

		if (stretch.image != PDB_NO_ADDRESS)
			rc = hand_out_stretch(reading, procedure, &stretch, name, err);
		arena_rewind(reading->scratch, mark);
		if (rc < 0)
			return -1;
		at += stretch.size;
	}
	return 0;
}

/* Other modules may hold a copy that was not linked in: what stands there is the owner's. */
static bool is_ours(const struct module_reading *reading, uint32_t section, uint32_t offset)
{
	uint32_t owner = pdb_owner(reading->pdb, section, offset);

	return owner == PDB_NO_MODULE || owner == reading->module ||
	       reading->pdb->modules[owner].symbol_bytes <= 4;
}

/* A thunk has a name of the linker's making; a public symbol there is better. */
static bool is_wanted(const struct module_reading *reading, struct procedure *procedure)
{
	const struct pdb *pdb = reading->pdb;

	procedure->start = pdb_source_address(pdb, procedure->section, procedure->offset);
	if (procedure->size == 0 || procedure->start == PDB_NO_ADDRESS ||
	    procedure->size > PDB_NO_ADDRESS - procedure->start)
		return false;
	procedure->end = procedure->start + procedure->size;
	if (procedure->is_thunk) {
		uint32_t image = pdb_stretch_at(pdb, procedure->start, procedure->end).image;

		if (image != PDB_NO_ADDRESS && pdb->publics.count > 0 &&
		    symbols_at(&pdb->publics, image))
			return false;
	}
	return is_ours(reading, procedure->section, procedure->offset);
}

/* --- Symbols ------------------------------------------------------------------------- */

struct symbol {
	uint32_t at;                 /* in the module's stream */
	uint16_t kind;
	struct reader record;        /* behind the kind */
};

/* Records have their size before their kind; the chain may end, not break. */
static bool next_symbol(struct module_reading *reading, struct symbol *symbol, struct err *err)
{
	struct reader *symbols = &reading->symbols;
	const uint8_t *bytes;
	uint16_t size;

	if (reader_left(symbols) < 4)
		return false;
	symbol->at = (uint32_t)symbols->pos;
	size = reader_u16(symbols);
	bytes = reader_take(symbols, size);
	symbol->record = reader_over("symbol", bytes, bytes ? size : 0);
	symbol->kind = reader_u16(&symbol->record);
	if (symbols->failed || symbol->record.failed) {
		err_set(err, ERR_MALFORMED, "%s: the symbol of %u bytes at byte %u of %zu does not fit",
			reading->stream_name, size, symbol->at, symbols->size);
		return false;
	}
	return true;
}

static bool read_procedure(struct symbol symbol, struct procedure *procedure)
{
	struct reader *record = &symbol.record;

	*procedure = (struct procedure){ .symbol_at = symbol.at };
	reader_skip(record, 12);                     /* places of parent, end and next */
	procedure->size = reader_u32(record);
	reader_skip(record, 8);                      /* where prologue ends, epilogue begins */
	procedure->type = reader_u32(record);
	procedure->offset = reader_u32(record);
	procedure->section = reader_u16(record);
	reader_skip(record, 1);                      /* flags */
	procedure->name = codeview_name(record, symbol.kind);
	procedure->type_is_id = symbol.kind == S_LPROC32_ID || symbol.kind == S_GPROC32_ID ||
				symbol.kind == S_LPROC32_DPC_ID;
	return !record->failed;
}

static bool read_thunk(struct symbol symbol, struct procedure *procedure)
{
	struct reader *record = &symbol.record;

	*procedure = (struct procedure){ .is_thunk = true, .symbol_at = symbol.at };
	reader_skip(record, 12);
	procedure->offset = reader_u32(record);
	procedure->section = reader_u16(record);
	procedure->size = reader_u16(record);
	reader_skip(record, 1);                      /* what kind of thunk */
	procedure->name = codeview_name(record, symbol.kind);
	return !record->failed;
}

static bool is_procedure(uint16_t kind)
{
	switch (kind) {
	case S_GPROC32: case S_LPROC32: case S_GPROC32_ID: case S_LPROC32_ID:
	case S_LPROC32_DPC: case S_LPROC32_DPC_ID: case S_GPROC32_ST: case S_LPROC32_ST:
		return true;
	default:
		return false;
	}
}

/* A part of a function that the compiler put elsewhere: named as the function is. */
static bool read_separated(const struct module_reading *reading, struct symbol symbol,
			   struct procedure *procedure)
{
	struct reader *record = &symbol.record;
	struct reader symbols = reading->symbols;
	struct procedure parent;
	struct symbol owner;

	owner.at = reader_u32(record);
	reader_skip(record, 4);
	*procedure = (struct procedure){ .size = reader_u32(record), .symbol_at = owner.at,
					 .is_part = true };
	reader_skip(record, 4);                      /* flags */
	procedure->offset = reader_u32(record);
	reader_skip(record, 4);                      /* where the parent is */
	procedure->section = reader_u16(record);
	reader_seek(&symbols, owner.at);
	owner.record = reader_part(&symbols, "symbol", reader_u16(&symbols));
	owner.kind = reader_u16(&owner.record);
	if (record->failed || owner.record.failed || !is_procedure(owner.kind) ||
	    !read_procedure(owner, &parent))
		return false;
	procedure->name = parent.name;
	procedure->type = parent.type;
	procedure->type_is_id = parent.type_is_id;
	return true;
}

/* Does the symbol open a function we tell of? */
static bool opens_function(const struct module_reading *reading, const struct symbol *symbol,
			   struct procedure *procedure)
{
	if (is_procedure(symbol->kind))
		return read_procedure(*symbol, procedure);
	if (symbol->kind == S_THUNK32 || symbol->kind == S_THUNK32_ST)
		return read_thunk(*symbol, procedure);
	return symbol->kind == S_SEPCODE && read_separated(reading, *symbol, procedure);
}

static bool opens_scope(uint16_t kind)
{
	switch (kind) {
	case S_BLOCK32: case S_BLOCK32_ST: case S_WITH32: case S_WITH32_ST:
	case S_THUNK32: case S_THUNK32_ST: case S_SEPCODE:
	case S_GMANPROC: case S_LMANPROC: case S_GMANPROC_ST: case S_LMANPROC_ST:
	case S_INLINESITE: case S_INLINESITE2:
		return true;
	default:
		return is_procedure(kind);
	}
}

static bool closes_scope(uint16_t kind)
{
	return kind == S_END || kind == S_PROC_ID_END || kind == S_INLINESITE_END;
}

/* --- One function -------------------------------------------------------------------- */

static int open_scope(struct module_reading *reading, const struct symbol *symbol,
		      const struct procedure *procedure, struct scopes *scopes, struct err *err)
{
	uint32_t site = scopes->depth > 0 ? scopes->site[scopes->depth - 1] : 0;

	if (scopes->depth == SCOPE_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "%s: the symbol at byte %u is nested more than %u deep",
			       reading->stream_name, symbol->at, SCOPE_DEPTH_MAX);
	if ((symbol->kind == S_INLINESITE || symbol->kind == S_INLINESITE2) && procedure &&
	    module_add_site(reading, symbol->record, symbol->kind == S_INLINESITE2, site,
			    procedure->start, &site, err) < 0)
		return -1;
	scopes->site[scopes->depth++] = site;
	return 0;
}

/* From behind the symbol that opened it to the one that closes it. */
static int read_scope(struct module_reading *reading, const struct procedure *procedure,
		      struct err *err)
{
	struct scopes scopes;
	struct symbol symbol;

	scopes.site[0] = 0;
	scopes.depth = 1;
	while (scopes.depth > 0) {
		if (!next_symbol(reading, &symbol, err))
			return err->kind == ERR_NONE ? 0 : -1;
		if (closes_scope(symbol.kind))
			scopes.depth--;
		else if (opens_scope(symbol.kind) &&
			 open_scope(reading, &symbol, procedure, &scopes, err) < 0)
			return -1;
	}
	return 0;
}

static int read_function(struct module_reading *reading, struct procedure *procedure,
			 struct err *err)
{
	bool wanted = is_wanted(reading, procedure);
	struct text name;

	if (!procedure->is_part)
		inline_builder_begin(&reading->builder, procedure->symbol_at);
	else if (work_charge(&reading->work, reading->builder.far_rows.count +
			     reading->builder.site_count, err) < 0 ||
		 inline_builder_go_on(&reading->builder, procedure->symbol_at, procedure->start,
				err) < 0)
		return -1;
	if (!wanted)
		return read_scope(reading, NULL, err);
	if (read_scope(reading, procedure, err) < 0 ||
	    module_lines_between(reading, procedure->start, procedure->end, err) < 0 ||
	    module_paint(reading, procedure->end, err) < 0 ||
	    name_procedure(reading, procedure, &name, err) < 0)
		return -1;
	return hand_out(reading, procedure, name, err);
}

/* Outside of functions: inside, they are where a goto leads to. */
static int add_label(struct module_reading *reading, const struct symbol *symbol, struct err *err)
{
	struct reader record = symbol->record;
	uint32_t offset = reader_u32(&record), section = reader_u16(&record);
	struct label label = { pdb_source_address(reading->pdb, section, offset), TEXT_NONE };

	reader_skip(&record, 1);                     /* flags */
	label.name = codeview_name(&record, symbol->kind);
	if (label.name.size == 0 || label.start == PDB_NO_ADDRESS)
		return 0;
	if (vec_reserve(&reading->labels, &reading->label_capacity, reading->label_count + 1,
		     sizeof(label)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for labels");
	reading->labels[reading->label_count++] = label;
	return 0;
}

static int read_symbols(struct module_reading *reading, struct err *err)
{
	struct procedure procedure;
	struct symbol symbol;

	err_clear(err);
	while (next_symbol(reading, &symbol, err)) {
		struct arena_mark mark = arena_mark(reading->scratch);
		int rc = 0;

		if (opens_function(reading, &symbol, &procedure))
			rc = read_function(reading, &procedure, err);
		else if (opens_scope(symbol.kind))
			rc = read_scope(reading, NULL, err);
		else if (symbol.kind == S_LABEL32 || symbol.kind == S_LABEL32_ST)
			rc = add_label(reading, &symbol, err);
		arena_rewind(reading->scratch, mark);
		if (rc < 0)
			return -1;
	}
	return err->kind == ERR_NONE ? 0 : -1;
}

static int compare_labels(const void *left, const void *right)
{
	const struct label *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name.bytes < b->name.bytes ? -1 : a->name.bytes > b->name.bytes;
}

static size_t first_label(const struct module_reading *reading, uint32_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, reading->label_count, reading->labels[at].start < address);
	return at;
}

static bool has_public(const struct pdb *pdb, uint32_t start, uint32_t end)
{
	uint64_t image = pdb_stretch_at(pdb, start, end).image, first, last;

	if (pdb->publics.count == 0)
		return false;
	return (symbols_around(&pdb->publics, image, &first, &last) && first >= image) ||
	       last < image + (end - start);
}

static int hand_out_bare(struct module_reading *reading, uint32_t start, uint32_t end,
			 struct text name, struct err *err)
{
	struct procedure procedure = { .start = start, .end = end };

	inline_builder_begin(&reading->builder, 0);
	if (start == end)
		return 0;
	if (!reading->in_place && name.size > 0 && keep_name(reading, name, &name, err) < 0)
		return -1;
	if (module_lines_between(reading, start, end, err) < 0)
		return -1;
	return hand_out(reading, &procedure, name, err);
}

/* From label to label; public symbols know better, so labels only count where there are none. */
static int hand_out_labelled(struct module_reading *reading, const struct fragment *fragment,
			     struct err *err)
{
	uint32_t start = fragment->start, end = fragment->end;
	size_t next = first_label(reading, start);
	struct text name = TEXT_NONE;

	if (next == reading->label_count || reading->labels[next].start >= end ||
	    has_public(reading->pdb, start, end))
		return hand_out_bare(reading, start, end, TEXT_NONE, err);
	for (; next < reading->label_count && reading->labels[next].start < end; next++) {
		const struct label *label = &reading->labels[next];

		if (hand_out_bare(reading, start, label->start, name, err) < 0)
			return -1;
		start = label->start;
		name = label->name;
	}
	return hand_out_bare(reading, start, end, name, err);
}

/* Lines of code that no function covers (assembler). */
static int read_bare_lines(struct module_reading *reading, struct err *err)
{
	if (reading->label_count > 1)
		qsort(reading->labels, reading->label_count, sizeof(*reading->labels),
		      compare_labels);
	for (size_t i = 0; i < reading->lines.fragment_count; i++) {
		const struct fragment *fragment = &reading->lines.fragments[i];

		if (fragment->is_covered || !is_ours(reading, fragment->section, fragment->offset))
			continue;
		if (hand_out_labelled(reading, fragment, err) < 0)
			return -1;
	}
	return 0;
}

/* --- The stream ---------------------------------------------------------------------- */

static int open_streams(struct module_reading *reading, struct err *err)
{
	const struct pdb_module *module = &reading->pdb->modules[reading->module];
	struct reader whole, c11, c13;
	struct msf_stream stream;

	if (msf_stream_open(&reading->pdb->msf, module->stream, reading->stream_name, &stream,
			    err) < 0)
		return -1;
	work_allowance_begin(&reading->work, reading->pdb->work, stream.size);
	/* A symbol takes four bytes at least; and the stream may be that of other modules, too. */
	if (work_charge(&reading->work, MODULE_STEPS + stream.size / 4, err) < 0 ||
	    msf_stream_in_arena(&stream, reading->scratch, &whole, err) < 0)
		return -1;
	reading->in_place = stream.flat != NULL;
	reading->symbols = reader_part(&whole, "symbols", module->symbol_bytes);
	c11 = reader_part(&whole, "C11 lines", module->c11_bytes);
	c13 = reader_part(&whole, "C13 lines", module->c13_bytes);
	if (whole.failed)
		return err_set(err, ERR_MALFORMED, "%s of %u bytes has no room for %u of symbols "
			       "and %u of lines", reading->stream_name, stream.size,
			       module->symbol_bytes, module->c11_bytes + module->c13_bytes);
	if (module->symbol_bytes > 0 && reader_u32(&reading->symbols) != SYMBOLS_SIGNATURE)
		return err_set(err, ERR_UNSUPPORTED, "%s: symbols of a format before C13",
			       reading->stream_name);
	if (module_lines_open(reading, c11, c13, err) < 0)
		return -1;
	return module_imports_open(reading, err);
}

int module_read(const struct pdb *pdb, uint32_t module, struct arena *scratch,
		const struct object_sink *sink, struct err *err)
{
	char name[STREAM_NAME_BYTES];
	struct module_reading reading = { .pdb = pdb, .sink = sink, .scratch = scratch,
				   .module = module, .stream_name = name };
	int rc = -1;

	snprintf(name, sizeof(name), "module %u (stream %u)", module,
		 pdb->modules[module].stream);
	namer_init(&reading.namer, pdb, scratch);
	if (open_streams(&reading, err) == 0 && read_symbols(&reading, err) == 0)
		rc = read_bare_lines(&reading, err);
	work_allowance_end(&reading.work);
	namer_release(&reading.namer);
	inline_builder_release(&reading.builder);
	mem_give_back(reading.rows.items);
	mem_give_back(reading.labels);
	return rc;
}
