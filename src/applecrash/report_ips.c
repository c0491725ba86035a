/*
 * report_ips.c -- the JSON form (.ips): a header object in the first line, the report after it.
 *
 * Members come in any order (the images after the threads that name them by number), so one walk
 * counts, a second one reads, and what refers to something else is looked up at the end.  A
 * member of another type than Apple writes is as good as none.
 */
#include "applecrash/applecrash_internal.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/json_reader.h"

#define NO_INDEX UINT64_MAX
#define REGISTER_NAME_BYTES 8u       /* "rflags" */
#define NUMBERED_REGISTERS 32u       /* x0 to x30 */

/* One walk.  Arrays are NULL in the first, which counts. */
struct ips_walk {
	struct json_reader json;
	struct arena *arena;
	struct applecrash_thread *threads;      /* the first is kept for the last exception's */
	struct applecrash_frame *frames;
	uint64_t *image_indexes;     /* of frames */
	struct applecrash_register *registers;
	struct applecrash_image *images;
	char *details;
	size_t thread_count, frame_count, register_count, image_count, details_size;
	uint64_t faulting_thread;
	struct text date, header_date, train, build, header_system;
	struct text type, signal, message, subtype, codes;
	struct text cpu, model;
	bool no_memory;
};

typedef void member_fn(struct ips_walk *walk, const struct json_string *name, void *payload);

/* --- Values ------------------------------------------------------------------------------- */

static void need(struct ips_walk *walk, bool is_there)
{
	if (is_there)
		return;
	walk->no_memory = true;
	(void)json_reader_refuse(&walk->json, "memory");     /* ends the walk */
}

/* The next value's members, or past it when it is no object. */
static void each_member(struct ips_walk *walk, member_fn *read, void *payload)
{
	struct json_string name;

	if (!json_reader_object(&walk->json)) {
		json_reader_skip(&walk->json);
		return;
	}
	while (json_reader_member(&walk->json, &name))
		read(walk, &name, payload);
}

static bool enter_array(struct ips_walk *walk)
{
	if (json_reader_array(&walk->json))
		return true;
	json_reader_skip(&walk->json);
	return false;
}

/* An empty text says nothing. */
static void read_words(struct ips_walk *walk, struct text *text)
{
	struct json_string string;
	struct text words;

	if (!json_reader_string(&walk->json, &string)) {
		json_reader_skip(&walk->json);
	} else if (walk->threads && string.raw.size > 0) {
		need(walk, json_string_text(&string, walk->arena, &words));
		*text = words;
	}
}

static bool read_number(struct ips_walk *walk, uint64_t *number)
{
	if (json_reader_u64(&walk->json, number))
		return true;
	json_reader_skip(&walk->json);
	return false;
}

static struct text joined(struct ips_walk *walk, struct text a, const char *between, struct text b,
			  const char *end)
{
	char *text = arena_printf(walk->arena, "%.*s%s%.*s%s", (int)a.size, a.bytes, between,
				  (int)b.size, b.bytes, end);

	walk->no_memory |= !text;
	return text_of(text);
}

struct member_text { const char *name; size_t offset; };     /* into the payload */

static bool read_member_text(struct ips_walk *walk, const struct json_string *name,
			     const struct member_text *members, size_t count, void *payload)
{
	for (size_t i = 0; i < count; i++)
		if (json_string_is(name, members[i].name)) {
			read_words(walk, (struct text *)((char *)payload + members[i].offset));
			return true;
		}
	return false;
}

/* --- Threads ------------------------------------------------------------------------------ */

struct ips_frame { uint64_t offset, image; bool has_offset; };

static void read_frame_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	struct ips_frame *frame = payload;

	if (json_string_is(name, "imageOffset"))
		frame->has_offset = read_number(walk, &frame->offset);
	else if (!json_string_is(name, "imageIndex"))
		json_reader_skip(&walk->json);
	else if (!read_number(walk, &frame->image))
		frame->image = NO_INDEX;
}

