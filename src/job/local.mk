# src/job -- sources, tests and programs of this component.
noinst_LIBRARIES += libjob.a
libjob_a_SOURCES = \
	src/job/claim.c \
	src/job/clean.c \
	src/job/delete.c \
	src/job/diagnosis.c \
	src/job/job_list.c \
	src/job/job_list.h \
	src/job/job.c \
	src/job/job.h \
	src/job/job_counters.c \
	src/job/job_counters.h \
	src/job/job_internal.h \
	src/job/spool.c
$(libjob_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_PROGRAMS += tests/job/test_job tests/job/test_job_files tests/job/test_job_kept
tests_job_test_job_SOURCES = tests/job/test_job.c tests/job/desk.c tests/job/desk.h
tests_job_test_job_kept_SOURCES = tests/job/test_job_kept.c tests/job/desk.c tests/job/desk.h
tests_job_test_job_files_SOURCES = tests/job/test_job_files.c tests/job/desk.c tests/job/desk.h
endif
