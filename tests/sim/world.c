#include "tests/sim/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nstime.h"

#define STEP_NS		(5 * NS_PER_MS)
#define REFRESH_NS	(50 * NS_PER_MS)
#define POLL_NS		(100 * NS_PER_MS)
#define READ_HALF_NS	25
#define VOID_NS		(250 * NS_PER_MS)

static double uniform(struct world *w)
{
	return (double)(rng_next(&w->rng) >> 11) * 0x1p-53;
}

static double gauss(struct world *w)
{
	return sqrt(-2 * log(uniform(w) + 1e-300)) * cos(2 * M_PI * uniform(w));
}

void world_init(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	w->rng.state = seed;
	w->now = 1000 * NS_PER_S;
	w->delay_ab = w->delay_ba = 1700;
	w->jitter = 1000;
	w->read_half_ns = READ_HALF_NS;
	w->log_sync = -4;
	w->log_delay_req = -3;
	w->port_state = PTP_UNCALIBRATED;
	w->gm.id[7] = 1;
}

static void default_settings(struct world *w)
{
	static const char text[] = "[clock sim]\ninterface sim0\n";
	struct err e;

	if (settings_parse(&w->settings, "sim", text, sizeof(text) - 1, &e) < 0)
		abort();
}

void world_start(struct world *w)
{
	default_settings(w);
	if (w->servo)
		w->settings.clocks[0].mode = MODE_STEER;
	if (w->servo)
		w->port_state = PTP_SLAVE;
	if (w->reference)
		w->port_state = PTP_MASTER;
	w->rate = w->drift_ppm * 1e-6;
	w->next_sync = w->next_delay = w->next_poll = w->next_refresh = w->now;
	pipeline_init(&w->pipeline, &w->settings.clocks[0], &w->settings.policy, 1.0 / TICKS_PER_NS,
		POLL_NS, 0, w->now);
}

/* A register behind PCIe is read within half a microsecond, and 82576s stamp to 16 ns. */
void world_hardware(struct world *w, int servo)
{
	w->servo = servo;
	w->hardware = 1;
	w->delay_ab = w->delay_ba = 500;
	w->jitter = 40;
	w->log_sync = -3;
	w->read_half_ns = 500;
	w->wander_ppm = 0.005;
}

static int64_t local_time(const struct world *w)
{
	return w->now + llround(w->local_minus_true);
}

