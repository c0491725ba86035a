/*
 * address.c -- see address.h.
 *
 * IPv6 addresses that carry an IPv4 one are judged by it: a name server could otherwise name
 * 127.0.0.1 as ::ffff:127.0.0.1, or reach it through a translator.
 */
#include "fetch/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "config/config.h"
#include "fetch/fetch.h"

struct network {
	uint8_t address[16];
	unsigned prefix_bits;
};

/* Special-purpose IPv4 networks (RFC 6890 and its registry). */
static const struct network reserved_v4[] = {
	{ { 0, 0, 0, 0 },         8 },    /* this network */
	{ { 10, 0, 0, 0 },        8 },    /* private */
	{ { 100, 64, 0, 0 },     10 },    /* shared by carriers */
	{ { 127, 0, 0, 0 },       8 },    /* this host */
	{ { 169, 254, 0, 0 },    16 },    /* link local, clouds' metadata */
	{ { 172, 16, 0, 0 },     12 },    /* private */
	{ { 192, 0, 0, 0 },      29 },    /* DS-Lite */
	{ { 192, 0, 2, 0 },      24 },    /* documentation */
	{ { 192, 88, 99, 0 },    24 },    /* 6to4 relays */
	{ { 192, 168, 0, 0 },    16 },    /* private */
	{ { 198, 18, 0, 0 },     15 },    /* benchmarks */
	{ { 198, 51, 100, 0 },   24 },    /* documentation */
	{ { 224, 0, 0, 0 },       4 },    /* multicast */
	{ { 240, 0, 0, 0 },       4 },    /* reserved, broadcast */
};

/* What of 2000::/3 is not for everyone; all outside of it is not. */
static const struct network reserved_v6[] = {
	{ { 0x20, 0x01, 0x00 },               23 },   /* IETF protocols (Teredo: see below) */
	{ { 0x20, 0x01, 0x0d, 0xb8 },         32 },   /* documentation */
	{ { 0x3f, 0xff, 0x00 },               20 },   /* documentation */
};
static const struct network global_v6 = { { 0x20 }, 3 };

/* Networks whose addresses carry an IPv4 one, and at which byte. */
static const struct {
	struct network network;
	unsigned at;
	bool inverted;
} carriers[] = {
	{ { { 0 }, 96 },                                                        12, false },
	{ { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 96 },                  12, false },
	{ { { 0x00, 0x64, 0xff, 0x9b }, 96 },                                   12, false },
	{ { { 0x20, 0x02 }, 16 },                                                2, false },
	{ { { 0x20, 0x01, 0x00, 0x00 }, 32 },                                   12, true  },
};
static const struct network teredo = { { 0x20, 0x01, 0x00, 0x00 }, 32 };
#define TEREDO_SERVER_AT 4u

static bool is_in(const uint8_t *address, const struct network *network)
{
	unsigned bytes = network->prefix_bits / 8, bits = network->prefix_bits % 8;
	uint8_t mask = (uint8_t)(0xff << (8 - bits));

	if (memcmp(address, network->address, bytes) != 0)
		return false;
	return bits == 0 || (address[bytes] & mask) == (network->address[bytes] & mask);
}

static bool is_reserved_v4(const uint8_t address[4])
{
	for (size_t i = 0; i < sizeof(reserved_v4) / sizeof(reserved_v4[0]); i++)
		if (is_in(address, &reserved_v4[i]))
			return true;
	return false;
}

/* The IPv4 address inside, if there is one. */
static bool carried_v4(const uint8_t address[16], uint8_t inner[4])
{
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		if (!is_in(address, &carriers[i].network))
			continue;
		for (unsigned byte = 0; byte < 4; byte++)
			inner[byte] = (uint8_t)(address[carriers[i].at + byte] ^
						(carriers[i].inverted ? 0xff : 0));
		return true;
	}
	return false;
}

