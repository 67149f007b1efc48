#include "timesvc/pipeline.h"

#include <string.h>

#include "nstime.h"
#include "timesvc/bound.h"
#include "timesvc/sources/sysclk.h"

#define NEEDED (PTP_HAVE_TIME_STATUS | PTP_HAVE_CURRENT | PTP_HAVE_PARENT | PTP_HAVE_PORT | \
		PTP_HAVE_PROPERTIES | PTP_HAVE_DEFAULT)

static int software(const struct clock_settings *s)
{
	return strcmp(s->time_stamping, "hardware") != 0;
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
	clockline_init(&p->line, ns_per_tick);
	offset_init(&p->offsets, policy->outlier_ns, software(settings) ? 2 : 1);
	judge_init(&p->judge, now_mono);
}

static int64_t page_time(const struct pipeline *p, uint64_t tick)
{
	return clockline_time(&p->line, tick) + p->shift_ns;
}

static int vouching(const struct pipeline *p)
{
	return p->judge.state == TSV_TRUSTED || p->judge.state == TSV_HOLDOVER;
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
	case CLOCKLINE_OK:
		break;
	}
	p->clock_read_ns = page_time(p, r->tick);
}

static int port_gives_time(const struct pipeline *p, const struct ptp_reading *r)
{
	switch (r->port.state) {
	case PTP_MASTER:
	case PTP_GRAND_MASTER:
		return p->role == ROLE_REFERENCE &&
			memcmp(&r->parent.gm, &r->defaults.clock, sizeof(r->parent.gm)) == 0;
	case PTP_SLAVE:
		return p->role == ROLE_FOLLOWER;
	case PTP_UNCALIBRATED:	/* where ptp4l runs free, its servo never starts */
		return p->role == ROLE_FOLLOWER && p->settings->mode != MODE_STEER;
	default:
		return 0;
	}
}

/* The evidence says which role this is, as long as nobody relies on another. */
static void find_role(struct pipeline *p, const struct ptp_reading *r)
{
	enum clock_role role = p->role;

	if (p->settings->role != ROLE_AUTO || vouching(p))
		return;
	if (r->port.state == PTP_SLAVE || r->port.state == PTP_UNCALIBRATED)
		role = ROLE_FOLLOWER;
	else if (r->port.state == PTP_MASTER || r->port.state == PTP_GRAND_MASTER)
		role = ROLE_REFERENCE;
	if (role != p->role) {
		p->role = role;
		p->sync_ns = 0;
		offset_restart(&p->offsets, 0);
	}
}

/* Returns by how many messages the counter went on; a restarted ptp4l counts from 0. */
static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t step = now >= *last ? now - *last : now;

	*last = now;
	return step;
}

static void measure_interval(struct pipeline *p, int64_t span_ns, uint64_t syncs)
{
	int64_t each = syncs ? span_ns / (int64_t)syncs : 0;

	if (each <= 0 || syncs > 1000)
		return;
	p->sync_interval_ns = p->sync_interval_ns ? p->sync_interval_ns + (each - p->sync_interval_ns) / 8 : each;
}

static void count_traffic(struct pipeline *p, const struct ptp_reading *r)
{
	uint64_t total = 0;

	for (int i = 0; i < 16; i++)
		total += r->stats.rx[i];
	if (!(r->have & PTP_HAVE_STATS) || advance(&p->traffic_count, total))
		p->traffic_mono = r->asked_ns;
}

/* A change of grandmaster or timescale is contrary evidence to whoever vouches. */
static void check_source(struct pipeline *p, const struct ptp_reading *r)
{
	int changed = p->have_gm && memcmp(&p->gm, &r->parent.gm, sizeof(p->gm)) != 0;
	int rescaled = p->have_gm && p->gm_timescale != r->properties.ptp_timescale;

	if (changed || rescaled)
		offset_restart(&p->offsets, 0);
	if (changed && vouching(p))
		p->contrary |= TSV_BIT(gm_changed);
	if (rescaled && vouching(p))
		p->contrary |= TSV_BIT(timescale);
	p->gm = r->parent.gm;
	p->gm_timescale = r->properties.ptp_timescale;
	p->have_gm = 1;
}

