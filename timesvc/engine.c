#include "timesvc/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "log.h"
#include "nstime.h"
#include "timesvc/clock.h"
#include "timesvc/ipc.h"
#include "timesvc/journal.h"
#include "timesvc/loop.h"
#include "timesvc/snapshot.h"
#include "timesvc/sources/link.h"
#include "timesvc/systemclock.h"

#define CONF_MAX (1 << 20)

struct engine {
	struct settings settings;
	struct timebase timebase;
	struct loop *loop;
	struct page *page;
	struct link_watch *links;
	struct clock clock[CLOCKS_MAX];
	struct loop_event *mgmt_event[CLOCKS_MAX];
	struct loop_event *monitor_event, *links_event, *refresh_event, *poll_event;
	struct systemclock system;
	struct child_status probe[PROBES_MAX];
	struct journal journal;
	int monitor_fd, front_fd;
	int64_t started_wall_ns, late_max_ns;
	int status;
};

static int read_settings(int fd, struct settings *s, struct err *e)
{
	char *text;
	size_t len;
	int r = io_read_fd(fd, CONF_MAX, &text, &len, e);

	if (r < 0)
		return r;
	r = settings_parse(s, "timesvc.conf", text, len, e);
	free(text);
	return r;
}

static void ask_of(struct engine *g, enum ipc_request_kind kind, enum child_kind child, int clock, int flag)
{
	struct ipc_request r = {
		.version = IPC_VERSION, .kind = kind, .index = (uint32_t)clock, .flag = flag,
		.child = { (uint16_t)child, (uint16_t)clock },
	};

	if (ipc_send(g->monitor_fd, &r, sizeof(r), -1) < 0)
		log_warn("the monitor does not take requests");
}

static void ask(struct engine *g, enum ipc_request_kind kind, int clock)
{
	ask_of(g, kind, CHILD_PTP4L, clock, 0);
}

static void judge_clock(struct engine *g, struct clock *c, int64_t now)
{
	struct trust_event ev;
	int edge = clock_judge(c, now, &ev);

	if (c == g->system.parent)
		systemclock_judge(&g->system, now);
	if (!edge)
		return;
	ev.clock = (uint16_t)c->index;
	journal_add(&g->journal, &ev, c->own->name);
}

static void fill_snapshot(struct engine *g, struct snapshot *s)
{
	*s = (struct snapshot){
		.version = SNAPSHOT_VERSION, .clocks = (uint32_t)g->settings.clock_count,
		.probes = (uint32_t)g->settings.probe_count, .started_wall_ns = g->started_wall_ns,
		.void_after_ns = g->settings.void_after_ns, .tick_late_max_ns = g->late_max_ns,
	.tsc_hz = g->timebase.hz,
		.tsc_invariant = (uint8_t)g->timebase.invariant,
		.tsc_assumed = (uint8_t)g->timebase.assumed, .timebase = (uint8_t)g->timebase.kind,
	};
	for (int i = 0; i < g->settings.clock_count; i++)
		clock_snapshot(&g->clock[i], &s->clock[i]);
	memcpy(s->probe, g->probe, sizeof(s->probe));
}

static void poll_clock(struct engine *g, struct clock *c, int64_t now)
{
	if (clock_poll(c, now))
		ask(g, IPC_OPEN_MGMT, c->index);
}

static void refresh_clock(struct engine *g, struct clock *c, int64_t now)
{
	uint64_t losses = c->hw.losses;

	clock_sample(c);
	if (c->hw.losses != losses)
		log_warn("clock %s: its hardware clock is gone", c->own->name);
	judge_clock(g, c, now);
	if (clock_urgent(c))
		poll_clock(g, c, now);
	if (clock_wants_phc(c, now))
		ask(g, IPC_OPEN_PHC, c->index);
}

/* What is to be started or stopped for a clock. */
static void manage_children(struct engine *g, struct clock *c, int64_t now)
{
	int phc2sys = clock_wants_phc2sys(c, now);

	if (phc2sys >= 0)
		ask_of(g, IPC_WANT, CHILD_PHC2SYS, c->index, phc2sys);
	if (!clock_hung(c, now))
		return;
	log_warn("clock %s: ptp4l has not answered for %lld ms, restarting it", c->own->name,
		(long long)(g->settings.liveness_ns / NS_PER_MS));
	ask(g, IPC_RESTART, c->index);
}

static void on_refresh(void *arg, int64_t late_ns)
{
	struct engine *g = arg;
	int64_t now = nstime_mono();
	struct snapshot s;

	if (late_ns > g->late_max_ns)
		g->late_max_ns = late_ns;
	systemclock_sample(&g->system);
	for (int i = 0; i < g->settings.clock_count; i++) {
		refresh_clock(g, &g->clock[i], now);
		manage_children(g, &g->clock[i], now);
	}
	fill_snapshot(g, &s);
	if (journal_hand_over(&g->journal, g->front_fd, &s) == 0)
		g->late_max_ns = 0;
}

static void on_poll(void *arg, int64_t late_ns)
{
	struct engine *g = arg;
	int64_t now = nstime_mono();

	(void)late_ns;
	for (int i = 0; i < g->settings.clock_count; i++)
		if (!clock_urgent(&g->clock[i]))
			poll_clock(g, &g->clock[i], now);
}

static void on_mgmt(void *arg, int fd)
{
	struct engine *g = arg;
	int64_t now = nstime_mono();

	for (int i = 0; i < g->settings.clock_count; i++)
		if (mgmt_fd(g->clock[i].mgmt) == fd && clock_receive(&g->clock[i], now))
			judge_clock(g, &g->clock[i], now);
}

