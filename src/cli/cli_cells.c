/* cli_cells.c -- see cli_cells.h. */
#include "cli/cli_cells.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "convert/convert.h"
#include "work/request_json.h"
#include "work/work.h"

#define EVENT_MILLIS 1000
#define REPLY_BYTES ((size_t)16 * 1024 * 1024)
#define PATH_BYTES 4096u
#define COPY_BYTES 65536u

int cells_start(struct nursery **nursery, const struct config *config, struct err *err)
{
	const struct cell_operation ours[] = {
		cells_operation_describe, cells_operation_dump, cells_operation_dump_methods,
		cells_operation_dump_cfi, cells_operation_find_cfi, cells_operation_locate,
		cells_operation_sort_look, cells_operation_sort_sources,
		cells_operation_dump_symbfile, cells_operation_sourcemap_text,
		cells_operation_match_core,
	};
	const size_t our_count = sizeof(ours) / sizeof(ours[0]);
	size_t count = convert_operation_count + our_count;
	struct cell_operation *operations = mem_get_array(count, sizeof(*operations));
	int rc;

	*nursery = NULL;
	if (!operations)
		return err_set(err, ERR_NO_MEMORY, "no room for what cells can do");
	memcpy(operations, convert_operations, convert_operation_count * sizeof(*operations));
	memcpy(operations + convert_operation_count, ours, sizeof(ours));
	rc = nursery_start(nursery, config, operations, count, err);
	mem_give_back(operations);       /* the nursery was forked with its own */
	return rc;
}

int cells_command(struct cli *cli, cells_command_fn *fn, void *payload)
{
	struct nursery *nursery;
	struct err err = ERR_INIT;
	struct config config;
	int code = -1;

	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	if (cells_start(&nursery, &config, &err) == 0) {
		code = fn(cli, nursery, &config, payload, &err);
		nursery_stop(nursery);
	}
	config_release(&config);
	return code < 0 ? cli_fail(&err) : code;
}

static int answer_want(struct cell_handle *handle, const struct cell_event *event,
		       cells_find_fn *find, void *payload, struct err *err)
{
	int fd = find ? find(payload, event->role, event->id, event->name) : -1;
	int rc = cell_answer_want(handle, fd >= 0 ? CELL_ANSWER_FILE : CELL_ANSWER_ABSENT, fd, NULL,
				 err);

	if (fd >= 0)
		close(fd);
	return rc;
}

int cells_run(struct nursery *nursery, const struct cell_order *order, cells_find_fn *find,
	      void *payload, struct buf *reply, struct err *err)
{
	struct cell_handle *handle;
	struct cell_event event = { .kind = CELL_NOTHING };
	int rc = -1;

	if (nursery_spawn(nursery, order, &handle, err) < 0)
		return -1;
	for (;;) {
		if (cell_wait_event(handle, EVENT_MILLIS, &event, err) < 0)
			break;
		if (event.kind == CELL_NOTHING)
			continue;
		if (event.kind == CELL_WANTS) {
			if (answer_want(handle, &event, find, payload, err) < 0)
				break;
			continue;
		}
		if (event.kind == CELL_DONE) {
			buf_add_text(reply, event.reply);
			rc = buf_check(reply, err);
		} else if (event.kind == CELL_FAILED || event.kind == CELL_DIED) {
			*err = event.status;
		} else {
			err_set(err, ERR_INTERNAL, "a cell sent an unexpected message");
		}
		break;
	}
	cell_kill(handle);
	return rc;
}

int cells_temporary(int *fd, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_BYTES];

	if (!folder || folder[0] != '/')
		folder = "/tmp";
	if (file_temporary(folder, path, sizeof(path), fd, err) < 0)
		return -1;
	unlink(path);
	return 0;
}

int cells_copy_out(int fd, struct err *err)
{
	char bytes[COPY_BYTES];
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_os(err, errno, "reading the listing");
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		if (file_write_all(STDOUT_FILENO, bytes, (size_t)got, err) < 0)
			return -1;
	return got < 0 ? err_os(err, errno, "reading the listing") : 0;
}

int cells_show(struct nursery *nursery, const char *operation, const struct cell_file *input,
	       struct text parameters, struct err *err)
{
	struct cell_file output = { "text", -1 };
	struct cell_order order = {
		.operation = operation, .parameters = parameters,
		.inputs = input, .input_count = 1, .outputs = &output, .output_count = 1,
	};
	struct buf reply;
	int rc;

