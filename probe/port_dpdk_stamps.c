/* Hardware stamps of DPDK ports: the timesync registers, and the receive stamps that come with frames. */
#include "port_dpdk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_mbuf_dyn.h>

#include "clockmap.h"
#include "kernel_clock.h"
#include "stamp_extend.h"

/* The drivers fold stamps of 32 to 48 bits into 64 with rte_timecounter, which takes an earlier stamp
 * for a wrap. All of these wraps are multiples of 2^32 ns. */
#define SOUND_BITS	32
#define STALE_READS	4

static const struct dpdk_traits known[] = {
	{ "net_e1000_igb", SCOPE_PTP_SYNC, 1, 1, 16 },
	{ "net_e1000_em", SCOPE_NONE, 1, 1, 16 },
	{ "net_igc", SCOPE_ALL, 0, 1, 16 },
	{ "net_ixgbe", SCOPE_PTP_SYNC, 1, 1, 64 },
	{ "net_i40e", SCOPE_PTP_EVENT, 1, 1, 16 },
	{ "net_txgbe", SCOPE_PTP_SYNC, 1, 1, 64 },
	{ "net_ngbe", SCOPE_PTP_SYNC, 1, 1, 64 },
	{ "net_dpaa2", SCOPE_PTP_EVENT, 1, 0, 16 },
};
/* What nothing is known of is believed to stamp everything, and has to prove it. */
static const struct dpdk_traits unknown = { "", SCOPE_ALL, 0, 0, 16 };

static void find_traits(struct dpdk_stamps *s, const char *driver)
{
	s->traits = unknown;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(driver, known[i].driver))
			s->traits = known[i];
}

void dpdk_stamps_plan(struct dpdk_port *p, struct rte_eth_conf *conf)
{
	struct dpdk_stamps *s = &p->stamps;
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(p->id, &info))
		return;
	find_traits(s, info.driver_name);
	if (!(info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP))
		return;
	if (rte_mbuf_dyn_rx_timestamp_register(&s->field, &s->flag))
		return;
	conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TIMESTAMP;
	s->offload = 1;
}

/* The clock of the card may be the kernel's, and its ptp4l's: then it is left alone. */
static int may_enable(struct dpdk_port *p)
{
	struct dpdk_stamps *s = &p->stamps;
	struct rte_eth_dev_info info;
	char ptp[32];

	if (s->traits.own_clock || rte_eth_dev_info_get(p->id, &info) || !info.device)
		return 1;
	if (!kernel_clock_of_card("/sys/bus/pci/devices", rte_dev_name(info.device), ptp, sizeof(ptp)))
		return 1;
	snprintf(s->hint, sizeof(s->hint),
		 "the kernel has a clock of this card (/dev/%s), "
		 "which enabling stamps here could stop or step",
		 ptp);
	return 0;
}

/* What was latched before the start belongs to nobody. */
static void drain(uint16_t id)
{
	struct timespec ts;

	for (int i = 0; i < STALE_READS; i++) {
		(void)rte_eth_timesync_read_rx_timestamp(id, &ts, 0);
		(void)rte_eth_timesync_read_tx_timestamp(id, &ts);
	}
}

void dpdk_stamps_start(struct dpdk_port *p)
{
	if (!may_enable(p) || rte_eth_timesync_enable(p->id))
		return;
	p->stamps.timesync = 1;
	drain(p->id);
	if (p->stamps.traits.needs_1588)
		snprintf(p->stamps.hint, sizeof(p->stamps.hint),
			 "this driver gives transmit stamps only when it was built with RTE_LIBRTE_IEEE1588, "
			 "which distributions leave out: see tools/build-pmd");
}

