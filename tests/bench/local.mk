# tests/bench -- `make bench`: how fast, in how much memory; see doc/performance.md.
EXTRA_PROGRAMS += \
	tests/bench/first_answer \
	tests/bench/http_load \
	tests/bench/trivial_fcgi
tests_bench_first_answer_SOURCES = tests/bench/first_answer.c
tests_bench_http_load_SOURCES = tests/bench/http_load.c
tests_bench_trivial_fcgi_SOURCES = tests/bench/trivial_fcgi.c

bench_programs = \
	tests/bench/bench_answer \
	tests/bench/bench_cfi \
	tests/bench/bench_dwarf \
	tests/bench/bench_charts \
	tests/bench/bench_live \
	tests/bench/bench_lookup \
	tests/bench/bench_proguard \
	tests/bench/bench_report \
	tests/bench/bench_scopes \
	tests/bench/bench_sourcemap \
	tests/bench/bench_sources \
	tests/bench/bench_symbfile \
	tests/bench/first_answer \
	tests/bench/http_load \
	tests/bench/trivial_fcgi
if HAVE_LIBDW
bench_programs += tests/bench/libdw_facts
endif
EXTRA_DIST += \
	tests/bench/bench.py \
	tests/bench/makers.py \
	tests/bench/scopes_others.mjs \
	tests/bench/sourcemap_others.mjs \
	tests/bench/servers.py \
	tests/bench/storm.py
CLEANFILES += $(bench_programs)

bench: symgate $(bench_programs)
	SYMGATE=$(abs_builddir)/symgate PROGRAMS=$(abs_builddir)/tests/bench \
		python3 $(top_srcdir)/tests/bench/bench.py

# The same request through every web server of deploy/.
bench-servers: symgate tests/bench/trivial_fcgi
	SYMGATE=$(abs_builddir)/symgate PROGRAMS=$(abs_builddir)/tests/bench \
		python3 $(top_srcdir)/tests/bench/servers.py
.PHONY: bench bench-servers bench-storm

# How long small requests take while many wait or large ones are under way.
bench-storm: symgate tests/bench/http_load
	SYMGATE=$(abs_builddir)/symgate PROGRAMS=$(abs_builddir)/tests/bench \
		python3 $(top_srcdir)/tests/bench/storm.py
