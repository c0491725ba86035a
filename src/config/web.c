/* web.c -- web.scope, web.people and web.operators: who asks by the page, and in which scope. */
#include <string.h>

#include "base/err.h"
#include "config/config.h"
#include "config/value.h"

#define SCOPE_BYTES_MAX 1023u        /* as long as a request's may be */
#define NAME_BYTES_MAX 256u
#define PEOPLE_MAX 10000u

/* A scope or a name stands in log lines, in SQL and on a page. */
static int check_word(const char *text, const char *what, size_t bytes_max, struct err *err)
{
	struct text word = text_of(text);

	if (word.size == 0)
		return err_set(err, ERR_MALFORMED, "an empty %s", what);
	if (word.size > bytes_max)
		return err_set(err, ERR_MALFORMED, "a %s of %zu bytes (at most %zu)", what, word.size,
			       bytes_max);
	if (!text_is_utf8(word) || text_has_controls(word))
		return err_set(err, ERR_MALFORMED, "a %s with control characters, or not UTF-8", what);
	return 0;
}

/* The scalar, kept; NULL and err. */
static const char *read_word(const struct config_document *document, const yaml_node_t *node,
			     const char *what, size_t bytes_max, struct err *err)
{
	const char *text;

	*document->wrong = node;
	if (config_scalar_is_null(node)) {
		err_set(err, ERR_MALFORMED, "null is no %s", what);
		return NULL;
	}
	text = config_scalar(document, node, err);
	if (!text || check_word(text, what, bytes_max, err) < 0)
		return NULL;
	text = arena_strdup(&document->config->arena, text);
	if (!text)
		err_set(err, ERR_NO_MEMORY, "no room for the %s", what);
	return text;
}

int config_scope(const struct config_document *document, const yaml_node_t *node, const char **scope,
		 struct err *err)
{
	const char *read = read_word(document, node, "scope", SCOPE_BYTES_MAX, err);

	if (!read)
		return -1;
	*scope = read;
	return 0;
}

static int refuse_twice(const char *name, const yaml_node_t *before, struct err *err)
{
	return err_set(err, ERR_MALFORMED, "`%s` stands in line %zu already", name, config_line_of(before));
}

static int check_count(size_t count, struct err *err)
{
	return count <= PEOPLE_MAX ? 0 : err_set(err, ERR_MALFORMED, "more than %u names", PEOPLE_MAX);
}

int config_people(const struct config_document *document, const yaml_node_t *node, struct err *err)
{
	struct config *config = document->config;
	struct config_person *people;
	size_t count, at = 0;

	if (node->type != YAML_MAPPING_NODE)
		return err_set(err, ERR_MALFORMED, "names and their scopes are expected here");
	count = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	if (check_count(count, err) < 0)
		return -1;
	people = arena_alloc(&config->arena, count + 1, sizeof(*people));
	if (!people)
		return err_set(err, ERR_NO_MEMORY, "no room for the names");
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++, at++) {
		const yaml_node_t *key = yaml_document_get_node(document->yaml, pair->key);
		const yaml_node_t *before = config_key_before(document->yaml, node, key);

		people[at].name = read_word(document, key, "name", NAME_BYTES_MAX, err);
		if (!people[at].name)
			return -1;
		if (before)
			return refuse_twice(people[at].name, before, err);
		if (config_scope(document, yaml_document_get_node(document->yaml, pair->value),
				 &people[at].scope, err) < 0)
			return err_while(err, "%s", people[at].name);
	}
	config->web_people = people;
	config->web_person_count = count;
	return 0;
}

int config_operators(const struct config_document *document, const yaml_node_t *node, struct err *err)
{
	struct config *config = document->config;
	const yaml_node_item_t *first;
	const char **names;
	size_t count;

	if (node->type != YAML_SEQUENCE_NODE)
		return err_set(err, ERR_MALFORMED, "a list is expected here");
	first = node->data.sequence.items.start;
	count = (size_t)(node->data.sequence.items.top - first);
	if (check_count(count, err) < 0)
		return -1;
	names = arena_alloc(&config->arena, count + 1, sizeof(*names));
	if (!names)
		return err_set(err, ERR_NO_MEMORY, "no room for the names");
	for (size_t i = 0; i < count; i++) {
		names[i] = read_word(document, yaml_document_get_node(document->yaml, first[i]), "name",
				     NAME_BYTES_MAX, err);
		if (!names[i])
			return err_while(err, "item %zu", i + 1);
		for (size_t k = 0; k < i; k++)
			if (strcmp(names[k], names[i]) == 0)
				return refuse_twice(names[i],
						    yaml_document_get_node(document->yaml, first[k]), err);
	}
	config->web_operators = names;
	config->web_operator_count = count;
	return 0;
}

bool config_is_operator(const struct config *config, struct text name)
{
	for (size_t i = 0; i < config->web_operator_count; i++)
		if (text_is(name, config->web_operators[i]))
			return true;
	return false;
}

const char *config_scope_of_person(const struct config *config, struct text name)
{
	for (size_t i = 0; i < config->web_person_count; i++)
		if (text_is(name, config->web_people[i].name))
			return config->web_people[i].scope;
	return NULL;
}
