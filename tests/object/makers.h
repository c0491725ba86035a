/*
 * makers -- small Portable PDBs and source bundles, made by hand.
 */
#ifndef OBJECT_MAKERS_H
#define OBJECT_MAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A Portable PDB:
 *	documents  1 C:\src\a.cs (C#), inside as it is: "class A {\r\n}\r\n"
 *	           2 /src/b.fs (F#), inside deflated: "let b = 1\n"
 *	           3 C:\src\c.vb (Visual Basic), linked
 *	methods    1 in document 1: 0 line 10, 5 hidden, 9 line 12
 *	           2 nothing
 *	           3 in documents 2 and 1: 0 line 7, 4 line 30; the state machine of 2
 *	links      what begins with C:\src\ is below https://example.org/raw
 * id 00112233-4455-6677-8899-aabbccddeeff-12345678
 */
struct ppdb_maker {
	const char *links;           /* NULL: as above; "": none */
	const char *extra_stream;    /* its name; NULL: none */
	const char *bad_method;      /* hex of method 1's blob; NULL: as above */
	bool no_sources;
	bool wide;                   /* heaps with wide indexes */
};
void make_ppdb(const struct ppdb_maker *maker, struct buf *out);

/* A program for x86-64 of one section, with the Portable PDB inside; `size_lie` is added to the
 * size it says. */
void make_pe_around(const struct buf *ppdb, int size_lie, struct buf *out);

struct bundle_file {
	const char *zip_path, *path, *url;
	const char *contents;        /* NULL: not in the archive */
	size_t size;                 /* of contents; 0: their length */
};
struct bundle_maker {
	const struct bundle_file *files;
	size_t count;
	const char *manifest;        /* NULL: made from the files */
	const char *attributes;      /* "\"arch\":\"x86_64\"": into the manifest; NULL: none */
	bool stored;                 /* not deflated */
	bool offsets_count_header;   /* offsets from the start of the file, not of the archive */
	bool zip64;
	bool bad_extra;              /* entries with an extra field longer than all of them */
	int size_lie;                /* added to the sizes the directory says */
};
void make_bundle(const struct bundle_maker *maker, struct buf *out);

#endif
