/* serve.c -- "symgate serve": the whole service behind one FastCGI socket. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "front/front.h"

/* lighttpd, spawn-fcgi and systemd hand the listening socket over as descriptor 0. */
static int inherited_socket(void)
{
	int listening = 0;
	socklen_t size = sizeof(listening);

	return getsockopt(STDIN_FILENO, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

static int open_socket(const char *path, bool shared_group, int *fd, struct err *err)
{
	if (path)
		return front_listen(path, shared_group, fd, err);
	if (!inherited_socket())
		return err_set(err, ERR_IO, "no --socket PATH, and descriptor 0 is not a listening socket");
	*fd = STDIN_FILENO;
	return 0;
}

static int run(struct cli *cli, int argc, char **argv)
{
	const char *socket_path = NULL;
	bool shared_group = false;
	struct config config;
	struct err err = ERR_INIT;
	int fd, rc;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--socket") == 0 && i + 1 < argc)
			socket_path = argv[++i];
		else if (strcmp(argv[i], "--group") == 0)
			shared_group = true;
		else
			return cli_misused(&cli_serve, "unknown argument `%s`", argv[i]);
	}
	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	if (log_open(config.log_path, config.log_level, config.log_format) < 0) {
		err_set(&err, ERR_IO, "opening the log %s", config.log_path);
		return cli_fail(&err);
	}
	rc = open_socket(socket_path, shared_group, &fd, &err);
	if (rc == 0)
		rc = master_run(&config, fd, &err);
	if (rc == 0 && socket_path)
		unlink(socket_path);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : CLI_OK;
}

const struct cli_command cli_serve = {
	.name = "serve",
	.arguments = "[--socket PATH [--group]]",
	.about = "run the service on a FastCGI socket until SIGTERM",
	.help =
	"  --socket PATH   make and listen on this unix socket (mode 0600); without it the\n"
	"                  listening socket is taken from descriptor 0, as web servers and\n"
	"                  process managers hand it over\n"
	"  --group         mode 0660 for a web server of the same group\n"
	"\n"
	"SIGHUP reopens the log file. SIGTERM ends all processes within 5 seconds; jobs that\n"
	"were not finished are taken up again at the next start.\n",
	.run = run,
};
