/* jvm_context.c -- lines around frames, from source bundles: of the first in the request's order that has
 * the file and the line. */
#include "kinds/jvm/jvm_work.h"

#include "base/arena.h"
#include "base/limits.h"

#define SUFFIX ".jvm"                /* what bundles of JVM programs call every source */

struct quoting {
	struct jvm *jvm;
	struct err *err;
	struct buf url;
};

static struct text before_last(struct text text, char mark)
{
	const char *last = text.size ? memrchr(text.bytes, mark, text.size) : NULL;

	return last ? (struct text){ text.bytes, (size_t)(last - text.bytes) } : TEXT_NONE;
}

static void add_path(struct text module, struct buf *url)
{
	size_t start = url->size;

	buf_add_text(url, module);
	for (size_t i = start; i < url->size && !url->failed; i++)
		if (url->bytes[i] == '.')
			url->bytes[i] = '/';
}

void jvm_context_url(const struct jvm_result *frame, struct buf *url)
{
	const struct text path = frame->file.bytes ? frame->file : frame->raw->abs_path;
	const struct text stem = before_last(path, '.');

	buf_add_string(url, "~/");
	if (stem.bytes && !memchr(path.bytes, '$', path.size)) {
		struct text package = before_last(frame->module, '.');

		add_path(package, url);
		if (package.bytes)
			buf_add_char(url, '/');
		buf_add_text(url, stem);
	} else {
		const char *inner = frame->module.size ? memchr(frame->module.bytes, '$', frame->module.size)
						       : NULL;

		add_path(inner ? (struct text){ frame->module.bytes, (size_t)(inner - frame->module.bytes) }
			       : frame->module, url);
	}
	buf_add_string(url, SUFFIX);
}

static int quote_frame(struct quoting *quoting, struct jvm_result *frame)
{
	struct jvm *jvm = quoting->jvm;
	struct sourcecache_source source;

	frame->context = NULL;
	if (!frame->has_lineno || !frame->lineno)
		return 0;
	buf_clear(&quoting->url);
	jvm_context_url(frame, &quoting->url);
	if (quoting->url.no_memory)
		return err_no_memory(quoting->err);
	for (size_t i = 0; i < jvm->bundle_count && !quoting->url.failed && !frame->context; i++)
		if (jvm_bundle_is_open(&jvm->bundles[i]) &&
		    sourcecache_find(&jvm->bundles[i].cache, buf_text(&quoting->url), &source) &&
		    source_lines_quote(&source, frame->lineno, &jvm->work->arena, &frame->context,
				       quoting->err) < 0)
			return -1;
	return 0;
}

static int quote_all(void *payload)
{
	struct quoting *quoting = payload;
	struct jvm *jvm = quoting->jvm;

	for (size_t i = 0; i < jvm->request.trace_count; i++)
		for (size_t j = 0; j < jvm->traces[i].frames.count; j++)
			if (quote_frame(quoting, &jvm->traces[i].frames.items[j]) < 0)
				return -1;
	return 0;
}

enum resolved jvm_context_quote(struct jvm *jvm, struct resolver *resolver, struct err *err)
{
	struct quoting quoting = { .jvm = jvm, .err = err };
	struct arena_mark mark = arena_mark(&jvm->work->arena);
	enum resolved resolved;

	if (!jvm->open_bundles)
		return RESOLVED_READY;
	buf_init(&quoting.url, 2 * LIMIT_NAME_BYTES);
	resolved = held_read(&jvm->open_bundles, quote_all, &quoting, resolver, err);
	if (resolved == RESOLVED_WAIT)
		arena_rewind(&jvm->work->arena, mark);
	buf_release(&quoting.url);
	return resolved;
}
