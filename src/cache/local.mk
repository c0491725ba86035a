# src/cache -- sources, tests and programs of this component.
noinst_LIBRARIES += libcache.a
libcache_a_SOURCES = \
	src/cache/admin.c \
	src/cache/admin.h \
	src/cache/blob.c \
	src/cache/cache.c \
	src/cache/cache.h \
	src/cache/cache_clean.c \
	src/cache/cache_counters.c \
	src/cache/cache_counters.h \
	src/cache/cache_internal.h \
	src/cache/expiry.c \
	src/cache/single_flight.c \
	src/cache/kind.c \
	src/cache/noted_damage.c \
	src/cache/orphan.c \
	src/cache/overview.c \
	src/cache/overview.h \
	src/cache/cache_publish.c \
	src/cache/remove.c \
	src/cache/renew.c \
	src/cache/row.c \
	src/cache/sweep.h \
	src/cache/table.c \
	src/cache/verify.c
$(libcache_a_OBJECTS): src/store/statements.h

if HAVE_CHECK
check_LIBRARIES += libbench.a
libbench_a_SOURCES = \
	tests/cache/bench.c \
	tests/cache/bench.h

check_PROGRAMS += \
	tests/cache/test_cache \
	tests/cache/test_clean \
	tests/cache/test_damage \
	tests/cache/test_expiry \
	tests/cache/test_flight \
	tests/cache/test_kill \
	tests/cache/test_renew \
	tests/cache/test_version
tests_cache_test_cache_SOURCES = tests/cache/test_cache.c
tests_cache_test_clean_SOURCES = tests/cache/test_clean.c
tests_cache_test_damage_SOURCES = tests/cache/test_damage.c
tests_cache_test_expiry_SOURCES = tests/cache/test_expiry.c
tests_cache_test_flight_SOURCES = tests/cache/test_flight.c
tests_cache_test_kill_SOURCES = tests/cache/test_kill.c
tests_cache_test_renew_SOURCES = tests/cache/test_renew.c
tests_cache_test_version_SOURCES = tests/cache/test_version.c
endif
