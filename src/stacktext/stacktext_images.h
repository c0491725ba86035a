/*
 * stacktext_images -- which module each frame of a text lies in, and where that was: by its own
 * offset, by the text's list of modules, by its mappings.
 *
 * May include: base.
 */
#ifndef STACKTEXT_STACKTEXT_IMAGES_H
#define STACKTEXT_STACKTEXT_IMAGES_H

#include "stacktext/stacktext.h"

#define STACKTEXT_IMAGES_MAX 1024u           /* frames of further ones keep what the text says */
#define STACKTEXT_FRAMES_MAX 65536u          /* placed, and told; the rest is left out */
#define STACKTEXT_NO_IMAGE   SIZE_MAX

struct stacktext_image {
	struct text path, name;              /* its last part */
	struct text debug_file, debug_id;    /* TEXT_NONE: not said */
	struct text build_id;                /* in hex; TEXT_NONE */
	bool is_relative;                    /* nobody says where it was: base is 0 */
	uint64_t base, end;                  /* behind the last address known to be in it */
};

struct stacktext_images {
	struct stacktext_image *images;
	size_t count;
	size_t *of_frames;                   /* of the first STACKTEXT_FRAMES_MAX; STACKTEXT_NO_IMAGE */
	size_t frame_count;                  /* as many */
};

/* ERR_NO_MEMORY. */
int stacktext_images_find(struct stacktext_images *images, const struct stacktext *text, struct arena *arena,
			  struct err *err) __attribute__((warn_unused_result));

#endif
