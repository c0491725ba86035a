/* retrace.c -- see retrace.h: which dialect, and its expression. */
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

	retrace->lines++;
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
