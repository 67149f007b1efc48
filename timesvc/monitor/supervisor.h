/* supervisor.h: when one child is started, stopped and started again. Pure: it is told what
 * happened and when, and answers with what to do. It knows no process and no clock.
 *
 * The first restart comes at once, the next after 0.1 s, doubling up to 10 s; 30 s of life make
 * it forgive. Five deaths within 60 s are a crash loop, which ends when a life has lasted 30 s.
 * A child that does not end within the stop timeout of its TERM (a stopped one cannot) is killed. */
#ifndef TIMESVC_SUPERVISOR_H
#define TIMESVC_SUPERVISOR_H

#include <stdint.h>
#include "nstime.h"

#define SUPERVISOR_BACKOFF_MIN_NS (100 * NS_PER_MS)
#define SUPERVISOR_BACKOFF_MAX_NS (10 * NS_PER_S)
#define SUPERVISOR_FORGIVE_NS (30 * NS_PER_S)
#define SUPERVISOR_LOOP_NS (60 * NS_PER_S)
#define SUPERVISOR_LOOP_DEATHS 5

enum supervisor_state {
	SUPERVISOR_STOPPED,	/* not running, and not to be started */
	SUPERVISOR_WAITING,	/* to be started at due_ns */
	SUPERVISOR_STARTING,	/* SPAWN was said, nothing heard yet */
	SUPERVISOR_UP,
	SUPERVISOR_STOPPING,	/* TERM was said; KILL at due_ns */
	SUPERVISOR_KILLED	/* KILL was said */
};

/* What to do, a mask. */
enum {
	SUPERVISOR_SPAWN = 1, SUPERVISOR_TERM = 2, SUPERVISOR_KILL = 4,
	SUPERVISOR_LOOP_ON = 8, SUPERVISOR_LOOP_OFF = 16
};

/* Why a running child is to be started anew: a fault counts as a death, a new configuration does not. */
enum supervisor_why { SUPERVISOR_FAULT, SUPERVISOR_PLANNED };

struct supervisor {
	enum supervisor_state state;
	int64_t due_ns;			/* of the state, INT64_MAX: never */
	int64_t up_ns;			/* since when it is UP */
	int64_t backoff_ns;		/* before the next restart */
	int64_t stop_timeout_ns;
	int64_t death_ns[SUPERVISOR_LOOP_DEATHS];	/* ring of the last ones */
	int deaths;			/* how many in all, never past the ring's size */
	int next_death;
	int pid;			/* 0: none */
	int last_status;		/* wait status of the last end, -1 not known */
	int crash_loop;
	int planned;			/* the end to come is no death */
	int stop;			/* do not start again */
};

void supervisor_init(struct supervisor *s, int64_t stop_timeout_ns);
/* All return the mask of what to do now. Times never go back. */
unsigned supervisor_start(struct supervisor *s);
unsigned supervisor_tick(struct supervisor *s, int64_t now_ns);
/* Answers SPAWN, or tells of a child that was found alive. */
unsigned supervisor_started(struct supervisor *s, int64_t now_ns, int pid);
/* The child ended, or (in STARTING) could not be started. */
unsigned supervisor_exited(struct supervisor *s, int64_t now_ns, int status);
unsigned supervisor_restart(struct supervisor *s, int64_t now_ns, enum supervisor_why why);
/* A restart that is waited for is due now. */
unsigned supervisor_hurry(struct supervisor *s);
/* For good: nothing is started until supervisor_start(). */
unsigned supervisor_stop(struct supervisor *s, int64_t now_ns);

/* When to tick next, INT64_MAX: no need. */
int64_t supervisor_deadline(const struct supervisor *s);

#endif
