/* cell_queue.c -- see cell_queue.h. */
#include "workshop/cell_queue.h"

#include <stdbool.h>

#include "base/hash.h"

static bool same(struct text one, struct text other)
{
	return (one.bytes == NULL) == (other.bytes == NULL) && text_equal(one, other);
}

static void unlink_claim(struct cell_claim **list, const struct cell_claim *claim)
{
	while (*list != claim)
		list = &(*list)->next;
	*list = claim->next;
}

void cell_queue_add(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis)
{
	struct cell_claim **last = &queue->waiting;

	while (*last)
		last = &(*last)->next;
	*last = claim;
	claim->next = NULL;
	claim->state = CELL_CLAIM_WAITS;
	claim->since_millis = now_millis;
}

void cell_queue_leave(struct cell_queue *queue, struct cell_claim *claim)
{
	if (claim->state == CELL_CLAIM_WAITS)
		unlink_claim(&queue->waiting, claim);
	else if (claim->state == CELL_CLAIM_RUNS)
		unlink_claim(&queue->running, claim);
	queue->running_count -= claim->state == CELL_CLAIM_RUNS;
	queue->parking_count -= claim->has_cell && claim->may_park;
	claim->has_cell = false;
	claim->state = CELL_CLAIM_NONE;
}

void cell_queue_park(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis)
{
	unlink_claim(&queue->running, claim);
	queue->running_count--;
	claim->state = CELL_CLAIM_PARKED;
	claim->since_millis = now_millis;
}

/* --- Turns -------------------------------------------------------------------------------- */

static uint64_t number_of(struct text scope)
{
	return scope.bytes ? hash_fast(scope.bytes, scope.size) : 0;
}

/* 0: none that is remembered. */
static uint64_t last_turn(const struct cell_turn *turns, uint64_t whose)
{
	for (size_t i = 0; i < CELL_QUEUE_RECENT; i++)
		if (turns[i].turn && turns[i].whose == whose)
			return turns[i].turn;
	return 0;
}

/* Overwrites its own entry, or the oldest one. */
static void note_turn(struct cell_turn *turns, uint64_t whose, uint64_t turn)
{
	struct cell_turn *at = &turns[0];

	for (size_t i = 0; i < CELL_QUEUE_RECENT; i++) {
		if (turns[i].turn && turns[i].whose == whose) {
			at = &turns[i];
			break;
		}
		if (turns[i].turn < at->turn)
			at = &turns[i];
	}
	*at = (struct cell_turn){ whose, turn };
}

/* --- Choosing ----------------------------------------------------------------------------- */

/* The less, the sooner; the first number decides, and so on. */
struct rank { uint64_t of_scope, of_source, is_new, scope_turn, job_turn; };

static struct rank rank_of(const struct cell_queue *queue, const struct cell_claim *claim)
{
	struct rank rank = {
		.is_new = !claim->has_cell,
		.scope_turn = last_turn(queue->scopes, number_of(claim->scope)),
		.job_turn = last_turn(queue->jobs, (uint64_t)(uintptr_t)claim->job),
	};

	for (const struct cell_claim *other = queue->running; other; other = other->next) {
		if (!same(other->scope, claim->scope))
			continue;
		rank.of_scope++;
		rank.of_source += same(other->source, claim->source);
	}
	return rank;
}

static bool is_sooner(const struct rank *one, const struct rank *other)
{
	if (one->of_scope != other->of_scope)
		return one->of_scope < other->of_scope;
	if (one->of_source != other->of_source)
		return one->of_source < other->of_source;
	if (one->is_new != other->is_new)
		return one->is_new < other->is_new;
	if (one->scope_turn != other->scope_turn)
		return one->scope_turn < other->scope_turn;
	return one->job_turn < other->job_turn;
}

static bool may_begin(const struct cell_queue *queue, const struct cell_claim *claim,
		      size_t parking_max)
{
	return !claim->may_park || claim->has_cell || queue->parking_count < parking_max;
}

/* Of many of one kind the first is before the others. */
static bool is_alike(const struct cell_claim *one, const struct cell_claim *other)
{
	return one->job == other->job && same(one->source, other->source) &&
	       one->has_cell == other->has_cell;
}

struct cell_claim *cell_queue_take(struct cell_queue *queue, size_t cells, size_t parking_max,
				   int64_t now_millis)
{
	struct cell_claim *best = NULL, *before = NULL;
	struct rank best_rank = { 0 };

	if (queue->running_count >= cells)
		return NULL;
	for (struct cell_claim *claim = queue->waiting; claim; claim = claim->next) {
		struct rank rank;

		if (!may_begin(queue, claim, parking_max) || (before && is_alike(before, claim)))
			continue;
		before = claim;
		rank = rank_of(queue, claim);
		if (!best || is_sooner(&rank, &best_rank)) {
			best = claim;
			best_rank = rank;
		}
	}
	if (!best)
		return NULL;
	unlink_claim(&queue->waiting, best);
	queue->turn++;
	note_turn(queue->scopes, number_of(best->scope), queue->turn);
	note_turn(queue->jobs, (uint64_t)(uintptr_t)best->job, queue->turn);
	best->next = queue->running;
	queue->running = best;
	queue->running_count++;
	queue->parking_count += best->may_park && !best->has_cell;
	best->has_cell = true;
	best->state = CELL_CLAIM_RUNS;
	best->since_millis = now_millis;
	return best;
}

/* --- Making way --------------------------------------------------------------------------- */

/* Has one scope all cells, or one source of this scope? */
static bool is_shut_out(const struct cell_queue *queue, const struct cell_claim *claim)
{
	const struct cell_claim *first = queue->running;
	bool by_scope = !same(first->scope, claim->scope);

	if (!by_scope && same(first->source, claim->source))
		return false;
	for (const struct cell_claim *other = first; other; other = other->next)
		if (!same(other->scope, first->scope) ||
		    (!by_scope && !same(other->source, first->source)))
			return false;
	return true;
}

struct cell_claim *cell_queue_hog(const struct cell_queue *queue, size_t cells, int64_t now_millis)
{
	if (cells < 2 || queue->running_count < cells)
		return NULL;
	for (const struct cell_claim *claim = queue->waiting; claim; claim = claim->next)
		if (now_millis - claim->since_millis >= CELL_QUEUE_PATIENCE_MILLIS &&
		    is_shut_out(queue, claim))
			return queue->running;
	return NULL;
}
