# sql2c.awk -- turn the .sql files into C.
#
# usage: awk -f sql2c.awk -v what=names  sql/store.sql sql/cache.sql ...      > statements.h
#        awk -f sql2c.awk -v what=texts  the same files, the migrations, schema.sql > sql_text.h
#
# A file of statements holds "-- name: x" lines; each starts one.  Files in migrate/ and
# schema.sql are scripts: they become lists of statements, split after lines ending in ";".
# Comments run from "-- " to the end of the line and do not reach C; so no SQL string may
# hold two dashes and a blank.

function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\t\"" text "\\n\""
}
function base(path) { sub(/.*\//, "", path); return path }
function end_statement() {
	if (in_statement && what == "texts")
		print "\t},"
	in_statement = 0
}
function end_script() {
	if (in_script && what == "texts")
		print "\tNULL\n};"
	in_script = 0
}
function begin_file() {
	end_statement()
	end_script()
	is_script = FILENAME ~ /migrate\// || base(FILENAME) == "schema.sql"
	if (!is_script || what != "texts")
		return
	close_list()
	name = "script_schema"
	if (FILENAME ~ /migrate\//) {
		name = sprintf("script_migrate_%d", ++migrations)
		if (int(substr(base(FILENAME), 1, 4)) != migrations) {
			print "sql2c: " FILENAME " is not step " migrations > "/dev/stderr"
			exit 1
		}
	}
	printf "\nstatic const char *const %s[] = {\n", name
	in_script = 1
}
function open_list() {
	if (what == "texts" && !list_open)
		print "static const struct { const char *name, *sql; } statement_texts[] = {"
	list_open = 1
}
function close_list() {
	if (list_open == 1 && what == "texts")
		print "};"
	list_open = 2
}
BEGIN {
	print "/* Made by sql2c.awk from sql/; edits are lost. */"
	if (what == "names")
		print "#ifndef STORE_STATEMENTS_H\n#define STORE_STATEMENTS_H\n\nenum {"
}
FNR == 1 { begin_file() }
/^-- name: / && !is_script {
	end_statement()
	open_list()
	if (what == "names")
		print "\tSTATEMENT_" $3 ","
	else
		printf "\t{ \"%s\",\n", $3
	in_statement = 1
	next
}
{ sub(/(^|[ \t]+)-- ?.*$/, "") }
!NF || what != "texts" { next }
is_script {
	print quote($0) ($0 ~ /;[ \t]*$/ ? "," : "")
	next
}
in_statement { print quote($0) }
END {
	end_statement()
	end_script()
	if (what == "names") {
		print "\tSTATEMENTS\n};\n\n#endif"
		exit
	}
	close_list()
	print "\nstatic const char *const *const script_migrations[] = {"
	for (i = 1; i <= migrations; i++)
		print "\tscript_migrate_" i ","
	print "};"
}
