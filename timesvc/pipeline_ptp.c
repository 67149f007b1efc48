#include "timesvc/pipeline_own.h"

#include <string.h>

#include "nstime.h"

#define NEEDED (PTP_HAVE_TIME_STATUS | PTP_HAVE_CURRENT | PTP_HAVE_PARENT | PTP_HAVE_PORT | \
		PTP_HAVE_PROPERTIES | PTP_HAVE_DEFAULT)

int pipeline_port_gives_time(const struct pipeline *p, const struct ptp_reading *r)
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
		p->disagrees |= p->shift_ns != 0;
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
	if (p->sync_interval_ns)
		each = p->sync_interval_ns + (each - p->sync_interval_ns) / 8;
	p->sync_interval_ns = each;
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
	return claim->path_ns + (software_stamps(p->settings) ? p->policy->outlier_ns : 0);
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

	/* What came before anybody looked was not measured. */
	if (p->sync_ns == 0)
		arrived = 1;
	check_source(p, r);
	note_return(p, o.ingress_ns, arrived);
	if (!offset_is_fresh(p, r) || o.ingress_ns == 0 || o.path_ns == 0)
		return;
	if (o.path_ns < 0)
		p->contrary |= TSV_BIT(path_delay);
	p->offsets.outlier_ns = p->policy->outlier_ns;
	offset_set_memory(&p->offsets, r->port.log_min_delay_req);
	pipeline_claim(p, o.ingress_ns, &claim);
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
	p->sync_slewed_ns = p->asked_before_slewed_ns;
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
	p->sync_slewed_ns = p->asked_before_slewed_ns;
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
	p->asked_before_slewed_ns = p->asked_slewed_ns;
	p->asked_slewed_ns = p->line.slewed_ns;
	p->asked_ns = now_ns - (now_mono - r->asked_ns);
	find_role(p, r);
	count_traffic(p, r);
	if (!pipeline_port_gives_time(p, r)) {
		p->left_state = 1;
		want(p, SYNC_WANTED, r);
	} else if (p->role == ROLE_REFERENCE) {
		serve(p, r);
	} else {
		follow(p, r, now_mono, now_ns);
	}
}
