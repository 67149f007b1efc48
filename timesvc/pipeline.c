#include "timesvc/pipeline.h"

#include <string.h>

#include "nstime.h"
#include "timesvc/pipeline_own.h"
#include "timesvc/sources/sysclk.h"

static const struct clockline_limits *limits_of(const struct clock_settings *s)
{
	return software_stamps(s) ? &clockline_system : &clockline_phc;
}

void pipeline_init(struct pipeline *p, const struct clock_settings *settings,
	const struct policy_settings *policy, double ns_per_tick, int64_t poll_ns, uint32_t epoch,
	int64_t now_mono)
{
	memset(p, 0, sizeof(*p));
	p->settings = settings;
	p->policy = policy;
	p->role = settings->role;
	p->epoch = epoch + 1;
	p->poll_ns = poll_ns;
	p->link_up = p->ptp4l_up = 1;
	p->shift_ns = p->next_shift_ns = settings->served_shift_ns;
	clockline_init(&p->line, ns_per_tick, limits_of(settings));
	offset_init(&p->offsets, policy->outlier_ns, software_stamps(settings) ? 2 : 1);
	judge_init(&p->judge, now_mono);
}

void pipeline_claim(const struct pipeline *p, int64_t page_ns, struct bound *b)
{
	struct bound_input in = {
		.line = &p->line, .offsets = &p->offsets, .settings = p->settings,
		.growth_ppb = p->policy->growth_ppb, .role = p->role, .evidence_ns = p->sync_ns,
		.slewed_ns = p->sync_slewed_ns,
		.steps_removed = p->last.current.steps_removed,
		.gm_accuracy = p->last.parent.gm_accuracy,
		.ptp_timescale = p->last.properties.ptp_timescale,
	};

	bound_at(&in, page_ns, b);
}

void pipeline_clock(struct pipeline *p, const struct clock_reading *r)
{
	p->clock_read_ok = r != NULL;
	if (r == NULL)
		return;
	switch (clockline_feed(&p->line, r)) {
	case CLOCKLINE_STEP:
		p->contrary |= TSV_BIT(clock_step);
		p->clock_steps++;
		offset_restart(&p->offsets, 0);
		break;
	case CLOCKLINE_RATE:
		p->contrary |= TSV_BIT(clock_rate);
		break;
	case CLOCKLINE_BEND:
		/* A servo that pulls in does that, one that is locked does not. */
		if (vouching(p))
			p->contrary |= TSV_BIT(clock_rate);
		break;
	case CLOCKLINE_OK:
		break;
	}
	p->clock_read_ns = page_time(p, r->tick);
}

void pipeline_clock_renewed(struct pipeline *p)
{
	clockline_init(&p->line, p->line.nominal, p->line.limits);
	offset_restart(&p->offsets, 0);
	p->clock_read_ok = 0;
	p->sync_ns = p->asked_ns = p->asked_before_ns = 0;
	p->renewed = 1;
}

void pipeline_ptp4l(struct pipeline *p, int up)
{
	/* What the last one said is no evidence for the next. */
	if (!up) {
		p->restarted = 1;
		p->refresh = SYNC_WANTED;
		p->refresh_ingress_ns = 0;
	}
	p->answered = 0;
	p->ptp4l_up = up;
}

void pipeline_crash_loop(struct pipeline *p, int looping)
{
	p->crash_loop = looping;
}

void pipeline_link(struct pipeline *p, int up)
{
	p->link_up = up;
}

void pipeline_shift(struct pipeline *p, int64_t shift_ns)
{
	p->next_shift_ns = shift_ns;
}

static int64_t sync_timeout(const struct pipeline *p)
{
	int64_t timeout = p->sync_interval_ns * 5 / 2 + p->poll_ns * 3 / 2;

	return timeout > p->policy->reply_timeout_ns ? timeout : p->policy->reply_timeout_ns;
}

