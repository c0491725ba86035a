/* serve.c -- "symgate serve": the whole service behind one FastCGI socket. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/state.h"
#include "supervisor/supervisor.h"

#define ACTIVATED_DESCRIPTOR 3   /* sd_listen_fds(3): the first socket handed over */

/* The configuration in use, and room for the next one. */
struct reloading {
	const struct cli *cli;
	struct config configs[2];
};

bool cli_is_listening(int fd)
{
	int listening = 0;
	socklen_t size = sizeof(listening);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

static bool environment_is(const char *name, uint64_t wanted)
{
	const char *value = getenv(name);
	uint64_t number;

	return value && text_to_u64(text_of(value), 10, &number) && number == wanted;
}

/* systemd says with LISTEN_PID that descriptor 3 is meant for this very process. */
static bool take_activated(int *fd)
{
	bool ours = environment_is("LISTEN_PID", (uint64_t)getpid()) &&
		    environment_is("LISTEN_FDS", 1) && cli_is_listening(ACTIVATED_DESCRIPTOR) &&
		    fcntl(ACTIVATED_DESCRIPTOR, F_SETFD, FD_CLOEXEC) == 0;

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (ours)
		*fd = ACTIVATED_DESCRIPTOR;
	return ours;
}

static int open_socket(const char *path, bool shared_group, int *fd, struct err *err)
{
	if (path)
		return supervisor_listen(path, shared_group, fd, err);
	if (take_activated(fd))
		return 0;
	/* lighttpd and spawn-fcgi hand the listening socket over as descriptor 0. */
	if (!cli_is_listening(STDIN_FILENO))
		return err_set(err, ERR_IO, "no --socket PATH, no socket from systemd (LISTEN_FDS), and "
			       "descriptor 0 is not a listening socket");
	*fd = STDIN_FILENO;
	return 0;
}

static const struct config *reload(void *payload, const struct config *in_use, struct err *err)
{
	struct reloading *reloading = payload;
	struct config *next = &reloading->configs[in_use == &reloading->configs[0]];

	config_release(next);
	return cli_config_load(reloading->cli, next, err) < 0 ? NULL : next;
}

/* What other FastCGI programs take for a TCP address would be a file of that name here. */
static bool is_address(const char *socket_path)
{
	const char *colon = strrchr(socket_path, ':');

	return colon && !strchr(socket_path, '/') && colon[1] &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

/* Before anything is made. */
static int open_log(struct config *config, bool is_spawned, char *path, struct err *err)
{
	if (state_refuse_others(config, err) < 0)
		return -1;
	/* lighttpd leads the standard error of what it starts to /dev/null. */
	if (is_spawned && cli_log_in_state(config, path, err) < 0)
		return -1;
	if (log_open(config->log_path, config->log_level, config->log_format) < 0)
		return err_os(err, errno, "opening the log %s", config->log_path);
	return 0;
}

enum { OPTION_SOCKET = 1, OPTION_GROUP, OPTION_SPAWNED };
static const struct cli_option options[] = {
	{ OPTION_SOCKET, 0, "socket", "FILE" }, { OPTION_GROUP, 0, "group", NULL },
	{ OPTION_SPAWNED, 0, "spawned", NULL }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	struct reloading reloading = { .cli = cli };
	struct config *config = &reloading.configs[0];
	const char *socket_path = NULL, *value;
	struct cli_reader reader;
	bool shared_group = false, is_spawned = false;
	char log_path[CLI_PATH_BYTES];
	struct err err = ERR_INIT;
	int fd, rc, option;

	cli_reader_init(&reader, cli, &cli_serve, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		if (option == OPTION_SOCKET)
			socket_path = value;
		shared_group = shared_group || option == OPTION_GROUP;
		is_spawned = is_spawned || option == OPTION_SPAWNED;
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count > 0)
		return cli_misused(&cli_serve, "what is `%s`?", argv[1]);
	if (socket_path && is_address(socket_path))
		return cli_misused(&cli_serve, "--socket takes the path of a unix socket, and %s is an "
				   "address: symgate listens on no port, the web server beside it does",
				   socket_path);
	if (cli_config_load(cli, config, &err) < 0)
		return cli_fail(&err);
	if (open_log(config, is_spawned, log_path, &err) < 0) {
		config_release(config);
		return cli_fail(&err);
	}
	rc = open_socket(socket_path, shared_group, &fd, &err);
	if (rc == 0)
		rc = supervisor_run(config, fd, is_spawned, reload, &reloading, &err);
	if (rc == 0 && socket_path)
		unlink(socket_path);
	config_release(&reloading.configs[0]);
	config_release(&reloading.configs[1]);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

const struct cli_command cli_serve = {
	.name = "serve",
	.arguments = "[--socket PATH [--group]] [--spawned]",
	.about = "run the service on a FastCGI socket until SIGTERM",
	.help =
	"  --socket PATH   make and listen on this unix socket (mode 0600); without it the\n"
	"                  listening socket is descriptor 3 when systemd says so (LISTEN_FDS),\n"
	"                  else descriptor 0, as web servers and process managers hand it over\n"
	"  --group         mode 0660 for a web server of the same group\n"
	"  --spawned       started by the web server (lighttpd) itself: another process takes over\n"
	"                  should this one be killed, and all leave when the web server is gone;\n"
	"                  unless logging.file is set, the log is symgate.log in state_dir\n"
	"\n"
	"SIGHUP reopens the log file. SIGUSR2 reads the config again: new processes start with\n"
	"it, the old ones end what they answer and leave. SIGTERM ends all processes within 5\n"
	"seconds; jobs that were not finished are taken up again at the next start.\n",
	.options = options,
	.run = run,
};
