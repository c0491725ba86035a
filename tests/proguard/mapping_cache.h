/*
 * mapping_cache -- mappings given as text, written as lookup files in memory and opened, for the tests of proguard.
 */
#ifndef TESTS_PROGUARD_MAPPING_CACHE_H
#define TESTS_PROGUARD_MAPPING_CACHE_H

#include "base/file.h"
#include "proguard/proguard.h"

/* The file, which the mapping lies in: file_unmap() it afterwards.  What is wrong ends the test. */
struct file_map mapping_cache_open(const char *what, struct text text, struct proguard *mapping);

#endif
