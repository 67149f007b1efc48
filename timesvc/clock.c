#include "timesvc/clock.h"

#include <errno.h>
#include <string.h>

#include "nstime.h"

int clock_init(struct clock *c, const struct settings *s, int index, struct page *page,
	const struct timebase *tb, int64_t now_mono, struct err *e)
{
	*c = (struct clock){
		.index = index, .settings = s, .own = &s->clocks[index], .timebase = tb, .page = page,
		.sysclk = { .tsc_hz = tb->hz, .tries = CLOCK_READ_TRIES },
		.since_wall_ns = nstime_now(CLOCK_REALTIME), .phc2sys_said = -1,
		.hardware = strcmp(s->clocks[index].time_stamping, "hardware") == 0,
	};
	nicclock_init(&c->hw, tb);
	c->page_index = page_clock(page, c->own->name);
	if (c->page_index < 0)
		return err_set(e, c->page_index, "no room on the page for clock %s", c->own->name);
	c->mgmt = mgmt_new((uint8_t)c->own->domain, (uint8_t)c->own->transport_specific);
	if (c->mgmt == NULL)
		return err_set(e, -ENOMEM, "out of memory");
	pipeline_init(&c->pipeline, c->own, &s->policy, tb->ns_per_tick, s->poll_interval_ns,
		page_epoch(page, c->page_index), now_mono);
	c->ptp4l.supervised = c->own->mode != MODE_ADOPT;
	/* Until the monitor says that it runs, a supervised ptp4l is not there. */
	if (c->ptp4l.supervised)
		pipeline_ptp4l(&c->pipeline, 0);
	return 0;
}

void clock_release(struct clock *c)
{
	mgmt_free(c->mgmt);
	nicclock_release(&c->hw);
}

int clock_wants_phc(struct clock *c, int64_t now_mono)
{
	return c->hardware && nicclock_wanted(&c->hw, now_mono);
}

enum nicclock_change clock_attach_phc(struct clock *c, int fd, const struct phc_identity *id)
{
	enum nicclock_change change = nicclock_attach(&c->hw, fd, id);

	if (change == NICCLOCK_RENEWED)
		pipeline_clock_renewed(&c->pipeline);
	if (change != NICCLOCK_SAME)
		clock_sample(c);
	return change;
}

/* A port that is out of step for a moment only is no reason to stop it. */
int clock_wants_phc2sys(struct clock *c, int64_t now_mono)
{
	int wanted = pipeline_in_step(&c->pipeline);

	if (!c->hardware || c->own->mode != MODE_STEER)
		return -1;
	if (wanted)
		c->in_step_mono = now_mono;
	else if (c->hw.device.fd >= 0 && now_mono - c->in_step_mono < c->settings->policy.hold_limit_ns)
		return -1;
	if (wanted == c->phc2sys_said)
		return -1;
	c->phc2sys_said = wanted;
	return wanted;
}

int clock_read_system(const struct timebase *tb, struct sysclk *s, struct clock_reading *out)
{
	const struct sysclk_ops *ops = tb->kind == TSV_TIMEBASE_TSC ? &sysclk_over_tsc : &sysclk_over_raw;

	return ops->read(s, out);
}

void clock_sample(struct clock *c)
{
	struct clock_reading r;
	int rc = c->hardware ? nicclock_read(&c->hw, &r) :
		clock_read_system(c->timebase, &c->sysclk, &r);

	pipeline_clock(&c->pipeline, rc == 0 ? &r : NULL);
}

int clock_urgent(const struct clock *c)
{
	return pipeline_urgent(&c->pipeline);
}

int clock_poll(struct clock *c, int64_t now_mono)
{
	int r = mgmt_poll(c->mgmt, now_mono);

	/* A full queue is a ptp4l that does not read: silence will tell. */
	return r < 0 && r != -EAGAIN;
}

int clock_receive(struct clock *c, int64_t now_mono)
{
	if (!(mgmt_receive(c->mgmt, now_mono) & MGMT_POLL_COMPLETE))
		return 0;
	c->answered_mono = now_mono;
	pipeline_ptp(&c->pipeline, mgmt_reading(c->mgmt), now_mono, timebase_ticks(c->timebase));
	return 1;
}

int clock_hung(struct clock *c, int64_t now_mono)
{
	int64_t last = c->answered_mono > c->started_mono ? c->answered_mono : c->started_mono;

	if (!c->ptp4l.supervised || c->ptp4l.pid == 0 || c->restart_asked ||
	    now_mono - last <= c->settings->liveness_ns)
		return 0;
	c->restart_asked = 1;
	return 1;
}

