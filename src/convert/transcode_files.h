/* transcode_files -- the folder a transcoder works in, and what it wrote there.  Private to this component. */
#ifndef CONVERT_TRANSCODE_FILES_H
#define CONVERT_TRANSCODE_FILES_H

#include "base/text.h"

struct err;

#define TRANSCODE_PATH_BYTES 1024u

/*
 * FOLDER/<random>, with `pdb`, `out` and `tmp` in it.  It is held as long as this process or what it
 * forked has the descriptor; those that nobody holds any more are removed.
 */
struct transcode_scratch { char path[TRANSCODE_PATH_BYTES]; int fd; };
int  transcode_scratch_make(struct transcode_scratch *scratch, const char *folder, struct err *err)
	__attribute__((warn_unused_result));
void transcode_scratch_remove(struct transcode_scratch *scratch);

/* All of a file to a new one, or to an open one (`path` NULL). */
int transcode_copy(int from, const char *path, int to, struct err *err) __attribute__((warn_unused_result));

/* The file below `folder` whose name ends with "-v<version>.symcache", in any case, opened for reading.  ERR_CRASHED
 * says what is wrong: there is none, or it is empty. */
int transcode_find(const char *folder, const char *version, int *fd, struct err *err)
	__attribute__((warn_unused_result));

#endif
