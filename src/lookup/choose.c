/* choose.c -- the best of what was found. */
#include "lookup/lookup.h"

enum quality {                       /* lower is better */
	QUALITY_BEST = 0, QUALITY_SYMBOLS_ONLY = 1, QUALITY_FAILED = 3, QUALITY_USELESS = 4
};

static enum quality quality_of(const struct candidate *candidate, enum lookup_purpose purpose)
{
	if (candidate->held.failure)
		return QUALITY_FAILED;
	switch (purpose) {
	case LOOKUP_DEBUG:
		if (candidate->meta.has_debug_info)
			return QUALITY_BEST;
		return candidate->meta.has_symbols ? QUALITY_SYMBOLS_ONLY : QUALITY_USELESS;
	case LOOKUP_UNWIND:
		return candidate->meta.has_unwind_info ? QUALITY_BEST : QUALITY_USELESS;
	default:
		return candidate->meta.has_sources ? QUALITY_BEST : QUALITY_USELESS;
	}
}

size_t lookup_choose(const struct lookup *lookup, enum lookup_purpose purpose)
{
	enum quality best = QUALITY_USELESS;
	size_t winner = NO_WINNER;

	for (size_t i = 0; i < lookup->locations.count; i++) {
		enum quality quality = quality_of(lookup->candidates[i], purpose);

		if (quality < best) {
			best = quality;
			winner = i;
		}
	}
	return winner;
}
