# src/object/bundle -- the source bundle format, a part of libobject.a.
libobject_a_SOURCES += \
	src/object/bundle/bundle.c src/object/bundle/manifest.c src/object/bundle/manifest.h
