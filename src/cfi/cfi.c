/*
 * cfi.c -- opening a text of STACK records, and searching it.
 *
 * Lines are no array: a search stands somewhere in the text and goes to the beginning of the line
 * it is in.  Each such step is bounded by LINE_BYTES_MAX, the way back from a row to its INIT
 * record by ROWS_BYTES_MAX: a text that breaks these bounds has nothing where it does.
 */
#include "cfi/cfi.h"

#include "base/err.h"
#include "base/reader.h"
#include "cfi/cfi_lines.h"

#define MAGIC          0x43464943u           /* "CIFC" */
#define MAGIC_SWAPPED  0x43494643u
#define PREAMBLE_BYTES 8u
#define LINE_BYTES_MAX ((size_t)160 << 10)   /* longer ones other readers skip, too */
#define ROWS_BYTES_MAX ((size_t)8 << 20)     /* of one function: a few hundred thousand rows */

/* --- Opening ------------------------------------------------------------------------- */

/* A text without preamble is one of the first version. */
static int read_preamble(struct cfi *cfi, struct err *err)
{
	struct reader reader = reader_over("cficache", cfi->text.bytes, cfi->text.size);
	uint32_t magic;

	if (cfi->text.size == 0 || text_starts_with(cfi->text, "STACK") ||
	    text_starts_with(cfi->text, "MODULE "))
		return 0;
	magic = reader_u32(&reader);
	cfi->version = reader_u32(&reader);
	if (reader_check(&reader, err) < 0)
		return -1;
	if (magic == MAGIC_SWAPPED)
		return err_set(err, ERR_MALFORMED, "cficache has the wrong endianness");
	if (magic != MAGIC)
		return err_set(err, ERR_MALFORMED, "not a cficache: it starts with 0x%08x",
			       (unsigned)magic);
	if (cfi->version != CFI_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "cficache version %u, we read 1 and %u",
			       (unsigned)cfi->version, CFI_VERSION);
	cfi->text.bytes += PREAMBLE_BYTES;
	cfi->text.size -= PREAMBLE_BYTES;
	return 0;
}

/* The end of the line that `at` is in: where its newline is, or the text ends.  False: too far. */
static bool line_end(struct text text, size_t at, size_t *end)
{
	size_t left = text.size - at;
	const char *newline = memchr(text.bytes + at, '\n',
				     left < LINE_BYTES_MAX ? left : LINE_BYTES_MAX);

	*end = newline ? (size_t)(newline - text.bytes) : text.size;
	return newline || left < LINE_BYTES_MAX;
}

/* Where it begins. */
static bool line_begin(struct text text, size_t at, size_t *begin)
{
	size_t window = at < LINE_BYTES_MAX ? at : LINE_BYTES_MAX;
	const char *newline = memrchr(text.bytes + at - window, '\n', window);

	*begin = newline ? (size_t)(newline - text.bytes) + 1 : 0;
	return newline || window == at;
}

static struct text line_text(struct text text, size_t begin, size_t end)
{
	return cfi_line_trim((struct text){ text.bytes + begin, end - begin });
}

static bool ends_with_row(struct text text)
{
	size_t begin, end;

	return text.size > 0 && line_begin(text, text.size - 1, &begin) &&
	       line_end(text, begin, &end) &&
	       cfi_line_read(line_text(text, begin, end)).kind >= CFI_LINE_ROW;
}

/* Of PE files for processors whose calls are unwound by tables: nothing else tells so in a text of ours,
 * and symbol files need not know all records there are. */
static bool is_of_tables(const struct cfi *cfi)
{
	return cfi->version == CFI_VERSION && (text_starts_with(cfi->module, "windows x86_64 ") ||
					       text_starts_with(cfi->module, "windows arm64 "));
}

int cfi_open(struct cfi *cfi, const void *bytes, size_t size, struct err *err)
{
	struct text line;
	size_t end;

	*cfi = (struct cfi){ .text = { bytes ? bytes : "", size }, .version = 1,
			     .module = TEXT_NONE };
	if (read_preamble(cfi, err) < 0)
		return -1;
	if (!line_end(cfi->text, 0, &end))
		return 0;
	line = line_text(cfi->text, 0, end);
	if (text_starts_with(line, "MODULE ")) {
		cfi->module = (struct text){ line.bytes + 7, line.size - 7 };
		end += end < cfi->text.size;
		cfi->text.bytes += end;
		cfi->text.size -= end;
	}
	/* WIN records come first, CFI records last. */
	cfi->has_win = text_starts_with(cfi->text, "STACK WIN ");
	cfi->has_cfi = ends_with_row(cfi->text);
	cfi->omits_leaves = cfi->has_cfi && is_of_tables(cfi);
	return 0;
}

/* --- Searching ----------------------------------------------------------------------- */

/* Rows and INIT records are one kind of line, ascending together. */
static int order_of(const struct cfi_line *line, enum cfi_line_kind kind, uint64_t address)
{
	enum cfi_line_kind have = line->kind == CFI_LINE_INIT ? CFI_LINE_ROW : line->kind;

	if (have != kind)
		return have < kind ? -1 : 1;
	return line->address <= address ? -1 : 1;
}

