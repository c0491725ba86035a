/* dump.c -- a lookup file as lines people can read. */
#include "base/arch.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "symcache/symcache_layout.h"
#include "symcache/symcache.h"

static void add_frame(struct buf *out, const struct symcache_frame *frame, struct buf *path)
{
	buf_add_visible(out, frame->function);
	buf_clear(path);
	symcache_frame_path(frame, path);
	buf_add_string(out, " at ");
	if (path->size > 0)
		buf_add_visible(out, buf_text(path));
	else
		buf_add_char(out, '?');
	buf_printf(out, ":%u", (unsigned)frame->line);
}

static void add_head(const struct symcache *cache, struct buf *out)
{
	char id[DEBUGID_TEXT_BYTES];

	debugid_format(&cache->debug_id, id);
	buf_printf(out, "symcache %u %s %s: %u files, %u functions, %u locations, %u ranges, "
		   "%u bytes of strings\n", (unsigned)cache->version, arch_name(cache->arch), id,
		   (unsigned)cache->file_count, (unsigned)cache->function_count,
		   (unsigned)cache->location_count, (unsigned)cache->range_count,
		   (unsigned)cache->string_bytes);
}

int symcache_dump(const struct symcache *cache, struct buf *out, struct err *err)
{
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];
	struct buf path;

	buf_init(&path, 4 * LIMIT_NAME_BYTES);
	add_head(cache, out);
	for (uint32_t i = 0; i < cache->range_count && !out->failed; i++) {
		uint32_t address;
		size_t count;

		memcpy(&address, cache->ranges + (size_t)i * SYMC_RANGE_BYTES, sizeof(address));
		count = symcache_lookup(cache, address, frames, LIMIT_INLINE_DEPTH);
		buf_printf(out, "%08x", (unsigned)address);
		for (size_t k = 0; k < count; k++) {
			buf_add_string(out, k == 0 ? "  " : " < ");
			add_frame(out, &frames[k], &path);
		}
		if (count == 0)
			buf_add_string(out, "  -");
		buf_add_char(out, '\n');
	}
	buf_release(&path);
	return buf_check(out, err);
}