	if (cells_temporary(&output.fd, err) < 0)
		return -1;
	buf_init(&reply, REPLY_BYTES);
	rc = cells_run(nursery, &order, NULL, NULL, &reply, err);
	if (rc == 0)
		rc = cells_copy_out(output.fd, err);
	buf_release(&reply);
	close(output.fd);
	return rc;
}

int cells_show_file(struct nursery *nursery, const char *operation, const char *role, const char *path,
		    struct text parameters, struct err *err)
{
	struct cell_file input = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	int rc;

	snprintf(input.role, sizeof(input.role), "%s", role);
	if (input.fd < 0)
		return err_os(err, errno, "%s", path);
	rc = cells_show(nursery, operation, &input, parameters, err);
	close(input.fd);
	return rc < 0 ? err_while(err, "%s", path) : 0;
}

/* --- describe ------------------------------------------------------------------------- */

/* Numbers travel as "0x..." texts: a double would round them. */
static uint64_t member_hex(const cJSON *object, const char *name)
{
	struct text text = cli_member(object, name);
	uint64_t value = 0;

	if (text.size > 2)
		(void)text_to_u64((struct text){ text.bytes + 2, text.size - 2 }, 16, &value);
	return value;
}

static unsigned read_offers(const cJSON *object)
{
	static const struct { const char *name; unsigned bit; } offers[] = {
		{ "debug", DESCRIBE_DEBUG },   { "symbols", DESCRIBE_SYMBOLS },
		{ "unwind", DESCRIBE_UNWIND }, { "sources", DESCRIBE_SOURCES },
	};
	unsigned bits = 0;

	for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++)
		if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, offers[i].name)))
			bits |= offers[i].bit;
	return bits;
}

static int read_wants(const cJSON *array, struct arena *arena, struct described *slice,
		      struct err *err)
{
	size_t count = (size_t)cJSON_GetArraySize(array);
	struct described_want *wants = arena_alloc(arena, count ? count : 1, sizeof(*wants));
	const cJSON *item;

	if (!wants)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu companions", count);
	slice->wants = wants;
	cJSON_ArrayForEach(item, array)
		wants[slice->want_count++] = (struct described_want){
			cli_member(item, "role"), cli_member(item, "id"), cli_member(item, "name"),
		};
	return 0;
}

static void read_counts(const cJSON *object, struct described *slice)
{
	slice->has_methods = cli_member(object, "methods").size > 0;
	slice->methods = member_hex(object, "methods");
	slice->points = member_hex(object, "points");
	slice->bad_methods = member_hex(object, "bad_methods");
	slice->has_sources = cli_member(object, "sources_inside").size > 0;
	slice->sources_inside = member_hex(object, "sources_inside");
	slice->sources_linked = member_hex(object, "sources_linked");
	slice->sources_unreadable = member_hex(object, "sources_unreadable");
	slice->source_links = member_hex(object, "source_links");
}

static int read_slice(const cJSON *object, struct arena *arena, struct described *slice,
		      struct err *err)
{
	slice->trouble = cli_member(object, "trouble");
	slice->format = cli_member(object, "format");
	slice->kind = cli_member(object, "kind");
	slice->arch = cli_member(object, "arch");
	slice->debug_id = cli_member(object, "debug_id");
	slice->code_id = cli_member(object, "code_id");
	slice->debug_file = cli_member(object, "debug_file");
	slice->load_address = member_hex(object, "load_address");
	slice->size = member_hex(object, "size");
	slice->offers = read_offers(object);
	read_counts(object, slice);
	return read_wants(cJSON_GetObjectItemCaseSensitive(object, "wants"), arena, slice, err);
}

/* The reply comes from a cell that has seen hostile bytes: nothing in it is believed. */
static int read_description(struct text reply, struct arena *arena,
			    struct description *description, struct err *err)
{
	char *kept = arena_strndup(arena, reply.bytes, reply.size);
	const cJSON *list, *item;
	struct described *slices;
	cJSON *json;

