/*
 * look -- opens a file and tells all it says as text, so that tests can search and compare.
 *
 * One line per thing:
 *	object elf x86_64 exe symbols debug unwind
 *	id 3249d99d-... / code 5ab3... / file crash.debug
 *	vcs perforce                     (where the sources of a PDB are; not always there)
 *	want debuglink <id> <name> <crc>
 *	symbol 1000+4 name
 *	function 1000+20 name
 *	line 1004 dir/file.c:12          ("?" when nothing is known from there on)
 *	inline 2 in 1 name called file.c:7 1004+8
 *	holds name value int, list char**       (behind a function or inline, when wanted)
 *	unit error: ...
 *	method 3 of 2                    (the state machine of method 2)
 *	point 9 C:\src\a.cs:12 csharp
 *	source path 14 bytes             ("linked", or why it cannot be had, instead)
 *	pattern C:\src\* https://example.org/...
 */
#ifndef OBJECT_LOOK_H
#define OBJECT_LOOK_H

#include "base/buf.h"
#include "object/object.h"

#define LOOK_TEXT_BYTES ((size_t)64 << 20)

/* Are functions to come with their variables? */
extern bool look_wants_variables;

/* Are units to be taken one by one, where the object gives them?  Did it? */
extern bool look_takes_units, look_was_given_units;

struct look_companion {
	enum object_role role;
	const char *path;            /* NULL: none */
};

/* 0, or -1 with err; `out` is what was learnt until then. */
int look_bytes(const void *bytes, size_t size, const struct look_companion *companions,
	       size_t count, struct buf *out, struct err *err);

/* Kept where leak checkers see it, until the test ends. */
const char *look_keep(const struct buf *out);

/* How many lines begin with this. */
size_t look_count(const char *text, const char *start);

/* The text of a file that must open; aborts the test otherwise.  Until the test ends. */
const char *look_path(const char *path);
const char *look_with(const char *path, enum object_role role, const char *companion);

/* Is there a line that begins with `start` and goes on, after anything, with `rest`? */
bool look_has(const char *text, const char *start, const char *rest);

/* payload-less work for the torments of support.h: everything is read, nothing is kept. */
void look_survive(void *payload, const uint8_t *bytes, size_t size);

struct look_input {
	const uint8_t *bytes;
	size_t size;
	const struct look_companion *companions;
	size_t count;
};
int look_work(void *input, struct err *err);

#endif
