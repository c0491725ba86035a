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