static uint64_t missing_facts(const struct pipeline *p, int64_t now)
{
	uint64_t m = 0;

	if (!p->clock_read_ok)
		m |= TSV_BIT(clock_read);
	if (!p->link_up)
		m |= TSV_BIT(link_down);
	if (!p->ptp4l_up)
		m |= TSV_BIT(ptp4l_down);
	if (!p->have_last)
		return m | TSV_BIT(starting);
	if (!p->answered || now - p->reply_mono > p->policy->reply_timeout_ns)
		m |= TSV_BIT(ptp4l_no_reply);
	if (!pipeline_port_gives_time(p, &p->last))
		m |= TSV_BIT(port_state);
	if (p->sync_ns == 0 || p->restarted ||
	    (p->role == ROLE_FOLLOWER && offset_last(&p->offsets) == NULL))
		m |= TSV_BIT(no_offset);
	else if (now - p->sync_mono > sync_timeout(p))
		m |= TSV_BIT(sync_missing);
	if (p->role == ROLE_FOLLOWER && now - p->traffic_mono > sync_timeout(p))
		m |= TSV_BIT(rx_stalled);
	return m;
}

static uint64_t notes(const struct pipeline *p, const struct bound *b)
{
	return (p->offsets.pendings ? TSV_BIT(unconfirmed) : 0) |
		(p->crash_loop ? TSV_BIT(crash_loop) : 0) |
		(b->needs_budget ? TSV_BIT(upstream_budget) : 0);
}

/* Evidence reaches as far as the fact that was true longest ago. */
static int64_t evidence_until(const struct pipeline *p)
{
	int64_t until = p->clock_read_ns;

	if (p->asked_ns < until)
		until = p->asked_ns;
	if (p->sync_ns < until)
		until = p->sync_ns;
	return until;
}

static void gather(struct pipeline *p, const struct bound *b, int64_t now, struct judge_evidence *e)
{
	const struct offset_reading *last = offset_last(&p->offsets);

	*e = (struct judge_evidence){
		.missing = missing_facts(p, now), .contrary = p->contrary, .notes = notes(p, b),
		.bound_ns = b->judged_ns, .disagrees = p->disagrees,
		.have_offset = p->role == ROLE_REFERENCE || last != NULL,
		.offset_ns = p->role == ROLE_FOLLOWER && last ? last->offset_ns : 0,
		.beyond_alarm = p->role == ROLE_FOLLOWER ?
			offset_run_beyond(&p->offsets, p->policy->alarm_offset_ns) : 0,
	};
	if (e->missing || e->contrary)
		p->good_syncs = 0;
	e->good_syncs = p->good_syncs;
	p->contrary = 0;
	p->disagrees = 0;
}

static uint32_t flags_of(const struct pipeline *p, int alarm)
{
	return (alarm ? TSV_ALARM : 0) |
		(p->have_last && p->last.properties.ptp_timescale ? TSV_PTP_SCALE : 0) |
		(p->role == ROLE_REFERENCE ? TSV_REFERENCE : 0) |
		(software_stamps(p->settings) ? TSV_SOFTWARE : 0);
}

static void fill_line(struct pipeline *p, uint64_t tick, const struct bound *b, struct pipeline_output *out)
{
	out->have_line = p->line.have;
	out->mult = p->line.mult;
	out->growth = (uint32_t)((b->growth_ppb * (INT64_C(1) << 32) + NS_PER_S - 1) / NS_PER_S);
	out->line = (struct tsv_time){
		.ns = page_time(p, tick), .bound_ns = b->judged_ns, .good_until_ns = p->good_until_ns,
		.tsc = tick, .epoch = p->epoch, .flags = flags_of(p, out->verdict.alarm_to),
		.state = out->verdict.to,
	};
}

