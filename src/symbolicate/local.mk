# src/symbolicate -- sources, tests and programs of this component.
noinst_LIBRARIES += libsymbolicate.a
libsymbolicate_a_SOURCES = \
	src/symbolicate/adjust.c \
	src/symbolicate/answer.c \
	src/symbolicate/candidates.c \
	src/symbolicate/choose.c \
	src/symbolicate/companions.c \
	src/symbolicate/frames.c \
	src/symbolicate/held.c \
	src/symbolicate/held.h \
	src/symbolicate/json.c \
	src/symbolicate/json.h \
	src/symbolicate/kind.c \
	src/symbolicate/links.c \
	src/symbolicate/listing.c \
	src/symbolicate/memo.c \
	src/symbolicate/memo.h \
	src/symbolicate/modules.c \
	src/symbolicate/names.c \
	src/symbolicate/native.h \
	src/symbolicate/origins.c \
	src/symbolicate/plan.c \
	src/symbolicate/quote.c \
	src/symbolicate/reply.c \
	src/symbolicate/reply.h \
	src/symbolicate/request.c \
	src/symbolicate/request.h \
	src/symbolicate/resolve.c \
	src/symbolicate/scan.c \
	src/symbolicate/schema.c \
	src/symbolicate/schema.h \
	src/symbolicate/sources.c \
	src/symbolicate/sources.h \
	src/symbolicate/symbolicate.h \
	src/symbolicate/upgrade.c \
	src/symbolicate/variables.c \
	src/symbolicate/work.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/symbolicate/test_request \
	tests/symbolicate/test_native \
	tests/symbolicate/test_memo \
	tests/symbolicate/test_upgrade \
	tests/symbolicate/test_ceilings
tests_symbolicate_test_ceilings_SOURCES = \
	tests/symbolicate/test_ceilings.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_upgrade_SOURCES = \
	tests/symbolicate/test_upgrade.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_memo_SOURCES = \
	tests/symbolicate/test_memo.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_native_SOURCES = \
	tests/symbolicate/test_native.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
check_PROGRAMS += tests/symbolicate/test_sources
tests_symbolicate_test_sources_SOURCES = \
	tests/symbolicate/test_sources.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
tests_symbolicate_test_request_SOURCES = \
	tests/symbolicate/test_request.c \
	tests/fuzz/fuzz_request.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake_lower.c \
	tests/symbolicate/fake.h
endif

# The bench makes keys and reads features with the real rooms.
EXTRA_PROGRAMS += tests/bench/bench_answer
tests_bench_bench_answer_SOURCES = \
	tests/bench/bench_answer.c \
	tests/symbolicate/fake.c \
	tests/symbolicate/fake.h
