/* answers.c -- see answers.h. */
#include "kinds/native/answers.h"

#include "kinds/kinds.h"
#include "support/support.h"

int answer_with(struct answered *out, struct fake_resolver *fake, const char *body,
		struct text scope)
{
	struct work work;
	enum stepped stepped = STEP_ERROR;
	int result = -1;

	buf_init(&out->reply, 1 << 20);
	out->steps = 0;
	out->err = (struct err)ERR_INIT;
	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, scope, &out->err) < 0)
		return -1;
	if (fake_parse(&work, text_of(body), &out->err) < 0)
		goto done;
	do {
		stepped = work.kind->step(&work, &fake->resolver, &out->err);
		out->steps++;
	} while (stepped == STEP_WAIT && out->steps < 100);
	if (stepped == STEP_DONE)
		result = work.kind->answer(&work, &out->reply, &out->err);
done:
	work_release(&work);
	return result;
}

void expect_answer(struct fake_resolver *fake, const char *body, const char *reply)
{
	struct answered answered;

	ck_assert_msg(answer_with(&answered, fake, body, TEXT_NONE) == 0, "%s",
		      answered.err.text);
	ck_assert_str_eq(buf_string(&answered.reply), reply);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&answered.reply);
}

struct buf made;

struct text made_symcache(uint32_t arch)
{
	buf_init(&made, 1 << 20);
	fake_symcache(&made, arch);
	return buf_text(&made);
}

void forget_made(void)
{
	buf_release(&made);
}
