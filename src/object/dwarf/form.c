/* form.c -- attribute forms: how long they are and what they mean (DWARF5 §7.5.6). */
#include "object/dwarf/internal.h"

#define FORM_GNU_FIRST 0x1f00u

struct form {
	uint8_t shape, bytes, meaning;
};

static const struct form forms[] = {
	[0x01] = { SHAPE_ADDRESS, 0, MEANS_ADDRESS },              /* addr */
	[0x03] = { SHAPE_BLOCK, 2, MEANS_NOTHING },                /* block2 */
	[0x04] = { SHAPE_BLOCK, 4, MEANS_NOTHING },                /* block4 */
	[0x05] = { SHAPE_FIXED, 2, MEANS_CONSTANT },               /* data2 */
	[0x06] = { SHAPE_FIXED, 4, MEANS_CONSTANT },               /* data4 */
	[0x07] = { SHAPE_FIXED, 8, MEANS_CONSTANT },               /* data8 */
	[0x08] = { SHAPE_STRING, 0, MEANS_STRING_HERE },           /* string */
	[0x09] = { SHAPE_BLOCK_LEB, 0, MEANS_NOTHING },            /* block */
	[0x0a] = { SHAPE_BLOCK, 1, MEANS_NOTHING },                /* block1 */
	[0x0b] = { SHAPE_FIXED, 1, MEANS_CONSTANT },               /* data1 */
	[0x0c] = { SHAPE_FIXED, 1, MEANS_CONSTANT },               /* flag */
	[0x0d] = { SHAPE_SLEB, 0, MEANS_CONSTANT },                /* sdata */
	[0x0e] = { SHAPE_OFFSET, 0, MEANS_STRING },                /* strp */
	[0x0f] = { SHAPE_ULEB, 0, MEANS_CONSTANT },                /* udata */
	[0x10] = { SHAPE_REF_ADDRESS, 0, MEANS_REFERENCE },        /* ref_addr */
	[0x11] = { SHAPE_FIXED, 1, MEANS_UNIT_REFERENCE },         /* ref1 */
	[0x12] = { SHAPE_FIXED, 2, MEANS_UNIT_REFERENCE },         /* ref2 */
	[0x13] = { SHAPE_FIXED, 4, MEANS_UNIT_REFERENCE },         /* ref4 */
	[0x14] = { SHAPE_FIXED, 8, MEANS_UNIT_REFERENCE },         /* ref8 */
	[0x15] = { SHAPE_ULEB, 0, MEANS_UNIT_REFERENCE },          /* ref_udata */
	[0x16] = { SHAPE_INDIRECT, 0, MEANS_NOTHING },             /* indirect */
	[0x17] = { SHAPE_OFFSET, 0, MEANS_OFFSET },                /* sec_offset */
	[0x18] = { SHAPE_BLOCK_LEB, 0, MEANS_NOTHING },            /* exprloc */
	[0x19] = { SHAPE_IMPLICIT, 0, MEANS_CONSTANT },            /* flag_present */
	[0x1a] = { SHAPE_ULEB, 0, MEANS_STRING_INDEX },            /* strx */
	[0x1b] = { SHAPE_ULEB, 0, MEANS_ADDRESS_INDEX },           /* addrx */
	[0x1c] = { SHAPE_FIXED, 4, MEANS_ALTERNATE_REFERENCE },    /* ref_sup4 */
	[0x1d] = { SHAPE_OFFSET, 0, MEANS_STRING_ALTERNATE },      /* strp_sup */
	[0x1e] = { SHAPE_FIXED, 16, MEANS_NOTHING },               /* data16 */
	[0x1f] = { SHAPE_OFFSET, 0, MEANS_LINE_STRING },           /* line_strp */
	[0x20] = { SHAPE_FIXED, 8, MEANS_NOTHING },                /* ref_sig8 */
	[0x21] = { SHAPE_IMPLICIT, 0, MEANS_CONSTANT },            /* implicit_const */
	[0x22] = { SHAPE_ULEB, 0, MEANS_NOTHING },                 /* loclistx */
	[0x23] = { SHAPE_ULEB, 0, MEANS_RANGES_INDEX },            /* rnglistx */
	[0x24] = { SHAPE_FIXED, 8, MEANS_ALTERNATE_REFERENCE },    /* ref_sup8 */
	[0x25] = { SHAPE_FIXED, 1, MEANS_STRING_INDEX },           /* strx1 */
	[0x26] = { SHAPE_FIXED, 2, MEANS_STRING_INDEX },           /* strx2 */
	[0x27] = { SHAPE_FIXED, 3, MEANS_STRING_INDEX },           /* strx3 */
	[0x28] = { SHAPE_FIXED, 4, MEANS_STRING_INDEX },           /* strx4 */
	[0x29] = { SHAPE_FIXED, 1, MEANS_ADDRESS_INDEX },          /* addrx1 */
	[0x2a] = { SHAPE_FIXED, 2, MEANS_ADDRESS_INDEX },          /* addrx2 */
	[0x2b] = { SHAPE_FIXED, 3, MEANS_ADDRESS_INDEX },          /* addrx3 */
	[0x2c] = { SHAPE_FIXED, 4, MEANS_ADDRESS_INDEX },          /* addrx4 */
};

