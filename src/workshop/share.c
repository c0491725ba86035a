/* share.c -- see share.h. */
#include "workshop/share.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "shared/shared.h"
#include "source/put.h"
#include "store/store.h"
#include "workshop/publish.h"

#define ROW_BYTES ((size_t)1 << 20)       /* of what stands in a row */

/* --- Aside ---------------------------------------------------------------------------------- */

struct share_aside {
	struct queued_verb verb;     /* first: it gets back here */
	struct store *store;
	struct shared_aside *aside;
};

static int run_aside(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct share_aside *mine = (struct share_aside *)(void *)verb;

	(void)means;                         /* that thread has no other store */
	return mine->aside->run(mine->aside, mine->store, err);
}

static void aside_told(struct queued_verb *verb)
{
	struct share_aside *mine = (struct share_aside *)(void *)verb;

	mine->aside->told(mine->aside, verb->rc, &verb->err);
	mem_give_back(mine);
}

static int ask_aside(void *payload, struct shared_aside *aside, struct err *err)
{
	struct workshop_means *means = payload;
	struct share_aside *mine = mem_get(sizeof(*mine));

	if (!mine)
		return err_set(err, ERR_NO_MEMORY, "no room for what is done aside");
	*mine = (struct share_aside){
		.verb = { .run = run_aside, .told = aside_told, .whose = means->shared },
		.store = means->aside_store, .aside = aside,
	};
	verb_queue_ask(means->asides, &mine->verb);
	return 0;
}

/* --- Opening -------------------------------------------------------------------------------- */

static int open_shared(struct workshop_means *means, bool uploads, struct err *err)
{
	const struct shared_means of_shared = {
		.config = means->config, .board = means->board, .fetcher = means->fetcher,
		.cache = means->cache, .store = means->store, .uploads = uploads,
		.aside = ask_aside, .aside_payload = means,
	};

	if (shared_open(&means->shared, &of_shared, err) < 0)
		return -1;
	if (!means->shared || !uploads)
		return 0;
	if (store_open(&means->aside_store, means->config, err) < 0)
		return -1;
	store_only_read(means->aside_store);
	return 0;
}

void share_open(struct workshop_means *means, bool uploads)
{
	struct err err = ERR_INIT;

	if (open_shared(means, uploads, &err) == 0)
		return;
	log_message(LOG_ERROR, "shared_cache", NULL, "it is not used: %s", err.text);
	shared_close(means->shared);
	means->shared = NULL;
}

/* --- What may be shared --------------------------------------------------------------------- */

static bool may_share_entry(const struct derive *derive)
{
	return derive->kind->may_share && derive->kind->may_share(derive);
}

static bool may_share_object(const struct derive *derive)
{
	return derive->kind->keeps_object && !source_is_local(derive->location->source) &&
	       source_may_share_files(derive->location->source);
}

bool share_may_ask_entry(const struct workshop_means *means, const struct derive *derive)
{
	return means->shared && may_share_entry(derive);
}

bool share_may_ask_object(const struct workshop_means *means, const struct derive *derive)
{
	return means->shared && may_share_object(derive);
}

void share_made(const struct workshop_means *means, const struct derive *derive,
		const struct cache_key *key, bool was_shared, uint64_t bytes)
{
	if (was_shared)
		shared_praise(means->shared, bytes);
	else if (key == &derive->object_key ? may_share_object(derive) : may_share_entry(derive))
		shared_offer(means->shared, key, SHARED_NEW);
}

void share_refuse(const struct workshop_means *means, const struct derive *derive, const struct err *why)
{
	shared_refuse(means->shared, derive->kind->keeps_object ? &derive->object_key : &derive->key, why);
}

/* --- Asking --------------------------------------------------------------------------------- */

uint64_t share_bytes_max(const struct workshop_means *means, const struct derive *derive)
{
	const struct derived_kind *kind = derive->kind;

	if (kind->payload)
		return ROW_BYTES;
	return kind->input_bytes_max && kind->from == DERIVED_FROM_SEGMENTS
	       ? kind->input_bytes_max(means->config) : means->config->max_download_bytes;
}

static void told(void *payload, bool is_hit)
{
	struct sharing *sharing = payload;

	sharing->ask = NULL;
	if (!is_hit)
		temporary_drop(&sharing->file);
	sharing->told(sharing, is_hit);
}

bool share_ask(struct sharing *sharing, const struct cache_key *key, uint64_t bytes_max)
{
	struct err err = ERR_INIT;

	temporary_drop(&sharing->file);
	if (temporary_make(&sharing->file, sharing->means, &err) < 0) {
		log_message(LOG_WARN, "shared_cache", NULL, "%s", err.text);
		return false;
	}
	if (shared_ask(sharing->means->shared, key, sharing->file.fd, bytes_max, told, sharing,
		       &sharing->ask))
		return true;
	temporary_drop(&sharing->file);
	return false;
}

void share_stop(struct sharing *sharing)
{
	shared_ask_cancel(sharing->ask);
	sharing->ask = NULL;
	temporary_drop(&sharing->file);
}

/* --- Taking --------------------------------------------------------------------------------- */

static int check_file(const struct derived_kind *kind, int fd, struct err *err)
{
	struct file_map map;
	int rc;

	if (file_map_fd(&map, fd, err) < 0)
		return -1;
	rc = kind->check((struct text){ (const char *)map.bytes, map.size }, err);
	file_unmap(&map);
	return rc;
}

int share_publish(struct sharing *sharing, const struct verb_means *means, const struct derive *derive,
		  struct err *err)
{
	const struct derived_kind *kind = derive->kind;

	if (kind->payload)
		return publish_row(means, &derive->key, sharing->file.fd, ROW_BYTES, kind->check, err);
	if (check_file(kind, sharing->file.fd, err) < 0)
		return -1;
	return publish_file(means, &derive->key, &sharing->file, kind->row_bytes_max, err);
}

static bool is_about_it(const struct err *err)
{
	return err->kind == ERR_MALFORMED || err->kind == ERR_UNSUPPORTED || err->kind == ERR_LIMIT;
}

int share_settle(struct sharing *sharing, const struct derive *derive, const struct err *failure)
{
	struct shared *shared = sharing->means->shared;
	int rc = !failure ? 1 : is_about_it(failure) ? 0 : -1;
	struct stat st;

	if (rc > 0)
		shared_praise(shared, fstat(sharing->file.fd, &st) == 0 ? (uint64_t)st.st_size : 0);
	else if (rc == 0)
		shared_refuse(shared, &derive->key, failure);
	temporary_drop(&sharing->file);
	return rc;
}
