/* slot.h: the monitor's inside: one slot per process, and what they share. */
#ifndef TIMESVC_SLOT_H
#define TIMESVC_SLOT_H

#include "childlog.h"
#include "children.h"
#include "monitor.h"
#include "process.h"
#include "supervisor.h"
#include "../ipc.h"
#include "../loop.h"

enum slot_kind {
	SLOT_CHILD,	/* ptp4l, phc2sys, probe */
	SLOT_ENGINE, SLOT_FRONT,
	SLOT_ORPHAN	/* a child of an earlier configuration, on its way out */
};

#define SLOTS_MAX (2 + CHILDREN_MAX + 2 * CLOCKS_MAX + PROBES_MAX)

struct monitor;

struct slot {
	struct monitor *m;
	enum slot_kind kind;
	struct child_id id;	/* of SLOT_CHILD; of an orphan only its kind counts */
	char name[48];		/* "ptp4l NAME", "engine" */
	struct supervisor sup;
	struct process proc;
	struct loop_event *end;	/* its pidfd */
	struct childlog *log;
	uint32_t starts;
	int last_pid;		/* of the process that ended last */
};

struct monitor {
	const struct monitor_start *start;
	const struct host *host;
	struct settings settings;
	char *text;		/* the configuration in force */
	size_t len;
	struct loop *loop;
	struct loop_event *timer, *engine_event;
	struct loop_event *signals[4];
	int engine;		/* our end of the engine's socket, -1: none */
	int pair[2];		/* engine end and front end; kept so that either can be restarted */
	struct slot slots[SLOTS_MAX];
	int count;
	int stopping;
	int phc_error[CLOCKS_MAX];	/* of the last attempt to open its hardware clock */
};

/* slot.c: carries out what the supervisor says. */
struct slot *slot_add(struct monitor *m, enum slot_kind kind, struct child_id id, const char *name);
void slot_act(struct slot *s, unsigned todo);
void slot_found(struct slot *s, const struct process *p);	/* takes over a living process */
void slot_reap(struct slot *s);		/* if it has ended */
void slot_free(struct slot *s);

/* run.c: starts the process of a slot; the pid or -errno with a line in the log. */
int run_slot(struct slot *s);

/* requests.c: the engine's socket. */
int requests_open(struct monitor *m, int *engine_end);
void requests_close(struct monitor *m);
void requests_notice(struct monitor *m, struct ipc_notice *n, int fd);
void requests_child(const struct slot *s, enum ipc_notice_kind kind);
/* All that a new engine must know of the children. */
void requests_introduce(struct monitor *m);

/* adopt.c: children of an earlier daemon; the record of the present ones. */
void adopt_children(struct monitor *m);
void adopt_record(struct monitor *m);

/* reload.c */
void reload(struct monitor *m);
/* 1 when the running child is not what the settings now ask for. */
int reload_differs(const struct monitor *m, const struct settings *a, const struct settings *b,
	struct child_id id);

/* monitor.c */
void monitor_arm(struct monitor *m);		/* the timer, for the next deadline of any slot */
void monitor_ended(struct monitor *m);		/* a process ended: may the daemon end now? */

#endif
