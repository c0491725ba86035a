# src/board -- sources, tests and programs of this component.
noinst_LIBRARIES += libboard.a
libboard_a_SOURCES = \
	src/board/board.c \
	src/board/board.h \
	src/board/board_layout.h \
	src/board/counters.c \
	src/board/counters.h \
	src/board/metrics.c \
	src/board/slot.c \
	src/board/slot.h \
	src/board/wakes.c \
	src/board/wakes.h

if HAVE_CHECK
check_PROGRAMS += tests/board/test_board
tests_board_test_board_SOURCES = tests/board/test_board.c
endif
