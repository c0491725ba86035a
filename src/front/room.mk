# src/front/room.mk -- sources, tests and programs of this room.
noinst_LIBRARIES += libfront.a
libfront_a_SOURCES = src/front/children.c src/front/children.h \
	src/front/cors.c src/front/crash.c src/front/crash.h src/front/degraded.c src/front/degraded.h src/front/deputy.c src/front/endpoints/health.c src/front/endpoints/requests.c \
	src/front/endpoints/symbolicate.c src/front/front.c src/front/front.h \
	src/front/internal.h src/front/lane.c src/front/lane.h src/front/listen.c src/front/master.c src/front/parker.c \
	src/front/master.h src/front/on_demand.c src/front/on_demand.h \
	src/front/outgoing.c src/front/outgoing.h \
	src/front/relief.c src/front/reply.c src/front/request.c src/front/route.c src/front/worker.c \
	src/front/writer.c src/front/writer.h
libfront_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS) $(UNWIND_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/front/test_writer tests/front/test_children tests/front/test_lane
tests_front_test_lane_SOURCES = tests/front/test_lane.c
tests_front_test_lane_LDADD = libfront.a libsupport.a libbase.a $(CHECK_LIBS) $(CRYPTO_LIBS)
tests_front_test_lane_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_front_test_children_SOURCES = tests/front/test_children.c
tests_front_test_children_LDADD = libfront.a libsupport.a libbase.a $(CHECK_LIBS) $(CRYPTO_LIBS)
tests_front_test_children_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_front_test_writer_SOURCES = tests/front/test_writer.c
tests_front_test_writer_LDADD = libfront.a libboard.a libsupport.a libbase.a $(CHECK_LIBS) $(CRYPTO_LIBS)
tests_front_test_writer_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
endif
