#include "kernel_filter.h"

#include <string.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include "ptp_frame.h"

#define VID_MASK	0x0fff
#define WHOLE		0x40000

#define AT_TYPE		12
#define AT_NET		14	/* the kernel has taken the tag out of the frame */
#define AT_ARP_TARGET	(AT_NET + 24)
#define AT_IP_PROTOCOL	(AT_NET + 9)
#define AT_IP_TARGET	(AT_NET + 16)
#define AT_UDP_TARGET	(AT_NET + 2)	/* and the length of the IP header */
#define AT_PTP_DOMAIN	(AT_NET + 4)
#define AT_PTP_TARGET	(PTP_FRAME_PAYLOAD - 8)
#define AT_PTP_PORT	(PTP_FRAME_PAYLOAD - 2)

/* Where jumps lead, until it is known how far that is. */
#define NEXT	0
#define OUT	0xff
#define IN	0xfe
#define IP	0xfd
#define PTP	0xfc

#define LOAD(size, mode, at)	{ BPF_LD | (size) | (mode), 0, 0, (uint32_t)(at) }
#define EQUAL(value, yes, no)	{ BPF_JMP | BPF_JEQ | BPF_K, (yes), (no), (value) }
#define RETURN(value)		{ BPF_RET | BPF_K, 0, 0, (value) }

enum { PTP_STARTS = 9, IP_STARTS = 15, IN_IS = 22, OUT_IS = 23 };

static uint8_t distance(uint8_t to, int from)
{
	switch (to) {
	case OUT: return (uint8_t)(OUT_IS - from - 1);
	case IN: return (uint8_t)(IN_IS - from - 1);
	case IP: return (uint8_t)(IP_STARTS - from - 1);
	case PTP: return (uint8_t)(PTP_STARTS - from - 1);
	default: return 0;
	}
}

int kernel_filter_make(struct sock_filter prog[KERNEL_FILTER_MAX], const struct ether_self *self)
{
	const struct sock_filter made[] = {
		LOAD(BPF_W, BPF_ABS, SKF_AD_OFF + SKF_AD_VLAN_TAG),
		{ BPF_ALU | BPF_AND | BPF_K, 0, 0, VID_MASK },
		EQUAL(self->vlan, NEXT, OUT),
		LOAD(BPF_H, BPF_ABS, AT_TYPE),
		EQUAL(ETH_P_IP, IP, NEXT),
		EQUAL(PTP_FRAME_TYPE, PTP, NEXT),
		EQUAL(ETH_P_ARP, NEXT, OUT),
		LOAD(BPF_W, BPF_ABS, AT_ARP_TARGET),
		EQUAL(self->ip, IN, OUT),
		[PTP_STARTS] = LOAD(BPF_B, BPF_ABS, AT_PTP_DOMAIN),
		EQUAL(PTP_FRAME_DOMAIN, NEXT, OUT),
		LOAD(BPF_W, BPF_ABS, AT_PTP_TARGET),
		EQUAL(self->ip, NEXT, OUT),
		LOAD(BPF_H, BPF_ABS, AT_PTP_PORT),
		EQUAL(self->port, IN, OUT),
		[IP_STARTS] = LOAD(BPF_B, BPF_ABS, AT_IP_PROTOCOL),
		EQUAL(IPPROTO_UDP, NEXT, OUT),
		LOAD(BPF_W, BPF_ABS, AT_IP_TARGET),
		EQUAL(self->ip, NEXT, OUT),
		{ BPF_LDX | BPF_B | BPF_MSH, 0, 0, AT_NET },
		LOAD(BPF_H, BPF_IND, AT_UDP_TARGET),
		EQUAL(self->port, IN, OUT),
		[IN_IS] = RETURN(WHOLE),
		[OUT_IS] = RETURN(0),
	};
	int n = (int)(sizeof(made) / sizeof(made[0]));

	memcpy(prog, made, sizeof(made));
	for (int i = 0; i < n; i++) {
		prog[i].jt = distance(prog[i].jt, i);
		prog[i].jf = distance(prog[i].jf, i);
	}
	return n;
}
