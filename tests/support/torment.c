/* torment.c -- every byte of a file changed; see support.h. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WHOLE_BYTES ((size_t)16 * 1024)
#define WAYS 5u
#define CUTS_AT_EACH_END 256u
#define CUTS_BETWEEN 256u
#define CHANGES_DEFAULT 20000u

typedef void (*work_fn)(void *payload, const uint8_t *bytes, size_t size);

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *word = getenv(variable);

	return word ? strtoull(word, NULL, 0) : otherwise;
}

/* SplitMix64: enough chance for choosing places. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = mem_get(size);

	if (!copy)
		ck_abort_msg("no memory for %zu bytes", size);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

static uint8_t changed(uint8_t byte, unsigned way)
{
	const uint8_t values[WAYS] = {
		0x00, 0xff, byte ^ 0x01, byte ^ 0x80, (uint8_t)(byte + 1),
	};

	return values[way % WAYS];
}

static void change_one(uint8_t *copy, size_t size, size_t at, unsigned way, work_fn work,
		       void *payload)
{
	uint8_t before = copy[at];

	copy[at] = changed(before, way);
	if (copy[at] != before)
		work(payload, copy, size);
	copy[at] = before;
}

static void cut_at(const uint8_t *bytes, size_t size, work_fn work, void *payload)
{
	uint8_t *copy = exact_copy(bytes, size);

	work(payload, copy, size);
	mem_give_back(copy);
}

static void cut_all(const uint8_t *bytes, size_t size, uint64_t *seed, work_fn work,
		    void *payload)
{
	if (size <= 2 * CUTS_AT_EACH_END + CUTS_BETWEEN) {
		for (size_t at = 0; at < size; at++)
			cut_at(bytes, at, work, payload);
		return;
	}
	for (size_t i = 0; i < CUTS_AT_EACH_END; i++) {
		cut_at(bytes, i, work, payload);
		cut_at(bytes, size - 1 - i, work, payload);
	}
	for (size_t i = 0; i < CUTS_BETWEEN; i++)
		cut_at(bytes, (size_t)(draw(seed) % size), work, payload);
}

void support_every_byte_change(const uint8_t *bytes, size_t size, work_fn work, void *payload)
{
	uint64_t seed = number_from("SUPPORT_SEED", 1);
	uint64_t most = number_from("SUPPORT_CHANGES", 0);
	uint64_t changes = most ? most : CHANGES_DEFAULT;
	uint8_t *copy = exact_copy(bytes, size);

	if (most ? size > most / WAYS : size > WHOLE_BYTES) {
		printf("a sample of %llu changes, SUPPORT_SEED=%llu\n",
		       (unsigned long long)changes, (unsigned long long)seed);
		fflush(stdout);
		for (uint64_t i = 0; i < changes; i++)
			change_one(copy, size, (size_t)(draw(&seed) % size),
				   (unsigned)(draw(&seed) % WAYS), work, payload);
	} else {
		for (size_t at = 0; at < size; at++)
			for (unsigned way = 0; way < WAYS; way++)
				change_one(copy, size, at, way, work, payload);
	}
	mem_give_back(copy);
	cut_all(bytes, size, &seed, work, payload);
}
