/* stackrequest.c -- see stackrequest.h. */
#include "cli/stackrequest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "cli/cli_cells.h"
#include "cli/local.h"
#include "stacktext/stacktext.h"

#define FRAMES_MAX 65536u
#define MODULES_MAX 4096u
#define PATH_BYTES 4096u
#define PAGE_BYTES 4096u

struct file {                        /* one path the text names */
	struct text path, build_id;
	bool is_found;
	struct local_file local;
};

struct module {                      /* one image of a file, at one address */
	size_t file;
	uint64_t base, end;
};

struct placed {
	size_t module;
	bool is_placed, is_exact;
	bool is_relative;            /* the text says an offset and no address */
	uint64_t address;
};

struct stackrequest_making {
	const struct stacktext *text;
	struct local *local;
	struct file *files;
	size_t file_count;
	struct module *modules;
	size_t module_count;
	struct placed *placed;       /* of each frame */
};

/* --- Files ------------------------------------------------------------------------------- */

/* Its number; SIZE_MAX: one too many. */
static size_t file_of(struct stackrequest_making *making, struct text path, struct text build_id)
{
	for (size_t i = 0; i < making->file_count; i++) {
		if (!text_equal(making->files[i].path, path))
			continue;
		if (!making->files[i].build_id.bytes)
			making->files[i].build_id = build_id;
		return i;
	}
	if (making->file_count == MODULES_MAX)
		return SIZE_MAX;
	making->files[making->file_count] = (struct file){ .path = path, .build_id = build_id };
	return making->file_count++;
}

static int find_file(struct stackrequest_making *making, struct file *file, struct err *err)
{
	char path[PATH_BYTES];
	int rc;

	if (file->path.size >= sizeof(path) || text_has_controls(file->path))
		return 0;
	memcpy(path, file->path.bytes, file->path.size);
	path[file->path.size] = '\0';
	rc = local_add(making->local, path, &file->local, err);
	/* Another build lies there by now: the text says which one it was. */
	if (rc > 0 && file->build_id.bytes &&
	    !text_equal_ignoring_case(file->build_id, file->local.code_id))
		rc = 0;
	file->is_found = rc > 0;
	return rc < 0 ? -1 : 0;
}

static void take_found(void *payload, const struct local_file *found)
{
	struct stackrequest_making *making = payload;

	for (size_t i = 0; i < making->file_count; i++) {
		struct file *file = &making->files[i];

		if (file->is_found || !local_is_called(found->path, file->path) ||
		    (file->build_id.bytes &&
		     !text_equal_ignoring_case(file->build_id, found->code_id)))
			continue;
		file->is_found = true;
		file->local = *found;
	}
}

/* The text's own folder has it, or one of --symbols. */
static int find_files(struct stackrequest_making *making, const char *const *folders, size_t count,
		      struct err *err)
{
	struct text *names = arena_alloc(&making->local->arena, making->file_count + 1, sizeof(*names));

