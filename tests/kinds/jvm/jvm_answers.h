/*
 * jvm_answers -- requests to POST /symbolicate-jvm carried out with the resolver of tables (fake.h): one
 * folder, with a mapping of UUID 11..., one that is no mapping (22...), and a source bundle (33...).
 */
#ifndef TESTS_JVM_ANSWERS_H
#define TESTS_JVM_ANSWERS_H

#include "kinds/native/fake.h"

#define JVM_GOOD "11111111-1111-1111-1111-111111111111"
#define JVM_BAD "22222222-2222-2222-2222-222222222222"
#define JVM_BUNDLE "33333333-3333-3333-3333-333333333333"
#define JVM_OTHER "44444444-4444-4444-4444-444444444444"
#define JVM_SOURCES "\"sources\":[{\"id\":\"s\",\"type\":\"http\",\"url\":\"http://h/\",\"layout\":{\"type\":\"unified\"}}]"

/* The mappings, and a source, of which the answers are told. */
#define JVM_DEEP_ENTRIES 16384u      /* of a.e.h, in the first */
extern const char jvm_mapping[], jvm_other_mapping[];

/* Of that kind, or of request_kind_jvm.  0; 1: it came to no end; -1 with err. */
int jvm_answer_as(const struct request_kind *kind, const struct config *config, struct text body, unsigned waits,
		  unsigned damaged, struct buf *reply, struct err *err);
int jvm_answer_to(const struct config *config, struct text body, unsigned waits, unsigned damaged,
		  struct buf *reply, struct err *err);

#endif
