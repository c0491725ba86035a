/*
 * rambundle -- an indexed RAM bundle, as React Native's packager Metro writes it for iOS: modules that are
 * read one by one when they are needed.
 *
 *	u32 magic 0xFB0BD1E5, u32 modules, u32 bytes of the startup code      (little-endian)
 *	modules times: u32 offset behind this table, u32 bytes; 0 bytes: there is no module of that number
 *	startup code, modules: UTF-8, each with a NUL behind it that its bytes count
 *
 * Everything is untrusted and borrowed; nothing is allocated.  May include: base.
 */
#ifndef JSFILE_RAMBUNDLE_H
#define JSFILE_RAMBUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;

struct rambundle {
	struct text bytes, startup;
	uint32_t module_count;               /* entries of the table, empty ones too */
	size_t code_at;
};

bool rambundle_probe(struct text bytes);
/* ERR_MALFORMED: the table or the startup code end behind the file. */
int  rambundle_open(struct rambundle *bundle, struct text bytes, struct err *err)
	__attribute__((warn_unused_result));
/* The code of module `id` < module_count, without the NUL.  1; 0: there is none of that number; -1. */
int  rambundle_module(const struct rambundle *bundle, uint32_t id, struct text *code, struct err *err)
	__attribute__((warn_unused_result));

#endif
