/* config.c -- see config.h: the file is walked once, each key found in the table of keys. */
#include "config/config.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "config/keys.h"
#include "config/value.h"

#define CONFIG_ARENA_BYTES ((size_t)16 * 1024 * 1024)
#define CONFIG_FILE_BYTES_MAX ((size_t)4 * 1024 * 1024)
#define NAME_BYTES 256u

struct loader {
	struct config_document document;
	config_note_fn *note;
	void *payload;
	unsigned *errors;
	struct err *first;
};

static void tell(const struct loader *loader, enum config_note_kind kind, const char *text)
{
	if (loader->note)
		loader->note(loader->payload, kind, text);
}

static int refuse(const struct loader *loader, const yaml_node_t *node, const char *name,
		  struct err *err)
{
	return err_while(err, "%s:%zu: %s", loader->document.path, config_line_of(node), name);
}

static int unknown_key(const struct loader *loader, const yaml_node_t *node, const char *name,
		       const char *section, struct err *err)
{
	const char *nearest = config_key_nearest(name);
	char text[NAME_BYTES * 3];

	snprintf(text, sizeof(text), "unknown key%s%s%s", nearest ? ", did you mean `" : "",
		 nearest ? nearest : "", nearest ? "`?" : "");
	if (config_key_section_is_ours(section)) {
		err_set(err, ERR_MALFORMED, "%s", text);
		return refuse(loader, node, name, err);
	}
	{
		char whole[NAME_BYTES * 6];

		snprintf(whole, sizeof(whole), "%s:%zu: %s: %s", loader->document.path,
			 config_line_of(node), name, text);
		tell(loader, CONFIG_NOTE_WARNING, whole);
	}
	return 0;
}

static int read_mapping(struct loader *loader, const yaml_node_t *mapping, const char *section,
			struct err *err);

/* Keeps the first error; -1: there is no sense in going on. */
static int note_error(struct loader *loader, struct err *err)
{
	if (err->kind == ERR_NO_MEMORY)
		return -1;
	tell(loader, CONFIG_NOTE_ERROR, err->text);
	if ((*loader->errors)++ == 0)
		*loader->first = *err;
	err_clear(err);
	return 0;
}

static int read_value(struct loader *loader, const struct key *key, const yaml_node_t *value,
		      struct err *err)
{
	const yaml_node_t *wrong = value;

	loader->document.wrong = &wrong;
	if (config_value_read(&loader->document, key, value, err) < 0)
		return refuse(loader, wrong, key->name, err);
	return 0;
}

static int read_key(struct loader *loader, const yaml_node_t *key_node, const yaml_node_t *value,
		    const char *section, struct err *err)
{
	const char *word = key_node->type == YAML_SCALAR_NODE
				   ? (const char *)key_node->data.scalar.value : "?";
	const struct key *key;
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s%s%s", section, section[0] ? "." : "", word);
	key = config_key_find(name);
	if (!key && config_key_is_section(name))
		return config_scalar_is_null(value) ? 0 : read_mapping(loader, value, name, err);
	if (!key)
		return unknown_key(loader, key_node, name, section, err);
	if (key->type == KEY_WITHOUT_MEANING) {
		tell(loader, CONFIG_NOTE_WITHOUT_MEANING, name);
		return 0;
	}
	return read_value(loader, key, value, err);
}

static int refuse_twice(const struct loader *loader, const yaml_node_t *mapping,
			const yaml_node_t *key, const char *section, struct err *err)
{
	const yaml_node_t *other = config_key_before(loader->document.yaml, mapping, key);
	char name[NAME_BYTES];

	/* YAML forbids it, and the library takes it: the first would be forgotten without a word. */
	if (!other)
		return 0;
	snprintf(name, sizeof(name), "%s%s%s", section, section[0] ? "." : "",
		 (const char *)key->data.scalar.value);
	err_set(err, ERR_MALFORMED, "line %zu says so already", config_line_of(other));
	return refuse(loader, key, name, err);
}

/* What is wrong in one key is noted, and the next one read. */
static int read_mapping(struct loader *loader, const yaml_node_t *mapping, const char *section,
			struct err *err)
{
	yaml_document_t *yaml = loader->document.yaml;

	if (mapping->type != YAML_MAPPING_NODE) {
		err_set(err, ERR_MALFORMED, "keys and values are expected here");
		return refuse(loader, mapping, section[0] ? section : "the file", err);
	}
	for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(yaml, pair->key);

		if ((refuse_twice(loader, mapping, key, section, err) < 0 ||
		     read_key(loader, key, yaml_document_get_node(yaml, pair->value), section,
			      err) < 0) && note_error(loader, err) < 0)
			return -1;
	}
	return 0;
}

/* One YAML text into the config. */
static int read_text(struct loader *loader, const char *text, size_t size, struct err *err)
{
	yaml_parser_t parser;
	yaml_document_t document;
	const yaml_node_t *root;
	int rc = -1;

	if (!yaml_parser_initialize(&parser))
		return err_set(err, ERR_NO_MEMORY, "no room for the YAML parser");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	if (!yaml_parser_load(&parser, &document)) {
		err_set(err, ERR_MALFORMED, "failed to parse config YAML: %s:%zu: %s",
			loader->document.path, parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "unreadable");
		yaml_parser_delete(&parser);
		return note_error(loader, err);
	}
	loader->document.yaml = &document;
	root = yaml_document_get_root_node(&document);
	if (!root)
		err_set(err, ERR_MALFORMED, "%s: config file empty", loader->document.path);
	else
		rc = read_mapping(loader, root, "", err);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return rc < 0 ? note_error(loader, err) : 0;
}