static void read_frames(struct ips_walk *walk)
{
	if (!enter_array(walk))
		return;
	while (json_reader_element(&walk->json)) {
		struct ips_frame frame = { .image = NO_INDEX };

		each_member(walk, read_frame_member, &frame);
		if (!frame.has_offset)
			continue;
		if (walk->frames) {
			walk->frames[walk->frame_count].address = frame.offset;
			walk->image_indexes[walk->frame_count] = frame.image;
		}
		walk->frame_count++;
	}
}

/* "x" of x0 or "rip"; what else Intel's state holds says how it came to the fault. */
static bool is_register(const struct json_string *name)
{
	static const char *const others[] = { "cpu", "err", "trap" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (json_string_is(name, others[i]))
			return false;
	for (size_t i = 0; i < name->raw.size; i++) {
		char c = name->raw.bytes[i];

		if ((c < 'a' || c > 'z') && !ascii_is_digit(c))
			return false;
	}
	return name->raw.size > 0 && name->raw.size <= REGISTER_NAME_BYTES;
}

struct ips_value { uint64_t value; bool is_said; };

static void read_value_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	struct ips_value *value = payload;

	if (json_string_is(name, "value"))
		value->is_said = read_number(walk, &value->value);
	else
		json_reader_skip(&walk->json);
}

static void add_register(struct ips_walk *walk, struct text name, const struct ips_value *value)
{
	if (walk->registers)
		walk->registers[walk->register_count] =
			(struct applecrash_register){ name, value->value };
	walk->register_count++;
}

/* [{"value":1},...] are x0, x1... */
static void read_numbered(struct ips_walk *walk, struct text name)
{
	for (size_t i = 0; json_reader_element(&walk->json); i++) {
		struct ips_value value = { .is_said = false };
		struct text numbered = name;

		each_member(walk, read_value_member, &value);
		if (!value.is_said || i >= NUMBERED_REGISTERS)
			continue;
		if (walk->registers) {
			numbered = text_of(arena_printf(walk->arena, "%.*s%zu", (int)name.size,
							name.bytes, i));
			need(walk, numbered.bytes);
		}
		add_register(walk, numbered, &value);
	}
}

static void read_state_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	struct ips_value value = { .is_said = false };

	(void)payload;
	if (!is_register(name)) {
		json_reader_skip(&walk->json);
	} else if (json_reader_array(&walk->json)) {
		read_numbered(walk, name->raw);
	} else {
		each_member(walk, read_value_member, &value);
		if (value.is_said)
			add_register(walk, name->raw, &value);
	}
}

struct ips_thread { struct text name, queue; bool is_triggered; };

static void read_thread_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	static const struct member_text texts[] = {
		{ "name", offsetof(struct ips_thread, name) },
		{ "queue", offsetof(struct ips_thread, queue) },
	};
	struct ips_thread *thread = payload;

	if (read_member_text(walk, name, texts, sizeof(texts) / sizeof(texts[0]), thread))
		return;
	if (json_string_is(name, "frames"))
		read_frames(walk);
	else if (json_string_is(name, "threadState"))
		each_member(walk, read_state_member, NULL);
	else if (!json_string_is(name, "triggered") ||
		 !json_reader_bool(&walk->json, &thread->is_triggered))
		json_reader_skip(&walk->json);
}

/* Where the next thread's frames and registers begin. */
static struct applecrash_thread begin_thread(const struct ips_walk *walk)
{
	return (struct applecrash_thread){
		.frames = walk->frames ? walk->frames + walk->frame_count : NULL,
		.registers = walk->registers ? walk->registers + walk->register_count : NULL,
	};
}

