# src/object/bundle -- the source bundle format, a part of libobject.a.
libobject_a_SOURCES += \
	src/object/bundle/bundle.c \
	src/object/bundle/manifest.c \
	src/object/bundle/manifest.h

if HAVE_CHECK
check_PROGRAMS += tests/object/test_bundle
tests_object_test_bundle_SOURCES = \
	tests/object/test_bundle.c \
	tests/object/makers.c \
	tests/object/makers.h \
	$(object_look_sources)
endif
