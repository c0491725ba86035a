# src/object -- sources, tests and programs of this room (dwarf has its own room.mk).
noinst_LIBRARIES += libobject.a
libobject_a_SOURCES = \
	src/object/object.h src/object/object.c \
	src/object/symbols.h src/object/symbols.c \
	src/object/breakpad/breakpad.h src/object/breakpad/breakpad.c \
	src/object/breakpad/inlines.c src/object/breakpad/records.c \
	src/object/breakpad/records.h src/object/breakpad/survey.c \
	src/object/breakpad/unit.c \
	src/object/elf/elf.c src/object/elf/elf_dynamic.c src/object/elf/elf_file.h \
	src/object/elf/elf_headers.c src/object/elf/elf_identity.c src/object/elf/elf_links.c \
	src/object/elf/elf_relocate.c src/object/elf/elf_sections.c \
	src/object/elf/elf_symbols.c \
	src/object/macho/macho.c src/object/macho/macho_file.c src/object/macho/macho_file.h \
	src/object/macho/macho_identity.c src/object/macho/macho_symbols.c
libobject_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)

if HAVE_CHECK
check_PROGRAMS += tests/object/test_elf
object_look_sources = tests/object/look.c tests/object/look.h
object_test_ldadd = libsupport.a libobject.a libdwarf.a libunpack.a libbase.a $(CHECK_LIBS) \
	$(ZLIB_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(CRYPTO_LIBS)
object_test_cppflags = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests
tests_object_test_elf_SOURCES = tests/object/test_elf.c $(object_look_sources)
tests_object_test_elf_LDADD = $(object_test_ldadd)
tests_object_test_elf_CPPFLAGS = $(object_test_cppflags)
endif
