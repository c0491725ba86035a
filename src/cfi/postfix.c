/* postfix.c -- see postfix.h; operations are those of DWARF5 §2.5. */
#include "cfi/postfix.h"

#include <stdio.h>

#define DEPTH_MAX 12u

enum {
	OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST8S = 0x0f, OP_CONSTU = 0x10, OP_CONSTS = 0x11,
	OP_DUP = 0x12, OP_DROP = 0x13, OP_OVER = 0x14, OP_PICK = 0x15, OP_SWAP = 0x16, OP_ROT = 0x17,
	OP_AND = 0x1a, OP_MINUS = 0x1c, OP_MOD = 0x1d, OP_MUL = 0x1e, OP_NEG = 0x1f, OP_NOT = 0x20,
	OP_PLUS = 0x22, OP_PLUS_UCONST = 0x23, OP_SHL = 0x24, OP_SHR = 0x25, OP_GE = 0x2a,
	OP_GT = 0x2b, OP_LE = 0x2c, OP_LT = 0x2d, OP_LIT0 = 0x30, OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_BREGX = 0x92, OP_DEREF_SIZE = 0x94, OP_NOP = 0x96,
	OP_CALL_FRAME_CFA = 0x9c,
};

struct postfix_value {
	char text[POSTFIX_BYTES];
	size_t size;
	bool is_constant;
	uint64_t constant;
	uint64_t most;               /* it is never more */
};

struct postfix_machine {
	struct postfix_value stack[DEPTH_MAX];
	unsigned depth;
	const struct cfi_registers *registers;
	unsigned address_bytes;
	bool failed;
	struct postfix_value none;           /* stands for what is not there */
};

static struct postfix_value *push(struct postfix_machine *machine)
{
	struct postfix_value *value = &machine->stack[machine->depth];

	if (machine->depth == DEPTH_MAX) {
		machine->failed = true;
		return &machine->none;
	}
	machine->depth++;
	value->size = 0;
	value->is_constant = false;
	value->most = UINT64_MAX;
	return value;
}

/* The n-th from the top; one of no use when it is not there. */
static struct postfix_value *top(struct postfix_machine *machine, unsigned n)
{
	if (n >= machine->depth) {
		machine->failed = true;
		return &machine->none;
	}
	return &machine->stack[machine->depth - 1 - n];
}

static void add(struct postfix_machine *machine, struct postfix_value *value, const char *text, size_t size)
{
	if (size >= POSTFIX_BYTES - value->size) {
		machine->failed = true;
		return;
	}
	if (value->size > 0)
		value->text[value->size++] = ' ';
	memcpy(value->text + value->size, text, size);
	value->size += size;
}

static void push_constant(struct postfix_machine *machine, uint64_t constant)
{
	struct postfix_value *value = push(machine);
	char digits[24];

	if (machine->address_bytes == 4)
		constant = (uint64_t)(int64_t)(int32_t)constant;
	snprintf(digits, sizeof(digits), "%lld", (long long)constant);
	add(machine, value, digits, strlen(digits));
	value->is_constant = true;
	value->constant = value->most = constant;
}

static void push_register(struct postfix_machine *machine, uint64_t column, int64_t offset)
{
	struct text name = cfi_register_name(machine->registers, column);
	struct postfix_value *value = push(machine);
	char digits[32];

	if (!name.bytes) {
		machine->failed = true;
		return;
	}
	add(machine, value, name.bytes, name.size);
	snprintf(digits, sizeof(digits), "%lld +", (long long)offset);
	if (offset != 0)
		add(machine, value, digits, strlen(digits));
}

static void push_copy(struct postfix_machine *machine, unsigned n)
{
	struct postfix_value *from = top(machine, n), *to = push(machine);

	if (!machine->failed)
		*to = *from;
}

static void swap(struct postfix_machine *machine, unsigned m, unsigned n)
{
	struct postfix_value *a = top(machine, m), *b = top(machine, n), kept;

	if (machine->failed)
		return;
	kept = *a;
	*a = *b;
	*b = kept;
}

static void drop(struct postfix_machine *machine)
{
	(void)top(machine, 0);
	machine->depth -= !machine->failed;
}

/* lhs rhs OPERATOR, for the two on top. */
static void combine(struct postfix_machine *machine, const char *operator)
{
	struct postfix_value *rhs = top(machine, 0), *lhs = top(machine, 1);

	if (machine->failed)
		return;
	add(machine, lhs, rhs->text, rhs->size);
	add(machine, lhs, operator, 1);
	lhs->is_constant = false;
	lhs->most = UINT64_MAX;
	machine->depth--;
}

static void combine_with(struct postfix_machine *machine, uint64_t constant, const char *operator)
{
	push_constant(machine, constant);
	combine(machine, operator);
}

