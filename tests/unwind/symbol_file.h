/*
 * symbol_file.h -- a Breakpad symbol file as rust-minidump takes it: its STACK records as CFI, its
 * functions for the questions a walk has.
 */
#ifndef TESTS_UNWIND_SYMBOL_FILE_H
#define TESTS_UNWIND_SYMBOL_FILE_H

#include "base/buf.h"
#include "base/file.h"
#include "cfi/cfi.h"

struct symbol_function {
	uint64_t start, size;        /* size 0: a PUBLIC record */
	uint32_t parameter_bytes;
};

struct symbol_list {
	struct symbol_function *items;       /* by address */
	size_t count;
};

struct symbol_file {
	struct file_map map;
	struct buf text;
	struct cfi cfi;
	struct symbol_list functions, publics;
};

void symbol_file_open(struct symbol_file *file, const char *path);
void symbol_file_close(struct symbol_file *file);
/* NULL: nothing has that address. */
const struct symbol_function *symbol_file_at(const struct symbol_file *file, uint64_t address);

#endif
