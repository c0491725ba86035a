/*
 * cell_counters -- what is counted of cells, by whoever starts them, and of the demangler.
 */
#ifndef CONVERT_CELL_COUNTERS_H
#define CONVERT_CELL_COUNTERS_H

#include "board/counters.h"

enum cell_end { CELL_END_DONE, CELL_END_FAILED, CELL_END_CRASHED, CELL_END_LIMIT, CELL_END_KILLED, CELL_ENDS };

extern struct counter_set convert_cells_started;
extern struct counter_set convert_cells_ended;       /* by enum cell_end */
extern struct counter_set convert_demangle_asked, convert_demangle_remembered;

extern struct counter_set *const convert_counters[]; /* all of them; ends with NULL */

#endif
