# src/front -- sources, tests and programs of this component.
noinst_LIBRARIES += libfront.a
libfront_a_SOURCES = \
	src/front/answer_entry.c \
	src/front/answer_job.c \
	src/front/answer_kind.c \
	src/front/answer_result.c \
	src/front/condition.c \
	src/front/cors.c \
	src/front/degraded.c \
	src/front/degraded.h \
	src/front/dispatch.c \
	src/front/request_pool.c \
	src/front/waiting.c \
	src/front/endpoints/health.c \
	src/front/endpoints/health.h \
	src/front/endpoints/mozilla_status.c \
	src/front/endpoints/requests.c \
	src/front/endpoints/symcache_put.c \
	src/front/endpoints/ui_first.c \
	src/front/endpoints/ui_operators.c \
	src/front/endpoints/ui_report.c \
	src/front/endpoints/ui_static.c \
	src/front/endpoints/ui_submit.c \
	src/front/form.c \
	src/front/form.h \
	src/front/front.c \
	src/front/front.h \
	src/front/front_counters.c \
	src/front/front_counters.h \
	src/front/front_resolver.c \
	src/front/front_resolver.h \
	src/front/front_internal.h \
	src/front/lane.c \
	src/front/lane.h \
	src/front/multipart.c \
	src/front/multipart.h \
	src/front/parker.c \
	src/front/polled.c \
	src/front/polled.h \
	src/front/relief.c \
	src/front/reply.c \
	src/front/reply.h \
	src/front/reply_body.c \
	src/front/reply_body.h \
	src/front/reply_stream.c \
	src/front/reply_stream.h \
	src/front/request.c \
	src/front/request_body.c \
	src/front/retell.c \
	src/front/retell.h \
	src/front/route.c \
	src/front/route.h \
	src/front/sendfile.c \
	src/front/ui.c \
	src/front/ui.h \
	src/front/ui_admit.c \
	src/front/ui_charts.c \
	src/front/ui_charts.h \
	src/front/ui_drop.c \
	src/front/ui_drop.h \
	src/front/ui_drop_packed.c \
	src/front/ui_drop_packed.h \
	src/front/ui_drop_request.c \
	src/front/ui_drop_request.h \
	src/front/ui_form.c \
	src/front/ui_form.h \
	src/front/ui_live.c \
	src/front/ui_live.h \
	src/front/ui_token.c \
	src/front/ui_token.h \
	src/front/wording.c \
	src/front/worker.c \
	src/front/writer.c \
	src/front/writer.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/front/test_form \
	tests/front/test_reply \
	tests/front/test_result \
	tests/front/test_sendfile \
	tests/front/test_ui_drop_packed \
	tests/front/test_ui_drop_request \
	tests/front/test_ui_token \
	tests/front/test_writer \
	tests/front/test_lane
tests_front_test_ui_drop_packed_SOURCES = tests/front/test_ui_drop_packed.c
tests_front_test_ui_drop_request_SOURCES = tests/front/test_ui_drop_request.c
tests_front_test_ui_token_SOURCES = tests/front/test_ui_token.c
tests_front_test_lane_SOURCES = tests/front/test_lane.c
tests_front_test_writer_SOURCES = tests/front/test_writer.c
tests_front_test_form_SOURCES = tests/front/test_form.c
tests_front_test_reply_SOURCES = tests/front/test_reply.c
tests_front_test_sendfile_SOURCES = tests/front/test_sendfile.c
tests_front_test_result_SOURCES = tests/front/test_result.c

# The example of doc/first-endpoint.md, cut out of the page and run.
first_endpoint_sources = \
	tests/front/first_kinds.c \
	tests/front/first_route.c \
	tests/front/first_stored.c
EXTRA_DIST += tests/front/cut-first-endpoint
CLEANFILES += $(first_endpoint_sources)
check_PROGRAMS += tests/front/test_first_endpoint
tests_front_test_first_endpoint_SOURCES = tests/front/test_first_endpoint.c
nodist_tests_front_test_first_endpoint_SOURCES = $(first_endpoint_sources)
tests/front/first_stored.c: doc/first-endpoint.md src/kinds/kinds.c src/front/route.c \
		tests/front/cut-first-endpoint
	$(AM_V_GEN)sh $(srcdir)/tests/front/cut-first-endpoint $(srcdir)/doc/first-endpoint.md \
		$(srcdir)/src tests/front
tests/front/first_kinds.c tests/front/first_route.c: tests/front/first_stored.c

# The same of doc/first-derived-kind.md.
first_derived_kind_sources = \
	tests/front/rules_derived.c \
	tests/front/rules_kind.c \
	tests/front/rules_kinds.c \
	tests/front/rules_list.c \
	tests/front/rules_operation.c \
	tests/front/rules_operations.c \
	tests/front/rules_route.c
EXTRA_DIST += tests/front/cut-first-derived-kind
CLEANFILES += $(first_derived_kind_sources)
check_PROGRAMS += tests/front/test_first_derived_kind
tests_front_test_first_derived_kind_SOURCES = tests/front/test_first_derived_kind.c
nodist_tests_front_test_first_derived_kind_SOURCES = $(first_derived_kind_sources)
tests/front/rules_operation.c: doc/first-derived-kind.md src/convert/convert.c src/kinds/kinds.c \
		src/front/route.c src/work/derived.c tests/front/cut-first-derived-kind
	$(AM_V_GEN)sh $(srcdir)/tests/front/cut-first-derived-kind $(srcdir)/doc/first-derived-kind.md \
		$(srcdir)/src tests/front
tests/front/rules_derived.c tests/front/rules_kind.c tests/front/rules_kinds.c tests/front/rules_list.c \
		tests/front/rules_operations.c tests/front/rules_route.c: tests/front/rules_operation.c
	@:
endif
