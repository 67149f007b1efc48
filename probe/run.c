#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "ether.h"
#include "hwclock_note.h"
#include "io.h"
#include "log.h"
#include "net.h"
#include "nstime.h"
#include "pace.h"
#include "priority.h"
#include "publish.h"
#include "reflector.h"
#include "report.h"
#include "sender.h"
#include "slices.h"

#define EPHEMERAL_PORT	0xc000		/* RFC 6335 6: dynamic ports */
#define RESOLVE_NS	(3 * NS_PER_S)	/* a run that ends by itself waits at least this long for ARP */
#define TURN_LATE_NS	(200 * NS_PER_MS)
#define TURN_NS		(300 * NS_PER_US)	/* it takes less than this */

struct run {
	const struct options *o;
	struct port *port;
	struct clock_live *live;
	struct clock *clock;
	struct slices_log *slices;
	struct gate *gate;
	struct publish *publish;
	struct probe_numbers *numbers;
	struct hwclock hw;
	struct net net;
	struct sender *sender;
	struct reflector *reflector;
	struct priority priority;
	int told;		/* what the test of the stamps came to */
	int64_t start_ns, turn_due_ns, last_poll_ns;
};

static int64_t now_ns(const struct run *r)
{
	return clock_mono_ns(r->clock, r->clock->ops->ticks(r->clock));
}

/* Setting up. */

