/*
 * why -- what the words of an answer mean, and what to do about them.
 *
 * Answers say `missing_symbol` and `noperm`, which programs compare and SQL stores; people are told
 * the same everywhere: by the web page and by `symgate why`.  Pure: words in, words out, which are
 * this component's and live forever.  It includes base alone.
 */
#ifndef WHY_WHY_H
#define WHY_WHY_H

#include <stdbool.h>

#include "base/text.h"

struct why_words {
	const char *meaning;         /* half a sentence; of a word we do not know: that we do not */
	const char *advice;          /* a whole one; NULL: there is nothing to do */
	bool is_good;                /* this is how it should be */
};

/* `status` of a native frame: "unknown_image". */
struct why_words why_frame(struct text status);
/* `debug_status` and `unwind_status` of a module: "fetching_failed". */
struct why_words why_module(struct text status);
/* `download.status` of a candidate: "noperm". */
struct why_words why_candidate(struct text status);
/* `debug.status` and `unwind.status` of a candidate: what became of the file that was chosen. */
struct why_words why_use(struct text status);
/* `type` in the errors of a JavaScript answer: "missing_sourcemap". */
struct why_words why_js_error(struct text type);
/* `status` and `reason` of a JavaScript file that was looked for by URL. */
struct why_words why_scraping(struct text word);
/* `type` in the errors of a JVM answer: "invalid". */
struct why_words why_mapping(struct text type);
/* `trust` of a frame: "cfi". */
struct why_words why_trust(struct text trust);
/* `status` of a whole answer: "timeout". */
struct why_words why_answer(struct text status);

#endif
