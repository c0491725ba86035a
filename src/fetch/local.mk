# src/fetch -- sources, tests and programs of this component.
noinst_LIBRARIES += libfetch.a
libfetch_a_SOURCES = \
	src/fetch/address.c \
	src/fetch/address.h \
	src/fetch/attempt.c \
	src/fetch/breaker.c \
	src/fetch/breaker.h \
	src/fetch/curl_library.c \
	src/fetch/curl_library.h \
	src/fetch/decode.c \
	src/fetch/decode.h \
	src/fetch/fetch.h \
	src/fetch/fetch_body.c \
	src/fetch/fetcher.c \
	src/fetch/http_freshness.c \
	src/fetch/http_freshness.h \
	src/fetch/http_reply.c \
	src/fetch/http_reply.h \
	src/fetch/http_request.c \
	src/fetch/http_validators.c \
	src/fetch/http_validators.h \
	src/fetch/place.c \
	src/fetch/proxy.c \
	src/fetch/proxy.h \
	src/fetch/sending.c \
	src/fetch/sending.h \
	src/fetch/transfer.h

if HAVE_CHECK
check_PROGRAMS += \
	tests/fetch/test_fetch \
	tests/fetch/test_breaker \
	tests/fetch/test_address \
	tests/fetch/test_freshness \
	tests/fetch/test_lines \
	tests/fetch/test_reply
EXTRA_DIST += tests/fetch/server.py
tests_fetch_test_fetch_SOURCES = \
	tests/fetch/test_fetch.c \
	tests/fetch/harness.c \
	tests/fetch/harness.h
tests_fetch_test_breaker_SOURCES = \
	tests/fetch/test_breaker.c \
	tests/fetch/harness.c \
	tests/fetch/harness.h
tests_fetch_test_lines_SOURCES = \
	tests/fetch/test_lines.c \
	tests/fetch/harness.c \
	tests/fetch/harness.h
tests_fetch_test_freshness_SOURCES = tests/fetch/test_freshness.c
tests_fetch_test_reply_SOURCES = tests/fetch/test_reply.c
tests_fetch_test_address_SOURCES = tests/fetch/test_address.c
endif
