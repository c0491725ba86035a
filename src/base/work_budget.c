/* work_budget.c -- see work_budget.h. */
#include "base/work_budget.h"

#include "base/err.h"

#define TAKEN_TOGETHER 16384u    /* steps taken from the shared count at a time */

static uint64_t steps_of(uint64_t bytes, uint64_t beside)
{
	return bytes > (UINT64_MAX - beside) / WORK_STEPS_PER_BYTE ?
	       UINT64_MAX : beside + bytes * WORK_STEPS_PER_BYTE;
}

void work_budget_init(struct work_budget *budget, uint64_t bytes)
{
	budget->bytes = bytes;
	atomic_init(&budget->spent, 0);
}

void work_budget_add(struct work_budget *budget, uint64_t bytes)
{
	budget->bytes += bytes;
}

uint64_t work_budget_steps(const struct work_budget *budget)
{
	return atomic_load(&budget->spent);
}

bool work_budget_is_over(const struct work_budget *budget)
{
	return work_budget_steps(budget) > steps_of(budget->bytes, WORK_FILE_STEPS);
}

void work_allowance_begin(struct work_allowance *work, struct work_budget *budget, uint64_t bytes)
{
	*work = (struct work_allowance){ .budget = budget, .own_left = steps_of(bytes, WORK_PART_STEPS),
			       .own_bytes = bytes };
}

void work_allowance_add(struct work_allowance *work, uint64_t bytes)
{
	uint64_t more = steps_of(bytes, 0);

	work->own_bytes += bytes;
	work->own_left = more > UINT64_MAX - work->own_left ? UINT64_MAX : work->own_left + more;
}

void work_allowance_end(struct work_allowance *work)
{
	if (work->budget && work->left)
		atomic_fetch_sub(&work->budget->spent, work->left);
	work->left = 0;
}

static bool end(struct work_allowance *work)
{
	work->is_over = true;
	work->left = 0;
	return false;
}

bool work_allowance_take(struct work_allowance *work, uint64_t steps)
{
	uint64_t missing = steps - work->left;
	uint64_t take = missing < TAKEN_TOGETHER ? TAKEN_TOGETHER : missing;

	if (take > work->own_left)
		take = work->own_left;
	if (work->is_over || take < missing)
		return end(work);
	work->own_left -= take;
	if (work->budget) {
		if (work_budget_is_over(work->budget))
			return end(work);
		atomic_fetch_add(&work->budget->spent, take);
		if (work_budget_is_over(work->budget))
			return end(work);
	}
	work->left = work->left + take - steps;
	return true;
}

int work_allowance_refuse(const struct work_allowance *work, struct err *err)
{
	if (work->budget && work_budget_is_over(work->budget))
		return err_set(err, ERR_LIMIT, "it asks for more work than a file of %llu bytes may",
			       (unsigned long long)work->budget->bytes);
	return err_set(err, ERR_LIMIT, "it asks for more work than its %llu bytes may",
		       (unsigned long long)work->own_bytes);
}
