/*
 * respell.c -- names of functions by clang, as Microsoft's compiler writes them.
 *
 * Decorated names know no spelling, so what is read from them is the same for both; only the
 * names in records differ, in their template arguments.
 */
#include "object/pdb/respell.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

#define FUNCTION_POINTER  "(*)("      /* its convention is the default one: clang writes no other */
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

static bool skip_text(struct respelling *respelling, struct text text)
{
	if (respelling->name.size - respelling->at < text.size ||
	    memcmp(respelling->name.bytes + respelling->at, text.bytes, text.size) != 0)
		return false;
	respelling->at += text.size;
	return true;
}

static void respell_arguments(struct respelling *respelling);

/* Up to one of these, at this depth; longer than before only by calling conventions. */
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
		else if (respelling->depth > 0 && skip_text(respelling, TEXT(FUNCTION_POINTER)))
			put(respelling, TEXT("(__cdecl*)("));
		else
			put(respelling, (struct text){ &respelling->name.bytes[respelling->at++], 1 });
	}
}

/* The character a backslash and these bytes stand for; -1: not known, or no ASCII. */
static int escaped(struct text name, size_t at, size_t *size)
{
	static const char letters[] = "abfnrtv\\'", values[] = "\a\b\f\n\r\t\v\\'";
	const char *letter = at < name.size ? strchr(letters, name.bytes[at]) : NULL;
	uint64_t value;

	*size = 1;
	if (letter && *letter != '\0')
		return values[letter - letters];
	*size = 3;
	if (name.size - at < 3 || name.bytes[at] != 'x' ||
	    !text_to_u64((struct text){ name.bytes + at + 1, 2 }, 16, &value) || value > 0x7f)
		return -1;
	return (int)value;
}

/* "'c'" is 99; above ASCII nothing tells whether the character has a sign.  Never longer. */
static void respell_character(struct respelling *respelling)
{
	struct text name = respelling->name;
	size_t at = respelling->at + 1, size = 1;
	char digits[16];
	int value;

	if (name.size - respelling->at < 3 || name.bytes[respelling->at] != '\'')
		return;
	value = (unsigned char)name.bytes[at];
	if (value == '\\')
		value = escaped(name, ++at, &size);
	if (value < 0 || value > 0x7f || at + size >= name.size || name.bytes[at + size] != '\'')
		return;
	respelling->at = at + size + 1;
	put(respelling, (struct text){ digits, (size_t)snprintf(digits, sizeof(digits), "%d", value) });
}

/* "const volatile " and the like at the start of an argument. */
static bool skip_qualifier(struct respelling *respelling, struct text word)
{
	size_t after = respelling->at + word.size;

	if (!is_at(respelling->name, respelling->at, word) || after >= respelling->name.size ||
	    respelling->name.bytes[after] != ' ')
		return false;
	respelling->at = after + 1;
	return true;
}

/* "const int *" is "int const *"; characters and nullptr are numbers. */
static void respell_argument(struct respelling *respelling)
{
	bool is_const, is_volatile, is_spaced;

	for (; respelling->at < respelling->name.size &&
	       respelling->name.bytes[respelling->at] == ' '; respelling->at++)
		put(respelling, TEXT(" "));
	if (skip(respelling, TEXT("nullptr")))
		put(respelling, TEXT("0"));
	else
		respell_character(respelling);
	is_const = skip_qualifier(respelling, TEXT("const"));
	is_volatile = skip_qualifier(respelling, TEXT("volatile"));
	if (is_const || is_volatile) {
		respell_until(respelling, "*&,>([");
		is_spaced = respelling->size > 0 && respelling->out[respelling->size - 1] == ' ';
		respelling->size -= is_spaced;
		if (is_const)
			put(respelling, TEXT(" const"));
		if (is_volatile)
			put(respelling, TEXT(" volatile"));
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
	       memmem(name.bytes, name.size, "const ", 6) ||
	       memmem(name.bytes, name.size, "volatile ", 9) ||
	       memmem(name.bytes, name.size, "nullptr", 7) ||
	       memmem(name.bytes, name.size, FUNCTION_POINTER, strlen(FUNCTION_POINTER)) ||
	       memchr(name.bytes, '\'', name.size);
}

/* What the calling conventions may add. */
static size_t added(struct text name)
{
	size_t size = 0;

	for (size_t at = 0; at + strlen(FUNCTION_POINTER) <= name.size; at++)
		size += memcmp(name.bytes + at, FUNCTION_POINTER, strlen(FUNCTION_POINTER)) == 0
				? strlen("__cdecl") : 0;
	return size;
}

int respell(struct arena *scratch, struct text *name, struct err *err)
{
	struct respelling respelling = { .name = *name };
	struct text arguments;

	arguments = class_arguments(*name);
	if (!arguments.size && !is_of_clang(*name))
		return 0;
	respelling.out = arena_alloc_raw(scratch, name->size + added(*name) + arguments.size + added(arguments),
					 1);
	if (!respelling.out)
		return err_set(err, ERR_NO_MEMORY, "no memory for a name");
	respell_until(&respelling, "");
	respelling.name = arguments;
	respelling.at = 0;
	respell_until(&respelling, "");
	*name = (struct text){ respelling.out, respelling.size };
	return 0;
}
