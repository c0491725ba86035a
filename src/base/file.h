/*
 * file -- descriptors, mappings, and files that appear whole or not at all.
 *
 * Everything opens with O_CLOEXEC.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct buf;

struct file_map {
	const uint8_t *bytes;    /* NULL when size is 0 */
	size_t size;
};

/* Read-only, shared; the descriptor may be closed afterwards. */
int  file_map_fd(struct file_map *map, int fd, struct err *err) __attribute__((warn_unused_result));
int  file_map_path(struct file_map *map, const char *path, struct err *err)
	__attribute__((warn_unused_result));
void file_unmap(struct file_map *map);

/* The whole file appended, at most `max` bytes (ERR_TOO_LARGE beyond). */
int  file_read_all(const char *path, size_t max, struct buf *out, struct err *err)
	__attribute__((warn_unused_result));
int  file_write_all(int fd, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* mkdir -p with that mode for what is made. */
int  file_make_folders(const char *path, unsigned mode, struct err *err)
	__attribute__((warn_unused_result));

/* A new file FOLDER/tmp-<random>, mode 0600, open read-write; path_out gets its name. */
int  file_temporary(const char *folder, char *path_out, size_t capacity, int *fd, struct err *err)
	__attribute__((warn_unused_result));
/* Has anybody, in whatever process, that temporary file still open?  True when it cannot be told. */
bool file_is_held(int folder, const char *name);

/* The name the kernel knows an open file by; false where it has none below "/". */
bool file_name_of(int fd, char *name, size_t capacity);

/* fsync, mode, rename into place, making the parent folders (up to 3 tries: somebody may
 * be removing them).  The descriptor stays open. */
int  file_publish(int fd, const char *temporary, const char *path, unsigned mode, struct err *err)
	__attribute__((warn_unused_result));

/* The file `path`, whole or not at all: `fill` writes it as a temporary file in `folder`, NULL: in that of `path`. */
typedef int file_fill_fn(int fd, void *payload, struct err *err);
int  file_make(const char *folder, const char *path, unsigned mode, file_fill_fn *fill, void *payload,
	       struct err *err) __attribute__((warn_unused_result));
/* The same with these bytes. */
int  file_put(const char *folder, const char *path, const void *bytes, size_t size, unsigned mode, struct err *err)
	__attribute__((warn_unused_result));

/* Descriptors 0, 1 and 2 are open (to /dev/null if need be). */
int  file_fill_standard_descriptors(struct err *err) __attribute__((warn_unused_result));

#endif
