/* derived_wpa.c -- SymCache files for Windows Performance Analyzer, made by the operator's transcoders. */
#include "work/derived.h"

#include <stdio.h>

#include "base/err.h"
#include "base/semver.h"
#include "base/limits.h"
#include "config/config.h"
#include "convert/convert.h"
#include "work/work.h"

#define SCRATCH_BYTES 1024u

static int write_parameters(const struct derive *derive, const struct config *config, struct buf *out,
			    struct err *err)
{
	char scratch[SCRATCH_BYTES];
	struct convert_transcode transcode = {
		.name = text_basename(derive->location->query->ids->debug_file), .scratch = scratch,
		.memory_bytes = config->cell_memory_bytes, .file_bytes = LIMIT_TRANSCODED_BYTES,
		.cpu_seconds = (uint64_t)config->cell_cpu_seconds,
	};

	for (size_t i = 0; i < config->transcoder_count; i++)
		if (semver_compare(&config->transcoders[i].version, derive->version) == 0)
			transcode.transcoder = &config->transcoders[i];
	if (!transcode.transcoder ||
	    (size_t)snprintf(scratch, sizeof(scratch), "%s/transcode", config->state_dir) >= sizeof(scratch))
		return err_set(err, ERR_INTERNAL, "no such transcoder");
	return convert_transcode_parameters(&transcode, out, err);
}

const struct derived_kind derived_wpa = {
	.name = "wpa", .cache = CACHE_WPA_SYMCACHES,
	.operation = CONVERT_TRANSCODE, .input = "object", .output = "symcache",
	.from = DERIVED_FROM_OBJECT, .keeps_object = true,
	.parameters = write_parameters, .logs_failures = true,
};