/* The presets are YAML too, so that a default is read by the code that reads a file. */
static int read_presets(struct config *config, struct err *err)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct key *key = &config_keys[i];
		struct loader loader = { .document = { .path = "defaults", .config = config } };
		const yaml_node_t *wrong = NULL;
		yaml_parser_t parser;
		yaml_document_t document;
		int rc;

		if (!key->preset)
			continue;
		if (!yaml_parser_initialize(&parser))
			return err_set(err, ERR_NO_MEMORY, "no room for the YAML parser");
		yaml_parser_set_input_string(&parser, (const unsigned char *)key->preset,
					     strlen(key->preset));
		if (!yaml_parser_load(&parser, &document)) {
			yaml_parser_delete(&parser);
			return err_set(err, ERR_INTERNAL, "the default of %s", key->name);
		}
		loader.document.yaml = &document;
		loader.document.wrong = &wrong;
		rc = config_value_read(&loader.document, key,
				       yaml_document_get_root_node(&document), err);
		yaml_document_delete(&document);
		yaml_parser_delete(&parser);
		if (rc < 0)
			return err_while(err, "the default of %s", key->name);
	}
	return 0;
}

static int read_file(struct loader *loader, struct err *err)
{
	const char *path = loader->document.path;
	struct buf text;
	int rc = -1;

	buf_init(&text, CONFIG_FILE_BYTES_MAX);
	if (file_read_all(path, CONFIG_FILE_BYTES_MAX, &text, err) < 0)
		err_while(err, "failed to open configuration file");
	else if (strspn(buf_string(&text), " \t\r\n") == text.size)
		err_set(err, ERR_MALFORMED, "%s: config file empty", path);
	else
		rc = read_text(loader, text.bytes, text.size, err);
	buf_release(&text);
	return rc;
}

static bool any_is_given(const char *const *texts, size_t count)
{
	while (count > 0)
		if (texts[--count])
			return true;
	return false;
}

static int lacks(const char *key, struct err *err)
{
	return err_set(err, ERR_MALFORMED, "shared_cache.%s is missing", key);
}

/* What no key can say alone. */
static int check_shared_cache(const struct config *config, struct err *err)
{
	const struct config_shared *shared = &config->shared;
	const char *const gcs[] = { shared->gcs.bucket, shared->gcs.prefix, shared->gcs.account_path,
				    shared->gcs.endpoint, shared->gcs.token_uri };
	const char *const s3[] = { shared->s3.bucket, shared->s3.prefix, shared->s3.region,
				   shared->s3.endpoint, shared->s3.provider, shared->s3.access_key,
				   shared->s3.secret_key, shared->s3.session_token };
	bool has_gcs = any_is_given(gcs, sizeof(gcs) / sizeof(gcs[0]));
	bool has_s3 = any_is_given(s3, sizeof(s3) / sizeof(s3[0]));

	if ((shared->folder != NULL) + has_gcs + has_s3 > 1)
		return err_set(err, ERR_MALFORMED,
			       "shared_cache: only one of filesystem, gcs and s3 can be used");
	if (has_gcs && !shared->gcs.bucket)
		return lacks("gcs.bucket", err);
	if (has_s3 && !shared->s3.bucket)
		return lacks("s3.bucket", err);
	return has_s3 && !shared->s3.region ? lacks("s3.region", err) : 0;
}

static int choose_folders(struct config *config, const char *state_dir, struct err *err)
{
	if (state_dir)
		config->state_dir = arena_strdup(&config->arena, state_dir);
	if (config->state_dir && !config->cache_dir)
		config->cache_dir = arena_printf(&config->arena, "%s/cache", config->state_dir);
	return config->state_dir && config->cache_dir ? 0 
	       : err_set(err, ERR_NO_MEMORY, "no room for the paths");
}

/* *first: of the errors. */
static int survey(struct config *config, const char *const *paths, size_t path_count,
		  const char *state_dir, struct loader *loader, struct err *err)
{
	memset(config, 0, sizeof(*config));
	arena_init(&config->arena, CONFIG_ARENA_BYTES);
	if (read_presets(config, err) < 0)
		return -1;
	for (size_t i = 0; i < path_count; i++) {
		config->path = arena_strdup(&config->arena, paths[i]);
		loader->document.path = paths[i];
		if (read_file(loader, err) < 0)
			return -1;
	}
	if (check_shared_cache(config, err) < 0) {
		if (config->path)
			err_while(err, "%s", config->path);
		if (note_error(loader, err) < 0)
			return -1;
	}
	return choose_folders(config, state_dir, err);
}

int config_survey(struct config *config, const char *const *paths, size_t path_count,
		  const char *state_dir, config_note_fn *note, void *payload, unsigned *errors,
		  struct err *err)
{
	struct err first = ERR_INIT;
	struct loader loader = {
		.document = { .config = config }, .note = note, .payload = payload,
		.errors = errors, .first = &first,
	};

	*errors = 0;
	if (survey(config, paths, path_count, state_dir, &loader, err) < 0) {
		config_release(config);
		return err_while(err, "failed loading config");
	}
	if (*errors > 0) {
		*err = first;
		err_while(err, "failed loading config");
	}
	return 0;
}

int config_load(struct config *config, const char *const *paths, size_t path_count,
		const char *state_dir, config_note_fn *note, void *payload, struct err *err)
{
	unsigned errors;

	if (config_survey(config, paths, path_count, state_dir, note, payload, &errors, err) < 0)
		return -1;
	if (errors == 0)
		return 0;
	config_release(config);
	return -1;
}

void config_release(struct config *config)
{
	arena_release(&config->arena);
}
