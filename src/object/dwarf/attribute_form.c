/* attribute_form.c -- attribute forms: how long they are and what they mean (DWARF5 §7.5.6). */
#include "object/dwarf/dwarf_internal.h"

#define FORM_GNU_FIRST 0x1f00u

struct attribute_form {
	uint8_t shape, bytes, meaning;
};

static const struct attribute_form forms[] = {
	[0x01] = { FORM_ENCODING_ADDRESS, 0, FORM_CLASS_ADDRESS },              /* addr */
	[0x03] = { FORM_ENCODING_BLOCK, 2, FORM_CLASS_NOTHING },                /* block2 */
	[0x04] = { FORM_ENCODING_BLOCK, 4, FORM_CLASS_NOTHING },                /* block4 */
	[0x05] = { FORM_ENCODING_FIXED, 2, FORM_CLASS_CONSTANT },               /* data2 */
	[0x06] = { FORM_ENCODING_FIXED, 4, FORM_CLASS_CONSTANT },               /* data4 */
	[0x07] = { FORM_ENCODING_FIXED, 8, FORM_CLASS_CONSTANT },               /* data8 */
	[0x08] = { FORM_ENCODING_STRING, 0, FORM_CLASS_STRING_HERE },           /* string */
	[0x09] = { FORM_ENCODING_BLOCK_LEB, 0, FORM_CLASS_NOTHING },            /* block */
	[0x0a] = { FORM_ENCODING_BLOCK, 1, FORM_CLASS_NOTHING },                /* block1 */
	[0x0b] = { FORM_ENCODING_FIXED, 1, FORM_CLASS_CONSTANT },               /* data1 */
	[0x0c] = { FORM_ENCODING_FIXED, 1, FORM_CLASS_CONSTANT },               /* flag */
	[0x0d] = { FORM_ENCODING_SLEB, 0, FORM_CLASS_CONSTANT },                /* sdata */
	[0x0e] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_STRING },                /* strp */
	[0x0f] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_CONSTANT },                /* udata */
	[0x10] = { FORM_ENCODING_REF_ADDRESS, 0, FORM_CLASS_REFERENCE },        /* ref_addr */
	[0x11] = { FORM_ENCODING_FIXED, 1, FORM_CLASS_UNIT_REFERENCE },         /* ref1 */
	[0x12] = { FORM_ENCODING_FIXED, 2, FORM_CLASS_UNIT_REFERENCE },         /* ref2 */
	[0x13] = { FORM_ENCODING_FIXED, 4, FORM_CLASS_UNIT_REFERENCE },         /* ref4 */
	[0x14] = { FORM_ENCODING_FIXED, 8, FORM_CLASS_UNIT_REFERENCE },         /* ref8 */
	[0x15] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_UNIT_REFERENCE },          /* ref_udata */
	[0x16] = { FORM_ENCODING_INDIRECT, 0, FORM_CLASS_NOTHING },             /* indirect */
	[0x17] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_OFFSET },                /* sec_offset */
	[0x18] = { FORM_ENCODING_BLOCK_LEB, 0, FORM_CLASS_NOTHING },            /* exprloc */
	[0x19] = { FORM_ENCODING_IMPLICIT, 0, FORM_CLASS_CONSTANT },            /* flag_present */
	[0x1a] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_STRING_INDEX },            /* strx */
	[0x1b] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_ADDRESS_INDEX },           /* addrx */
	[0x1c] = { FORM_ENCODING_FIXED, 4, FORM_CLASS_ALTERNATE_REFERENCE },    /* ref_sup4 */
	[0x1d] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_STRING_ALTERNATE },      /* strp_sup */
	[0x1e] = { FORM_ENCODING_FIXED, 16, FORM_CLASS_NOTHING },               /* data16 */
	[0x1f] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_LINE_STRING },           /* line_strp */
	[0x20] = { FORM_ENCODING_FIXED, 8, FORM_CLASS_NOTHING },                /* ref_sig8 */
	[0x21] = { FORM_ENCODING_IMPLICIT, 0, FORM_CLASS_CONSTANT },            /* implicit_const */
	[0x22] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_NOTHING },                 /* loclistx */
	[0x23] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_RANGES_INDEX },            /* rnglistx */
	[0x24] = { FORM_ENCODING_FIXED, 8, FORM_CLASS_ALTERNATE_REFERENCE },    /* ref_sup8 */
	[0x25] = { FORM_ENCODING_FIXED, 1, FORM_CLASS_STRING_INDEX },           /* strx1 */
	[0x26] = { FORM_ENCODING_FIXED, 2, FORM_CLASS_STRING_INDEX },           /* strx2 */
	[0x27] = { FORM_ENCODING_FIXED, 3, FORM_CLASS_STRING_INDEX },           /* strx3 */
	[0x28] = { FORM_ENCODING_FIXED, 4, FORM_CLASS_STRING_INDEX },           /* strx4 */
	[0x29] = { FORM_ENCODING_FIXED, 1, FORM_CLASS_ADDRESS_INDEX },          /* addrx1 */
	[0x2a] = { FORM_ENCODING_FIXED, 2, FORM_CLASS_ADDRESS_INDEX },          /* addrx2 */
	[0x2b] = { FORM_ENCODING_FIXED, 3, FORM_CLASS_ADDRESS_INDEX },          /* addrx3 */
	[0x2c] = { FORM_ENCODING_FIXED, 4, FORM_CLASS_ADDRESS_INDEX },          /* addrx4 */
};

