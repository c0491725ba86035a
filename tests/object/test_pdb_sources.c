/* test_pdb_sources -- where a PDB says its sources are: SourceLink and source server streams. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "object/look.h"
#include "object/object.h"
#include "support/support.h"

/* A program of two files below a folder with a Windows name; the streams are those of the case. */
#define BUILD \
	"cd $DIR\n" \
	"printf 'int helper(int);\\nint mainCRTStartup(void) { return helper(1); }\\n' > m.c\n" \
	"printf 'int helper(int a) { return a + 1; }\\n' > Helper.c\n" \
	"for f in m Helper; do clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1" \
	" -fdebug-prefix-map=$DIR=c:/Src/App -fdebug-compilation-dir=c:/Src/App -c $f.c -o $f.o; done\n"
#define LINK(streams) \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full" \
	" /entry:mainCRTStartup " streams " /pdb:$OUT /out:m.exe m.o Helper.o\n"

static const char *made(const char *name, const char *recipe)
{
	return support_fixture(support_printf("pdb-sources-%s", name), recipe);
}

static bool offers_sources(const char *path)
{
	struct file_map map = support_map(path);
	struct err err = ERR_INIT;
	struct object object;
	struct arena arena;
	bool offers;

	arena_init(&arena, (size_t)64 << 20);
	if (object_open(&object, map.bytes, map.size, &arena, &err) < 0)
		ck_abort_msg("%s: %s", path, err.text);
	offers = object.offers & OBJECT_OFFERS_SOURCES;
	object_release(&object);
	arena_release(&arena);
	file_unmap(&map);
	return offers;
}

/* --- The word for the version control system ------------------------------------------- */

static const struct {
	const char *what, *stream, *vcs;     /* NULL: no such line */
} indexed[] = {
	{ "Perforce", "SRCSRV: ini ---\\r\\nVERSION=2\\r\\nVERCTRL=Perforce\\r\\n", "perforce" },
	{ "a tool over git", "VERSION=2\\nverctrl=MyGitHub\\n", "git" },
	{ "anything else", "VERCTRL=http\\n", "other" },
	{ "no word of it", "SRCSRV: ini\\nVERSION=2\\n", NULL },
	{ "a text without end", "VERCTRL=Team Foundation Server", "other" },
};

START_TEST(source_servers_have_one_word_each)
{
	const char *path = made(support_printf("vcs-%d", _i), support_printf(
		BUILD "printf '%s' > s\n" LINK("/pdbstream:srcsrv=s"), indexed[_i].stream));
	const char *text = look_path(path);

	if (indexed[_i].vcs)
		ck_assert_msg(look_has(text, support_printf("vcs %s", indexed[_i].vcs), ""),
			      "%s: %.300s", indexed[_i].what, text);
	else
		ck_assert_msg(!look_has(text, "vcs ", ""), "%s: %.300s", indexed[_i].what, text);
	ck_assert(!offers_sources(path));
}
END_TEST

/* --- What the source server stream makes of a path ------------------------------------- */

#define INI "SRCSRV: ini ---\nVERSION=2\nVERCTRL=http\nSRCSRV: variables ---\n"
#define FILES "SRCSRV: source files ---\n"
#define END "SRCSRV: end ---\n"

static const struct {
	const char *what, *stream, *url;     /* of c:\Src\App\Helper.c; NULL: none */
} targets[] = {
	{ "variables in variables, fields, other case of letters and slashes",
	  INI "Host=https://src.example\nEXTRACT=%host%/%VAR3%/%var2%\nsrcsrvtrg=%extract%\n" FILES
	  "C:\\SRC\\app\\helper.C*app/helper.c*r17\nc:\\elsewhere.c*no*r1\n" END,
	  "https://src.example/r17/app/helper.c" },
	{ "the value of the variable a field names, the file of a path",
	  INI "DEPOT=http://depot.example/\nSRCSRVTRG=%fnvar%(%var2%)x/%fnfile%(%var1%)\n" FILES
	  "c:/src/app/Helper.c*DEPOT\n" END,
	  "http://depot.example/x/Helper.c" },
	{ "backslashes are none in an URL",
	  INI "SRCSRVTRG=https://e.example/%fnbksl%(a/%var2%)\n" FILES "c:\\src\\app\\helper.c*b\\c\n" END,
	  "https://e.example/a/b/c" },
	{ "of two lines the first", INI "SRCSRVTRG=https://e.example/%var2%\n" FILES
	  "c:\\src\\app\\helper.c*one\nc:\\src\\app\\helper.c*two\n" END, "https://e.example/one" },
	{ "a file on a disk", INI "SRCSRVTRG=%targ%\\%var2%\\%fnbksl%(%var3%)\n" FILES
	  "c:\\src\\app\\helper.c*SERVER*a/b.c\n" END, NULL },
	{ "a variable nobody set", INI "SRCSRVTRG=https://%host%/%var2%\n" FILES
	  "c:\\src\\app\\helper.c*a\n" END, NULL },
	{ "variables that name each other for ever", INI "A=%b%%b%\nB=%a%%a%\nSRCSRVTRG=https://%a%\n" FILES
	  "c:\\src\\app\\helper.c*a\n" END, NULL },
	{ "a function that is none", INI "SRCSRVTRG=https://%fnroot%(a)\n" FILES
	  "c:\\src\\app\\helper.c*a\n" END, NULL },
	{ "brackets that stay open", INI "SRCSRVTRG=https://%fnbksl%(a\n" FILES
	  "c:\\src\\app\\helper.c*a\n" END, NULL },
	{ "a percent sign alone", INI "SRCSRVTRG=https://a%\n" FILES "c:\\src\\app\\helper.c*a\n" END, NULL },
	{ "behind the end", INI "SRCSRVTRG=https://e.example/%var2%\n" FILES END
	  "c:\\src\\app\\helper.c*a\n", NULL },
};

