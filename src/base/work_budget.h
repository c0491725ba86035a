/*
 * work_budget -- how much may be done for one file, counted in steps, not in seconds.
 *
 * Small files can ask for much: the same bytes may be referred to from a thousand places.  A file
 * has a budget in proportion to its size; each of its parts (a unit, a module) that is read by
 * itself has an allowance of its own, so that a bad part costs itself.  Every loop whose length
 * the file decides is charged, in steps of about ten nanoseconds: a record, a row, sixteen bytes
 * of a name.  The same file makes the same number of steps on every machine.
 *
 * Once something is over it stays so: a charge nobody looks at is seen by the next.
 */
#ifndef BASE_WORK_BUDGET_H
#define BASE_WORK_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define WORK_STEPS_PER_BYTE  32u             /* real files make one to seven for each */
#define WORK_FILE_STEPS      ((uint64_t)4 << 20)     /* beside those of its bytes */
#define WORK_PART_STEPS      ((uint64_t)1 << 20)
#define WORK_BYTES_PER_STEP  16u             /* of what is compared, hashed or copied */

/* A file's, shared by the threads that read it. */
struct work_budget {
	uint64_t bytes;              /* of the file and its companions */
	atomic_uint_fast64_t spent;
};

/* What one thread does for one part of it. */
struct work_allowance {
	struct work_budget *budget;  /* NULL: only the part's own allowance */
	uint64_t left;               /* taken from both, not yet spent */
	uint64_t own_left, own_bytes;
	bool is_over;
};

void work_budget_init(struct work_budget *budget, uint64_t bytes);
void work_budget_add(struct work_budget *budget, uint64_t bytes);    /* a companion's */
uint64_t work_budget_steps(const struct work_budget *budget);        /* spent so far */
bool work_budget_is_over(const struct work_budget *budget);

/* `bytes`: the size of the part. */
void work_allowance_begin(struct work_allowance *work, struct work_budget *budget, uint64_t bytes);
/* More bytes belong to the part. */
void work_allowance_add(struct work_allowance *work, uint64_t bytes);
/* What is left goes back to the budget. */
void work_allowance_end(struct work_allowance *work);

/* False: over. */
bool work_allowance_take(struct work_allowance *work, uint64_t steps);
int  work_allowance_refuse(const struct work_allowance *work, struct err *err);

static inline bool work_spend(struct work_allowance *work, uint64_t steps)
{
	if (__builtin_expect(steps <= work->left, 1)) {
		work->left -= steps;
		return true;
	}
	return work_allowance_take(work, steps);
}

/* ERR_LIMIT with words when it is over. */
static inline int work_charge(struct work_allowance *work, uint64_t steps, struct err *err)
{
	return work_spend(work, steps) ? 0 : work_allowance_refuse(work, err);
}

#endif