	if (!kept)
		return err_set(err, ERR_NO_MEMORY, "no room for what the cell says");
	if (request_json_parse((struct text){ kept, reply.size }, arena, &json, err) < 0)
		return err_while(err, "what the cell says");
	list = cJSON_GetObjectItemCaseSensitive(json, "slices");
	slices = arena_alloc(arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof(*slices));
	if (!slices)
		return err_set(err, ERR_NO_MEMORY, "no room for the slices of a file");
	cJSON_ArrayForEach(item, list)
		if (read_slice(item, arena, &slices[description->slice_count++], err) < 0)
			return -1;
	description->slices = slices;
	description->packed = cli_member(json, "packed");
	description->use = cli_member(json, "use");
	description->chosen = (size_t)member_hex(json, "chosen");
	if (description->chosen > description->slice_count)
		description->chosen = description->slice_count;
	return 0;
}

static int write_parameters(const char *arch, const struct debugid *debug_id, struct buf *out,
			    struct err *err)
{
	struct json_writer json;
	char id[DEBUGID_TEXT_BYTES];

	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "arch", arch ? arch : "");
	if (debug_id) {
		debugid_format(debug_id, id);
		json_member_string(&json, "debug_id", id);
	}
	json_object_end(&json);
	return buf_check(out, err);
}

int cells_describe(struct nursery *nursery, int fd, const char *arch,
		   const struct debugid *debug_id, int unpacked_fd, int slice_fd,
		   struct arena *arena, struct description *description, struct err *err)
{
	const struct cell_file inputs[] = { { "file", fd } };
	const struct cell_file outputs[] = { { "unpacked", unpacked_fd }, { "slice", slice_fd } };
	struct cell_order order = {
		.operation = cells_operation_describe.name,
		.inputs = inputs, .input_count = 1, .outputs = outputs, .output_count = 2,
	};
	struct buf parameters, reply;
	int rc = -1;

	memset(description, 0, sizeof(*description));
	buf_init(&parameters, PATH_BYTES);
	buf_init(&reply, REPLY_BYTES);
	if (write_parameters(arch, debug_id, &parameters, err) == 0) {
		order.parameters = buf_text(&parameters);
		if (cells_run(nursery, &order, NULL, NULL, &reply, err) == 0)
			rc = read_description(buf_text(&reply), arena, description, err);
	}
	buf_release(&parameters);
	buf_release(&reply);
	return rc;
}

/* --- locate --------------------------------------------------------------------------- */

static int write_wanted(const char *section, const struct cells_symbol *symbols, size_t count,
			struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	if (section)
		json_member_string(&json, "section", section);
	json_key(&json, "symbols");
	json_array(&json);
	for (size_t i = 0; i < count; i++)
		json_text(&json, symbols[i].name);
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(out, err);
}

static bool read_address(const cJSON *item, uint64_t *address)
{
	const char *text = cJSON_IsString(item) ? item->valuestring : "";

	return strncmp(text, "0x", 2) == 0 && text_to_u64(text_of(text + 2), 16, address);
}

static int read_located(struct text reply, bool has_section, uint64_t *section_address,
			struct cells_symbol *symbols, size_t count, struct err *err)
{
	const cJSON *list;
	struct arena arena;
	cJSON *json;
	int rc;

	arena_init(&arena, 4 * REPLY_BYTES);
	rc = request_json_parse(reply, &arena, &json, err);
	if (rc == 0 && has_section &&
	    !read_address(cJSON_GetObjectItemCaseSensitive(json, "section"), section_address))
		rc = err_set(err, ERR_INTERNAL, "the cell does not say where the section is");
	list = rc == 0 ? cJSON_GetObjectItemCaseSensitive(json, "symbols") : NULL;
	list = list ? list->child : NULL;
	for (size_t i = 0; i < count && list; i++, list = list->next)
		symbols[i].is_found = read_address(list, &symbols[i].address);
	arena_release(&arena);
	return rc;
}

int cells_locate(struct nursery *nursery, int fd, const char *section, uint64_t *section_address,
		 struct cells_symbol *symbols, size_t count, struct err *err)
{
	const struct cell_file inputs[] = { { "object", fd } };
	struct cell_order order = {
		.operation = cells_operation_locate.name, .inputs = inputs, .input_count = 1,
	};
	struct buf parameters, reply;
	int rc = -1;

	buf_init(&parameters, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	if (write_wanted(section, symbols, count, &parameters, err) == 0) {
		order.parameters = buf_text(&parameters);
		if (cells_run(nursery, &order, NULL, NULL, &reply, err) == 0)
			rc = read_located(buf_text(&reply), section != NULL, section_address, symbols,
					  count, err);
	}
	buf_release(&parameters);
	buf_release(&reply);
	return rc;
}