void clock_publish_line(struct clock *c, int page_index, const struct pipeline_output *o)
{
	int64_t bound = o->line.bound_ns;
	struct tsv_line line = {
		.t0_ns = o->line.ns, .tsc0 = o->line.tsc, .mult = o->mult,
		.bound0_ns = bound < 0 || bound >= UINT32_MAX ? UINT32_MAX : (uint32_t)bound,
		.growth = page_growth(o->growth, o->mult),
		.trust = page_trust_word(o->line.state, o->verdict.alarm_to,
			o->line.tsc + timebase_span(c->timebase, c->settings->void_after_ns)),
		.good_until_ns = o->line.good_until_ns, .epoch = o->line.epoch,
		.flags = o->line.flags | (c->timebase->assumed ? TSV_TSC_ASSUMED : 0),
	};

	page_publish(c->page, page_index, &line);
}

void clock_info(const struct clock *c, struct tsv_info *info)
{
	const struct clock_snapshot *s = &c->pipeline.snap;

	*info = (struct tsv_info){
		.reasons = s->reasons, .offset_ns = s->offset_ns, .path_delay_ns = s->path_delay_ns,
		.bound_parent_ns = s->bound_parent_ns, .bound_gm_ns = s->bound_gm_ns,
		.bound_utc_ns = s->bound_utc_ns, .port_budget_ns = c->own->port_budget_ns,
		.steps_removed = s->steps_removed, .domain = s->domain, .has_offset = s->have_offset,
	};

	memcpy(info->name, c->own->name, sizeof(info->name));
	memcpy(info->clock_identity, s->clock_identity.id, 8);
	memcpy(info->parent_identity, s->parent_identity.id, 8);
	memcpy(info->gm_identity, s->gm_identity.id, 8);
}

static void publish_info(struct clock *c)
{
	struct tsv_info info;

	clock_info(c, &info);
	page_publish_info(c->page, c->page_index, &info);
}

static int edge(const struct pipeline_output *o)
{
	return o->verdict.from != o->verdict.to || o->verdict.alarm_from != o->verdict.alarm_to ||
		o->epoch_rose;
}

static void describe(const struct clock *c, const struct pipeline_output *o, uint64_t before,
	struct trust_event *ev)
{
	const struct clock_snapshot *s = &c->pipeline.snap;

	*ev = (struct trust_event){
		.wall_ns = nstime_now(CLOCK_REALTIME), .evidence_ns = o->evidence_ns,
		.reasons = s->reasons, .ended = before & ~s->reasons,
		.offset_ns = s->have_offset ? s->offset_ns : INT64_MIN,
		.bound_ns = o->line.bound_ns, .epoch = s->epoch,
		.from = (uint8_t)o->verdict.from, .to = (uint8_t)o->verdict.to,
		.alarm_from = (uint8_t)o->verdict.alarm_from, .alarm_to = (uint8_t)o->verdict.alarm_to,
	};
}

int clock_judge(struct clock *c, int64_t now_mono, struct trust_event *event)
{
	uint64_t before = c->pipeline.snap.reasons;
	struct pipeline_output *o = &c->out;

	pipeline_judge(&c->pipeline, now_mono, timebase_ticks(c->timebase), o);
	if (o->have_line)
		clock_publish_line(c, c->page_index, o);
	publish_info(c);
	if (!edge(o))
		return 0;
	describe(c, o, before, event);
	if (event->from != event->to)
		c->since_wall_ns = event->wall_ns;
	return 1;
}

void clock_snapshot(const struct clock *c, struct clock_snapshot *out)
{
	const struct mgmt_counters *m = mgmt_counters(c->mgmt);

	*out = c->pipeline.snap;
	out->wall_ns = nstime_now(CLOCK_REALTIME);
	out->since_wall_ns = c->since_wall_ns;
	out->polls = m->polls;
	out->replies = m->answered;
	out->late_replies = m->late;
	out->malformed = m->malformed;
	out->foreign = m->foreign;
	out->ptp4l = c->ptp4l;
	out->phc2sys = c->phc2sys;
	out->system = c->system;
	out->have_phc = c->hardware && c->hw.device.fd >= 0;
	strncpy(out->phc_way, phc_way_name(c->hw.phc.way), sizeof(out->phc_way) - 1);
	out->phc_read_ns = (int32_t)c->hw.phc.half_width_ns;
	out->phc = c->hw.id;
	out->phc_losses = c->hw.losses;
}
