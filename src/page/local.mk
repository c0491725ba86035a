# src/page -- sources, tests and programs of this component.
noinst_LIBRARIES += libpage.a
libpage_a_SOURCES = \
	src/page/chart.c \
	src/page/chart.h \
	src/page/chart_page.c \
	src/page/chart_value.c \
	src/page/live.h \
	src/page/live_cell.c \
	src/page/live_frame.c \
	src/page/live_json.c \
	src/page/live_overview.c \
	src/page/live_overview_json.c \
	src/page/live_page.c \
	src/page/live_query.c \
	src/page/live_rows.c \
	src/page/live_space.c \
	src/page/live_table.h \
	src/page/live_tables.c \
	src/page/page_asset.c \
	src/page/page_asset.h \
	src/page/page_drop.c \
	src/page/page_frame.c \
	src/page/page_places.c \
	src/page/page.h \
	src/page/report.c \
	src/page/report.h \
	src/page/report_calls.c \
	src/page/report_copy.c \
	src/page/report_facts.c \
	src/page/report_frame.c \
	src/page/report_frame.h \
	src/page/report_json.c \
	src/page/report_json.h \
	src/page/report_links.c \
	src/page/report_modules.c \
	src/page/report_modules.h \
	src/page/report_page.h \
	src/page/report_read.c \
	src/page/report_read.h \
	src/page/report_table.c \
	src/page/report_threads.c
nodist_libpage_a_SOURCES = src/page/assets.h

# What browsers get besides pages, as C.
PAGE_ASSETS = \
	$(top_srcdir)/src/page/assets/page.css \
	$(top_srcdir)/src/page/assets/page.js
EXTRA_DIST += \
	$(PAGE_ASSETS) \
	src/page/assets.awk
BUILT_SOURCES += src/page/assets.h
CLEANFILES += src/page/assets.h
src/page/assets.h: $(PAGE_ASSETS) $(top_srcdir)/src/page/assets.awk
	$(AM_V_GEN)$(MKDIR_P) src/page && \
	LC_ALL=C $(AWK) -f $(top_srcdir)/src/page/assets.awk $(PAGE_ASSETS) > $@-new && \
	mv $@-new $@
$(libpage_a_OBJECTS): src/page/assets.h src/store/statements.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/page/test_chart \
	tests/page/test_live \
	tests/page/test_page_frame \
	tests/page/test_report
tests_page_test_live_SOURCES = tests/page/test_live.c
$(tests_page_test_live_OBJECTS): src/store/statements.h
tests_page_test_chart_SOURCES = tests/page/test_chart.c
tests_page_test_page_frame_SOURCES = tests/page/test_page_frame.c
tests_page_test_report_SOURCES = \
	tests/page/markup.c \
	tests/page/markup.h \
	tests/page/test_report.c
noinst_PROGRAMS += tests/page/unescaped
tests_page_unescaped_SOURCES = tests/page/unescaped.c src/base/html_writer.c
tests_page_unescaped_CPPFLAGS = $(AM_CPPFLAGS) -DHTML_WRITER_ESCAPES_NOTHING
endif

EXTRA_PROGRAMS += tests/bench/bench_charts tests/bench/bench_live tests/bench/bench_report
tests_bench_bench_charts_SOURCES = tests/bench/bench_charts.c
tests_bench_bench_report_SOURCES = tests/bench/bench_report.c
tests_bench_bench_live_SOURCES = tests/bench/bench_live.c
$(tests_bench_bench_live_OBJECTS): src/store/statements.h