static double one_way(struct world *w, int64_t base)
{
	double late = uniform(w) < w->outlier_p ? uniform(w) * (double)w->outlier_ns : 0;

	return (double)base + uniform(w) * (double)w->jitter + late;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A Delay_Req exchange: both one-way delays show, halved, behind a median of ten. */
static void measure_path(struct world *w)
{
	double sorted[10], two_way = one_way(w, w->delay_ab) + one_way(w, w->delay_ba);
	int n;

	w->path[w->paths++ % 10] = two_way / 2;
	w->rx_delay_resp++;
	n = w->paths < 10 ? w->paths : 10;
	memcpy(sorted, w->path, sizeof(sorted));
	qsort(sorted, (size_t)n, sizeof(sorted[0]), compare);
	w->path_filtered = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	if (w->negative_path)
		w->path_filtered = -50;
}

/* A proportional-integral servo with linuxptp's constants; an interval is in ns, as the offset. */
static void steer(struct world *w, double offset)
{
	double interval = (double)nstime_log_interval(w->log_sync);
	double seconds = interval * 1e-9;
	double kp = w->hardware ? fmin(0.7 * pow(seconds, -0.3) * seconds, 0.7) : 0.1;
	double ki = w->hardware ? fmin(0.3 * pow(seconds, 0.4) * seconds, 0.3) : 0.001;

	w->integral += ki * offset / interval;
	w->adjustment = -(kp * offset / interval + w->integral);
}

static void receive_sync(struct world *w)
{
	double delay = one_way(w, w->delay_ab);
	double offset = w->local_minus_true - (double)w->gm_shift + delay - w->path_filtered;

	w->rx_sync++;
	w->status.time_status.ingress_ns = local_time(w);
	if (w->paths == 0)
		return;		/* the offset stays what it was */
	w->status.time_status.master_offset_ns = llround(offset);
	w->status.current.mean_path_delay_ns = llround(w->path_filtered);
	if (w->servo)
		steer(w, offset);
}

static void run_ptp4l(struct world *w)
{
	int silent = w->ptp4l_dead || w->ptp4l_hung || w->link_off;

	if (w->now >= w->next_delay) {
		w->next_delay += nstime_log_interval(w->log_delay_req);
		if (!silent && !w->reference && !w->sync_off)
			measure_path(w);
	}
	if (w->now < w->next_sync)
		return;
	w->next_sync += nstime_log_interval(w->log_sync);
	if (!silent && !w->announce_off)
		w->rx_other++;
	if (silent || w->sync_off || uniform(w) < w->sync_loss)
		return;
	if (w->reference)
		w->tx_sync++;
	else
		receive_sync(w);
}

static void answer_poll(struct world *w)
{
	struct ptp_reading r = w->status;
	static const struct ptp_identity self = { { 0, 0, 0, 0, 0, 0, 0, 9 } };

	if (w->ptp4l_dead || w->ptp4l_hung)
		return;
	r.asked_ns = w->now;
	r.answered_ns = w->now + 100 * NS_PER_US;
	r.have = PTP_HAVE_TIME_STATUS | PTP_HAVE_DEFAULT | PTP_HAVE_CURRENT | PTP_HAVE_PARENT |
		PTP_HAVE_PROPERTIES | PTP_HAVE_PORT | PTP_HAVE_STATS;
	r.defaults.clock = self;
	r.parent.gm = r.parent.parent.clock = w->reference ? self : w->gm;
	r.parent.gm_accuracy = 0xFE;
	r.current.steps_removed = w->reference ? 0 : 1;
	r.port.state = w->port_state;
	r.port.log_min_delay_req = w->log_delay_req;
	r.stats.rx[PTP_MSG_SYNC] = w->rx_sync;
	r.stats.rx[PTP_MSG_ANNOUNCE] = w->rx_other;
	r.stats.rx[PTP_MSG_DELAY_RESP] = w->rx_delay_resp;
	r.stats.tx[PTP_MSG_SYNC] = w->tx_sync;
	pipeline_ptp(&w->pipeline, &r, w->now, (uint64_t)w->now * TICKS_PER_NS);
}

static void note_edges(struct world *w)
{
	const struct judge_verdict *v = &w->out.verdict;

	w->reasons_seen |= v->reasons;
	w->states_seen |= 1u << v->to;
	if (v->alarm_to && !w->alarm_seen)
		w->alarmed_at = w->now;
	w->alarm_seen |= v->alarm_to;
	if (v->to == TSV_LOCAL_RTT && w->fell_at == 0)
		w->fell_at = w->now;
	if (v->to == TSV_HOLDOVER && w->held_at == 0)
		w->held_at = w->now;
	if (v->to == TSV_TRUSTED && w->trusted_at == 0)
		w->trusted_at = w->now;
}

static void judge_now(struct world *w)
{
	pipeline_judge(&w->pipeline, w->now, (uint64_t)w->now * TICKS_PER_NS, &w->out);
	w->published |= w->out.have_line;
	note_edges(w);
}

static void read_clock(struct world *w)
{
	/* The true reading lies anywhere inside the bracket. */
	struct clock_reading r = {
		.tick = (uint64_t)w->now * TICKS_PER_NS, .half_width_ns = w->read_half_ns + 1,
		.time_ns = local_time(w) + llround((uniform(w) * 2 - 1) * (double)w->read_half_ns),
	};

	pipeline_clock(&w->pipeline, w->reads_fail ? NULL : &r);
}

static void run_engine(struct world *w)
{
	if (w->now < w->stalled_until)
		return;
	if (w->engine_stall_ns && uniform(w) < 0.002)
		w->stalled_until = w->now + (int64_t)(uniform(w) * (double)w->engine_stall_ns);
	pipeline_link(&w->pipeline, !w->link_off);
	if (w->now >= w->next_refresh) {
		w->next_refresh = w->now + REFRESH_NS;
		read_clock(w);
		judge_now(w);
	}
	if (w->now >= w->next_poll) {
		w->next_poll = w->now + (pipeline_urgent(&w->pipeline) ? REFRESH_NS : POLL_NS);
		answer_poll(w);
		judge_now(w);
	}
}

/* What a reader would say at this instant, against the truth. */
static void check(struct world *w)
{
	const struct tsv_time *l = &w->out.line;
	int64_t age = w->now - (int64_t)(l->tsc / TICKS_PER_NS);
	int64_t page = l->ns + (int64_t)((__int128)age * TICKS_PER_NS * (__int128)w->out.mult >> 48);
	int64_t bound = l->bound_ns + (int64_t)(((__int128)age * w->out.growth + UINT32_MAX) >> 32);
	/* A reference serves its own time: there the page must follow it. */
	double truth = w->reference ? (double)local_time(w) : (double)(w->now + w->gm_shift);
	int64_t excess = (int64_t)fabs((double)page - truth) - bound;

	if (!w->published)
		return;
	w->steps++;
	if (l->epoch == w->last_epoch && page < w->last_page_ns)
		w->backwards++;
	w->last_epoch = l->epoch;
	w->last_page_ns = page;
	if (age > VOID_NS || (l->state != TSV_TRUSTED && l->state != TSV_HOLDOVER))
		return;
	w->trusted_steps += l->state == TSV_TRUSTED;
	if (w->now >= w->blind_from && w->now < w->blind_until)
		return;
	w->checks++;
	if (excess > w->worst_excess || w->checks == 1)
		w->worst_excess = excess;
	w->violations += excess > 0;
}

static void advance_clock(struct world *w)
{
	w->rate += w->wander_ppm * 1e-6 * gauss(w) * sqrt((double)STEP_NS / 1e9);
	w->local_minus_true += (w->rate + w->adjustment) * (double)STEP_NS;
	w->now += STEP_NS;
}

void world_run(struct world *w, int64_t span_ns)
{
	for (int64_t end = w->now + span_ns; w->now < end;) {
		advance_clock(w);
		run_ptp4l(w);
		run_engine(w);
		check(w);
	}
}

void world_step_clock(struct world *w, int64_t ns)
{
	w->local_minus_true += (double)ns;
}

void world_bend_clock(struct world *w, double ppm)
{
	w->rate += ppm * 1e-6;
}

void world_kill(struct world *w)
{
	w->ptp4l_dead = 1;
	pipeline_ptp4l(&w->pipeline, 0);
}

void world_revive(struct world *w)
{
	w->ptp4l_dead = 0;
	w->rx_sync = w->rx_other = w->rx_delay_resp = w->tx_sync = 0;
	w->paths = 0;
	memset(&w->status, 0, sizeof(w->status));
	pipeline_ptp4l(&w->pipeline, 1);
}

void world_lose_master(struct world *w)
{
	w->sync_off = 1;
	w->port_state = PTP_LISTENING;
}

void world_find_master(struct world *w)
{
	w->sync_off = 0;
	w->port_state = PTP_UNCALIBRATED;
	w->paths = 0;
}

void world_mark(struct world *w)
{
	w->reasons_seen = 0;
	w->states_seen = 0;
	w->alarm_seen = 0;
	w->fell_at = w->held_at = w->alarmed_at = w->trusted_at = 0;
	w->steps = w->trusted_steps = 0;
}
