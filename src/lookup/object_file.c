/* object_file.c -- see object_file.h. */
#include "lookup/object_file.h"

#include "work/answer_head.h"

#define FILE_URI "file://"               /* what locations of folders begin with (source/filesystem.c) */

static bool is_in_place(const struct candidate *candidate)
{
	return source_is_local(candidate->held.derive.location->source) && !candidate->meta.is_extract;
}

/* It is sent, not read. */
static int look_at(void *payload, struct text bytes, struct err *damage)
{
	(void)payload;
	(void)bytes;
	(void)damage;
	return 0;
}

enum resolved object_file_resolve(struct object_file *file, const struct candidate *candidate,
				  struct work *work, struct resolver *resolver, struct err *err)
{
	const struct held_opening opening = { .open = look_at, .arena = &work->arena };
	const struct derive *object = &candidate->held.derive;

	file->candidate = candidate;
	if (is_in_place(candidate))
		return RESOLVED_READY;
	if (!file->copy.derive.kind)
		file->copy.derive = (struct derive){
			.kind = &derived_object_file, .location = object->location,
			.key = object->object_key, .object_key = object->object_key,
		};
	return held_resolve(&file->copy, &opening, resolver, err);
}

void object_file_answer(const struct object_file *file, struct answer_head *head)
{
	const struct text uri = file->candidate->held.derive.location->uri;

	if (is_in_place(file->candidate))
		head->file = text_from(uri, sizeof(FILE_URI) - 1);
	else
		answer_head_set_entry(head, &file->copy.derive.key);
}

void object_file_release(struct object_file *file)
{
	held_release(&file->copy);
}
