/* net.h: one IPv4 address on a port: answers ARP, resolves its peer, gives and takes UDP payloads.
 *
 * numbers->arp_requests and arp_replies count what this end has sent. */
#ifndef PROBE_NET_H
#define PROBE_NET_H

#include "clock.h"
#include "ether.h"
#include "hwclock.h"
#include "port.h"
#include "segment.h"

struct net_config {
	uint32_t local_ip, remote_ip;
	uint16_t vlan;
	uint16_t local_port;
	int resolve;		/* ask for the peer's address, and keep it fresh */
};

struct net {
	struct hwclock *hw;
	struct port *port;		/* the hwclock's */
	const struct clock *clock;	/* likewise */
	struct probe_numbers *numbers;
	enum carrier carrier;		/* of what is sent next */
	struct ether_self self;
	uint32_t remote_ip;
	int resolve, resolved;
	uint8_t remote_mac[6];
	int64_t arp_due_ns;
	uint16_t ip_id;
	uint8_t frame[PORT_FRAME_MAX];
};

/* A time that is written into the payload as late as can be: base_ns at base_tick, moved on to the
 * tick at which the frame leaves. */
struct net_stamp {
	int64_t base_ns;
	uint64_t base_tick;
	int ptp_format;
};

void net_init(struct net *n, struct hwclock *hw, const struct net_config *config,
	struct probe_numbers *numbers);
/* 1: *out is a UDP payload from the peer. 0: dealt with, or counted. */
int net_input(struct net *n, const struct port_frame *f, int64_t now_ns, struct ether_packet *out);
/* Sends the ARP requests that are due. */
void net_work(struct net *n, int64_t now_ns);
/* Where the payload of the next net_send() by this carrier is to be put, and how much fits. */
uint8_t *net_payload(struct net *n, size_t *room);
/* Sends it from here to MAC and port; *sent is when it left. */
int net_send(struct net *n, const uint8_t mac[6], uint16_t port, size_t len, const struct net_stamp *stamp,
	struct port_sent *sent);

#endif
