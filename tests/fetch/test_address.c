/* test_address -- which addresses are for everyone, and which hosts go through a proxy. */
#include "support/support.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "config/config.h"
#include "fetch/address.h"
#include "fetch/fetch.h"
#include "fetch/proxy.h"

/* The rows of the IANA special-purpose address registries, and the others that are refused: the
 * first and last address, and the neighbours.  `open` says which neighbours are for everyone. */
enum { BEFORE = 1, AFTER = 2, BOTH = 3 };
static const struct { const char *name, *before, *first, *last, *after; unsigned open; } blocks[] = {
	{ "this network", NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0", AFTER },
	{ "private 10", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", BOTH },
	{ "carriers", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0", BOTH },
	{ "loopback", "126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", BOTH },
	{ "link local", "169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", BOTH },
	{ "private 172", "172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", BOTH },
	{ "IETF protocols", "191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", BOTH },
	{ "DS-Lite", NULL, "192.0.0.0", "192.0.0.7", NULL, 0 },
	{ "dummy, PCP, TURN", NULL, "192.0.0.8", "192.0.0.10", NULL, 0 },
	{ "NAT64 discovery", NULL, "192.0.0.170", "192.0.0.171", NULL, 0 },
	{ "TEST-NET-1", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", BOTH },
	{ "AS112", "192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0", BOTH },
	{ "AMT", "192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0", BOTH },
	{ "6to4 relays", "192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", BOTH },
	{ "private 192", "192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", BOTH },
	{ "AS112 direct", "192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0", BOTH },
	{ "benchmarks", "198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", BOTH },
	{ "TEST-NET-2", "198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0", BOTH },
	{ "TEST-NET-3", "203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", BOTH },
	{ "multicast", "223.255.255.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", BEFORE },
	{ "reserved", "239.255.255.255", "240.0.0.0", "255.255.255.255", NULL, 0 },
	{ "Azure's host", "168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17", BOTH },
	{ "Amazon's and others' metadata", NULL, "169.254.169.254", "169.254.170.2", NULL, 0 },
	{ "Tencent's, Scaleway's", NULL, "169.254.0.23", "169.254.42.42", NULL, 0 },
	{ "Alibaba's metadata", NULL, "100.100.100.200", "100.100.100.200", NULL, 0 },
	{ "Oracle's metadata", NULL, "192.0.0.192", "192.0.0.192", NULL, 0 },

	{ "unspecified, loopback", NULL, "::", "::1", "::2", 0 },
	{ "IPv4-compatible", NULL, "::8.8.8.8", "::127.0.0.1", NULL, 0 },
	{ "IPv4-translated", NULL, "::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1", NULL, 0 },
	{ "NAT64 local", NULL, "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "discard", NULL, "100::", "100::ffff:ffff:ffff:ffff", NULL, 0 },
	{ "dummy", NULL, "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "unassigned below", NULL, "200::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::", AFTER },
	{ "IETF protocols", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::",
	  "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", BOTH },
	{ "Teredo", NULL, "2001:0:808:808::f7f7:f7f7", "2001:0:a00:1::80ff:fffe", NULL, 0 },
	{ "anycast", NULL, "2001:1::1", "2001:1::3", NULL, 0 },
	{ "benchmarks", NULL, "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "AMT", NULL, "2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "AS112", NULL, "2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "ORCHID", NULL, "2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "drones", NULL, "2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "documentation", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
	  "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", BOTH },
	{ "6to4", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::",
	  "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::", BOTH },
	{ "6to4 of anybody", NULL, "2002:808:808::", "2002:7f00:1::", NULL, 0 },
	{ "AS112 direct", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::",
	  "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::", BOTH },
	{ "documentation 3fff", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::",
	  "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::", BOTH },
	{ "unassigned above", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "5eff::", NULL, BEFORE },
	{ "segment routing", NULL, "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "unique local", NULL, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "clouds' metadata", NULL, "fd00:ec2::254", "fd20:ce::254", NULL, 0 },
	{ "link local", NULL, "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "site local", NULL, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
	{ "multicast", NULL, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, 0 },
};

/* IPv6 addresses judged by the IPv4 one inside, for each way to carry one. */
static const char *const carriers[] = { "::ffff:", "64:ff9b::", "2600:1:2:3:0:5efe:",
					"2600:1:2:3:200:5efe:" };

static const char *const open_addresses[] = {
	"8.8.8.8", "1.1.1.1", "20.42.73.31", "2606:4700::1111", "2a00:1450:4001::2004",
	"2600:1:2:3::5efe:1",
};

static bool is_reserved(const char *text)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return fetch_address_is_reserved((const struct sockaddr *)&v4);
	ck_assert_msg(inet_pton(AF_INET6, text, &v6.sin6_addr) == 1, "%s", text);
	return fetch_address_is_reserved((const struct sockaddr *)&v6);
}

START_TEST(reserved_blocks_are_known_to_their_borders)
{
	const char *name = blocks[_i].name;

	ck_assert_msg(is_reserved(blocks[_i].first), "%s: %s", name, blocks[_i].first);
	ck_assert_msg(is_reserved(blocks[_i].last), "%s: %s", name, blocks[_i].last);
	if (blocks[_i].before)
		ck_assert_msg(is_reserved(blocks[_i].before) == !(blocks[_i].open & BEFORE), "%s: %s",
			      name, blocks[_i].before);
	if (blocks[_i].after)
		ck_assert_msg(is_reserved(blocks[_i].after) == !(blocks[_i].open & AFTER), "%s: %s",
			      name, blocks[_i].after);
}
END_TEST

START_TEST(carried_addresses_are_judged)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const char *const texts[] = { blocks[i].before, blocks[i].first, blocks[i].last,
					      blocks[i].after };

		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
			for (size_t k = 0; k < sizeof(carriers) / sizeof(carriers[0]) && texts[j]; k++) {
				char text[80];

				if (strchr(texts[j], ':'))
					continue;
				snprintf(text, sizeof(text), "%s%s", carriers[k], texts[j]);
				ck_assert_msg(is_reserved(text) == is_reserved(texts[j]), "%s", text);
			}
		}
	}
}
END_TEST

START_TEST(public_addresses_are_open)
{
	for (size_t i = 0; i < sizeof(open_addresses) / sizeof(open_addresses[0]); i++)
		ck_assert_msg(!is_reserved(open_addresses[i]), "%s", open_addresses[i]);
}
END_TEST

START_TEST(allowed_networks_are_let_through)
{
	static const struct config_network networks[] = {
		{ { 10, 1, 0, 0 }, 16, false }, { { 0xfd, 0x12 }, 16, true }, { { 0 }, 0, true },
	};
	struct config config = { .allowed_networks = networks, .allowed_network_count = 2 };

	ck_assert(address_text_is_admitted("10.1.255.1", &config));
	ck_assert(!address_text_is_admitted("10.2.0.1", &config));
	ck_assert(address_text_is_admitted("::ffff:10.1.0.1", &config));
	ck_assert(address_text_is_admitted("[fd12::1]", &config));
	ck_assert(!address_text_is_admitted("fd13::1", &config));
	ck_assert(!address_text_is_admitted("fe80::1%eth0", &config));
	ck_assert(!address_text_is_admitted("127.0.0.1.", &config));
	ck_assert(address_text_is_admitted("a.name.and.no.address.that.is.rather.long.example.org", &config));
	config.allowed_network_count = 3;                /* ::/0 */
	ck_assert(address_text_is_admitted("fd13::1", &config));
	ck_assert(!address_text_is_admitted("10.2.0.1", &config));
	ck_assert(!address_text_is_admitted("::ffff:10.2.0.1", &config));
	ck_assert(!address_text_is_admitted("64:ff9b::127.0.0.1", &config));
	ck_assert(address_text_is_admitted("64:ff9b::10.1.0.1", &config));
}
END_TEST

START_TEST(no_proxy_lists_name_hosts)
{
	static const struct { const char *list, *host; bool named; } cases[] = {
		{ "example.org", "example.org", true }, { "example.org", "a.example.org", true },
		{ ".example.org", "a.example.org", true }, { "*.example.org", "a.example.org", true },
		{ "example.org", "anexample.org", false }, { "*", "x", true }, { "", "x", false },
		{ "a, EXAMPLE.org", "example.org", true }, { "::1", "[::1]", true },
		{ "127.0.0.1", "127.0.0.1", true }, { ".", "x", false }, { ",,", "x", false },
		{ "localhost", "localhost.", true }, { "10.0.0.0/8,x", "10.1.2.3", true },
		{ "10.0.0.0/8", "11.1.2.3", false }, { "fd00::/8", "[fd12::1]", true },
		{ "10.0.0.0/33", "10.1.2.3", false }, { "10.0.0.0/", "10.1.2.3", false },
		{ "10.0.0.0/x", "10.1.2.3", false }, { "0.0.0.0/0", "::1", false },
		{ "/8", "10.1.2.3", false }, { "a/8", "a", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(proxy_list_names(cases[i].list, cases[i].host) == cases[i].named,
			      "%s in %s", cases[i].host, cases[i].list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("address");
	TCase *tcase = tcase_create("address");

	tcase_add_loop_test(tcase, reserved_blocks_are_known_to_their_borders, 0,
			    (int)(sizeof(blocks) / sizeof(blocks[0])));
	tcase_add_test(tcase, carried_addresses_are_judged);
	tcase_add_test(tcase, public_addresses_are_open);
	tcase_add_test(tcase, allowed_networks_are_let_through);
	tcase_add_test(tcase, no_proxy_lists_name_hosts);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
