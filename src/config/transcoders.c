/* transcoders.c -- wpa.transcoders: programs that make SymCache files, one for each major version. */
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/value.h"

#define TRANSCODERS_MAX 16u
#define LIST_MAX 256u
#define TIMEOUT_MILLIS ((int64_t)10 * 60 * 1000)
#define TIMEOUT_MILLIS_MAX ((int64_t)24 * 3600 * 1000)

struct transcoder_reading {
	const struct config_document *document;
	struct config_transcoder *to;
	struct err *err;
};

static int no_room(struct transcoder_reading *reading)
{
	return err_set(reading->err, ERR_NO_MEMORY, "no room for the transcoders");
}

static const yaml_node_t *node_at(const struct transcoder_reading *reading, int index)
{
	return yaml_document_get_node(reading->document->yaml, index);
}

/* A scalar, kept; NULL and err. */
static const char *read_text(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char *text = config_scalar(reading->document, node, reading->err);

	*reading->document->wrong = node;
	if (!text)
		return NULL;
	text = arena_strdup(&reading->document->config->arena, text);
	if (!text)
		no_room(reading);
	return text;
}

/* A list that ends with NULL. */
static const char **new_list(struct transcoder_reading *reading, size_t count)
{
	const char **list;

	if (count > LIST_MAX) {
		err_set(reading->err, ERR_MALFORMED, "more than %u items", LIST_MAX);
		return NULL;
	}
	list = arena_alloc(&reading->document->config->arena, count + 1, sizeof(*list));
	if (!list)
		no_room(reading);
	return list;
}

static int read_texts(struct transcoder_reading *reading, const yaml_node_t *node, const char *const **out)
{
	const char **list;
	size_t count, at = 0;

	if (node->type != YAML_SEQUENCE_NODE)
		return err_set(reading->err, ERR_MALFORMED, "a list is expected here");
	count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	list = new_list(reading, count);
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     list && item < node->data.sequence.items.top; item++) {
		list[at] = read_text(reading, node_at(reading, *item));
		if (!list[at++])
			return -1;
	}
	*out = list;
	return list ? 0 : -1;
}

/* "NAME=value" */
static int read_environment(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char **list;
	size_t count, at = 0;

	if (node->type != YAML_MAPPING_NODE)
		return err_set(reading->err, ERR_MALFORMED, "names and values are expected here");
	count = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	list = new_list(reading, count);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     list && pair < node->data.mapping.pairs.top; pair++) {
		const char *name = read_text(reading, node_at(reading, pair->key));
		const char *value = name ? read_text(reading, node_at(reading, pair->value)) : NULL;

		if (!value)
			return -1;
		if (!*name || strchr(name, '='))
			return err_set(reading->err, ERR_MALFORMED, "`%s` is no variable's name", name);
		list[at] = arena_printf(&reading->document->config->arena, "%s=%s", name, value);
		if (!list[at++])
			return no_room(reading);
	}
	reading->to->environment = list;
	return list ? 0 : -1;
}

static int read_version(struct transcoder_reading *reading, const yaml_node_t *node, struct semver *out)
{
	const char *text = read_text(reading, node);

	if (!text)
		return -1;
	if (!semver_read(text_of(text), out))
		return err_set(reading->err, ERR_MALFORMED, "`%s` is no version (3.1.0)", text);
	return 0;
}

static int read_earlier(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char *const *texts;
	struct semver *versions;
	size_t count = 0;

	if (read_texts(reading, node, &texts) < 0)
		return -1;
	while (texts[count])
		count++;
	versions = arena_alloc(&reading->document->config->arena, count + 1, sizeof(*versions));
	if (!versions)
		return no_room(reading);
	for (size_t i = 0; i < count; i++)
		if (!semver_read(text_of(texts[i]), &versions[i]))
			return err_set(reading->err, ERR_MALFORMED, "`%s` is no version (3.1.0)", texts[i]);
	reading->to->earlier = versions;
	reading->to->earlier_count = count;
	return 0;
}

static int read_timeout(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char *text = read_text(reading, node);

	if (!text)
		return -1;
	if (!duration_parse(text_of(text), &reading->to->timeout_millis) ||
	    reading->to->timeout_millis < 1 || reading->to->timeout_millis > TIMEOUT_MILLIS_MAX)
		return err_set(reading->err, ERR_MALFORMED, "`%s` is not a duration up to a day", text);
	return 0;
}

