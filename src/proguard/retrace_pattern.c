/* retrace_pattern.c -- see retrace_pattern.h. */
#include "proguard/retrace_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#define STEPS_MAX 2000000u           /* of one line; beyond it is none */
#define REGEX_BYTES_MAX ((size_t)64 * 1024)

struct retrace_pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	char wildcards[RETRACE_WILDCARDS_MAX];
	unsigned count;
};

#define PART "[^\\s\":./()]+"
#define CLASS "(?:" PART "\\.)*" PART
#define TYPE CLASS "(?:\\[\\])*"
#define ARGUMENTS(type) "(?:" type "(?:\\s*,\\s*" type ")*)?"
#define R8_PART "[\\w$\\x80-\\xff-]+"
#define R8_CLASS "(?:" R8_PART "\\.)*" R8_PART

static const struct { char letter; const char *proguard, *r8; } wildcards[] = {
	{ 'c', CLASS, R8_CLASS },
	{ 'C', "(?:" PART "/)*" PART, "(?:" R8_PART "/)*" R8_PART },
	{ 's', "[^:()]*", "(?:[^:()]|:(?![\\d)]))*" },
	{ 'l', "-?\\b\\d+\\b", "\\d*" },
	{ 't', TYPE, TYPE },
	{ 'f', "<?" PART ">?", "<?" PART ">?" },
	{ 'm', "<?" PART ">?", "(?:" R8_PART "|<init>|<clinit>)" },
	{ 'a', ARGUMENTS(TYPE), ARGUMENTS(TYPE) },
};

static const char *regex_of(char letter, bool is_r8)
{
	for (size_t i = 0; i < sizeof(wildcards) / sizeof(wildcards[0]); i++)
		if (wildcards[i].letter == letter)
			return is_r8 ? wildcards[i].r8 : wildcards[i].proguard;
	return NULL;
}

static int add_wildcard(struct retrace_pattern *pattern, char letter, bool is_r8, struct buf *out,
			struct err *err)
{
	if (pattern->count == RETRACE_WILDCARDS_MAX)
		return err_set(err, ERR_BAD_REQUEST, "the expression has more than %u wildcards",
			       RETRACE_WILDCARDS_MAX);
	pattern->wildcards[pattern->count++] = letter;
	buf_printf(out, "(%s)", regex_of(letter, is_r8));
	return 0;
}

/* Wildcards become groups; %S of R8 is a file and its line. */
static int translate(struct retrace_pattern *pattern, const char *regex, bool is_r8, struct buf *out,
		     struct err *err)
{
	for (const char *at = regex; *at; at++) {
		char letter = *at == '%' ? at[1] : '\0';

		if (letter && regex_of(letter, is_r8)) {
			if (add_wildcard(pattern, letter, is_r8, out, err) < 0)
				return -1;
			at++;
		} else if (letter == 'S' && is_r8) {
			if (add_wildcard(pattern, 's', true, out, err) < 0)
				return -1;
			buf_add_string(out, "(?::");
			if (add_wildcard(pattern, 'l', true, out, err) < 0)
				return -1;
			buf_add_char(out, ')');
			buf_add_char(out, '?');
			at++;
		} else {
			buf_add_char(out, *at);
		}
	}
	return buf_check(out, err);
}

static int compile(struct retrace_pattern *pattern, const struct buf *regex, struct err *err)
{
	char message[128];
	uint32_t groups = 0;
	size_t where;
	int code;

	pattern->code = pcre2_compile((PCRE2_SPTR)buf_string(regex), regex->size,
				      PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY |
				      PCRE2_NEVER_BACKSLASH_C, &code, &where, NULL);
	if (!pattern->code) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof(message));
		return err_set(err, ERR_BAD_REQUEST, "the expression cannot be read: %s", message);
	}
	pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	if (groups != pattern->count)
		return err_set(err, ERR_BAD_REQUEST, "the expression has groups that capture: write (?:...)");
	(void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);    /* without it, it is slower */
	pattern->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	pattern->context = pcre2_match_context_create(NULL);
	if (!pattern->data || !pattern->context)
		return err_set(err, ERR_NO_MEMORY, "no memory for an expression");
	pcre2_set_match_limit(pattern->context, STEPS_MAX);
	return 0;
}

int retrace_pattern_new(struct retrace_pattern **pattern, const char *regex, bool is_r8, struct err *err)
{
	struct buf whole;
	int rc = -1;

	buf_init(&whole, REGEX_BYTES_MAX);
	*pattern = mem_get(sizeof(**pattern));
	if (!*pattern)
		rc = err_set(err, ERR_NO_MEMORY, "no memory for an expression");
	else if (translate(*pattern, regex, is_r8, &whole, err) == 0)
		rc = compile(*pattern, &whole, err);
	buf_release(&whole);
	return rc;
}

void retrace_pattern_free(struct retrace_pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_data_free(pattern->data);
	pcre2_match_context_free(pattern->context);
	mem_give_back(pattern);
}

int retrace_pattern_match(struct retrace_pattern *pattern, struct text line,
			  struct retrace_match matches[RETRACE_WILDCARDS_MAX])
{
	const size_t *ends;
	int count = 0;

	if (pcre2_match(pattern->code, (PCRE2_SPTR)(line.bytes ? line.bytes : ""), line.size, 0, 0, pattern->data,
			pattern->context) < 0)
		return -1;
	ends = pcre2_get_ovector_pointer(pattern->data);
	for (unsigned i = 0; i < pattern->count; i++) {
		size_t from = ends[2 * i + 2], to = ends[2 * i + 3];

		if (from == PCRE2_UNSET)
			continue;
		matches[count++] = (struct retrace_match){ pattern->wildcards[i],
							   { line.bytes + from, to - from } };
	}
	return count;
}
