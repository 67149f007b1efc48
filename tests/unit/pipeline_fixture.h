/* pipeline_fixture.h: a pipeline, and the host and the ptp4l that it sees. Include cmocka.h first. */
#ifndef TESTS_PIPELINE_FIXTURE_H
#define TESTS_PIPELINE_FIXTURE_H

#include <string.h>

#include "nstime.h"
#include "timesvc/pipeline.h"
#include "timesvc/sources/sysclk.h"

#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US
#define B(name)	TSV_BIT(name)
#define POLL	(100 * MS)
#define REFRESH	(50 * MS)
#define WALL0	(INT64_C(1700000000) * S)	/* the local clock when the counter and mono are 0 */
#define ALL	(PTP_HAVE_TIME_STATUS | PTP_HAVE_DEFAULT | PTP_HAVE_CURRENT | PTP_HAVE_PARENT | \
		PTP_HAVE_PROPERTIES | PTP_HAVE_PORT | PTP_HAVE_STATS)

static const struct policy_settings policy = {
	.alarm_offset_ns = 30 * US, .alarm_clear_ns = 20 * US, .alarm_clear_time_ns = 5 * S,
	.fallback_bound_ns = 100 * US, .recover_bound_ns = 50 * US, .recover_time_ns = 5 * S,
	.hold_limit_ns = 5 * S, .reply_timeout_ns = 400 * MS, .growth_ppb = 1000, .outlier_ns = 10 * US,
	.settle_syncs = 16,
};

/* A host whose clock, counter and monotonic clock run alike, and the ptp4l on it. */
static struct clock_settings settings;
static struct pipeline p;
static struct pipeline_output out;
static struct ptp_reading r;
static int64_t now, wall;		/* mono = counter; the local clock */
static int64_t sync_every, next_sync;
static uint32_t states;			/* seen, by bit */
static uint64_t reasons;		/* seen */
static int sync_on, delays_on, answers, reads;

static const struct ptp_identity self = { { 0, 0, 0, 0, 0, 0, 0, 9 } };

static inline void begin_as(enum clock_role role)
{
	settings = (struct clock_settings){
		.name = "main", .interface = "eth0", .mode = MODE_OBSERVE, .time_stamping = "software",
		.upstream_budget_ns = -1, .role = role,
	};
	r = (struct ptp_reading){ .have = ALL };
	r.defaults.clock = self;
	r.parent.gm.id[7] = r.parent.parent.clock.id[7] = 1;
	r.parent.gm_accuracy = 0xFE;
	r.current = (struct ptp_current_ds){ .steps_removed = 1, .mean_path_delay_ns = 1700 };
	r.time_status.master_offset_ns = 400;
	r.port = (struct ptp_port_ds){ .state = PTP_UNCALIBRATED, .log_min_delay_req = -3 };
	now = 10 * S;
	wall = WALL0;
	sync_every = next_sync = S / 16;
	next_sync += now;
	sync_on = delays_on = answers = reads = 1;
	states = 0;
	reasons = 0;
}

static inline void start(uint32_t epoch)
{
	pipeline_init(&p, &settings, &policy, 1.0, POLL, epoch, now);
}

static inline int64_t local_time(void)
{
	return now + wall;
}

static inline void judge_now(void)
{
	pipeline_judge(&p, now, (uint64_t)now, &out);
	states |= 1u << out.verdict.to;
	reasons |= out.verdict.reasons;
}

static inline void run_ptp4l(void)
{
	for (; next_sync <= now; next_sync += sync_every) {
		r.stats.rx[PTP_MSG_ANNOUNCE]++;
		if (!sync_on)
			continue;
		r.stats.rx[PTP_MSG_SYNC]++;
		r.stats.rx[PTP_MSG_DELAY_RESP] += (uint64_t)delays_on;
		r.stats.tx[PTP_MSG_SYNC]++;
		r.time_status.ingress_ns = next_sync + wall;
	}
}

static inline void poll(void)
{
	r.asked_ns = now;
	if (answers)
		pipeline_ptp(&p, &r, now, (uint64_t)now);
}

static inline void run(int64_t span)
{
	struct clock_reading c = { .half_width_ns = 26 };

	for (int64_t end = now + span; now < end;) {
		now += REFRESH;
		run_ptp4l();
		c.tick = (uint64_t)now;
		c.time_ns = local_time();
		pipeline_clock(&p, reads ? &c : NULL);
		judge_now();
		if (now % POLL != 0)
			continue;
		poll();
		judge_now();
	}
}

/* A follower that is TRUSTED. */
static inline void begin(void)
{
	begin_as(ROLE_AUTO);
	start(0);
	run(4 * S);
	assert_int_equal(out.verdict.to, TSV_TRUSTED);
	states = 0;
	reasons = 0;
}

static inline void begin_reference(void)
{
	begin_as(ROLE_AUTO);
	r.port.state = PTP_MASTER;
	r.parent.gm = r.parent.parent.clock = self;
	r.current = (struct ptp_current_ds){ .steps_removed = 0 };
	r.time_status = (struct ptp_time_status){ .gm_present = 0 };
	start(0);
}

static inline int saw(enum tsv_state state)
{
	return states >> state & 1;
}

static inline void expect_holdover(uint64_t why)
{
	assert_int_equal(out.verdict.to, TSV_HOLDOVER);
	assert_int_equal(out.verdict.reasons & why, why);
	assert_false(saw(TSV_LOCAL_RTT));
}

#endif
