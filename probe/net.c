#include "net.h"

#include <string.h>
#include "nstime.h"
#include "ptp_frame.h"
#include "stamp.h"

#define TTL		255		/* RFC 8762 4.2 */
#define ARP_RETRY_NS	(200 * NS_PER_MS)
#define ARP_FRESH_NS	(10 * NS_PER_S)

void net_init(struct net *n, struct hwclock *hw, const struct net_config *config,
	struct probe_numbers *numbers)
{
	struct port *port = hw->port;

	memset(n, 0, sizeof(*n));
	n->hw = hw;
	n->port = port;
	n->clock = hw->clock;
	n->numbers = numbers;
	n->remote_ip = config->remote_ip;
	n->resolve = config->resolve;
	n->self = (struct ether_self){
		.ip = config->local_ip, .vlan = config->vlan, .port = config->local_port,
	};
	port->ops->mac(port, n->self.mac);
	if (port->ops->listen)
		port->ops->listen(port, &n->self);
}

static void send_arp(struct net *n, int reply, const uint8_t mac[6], uint32_t ip)
{
	struct ether_arp a = { .src_ip = n->self.ip, .dst_ip = ip, .vlan = n->self.vlan, .reply = reply };
	uint8_t frame[ETHER_ARP_LEN + 4];
	struct port_sent sent;

	memcpy(a.src_mac, n->self.mac, 6);
	if (reply)
		memcpy(a.dst_mac, mac, 6);
	n->port->ops->transmit(n->port, frame, ether_arp_put(frame, &a), 0, NULL, NULL, &sent);
}

/* Requests teach as well as replies do (RFC 826, packet reception). */
static void input_arp(struct net *n, const struct ether_arp *a, int64_t now_ns)
{
	if (!a->reply) {
		send_arp(n, 1, a->src_mac, a->src_ip);
		n->numbers->arp_replies++;
	}
	if (a->src_ip != n->remote_ip)
		return;
	memcpy(n->remote_mac, a->src_mac, 6);
	n->resolved = 1;
	n->arp_due_ns = now_ns + ARP_FRESH_NS;
}

static enum ether_class parse(const struct net *n, const struct port_frame *f, struct ether_packet *out)
{
	if (ptp_frame_is(f->data, f->len))
		return ptp_frame_parse(&n->self, f->data, f->len, out);
	return ether_parse(&n->self, f->data, f->len, out);
}

int net_input(struct net *n, const struct port_frame *f, int64_t now_ns, struct ether_packet *out)
{
	switch (parse(n, f, out)) {
	case ETHER_UDP:
		if (out->udp.src_ip == n->remote_ip)
			return 1;
		n->numbers->foreign++;
		return 0;
	case ETHER_ARP:
		input_arp(n, &out->arp, now_ns);
		return 0;
	case ETHER_MALFORMED:
		n->numbers->malformed++;
		return 0;
	default:
		n->numbers->foreign++;
		return 0;
	}
}

void net_work(struct net *n, int64_t now_ns)
{
	if (!n->resolve || now_ns < n->arp_due_ns)
		return;
	n->arp_due_ns = now_ns + ARP_RETRY_NS;
	n->numbers->arp_requests++;
	send_arp(n, 0, NULL, n->remote_ip);
}

static size_t payload_offset(const struct net *n)
{
	return n->carrier == CARRIER_L2_PTP ? PTP_FRAME_PAYLOAD : ether_payload_offset(n->self.vlan);
}

uint8_t *net_payload(struct net *n, size_t *room)
{
	size_t at = payload_offset(n);

	*room = sizeof(n->frame) - at - 1;	/* padding */
	return n->frame + at;
}

struct late {
	const struct net *net;
	const struct net_stamp *stamp;
};

static void write_late(void *arg, uint8_t *frame, size_t len)
{
	const struct late *l = arg;
	const struct clock *c = l->net->clock;
	int64_t ns = l->stamp->base_ns + clock_span_ns(c, l->stamp->base_tick, c->ops->ticks(c));

	(void)len;
	stamp_put_time(frame + payload_offset(l->net), ns, l->stamp->ptp_format);
	if (l->net->carrier == CARRIER_UDP)
		ether_udp_patch(frame, l->net->self.vlan, STAMP_TIME_OFFSET, 8);
}

int net_send(struct net *n, const uint8_t mac[6], uint16_t port, size_t len, const struct net_stamp *stamp,
	struct port_sent *sent)
{
	struct ether_udp u = {
		.src_ip = n->self.ip, .dst_ip = n->remote_ip, .src_port = n->self.port, .dst_port = port,
		.vlan = n->self.vlan, .ip_id = n->ip_id++, .ttl = TTL,
	};
	struct late late = { n, stamp };
	size_t room;

	memcpy(u.src_mac, n->self.mac, 6);
	memcpy(u.dst_mac, mac, 6);
	memset(net_payload(n, &room) + STAMP_TIME_OFFSET, 0, 8);
	len = n->carrier == CARRIER_L2_PTP ? ptp_frame_put(n->frame, &u, len) :
					     ether_udp_put(n->frame, &u, len);
	return n->port->ops->transmit(n->port, n->frame, len, hwclock_tx_flags(n->hw, n->carrier), write_late,
				      &late, sent);
}
