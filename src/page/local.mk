# src/page -- sources, tests and programs of this component.
noinst_LIBRARIES += libpage.a
libpage_a_SOURCES = \
	src/page/page_asset.c \
	src/page/page_asset.h \
	src/page/page_drop.c \
	src/page/page_frame.c \
	src/page/page_places.c \
	src/page/page.h
nodist_libpage_a_SOURCES = src/page/assets.h

# What browsers get besides pages, as C.
PAGE_ASSETS = \
	$(top_srcdir)/src/page/assets/page.css \
	$(top_srcdir)/src/page/assets/page.js \
	$(top_srcdir)/src/page/assets/icon.svg
EXTRA_DIST += \
	$(PAGE_ASSETS) \
	src/page/assets.awk
BUILT_SOURCES += src/page/assets.h
CLEANFILES += src/page/assets.h
src/page/assets.h: $(PAGE_ASSETS) $(top_srcdir)/src/page/assets.awk
	$(AM_V_GEN)$(MKDIR_P) src/page && \
	LC_ALL=C $(AWK) -f $(top_srcdir)/src/page/assets.awk $(PAGE_ASSETS) > $@-new && \
	mv $@-new $@
$(libpage_a_OBJECTS): src/page/assets.h

if HAVE_CHECK
check_PROGRAMS += tests/page/test_page_frame
tests_page_test_page_frame_SOURCES = tests/page/test_page_frame.c
endif
