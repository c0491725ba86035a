/*
 * msvc_text.c -- Microsoft's C++ names, by LLVM's demangler, spelled our way.
 *
 * The library has no flag for what we leave out beyond the return type of the outermost
 * function: tags before types, calling conventions of pointers, its own short words.  So its
 * text is rewritten.  It also has no bound of its own, hence the looks at the name before.
 */
#include <stdlib.h>

#include "demangle/demangle_internal.h"

#define MSVC_NAME_BYTES   4096u          /* longer ones are replaced by an MD5 by their compiler */
#define MSVC_UNFOLDING    (1u << 20)     /* parameters named again, multiplied */
#define MSVC_NESTING      512u           /* pointers and scopes inside each other */

char *msvc_print(const char *name, int with_return_type);      /* msvc.cc */

/* --- Before -------------------------------------------------------------------------- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* A digit in a list of parameters repeats an earlier one; behind small letters it is part of
 * an identifier, behind a tag it names a class. */
static bool may_repeat(const char *name, size_t at)
{
	return at > 0 && ascii_is_digit(name[at]) && !memchr("VUT_", name[at - 1], 4) &&
	       (is_upper(name[at - 1]) || ascii_is_digit(name[at - 1]) || name[at - 1] == '@');
}

/* Every type of a function may repeat parameters that repeat parameters: an upper bound of
 * how often the first of them is written. */
static bool unfolds_too_far(const char *name)
{
	uint64_t product = 1, repeated = 1;

	for (size_t i = 0; name[i] != '\0'; i++) {
		if (may_repeat(name, i))
			repeated++;
		if (i > 0 && (name[i] == '6' || name[i] == '8') && is_upper(name[i - 1])) {
			product *= repeated;
			repeated = 1;
		}
		if (product * repeated > MSVC_UNFOLDING)
			return true;
	}
	return false;
}

/* Pointers to pointers, scopes in scopes, templates in templates: each starts with one of
 * these, and what follows lies inside. */
static bool nests_too_deep(const char *name)
{
	unsigned depth = 0;

	for (size_t i = 0; name[i] != '\0'; i++) {
		if (name[i] == '@')
			depth -= depth > 0;
		else if (memchr("PQRSAB?$", name[i], 8) && ++depth > MSVC_NESTING)
			return true;
	}
	return false;
}

/* --- After --------------------------------------------------------------------------- */

struct rewriting {
	struct printing *printing;
	const char *at;
	char last;               /* written before; '\0': nothing yet */
};

static void put(struct rewriting *rewriting, const char *bytes, size_t size)
{
	if (size > 0 && printing_add(rewriting->printing, bytes, size))
		rewriting->last = bytes[size - 1];
}

static bool is_word(char c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t word_size(const char *at)
{
	size_t size = 0;

	while (is_word(at[size]))
		size++;
	return size;
}

static const struct word {
	const char *word;
	const char *instead;
	bool with_space;         /* takes the space behind it along */
} words[] = {
	{ "class", "", true }, { "struct", "", true }, { "union", "", true }, { "enum", "", true },
	{ "__int64", "int64_t", false }, { "ctor", "constructor", false },
	{ "dtor", "destructor", false },
};

static bool is_convention(const char *word, size_t size)
{
	static const char *const conventions[] = {
		"__cdecl", "__stdcall", "__fastcall", "__thiscall", "__vectorcall", "__clrcall",
		"__pascal", "__regcall", "__eabi", "__swiftcall", "__swiftasynccall",
	};

	for (size_t i = 0; i < sizeof(conventions) / sizeof(conventions[0]); i++)
		if (strlen(conventions[i]) == size && memcmp(conventions[i], word, size) == 0)
			return true;
	return false;
}

/* Only the words of special functions ("`scalar deleting dtor'") are short for others. */
static bool applies(const struct rewriting *rewriting, const struct word *word, size_t size)
{
	if (strcmp(word->word, "ctor") != 0 && strcmp(word->word, "dtor") != 0)
		return !word->with_space || rewriting->at[size] == ' ';
	return rewriting->last == ' ' && (rewriting->at[size] == '\'' || rewriting->at[size] == ' ');
}

static void rewrite_word(struct rewriting *rewriting, size_t size)
{
	static const char long_name[] = "unsigned __int64";
	const char *at = rewriting->at;

	if (strncmp(at, long_name, sizeof(long_name) - 1) == 0 &&
	    !is_word(at[sizeof(long_name) - 1])) {
		put(rewriting, "uint64_t", 8);
		rewriting->at += sizeof(long_name) - 1;
		return;
	}
	if (is_convention(at, size)) {
		rewriting->at += size + (at[size] == ' ' && memchr("( ", rewriting->last, 3));
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != size || memcmp(words[i].word, at, size) != 0 ||
		    !applies(rewriting, &words[i], size))
			continue;
		put(rewriting, words[i].instead, strlen(words[i].instead));
		rewriting->at += size + (words[i].with_space && at[size] == ' ');
		return;
	}
	put(rewriting, at, size);
	rewriting->at += size;
}

