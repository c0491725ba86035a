/* json.c -- a YAML node as JSON text, for what other rooms read as JSON (sources). */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "config/config.h"
#include "config/value.h"

#define SOURCES_BYTES_MAX ((size_t)1 << 20)
#define NESTING_MAX 32

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

static int write_node(const struct config_document *document, const yaml_node_t *node,
		      struct json_writer *json, int depth, struct err *err);

static int write_mapping(const struct config_document *document, const yaml_node_t *node,
			 struct json_writer *json, int depth, struct err *err)
{
	json_object(json);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const char *key = config_scalar(document,
				yaml_document_get_node(document->yaml, pair->key), err);

		if (!key)
			return -1;
		json_key(json, key);
		if (write_node(document, yaml_document_get_node(document->yaml, pair->value),
			       json, depth + 1, err) < 0)
			return err_while(err, "%s", key);
	}
	json_object_end(json);
	return 0;
}

static int write_sequence(const struct config_document *document, const yaml_node_t *node,
			  struct json_writer *json, int depth, struct err *err)
{
	json_array(json);
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++)
		if (write_node(document, yaml_document_get_node(document->yaml, *item), json,
			       depth + 1, err) < 0)
			return -1;
	json_array_end(json);
	return 0;
}

/* Aliases can make a small file endless: the depth and the buffer's ceiling end that. */
static int write_node(const struct config_document *document, const yaml_node_t *node,
		      struct json_writer *json, int depth, struct err *err)
{
	const char *text;

	if (depth > NESTING_MAX)
		return err_set(err, ERR_MALFORMED, "nested deeper than %d", NESTING_MAX);
	if (json->out->failed)
		return buf_check(json->out, err);
	if (node->type == YAML_MAPPING_NODE)
		return write_mapping(document, node, json, depth, err);
	if (node->type == YAML_SEQUENCE_NODE)
		return write_sequence(document, node, json, depth, err);
	if (config_scalar_is_null(node)) {
		json_null(json);
		return 0;
	}
	text = config_scalar(document, node, err);
	if (!text)
		return -1;
	if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		write_plain(json, text);
	else
		json_string(json, text);
	return 0;
}

int config_json(const struct config_document *document, const yaml_node_t *node,
		const char **json, struct err *err)
{
	struct buf out;
	struct json_writer writer;
	int rc = -1;

	buf_init(&out, SOURCES_BYTES_MAX);
	json_writer_init(&writer, &out);
	if (write_node(document, node, &writer, 0, err) < 0 || buf_check(&out, err) < 0)
		goto done;
	*json = arena_strdup(&document->config->arena, buf_string(&out));
	rc = *json ? 0 : err_set(err, ERR_NO_MEMORY, "no room for the sources");
done:
	buf_release(&out);
	return rc;
}
