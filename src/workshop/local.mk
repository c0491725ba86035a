# src/workshop -- sources, tests and programs of this component.
noinst_LIBRARIES += libworkshop.a
libworkshop_a_SOURCES = \
	src/workshop/cell_queue.c \
	src/workshop/cell_queue.h \
	src/workshop/cell_task.c \
	src/workshop/cell_task.h \
	src/workshop/demangle_queue.c \
	src/workshop/demangle_queue.h \
	src/workshop/doorbell.c \
	src/workshop/doorbell.h \
	src/workshop/flight.c \
	src/workshop/flight.h \
	src/workshop/host_notes.c \
	src/workshop/host_notes.h \
	src/workshop/input.c \
	src/workshop/input.h \
	src/workshop/means.c \
	src/workshop/means.h \
	src/workshop/obtain.c \
	src/workshop/obtain.h \
	src/workshop/publish.c \
	src/workshop/publish.h \
	src/workshop/refresh.c \
	src/workshop/refresh.h \
	src/workshop/job_aside.c \
	src/workshop/job_aside.h \
	src/workshop/job_claim.c \
	src/workshop/job_deadline.c \
	src/workshop/job_deadline.h \
	src/workshop/job_end.c \
	src/workshop/job_end.h \
	src/workshop/job_resolver.c \
	src/workshop/job_resolver.h \
	src/workshop/job_results.c \
	src/workshop/job_results.h \
	src/workshop/job_step.c \
	src/workshop/job_verbs.c \
	src/workshop/job_verbs.h \
	src/workshop/job_wants.c \
	src/workshop/job_wants.h \
	src/workshop/running_job.c \
	src/workshop/running_job.h \
	src/workshop/segments.c \
	src/workshop/segments.h \
	src/workshop/share.c \
	src/workshop/share.h \
	src/workshop/task.c \
	src/workshop/task.h \
	src/workshop/task_part.h \
	src/workshop/task_steps.c \
	src/workshop/task_steps.h \
	src/workshop/task_verbs.c \
	src/workshop/task_verbs.h \
	src/workshop/temporary.c \
	src/workshop/temporary.h \
	src/workshop/turn.c \
	src/workshop/turn.h \
	src/workshop/verb_queue.c \
	src/workshop/verb_queue.h \
	src/workshop/workshop.c \
	src/workshop/workshop.h \
	src/workshop/workshop_counters.c \
	src/workshop/workshop_counters.h

if HAVE_CHECK
check_PROGRAMS += tests/workshop/test_listing
tests_workshop_test_listing_SOURCES = tests/workshop/test_listing.c
check_PROGRAMS += tests/workshop/test_cell_queue
tests_workshop_test_cell_queue_SOURCES = tests/workshop/test_cell_queue.c
check_PROGRAMS += tests/workshop/test_running_job
tests_workshop_test_running_job_SOURCES = tests/workshop/test_running_job.c
check_PROGRAMS += tests/workshop/test_sequence
tests_workshop_test_sequence_SOURCES = tests/workshop/test_sequence.c
check_PROGRAMS += tests/workshop/test_verbs
tests_workshop_test_verbs_SOURCES = tests/workshop/test_verbs.c
check_PROGRAMS += tests/workshop/test_wants
tests_workshop_test_wants_SOURCES = tests/workshop/test_wants.c
endif