/* By its number among the threads, as in text: the system's own id says nothing later. */
static void read_thread(struct ips_walk *walk)
{
	struct ips_thread read = { .name = TEXT_NONE, .queue = TEXT_NONE };
	struct applecrash_thread thread = begin_thread(walk);
	size_t first_frame = walk->frame_count, first_register = walk->register_count;

	each_member(walk, read_thread_member, &read);
	if (walk->threads) {
		thread.has_id = true;
		thread.id = walk->thread_count;
		thread.is_crashed = read.is_triggered;
		thread.name = read.name;
		if (!read.name.bytes && read.queue.bytes)
			thread.name = joined(walk, TEXT("Dispatch queue"), ": ", read.queue, "");
		thread.frame_count = walk->frame_count - first_frame;
		thread.register_count = walk->register_count - first_register;
		walk->threads[1 + walk->thread_count] = thread;
	}
	walk->thread_count++;
}

static void read_threads(struct ips_walk *walk)
{
	if (!enter_array(walk))
		return;
	while (json_reader_element(&walk->json))
		read_thread(walk);
}

static void read_exception_backtrace(struct ips_walk *walk)
{
	struct applecrash_thread thread = begin_thread(walk);
	size_t first = walk->frame_count;

	read_frames(walk);
	if (!walk->threads)
		return;
	thread.name = TEXT("Last Exception Backtrace");
	thread.frame_count = walk->frame_count - first;
	walk->threads[0] = thread;
}

/* --- Images ------------------------------------------------------------------------------- */

struct ips_image { struct text name, arch, path, uuid, version, build; uint64_t base, size; };

static void read_image_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	static const struct member_text texts[] = {
		{ "name", offsetof(struct ips_image, name) },
		{ "arch", offsetof(struct ips_image, arch) },
		{ "path", offsetof(struct ips_image, path) },
		{ "uuid", offsetof(struct ips_image, uuid) },
		{ "CFBundleShortVersionString", offsetof(struct ips_image, version) },
		{ "CFBundleVersion", offsetof(struct ips_image, build) },
	};
	struct ips_image *image = payload;

	if (read_member_text(walk, name, texts, sizeof(texts) / sizeof(texts[0]), image))
		return;
	if (json_string_is(name, "base"))
		(void)read_number(walk, &image->base);
	else if (json_string_is(name, "size"))
		(void)read_number(walk, &image->size);
	else
		json_reader_skip(&walk->json);
}

static void keep_image(struct ips_walk *walk, const struct ips_image *read)
{
	static const uint8_t zeros[DEBUGID_UUID_BYTES];
	struct applecrash_image *image = &walk->images[walk->image_count];

	*image = (struct applecrash_image){
		.base = read->base, .size = read->size, .name = read->name, .arch = read->arch,
		.path = read->path, .version = read->version.bytes ? read->version : read->build,
	};
	if (read->version.bytes && read->build.bytes)
		image->version = joined(walk, read->version, " - ", read->build, "");
	if (!image->name.bytes && text_basename(image->path).size > 0)
		image->name = text_basename(image->path);
	if (image->base + image->size < image->base)
		image->size = 0;
	if (!debugid_parse(read->uuid, &image->uuid) || image->uuid.kind != DEBUGID_UUID ||
	    image->uuid.age != 0 || memcmp(image->uuid.uuid, zeros, sizeof(zeros)) == 0)
		image->uuid = (struct debugid){ .kind = DEBUGID_NIL };
}

static void read_images(struct ips_walk *walk)
{
	if (!enter_array(walk))
		return;
	while (json_reader_element(&walk->json)) {
		struct ips_image image = { .name = TEXT_NONE };

		each_member(walk, read_image_member, &image);
		if (walk->images)
			keep_image(walk, &image);
		walk->image_count++;
	}
}

/* --- The report --------------------------------------------------------------------------- */

/* {"libsystem_c.dylib":["abort() called"]} */
static void read_information(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	struct json_string string;
	struct text line;

	(void)name, (void)payload;
	if (!enter_array(walk))
		return;
	while (json_reader_element(&walk->json)) {
		if (!json_reader_string(&walk->json, &string)) {
			json_reader_skip(&walk->json);
			continue;
		}
		line = string.raw;
		if (walk->details) {
			bool is_there = json_string_text(&string, walk->arena, &line);

			need(walk, is_there);
			if (!is_there)
				return;
			if (line.size > 0)
				memcpy(walk->details + walk->details_size, line.bytes, line.size);
			walk->details[walk->details_size + line.size] = '\n';
		}
		walk->details_size += line.size + 1;
	}
}

