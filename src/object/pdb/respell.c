/*
 * respell.c -- names of functions by clang, as Microsoft's compiler writes them.
 *
 * Decorated names know no spelling, so what is read from them is the same for both; only the
 * names in records differ, in their template arguments.
 */
#include "object/pdb/respell.h"

#include "base/arena.h"
#include "base/err.h"

#define RESPELL_DEPTH_MAX 64u        /* arguments in arguments; deeper ones stay as they are */

/* Where the last "::" outside of brackets begins, before `end`; `end` when there is none. */
static size_t last_scope(struct text name, size_t end)
{
	unsigned depth = 0;

	for (size_t at = end; at > 0; at--) {
		char c = name.bytes[at - 1];

		depth += c == '>';
		if (c == '<' && depth-- == 0)
			return end;
		if (c == ':' && depth == 0 && at > 1 && name.bytes[at - 2] == ':')
			return at - 2;
	}
	return end;
}

/* "<int>" of "ns::Box<int>::Box" and "ns::Box<int>::~Box"; TEXT_NONE for all others. */
static struct text class_arguments(struct text function)
{
	struct text last, class;
	size_t cut, start, open;

	if (!function.size || !memchr(function.bytes, '>', function.size))
		return TEXT_NONE;
	cut = last_scope(function, function.size);
	if (cut == function.size || function.bytes[cut - (cut > 0)] != '>')
		return TEXT_NONE;
	last = (struct text){ function.bytes + cut + 2, function.size - cut - 2 };
	if (text_starts_with(last, "~"))
		last = (struct text){ last.bytes + 1, last.size - 1 };
	start = last_scope(function, cut);
	start = start == cut ? 0 : start + 2;
	class = (struct text){ function.bytes + start, cut - start };
	open = last.size;
	if (open == 0 || open >= class.size || class.bytes[open] != '<' ||
	    memcmp(class.bytes, last.bytes, open) != 0)
		return TEXT_NONE;
	return (struct text){ class.bytes + open, class.size - open };
}

static bool is_word(char c)
{
	return c == '_' || ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

/* Is there a whole word (or two), inside of brackets? */
static bool is_at(struct text name, size_t at, struct text word)
{
	return name.size - at >= word.size && memcmp(name.bytes + at, word.bytes, word.size) == 0 &&
	       (at == 0 || !is_word(name.bytes[at - 1])) &&
	       (at + word.size == name.size || !is_word(name.bytes[at + word.size]));
}

struct respelling {
	struct text name;
	size_t at;
	char *out;
	size_t size;
	unsigned depth;
};

static void put(struct respelling *respelling, struct text text)
{
	memcpy(respelling->out + respelling->size, text.bytes, text.size);
	respelling->size += text.size;
}

static bool skip(struct respelling *respelling, struct text word)
{
	if (!is_at(respelling->name, respelling->at, word))
		return false;
	respelling->at += word.size;
	return true;
}

static void respell_arguments(struct respelling *respelling);

/* Up to one of these, at this depth; never longer than before. */
static void respell_until(struct respelling *respelling, const char *ends)
{
	while (respelling->at < respelling->name.size) {
		char c = respelling->name.bytes[respelling->at];

		if (c != '\0' && strchr(ends, c))
			return;
		if (c == '<' && respelling->depth < RESPELL_DEPTH_MAX)
			respell_arguments(respelling);
		else if (respelling->depth > 0 && skip(respelling, TEXT("long long")))
			put(respelling, TEXT("__int64"));
		else
			put(respelling, (struct text){ &respelling->name.bytes[respelling->at++], 1 });
	}
}

/* "const int *" is "int const *". */
static void respell_argument(struct respelling *respelling)
{
	bool is_const, is_spaced;

	for (; respelling->at < respelling->name.size &&
	       respelling->name.bytes[respelling->at] == ' '; respelling->at++)
		put(respelling, TEXT(" "));
	is_const = is_at(respelling->name, respelling->at, TEXT("const")) &&
		   respelling->at + 5 < respelling->name.size &&
		   respelling->name.bytes[respelling->at + 5] == ' ';
	if (is_const) {
		respelling->at += 6;
		respell_until(respelling, "*&,>([");
		is_spaced = respelling->size > 0 && respelling->out[respelling->size - 1] == ' ';
		respelling->size -= is_spaced;
		put(respelling, TEXT(" const"));
		if (is_spaced)
			put(respelling, TEXT(" "));
	}
	respell_until(respelling, ",>");
}

static void respell_arguments(struct respelling *respelling)
{
	respelling->depth++;
	do {
		respelling->at++;
		put(respelling, (struct text){ &respelling->name.bytes[respelling->at - 1], 1 });
		respell_argument(respelling);
	} while (respelling->at < respelling->name.size && respelling->name.bytes[respelling->at] == ',');
	respelling->depth--;
	if (respelling->at < respelling->name.size) {
		respelling->at++;
		put(respelling, TEXT(">"));
	}
}

static bool is_of_clang(struct text name)
{
	return memmem(name.bytes, name.size, "long long", 9) ||
	       memmem(name.bytes, name.size, "const ", 6);
}

int respell(struct arena *scratch, struct text *name, struct err *err)
{
	struct respelling respelling = { .name = *name };
	struct text arguments;

	arguments = class_arguments(*name);
	if (!arguments.size && !is_of_clang(*name))
		return 0;
	respelling.out = arena_alloc_raw(scratch, name->size + arguments.size, 1);
	if (!respelling.out)
		return err_set(err, ERR_NO_MEMORY, "no memory for a name");
	respell_until(&respelling, "");
	respelling.name = arguments;
	respelling.at = 0;
	respell_until(&respelling, "");
	*name = (struct text){ respelling.out, respelling.size };
	return 0;
}
