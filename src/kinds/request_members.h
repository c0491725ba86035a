/*
 * request_members -- members that the bodies of several kinds of requests have, read alike.
 *
 * Those of the type schema_fn stand in tables of members; `context` is the struct work.  ERR_BAD_SHAPE names
 * the member.
 */
#ifndef KINDS_REQUEST_MEMBERS_H
#define KINDS_REQUEST_MEMBERS_H

#include "work/schema.h"

struct source_list;
struct work;

/* A bool: are the frames in the order "callee_first"? */
schema_fn request_members_callee_first;
/* A struct scraping. */
schema_fn request_members_scraping;
/* A struct source_list *; for null the configured ones. */
schema_fn request_members_sources;
/* It is checked, and means nothing to the answer: nothing is written. */
schema_fn request_members_platform;

int request_members_frame_order(struct text word, const struct schema_place *place, bool *is_callee_first,
				struct err *err) __attribute__((warn_unused_result));
int request_members_parse_sources(const struct cJSON *array, struct work *work,
				  const struct source_list **sources, struct err *err)
	__attribute__((warn_unused_result));

#endif
