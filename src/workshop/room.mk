# src/workshop/room.mk -- sources, tests and programs of this room.
noinst_LIBRARIES += libworkshop.a
libworkshop_a_SOURCES = src/workshop/carry.c src/workshop/cells.c src/workshop/doorbell.c \
	src/workshop/doorbell.h src/workshop/internal.h src/workshop/listing.c src/workshop/making.c \
	src/workshop/obtain.c src/workshop/passes.c src/workshop/asker.c src/workshop/shop.c \
	src/workshop/task.c src/workshop/workshop.c src/workshop/workshop.h
libworkshop_a_CFLAGS = $(AM_CFLAGS) $(CJSON_CFLAGS)
