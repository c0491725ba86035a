/*
 * js_turns.c -- the files of all modules, side by side, with the outcome of one after the other.
 *
 * What is known of a bundle or an artifact answers for all that follow, so the order counts.  The first
 * that has to wait has its turn; those behind it go ahead with what is known so far:
 *
 * 1. One that is ahead adds nothing to what is known: where it would, it waits for its turn.
 *    A bundle of its own, by its debug id, it has fetched meanwhile.
 * 2. Whatever becomes known by the one whose turn it is makes all that are ahead begin again; what they
 *    have fetched is in the cache.
 */
#include "kinds/js/js.h"

#include "base/arena.h"

#define AHEAD_MOST 32u   /* each step of the request asks for them all again */

/* --- Beginning again -------------------------------------------------------------------------- */

static void leave_open(struct js *js, const struct held *held)
{
	struct held **at = &js->open;

	while (*at && *at != held)
		at = &(*at)->next;
	if (*at)
		*at = held->next;
}

static void forget_file(struct js *js, struct js_file *file)
{
	if (file->attempted)
		leave_open(js, &file->attempted->held);
	js_file_release(file);
	*file = (struct js_file){ .key = file->key };
}

static void forget_module(struct js *js, struct js_module *module)
{
	struct js_file minified;

	leave_open(js, &module->cache);
	held_release(&module->cache);
	forget_file(js, &module->map);
	forget_file(js, &module->minified);
	minified = module->minified;
	*module = (struct js_module){ .next = module->next, .abs_path = module->abs_path,
				      .minified = minified };
}

static void begin_again(struct js *js)
{
	for (struct js_module *module = js->modules; module; module = module->next)
		if (module->is_ahead)
			forget_module(js, module);
	for (struct js_need *need = js->needs; need; need = need->next) {
		if (need->is_ahead)
			forget_file(js, &need->file);
		need->is_ahead = false;
	}
	js->has_news = false;
}

/* --- Turns ------------------------------------------------------------------------------------ */

struct turns { struct js *js; struct resolver *resolver; struct err *err; unsigned waiting; };

/* False: that is all for this step. */
static bool goes_on(struct turns *turns, enum resolved one, enum resolved *all)
{
	if (turns->js->has_news)
		begin_again(turns->js);
	if (one == RESOLVED_READY)
		return true;
	*all = one;
	return one == RESOLVED_WAIT && !turns->resolver->stops_at_wait && ++turns->waiting < AHEAD_MOST;
}

enum resolved js_turns_of_modules(struct js *js, struct resolver *resolver, struct err *err)
{
	struct turns turns = { js, resolver, err, 0 };
	enum resolved all = RESOLVED_READY, one;

	for (struct js_module *module = js->modules; module; module = module->next) {
		js->is_ahead = module->is_ahead = turns.waiting > 0;
		one = js_module_resolve(js, module, resolver, err);
		if (!goes_on(&turns, one, &all))
			break;
	}
	js->is_ahead = false;
	return all;
}

enum resolved js_turns_of_needs(struct js *js, struct resolver *resolver, struct err *err)
{
	struct turns turns = { js, resolver, err, 0 };
	enum resolved all = RESOLVED_READY, one;

	for (struct js_need *need = js->needs; need; need = need->next) {
		js->is_ahead = need->is_ahead = turns.waiting > 0;
		one = js_file_resolve(js, &need->file, resolver, err);
		if (!goes_on(&turns, one, &all))
			break;
	}
	js->is_ahead = false;
	return all;
}

/* --- All that were looked for ----------------------------------------------------------------- */

struct js_files js_files_of(const struct js *js)
{
	return (struct js_files){ js->modules, js->needs, false };
}

static const struct js_file *next_of_modules(struct js_files *files)
{
	const struct js_module *module = files->module;
	bool has_map = module->has_map_key && !module->is_inside && !module->is_without_map;
	bool is_map = files->is_map;

	files->is_map = !is_map && has_map;
	if (!files->is_map)
		files->module = module->next;
	return is_map ? &module->map : &module->minified;
}

const struct js_file *js_files_next(struct js_files *files)
{
	const struct js_need *need = files->need;

	if (files->module)
		return next_of_modules(files);
	files->need = need ? need->next : NULL;
	return need ? &need->file : NULL;
}
