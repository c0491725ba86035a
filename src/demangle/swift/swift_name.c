/* swift_name.c -- identifiers, their words, and what stands for something said before. */
#include "demangle/swift/swift.h"

#define PUNY_BASE     36u
#define PUNY_LETTERS  256u

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* --- Words --------------------------------------------------------------------------- */

static bool starts_word(char c)
{
	return c != '_' && !ascii_is_digit(c) && c != '\0';
}

static bool ends_word(char c, char before)
{
	return c == '_' || c == '\0' || (!is_upper(before) && is_upper(c));
}

/* Every word of two letters or more can stand in later identifiers by its number. */
static void remember_words(struct swift *swift, struct text text)
{
	size_t start = text.size;

	for (size_t i = 0; i <= text.size; i++) {
		char c = i < text.size ? text.bytes[i] : '\0';

		if (start < text.size && ends_word(c, text.bytes[i - 1])) {
			if (i - start >= 2 && swift->word_count < SWIFT_WORDS)
				swift->words[swift->word_count++] =
					(struct text){ text.bytes + start, i - start };
			start = text.size;
		}
		if (start == text.size && starts_word(c))
			start = i;
	}
}

/* --- Punycode (RFC 3492 with '_' as the delimiter and A-J as digits) ------------------ */

static uint32_t puny_adapt(uint32_t delta, uint32_t count, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / count;
	while (delta > 455) {
		delta /= 35;
		k += PUNY_BASE;
	}
	return k + 36 * delta / (delta + 38);
}

static bool puny_number(struct text *rest, uint32_t bias, uint32_t *number)
{
	uint32_t weight = 1, digit, threshold;

	for (uint32_t k = PUNY_BASE; ; k += PUNY_BASE) {
		if (rest->size == 0 || weight > UINT32_MAX / PUNY_BASE / 64)
			return false;
		if (is_lower(*rest->bytes))
			digit = (uint32_t)(*rest->bytes - 'a');
		else if (*rest->bytes >= 'A' && *rest->bytes <= 'J')
			digit = (uint32_t)(*rest->bytes - 'A') + 26;
		else
			return false;
		rest->bytes++;
		rest->size--;
		if (*number > UINT32_MAX / 2 - digit * weight)
			return false;
		*number += digit * weight;
		threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		if (digit < threshold)
			return true;
		weight *= PUNY_BASE - threshold;
	}
}

static bool puny_decode(struct text text, uint32_t letters[PUNY_LETTERS], uint32_t *count)
{
	struct text rest = text;
	uint32_t at = 0, letter = 128, bias = 72, before;
	size_t plain = text.size;

	while (plain > 0 && text.bytes[plain - 1] != '_')
		plain--;
	*count = 0;
	if (plain > 0) {
		if (plain - 1 > PUNY_LETTERS)
			return false;
		for (size_t i = 0; i + 1 < plain; i++)
			letters[(*count)++] = (unsigned char)text.bytes[i];
		rest = (struct text){ text.bytes + plain, text.size - plain };
	}
	while (rest.size > 0) {
		before = at;
		if (*count == PUNY_LETTERS || !puny_number(&rest, bias, &at))
			return false;
		bias = puny_adapt(at - before, *count + 1, before == 0);
		letter += at / (*count + 1);
		at %= *count + 1;
		memmove(letters + at + 1, letters + at, (*count - at) * sizeof(*letters));
		letters[at++] = letter;
		(*count)++;
	}
	return true;
}

/* ASCII letters that are none of an identifier's were moved to 0xd800 and up. */
static bool puny_text(struct swift *swift, struct text *text)
{
	uint32_t letters[PUNY_LETTERS], count;
	size_t size = 0;
	char *bytes;

	if (!puny_decode(*text, letters, &count))
		return false;
	bytes = arena_alloc(&swift->arena, count + 1, 4);
	if (!bytes)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (letters[i] >= 0xd800 && letters[i] < 0xd880)
			letters[i] -= 0xd800;
		if (letters[i] > 0x10ffff || (letters[i] >= 0xd800 && letters[i] < 0xe000) ||
		    letters[i] < ' ')
			return false;
		size += utf8_put(letters[i], bytes + size);
	}
	*text = (struct text){ bytes, size };
	return true;
}

/* --- Identifiers --------------------------------------------------------------------- */

static struct node *finish(struct swift *swift, struct text text)
{
	struct node *node;

