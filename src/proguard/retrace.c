/* retrace.c -- see retrace.h; what the dialects share. */
#include "proguard/retrace_internal.h"

#include "base/err.h"
#include "base/mem.h"
#include "proguard/retrace_pattern.h"

static const char *const names[RETRACE_DIALECTS] = {
	[RETRACE_OF_MAPPING] = "mapping", [RETRACE_PROGUARD] = "proguard", [RETRACE_R8] = "r8",
	[RETRACE_LIBRARY] = "library",
};

/*
 * ProGuard's expression, and R8's: the prefixes of a class at the end of a line are ordered so that the
 * first class of a line is the one that counts.
 */
#define FRAME(prefix) "(?:.*?\\bat\\s+" prefix "%c\\.%m\\s*\\(%s(?::%l)?\\)\\s*(?:~\\[.*\\])?)"
static const char proguard_regex[] = FRAME("") "|(?:(?:.*?[:\"]\\s+)?%c(?::.*)?)";
static const char r8_regex[] = FRAME("(?:[^\\s()/]*/(?:[^\\s()/]*/)?)?")
	"|(?:\\s*(?:Caused by: |Suppressed: |\\[CIRCULAR REFERENCE: ?)?%c(?::.*|\\])?)"
	"|(?:.*?(?:Caused by|Suppressed): %c(?::.*)?)|(?:.*?[:\"]\\s+%c(?::.*)?)";

bool retrace_dialect_named(const char *name, enum retrace_dialect *dialect)
{
	for (unsigned i = 0; i < RETRACE_DIALECTS; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*dialect = (enum retrace_dialect)i;
		return true;
	}
	return false;
}

int retrace_open(struct retrace *retrace, const struct proguard *mapping,
		 const struct retrace_options *options, struct err *err)
{
	const char *regex = options->regex;

	*retrace = (struct retrace){ .mapping = mapping, .options = *options };
	if (retrace->options.dialect == RETRACE_OF_MAPPING)
		retrace->options.dialect = mapping->is_by_r8 ? RETRACE_R8 : RETRACE_PROGUARD;
	if (retrace->options.dialect == RETRACE_LIBRARY)
		return regex ? err_set(err, ERR_BAD_REQUEST, "this dialect takes no expression") : 0;
	if (!regex)
		regex = retrace->options.dialect == RETRACE_R8 ? r8_regex : proguard_regex;
	return retrace_pattern_new(&retrace->pattern, regex, retrace->options.dialect == RETRACE_R8, err);
}

void retrace_release(struct retrace *retrace)
{
	retrace_pattern_free(retrace->pattern);
	proguard_frames_release(&retrace->frames);
	mem_give_back(retrace->order);
	retrace->order = NULL;
	retrace->pattern = NULL;
}

int retrace_line(struct retrace *retrace, struct text line, struct buf *out, struct err *err)
{
	int rc = 0;

	if (line.size > 0 && line.bytes[line.size - 1] == '\r')
		line.size--;
	if (line.size > RETRACE_LINE_BYTES_MAX)
		retrace_pass(line, out);
	else if (retrace->options.dialect == RETRACE_LIBRARY)
		rc = retrace_line_library(retrace, line, out, err);
	else if (retrace->options.dialect == RETRACE_R8)
		rc = retrace_line_r8(retrace, line, out, err);
	else
		rc = retrace_line_proguard(retrace, line, out, err);
	return rc < 0 ? -1 : buf_check(out, err);
}

void retrace_begin_stack(struct retrace *retrace, struct text class_name, struct text original)
{
	retrace->may_rewrite = true;
	retrace->thrown = original;
	if (original.bytes || class_name.size > sizeof(retrace->unmapped))
		return;
	memcpy(retrace->unmapped, class_name.bytes, class_name.size);
	retrace->thrown = (struct text){ retrace->unmapped, class_name.size };
}

int retrace_frame(struct retrace *retrace, struct text class_name, struct text method, bool has_line,
		  uint32_t line, enum proguard_outcome *outcome, struct err *err)
{
	const struct proguard_query query = {
		.class_name = class_name, .method = method, .line = line, .has_line = has_line,
		.may_rewrite = retrace->may_rewrite, .thrown = retrace->thrown,
	};

	if (proguard_remap(retrace->mapping, &query, &retrace->carry, &retrace->frames, outcome, err) < 0)
		return -1;
	if (*outcome != PROGUARD_OUTLINE) {
		retrace->may_rewrite = false;
		retrace->thrown = TEXT_NONE;
	}
	return 0;
}

bool retrace_line_number(struct text digits, uint32_t *line)
{
	uint64_t number;

	if (!text_to_u64(digits, 10, &number) || number > UINT32_MAX)
		return false;
	*line = (uint32_t)number;
	return true;
}
