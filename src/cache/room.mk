# src/cache -- sources, tests and programs of this room.
noinst_LIBRARIES += libcache.a
libcache_a_SOURCES = \
	src/cache/admin.c src/cache/admin.h \
	src/cache/blob.c \
	src/cache/cache.c src/cache/cache.h \
	src/cache/clean.c \
	src/cache/expiry.c \
	src/cache/flight.c \
	src/cache/kind.c \
	src/cache/orphan.c \
	src/cache/publish.c \
	src/cache/remove.c \
	src/cache/room.h \
	src/cache/row.c \
	src/cache/sweep.h \
	src/cache/table.c \
	src/cache/verify.c
libcache_a_CFLAGS = $(AM_CFLAGS)
$(libcache_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_LIBRARIES += libbench.a
libbench_a_SOURCES = tests/cache/bench.c tests/cache/bench.h
libbench_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/cache/test_cache tests/cache/test_clean tests/cache/test_flight \
	tests/cache/test_kill tests/cache/test_version
cache_test_libraries = libbench.a libcache.a libstate.a libstore.a libboard.a libsupport.a libbase.a \
	$(CHECK_LIBS) $(SQLITE_LIBS) $(CRYPTO_LIBS)
tests_cache_test_cache_SOURCES = tests/cache/test_cache.c
tests_cache_test_cache_LDADD = $(cache_test_libraries)
tests_cache_test_cache_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_cache_test_clean_SOURCES = tests/cache/test_clean.c
tests_cache_test_clean_LDADD = $(cache_test_libraries)
tests_cache_test_clean_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_cache_test_flight_SOURCES = tests/cache/test_flight.c
tests_cache_test_flight_LDADD = $(cache_test_libraries)
tests_cache_test_flight_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_cache_test_kill_SOURCES = tests/cache/test_kill.c
tests_cache_test_kill_LDADD = $(cache_test_libraries)
tests_cache_test_version_SOURCES = tests/cache/test_version.c
tests_cache_test_version_LDADD = $(cache_test_libraries)
tests_cache_test_version_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_cache_test_kill_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
