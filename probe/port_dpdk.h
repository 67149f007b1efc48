/* port_dpdk.h: what the files of the DPDK backend share. */
#ifndef PROBE_PORT_DPDK_H
#define PROBE_PORT_DPDK_H

#include "port.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "tx_slot.h"

/* What is known of a driver that its API does not say. */
struct dpdk_traits {
	const char *driver;
	enum stamp_scope rx_scope;
	int needs_1588;		/* built with RTE_LIBRTE_IEEE1588, or no transmit stamps */
	int own_clock;		/* each port has one: enabling it touches no other */
	int64_t resolution_ns;	/* the coarsest that it has at any speed from 1 Gb/s on */
};

/* Where the hardware stamps of a port come from. */
struct dpdk_stamps {
	struct dpdk_traits traits;
	int timesync;		/* its registers are enabled */
	int offload;		/* receive stamps come with the frames, */
	int field;		/* in this dynamic field, */
	uint64_t flag;		/* marked by this flag */
	struct tx_slot slot;
	char hint[200];
};

struct dpdk_port {
	struct port base;
	uint16_t id;
	uint16_t mtu;
	int started;
	int held_count;
	struct rte_mempool *pool;
	struct rte_ether_addr mac;
	struct rte_mbuf *held[PORT_BURST];	/* what the caller may still be reading */
	uint64_t rx_frames, tx_frames, tx_failed;
	struct dpdk_stamps stamps;
};

/* Before the port is configured: what it can be asked for. */
void dpdk_stamps_plan(struct dpdk_port *p, struct rte_eth_conf *conf);
/* After it was started. */
void dpdk_stamps_start(struct dpdk_port *p);
void dpdk_stamps_caps(const struct dpdk_port *p, struct port_caps *caps);
/* Asks for a stamp of a frame that is about to leave: sent->asked and sent->id. */
void dpdk_stamps_ask(struct dpdk_port *p, struct rte_mbuf *m, struct port_sent *sent);
void dpdk_stamps_undo(struct dpdk_port *p, const struct port_sent *sent);
/* The stamp of a frame that arrived. */
void dpdk_stamps_rx(struct dpdk_port *p, const struct rte_mbuf *m, struct stamp *stamp);
int dpdk_stamps_tx(struct dpdk_port *p, uint32_t id, struct stamp *out);
int dpdk_stamps_clock(struct dpdk_port *p, struct port_clock_reading *out);

#endif
