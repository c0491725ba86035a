# src/jsfile -- sources and tests of this component.
noinst_LIBRARIES += libjsfile.a
libjsfile_a_SOURCES = \
	src/jsfile/data_url.c \
	src/jsfile/data_url.h \
	src/jsfile/jsbundle.c \
	src/jsfile/jsbundle.h \
	src/jsfile/jsbundle_take.c \
	src/jsfile/jsbundle_write.c \
	src/jsfile/jsfile.c \
	src/jsfile/jsfile.h \
	src/jsfile/jsfile_layout.h \
	src/jsfile/jsfile_write.c \
	src/jsfile/rambundle.c \
	src/jsfile/rambundle.h

if HAVE_CHECK
check_PROGRAMS += tests/jsfile/test_jsfile
tests_jsfile_test_jsfile_SOURCES = \
	tests/jsfile/test_jsfile.c \
	tests/object/makers.c \
	tests/object/makers.h
endif
