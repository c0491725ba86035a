/* rewrite.c -- see rewrite.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "kinds/crash/rewrite.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"

#define MATCH_STEPS    10000u        /* PCRE2's match limit: a tenth of a millisecond */
#define MATCH_KIBIBYTES 1024u        /* of heap */
#define NAME_BYTES     ((size_t)64 << 10)
#define GROUP_BYTES    64u

static pcre2_code *compile(struct text expression, struct err *err)
{
	PCRE2_SIZE at;
	PCRE2_UCHAR words[128];
	int code;
	pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)expression.bytes, expression.size,
					     PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);

	if (!compiled) {
		pcre2_get_error_message(code, words, sizeof(words));
		err_set(err, ERR_BAD_REQUEST, "rewrite_first_module: `%.*s` is no regular expression: "
			"%s, at byte %zu", (int)expression.size, expression.bytes, (const char *)words,
			(size_t)at);
	}
	return compiled;
}

int rewrite_check(const struct rewrite_rule *rules, size_t count, struct err *err)
{
	if (count > REWRITE_RULES_MAX)
		return err_set(err, ERR_BAD_REQUEST, "rewrite_first_module: %zu rules, more than %u",
			       count, REWRITE_RULES_MAX);
	for (size_t i = 0; i < count; i++) {
		pcre2_code *compiled = compile(rules[i].from, err);

		if (!compiled)
			return -1;
		pcre2_code_free(compiled);
	}
	return 0;
}

/* --- Replacements ------------------------------------------------------------------------- */

struct match {
	const pcre2_code *compiled;
	struct text subject;
	pcre2_match_data *data;
};

/* What a group captured, by number or name; nothing when there is none of that name. */
static struct text captured(const struct match *match, struct text group)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match->data);
	char name[GROUP_BYTES];
	uint64_t number;

	if (!text_to_u64(group, 10, &number)) {
		int found;

		if (group.size >= sizeof(name))
			return TEXT("");
		memcpy(name, group.bytes, group.size);
		name[group.size] = '\0';
		found = pcre2_substring_number_from_name(match->compiled, (PCRE2_SPTR)name);
		if (found < 0)
			return TEXT("");
		number = (uint64_t)found;
	}
	if (number >= pcre2_get_ovector_count(match->data) || ends[2 * number] == PCRE2_UNSET ||
	    ends[2 * number + 1] < ends[2 * number])
		return TEXT("");
	return (struct text){ match->subject.bytes + ends[2 * number],
			      ends[2 * number + 1] - ends[2 * number] };
}

static bool is_word(char c)
{
	return ascii_is_digit(c) || c == '_' || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

/* The group behind a '$' at the beginning of `rest`, and how many bytes it took; 0: no group. */
static size_t group_at(struct text rest, struct text *group)
{
	size_t size = 1;

	if (rest.size > 1 && rest.bytes[1] == '{') {
		const char *end = memchr(rest.bytes, '}', rest.size);

		if (!end)
			return 0;
		*group = (struct text){ rest.bytes + 2, (size_t)(end - rest.bytes) - 2 };
		return group->size + 3;
	}
	while (size < rest.size && is_word(rest.bytes[size]))
		size++;
	*group = (struct text){ rest.bytes + 1, size - 1 };
	return size > 1 ? size : 0;
}

static void expand(const struct match *match, struct text to, struct buf *out)
{
	while (to.size > 0) {
		struct text group;
		size_t took = to.bytes[0] == '$' ? group_at(to, &group) : 0;

		if (took > 0) {
			buf_add_text(out, captured(match, group));
		} else {
			took = to.size > 1 && to.bytes[0] == '$' && to.bytes[1] == '$' ? 2 : 1;
			buf_add_char(out, to.bytes[0]);
		}
		to = (struct text){ to.bytes + took, to.size - took };
	}
}

/* --- Matching ------------------------------------------------------------------------------- */

static int replace(const struct match *match, struct text to, struct text *name,
		   struct arena *arena, struct err *err)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match->data);
	struct text subject = match->subject;
	struct buf out;
	char *copy;
	int rc;

	buf_init(&out, NAME_BYTES);
	buf_add(&out, subject.bytes, ends[0]);
	expand(match, to, &out);
	buf_add(&out, subject.bytes + ends[1], subject.size - ends[1]);
	rc = buf_check(&out, err);
	if (rc == 0) {
		copy = arena_strndup(arena, out.bytes, out.size);
		*name = (struct text){ copy, out.size };
		rc = copy ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for a rewritten name");
	}
	buf_release(&out);
	return rc < 0 ? err_while(err, "rewrite_first_module") : 1;
}

/* 1: it matched, and *name is what it made of it; 0; -1. */
static int try_rule(const struct rewrite_rule *rule, struct text *name, struct arena *arena,
		    struct err *err)
{
	struct match match = { .compiled = compile(rule->from, err), .subject = *name };
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	int rc = -1;

	if (match.compiled)
		match.data = pcre2_match_data_create_from_pattern(match.compiled, NULL);
	if (match.data && limits) {
		pcre2_set_match_limit(limits, MATCH_STEPS);
		pcre2_set_heap_limit(limits, MATCH_KIBIBYTES);
		rc = pcre2_match(match.compiled, (PCRE2_SPTR)name->bytes, name->size, 0, 0, match.data,
				 limits);
		rc = rc > 0 ? replace(&match, rule->to, name, arena, err) : 0;
	} else if (match.compiled) {
		err_set(err, ERR_NO_MEMORY, "no memory for a regular expression");
	}
	pcre2_match_context_free(limits);
	pcre2_match_data_free(match.data);
	pcre2_code_free((pcre2_code *)(uintptr_t)match.compiled);
	return rc;
}

int rewrite_apply(const struct rewrite_rule *rules, size_t count, unsigned *tries,
		  struct text *name, struct arena *arena, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0 && name->bytes && *tries > 0; i++, --*tries)
		rc = try_rule(&rules[i], name, arena, err);
	return rc < 0 ? -1 : 0;
}
