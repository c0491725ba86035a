# src/pack -- sources and tests of this component.
noinst_LIBRARIES += libpack.a
libpack_a_SOURCES = \
	src/pack/bundle_write.c \
	src/pack/pack.c \
	src/pack/pack.h \
	src/pack/zip_write.c

if HAVE_CHECK
check_PROGRAMS += tests/pack/test_pack
tests_pack_test_pack_SOURCES = tests/pack/test_pack.c
endif
