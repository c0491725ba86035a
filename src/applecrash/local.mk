# src/applecrash -- sources and tests of this component.
noinst_LIBRARIES += libapplecrash.a
libapplecrash_a_SOURCES = \
	src/applecrash/applecrash.c \
	src/applecrash/applecrash.h \
	src/applecrash/applecrash_internal.h \
	src/applecrash/report_date.c \
	src/applecrash/report_ips.c \
	src/applecrash/report_text.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/applecrash/test_applecrash \
	tests/applecrash/test_ips
tests_applecrash_test_ips_SOURCES = \
	tests/applecrash/test_ips.c \
	tests/fuzz/fuzz_applecrash.c
tests_applecrash_test_applecrash_SOURCES = \
	tests/applecrash/test_applecrash.c \
	tests/fuzz/fuzz_applecrash.c
endif
