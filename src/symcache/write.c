/*
 * write.c -- reads an object's units with several threads and puts the parts together.
 *
 * Threads take unit numbers from one counter and share nothing else but the memory budget;
 * the calling thread is one of them.
 */
#include <pthread.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "object/object.h"
#include "symcache/cover.h"
#include "symcache/emit.h"
#include "symcache/layout.h"
#include "symcache/part.h"
#include "symcache/symcache.h"

#define WRITE_THREADS_MAX     64u
#define WRITE_UNIT_NAME_BYTES 96u

struct writing {
	struct object *object;
	bool of_variables;
	struct budget budget;
	unsigned threads;
	size_t unit_count;
	atomic_size_t next_unit;
	atomic_bool stop;
	struct part *parts;          /* one per thread */
	size_t part_count;
	struct cover_symbols symbols;
	struct segments functions, nameless, all;
	struct arena map_arena;
	struct il2cpp line_map;
};

/* One thread and what it has to say at the end. */
struct worker {
	struct writing *writing;
	struct part *part;
	pthread_t thread;
	bool started;
	bool sink_failed;            /* our own failure, not the unit's */
	size_t unit_count, bad_units, first_bad_unit;
	char first_bad[sizeof(((struct symcache_report *)0)->first_bad)];
	struct err err;
	int rc;
};

/* --- The line map ---------------------------------------------------------------------- */

int symcache_check_line_map(struct text map, struct err *err)
{
	return il2cpp_check(map, err);
}

static int use_line_map(struct writing *writing, struct text map, struct err *err)
{
	if (!map.bytes)
		return 0;
	if (il2cpp_read(&writing->line_map, map, &writing->map_arena, err) < 0 ||
	    budget_count(&writing->budget, writing->map_arena.held_bytes, err) < 0)
		return -1;
	for (size_t i = 0; i < writing->part_count; i++)
		if (part_use_line_map(&writing->parts[i], &writing->line_map, err) < 0)
			return -1;
	return 0;
}

/* --- Reading units ------------------------------------------------------------------- */

static int take_function(void *payload, const struct object_file_name *files, size_t file_count,
			 const struct object_function *function, struct err *err)
{
	struct worker *worker = payload;

	if (part_add_function(worker->part, files, file_count, function, err) == 0)
		return 0;
	worker->sink_failed = err->kind != ERR_MALFORMED;
	return -1;
}

/* Units are taken in rising order, so that a worker's first bad one is its lowest. */
static void note_bad_unit(struct worker *worker, const struct object_taken *taken,
			  const struct err *err)
{
	const struct object *object = worker->writing->object;
	char name[WRITE_UNIT_NAME_BYTES];

	if (worker->bad_units++ > 0)
		return;
	worker->first_bad_unit = taken->unit;
	if (object->gives_units)
		object->format->taken_name(object, taken, name, sizeof(name));
	else if (object->format->unit_name)
		object->format->unit_name(object, taken->unit, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "unit %zu", taken->unit);
	snprintf(worker->first_bad, sizeof(worker->first_bad), "%.90s: %.140s", name, err->text);
}

static bool is_over_budget(const struct object *object)
{
	return object->work && work_budget_is_over(object->work);
}

/* Without memory the unit says less than it could: that must not become a lasting file.  Nor what
 * could be read until the file's work was spent, which is now this, now that. */
static bool ends_everything(const struct worker *worker, const struct err *err)
{
	return worker->sink_failed || err->kind == ERR_NO_MEMORY ||
	       is_over_budget(worker->writing->object);
}

/* 1: there is one, 0: no more, -1: the object cannot be read on. */
static int next_unit(struct writing *writing, struct object_taken *taken, struct err *err)
{
	if (atomic_load(&writing->stop))
		return 0;
	if (!writing->object->gives_units) {
		taken->unit = atomic_fetch_add(&writing->next_unit, 1);
		return taken->unit < writing->unit_count;
	}
	return object_take_unit(writing->object, taken, err);
}

static int read_unit(struct worker *worker, const struct object_taken *taken,
		     struct arena *scratch, struct err *err)
{
	const struct object *object = worker->writing->object;
	const struct object_sink sink = { worker, take_function };

	part_begin_unit(worker->part, (uint32_t)taken->unit);
	worker->unit_count++;
	if (object->gives_units)
		return object_read_taken(object, taken, scratch, &sink, err);
	return object_read_unit(object, taken->unit, scratch, &sink, err);
}

