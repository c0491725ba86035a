# src/keeper -- sources, tests and programs of this component.
noinst_LIBRARIES += libkeeper.a
libkeeper_a_SOURCES = \
	src/keeper/keeper.c \
	src/keeper/keeper.h

if HAVE_CHECK
check_PROGRAMS += tests/keeper/test_keeper
tests_keeper_test_keeper_SOURCES = tests/keeper/test_keeper.c
endif
