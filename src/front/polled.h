/*
 * polled -- jobs that were begun for clients who ask again by themselves: what they asked for, and which
 * job it is.  A bounded memory of one front process; what is forgotten is begun once more.  Private to front.
 */
#ifndef FRONT_POLLED_H
#define FRONT_POLLED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "job/job.h"

struct polled;
struct polled *polled_new(void);         /* NULL: no memory */
void polled_free(struct polled *polled); /* fine with NULL */
/* The job that was begun for the request of that hash; false: none is known.  Thread-safe, and fine with NULL. */
bool polled_find(struct polled *polled, const uint8_t hash[HASH_SHA256_BYTES], char id[JOB_ID_BYTES]);
void polled_remember(struct polled *polled, const uint8_t hash[HASH_SHA256_BYTES], const char *id);

#endif
