/*
 * retell -- refusals and failures in the words of the protocol they belong to, and who may ask at all.
 *
 * Private to front.
 */
#ifndef FRONT_RETELL_H
#define FRONT_RETELL_H

#include <stdbool.h>

struct reply;
struct request;
struct worker;

/* A reply from 400 on of a kind that tells of them itself (work/work.h): with an id that the log has too. */
void retell_failure(const struct request *request, struct reply *reply);
/* Has who asks what the kind wants of him?  False: the reply says what is missing. */
bool retell_admits(struct worker *worker, const struct request *request, struct reply *reply);

#endif
