/* test_archive -- zip and cab archives: of one file, of none, of several, lying, damaged. */
#include "unpack/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/support.h"

#define CEILING_BYTES ((uint64_t)1 << 30)
#define PLAIN "seq 1 60000 | head -c 300000 > $DIR/plain;"
#define PLAIN_BYTES 300000u
#define ZIP "python3 -c 'import os,struct,sys,zipfile; d=os.environ[\"DIR\"]; o=os.environ[\"OUT\"]\n" \
	"p=open(d+\"/plain\",\"rb\").read()\n"
#define END "' "

static const struct {
	const char *what;
	enum unpack_kind kind;
	const char *recipe;
	uint64_t size;                       /* when text is NULL */
	const char *text;
} cases[] = {
	{ "deflated", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"a/b.pdb\",p)" END,
	  PLAIN_BYTES, NULL },
	{ "stored", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",0) as z: z.writestr(\"b\",p)" END,
	  PLAIN_BYTES, NULL },
	{ "size behind the data", UNPACK_ZIP, PLAIN ZIP
	  "class S:\n"
	  "  def __init__(s): s.f=open(o,\"wb\")\n"
	  "  def write(s,b): return s.f.write(b)\n"
	  "  def flush(s): s.f.flush()\n"
	  "with zipfile.ZipFile(S(),\"w\",8) as z: z.writestr(\"b\",p)" END,
	  PLAIN_BYTES, NULL },
	{ "name that climbs", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"../../etc/passwd\",p)" END,
	  PLAIN_BYTES, NULL },
	{ "empty file", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"e\",b\"\")" END, 0, NULL },
	{ "two files", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"a\",p); z.writestr(\"b\",p)" END,
	  0, "ZipArchive contains more than one symbol file" },
	{ "no file", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: pass" END,
	  0, "ZipArchive contains no symbol file" },
	{ "size that is too large", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"b\",p)\n"
	  "b=bytearray(open(o,\"rb\").read()); at=b.rindex(b\"PK\\1\\2\")\n"
	  "b[at+24:at+28]=struct.pack(\"<I\",300001); open(o,\"wb\").write(b)" END,
	  0, "it holds 300000 bytes, not the 300001 it promises" },
	{ "size that is too small", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"b\",p)\n"
	  "b=bytearray(open(o,\"rb\").read()); at=b.rindex(b\"PK\\1\\2\")\n"
	  "b[at+24:at+28]=struct.pack(\"<I\",10); open(o,\"wb\").write(b)" END,
	  0, "it holds more than the 10 bytes it promises" },
	{ "wrong checksum", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",0) as z: z.writestr(\"b\",p)\n"
	  "b=bytearray(open(o,\"rb\").read()); b[1000]^=1; open(o,\"wb\").write(b)" END,
	  0, "Invalid checksum" },
	{ "bomb", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"b\",bytes(1<<30)+b\"1\")" END,
	  0, "Maximum file size exceeded" },
	{ "encrypted", UNPACK_ZIP,
	  PLAIN ZIP "with zipfile.ZipFile(o,\"w\",8) as z: z.writestr(\"b\",p)\n"
	  "b=bytearray(open(o,\"rb\").read()); at=b.rindex(b\"PK\\1\\2\"); b[at+8]|=1\n"
	  "open(o,\"wb\").write(b)" END, 0, "it is encrypted" },
	{ "no zip", UNPACK_ZIP, "printf 'PK\\003\\004 and nothing more, no end record' > $OUT",
	  0, "zip archive has no end record" },
	{ "MSZIP cabinet", UNPACK_CAB,
	  PLAIN "cd $DIR; gcab -c -z -n $OUT plain", PLAIN_BYTES, NULL },
	{ "plain cabinet", UNPACK_CAB, PLAIN "cd $DIR; gcab -c -n $OUT plain", PLAIN_BYTES, NULL },
	{ "cabinet of two files", UNPACK_CAB,
	  PLAIN "cd $DIR; cp plain other; gcab -c -z -n $OUT plain other",
	  0, "cab file contains more than 1 symbol file" },
	{ "cabinet cut short", UNPACK_CAB,
	  PLAIN "cd $DIR; gcab -c -z -n whole plain; head -c 5000 whole > $OUT",
	  0, "bad cab file: it ends early" },
	{ "no cabinet", UNPACK_CAB, "printf 'MSCF and nothing more' > $OUT",
	  0, "bad cab file: it ends early" },
};
#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

static struct file_map map_of(int i)
{
	return support_read(support_fixture(support_printf("archive-%d", i), cases[i].recipe));
}

static int unpack(enum unpack_kind kind, const struct file_map *map, uint64_t ceiling,
		  struct file_map *result, struct err *err)
{
	int out = memfd_create("out", MFD_CLOEXEC);
	struct err ignored = ERR_INIT;
	int rc;

	ck_assert_int_ge(out, 0);
	rc = unpack_archive(kind, (struct text){ (const char *)map->bytes, map->size }, out, ceiling,
			    err);
	if (rc == 0 && result)
		ck_assert_int_eq(file_map_fd(result, out, &ignored), 0);
	close(out);
	return rc;
}

static void check_plain(const struct file_map *result)
{
	struct file_map plain = support_map(support_fixture("archive-plain",
				"seq 1 60000 | head -c 300000 > $OUT"));

	if (result->size > 0)
		ck_assert_mem_eq(result->bytes, plain.bytes, result->size);
	file_unmap(&plain);
}

