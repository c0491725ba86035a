/*
 * maps -- the files of this machine that are no objects but help to read one.
 *
 *	BCSymbolMap   ORIGINAL.bcsymbolmap, where ORIGINAL is the UUID a dSYM's property list
 *	              (Contents/Resources/UUID.plist) leads to, or the object's own; looked for as
 *	              Xcode lays out an archive: in BCSymbolMaps beside the dSYM or beside its
 *	              folder, beside the dSYM itself, and in the debug folders.
 *	line map      what --il2cpp-map names, or the file `il2cpp` beside an object that lies in a
 *	              folder of the unified layout.
 *
 * Both are unpacked, and read as far as is needed, in cells of their own.
 */
#ifndef CLI_MAPS_H
#define CLI_MAPS_H

struct err;
struct subject;

struct maps {
	const char *line_map;        /* --il2cpp-map; NULL: not given */
	int names_fd, lines_fd;      /* -1: there is none */
};

void maps_init(struct maps *maps);
void maps_release(struct maps *maps);

/* Finds what the described object may want.  An error is the one of --il2cpp-map; whatever else
 * cannot be had is told on standard error. */
int  maps_open(struct maps *maps, const struct subject *subject, struct err *err)
	__attribute__((warn_unused_result));

/* What a cell asks for by its role: a descriptor of the caller's own, or -1. */
int  maps_find(const struct maps *maps, const char *role);

#endif
