/* job_results.c -- see job_results.h. */
#include "workshop/job_results.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

struct job_result {
	struct job_result *next;
	uint8_t hash[HASH_SHA256_BYTES];
	struct buf payload;
};

bool job_result_find(const struct running_job *running, const struct cache_key *key,
		     struct cache_found *found)
{
	for (const struct job_result *result = running->results; result; result = result->next) {
		if (memcmp(result->hash, key->hash, sizeof(result->hash)) != 0)
			continue;
		*found = (struct cache_found){ .state = CACHE_READY, .payload = buf_text(&result->payload) };
		return true;
	}
	return false;
}

int job_result_take(struct running_job *running, const struct cache_key *key, struct text payload,
		    struct err *err)
{
	struct job_result *result = mem_get(sizeof(*result));

	if (!result)
		return err_set(err, ERR_NO_MEMORY, "no room for a result");
	memcpy(result->hash, key->hash, sizeof(result->hash));
	buf_init(&result->payload, LIMIT_REPLY_BYTES);
	buf_add_text(&result->payload, payload);
	if (buf_check(&result->payload, err) < 0) {
		buf_release(&result->payload);
		mem_give_back(result);
		return -1;
	}
	result->next = running->results;
	running->results = result;
	return 0;
}

static void take_out(struct job_result **at)
{
	struct job_result *result = *at;

	*at = result->next;
	buf_release(&result->payload);
	mem_give_back(result);
}

void job_result_drop(struct running_job *running, const struct cache_key *key)
{
	struct job_result **at = &running->results;

	while (*at && memcmp((*at)->hash, key->hash, sizeof(key->hash)) != 0)
		at = &(*at)->next;
	if (*at)
		take_out(at);
}

void job_results_release(struct running_job *running)
{
	while (running->results)
		take_out(&running->results);
}
