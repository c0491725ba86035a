/*
 * wpa_choice.c -- which file, if any: the highest version that the client can read, of what is there and what
 * can be made (doc/api/symcache.md has the rules).
 *
 *  1. A client of version A.b.c reads every version whose major is A or less.
 *  2. What is there is sent before anything is made, if it is newer than what the client has.
 *  3. Nothing is made that is not.
 */
#include "kinds/wpa/wpa.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"

/* --- What is there ----------------------------------------------------------------------------------- */

static bool is_better(const struct wpa *wpa, const struct semver *version)
{
	return !wpa->best.is_set || semver_compare(version, &wpa->best.version) > 0;
}

static int take_folder(struct wpa *wpa, const char *folder, struct work *work, struct err *err)
{
	struct wpa_folder_found found;

	wpa_folder_look(folder, &wpa->path, clock_unix_seconds(), &found);
	for (size_t i = 0; i < found.negative_count; i++)
		wpa->negatives[wpa->negative_count++] = found.negatives[i];
	if (!found.is_file || !is_better(wpa, &found.version))
		return 0;
	wpa->best = (struct wpa_best){
		.is_set = true, .version = found.version, .folder = folder,
		.path = arena_strdup(&work->arena, found.path),
	};
	return wpa->best.path ? 0 : err_no_memory(err);
}

static int look_into_folders(struct wpa *wpa, struct work *work, struct err *err)
{
	const char *folders[WPA_FOLDERS];
	int count = wpa->has_looked ? 0 : wpa_folders(work, folders, err);

	wpa->has_looked = true;
	for (int i = 0; i < count; i++)
		if (take_folder(wpa, folders[i], work, err) < 0)
			return -1;
	return count < 0 ? -1 : 0;
}

/* Of a resolver that starts nothing by being asked. */
static int look_into_cache(struct wpa *wpa, const struct semver *version, struct work *work,
			   struct resolver *resolver, bool *has_failed, struct err *err)
{
	struct derive derive = { .kind = &derived_wpa, .version = version };
	struct cache_found found = { .state = CACHE_ABSENT };
	enum resolved resolved;

	*has_failed = false;
	if (wpa_make_key(wpa, work, version, &derive.key, err) < 0)
		return -1;
	resolved = resolver->entry(resolver, &derive, &found, err);
	if (resolved == RESOLVED_READY && found.state == CACHE_READY && is_better(wpa, version))
		wpa->best = (struct wpa_best){
			.is_set = true, .version = *version, .is_entry = true, .key = derive.key,
		};
	*has_failed = resolved == RESOLVED_READY && found.state == CACHE_FAILED;
	cache_found_release(&found);
	return resolved == RESOLVED_ERROR ? -1 : 0;
}

static int look_at_make(struct wpa *wpa, struct wpa_make *make, struct work *work,
			struct resolver *resolver, struct err *err)
{
	const struct config_transcoder *transcoder = make->transcoder;
	bool has_failed;

	if (look_into_cache(wpa, &transcoder->version, work, resolver, &has_failed, err) < 0)
		return -1;
	if (has_failed) {
		make->held.is_settled = true;
		make->held.failure = ERR_CRASHED;
	}
	for (size_t i = 0; i < transcoder->earlier_count; i++)
		if (look_into_cache(wpa, &transcoder->earlier[i], work, resolver, &has_failed, err) < 0)
			return -1;
	return 0;
}

static int look(struct wpa *wpa, struct work *work, struct resolver *resolver, struct err *err)
{
	if (look_into_folders(wpa, work, err) < 0)
		return -1;
	for (size_t i = 0; resolver->stops_at_wait && i < wpa->make_count; i++)
		if (look_at_make(wpa, &wpa->makes[i], work, resolver, err) < 0)
			return -1;
	return 0;
}

/* --- What can be made -------------------------------------------------------------------------------- */

static bool exceeds(const struct wpa *wpa, const struct semver *version)
{
	return !wpa->has_exceeds || semver_compare(version, &wpa->exceeds) > 0;
}

/* Somebody else who keeps a folder has found that there is none. */
static bool is_negative(const struct wpa *wpa, const struct wpa_make *make)
{
	for (size_t i = 0; i < wpa->negative_count; i++)
		if (semver_compare(&wpa->negatives[i], &make->transcoder->version) == 0 ||
		    semver_compare(&wpa->negatives[i], &wpa->path.version) == 0)
			return true;
	return false;
}

static void take_made(struct wpa *wpa, const struct wpa_make *make)
{
	wpa->best = (struct wpa_best){
		.is_set = true, .version = make->transcoder->version, .is_entry = true,
		.key = make->held.derive.key,
	};
	wpa->outcome = WPA_FILE;
}

/* READY: it is made, or nothing that the client lacks can be. */
static enum resolved make_better(struct wpa *wpa, struct work *work, struct resolver *resolver,
				 struct err *err)
{
	for (size_t i = 0; i < wpa->make_count; i++) {
		struct wpa_make *make = &wpa->makes[i];
		enum resolved resolved;

		if (!exceeds(wpa, &make->transcoder->version) || is_negative(wpa, make))
			continue;
		resolved = wpa_make(wpa, make, work, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (make->held.failure)
			continue;
		take_made(wpa, make);
		return RESOLVED_READY;
	}
	return RESOLVED_READY;
}

/* It has what we would make, had we the PDB: is it known that nobody has? */
static enum resolved settle_equal(struct wpa *wpa, struct wpa_make *make, struct work *work,
				  struct resolver *resolver, struct err *err)
{
	enum resolved resolved = RESOLVED_WAIT;

	if (resolver->stops_at_wait && !is_negative(wpa, make))
		resolved = wpa_make(wpa, make, work, resolver, err);
	if (resolved == RESOLVED_ERROR)
		return resolved;
	wpa->outcome = is_negative(wpa, make) || (resolved == RESOLVED_READY && make->held.failure)
		       ? WPA_NOT_FOUND : WPA_NOT_MODIFIED;
	return RESOLVED_READY;
}

static struct wpa_make *first_equal(const struct wpa *wpa)
{
	for (size_t i = 0; i < wpa->make_count; i++)
		if (!exceeds(wpa, &wpa->makes[i].transcoder->version))
			return &wpa->makes[i];
	return NULL;
}

enum resolved wpa_choose(struct wpa *wpa, struct work *work, struct resolver *resolver, struct err *err)
{
	enum resolved resolved;
	struct wpa_make *equal;

	if (look(wpa, work, resolver, err) < 0)
		return RESOLVED_ERROR;
	if (wpa->best.is_set && exceeds(wpa, &wpa->best.version)) {
		wpa->outcome = WPA_FILE;
		return RESOLVED_READY;
	}
	resolved = make_better(wpa, work, resolver, err);
	if (resolved != RESOLVED_READY || wpa->outcome != WPA_UNDECIDED)
		return resolved;
	equal = first_equal(wpa);
	if (wpa->best.is_set)
		wpa->outcome = WPA_NOT_MODIFIED;     /* the client has as good a one */
	else if (equal)
		return settle_equal(wpa, equal, work, resolver, err);
	else
		wpa->outcome = WPA_NOT_FOUND;
	return RESOLVED_READY;
}
