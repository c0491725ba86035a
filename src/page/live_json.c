/* live_json.c -- a table as JSON: the rows its page shows, whole texts and exact numbers. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "page/live_table.h"
#include "store/store.h"

struct json_table {
	struct json_writer json;
	const struct live_view *view;
	const struct live_table *table;
};

static void write_value(struct json_writer *json, const struct live_column *column,
			const struct store_value *value)
{
	char utc[CLOCK_TEXT_BYTES];

	if (value->type == STORE_NULL) {
		json_null(json);
	} else if (value->type != STORE_INT) {
		json_text(json, value->text);
	} else if (column->type == LIVE_TIME) {
		clock_format_utc(value->number, utc);
		json_string(json, utc);
	} else {
		json_i64(json, value->number);
	}
}

static void write_row(void *payload, const struct store_value *columns)
{
	struct json_table *table = payload;

	json_object(&table->json);
	for (unsigned i = 0; i < live_column_count(table->table); i++) {
		const struct live_column *column = &table->table->columns[i];

		if (!live_column_is_shown(table->view, column))
			continue;
		json_key(&table->json, column->name);
		write_value(&table->json, column, &columns[i]);
	}
	json_object_end(&table->json);
}

int live_table_json(struct buf *out, const struct live_view *view, const struct live_table *table,
		    struct err *err)
{
	struct json_table written = { .view = view, .table = table };
	struct live_query query;
	struct live_found found = { 0 };

	if (live_query_read(&query, view, table, err) < 0)
		return -1;
	json_writer_init(&written.json, out);
	json_object(&written.json);
	json_member_string(&written.json, "table", table->name);
	json_member_string(&written.json, "view", table->view);
	json_member_u64(&written.json, "page", query.page);
	json_key(&written.json, "rows");
	json_array(&written.json);
	if (live_rows(view, &query, write_row, &written, &found, err) < 0)
		return -1;
	json_array_end(&written.json);
	json_member_u64(&written.json, "total", found.total);
	json_object_end(&written.json);
	buf_add_char(out, '\n');
	return buf_check(out, err);
}
