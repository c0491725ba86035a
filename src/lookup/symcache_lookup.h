/*
 * symcache_lookup -- from a module to the SymCache its debug information becomes: the file, what
 * belongs to it, and the key of both together.
 *
 * May include: what lookup.h may.
 */
#ifndef LOOKUP_SYMCACHE_LOOKUP_H
#define LOOKUP_SYMCACHE_LOOKUP_H

#include "lookup/module_lookup.h"

/* READY: *derive is what is to be made, or its kind is NULL: there is no file
 * (purposes[LOOKUP_DEBUG].failure says why).  May be asked again. */
enum resolved symcache_lookup_derive(struct module_lookup *module, struct work *work,
				     struct resolver *resolver, struct derive *derive,
				     struct err *err);

#endif
