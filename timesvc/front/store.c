#include "store.h"

#include <errno.h>
#include <string.h>
#include "nstime.h"

void store_init(struct store *s, int64_t now_mono_ns)
{
	memset(s, 0, sizeof(*s));
	s->taken_mono_ns = now_mono_ns;
}

static int terminated(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

static int plausible(const struct snapshot *n)
{
	if (n->version != SNAPSHOT_VERSION || n->clocks > CLOCKS_MAX || n->probes > PROBES_MAX ||
	    n->events > SNAPSHOT_EVENTS)
		return 0;
	for (uint32_t i = 0; i < n->clocks; i++)
		if (!terminated(n->clock[i].name, NAME_SIZE) ||
		    !terminated(n->clock[i].interface, sizeof(n->clock[i].interface)))
			return 0;
	for (uint32_t i = 0; i < n->events; i++)
		if (n->event[i].clock >= n->clocks)
			return 0;
	return 1;
}

static void take_event(struct store *s, const struct trust_event *ev)
{
	if (ev->number <= s->events_last)
		return;
	s->events_lost += ev->number - s->events_last - 1;
	s->events_last = ev->number;
	s->event[(s->first + s->count) % STORE_EVENTS] = *ev;
	if (s->count < STORE_EVENTS)
		s->count++;
	else
		s->first = (s->first + 1) % STORE_EVENTS;
}

int store_take(struct store *s, const void *msg, size_t len, int64_t now_mono_ns)
{
	struct snapshot next;

	if (len != sizeof(next))
		return -EPROTO;
	memcpy(&next, msg, sizeof(next));
	if (!plausible(&next))
		return -EPROTO;
	if (s->have && next.started_wall_ns != s->last.started_wall_ns)
		store_init(s, now_mono_ns);
	if (s->have && next.number > s->last.number)
		s->snapshots_lost += next.number - s->last.number - 1;
	s->last = next;
	s->have = 1;
	s->taken_mono_ns = now_mono_ns;
	for (uint32_t i = 0; i < next.events; i++)
		take_event(s, &next.event[i]);
	return 0;
}

const struct trust_event *store_event(const struct store *s, size_t i)
{
	return &s->event[(s->first + i) % STORE_EVENTS];
}

int64_t store_age_ns(const struct store *s, int64_t now_mono_ns, int64_t now_wall_ns)
{
	int64_t age = nstime_sub(now_mono_ns, s->taken_mono_ns), judged = INT64_MIN;

	for (uint32_t i = 0; s->have && i < s->last.clocks; i++)
		if (s->last.clock[i].wall_ns > judged)
			judged = s->last.clock[i].wall_ns;
	if (judged > 0 && nstime_sub(now_wall_ns, judged) > age)
		age = nstime_sub(now_wall_ns, judged);
	return age;
}
