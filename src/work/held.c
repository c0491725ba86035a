/* held.c -- see held.h. */
#include "work/held.h"

#include "base/arena.h"
#include "base/guard.h"

#define CHANGED_TRIES 8u             /* within one step of a request */

void held_release(struct held *held)
{
	cache_found_release(&held->found);
	held->found = (struct cache_found){ .state = CACHE_ABSENT };
}

void held_invalidate(struct held *held, struct resolver *resolver, const char *why)
{
	resolver->invalidate(resolver, &held->derive, &held->found, why);
	held_release(held);
	held->is_settled = false;
}

static int invalidate_changed(struct held *held, struct resolver *resolver, struct err *err)
{
	held_invalidate(held, resolver, "the file changed while it was read");
	if (held->changed++ < CHANGED_TRIES)
		return 0;
	held->changed = 0;
	return err_set(err, ERR_IO, "the file of %s in the cache is changed by somebody, or cannot "
		       "be read, again and again", cache_kind_name(held->derive.key.kind));
}

/* --- Opening ------------------------------------------------------------------------------ */

struct opening {
	const struct held_opening *how;
	const struct held *held;
	struct err damage;
};

static int open_guarded(void *payload)
{
	struct opening *opening = payload;

	return opening->how->open(opening->how->payload, opening->held->found.payload,
				  &opening->damage);
}

static int fail(struct held *held, enum err_kind failure, struct text details,
		struct arena *arena, struct err *err)
{
	char *copy = arena_strndup(arena, details.bytes ? details.bytes : "", details.size);

	held_release(held);
	if (!copy)
		return err_no_memory(err);
	held->failure = failure;
	held->details = (struct text){ copy, details.size };
	held->is_settled = true;
	return 0;
}

static int give_up(struct held *held, const struct opening *opening, struct resolver *resolver,
		   struct err *err)
{
	const struct err *damage = &opening->damage;

	if (damage->kind == ERR_NO_MEMORY) {
		held_release(held);
		return err_no_memory(err);
	}
	if (opening->how->is_kept_senseless || held->senseless++ == HELD_SENSELESS_TRIES)
		return fail(held, ERR_MALFORMED, text_of(damage->text), opening->how->arena, err);
	held_invalidate(held, resolver, damage->text);
	return 0;
}

/* With an answer from the resolver. */
static int settle(struct held *held, const struct held_opening *how, struct resolver *resolver,
		  struct err *err)
{
	struct opening opening = { .how = how, .held = held, .damage = ERR_INIT };
	int cut_short, rc;

	if (held->found.state != CACHE_READY)
		return fail(held, held->found.failure, held->found.details, how->arena, err);
	rc = guard_run(open_guarded, &opening, &cut_short);
	/* What is going to be read is looked at after that, once for both. */
	if (cut_short || ((rc < 0 || !how->list) && !cache_found_is_unchanged(&held->found)))
		return invalidate_changed(held, resolver, err);
	if (rc < 0)
		return give_up(held, &opening, resolver, err);
	held->is_settled = true;
	held->failure = ERR_NONE;
	if (how->list) {
		held->next = *how->list;
		*how->list = held;
	} else {
		held_release(held);
	}
	return 0;
}

enum resolved held_resolve(struct held *held, const struct held_opening *opening,
			   struct resolver *resolver, struct err *err)
{
	while (!held->is_settled) {
		enum resolved resolved;

		held->found = (struct cache_found){ .state = CACHE_ABSENT };
		resolved = resolver->entry(resolver, &held->derive, &held->found, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (settle(held, opening, resolver, err) < 0)
			return RESOLVED_ERROR;
	}
	return RESOLVED_READY;
}

/* --- Reading ------------------------------------------------------------------------------ */

typedef bool holds_fn(const struct cache_found *found);

/* Those that do not hold leave the list: how many, or -1. */
static int drop_changed(struct held **list, holds_fn *holds, struct resolver *resolver,
			struct err *err)
{
	int dropped = 0;
	int rc = 0;

	while (*list) {
		struct held *held = *list;

		if (holds(&held->found)) {
			list = &held->next;
			continue;
		}
		*list = held->next;
		dropped = 1;
		if (invalidate_changed(held, resolver, err) < 0)
			rc = -1;
	}
	return rc < 0 ? -1 : dropped;
}

enum resolved held_read(struct held **list, int (*read)(void *payload), void *payload,
			struct resolver *resolver, struct err *err)
{
	int cut_short;
	int rc = guard_run(read, payload, &cut_short);
	struct err failure = ERR_INIT;
	int dropped = drop_changed(list, cache_found_is_unchanged, resolver, &failure);

	/* A page that cannot be read, of a file nobody touched: which one it is, only reading
	 * them all tells. */
	if (cut_short && dropped == 0)
		dropped = drop_changed(list, cache_found_is_whole, resolver, &failure);
	if (cut_short && dropped == 0)
		dropped = err_set(&failure, ERR_IO, "a file of the cache could not be read");
	if (dropped < 0) {
		*err = failure;
		return RESOLVED_ERROR;
	}
	if (dropped > 0) {
		err_clear(err);
		return RESOLVED_WAIT;
	}
	return rc == 0 ? RESOLVED_READY : RESOLVED_ERROR;
}