static bool is_power(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

/* Takes the constant on top, which the operation has to have. */
static uint64_t take_constant(struct postfix_machine *machine)
{
	struct postfix_value *value = top(machine, 0);

	if (!value->is_constant)
		machine->failed = true;
	drop(machine);
	return machine->failed ? 0 : value->constant;
}

/* The low bits are a rest of a division, all but the low ones an alignment. */
static void mask(struct postfix_machine *machine)
{
	uint64_t bits = take_constant(machine);

	if (is_power(bits + 1)) {
		combine_with(machine, bits + 1, "%");
		top(machine, 0)->most = bits;
	} else if (is_power(~bits + 1)) {
		combine_with(machine, ~bits + 1, "@");
	} else {
		machine->failed = true;
	}
}

static void shift(struct postfix_machine *machine, const char *operator)
{
	uint64_t bits = take_constant(machine);

	if (bits >= machine->address_bytes * 8 - 1)
		machine->failed = true;
	else
		combine_with(machine, UINT64_C(1) << bits, operator);
}

/* Is the value at least the constant?  Below twice the constant the quotient says so. */
static void compare(struct postfix_machine *machine, uint64_t constant, bool is_negated)
{
	struct postfix_value *value = top(machine, 0);

	if (constant == 0 || constant > INT32_MAX || value->most >= 2 * constant) {
		machine->failed = true;
		return;
	}
	combine_with(machine, constant, "/");
	if (is_negated) {
		push_constant(machine, 1);
		swap(machine, 0, 1);
		combine(machine, "-");
	}
	top(machine, 0)->most = 1;
}

static void negate(struct postfix_machine *machine, int64_t from)
{
	push_constant(machine, (uint64_t)from);
	swap(machine, 0, 1);
	combine(machine, "-");
}

static void dereference(struct postfix_machine *machine, unsigned size)
{
	struct postfix_value *value = top(machine, 0);

	if (size != machine->address_bytes) {
		machine->failed = true;
		return;
	}
	add(machine, value, "^", 1);
	value->is_constant = false;
	value->most = UINT64_MAX;
}

static uint64_t read_constant(struct reader *reader, unsigned op)
{
	switch (op) {
	case OP_CONST1U:
		return reader_u8(reader);
	case OP_CONST1U + 1:
		return (uint64_t)(int64_t)(int8_t)reader_u8(reader);
	case OP_CONST1U + 2:
		return reader_u16(reader);
	case OP_CONST1U + 3:
		return (uint64_t)(int64_t)(int16_t)reader_u16(reader);
	case OP_CONST1U + 4:
		return reader_u32(reader);
	case OP_CONST1U + 5:
		return (uint64_t)(int64_t)(int32_t)reader_u32(reader);
	case OP_CONST1U + 6:
	case OP_CONST8S:
		return reader_u64(reader);
	case OP_CONSTU:
		return reader_uleb128(reader);
	default:
		return (uint64_t)reader_sleb128(reader);
	}
}

static bool is_constant(unsigned op)
{
	return op >= OP_CONST1U && op <= OP_CONSTS;
}

static void run_stack_operation(struct postfix_machine *machine, unsigned op, struct reader *reader)
{
	if (op == OP_DUP)
		push_copy(machine, 0);
	else if (op == OP_DROP)
		drop(machine);
	else if (op == OP_OVER)
		push_copy(machine, 1);
	else if (op == OP_PICK)
		push_copy(machine, reader_u8(reader));
	else
		swap(machine, 0, 1);
	if (op == OP_ROT)
		swap(machine, 1, 2);
}

static void run_arithmetic(struct postfix_machine *machine, unsigned op)
{
	switch (op) {
	case OP_AND:
		mask(machine);
		break;
	case OP_MINUS:
		combine(machine, "-");
		break;
	case OP_MOD:
		combine(machine, "%");
		break;
	case OP_MUL:
		combine(machine, "*");
		break;
	case OP_NEG:
		negate(machine, 0);
		break;
	case OP_NOT:
		negate(machine, -1);
		break;
	case OP_PLUS:
		combine(machine, "+");
		break;
	case OP_SHL:
		shift(machine, "*");
		break;
	case OP_SHR:
		shift(machine, "/");
		break;
	case OP_GE:
	case OP_LT:
		compare(machine, take_constant(machine), op == OP_LT);
		break;
	case OP_GT:
	case OP_LE:
		compare(machine, take_constant(machine) + 1, op == OP_LE);
		break;
	default:
		machine->failed = true;
	}
}

static void run(struct postfix_machine *machine, unsigned op, struct reader *reader)
{
	uint64_t column;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push_constant(machine, op - OP_LIT0);
	} else if (is_constant(op)) {
		push_constant(machine, read_constant(reader, op));
	} else if (op >= OP_BREG0 && op <= OP_BREG31) {
		push_register(machine, op - OP_BREG0, reader_sleb128(reader));
	} else if (op == OP_BREGX) {
		column = reader_uleb128(reader);
		push_register(machine, column, reader_sleb128(reader));
	} else if (op >= OP_DUP && op <= OP_ROT) {
		run_stack_operation(machine, op, reader);
	} else if (op == OP_PLUS_UCONST) {
		combine_with(machine, reader_uleb128(reader), "+");
	} else if (op == OP_DEREF) {
		dereference(machine, machine->address_bytes);
	} else if (op == OP_DEREF_SIZE) {
		dereference(machine, reader_u8(reader));
	} else if (op == OP_CALL_FRAME_CFA) {
		add(machine, push(machine), ".cfa", 4);
	} else if (op != OP_NOP) {
		run_arithmetic(machine, op);
	}
}

size_t postfix_from_dwarf(struct reader expression, const struct cfi_registers *registers,
			  unsigned address_bytes, bool starts_with_cfa, char out[POSTFIX_BYTES])
{
	struct postfix_machine machine = { .registers = registers, .address_bytes = address_bytes };
	const struct postfix_value *result;

	machine.depth = 0;
	if (starts_with_cfa)
		add(&machine, push(&machine), ".cfa", 4);
	while (!machine.failed && !reader_at_end(&expression)) {
		machine.none.size = 0;
		run(&machine, reader_u8(&expression), &expression);
	}
	result = top(&machine, 0);
	if (machine.failed || expression.failed || result->size == 0)
		return 0;
	memcpy(out, result->text, result->size);
	return result->size;
}