static void fill_snapshot(struct pipeline *p, const struct bound *b, const struct judge_evidence *e,
	const struct pipeline_output *out)
{
	struct clock_snapshot *s = &p->snap;

	memcpy(s->name, p->settings->name, sizeof(s->name));
	memcpy(s->interface, p->settings->interface, sizeof(s->interface));
	s->mode = (uint8_t)p->settings->mode;
	s->role = (uint8_t)p->role;
	s->state = (uint8_t)out->verdict.to;
	s->alarm = (uint8_t)out->verdict.alarm_to;
	s->port_state = (uint8_t)p->last.port.state;
	s->have_offset = (uint8_t)e->have_offset;
	s->have_line = (uint8_t)out->have_line;
	s->software = (out->line.flags & TSV_SOFTWARE) != 0;
	s->reasons = out->verdict.reasons;
	s->page_ns = out->line.ns;
	s->good_until_ns = p->good_until_ns;
	s->offset_ns = e->offset_ns;
	s->path_delay_ns = p->last.current.mean_path_delay_ns;
	s->ingress_ns = p->last.time_status.ingress_ns;
	s->bound_parent_ns = b->parent_ns;
	s->bound_gm_ns = b->gm_ns;
	s->bound_utc_ns = b->utc_ns;
	s->offset_term_ns = b->offset_ns;
	s->path_term_ns = b->path_ns;
	s->read_term_ns = b->read_ns;
	s->growth_term_ns = b->growth_ns;
	s->rate_ppb = clockline_rate_ppb(&p->line);
	s->growth_ppb = b->growth_ppb;
	s->epoch = p->epoch;
	s->steps_removed = p->last.current.steps_removed;
	s->clock_identity = p->last.defaults.clock;
	s->parent_identity = p->last.parent.parent.clock;
	s->gm_identity = p->last.parent.gm;
	s->gm_class = p->last.parent.gm_class;
	s->gm_accuracy = p->last.parent.gm_accuracy;
	s->domain = p->last.defaults.domain;
	s->ptp_timescale = (uint8_t)p->last.properties.ptp_timescale;
	s->utc_offset = p->last.properties.utc_offset;
	s->utc_offset_valid = (uint8_t)p->last.properties.utc_offset_valid;
	s->syncs = p->syncs;
	s->outliers = p->offsets.outliers;
	s->clock_steps = p->clock_steps;
}

/* After a silence the first Sync counts, though ptp4l could not measure by it yet. */
static int64_t edge_evidence(const struct pipeline *p, const struct judge_verdict *v)
{
	uint64_t by_offset = TSV_BIT(offset) | TSV_BIT(bound) | TSV_BIT(disagrees);

	if (!(v->reasons & by_offset) || p->role != ROLE_FOLLOWER)
		return 0;
	return p->return_ns ? p->return_ns : p->run_start_ns;
}

int pipeline_in_step(const struct pipeline *p)
{
	return p->clock_read_ok && p->ptp4l_up && p->answered && p->have_last &&
		pipeline_port_gives_time(p, &p->last);
}

int pipeline_urgent(const struct pipeline *p)
{
	return p->judge.state == TSV_HOLDOVER || p->offsets.pendings > 0 || p->refresh != OFFSET_FRESH;
}

void pipeline_judge(struct pipeline *p, int64_t now_mono, uint64_t now_tick, struct pipeline_output *out)
{
	struct judge_evidence e;
	struct bound b;

	pipeline_claim(p, p->line.have ? page_time(p, now_tick) : 0, &b);
	gather(p, &b, now_mono, &e);
	out->verdict = judge(&p->judge, &e, p->policy, now_mono);
	out->epoch_rose = out->verdict.epoch_rises || p->renewed;
	p->renewed = 0;
	p->epoch += (uint32_t)out->epoch_rose;
	if (out->verdict.to == TSV_TRUSTED)
		p->good_until_ns = evidence_until(p);
	out->evidence_ns = edge_evidence(p, &out->verdict);
	fill_line(p, now_tick, &b, out);
	fill_snapshot(p, &b, &e, out);
}