/* The signs of an operator's name are no brackets and no pointers. */
static void rewrite_operator(struct rewriting *rewriting)
{
	size_t size = sizeof("operator") - 1;

	size += strspn(rewriting->at + size, "<>=-!*&+|^~/%,");
	put(rewriting, rewriting->at, size);
	rewriting->at += size;
}

static bool is_pointer_sign(char c)
{
	return c == '*' || c == '&';
}

/* "int *" -> "int*", but "(*)", "f(void) &". */
static bool hugs(const char *at, char before)
{
	if (*at != ' ' || !is_pointer_sign(at[1]) || (before == ')' && at[1] == '&'))
		return false;
	return is_word(before) || (before != '\0' && memchr("*&>'])", before, 6));
}

/* "int *const", "int *x": the space that was before the sign comes behind it. */
static bool is_apart(const char *behind, char before)
{
	return is_word(*behind) && (before != '(' || strncmp(behind, "const", 5) == 0 ||
				    strncmp(behind, "volatile", 8) == 0);
}

static void rewrite_sign(struct rewriting *rewriting)
{
	const char *at = rewriting->at++;
	char before = rewriting->last;

	if (hugs(at, before))
		return;
	if (*at == '>' && before == '>')
		put(rewriting, " ", 1);
	put(rewriting, at, 1);
	if (is_pointer_sign(*at) && is_apart(at + 1, before))
		put(rewriting, " ", 1);
}

/* "`adjustor{16}'": Symbolicator does not name by how much a thunk shifts. */
static bool skip_adjustor(struct rewriting *rewriting)
{
	static const char mark[] = "`adjustor{";
	const char *end;

	if (strncmp(rewriting->at, mark, sizeof(mark) - 1) != 0)
		return false;
	end = strchr(rewriting->at, '\'');
	if (!end)
		return false;
	rewriting->at = end + 1;
	return true;
}

static void rewrite(const char *text, struct printing *printing)
{
	static const char thunk[] = "[thunk]: ";
	struct rewriting rewriting = { printing, text, '\0' };
	size_t size;

	if (strncmp(text, thunk, sizeof(thunk) - 1) == 0)
		rewriting.at += sizeof(thunk) - 1;
	while (*rewriting.at != '\0' && !printing->too_long) {
		size = word_size(rewriting.at);
		if (size == 8 && memcmp(rewriting.at, "operator", 8) == 0)
			rewrite_operator(&rewriting);
		else if (size > 0)
			rewrite_word(&rewriting, size);
		else if (!skip_adjustor(&rewriting))
			rewrite_sign(&rewriting);
	}
}

/* The calling convention that stands between the function's own return type and its name;
 * those of pointers stand in brackets.  NULL: not found. */
static const char *after_return_type(const char *text)
{
	unsigned depth = 0;
	size_t size;

	for (const char *at = text; *at != '\0'; at += size + (size == 0)) {
		size = word_size(at);
		if (size > 0 && depth == 0 && is_convention(at, size) && at[size] == ' ')
			return at + size + 1;
		if (memchr("<(`", *at, 3))
			depth++;
		else if (memchr(">)'", *at, 3) && depth-- == 0)
			return NULL;
	}
	return NULL;
}

/* The library's way to leave out the return type leaves out too much: "function<(void)>". */
static bool print_named(const char *name, struct printing *printing)
{
	char *text = msvc_print(name, 1);
	const char *from = text ? after_return_type(text) : NULL;

	if (!from) {
		free(text);
		text = msvc_print(name, 0);
		from = text;
	}
	if (!from)
		return false;
	rewrite(from, printing);
	free(text);
	return !printing->too_long;
}

bool demangle_msvc(const char *name, struct printing *printing)
{
	if (strlen(name) > MSVC_NAME_BYTES || unfolds_too_far(name) || nests_too_deep(name))
		return false;
	if (strncmp(name, "??_C@", 5) == 0)
		return printing_add(printing, "`string'", 8);
	return print_named(name, printing);
}
