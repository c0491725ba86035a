# src/symbolicate -- sources, tests and programs of this room.
noinst_LIBRARIES += libsymbolicate.a
libsymbolicate_a_SOURCES = \
	src/symbolicate/adjust.c \
	src/symbolicate/answer.c \
	src/symbolicate/candidates.c \
	src/symbolicate/choose.c \
	src/symbolicate/companions.c \
	src/symbolicate/frames.c \
	src/symbolicate/held.c src/symbolicate/held.h \
	src/symbolicate/json.c src/symbolicate/json.h \
	src/symbolicate/kind.c \
	src/symbolicate/links.c src/symbolicate/origins.c src/symbolicate/quote.c \
	src/symbolicate/sources.c src/symbolicate/sources.h \
	src/symbolicate/memo.c src/symbolicate/memo.h \
	src/symbolicate/modules.c \
	src/symbolicate/names.c \
	src/symbolicate/native.h \
	src/symbolicate/plan.c src/symbolicate/listing.c \
	src/symbolicate/reply.c src/symbolicate/reply.h \
	src/symbolicate/request.c src/symbolicate/request.h \
	src/symbolicate/resolve.c \
	src/symbolicate/scan.c \
	src/symbolicate/schema.c src/symbolicate/schema.h \
	src/symbolicate/symbolicate.h \
	src/symbolicate/upgrade.c \
	src/symbolicate/variables.c \
	src/symbolicate/work.c
libsymbolicate_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
symbolicate_test_libs = libsymbolicate.a libsource.a libsupport.a libsymcache.a libppdbcache.a libsourcecache.a libbase.a \
	$(CHECK_LIBS) $(CJSON_LIBS) $(CRYPTO_LIBS)
symbolicate_test_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
check_PROGRAMS += tests/symbolicate/test_request tests/symbolicate/test_native \
	tests/symbolicate/test_memo tests/symbolicate/test_upgrade \
	tests/symbolicate/test_ceilings
tests_symbolicate_test_ceilings_SOURCES = tests/symbolicate/test_ceilings.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_ceilings_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_ceilings_CPPFLAGS = $(symbolicate_test_flags)
tests_symbolicate_test_upgrade_SOURCES = tests/symbolicate/test_upgrade.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_upgrade_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_upgrade_CPPFLAGS = $(symbolicate_test_flags)
tests_symbolicate_test_memo_SOURCES = tests/symbolicate/test_memo.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_memo_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_memo_CPPFLAGS = $(symbolicate_test_flags)
tests_symbolicate_test_native_SOURCES = tests/symbolicate/test_native.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_native_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_native_CPPFLAGS = $(symbolicate_test_flags)
check_PROGRAMS += tests/symbolicate/test_sources
tests_symbolicate_test_sources_SOURCES = tests/symbolicate/test_sources.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_sources_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_sources_CPPFLAGS = $(symbolicate_test_flags)
tests_symbolicate_test_request_SOURCES = tests/symbolicate/test_request.c \
	tests/fuzz/fuzz_request.c \
	tests/symbolicate/fake.c tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_request_LDADD = $(symbolicate_test_libs)
tests_symbolicate_test_request_CPPFLAGS = $(symbolicate_test_flags)
endif

# The bench makes keys and reads features with the real rooms.
EXTRA_PROGRAMS += tests/bench/bench_answer
tests_bench_bench_answer_SOURCES = tests/bench/bench_answer.c \
	tests/symbolicate/fake.c tests/symbolicate/fake.h
tests_bench_bench_answer_LDADD = libsymbolicate.a libsource.a libcache.a libconvert.a \
	libsymcache.a libppdbcache.a libsourcecache.a libobject.a libdwarf.a libobject.a libdemangle.a libsandbox.a libstore.a \
	libboard.a libconfig.a libunpack.a libbase.a $(CJSON_LIBS) $(SQLITE_LIBS) $(YAML_LIBS) \
	$(SECCOMP_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(CRYPTO_LIBS)
tests_bench_bench_answer_CPPFLAGS = $(AM_CPPFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