START_TEST(holds_one_file_or_is_refused)
{
	struct file_map map = map_of(_i), result = { NULL, 0 };
	struct err err = ERR_INIT;
	bool is_bomb = strcmp(cases[_i].what, "bomb") == 0;
	int rc = unpack(cases[_i].kind, &map, is_bomb ? 1 << 20 : CEILING_BYTES, &result, &err);

	if (cases[_i].text) {
		ck_assert_msg(rc < 0, "%s", cases[_i].what);
		ck_assert_str_eq(err.text, cases[_i].text);
		ck_assert_int_eq(err.kind, is_bomb ? ERR_LIMIT : ERR_MALFORMED);
		return;
	}
	ck_assert_msg(rc == 0, "%s: %s", cases[_i].what, err.text);
	ck_assert_uint_eq(result.size, cases[_i].size);
	check_plain(&result);
	file_unmap(&result);
	if (cases[_i].size == 0)
		return;
	ck_assert_int_lt(unpack(cases[_i].kind, &map, cases[_i].size - 1, NULL, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
}
END_TEST

static const struct { enum unpack_kind kind; const char *recipe; } small[] = {
	{ UNPACK_ZIP, "python3 -c 'import os,zipfile\n"
	  "with zipfile.ZipFile(os.environ[\"OUT\"],\"w\",8) as z: z.writestr(\"b\",b\"so what \"*50)'" },
	{ UNPACK_CAB, "cd $DIR; seq 1 100 > plain; gcab -c -z -n $OUT plain" },
};

static struct file_map small_map(int i)
{
	return support_read(support_fixture(support_printf("archive-small-%d", i), small[i].recipe));
}

struct job { enum unpack_kind kind; struct file_map map; };

static int work(void *payload, struct err *err)
{
	struct job *job = payload;

	return unpack(job->kind, &job->map, CEILING_BYTES, NULL, err);
}

START_TEST(survives_every_allocation_failure)
{
	struct job job = { small[_i].kind, small_map(_i) };

	support_every_allocation_failure(work, &job, 100);
}
END_TEST

static void change(void *payload, const uint8_t *bytes, size_t size)
{
	struct job *job = payload;
	struct file_map map = { bytes, size };
	struct err err = ERR_INIT;

	if (unpack(job->kind, &map, 1 << 20, NULL, &err) < 0)
		ck_assert_str_ne(err.text, "");
}

START_TEST(survives_every_byte_change)
{
	struct job job = { small[_i].kind, small_map(_i) };

	support_every_byte_change(job.map.bytes, job.map.size, change, &job);
}
END_TEST

/* --- One of several ------------------------------------------------------------------------------- */

static const struct { enum unpack_kind kind; const char *recipe; } several[] = {
	{ UNPACK_ZIP, "python3 -c 'import os,zipfile\n"
	  "with zipfile.ZipFile(os.environ[\"OUT\"],\"w\",8) as z:\n"
	  "  z.writestr(\"../a\",b\"one \"*50); z.writestr(\"b\",b\"two \"*20); z.writestr(\"c\",b\"\")'" },
	{ UNPACK_CAB, "cd $DIR; printf 'one %.0s' $(seq 50) > a; printf 'two %.0s' $(seq 20) > b; : > c; gcab -c -z -n $OUT a b c" },
};

static int take_member(enum unpack_kind kind, const struct file_map *map, size_t index, int out,
		       size_t *count, struct err *err)
{
	struct buf name;
	int rc;

	buf_init(&name, 4096);
	rc = unpack_archive_member(kind, (struct text){ (const char *)map->bytes, map->size }, index, out,
				   1 << 20, count, &name, err);
	if (rc == 0 && index < *count && buf_check(&name, err) == 0)
		ck_assert_uint_gt(name.size, 0);
	buf_release(&name);
	return rc;
}

static struct file_map several_map(int i)
{
	return support_read(support_fixture(support_printf("archive-several-%d", i), several[i].recipe));
}

START_TEST(gives_one_of_several)
{
	static const size_t bytes[] = { 200, 80, 0, 0 };
	struct file_map map = several_map(_i);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < 4; i++) {
		int out = memfd_create("out", MFD_CLOEXEC);
		size_t count;

		ck_assert_msg(take_member(several[_i].kind, &map, i, out, &count, &err) == 0, "%s", err.text);
		ck_assert_uint_eq(count, 3);
		ck_assert_int_eq(lseek(out, 0, SEEK_END), (off_t)bytes[i]);
		close(out);
	}
}
END_TEST

static int work_member(void *payload, struct err *err)
{
	struct job *job = payload;
	int out = memfd_create("out", MFD_CLOEXEC);
	size_t count;
	int rc = take_member(job->kind, &job->map, 1, out, &count, err);

	close(out);
	return rc;
}

START_TEST(members_survive_every_allocation_failure)
{
	struct job job = { several[_i].kind, several_map(_i) };

	support_every_allocation_failure(work_member, &job, 100);
}
END_TEST

static void change_member(void *payload, const uint8_t *bytes, size_t size)
{
	struct job changed = { ((struct job *)payload)->kind, { bytes, size } };
	struct err err = ERR_INIT;

	if (work_member(&changed, &err) < 0)
		ck_assert_str_ne(err.text, "");
}

START_TEST(members_survive_every_byte_change)
{
	struct job job = { several[_i].kind, several_map(_i) };

	support_every_byte_change(job.map.bytes, job.map.size, change_member, &job);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("archive");
	TCase *tcase = tcase_create("archive");

	tcase_add_loop_test(tcase, holds_one_file_or_is_refused, 0, CASES);
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, 2);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 2);
	tcase_add_loop_test(tcase, gives_one_of_several, 0, 2);
	tcase_add_loop_test(tcase, members_survive_every_allocation_failure, 0, 2);
	tcase_add_loop_test(tcase, members_survive_every_byte_change, 0, 2);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
