# src/kinds -- sources and tests of this component.
noinst_LIBRARIES += libkinds.a
libkinds_a_SOURCES = \
	src/kinds/crash/crash_work.h \
	src/kinds/crash/crash_any.c \
	src/kinds/crash/crash_form.c \
	src/kinds/crash/crash_kind.c \
	src/kinds/crash/crash_modules.c \
	src/kinds/crash/crash_report.c \
	src/kinds/crash/rewrite.c \
	src/kinds/crash/rewrite.h \
	src/kinds/debuginfod/buildid_files.c \
	src/kinds/debuginfod/buildid_files.h \
	src/kinds/debuginfod/buildid_kind.c \
	src/kinds/debuginfod/buildid_request.c \
	src/kinds/debuginfod/buildid_request.h \
	src/kinds/debuginfod/buildid_source.c \
	src/kinds/debuginfod/buildid_source.h \
	src/kinds/debuginfod/federation.c \
	src/kinds/debuginfod/federation.h \
	src/kinds/debuginfod/source_folder.c \
	src/kinds/js/js.h \
	src/kinds/js/js_answer.c \
	src/kinds/js/js_bundle.c \
	src/kinds/js/js_count.c \
	src/kinds/js/js_error.c \
	src/kinds/js/js_file.c \
	src/kinds/js/js_frames.c \
	src/kinds/js/js_kind.c \
	src/kinds/js/js_listing.c \
	src/kinds/js/js_module.c \
	src/kinds/js/js_query.c \
	src/kinds/js/js_quote.c \
	src/kinds/js/js_request.c \
	src/kinds/js/js_scrape.c \
	src/kinds/js/js_turns.c \
	src/kinds/js/js_url.c \
	src/kinds/js/js_url.h \
	src/kinds/jvm/jvm_answer.c \
	src/kinds/jvm/jvm_context.c \
	src/kinds/jvm/jvm_files.c \
	src/kinds/jvm/jvm_json.c \
	src/kinds/jvm/jvm_json.h \
	src/kinds/jvm/jvm_kind.c \
	src/kinds/jvm/jvm_maps.c \
	src/kinds/jvm/jvm_remap.c \
	src/kinds/jvm/jvm_request.c \
	src/kinds/jvm/jvm_request.h \
	src/kinds/jvm/jvm_text.c \
	src/kinds/jvm/jvm_text.h \
	src/kinds/jvm/jvm_work.h \
	src/kinds/kinds.c \
	src/kinds/kinds.h \
	src/kinds/kinds_counters.c \
	src/kinds/kinds_counters.h \
	src/kinds/mozilla/mozilla.h \
	src/kinds/mozilla/mozilla_answer.c \
	src/kinds/mozilla/mozilla_download.c \
	src/kinds/mozilla/mozilla_eliot.c \
	src/kinds/mozilla/mozilla_figures.c \
	src/kinds/mozilla/mozilla_ids.c \
	src/kinds/mozilla/mozilla_ids.h \
	src/kinds/mozilla/mozilla_json.c \
	src/kinds/mozilla/mozilla_json.h \
	src/kinds/mozilla/mozilla_kind.c \
	src/kinds/mozilla/mozilla_module.c \
	src/kinds/mozilla/mozilla_module.h \
	src/kinds/mozilla/mozilla_source.c \
	src/kinds/mozilla/mozilla_asm.c \
	src/kinds/mozilla/mozilla_symbols.c \
	src/kinds/mozilla/mozilla_tecken.c \
	src/kinds/native/adjust.c \
	src/kinds/native/answer.c \
	src/kinds/native/frame_names.c \
	src/kinds/native/frame_variables.c \
	src/kinds/native/modules.c \
	src/kinds/native/native.h \
	src/kinds/native/native_frames.c \
	src/kinds/native/quote.c \
	src/kinds/native/resolve.c \
	src/kinds/native/source_contexts.c \
	src/kinds/native/source_contexts.h \
	src/kinds/native/symbolicate_kind.c \
	src/kinds/native/symbolication.c \
	src/kinds/native/symbolication.h \
	src/kinds/native/symbolication_request.c \
	src/kinds/proxy/proxy_kind.c \
	src/kinds/proxy/proxy_path.c \
	src/kinds/proxy/proxy_path.h \
	src/kinds/symbfile/symbfile_parts.c \
	src/kinds/symbfile/symbfile_parts.h \
	src/kinds/symbfile/symbols_failure.c \
	src/kinds/symbfile/symbols_failure.h \
	src/kinds/symbfile/symbols_known.c \
	src/kinds/symbfile/symbols_upload.c \
	src/kinds/symbfile/upload_folder.c \
	src/kinds/symbfile/upload_folder.h \
	src/kinds/symbfile/upload_join.c \
	src/kinds/symbfile/upload_join.h \
	src/kinds/request_members.c \
	src/kinds/request_members.h \
	src/kinds/source_lines.c \
	src/kinds/source_lines.h \
	src/kinds/stacktrace.c \
	src/kinds/stacktrace.h \
	src/kinds/stacktrace_json.c \
	src/kinds/stacktrace_json.h \
	src/kinds/wpa/wpa.h \
	src/kinds/wpa/wpa_choice.c \
	src/kinds/wpa/wpa_folder.c \
	src/kinds/wpa/wpa_folder.h \
	src/kinds/wpa/wpa_kind.c \
	src/kinds/wpa/wpa_make.c \
	src/kinds/wpa/wpa_path.c \
	src/kinds/wpa/wpa_path.h \
	src/kinds/wpa/wpa_put.c \
	src/kinds/wpa_put.h \
	src/kinds/wpa/wpa_request.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/kinds/crash/test_rewrite \
	tests/kinds/debuginfod/test_buildid \
	tests/kinds/js/test_js \
	tests/kinds/js/test_js_url \
	tests/kinds/proxy/test_proxy_path \
	tests/kinds/symbfile/test_upload_folder \
	tests/kinds/jvm/test_jvm \
	tests/kinds/test_stacktrace \
	tests/kinds/mozilla/test_mozilla_request \
	tests/kinds/wpa/test_wpa_path \
	tests/kinds/native/test_answers \
	tests/kinds/native/test_ceilings \
	tests/kinds/native/test_damage \
	tests/kinds/native/test_memo \
	tests/kinds/native/test_module_files \
	tests/kinds/native/test_modules \
	tests/kinds/native/test_request \
	tests/kinds/native/test_sources \
	tests/kinds/native/test_upgrade
