# src/lookup -- sources and tests of this component.
noinst_LIBRARIES += liblookup.a
liblookup_a_SOURCES = \
	src/lookup/choose.c \
	src/lookup/listings.c \
	src/lookup/lookup.h \
	src/lookup/plan.c \
	src/lookup/plan_memo.c \
	src/lookup/plan_memo.h
