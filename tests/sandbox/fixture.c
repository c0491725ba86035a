/* fixture.c -- see fixture.h. */
#include "sandbox/fixture.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "sandbox/operations.h"
#include "support/support.h"

#define ENOUGH_CPU_SECONDS 60

struct config fixture_config;
struct nursery *fixture_nursery;
pid_t fixture_last_process;

static void start_with_cpu(int64_t seconds)
{
	struct err err = ERR_INIT;

	fixture_config.cell_memory_bytes = (uint64_t)256 << 20;
	fixture_config.cell_cpu_seconds = seconds;
	fixture_config.max_download_bytes = (uint64_t)1 << 30;
	fixture_config.sandbox = CONFIG_SANDBOX_BEST;
	ck_assert_msg(nursery_start(&fixture_nursery, &fixture_config, operations, operation_count,
				    &err) == 0, "%s", err.text);
}

void fixture_start(void)
{
	/* Memory that is touched for the first time may cost a busy host more than a second. */
	start_with_cpu(ENOUGH_CPU_SECONDS);
}

void fixture_stop(void)
{
	nursery_stop(fixture_nursery);
	fixture_nursery = NULL;
	ck_assert_int_eq(mem_live, 0);
}

void fixture_restart_with_cpu(int64_t seconds)
{
	fixture_stop();
	start_with_cpu(seconds);
}

struct cell_handle *fixture_spawn_with(const struct cell_order *order)
{
	struct err err = ERR_INIT;
	struct cell_handle *handle;

	ck_assert_msg(nursery_spawn(fixture_nursery, order, &handle, &err) == 0, "%s", err.text);
	return handle;
}

struct cell_handle *fixture_spawn(const char *operation, const char *parameters)
{
	return fixture_spawn_with(&(struct cell_order){ .operation = operation,
							.parameters = text_of(parameters) });
}

void fixture_wait_event(struct cell_handle *handle, struct cell_event *event)
{
	struct err err = ERR_INIT;

	ck_assert_msg(cell_wait_event(handle, (int)support_stretched(FIXTURE_PATIENCE_MILLIS), event, &err) == 0, "%s", err.text);
}

int fixture_memory_file(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
	return fd;
}

unsigned fixture_each_process(const char *name, pid_t group, bool zombies_too, int number)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder)) != NULL) {
		char path[300], state, found[64];
		int pid, its_group;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		stat = fopen(path, "re");
		if (!stat)
			continue;
		if (fscanf(stat, "%d (%63[^)]) %c %*d %d", &pid, found, &state, &its_group) == 4 &&
		    strcmp(found, name) == 0 && its_group == group &&
		    (zombies_too || state != 'Z')) {
			count++;
			fixture_last_process = pid;
			if (number)
				kill(pid, number);
		}
		fclose(stat);
	}
	closedir(folder);
	return count;
}
