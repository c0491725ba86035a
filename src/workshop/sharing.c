/*
 * sharing.c -- keys asked of the shared cache before they are made, and told to it afterwards.
 *
 * What it says is judged as what was made here would be:
 *
 *	objects, maps of symbols    as downloads are: a cell opens them before they are kept
 *	SymCaches and the like      opened by their readers, which check every index they follow
 *	object_meta, UUID maps      parsed
 *	indexes of symbol stores    no more than their size: nobody believes a line of them
 *
 * What does not hold is refused, and the key made as if nothing had been there.
 */
#include "workshop/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/config.h"
#include "ppdbcache/ppdbcache.h"
#include "shared/shared.h"
#include "source/put.h"
#include "sourcecache/sourcecache.h"
#include "symcache/symcache.h"

#define SMALL_BYTES ((size_t)1 << 20)     /* of what stands in a row */
#define META_ARENA_BYTES ((size_t)32 * 1024 * 1024)

/* The configuration was looked at when the service started; a key file that is gone since is no
 * reason not to work. */
void sharing_open(struct shop *shop, bool uploads)
{
	struct err err = ERR_INIT;
	const struct shared_means means = {
		.config = shop->config, .board = shop->board, .fetcher = shop->fetcher,
		.cache = shop->cache, .store = shop->store, .uploads = uploads,
	};

	if (shared_open(&shop->shared, &means, &err) < 0)
		log_message(LOG_ERROR, "shared_cache", NULL, "it is not used: %s", err.text);
}

/* --- What may be shared --------------------------------------------------------------------- */

static bool is_small(const struct derive *derive)
{
	return derive->kind->payload != NULL;
}

static bool may_share_key(const struct derive *derive)
{
	return derive->kind->may_share && derive->kind->may_share(derive);
}

static bool may_share_object(const struct derive *derive)
{
	return derive->kind->keeps_object &&
	       !source_is_local(derive->location->source) &&
	       source_may_share_files(derive->location->source);
}

static bool is_of_object(const struct task *task, const struct cache_key *key)
{
	return key == &task->derive->object_key || !task->derive->kind->keeps_object;
}

void sharing_made(struct task *task, const struct cache_key *key, int fd)
{
	struct stat st;

	if (is_of_object(task, key) && task->object_is_shared) {
		shared_praise(task->shop->shared,
			      fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0);
		task->object_is_shared = false;
	} else if (key == &task->derive->object_key ? may_share_object(task->derive)
						    : may_share_key(task->derive)) {
		shared_offer(task->shop->shared, key, SHARED_NEW);
	}
}

/* --- Asking --------------------------------------------------------------------------------- */

static uint64_t most_bytes(const struct task *task)
{
	if (is_small(task->derive))
		return SMALL_BYTES;
	return task->derive->listing ? LIMIT_INDEX_BYTES : task->shop->config->max_download_bytes;
}

/* True: told() will be called. */
static bool ask(struct task *task, const struct cache_key *key, uint64_t max_bytes,
		shared_told_fn *told)
{
	struct shop *shop = task->shop;
	struct err err = ERR_INIT;

	if (cache_temporary(shop->cache, task->out_path, sizeof(task->out_path), &task->out_fd,
			    &err) < 0) {
		log_message(LOG_WARN, "shared_cache", NULL, "%s", err.text);
		return false;
	}
	if (shared_ask(shop->shared, key, task->out_fd, max_bytes, told, task, &task->ask)) {
		task->stage = TASK_FETCHING;
		return true;
	}
	making_drop_out(task);
	return false;
}

void sharing_leave(struct task *task)
{
	shared_ask_cancel(task->ask);
	task->ask = NULL;
}

/* --- Keys ----------------------------------------------------------------------------------- */

static int read_small(const struct task *task, uint64_t size, struct arena *arena,
		      struct text *text, struct err *err)
{
	char *bytes = size <= SMALL_BYTES ? arena_alloc(arena, (size_t)size + 1, 1) : NULL;

