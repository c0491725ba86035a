/* proguard_signature.c -- descriptors of the JVM (JVMS 4.3) in Java's words, with original names. */
#include "proguard/proguard.h"

#include "base/buf.h"

static const char *primitive(char letter)
{
	switch (letter) {
	case 'Z': return "boolean";
	case 'B': return "byte";
	case 'C': return "char";
	case 'S': return "short";
	case 'I': return "int";
	case 'J': return "long";
	case 'F': return "float";
	case 'D': return "double";
	case 'V': return "void";
	default:  return NULL;
	}
}

static void cut(struct buf *out, size_t size)
{
	if (size >= out->size)
		return;
	out->size = size;
	out->bytes[size] = '\0';
}

/* A class as a descriptor has it, with dots, under its original name. */
static void add_class(const struct proguard *mapping, struct text internal, struct buf *out)
{
	size_t from = out->size;
	struct text name, original;

	buf_add_text(out, internal);
	if (out->failed)
		return;
	for (size_t i = from; i < out->size; i++)
		if (out->bytes[i] == '/')
			out->bytes[i] = '.';
	name = (struct text){ out->bytes + from, out->size - from };
	original = mapping ? proguard_class(mapping, name) : TEXT_NONE;
	if (!original.bytes)
		return;
	cut(out, from);
	buf_add_text(out, original);
}

/* Letters that are no type are passed over; the first that is one ends it. */
bool proguard_type(const struct proguard *mapping, struct text descriptor, struct buf *shown)
{
	size_t dimensions = 0, at = 0;

	for (; at < descriptor.size; at++) {
		char letter = descriptor.bytes[at];

		if (letter == 'L' || primitive(letter))
			break;
		dimensions += letter == '[';
	}
	if (at == descriptor.size)
		return false;
	if (descriptor.bytes[at] == 'L') {
		if (descriptor.size < at + 2 || descriptor.bytes[descriptor.size - 1] != ';')
			return false;
		add_class(mapping, (struct text){ descriptor.bytes + at + 1, descriptor.size - at - 2 }, shown);
	} else {
		buf_add_string(shown, primitive(descriptor.bytes[at]));
	}
	while (dimensions-- > 0)
		buf_add(shown, "[]", 2);
	return true;
}

/* The next parameter; false: none is left, or (is_wrong) a class has no end. */
static bool take_parameter(struct text *rest, struct text *parameter, bool *is_wrong)
{
	for (size_t at = 0; at < rest->size; at++) {
		char letter = rest->bytes[at];
		const char *end = rest->bytes + at;

		if (letter != 'L' && !primitive(letter))
			continue;
		if (letter == 'L')
			end = memchr(end, ';', rest->size - at);
		if (!end) {
			*is_wrong = true;
			return false;
		}
		*parameter = (struct text){ rest->bytes, (size_t)(end - rest->bytes) + 1 };
		*rest = text_from(*rest, parameter->size);
		return true;
	}
	return false;
}

static bool add_parameters(const struct proguard *mapping, struct text rest, const char *comma,
			   struct buf *out)
{
	struct text parameter;
	bool is_wrong = false, is_first = true;

	while (take_parameter(&rest, &parameter, &is_wrong)) {
		if (!is_first)
			buf_add_string(out, comma);
		is_first = false;
		(void)proguard_type(mapping, parameter, out);
	}
	return !is_wrong;
}

static bool add_shown(const struct proguard *mapping, struct text parameters, struct text result,
		      struct buf *out)
{
	size_t before;

	buf_add_char(out, '(');
	if (!add_parameters(mapping, parameters, ", ", out))
		return false;
	buf_add_char(out, ')');
	before = out->size;
	buf_add(out, ": ", 2);
	if (!proguard_type(mapping, result, out))
		return false;
	if (out->size == before + 6 && memcmp(out->bytes + before, ": void", 6) == 0)
		cut(out, before);
	return true;
}

bool proguard_signature(const struct proguard *mapping, struct text descriptor, struct buf *shown,
			struct buf *parameters)
{
	const char *close = descriptor.size ? memrchr(descriptor.bytes, ')', descriptor.size) : NULL;
	size_t shown_before = shown ? shown->size : 0, before = parameters ? parameters->size : 0;
	struct text inside, result;
	bool is_read;

	if (!close || descriptor.bytes[0] != '(')
		return false;
	inside = (struct text){ descriptor.bytes + 1, (size_t)(close - descriptor.bytes) - 1 };
	result = text_from(descriptor, (size_t)(close - descriptor.bytes) + 1);
	is_read = (!shown || add_shown(mapping, inside, result, shown)) &&
		  (!parameters || add_parameters(mapping, inside, ",", parameters));
	if (!is_read && shown)
		cut(shown, shown_before);
	if (!is_read && parameters)
		cut(parameters, before);
	return is_read;
}
