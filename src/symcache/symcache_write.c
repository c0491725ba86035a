/*
 * symcache_write.c -- reads an object's units with several threads and puts the shards together.
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
#include "symcache/overlap.h"
#include "symcache/emit.h"
#include "symcache/symcache_layout.h"
#include "symcache/shard.h"
#include "symcache/symcache.h"

#define WRITE_THREADS_MAX     64u
#define WRITE_UNIT_NAME_BYTES 96u

struct symcache_writing {
	struct object *object;
	bool of_variables;
	struct budget budget;
	unsigned threads;
	size_t unit_count;
	atomic_size_t next_unit;
	atomic_bool stop;
	struct shard *shards;        /* one per thread */
	size_t shard_count;
	struct overlap_symbols symbols;
	struct overlap_segments functions, nameless, all;
	struct arena map_arena;
	struct il2cpp line_map;
};

/* One thread and what it has to say at the end. */
struct shard_worker {
	struct symcache_writing *writing;
	struct shard *shard;
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

static int use_line_map(struct symcache_writing *writing, struct text map, struct err *err)
{
	if (!map.bytes)
		return 0;
	if (il2cpp_read(&writing->line_map, map, &writing->map_arena, err) < 0 ||
	    budget_count(&writing->budget, writing->map_arena.held_bytes, err) < 0)
		return -1;
	for (size_t i = 0; i < writing->shard_count; i++)
		if (shard_use_line_map(&writing->shards[i], &writing->line_map, err) < 0)
			return -1;
	return 0;
}

/* --- Reading units ------------------------------------------------------------------- */

static int take_function(void *payload, const struct object_file_name *files, size_t file_count,
			 const struct object_function *function, struct err *err)
{
	struct shard_worker *worker = payload;

	if (shard_add_function(worker->shard, files, file_count, function, err) == 0)
		return 0;
	worker->sink_failed = err->kind != ERR_MALFORMED;
	return -1;
}

/* Units are taken in rising order, so that a worker's first bad one is its lowest. */
static void note_bad_unit(struct shard_worker *worker, const struct object_taken *taken,
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
static bool ends_everything(const struct shard_worker *worker, const struct err *err)
{
	return worker->sink_failed || err->kind == ERR_NO_MEMORY ||
	       is_over_budget(worker->writing->object);
}

/* 1: there is one, 0: no more, -1: the object cannot be read on. */
static int next_unit(struct symcache_writing *writing, struct object_taken *taken, struct err *err)
{
	if (atomic_load(&writing->stop))
		return 0;
	if (!writing->object->gives_units) {
		taken->unit = atomic_fetch_add(&writing->next_unit, 1);
		return taken->unit < writing->unit_count;
	}
	return object_take_unit(writing->object, taken, err);
}

static int read_unit(struct shard_worker *worker, const struct object_taken *taken,
		     struct arena *scratch, struct err *err)
{
	const struct object *object = worker->writing->object;
	const struct object_sink sink = { worker, take_function };

	shard_begin_unit(worker->shard, (uint32_t)taken->unit);
	worker->unit_count++;
	if (object->gives_units)
		return object_read_taken(object, taken, scratch, &sink, err);
	return object_read_unit(object, taken->unit, scratch, &sink, err);
}

static int read_units(struct shard_worker *worker, struct arena *scratch, struct err *err)
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
	struct shard_worker *worker = payload;
	struct arena scratch;

	arena_init(&scratch, worker->writing->budget.ceiling_bytes);
	worker->rc = read_units(worker, &scratch, &worker->err);
	if (worker->rc < 0)
		atomic_store(&worker->writing->stop, true);
	arena_release(&scratch);
	shard_finish(worker->shard, worker->shard == worker->writing->shards &&
				  worker->writing->shard_count > 1);
	return NULL;
}

/* Those that cannot be started are not missed: the units are left to the others. */
static void run_workers(struct shard_worker *workers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker,
						    &workers[i]) == 0;
	run_worker(&workers[0]);
	for (size_t i = 1; i < count; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

static int sum_up(const struct shard_worker *workers, size_t count, struct symcache_report *report,
		  struct err *err)
{
	const struct shard_worker *first = NULL;

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

static int read_object(struct symcache_writing *writing, struct symcache_report *report,
		       struct err *err)
{
	struct shard_worker *workers = mem_get_array(writing->shard_count, sizeof(*workers));
	int rc;

	if (!workers)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu threads",
			       writing->shard_count);
	for (size_t i = 0; i < writing->shard_count; i++) {
		workers[i].writing = writing;
		workers[i].shard = &writing->shards[i];
	}
	run_workers(workers, writing->shard_count);
	object_units_done(writing->object);
	rc = sum_up(workers, writing->shard_count, report, err);
	mem_give_back(workers);
	return rc;
}

/* --- Symbols ------------------------------------------------------------------------- */

struct symbol_sink {
	struct overlap_symbols *symbols;
	struct err *err;
	int rc;
};

static int take_symbol(void *payload, const struct object_symbol *symbol)
{
	struct symbol_sink *sink = payload;
	struct overlap_symbols *symbols = sink->symbols;

	if (symbol->address >= UINT32_MAX || symbol->name.size == 0 ||
	    symbol->name.size > UINT32_MAX || symbol->file.size > UINT32_MAX)
		return 0;
	sink->rc = budget_reserve(symbols->budget, &symbols->items, &symbols->capacity,
			       symbols->count + 1, sizeof(*symbols->items), sink->err);
	if (sink->rc < 0)
		return 1;
	symbols->items[symbols->count] = (struct overlap_symbol){
		.address = (uint32_t)symbol->address,
		.size = symbol->size > UINT32_MAX ? UINT32_MAX : (uint32_t)symbol->size,
		.order = (uint32_t)symbols->count,
		.name = symbol->name.bytes, .name_bytes = (uint32_t)symbol->name.size,
		.file = symbol->file.bytes, .file_bytes = (uint32_t)symbol->file.size,
	};
	symbols->count++;
	return 0;
}

static int read_symbols(struct symcache_writing *writing, struct err *err)
{
	struct symbol_sink sink = { .symbols = &writing->symbols, .err = err };

	if (!writing->object->format->each_symbol || writing->of_variables)
		return 0;
	writing->symbols.end_at_functions = writing->object->symbols_end_at_functions;
	if (object_each_symbol(writing->object, take_symbol, &sink, err) < 0 || sink.rc < 0)
		return -1;
	overlap_symbols_sort(&writing->symbols);
	return 0;
}

/* --- Together ------------------------------------------------------------------------ */

/* All ranges end up in the first shard's array. */
static int gather_ranges(struct symcache_writing *writing, struct err *err)
{
	struct shard *all = &writing->shards[0];

	for (size_t i = 1; i < writing->shard_count; i++) {
		struct shard *shard = &writing->shards[i];

		if (shard->range_count == 0)
			continue;
		if (budget_reserve(&writing->budget, &all->ranges, &all->range_capacity,
				all->range_count + shard->range_count, sizeof(*all->ranges),
				err) < 0)
			return -1;
		memcpy(all->ranges + all->range_count, shard->ranges,
		       shard->range_count * sizeof(*all->ranges));
		all->range_count += shard->range_count;
		mem_give_back(shard->ranges);
		shard->ranges = NULL;
		shard->range_count = shard->range_capacity = 0;
	}
	function_range_sort(all->ranges, all->range_count);
	return 0;
}

static int resolve_overlaps(struct symcache_writing *writing, struct err *err)
{
	const struct shard *all = &writing->shards[0];
	size_t named = 0;

	if (gather_ranges(writing, err) < 0)
		return -1;
	while (named < all->range_count && !all->ranges[named].nameless)
		named++;
	if (overlap_resolve(writing->shards, all->ranges, named, &writing->functions, err) < 0)
		return -1;
	if (all->range_count > named &&
	    overlap_resolve(writing->shards, all->ranges + named, all->range_count - named,
			    &writing->nameless, err) < 0)
		return -1;
	if (overlap_fill(writing->shards, &writing->functions, &writing->nameless,
			 &writing->symbols, &writing->all, err) < 0)
		return -1;
	overlap_segments_release(&writing->functions);
	overlap_segments_release(&writing->nameless);
	return 0;
}

static int convert(struct symcache_writing *writing, int fd, struct symcache_report *report,
		   struct err *err)
{
	struct emit_input input = { .object = writing->object, .shards = writing->shards,
				    .shard_count = writing->shard_count,
				    .segments = &writing->all, .symbols = &writing->symbols,
				    .threads = writing->threads, .budget = &writing->budget };

	if (read_object(writing, report, err) < 0 || read_symbols(writing, err) < 0)
		return -1;
	if (writing->object->work)
		report->steps = work_budget_steps(writing->object->work);
	if (resolve_overlaps(writing, err) < 0)
		return -1;
	input.ranges = writing->shards[0].ranges;
	input.range_count = writing->shards[0].range_count;
	return emit_file(&input, fd, report, err);
}

static unsigned thread_count(const struct symcache_options *options)
{
	unsigned threads = options && options->threads ? options->threads : 1;

	return threads < WRITE_THREADS_MAX ? threads : WRITE_THREADS_MAX;
}

/* One for each thread that will find a unit to read. */
static size_t shard_count(const struct symcache_writing *writing)
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
	struct symcache_writing writing = { .object = object, .budget = { .ceiling_bytes = ceiling },
				   .unit_count = object_unit_count(object) };
	struct budget *budget = &writing.budget;
	int rc;

	*report = (struct symcache_report){ 0 };
	writing.threads = thread_count(options);
	writing.shard_count = shard_count(&writing);
	writing.symbols.budget = writing.functions.budget = writing.nameless.budget =
		writing.all.budget = budget;
	if (writing.unit_count > LIMIT_UNITS)
		return err_set(err, ERR_LIMIT, "%zu units", writing.unit_count);
	writing.shards = mem_get_array(writing.shard_count, sizeof(*writing.shards));
	if (!writing.shards)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu shards", writing.shard_count);
	for (size_t i = 0; i < writing.shard_count; i++)
		shard_init(&writing.shards[i], budget, (uint32_t)i, undecoration_of(object));
	writing.of_variables = options && options->of_variables;
	for (size_t i = 0; writing.of_variables && i < writing.shard_count; i++)
		shard_use_variables(&writing.shards[i]);
	arena_init(&writing.map_arena, ceiling);
	rc = use_line_map(&writing, options ? options->line_map : TEXT_NONE, err);
	if (rc == 0)
		rc = convert(&writing, fd, report, err);
	arena_release(&writing.map_arena);
	for (size_t i = 0; i < writing.shard_count; i++)
		shard_release(&writing.shards[i]);
	mem_give_back(writing.shards);
	mem_give_back(writing.symbols.items);
	overlap_segments_release(&writing.functions);
	overlap_segments_release(&writing.nameless);
	overlap_segments_release(&writing.all);
	return rc < 0 ? err_while(err, "writing symcache") : 0;
}
