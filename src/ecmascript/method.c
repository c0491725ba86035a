/* method.c -- MethodDefinition (ECMA-262 15.4), of classes and object literals. */
#include "ecmascript/productions.h"

void ecmascript_method_modifiers(struct scope_parser *parser, struct method_start *method)
{
	if (parser_at(parser, TOKEN_ASYNC)) {
		struct token next = scanner_peek(&parser->scanner);

		if (!next.newline_before &&
		    (next.kind == TOKEN_STAR || ecmascript_starts_property_name(&next))) {
			method->is_async = true;
			parser_next(parser);
		}
	}
	if (parser_accept(parser, TOKEN_STAR))
		method->is_generator = true;
	if (method->is_async || method->is_generator)
		return;
	if (parser_at(parser, TOKEN_GET) || parser_at(parser, TOKEN_SET)) {
		struct token next = scanner_peek(&parser->scanner);

		if (!ecmascript_starts_property_name(&next))
			return;
		method->accessor = parser_at(parser, TOKEN_GET) ? ACCESSOR_GET : ACCESSOR_SET;
		parser_next(parser);
	}
}

/* The constructor is no scope of its own: it is the class. */
static bool is_constructor(const struct scope_parser *parser, const struct method_start *method,
			   enum naming_kind kind, const struct token *key)
{
	static const char word[] = "constructor";
	const uint8_t *at = parser->scanner.bytes + key->start;
	size_t size = key->end - key->start;

	if (kind != NAMING_CLASS_KEY || method->is_static || method->accessor)
		return false;
	if (key->kind == TOKEN_STRING) {
		at++;
		size -= 2;
	} else if (!token_is_word(key)) {
		return false;
	}
	return size == sizeof(word) - 1 && memcmp(at, word, size) == 0;
}

static void method_rest(struct scope_parser *parser, const struct method_start *method)
{
	ecmascript_function_rest(parser, (struct function_traits){
		.is_async = method->is_async, .is_generator = method->is_generator });
	parser_end_scope(parser);
}

/* What is known for a method before its name is read: functions in a computed one are named after it. */
static bool known_method(struct scope_parser *parser, const struct method_start *method,
			 struct naming *naming, struct token *key)
{
	const struct own_name own = { .owner = OWNER_FUNCTION };

	parser->naming = naming;
	parser_begin_scope(parser, method->start, &own);
	ecmascript_property_name(parser, key);
	parser->naming = naming->outer;
	method_rest(parser, method);
	return true;
}

bool ecmascript_method(struct scope_parser *parser, struct method_start *method,
		       enum naming_kind kind, struct token *key)
{
	const struct own_name own = { .owner = OWNER_FUNCTION };
	struct parser_mark mark = parser_mark(parser);
	struct naming naming = { .outer = parser->naming, .kind = (uint8_t)kind,
				 .token = parser->scanner.token };

	if (!parser_at(parser, TOKEN_PRIVATE_NAME))
		naming.accessor = (uint8_t)method->accessor;
	*key = naming.token;
	if (!ecmascript_starts_property_name(key)) {
		parser_fail(parser, "a property name");
		return false;
	}
	if (method->is_async || method->is_generator || method->accessor)
		return known_method(parser, method, &naming, key);
	if (!ecmascript_property_name(parser, key) || !parser_at(parser, TOKEN_LPAREN))
		return false;
	if (is_constructor(parser, method, kind, key)) {
		ecmascript_function_rest(parser, (struct function_traits){ .is_async = false });
		return true;
	}
	if (parser_reread(parser, &mark))
		return known_method(parser, method, &naming, key);
	parser->naming = &naming;
	parser_begin_scope(parser, method->start, &own);
	parser->naming = naming.outer;
	method_rest(parser, method);
	return true;
}
