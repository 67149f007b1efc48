#include "port_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/net_tstamp.h>
#include "hwstamp.h"
#include "hwstamp_users.h"
#include "kernel_phc.h"
#include "kernel_sent.h"
#include "kernel_socket.h"
#include "kernel_time.h"
#include "log.h"
#include "nstime.h"

#define TX_TIMEOUT_NS	(200 * NS_PER_MS)
#define SETTLE_NS	(20 * NS_PER_MS)	/* after a restart, stamps of before may still come */
#define NOTE_NS		(10 * NS_PER_MS)	/* between readings of CLOCK_REALTIME when no frame comes */
#define LOOK_NS		NS_PER_MS		/* between two looks at a process */
#define RATE_NS		(5 * NS_PER_MS)
#define READS		2
#define MAC_HEADER	14
#define TAG		4

struct kernel_port {
	struct port base;
	struct kernel_socket *socket;
	struct kernel_info info;
	struct hwstamp hw;
	struct hwstamp_plan plan;
	struct hwstamp_users *users;	/* NULL: there is nobody to look out for */
	int changed;			/* the set-up of the interface is ours, to be taken back */
	int yielded;			/* it was, until a ptp4l came */
	struct kernel_phc phc;
	struct kernel_time time;
	struct kernel_sent sent;
	uint64_t noted_tick, looked_tick;
	uint64_t silent_until;		/* 0: stamps may be asked for */
	struct port_stats stats;
	uint8_t out[PORT_FRAME_MAX];
};

static struct kernel_port *kernel_of(struct port *port)
{
	return (struct kernel_port *)port;
}

/* Starting. */

static int switch_on(struct kernel_port *p, struct err *e)
{
	int err = hwstamp_set(kernel_socket_fd(p->socket), p->hw.ifname, HWTSTAMP_TX_ON, p->plan.rx_filter);

	if (err == -EPERM)
		return err_set(e, err, "hardware time stamps cannot be switched on without CAP_NET_ADMIN");
	if (err)
		return err_set(e, err, "hardware time stamps cannot be switched on: %s", strerror(-err));
	p->changed = 1;
	return 0;
}

/* Without a clock that can be read, or when the driver does not want to, there are software stamps. */
static void set_up(struct kernel_port *p)
{
	struct hwstamp_plan *plan = &p->plan;
	struct err e = { 0 };
	int err = 0;

	if (plan->rx != STAMP_HARDWARE && plan->tx != STAMP_HARDWARE)
		return;
	err = kernel_phc_open(&p->phc, p->hw.phc_index, &e);
	if (!err && plan->set)
		err = switch_on(p, &e);
	if (err)
		hwstamp_plan_software(&p->hw, e.msg, plan);
}

static void close_all(struct kernel_port *p)
{
	if (p->changed)
		hwstamp_set(kernel_socket_fd(p->socket), p->hw.ifname, p->hw.tx_type, p->hw.rx_filter);
	kernel_phc_close(&p->phc);
	hwstamp_users_close(p->users);
	kernel_socket_close(p->socket);
	free(p);
}

static int start(struct kernel_port *p, const char *ifname, struct err *e)
{
	int err = kernel_socket_open(&p->socket, ifname, e);

	if (!err)
		err = hwstamp_query(kernel_socket_fd(p->socket), ifname, &p->hw, e);
	if (!err)
		err = hwstamp_users_open(&p->users, "/proc", ifname, e);
	if (err)
		return err;
	kernel_socket_info(p->socket, &p->info);
	hwstamp_plan(&p->hw, hwstamp_users_find(p->users), &p->plan);
	set_up(p);
	kernel_sent_init(&p->sent, p->plan.tx == STAMP_HARDWARE ? p->plan.tx_slots : 0, p->stats.tx_lost);
	kernel_time_init(&p->time);
	if (!p->plan.able)
		log_info("%s", p->plan.why);
	return 0;
}

static int kernel_open(struct port **port, const char *spec, int argc, char **argv, struct err *e)
{
	struct kernel_port *p;
	int err;

	if (argc)
		return err_set(e, -EINVAL, "port kernel:%s takes no arguments: \"%s\"", spec, argv[0]);
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	p->phc.fd = -1;
	err = start(p, spec, e);
	if (err) {
		close_all(p);
		return err;
	}
	*port = &p->base;
	return 0;
}

static void kernel_close(struct port *port)
{
	close_all(kernel_of(port));
}

/* What it is. */

