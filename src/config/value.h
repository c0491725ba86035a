/* value -- a YAML scalar or list becomes a member of struct config.  Private to config. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include <yaml.h>

struct config;
struct err;
struct key;

/* One document with the file it came from. */
struct config_document {
	yaml_document_t *yaml;
	const char *path;            /* for messages */
	struct config *config;       /* whose arena owns what is read */
};

/* The scalar with ${NAME} replaced; NULL and err when the variable is not set. */
const char *config_scalar(const struct config_document *document, const yaml_node_t *node,
			  struct err *err);
int config_scalar_is_null(const yaml_node_t *node);

/* Reads the node as this key's type into the config.  err has no file and line yet. */
int config_value_read(const struct config_document *document, const struct key *key,
		      const yaml_node_t *node, struct err *err)
	__attribute__((warn_unused_result));

/* The node as JSON text (YAML core schema for plain scalars). */
int config_json(const struct config_document *document, const yaml_node_t *node,
		const char **json, struct err *err) __attribute__((warn_unused_result));

#endif
