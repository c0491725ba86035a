/*
 * fetch -- transfers: libcurl's multi interface behind one event loop step.
 *
 * Guards addresses at connect time (redirects and IPv6 included), counts bytes as they
 * arrive, decodes Content-Encoding, retries by kind of failure, remembers hosts that keep
 * failing.  Only this component knows curl.
 *
 * May include: base, config, unpack.
 */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct config;

struct fetch_header { struct text name, value; };

/* What a response that is no success means: `err` holds what its status alone says, `body` its
 * first 64 KiB.  Pure. */
typedef void fetch_judge_fn(unsigned status, struct text body, struct err *err);

/* A file that is sent, from its beginning; the descriptor is duplicated. */
struct fetch_file {
	int fd;
	uint64_t bytes;
	bool compressed;             /* as zstd, without a length said beforehand */
};

/* By what a server names the version of a file, as it stands in its answer; "": by nothing. */
struct fetch_validators {
	char etag[256];
	char modified[40];           /* Last-Modified */
};

struct fetch_order {                 /* everything is copied */
	const char *url;
	const struct fetch_header *headers;
	size_t header_count;
	const char *source_id;       /* for log, metrics and the host breaker */
	bool accept_invalid_certs;
	bool trusted;                /* may connect anywhere (operator's own) */
	bool breaker;                /* counts for and obeys the host breaker */
	const char *proxy;           /* "socks5h://..."; "": none; NULL: as the environment says */
	uint64_t max_bytes;
	int fd;                      /* empty file; the body lands there, decoded */
	struct fetch_validators known;       /* of the file as it is had already: it need not be sent again */

	/* For talking to services; a plain download leaves all of it zero. */
	const char *method;          /* "POST", "PUT": no redirects are followed; NULL: GET */
	struct text body;            /* sent along, as a form unless a header says otherwise */
	const struct fetch_file *file;       /* sent instead; NULL: none */
	bool is_whole;               /* never asked for in ranges */
	bool trusted_everywhere;     /* trusted, wherever redirects lead */
	bool is_once;                /* no retries */
	int64_t total_millis;        /* for all attempts; 0: as configured */
	int64_t connect_millis, head_millis;     /* of each attempt; 0: as configured */
	fetch_judge_fn *judge;       /* NULL: the status alone counts */
};

/* status.kind: ERR_NONE (the body is complete in fd), ERR_NOT_FOUND, ERR_DENIED ("403
 * Forbidden"), ERR_DOWNLOAD ("500 Internal Server Error", "destination is restricted"),
 * ERR_TIMEOUT (text is the compact duration: "300s"), ERR_MALFORMED ("Maximum file size
 * exceeded"), ERR_RESOLVE (the host's name does not resolve now), ERR_IO and ERR_NO_MEMORY (failures of
 * our own; remember nothing). */
typedef void fetch_done_fn(void *payload, const struct err *status, uint64_t bytes);

struct fetcher;
struct fetch;

/* A host's breaker turned: it is left alone (open), one transfer tries it (half), it answered (closed). */
enum fetch_host_state { FETCH_HOST_CLOSED, FETCH_HOST_OPEN, FETCH_HOST_HALF };
struct fetch_host_turn {
	const char *host, *source_id;        /* whose transfer turned it */
	bool trusted;                /* as in its order: hosts of those have breakers of their own */
	enum fetch_host_state state;
	int64_t blocked_millis;      /* open: for how long */
	const char *words;           /* open: the failure that did it; NULL */
};
typedef void fetch_host_fn(void *payload, const struct fetch_host_turn *turn);

int  fetcher_open(struct fetcher **fetcher, const struct config *config, struct err *err)
	__attribute__((warn_unused_result));
void fetcher_close(struct fetcher *fetcher);          /* cancels what runs; no callbacks */
/* From now on tells of hosts that turn, while a step goes on. */
void fetcher_watch_hosts(struct fetcher *fetcher, fetch_host_fn *turned, void *payload);

/* Starts a transfer; the callback comes from a later fetcher_step(), never from here. */
int  fetch_start(struct fetcher *fetcher, const struct fetch_order *order, fetch_done_fn *done,
		 void *payload, struct fetch **fetch, struct err *err)
	__attribute__((warn_unused_result));
void fetch_cancel(struct fetcher *fetcher, struct fetch *fetch);      /* no callback */
/* While its callback runs: where the head of the answer says the file's source map is; TEXT_NONE: it
 * does not. */
struct text fetch_source_map(const struct fetch *fetch);
/* Likewise: how many seconds the file counts as it is, by that head; -1: it does not say. */
int64_t fetch_fresh_seconds(const struct fetch *fetch);
/* Likewise: the file is what the order knows, and nothing was written. */
bool fetch_is_unchanged(const struct fetch *fetch);
/* Likewise: of the file; none where redirects led to it, since they may lead elsewhere next time, and where
 * its server does not want it kept. */
struct fetch_validators fetch_validators(const struct fetch *fetch);

/* One turn of the loop: waits at most `millis` for transfers or any of the other descriptors,
 * moves transfers on, calls back what ended.  ready[i] is set for those that can be read. */
struct fetch_poll { int fd; bool ready; };
int  fetcher_step(struct fetcher *fetcher, struct fetch_poll *others, size_t count, int millis,
		  struct err *err) __attribute__((warn_unused_result));
size_t fetcher_active(const struct fetcher *fetcher);

/* May we connect there?  For tests and for `symgate why`.  sockaddr is the system's. */
struct sockaddr;
bool fetch_address_is_reserved(const struct sockaddr *address);

#endif
