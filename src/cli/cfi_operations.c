/* cfi_operations.c -- what cells do with CfiCaches for the command line: see cells.h. */
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cfi/cfi.h"
#include "cli/cli_cells.h"

#define FLUSH_BYTES ((size_t)1 << 20)
#define RULES_MAX   256u

static int flush(struct buf *out, int fd, struct err *err)
{
	if (buf_check(out, err) < 0 || file_write_all(fd, out->bytes, out->size, err) < 0)
		return -1;
	buf_clear(out);
	return 0;
}

/* --- dump-cfi ------------------------------------------------------------------------- */

static int dump_lines(const struct cfi *cfi, int fd, struct buf *out, struct err *err)
{
	struct text rest = cfi->text, line;

	if (cfi->module.bytes) {
		buf_add_string(out, "MODULE ");
		buf_add_visible(out, cfi->module);
		buf_add_char(out, '\n');
	}
	while (text_take_line(&rest, &line)) {
		buf_add_visible(out, line);
		buf_add_char(out, '\n');
		if (out->size > FLUSH_BYTES && flush(out, fd, err) < 0)
			return -1;
	}
	return flush(out, fd, err);
}

static int dump_cfi(struct cell *cell, struct err *err)
{
	struct file_map file = { 0 };
	struct buf out;
	struct cfi cfi;
	int rc = -1;

	buf_init(&out, cell->memory_bytes / 2);
	if (file_map_fd(&file, cell_input(cell, "cficache"), err) == 0 &&
	    cfi_open(&cfi, file.bytes, file.size, err) == 0)
		rc = dump_lines(&cfi, cell_output(cell, "text"), &out, err);
	buf_release(&out);
	file_unmap(&file);
	return rc;
}

const struct cell_operation cells_operation_dump_cfi = { "dump-cfi", dump_cfi, NULL };

/* --- find-cfi ------------------------------------------------------------------------- */

/* The rules that hold at one place, each once: the last said. */
struct holding {
	struct cfi_rule rules[RULES_MAX];
	size_t count;
	bool is_bad;                 /* a line is not made of rules */
};

static void keep(struct holding *holding, const struct cfi_rule *rule)
{
	for (size_t i = 0; i < holding->count; i++) {
		if (!text_equal(holding->rules[i].name, rule->name))
			continue;
		holding->rules[i] = *rule;
		return;
	}
	if (holding->count == RULES_MAX)
		holding->is_bad = true;
	else
		holding->rules[holding->count++] = *rule;
}

static void gather(const struct cfi_rows *rows, struct holding *holding)
{
	struct cfi_rules rules;
	struct cfi_rule rule;
	int rc;

	holding->count = 0;
	holding->is_bad = false;
	cfi_rules_begin(&rules, rows);
	while ((rc = cfi_rules_next(&rules, &rule)) > 0)
		keep(holding, &rule);
	holding->is_bad |= rc < 0;
}

static void print_win(const struct cfi_win *win, struct buf *out)
{
	buf_printf(out, "  %llx+%llx %s, %u bytes of parameters, %u saved, %u local",
		   (unsigned long long)win->start, (unsigned long long)win->size,
		   win->type == CFI_WIN_FPO ? "FPO" : "frame data", win->parameter_bytes,
		   win->saved_register_bytes, win->local_bytes);
	if (win->program.bytes) {
		buf_add_string(out, ": ");
		buf_add_visible(out, win->program);
	} else if (win->allocates_base_pointer) {
		buf_add_string(out, ", EBP among them");
	}
	buf_add_char(out, '\n');
}

static void print_rows(const struct cfi_rows *rows, struct buf *out)
{
	static struct holding holding;

	gather(rows, &holding);
	buf_printf(out, "  %llx+%llx", (unsigned long long)rows->start,
		   (unsigned long long)rows->size);
	for (size_t i = 0; i < holding.count; i++) {
		buf_add_char(out, ' ');
		buf_add_visible(out, holding.rules[i].name);
		buf_add_string(out, ": ");
		buf_add_visible(out, holding.rules[i].expression);
	}
	buf_add_string(out, holding.is_bad ? " (and what is no rule)\n" : "\n");
}