void dpdk_stamps_caps(const struct dpdk_port *p, struct port_caps *caps)
{
	const struct dpdk_stamps *s = &p->stamps;
	static const char *const scopes[] = {
		[SCOPE_NONE] = "no frames", [SCOPE_ALL] = "all frames",
		[SCOPE_PTP_EVENT] = "PTP event messages", [SCOPE_PTP_SYNC] = "PTP Sync over Ethernet",
	};

	*caps = (struct port_caps){
		.rx = STAMP_SOFTWARE, .tx = STAMP_SOFTWARE, .unit = "ticks of the host's counter",
		.epoch = "counter start", .scope = "all frames", .resolution_ns = 1, .phc_index = -1,
		.hint = s->hint[0] ? s->hint : NULL,
	};
	if (s->offload || (s->timesync && s->traits.rx_scope != SCOPE_NONE))
		caps->rx = STAMP_HARDWARE;
	if (s->timesync)
		caps->tx = STAMP_HARDWARE;
	if (caps->rx != STAMP_HARDWARE)
		return;
	caps->rx_scope = s->offload ? SCOPE_ALL : s->traits.rx_scope;
	caps->scope = scopes[caps->rx_scope];
	caps->unit = "nanoseconds of the device clock";
	caps->epoch = "start of the port";
	caps->tx_slots = 1;
	caps->resolution_ns = s->traits.resolution_ns;
	caps->doubtful_clock = !s->timesync;
}

/* Transmit. */

static int64_t timer_ns(void)
{
	uint64_t hz = rte_get_timer_hz(), cycles = rte_get_timer_cycles();

	return (int64_t)(cycles / hz * 1000000000 + cycles % hz * 1000000000 / hz);
}

void dpdk_stamps_ask(struct dpdk_port *p, struct rte_mbuf *m, struct port_sent *sent)
{
	struct dpdk_stamps *s = &p->stamps;
	struct timespec ts;

	if (!s->timesync || tx_slot_take(&s->slot, timer_ns(), &sent->id))
		return;
	if (s->slot.stale && !rte_eth_timesync_read_tx_timestamp(p->id, &ts))
		s->slot.stale = 0;
	sent->asked = 1;
	m->ol_flags |= RTE_MBUF_F_TX_IEEE1588_TMST;
}

void dpdk_stamps_undo(struct dpdk_port *p, const struct port_sent *sent)
{
	if (sent->asked)
		tx_slot_undo(&p->stamps.slot);
}

static int64_t ns_of(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
}

static void fill(const struct dpdk_port *p, int64_t raw_ns, struct stamp *stamp)
{
	stamp_whole(p->base.map, raw_ns, SOUND_BITS, stamp);
}

int dpdk_stamps_tx(struct dpdk_port *p, uint32_t id, struct stamp *out)
{
	struct tx_slot *slot = &p->stamps.slot;
	struct timespec ts;
	int err;

	*out = (struct stamp){ .kind = STAMP_SOFTWARE, .loss = STAMP_LOSS_timeout };
	if (tx_slot_wanted(slot, id))
		return -ENODATA;
	err = tx_slot_looked(slot, !rte_eth_timesync_read_tx_timestamp(p->id, &ts), timer_ns());
	if (err)
		return err;
	out->tick = p->base.ticks();
	fill(p, ns_of(&ts), out);
	return out->kind == STAMP_HARDWARE ? 0 : -ENODATA;
}

/* Receive. */

void dpdk_stamps_rx(struct dpdk_port *p, const struct rte_mbuf *m, struct stamp *stamp)
{
	const struct dpdk_stamps *s = &p->stamps;
	struct timespec ts;

	stamp->loss = STAMP_LOSS_absent;
	if (s->offload && (m->ol_flags & s->flag))
		fill(p, (int64_t)*RTE_MBUF_DYNFIELD(m, s->field, const rte_mbuf_timestamp_t *), stamp);
	if (s->offload)
		return;
	if (!s->timesync || !(m->ol_flags & RTE_MBUF_F_RX_IEEE1588_TMST))
		return;
	if (!rte_eth_timesync_read_rx_timestamp(p->id, &ts, m->timesync))
		fill(p, ns_of(&ts), stamp);
}

int dpdk_stamps_clock(struct dpdk_port *p, struct port_clock_reading *out)
{
	const struct dpdk_stamps *s = &p->stamps;
	struct timespec ts = { 0 };
	uint64_t before, after, value = 0;
	int err;

	if (!s->timesync && !s->offload)
		return -ENOTSUP;
	before = p->base.ticks();
	err = s->timesync ? rte_eth_timesync_read_time(p->id, &ts) : rte_eth_read_clock(p->id, &value);
	after = p->base.ticks();
	if (err)
		return err == -ENOTSUP ? err : -EIO;
	out->nic_ns = s->timesync ? ns_of(&ts) : (int64_t)value;
	out->half_ticks = (after - before + 1) / 2;
	out->tick = before + out->half_ticks;
	return 0;
}
