#include "flight.h"

#include <stddef.h>
#include <string.h>

#define MASK (FLIGHT_SLOTS - 1)

static int is_over(const struct flight_probe *p)
{
	return p->state != FLIGHT_SENT && p->state != FLIGHT_REPLIED;
}

int flight_full(const struct flight *f)
{
	return f->next - f->oldest == FLIGHT_SLOTS;
}

struct flight_probe *flight_take(struct flight *f)
{
	struct flight_probe *p = &f->probe[f->next & MASK];

	memset(p, 0, sizeof(*p));
	p->seq = f->next++;
	return p;
}

void flight_set(struct flight *f, struct flight_probe *p, enum flight_state state)
{
	f->unanswered -= p->state == FLIGHT_SENT;
	f->open -= p->measured && !is_over(p);
	p->state = state;
	f->unanswered += p->state == FLIGHT_SENT;
	f->open += p->measured && !is_over(p);
}

enum flight_match flight_match(struct flight *f, uint32_t wire_seq, struct flight_probe **p)
{
	uint32_t ago = (uint32_t)f->next - wire_seq;
	struct flight_probe *found = &f->probe[wire_seq & MASK];
	int in_order;

	if (ago == 0 || ago > f->next)
		return FLIGHT_STRANGE;
	if (ago > FLIGHT_SLOTS || found->state == FLIGHT_LOST)
		return FLIGHT_LATE;
	if (found->state == FLIGHT_UNSENT)
		return FLIGHT_STRANGE;
	if (found->state != FLIGHT_SENT)
		return FLIGHT_DUPLICATE;
	in_order = found->seq >= f->newest_reply;
	if (in_order)
		f->newest_reply = found->seq + 1;
	*p = found;
	return in_order ? FLIGHT_FIRST : FLIGHT_REORDERED;
}

void flight_await(struct flight *f, struct flight_probe *p, uint32_t reply_seq)
{
	p->reply_seq = reply_seq;
	f->by_reply[reply_seq & MASK] = p->seq;
}

struct flight_probe *flight_followed(struct flight *f, uint32_t reply_seq)
{
	uint64_t seq = f->by_reply[reply_seq & MASK];
	struct flight_probe *p = &f->probe[seq & MASK];

	if (p->state != FLIGHT_REPLIED || p->seq != seq || p->reply_seq != reply_seq)
		return NULL;
	return p;
}

struct flight_probe *flight_oldest(struct flight *f)
{
	while (f->oldest != f->next && is_over(&f->probe[f->oldest & MASK]))
		f->oldest++;
	return f->oldest == f->next ? NULL : &f->probe[f->oldest & MASK];
}

struct flight_probe *flight_at(struct flight *f, uint64_t seq)
{
	struct flight_probe *p = &f->probe[seq & MASK];

	return seq < f->next && p->seq == seq ? p : NULL;
}

int flight_newest_open(const struct flight *f)
{
	return f->next && f->probe[(f->next - 1) & MASK].state == FLIGHT_SENT;
}
