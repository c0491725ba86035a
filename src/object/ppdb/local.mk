# src/object/ppdb -- the Portable PDB format, a part of libobject.a.
libobject_a_SOURCES += \
	src/object/ppdb/custom.c \
	src/object/ppdb/documents.c \
	src/object/ppdb/metadata.c \
	src/object/ppdb/points.c \
	src/object/ppdb/ppdb.c \
	src/object/ppdb/ppdb.h

if HAVE_CHECK
check_PROGRAMS += tests/object/test_ppdb
tests_object_test_ppdb_SOURCES = \
	tests/object/test_ppdb.c \
	tests/object/makers.c \
	tests/object/makers.h \
	$(object_look_sources)
endif
