/* input.c -- see input.h. */
#include "workshop/input.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/err.h"
#include "cache/cache.h"

void input_init(struct input *input)
{
	*input = (struct input){ .file.fd = -1 };
}

void input_drop(struct input *input)
{
	temporary_drop(&input->file);
	input_init(input);
}

void input_take(struct input *input, struct temporary *file, bool is_shared)
{
	input_drop(input);
	temporary_move(&input->file, file);
	input->is_copy = true;
	input->is_shared = is_shared;
}

static int64_t changed_nanos(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

int input_take_local(struct input *input, struct temporary *file, struct text subject,
		     struct err *err)
{
	struct stat st;

	input_drop(input);
	temporary_move(&input->file, file);
	if (fstat(input->file.fd, &st) < 0)
		return err_os(err, errno, "reading the size of %.*s", (int)subject.size, subject.bytes);
	input->is_local = true;
	input->local_size = st.st_size;
	input->local_changed_nanos = changed_nanos(&st);
	return 0;
}

bool input_has_changed(const struct input *input)
{
	struct stat st;

	if (!input->is_local || input->file.fd < 0)
		return false;
	return fstat(input->file.fd, &st) < 0 || st.st_size != input->local_size ||
	       changed_nanos(&st) != input->local_changed_nanos;
}

int input_open_known(const struct workshop_means *means, const struct cache_key *key, int *fd,
		     struct checksum_seal *seal, struct err *err)
{
	struct cache_found found = { 0 };
	int rc = 0;

	if (cache_find(means->cache, means->store, key, &found, err) < 0)
		return -1;
	if (found.state == CACHE_FAILED) {
		err_set(err, found.failure, "%.*s", (int)found.details.size, found.details.bytes);
		rc = -1;
	} else if (found.state == CACHE_READY) {
		rc = cache_open_blob(means->cache, means->store, key, fd, seal, err) == 0;
		if (!rc && err->kind != ERR_NOT_FOUND)
			rc = -1;
	}
	cache_found_release(&found);
	return rc;
}
