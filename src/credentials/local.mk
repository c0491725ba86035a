# src/credentials -- sources of this component; what it does is tested with the service (tests/service).
noinst_LIBRARIES += libcredentials.a
libcredentials_a_SOURCES = \
	src/credentials/credentials.c \
	src/credentials/credentials.h
