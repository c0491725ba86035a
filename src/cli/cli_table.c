/* cli_table.c -- see table.h. */
#include "cli/cli_table.h"

#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"

#define FIELD_COLUMNS 14
#define LINES_MAX 1000000u

void table_add_field(struct buf *out, const char *name, struct text value)
{
	if (value.size == 0)
		return;
	buf_printf(out, "  %-*s", FIELD_COLUMNS, name);
	buf_add_visible(out, value);
	buf_add_char(out, '\n');
}

size_t table_width(struct text text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
	return count;
}

void table_add_cell(struct buf *out, struct text text, size_t columns)
{
	size_t before = out->size, used;

	buf_add_visible(out, text);
	used = out->bytes ? table_width((struct text){ out->bytes + before, out->size - before }) : 0;
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

void table_add_time(struct buf *out, int64_t at, int64_t now)
{
	char utc[CLOCK_TEXT_BYTES];

	clock_format_utc(at, utc);
	buf_printf(out, "%s, %s", utc, at > now ? "in " : "");
	table_add_age(out, at > now ? at - now : now - at);
	if (at <= now)
		buf_add_string(out, " ago");
}

void table_json_time(struct json_writer *json, const char *key, int64_t at)
{
	char utc[CLOCK_TEXT_BYTES];

	clock_format_utc(at, utc);
	json_member_string(json, key, utc);
}

struct text table_location(struct text key)
{
	static const char label[] = "\nlocation: ";
	const char *found = key.size ? memmem(key.bytes, key.size, label, sizeof(label) - 1) : NULL;
	struct text rest = TEXT_NONE, location = TEXT_NONE;

	if (found) {
		rest.bytes = found + sizeof(label) - 1;
		rest.size = (size_t)(key.bytes + key.size - rest.bytes);
	}
	return text_take_line(&rest, &location) ? location : TEXT_NONE;
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

bool table_is_choice(const char *choices, struct text word)
{
	while (*choices) {
		size_t size = strcspn(choices, "|");

		if (text_equal((struct text){ choices, size }, word))
			return true;
		choices += size + (choices[size] == '|');
	}
	return false;
}

bool table_read_limit(const char *word, int64_t *most)
{
	uint64_t number;

	if (!text_to_u64(text_of(word), 10, &number) || number == 0 || number > LINES_MAX)
		return false;
	*most = (int64_t)number;
	return true;
}

int table_write(struct buf *out, struct err *err)
{
	int rc = buf_check(out, err);

	if (rc == 0)
		rc = file_write_all(STDOUT_FILENO, out->bytes, out->size, err);
	buf_clear(out);
	return rc;
}
