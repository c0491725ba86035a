/* refresh.h -- entries made again in the background, while the old ones answer. */
#ifndef WORKSHOP_REFRESH_H
#define WORKSHOP_REFRESH_H

#include "workshop/running_job.h"

void refresh_ask(struct resolver *resolver, const struct derive *derive);
void refresh_ended(struct running_job *maker, const struct derive *derive, bool made);
/* What came of it may lead to more. */
bool refresh_goes_on(const struct running_job *running);

#endif
