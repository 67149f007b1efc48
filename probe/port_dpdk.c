#define _GNU_SOURCE 1	/* fopencookie() */
/* Only port_dpdk*.[ch] include DPDK. One port, one queue each way. */
#include "port_dpdk.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_log.h>
#include <rte_mbuf.h>

#include "eal_args.h"

#define DESCRIPTORS	512
#define MBUFS		2047
#define MBUF_CACHE	64

/* DPDK may be started once in a process, so what it complained about first is the process's too. */
static char complaint[160];

static ssize_t log_write(void *cookie, const char *text, size_t len)
{
	size_t n = len;

	(void)cookie;
	while (n && text[n - 1] == '\n')
		n--;
	if (n && !complaint[0] && rte_log_cur_msg_loglevel() <= (int)RTE_LOG_ERR)
		snprintf(complaint, sizeof(complaint), "%.*s", (int)n, text);
	return (ssize_t)len;
}

static void keep_log(void)
{
	cookie_io_functions_t io = { .write = log_write };
	FILE *f = fopencookie(NULL, "w", io);

	if (!f)
		return;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	rte_openlog_stream(f);
}

/* Arguments that it does not like make DPDK print pages of help where the one sentence should be. */
static int init_quietly(struct eal_args *args)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int r;

	fflush(stdout);
	if (null >= 0 && out >= 0 && err >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	r = rte_eal_init(args->count, args->argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(null);
	close(out);
	close(err);
	return r;
}

static struct dpdk_port *dpdk_of(struct port *port)
{
	return (struct dpdk_port *)port;
}

/* af_packet's own failures come back from DPDK as "not supported": they are looked for beforehand. */
static int check_af_packet(const char *spec, int argc, char **argv, struct err *e)
{
	char iface[IF_NAMESIZE];
	int fd;

	if (!eal_args_iface(spec, argc, argv, iface, sizeof(iface)))
		return 0;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(e, errno == EPERM ? -EPERM : -EIO,
			       "a packet socket for %s cannot be opened (CAP_NET_RAW is needed): %s", spec,
			       strerror(errno));
	close(fd);
	if (!if_nametoindex(iface))
		return err_set(e, -ENODEV, "port %s: there is no network interface \"%s\"", spec, iface);
	return 0;
}

static int eal_error(int code)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return -EPERM;
	case EINVAL:	/* its arguments */
		return -EINVAL;
	default:
		return -EIO;
	}
}

static int eal_start(int argc, char **argv, struct err *e)
{
	struct eal_args args;
	int err = eal_args_make(&args, argc, argv, e);

	if (err)
		return err;
	keep_log();
	if (init_quietly(&args) >= 0)
		return 0;
	err = eal_error(rte_errno);
	return err_set(e, err, "DPDK cannot start: %s", complaint[0] ? complaint : rte_strerror(rte_errno));
}

static int setup_queues(struct dpdk_port *p)
{
	uint16_t rx = DESCRIPTORS, tx = DESCRIPTORS;
	struct rte_eth_conf conf = { 0 };
	int socket_id = rte_eth_dev_socket_id(p->id);
	int err;

	dpdk_stamps_plan(p, &conf);
	err = rte_eth_dev_configure(p->id, 1, 1, &conf);
	if (!err)
		err = rte_eth_dev_adjust_nb_rx_tx_desc(p->id, &rx, &tx);
	if (!err)
		err = rte_eth_rx_queue_setup(p->id, 0, rx, (unsigned)socket_id, NULL, p->pool);
	if (!err)
		err = rte_eth_tx_queue_setup(p->id, 0, tx, (unsigned)socket_id, NULL);
	return err;
}

static int start(struct dpdk_port *p, const char *spec, struct err *e)
{
	int err;

	if (rte_eth_dev_get_port_by_name(spec, &p->id))
		return err_set(e, -ENODEV, "DPDK has no port \"%s\"", spec);
	p->pool = rte_pktmbuf_pool_create("probe", MBUFS, MBUF_CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
					  rte_eth_dev_socket_id(p->id));
	if (!p->pool)
		return err_set(e, -EIO, "port %s: no memory for packet buffers: %s", spec,
			       rte_strerror(rte_errno));
	err = setup_queues(p);
	if (!err)
		err = rte_eth_macaddr_get(p->id, &p->mac);
	if (!err)
		err = rte_eth_dev_get_mtu(p->id, &p->mtu);
	if (!err)
		err = rte_eth_dev_start(p->id);
	if (err)
		return err_set(e, err == -EPERM || err == -EACCES ? -EPERM : -EIO,
			       "port %s cannot be started: %s", spec, rte_strerror(-err));
	p->started = 1;
	dpdk_stamps_start(p);
	return 0;
}

