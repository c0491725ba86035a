# src/fetch -- sources, tests and programs of this room.
noinst_LIBRARIES += libfetch.a
libfetch_a_SOURCES = src/fetch/fetch.h src/fetch/transfer.h \
	src/fetch/fetcher.c src/fetch/attempt.c src/fetch/leg.c src/fetch/place.c \
	src/fetch/reply.c src/fetch/reply.h \
	src/fetch/sending.c src/fetch/sending.h \
	src/fetch/decode.c src/fetch/decode.h \
	src/fetch/address.c src/fetch/address.h \
	src/fetch/breaker.c src/fetch/breaker.h \
	src/fetch/proxy.c src/fetch/proxy.h
libfetch_a_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(BROTLI_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/fetch/test_fetch tests/fetch/test_breaker tests/fetch/test_address \
	tests/fetch/test_lines tests/fetch/test_reply
EXTRA_DIST += tests/fetch/server.py
fetch_test_libs = libfetch.a libsupport.a libbase.a $(CHECK_LIBS) $(CURL_LIBS) $(ZLIB_LIBS) \
	$(ZSTD_LIBS) $(BROTLI_LIBS) $(CRYPTO_LIBS)
fetch_test_flags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CURL_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(BROTLI_CFLAGS) \
	-I$(top_srcdir)/tests
tests_fetch_test_fetch_SOURCES = tests/fetch/test_fetch.c tests/fetch/harness.c tests/fetch/harness.h
tests_fetch_test_fetch_LDADD = $(fetch_test_libs)
tests_fetch_test_fetch_CPPFLAGS = $(fetch_test_flags)
tests_fetch_test_breaker_SOURCES = tests/fetch/test_breaker.c tests/fetch/harness.c tests/fetch/harness.h
tests_fetch_test_breaker_LDADD = $(fetch_test_libs)
tests_fetch_test_breaker_CPPFLAGS = $(fetch_test_flags)
tests_fetch_test_lines_SOURCES = tests/fetch/test_lines.c tests/fetch/harness.c tests/fetch/harness.h
tests_fetch_test_lines_LDADD = $(fetch_test_libs)
tests_fetch_test_lines_CPPFLAGS = $(fetch_test_flags)
tests_fetch_test_reply_SOURCES = tests/fetch/test_reply.c
tests_fetch_test_reply_LDADD = $(fetch_test_libs)
tests_fetch_test_reply_CPPFLAGS = $(fetch_test_flags)
tests_fetch_test_address_SOURCES = tests/fetch/test_address.c
tests_fetch_test_address_LDADD = $(fetch_test_libs)
tests_fetch_test_address_CPPFLAGS = $(fetch_test_flags)
endif
