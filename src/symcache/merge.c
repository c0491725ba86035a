/* merge.c -- see merge.h. */
#include "symcache/merge.h"

#include "base/err.h"
#include "base/mem.h"
#include "symcache/parallel.h"

#define MERGE_JOBS 16u           /* for each shard */

struct merging {
	struct name_pool *names;
	struct record_pool *functions;
	const struct shard *shard;
	struct merged *merged;       /* its */
	unsigned threads;
	bool is_last;                /* nothing is looked for afterwards */
};

static uint32_t *make_map(struct budget *budget, size_t count, struct err *err)
{
	uint32_t *map;

	if (budget_count(budget, (count + 1) * sizeof(*map), err) < 0)
		return NULL;
	map = mem_get_array(count + 1, sizeof(*map));
	if (!map)
		err_set(err, ERR_NO_MEMORY, "no memory to merge %zu names", count);
	return map;
}

static uint32_t job_start(uint32_t count, unsigned job)
{
	return (uint32_t)((uint64_t)count * job / MERGE_JOBS);
}

/* --- Names --------------------------------------------------------------------------- */

static int find_names(void *payload, unsigned thread, unsigned job, struct err *err)
{
	const struct merging *merging = payload;
	const struct name_pool *own = &merging->shard->names;

	(void)thread;
	(void)err;
	for (uint32_t i = job_start(own->count, job); i < job_start(own->count, job + 1); i++)
		merging->merged->names[i] = name_pool_find(merging->names, &own->items[i]);
	return 0;
}

static int add_names(struct merging *merging, struct err *err)
{
	const struct name_pool *own = &merging->shard->names;

	for (uint32_t i = 0; i < own->count; i++) {
		uint32_t *number = &merging->merged->names[i];

		if (*number != UINT32_MAX)
			continue;
		if ((merging->is_last ? name_pool_append(merging->names, &own->items[i], number,
							 err)
				      : name_pool_add_hashed(merging->names, &own->items[i], number,
							     err)) < 0)
			return -1;
	}
	return 0;
}

/* --- Functions ----------------------------------------------------------------------- */

static struct interned_record renamed(const struct merging *merging, uint32_t function)
{
	struct interned_record record = merging->shard->functions.items[function];

	record.word[FUNCTION_NAME] = merging->merged->names[record.word[FUNCTION_NAME]];
	return record;
}

static int find_functions(void *payload, unsigned thread, unsigned job, struct err *err)
{
	const struct merging *merging = payload;
	uint32_t count = merging->shard->functions.count;

	(void)thread;
	(void)err;
	for (uint32_t i = job_start(count, job); i < job_start(count, job + 1); i++) {
		struct interned_record record = renamed(merging, i);

		merging->merged->functions[i] = record_pool_find(merging->functions, &record);
	}
	return 0;
}

static int add_functions(struct merging *merging, struct err *err)
{
	for (uint32_t i = 0; i < merging->shard->functions.count; i++) {
		uint32_t *number = &merging->merged->functions[i];
		struct interned_record record;

		if (*number != UINT32_MAX)
			continue;
		record = renamed(merging, i);
		if ((merging->is_last ? record_pool_append(merging->functions, &record, number, err)
				      : record_pool_add(merging->functions, &record, number,
							err)) < 0)
			return -1;
	}
	return 0;
}

/* --- Together ------------------------------------------------------------------------ */

static int merge_shard(struct merging *merging, struct err *err)
{
	const struct shard *shard = merging->shard;
	struct merged *merged = merging->merged;

	merged->names = make_map(shard->budget, shard->names.count, err);
	merged->functions = merged->names ? make_map(shard->budget, shard->functions.count,
						     err) : NULL;
	if (!merged->functions)
		return -1;
	if (parallel_run(merging->threads, MERGE_JOBS, find_names, merging, err) < 0 ||
	    add_names(merging, err) < 0 ||
	    parallel_run(merging->threads, MERGE_JOBS, find_functions, merging, err) < 0)
		return -1;
	return add_functions(merging, err);
}

int merge_shards(struct name_pool *names, struct record_pool *functions, const struct shard *shards,
		 size_t shard_count, struct merged *merged, unsigned threads, struct err *err)
{
	for (size_t i = 1; i < shard_count; i++) {
		struct merging merging = { .names = names, .functions = functions,
					   .shard = &shards[i], .merged = &merged[i],
					   .threads = threads, .is_last = i + 1 == shard_count };

		if (merge_shard(&merging, err) < 0)
			return -1;
	}
	name_pool_finish(names);
	record_pool_finish(functions);
	return 0;
}
