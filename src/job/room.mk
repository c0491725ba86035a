# src/job -- sources, tests and programs of this room.
noinst_LIBRARIES += libjob.a
libjob_a_SOURCES = \
	src/job/claim.c \
	src/job/clean.c \
	src/job/job.c src/job/job.h \
	src/job/room.h \
	src/job/spool.c
libjob_a_CFLAGS = $(AM_CFLAGS)
$(libjob_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_PROGRAMS += tests/job/test_job
tests_job_test_job_SOURCES = tests/job/test_job.c
tests_job_test_job_LDADD = libjob.a libstate.a libstore.a libboard.a libsupport.a libbase.a \
	$(CHECK_LIBS) $(SQLITE_LIBS) $(CRYPTO_LIBS)
tests_job_test_job_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