static const struct attribute_form gnu_forms[] = {
	[0x01] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_ADDRESS_INDEX },           /* GNU_addr_index */
	[0x02] = { FORM_ENCODING_ULEB, 0, FORM_CLASS_STRING_INDEX },            /* GNU_str_index */
	[0x20] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_ALTERNATE_REFERENCE },   /* GNU_ref_alt */
	[0x21] = { FORM_ENCODING_OFFSET, 0, FORM_CLASS_STRING_ALTERNATE },      /* GNU_strp_alt */
};

static const struct attribute_form *form_find(uint64_t form)
{
	if (form < sizeof(forms) / sizeof(*forms))
		return &forms[form];
	if (form - FORM_GNU_FIRST < sizeof(gnu_forms) / sizeof(*gnu_forms))
		return &gnu_forms[form - FORM_GNU_FIRST];
	return &forms[0];
}

bool attr_spec_of_form(uint64_t form, struct encoding encoding, struct attr_spec *spec)
{
	const struct attribute_form *known = form_find(form);

	*spec = (struct attr_spec){ .shape = known->shape, .meaning = known->meaning,
			       .attribute = AT_NONE, .bytes = known->bytes };
	switch (known->shape) {
	case FORM_ENCODING_ADDRESS:
		spec->shape = FORM_ENCODING_FIXED;
		spec->bytes = encoding.address_bytes;
		break;
	case FORM_ENCODING_OFFSET:
		spec->shape = FORM_ENCODING_FIXED;
		spec->bytes = encoding.offset_bytes;
		break;
	case FORM_ENCODING_REF_ADDRESS:          /* version 2 made it an address */
		spec->shape = FORM_ENCODING_FIXED;
		spec->bytes = encoding.version == 2 ? encoding.address_bytes
						    : encoding.offset_bytes;
		break;
	case FORM_ENCODING_IMPLICIT:
		spec->constant = 1;      /* flag_present; the abbreviation says others */
		break;
	default:
		break;
	}
	return spec->shape != FORM_ENCODING_BAD;
}

/* The form stands before the value.  Indirect to indirect or implicit makes no sense. */
static bool indirect_attr_spec(struct reader *reader, struct encoding encoding, struct attr_spec *spec)
{
	uint64_t form = reader_uleb128(reader);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const ||
	    !attr_spec_of_form(form, encoding, spec)) {
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

static void skip_one(struct reader *reader, const struct attr_spec *spec)
{
	switch (spec->shape) {
	case FORM_ENCODING_FIXED:
		reader_skip(reader, spec->bytes);
		break;
	case FORM_ENCODING_ULEB:
		(void)reader_uleb128(reader);
		break;
	case FORM_ENCODING_SLEB:
		(void)reader_sleb128(reader);
		break;
	case FORM_ENCODING_STRING:
		skip_string(reader);
		break;
	case FORM_ENCODING_BLOCK:
		reader_skip(reader, reader_unsigned(reader, spec->bytes));
		break;
	case FORM_ENCODING_BLOCK_LEB:
		reader_skip(reader, reader_uleb128(reader));
		break;
	default:
		break;
	}
}

void attr_spec_skip_all(struct reader *reader, const struct attr_spec *specs, size_t count,
		struct encoding encoding)
{
	for (size_t i = 0; i < count; i++) {
		struct attr_spec spec = specs[i];

		if (spec.shape == FORM_ENCODING_INDIRECT && !indirect_attr_spec(reader, encoding, &spec))
			return;
		skip_one(reader, &spec);
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

static uint64_t read_one(struct reader *reader, const struct attr_spec *spec)
{
	uint64_t start = reader->pos;

	switch (spec->shape) {
	case FORM_ENCODING_FIXED:
		return read_fixed(reader, spec->bytes);
	case FORM_ENCODING_ULEB:
		return reader_uleb128(reader);
	case FORM_ENCODING_SLEB:
		return (uint64_t)reader_sleb128(reader);
	case FORM_ENCODING_IMPLICIT:
		return spec->constant;
	default:
		skip_one(reader, spec);
		return start;
	}
}

void attr_spec_read_all(struct reader *reader, const struct attr_spec *specs, size_t count,
		struct encoding encoding, struct die *die)
{
	for (size_t i = 0; i < count; i++) {
		struct attr_spec spec = specs[i];

		if (spec.shape == FORM_ENCODING_INDIRECT) {
			if (!indirect_attr_spec(reader, encoding, &spec))
				return;
			spec.attribute = specs[i].attribute;
		}
		if (spec.attribute == AT_NONE || spec.meaning == FORM_CLASS_NOTHING) {
			skip_one(reader, &spec);
			continue;
		}
		die->values[spec.attribute].number = read_one(reader, &spec);
		die->values[spec.attribute].meaning = spec.meaning;
		die->has |= 1u << spec.attribute;
	}
}
