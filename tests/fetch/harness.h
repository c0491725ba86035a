/*
 * harness -- what the tests of fetch share: a server with every bad habit (server.py), and
 * downloads from it into memory.
 */
#ifndef FETCH_HARNESS_H
#define FETCH_HARNESS_H

#include "support/support.h"

#include "config/config.h"
#include "fetch/transfer.h"

#define MOST_BYTES ((uint64_t)10 << 20)      /* an order's max_bytes, when it names none */

extern int port, other_port, tls_port, socks_port;   /* of the server */
extern const char *certificate;              /* its own: a file that also holds the key */

/* Starts the server, runs the suite, stops the server. */
int harness_main(Suite *suite);

/* Everything allowed, generous times. */
struct config plain_config(void);

struct outcome {
	bool done;
	struct err status;
	uint64_t bytes;
	int fd;
	struct fetch *fetch;         /* until it is done */
	bool is_unchanged;
	struct fetch_validators validators;
};

/* The done function of all orders whose payload is a struct outcome. */
fetch_done_fn on_done;

struct fetcher *open_fetcher(const struct config *config);
struct fetch *start(struct fetcher *fetcher, struct fetch_order order, struct outcome *outcome);
/* Until it is set, or, with NULL, until nothing is active. */
void run(struct fetcher *fetcher, const bool *until);
struct outcome fetch_with(struct fetcher *fetcher, struct fetch_order order);
/* With a fetcher of its own, which must give back all memory. */
struct outcome fetch_one(const struct config *config, struct fetch_order order);

/* The server's address of a path. */
char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* How often the server was asked for a path. */
int hits(const char *path);

/* What lies in the file; that must be nothing after a failure. */
char *body_of(const struct outcome *outcome);
/* text NULL: any. */
void check(const struct outcome *outcome, const char *what, enum err_kind kind, const char *text);
void check_live(long before);

#endif
