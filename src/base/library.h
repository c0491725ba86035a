/*
 * library -- a shared library that is loaded when it is first needed: one that few runs need,
 * or that brings many others, should cost nobody else its linking.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stddef.h>

struct err;

struct library_call {
	const char *name;            /* of a function */
	void *pointer;               /* out: a pointer to a pointer to one of its type */
};

/* Stays loaded for as long as the process lives. */
int library_load(const char *file, const struct library_call *calls, size_t count, struct err *err)
	__attribute__((warn_unused_result));

#endif