	if (text.size == 0)
		return NULL;
	node = swift_node(swift, NODE_NAME, 0);
	if (node)
		node->text = text;
	return swift_substitutable(swift, node);
}

static bool run_of(struct swift *swift, bool puny, struct text *run)
{
	uint32_t size;

	if (!swift_natural(swift, &size) || size == 0)
		return false;
	if (puny)
		swift_next_if(swift, '_');
	if (size > swift->size - swift->at)
		return false;
	*run = (struct text){ swift->name + swift->at, size };
	swift->at += size;
	if (puny)
		return puny_text(swift, run);
	remember_words(swift, *run);
	return true;
}

struct joined {
	char *bytes;
	size_t size;
};

static bool join(struct joined *joined, struct text part)
{
	if (part.size > LIMIT_DEMANGLED_BYTES - joined->size)
		return false;
	memcpy(joined->bytes + joined->size, part.bytes, part.size);
	joined->size += part.size;
	return true;
}

/* Runs of letters and words said before; the last word is a capital letter. */
static struct node *with_words(struct swift *swift)
{
	struct joined joined = { arena_alloc(&swift->arena, LIMIT_DEMANGLED_BYTES, 1), 0 };
	struct text run;
	bool more = true;
	char c;

	if (!joined.bytes)
		return NULL;
	while (more || swift_peek(swift) != '0') {
		while (more && (is_lower(swift_peek(swift)) || is_upper(swift_peek(swift)))) {
			c = swift_next(swift);
			more = is_lower(c);
			if ((unsigned)(ascii_lower(c) - 'a') >= swift->word_count ||
			    !join(&joined, swift->words[ascii_lower(c) - 'a']))
				return NULL;
		}
		if (swift_next_if(swift, '0'))
			break;
		if (!run_of(swift, false, &run) || !join(&joined, run))
			return NULL;
		if (!more)
			break;
	}
	return finish(swift, (struct text){ joined.bytes, joined.size });
}

struct node *swift_identifier(struct swift *swift)
{
	struct text run;

	if (!swift_next_if(swift, '0'))
		return run_of(swift, false, &run) ? finish(swift, run) : NULL;
	if (swift_next_if(swift, '0'))
		return run_of(swift, true, &run) ? finish(swift, run) : NULL;
	return with_words(swift);
}

struct node *swift_operator_name(struct swift *swift)
{
	static const char signs[] = "& @/= >    <*!|+?%-~   ^ .";
	static const struct text fixities[] = {
		{ " prefix", 7 }, { " postfix", 8 }, { " infix", 6 },
	};
	struct node *name = swift_pop_kind(swift, NODE_NAME), *node;
	char fixity = swift_next(swift);
	const struct text *behind = fixity == 'p' ? &fixities[0] :
				    fixity == 'P' ? &fixities[1] : &fixities[2];
	char *bytes;

	if (!name || !memchr("pPi", fixity, 4) || fixity == '\0')
		return NULL;
	bytes = arena_alloc(&swift->arena, name->text.size + behind->size, 1);
	node = swift_node(swift, NODE_OPERATOR, 0);
	if (!bytes || !node)
		return NULL;
	for (size_t i = 0; i < name->text.size; i++) {
		char c = name->text.bytes[i];

		bytes[i] = is_lower(c) ? signs[c - 'a'] : c;
		if (bytes[i] == ' ' || (unsigned char)c < 'a')
			return NULL;
	}
	memcpy(bytes + name->text.size, behind->bytes, behind->size);
	node->text = (struct text){ bytes, name->text.size + behind->size };
	return node;
}

/* "LL": of one file, "Ll": the file alone, "L_": of a function, "La": made for another. */
struct node *swift_local_name(struct swift *swift)
{
	struct node *node;
	uint32_t number;
	char c = swift_peek(swift);

	if (swift_next_if(swift, 'L'))
		return swift_pop_kind(swift, NODE_NAME) ?
		       swift_with(swift, NODE_PRIVATE_NAME, swift_pop_name(swift)) : NULL;
	if (swift_next_if(swift, 'l'))
		return swift_pop_kind(swift, NODE_NAME) ? swift_node(swift, NODE_PRIVATE_NAME, 0)
							: NULL;
	if ((c >= 'a' && c <= 'j') || (c >= 'A' && c <= 'J')) {
		swift_next(swift);
		node = swift_with(swift, NODE_RELATED_NAME, swift_pop_name(swift));
		if (node)
			node->number = (unsigned char)c;
		return node;
	}
	return swift_index(swift, &number) ?
	       swift_with(swift, NODE_LOCAL_NAME, swift_pop_name(swift)) : NULL;
}

