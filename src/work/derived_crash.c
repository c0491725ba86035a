/* derived_crash.c -- what cells find in crash files: reports, which are their job's alone. */
#include "work/derived.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"

static int keep_reply(struct text reply, struct arena *arena, struct text *payload, struct err *err)
{
	char *copy = arena_strndup(arena, reply.bytes, reply.size);

	*payload = (struct text){ copy, reply.size };
	return copy ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for what was found in a crash file");
}

static uint64_t file_bytes_max(const struct config *config)
{
	return config->crash_file_body_max_bytes;
}

/* Told to clients in the words they know, whatever is wrong with it. */
static void judge_apple(struct err *failure)
{
	if (failure->kind == ERR_MALFORMED)
		err_set(failure, ERR_MALFORMED, "failed to parse apple crash report");
}

const struct derived_kind derived_minidump_report = {
	.name = "minidump report", .cache = CACHE_KINDS,
	.operation = "minidump", .input = "file", .output = "report",
	.from = DERIVED_FROM_BODY, .payload = keep_reply, .waits = true,
};

const struct derived_kind derived_applecrash_report = {
	.name = "Apple crash report", .cache = CACHE_KINDS,
	.operation = "applecrash", .input = "file", .output = "report",
	.from = DERIVED_FROM_BODY, .payload = keep_reply, .judge = judge_apple,
};

const struct derived_kind derived_stacktext_report = {
	.name = "stack as text", .cache = CACHE_KINDS,
	.operation = "stacktext", .input = "file", .output = "report",
	.from = DERIVED_FROM_BODY, .payload = keep_reply,
};

const struct derived_kind derived_coredump_report = {
	.name = "core report", .cache = CACHE_KINDS,
	.operation = "coredump", .input = "file", .output = "report",
	.from = DERIVED_FROM_BODY, .payload = keep_reply, .waits = true,
};

/* The same of files that lie elsewhere (POST /symbolicate-any). */
const struct derived_kind derived_linked_minidump_report = {
	.name = "linked minidump report", .cache = CACHE_KINDS,
	.operation = "minidump", .input = "file", .output = "report",
	.from = DERIVED_FROM_LINK, .payload = keep_reply, .waits = true,
	.input_bytes_max = file_bytes_max,
};

const struct derived_kind derived_linked_applecrash_report = {
	.name = "linked Apple crash report", .cache = CACHE_KINDS,
	.operation = "applecrash", .input = "file", .output = "report",
	.from = DERIVED_FROM_LINK, .payload = keep_reply, .judge = judge_apple,
	.input_bytes_max = file_bytes_max,
};
