/* derived.c -- the list of derived kinds, and what several of them do. */
#include "work/derived.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "convert/convert.h"
#include "source/put.h"
#include "work/work.h"

#define REPLY_ARENA_BYTES ((size_t)32 * 1024 * 1024)

const struct derived_kind *const derived_kinds[] = {
	&derived_object_meta, &derived_object_file,
	&derived_section,
	&derived_asm,
	&derived_symcache,
	&derived_variables,
	&derived_cficache,
	&derived_minidump_report,
	&derived_applecrash_report,
	&derived_stacktext_report,
	&derived_coredump_report,
	&derived_linked_minidump_report,
	&derived_linked_applecrash_report,
	&derived_ppdb,
	&derived_sources,
	&derived_url_sources,
	&derived_sourcefile,
	&derived_jsfile, &derived_scraped, &derived_jsbundle, &derived_bundled, &derived_sourcemap,
	&derived_symbfile,
	&derived_proguard,
	&derived_wpa,
	&derived_uuid_map,
	&derived_symbol_map,
	&derived_line_map,
	&derived_module_listing, &derived_artifact_listing,
	&derived_last_id,
	&derived_index,
};
const size_t derived_kind_count = sizeof(derived_kinds) / sizeof(derived_kinds[0]);

bool derived_may_always_share(const struct derive *derive)
{
	(void)derive;
	return true;
}

bool derived_may_share_file(const struct derive *derive)
{
	return source_may_share_files(derive->location->source);
}

void derived_report_units(const struct derive *derive, struct text reply)
{
	struct convert_symcache_reply facts;
	struct text subject = derive_subject(derive);
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, REPLY_ARENA_BYTES);
	if (convert_symcache_reply_parse(reply, &arena, &facts, &err) == 0 && facts.bad_units > 0)
		log_message(LOG_WARN, "bad_units", NULL, "%.*s: %llu of %llu units left out, first: %.*s",
			    (int)subject.size, subject.bytes,
			    (unsigned long long)facts.bad_units, (unsigned long long)facts.units,
			    (int)facts.first_bad.size, facts.first_bad.bytes);
	arena_release(&arena);
}
