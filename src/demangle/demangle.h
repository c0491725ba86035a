/*
 * demangle -- one door: guess the language, ask the right library, bounded.
 *
 * The libraries behind it end the process on some hostile names: call it in a cell only.
 * May include: base.
 */
#ifndef DEMANGLE_DEMANGLE_H
#define DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/text.h"

struct buf;

/* What a name looks like; LANGUAGE_UNKNOWN: like none. */
enum language demangle_guess(struct text name);

/* Appends the readable form (parameters, no return type) and returns true; on false nothing
 * was appended and the name stands for itself.  `language` is the stored one; LANGUAGE_UNKNOWN
 * means guess. */
bool demangle(struct text name, enum language language, struct buf *out);

#endif
