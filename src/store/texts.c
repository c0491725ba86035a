/* texts.c -- the SQL made into C by sql2c.awk, and the doors to it. */
#include "store/store_internal.h"

#include <stddef.h>

#include "store/sql_text.h"

_Static_assert(sizeof(statement_texts) / sizeof(statement_texts[0]) == STATEMENTS,
	       "names and texts of statements come from the same files");

const char *store_statement_name(unsigned statement)
{
	return statement_texts[statement].name;
}

const char *store_statement_sql(unsigned statement)
{
	return statement_texts[statement].sql;
}

unsigned store_schema_version(void)
{
	return sizeof(script_migrations) / sizeof(script_migrations[0]);
}

const char *const *store_migration_script(unsigned version)
{
	return script_migrations[version - 1];
}

const char *const *store_schema_script(void)
{
	return script_schema;
}
