/* live_space.c -- how much room the cache takes. */
#include "base/err.h"
#include "page/live_table.h"
#include "store/statements.h"
#include "store/store.h"

static int read_space(void *payload, const struct store_value *columns, unsigned count)
{
	struct live_space *space = payload;

	(void)count;
	space->entries = (uint64_t)columns[COLUMN_page_total_entries].number;
	space->bytes = (uint64_t)columns[COLUMN_page_total_bytes].number;
	return 0;
}

int live_space_read(struct live_space *space, const struct live_view *view, struct err *err)
{
	*space = (struct live_space){ 0 };
	return store_run(view->store, STATEMENT_page_total, NULL, 0, read_space, space, err) < 0 ? -1 : 0;
}
