/* symbol_file.c -- see symbol_file.h; records of Breakpad's symbol file format. */
#include "symbol_file.h"

#include <stdlib.h>

#include "support/support.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

/* A record with the lines that belong to it. */
struct record {
	uint64_t start, size;
	size_t order;                /* in the file */
	struct text lines;
	struct cfi_win win;
};

struct records {
	struct record *items;
	size_t count;
};

static void *add(void *items, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return items;
	items = realloc(items, (count ? 2 * count : 1) * size);
	ck_assert_ptr_nonnull(items);
	return items;
}

static struct text take_word(struct text *rest)
{
	struct text word = { rest->bytes, 0 };

	while (word.size < rest->size && rest->bytes[word.size] != ' ')
		word.size++;
	rest->bytes += word.size;
	rest->size -= word.size;
	while (rest->size && rest->bytes[0] == ' ') {
		rest->bytes++;
		rest->size--;
	}
	return word;
}

static uint64_t take_hex(struct text *rest)
{
	uint64_t value = 0;
	struct text word = take_word(rest);

	(void)text_to_u64(word, 16, &value);
	return value;
}

static void add_function(struct symbol_file *file, struct text line)
{
	struct text word = take_word(&line);
	bool is_public = text_is(word, "PUBLIC");
	struct symbol_list *list = is_public ? &file->publics : &file->functions;
	struct symbol_function function = { 0, 0, 0 };

	if (text_starts_with(line, "m "))
		take_word(&line);
	function.start = take_hex(&line);
	function.size = is_public ? 0 : take_hex(&line);
	function.parameter_bytes = (uint32_t)take_hex(&line);
	if (!is_public && function.size == 0)
		return;
	list->items = add(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = function;
}

static void add_record(struct records *records, uint64_t start, uint64_t size, struct text lines)
{
	records->items = add(records->items, records->count, sizeof(*records->items));
	records->items[records->count] = (struct record){ start, size, records->count, lines,
							  { .size = size } };
	records->count++;
}

static void add_win(struct records *records, const struct cfi_win *win, struct text line)
{
	struct record *last = records->count ? &records->items[records->count - 1] : NULL;

	if (last && win->start < last->start + last->size &&
	    last->start < win->start + win->size) {
		if (win->start > last->start)
			last->size = win->start - last->start;
		else if (win->start != last->start || win->size != last->size)
			return;
	}
	add_record(records, win->start, win->size, line);
	records->items[records->count - 1].win = *win;
}

static void add_stack(struct records records[3], struct text line)
{
	struct records *rows = &records[2];
	struct text rest = line;
	struct cfi_win win;
	uint64_t start;

	if (cfi_win_read(line, &win)) {
		add_win(&records[win.type == CFI_WIN_FRAME_DATA], &win, line);
	} else if (text_starts_with(line, "STACK CFI INIT ")) {
		rest.bytes += 15;
		rest.size -= 15;
		start = take_hex(&rest);
		add_record(rows, start, take_hex(&rest), line);
	} else if (text_starts_with(line, "STACK CFI ") && rows->count > 0) {
		/* Rows follow their record: one text. */
		rows->items[rows->count - 1].lines.size =
			(size_t)(line.bytes + line.size - rows->items[rows->count - 1].lines.bytes);
	}
}

static int by_range(const void *a, const void *b)
{
	const struct record *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->size != right->size)
		return left->size < right->size ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol_function *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->size > right->size) - (left->size < right->size);
}

static void put_record(struct buf *text, const struct record *record)
{
	const struct cfi_win *win = &record->win;

	if (record->size == win->size) {
		buf_printf(text, "%.*s\n", (int)record->lines.size, record->lines.bytes);
		return;
	}
	buf_printf(text, "STACK WIN %u %llx %llx %x %x %x %x %x %x %u %.*s\n", (unsigned)win->type,
		   (unsigned long long)record->start, (unsigned long long)record->size,
		   win->prologue_bytes, win->epilogue_bytes, win->parameter_bytes,
		   win->saved_register_bytes, win->local_bytes, win->max_stack_bytes,
		   win->type == CFI_WIN_FRAME_DATA, win->program.bytes ? (int)win->program.size : 1,
		   win->program.bytes ? win->program.bytes : win->allocates_base_pointer ? "1" : "0");
}

static void put_records(struct buf *text, struct records *records)
{
	uint64_t end = 0;

	if (records->count)
		qsort(records->items, records->count, sizeof(*records->items), by_range);
	for (size_t i = 0; i < records->count; i++) {
		if (records->items[i].start < end)
			continue;
		end = records->items[i].start + records->items[i].size;
		put_record(text, &records->items[i]);
	}
	free(records->items);
}

static void order_functions(struct symbol_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_start);
	for (size_t i = 0; i < list->count; i++) {
		const struct symbol_function *last = kept ? &list->items[kept - 1] : NULL;

		if (!last || last->size == 0 || list->items[i].start >= last->start + last->size)
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

void symbol_file_open(struct symbol_file *file, const char *path)
{
	struct records records[3] = { { NULL, 0 } };
	struct err err = ERR_INIT;
	struct text rest, line;

	memset(file, 0, sizeof(*file));
	file->map = support_map(path);
	rest = (struct text){ (const char *)file->map.bytes, file->map.size };
	while (text_take_line(&rest, &line)) {
		line = text_trim(line);
		if (text_starts_with(line, "FUNC ") || text_starts_with(line, "PUBLIC "))
			add_function(file, line);
		else if (text_starts_with(line, "STACK "))
			add_stack(records, line);
	}
	order_functions(&file->functions);
	order_functions(&file->publics);
	buf_init(&file->text, TEXT_BYTES_MAX);
	for (unsigned i = 0; i < 3; i++)
		put_records(&file->text, &records[i]);
	ck_assert(!file->text.failed);
	ck_assert_msg(cfi_open(&file->cfi, file->text.bytes, file->text.size, &err) == 0, "%s",
		      err.text);
}

void symbol_file_close(struct symbol_file *file)
{
	free(file->functions.items);
	free(file->publics.items);
	buf_release(&file->text);
	file_unmap(&file->map);
}

/* The last that begins at or before the address. */
static const struct symbol_function *before(const struct symbol_list *list, uint64_t address)
{
	const struct symbol_function *found = NULL;

	for (size_t i = 0; i < list->count && list->items[i].start <= address; i++)
		found = &list->items[i];
	return found;
}

const struct symbol_function *symbol_file_at(const struct symbol_file *file, uint64_t address)
{
	const struct symbol_function *function = before(&file->functions, address);
	const struct symbol_function *public = before(&file->publics, address);

	if (function && address - function->start < function->size)
		return function;
	return function && public && function->start >= public->start ? NULL : public;
}
