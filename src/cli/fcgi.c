/* fcgi.c -- "symgate fcgi": one process of a web server's process manager, no daemon. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "supervisor/supervisor.h"

#define SYSTEM_STATE_DIR "/var/lib/symgate"   /* the default of state_dir, for a whole machine */

/*
 * mod_fcgid gives a process one request at a time and gives up on it after FcgidIOTimeout, 40 s
 * unless set: whoever has to wait longer is told `pending` and asks again.
 */
#define MAX_WAIT_MILLIS 25000

static int home_state_dir(char *path, size_t capacity, struct err *err)
{
	const char *home = getenv("HOME");
	const struct passwd *account = home && *home ? NULL : getpwuid(getuid());

	if (account)
		home = account->pw_dir;
	if (!home || home[0] != '/')
		return err_set(err, ERR_IO, "this account has no home: say --state-dir DIR");
	if ((size_t)snprintf(path, capacity, "%s/.local/state/symgate", home) >= capacity)
		return err_set(err, ERR_IO, "the account's home has too long a name");
	return 0;
}

/* As for any command, but for the state folder: below the account's home unless it is given. */
static int load(struct cli *cli, struct config *config, char *state_dir, struct err *err)
{
	if (cli_config_load(cli, config, err) < 0)
		return -1;
	if (cli->state_dir || strcmp(config->state_dir, SYSTEM_STATE_DIR) != 0)
		return 0;
	config_release(config);
	if (home_state_dir(state_dir, CLI_PATH_BYTES, err) < 0)
		return -1;
	cli->state_dir = state_dir;
	return cli_config_load(cli, config, err);
}

static void fit(struct config *config, char *log_path, struct err *err)
{
	config->pool_processes = 1;
	config->pool_threads = 1;            /* there is never a second request */
	config->workshop_processes = 1;
	if (config->pool_max_wait_millis == CONFIG_NEVER)
		config->pool_max_wait_millis = MAX_WAIT_MILLIS;
	/* A folder that cannot be made is told over HTTP too, by the front. */
	if (cli_log_in_state(config, log_path, err) < 0 ||
	    log_open(config->log_path, config->log_level, config->log_format) < 0) {
		fprintf(stderr, "symgate: %s cannot be used (%s); the log goes to the web server's\n",
			config->state_dir, err->kind != ERR_NONE ? err->text : strerror(errno));
		err_clear(err);
		config->log_path = NULL;
	}
}

static int run(struct cli *cli, int argc, char **argv)
{
	char state_dir[CLI_PATH_BYTES], log_path[CLI_PATH_BYTES];
	struct err err = ERR_INIT;
	struct cli_reader reader;
	struct config config;
	int rc;

	cli_reader_init(&reader, cli, &cli_fcgi, argc, argv);
	if (cli_only_operands(&reader) < 0)
		return CLI_USAGE;
	if (reader.operand_count > 0)
		return cli_misused(&cli_fcgi, "what is `%s`?", argv[1]);
	if (!cli_is_listening(STDIN_FILENO)) {
		err_set(&err, ERR_IO, "descriptor 0 is not a listening socket: this is started by a web "
			"server's FastCGI process manager, not by hand");
		return cli_fail(&err);
	}
	if (load(cli, &config, state_dir, &err) < 0 || state_refuse_others(&config, &err) < 0)
		return cli_fail(&err);
	fit(&config, log_path, &err);
	rc = supervisor_run_alone(&config, STDIN_FILENO, &err);
	if (rc < 0)
		log_message(LOG_ERROR, "front", NULL, "%s", err.text);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

const struct cli_command cli_fcgi = {
	.name = "fcgi",
	.arguments = "",
	.about = "one process of mod_fcgid or the like, on the socket it hands over",
	.help =
	"For shared hosting: the web server starts and ends processes as it likes, there is no\n"
	"service to run. Helpers that download and convert are started when there is work and\n"
	"leave when there is none for workshop.idle.\n"
	"\n"
	"Unless the config file or --state-dir says so, the state lies in\n"
	"~/.local/state/symgate. Unless logging.file is set, the log is symgate.log there.\n"
	"Unless pool.max_wait is set, a request waits 25 s at most before it is answered\n"
	"`pending`.\n",
	.run = run,
};
