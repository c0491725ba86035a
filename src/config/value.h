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
	const yaml_node_t **wrong;   /* what an error is about, where it is not the whole value */
};

/* scalar.c: the scalar with ${NAME} replaced; NULL and err when the variable is not set. */
const char *config_scalar(const struct config_document *document, const yaml_node_t *node,
			  struct err *err);
int config_scalar_is_null(const yaml_node_t *node);

/* Reads the node as this key's type into the config.  err has no file and line yet. */
int config_value_read(const struct config_document *document, const struct key *key,
		      const yaml_node_t *node, struct err *err)
	__attribute__((warn_unused_result));

/* The value of the key `name` as JSON text (YAML core schema for plain scalars), and the lines of
 * its members as the config's source_lines. */
int config_json(const struct config_document *document, const char *name, const yaml_node_t *node,
		const char **json, struct err *err) __attribute__((warn_unused_result));

/* wpa.transcoders, as struct config has them. */
int config_transcoders(const struct config_document *document, const yaml_node_t *node, struct err *err)
	__attribute__((warn_unused_result));

/* web.scope and its like; web.people and web.operators, as struct config has them. */
int config_scope(const struct config_document *document, const yaml_node_t *node, const char **scope,
		 struct err *err) __attribute__((warn_unused_result));
int config_people(const struct config_document *document, const yaml_node_t *node, struct err *err)
	__attribute__((warn_unused_result));
int config_operators(const struct config_document *document, const yaml_node_t *node, struct err *err)
	__attribute__((warn_unused_result));

size_t config_line_of(const yaml_node_t *node);
/* The same key earlier in the mapping, or NULL. */
const yaml_node_t *config_key_before(yaml_document_t *yaml, const yaml_node_t *mapping,
				     const yaml_node_t *key);

#endif