	if (!names)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu modules", making->file_count);
	for (size_t i = 0; i < making->file_count; i++) {
		names[i] = making->files[i].path;
		if (find_file(making, &making->files[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (local_add_folder(making->local, folders[i], names, making->file_count, take_found,
				     making, err) < 0)
			return -1;
	return 0;
}

/* --- Modules ------------------------------------------------------------------------------ */

static void place_at(struct stackrequest_making *making, size_t frame, size_t file, uint64_t base, uint64_t address)
{
	size_t i = 0;

	while (i < making->module_count &&
	       (making->modules[i].file != file || making->modules[i].base != base))
		i++;
	if (i == MODULES_MAX)
		return;
	if (i == making->module_count)
		making->modules[making->module_count++] = (struct module){ file, base, base };
	if (address >= making->modules[i].end)
		making->modules[i].end = (address / PAGE_BYTES + 1) * PAGE_BYTES;
	making->placed[frame] = (struct placed){ .module = i, .is_placed = true, .address = address };
}

static void place(struct stackrequest_making *making, size_t frame, size_t file, uint64_t base)
{
	place_at(making, frame, file, base, making->text->frames[frame].address);
}

/* Does the text say where it was, whether by an address or in a module? */
static bool has_place(const struct stacktext_frame *frame)
{
	return frame->has_address || (frame->has_offset && !frame->symbol.bytes);
}

/* How far the address lies from where the file's first byte would be mapped. */
static bool offset_in_file(const struct stacktext_frame *frame, const struct file *file,
			   uint64_t *offset)
{
	uint64_t load = file->is_found ? file->local.load_address : 0;
	uint64_t address;

	if (frame->has_offset && !frame->symbol.bytes)
		address = frame->offset;
	else if (load > 0)
		address = frame->address;            /* it is not moved */
	else
		return false;
	*offset = address - load;
	return address >= load && (!frame->has_address || *offset <= frame->address);
}

static void place_by_offset(struct stackrequest_making *making, size_t index)
{
	const struct stacktext_frame *frame = &making->text->frames[index];
	size_t file = frame->module.bytes ? file_of(making, frame->module, frame->build_id) : SIZE_MAX;
	uint64_t offset;

	if (!has_place(frame) || file == SIZE_MAX || !offset_in_file(frame, &making->files[file], &offset))
		return;
	if (frame->has_address) {
		place(making, index, file, frame->address - offset);
	} else {
		place_at(making, index, file, 0, offset);
		making->placed[index].is_relative = making->placed[index].is_placed;
	}
}

static void place_by_mapping(struct stackrequest_making *making, size_t index)
{
	const struct stacktext_frame *frame = &making->text->frames[index];
	const struct stacktext_mapping *mapping;
	size_t file;

	if (!frame->has_address)
		return;
	mapping = stacktext_mapping_at(making->text, frame->address);
	file = mapping ? file_of(making, mapping->path, frame->build_id) : SIZE_MAX;
	if (file != SIZE_MAX)
		place(making, index, file, stacktext_base(making->text, mapping->path));
}

/* The text may name the module of one frame only. */
static void place_beside(struct stackrequest_making *making, size_t index)
{
	const struct stacktext_frame *frame = &making->text->frames[index];

	for (size_t i = 0; i < making->module_count && frame->has_address; i++)
		if (making->modules[i].base > 0 && frame->address >= making->modules[i].base &&
		    frame->address < making->modules[i].end)
			making->placed[index] = (struct placed){ .module = i, .is_placed = true,
								 .address = frame->address };
}

/* --- Symbols and offsets -------------------------------------------------------------------- */

struct stack_symbols {
	struct cells_symbol *symbols;
	size_t *frames;              /* whose they are */
	size_t count;
};

static bool lacks_symbol(const struct stackrequest_making *making, size_t frame, size_t file)
{
	const struct stacktext_frame *asked = &making->text->frames[frame];

	return !making->placed[frame].is_placed && asked->has_address && asked->symbol.bytes &&
	       asked->module.bytes && text_equal(asked->module, making->files[file].path);
}

/* glibc says "SYMBOL+OFFSET" where the dynamic symbols name the function. */
static int place_by_symbols(struct stackrequest_making *making, size_t file,
			    struct stack_symbols *symbols,
			    struct err *err)
{
	const struct local_file *local = &making->files[file].local;
	struct err why = ERR_INIT;
	uint64_t unused;
	int fd, rc;

	symbols->count = 0;
	for (size_t i = 0; i < making->text->frame_count; i++) {
		if (!lacks_symbol(making, i, file))
			continue;
		symbols->frames[symbols->count] = i;
		symbols->symbols[symbols->count++] =
			(struct cells_symbol){ .name = making->text->frames[i].symbol };
	}
	if (symbols->count == 0 || !making->files[file].is_found)
		return 0;
	fd = open(local->path.bytes, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	rc = cells_locate(making->local->nursery, fd, NULL, &unused, symbols->symbols, symbols->count,
			  &why);
	close(fd);
	for (size_t i = 0; rc == 0 && i < symbols->count; i++) {
		const struct stacktext_frame *frame = &making->text->frames[symbols->frames[i]];
		uint64_t offset = symbols->symbols[i].address + frame->offset;

		if (symbols->symbols[i].is_found && offset <= frame->address)
			place(making, symbols->frames[i], file, frame->address - offset);
	}
	return why.kind == ERR_NO_MEMORY ? err_set(err, ERR_NO_MEMORY, "%s", why.text) : 0;
}

static int place_all_symbols(struct stackrequest_making *making, struct err *err)
{
	size_t count = making->text->frame_count;
	struct stack_symbols symbols = {
		.symbols = arena_alloc(&making->local->arena, count + 1, sizeof(*symbols.symbols)),
		.frames = arena_alloc(&making->local->arena, count + 1, sizeof(*symbols.frames)),
	};

	if (!symbols.symbols || !symbols.frames)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu frames", count);
	for (size_t i = 0; i < making->file_count; i++)
		if (place_by_symbols(making, i, &symbols, err) < 0)
			return -1;
	return 0;
}

/* --- Signals ------------------------------------------------------------------------------- */

/* glibc's backtrace does not say where a signal came in between.  Its handler returns to these
 * instructions of x86-64 (rt_sigreturn), to which nobody calls: the address is theirs and not one
 * behind a call, and so is that of the frame after it, which the signal stopped. */
static const uint8_t sigreturn_x86_64[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

static bool is_sigreturn(const struct stackrequest_making *making, size_t frame)
{
	const struct placed *placed = &making->placed[frame];
	const struct module *module = &making->modules[placed->module];
	uint64_t offset = making->text->frames[frame].address - module->base;
	uint8_t bytes[sizeof(sigreturn_x86_64)];
	bool is_so;
	int fd;

	if (!placed->is_placed || !making->files[module->file].is_found || offset > INT64_MAX)
		return false;
	fd = open(making->files[module->file].local.path.bytes,
		  O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_so = pread(fd, bytes, sizeof(bytes), (off_t)offset) == (ssize_t)sizeof(bytes) &&
		memcmp(bytes, sigreturn_x86_64, sizeof(bytes)) == 0;
	close(fd);
	return is_so;
}

static void find_signals(struct stackrequest_making *making)
{
	for (size_t i = 0; i < making->text->stack_count; i++) {
		const struct stacktext_stack *stack = &making->text->stacks[i];

		for (size_t j = stack->first; j < stack->first + stack->count; j++) {
			if (!making->text->frames[j].is_return || !is_sigreturn(making, j))
				continue;
			making->placed[j].is_exact = true;
			if (j + 1 < stack->first + stack->count)
				making->placed[j + 1].is_exact = true;
		}
	}
}

/* --- Writing --------------------------------------------------------------------------------- */

static void member_found(struct json_writer *json, const char *name, struct text value)
{
	if (value.size > 0)
		json_member_text(json, name, value);
}

static void write_module(const struct stackrequest_making *making, const struct module *module,
			 struct json_writer *json)
{
	const struct file *file = &making->files[module->file];
	bool is_elf = !file->is_found || text_is(file->local.format, "elf");

	json_object(json);
	json_member_text(json, "type", is_elf ? TEXT("elf") : file->local.format);
	json_member_text(json, "code_file", file->path);
	member_found(json, "code_id", file->is_found ? file->local.code_id : file->build_id);
	member_found(json, "debug_id", file->is_found ? file->local.debug_id : TEXT_NONE);
	json_member_hex(json, "image_addr", module->base);
	json_member_u64(json, "image_size", module->end - module->base);
	json_object_end(json);
}

static void write_frame(const struct stackrequest_making *making, size_t index,
			struct json_writer *json)
{
	const struct stacktext_frame *frame = &making->text->frames[index];
	const struct placed *placed = &making->placed[index];
	char mode[32];

	json_object(json);
	json_member_hex(json, "instruction_addr", placed->is_relative ? placed->address :
						  frame->has_address ? frame->address : 0);
	if (placed->is_relative && snprintf(mode, sizeof(mode), "rel:%zu", placed->module) > 0)
		json_member_string(json, "addr_mode", mode);
	json_member_bool(json, "adjust_instruction_addr",
			 frame->is_return && !placed->is_exact);
	member_found(json, "function", frame->function);
	member_found(json, "filename", frame->file);
	if (frame->line > 0)
		json_member_u64(json, "lineno", frame->line);
	member_found(json, "package", frame->module);
	json_object_end(json);
}

/* The function whose inlined call the frame before it is: the answer to that one has both. */
static bool is_told_already(const struct stackrequest_making *making,
			    const struct stacktext_stack *stack,
			    size_t index)
{
	const struct stacktext_frame *frame = &making->text->frames[index];
	const struct placed *placed = &making->placed[index];
	size_t before = index;

	while (before > stack->first && !has_place(&making->text->frames[--before]))
		;
	return index > stack->first && making->placed[before].is_placed &&
	       (!has_place(frame) ||
		(placed->is_placed && !frame->is_return && placed->module == making->placed[before].module &&
		 placed->address == making->placed[before].address));
}

static void write_stack(const struct stackrequest_making *making,
			const struct stacktext_stack *stack,
			struct json_writer *json)
{
	json_object(json);
	member_found(json, "thread_name", stack->title);
	json_key(json, "frames");
	json_array(json);
	for (size_t i = stack->first; i < stack->first + stack->count; i++)
		if (!is_told_already(making, stack, i))
			write_frame(making, i, json);
	json_array_end(json);
	json_object_end(json);
}

static int write_request(const struct stackrequest_making *making, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	json_key(&json, "stacktraces");
	json_array(&json);
	for (size_t i = 0; i < making->text->stack_count; i++)
		write_stack(making, &making->text->stacks[i], &json);
	json_array_end(&json);
	json_key(&json, "modules");
	json_array(&json);
	for (size_t i = 0; i < making->module_count; i++)
		write_module(making, &making->modules[i], &json);
	json_array_end(&json);
	json_object_end(&json);
	return buf_check(out, err);
}

int stackrequest_write(const struct stacktext *text, struct local *local, const char *const *folders,
		       size_t folder_count, struct buf *out, struct err *err)
{
	struct stackrequest_making making = {
		.text = text, .local = local,
		.files = arena_alloc(&local->arena, MODULES_MAX, sizeof(*making.files)),
		.modules = arena_alloc(&local->arena, MODULES_MAX, sizeof(*making.modules)),
		.placed = arena_alloc(&local->arena, text->frame_count + 1, sizeof(*making.placed)),
	};

	if (text->frame_count > FRAMES_MAX)
		return err_set(err, ERR_LIMIT, "%zu frames; at most %u are looked up at once",
			       text->frame_count, FRAMES_MAX);
	if (!making.files || !making.modules || !making.placed)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu frames", text->frame_count);
	for (size_t i = 0; i < text->frame_count; i++) {
		place_by_mapping(&making, i);
		if (!making.placed[i].is_placed && text->frames[i].module.bytes)
			(void)file_of(&making, text->frames[i].module, text->frames[i].build_id);
	}
	if (find_files(&making, folders, folder_count, err) < 0)
		return -1;
	for (size_t i = 0; i < text->frame_count; i++)
		if (!making.placed[i].is_placed)
			place_by_offset(&making, i);
	if (place_all_symbols(&making, err) < 0)
		return -1;
	for (size_t i = 0; i < text->frame_count; i++)
		if (!making.placed[i].is_placed)
			place_beside(&making, i);
	find_signals(&making);
	return write_request(&making, out, err);
}
