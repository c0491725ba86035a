# src/workshop/room.mk -- sources, tests and programs of this room.
noinst_LIBRARIES += libworkshop.a
libworkshop_a_SOURCES = src/workshop/carry.c src/workshop/cell_queue.c src/workshop/cell_queue.h \
	src/workshop/cells.c src/workshop/doorbell.c \
	src/workshop/doorbell.h src/workshop/internal.h src/workshop/listing.c src/workshop/making.c \
	src/workshop/obtain.c src/workshop/refresh.c src/workshop/asker.c src/workshop/sharing.c src/workshop/shop.c \
	src/workshop/task.c src/workshop/workshop.c src/workshop/workshop.h
libworkshop_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/workshop/test_listing
tests_workshop_test_listing_SOURCES = tests/workshop/test_listing.c
tests_workshop_test_listing_LDADD = libworkshop.a libsymbolicate.a libjob.a libshared.a libpasses.a \
	libsource.a libcache.a \
	libfetch.a libconvert.a libsymcache.a libppdbcache.a libsourcecache.a libobject.a libdwarf.a \
	libobject.a libdemangle.a libsandbox.a libboard.a libstore.a libconfig.a libunpack.a \
	libsupport.a libbase.a $(CJSON_LIBS) $(CURL_LIBS) $(BROTLI_LIBS) $(SQLITE_LIBS) $(CRYPTO_LIBS) $(YAML_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(MSPACK_LIBS) $(SECCOMP_LIBS) $(IBERTY_LIBS) $(CHECK_LIBS)
tests_workshop_test_listing_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS) -I$(top_srcdir)/tests
check_PROGRAMS += tests/workshop/test_cell_queue
tests_workshop_test_cell_queue_SOURCES = tests/workshop/test_cell_queue.c
tests_workshop_test_cell_queue_LDADD = libworkshop.a libsupport.a libbase.a $(CRYPTO_LIBS) $(CHECK_LIBS)
tests_workshop_test_cell_queue_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
