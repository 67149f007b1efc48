#include "slot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include "log.h"
#include "nstime.h"

#define STATUS_NOT_RUN (127 << 8)

struct slot *slot_add(struct monitor *m, enum slot_kind kind, struct child_id id, const char *name)
{
	struct slot *s;

	if (m->count == SLOTS_MAX)
		return NULL;
	s = &m->slots[m->count++];
	s->m = m;
	s->kind = kind;
	s->id = id;
	s->proc.pidfd = -1;
	snprintf(s->name, sizeof(s->name), "%s", name);
	supervisor_init(&s->sup, m->settings.stop_timeout_ns);
	return s;
}

static void on_end(void *arg, int fd)
{
	(void)fd;
	slot_reap(arg);
}

static void watch(struct slot *s)
{
	if (s->proc.pidfd >= 0)
		s->end = loop_read(s->m->loop, s->proc.pidfd, on_end, s);
}

static void forget(struct slot *s)
{
	loop_event_free(s->end);
	s->end = NULL;
	s->last_pid = s->proc.pid;
	process_close(&s->proc);
}

void slot_free(struct slot *s)
{
	forget(s);
	childlog_close(s->log);
	s->log = NULL;
}

void slot_found(struct slot *s, const struct process *p)
{
	s->proc = *p;
	watch(s);
	slot_act(s, supervisor_started(&s->sup, nstime_mono(), p->pid));
	requests_child(s, IPC_CHILD_STARTED);
}

/* The notice goes before that of the restart, which may be at once. */
static void ended(struct slot *s, int status)
{
	unsigned todo = supervisor_exited(&s->sup, nstime_mono(), status);

	requests_child(s, IPC_CHILD_EXITED);
	slot_act(s, todo);
}

static void start(struct slot *s)
{
	int pid = run_slot(s), status = STATUS_NOT_RUN;

	if (pid > 0 && process_open(&s->proc, pid)) {
		waitpid(pid, &status, 0);	/* it has ended already */
		pid = 0;
	}
	if (pid <= 0) {
		ended(s, status);
		return;
	}
	s->starts++;
	watch(s);
	log_info("%s: started, pid %d", s->name, pid);
	slot_act(s, supervisor_started(&s->sup, nstime_mono(), pid));
	requests_child(s, IPC_CHILD_STARTED);
	adopt_record(s->m);
}

/* The engine is asked, so that it can leave the page in order; its socket's end means the same. */
static void terminate(struct slot *s)
{
	struct ipc_notice stop = { .kind = IPC_STOP };

	if (s->kind == SLOT_ENGINE && s->m->engine >= 0)
		requests_notice(s->m, &stop, -1);
	else
		process_signal(&s->proc, SIGTERM);
}

static void tell_crash_loop(struct slot *s)
{
	if (s->sup.crash_loop)
		log_error("%s: keeps dying: %d times within a minute", s->name, SUPERVISOR_LOOP_DEATHS);
	else
		log_info("%s: has stopped dying", s->name);
	requests_child(s, IPC_CHILD_CRASH_LOOP);
}

void slot_act(struct slot *s, unsigned todo)
{
	if (todo & SUPERVISOR_TERM)
		terminate(s);
	if (todo & SUPERVISOR_KILL) {
		log_warn("%s: did not stop in time and is killed", s->name);
		process_signal(&s->proc, SIGKILL);
	}
	if (todo & (SUPERVISOR_LOOP_ON | SUPERVISOR_LOOP_OFF))
		tell_crash_loop(s);
	if (todo & SUPERVISOR_SPAWN)
		start(s);
	monitor_arm(s->m);
}

static void log_end(const struct slot *s, int status)
{
	if (s->sup.stop || s->sup.planned)
		log_info("%s: stopped", s->name);
	else if (status == -1)
		log_warn("%s: ended", s->name);
	else if (WIFSIGNALED(status))
		log_warn("%s: ended by signal %d", s->name, WTERMSIG(status));
	else
		log_warn("%s: ended with exit status %d", s->name, WEXITSTATUS(status));
}

void slot_reap(struct slot *s)
{
	int status;

	if (!s->proc.pid || process_alive(&s->proc, &status))
		return;
	log_end(s, status);
	forget(s);
	if (s->kind == SLOT_ENGINE)
		requests_close(s->m);
	ended(s, status);
	adopt_record(s->m);
	monitor_ended(s->m);
}