/* --- What was said before ------------------------------------------------------------ */

#define REPEATED_MOST 2048u      /* as the compiler's own reader has it */

/* "A_", "A1_": the 27th and later ones; `times` is the number that was read. */
static struct node *late_substitution(const struct swift *swift, uint32_t times)
{
	char before = swift->name[swift->at - 2];
	uint32_t number = before == 'A' ? 26 : times + 27;

	if ((before != 'A' && !ascii_is_digit(before)) || number >= swift->substitution_count)
		return NULL;
	return swift->substitutions[number];
}

static bool push_times(struct swift *swift, struct node *node, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		if (!swift_push(swift, node))
			return false;
	return true;
}

/* "AaC": the first and the third; all but the last are pushed here. */
struct node *swift_substitution(struct swift *swift)
{
	uint32_t times;
	unsigned number;
	struct node *node;
	char c;

	do {
		times = 0;
		if (ascii_is_digit(swift_peek(swift)) && !swift_natural(swift, &times))
			return NULL;
		c = swift_next(swift);
		if (c == '_')
			return late_substitution(swift, times);
		number = (unsigned)(ascii_lower(c) - 'a');
		if (number >= 26 || number >= swift->substitution_count || times > REPEATED_MOST)
			return NULL;
		node = swift->substitutions[number];
		times += times == 0;
		if (!push_times(swift, node, is_lower(c) ? times : times - 1))
			return NULL;
	} while (is_lower(c));
	return node;
}

struct known {
	char letter;
	enum node_kind kind;
	const char *name;
};

static const struct known known[] = {
	{ 'A', NODE_STRUCT, "AutoreleasingUnsafeMutablePointer" }, { 'a', NODE_STRUCT, "Array" },
	{ 'B', NODE_PROTOCOL, "BinaryFloatingPoint" }, { 'b', NODE_STRUCT, "Bool" },
	{ 'D', NODE_STRUCT, "Dictionary" }, { 'd', NODE_STRUCT, "Double" },
	{ 'E', NODE_PROTOCOL, "Encodable" }, { 'e', NODE_PROTOCOL, "Decodable" },
	{ 'F', NODE_PROTOCOL, "FloatingPoint" }, { 'f', NODE_STRUCT, "Float" },
	{ 'G', NODE_PROTOCOL, "RandomNumberGenerator" }, { 'H', NODE_PROTOCOL, "Hashable" },
	{ 'h', NODE_STRUCT, "Set" }, { 'I', NODE_STRUCT, "DefaultIndices" },
	{ 'i', NODE_STRUCT, "Int" }, { 'J', NODE_STRUCT, "Character" },
	{ 'j', NODE_PROTOCOL, "Numeric" }, { 'K', NODE_PROTOCOL, "BidirectionalCollection" },
	{ 'k', NODE_PROTOCOL, "RandomAccessCollection" }, { 'L', NODE_PROTOCOL, "Comparable" },
	{ 'l', NODE_PROTOCOL, "Collection" }, { 'M', NODE_PROTOCOL, "MutableCollection" },
	{ 'm', NODE_PROTOCOL, "RangeReplaceableCollection" },
	{ 'N', NODE_STRUCT, "ClosedRange" }, { 'n', NODE_STRUCT, "Range" },
	{ 'O', NODE_STRUCT, "ObjectIdentifier" }, { 'P', NODE_STRUCT, "UnsafePointer" },
	{ 'p', NODE_STRUCT, "UnsafeMutablePointer" }, { 'Q', NODE_PROTOCOL, "Equatable" },
	{ 'q', NODE_ENUM, "Optional" }, { 'R', NODE_STRUCT, "UnsafeBufferPointer" },
	{ 'r', NODE_STRUCT, "UnsafeMutableBufferPointer" }, { 'S', NODE_STRUCT, "String" },
	{ 's', NODE_STRUCT, "Substring" }, { 'T', NODE_PROTOCOL, "Sequence" },
	{ 't', NODE_PROTOCOL, "IteratorProtocol" }, { 'U', NODE_PROTOCOL, "UnsignedInteger" },
	{ 'u', NODE_STRUCT, "UInt" }, { 'V', NODE_STRUCT, "UnsafeRawPointer" },
	{ 'v', NODE_STRUCT, "UnsafeMutableRawPointer" },
	{ 'W', NODE_STRUCT, "UnsafeRawBufferPointer" },
	{ 'w', NODE_STRUCT, "UnsafeMutableRawBufferPointer" },
	{ 'X', NODE_PROTOCOL, "RangeExpression" }, { 'x', NODE_PROTOCOL, "Strideable" },
	{ 'Y', NODE_PROTOCOL, "RawRepresentable" }, { 'y', NODE_PROTOCOL, "StringProtocol" },
	{ 'Z', NODE_PROTOCOL, "SignedInteger" }, { 'z', NODE_PROTOCOL, "BinaryInteger" },
};

