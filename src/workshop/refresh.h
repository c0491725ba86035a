/* refresh.h -- entries made again in the background, while the old ones answer. */
#ifndef WORKSHOP_REFRESH_H
#define WORKSHOP_REFRESH_H

#include "workshop/running_job.h"

/* Starts making the entry again, within the configuration's limits; resolver->refresh of the workshop. */
void refresh_ask(struct resolver *resolver, const struct derive *derive);
void refresh_ended(struct running_job *maker, const struct derive *derive, bool made);
/* Has a refresh made something, so that another round may find more to make?  The rounds are bounded. */
bool refresh_goes_on(const struct running_job *running);

#endif
