/*
 * cli -- the symgate command: one file per subcommand, one table of them.
 *
 * May include: everything below.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "base/text.h"
#include "config/config.h"

struct cJSON;
struct err;

#define CLI_CONFIG_FILES_MAX 8
#define CLI_PATH_BYTES 4096u

/* Exit codes, the same for every subcommand. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,              /* it could not be done; standard error says why */
	CLI_USAGE = 2,               /* the command line is wrong */
	CLI_NOTHING = 3,             /* done, but nothing was found (lookup, why) */
};

/* What every subcommand understands. */
struct cli {
	const char *config_paths[CLI_CONFIG_FILES_MAX];  /* -c, --config; later ones override */
	size_t config_count;
	const char *state_dir;       /* --state-dir */
	bool json;                   /* --json */
	bool only_files;             /* the command looks at files, not at a service */
	bool colour;                 /* standard output is a terminal and NO_COLOR is not set */
};

struct cli_command {
	const char *name;            /* "lookup", "symcache" */
	const char *arguments;       /* one line for the usage */
	const char *about;           /* one line for the list */
	const char *help;            /* the rest, for --help */
	const struct cli_option *options;        /* its own; NULL: none */
	bool only_files;             /* of the configuration it needs limits alone */
	const char *verbs;           /* "list|show": what its first operand is; NULL: anything */
	/* argv[0] is the subcommand's name; options stand where the user put them (options.h). */
	int (*run)(struct cli *cli, int argc, char **argv);
};

extern const struct cli_command cli_serve, cli_fcgi, cli_config, cli_backup, cli_symbolicate, cli_lookup,
	cli_symcache, cli_js, cli_retrace, cli_proguard, cli_bundle_jvm, cli_cfi, cli_object, cli_minidump, cli_applecrash, cli_stacktext, cli_coredump, cli_status, cli_why,
	cli_cache, cli_cleanup,
	cli_prefetch, cli_repair, cli_apikey, cli_symbfile, cli_push_symbols, cli_sort, cli_sourcemap;

/* Are the config's sources and its shared cache what they should be?  Every error and warning is
 * noted with its file and line; -1: there are errors, *errors more than before. */
int  cli_check_sources(const struct config *config, config_note_fn *note, void *payload,
		       unsigned *errors, struct err *err) __attribute__((warn_unused_result));
/*
 * The config of -c and --state-dir; warnings go to standard error.  Without -c it is the file that
 * $SYMGATE_CONFIG names, or symgate/symgate.yml in the system's folder of configurations, where
 * there is one (an empty $SYMGATE_CONFIG: none).  One this user may not read is done without.
 */
int cli_config_load(const struct cli *cli, struct config *config, struct err *err)
	__attribute__((warn_unused_result));
/* The file that is read without -c; NULL: there is none, or none for this user. */
const char *cli_default_config(const struct cli *cli);

/* Where logging.file says nothing and standard error may lead nowhere: symgate.log in state_dir,
 * which is made.  `path` holds CLI_PATH_BYTES and has to live as long as the configuration. */
int cli_log_in_state(struct config *config, char *path, struct err *err)
	__attribute__((warn_unused_result));

/* The text of a member, borrowed; TEXT_NONE where there is none. */
struct text cli_member(const struct cJSON *object, const char *name);

/* Is that descriptor a socket somebody listens on? */
bool cli_is_listening(int fd);
/* "symgate: ..." on standard error; returns CLI_FAILED. */
void cli_say(const char *words);             /* to standard error, with whose words they are */
int cli_fail(const struct err *err);
/* "symgate NAME: ..., see symgate NAME --help"; returns CLI_USAGE. */
int cli_misused(const struct cli_command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