/* A reading outside the bound of its instant: what was vouched for ends here. A jump stays counted
 * unless ptp4l forgot its path delays meanwhile. */
static void contradict(struct pipeline *p, enum offset_verdict v)
{
	int64_t jump = p->offsets.jump_ns, jump_ingress = p->offsets.jump_ingress_ns;

	p->disagrees = 1;
	offset_restart(&p->offsets, v == OFFSET_CONFIRMED ? p->offsets.confirmations + 1 : 1);
	if (p->left_state || p->restarted)
		return;
	p->offsets.jump_ns = jump;
	p->offsets.jump_ingress_ns = jump_ingress;
}

static void note_run(struct pipeline *p, const struct offset_reading *r)
{
	if (nstime_abs(r->offset_ns) <= p->policy->alarm_offset_ns)
		p->run_start_ns = 0;
	else if (p->run_start_ns == 0)
		p->run_start_ns = r->ingress_ns;
}

/* How wrong a single reading can be: as much as the path allows, and what is taken for the noise of
 * software stamps. Only what is outside the bound by more than that contradicts it. */
static int64_t noise(const struct pipeline *p, const struct bound *claim)
{
	return claim->path_ns + (software(p->settings) ? p->policy->outlier_ns : 0);
}

static uint64_t delays_measured(const struct ptp_reading *r)
{
	return r->stats.rx[PTP_MSG_DELAY_RESP] + r->stats.rx[PTP_MSG_PDELAY_RESP];
}

static void want(struct pipeline *p, int stage, const struct ptp_reading *r)
{
	p->refresh = stage;
	p->refresh_delays = delays_measured(r);
	p->refresh_ingress_ns = r->time_status.ingress_ns;
}

/* Whether ptp4l has measured the offset since the port came back; one step a poll. */
static int offset_is_fresh(struct pipeline *p, const struct ptp_reading *r)
{
	int new_sync = r->time_status.ingress_ns != 0 &&
		r->time_status.ingress_ns != p->refresh_ingress_ns;

	if (!(r->have & PTP_HAVE_STATS))
		return 1;
	if (p->refresh == SYNC_WANTED && new_sync)
		want(p, DELAY_WANTED, r);
	else if (p->refresh == DELAY_WANTED && delays_measured(r) != p->refresh_delays)
		want(p, RESYNC_WANTED, r);
	else if (p->refresh == RESYNC_WANTED && new_sync)
		p->refresh = OFFSET_FRESH;
	return p->refresh == OFFSET_FRESH;
}

/* When Syncs came back: their counter says how many of them no poll has seen. */
static void note_return(struct pipeline *p, int64_t ingress, uint64_t arrived)
{
	int64_t missed = arrived > 1 && arrived < 100 ? (int64_t)(arrived - 1) * p->sync_interval_ns : 0;

	if (p->judge.state != TSV_HOLDOVER)
		p->return_ns = 0;
	else if (p->return_ns == 0 && ingress > p->sync_ns)
		p->return_ns = ingress - missed > p->sync_ns ? ingress - missed : ingress;
}

