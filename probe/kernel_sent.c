#include "kernel_sent.h"

#include <errno.h>
#include <string.h>

static struct kernel_sent_slot *slot_of(struct kernel_sent *s, uint32_t id)
{
	return &s->slot[id % KERNEL_SENT_SLOTS];
}

void kernel_sent_init(struct kernel_sent *s, int limit, uint64_t *lost)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit;
	s->lost = lost;
}

int kernel_sent_room(struct kernel_sent *s)
{
	if (!s->limit || s->waiting < s->limit)
		return 1;
	s->lost[STAMP_LOSS_no_slot]++;
	return 0;
}

void kernel_sent_settle(struct kernel_sent *s, struct kernel_sent_slot *slot, const struct stamp *stamp,
	enum stamp_loss loss)
{
	s->waiting--;
	if (stamp) {
		slot->state = SENT_STAMPED;
		slot->stamp = *stamp;
		return;
	}
	slot->state = SENT_LOST;
	s->lost[loss]++;
}

uint32_t kernel_sent_add(struct kernel_sent *s, uint64_t tick)
{
	uint32_t id = s->next++;
	struct kernel_sent_slot *slot = slot_of(s, id);

	if (slot->state == SENT_WAITING)
		kernel_sent_settle(s, slot, NULL, STAMP_LOSS_timeout);
	*slot = (struct kernel_sent_slot){ .id = id, .state = SENT_WAITING, .tick = tick };
	if (s->next - s->oldest > KERNEL_SENT_SLOTS)
		s->oldest = s->next - KERNEL_SENT_SLOTS;
	s->waiting++;
	return id;
}

struct kernel_sent_slot *kernel_sent_find(struct kernel_sent *s, uint32_t kernel_id)
{
	uint32_t id = s->base + kernel_id;
	struct kernel_sent_slot *slot = slot_of(s, id);

	return slot->state == SENT_WAITING && slot->id == id ? slot : NULL;
}

void kernel_sent_expire(struct kernel_sent *s, uint64_t before)
{
	for (; s->oldest != s->next; s->oldest++) {
		struct kernel_sent_slot *slot = slot_of(s, s->oldest);

		if (slot->state != SENT_WAITING)
			continue;
		if ((int64_t)(slot->tick - before) >= 0)
			return;
		kernel_sent_settle(s, slot, NULL, STAMP_LOSS_timeout);
	}
}

void kernel_sent_restart(struct kernel_sent *s)
{
	for (int i = 0; i < KERNEL_SENT_SLOTS; i++)
		if (s->slot[i].state == SENT_WAITING)
			kernel_sent_settle(s, &s->slot[i], NULL, STAMP_LOSS_restart);
	s->base = s->oldest = s->next;
}

int kernel_sent_take(struct kernel_sent *s, uint32_t id, struct stamp *out)
{
	struct kernel_sent_slot *slot = slot_of(s, id);

	if (slot->id != id)
		return -ENODATA;
	if (slot->state == SENT_WAITING)
		return -EAGAIN;
	if (slot->state != SENT_STAMPED)
		return -ENODATA;
	*out = slot->stamp;
	slot->state = SENT_NONE;
	return 0;
}
