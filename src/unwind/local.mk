# src/unwind -- sources, tests and programs of this component.
noinst_LIBRARIES += libunwind.a
libunwind_a_SOURCES = \
	src/unwind/expression.c \
	src/unwind/expression.h \
	src/unwind/frame_pointer.c \
	src/unwind/host_walk.c \
	src/unwind/host_walk.h \
	src/unwind/leaf.c \
	src/unwind/regions.c \
	src/unwind/regions.h \
	src/unwind/registers.c \
	src/unwind/registers.h \
	src/unwind/rules.c \
	src/unwind/stack_scan.c \
	src/unwind/steps.h \
	src/unwind/unwind.c \
	src/unwind/unwind.h \
	src/unwind/win.c

if HAVE_CHECK
unwind_walks = tests/unwind/walks.c tests/unwind/walks.h
check_PROGRAMS += \
	tests/unwind/test_arm_walks \
	tests/unwind/test_expression \
	tests/unwind/test_host_walk \
	tests/unwind/test_hostile_walks \
	tests/unwind/test_peers \
	tests/unwind/test_regions \
	tests/unwind/test_registers \
	tests/unwind/test_win_walks \
	tests/unwind/test_x86_walks
tests_unwind_test_arm_walks_SOURCES = tests/unwind/test_arm_walks.c $(unwind_walks)
tests_unwind_test_expression_SOURCES = tests/unwind/test_expression.c
tests_unwind_test_host_walk_SOURCES = \
	tests/fuzz/fuzz_host_walk.c \
	tests/unwind/test_host_walk.c
tests_unwind_test_hostile_walks_SOURCES = tests/unwind/test_hostile_walks.c $(unwind_walks)
tests_unwind_test_peers_SOURCES = \
	tests/unwind/symbol_file.c \
	tests/unwind/symbol_file.h \
	tests/unwind/test_peers.c
tests_unwind_test_regions_SOURCES = tests/unwind/test_regions.c
tests_unwind_test_registers_SOURCES = tests/unwind/test_registers.c
tests_unwind_test_win_walks_SOURCES = tests/unwind/test_win_walks.c $(unwind_walks)
tests_unwind_test_x86_walks_SOURCES = tests/unwind/test_x86_walks.c $(unwind_walks)
endif
