# src/history -- sources, tests and programs of this component.
noinst_LIBRARIES += libhistory.a
libhistory_a_SOURCES = \
	src/history/history.c \
	src/history/history.h \
	src/history/history_internal.h \
	src/history/history_read.c \
	src/history/hosts.c \
	src/history/hosts.h
$(libhistory_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_PROGRAMS += tests/history/test_history tests/history/test_hosts
tests_history_test_history_SOURCES = tests/history/test_history.c
tests_history_test_hosts_SOURCES = tests/history/test_hosts.c
endif
