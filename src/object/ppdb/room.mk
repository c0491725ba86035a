# src/object/ppdb -- the Portable PDB format, a part of libobject.a.
libobject_a_SOURCES += \
	src/object/ppdb/custom.c src/object/ppdb/documents.c src/object/ppdb/links.c \
	src/object/ppdb/metadata.c src/object/ppdb/points.c src/object/ppdb/ppdb.c \
	src/object/ppdb/ppdb.h
