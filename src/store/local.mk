# src/store -- sources, tests and programs of this component, and all of sql/.
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	src/store/boot.c \
	src/store/boot.h \
	src/store/connect.c \
	src/store/damage.c \
	src/store/damage.h \
	src/store/lock.c \
	src/store/lock.h \
	src/store/migrate.c \
	src/store/repair.c \
	src/store/repair.h \
	src/store/store.c \
	src/store/store.h \
	src/store/store_admin.c \
	src/store/store_internal.h \
	src/store/store_place.c \
	src/store/texts.c
nodist_libstore_a_SOURCES = \
	src/store/build_id.h \
	src/store/sql_text.h \
	src/store/statements.h

# Named statements; migrations in order; the schema for the test that compares the two.
SQL_NAMED = \
	$(top_srcdir)/sql/store.sql \
	$(top_srcdir)/sql/cache.sql \
	$(top_srcdir)/sql/job.sql \
	$(top_srcdir)/sql/apikey.sql \
	$(top_srcdir)/sql/page.sql \
	$(top_srcdir)/sql/history.sql
SQL_STEPS = \
	$(top_srcdir)/sql/migrate/0001-first.sql \
	$(top_srcdir)/sql/migrate/0002-key-text.sql \
	$(top_srcdir)/sql/migrate/0003-checksum.sql \
	$(top_srcdir)/sql/migrate/0004-x-request-id.sql \
	$(top_srcdir)/sql/migrate/0005-module-ids.sql \
	$(top_srcdir)/sql/migrate/0006-apikey.sql \
	$(top_srcdir)/sql/migrate/0007-missing-symbols.sql \
	$(top_srcdir)/sql/migrate/0008-artifacts.sql \
	$(top_srcdir)/sql/migrate/0009-missing-mappings.sql \
	$(top_srcdir)/sql/migrate/0010-fresh-until.sql \
	$(top_srcdir)/sql/migrate/0011-history.sql \
	$(top_srcdir)/sql/migrate/0012-live-pages.sql \
	$(top_srcdir)/sql/migrate/0013-validators.sql \
	$(top_srcdir)/sql/migrate/0014-failed-jobs.sql \
	$(top_srcdir)/sql/schema.sql
EXTRA_DIST += \
	$(SQL_NAMED) \
	$(SQL_STEPS) \
	src/store/sql2c.awk
BUILT_SOURCES += \
	src/store/statements.h \
	src/store/sql_text.h \
	src/store/build_id.h
CLEANFILES += \
	src/store/statements.h \
	src/store/sql_text.h \
	src/store/build_id.h

src/store/statements.h: $(SQL_NAMED) $(top_srcdir)/src/store/sql2c.awk
	$(AM_V_GEN)$(MKDIR_P) src/store && \
	$(AWK) -v what=names -f $(top_srcdir)/src/store/sql2c.awk $(SQL_NAMED) > $@-new && \
	mv $@-new $@
src/store/sql_text.h: $(SQL_NAMED) $(SQL_STEPS) $(top_srcdir)/src/store/sql2c.awk
	$(AM_V_GEN)$(MKDIR_P) src/store && \
	$(AWK) -v what=texts -f $(top_srcdir)/src/store/sql2c.awk $(SQL_NAMED) $(SQL_STEPS) > $@-new && \
	mv $@-new $@

# The build is told from another by its sources, so that an upgrade (and a developer's
# change) clears what only that build could not read.  Written only when it differs.
src/store/build_id.h: store-build-id-is-checked
	@$(MKDIR_P) src/store; \
	sum=`cd $(top_srcdir) && find src sql \( -name '*.c' -o -name '*.h' -o -name '*.sql' \) \
		! -name statements.h ! -name sql_text.h ! -name build_id.h ! -name assets.h | LC_ALL=C sort | \
		while read -r file; do cat "$$file"; done | cksum | $(SED) 's/ .*//'`; \
	echo "#define BUILD_ID \"$(PACKAGE_VERSION)-$$sum\"" > $@-new; \
	if cmp -s $@-new $@; then rm -f $@-new; else mv $@-new $@; fi
store-build-id-is-checked:
.PHONY: store-build-id-is-checked

$(libstore_a_OBJECTS): src/store/statements.h src/store/sql_text.h src/store/build_id.h

if HAVE_CHECK
# A state folder of one's own, for the tests of the rooms that need one.
check_LIBRARIES += libstate.a
libstate_a_SOURCES = \
	tests/store/state.c \
	tests/store/state.h

check_PROGRAMS += \
	tests/store/test_schema \
	tests/store/test_store \
	tests/store/test_repair
tests_store_test_repair_SOURCES = tests/store/test_repair.c
$(tests_store_test_repair_OBJECTS): src/store/statements.h
tests_store_test_schema_SOURCES = tests/store/test_schema.c
$(tests_store_test_schema_OBJECTS): src/store/statements.h
tests_store_test_store_SOURCES = tests/store/test_store.c
$(tests_store_test_store_OBJECTS): src/store/statements.h
endif