struct cfi_place {
	size_t begin, end;           /* of the line */
	struct cfi_line line;
};

/* The last line of that kind, up to the address. */
static bool find_line(struct text text, enum cfi_line_kind kind, uint64_t address,
		      struct cfi_place *place)
{
	size_t low = 0, high = text.size;    /* both begin a line */
	bool is_found = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2, begin, end, next;
		struct cfi_line line;

		/* Either may be next: memory answers while this line is read. */
		__builtin_prefetch(text.bytes + low + (middle - low) / 2);
		__builtin_prefetch(text.bytes + middle + (high - middle) / 2);
		if (!line_begin(text, middle, &begin) || !line_end(text, middle, &end))
			return false;
		next = end < text.size ? end + 1 : text.size;
		line = cfi_line_read(line_text(text, begin, end));
		if (order_of(&line, kind, address) > 0) {
			high = begin;
			continue;
		}
		low = next;
		*place = (struct cfi_place){ begin, end, line };
		is_found = line.kind == kind ||
			   (kind == CFI_LINE_ROW && line.kind == CFI_LINE_INIT);
	}
	return is_found;
}

/* The INIT record before this row. */
static bool find_init(struct text text, struct cfi_place *place)
{
	enum cfi_line_kind kind = place->line.kind;
	size_t last = place->begin;

	if (kind == CFI_LINE_INIT)
		return true;
	while (kind == CFI_LINE_ROW) {
		if (place->begin == 0 || last - place->begin > ROWS_BYTES_MAX)
			return false;
		place->end = place->begin - 1;
		if (!line_begin(text, place->end, &place->begin))
			return false;
		kind = cfi_line_guess((struct text){ text.bytes + place->begin,
						     place->end - place->begin });
	}
	place->line = cfi_line_read(line_text(text, place->begin, place->end));
	return place->line.kind == CFI_LINE_INIT;
}

bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_rows *rows)
{
	struct cfi_place place;
	size_t behind, from;

	if (!cfi->has_cfi || !find_line(cfi->text, CFI_LINE_ROW, address, &place))
		return false;
	behind = place.end + (place.end < cfi->text.size);
	if (!find_init(cfi->text, &place))
		return false;
	*rows = (struct cfi_rows){ .start = place.line.address };
	if (!cfi_line_take_size(&place.line, &rows->size) || address < rows->start ||
	    address - rows->start >= rows->size)
		return false;
	from = place.end + (place.end < cfi->text.size);
	rows->init = place.line.rest;
	rows->deltas = (struct text){ cfi->text.bytes + from, behind - from };
	return true;
}

static bool find_win(const struct cfi *cfi, enum cfi_line_kind kind, uint64_t address,
		     struct cfi_win *win)
{
	struct cfi_place place;

	return find_line(cfi->text, kind, address, &place) &&
	       cfi_win_read(line_text(cfi->text, place.begin, place.end), win) &&
	       address >= win->start && address - win->start < win->size;
}

bool cfi_find_win(const struct cfi *cfi, uint64_t address, struct cfi_win *win)
{
	return cfi->has_win && (find_win(cfi, CFI_LINE_WIN_FRAME_DATA, address, win) ||
				find_win(cfi, CFI_LINE_WIN_FPO, address, win));
}

/* --- Rules --------------------------------------------------------------------------- */

void cfi_rules_begin(struct cfi_rules *rules, const struct cfi_rows *rows)
{
	*rules = (struct cfi_rules){ rows->init, rows->deltas, true };
}

/* The next line of the rows, which must be one. */
static int next_line(struct cfi_rules *rules)
{
	struct cfi_line line;
	struct text text;

	if (rules->is_fresh)
		return -1;
	if (!text_take_line(&rules->deltas, &text))
		return 0;
	line = cfi_line_read(cfi_line_trim(text));
	if (line.kind != CFI_LINE_ROW)
		return -1;
	rules->line = line.rest;
	rules->is_fresh = true;
	return 1;
}

static bool is_register(struct text word)
{
	return word.size > 1 && word.bytes[word.size - 1] == ':';
}

int cfi_rules_next(struct cfi_rules *rules, struct cfi_rule *rule)
{
	struct text word, rest;
	int rc;

	while (rules->line.size == 0)
		if ((rc = next_line(rules)) <= 0)
			return rc;
	rules->is_fresh = false;
	word = cfi_take_word(&rules->line);
	if (!is_register(word))
		return -1;
	rule->name = (struct text){ word.bytes, word.size - 1 };
	rule->expression = (struct text){ rules->line.bytes, 0 };
	for (rest = rules->line; rest.size > 0; rules->line = rest) {
		word = cfi_take_word(&rest);
		if (is_register(word))
			break;
		rule->expression.size = (size_t)(word.bytes + word.size - rule->expression.bytes);
	}
	return rule->expression.size > 0 ? 1 : -1;
}
