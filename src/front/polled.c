/* polled.c -- see polled.h. */
#include "front/polled.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define PLACES 1024u

struct polled_job { uint8_t hash[HASH_SHA256_BYTES]; char id[JOB_ID_BYTES]; };

struct polled {
	pthread_mutex_t lock;
	struct polled_job jobs[PLACES];  /* by hash: a later one takes the place */
};

struct polled *polled_new(void)
{
	struct polled *polled = mem_get(sizeof(*polled));

	if (polled)
		pthread_mutex_init(&polled->lock, NULL);
	return polled;
}

void polled_free(struct polled *polled)
{
	if (polled)
		pthread_mutex_destroy(&polled->lock);
	mem_give_back(polled);
}

static struct polled_job *place_of(struct polled *polled, const uint8_t *hash)
{
	return &polled->jobs[((unsigned)hash[0] | (unsigned)hash[1] << 8) % PLACES];
}

bool polled_find(struct polled *polled, const uint8_t hash[HASH_SHA256_BYTES], char id[JOB_ID_BYTES])
{
	struct polled_job job;

	if (!polled)
		return false;
	pthread_mutex_lock(&polled->lock);
	job = *place_of(polled, hash);
	pthread_mutex_unlock(&polled->lock);
	if (!job.id[0] || memcmp(job.hash, hash, sizeof(job.hash)) != 0)
		return false;
	memcpy(id, job.id, JOB_ID_BYTES);
	return true;
}

void polled_remember(struct polled *polled, const uint8_t hash[HASH_SHA256_BYTES], const char *id)
{
	struct polled_job job;

	if (!polled)
		return;
	memcpy(job.hash, hash, sizeof(job.hash));
	snprintf(job.id, sizeof(job.id), "%s", id);
	pthread_mutex_lock(&polled->lock);
	*place_of(polled, hash) = job;
	pthread_mutex_unlock(&polled->lock);
}
