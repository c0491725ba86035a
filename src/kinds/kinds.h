/*
 * kinds -- the kinds of requests there are, a folder each.
 *
 * May include: base, board (counters), config, object (ids), source, fetch, cache, convert (its replies), work, lookup
 * and the derived formats its kinds read.
 */
#ifndef KINDS_KINDS_H
#define KINDS_KINDS_H

struct request_kind;

extern const struct request_kind request_kind_symbolicate, request_kind_jvm, request_kind_minidump,
	request_kind_applecrash, request_kind_stacktext, request_kind_coredump, request_kind_any, request_kind_proxy,
	request_kind_buildid,
	request_kind_mozilla_v4, request_kind_mozilla_v5, request_kind_mozilla_v5_debug,
	request_kind_mozilla_v4_anew, request_kind_mozilla_v5_anew, request_kind_mozilla_v5_debug_anew,
	request_kind_symbols_ranges, request_kind_symbols_returnpads,
	request_kind_ranges_known, request_kind_returnpads_known,
	request_kind_mozilla_download, request_kind_mozilla_source,
	request_kind_mozilla_asm,
	request_kind_wpa, request_kind_js;

/* As job rows name it; NULL: there is none of that name. */
const struct request_kind *request_kind_named(const char *name);

#endif
