# src/cli -- the program and its component.
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	src/cli/addr2line.c \
	src/cli/addr2line.h \
	src/cli/apikey_command.c \
	src/cli/backup.c \
	src/cli/bundle_jvm_command.c \
	src/cli/cfi_command.c \
	src/cli/cfi_operations.c \
	src/cli/cleanup.c \
	src/cli/cli.h \
	src/cli/cli_cache.c \
	src/cli/cli_cache.h \
	src/cli/cli_cells.c \
	src/cli/cli_cells.h \
	src/cli/cli_config.c \
	src/cli/cli_lookup.c \
	src/cli/cli_names.c \
	src/cli/cli_names.h \
	src/cli/cli_object.c \
	src/cli/cli_repair.c \
	src/cli/cli_sources.c \
	src/cli/cli_sources.h \
	src/cli/cli_symbolicate.c \
	src/cli/cli_symcache.c \
	src/cli/cli_table.c \
	src/cli/cli_table.h \
	src/cli/companions.c \
	src/cli/companions.h \
	src/cli/completion.c \
	src/cli/completion.h \
	src/cli/core_files.c \
	src/cli/core_files.h \
	src/cli/crash_command.c \
	src/cli/crash_text.c \
	src/cli/crash_text.h \
	src/cli/fcgi.c \
	src/cli/js_command.c \
	src/cli/js_modules.c \
	src/cli/js_modules.h \
	src/cli/js_ram_folder.c \
	src/cli/js_ram_folder.h \
	src/cli/js_stack_show.c \
	src/cli/js_stack_show.h \
	src/cli/js_store.c \
	src/cli/js_store.h \
	src/cli/local.c \
	src/cli/local.h \
	src/cli/mapping_file.c \
	src/cli/mapping_file.h \
	src/cli/maps.c \
	src/cli/maps.h \
	src/cli/methods.c \
	src/cli/methods.h \
	src/cli/operations.c \
	src/cli/options.c \
	src/cli/options.h \
	src/cli/prefetch.c \
	src/cli/progress.c \
	src/cli/progress.h \
	src/cli/proguard_command.c \
	src/cli/retrace_command.c \
	src/cli/serve.c \
	src/cli/sort.h \
	src/cli/sort_command.c \
	src/cli/sort_file.c \
	src/cli/sort_operations.c \
	src/cli/sort_place.c \
	src/cli/sort_sources.c \
	src/cli/sort_walk.c \
	src/cli/sourcemap_command.c \
	src/cli/sourcemap_operations.c \
	src/cli/standalone.c \
	src/cli/standalone.h \
	src/cli/sourceless.c \
	src/cli/sourceless.h \
	src/cli/stackrequest.c \
	src/cli/stackrequest.h \
	src/cli/state.c \
	src/cli/state.h \
	src/cli/status.c \
	src/cli/push_command.c \
	src/cli/symbfile_command.c \
	src/cli/symbfile_files.c \
	src/cli/symbfile_files.h \
	src/cli/symbfile_operations.c \
	src/cli/subject.c \
	src/cli/subject.h \
	src/cli/minidumps.c \
	src/cli/minidumps.h \
	src/cli/trace.c \
	src/cli/trace.h \
	src/cli/tried.c \
	src/cli/tried.h \
	src/cli/why_command.c

bin_PROGRAMS += symgate
symgate_SOURCES = src/cli/main.c
symgate_CPPFLAGS = $(AM_CPPFLAGS) -DSYSCONFDIR='"$(sysconfdir)"'

$(libcli_a_OBJECTS): src/store/statements.h

dist_man_MANS += \
	doc/symgate.1 \
	doc/symgate-apikey.1 \
	doc/symgate-applecrash.1 \
	doc/symgate-backup.1 \
	doc/symgate-bundle-jvm.1 \
	doc/symgate-cache.1 \
	doc/symgate-cfi.1 \
	doc/symgate-cleanup.1 \
	doc/symgate-config.1 \
	doc/symgate-coredump.1 \
	doc/symgate-fcgi.1 \
	doc/symgate-lookup.1 \
	doc/symgate-object.1 \
	doc/symgate-prefetch.1 \
	doc/symgate-proguard.1 \
	doc/symgate-repair.1 \
	doc/symgate-js.1 \
	doc/symgate-retrace.1 \
	doc/symgate-serve.1 \
	doc/symgate-sort.1 \
	doc/symgate-sourcemap.1 \
	doc/symgate-stacktext.1 \
	doc/symgate-status.1 \
	doc/symgate-symbolicate.1 \
	doc/symgate-minidump.1 \
	doc/symgate-push-symbols.1 \
	doc/symgate-symbfile.1 \
	doc/symgate-symcache.1 \
	doc/symgate-why.1 \
	doc/symgate.yml.5

# The completion is printed from the program's own tables.
completionsdir = $(datadir)/bash-completion/completions
nodist_completions_DATA = completions/symgate
completions/symgate: symgate$(EXEEXT)
	@$(MKDIR_P) completions
	$(AM_V_GEN)./symgate$(EXEEXT) --bash-completion > $@.new && mv $@.new $@
CLEANFILES += completions/symgate

if HAVE_CHECK
check_PROGRAMS += \
	tests/cli/test_progress
tests_cli_test_progress_SOURCES = tests/cli/test_progress.c
endif

# Real runs of the built program.
cli_programs = \
	tests/cli/test_crash_commands.py \
	tests/cli/test_java.py \
	tests/cli/test_lookup.py \
	tests/cli/test_objects.py \
	tests/cli/test_sourcemap.py \
	tests/cli/test_js_command.py \
	tests/cli/test_stacks.py \
	tests/cli/test_state.py \
	tests/cli/test_usage.py
EXTRA_DIST += $(cli_programs) tests/cli/cli_support.py
TESTS += $(cli_programs)
cli_log = tests/cli/test_objects.py.log
$(cli_log): tests/fuzz/make_sources$(EXEEXT)
