#define _GNU_SOURCE 1	/* SOCK_CLOEXEC */
#include "slot.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "log.h"
#include "mgmtsock.h"
#include "nstime.h"
#include "phcdev.h"

static void on_engine(void *arg, int fd);

int requests_open(struct monitor *m, int *engine_end)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return -errno;
	m->engine_event = loop_read(m->loop, ends[0], on_engine, m);
	if (!m->engine_event)
		goto fail;
	m->engine = ends[0];
	*engine_end = ends[1];
	return 0;
fail:
	close(ends[0]);
	close(ends[1]);
	return -ENOMEM;
}

void requests_close(struct monitor *m)
{
	loop_event_free(m->engine_event);
	m->engine_event = NULL;
	if (m->engine >= 0)
		close(m->engine);
	m->engine = -1;
}

void requests_notice(struct monitor *m, struct ipc_notice *n, int fd)
{
	int rc;

	if (m->engine < 0)
		return;
	n->version = IPC_VERSION;
	rc = ipc_send(m->engine, n, sizeof(*n), fd);
	if (rc && !m->stopping)
		log_warn("engine: a notice could not be handed over: %s", strerror(-rc));
}

void requests_child(const struct slot *s, enum ipc_notice_kind kind)
{
	struct ipc_notice n = { .kind = kind, .child = s->id, .index = s->id.index,
		.pid = kind == IPC_CHILD_EXITED ? s->last_pid : s->proc.pid,
		.status = s->sup.last_status, .flag = s->sup.crash_loop,
		.starts = s->starts };

	if (s->kind == SLOT_CHILD)
		requests_notice(s->m, &n, -1);
}

void requests_introduce(struct monitor *m)
{
	for (int i = 0; i < m->count; i++) {
		if (m->slots[i].last_pid)
			requests_child(&m->slots[i], IPC_CHILD_EXITED);
		if (m->slots[i].proc.pid)
			requests_child(&m->slots[i], IPC_CHILD_STARTED);
		if (m->slots[i].sup.crash_loop)
			requests_child(&m->slots[i], IPC_CHILD_CRASH_LOOP);
	}
}

static void open_mgmt(struct monitor *m, uint32_t clock)
{
	struct ipc_notice n = { .kind = IPC_MGMT, .index = clock };
	struct err e;
	int fd;

	if (clock >= (uint32_t)m->settings.clock_count) {
		n.error = -EINVAL;
		requests_notice(m, &n, -1);
		return;
	}
	fd = mgmtsock_open(&m->settings, (int)clock, &e);
	n.error = fd < 0 ? fd : 0;
	if (fd < 0)
		log_debug("clock %s: %s", m->settings.clocks[clock].name, e.msg);
	requests_notice(m, &n, fd);
	if (fd >= 0)
		close(fd);
}

/* It is asked for again and again while there is none: the log has the edges. */
static void note_phc_error(struct monitor *m, uint32_t clock, int rc, const struct err *e)
{
	if (rc < 0 && rc != m->phc_error[clock])
		log_warn("clock %s: %s", m->settings.clocks[clock].name, e->msg);
	m->phc_error[clock] = rc < 0 ? rc : 0;
}

static void open_phc(struct monitor *m, uint32_t clock)
{
	struct ipc_notice n = { .kind = IPC_PHC, .index = clock, .error = -EINVAL };
	struct err e;
	int fd = -1;

	if (clock < (uint32_t)m->settings.clock_count && phcdev_used(&m->settings.clocks[clock])) {
		fd = phcdev_open(&m->settings.clocks[clock], &n.phc, &e);
		n.error = fd < 0 ? fd : 0;
		note_phc_error(m, clock, fd, &e);
	}
	requests_notice(m, &n, fd);
	if (fd >= 0)
		close(fd);
}

static struct slot *find_child(struct monitor *m, struct child_id id)
{
	for (int i = 0; i < m->count; i++) {
		struct slot *s = &m->slots[i];

		if (s->kind == SLOT_CHILD && s->id.kind == id.kind && s->id.index == id.index)
			return s;
	}
	return NULL;
}

static void restart_child(struct monitor *m, struct child_id id, int planned)
{
	struct slot *s = find_child(m, id);

	if (!s)
		return;
	if (s->sup.state == SUPERVISOR_UP)
		log_warn("%s: the engine wants it restarted", s->name);
	slot_act(s, supervisor_restart(&s->sup, nstime_mono(),
		planned ? SUPERVISOR_PLANNED : SUPERVISOR_FAULT));
	if (planned)
		slot_act(s, supervisor_hurry(&s->sup));
}

static void want_child(struct monitor *m, struct child_id id, int wanted)
{
	struct slot *s = find_child(m, id);

	if (!s || id.kind != CHILD_PHC2SYS || m->stopping)
		return;
	slot_act(s, wanted ? supervisor_start(&s->sup) : supervisor_stop(&s->sup, nstime_mono()));
}

static int serve(struct monitor *m, const struct ipc_request *r)
{
	switch (r->kind) {
	case IPC_OPEN_MGMT:
		open_mgmt(m, r->index);
		return 0;
	case IPC_RESTART:
		restart_child(m, r->child, r->flag);
		return 0;
	case IPC_OPEN_PHC:
		open_phc(m, r->index);
		return 0;
	case IPC_WANT:
		want_child(m, r->child, r->flag);
		return 0;
	default:
		return -EPROTO;
	}
}

/* One request a call: the loop comes back while there are more. */
static void on_engine(void *arg, int fd)
{
	struct monitor *m = arg;
	struct ipc_request r;
	int rc = ipc_recv_request(fd, &r);

	if (rc == -EAGAIN)
		return;
	if (rc == 1 && !serve(m, &r))
		return;
	if (rc > 0 || rc == -EPROTO)
		log_error("engine: sent what is no request, and is cut off");
	requests_close(m);
	for (int i = 0; i < m->count; i++)
		if (m->slots[i].kind == SLOT_ENGINE)
			slot_act(&m->slots[i],
				supervisor_restart(&m->slots[i].sup, nstime_mono(), SUPERVISOR_FAULT));
}
