#include "port_sim_nic.h"

#include <errno.h>
#include "clockmap.h"
#include "nstime.h"
#include "ptp_frame.h"
#include "stamp_extend.h"

#define FAR_OFF_NS	(300 * NS_PER_MS)	/* what an earlier or later stamp is off */
#define SOUND_BITS	32

static int take_one(int *n)
{
	return *n > 0 ? (*n)-- : 0;
}

int64_t sim_nic_time(const struct sim_nic *n, int64_t at_ns)
{
	int64_t drift_ns = (int64_t)((__int128)at_ns * n->config.ppb / NS_PER_S);
	int64_t ns = at_ns + drift_ns + n->config.offset_ns + n->stepped_ns;

	return n->config.tick_ns > 1 ? ns - ns % n->config.tick_ns : ns;
}

static int64_t raw(const struct sim_nic *n, int64_t at_ns)
{
	uint64_t ns = (uint64_t)sim_nic_time(n, at_ns);
	int bits = n->config.bits;

	return (int64_t)(bits && bits < 64 ? ns & ((UINT64_C(1) << bits) - 1) : ns);
}

static int raw_bits(const struct sim_nic *n)
{
	return n->config.bits && n->config.bits < SOUND_BITS ? n->config.bits : SOUND_BITS;
}

void sim_nic_caps(const struct sim_nic *n, struct port_caps *caps)
{
	if (n->config.scope == SCOPE_NONE)
		return;
	caps->rx = caps->tx = STAMP_HARDWARE;
	caps->rx_scope = n->config.scope;
	caps->tx_slots = 1;
	caps->unit = "virtual device nanoseconds";
	caps->doubtful_clock = n->config.doubtful;
	caps->resolution_ns = n->config.tick_ns > 1 ? n->config.tick_ns : 1;
	caps->hint = "rebuild the driver";
}

void sim_nic_sent(struct sim_nic *n, unsigned flags, int64_t now_ns, struct port_sent *sent)
{
	if (n->config.scope == SCOPE_NONE || !(flags & PORT_WANT_STAMP))
		return;
	if (tx_slot_take(&n->slot, now_ns, &sent->id))
		return;
	sent->asked = 1;
	n->tx_raw_ns = take_one(&n->zero_tx) ? 0 : raw(n, now_ns);
	n->tx_at_ns = n->config.no_tx || take_one(&n->lost_tx) ? -1 : now_ns + n->config.tx_after_ns;
}

int sim_nic_tx_stamp(struct sim_nic *n, uint32_t id, int64_t now_ns, struct stamp *out)
{
	int err;

	*out = (struct stamp){ .kind = STAMP_SOFTWARE, .tick = (uint64_t)now_ns, .loss = STAMP_LOSS_timeout };
	if (tx_slot_wanted(&n->slot, id))
		return -ENODATA;
	err = tx_slot_looked(&n->slot, n->tx_at_ns >= 0 && now_ns >= n->tx_at_ns, now_ns);
	if (err)
		return err;
	stamp_whole(*n->map, n->tx_raw_ns, raw_bits(n), out);
	return out->kind == STAMP_HARDWARE ? 0 : -ENODATA;
}

int sim_nic_arrived(struct sim_nic *n, const uint8_t *frame, size_t len, int64_t at_ns)
{
	int in_scope = n->config.scope == SCOPE_ALL || ptp_frame_is(frame, len);

	if (n->config.scope == SCOPE_NONE || !in_scope || n->rx_latched)
		return 0;
	n->rx_latched = 1;
	n->rx_raw_ns = raw(n, at_ns);
	if (take_one(&n->zero_rx))
		n->rx_raw_ns = 0;
	else if (take_one(&n->stale_rx))
		n->rx_raw_ns = n->rx_last_ns;
	else if (take_one(&n->early_rx))
		n->rx_raw_ns = raw(n, at_ns - FAR_OFF_NS);
	else if (take_one(&n->late_rx))
		n->rx_raw_ns = raw(n, at_ns + FAR_OFF_NS);
	else
		n->rx_last_ns = n->rx_raw_ns;
	return 1;
}

void sim_nic_rx_stamp(struct sim_nic *n, int latched, struct stamp *out)
{
	if (!latched)
		return;
	n->rx_latched = 0;
	stamp_whole(*n->map, n->rx_raw_ns, raw_bits(n), out);
}

int sim_nic_clock(struct sim_nic *n, int64_t now_ns, struct port_clock_reading *out)
{
	if (n->config.scope == SCOPE_NONE)
		return -ENOTSUP;
	if (take_one(&n->deaf_clock))
		return -EIO;
	*out = (struct port_clock_reading){ .tick = (uint64_t)now_ns, .half_ticks = n->config.half_ticks,
					    .nic_ns = sim_nic_time(n, now_ns) };
	if (take_one(&n->torn_clock))
		out->nic_ns += INT64_C(1) << 32;
	return 0;
}
