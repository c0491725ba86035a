/* value.c -- see value.h. */
#include "config/value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "config/keys.h"

#define PATH_BYTES 4096u

static int read_bool(const char *text, bool *out, struct err *err)
{
	static const char *const yes[] = { "true", "True", "TRUE", "yes", "on" };
	static const char *const no[] = { "false", "False", "FALSE", "no", "off" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!strcmp(text, yes[i]) || !strcmp(text, no[i])) {
			*out = !strcmp(text, yes[i]);
			return 0;
		}
	}
	return err_set(err, ERR_MALFORMED, "`%s` is neither true nor false", text);
}

/* 4096, 10GB, 4GiB, 512k; units are optional and only for sizes. */
static int read_size(const char *text, bool units, uint64_t *out, struct err *err)
{
	static const struct { const char *unit; uint64_t bytes; } table[] = {
		{ "", 1 }, { "B", 1 }, { "k", 1000 }, { "kB", 1000 }, { "KB", 1000 },
		{ "M", 1000000 }, { "MB", 1000000 }, { "G", 1000000000 }, { "GB", 1000000000 },
		{ "T", 1000000000000 }, { "TB", 1000000000000 }, { "KiB", 1024 },
		{ "MiB", 1048576 }, { "GiB", 1073741824 }, { "TiB", 1099511627776 },
	};
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits + strspn(text + digits, " ");
	uint64_t number;

	if (!text_to_u64((struct text){ text, digits }, 10, &number))
		return err_set(err, ERR_MALFORMED, "`%s` is not a whole number", text);
	for (size_t i = 0; i < (units ? sizeof(table) / sizeof(table[0]) : 1); i++) {
		if (strcmp(table[i].unit, unit) != 0)
			continue;
		if (__builtin_mul_overflow(number, table[i].bytes, out))
			return err_set(err, ERR_MALFORMED, "`%s` is too large", text);
		return 0;
	}
	return err_set(err, ERR_MALFORMED, "`%s` is not a %s", text,
		       units ? "size (4096, 10GB, 4GiB)" : "whole number");
}

static int check_range(const struct key *key, double value, const char *text, struct err *err)
{
	if ((key->least != 0 || key->most != 0) && (value < key->least || value > key->most))
		return err_set(err, ERR_MALFORMED, "`%s` is outside %.0f to %.0f%s", text,
			       key->least, key->most,
			       key->type == KEY_MILLIS ? " ms" :
			       key->type == KEY_SECONDS ? " s" : "");
	return 0;
}

static int read_number(const struct key *key, const char *text, uint64_t *out, struct err *err)
{
	if (read_size(text, key->type != KEY_COUNT, out, err) < 0)
		return -1;
	return check_range(key, (double)*out, text, err);
}

static int read_duration(const struct key *key, const char *text, int64_t *out, struct err *err)
{
	int64_t millis;

	if (!duration_parse(text_of(text), &millis))
		return err_set(err, ERR_MALFORMED, "`%s` is not a duration (90s, 15m, 1h 30m)", text);
	*out = key->type == KEY_SECONDS ? (millis + 999) / 1000 : millis;
	return check_range(key, (double)*out, text, err);
}

static int read_sendfile(const char *text, enum config_sendfile *out, struct err *err)
{
	static const char *const words[] = {
		[CONFIG_SENDFILE_NONE] = "none", [CONFIG_SENDFILE_X_SENDFILE] = "x-sendfile",
		[CONFIG_SENDFILE_X_ACCEL] = "x-accel-redirect",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]) != 0)
			continue;
		*out = (enum config_sendfile)i;
		return 0;
	}
	return err_set(err, ERR_MALFORMED, "`%s` is not none, x-sendfile or x-accel-redirect", text);
}

static int read_word(const struct key *key, const char *text, void *at, struct err *err)
{
	switch (key->type) {
	case KEY_LEVEL:
		if (log_level_named(text, at))
			return 0;
		break;
	case KEY_FORMAT:
		if (!strcmp(text, "json") || !strcmp(text, "auto") || !strcmp(text, "pretty") ||
		    !strcmp(text, "simplified")) {
			*(enum log_format *)at = !strcmp(text, "json") ? LOG_JSON : LOG_KEYVALUE;
			return 0;
		}
		break;
	case KEY_SANDBOX:
		if (!strcmp(text, "full") || !strcmp(text, "best")) {
			*(enum config_sandbox *)at = !strcmp(text, "full") ? CONFIG_SANDBOX_FULL
									   : CONFIG_SANDBOX_BEST;
			return 0;
		}
		break;
	case KEY_RECORD:
		if (!strcmp(text, "pending") || !strcmp(text, "all")) {
			*(bool *)at = !strcmp(text, "all");
			return 0;
		}
		break;
	case KEY_SENDFILE:
		return read_sendfile(text, at, err);
	case KEY_MOZILLA_V4:
		if (!strcmp(text, "tecken") || !strcmp(text, "eliot")) {
			*(bool *)at = !strcmp(text, "eliot");
			return 0;
		}
		break;
	default:
		break;
	}
	return err_set(err, ERR_MALFORMED, "`%s` is not a word it knows: %s", text, key->about);
}

static int read_folder(const struct config_document *document, const char *text, const char **out,
		       struct err *err)
{
	char here[PATH_BYTES];