static void read_exception(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	static const struct member_text texts[] = {
		{ "type", offsetof(struct ips_walk, type) },
		{ "signal", offsetof(struct ips_walk, signal) },
		{ "message", offsetof(struct ips_walk, message) },
		{ "subtype", offsetof(struct ips_walk, subtype) },
		{ "codes", offsetof(struct ips_walk, codes) },
	};

	(void)payload;
	if (!read_member_text(walk, name, texts, sizeof(texts) / sizeof(texts[0]), walk))
		json_reader_skip(&walk->json);
}

static void read_system(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	static const struct member_text texts[] = {
		{ "train", offsetof(struct ips_walk, train) },
		{ "build", offsetof(struct ips_walk, build) },
	};

	(void)payload;
	if (!read_member_text(walk, name, texts, sizeof(texts) / sizeof(texts[0]), walk))
		json_reader_skip(&walk->json);
}

/* Of header and report alike: they share no name that means two things. */
static void read_member(struct ips_walk *walk, const struct json_string *name, void *payload)
{
	static const struct member_text texts[] = {
		{ "captureTime", offsetof(struct ips_walk, date) },
		{ "timestamp", offsetof(struct ips_walk, header_date) },
		{ "os_version", offsetof(struct ips_walk, header_system) },
		{ "cpuType", offsetof(struct ips_walk, cpu) },
		{ "modelCode", offsetof(struct ips_walk, model) },
	};
	static const struct { const char *name; void (*read)(struct ips_walk *walk); } arrays[] = {
		{ "threads", read_threads },
		{ "usedImages", read_images },
		{ "lastExceptionBacktrace", read_exception_backtrace },
	};
	static const struct { const char *name; member_fn *read; } objects[] = {
		{ "osVersion", read_system },
		{ "exception", read_exception },
		{ "asi", read_information },
	};

	(void)payload;
	if (read_member_text(walk, name, texts, sizeof(texts) / sizeof(texts[0]), walk))
		return;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		if (json_string_is(name, arrays[i].name)) {
			arrays[i].read(walk);
			return;
		}
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (json_string_is(name, objects[i].name)) {
			each_member(walk, objects[i].read, NULL);
			return;
		}
	if (!json_string_is(name, "faultingThread"))
		json_reader_skip(&walk->json);
	else
		(void)read_number(walk, &walk->faulting_thread);
}

/* The objects of the file, one or two.  False: what follows the first is no object. */
static bool walk_objects(struct ips_walk *walk)
{
	struct json_reader *json = &walk->json;
	char next;

	each_member(walk, read_member, NULL);
	next = json_reader_peek(json);
	if (next == '{')
		each_member(walk, read_member, NULL);
	else if (next)
		return false;
	if (!json_reader_at_end(json))
		(void)json_reader_refuse(json, "end");
	return true;
}

static int make_room(struct ips_walk *walk, const struct ips_walk *counts, struct err *err)
{
	struct arena *arena = walk->arena;

	walk->threads = arena_alloc(arena, counts->thread_count + 1, sizeof(*walk->threads));
	walk->frames = arena_alloc(arena, counts->frame_count + 1, sizeof(*walk->frames));
	walk->image_indexes = arena_alloc_raw(arena, counts->frame_count + 1,
					      sizeof(*walk->image_indexes));
	walk->registers = arena_alloc(arena, counts->register_count + 1,
				      sizeof(*walk->registers));
	walk->images = arena_alloc(arena, counts->image_count + 1, sizeof(*walk->images));
	walk->details = arena_alloc_raw(arena, counts->details_size + 1, 1);
	if (!walk->threads || !walk->frames || !walk->image_indexes || !walk->registers ||
	    !walk->images || !walk->details)
		return err_set(err, ERR_NO_MEMORY, "no memory for a report of that size");
	return 0;
}

