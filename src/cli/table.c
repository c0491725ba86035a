/* table.c -- see table.h. */
#include "cli/table.h"

#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

#define FIELD_COLUMNS 14

void table_add_field(struct buf *out, const char *name, struct text value)
{
	if (value.size == 0)
		return;
	buf_printf(out, "  %-*s", FIELD_COLUMNS, name);
	buf_add_visible(out, value);
	buf_add_char(out, '\n');
}

/* Characters, not bytes, count. */
static size_t width(const char *bytes, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return count;
}

void table_add_cell(struct buf *out, struct text text, size_t columns)
{
	size_t before = out->size, used;

	buf_add_visible(out, text);
	used = out->bytes ? width(out->bytes + before, out->size - before) : 0;
	do
		buf_add_char(out, ' ');
	while (++used < columns && !out->failed);
}

void table_add_age(struct buf *out, int64_t seconds)
{
	static const struct { int64_t seconds; const char *unit; } units[] = {
		{ 86400, "d" }, { 3600, "h" }, { 60, "m" },
	};

	if (seconds < 0)
		seconds = 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (seconds >= 2 * units[i].seconds) {
			buf_printf(out, "%lld %s", (long long)(seconds / units[i].seconds),
				   units[i].unit);
			return;
		}
	}
	buf_printf(out, "%lld s", (long long)seconds);
}

void table_add_bytes(struct buf *out, uint64_t bytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB" };
	double value = (double)bytes / 1000;
	size_t unit = 0;

	if (bytes < 1000) {
		buf_printf(out, "%llu B", (unsigned long long)bytes);
		return;
	}
	while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	buf_printf(out, "%.1f %s", value, units[unit]);
}

int table_write(struct buf *out, struct err *err)
{
	int rc = buf_check(out, err);

	if (rc == 0)
		rc = file_write_all(STDOUT_FILENO, out->bytes, out->size, err);
	buf_clear(out);
	return rc;
}
