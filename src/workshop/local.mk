# src/workshop -- sources, tests and programs of this component.
noinst_LIBRARIES += libworkshop.a
libworkshop_a_SOURCES = \
	src/workshop/asker.c \
	src/workshop/carry.c \
	src/workshop/cell_queue.c \
	src/workshop/cell_queue.h \
	src/workshop/cells.c \
	src/workshop/doorbell.c \
	src/workshop/doorbell.h \
	src/workshop/internal.h \
	src/workshop/listing.c \
	src/workshop/making.c \
	src/workshop/obtain.c \
	src/workshop/refresh.c \
	src/workshop/sharing.c \
	src/workshop/shop.c \
	src/workshop/task.c \
	src/workshop/workshop.c \
	src/workshop/workshop.h

if HAVE_CHECK
check_PROGRAMS += tests/workshop/test_listing
tests_workshop_test_listing_SOURCES = tests/workshop/test_listing.c
check_PROGRAMS += tests/workshop/test_cell_queue
tests_workshop_test_cell_queue_SOURCES = tests/workshop/test_cell_queue.c
endif