static void dpdk_close(struct port *port)
{
	struct dpdk_port *p = dpdk_of(port);

	if (p->held_count)
		rte_pktmbuf_free_bulk(p->held, (unsigned)p->held_count);
	if (p->started && !rte_eth_dev_stop(p->id))
		rte_eth_dev_close(p->id);
	rte_eal_cleanup();
	free(p);
}

static int dpdk_open(struct port **port, const char *spec, int argc, char **argv, struct err *e)
{
	struct dpdk_port *p;
	int err = check_af_packet(spec, argc, argv, e);

	if (err)
		return err;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	err = eal_start(argc, argv, e);
	if (err) {
		free(p);
		return err;
	}
	err = start(p, spec, e);
	if (err) {
		dpdk_close(&p->base);
		return err;
	}
	*port = &p->base;
	return 0;
}

static void dpdk_caps(const struct port *port, struct port_caps *caps)
{
	dpdk_stamps_caps((const struct dpdk_port *)port, caps);
}

static void dpdk_mac(const struct port *port, uint8_t mac[6])
{
	memcpy(mac, ((const struct dpdk_port *)port)->mac.addr_bytes, 6);
}

static int dpdk_mtu(const struct port *port)
{
	return ((const struct dpdk_port *)port)->mtu;
}

static int dpdk_transmit(struct port *port, const uint8_t *frame, size_t len, unsigned flags,
	void (*stamp)(void *arg, uint8_t *frame, size_t len), void *arg, struct port_sent *sent)
{
	struct dpdk_port *p = dpdk_of(port);
	struct rte_mbuf *m = rte_pktmbuf_alloc(p->pool);
	char *room = m ? rte_pktmbuf_append(m, (uint16_t)len) : NULL;

	if (!room) {
		rte_pktmbuf_free(m);
		p->tx_failed++;
		return m ? -EMSGSIZE : -EAGAIN;
	}
	memcpy(room, frame, len);
	*sent = (struct port_sent){ 0 };
	if (flags & PORT_WANT_STAMP)
		dpdk_stamps_ask(p, m, sent);
	if (stamp)
		stamp(arg, (uint8_t *)room, len);
	sent->tick = port->ticks();
	if (rte_eth_tx_burst(p->id, 0, &m, 1) == 1) {
		p->tx_frames++;
		return 0;
	}
	dpdk_stamps_undo(p, sent);
	rte_pktmbuf_free(m);
	p->tx_failed++;
	return -EAGAIN;
}

/* A driver that took the tag out of the frame gives it back in the descriptor. */
static struct rte_mbuf *whole(struct rte_mbuf *m)
{
	if (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)
		(void)rte_vlan_insert(&m);
	return m;
}

static int dpdk_receive(struct port *port, struct port_frame *frames, int max)
{
	struct dpdk_port *p = dpdk_of(port);
	uint64_t tsc;
	int n;

	if (p->held_count)
		rte_pktmbuf_free_bulk(p->held, (unsigned)p->held_count);
	n = rte_eth_rx_burst(p->id, 0, p->held, (uint16_t)max);
	tsc = port->ticks();
	p->held_count = n;
	p->rx_frames += (uint64_t)n;
	for (int i = 0; i < n; i++) {
		p->held[i] = whole(p->held[i]);
		frames[i] = (struct port_frame){
			.data = rte_pktmbuf_mtod(p->held[i], const uint8_t *),
			.len = rte_pktmbuf_data_len(p->held[i]),
			.stamp = { .kind = STAMP_SOFTWARE, .tick = tsc },
		};
		dpdk_stamps_rx(p, p->held[i], &frames[i].stamp);
	}
	return n;
}

static int dpdk_tx_stamp(struct port *port, uint32_t id, struct stamp *out)
{
	return dpdk_stamps_tx(dpdk_of(port), id, out);
}

static int dpdk_device_clock(struct port *port, struct port_clock_reading *out)
{
	return dpdk_stamps_clock(dpdk_of(port), out);
}

static void dpdk_stats(struct port *port, struct port_stats *stats)
{
	struct dpdk_port *p = dpdk_of(port);
	struct rte_eth_stats s = { 0 };

	*stats = (struct port_stats){ .rx_frames = p->rx_frames, .tx_frames = p->tx_frames,
				      .tx_failed = p->tx_failed };
	if (!rte_eth_stats_get(p->id, &s))
		stats->rx_missed = s.imissed;
}

const struct port_ops port_dpdk = {
	.scheme = "dpdk", .open = dpdk_open, .close = dpdk_close, .caps = dpdk_caps, .mac = dpdk_mac,
	.mtu = dpdk_mtu, .transmit = dpdk_transmit, .receive = dpdk_receive, .tx_stamp = dpdk_tx_stamp,
	.device_clock = dpdk_device_clock, .stats = dpdk_stats,
};
