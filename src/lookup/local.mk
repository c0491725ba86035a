# src/lookup -- sources and tests of this component.
noinst_LIBRARIES += liblookup.a
liblookup_a_SOURCES = \
	src/lookup/candidates.c \
	src/lookup/choose.c \
	src/lookup/companion_lookup.c \
	src/lookup/listings.c \
	src/lookup/lookup.h \
	src/lookup/lookup_key.c \
	src/lookup/module_lookup.c \
	src/lookup/module_lookup.h \
	src/lookup/object_file.c \
	src/lookup/object_file.h \
	src/lookup/plan.c \
	src/lookup/plan_memo.c \
	src/lookup/plan_memo.h \
	src/lookup/purpose.c \
	src/lookup/scraping.c \
	src/lookup/scraping.h \
	src/lookup/source_link.c \
	src/lookup/source_link.h \
	src/lookup/symcache_lookup.c \
	src/lookup/symcache_lookup.h \
	src/lookup/upgrade.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/lookup/test_module_lookup \
	tests/lookup/test_scraping
tests_lookup_test_module_lookup_SOURCES = \
	tests/lookup/test_module_lookup.c \
	tests/kinds/native/fake.c \
	tests/kinds/native/fake_lower.c \
	tests/kinds/native/fake.h
tests_lookup_test_scraping_SOURCES = tests/lookup/test_scraping.c
endif
