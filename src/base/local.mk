# src/base -- sources, tests and programs of this component.
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/arch.c \
	src/base/arch.h \
	src/base/arena.c \
	src/base/arena.h \
	src/base/base64.c \
	src/base/base64.h \
	src/base/buf.c \
	src/base/buf.h \
	src/base/checksum.c \
	src/base/checksum.h \
	src/base/clock.c \
	src/base/clock.h \
	src/base/debugid.c \
	src/base/debugid.h \
	src/base/err.c \
	src/base/err.h \
	src/base/file.c \
	src/base/file.h \
	src/base/guard.c \
	src/base/guard.h \
	src/base/hash.c \
	src/base/hash.h \
	src/base/html_writer.c \
	src/base/html_writer.h \
	src/base/http_date.c \
	src/base/http_date.h \
	src/base/json_reader.c \
	src/base/json_reader.h \
	src/base/json_writer.c \
	src/base/json_writer.h \
	src/base/limits.h \
	src/base/line_starts.c \
	src/base/line_starts.h \
	src/base/load.h \
	src/base/library.c \
	src/base/library.h \
	src/base/log.c \
	src/base/log.h \
	src/base/map.c \
	src/base/map.h \
	src/base/mem.c \
	src/base/mem.h \
	src/base/process.c \
	src/base/process.h \
	src/base/reader.c \
	src/base/reader.h \
	src/base/search.h \
	src/base/semver.c \
	src/base/semver.h \
	src/base/text.c \
	src/base/text.h \
	src/base/text_places.c \
	src/base/text_places.h \
	src/base/url.c \
	src/base/url.h \
	src/base/vec.c \
	src/base/vec.h \
	src/base/work_budget.c \
	src/base/work_budget.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/base/test_arch \
	tests/base/test_arena \
	tests/base/test_base64 \
	tests/base/test_checksum \
	tests/base/test_clock \
	tests/base/test_debugid \
	tests/base/test_err \
	tests/base/test_file \
	tests/base/test_guard \
	tests/base/test_hash \
	tests/base/test_html_writer \
	tests/base/test_http_date \
	tests/base/test_json_reader \
	tests/base/test_json_writer \
	tests/base/test_line_starts \
	tests/base/test_log \
	tests/base/test_mem \
	tests/base/test_process \
	tests/base/test_reader \
	tests/base/test_text \
	tests/base/test_text_places \
	tests/base/test_search \
	tests/base/test_semver \
	tests/base/test_url \
	tests/base/test_work_budget
tests_base_test_arch_SOURCES = tests/base/test_arch.c
tests_base_test_arena_SOURCES = tests/base/test_arena.c
tests_base_test_base64_SOURCES = tests/base/test_base64.c
tests_base_test_checksum_SOURCES = tests/base/test_checksum.c
tests_base_test_clock_SOURCES = tests/base/test_clock.c
tests_base_test_debugid_SOURCES = tests/base/test_debugid.c
tests_base_test_err_SOURCES = tests/base/test_err.c
tests_base_test_file_SOURCES = tests/base/test_file.c
tests_base_test_guard_SOURCES = tests/base/test_guard.c
tests_base_test_hash_SOURCES = tests/base/test_hash.c
tests_base_test_html_writer_SOURCES = tests/base/test_html_writer.c
tests_base_test_http_date_SOURCES = tests/base/test_http_date.c
tests_base_test_json_reader_SOURCES = \
	tests/base/test_json_reader.c \
	tests/fuzz/fuzz_json.c
tests_base_test_json_writer_SOURCES = tests/base/test_json_writer.c
tests_base_test_line_starts_SOURCES = tests/base/test_line_starts.c
tests_base_test_log_SOURCES = tests/base/test_log.c
tests_base_test_mem_SOURCES = tests/base/test_mem.c
tests_base_test_process_SOURCES = tests/base/test_process.c
tests_base_test_reader_SOURCES = tests/base/test_reader.c
tests_base_test_url_SOURCES = tests/base/test_url.c
tests_base_test_semver_SOURCES = tests/base/test_semver.c
tests_base_test_search_SOURCES = tests/base/test_search.c
tests_base_test_work_budget_SOURCES = tests/base/test_work_budget.c
tests_base_test_text_SOURCES = tests/base/test_text.c
tests_base_test_text_places_SOURCES = tests/base/test_text_places.c
endif
