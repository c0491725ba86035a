/*
 * federation.c -- see federation.h.
 *
 * Counting X-Forwarded-For ends a circle of servers after some rounds.  Here one round is too many: what
 * comes back to us would wait for the download it belongs to.  So we sign what we pass on (Via, RFC 9110
 * section 7.6.3) and know it again.
 */
#include "kinds/debuginfod/federation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "config/config.h"
#include "kinds/debuginfod/buildid_request.h"
#include "work/work.h"

#define NAME_BYTES 64u
#define HOST_BYTES 256u
#define LONGEST_HEADER 2048u             /* longer ones are not passed on */

/* The same for all processes of one service, another for every other. */
static void name_us(const struct config *config, char name[NAME_BYTES])
{
	char place[HOST_BYTES + 1] = "";
	uint8_t host[HASH_SHA256_BYTES], hash[HASH_SHA256_BYTES];

	(void)gethostname(place, HOST_BYTES);
	hash_sha256(place, strlen(place), host);
	hash_keyed((const char *)host, sizeof(host), config->state_dir, strlen(config->state_dir), hash);
	snprintf(name, NAME_BYTES, "symgate-%02x%02x%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3],
		 hash[4], hash[5]);
}

static unsigned count_hops(struct text forwarded_for)
{
	unsigned hops = forwarded_for.size > 0;

	for (size_t i = 0; i < forwarded_for.size; i++)
		hops += forwarded_for.bytes[i] == ',';
	return hops;
}

static bool is_signed(struct text via, const char *name)
{
	return via.size > 0 && memmem(via.bytes, via.size, name, strlen(name)) != NULL;
}

static int keep_local(struct federation *federation, const struct source_list *sources, struct arena *arena,
		      struct err *err)
{
	struct source_list *local = arena_alloc(arena, 1, sizeof(*local));

	if (local)
		local->sources = arena_alloc(arena, sources->count, sizeof(*local->sources));
	if (!local || !local->sources)
		return err_no_memory(err);
	for (size_t i = 0; i < sources->count; i++)
		if (source_is_local(&sources->sources[i]))
			local->sources[local->count++] = sources->sources[i];
	federation->sources = local;
	return 0;
}

/* What was sent, and one more. */
static int extend(struct fetch_header *header, struct text name, struct text sent, struct text more,
		  struct arena *arena, struct err *err)
{
	bool is_first = sent.size == 0 || sent.size > LONGEST_HEADER;
	char *value = arena_printf(arena, "%.*s%s%.*s", is_first ? 0 : (int)sent.size,
				   sent.bytes ? sent.bytes : "", is_first ? "" : ", ", (int)more.size,
				   more.bytes);

	if (!value)
		return err_no_memory(err);
	*header = (struct fetch_header){ name, text_of(value) };
	return 0;
}

static int sign(struct federation *federation, const struct buildid_request *request, const char *name,
		struct arena *arena, struct err *err)
{
	struct fetch_header *headers = arena_alloc(arena, 2, sizeof(*headers));
	struct text peer = request->peer.size > 0 ? request->peer : TEXT("unknown");
	const char *mark = arena_printf(arena, "1.1 %s", name);

	if (!headers || !mark)
		return err_no_memory(err);
	if (extend(&headers[0], TEXT("X-Forwarded-For"), request->forwarded_for, peer, arena, err) < 0 ||
	    extend(&headers[1], TEXT("Via"), request->via, text_of(mark), arena, err) < 0)
		return -1;
	federation->headers = headers;
	federation->header_count = 2;
	return 0;
}

int federation_join(struct federation *federation, const struct buildid_request *request,
		    const struct config *config, const struct source_list *sources, struct arena *arena,
		    struct err *err)
{
	char name[NAME_BYTES];

	name_us(config, name);
	*federation = (struct federation){ .sources = sources };
	federation->is_far = count_hops(request->forwarded_for) >= FEDERATION_HOPS_MAX ||
			     is_signed(request->via, name);
	return federation->is_far ? keep_local(federation, sources, arena, err)
				  : sign(federation, request, name, arena, err);
}
