#include "tx_slot.h"

#include <errno.h>

static void expire(struct tx_slot *s, int64_t now_ns)
{
	if (!s->busy || now_ns - s->since_ns < TX_SLOT_WAIT_NS)
		return;
	s->busy = 0;
	s->stale = 1;
}

int tx_slot_take(struct tx_slot *s, int64_t now_ns, uint32_t *id)
{
	expire(s, now_ns);
	if (s->busy)
		return -EBUSY;
	s->busy = 1;
	s->since_ns = now_ns;
	*id = ++s->id;
	return 0;
}

void tx_slot_undo(struct tx_slot *s)
{
	s->busy = 0;
}

int tx_slot_wanted(const struct tx_slot *s, uint32_t id)
{
	return s->busy && s->id == id ? 0 : -ENODATA;
}

int tx_slot_looked(struct tx_slot *s, int there, int64_t now_ns)
{
	if (there) {
		s->busy = s->stale = 0;
		return 0;
	}
	expire(s, now_ns);
	return s->busy ? -EAGAIN : -ENODATA;
}
