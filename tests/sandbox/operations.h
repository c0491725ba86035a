/* operations -- what the cells of these tests do, good and evil. */
#ifndef TESTS_SANDBOX_OPERATIONS_H
#define TESTS_SANDBOX_OPERATIONS_H

#include "sandbox/sandbox.h"

extern const struct cell_operation operations[];
extern const size_t operation_count;

#endif
