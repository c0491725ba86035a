/* err.c -- see err.h. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * What a kind is called, whether it may become a placeholder in the cache, and whether it is our
 * own.  Lasting kinds still expire, each after its own time; the others are never stored at all.
 * What is our own says nothing about any file or source, so no answer is made of it: whoever met
 * it tries again.
 */
static const struct {
	const char *name;
	bool lasting, ours;
} kinds[ERR_KINDS] = {
	[ERR_NONE]        = { "none",        false, false },
	[ERR_NOT_FOUND]   = { "not_found",   true,  false },
	[ERR_DENIED]      = { "denied",      true,  false },
	[ERR_MALFORMED]   = { "malformed",   true,  false },
	[ERR_UNSUPPORTED] = { "unsupported", true,  false },
	[ERR_DOWNLOAD]    = { "download",    true,  false },
	[ERR_TIMEOUT]     = { "timeout",     true,  false },
	[ERR_LIMIT]       = { "limit",       true,  false },
	[ERR_CRASHED]     = { "crashed",     true,  false },
	[ERR_RESOLVE]     = { "resolve",     false, false },
	[ERR_BAD_REQUEST] = { "bad_request", false, false },
	[ERR_BAD_SHAPE]   = { "bad_shape",   false, false },
	[ERR_TOO_LARGE]   = { "too_large",   false, false },
	[ERR_BUSY]        = { "busy",        false, true },
	[ERR_IO]          = { "io",          false, true },
	[ERR_NO_MEMORY]   = { "no_memory",   false, true },
	[ERR_INTERNAL]    = { "internal",    false, true },
};

/* "first: second", cut where the text is full. */
static void join(char out[ERR_TEXT_BYTES], const char *first, const char *second)
{
	size_t used = strnlen(first, ERR_TEXT_BYTES - 1);
	size_t more;

	memmove(out, first, used);
	if (used + 2 < ERR_TEXT_BYTES) {
		memcpy(out + used, ": ", 2);
		used += 2;
		more = strnlen(second, ERR_TEXT_BYTES - 1 - used);
		memcpy(out + used, second, more);
		used += more;
	}
	out[used] = '\0';
}

/* The arguments may point into err->text, so everything is formatted aside first. */
int (err_set)(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	char text[ERR_TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err->kind = kind;
	err->os_errno = 0;
	memcpy(err->text, text, sizeof(text));
	return -1;
}

int (err_os)(struct err *err, int os_errno, const char *fmt, ...)
{
	char text[ERR_TEXT_BYTES];
	char words[128];
	char reason[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(reason, sizeof(reason), "%s (errno %d)",
		 strerror_r(os_errno, words, sizeof(words)), os_errno);
	err->kind = os_errno == ENOMEM ? ERR_NO_MEMORY : ERR_IO;
	err->os_errno = os_errno;
	join(err->text, text, reason);
	return -1;
}

int (err_while)(struct err *err, const char *fmt, ...)
{
	char doing[ERR_TEXT_BYTES];
	char inner[ERR_TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(doing, sizeof(doing), fmt, ap);
	va_end(ap);
	memcpy(inner, err->text, sizeof(inner));
	join(err->text, doing, inner);
	return -1;
}

void err_clear(struct err *err)
{
	err->kind = ERR_NONE;
	err->os_errno = 0;
	err->text[0] = '\0';
}

const char *err_kind_name(enum err_kind kind)
{
	return (unsigned)kind < ERR_KINDS ? kinds[kind].name : "internal";
}

bool err_kind_is_lasting(enum err_kind kind)
{
	return (unsigned)kind < ERR_KINDS && kinds[kind].lasting;
}

bool err_kind_is_ours(enum err_kind kind)
{
	return (unsigned)kind >= ERR_KINDS || kinds[kind].ours;
}
