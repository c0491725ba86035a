/* temporary.c -- see temporary.h. */
#include "workshop/temporary.h"

#include <unistd.h>

#include "cache/cache.h"

void temporary_init(struct temporary *file)
{
	file->fd = -1;
	file->path[0] = '\0';
}

int temporary_make(struct temporary *file, const struct workshop_means *means, struct err *err)
{
	return cache_temporary(means->cache, file->path, sizeof(file->path), &file->fd, err);
}

void temporary_drop(struct temporary *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->path[0])
		unlink(file->path);
	temporary_init(file);
}

void temporary_move(struct temporary *to, struct temporary *from)
{
	temporary_drop(to);
	*to = *from;
	temporary_init(from);
}
