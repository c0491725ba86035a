/*
 * mozilla_answers -- requests to Mozilla's API carried out with the resolver of tables (fake.h): one source,
 * of which every .sym is the SymCache fake_symcache() makes.
 */
#ifndef TESTS_MOZILLA_ANSWERS_H
#define TESTS_MOZILLA_ANSWERS_H

#include "kinds/native/fake.h"

/* The answer of that kind, in a buffer of the caller's.  0; 1: it came to none; -1 with err. */
int mozilla_answer_to(const struct request_kind *kind, const struct config *config, struct text body,
		      struct buf *reply, int *status, struct err *err);

#endif