START_TEST(source_servers_know_urls)
{
	const char *path = made(support_printf("target-%d", _i), support_printf(
		BUILD "cat > s <<'EOF'\n%sEOF\n" LINK("/pdbstream:srcsrv=s"), targets[_i].stream));
	const char *text = look_path(path);
	char *line = support_printf("\nsource c:\\Src\\App\\Helper.c linked %s\n", targets[_i].url);

	if (targets[_i].url)
		ck_assert_msg(strstr(text, line), "%s: %s",
			      targets[_i].what, text);
	else
		ck_assert_msg(!strstr(text, "\nsource "), "%s: %s",
			      targets[_i].what, text);
	ck_assert_msg(look_count(text, "source ") <= 1, "%s", text);
	ck_assert(offers_sources(path) == (targets[_i].url != NULL));
}
END_TEST

/* --- SourceLink -------------------------------------------------------------------------- */

static const struct {
	const char *what, *json, *streams;
	const char *lines[4];                /* none: there is nothing */
} links[] = {
	{ "one document, its slashes as in the paths of frames",
	  "{\"documents\":{\"C:/Src/*\":\"https://e.example/*\",\"/home/x/*\":\"https://f.example/*\"}}",
	  "/pdbstream:sourcelink=s",
	  { "\npattern C:\\Src\\* https://e.example/*\n", "\npattern /home/x/* https://f.example/*\n" } },
	{ "one for each library", "{\"documents\":{\"c:\\\\a.c\":\"https://e.example/a\"}}",
	  "'/pdbstream:sourcelink$2=s' '/pdbstream:sourcelink$1=t'",
	  { "\npattern c:\\a.c https://e.example/a\n", "\npattern c:\\t* https://t.example/*\n" } },
	{ "a broken one costs itself", "{\"documents\":", "'/pdbstream:sourcelink$2=s' '/pdbstream:sourcelink$1=t'",
	  { "\npattern c:\\t* https://t.example/*\n" } },
	{ "no JSON", "<xml/>", "/pdbstream:sourcelink=s", { NULL } },
	{ "no documents", "{}", "/pdbstream:sourcelink=s", { NULL } },
	{ "links that are no texts", "{\"documents\":{\"a\":7}}", "/pdbstream:sourcelink=s", { NULL } },
	{ "another stream's name", "{\"documents\":{\"a\":\"b\"}}", "/pdbstream:sourcelinks=s", { NULL } },
};

START_TEST(links_come_out)
{
	char *link = support_printf(LINK("%s"), links[_i].streams);
	const char *path = made(support_printf("link-%d", _i), support_printf(
		BUILD "cat > s <<'EOF'\n%s\nEOF\n"
		"echo '{\"documents\":{\"c:/t*\":\"https://t.example/*\"}}' > t\n%s", links[_i].json, link));
	const char *text = look_path(path);
	size_t count = 0;

	for (; count < 4 && links[_i].lines[count]; count++)
		ck_assert_msg(strstr(text, links[_i].lines[count]), "%s: no %s in %s", links[_i].what,
			      links[_i].lines[count], text);
	ck_assert_msg(look_count(text, "pattern ") == count, "%s: %s", links[_i].what, text);
	ck_assert_msg(offers_sources(path) == (count > 0), "%s", links[_i].what);
}
END_TEST

/* --- Torment ----------------------------------------------------------------------------- */

#define BOTH BUILD \
	"cat > s <<'EOF'\n" INI "A=https://e.example\nSRCSRVTRG=%%A%%/%%fnvar%%(%%var2%%)/%%fnfile%%(%%var1%%)\n" FILES \
	"c:\\src\\app\\helper.c*A\nc:\\src\\app\\m.c*A\n" END "EOF\n" \
	"echo '{\"documents\":{\"C:/Src/*\":\"https://e.example/*\"}}' > t\n"

static const char *both(void)
{
	return support_fixture("pdb-sources-both", support_printf(BOTH "made=$OUT OUT=both.pdb\n"
		LINK("/pdbstream:srcsrv=s /pdbstream:sourcelink=t") 
		"python3 $SRC/tests/object/remake_pdb.py both.pdb $made page=128 shuffle\n"));
}

START_TEST(survives_every_byte_change)
{
	struct file_map map = support_read(both());

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(both());
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 4000);
	file_unmap(&map);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("pdb-sources");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, source_servers_have_one_word_each, 0, COUNT(indexed));
	tcase_add_loop_test(reading, source_servers_know_urls, 0, COUNT(targets));
	tcase_add_loop_test(reading, links_come_out, 0, COUNT(links));
	tcase_add_test(torment, survives_every_byte_change);
	tcase_add_test(torment, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}
