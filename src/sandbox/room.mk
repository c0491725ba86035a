# src/sandbox -- sources, tests and programs of this room.
noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = \
	src/sandbox/brood.c src/sandbox/brood.h \
	src/sandbox/cell.c \
	src/sandbox/confine.c src/sandbox/confine.h \
	src/sandbox/filter.c \
	src/sandbox/frame.c src/sandbox/frame.h \
	src/sandbox/handle.c src/sandbox/handle.h \
	src/sandbox/nursery.c src/sandbox/sandbox.h
libsandbox_a_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/sandbox/test_sandbox
tests_sandbox_test_sandbox_SOURCES = tests/sandbox/test_sandbox.c \
	tests/sandbox/operations.c tests/sandbox/operations.h
tests_sandbox_test_sandbox_LDADD = libsandbox.a libsupport.a libbase.a $(SECCOMP_LIBS) \
	$(CHECK_LIBS) $(CRYPTO_LIBS)
tests_sandbox_test_sandbox_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
