/* config_json.c -- a YAML node as JSON text, for what other components read as JSON (sources). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "config/value.h"

#define SOURCES_BYTES_MAX ((size_t)1 << 20)
#define NESTING_MAX 32
#define PLACE_BYTES 128u
#define PLACE_DEPTH 5          /* sources[2].filters.filetypes[0] */

/* YAML 1.2 core schema: what an unquoted word means. */
static void write_plain(struct json_writer *json, const char *text)
{
	char *end;
	double number;

	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		json_bool(json, !strcmp(text, "true"));
		return;
	}
	if (text[0] != '\0' && strspn(text, "+-.0123456789eE") == strlen(text) &&
	    strpbrk(text, "0123456789")) {
		bool whole = strspn(text[0] == '-' ? text + 1 : text, "0123456789") ==
			     strlen(text[0] == '-' ? text + 1 : text);

		if (whole) {
			json_raw(json, text_of(text));
			return;
		}
		number = strtod(text, &end);
		if (*end == '\0') {
			json_double(json, number);
			return;
		}
	}
	json_string(json, text);
}

/* One value being written, and where its members stand. */
struct json_writing {
	const struct config_document *document;
	struct json_writer json;
	int depth;
	char place[PLACE_BYTES];             /* "[2].filters"; longer ones are cut */
	struct config_line *lines;
	size_t line_count, line_capacity;
};

static int write_node(struct json_writing *writing, const yaml_node_t *node, struct err *err);

static int wrong(const struct json_writing *writing, const yaml_node_t *node)
{
	*writing->document->wrong = node;
	return -1;
}

static int remember_line(struct json_writing *writing, const yaml_node_t *node, struct err *err)
{
	struct arena *arena = &writing->document->config->arena;
	const char *place;

	if (writing->depth > PLACE_DEPTH)
		return 0;
	if (writing->line_count == writing->line_capacity) {
		size_t capacity = writing->line_capacity ? 2 * writing->line_capacity : 64;
		struct config_line *grown = arena_alloc(arena, capacity, sizeof(*grown));

		if (!grown)
			return err_set(err, ERR_NO_MEMORY, "no room for the sources");
		if (writing->line_count > 0)
			memcpy(grown, writing->lines, writing->line_count * sizeof(*grown));
		writing->lines = grown;
		writing->line_capacity = capacity;
	}
	place = arena_strdup(arena, writing->place);
	if (!place)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	writing->lines[writing->line_count++] = (struct config_line){ place, config_line_of(node) };
	return 0;
}

/* One member at the place that stands in `writing` by now. */
static int write_member(struct json_writing *writing, const yaml_node_t *named,
			const yaml_node_t *value,
			struct err *err)
{
	int rc;

	writing->depth++;
	rc = remember_line(writing, named, err);
	if (rc == 0)
		rc = write_node(writing, value, err);
	writing->depth--;
	return rc;
}

/* YAML forbids it, and the first would count. */
static int refuse_twice(struct json_writing *writing, const yaml_node_t *mapping,
			const yaml_node_t *key,
			struct err *err)
{
	const yaml_node_t *other = config_key_before(writing->document->yaml, mapping, key);

	if (!other)
		return 0;
	err_set(err, ERR_MALFORMED, "`%s` stands in line %zu already",
		(const char *)key->data.scalar.value, config_line_of(other));
	return wrong(writing, key);
}

static int write_mapping(struct json_writing *writing, const yaml_node_t *node, struct err *err)
{
	const struct config_document *document = writing->document;
	size_t size = strlen(writing->place);

	json_object(&writing->json);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key_node = yaml_document_get_node(document->yaml, pair->key);
		const char *key = config_scalar(document, key_node, err);

		if (!key)
			return wrong(writing, key_node);
		if (refuse_twice(writing, node, key_node, err) < 0)
			return -1;
		json_key_text(&writing->json, text_of(key));
		snprintf(writing->place + size, sizeof(writing->place) - size, ".%s", key);
		if (write_member(writing, key_node, yaml_document_get_node(document->yaml, pair->value),
				 err) < 0)
			return err_while(err, "%s", key);
		writing->place[size] = '\0';
	}
	json_object_end(&writing->json);
	return 0;
}

static int write_sequence(struct json_writing *writing, const yaml_node_t *node, struct err *err)
{
	size_t size = strlen(writing->place), index = 0;

	json_array(&writing->json);
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		const yaml_node_t *member = yaml_document_get_node(writing->document->yaml, *item);

		snprintf(writing->place + size, sizeof(writing->place) - size, "[%zu]", index++);
		if (write_member(writing, member, member, err) < 0)
			return -1;
		writing->place[size] = '\0';
	}
	json_array_end(&writing->json);
	return 0;
}

/* Aliases can make a small file endless: the depth and the buffer's ceiling end that. */
static int write_node(struct json_writing *writing, const yaml_node_t *node, struct err *err)
{
	const char *text;

	if (writing->depth > NESTING_MAX) {
		err_set(err, ERR_MALFORMED, "nested deeper than %d", NESTING_MAX);
		return wrong(writing, node);
	}
	if (writing->json.out->failed)
		return buf_check(writing->json.out, err);
	if (node->type == YAML_MAPPING_NODE)
		return write_mapping(writing, node, err);
	if (node->type == YAML_SEQUENCE_NODE)
		return write_sequence(writing, node, err);
	if (config_scalar_is_null(node)) {
		json_null(&writing->json);
		return 0;
	}
	text = config_scalar(writing->document, node, err);
	if (!text)
		return wrong(writing, node);
	if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		write_plain(&writing->json, text);
	else
		json_string(&writing->json, text);
	return 0;
}

int config_json(const struct config_document *document, const char *name, const yaml_node_t *node,
		const char **json, struct err *err)
{
	struct json_writing writing = { .document = document };
	struct config *config = document->config;
	struct buf out;
	int rc = -1;

	buf_init(&out, SOURCES_BYTES_MAX);
	json_writer_init(&writing.json, &out);
	snprintf(writing.place, sizeof(writing.place), "%s", name);
	if (remember_line(&writing, node, err) < 0 || write_node(&writing, node, err) < 0 ||
	    buf_check(&out, err) < 0)
		goto done;
	*json = arena_strdup(&config->arena, buf_string(&out));
	config->sources_path = arena_strdup(&config->arena, document->path);
	config->source_lines = writing.lines;
	config->source_line_count = writing.line_count;
	rc = *json && config->sources_path ? 0
	     : err_set(err, ERR_NO_MEMORY, "no room for the sources");
done:
	buf_release(&out);
	return rc;
}

const char *config_source_file(const struct config *config)
{
	return config->sources_path ? config->sources_path : "the config file";
}

/* Is `inner` the place, or a member of it? */
static bool is_within(struct text inner, const char *place)
{
	size_t size = strlen(place);

	return text_starts_with(inner, place) &&
	       (inner.size == size || inner.bytes[size] == '.' || inner.bytes[size] == '[');
}

size_t config_source_line(const struct config *config, struct text place)
{
	size_t best = 0, line = 1;

	for (size_t i = 0; i < config->source_line_count; i++) {
		const struct config_line *known = &config->source_lines[i];

		if (is_within(place, known->place) && strlen(known->place) > best) {
			best = strlen(known->place);
			line = known->line;
		}
	}
	return line;
}
