/* core_remarks.c -- see core_remarks.h. */
#include "convert/core_remarks.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json_writer.h"
#include "convert/core_file.h"
#include "coredump/coredump.h"

#define REMARK_BYTES (ERR_TEXT_BYTES + 128)

struct remarks {
	struct json_writer *json;
	bool has_any;
};

static void remark(struct remarks *remarks, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void remark(struct remarks *remarks, const char *format, ...)
{
	char text[REMARK_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!remarks->has_any) {
		json_key(remarks->json, "remarks");
		json_array(remarks->json);
	}
	remarks->has_any = true;
	json_string(remarks->json, text);
}

static void remark_modules(struct remarks *remarks, const struct coredump *core)
{
	size_t nameless = 0;

	for (size_t i = 0; i < core->module_count; i++)
		nameless += core->modules[i].id_size == 0;
	if (core->module_count == 0)
		remark(remarks, "no modules: the core has neither a list of mapped files nor ELF "
				"headers in its memory");
	else if (nameless > 0)
		remark(remarks, "%zu of %zu modules have no build id in the core: no source is asked "
				"for them, unless the request says what they are", nameless,
		       core->module_count);
}

void core_remarks_write(const struct coredump *core, const struct core_file *file,
			struct json_writer *json)
{
	struct remarks remarks = { .json = json };

	if (file->damage.kind != ERR_NONE)
		remark(&remarks, "its packing is damaged, what came before that is read: %s",
		       file->damage.text);
	if (core->lost_bytes > 0)
		remark(&remarks, "it was cut: %llu bytes of memory it tells of are not in it",
		       (unsigned long long)core->lost_bytes);
	if (core->is_kernel)
		remark(&remarks, "it is of a kernel: a thread is what a processor ran");
	if (core->thread_count == 0)
		remark(&remarks, "no threads: no note of the core has registers");
	else if (!core->has_walker)
		remark(&remarks, "no stacks: nothing here walks those of processor %u (e_machine)",
		       core->machine);
	remark_modules(&remarks, core);
	if (remarks.has_any)
		json_array_end(json);
}