static void kernel_caps(const struct port *port, struct port_caps *caps)
{
	const struct kernel_port *p = (const struct kernel_port *)port;
	int hardware = p->plan.rx == STAMP_HARDWARE || p->plan.tx == STAMP_HARDWARE;

	*caps = (struct port_caps){
		.rx = p->plan.rx, .tx = p->plan.tx == STAMP_NONE ? STAMP_SOFTWARE : p->plan.tx,
		.unit = "nanoseconds",
		.epoch = hardware ? "that of the PTP hardware clock" : "CLOCK_REALTIME",
		.scope = hwstamp_scope_text(&p->plan), .rx_scope = p->plan.rx_scope,
		.tx_slots = p->plan.tx == STAMP_HARDWARE ? p->plan.tx_slots : 0, .resolution_ns = 1,
		.phc_index = p->phc.fd >= 0 ? p->hw.phc_index : -1,
		.hint = p->plan.able && p->plan.why[0] ? p->plan.why : NULL,
	};
}

static void kernel_mac(const struct port *port, uint8_t mac[6])
{
	memcpy(mac, ((const struct kernel_port *)port)->info.mac, 6);
}

static int kernel_mtu(const struct port *port)
{
	return ((const struct kernel_port *)port)->info.mtu;
}

static void note(struct kernel_port *p)
{
	struct kernel_pair now;

	kernel_phc_pair(p->base.ticks, READS, &now);
	kernel_time_note(&p->time, &now);
	p->noted_tick = now.tick;
}

/* The first rate of the counter is taken here, where there is time. */
static void kernel_listen(struct port *port, const struct ether_self *self)
{
	struct kernel_port *p = kernel_of(port);
	struct timespec ts = nstime_to_timespec(RATE_NS);

	note(p);
	nanosleep(&ts, NULL);
	note(p);
	p->looked_tick = p->noted_tick;
	if (kernel_socket_listen(p->socket, self))
		log_warn("%s: the filter for our frames cannot be set: none will come", p->hw.ifname);
}

/* Sending. */

static uint32_t modes(const struct kernel_port *p)
{
	switch (p->plan.tx) {
	case STAMP_HARDWARE:
		return SOF_TIMESTAMPING_TX_HARDWARE;
	case STAMP_SOFTWARE:
		return SOF_TIMESTAMPING_TX_SOFTWARE;
	default:
		return 0;
	}
}

/* Nobody knows whether the kernel has counted a frame that it did not send. */
static void restart(struct kernel_port *p)
{
	kernel_sent_restart(&p->sent);
	kernel_socket_restart(p->socket);
	p->silent_until = p->base.ticks() + kernel_time_ticks(&p->time, SETTLE_NS);
}

static int settled(struct kernel_port *p)
{
	struct kernel_note n;

	if (!p->silent_until)
		return 1;
	if ((int64_t)(p->base.ticks() - p->silent_until) < 0)
		return 0;
	while (!kernel_socket_sent(p->socket, &n))
		;
	p->silent_until = 0;
	return 1;
}

/* What the kernel said of a frame that waits. `now` is when it was read. */
static void settle(struct kernel_port *p, struct kernel_sent_slot *slot, const struct kernel_note *n,
	uint64_t now)
{
	struct stamp s = { .kind = STAMP_SOFTWARE, .tick = slot->tick };
	enum stamp_loss loss = STAMP_LOSS_COUNT;

	if (n->has_hardware) {
		s.kind = STAMP_HARDWARE;
		s.nic_ns = n->hardware_ns;
	} else if (!n->has_software) {
		loss = STAMP_LOSS_zero;
	} else if (kernel_time_tick(&p->time, n->software_ns, &s.tick, &s.half_ticks)) {
		loss = STAMP_LOSS_no_map;
	} else if ((int64_t)(s.tick + s.half_ticks - slot->tick) < 0) {
		loss = STAMP_LOSS_earlier;
	} else if ((int64_t)(s.tick - s.half_ticks - now) > 0) {
		loss = STAMP_LOSS_later;
	}
	kernel_sent_settle(&p->sent, slot, loss == STAMP_LOSS_COUNT ? &s : NULL, loss);
}

static void take_sent(struct kernel_port *p)
{
	struct kernel_note n;

	while (!kernel_socket_sent(p->socket, &n)) {
		struct kernel_sent_slot *slot = n.has_id ? kernel_sent_find(&p->sent, n.id) : NULL;

		if (!slot)
			continue;
		note(p);
		settle(p, slot, &n, p->base.ticks());
	}
}

static int may_ask(struct kernel_port *p, unsigned flags)
{
	if (!(flags & PORT_WANT_STAMP) || !modes(p) || !settled(p))
		return 0;
	if (p->sent.limit && p->sent.waiting >= p->sent.limit)
		take_sent(p);
	kernel_sent_expire(&p->sent, p->base.ticks() - kernel_time_ticks(&p->time, TX_TIMEOUT_NS));
	return kernel_sent_room(&p->sent);
}

