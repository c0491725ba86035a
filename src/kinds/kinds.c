/* kinds.c -- see kinds.h. */
#include "kinds/kinds.h"

#include <stddef.h>
#include <string.h>

#include "work/work.h"

static const struct request_kind *const kinds[] = {
	&request_kind_symbolicate,
	&request_kind_jvm,
	&request_kind_minidump,
	&request_kind_applecrash,
	&request_kind_stacktext,
	&request_kind_coredump,
	&request_kind_any,
	&request_kind_proxy,
	&request_kind_buildid,
	&request_kind_mozilla_v4,
	&request_kind_mozilla_v5,
	&request_kind_mozilla_v5_debug,
	&request_kind_mozilla_v4_anew,
	&request_kind_mozilla_v5_anew,
	&request_kind_mozilla_v5_debug_anew,
	&request_kind_mozilla_download,
	&request_kind_symbols_ranges,
	&request_kind_symbols_returnpads,
	&request_kind_ranges_known,
	&request_kind_returnpads_known,
	&request_kind_mozilla_source,
	&request_kind_mozilla_asm,
	&request_kind_wpa,
	&request_kind_js,
};

const struct request_kind *request_kind_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}
