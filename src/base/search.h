/*
 * search -- the one binary search: where an ascending array changes from one answer to the other.
 *
 *	size_t at;
 *
 *	SEARCH_PARTITION_POINT(at, 0, count, items[at].address < address);
 *	if (at < count && items[at].address == address)
 *		...
 *
 * `is_before` is an expression of `at`: true for some number of indices from `from` on, false for
 * all behind them.  Afterwards `at` is the first index it is false for, or `to`.  It is evaluated
 * about log2(to - from) times, and never for an index outside [from, to): where the array is not in
 * order, as one in a hostile file may be, `at` is some index in [from, to].
 *
 * `at` is an unsigned integer variable; so are `from` and `to`, evaluated once, from <= to.  A macro,
 * because a function with a pointer to compare by costs a call for each step.
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#define SEARCH_PARTITION_POINT(at, from, to, is_before)                                  \
	do {                                                                             \
		__typeof__(at) search_low = (from), search_high = (to);                  \
                                                                                         \
		while (search_low < search_high) {                                       \
			(at) = search_low + (search_high - search_low) / 2;              \
			if (is_before)                                                   \
				search_low = (at) + 1;                                   \
			else                                                             \
				search_high = (at);                                      \
		}                                                                        \
		(at) = search_low;                                                       \
	} while (0)

#endif
