# src/page -- sources, tests and programs of this component.
noinst_LIBRARIES += libpage.a
libpage_a_SOURCES = \
	src/page/page_frame.c \
	src/page/page.h

if HAVE_CHECK
check_PROGRAMS += tests/page/test_page_frame
tests_page_test_page_frame_SOURCES = tests/page/test_page_frame.c
endif
