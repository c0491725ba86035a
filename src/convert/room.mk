# src/convert -- sources, tests and programs of this room.
noinst_LIBRARIES += libconvert.a
libconvert_a_SOURCES = \
	src/convert/convert.c src/convert/convert.h \
	src/convert/demangler.c src/convert/demangler.h \
	src/convert/features.c \
	src/convert/inspect.c \
	src/convert/internal.h \
	src/convert/json.c \
	src/convert/listing.c src/convert/listing_read.c \
	src/convert/make.c \
	src/convert/managed.c \
	src/convert/sources.c \
	src/convert/memo.c src/convert/memo.h \
	src/convert/names.c \
	src/convert/uuidmap.c
libconvert_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/convert/test_convert tests/convert/test_cells
convert_test_libs = libconvert.a libppdbcache.a libsourcecache.a libsandbox.a libboard.a libdemangle.a libsupport.a \
	$(symcache_libs) $(CJSON_LIBS) $(MSPACK_LIBS) $(SECCOMP_LIBS) $(IBERTY_LIBS) $(CHECK_LIBS)
convert_test_cppflags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_convert_test_convert_SOURCES = tests/convert/test_convert.c
tests_convert_test_convert_LDADD = $(convert_test_libs)
tests_convert_test_convert_CPPFLAGS = $(convert_test_cppflags)
check_PROGRAMS += tests/convert/test_uuidmap tests/convert/test_maps tests/convert/test_listings
tests_convert_test_listings_SOURCES = tests/convert/test_listings.c tests/fuzz/fuzz_listing.c
tests_convert_test_listings_LDADD = libsource.a $(convert_test_libs)
tests_convert_test_listings_CPPFLAGS = $(convert_test_cppflags) $(CJSON_CFLAGS)
tests_convert_test_maps_SOURCES = tests/convert/test_maps.c
tests_convert_test_maps_LDADD = $(convert_test_libs)
tests_convert_test_maps_CPPFLAGS = $(convert_test_cppflags)
tests_convert_test_uuidmap_SOURCES = tests/convert/test_uuidmap.c
tests_convert_test_uuidmap_LDADD = $(convert_test_libs)
tests_convert_test_uuidmap_CPPFLAGS = $(convert_test_cppflags)
tests_convert_test_cells_SOURCES = tests/convert/test_cells.c
tests_convert_test_cells_LDADD = $(convert_test_libs)
tests_convert_test_cells_CPPFLAGS = $(convert_test_cppflags)
endif
