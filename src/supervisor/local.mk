# src/supervisor -- sources, tests and programs of this component.
noinst_LIBRARIES += libsupervisor.a
libsupervisor_a_SOURCES = \
	src/supervisor/alone.c \
	src/supervisor/children.c \
	src/supervisor/children.h \
	src/supervisor/crash.c \
	src/supervisor/crash.h \
	src/supervisor/listen.c \
	src/supervisor/listen.h \
	src/supervisor/master.c \
	src/supervisor/master.h \
	src/supervisor/on_demand.c \
	src/supervisor/on_demand.h \
	src/supervisor/own_symbols.c \
	src/supervisor/own_symbols.h \
	src/supervisor/standby.c \
	src/supervisor/standby.h \
	src/supervisor/supervisor.h \
	src/supervisor/supervisor_counters.c \
	src/supervisor/supervisor_meters.c

if HAVE_CHECK
check_PROGRAMS += tests/supervisor/test_children tests/supervisor/test_crash_log
tests_supervisor_test_crash_log_SOURCES = tests/supervisor/test_crash_log.c
tests_supervisor_test_children_SOURCES = tests/supervisor/test_children.c
endif
