/* degraded -- what a front does while its state cannot be opened.  Private to front. */
#ifndef FRONT_DEGRADED_H
#define FRONT_DEGRADED_H

struct err;
struct front;

/* Serves health questions until reopen() succeeds (0) or a signal asks to stop (-1).  `first`
 * says why the state could not be opened. */
int degraded_run(struct front *front, int (*reopen)(struct front *front, struct err *err),
		 const struct err *first) __attribute__((warn_unused_result));

#endif
