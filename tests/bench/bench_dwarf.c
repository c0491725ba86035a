/*
 * bench_dwarf -- reads every unit of a debug file, and writes what it says.
 *
 *	bench_dwarf FILE [THREADS [OUT]]
 *
 * Without OUT the facts are only counted.  With several threads each writes OUT.<n>.
 * Prints counts, the highest anonymous memory seen, and seconds.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "bench/facts.h"
#include "object/object.h"

#define ARENA_BYTES ((size_t)4 << 30)
#define THREADS_MAX 64

struct run {
	const struct object *object;
	atomic_size_t next;
	atomic_ulong anonymous, failed;
};

struct worker {
	struct run *run;
	struct facts *facts;
	size_t unit;
	bool has_files;
	pthread_t thread;
};

static void write_files(struct facts *facts, const struct object_file_name *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		facts_begin(facts, 'N');
		facts_add(facts, files[i].directory.bytes, files[i].directory.size);
		facts_add(facts, "/", 1);
		facts_end(facts, files[i].name.bytes, files[i].name.size);
	}
}

static unsigned depth_of(const struct object_function *function, uint32_t index)
{
	unsigned depth = 0;

	for (; index != OBJECT_NO_PARENT; index = function->inlinees[index].parent)
		depth++;
	return depth;
}

static void write_inlinee(struct facts *facts, const struct object_function *function,
			  uint32_t index)
{
	const struct object_inlinee *inlinee = &function->inlinees[index];

	facts_begin(facts, 'I');
	facts_number(facts, depth_of(function, index));
	facts_number(facts, inlinee->call_file);
	facts_number(facts, inlinee->call_line);
	facts_end(facts, inlinee->name.bytes, inlinee->name.size);
	for (size_t i = 0; i < inlinee->range_count; i++) {
		facts_begin(facts, 'R');
		facts_number(facts, inlinee->ranges[i].address);
		facts_number(facts, inlinee->ranges[i].size);
		facts_end(facts, "", 0);
	}
	facts->ranges += inlinee->range_count;
}

static int write_function(void *payload, const struct object_file_name *files, size_t count,
			  const struct object_function *function, struct err *err)
{
	struct worker *worker = payload;
	struct facts *facts = worker->facts;

	(void)err;
	facts->functions++;
	facts->inlinees += function->inlinee_count;
	facts->rows += function->line_count;
	if (!facts->file) {
		for (size_t i = 0; i < function->inlinee_count; i++)
			facts->ranges += function->inlinees[i].range_count;
		return 0;
	}
	if (!worker->has_files)
		write_files(facts, files, count);
	worker->has_files = true;
	facts_begin(facts, 'F');
	facts_number(facts, function->range.address);
	facts_number(facts, function->range.size);
	facts_end(facts, function->name.bytes, function->name.size);
	for (size_t i = 0; i < function->inlinee_count; i++)
		write_inlinee(facts, function, (uint32_t)i);
	for (size_t i = 0; i < function->line_count; i++) {
		facts_begin(facts, 'L');
		facts_number(facts, function->lines[i].address);
		facts_number(facts, function->lines[i].file);
		facts_number(facts, function->lines[i].line);
		facts_end(facts, "", 0);
	}
	return 0;
}

static void note_anonymous(struct run *run)
{
	unsigned long now = facts_anonymous();
	unsigned long before = atomic_load(&run->anonymous);

	while (now > before && !atomic_compare_exchange_weak(&run->anonymous, &before, now))
		;
}

static void *work(void *payload)
{
	struct worker *worker = payload;
	struct run *run = worker->run;
	struct object_sink sink = { worker, write_function };
	struct arena scratch;

	arena_init(&scratch, ARENA_BYTES);
	while ((worker->unit = atomic_fetch_add(&run->next, 1)) <
	       object_unit_count(run->object)) {
		struct err err = ERR_INIT;

		worker->has_files = false;
		if (object_read_unit(run->object, worker->unit, &scratch, &sink, &err) < 0) {
			fprintf(stderr, "unit %zu: %s\n", worker->unit, err.text);
			atomic_fetch_add(&run->failed, 1);
		}
		note_anonymous(run);
	}
	facts_flush(worker->facts);
	arena_release(&scratch);
	return NULL;
}

static FILE *open_part(const char *out, unsigned index, unsigned threads)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), threads > 1 ? "%s.%u" : "%s", out, index);
	return fopen(path, "we");
}

static int start(struct worker *worker, struct run *run, const char *out, unsigned index,
		 unsigned threads)
{
	worker->run = run;
	worker->facts = mem_get(sizeof(*worker->facts));
	if (!worker->facts)
		return -1;
	if (out && !(worker->facts->file = open_part(out, index, threads)))
		return -1;
	if (index)
		return pthread_create(&worker->thread, NULL, work, worker) ? -1 : 0;
	return 0;
}

static void finish(struct worker *worker, struct facts *sum, bool is_thread)
{
	if (is_thread)
		pthread_join(worker->thread, NULL);
	if (worker->facts->file)
		fclose(worker->facts->file);
	sum->functions += worker->facts->functions;
	sum->inlinees += worker->facts->inlinees;
	sum->ranges += worker->facts->ranges;
	sum->rows += worker->facts->rows;
	mem_give_back(worker->facts);
}

static int bench(const struct object *object, unsigned threads, const char *out)
{
	static struct facts sum;
	struct worker workers[THREADS_MAX] = { { 0 } };
	struct run run = { .object = object };

	for (unsigned i = threads; i-- > 0;)
		if (start(&workers[i], &run, out, i, threads) < 0) {
			perror("bench_dwarf");
			return 1;
		}
	work(&workers[0]);
	for (unsigned i = 0; i < threads; i++)
		finish(&workers[i], &sum, i > 0);
	facts_say(&sum, atomic_load(&run.anonymous));
	return atomic_load(&run.failed) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct file_map map = { 0 };
	struct object object;
	struct arena arena;
	int result = 1;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_dwarf FILE [THREADS [OUT]]\n");
		return 2;
	}
	arena_init(&arena, ARENA_BYTES);
	if (file_map_path(&map, argv[1], &err) < 0 ||
	    object_open(&object, map.bytes, map.size, &arena, &err) < 0 ||
	    object_prepare(&object, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
	} else {
		unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

		if (threads < 1 || threads > THREADS_MAX)
			threads = 1;
		result = bench(&object, (unsigned)threads, argc > 3 ? argv[3] : NULL);
	}
	arena_release(&arena);
	file_unmap(&map);
	return result;
}
