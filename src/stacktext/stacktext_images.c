/* stacktext_images.c -- see stacktext_images.h. */
#include "stacktext/stacktext_images.h"

#include "base/arena.h"
#include "base/err.h"

#define PAGE_BYTES 4096u
#define MAPPING_STEPS ((size_t)1 << 30)      /* above so many mappings times frames they say nothing */

static void reach(struct stacktext_image *image, uint64_t address)
{
	if (address >= image->end && address < UINT64_MAX - PAGE_BYTES)
		image->end = (address / PAGE_BYTES + 1) * PAGE_BYTES;
}

/* Its number, made if it is new; STACKTEXT_NO_IMAGE: one too many. */
static size_t image_of(struct stacktext_images *images, const struct stacktext_image *wanted)
{
	for (size_t i = images->count; i-- > 0; ) {
		struct stacktext_image *image = &images->images[i];

		if (image->base != wanted->base || image->is_relative != wanted->is_relative ||
		    !text_equal(image->path, wanted->path))
			continue;
		if (image->build_id.bytes && wanted->build_id.bytes &&
		    !text_equal_ignoring_case(image->build_id, wanted->build_id))
			continue;
		if (!image->build_id.bytes)
			image->build_id = wanted->build_id;
		return i;
	}
	if (images->count == STACKTEXT_IMAGES_MAX)
		return STACKTEXT_NO_IMAGE;
	images->images[images->count] = *wanted;
	images->images[images->count].name = text_basename(wanted->path);
	return images->count++;
}

/* --- One way after the other ------------------------------------------------------------------ */

static size_t place_by_offset(struct stacktext_images *images, const struct stacktext_frame *frame)
{
	struct stacktext_image wanted = {
		.path = frame->module, .build_id = frame->build_id, .is_relative = !frame->has_address,
	};
	size_t at;

	if (!frame->module.bytes || !frame->has_offset || frame->symbol.bytes ||
	    (frame->has_address && frame->offset > frame->address))
		return STACKTEXT_NO_IMAGE;
	if (frame->has_address)
		wanted.base = wanted.end = frame->address - frame->offset;
	at = image_of(images, &wanted);
	if (at != STACKTEXT_NO_IMAGE)
		reach(&images->images[at], frame->has_address ? frame->address : frame->offset);
	return at;
}

static size_t place_by_mapping(struct stacktext_images *images, const struct stacktext *text,
			       const struct stacktext_frame *frame)
{
	const struct stacktext_mapping *mapping = stacktext_mapping_at(text, frame->address);
	struct stacktext_image wanted = { .build_id = frame->build_id };
	size_t at;

	if (!mapping)
		return STACKTEXT_NO_IMAGE;
	wanted.path = mapping->path;
	wanted.base = wanted.end = stacktext_base(text, mapping->path);
	if (wanted.base > frame->address)            /* the first of them stands behind it */
		return STACKTEXT_NO_IMAGE;
	at = image_of(images, &wanted);
	if (at != STACKTEXT_NO_IMAGE)
		reach(&images->images[at], mapping->end - 1);
	return at;
}

/* The text may say of one frame only where its module was. */
static size_t place_beside(const struct stacktext_images *images, const struct stacktext_frame *frame)
{
	for (size_t i = 0; i < images->count; i++)
		if (!images->images[i].is_relative && frame->address >= images->images[i].base &&
		    frame->address < images->images[i].end)
			return i;
	return STACKTEXT_NO_IMAGE;
}

/* minidump_stackwalk's frames have no address where they are made for programs: a module's name only. */
static size_t place_by_name(const struct stacktext_images *images, const struct stacktext_frame *frame)
{
	struct text name;

	if (!frame->module.bytes || !frame->has_offset || frame->symbol.bytes || frame->has_address)
		return STACKTEXT_NO_IMAGE;
	name = text_basename(frame->module);
	for (size_t i = 0; i < images->count; i++)
		if (!images->images[i].is_relative && text_equal(images->images[i].name, name) &&
		    frame->offset < images->images[i].end - images->images[i].base)
			return i;
	return STACKTEXT_NO_IMAGE;
}

/* --- All of them ------------------------------------------------------------------------------- */

static void take_list(struct stacktext_images *images, const struct stacktext *text)
{
	for (size_t i = 0; i < text->module_count && images->count < STACKTEXT_IMAGES_MAX; i++) {
		const struct stacktext_module *module = &text->modules[i];

		images->images[images->count++] = (struct stacktext_image){
			.path = module->path, .name = text_basename(module->path), .debug_file = module->debug_file, .debug_id = module->debug_id,
			.base = module->start, .end = module->end,
		};
	}
}

static size_t place(struct stacktext_images *images, const struct stacktext *text,
		    const struct stacktext_frame *frame)
{
	size_t at = place_by_name(images, frame);

	/* A list is more certain than an offset, which some count from the call. */
	if (at == STACKTEXT_NO_IMAGE && frame->has_address && text->module_count > 0)
		at = place_beside(images, frame);
	if (at == STACKTEXT_NO_IMAGE)
		at = place_by_offset(images, frame);
	if (at == STACKTEXT_NO_IMAGE && frame->has_address && text->mapping_count <= MAPPING_STEPS / images->frame_count)
		at = place_by_mapping(images, text, frame);
	return at;
}

int stacktext_images_find(struct stacktext_images *images, const struct stacktext *text, struct arena *arena,
			  struct err *err)
{
	size_t count = text->frame_count < STACKTEXT_FRAMES_MAX ? text->frame_count : STACKTEXT_FRAMES_MAX;

	*images = (struct stacktext_images){
		.images = arena_alloc(arena, STACKTEXT_IMAGES_MAX, sizeof(*images->images)),
		.of_frames = arena_alloc(arena, count + 1, sizeof(*images->of_frames)),
		.frame_count = count,
	};
	if (!images->images || !images->of_frames)
		return err_set(err, ERR_NO_MEMORY, "no memory for the modules of %zu frames", count);
	take_list(images, text);
	for (size_t i = 0; i < count; i++)
		images->of_frames[i] = place(images, text, &text->frames[i]);
	/* Those that come before the one that says it. */
	for (size_t i = 0; i < count; i++)
		if (images->of_frames[i] == STACKTEXT_NO_IMAGE && text->frames[i].has_address)
			images->of_frames[i] = place_beside(images, &text->frames[i]);
	return 0;
}
