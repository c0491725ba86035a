/* cli_names.c -- see names.h. */
#include "cli/cli_names.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "convert/demangler.h"

#define ARENA_BYTES ((size_t)2 << 30)
#define ASK_NAMES 1000u                  /* of one message, so that the cell answers in time */
#define ASK_BYTES ((size_t)1024 * 1024)

int names_open(struct names *names, struct nursery *nursery, struct err *err)
{
	memset(names, 0, sizeof(*names));
	arena_init(&names->arena, ARENA_BYTES);
	for (size_t i = 0; i < LANGUAGES; i++)
		map_init(&names->known[i]);
	return nursery ? demangler_open(&names->demangler, nursery, NULL, err) : 0;
}

void names_close(struct names *names)
{
	if (names->demangler)
		demangler_close(names->demangler);
	for (size_t i = 0; i < LANGUAGES; i++)
		map_release(&names->known[i]);
	mem_give_back(names->asked);
	arena_release(&names->arena);
}

static size_t slot_of(uint32_t language)
{
	return language < LANGUAGES ? language : LANGUAGE_UNKNOWN;
}

int names_meet(struct names *names, struct text name, uint32_t language, struct err *err)
{
	struct map *known = &names->known[slot_of(language)];
	struct text *readable;

	if (!names->demangler || name.size == 0 || map_get(known, name))
		return 0;
	readable = arena_alloc(&names->arena, 1, sizeof(*readable));
	if (!readable ||
	    vec_reserve(&names->asked, &names->asked_capacity, names->asked_count + 1,
		     sizeof(*names->asked)) < 0 ||
	    map_put(known, name, readable) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for the names");
	*readable = name;
	names->asked[names->asked_count++] =
		(struct convert_name){ .name = name, .language = (enum language)slot_of(language) };
	return 0;
}

/* How many of the names from `first` on go into one message. */
static size_t portion(const struct names *names, size_t first)
{
	size_t count = 0, bytes = 0;

	while (first + count < names->asked_count && count < ASK_NAMES && bytes < ASK_BYTES)
		bytes += names->asked[first + count++].name.size;
	return count;
}

int names_ask(struct names *names, struct err *err)
{
	for (size_t first = 0, count; first < names->asked_count; first += count) {
		count = portion(names, first);
		if (demangler_ask(names->demangler, names->asked + first, count, &names->arena,
				  err) < 0)
			return -1;
	}
	for (size_t i = 0; i < names->asked_count; i++) {
		const struct convert_name *name = &names->asked[i];
		struct text *readable = map_get(&names->known[name->language], name->name);

		if (readable && name->readable.bytes)
			*readable = name->readable;
	}
	names->asked_count = 0;
	return 0;
}

struct text names_readable(const struct names *names, struct text name, uint32_t language)
{
	const struct text *readable = map_get(&names->known[slot_of(language)], name);

	return readable ? *readable : name;
}