/* --- What refers to something else -------------------------------------------------------- */

static void place_frames(struct ips_walk *walk)
{
	for (size_t i = 0; i < walk->frame_count; i++) {
		const struct applecrash_image *image;
		uint64_t address;

		if (walk->image_indexes[i] >= walk->image_count)
			continue;
		image = &walk->images[walk->image_indexes[i]];
		if (__builtin_add_overflow(image->base, walk->frames[i].address, &address))
			continue;
		walk->frames[i].address = address;
		walk->frames[i].module = image->name;
	}
}

/* What has no UUID is no file: for code outside of all images there is one of base 0. */
static void drop_unknown_images(struct ips_walk *walk)
{
	size_t kept = 0;

	for (size_t i = 0; i < walk->image_count; i++)
		if (!debugid_is_nil(&walk->images[i].uuid))
			walk->images[kept++] = walk->images[i];
	walk->image_count = kept;
}

/* Every thread came with its registers: they are kept where it crashed. */
static void mark_crashed(struct ips_walk *walk)
{
	struct applecrash_thread *threads = walk->threads + 1;
	bool is_marked = false;

	for (size_t i = 0; i < walk->thread_count; i++)
		is_marked |= threads[i].is_crashed;
	if (!is_marked && walk->faulting_thread < walk->thread_count)
		threads[walk->faulting_thread].is_crashed = true;
	for (size_t i = 0; i < walk->thread_count; i++)
		if (!threads[i].is_crashed) {
			threads[i].registers = NULL;
			threads[i].register_count = 0;
		}
}

static struct text system_of(struct ips_walk *walk)
{
	if (!walk->train.bytes)
		return walk->header_system;
	return walk->build.bytes ? joined(walk, walk->train, " (", walk->build, ")")
				 : walk->train;
}

static struct text exception_of(struct ips_walk *walk)
{
	if (!walk->type.bytes)
		return walk->signal;
	return walk->signal.bytes ? joined(walk, walk->type, " (", walk->signal, ")")
				  : walk->type;
}

static struct text details_of(const struct ips_walk *walk)
{
	if (walk->details_size > 1)
		return (struct text){ walk->details, walk->details_size - 1 };
	if (walk->message.bytes)
		return walk->message;
	return walk->subtype.bytes ? walk->subtype : walk->codes;
}

static void fill_report(struct ips_walk *walk, struct applecrash *report)
{
	bool has_exception = walk->threads[0].frame_count > 0;

	*report = (struct applecrash){
		.code_type = walk->cpu, .hardware_model = walk->model,
		.os_version = system_of(walk), .exception_type = exception_of(walk),
		.details = details_of(walk),
		.threads = walk->threads + !has_exception,
		.thread_count = walk->thread_count + has_exception,
		.images = walk->images, .image_count = walk->image_count,
	};
	report->has_timestamp = applecrash_date(walk->date, &report->timestamp) ||
				applecrash_date(walk->header_date, &report->timestamp);
}

int applecrash_read_ips(struct applecrash *report, struct text text, struct arena *arena,
			struct err *err)
{
	struct ips_walk counts = { .json = json_reader_over("the report", text) };
	struct ips_walk walk = { .json = counts.json, .arena = arena, .faulting_thread = NO_INDEX };

	if (!walk_objects(&counts))
		return applecrash_read_text(report, text, arena, err);
	if (json_reader_check(&counts.json, err) < 0 || make_room(&walk, &counts, err) < 0)
		return -1;
	(void)walk_objects(&walk);
	if (!walk.no_memory) {
		place_frames(&walk);
		drop_unknown_images(&walk);
		mark_crashed(&walk);
		fill_report(&walk, report);
	}
	return walk.no_memory ? err_set(err, ERR_NO_MEMORY, "no memory for a report's texts") : 0;
}
