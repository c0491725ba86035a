/* type_record.c -- records of types, one after the other, within what one name may cost. */
#include "base/work_budget.h"
#include "object/pdb/type_name.h"

#define NAME_STEPS_MAX  20000u       /* records looked at for one name */
#define RECORD_STEPS    4u           /* to look at one, beside its bytes */

bool namer_record(struct namer *namer, const struct pdb_types *types, uint32_t index,
		  uint16_t *kind, struct reader *record)
{
	if (++namer->steps > NAME_STEPS_MAX || !pdb_has_type(types, index))
		return false;
	if (pdb_type_record(types, index, namer->scratch, kind, record)) {
		namer->work += RECORD_STEPS + record->size / WORK_BYTES_PER_STEP;
		return true;
	}
	namer->out.failed = namer->out.no_memory = true;
	return false;
}