static void follow(struct pipeline *p, const struct ptp_reading *r, int64_t now_mono, int64_t now_ns)
{
	struct offset_reading o = {
		r->time_status.ingress_ns, r->time_status.master_offset_ns, r->current.mean_path_delay_ns
	};
	uint64_t arrived = r->have & PTP_HAVE_STATS ?
		advance(&p->sync_count, r->stats.rx[PTP_MSG_SYNC]) : 1;
	enum offset_verdict v;
	struct bound claim;

	check_source(p, r);
	note_return(p, o.ingress_ns, arrived);
	if (!offset_is_fresh(p, r) || o.ingress_ns == 0 || o.path_ns == 0)
		return;
	if (o.path_ns < 0)
		p->contrary |= TSV_BIT(path_delay);
	offset_set_memory(&p->offsets, r->port.log_min_delay_req);
	bound_at(p, o.ingress_ns, &claim);
	v = offset_feed(&p->offsets, &o);
	if (v == OFFSET_OLD)
		return;
	note_run(p, &o);
	if (v == OFFSET_PENDING)
		return;
	if (p->sync_ns && o.ingress_ns > p->sync_ns)
		measure_interval(p, o.ingress_ns - p->sync_ns, arrived);
	if (vouching(p) && nstime_abs(o.offset_ns) - noise(p, &claim) > claim.judged_ns)
		contradict(p, v);
	p->sync_ns = o.ingress_ns;
	p->sync_mono = now_mono - nstime_sub(now_ns, o.ingress_ns);
	p->good_syncs += arrived ? arrived : 1;
	p->syncs += arrived ? arrived : 1;
	p->left_state = p->restarted = 0;
}

/* The page moves to the time that a ptp4l started since serves. */
static void take_shift(struct pipeline *p)
{
	int64_t move = p->restarted ? p->next_shift_ns - p->shift_ns : 0;

	p->restarted = 0;
	if (move == 0)
		return;
	p->shift_ns = p->next_shift_ns;
	p->clock_read_ns += move;
	p->asked_ns += move;
	p->asked_before_ns += move;
	p->disagrees = 1;
}

static void serve(struct pipeline *p, const struct ptp_reading *r)
{
	uint64_t sent = advance(&p->sync_count, r->stats.tx[PTP_MSG_SYNC]);

	if (!(r->have & PTP_HAVE_STATS) || sent == 0 || p->asked_before_ns == 0)
		return;
	take_shift(p);
	if (p->sync_ns)
		measure_interval(p, p->asked_before_ns - p->sync_ns, sent);
	/* Syncs left after the question before this one. */
	p->sync_ns = p->asked_before_ns;
	p->sync_mono = p->reply_before_mono;
	p->good_syncs += sent;
	p->syncs += sent;
}

void pipeline_ptp(struct pipeline *p, const struct ptp_reading *r, int64_t now_mono, uint64_t now_tick)
{
	int64_t now_ns = page_time(p, now_tick);

	if ((r->have & NEEDED) != NEEDED || !p->line.have)
		return;
	p->last = *r;
	p->have_last = 1;
	p->answered = 1;
	p->reply_before_mono = p->reply_mono;
	p->reply_mono = r->asked_ns;
	p->asked_before_ns = p->asked_ns;
	p->asked_ns = now_ns - (now_mono - r->asked_ns);
	find_role(p, r);
	count_traffic(p, r);
	if (!port_gives_time(p, r)) {
		p->left_state = 1;
		want(p, SYNC_WANTED, r);
	} else if (p->role == ROLE_REFERENCE) {
		serve(p, r);
	} else {
		follow(p, r, now_mono, now_ns);
	}
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
	if (!port_gives_time(p, &p->last))
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
		(software(p->settings) ? TSV_SOFTWARE : 0);
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

int pipeline_urgent(const struct pipeline *p)
{
	return p->judge.state == TSV_HOLDOVER || p->offsets.pendings > 0 || p->refresh != OFFSET_FRESH;
}

void pipeline_judge(struct pipeline *p, int64_t now_mono, uint64_t now_tick, struct pipeline_output *out)
{
	struct judge_evidence e;
	struct bound b;

	bound_at(p, p->line.have ? page_time(p, now_tick) : 0, &b);
	gather(p, &b, now_mono, &e);
	out->verdict = judge(&p->judge, &e, p->policy, now_mono);
	out->epoch_rose = out->verdict.epoch_rises;
	p->epoch += (uint32_t)out->epoch_rose;
	if (out->verdict.to == TSV_TRUSTED)
		p->good_until_ns = evidence_until(p);
	out->evidence_ns = edge_evidence(p, &out->verdict);
	fill_line(p, now_tick, &b, out);
	fill_snapshot(p, &b, &e, out);
}
