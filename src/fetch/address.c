/*
 * address.c -- see address.h.
 *
 * Refused is what the IANA IPv4 and IPv6 Special-Purpose Address Registries list, whether or not a
 * row calls itself globally reachable: none of them is a symbol server's.  Beside them stand
 * multicast, what IANA has assigned to nobody, and addresses a cloud answers on the host itself.
 *
 * An IPv6 address that carries the IPv4 one the connection ends at is judged by that: a name
 * server could otherwise name 127.0.0.1 as ::ffff:127.0.0.1, or reach it through a translator.
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

/* The IANA IPv4 Special-Purpose Address Registry, by address; rows inside a row are not listed:
 * 192.0.0.0/24 holds DS-Lite (/29, RFC 7335), the dummy address (.8, RFC 7600), the anycast
 * addresses of PCP (.9, RFC 7723) and TURN (.10, RFC 8155), NAT64 discovery (.170 and .171,
 * RFC 8880), and Oracle's metadata (.192).  Then what other registries have. */
static const struct network reserved_v4[] = {
	{ { 0, 0, 0, 0 },         8 },    /* this network: RFC 791 */
	{ { 10, 0, 0, 0 },        8 },    /* private use: RFC 1918 */
	{ { 100, 64, 0, 0 },     10 },    /* shared by carriers: RFC 6598; Alibaba's metadata */
	{ { 127, 0, 0, 0 },       8 },    /* loopback: RFC 1122 */
	{ { 169, 254, 0, 0 },    16 },    /* link local: RFC 3927; metadata of most clouds */
	{ { 172, 16, 0, 0 },     12 },    /* private use: RFC 1918 */
	{ { 192, 0, 0, 0 },      24 },    /* IETF protocols: RFC 6890 */
	{ { 192, 0, 2, 0 },      24 },    /* documentation, TEST-NET-1: RFC 5737 */
	{ { 192, 31, 196, 0 },   24 },    /* AS112: RFC 7535 */
	{ { 192, 52, 193, 0 },   24 },    /* multicast tunnels, AMT: RFC 7450 */
	{ { 192, 88, 99, 0 },    24 },    /* 6to4 relays, deprecated: RFC 7526 */
	{ { 192, 168, 0, 0 },    16 },    /* private use: RFC 1918 */
	{ { 192, 175, 48, 0 },   24 },    /* direct delegation to AS112: RFC 7534 */
	{ { 198, 18, 0, 0 },     15 },    /* benchmarks: RFC 2544 */
	{ { 198, 51, 100, 0 },   24 },    /* documentation, TEST-NET-2: RFC 5737 */
	{ { 203, 0, 113, 0 },    24 },    /* documentation, TEST-NET-3: RFC 5737 */
	{ { 240, 0, 0, 0 },       4 },    /* reserved: RFC 1112; broadcast: RFC 919 */

	{ { 224, 0, 0, 0 },       4 },    /* multicast: IANA IPv4 Address Space, RFC 5771 */
	{ { 168, 63, 129, 16 },  32 },    /* Azure's host: DNS, DHCP and the agent's services */
};

/* IPv6 unicast that is assigned at all: IANA IPv6 Address Space, RFC 4291.  What lies outside of
 * it needs no row to be refused: these are the registry's rows there, for whoever compares.
 *	::/128, ::1/128           unspecified, loopback: RFC 4291
 *	64:ff9b:1::/48            NAT64 of one's own network: RFC 8215
 *	100::/64, 100:0:0:1::/64  discard, dummy: RFC 6666, RFC 9780
 *	5f00::/16                 segment routing: RFC 9602
 *	fc00::/7                  unique local: RFC 4193; metadata of Amazon (fd00:ec2::254),
 *	                          Google (fd20:ce::254) and Scaleway (fd00:42::42)
 *	fe80::/10                 link local: RFC 4291
 * and of other registries fec0::/10 (site local: RFC 3879), ff00::/8 (multicast: RFC 4291), and
 * ::/96 (the deprecated way to write IPv4 addresses: RFC 4291 section 2.5.5.1). */
static const struct network global_v6 = { { 0x20 }, 3 };

/* The IANA IPv6 Special-Purpose Address Registry within 2000::/3, by address.  2001::/23 holds
 * Teredo (2001::/32, RFC 4380), anycast addresses (2001:1::1 to 2001:1::3: RFC 7723, RFC 8155,
 * RFC 9665), benchmarks (2001:2::/48, RFC 5180), AMT (2001:3::/32, RFC 7450), AS112
 * (2001:4:112::/48, RFC 7535), ORCHID (2001:10::/28, RFC 4843; 2001:20::/28, RFC 7343) and drones
 * (2001:30::/28, RFC 9374). */
static const struct network reserved_v6[] = {
	{ { 0x20, 0x01, 0x00 },                           23 },   /* IETF protocols: RFC 2928 */
	{ { 0x20, 0x01, 0x0d, 0xb8 },                     32 },   /* documentation: RFC 3849 */
	{ { 0x20, 0x02 },                                 16 },   /* 6to4: RFC 3056, RFC 7526 */
	{ { 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00 },         48 },   /* AS112: RFC 7534 */
	{ { 0x3f, 0xff, 0x00 },                           20 },   /* documentation: RFC 9637 */
};

/* IPv6 addresses whose last four bytes are the IPv4 address the connection ends at; both stand in
 * the registry. */
static const struct network mapped_v4 =                   /* IPv4-mapped: RFC 4291 */
	{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 96 };
static const struct network translated_v4 =               /* NAT64, well-known: RFC 6052 */
	{ { 0x00, 0x64, 0xff, 0x9b }, 96 };
#define CARRIED_V4_AT 12u

/* The last eight bytes of an ISATAP address begin with these, its `universal' bit set or not
 * (RFC 5214): a tunnel of this machine would end at the IPv4 address behind them. */
static const uint8_t isatap[4] = { 0x00, 0x00, 0x5e, 0xfe };
#define ISATAP_AT 8u
#define ISATAP_UNIVERSAL 0x02u

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

/* The IPv4 address a connection to this one ends at, or NULL. */
static const uint8_t *carried_v4(const uint8_t address[16])
{
	if (is_in(address, &mapped_v4) || is_in(address, &translated_v4))
		return address + CARRIED_V4_AT;
	return NULL;
}

static bool is_isatap(const uint8_t address[16])
{
	return (address[ISATAP_AT] & ~ISATAP_UNIVERSAL) == isatap[0] &&
	       memcmp(address + ISATAP_AT + 1, isatap + 1, sizeof(isatap) - 1) == 0;
}

static bool is_reserved_v6(const uint8_t address[16])
{
	const uint8_t *carried = carried_v4(address);

	if (carried)
		return is_reserved_v4(carried);
	if (!is_in(address, &global_v6))
		return true;
	for (size_t i = 0; i < sizeof(reserved_v6) / sizeof(reserved_v6[0]); i++)
		if (is_in(address, &reserved_v6[i]))
			return true;
	return is_isatap(address) && is_reserved_v4(address + CARRIED_V4_AT);
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
	const uint8_t *bytes, *carried;

	if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
		return false;
	if (config->connect_to_reserved_ips || !fetch_address_is_reserved(address))
		return true;
	if (address->sa_family == AF_INET)
		return is_listed(bytes_v4(address), false, config);
	bytes = bytes_v6(address);
	carried = carried_v4(bytes);
	/* ::/0 is no leave for what is IPv4 underneath. */
	return carried ? is_listed(carried, false, config) : is_listed(bytes, true, config);
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
