#include "timesvc/engine_own.h"

#include <errno.h>
#include <unistd.h>

#include "log.h"
#include "nstime.h"

static void attach(struct engine *g, uint32_t index, int fd)
{
	loop_event_free(g->mgmt_event[index]);
	g->mgmt_event[index] = NULL;
	mgmt_attach(g->clock[index].mgmt, fd);
	if (fd >= 0)
		g->mgmt_event[index] = loop_read(g->loop, fd, engine_on_mgmt, g);
}

static void log_phc(const struct clock *c)
{
	const struct phc_identity *id = &c->hw.id;

	if (c->hw.phc.chosen)
		log_info("clock %s: hardware clock ptp%d of %s (%s, %s), read %s, give or take %lld ns",
			c->own->name, id->index, id->pci, id->driver, id->name,
			phc_way_name(c->hw.phc.way), (long long)c->hw.phc.half_width_ns);
	else
		log_warn("clock %s: hardware clock ptp%d of %s (%s, %s) cannot be read", c->own->name,
			id->index, id->pci, id->driver, id->name);
}

static void take_phc(struct engine *g, struct clock *c, const struct phc_identity *id, int fd)
{
	enum nicclock_change change = clock_attach_phc(c, fd, id);

	if (change == NICCLOCK_SAME)
		return;
	log_phc(c);
	engine_judge(g, c, nstime_mono());
	if (change == NICCLOCK_RENEWED && c->ptp4l.supervised)
		engine_ask(g, IPC_RESTART, CHILD_PTP4L, c->index, 1);
}

static void on_phc(struct engine *g, const struct ipc_notice *n, int fd)
{
	struct clock *c = n->index < (uint32_t)g->settings.clock_count ? &g->clock[n->index] : NULL;

	if (c && c->hardware && n->error == 0 && fd >= 0)
		take_phc(g, c, &n->phc, fd);
	else if (fd >= 0)
		close(fd);
}

static struct child_status *child_of(struct engine *g, const struct ipc_notice *n)
{
	if (n->child.kind == CHILD_PROBE)
		return n->child.index < g->settings.probe_count ? &g->probe[n->child.index] : NULL;
	if (n->child.index >= g->settings.clock_count)
		return NULL;
	return n->child.kind == CHILD_PTP4L ? &g->clock[n->child.index].ptp4l :
		&g->clock[n->child.index].phc2sys;
}

static void child_started(struct engine *g, const struct ipc_notice *n, struct child_status *st)
{
	struct clock *c = &g->clock[n->child.index];

	st->supervised = 1;
	st->pid = n->pid;
	st->starts = n->starts;
	if (n->child.kind != CHILD_PTP4L)
		return;
	c->started_mono = nstime_mono();
	c->restart_asked = 0;
	pipeline_ptp4l(&c->pipeline, 1);
	attach(g, n->child.index, -1);
	engine_ask(g, IPC_OPEN_MGMT, CHILD_PTP4L, n->child.index, 0);
}

static void child_exited(struct engine *g, const struct ipc_notice *n, struct child_status *st)
{
	st->pid = 0;
	st->last_status = n->status;
	if (n->child.kind != CHILD_PTP4L)
		return;
	pipeline_ptp4l(&g->clock[n->child.index].pipeline, 0);
	attach(g, n->child.index, -1);
	engine_judge(g, &g->clock[n->child.index], nstime_mono());
}

static void apply_log_level(const struct settings *s)
{
	enum log_level level;

	if (log_level_parse(s->log_level, &level) == 0)
		log_set_level(level);
}

static void take_settings(struct engine *g, int fd)
{
	static struct settings next;
	struct err e;

	if (engine_read_settings(fd, &next, &e) < 0 || settings_reloadable(&g->settings, &next, &e) < 0) {
		log_error("new configuration not taken: %s", e.msg);
		return;
	}
	g->settings = next;
	apply_log_level(&g->settings);
	for (int i = 0; i < g->settings.clock_count; i++)
		pipeline_shift(&g->clock[i].pipeline, g->clock[i].own->served_shift_ns);
	log_info("new configuration taken");
}

static void on_child(struct engine *g, const struct ipc_notice *n)
{
	struct child_status *st = child_of(g, n);

	if (st == NULL)
		return;
	if (n->kind == IPC_CHILD_STARTED)
		child_started(g, n, st);
	else if (n->kind == IPC_CHILD_EXITED)
		child_exited(g, n, st);
	else
		st->crash_loop = n->flag != 0;
	if (n->kind == IPC_CHILD_CRASH_LOOP && n->child.kind != CHILD_PROBE)
		pipeline_crash_loop(&g->clock[n->child.index].pipeline, n->flag);
}

static void on_notice(struct engine *g, const struct ipc_notice *n, int fd)
{
	switch (n->kind) {
	case IPC_MGMT:
		if (n->index < (uint32_t)g->settings.clock_count && n->error == 0 && fd >= 0)
			attach(g, n->index, fd);
		else if (fd >= 0)
			close(fd);
		break;
	case IPC_PHC:
		on_phc(g, n, fd);
		break;
	case IPC_SETTINGS:
		if (fd >= 0)
			take_settings(g, fd);
		close(fd);
		break;
	case IPC_STOP:
		loop_stop(g->loop);
		break;
	default:
		on_child(g, n);
	}
}

void engine_on_monitor(void *arg, int sock)
{
	struct engine *g = arg;
	struct ipc_notice n;
	int fd, r;

	while ((r = ipc_recv_notice(sock, &n, &fd)) == 1)
		on_notice(g, &n, fd);
	if (r == -EAGAIN)
		return;
	/* Without the monitor nothing can be mended; readers see STALE by themselves. */
	log_error("the monitor is gone");
	g->status = 1;
	loop_stop(g->loop);
}