static const struct known known_concurrency[] = {
	{ 'A', NODE_PROTOCOL, "Actor" }, { 'C', NODE_STRUCT, "CheckedContinuation" },
	{ 'c', NODE_STRUCT, "UnsafeContinuation" }, { 'E', NODE_STRUCT, "CancellationError" },
	{ 'e', NODE_STRUCT, "UnownedSerialExecutor" }, { 'F', NODE_PROTOCOL, "Executor" },
	{ 'f', NODE_PROTOCOL, "SerialExecutor" }, { 'G', NODE_STRUCT, "TaskGroup" },
	{ 'g', NODE_STRUCT, "ThrowingTaskGroup" },
	{ 'h', NODE_PROTOCOL, "TaskExecutor" },
	{ 'I', NODE_PROTOCOL, "AsyncIteratorProtocol" }, { 'i', NODE_PROTOCOL, "AsyncSequence" },
	{ 'J', NODE_STRUCT, "UnownedJob" }, { 'M', NODE_CLASS, "MainActor" },
	{ 'P', NODE_STRUCT, "TaskPriority" }, { 'S', NODE_STRUCT, "AsyncStream" },
	{ 's', NODE_STRUCT, "AsyncThrowingStream" }, { 'T', NODE_STRUCT, "Task" },
	{ 't', NODE_STRUCT, "UnsafeCurrentTask" },
};

static struct node *known_type(struct swift *swift, enum node_kind kind, const char *name)
{
	struct node *node = swift_node(swift, kind, 2);

	if (!node)
		return NULL;
	node->children[0] = swift_text_node(swift, NODE_MODULE, "Swift");
	node->children[1] = swift_text_node(swift, NODE_NAME, name);
	return node->children[0] && node->children[1] ? swift_type(swift, node) : NULL;
}

static struct node *find_known(struct swift *swift, char letter, const struct known *list,
			       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].letter == letter)
			return known_type(swift, list[i].kind, list[i].name);
	return NULL;
}

/* "Si", "S2i" (twice), "ScM", "So" (the module of C), "Sg" (an optional of what is there). */
struct node *swift_standard(struct swift *swift)
{
	uint32_t times = 1;
	struct node *node;

	if (swift_next_if(swift, 'o'))
		return swift_text_node(swift, NODE_MODULE, "__C");
	if (swift_next_if(swift, 'C'))
		return swift_text_node(swift, NODE_MODULE, "__C_Synthesized");
	if (swift_next_if(swift, 'g'))
		return swift_optional(swift);
	if (ascii_is_digit(swift_peek(swift)) && !swift_natural(swift, &times))
		return NULL;
	if (swift_next_if(swift, 'c'))
		node = find_known(swift, swift_next(swift), known_concurrency,
				  sizeof(known_concurrency) / sizeof(known_concurrency[0]));
	else
		node = find_known(swift, swift_next(swift), known,
				  sizeof(known) / sizeof(known[0]));
	for (uint32_t i = 1; node && i < times; i++)
		if (!swift_push(swift, node))
			return NULL;
	return node;
}

/* What the optional of a type is bound from. */
struct node *swift_optional(struct swift *swift)
{
	struct node *type = swift_pop_type(swift);
	struct node *node = swift_node(swift, NODE_BOUND, 2);

	if (!type || !node)
		return NULL;
	node->children[0] = known_type(swift, NODE_ENUM, "Optional");
	node->children[1] = swift_with(swift, NODE_LIST, type);
	if (!node->children[0] || !node->children[1])
		return NULL;
	return swift_substitutable(swift, swift_type(swift, node));
}
