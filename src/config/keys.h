/*
 * keys -- every key of the config file in one table, in the order a person reads them.
 *
 * Private to config.  The table is the documentation: deploy/example.yml is printed from it.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include <stddef.h>

enum key_type {
	KEY_TEXT,            /* const char *; null: NULL where `nullable` */
	KEY_FOLDER,          /* const char *, made absolute */
	KEY_BOOL,            /* bool */
	KEY_COUNT,           /* uint64_t; null: CONFIG_UNLIMITED where nullable */
	KEY_SIZE,            /* uint64_t bytes, 10GiB and the like accepted */
	KEY_QUOTA,           /* KEY_SIZE, or auto */
	KEY_SECONDS,         /* int64_t; null: CONFIG_NEVER where nullable */
	KEY_MILLIS,          /* int64_t; the same */
	KEY_LEVEL,           /* enum log_level */
	KEY_FORMAT,          /* enum log_format */
	KEY_SANDBOX,         /* enum config_sandbox */
	KEY_RECORD,          /* bool: pending | all */
	KEY_SENDFILE,        /* enum config_sendfile */
	KEY_MOZILLA_V4,      /* bool: tecken | eliot */
	KEY_TEXTS,           /* const char *const * and the count behind it */
	KEY_NETWORKS,        /* const struct config_network * and the count behind it */
	KEY_SOURCES,         /* const char *: JSON text */
	KEY_TRANSCODERS,     /* const struct config_transcoder * and the count behind it */
	KEY_SCOPE,           /* const char * */
	KEY_PEOPLE,          /* const struct config_person * and the count behind it */
	KEY_OPERATORS,       /* const char *const * and the count behind it */
	KEY_CACHE_DIR,       /* const char * and cache_is_of_boot */
	KEY_WITHOUT_MEANING  /* Symbolicator's, accepted and listed */
};

enum key_owner { KEY_OURS, KEY_REFERENCE };

struct key {
	const char *name;            /* dotted: "caches.derived.max_unused_for" */
	enum key_type type;
	enum key_owner owner;
	size_t offset;               /* in struct config */
	size_t count_offset;         /* lists: where the count goes */
	const char *preset;          /* the default as YAML; NULL: set by the code */
	double least, most;          /* numbers: allowed range; both 0: any */
	int nullable;
	const char *about;           /* one or two lines for deploy/example.yml */
};

extern const struct key config_keys[];
extern const size_t config_key_count;

const struct key *config_key_find(const char *name);
/* Does any key start with this and a dot?  (Is it a section?) */
int config_key_is_section(const char *name);
/* Does every unknown key below this section count as an error? */
int config_key_section_is_ours(const char *name);
/* The known name most like this one, or NULL. */
const char *config_key_nearest(const char *name);

#endif
