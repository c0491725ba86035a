/* print.c -- the table of keys as a YAML file with every default, for people. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "config/config.h"
#include "config/keys.h"

/* Opens the sections of `name` that `before` did not stand in; returns its depth. */
static unsigned open_sections(struct buf *out, const char *name, const char *before)
{
	unsigned depth = 0;
	size_t at = 0;
	bool same = true;

	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t end = (size_t)(dot - name);

		same = same && strncmp(name, before, end + 1) == 0;
		if (!same)
			buf_printf(out, "%*s%.*s:\n", (int)(depth * 2), "", (int)(end - at), name + at);
		at = end + 1;
		depth++;
	}
	return depth;
}

/* Each line of it as a comment. */
static void add_about(struct buf *out, unsigned depth, const char *about)
{
	while (*about) {
		size_t size = strcspn(about, "\n");

		buf_printf(out, "%*s# %.*s\n", (int)(depth * 2), "", (int)size, about);
		about += size + (about[size] == '\n');
	}
}

int config_print(const struct config *config, struct buf *out, struct err *err)
{
	const char *before = "";

	buf_printf(out, "# Every key symgate reads, with its default. Durations: 90s, 15m, 1h 30m, 7d.\n"
			"# Sizes: bytes, or 10GB, 4GiB. ${NAME} as a whole value is taken from the\n"
			"# environment.\n");
	for (size_t i = 0; i < config_key_count; i++) {
		const struct key *key = &config_keys[i];
		const char *last = strrchr(key->name, '.');
		unsigned depth;

		if (key->type == KEY_WITHOUT_MEANING)
			continue;
		if (!strchr(key->name, '.') || strncmp(key->name, before, strcspn(key->name, ".") + 1) != 0)
			buf_add_char(out, '\n');
		depth = open_sections(out, key->name, before);
		if (key->about)
			add_about(out, depth, key->about);
		if (key->type == KEY_CACHE_DIR)
			buf_printf(out, "%s: %s\n", key->name,
				   config->cache_is_of_boot ? "null" : config->cache_dir);
		else
			buf_printf(out, "%*s%s: %s\n", (int)(depth * 2), "", last ? last + 1 : key->name,
				   key->preset);
		before = key->name;
	}
	return buf_check(out, err);
}
