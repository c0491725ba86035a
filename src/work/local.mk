# src/work -- sources and tests of this component.
noinst_LIBRARIES += libwork.a
libwork_a_SOURCES = \
	src/work/answer_head.c \
	src/work/answer_head.h \
	src/work/derived.c \
	src/work/derived.h \
	src/work/derived_auxiliary.c \
	src/work/derived_cficache.c \
	src/work/derived_crash.c \
	src/work/derived_jsfile.c \
	src/work/derived_sourcemap.c \
	src/work/derived_listing.c \
	src/work/derived_managed.c \
	src/work/derived_object.c \
	src/work/derived_proguard.c \
	src/work/derived_section.c \
	src/work/derived_asm.c \
	src/work/derived_sources.c \
	src/work/derived_symbfile.c \
	src/work/derived_symcache.c \
	src/work/derived_wpa.c \
	src/work/envelope.c \
	src/work/envelope.h \
	src/work/held.c \
	src/work/held.h \
	src/work/json_scan.c \
	src/work/json_tree.c \
	src/work/json_tree.h \
	src/work/request_json.c \
	src/work/request_json.h \
	src/work/schema.c \
	src/work/schema.h \
	src/work/work.c \
	src/work/work.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/work/test_answer_head \
	tests/work/test_aside \
	tests/work/test_derived \
	tests/work/test_request_json
tests_work_test_answer_head_SOURCES = tests/work/test_answer_head.c
tests_work_test_aside_SOURCES = tests/work/test_aside.c
tests_work_test_derived_SOURCES = tests/work/test_derived.c
tests_work_test_request_json_SOURCES = \
	tests/work/test_request_json.c \
	tests/work/json_filter.c \
	tests/work/json_filter.h
endif
