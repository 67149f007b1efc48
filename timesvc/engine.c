#include "timesvc/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "log.h"
#include "nstime.h"
#include "timesvc/engine_own.h"

#define CONF_MAX (1 << 20)

int engine_read_settings(int fd, struct settings *s, struct err *e)
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

void engine_ask(struct engine *g, enum ipc_request_kind kind, enum child_kind child, int clock, int flag)
{
	struct ipc_request r = {
		.version = IPC_VERSION, .kind = kind, .index = (uint32_t)clock, .flag = flag,
		.child = { (uint16_t)child, (uint16_t)clock },
	};

	if (ipc_send(g->monitor_fd, &r, sizeof(r), -1) < 0)
		log_warn("the monitor does not take requests");
}

void engine_judge(struct engine *g, struct clock *c, int64_t now)
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
		engine_ask(g, IPC_OPEN_MGMT, CHILD_PTP4L, c->index, 0);
}

static void refresh_clock(struct engine *g, struct clock *c, int64_t now)
{
	uint64_t losses = c->hw.losses;

	clock_sample(c);
	if (c->hw.losses != losses)
		log_warn("clock %s: its hardware clock is gone", c->own->name);
	engine_judge(g, c, now);
	if (clock_urgent(c))
		poll_clock(g, c, now);
	if (clock_wants_phc(c, now))
		engine_ask(g, IPC_OPEN_PHC, CHILD_PTP4L, c->index, 0);
}

/* What is to be started or stopped for a clock. */
static void manage_children(struct engine *g, struct clock *c, int64_t now)
{
	int phc2sys = clock_wants_phc2sys(c, now);

	if (phc2sys >= 0)
		engine_ask(g, IPC_WANT, CHILD_PHC2SYS, c->index, phc2sys);
	if (!clock_hung(c, now))
		return;
	log_warn("clock %s: ptp4l has not answered for %lld ms, restarting it", c->own->name,
		(long long)(g->settings.liveness_ns / NS_PER_MS));
	engine_ask(g, IPC_RESTART, CHILD_PTP4L, c->index, 0);
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

void engine_on_mgmt(void *arg, int fd)
{
	struct engine *g = arg;
	int64_t now = nstime_mono();

	for (int i = 0; i < g->settings.clock_count; i++)
		if (mgmt_fd(g->clock[i].mgmt) == fd && clock_receive(&g->clock[i], now))
			engine_judge(g, &g->clock[i], now);
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
	int r = engine_read_settings(conf_fd, &g->settings, e);

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
	g->monitor_event = loop_read(g->loop, g->monitor_fd, engine_on_monitor, g);
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