static const struct form gnu_forms[] = {
	[0x01] = { SHAPE_ULEB, 0, MEANS_ADDRESS_INDEX },           /* GNU_addr_index */
	[0x02] = { SHAPE_ULEB, 0, MEANS_STRING_INDEX },            /* GNU_str_index */
	[0x20] = { SHAPE_OFFSET, 0, MEANS_ALTERNATE_REFERENCE },   /* GNU_ref_alt */
	[0x21] = { SHAPE_OFFSET, 0, MEANS_STRING_ALTERNATE },      /* GNU_strp_alt */
};

static const struct form *form_find(uint64_t form)
{
	if (form < sizeof(forms) / sizeof(*forms))
		return &forms[form];
	if (form - FORM_GNU_FIRST < sizeof(gnu_forms) / sizeof(*gnu_forms))
		return &gnu_forms[form - FORM_GNU_FIRST];
	return &forms[0];
}

bool form_step(uint64_t form, struct encoding encoding, struct step *step)
{
	const struct form *known = form_find(form);

	*step = (struct step){ .shape = known->shape, .meaning = known->meaning,
			       .attribute = AT_NONE, .bytes = known->bytes };
	switch (known->shape) {
	case SHAPE_ADDRESS:
		step->shape = SHAPE_FIXED;
		step->bytes = encoding.address_bytes;
		break;
	case SHAPE_OFFSET:
		step->shape = SHAPE_FIXED;
		step->bytes = encoding.offset_bytes;
		break;
	case SHAPE_REF_ADDRESS:          /* version 2 made it an address */
		step->shape = SHAPE_FIXED;
		step->bytes = encoding.version == 2 ? encoding.address_bytes
						    : encoding.offset_bytes;
		break;
	case SHAPE_IMPLICIT:
		step->constant = 1;      /* flag_present; the abbreviation says others */
		break;
	default:
		break;
	}
	return step->shape != SHAPE_BAD;
}

/* The form stands before the value.  Indirect to indirect or implicit makes no sense. */
static bool indirect_step(struct reader *reader, struct encoding encoding, struct step *step)
{
	uint64_t form = reader_uleb128(reader);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const ||
	    !form_step(form, encoding, step)) {
		reader->failed = true;
		return false;
	}
	return true;
}

static void skip_string(struct reader *reader)
{
	const uint8_t *at = reader->bytes + reader->pos;
	const uint8_t *end = reader->failed ? NULL : memchr(at, 0, reader_left(reader));

	if (end)
		reader->pos += (size_t)(end - at) + 1;
	else
		reader->failed = true;
}

static void skip_one(struct reader *reader, const struct step *step)
{
	switch (step->shape) {
	case SHAPE_FIXED:
		reader_skip(reader, step->bytes);
		break;
	case SHAPE_ULEB:
		(void)reader_uleb128(reader);
		break;
	case SHAPE_SLEB:
		(void)reader_sleb128(reader);
		break;
	case SHAPE_STRING:
		skip_string(reader);
		break;
	case SHAPE_BLOCK:
		reader_skip(reader, reader_unsigned(reader, step->bytes));
		break;
	case SHAPE_BLOCK_LEB:
		reader_skip(reader, reader_uleb128(reader));
		break;
	default:
		break;
	}
}

void steps_skip(struct reader *reader, const struct step *steps, size_t count,
		struct encoding encoding)
{
	for (size_t i = 0; i < count; i++) {
		struct step step = steps[i];

		if (step.shape == SHAPE_INDIRECT && !indirect_step(reader, encoding, &step))
			return;
		skip_one(reader, &step);
	}
}

static uint64_t read_fixed(struct reader *reader, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return reader_u8(reader);
	case 2:
		return reader_u16(reader);
	case 4:
		return reader_u32(reader);
	case 8:
		return reader_u64(reader);
	default:
		return reader_unsigned(reader, bytes);
	}
}

static uint64_t read_one(struct reader *reader, const struct step *step)
{
	uint64_t start = reader->pos;

	switch (step->shape) {
	case SHAPE_FIXED:
		return read_fixed(reader, step->bytes);
	case SHAPE_ULEB:
		return reader_uleb128(reader);
	case SHAPE_SLEB:
		return (uint64_t)reader_sleb128(reader);
	case SHAPE_IMPLICIT:
		return step->constant;
	default:
		skip_one(reader, step);
		return start;
	}
}

void steps_read(struct reader *reader, const struct step *steps, size_t count,
		struct encoding encoding, struct die *die)
{
	for (size_t i = 0; i < count; i++) {
		struct step step = steps[i];

		if (step.shape == SHAPE_INDIRECT) {
			if (!indirect_step(reader, encoding, &step))
				return;
			step.attribute = steps[i].attribute;
		}
		if (step.attribute == AT_NONE || step.meaning == MEANS_NOTHING) {
			skip_one(reader, &step);
			continue;
		}
		die->values[step.attribute].number = read_one(reader, &step);
		die->values[step.attribute].meaning = step.meaning;
		die->has |= 1u << step.attribute;
	}
}
