/*
 * js_answers -- requests to POST /symbolicate-js carried out with the resolver of tables (fake.h): files of the
 * web below http://w/, and a Sentry server that knows the bundle `b` (of the release `b`, with ~/a.js, also as
 * JS_ID, and its map) and the single file `f` (of the release `f`, ~/a.js).  Of the release `late` it knows the
 * bundle only when it is asked for bare.map.
 */
#ifndef TESTS_JS_ANSWERS_H
#define TESTS_JS_ANSWERS_H

#include "kinds/native/fake.h"

#define JS_ID "67e9247c-814e-392b-a027-dbde6748fcbf"
#define JS_SENTRY "\"source\":{\"id\":\"sentry:p\",\"url\":\"http://s/\",\"token\":\"t\"}"

struct js_asked { unsigned steps; };     /* how often it was stepped */

/* In sourcemap_origin the hour is left out ("#").  0; 1: it came to no end; -1 with err. */
int js_answer_as(const struct request_kind *kind, const struct config *config, struct text body, unsigned waits,
		 unsigned damaged, struct buf *reply, struct js_asked *asked, struct err *err);
int js_answer_to(const struct config *config, struct text body, unsigned waits, unsigned damaged,
		 struct buf *reply, struct err *err);

#endif