static int kernel_transmit(struct port *port, const uint8_t *frame, size_t len, unsigned flags,
	void (*stamp)(void *arg, uint8_t *frame, size_t len), void *arg, struct port_sent *sent)
{
	struct kernel_port *p = kernel_of(port);
	int asked, err;

	if (len > sizeof(p->out) || len > (size_t)p->info.mtu + MAC_HEADER + TAG)
		return -EMSGSIZE;
	asked = may_ask(p, flags);
	memcpy(p->out, frame, len);
	if (stamp)
		stamp(arg, p->out, len);
	*sent = (struct port_sent){ .tick = port->ticks(), .asked = asked };
	err = kernel_socket_send(p->socket, p->out, len, asked ? modes(p) : 0);
	if (err) {
		p->stats.tx_failed++;
		if (asked)
			restart(p);
		return err == -EMSGSIZE ? err : -EAGAIN;
	}
	p->stats.tx_frames++;
	if (asked)
		sent->id = kernel_sent_add(&p->sent, sent->tick);
	return 0;
}

static int kernel_tx_stamp(struct port *port, uint32_t id, struct stamp *out)
{
	struct kernel_port *p = kernel_of(port);
	int err = kernel_sent_take(&p->sent, id, out);

	if (err != -EAGAIN)
		return err;
	take_sent(p);
	kernel_sent_expire(&p->sent, port->ticks() - kernel_time_ticks(&p->time, TX_TIMEOUT_NS));
	return kernel_sent_take(&p->sent, id, out);
}

/* Receiving. */

static void stamp_frame(struct kernel_port *p, const struct kernel_frame *f, uint64_t now, struct stamp *out)
{
	uint32_t half;
	uint64_t tick;

	*out = (struct stamp){ .kind = STAMP_SOFTWARE, .tick = now };
	if (f->note.has_software && !kernel_time_tick(&p->time, f->note.software_ns, &tick, &half) &&
	    (int64_t)(now - tick) >= 0) {
		out->tick = tick;
		out->half_ticks = half;
	}
	if (!f->note.has_hardware || p->phc.fd < 0)
		return;
	out->kind = STAMP_HARDWARE;
	out->nic_ns = f->note.hardware_ns;
}

/* A ptp4l that was started after us gets the slot for itself. */
static void look_out(struct kernel_port *p)
{
	pid_t ptp4l;

	if (!p->changed || p->plan.tx != STAMP_HARDWARE || p->plan.tx_slots != 1)
		return;
	ptp4l = hwstamp_users_next(p->users);
	if (ptp4l <= 0)
		return;
	p->changed = 0;
	p->yielded = 1;
	hwstamp_plan_yield(&p->hw, ptp4l, &p->plan);
	p->sent.limit = 0;
	restart(p);
	log_warn("%s", p->plan.why);
}

/* What is due now and then, whether frames come or not. */
static void work(struct kernel_port *p, uint64_t now)
{
	if ((int64_t)(now - p->noted_tick) >= (int64_t)kernel_time_ticks(&p->time, NOTE_NS))
		note(p);
	if (now - p->looked_tick < kernel_time_ticks(&p->time, LOOK_NS))
		return;
	look_out(p);
	p->looked_tick = now;
}

static int kernel_receive(struct port *port, struct port_frame *frames, int max)
{
	struct kernel_port *p = kernel_of(port);
	struct kernel_frame got[PORT_BURST];
	int n = kernel_socket_receive(p->socket, got, max), kept = 0;
	uint64_t now = port->ticks();

	if (n)
		note(p);
	work(p, now);
	p->stats.rx_frames += (uint64_t)n;
	for (int i = 0; i < n; i++) {
		if (!got[i].len)
			continue;
		frames[kept] = (struct port_frame){ .data = got[i].data, .len = got[i].len };
		stamp_frame(p, &got[i], now, &frames[kept++].stamp);
	}
	return kept;
}

static int kernel_device_clock(struct port *port, struct port_clock_reading *out)
{
	struct kernel_port *p = kernel_of(port);

	if (p->yielded)
		return -ENOTSUP;
	return kernel_phc_read(&p->phc, port->ticks, &p->time, out);
}

static void kernel_stats(struct port *port, struct port_stats *stats)
{
	struct kernel_port *p = kernel_of(port);

	p->stats.rx_missed += kernel_socket_missed(p->socket);
	*stats = p->stats;
}

const struct port_ops port_kernel = {
	.scheme = "kernel", .open = kernel_open, .close = kernel_close, .caps = kernel_caps,
	.mac = kernel_mac, .mtu = kernel_mtu, .listen = kernel_listen, .transmit = kernel_transmit,
	.receive = kernel_receive, .tx_stamp = kernel_tx_stamp, .device_clock = kernel_device_clock,
	.stats = kernel_stats,
};