static int read_units(struct worker *worker, struct arena *scratch, struct err *err)
{
	struct object_taken taken = { .state = NULL };
	int more;

	while ((more = next_unit(worker->writing, &taken, err)) > 0) {
		struct err unit_err = ERR_INIT;
		struct arena_mark mark = arena_mark(scratch);
		int rc = read_unit(worker, &taken, scratch, &unit_err);

		arena_rewind(scratch, mark);
		if (rc == 0)
			continue;
		if (ends_everything(worker, &unit_err)) {
			*err = unit_err;
			return -1;
		}
		note_bad_unit(worker, &taken, &unit_err);
	}
	return more;
}

static void *run_worker(void *payload)
{
	struct worker *worker = payload;
	struct arena scratch;

	arena_init(&scratch, worker->writing->budget.ceiling_bytes);
	worker->rc = read_units(worker, &scratch, &worker->err);
	if (worker->rc < 0)
		atomic_store(&worker->writing->stop, true);
	arena_release(&scratch);
	part_finish(worker->part, worker->part == worker->writing->parts &&
				  worker->writing->part_count > 1);
	return NULL;
}

/* Those that cannot be started are not missed: the units are left to the others. */
static void run_workers(struct worker *workers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker,
						    &workers[i]) == 0;
	run_worker(&workers[0]);
	for (size_t i = 1; i < count; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

static int sum_up(const struct worker *workers, size_t count, struct symcache_report *report,
		  struct err *err)
{
	const struct worker *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (workers[i].rc < 0) {
			*err = workers[i].err;
			return -1;
		}
		report->units += workers[i].unit_count;
		report->bad_units += workers[i].bad_units;
		if (workers[i].bad_units > 0 &&
		    (!first || workers[i].first_bad_unit < first->first_bad_unit))
			first = &workers[i];
	}
	if (first)
		memcpy(report->first_bad, first->first_bad, sizeof(report->first_bad));
	return 0;
}

static int read_object(struct writing *writing, struct symcache_report *report, struct err *err)
{
	struct worker *workers = mem_get_array(writing->part_count, sizeof(*workers));
	int rc;

	if (!workers)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu threads",
			       writing->part_count);
	for (size_t i = 0; i < writing->part_count; i++) {
		workers[i].writing = writing;
		workers[i].part = &writing->parts[i];
	}
	run_workers(workers, writing->part_count);
	object_units_done(writing->object);
	rc = sum_up(workers, writing->part_count, report, err);
	mem_give_back(workers);
	return rc;
}

/* --- Symbols ------------------------------------------------------------------------- */

struct symbol_sink {
	struct cover_symbols *symbols;
	struct err *err;
	int rc;
};

static int take_symbol(void *payload, const struct object_symbol *symbol)
{
	struct symbol_sink *sink = payload;
	struct cover_symbols *symbols = sink->symbols;

	if (symbol->address >= UINT32_MAX || symbol->name.size == 0 ||
	    symbol->name.size > UINT32_MAX || symbol->file.size > UINT32_MAX)
		return 0;
	sink->rc = budget_reserve(symbols->budget, &symbols->items, &symbols->capacity,
			       symbols->count + 1, sizeof(*symbols->items), sink->err);
	if (sink->rc < 0)
		return 1;
	symbols->items[symbols->count] = (struct cover_symbol){
		.address = (uint32_t)symbol->address,
		.size = symbol->size > UINT32_MAX ? UINT32_MAX : (uint32_t)symbol->size,
		.order = (uint32_t)symbols->count,
		.name = symbol->name.bytes, .name_bytes = (uint32_t)symbol->name.size,
		.file = symbol->file.bytes, .file_bytes = (uint32_t)symbol->file.size,
	};
	symbols->count++;
	return 0;
}

static int read_symbols(struct writing *writing, struct err *err)
{
	struct symbol_sink sink = { .symbols = &writing->symbols, .err = err };

	if (!writing->object->format->each_symbol || writing->of_variables)
		return 0;
	writing->symbols.end_at_functions = writing->object->symbols_end_at_functions;
	if (object_each_symbol(writing->object, take_symbol, &sink, err) < 0 || sink.rc < 0)
		return -1;
	cover_sort_symbols(&writing->symbols);
	return 0;
}

/* --- Together ------------------------------------------------------------------------ */

