/* scalar.c -- nodes of the YAML document: scalars, keys, lines.  See value.h. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "config/config.h"
#include "config/value.h"

static const char *plain(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

size_t config_line_of(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

const yaml_node_t *config_key_before(yaml_document_t *yaml, const yaml_node_t *mapping,
				     const yaml_node_t *key)
{
	if (key->type != YAML_SCALAR_NODE)
		return NULL;
	for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *other = yaml_document_get_node(yaml, pair->key);

		if (other == key)
			break;
		if (other->type == YAML_SCALAR_NODE &&
		    other->data.scalar.length == key->data.scalar.length &&
		    memcmp(other->data.scalar.value, key->data.scalar.value,
			   key->data.scalar.length) == 0)
			return other;
	}
	return NULL;
}

int config_scalar_is_null(const yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return 0;
	return !strcmp(plain(node), "") || !strcmp(plain(node), "~") ||
	       !strcmp(plain(node), "null") || !strcmp(plain(node), "Null") ||
	       !strcmp(plain(node), "NULL");
}

const char *config_scalar(const struct config_document *document, const yaml_node_t *node,
			  struct err *err)
{
	const char *value, *found;
	char *name;
	size_t size;

	if (node->type != YAML_SCALAR_NODE) {
		err_set(err, ERR_MALFORMED, "one value is expected here");
		return NULL;
	}
	value = plain(node);
	size = strlen(value);
	if (size != node->data.scalar.length) {
		err_set(err, ERR_MALFORMED, "a NUL byte in the value");
		return NULL;
	}
	if (size < 4 || strncmp(value, "${", 2) != 0 || value[size - 1] != '}')
		return value;
	name = arena_strndup(&document->config->arena, value + 2, size - 3);
	found = name ? getenv(name) : NULL;
	if (!found)
		err_set(err, ERR_MALFORMED, "the environment has no %s", value);
	return found;
}
