/*
 * trivial_fcgi.c -- the least a FastCGI pool can do: reads the body, sends a reply of a given
 * size.  What remains of a request's cost is the web server's and the library's.
 *
 *	trivial_fcgi SOCKET PROCESSES THREADS BYTES     SOCKET `-`: descriptor 0
 *
 * Connections are closed after each reply, as symgate's fronts do.  Ends at SIGTERM.
 */
#include <fcgiapp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES 65536
#define BACKLOG 1024

static int listen_fd;
static char *reply;
static size_t reply_bytes;

static void *work(void *payload)
{
	static _Thread_local char body[READ_BYTES];
	FCGX_Request request;

	(void)payload;
	FCGX_InitRequest(&request, listen_fd, 0);
	while (FCGX_Accept_r(&request) == 0) {
		while (FCGX_GetStr(body, sizeof(body), request.in) > 0)
			;
		FCGX_FPrintF(request.out, "Status: 200 OK\r\nContent-Type: application/json\r\n"
			     "Content-Length: %lu\r\n\r\n", (unsigned long)reply_bytes);
		FCGX_PutStr(reply, (int)reply_bytes, request.out);
		request.keepConnection = 0;
		FCGX_Finish_r(&request);
	}
	return NULL;
}

static int be_process(unsigned long threads)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (unsigned long i = 1; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
	}
	work(NULL);
	return 0;
}

static int open_socket(const char *path)
{
	return strcmp(path, "-") == 0 ? 0 : FCGX_OpenSocket(path, BACKLOG);
}

int main(int argc, char **argv)
{
	unsigned long processes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc != 5 || !processes || !threads) {
		fprintf(stderr, "usage: trivial_fcgi SOCKET PROCESSES THREADS BYTES\n");
		return 2;
	}
	reply_bytes = strtoul(argv[4], NULL, 10);
	reply = malloc(reply_bytes + 1);
	if (!reply || FCGX_Init() || (listen_fd = open_socket(argv[1])) < 0) {
		fprintf(stderr, "trivial_fcgi: cannot listen on %s\n", argv[1]);
		return 1;
	}
	memset(reply, ' ', reply_bytes);
	for (unsigned long i = 0; i < processes; i++)
		if (fork() == 0)
			return be_process(threads);
	while (wait(NULL) > 0)
		;
	return 0;
}