static int read_paths(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char *text = read_text(reading, node);

	if (!text)
		return -1;
	reading->to->has_windows_paths = strcmp(text, "windows") == 0;
	return reading->to->has_windows_paths || strcmp(text, "unix") == 0 ? 0
	       : err_set(reading->err, ERR_MALFORMED, "`%s` is not unix or windows", text);
}

static int read_folder(struct transcoder_reading *reading, const yaml_node_t *node)
{
	const char *text = read_text(reading, node);

	if (!text)
		return -1;
	reading->to->folder = text;
	return text[0] == '/' ? 0 : err_set(reading->err, ERR_MALFORMED, "`%s` is no absolute path", text);
}

static int read_member(struct transcoder_reading *reading, const char *name, const yaml_node_t *node)
{
	*reading->document->wrong = node;
	if (!strcmp(name, "version"))
		return read_version(reading, node, &reading->to->version);
	if (!strcmp(name, "earlier"))
		return read_earlier(reading, node);
	if (!strcmp(name, "command"))
		return read_texts(reading, node, &reading->to->command);
	if (!strcmp(name, "environment"))
		return read_environment(reading, node);
	if (!strcmp(name, "folder"))
		return read_folder(reading, node);
	if (!strcmp(name, "writable"))
		return read_texts(reading, node, &reading->to->writable);
	if (!strcmp(name, "timeout"))
		return read_timeout(reading, node);
	if (!strcmp(name, "paths"))
		return read_paths(reading, node);
	return err_set(reading->err, ERR_MALFORMED, "a transcoder has no `%s`: version, earlier, command, "
		       "environment, folder, writable, timeout, paths", name);
}

static int check(const struct transcoder_reading *reading)
{
	const struct config_transcoder *to = reading->to;

	if (to->version.major < 3)
		return err_set(reading->err, ERR_MALFORMED, "a transcoder has a version of 3.0.0 or more");
	if (!to->command || !to->command[0] || to->command[0][0] != '/')
		return err_set(reading->err, ERR_MALFORMED,
			       "a transcoder's command is a list that begins with the program's absolute path");
	for (size_t i = 0; i < to->earlier_count; i++)
		if (to->earlier[i].major != to->version.major ||
		    semver_compare(&to->earlier[i], &to->version) >= 0)
			return err_set(reading->err, ERR_MALFORMED,
				       "earlier versions are below the version, and of its major one");
	return 0;
}

static int read_one(struct transcoder_reading *reading, const yaml_node_t *node)
{
	static const char *const none[] = { NULL };

	*reading->document->wrong = node;
	if (node->type != YAML_MAPPING_NODE)
		return err_set(reading->err, ERR_MALFORMED, "keys and values are expected here");
	reading->to->timeout_millis = TIMEOUT_MILLIS;
	reading->to->environment = reading->to->writable = none;
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const char *name = read_text(reading, node_at(reading, pair->key));

		if (!name || read_member(reading, name, node_at(reading, pair->value)) < 0)
			return -1;
	}
	*reading->document->wrong = node;
	return check(reading);
}

/* The highest version first. */
static void place(struct config_transcoder *list, size_t at)
{
	for (; at > 0 && semver_compare(&list[at - 1].version, &list[at].version) < 0; at--) {
		struct config_transcoder lower = list[at - 1];

		list[at - 1] = list[at];
		list[at] = lower;
	}
}

int config_transcoders(const struct config_document *document, const yaml_node_t *node, struct err *err)
{
	struct config *config = document->config;
	struct config_transcoder *list;
	size_t count, at = 0;

	if (node->type != YAML_SEQUENCE_NODE)
		return err_set(err, ERR_MALFORMED, "a list is expected here");
	count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	if (count > TRANSCODERS_MAX)
		return err_set(err, ERR_MALFORMED, "more than %u transcoders", TRANSCODERS_MAX);
	list = arena_alloc(&config->arena, count + 1, sizeof(*list));
	if (!list)
		return err_set(err, ERR_NO_MEMORY, "no room for the transcoders");
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++, at++) {
		struct transcoder_reading reading = { document, &list[at], err };

		if (read_one(&reading, yaml_document_get_node(document->yaml, *item)) < 0)
			return err_while(err, "item %zu", at + 1);
		for (size_t i = 0; i < at; i++)
			if (list[i].version.major == list[at].version.major)
				return err_set(err, ERR_MALFORMED, "two transcoders of major version %u",
					       list[at].version.major);
		place(list, at);
	}
	config->transcoders = list;
	config->transcoder_count = count;
	return 0;
}