static void attach(struct engine *g, uint32_t index, int fd)
{
	loop_event_free(g->mgmt_event[index]);
	g->mgmt_event[index] = NULL;
	mgmt_attach(g->clock[index].mgmt, fd);
	if (fd >= 0)
		g->mgmt_event[index] = loop_read(g->loop, fd, on_mgmt, g);
}

static void on_links(void *arg, int fd)
{
	struct engine *g = arg;

	(void)fd;
	if (link_receive(g->links) == 0)
		return;
	for (int i = 0; i < g->settings.clock_count; i++) {
		if (!g->clock[i].own->interface[0])
			continue;
		pipeline_link(&g->clock[i].pipeline, link_up(g->links, (size_t)i) == 1);
		nicclock_doubt(&g->clock[i].hw);
	}
}

static void take_phc(struct engine *g, struct clock *c, const struct phc_identity *id, int fd)
{
	enum nicclock_change change = clock_attach_phc(c, fd, id);

	if (change == NICCLOCK_SAME)
		return;
	log_info("clock %s: hardware clock ptp%d of %s (%s, %s), read %s, give or take %lld ns", c->own->name,
		id->index, id->pci, id->driver, id->name, phc_way_name(c->hw.phc.way),
		(long long)c->hw.phc.half_width_ns);
	judge_clock(g, c, nstime_mono());
	if (change == NICCLOCK_RENEWED && c->ptp4l.supervised)
		ask_of(g, IPC_RESTART, CHILD_PTP4L, c->index, 1);
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
	ask(g, IPC_OPEN_MGMT, n->child.index);
}

static void child_exited(struct engine *g, const struct ipc_notice *n, struct child_status *st)
{
	st->pid = 0;
	st->last_status = n->status;
	if (n->child.kind != CHILD_PTP4L)
		return;
	pipeline_ptp4l(&g->clock[n->child.index].pipeline, 0);
	attach(g, n->child.index, -1);
	judge_clock(g, &g->clock[n->child.index], nstime_mono());
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

	if (read_settings(fd, &next, &e) < 0 || settings_reloadable(&g->settings, &next, &e) < 0) {
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

static void on_monitor(void *arg, int sock)
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

static int open_links(struct engine *g, struct err *e)
{
	const char *names[CLOCKS_MAX];

	for (int i = 0; i < g->settings.clock_count; i++)
		names[i] = g->clock[i].own->interface;
	g->links = link_new(names, (size_t)g->settings.clock_count, e);
	if (g->links == NULL)
		return e->code;
	for (int i = 0; i < g->settings.clock_count; i++)
		if (names[i][0])
			pipeline_link(&g->clock[i].pipeline, link_up(g->links, (size_t)i) == 1);
	g->links_event = loop_read(g->loop, link_fd(g->links), on_links, g);
	return g->links_event ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int open_clocks(struct engine *g, struct err *e)
{
	char path[PATH_SIZE];
	int r = page_open(&g->page, settings_page_path(&g->settings, path, sizeof(path)),
		g->timebase.kind, e);

	for (int i = 0; r == 0 && i < g->settings.clock_count; i++)
		r = clock_init(&g->clock[i], &g->settings, i, g->page, &g->timebase, nstime_mono(), e);
	if (r == 0)
		r = systemclock_init(&g->system,
			systemclock_parent(g->clock, g->settings.clock_count), nstime_mono(), e);
	if (r == 0)
		page_live(g->page);
	return r;
}

static int start(struct engine *g, int conf_fd, struct err *e)
{
	int r = read_settings(conf_fd, &g->settings, e);

	if (r == 0)
		r = timebase_init(&g->timebase, g->settings.tsc, e);
	if (r == 0)
		r = open_clocks(g, e);
	if (r < 0)
		return r;
	g->loop = loop_new();
	if (g->loop == NULL)
		return err_set(e, -ENOMEM, "out of memory");
	r = open_links(g, e);
	if (r < 0)
		return r;
	g->monitor_event = loop_read(g->loop, g->monitor_fd, on_monitor, g);
	g->refresh_event = loop_every(g->loop, g->settings.refresh_interval_ns, on_refresh, g);
	g->poll_event = loop_every(g->loop, g->settings.poll_interval_ns, on_poll, g);
	if (!g->monitor_event || !g->refresh_event || !g->poll_event)
		return err_set(e, -ENOMEM, "out of memory");
	return 0;
}

static void finish(struct engine *g)
{
	for (int i = 0; i < g->settings.clock_count; i++) {
		loop_event_free(g->mgmt_event[i]);
		clock_release(&g->clock[i]);
	}
	loop_event_free(g->monitor_event);
	loop_event_free(g->links_event);
	loop_event_free(g->refresh_event);
	loop_event_free(g->poll_event);
	link_free(g->links);
	loop_free(g->loop);
	page_close(g->page);
}

int engine_run(int monitor_fd, int conf_fd, int front_fd)
{
	static struct engine g;
	struct err e = { .code = 0 };

	g.monitor_fd = monitor_fd;
	g.front_fd = front_fd;
	g.started_wall_ns = nstime_now(CLOCK_REALTIME);
	signal(SIGPIPE, SIG_IGN);
	if (start(&g, conf_fd, &e) < 0) {
		log_error("engine: %s", e.msg);
		return 1;
	}
	if (loop_run(g.loop) < 0)
		g.status = 1;
	finish(&g);
	return g.status;
}
