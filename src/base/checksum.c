/* checksum.c -- see checksum.h.  Names of the constants are those of the specification. */
#include "base/checksum.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/load.h"

#define PRIME64_1 0x9e3779b185ebca87u
#define PRIME64_2 0xc2b2ae3d27d4eb4fu
#define PRIME64_3 0x165667b19e3779f9u
#define PRIME64_4 0x85ebca77c2b2ae63u
#define PRIME64_5 0x27d4eb2f165667c5u

#define READ_BYTES ((size_t)64 * 1024)

static inline uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static inline uint64_t mix(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * PRIME64_2, 31) * PRIME64_1;
}

static inline uint64_t merge(uint64_t value, uint64_t lane)
{
	return (value ^ mix(0, lane)) * PRIME64_1 + PRIME64_4;
}

void checksum_init(struct checksum *checksum)
{
	*checksum = (struct checksum){
		.lanes = { PRIME64_1 + PRIME64_2, PRIME64_2, 0, (uint64_t)0 - PRIME64_1 },
	};
}

/* Whole stripes; how many bytes that were. */
static size_t add_stripes(struct checksum *checksum, const uint8_t *at, size_t size)
{
	uint64_t one = checksum->lanes[0], two = checksum->lanes[1];
	uint64_t three = checksum->lanes[2], four = checksum->lanes[3];
	size_t whole = size - size % CHECKSUM_STRIPE_BYTES;

	for (const uint8_t *end = at + whole; at != end; at += CHECKSUM_STRIPE_BYTES) {
		one = mix(one, load_u64(at));
		two = mix(two, load_u64(at + 8));
		three = mix(three, load_u64(at + 16));
		four = mix(four, load_u64(at + 24));
	}
	checksum->lanes[0] = one;
	checksum->lanes[1] = two;
	checksum->lanes[2] = three;
	checksum->lanes[3] = four;
	return whole;
}

void checksum_add(struct checksum *checksum, const void *bytes, size_t size)
{
	size_t kept = (size_t)(checksum->size_bytes % CHECKSUM_STRIPE_BYTES);
	const uint8_t *at = bytes;

	if (!size)
		return;
	checksum->size_bytes += size;
	if (kept) {
		size_t part = CHECKSUM_STRIPE_BYTES - kept < size ? CHECKSUM_STRIPE_BYTES - kept : size;

		memcpy(checksum->rest + kept, at, part);
		at += part;
		size -= part;
		if (kept + part < CHECKSUM_STRIPE_BYTES)
			return;
		add_stripes(checksum, checksum->rest, CHECKSUM_STRIPE_BYTES);
	}
	kept = add_stripes(checksum, at, size);
	if (size > kept)
		memcpy(checksum->rest, at + kept, size - kept);
}

static uint64_t converge(const struct checksum *checksum)
{
	const uint64_t *lanes = checksum->lanes;
	uint64_t value;

	if (checksum->size_bytes < CHECKSUM_STRIPE_BYTES)
		return PRIME64_5;
	value = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
	for (unsigned i = 0; i < CHECKSUM_LANES; i++)
		value = merge(value, lanes[i]);
	return value;
}

uint64_t checksum_value(const struct checksum *checksum)
{
	uint64_t value = converge(checksum) + checksum->size_bytes;
	size_t left = (size_t)(checksum->size_bytes % CHECKSUM_STRIPE_BYTES);
	const uint8_t *at = checksum->rest;

	for (; left >= 8; left -= 8, at += 8)
		value = rotate(value ^ mix(0, load_u64(at)), 27) * PRIME64_1 + PRIME64_4;
	if (left >= 4) {
		value = rotate(value ^ load_u32(at) * PRIME64_1, 23) * PRIME64_2 + PRIME64_3;
		left -= 4;
		at += 4;
	}
	for (; left; left--, at++)
		value = rotate(value ^ *at * PRIME64_5, 11) * PRIME64_1;
	value = (value ^ value >> 33) * PRIME64_2;
	value = (value ^ value >> 29) * PRIME64_3;
	return value ^ value >> 32;
}

uint64_t checksum_of(const void *bytes, size_t size)
{
	struct checksum checksum;

	checksum_init(&checksum);
	checksum_add(&checksum, bytes, size);
	return checksum_value(&checksum);
}

int checksum_seal_file(int fd, struct checksum_seal *seal, struct err *err)
{
	uint8_t bytes[READ_BYTES];
	struct checksum checksum;

	*seal = (struct checksum_seal){ 0, 0, false };
	checksum_init(&checksum);
	for (;;) {
		ssize_t got = pread(fd, bytes, sizeof(bytes), (off_t)checksum.size_bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading a file for its checksum");
		if (got == 0)
			break;
		checksum_add(&checksum, bytes, (size_t)got);
	}
	*seal = (struct checksum_seal){ checksum.size_bytes, checksum_value(&checksum), true };
	return 0;
}

int checksum_check_file(int fd, const struct checksum_seal *seal, struct err *err)
{
	struct checksum_seal now;
	struct stat st;

	if (!seal->is_set)
		return 1;
	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "reading a file for its checksum");
	if ((uint64_t)st.st_size != seal->size_bytes)
		return 0;
	if (checksum_seal_file(fd, &now, err) < 0)
		return -1;
	return now.size_bytes == seal->size_bytes && now.value == seal->value;
}
