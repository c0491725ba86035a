# tests -- what all tests share, and the suites that are not one component.
if HAVE_CHECK
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = \
	tests/support/fixture.c \
	tests/support/support.c \
	tests/support/support.h \
	tests/support/torment.c
libsupport_a_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests -DSUPPORT_SOURCE_DIR='"$(abs_top_srcdir)"' -DSUPPORT_BUILD_DIR='"$(abs_top_builddir)"'
endif

clean-local: clean-fixtures
clean-fixtures:
	rm -rf tests-fixtures counts
.PHONY: clean-fixtures
