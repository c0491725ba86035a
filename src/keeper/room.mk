# src/keeper -- sources, tests and programs of this room.
noinst_LIBRARIES += libkeeper.a
libkeeper_a_SOURCES = src/keeper/keeper.c src/keeper/keeper.h
libkeeper_a_CFLAGS = $(AM_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/keeper/test_keeper
tests_keeper_test_keeper_SOURCES = tests/keeper/test_keeper.c
tests_keeper_test_keeper_LDADD = libkeeper.a libjob.a libcache.a libstate.a libstore.a libboard.a \
	libsupport.a libbase.a $(CHECK_LIBS) $(SQLITE_LIBS) $(CRYPTO_LIBS)
tests_keeper_test_keeper_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