	if (!bytes || pread(task->out_fd, bytes, (size_t)size, 0) != (ssize_t)size)
		return err_set(err, bytes ? ERR_IO : ERR_NO_MEMORY, "reading what was shared");
	*text = (struct text){ bytes, (size_t)size };
	return 0;
}

static int check_file(const struct task *task, struct err *err)
{
	const struct derived_kind *kind = task->derive->kind;
	struct file_map map;
	int rc;

	if (file_map_fd(&map, task->out_fd, err) < 0)
		return -1;
	rc = kind->check((struct text){ (const char *)map.bytes, map.size }, err);
	file_unmap(&map);
	return rc;
}

static bool is_about_it(const struct err *err)
{
	return err->kind == ERR_MALFORMED || err->kind == ERR_UNSUPPORTED || err->kind == ERR_LIMIT;
}

static int take_small(struct task *task, uint64_t size, struct err *err)
{
	struct shop *shop = task->shop;
	struct arena arena;
	struct text text;
	int rc;

	arena_init(&arena, META_ARENA_BYTES);
	rc = read_small(task, size, &arena, &text, err);
	if (rc == 0)
		rc = task->derive->kind->check(text, err);
	if (rc == 0)
		rc = cache_publish_small(shop->cache, shop->store, &task->derive->key, text, err);
	arena_release(&arena);
	return rc;
}

static int take_file(struct task *task, struct err *err)
{
	struct shop *shop = task->shop;

	if (task->derive->listing)
		return listing_publish(task, err);
	if (check_file(task, err) < 0 ||
	    cache_publish_file(shop->cache, shop->store, &task->derive->key, task->out_fd,
			       task->out_path, err) < 0)
		return -1;
	task->out_path[0] = '\0';
	return 0;
}

static void use_as_object(struct task *task)
{
	making_take_out(task);
	task->object_is_shared = true;
	making_use_object(task);
}

static void take_key(struct task *task)
{
	struct err err = ERR_INIT;
	struct stat st;
	int rc;

	if (!task->derive->kind->check) {
		use_as_object(task);
		return;
	}
	rc = fstat(task->out_fd, &st) < 0 ? err_os(&err, errno, "reading what was shared") : 0;
	if (rc == 0)
		rc = is_small(task->derive) ? take_small(task, (uint64_t)st.st_size, &err)
					    : take_file(task, &err);
	if (rc == 0) {
		shared_praise(task->shop->shared, (uint64_t)st.st_size);
		task_end(task, NULL);
	} else if (is_about_it(&err)) {
		shared_refuse(task->shop->shared, &task->derive->key, &err);
		making_drop_out(task);
		making_begin(task);
	} else {
		task_end(task, &err);
	}
}

static void key_told(void *payload, bool is_hit)
{
	struct task *task = payload;

	task->ask = NULL;
	if (is_hit) {
		take_key(task);
		return;
	}
	making_drop_out(task);
	making_begin(task);
}

void sharing_begin(struct task *task)
{
	if (!task->shop->shared || !may_share_key(task->derive) ||
	    !ask(task, &task->derive->key, most_bytes(task), key_told))
		making_begin(task);
}

/* --- Objects -------------------------------------------------------------------------------- */

static void object_told(void *payload, bool is_hit)
{
	struct task *task = payload;

	task->ask = NULL;
	if (is_hit) {
		use_as_object(task);
		return;
	}
	making_drop_out(task);
	making_obtain(task);
}

bool sharing_ask_object(struct task *task)
{
	return task->shop->shared && may_share_object(task->derive) &&
	       ask(task, &task->derive->object_key, task->shop->config->max_download_bytes,
		   object_told);
}

bool sharing_refuse_object(struct task *task, const struct err *why)
{
	if (!task->object_is_shared)
		return false;
	shared_refuse(task->shop->shared,
		      task->derive->kind->keeps_object ? &task->derive->object_key
							      : &task->derive->key, why);
	task->object_is_shared = false;
	task->is_copy = false;
	cells_kill(task);
	making_drop_out(task);
	obtain_forget(task);
	making_obtain(task);
	return true;
}
