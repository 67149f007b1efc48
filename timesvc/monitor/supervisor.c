#include "supervisor.h"

#include <string.h>

void supervisor_init(struct supervisor *s, int64_t stop_timeout_ns)
{
	memset(s, 0, sizeof(*s));
	s->stop_timeout_ns = stop_timeout_ns;
	s->due_ns = INT64_MAX;
}

static void enter(struct supervisor *s, enum supervisor_state state, int64_t due_ns)
{
	s->state = state;
	s->due_ns = due_ns;
}

static unsigned spawn(struct supervisor *s)
{
	enter(s, SUPERVISOR_STARTING, INT64_MAX);
	return SUPERVISOR_SPAWN;
}

/* A long life: the past is forgotten. */
static unsigned forgive(struct supervisor *s)
{
	unsigned out = s->crash_loop ? SUPERVISOR_LOOP_OFF : 0;

	s->crash_loop = 0;
	s->backoff_ns = 0;
	s->deaths = 0;
	s->due_ns = INT64_MAX;
	return out;
}

unsigned supervisor_start(struct supervisor *s)
{
	s->stop = 0;
	if (s->state != SUPERVISOR_STOPPED)
		return 0;
	return spawn(s);
}

unsigned supervisor_tick(struct supervisor *s, int64_t now_ns)
{
	if (now_ns < s->due_ns)
		return 0;
	switch (s->state) {
	case SUPERVISOR_WAITING:
		return spawn(s);
	case SUPERVISOR_UP:
		return forgive(s);
	case SUPERVISOR_STOPPING:
		enter(s, SUPERVISOR_KILLED, INT64_MAX);
		return SUPERVISOR_KILL;
	default:
		return 0;
	}
}

static unsigned terminate(struct supervisor *s, int64_t now_ns)
{
	enter(s, SUPERVISOR_STOPPING, nstime_add(now_ns, s->stop_timeout_ns));
	return SUPERVISOR_TERM;
}

unsigned supervisor_started(struct supervisor *s, int64_t now_ns, int pid)
{
	s->pid = pid;
	s->up_ns = now_ns;
	enter(s, SUPERVISOR_UP, nstime_add(now_ns, SUPERVISOR_FORGIVE_NS));
	return s->stop ? terminate(s, now_ns) : 0;
}

static unsigned count_death(struct supervisor *s, int64_t now_ns)
{
	s->death_ns[s->next_death] = now_ns;
	s->next_death = (s->next_death + 1) % SUPERVISOR_LOOP_DEATHS;
	if (s->deaths < SUPERVISOR_LOOP_DEATHS)
		s->deaths++;
	if (s->crash_loop || s->deaths < SUPERVISOR_LOOP_DEATHS)
		return 0;
	/* A full ring: its next slot holds the oldest. */
	if (now_ns - s->death_ns[s->next_death] > SUPERVISOR_LOOP_NS)
		return 0;
	s->crash_loop = 1;
	return SUPERVISOR_LOOP_ON;
}

/* The delay before the restart that is due now; the next one will wait longer. */
static int64_t take_backoff(struct supervisor *s)
{
	int64_t delay = s->backoff_ns;

	s->backoff_ns = delay ? 2 * delay : SUPERVISOR_BACKOFF_MIN_NS;
	if (s->backoff_ns > SUPERVISOR_BACKOFF_MAX_NS)
		s->backoff_ns = SUPERVISOR_BACKOFF_MAX_NS;
	return delay;
}

static unsigned wait_or_spawn(struct supervisor *s, int64_t now_ns, int64_t delay_ns)
{
	if (!delay_ns)
		return spawn(s);
	enter(s, SUPERVISOR_WAITING, nstime_add(now_ns, delay_ns));
	return 0;
}

unsigned supervisor_exited(struct supervisor *s, int64_t now_ns, int status)
{
	unsigned out = 0;
	int64_t delay;

	if (s->state == SUPERVISOR_STOPPED || s->state == SUPERVISOR_WAITING)
		return 0;
	if (s->pid && now_ns - s->up_ns >= SUPERVISOR_FORGIVE_NS)
		out |= forgive(s);
	s->pid = 0;
	s->last_status = status;
	if (s->stop) {
		s->planned = 0;
		enter(s, SUPERVISOR_STOPPED, INT64_MAX);
		return out;
	}
	if (s->planned) {
		s->planned = 0;
		return out | spawn(s);
	}
	out |= count_death(s, now_ns);
	delay = take_backoff(s);
	return out | wait_or_spawn(s, now_ns, delay);
}

unsigned supervisor_restart(struct supervisor *s, int64_t now_ns, enum supervisor_why why)
{
	if (s->state != SUPERVISOR_UP)
		return 0;
	s->planned = why == SUPERVISOR_PLANNED;
	return terminate(s, now_ns);
}

unsigned supervisor_hurry(struct supervisor *s)
{
	return s->state == SUPERVISOR_WAITING ? spawn(s) : 0;
}

unsigned supervisor_stop(struct supervisor *s, int64_t now_ns)
{
	s->stop = 1;
	if (s->state == SUPERVISOR_UP)
		return terminate(s, now_ns);
	if (s->state == SUPERVISOR_WAITING)
		enter(s, SUPERVISOR_STOPPED, INT64_MAX);
	return 0;
}

int64_t supervisor_deadline(const struct supervisor *s)
{
	return s->due_ns;
}
