/*
 * rules.c -- a caller by STACK CFI, or by STACK WIN where that covers the address
 * (Breakpad's symbol file format, STACK CFI records).
 */
#include "unwind/expression.h"
#include "unwind/steps.h"

#define BIT(number) ((uint64_t)1 << (number))

/* The expression that holds for each register. */
struct rule_set {
	struct text cfa, ra;
	struct text registers[UNWIND_REGISTERS_MAX];
	uint64_t has;
};

bool unwind_rows_at(struct unwind_modules *modules, const struct cfi *cfi, uint64_t address,
		    struct cfi_rows *rows)
{
	uint64_t hash = (address ^ (uintptr_t)cfi >> 4) * UINT64_C(0x9e3779b97f4a7c15);
	struct unwind_row *row = &modules->kept[(hash >> 32) % UNWIND_ROWS_KEPT];

	if (row->cfi != cfi || row->address != address) {
		row->cfi = cfi;
		row->address = address;
		row->is_found = cfi_find(cfi, address, &row->rows);
	}
	*rows = row->rows;
	return row->is_found;
}

/* False: they may not be used, or give no frame address. */
static bool collect(struct rule_set *set, enum unwind_arch arch, const struct cfi_rows *rows)
{
	struct cfi_rules rules;
	struct cfi_rule rule;
	int more;

	set->cfa = set->ra = TEXT_NONE;
	set->has = 0;
	cfi_rules_begin(&rules, rows);
	while ((more = cfi_rules_next(&rules, &rule)) > 0) {
		unsigned number;

		if (text_is(rule.name, ".cfa")) {
			set->cfa = rule.expression;
		} else if (text_is(rule.name, ".ra")) {
			set->ra = rule.expression;
		} else {
			number = unwind_register_named(arch, rule.name);
			if (number == UNWIND_NO_REGISTER)
				continue;
			set->registers[number] = rule.expression;
			set->has |= BIT(number);
		}
	}
	return more == 0 && set->cfa.size > 0;
}

void unwind_forward_saved(const struct unwind *walk, struct unwind_registers *caller)
{
	uint64_t left = unwind_arch_facts(walk->registers.arch)->saved & walk->registers.valid;

	unwind_registers_init(caller, walk->registers.arch);
	for (; left; left &= left - 1) {
		unsigned number = (unsigned)__builtin_ctzll(left);

		unwind_registers_set(caller, number, walk->registers.values[number]);
	}
}

static void strip_signatures(const struct unwind *walk, struct unwind_registers *caller)
{
	static const unsigned signed_registers[] = {
		UNWIND_ARM64_PC, UNWIND_ARM64_LR, UNWIND_ARM64_FP
	};

	for (unsigned i = 0; i < sizeof(signed_registers) / sizeof(signed_registers[0]); i++)
		caller->values[signed_registers[i]] &= walk->pointer_mask;
}

static bool apply(const struct unwind *walk, const struct rule_set *set, uint64_t hidden,
		  struct unwind_registers *caller)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	struct unwind_scope scope = { .memory = walk->memory, .registers = &walk->registers,
				      .hidden = hidden };
	uint64_t left, value, ra;

	if (!unwind_expression_value(&scope, set->cfa, &scope.cfa))
		return false;
	scope.has_cfa = true;
	if (!unwind_expression_value(&scope, set->ra, &ra))
		return false;
	unwind_forward_saved(walk, caller);
	unwind_registers_set(caller, facts->sp, scope.cfa);
	unwind_registers_set(caller, facts->pc, ra);
	for (left = set->has; left; left &= left - 1) {
		unsigned number = (unsigned)__builtin_ctzll(left);

		if (unwind_expression_value(&scope, set->registers[number], &value))
			unwind_registers_set(caller, number, value);
		else if (number != facts->sp && number != facts->pc)
			unwind_registers_forget(caller, number);
	}
	if (walk->registers.arch == UNWIND_ARM64)
		strip_signatures(walk, caller);
	return true;
}

static bool by_rows(struct unwind *walk, const struct cfi *cfi, uint64_t address,
		    struct unwind_registers *caller)
{
	struct cfi_rows rows;
	struct rule_set set;
	uint64_t hidden = 0, bytes;

	if (walk->rule_bytes_left == 0 ||
	    walk->modules->rule_bytes > UNWIND_LIMIT_ALL_RULE_BYTES ||
	    !unwind_rows_at(walk->modules, cfi, address, &rows))
		return false;
	bytes = rows.init.size + rows.deltas.size;
	walk->rule_bytes_left -= bytes < walk->rule_bytes_left ? bytes : walk->rule_bytes_left;
	walk->modules->rule_bytes += bytes;
	if (!collect(&set, walk->registers.arch, &rows))
		return false;
	if (set.ra.size == 0 || text_is(set.ra, ".undef")) {
		walk->has_no_caller = walk->ends_without_return;
		return false;
	}
	/* What the frame pointer gave as link register is right where a function begins, at best. */
	if (walk->registers.arch == UNWIND_ARM64 && walk->frame.trust == UNWIND_TRUST_FP &&
	    address != rows.start)
		hidden = BIT(UNWIND_ARM64_LR);
	return apply(walk, &set, hidden, caller);
}

bool unwind_by_cfi(struct unwind *walk, struct unwind_registers *caller)
{
	const struct unwind_arch_facts *facts = unwind_arch_facts(walk->registers.arch);
	const struct unwind_module *module;
	struct cfi_win win;
	uint64_t address;

	if (walk->frame.module == UNWIND_NO_MODULE || !unwind_knows(walk, facts->sp))
		return false;
	module = &walk->modules->items[walk->frame.module];
	if (module->state != UNWIND_CFI_OPEN)
		return false;
	address = walk->frame.instruction - module->address;
	if (walk->registers.arch == UNWIND_X86 && cfi_find_win(module->cfi, address, &win)) {
		unwind_forward_saved(walk, caller);
		/* A program that never names the return address leaves the frame where it is. */
		unwind_registers_set(caller, facts->pc, walk->registers.values[facts->pc]);
		if (unwind_by_win(walk, &win, caller))
			return true;
	}
	return by_rows(walk, module->cfi, address, caller);
}
