/* The client against a ptp4l made of a socket pair and real frames. */
#include "timesvc/sources/mgmt.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "mgmt_frames.h"
#include "nstime.h"
#include "timesvc/sources/mgmt_wire.h"

enum { REQUEST_MAX = 16, ALL = 127 };
enum { AT_DOMAIN = 4, AT_CLOCK = 20, AT_TARGET_PORT = 42, AT_SEQUENCE = 30, AT_PORT_NUMBER = 62 };

struct request {
	uint16_t id, sequence, port;
	uint8_t action;
};

struct peer {
	struct mgmt *m;
	int fd;		/* ptp4l's side */
	struct request got[REQUEST_MAX];
	int count;
};

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void attach(struct peer *p)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = pair[1];
	mgmt_attach(p->m, pair[0]);
}

static int set_up(void **state)
{
	static struct peer p;

	p = (struct peer){ .m = mgmt_new(0, 0), .fd = -1 };
	assert_non_null(p.m);
	attach(&p);
	*state = &p;
	return 0;
}

static int tear_down(void **state)
{
	struct peer *p = *state;

	mgmt_free(p->m);
	close(p->fd);
	return 0;
}

/* What the client has sent since the last call. */
static void read_requests(struct peer *p)
{
	uint8_t buf[MGMT_MAX];

	p->count = 0;
	while (recv(p->fd, buf, sizeof(buf), MSG_DONTWAIT) > 0) {
		assert_in_range(p->count, 0, REQUEST_MAX - 1);
		p->got[p->count++] = (struct request){ .id = be16(buf + 52),
			.sequence = be16(buf + AT_SEQUENCE), .port = be16(buf + 28), .action = buf[46] };
	}
}

