/* supervisor_counters.c -- all that is counted, by whom: one order for all processes. */
#include "board/counters.h"
#include "cache/cache_counters.h"
#include "convert/cell_counters.h"
#include "front/front_counters.h"
#include "job/job_counters.h"
#include "kinds/kinds_counters.h"
#include "shared/shared_counters.h"
#include "supervisor/supervisor.h"
#include "workshop/workshop_counters.h"

static struct counter_set *const *const lists[] = {
	front_counters,
	job_counters,
	cache_counters,
	workshop_counters,
	convert_counters,
	shared_counters,
	kinds_counters,
	NULL
};

void supervisor_register_counters(void)
{
	board_register_counters(lists);
}
