/*
 * srcsrv -- the source server stream: which version control system the sources are in, and
 * where each can be fetched.
 *
 * A text like an .ini file: variables ("NAME=value"), then a line for each source with its path
 * and fields between stars.  SRCSRVTRG says, in variables and fields, where the file is put;
 * only where that is an URL is it of use to us.
 *
 * Private to object/pdb.
 *
 * May include: base.
 */
#ifndef OBJECT_PDB_SRCSRV_H
#define OBJECT_PDB_SRCSRV_H

#include "base/buf.h"
#include "base/reader.h"

struct arena;
struct err;

struct srcsrv_variable {
	struct text name, value;
};

struct srcsrv_file {
	struct text line;            /* path, '*', field, '*', field, ... */
	struct text path;
};

struct srcsrv {
	struct srcsrv_variable *variables;
	struct srcsrv_file *files;   /* by path, ignoring case */
	size_t variable_count, file_count;
};

/* "git", "perforce", "other", or TEXT_NONE when it does not say. */
struct text srcsrv_vcs(struct reader stream);

/* The texts stay the stream's. */
int srcsrv_open(struct srcsrv *srcsrv, struct reader stream, struct arena *arena,
		struct err *err) __attribute__((warn_unused_result));
/* Where the source of that path is, in place of what `url` held; empty: not known, or no URL. */
int srcsrv_url(const struct srcsrv *srcsrv, struct text path, struct buf *url, struct err *err)
	__attribute__((warn_unused_result));

#endif
