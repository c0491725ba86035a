/*
 * bench_answer.c -- what one hot request costs the symbolicate component: parse, step and answer
 * of 10 modules and 30 frames over a resolver that has everything in a table.
 *
 *	bench_answer [SECONDS|COUNTn [show]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arch.h"
#include "base/clock.h"
#include "base/guard.h"
#include "kinds/native/fake.h"
#include "kinds/kinds.h"
#include "lookup/plan_memo.h"

#define MODULES 10u
#define FRAMES 30u
#define SLOTS 4096u

struct slot { uint64_t key; struct cache_found found; };

static struct {
	struct resolver resolver;
	struct slot slots[SLOTS];
	struct text symcache;
	size_t asked;
} table;

static struct cache_found made_for(const struct derive *derive)
{
	struct cache_found found = { .state = CACHE_FAILED, .failure = ERR_NOT_FOUND };
	struct text uri = derive->location->uri;

	if (derive->kind == &derived_symcache) {
		found.state = CACHE_READY;
		found.payload = table.symcache;
	} else if (text_ends_with(uri, ".debug")) {
		found.state = CACHE_READY;
		found.payload = TEXT(FAKE_META_DEBUG);
	} else if (derive->location->type == FILE_TYPE_ELF_CODE) {
		found.state = CACHE_READY;
		found.payload = TEXT(FAKE_META_SYMBOLS);
	}
	return found;
}

static enum resolved table_entry(struct resolver *resolver, const struct derive *derive,
				 struct cache_found *found, struct err *err)
{
	uint64_t key, at;

	(void)resolver, (void)err;
	memcpy(&key, derive->key.hash, sizeof(key));
	key += derive->kind->cache;
	for (at = key; ; at++) {
		struct slot *slot = &table.slots[at % SLOTS];

		if (!slot->key) {
			slot->key = key;
			slot->found = made_for(derive);
		}
		if (slot->key == key) {
			*found = slot->found;
			table.asked++;
			return RESOLVED_READY;
		}
	}
}

static enum resolved table_names(struct resolver *resolver, struct convert_name *names,
				 size_t count, struct arena *arena, struct err *err)
{
	(void)resolver, (void)arena, (void)err;
	for (size_t i = 0; i < count; i++)
		if (text_starts_with(names[i].name, "_Z"))
			names[i].readable = TEXT("some::name(int, char const*)");
	return RESOLVED_READY;
}

static void table_invalidate(struct resolver *resolver, const struct derive *derive,
			const struct cache_found *found, const char *why)
{
	(void)resolver, (void)derive, (void)found;
	fprintf(stderr, "damaged: %s\n", why);
	exit(1);
}

static void write_request(struct buf *out)
{
	buf_add_string(out, "{\"platform\":\"native\",\"sources\":[");
	for (unsigned i = 0; i < 2; i++)
		buf_printf(out, "%s{\"type\":\"http\",\"id\":\"symbols%u\",\"url\":"
			   "\"https://symbols.example.org/bucket/%u/\"}", i ? "," : "", i, i);
	buf_add_string(out, "],\"modules\":[");
	for (unsigned i = 0; i < MODULES; i++)
		buf_printf(out, "%s{\"type\":\"elf\",\"code_id\":\"%02xa0b1c2d3e4f5061728394a5b6c7d8e9f"
			   "0a1b2c3\",\"debug_id\":\"c2b1a0%02x-e4d3-06f5-1728-394a5b6c7d8e\","
			   "\"code_file\":\"/usr/lib/x86_64-linux-gnu/libnumber%u.so.1\","
			   "\"image_addr\":\"0x7f%02x00000000\",\"image_size\":1048576}", i ? "," : "",
			   i, i, i, i);
	buf_add_string(out, "],\"stacktraces\":[{\"registers\":{\"rip\":\"0x7f0000000110\","
		       "\"rsp\":\"0x7ffd00001000\",\"rbp\":\"0x7ffd00002000\"},\"frames\":[");
	for (unsigned i = 0; i < FRAMES; i++)
		buf_printf(out, "%s{\"instruction_addr\":\"0x7f%02x00000%x\",\"trust\":\"cfi\"}",
			   i ? "," : "", i % MODULES, 0x101 + i % 3 * 0x10 + (i % 5 == 4 ? 0x100u : 0));
	buf_add_string(out, "]}],\"options\":{\"dif_candidates\":true}}");
}

static int answer_once(struct text body, struct buf *reply, struct err *err)
{
	struct work work;
	int result = -1;

	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE, err) < 0)
		return -1;
	if (fake_parse(&work, body, err) == 0 &&
	    work.kind->step(&work, &table.resolver, err) == STEP_DONE)
		result = work.kind->answer(&work, reply, err);
	work_release(&work);
	return result;
}

int main(int argc, char **argv)
{
	char *unit = "";
	double amount = argc > 1 ? strtod(argv[1], &unit) : 2, spent;
	struct buf body, reply, symcache;
	struct err err = ERR_INIT;
	clock_t began = clock();
	unsigned long rounds = 0;

	buf_init(&body, 1 << 20);
	buf_init(&reply, 1 << 20);
	buf_init(&symcache, 1 << 20);
	if (guard_install() < 0)
		return 1;
	fake_symcache(&symcache, ARCH_X86_64);
	table.symcache = buf_text(&symcache);
	table.resolver = (struct resolver){ .entry = table_entry, .names = table_names,
					    .invalidate = table_invalidate, .stops_at_wait = true,
					    .memo = plan_memo_new() };
	write_request(&body);
	do {
		buf_clear(&reply);
		if (answer_once(buf_text(&body), &reply, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		rounds++;
		spent = (double)(clock() - began) / CLOCKS_PER_SEC;
	} while (*unit == 'n' ? (double)rounds < amount : spent < amount);
	printf("%.0f requests per second per core, %.1f us each (%zu bytes in, %zu out, "
	       "%zu entries)\n", (double)rounds / spent, spent * 1e6 / (double)rounds, body.size,
	       reply.size, table.asked / rounds);
	if (argc > 2)
		puts(buf_string(&reply));
	buf_release(&body);
	buf_release(&reply);
	buf_release(&symcache);
	return 0;
}
