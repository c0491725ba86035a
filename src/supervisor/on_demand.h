/*
 * on_demand -- who downloads, converts and cleans up where there is no master.
 *
 * mod_fcgid and its like start single fronts and kill them as they please.  The first front
 * with something to do starts the helpers: one detached process per state folder, by lock
 * (STATE_DIR/helpers.lock), that starts workshops and a keeper as the master does and leaves
 * with them when there was nothing to do for workshop.idle, or when the state folder is gone.
 *
 * Private to this component.
 */
#ifndef SUPERVISOR_ON_DEMAND_H
#define SUPERVISOR_ON_DEMAND_H

#include "front/front.h"

struct config;
struct err;
struct on_demand;

/* Before the nursery, any thread and the state: forks the process that will fork the others. */
int  on_demand_open(struct on_demand **on_demand, const struct config *config, struct err *err)
	__attribute__((warn_unused_result));
void on_demand_close(struct on_demand *on_demand);   /* the helpers stay */

/* What a front asks of it (front/front.h). */
struct front_helpers on_demand_helpers(struct on_demand *on_demand);

#endif
