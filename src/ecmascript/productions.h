/*
 * productions -- the productions of the grammar that more than one file needs, from those that
 * others contain upwards: a file calls only those declared above its own.  What goes the other way
 * goes by the pointers of struct scope_parser.
 */
#ifndef ECMASCRIPT_PRODUCTIONS_H
#define ECMASCRIPT_PRODUCTIONS_H

#include "ecmascript/parser.h"

/* property_name.c: 13.2.5.  A computed key leaves a "[" in `key`. */
bool ecmascript_property_name(struct scope_parser *parser, struct token *key);
/* Can the token be the first of one? */
bool ecmascript_starts_property_name(const struct token *token);

/* pattern.c: 14.3.3 and 13.15.5 */
void ecmascript_binding_element(struct scope_parser *parser);
void ecmascript_binding_pattern(struct scope_parser *parser);
void ecmascript_assignment_pattern(struct scope_parser *parser);
void ecmascript_initializer(struct scope_parser *parser);

/* function_definition.c: 15.1 to 15.3, 15.5, 15.6 and 15.8 */
struct function_traits {
	bool is_async, is_generator;
	bool is_transparent;             /* names of functions in it are found around it */
};
/* Parameters and body. */
void ecmascript_function_rest(struct scope_parser *parser, struct function_traits traits);
/* At "function". */
void ecmascript_function(struct scope_parser *parser, uint32_t start, bool is_async);
/* At "=>".  `parameters`: where they begin, if they may have to be read again. */
void ecmascript_arrow_function(struct scope_parser *parser, uint32_t start, bool is_async,
			       const struct parser_mark *parameters, bool has_in);

/* method.c: 15.4 */
struct method_start {
	uint32_t start;                  /* of the member's first token */
	bool is_async, is_generator, is_static;
	enum naming_accessor accessor;
};
/* "async", "*", "get" and "set" before a name; what they are not they are names. */
void ecmascript_method_modifiers(struct scope_parser *parser, struct method_start *method);
/* A name and, if it is a method's, the method (true).  `kind`: of the name around it. */
bool ecmascript_method(struct scope_parser *parser, struct method_start *method,
		       enum naming_kind kind, struct token *key);

/* class_definition.c: 15.7.  At "class". */
void ecmascript_class_definition(struct scope_parser *parser, bool is_declaration);
void ecmascript_decorators(struct scope_parser *parser);

/* object_literal.c: 13.2.4 and 13.2.5 */
void ecmascript_object_literal(struct scope_parser *parser);
void ecmascript_array_literal(struct scope_parser *parser);

/* operand.c: 13.2 to 13.4 */
enum operand_kind ecmascript_left_hand_side_expression(struct scope_parser *parser, bool has_in);
enum operand_kind ecmascript_unary_expression(struct scope_parser *parser, bool has_in);

/* assignment.c: 13.5 to 13.16 */
enum operand_kind ecmascript_assignment_expression(struct scope_parser *parser, bool has_in);
enum operand_kind ecmascript_comma_expression(struct scope_parser *parser, bool has_in);

/* module_item.c: 16.2; at "import" and "export". */
void ecmascript_import_declaration(struct scope_parser *parser);
/* What an export is, apart from names: nothing more, a declaration, or a default. */
enum export_rest { EXPORT_NOTHING, EXPORT_DECLARATION, EXPORT_DEFAULT };
enum export_rest ecmascript_export_start(struct scope_parser *parser);
void ecmascript_semicolon(struct scope_parser *parser);

/* loop.c: 14.7 */
void ecmascript_variable_declarations(struct scope_parser *parser, bool has_in);
/* "for" up to its body. */
void ecmascript_for_head(struct scope_parser *parser);
/* Is the current token "let" or "using" as the start of a declaration, in the head of a loop? */
bool ecmascript_starts_lexical_declaration(struct scope_parser *parser, bool is_loop);
/* The same for "await using". */
bool ecmascript_starts_await_using(struct scope_parser *parser);

/* statement.c: 14 and 16 */
void ecmascript_statement_list(struct scope_parser *parser);
void ecmascript_program(struct scope_parser *parser);

#endif
