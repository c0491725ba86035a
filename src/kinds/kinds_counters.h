/*
 * kinds_counters -- what the kinds count of their answers.
 *
 * Each answer is counted by who writes it; what is asked of the command line nobody counts.
 */
#ifndef KINDS_KINDS_COUNTERS_H
#define KINDS_KINDS_COUNTERS_H

#include "board/counters.h"
#include "work/work.h"

/* By file: of a request, each file that was looked for. */
enum js_counted_file { JS_COUNTED_MINIFIED, JS_COUNTED_MAP, JS_COUNTED_SOURCE, JS_COUNTED_FILES };
enum js_counted_way {
	JS_COUNTED_DEBUG_ID, JS_COUNTED_RELEASE, JS_COUNTED_OWN, JS_COUNTED_SCRAPED, JS_COUNTED_EMBEDDED,
	JS_COUNTED_NOWHERE, JS_COUNTED_WAYS
};
enum counted_frame { FRAME_MAPPED, FRAME_UNMAPPED, FRAME_OUTCOMES };
enum symbols_refusal {
	SYMBOLS_REFUSED_HEADERS, SYMBOLS_REFUSED_MALFORMED, SYMBOLS_REFUSED_LIMIT, SYMBOLS_REFUSED_OTHER,
	SYMBOLS_REFUSALS
};

extern struct counter_set kinds_js_files;            /* by file * JS_COUNTED_WAYS + way */
extern struct counter_set kinds_js_frames, kinds_jvm_frames;     /* by enum counted_frame */
extern struct counter_set kinds_symbols_uploads, kinds_symbols_parts, kinds_symbols_bytes;   /* by enum
									symbols_kind */
extern struct counter_set kinds_symbols_refused;     /* by kind * SYMBOLS_REFUSALS + reason */

extern struct counter_set *const kinds_counters[];   /* all of them; ends with NULL */

static inline void kinds_count(const struct work *work, const struct counter_set *set, unsigned index,
			       uint64_t by)
{
	if (work->board)
		board_count(work->board, set, index, by);
}

#endif
