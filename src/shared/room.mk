# src/shared -- sources, tests and programs of this room.
noinst_LIBRARIES += libshared.a
libshared_a_SOURCES = src/shared/ask.c src/shared/breaker.c src/shared/folder.c \
	src/shared/internal.h src/shared/name.c src/shared/place.c src/shared/shared.c \
	src/shared/shared.h src/shared/upload.c
libshared_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/shared/test_shared
tests_shared_test_shared_SOURCES = tests/shared/test_shared.c
tests_shared_test_shared_LDADD = libshared.a libpasses.a libsource.a libfetch.a libbench.a libcache.a \
	libstate.a libstore.a libboard.a libsupport.a libbase.a $(CHECK_LIBS) $(CURL_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(BROTLI_LIBS) $(SQLITE_LIBS) $(CJSON_LIBS) $(CRYPTO_LIBS)
tests_shared_test_shared_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