/* All pieces end up in the first part's array. */
static int gather_pieces(struct writing *writing, struct err *err)
{
	struct part *all = &writing->parts[0];

	for (size_t i = 1; i < writing->part_count; i++) {
		struct part *part = &writing->parts[i];

		if (part->piece_count == 0)
			continue;
		if (budget_reserve(&writing->budget, &all->pieces, &all->piece_capacity,
				all->piece_count + part->piece_count, sizeof(*all->pieces),
				err) < 0)
			return -1;
		memcpy(all->pieces + all->piece_count, part->pieces,
		       part->piece_count * sizeof(*all->pieces));
		all->piece_count += part->piece_count;
		mem_give_back(part->pieces);
		part->pieces = NULL;
		part->piece_count = part->piece_capacity = 0;
	}
	cover_sort_pieces(all->pieces, all->piece_count);
	return 0;
}

static int cover(struct writing *writing, struct err *err)
{
	const struct part *all = &writing->parts[0];
	size_t named = 0;

	if (gather_pieces(writing, err) < 0)
		return -1;
	while (named < all->piece_count && !all->pieces[named].nameless)
		named++;
	if (cover_pieces(writing->parts, all->pieces, named, &writing->functions, err) < 0)
		return -1;
	if (all->piece_count > named &&
	    cover_pieces(writing->parts, all->pieces + named, all->piece_count - named,
			 &writing->nameless, err) < 0)
		return -1;
	if (cover_fill(writing->parts, &writing->functions, &writing->nameless,
		       &writing->symbols, &writing->all, err) < 0)
		return -1;
	segments_release(&writing->functions);
	segments_release(&writing->nameless);
	return 0;
}

static int convert(struct writing *writing, int fd, struct symcache_report *report,
		   struct err *err)
{
	struct emit_input input = { .object = writing->object, .parts = writing->parts,
				    .part_count = writing->part_count,
				    .segments = &writing->all, .symbols = &writing->symbols,
				    .threads = writing->threads, .budget = &writing->budget };

	if (read_object(writing, report, err) < 0 || read_symbols(writing, err) < 0)
		return -1;
	if (writing->object->work)
		report->steps = work_budget_steps(writing->object->work);
	if (cover(writing, err) < 0)
		return -1;
	input.pieces = writing->parts[0].pieces;
	input.piece_count = writing->parts[0].piece_count;
	return emit_file(&input, fd, report, err);
}

static unsigned thread_count(const struct symcache_options *options)
{
	unsigned threads = options && options->threads ? options->threads : 1;

	return threads < WRITE_THREADS_MAX ? threads : WRITE_THREADS_MAX;
}

/* One for each thread that will find a unit to read. */
static size_t part_count(const struct writing *writing)
{
	if (writing->object->gives_units || writing->threads < writing->unit_count)
		return writing->threads;
	return writing->unit_count ? writing->unit_count : 1;
}

int symcache_write(struct object *object, const struct symcache_options *options, int fd,
		   struct symcache_report *report, struct err *err)
{
	size_t ceiling = options && options->memory_bytes ? options->memory_bytes
							  : LIMIT_CELL_DATA_BYTES;
	struct writing writing = { .object = object, .budget = { .ceiling_bytes = ceiling },
				   .unit_count = object_unit_count(object) };
	struct budget *budget = &writing.budget;
	int rc;

	*report = (struct symcache_report){ 0 };
	writing.threads = thread_count(options);
	writing.part_count = part_count(&writing);
	writing.symbols.budget = writing.functions.budget = writing.nameless.budget =
		writing.all.budget = budget;
	if (writing.unit_count > LIMIT_UNITS)
		return err_set(err, ERR_LIMIT, "%zu units", writing.unit_count);
	writing.parts = mem_get_array(writing.part_count, sizeof(*writing.parts));
	if (!writing.parts)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu parts", writing.part_count);
	for (size_t i = 0; i < writing.part_count; i++)
		part_init(&writing.parts[i], budget, (uint32_t)i, undecoration_of(object));
	writing.of_variables = options && options->of_variables;
	for (size_t i = 0; writing.of_variables && i < writing.part_count; i++)
		part_use_variables(&writing.parts[i]);
	arena_init(&writing.map_arena, ceiling);
	rc = use_line_map(&writing, options ? options->line_map : TEXT_NONE, err);
	if (rc == 0)
		rc = convert(&writing, fd, report, err);
	arena_release(&writing.map_arena);
	for (size_t i = 0; i < writing.part_count; i++)
		part_release(&writing.parts[i]);
	mem_give_back(writing.parts);
	mem_give_back(writing.symbols.items);
	segments_release(&writing.functions);
	segments_release(&writing.nameless);
	segments_release(&writing.all);
	return rc < 0 ? err_while(err, "writing symcache") : 0;
}