	if (text[0] == '\0')
		return err_set(err, ERR_MALFORMED, "an empty path");
	if (text[0] == '/')
		*out = arena_strdup(&document->config->arena, text);
	else if (!getcwd(here, sizeof(here)))
		return err_os(err, errno, "finding the current folder");
	else
		*out = arena_printf(&document->config->arena, "%s/%s", here, text);
	return *out ? 0 : err_set(err, ERR_NO_MEMORY, "no room for the path");
}

static int read_network(const char *text, struct config_network *network, struct err *err)
{
	char address[64];
	const char *slash = strchr(text, '/');
	size_t size = slash ? (size_t)(slash - text) : strlen(text);
	uint64_t bits, most;

	if (size >= sizeof(address))
		return err_set(err, ERR_MALFORMED, "`%s` is not a network", text);
	memcpy(address, text, size);
	address[size] = '\0';
	network->is_v6 = strchr(address, ':') != NULL;
	most = network->is_v6 ? 128 : 32;
	bits = most;
	if (inet_pton(network->is_v6 ? AF_INET6 : AF_INET, address, network->address) != 1 ||
	    (slash && (!text_to_u64(text_of(slash + 1), 10, &bits) || bits > most)))
		return err_set(err, ERR_MALFORMED, "`%s` is not a network (10.1.0.0/16, fd00::/8)", text);
	network->prefix_bits = (unsigned)bits;
	return 0;
}

static int read_list(const struct config_document *document, const struct key *key,
		     const yaml_node_t *node, char *base, struct err *err)
{
	struct arena *arena = &document->config->arena;
	size_t size = key->type == KEY_TEXTS ? sizeof(char *) : sizeof(struct config_network);
	size_t count, at = 0;
	char *items;

	if (node->type != YAML_SEQUENCE_NODE)
		return err_set(err, ERR_MALFORMED, "a list is expected here");
	count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	items = arena_alloc(arena, count ? count : 1, size);
	if (!items)
		return err_set(err, ERR_NO_MEMORY, "no room for the list");
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++, at++) {
		const yaml_node_t *member = yaml_document_get_node(document->yaml, *item);
		const char *text = config_scalar(document, member, err);

		*document->wrong = member;
		if (!text)
			return err_while(err, "item %zu", at + 1);
		if (key->type == KEY_TEXTS)
			((const char **)(void *)items)[at] = arena_strdup(arena, text);
		else if (read_network(text, &((struct config_network *)(void *)items)[at], err) < 0)
			return -1;
	}
	*(void **)(void *)(base + key->offset) = items;
	*(size_t *)(void *)(base + key->count_offset) = count;
	return 0;
}

static int read_null(const struct key *key, struct config *config, struct err *err)
{
	char *at = (char *)config + key->offset;

	if (!key->nullable)
		return err_set(err, ERR_MALFORMED, "null is not allowed here");
	switch (key->type) {
	case KEY_COUNT: case KEY_SIZE: case KEY_QUOTA:
		*(uint64_t *)(void *)at = CONFIG_UNLIMITED;
		return 0;
	case KEY_SECONDS: case KEY_MILLIS:
		*(int64_t *)(void *)at = CONFIG_NEVER;
		return 0;
	case KEY_CACHE_DIR:
		config->cache_is_of_boot = true;
		return 0;
	default:
		*(const char **)(void *)at = NULL;
		return 0;
	}
}

static int read_scalar(const struct config_document *document, const struct key *key,
		       const char *text, struct err *err)
{
	char *at = (char *)document->config + key->offset;

	switch (key->type) {
	case KEY_TEXT:
		*(const char **)(void *)at = arena_strdup(&document->config->arena, text);
		return *(const char **)(void *)at ? 0 : err_set(err, ERR_NO_MEMORY, "no room");
	case KEY_FOLDER: case KEY_CACHE_DIR:
		return read_folder(document, text, (const char **)(void *)at, err);
	case KEY_BOOL:
		return read_bool(text, (bool *)(void *)at, err);
	case KEY_QUOTA:
		if (strcmp(text, "auto") == 0) {
			*(uint64_t *)(void *)at = CONFIG_AUTO;
			return 0;
		}
		return read_number(key, text, (uint64_t *)(void *)at, err);
	case KEY_COUNT: case KEY_SIZE:
		return read_number(key, text, (uint64_t *)(void *)at, err);
	case KEY_SECONDS: case KEY_MILLIS:
		return read_duration(key, text, (int64_t *)(void *)at, err);
	default:
		return read_word(key, text, at, err);
	}
}

int config_value_read(const struct config_document *document, const struct key *key,
		      const yaml_node_t *node, struct err *err)
{
	char *base = (char *)document->config;
	const char *text;

	if (key->type == KEY_TEXTS || key->type == KEY_NETWORKS)
		return read_list(document, key, node, base, err);
	if (key->type == KEY_TRANSCODERS)
		return config_transcoders(document, node, err);
	if (key->type == KEY_SOURCES)
		return config_json(document, key->name, node, (const char **)(void *)(base + key->offset), err);
	if (key->type == KEY_SCOPE)
		return config_scope(document, node, (const char **)(void *)(base + key->offset), err);
	if (key->type == KEY_PEOPLE)
		return config_people(document, node, err);
	if (key->type == KEY_OPERATORS)
		return config_operators(document, node, err);
	if (config_scalar_is_null(node))
		return read_null(key, document->config, err);
	text = config_scalar(document, node, err);
	return text ? read_scalar(document, key, text, err) : -1;
}