static void find_text(const struct cfi *cfi, uint64_t address, struct buf *out)
{
	struct cfi_rows rows;
	struct cfi_win win;
	bool has_win = cfi_find_win(cfi, address, &win), has_rows = cfi_find(cfi, address, &rows);

	buf_printf(out, "%llx%s\n", (unsigned long long)address,
		   has_win || has_rows ? "" : "  -");
	if (has_win)
		print_win(&win, out);
	if (has_rows)
		print_rows(&rows, out);
}

static void json_win(const struct cfi_win *win, struct json_writer *json)
{
	json_key(json, "win");
	json_object(json);
	json_member_u64(json, "type", win->type);
	json_member_hex(json, "start", win->start);
	json_member_u64(json, "size", win->size);
	json_member_u64(json, "parameter_bytes", win->parameter_bytes);
	json_member_u64(json, "saved_register_bytes", win->saved_register_bytes);
	json_member_u64(json, "local_bytes", win->local_bytes);
	if (win->program.bytes)
		json_member_text(json, "program", win->program);
	else
		json_member_bool(json, "allocates_base_pointer", win->allocates_base_pointer);
	json_object_end(json);
}

static void json_rows(const struct cfi_rows *rows, struct json_writer *json)
{
	static struct holding holding;

	gather(rows, &holding);
	json_key(json, "cfi");
	json_object(json);
	json_member_hex(json, "start", rows->start);
	json_member_u64(json, "size", rows->size);
	json_key(json, "rules");
	json_array(json);
	for (size_t i = 0; i < holding.count; i++) {
		json_object(json);
		json_member_text(json, "register", holding.rules[i].name);
		json_member_text(json, "expression", holding.rules[i].expression);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void find_json(const struct cfi *cfi, uint64_t address, struct json_writer *json)
{
	struct cfi_rows rows;
	struct cfi_win win;

	json_object(json);
	json_member_hex(json, "address", address);
	if (cfi_find_win(cfi, address, &win))
		json_win(&win, json);
	if (cfi_find(cfi, address, &rows))
		json_rows(&rows, json);
	json_object_end(json);
}

/* The parameters: "json" or "text", then the addresses, a line each. */
static int find_all(const struct cfi *cfi, struct text parameters, struct buf *out, struct err *err)
{
	struct json_writer json;
	struct text form = TEXT_NONE, line;
	uint64_t address;
	bool is_json = text_take_line(&parameters, &form) && text_is(form, "json");

	json_writer_init(&json, out);
	if (is_json)
		json_array(&json);
	while (text_take_line(&parameters, &line)) {
		if (!text_to_u64(line, 16, &address))
			return err_set(err, ERR_BAD_REQUEST, "no address: `%.*s`",
				       (int)(line.size < 40 ? line.size : 40), line.bytes);
		if (is_json)
			find_json(cfi, address, &json);
		else
			find_text(cfi, address, out);
	}
	if (is_json) {
		json_array_end(&json);
		buf_add_char(out, '\n');
	}
	return 0;
}

static int find_cfi(struct cell *cell, struct err *err)
{
	struct file_map file = { 0 };
	struct buf out;
	struct cfi cfi;
	int rc = -1;

	buf_init(&out, cell->memory_bytes / 2);
	if (file_map_fd(&file, cell_input(cell, "cficache"), err) == 0 &&
	    cfi_open(&cfi, file.bytes, file.size, err) == 0 &&
	    find_all(&cfi, cell->parameters, &out, err) == 0)
		rc = flush(&out, cell_output(cell, "text"), err);
	buf_release(&out);
	file_unmap(&file);
	return rc;
}

const struct cell_operation cells_operation_find_cfi = { "find-cfi", find_cfi, NULL };