static void forget_requests(struct peer *p)
{
	uint8_t buf[MGMT_MAX];

	while (recv(p->fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}

static void poll_at(struct peer *p, int64_t now_ns)
{
	assert_int_equal(mgmt_poll(p->m, now_ns), 0);
	read_requests(p);
}

static const char *frame_of(uint16_t id)
{
	switch (id) {
	case MGMT_TIME_STATUS_NP: return FRAME_TIME_STATUS;
	case MGMT_PORT_DATA_SET: return FRAME_PORT;
	case MGMT_PORT_STATS_NP: return FRAME_STATS;
	case MGMT_CURRENT_DATA_SET: return FRAME_CURRENT;
	case MGMT_PARENT_DATA_SET: return FRAME_PARENT;
	case MGMT_TIME_PROPERTIES_DATA_SET: return FRAME_PROPERTIES;
	case MGMT_DEFAULT_DATA_SET: return FRAME_DEFAULT;
	case MGMT_SUBSCRIBE_EVENTS_NP: return FRAME_SUBSCRIBED;
	default: return FRAME_ERROR_HWCLOCK;
	}
}

static size_t make_reply(uint8_t *buf, const struct request *r, const char *frame)
{
	size_t len = frame_load(buf, MGMT_MAX, frame);

	put16(buf + AT_SEQUENCE, r->sequence);
	put16(buf + AT_TARGET_PORT, r->port);
	return len;
}

static void send_reply(struct peer *p, const uint8_t *buf, size_t len)
{
	assert_int_equal(send(p->fd, buf, len, 0), len);
}

static void reply(struct peer *p, const struct request *r)
{
	uint8_t buf[MGMT_MAX];

	send_reply(p, buf, make_reply(buf, r, frame_of(r->id)));
}

static void refuse(struct peer *p, const struct request *r, uint16_t error)
{
	uint8_t buf[MGMT_MAX];
	size_t len = make_reply(buf, r, FRAME_ERROR_HWCLOCK);

	put16(buf + 52, error);
	put16(buf + 54, r->id);
	send_reply(p, buf, len);
}

static void reply_all(struct peer *p)
{
	for (int i = 0; i < p->count; i++)
		reply(p, &p->got[i]);
}

static const struct request *find(const struct peer *p, uint16_t id)
{
	for (int i = 0; i < p->count; i++)
		if (p->got[i].id == id)
			return &p->got[i];
	return NULL;
}

static void asks_for_all_and_subscribes(void **state)
{
	struct peer *p = *state;

	poll_at(p, 1000);
	assert_int_equal(p->count, 8);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(p->got[i].action, MGMT_GET);
		assert_int_equal(p->got[i].port, p->got[0].port);
		assert_int_equal(p->got[i].sequence, p->got[0].sequence + i);
	}
	assert_int_equal(p->got[7].id, MGMT_SUBSCRIBE_EVENTS_NP);
	assert_int_equal(p->got[7].action, MGMT_SET);
	assert_int_not_equal(p->got[7].port, p->got[0].port);
	assert_int_equal(mgmt_reading(p->m)->asked_ns, 1000);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	assert_int_equal(mgmt_reading(p->m)->answered_ns, 0);
}

static void completes_poll(void **state)
{
	struct peer *p = *state;
	const struct ptp_reading *r = mgmt_reading(p->m);
	const struct mgmt_counters *c = mgmt_counters(p->m);

	poll_at(p, 1000);
	reply_all(p);
	assert_int_equal(mgmt_receive(p->m, 5000), MGMT_POLL_COMPLETE);
	assert_int_equal(r->have, ALL);
	assert_int_equal(r->answered_ns, 5000);
	assert_int_equal(r->time_status.master_offset_ns, 0x54);
	assert_int_equal(r->port.state, PTP_UNCALIBRATED);
	assert_int_equal(r->stats.rx[PTP_MSG_SYNC], 0x20f);
	assert_int_equal(r->current.mean_path_delay_ns, 0x98c);
	assert_int_equal(r->parent.gm_class, 248);
	assert_int_equal(r->properties.utc_offset, 37);
	assert_int_equal(r->defaults.ports, 1);
	assert_int_equal(c->polls, 1);
	assert_int_equal(c->answered, 1);
	assert_int_equal(mgmt_receive(p->m, 6000), 0);
	assert_int_equal(r->answered_ns, 5000);
}

static void claims_only_what_this_poll_brought(void **state)
{
	struct peer *p = *state;
	const struct ptp_reading *r = mgmt_reading(p->m);

	poll_at(p, 1000);
	reply_all(p);
	mgmt_receive(p->m, 2000);
	poll_at(p, 3000);
	assert_int_equal(r->have, 0);
	assert_int_equal(r->answered_ns, 0);
	assert_int_equal(r->port.state, 0);
	reply(p, find(p, MGMT_PORT_DATA_SET));
	reply(p, find(p, MGMT_CURRENT_DATA_SET));
	assert_int_equal(mgmt_receive(p->m, 4000), 0);
	assert_int_equal(r->have, PTP_HAVE_PORT | PTP_HAVE_CURRENT);
	assert_int_equal(mgmt_counters(p->m)->answered, 1);
}

static void counts_late_and_duplicate(void **state)
{
	struct peer *p = *state;
	struct request old, twice;

	poll_at(p, 1000);
	old = *find(p, MGMT_PORT_DATA_SET);
	poll_at(p, 2000);
	reply(p, &old);
	assert_int_equal(mgmt_receive(p->m, 2100), 0);
	assert_int_equal(mgmt_counters(p->m)->late, 1);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	assert_int_equal(mgmt_reading(p->m)->answered_ns, 0);
	twice = *find(p, MGMT_PORT_DATA_SET);
	reply(p, &twice);
	reply(p, &twice);
	mgmt_receive(p->m, 2200);
	assert_int_equal(mgmt_counters(p->m)->late, 2);
	assert_int_equal(mgmt_reading(p->m)->have, PTP_HAVE_PORT);
}

/* The right sequence on the wrong data set is no answer either. */
static void matches_the_data_set_too(void **state)
{
	struct peer *p = *state;
	struct request r;

	poll_at(p, 1000);
	r = *find(p, MGMT_PORT_DATA_SET);
	r.id = MGMT_CURRENT_DATA_SET;
	reply(p, &r);
	assert_int_equal(mgmt_receive(p->m, 2000), 0);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	assert_int_equal(mgmt_counters(p->m)->late, 1);
}

static void counts_malformed(void **state)
{
	struct peer *p = *state;
	uint8_t buf[2 * MGMT_MAX] = { 0 };
	size_t len;

	poll_at(p, 1000);
	send_reply(p, buf, 0);
	send_reply(p, buf, 3);
	len = make_reply(buf, find(p, MGMT_PORT_DATA_SET), FRAME_PORT);
	send_reply(p, buf, len - 2);
	send_reply(p, buf, sizeof(buf));	/* longer than any message */
	assert_int_equal(mgmt_receive(p->m, 2000), 0);
	assert_int_equal(mgmt_counters(p->m)->malformed, 4);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	assert_int_equal(mgmt_reading(p->m)->answered_ns, 0);
	reply_all(p);
	assert_int_equal(mgmt_receive(p->m, 3000), MGMT_POLL_COMPLETE);
}

static void counts_foreign(void **state)
{
	struct peer *p = *state;
	uint8_t buf[MGMT_MAX];
	struct request r;
	size_t len;

	poll_at(p, 1000);
	reply(p, find(p, MGMT_DEFAULT_DATA_SET));	/* from now on the clock is known */
	mgmt_receive(p->m, 1500);
	r = *find(p, MGMT_PORT_DATA_SET);
	len = make_reply(buf, &r, FRAME_PORT);
	buf[AT_DOMAIN] = 1;
	send_reply(p, buf, len);
	send_reply(p, buf, make_reply(buf, &r, FRAME_GM_PORT));	/* the grandmaster's answer */
	r.port ^= 1;
	send_reply(p, buf, make_reply(buf, &r, FRAME_PORT));	/* for another client */
	assert_int_equal(mgmt_receive(p->m, 2000), 0);
	assert_int_equal(mgmt_counters(p->m)->foreign, 3);
	assert_int_equal(mgmt_counters(p->m)->late, 0);
	assert_int_equal(mgmt_reading(p->m)->have, PTP_HAVE_DEFAULT);
	assert_int_equal(mgmt_reading(p->m)->answered_ns, 1500);
}

static void forgets_the_clock_when_attached_anew(void **state)
{
	struct peer *p = *state;
	uint8_t buf[MGMT_MAX];

	poll_at(p, 1000);
	reply_all(p);
	mgmt_receive(p->m, 1500);
	attach(p);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	poll_at(p, 2000);
	assert_non_null(find(p, MGMT_SUBSCRIBE_EVENTS_NP));
	send_reply(p, buf, make_reply(buf, find(p, MGMT_PORT_DATA_SET), FRAME_GM_PORT));
	mgmt_receive(p->m, 2500);
	assert_int_equal(mgmt_counters(p->m)->foreign, 0);
	assert_int_equal(mgmt_reading(p->m)->port.state, PTP_MASTER);
}

static void passes_over_other_ports(void **state)
{
	struct peer *p = *state;
	uint8_t buf[MGMT_MAX];
	size_t len;

	poll_at(p, 1000);
	len = make_reply(buf, find(p, MGMT_PORT_DATA_SET), FRAME_PORT);
	buf[AT_PORT_NUMBER + 1] = 2;
	send_reply(p, buf, len);
	assert_int_equal(mgmt_receive(p->m, 2000), 0);
	assert_int_equal(mgmt_reading(p->m)->have, 0);
	reply_all(p);
	assert_int_equal(mgmt_receive(p->m, 2000), MGMT_POLL_COMPLETE);
	assert_int_equal(mgmt_reading(p->m)->port.port.port, 1);
	assert_int_equal(mgmt_counters(p->m)->late + mgmt_counters(p->m)->foreign, 0);
}

static void stops_asking_for_what_is_unknown(void **state)
{
	struct peer *p = *state;

	poll_at(p, 1000);
	for (int i = 0; i < p->count; i++) {
		if (p->got[i].id == MGMT_PORT_STATS_NP)
			refuse(p, &p->got[i], 0x0002);	/* NO_SUCH_ID */
		else if (p->got[i].id == MGMT_CURRENT_DATA_SET)
			refuse(p, &p->got[i], 0xfffe);	/* GENERAL_ERROR: may be answered next time */
		else
			reply(p, &p->got[i]);
	}
	assert_int_equal(mgmt_receive(p->m, 2000), MGMT_POLL_COMPLETE);
	assert_int_equal(mgmt_reading(p->m)->have, ALL & ~(PTP_HAVE_STATS | PTP_HAVE_CURRENT));
	assert_int_equal(mgmt_counters(p->m)->refused, 2);
	poll_at(p, 3000);
	assert_null(find(p, MGMT_PORT_STATS_NP));
	assert_non_null(find(p, MGMT_CURRENT_DATA_SET));
	reply_all(p);
	assert_int_equal(mgmt_receive(p->m, 4000), MGMT_POLL_COMPLETE);
	attach(p);
	poll_at(p, 5000);
	assert_non_null(find(p, MGMT_PORT_STATS_NP));
}

static void renews_subscription(void **state)
{
	struct peer *p = *state;

	poll_at(p, 0);
	assert_non_null(find(p, MGMT_SUBSCRIBE_EVENTS_NP));
	poll_at(p, 10 * NS_PER_S - 1);
	assert_null(find(p, MGMT_SUBSCRIBE_EVENTS_NP));
	poll_at(p, 10 * NS_PER_S);
	assert_non_null(find(p, MGMT_SUBSCRIBE_EVENTS_NP));
	refuse(p, find(p, MGMT_SUBSCRIBE_EVENTS_NP), 0x0006);	/* NOT_SUPPORTED */
	assert_int_equal(mgmt_receive(p->m, 10 * NS_PER_S), 0);
	assert_int_equal(mgmt_counters(p->m)->refused, 1);
	poll_at(p, 60 * NS_PER_S);
	assert_null(find(p, MGMT_SUBSCRIBE_EVENTS_NP));
}

static void tells_of_state_events(void **state)
{
	struct peer *p = *state;
	struct request event = { .sequence = 0 };
	uint8_t buf[MGMT_MAX];
	size_t len;

	poll_at(p, 1000);
	event.port = find(p, MGMT_SUBSCRIBE_EVENTS_NP)->port;
	send_reply(p, buf, make_reply(buf, &event, FRAME_EVENT));
	assert_int_equal(mgmt_receive(p->m, 2000), MGMT_STATE_EVENT);
	assert_int_equal(mgmt_counters(p->m)->events, 1);
	assert_int_equal(mgmt_reading(p->m)->have, 0);	/* a push is no answer to this poll */
	assert_int_equal(mgmt_reading(p->m)->answered_ns, 0);
	len = make_reply(buf, &event, FRAME_EVENT);
	buf[AT_PORT_NUMBER + 1] = 2;
	send_reply(p, buf, len);
	assert_int_equal(mgmt_receive(p->m, 3000), 0);
	reply_all(p);
	send_reply(p, buf, make_reply(buf, &event, FRAME_EVENT));
	assert_int_equal(mgmt_receive(p->m, 4000), MGMT_POLL_COMPLETE | MGMT_STATE_EVENT);
	assert_int_equal(mgmt_counters(p->m)->events, 2);
}

static void survives_sequence_wrap(void **state)
{
	struct peer *p = *state;

	for (int i = 0; i < 10000; i++) {
		poll_at(p, 1000 * i);
		reply_all(p);
		assert_int_equal(mgmt_receive(p->m, 1000 * i + 1), MGMT_POLL_COMPLETE);
	}
	assert_int_equal(mgmt_counters(p->m)->answered, 10000);
	assert_int_equal(mgmt_counters(p->m)->late, 0);
}

/* A stopped ptp4l: its queue fills, and nothing here waits for it. */
static void never_blocks_on_a_full_queue(void **state)
{
	struct peer *p = *state;
	int rc = 0, polls = 0;

	while (rc == 0 && polls < 1000) {
		rc = mgmt_poll(p->m, 1000 + polls);
		polls++;
	}
	assert_int_equal(rc, -EAGAIN);
	assert_true(mgmt_counters(p->m)->polls == (uint64_t)polls);
	assert_int_equal(mgmt_counters(p->m)->send_errors, 1);
	assert_int_equal(mgmt_receive(p->m, 5000), 0);
	forget_requests(p);
	poll_at(p, 6000);
	reply_all(p);
	assert_int_equal(mgmt_receive(p->m, 7000), MGMT_POLL_COMPLETE);
}

static void says_when_nobody_listens(void **state)
{
	struct peer *p = *state;

	close(p->fd);
	p->fd = -1;
	assert_int_equal(mgmt_poll(p->m, 1000), -ECONNREFUSED);
	assert_int_equal(mgmt_reading(p->m)->asked_ns, 1000);
	assert_int_equal(mgmt_receive(p->m, 2000), 0);
	mgmt_attach(p->m, -1);
	assert_int_equal(mgmt_fd(p->m), -1);
	assert_int_equal(mgmt_poll(p->m, 3000), -ENOTCONN);
	assert_int_equal(mgmt_receive(p->m, 3000), 0);
	assert_int_equal(mgmt_counters(p->m)->polls, 1);
}

/* A flood is worked off in portions, so that the caller's loop goes on. */
static void reads_a_flood_in_portions(void **state)
{
	struct peer *p = *state;
	int sent = 0;

	while (send(p->fd, "x", 1, MSG_DONTWAIT) == 1)
		sent++;
	assert_in_range(sent, 1, 100000);
	for (int i = 0; i < sent && mgmt_counters(p->m)->malformed < (uint64_t)sent; i++) {
		uint64_t before = mgmt_counters(p->m)->malformed;

		mgmt_receive(p->m, i);
		assert_in_range(mgmt_counters(p->m)->malformed - before, 1, 64);
	}
	assert_int_equal(mgmt_counters(p->m)->malformed, sent);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(asks_for_all_and_subscribes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(completes_poll, set_up, tear_down),
		cmocka_unit_test_setup_teardown(claims_only_what_this_poll_brought, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_late_and_duplicate, set_up, tear_down),
		cmocka_unit_test_setup_teardown(matches_the_data_set_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_malformed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_foreign, set_up, tear_down),
		cmocka_unit_test_setup_teardown(forgets_the_clock_when_attached_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(passes_over_other_ports, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stops_asking_for_what_is_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(renews_subscription, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tells_of_state_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(survives_sequence_wrap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_blocks_on_a_full_queue, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_when_nobody_listens, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_a_flood_in_portions, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
