/* cell_counters.c -- see cell_counters.h. */
#include "convert/cell_counters.h"

static bool describe_end(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const reasons[CELL_ENDS] = {
		[CELL_END_DONE] = "done", [CELL_END_FAILED] = "failed", [CELL_END_CRASHED] = "crashed",
		[CELL_END_LIMIT] = "limit", [CELL_END_KILLED] = "killed",
	};

	values[0] = text_of(reasons[index]);
	return true;
}

struct counter_set convert_cells_started = {
	.name = "symgate_cells_started_total", .help = "Cells (sandboxed processes) started.", .count = 1,
};

struct counter_set convert_cells_ended = {
	.name = "symgate_cells_ended_total",
	.help = "Cells that ended, by reason: done, failed (the file's fault, said with words), "
		"crashed, limit (memory, CPU or file size), killed (by us or the system).",
	.labels = { "reason" }, .count = CELL_ENDS, .describe = describe_end,
};

struct counter_set convert_demangle_asked = {
	.name = "symgate_demangle_asked_total", .help = "Names sent to a demangling cell.", .count = 1,
};

struct counter_set convert_demangle_remembered = {
	.name = "symgate_demangle_remembered_total",
	.help = "Names whose readable form this process still knew.", .count = 1,
};

struct counter_set *const convert_counters[] = {
	&convert_cells_started, &convert_cells_ended, &convert_demangle_asked, &convert_demangle_remembered,
	NULL
};
