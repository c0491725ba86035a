/* sections.c -- see sections.h. */
#include "cfi/sections.h"

static int each_unwind(struct object *object, const struct object_unwind_sink *sink,
		       struct err *err)
{
	struct sections *sections = object->state;

	for (unsigned i = 0; i < sections->count; i++)
		if (sink->section(sink->payload, &sections->list[i], err) < 0)
			return -1;
	return 0;
}

static struct text image_at(const struct object *object, uint64_t address)
{
	const struct sections *sections = object->state;

	return address < sections->image.size
		       ? (struct text){ sections->image.bytes + address,
					sections->image.size - (size_t)address }
		       : TEXT_NONE;
}

void sections_init(struct sections *sections, const char *format, uint32_t arch)
{
	*sections = (struct sections){
		.format = { .name = format, .each_unwind = each_unwind, .image_at = image_at },
		.object = { .arch = arch },
	};
	sections->object.format = &sections->format;
	sections->object.state = sections;
	sections->object.work = &sections->work;
	work_budget_init(&sections->work, 0);
}

void sections_add(struct sections *sections, enum object_unwind_kind kind, uint64_t address,
		  const void *bytes, size_t size)
{
	enum cpu_family family = arch_family(sections->object.arch);

	sections->list[sections->count++] = (struct object_unwind){
		.kind = kind, .name = "section", .bytes = { bytes, size }, .address = address,
		.address_bytes = family == CPU_X86_64 || family == CPU_ARM64 ? 8 : 4,
	};
	sections->object.size += size;
	work_budget_add(&sections->work, size);
}
