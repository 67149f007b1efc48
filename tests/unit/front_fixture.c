#include "front_fixture.h"

#include <stdio.h>
#include <string.h>
#include "reason.h"
#include "timesvc.h"
#include "timesvc/front/status.h"

static const struct ptp_identity here = { { 0xaa, 0xbb, 0xcc, 0xff, 0xfe, 0xdd, 0xee, 0xff } };
static const struct ptp_identity there = { { 0x02, 0, 0, 0xff, 0xfe, 0, 0, 0x01 } };

static void init_settings(struct settings *s)
{
	s->void_after_ns = 250 * NS_PER_MS;
	s->clock_count = 2;
	snprintf(s->clocks[0].name, NAME_SIZE, "follow");
	snprintf(s->clocks[0].interface, 16, "eth0");
	snprintf(s->clocks[1].name, NAME_SIZE, "lead");
	snprintf(s->clocks[1].interface, 16, "eth1");
	s->clocks[1].mode = MODE_ADOPT;
	s->probe_count = 1;
	snprintf(s->probes[0].name, NAME_SIZE, "a-b");
	snprintf(s->probes[0].clock, NAME_SIZE, "follow");
	snprintf(s->probes[0].command, 8, "send");
}

static void init_trusted(struct clock_snapshot *c)
{
	*c = (struct clock_snapshot){
		.name = "follow", .interface = "eth0", .mode = MODE_OBSERVE, .role = ROLE_FOLLOWER,
		.state = TSV_TRUSTED, .alarm = 1, .port_state = PTP_SLAVE,
		.have_offset = 1, .have_line = 1, .software = 1,
		.reasons = TSV_BIT(offset) | TSV_BIT(unconfirmed),
		.page_ns = INT64_C(1700000099900000000),
		.wall_ns = FIXTURE_WALL_NS - 100 * NS_PER_MS,
		.since_wall_ns = FIXTURE_WALL_NS - 90 * NS_PER_S,
		.good_until_ns = INT64_C(1700000099840000000),
		.offset_ns = -35200, .path_delay_ns = 1700,
		.ingress_ns = INT64_C(1700000099850000000),
		.bound_parent_ns = 37000, .bound_gm_ns = 38000, .bound_utc_ns = -1,
		.offset_term_ns = 35200, .path_term_ns = 1700, .read_term_ns = 40,
		.growth_term_ns = 60,
		.rate_ppb = -1200, .growth_ppb = 1000, .epoch = 3, .steps_removed = 1,
		.clock_identity = here, .parent_identity = there, .gm_identity = there,
		.gm_class = 248, .gm_accuracy = 0xFE, .domain = 24,
		.syncs = 1600, .polls = 1000, .replies = 999, .late_replies = 1, .malformed = 2,
		.foreign = 3, .outliers = 4, .clock_steps = 5,
		.ptp4l = { .pid = 4242, .starts = 2, .last_status = 9, .supervised = 1 },
	};
}

static void init_unknown(struct clock_snapshot *c)
{
	*c = (struct clock_snapshot){
		.name = "lead", .interface = "eth1", .mode = MODE_ADOPT, .role = ROLE_AUTO,
		.state = TSV_UNKNOWN, .reasons = TSV_BIT(starting),
		.wall_ns = FIXTURE_WALL_NS - 100 * NS_PER_MS,
		.bound_parent_ns = -1, .bound_gm_ns = -1, .bound_utc_ns = -1,
		.have_phc = 1, .phc_read_ns = 410, .phc_way = "extended", .phc_losses = 1,
		.phc = { .pci = "0000:01:00.0", .driver = "igb", .name = "525400000001", .index = 2 },
		.system = { .known = 1, .state = TSV_LOCAL_RTT, .have_offset = 1, .epoch = 4,
			.reasons = TSV_BIT(clock_step), .offset_ns = -81500, .bound_ns = 84000,
			.utc_offset = 37, .read_ns = 27, .clock_steps = 2 },
	};
}

static void init_event(struct trust_event *ev)
{
	*ev = (struct trust_event){
		.number = 1, .wall_ns = FIXTURE_WALL_NS - 90 * NS_PER_S,
		.ended = TSV_BIT(settling),
		.offset_ns = INT64_MIN, .bound_ns = -1, .epoch = 3,
		.from = TSV_SETTLING, .to = TSV_TRUSTED,
	};
}

static void init_snapshot(struct snapshot *n)
{
	n->version = SNAPSHOT_VERSION;
	n->clocks = 2;
	n->events = 1;
	n->probes = 1;
	n->number = 1;
	n->dropped = 2;
	n->void_after_ns = 250 * NS_PER_MS;
	n->started_wall_ns = FIXTURE_WALL_NS - 100 * NS_PER_S;
	n->tick_late_max_ns = 1500;
	n->tsc_hz = 2100000000;
	n->tsc_invariant = 1;
	init_trusted(&n->clock[0]);
	init_unknown(&n->clock[1]);
	n->probe[0] = (struct child_status){ .starts = 1, .last_status = 3 << 8, .supervised = 1,
		.crash_loop = 1 };
	init_event(&n->event[0]);
}

void fixture_take(struct fixture *f)
{
	store_take(&f->store, &f->snapshot, sizeof(f->snapshot), FIXTURE_MONO_NS - 100 * NS_PER_MS);
}

void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	init_settings(&f->settings);
	init_snapshot(&f->snapshot);
	store_init(&f->store, FIXTURE_MONO_NS - NS_PER_S);
	fixture_take(f);
	f->view = (struct view){
		.settings = &f->settings, .store = &f->store, .host = "trade1", .pid = 77,
		.now_wall_ns = FIXTURE_WALL_NS, .now_mono_ns = FIXTURE_MONO_NS,
	};
}

json_t *fixture_status(const struct fixture *f)
{
	json_t *status = status_json(&f->view);

	json_object_set_new(json_object_get(status, "daemon"), "version", json_string("1.2.3"));
	return status;
}
