#define _GNU_SOURCE 1	/* SOCK_CLOEXEC */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "confgen.h"
#include "log.h"
#include "notify.h"
#include "nstime.h"
#include "rundir.h"
#include "slot.h"
#include "../page.h"

/* For processes without a pidfd that are no children of ours: nobody tells when they end. */
#define LOOK_NS NS_PER_S

void monitor_arm(struct monitor *m)
{
	int64_t now = nstime_mono(), next = INT64_MAX;

	for (int i = 0; i < m->count; i++) {
		int64_t due = supervisor_deadline(&m->slots[i].sup);

		if (m->slots[i].proc.pid && m->slots[i].proc.pidfd < 0 && due > now + LOOK_NS)
			due = now + LOOK_NS;
		if (due < next)
			next = due;
	}
	if (next == INT64_MAX)
		loop_disarm(m->timer);
	else
		loop_arm(m->timer, next - now);
}

static void reap_all(struct monitor *m)
{
	for (int i = 0; i < m->count; i++)
		slot_reap(&m->slots[i]);
}

static void on_timer(void *arg)
{
	struct monitor *m = arg;

	reap_all(m);
	for (int i = 0; i < m->count; i++)
		slot_act(&m->slots[i], supervisor_tick(&m->slots[i].sup, nstime_mono()));
}

/* Children live on unless the settings say otherwise; the front shows the engine's end. */
static int must_stop(const struct monitor *m, const struct slot *s)
{
	if (s->kind == SLOT_CHILD)
		return s->id.kind == CHILD_PROBE || m->settings.stop_children;
	return s->kind != SLOT_FRONT;
}

static void stop(struct monitor *m)
{
	if (m->stopping)
		return;
	m->stopping = 1;
	log_info("stopping");
	notify_send("STOPPING=1");
	for (int i = 0; i < m->count; i++)
		if (must_stop(m, &m->slots[i]))
			slot_act(&m->slots[i], supervisor_stop(&m->slots[i].sup, nstime_mono()));
	monitor_ended(m);
}

void monitor_ended(struct monitor *m)
{
	struct slot *front = NULL;

	if (!m->stopping)
		return;
	for (int i = 0; i < m->count; i++) {
		struct slot *s = &m->slots[i];

		if (s->kind == SLOT_FRONT)
			front = s;
		else if (must_stop(m, s) && s->sup.state != SUPERVISOR_STOPPED)
			return;
	}
	if (front && !front->sup.stop)
		slot_act(front, supervisor_stop(&front->sup, nstime_mono()));
	if (!front || front->sup.state == SUPERVISOR_STOPPED)
		loop_stop(m->loop);
}

static void on_signal(void *arg, int signo)
{
	struct monitor *m = arg;

	if (signo == SIGCHLD)
		reap_all(m);
	else if (signo == SIGHUP)
		reload(m);
	else
		stop(m);
}

static int open_loop(struct monitor *m)
{
	static const int signals[] = { SIGCHLD, SIGHUP, SIGINT, SIGTERM };

	m->loop = loop_new();
	if (!m->loop)
		return -ENOMEM;
	m->timer = loop_timer(m->loop, on_timer, m);
	for (int i = 0; i < 4; i++) {
		m->signals[i] = loop_signal(m->loop, signals[i], on_signal, m);
		if (!m->signals[i])
			return -ENOMEM;
	}
	return m->timer ? 0 : -ENOMEM;
}

static int add_children(struct monitor *m, enum child_kind kind, int count)
{
	char name[48];

	for (int i = 0; i < count; i++) {
		struct child_id id = { .kind = (uint16_t)kind, .index = (uint16_t)i };

		if (!confgen_wants(&m->settings, id))
			continue;
		confgen_child_name(&m->settings, id, name, sizeof(name));
		if (!slot_add(m, SLOT_CHILD, id, name))
			return -ENOSPC;
	}
	return 0;
}

/* In the order they are started in. */
static int add_slots(struct monitor *m)
{
	static const struct child_id none;

	if (!slot_add(m, SLOT_ENGINE, none, "engine") || !slot_add(m, SLOT_FRONT, none, "front"))
		return -ENOSPC;
	if (add_children(m, CHILD_PTP4L, m->settings.clock_count) ||
	    add_children(m, CHILD_PHC2SYS, m->settings.clock_count) ||
	    add_children(m, CHILD_PROBE, m->settings.probe_count))
		return -ENOSPC;
	return 0;
}

static int open_all(struct monitor *m, struct err *e)
{
	char path[PATH_SIZE + 16];
	const struct host *h = m->host;
	int rc = page_prepare(settings_page_path(&m->settings, path, sizeof(path)),
		h->root ? h->ids.uid : geteuid(), h->root ? h->ids.gid : getegid(), e);

	if (rc)
		return rc;
	m->text = malloc(m->start->len + 1);
	if (!m->text || open_loop(m))
		return err_set(e, -ENOMEM, "out of memory");
	memcpy(m->text, m->start->text, m->start->len + 1);
	m->len = m->start->len;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, m->pair))
		return err_set(e, -errno, "cannot make a socket: %s", strerror(errno));
	return add_slots(m) ? err_set(e, -ENOSPC, "too many children") : 0;
}

static void close_all(struct monitor *m)
{
	for (int i = 0; i < m->count; i++)
		slot_free(&m->slots[i]);
	if (m->loop)
		requests_close(m);
	for (int i = 0; i < 2; i++)
		if (m->pair[i] >= 0)
			close(m->pair[i]);
	for (int i = 0; i < 4; i++)
		loop_event_free(m->signals[i]);
	loop_event_free(m->timer);
	loop_free(m->loop);
	free(m->text);
}

/* phc2sys would follow a hardware clock that nobody disciplines: the engine says when. */
static int starts_by_itself(const struct slot *s)
{
	return s->kind != SLOT_ORPHAN && !(s->kind == SLOT_CHILD && s->id.kind == CHILD_PHC2SYS);
}

static void start_all(struct monitor *m)
{
	adopt_children(m);
	for (int i = 0; i < m->count; i++)
		if (!m->slots[i].proc.pid && starts_by_itself(&m->slots[i]))
			slot_act(&m->slots[i], supervisor_start(&m->slots[i].sup));
}

enum status monitor_run(const struct monitor_start *start)
{
	struct monitor *m = calloc(1, sizeof(*m));
	struct err e = { 0 };
	enum status status = STATUS_FAILURE;

	if (!m) {
		log_error("out of memory");
		return status;
	}
	m->start = start;
	m->host = start->host;
	m->settings = *start->settings;
	m->engine = m->pair[0] = m->pair[1] = -1;
	signal(SIGPIPE, SIG_IGN);
	if (open_all(m, &e)) {
		log_error("%s", e.msg);
		goto out;
	}
	if (!m->host->root)
		log_warn("not root: all runs as this user, and ptp4l may lack privileges of its own");
	rundir_write_pid(start->lock, getpid());
	start_all(m);
	start->ready(start->arg);
	if (!loop_run(m->loop))
		status = STATUS_OK;
	adopt_record(m);
	log_info("stopped");
out:
	close_all(m);
	free(m);
	return status;
}