tests_kinds_debuginfod_test_buildid_SOURCES = tests/kinds/debuginfod/test_buildid.c
tests_kinds_crash_test_rewrite_SOURCES = tests/kinds/crash/test_rewrite.c
tests_kinds_symbfile_test_upload_folder_SOURCES = \
	tests/kinds/symbfile/test_upload_folder.c \
	tests/fuzz/fuzz_symbfile_parts.c
tests_kinds_proxy_test_proxy_path_SOURCES = tests/kinds/proxy/test_proxy_path.c
tests_kinds_js_test_js_SOURCES = \
	tests/kinds/js/test_js.c \
	tests/fuzz/fuzz_js_request.c \
	tests/kinds/body_damage.h \
	tests/kinds/js/js_answers.c \
	tests/kinds/js/js_answers.h \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_js_test_js_url_SOURCES = tests/kinds/js/test_js_url.c
tests_kinds_wpa_test_wpa_path_SOURCES = tests/kinds/wpa/test_wpa_path.c
tests_kinds_jvm_test_jvm_SOURCES = \
	tests/kinds/jvm/test_jvm.c \
	tests/fuzz/fuzz_jvm.c \
	tests/kinds/body_damage.h \
	tests/kinds/jvm/jvm_answers.c \
	tests/kinds/jvm/jvm_answers.h \
	tests/object/makers.c \
	tests/object/makers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_test_stacktrace_SOURCES = tests/kinds/test_stacktrace.c
tests_kinds_mozilla_test_mozilla_request_SOURCES = \
	tests/kinds/mozilla/test_mozilla_request.c \
	tests/kinds/mozilla/mozilla_answers.c \
	tests/kinds/mozilla/mozilla_answers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_answers_SOURCES = \
	tests/kinds/native/test_answers.c \
	tests/kinds/native/answers.c \
	tests/kinds/native/answers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_ceilings_SOURCES = \
	tests/kinds/native/test_ceilings.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_damage_SOURCES = \
	tests/kinds/native/test_damage.c \
	tests/kinds/native/answers.c \
	tests/kinds/native/answers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_memo_SOURCES = \
	tests/kinds/native/test_memo.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_module_files_SOURCES = \
	tests/kinds/native/test_module_files.c \
	tests/kinds/native/answers.c \
	tests/kinds/native/answers.h \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_modules_SOURCES = tests/kinds/native/test_modules.c
tests_kinds_native_test_request_SOURCES = \
	tests/kinds/native/test_request.c \
	tests/fuzz/fuzz_request.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_sources_SOURCES = \
	tests/kinds/native/test_sources.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_kinds_native_test_upgrade_SOURCES = \
	tests/kinds/native/test_upgrade.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
endif

# The bench makes keys and reads features with the real rooms.
EXTRA_PROGRAMS += tests/bench/bench_answer
tests_bench_bench_answer_SOURCES = \
	tests/bench/bench_answer.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake.h
