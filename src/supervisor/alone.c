/* alone.c -- a front without a master, as a web server's process manager starts it. */
#include <stddef.h>

#include "base/err.h"
#include "base/process.h"
#include "convert/convert.h"
#include "front/front.h"
#include "sandbox/sandbox.h"
#include "supervisor/crash.h"
#include "supervisor/listen.h"
#include "supervisor/on_demand.h"
#include "supervisor/supervisor.h"

static int run_front(const struct config *config, int listen_fd, struct on_demand *on_demand,
		     struct err *err)
{
	struct front_helpers helpers = on_demand_helpers(on_demand);
	struct nursery *nursery = NULL;
	int rc;

	if (nursery_start(&nursery, config, convert_operations, convert_operation_count, err) < 0)
		return -1;
	crash_install();                     /* after the nursery: cells die silently */
	rc = listen_prepare(listen_fd, err) < 0 ? -1
	     : front_run(config, nursery, listen_fd, &helpers, err);
	nursery_stop(nursery);
	return rc;
}

int supervisor_run_alone(const struct config *config, int listen_fd, struct err *err)
{
	struct on_demand *on_demand;
	int rc;

	process_warn_of_root();
	(void)process_raise_descriptors();
	if (on_demand_open(&on_demand, config, err) < 0)
		return -1;
	rc = run_front(config, listen_fd, on_demand, err);
	on_demand_close(on_demand);
	return rc;
}
