# src/symbfile -- sources and tests of this component.
noinst_LIBRARIES += libsymbfile.a
libsymbfile_a_SOURCES = \
	src/symbfile/file_id.c \
	src/symbfile/file_id.h \
	src/symbfile/symbfile.h \
	src/symbfile/symbfile_index.c \
	src/symbfile/symbfile_index.h \
	src/symbfile/symbfile_index_write.c \
	src/symbfile/symbfile_layout.h \
	src/symbfile/symbfile_read.c \
	src/symbfile/symbfile_write.c

if HAVE_CHECK
check_PROGRAMS += \
	tests/symbfile/test_symbfile \
	tests/symbfile/test_symbfile_index
tests_symbfile_test_symbfile_SOURCES = tests/symbfile/test_symbfile.c
tests_symbfile_test_symbfile_index_SOURCES = tests/symbfile/test_symbfile_index.c
endif