static bool is_reserved_v6(const uint8_t address[16])
{
	uint8_t inner[4];

	if (carried_v4(address, inner))
		return is_reserved_v4(inner) ||
		       (is_in(address, &teredo) && is_reserved_v4(address + TEREDO_SERVER_AT));
	for (size_t i = 0; i < sizeof(reserved_v6) / sizeof(reserved_v6[0]); i++)
		if (is_in(address, &reserved_v6[i]))
			return true;
	return !is_in(address, &global_v6);
}

static const uint8_t *bytes_v4(const struct sockaddr *address)
{
	return (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
}

static const uint8_t *bytes_v6(const struct sockaddr *address)
{
	return (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

bool fetch_address_is_reserved(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return is_reserved_v4(bytes_v4(address));
	if (address->sa_family == AF_INET6)
		return is_reserved_v6(bytes_v6(address));
	return true;                             /* a socket file is nobody's symbol server */
}

static bool is_listed(const uint8_t *address, bool is_v6, const struct config *config)
{
	for (size_t i = 0; i < config->allowed_network_count; i++) {
		const struct config_network *allowed = &config->allowed_networks[i];
		struct network network = { .prefix_bits = allowed->prefix_bits };

		memcpy(network.address, allowed->address, sizeof(network.address));
		if (allowed->is_v6 == is_v6 && is_in(address, &network))
			return true;
	}
	return false;
}

bool address_is_admitted(const struct sockaddr *address, const struct config *config)
{
	uint8_t inner[4];

	if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
		return false;
	if (config->connect_to_reserved_ips || !fetch_address_is_reserved(address))
		return true;
	if (address->sa_family == AF_INET)
		return is_listed(bytes_v4(address), false, config);
	if (is_listed(bytes_v6(address), true, config))
		return true;
	return !is_in(bytes_v6(address), &teredo) && carried_v4(bytes_v6(address), inner) &&
	       is_listed(inner, false, config);
}

void address_format(const struct sockaddr *address, char text[INET6_ADDRSTRLEN])
{
	const void *bytes = address->sa_family == AF_INET6 ? bytes_v6(address) : bytes_v4(address);

	text[0] = '\0';
	if (address->sa_family == AF_INET || address->sa_family == AF_INET6)
		inet_ntop(address->sa_family, bytes, text, INET6_ADDRSTRLEN);
}

/* An address in text form: 4 or 16 bytes, 0 when it is none. */
static size_t read_address(struct text text, uint8_t address[16])
{
	char plain[INET6_ADDRSTRLEN];

	if (text.size == 0 || text.size >= sizeof(plain))
		return 0;
	memcpy(plain, text.bytes, text.size);
	plain[text.size] = '\0';
	if (inet_pton(AF_INET, plain, address) == 1)
		return 4;
	return inet_pton(AF_INET6, plain, address) == 1 ? 16 : 0;
}

bool address_text_is_admitted(const char *text, const struct config *config)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	struct text plain = { text + (text[0] == '['), strcspn(text + (text[0] == '['), "]%") };
	uint8_t address[16];

	if (text_ends_with(plain, "."))
		plain.size--;
	switch (read_address(plain, address)) {
	case 4:
		memcpy(&v4.sin_addr, address, 4);
		return address_is_admitted((const struct sockaddr *)&v4, config);
	case 16:
		memcpy(&v6.sin6_addr, address, 16);
		return address_is_admitted((const struct sockaddr *)&v6, config);
	default:
		return true;
	}
}

bool address_text_is_in(struct text text, struct text network)
{
	const char *slash = network.size ? memchr(network.bytes, '/', network.size) : NULL;
	size_t at = slash ? (size_t)(slash - network.bytes) : network.size;
	struct network wanted = { .prefix_bits = 0 };
	uint8_t address[16];
	uint64_t bits;
	size_t size;

	if (!slash || !text_to_u64((struct text){ slash + 1, network.size - at - 1 }, 10, &bits))
		return false;
	size = read_address((struct text){ network.bytes, at }, wanted.address);
	if (size == 0 || bits > 8 * size || read_address(text, address) != size)
		return false;
	wanted.prefix_bits = (unsigned)bits;
	return is_in(address, &wanted);
}
