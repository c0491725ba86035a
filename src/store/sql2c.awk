# sql2c.awk -- turn the .sql files into C.
#
# usage: awk -f sql2c.awk -v what=names  sql/store.sql sql/cache.sql ...      > statements.h
#        awk -f sql2c.awk -v what=texts  the same files, the migrations, schema.sql > sql_text.h
#
# A file of statements holds "-- name: x" lines; each starts one.  Files in migrate/ and
# schema.sql are scripts: they become lists of statements, split after lines ending in ";".
# Each column of a result gets a constant COLUMN_<statement>_<column>: its name is what follows
# AS, or the last identifier.  "-- columns of: x" after the name holds this statement to begin
# with the columns of x, so that one reader serves both.
# Comments run from "-- " to the end of the line and do not reach C; so no SQL string may
# hold two dashes and a blank.

function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\t\"" text "\\n\""
}
function base(path) { sub(/.*\//, "", path); return path }
# The result's expressions: between SELECT (or RETURNING) and FROM, at the outermost level.
function name_columns(sql,    i, c, depth, quoted, word, list, open) {
	sql = sql " "
	for (i = 1; i <= length(sql); i++) {
		c = substr(sql, i, 1)
		if (c == "'")
			quoted = !quoted
		if (!quoted && c ~ /[A-Za-z_]/)
			word = word c
		else if (!depth && !quoted && word ~ /^(SELECT|RETURNING)$/ && !open) {
			open = 1
			list = ""
			word = ""
		} else if (!depth && !quoted && word == "FROM" && open == 1) {
			list = substr(list, 1, length(list) - 4)
			open = 2
		} else
			word = ""
		if (!quoted)
			depth += (c == "(") - (c == ")")
		if (open == 1 && (depth || c != ";"))
			list = list ((depth || quoted) && c == "," ? " " : c)
	}
	if (open)
		print_columns(list)
}
function print_columns(list,    names, n, i, enum) {
	n = split(list, names, ",")
	enum = ""
	for (i = 1; i <= n; i++) {
		sub(/[ \t]+$/, "", names[i])
		sub(/^.*[^A-Za-z0-9_]/, "", names[i])
		columns[statement, i] = names[i]
		if (names[i] ~ /^[a-z]/)
			enum = enum sprintf("\tCOLUMN_%s_%s = %d,\n", statement, names[i], i - 1)
	}
	if (enum != "")
		print "enum {\n" enum "};"
	columns[statement, 0] = n
	check_columns(like, n)
}
function check_columns(like, n,    i) {
	for (i = 1; like != "" && i <= columns[like, 0]; i++)
		if (columns[statement, i] != columns[like, i]) {
			print "sql2c: column " i " of " statement " is not that of " like > "/dev/stderr"
			failed = 1
		}
	if (like != "" && !((like, 0) in columns)) {
		print "sql2c: " statement ": there is no " like > "/dev/stderr"
		failed = 1
	}
}
function end_statement() {
	if (in_statement && what == "texts")
		print "\t},"
	if (in_statement && what == "names")
		bodies[++statements] = body
	in_statement = 0
}
function print_all_columns(    i) {
	for (i = 1; i <= statements; i++) {
		statement = statement_names[i]
		like = likes[i]
		name_columns(bodies[i])
	}
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
	statement_names[statements + 1] = $3
	body = ""
	next
}
/^-- columns of: / && in_statement { likes[statements + 1] = $4 }
{ sub(/(^|[ \t]+)-- ?.*$/, "") }
in_statement { body = body " " $0 }
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
		print "\tSTATEMENTS\n};\n"
		print_all_columns()
		print "\n#endif"
		exit failed
	}
	close_list()
	print "\nstatic const char *const *const script_migrations[] = {"
	for (i = 1; i <= migrations; i++)
		print "\tscript_migrate_" i ","
	print "};"
}