static int open_gate(struct run *r, struct err *e)
{
	int err = r->o->slices ? slices_log_open(&r->slices, r->o->slices, e) : 0;

	if (err)
		return err;
	r->gate = gate_new(r->o->hold_limit_ms * NS_PER_MS, r->slices ? slices_log_note : NULL,
			   r->slices);
	return r->gate ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int open_sender(struct run *r, struct err *e)
{
	unsigned id = (unsigned)getpid();
	struct sender_config config = {
		.rate = r->o->rate, .count = r->o->count, .span_ns = r->o->seconds * NS_PER_S,
		.ssid = (uint16_t)(id % UINT16_MAX + 1), .remote_port = r->o->udp_port,
		.carrier = r->o->carrier,
	};

	r->sender = sender_new(&config, &r->net, r->gate, &publish_data(r->publish)->rtt, r->numbers);
	return r->sender ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int open_reflector(struct run *r, struct err *e)
{
	r->reflector = malloc(sizeof(*r->reflector));
	if (!r->reflector)
		return err_set(e, -ENOMEM, "out of memory");
	reflector_init(r->reflector, &r->net, r->numbers);
	return 0;
}

static uint16_t own_port(void)
{
	return (uint16_t)(EPHEMERAL_PORT | ((unsigned)getpid() & 0x3fff));
}

static void open_net(struct run *r)
{
	const struct options *o = r->o;
	struct net_config config = {
		.local_ip = o->local_ip, .remote_ip = o->remote_ip, .vlan = o->vlan, .resolve = !o->reflect,
		.local_port = o->reflect ? o->udp_port : own_port(),
	};

	r->numbers->reflector = (uint8_t)o->reflect;
	hwclock_init(&r->hw, r->port, r->clock);
	net_init(&r->net, &r->hw, &config, r->numbers);
	hwclock_note(&r->hw, r->net.carrier, r->numbers);
}

static int open_all(struct run *r, struct err *e)
{
	int err = r->o->reflect ? 0 : open_gate(r, e);

	if (!err)
		err = publish_open(&r->publish, r->o->name, r->o->segment, r->gate, r->slices, e);
	if (err)
		return err;
	r->numbers = &publish_data(r->publish)->numbers;
	open_net(r);
	err = r->o->reflect ? open_reflector(r, e) : open_sender(r, e);
	r->start_ns = r->last_poll_ns = now_ns(r);
	r->turn_due_ns = r->start_ns + NS_PER_S;
	return err;
}

static void close_all(struct run *r)
{
	sender_free(r->sender);
	free(r->reflector);
	publish_close(r->publish);
	gate_free(r->gate);
	slices_log_close(r->slices, NULL);
}

/* Running. */

/* Says once what the test of the stamps came to. */
static void tell_stamps(struct run *r)
{
	enum carrier c = r->net.carrier;

	if (r->told || hwclock_kind(&r->hw, c) == STAMP_NONE ||
	    (!r->numbers->received && r->hw.caps.rx_scope != SCOPE_NONE))
		return;
	r->told = 1;
	hwclock_tell(&r->hw, c);
}

static void poll_port(struct run *r)
{
	struct port_frame frames[PORT_BURST];
	struct ether_packet p;
	int n = hwclock_receive(&r->hw, frames, PORT_BURST);
	int64_t now = now_ns(r);

	if (now - r->last_poll_ns > r->numbers->poll_gap_max_ns)
		r->numbers->poll_gap_max_ns = now - r->last_poll_ns;
	r->last_poll_ns = now;
	for (int i = 0; i < n; i++) {
		if (!net_input(&r->net, &frames[i], now, &p))
			continue;
		if (r->sender)
			sender_input(r->sender, &p, &frames[i], now);
		else
			reflector_input(r->reflector, &p, &frames[i], now);
	}
}

static void work(struct run *r, int64_t now)
{
	clock_live_work(r->live, now);
	hwclock_work(&r->hw, now);
	net_work(&r->net, now);
	if (r->sender)
		sender_work(r->sender, now);
	else
		reflector_work(r->reflector);
}

static void get_pace(const struct run *r, int64_t now, struct pace *pace)
{
	if (r->sender)
		sender_pace(r->sender, now, pace);
	else
		reflector_pace(r->reflector, now, pace);
}

/* Copying the numbers takes as long as a round trip: it is done where nothing is expected meanwhile. */
static void turn(struct run *r, int64_t now, const struct pace *pace)
{
	int quiet = pace->hot_from_ns > now && pace->hot_from_ns - now > TURN_NS;

	if (now < r->turn_due_ns || (!quiet && now < r->turn_due_ns + TURN_LATE_NS))
		return;
	hwclock_note(&r->hw, r->net.carrier, r->numbers);
	publish_turn(r->publish);
	r->turn_due_ns += NS_PER_S;
	if (r->turn_due_ns < now)
		r->turn_due_ns = now + NS_PER_S;
}

static void rest(struct run *r, const struct pace *pace)
{
	int64_t before = now_ns(r);
	int64_t ns = r->o->isolated ? 0 : pace_sleep_ns(pace, before);
	struct timespec ts = nstime_to_timespec(ns);

	if (ns > 0)
		nanosleep(&ts, NULL);
	priority_note(&r->priority, before, ns);
}

/* How long an unanswered ARP request is waited for; 0: for ever. */
static int64_t resolve_limit_ns(const struct options *o)
{
	int64_t by_count = (int64_t)(o->count / (uint64_t)o->rate + 1) * NS_PER_S;
	int64_t limit = o->seconds ? o->seconds * NS_PER_S : by_count;

	if (!o->seconds && !o->count)
		return 0;
	return limit > RESOLVE_NS ? limit : RESOLVE_NS;
}

static int over(const struct run *r, int64_t now)
{
	int64_t limit;

	if (r->reflector)
		return r->o->seconds && now - r->start_ns >= r->o->seconds * NS_PER_S;
	if (r->net.resolved)
		return sender_done(r->sender, now);
	limit = resolve_limit_ns(r->o);
	return limit && now - r->start_ns >= limit;
}

static void loop(struct run *r, const volatile sig_atomic_t *stop)
{
	struct pace pace;
	int64_t now = r->start_ns;

	if (!r->o->isolated)
		priority_raise(&r->priority, now);
	while (!over(r, now)) {
		if (*stop && (r->reflector || !r->net.resolved))
			return;
		if (*stop)
			sender_stop(r->sender, now);
		poll_port(r);
		now = now_ns(r);
		work(r, now);
		tell_stamps(r);
		get_pace(r, now, &pace);
		turn(r, now, &pace);
		rest(r, &pace);
	}
}

/* Reporting. */

static int write_json(const struct run *r, struct err *e)
{
	json_t *report = report_json(publish_data(r->publish));
	char *text = report ? json_dumps(report, JSON_INDENT(2)) : NULL;
	int err = text ? io_write_file(r->o->json, text, strlen(text), 0644, e) :
			 err_set(e, -ENOMEM, "out of memory");

	free(text);
	json_decref(report);
	return err;
}

static int report(struct run *r, struct err *e)
{
	int err = 0, closed;

	hwclock_note(&r->hw, r->net.carrier, r->numbers);
	publish_finish(r->publish);
	if (r->o->json)
		err = write_json(r, e);
	closed = slices_log_close(r->slices, err ? NULL : e);
	r->slices = NULL;
	report_text(stdout, publish_data(r->publish));
	fflush(stdout);
	return err ? err : closed;
}

static int answered(const struct run *r, struct err *e)
{
	char ip[16];

	ether_ip_format(ip, sizeof(ip), r->o->remote_ip);
	if (!r->net.resolved)
		return err_set(e, -EHOSTUNREACH, "no answer from %s: nobody answers ARP for it", ip);
	if (!r->numbers->received)
		return err_set(e, -EHOSTUNREACH, "no answer from %s: it answers ARP, but reflects no probe",
			       ip);
	return 0;
}

int run_probe(const struct options *o, struct port *port, struct clock_live *live,
	const volatile sig_atomic_t *stop, struct err *e)
{
	struct run *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->o = o;
	r->port = port;
	r->live = live;
	r->clock = clock_live_clock(live);
	prctl(PR_SET_TIMERSLACK, 1UL);
	err = open_all(r, e);
	if (!err) {
		if (!clock_live_has_page(live))
			log_info("no trust page: one-way delays are not trusted until there is one");
		loop(r, stop);
		if (r->sender)
			sender_finish(r->sender);
		err = report(r, e);
	}
	if (!err && r->sender && !*stop)
		err = answered(r, e);
	close_all(r);
	free(r);
	return err;
}
