/*
 * cli_names -- the readable forms of all names one run of `symgate lookup` meets.
 *
 * Each name is asked of the demangling cell once; names borrow the mapped SymCache.
 */
#ifndef CLI_CLI_NAMES_H
#define CLI_CLI_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

struct convert_name;
struct demangler;
struct err;
struct nursery;

struct names {
	struct demangler *demangler; /* NULL: every name stands for itself */
	struct arena arena;
	struct map known[LANGUAGES]; /* name -> struct text: its readable form */
	struct convert_name *asked;  /* met, not answered yet */
	size_t asked_count, asked_capacity;
};

/* nursery NULL: no demangling. */
int  names_open(struct names *names, struct nursery *nursery, struct err *err)
	__attribute__((warn_unused_result));
void names_close(struct names *names);
/* Notes that this name will be wanted. */
int  names_meet(struct names *names, struct text name, uint32_t language, struct err *err)
	__attribute__((warn_unused_result));
/* Asks for all that were met since. */
int  names_ask(struct names *names, struct err *err) __attribute__((warn_unused_result));
struct text names_readable(const struct names *names, struct text name, uint32_t language);

#endif
