#include "hwstamp.h"

#include <stdio.h>
#include <string.h>
#include <linux/net_tstamp.h>

#define HARDWARE_TX	(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
#define HARDWARE_RX	(SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
#define ONE_SLOT	1
#define MANY_SLOTS	32

/* Drivers that take a transmit stamp with each descriptor, or have registers for many. All others are
 * held to have one slot. */
static int slots_of(const char *driver)
{
	static const struct { const char *driver; int slots; } many[] = {
		{ "ice", MANY_SLOTS }, { "mlx5_core", 0 }, { "mlx4_en", 0 },
	};

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		if (!strcmp(many[i].driver, driver))
			return many[i].slots;
	return ONE_SLOT;
}

static int has(unsigned bits, int bit)
{
	return bits >> bit & 1;
}

static int best_filter(const struct hwstamp *h)
{
	static const int order[] = {
		HWTSTAMP_FILTER_ALL, HWTSTAMP_FILTER_PTP_V2_EVENT, HWTSTAMP_FILTER_PTP_V2_L2_EVENT,
		HWTSTAMP_FILTER_PTP_V2_L2_SYNC,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (has(h->rx_filters, order[i]))
			return order[i];
	return HWTSTAMP_FILTER_NONE;
}

static enum stamp_scope scope_of(int rx_filter)
{
	switch (rx_filter) {
	case HWTSTAMP_FILTER_ALL:
		return SCOPE_ALL;
	case HWTSTAMP_FILTER_PTP_V2_EVENT:
	case HWTSTAMP_FILTER_PTP_V2_L2_EVENT:
		return SCOPE_PTP_EVENT;
	case HWTSTAMP_FILTER_PTP_V2_SYNC:
	case HWTSTAMP_FILTER_PTP_V2_L2_SYNC:
		return SCOPE_PTP_SYNC;
	default:
		return SCOPE_NONE;
	}
}

static int can(const struct hwstamp *h, unsigned modes)
{
	return (h->modes & modes) == modes && h->phc_index >= 0;
}

static enum stamp_kind software_tx(const struct hwstamp *h)
{
	return h->modes & SOF_TIMESTAMPING_TX_SOFTWARE ? STAMP_SOFTWARE : STAMP_NONE;
}

/* With the stamps that the set-up gives, whoever made it. */
static void use(const struct hwstamp *h, int tx_type, int rx_filter, struct hwstamp_plan *p)
{
	p->rx_scope = can(h, HARDWARE_RX) ? scope_of(rx_filter) : SCOPE_NONE;
	p->rx = p->rx_scope == SCOPE_NONE ? STAMP_SOFTWARE : STAMP_HARDWARE;
	p->tx_slots = slots_of(h->driver);
	p->tx = can(h, HARDWARE_TX) && tx_type == HWTSTAMP_TX_ON ? STAMP_HARDWARE : software_tx(h);
}

static const char *driver_of(const struct hwstamp *h)
{
	return h->driver[0] ? h->driver : "its driver";
}

/* Another's slot is not touched. */
static int leave_slot(const struct hwstamp *h, struct hwstamp_plan *p)
{
	if (p->tx != STAMP_HARDWARE || p->tx_slots != ONE_SLOT)
		return 0;
	p->tx = software_tx(h);
	return 1;
}

static void beside(const struct hwstamp *h, pid_t ptp4l, struct hwstamp_plan *p)
{
	char who[64] = "another program has set up time stamps on";
	char slot[128] = "";

	use(h, h->tx_type, h->rx_filter, p);
	if (leave_slot(h, p))
		snprintf(slot, sizeof(slot), ", and frames sent are stamped in software, as %s has one slot "
			 "for transmit stamps", driver_of(h));
	if (ptp4l > 0)
		snprintf(who, sizeof(who), "ptp4l (process %d) uses", (int)ptp4l);
	snprintf(p->why, sizeof(p->why), "%s %s: its set-up is left alone%s", who, h->ifname, slot);
}

void hwstamp_plan(const struct hwstamp *h, pid_t ptp4l, struct hwstamp_plan *out)
{
	int on = h->tx_type != HWTSTAMP_TX_OFF || h->rx_filter != HWTSTAMP_FILTER_NONE;

	*out = (struct hwstamp_plan){ .rx = STAMP_SOFTWARE, .tx = software_tx(h), .rx_scope = SCOPE_NONE,
				      .able = can(h, HARDWARE_RX) || can(h, HARDWARE_TX) };
	if (!out->able) {
		snprintf(out->why, sizeof(out->why),
			 "%s has no hardware time stamps: all stamps are software", h->ifname);
		return;
	}
	if (ptp4l > 0 || on) {
		beside(h, ptp4l, out);
		return;
	}
	out->set = 1;
	out->rx_filter = best_filter(h);
	use(h, has(h->tx_types, HWTSTAMP_TX_ON) ? HWTSTAMP_TX_ON : HWTSTAMP_TX_OFF, out->rx_filter, out);
}

void hwstamp_plan_yield(const struct hwstamp *h, pid_t ptp4l, struct hwstamp_plan *p)
{
	if (!leave_slot(h, p))
		return;
	snprintf(p->why, sizeof(p->why), "ptp4l (process %d) has come to %s: from now on frames sent are "
		 "stamped in software, as %s has one slot for transmit stamps", (int)ptp4l, h->ifname,
		 driver_of(h));
}

void hwstamp_plan_software(const struct hwstamp *h, const char *reason, struct hwstamp_plan *p)
{
	*p = (struct hwstamp_plan){ .rx = STAMP_SOFTWARE, .tx = software_tx(h), .rx_scope = SCOPE_NONE,
				    .able = p->able };
	snprintf(p->why, sizeof(p->why), "all stamps of %s are software: %s", h->ifname, reason);
}

const char *hwstamp_scope_text(const struct hwstamp_plan *p)
{
	switch (p->rx_scope) {
	case SCOPE_PTP_EVENT:
		return "PTP event messages in hardware, all frames in software";
	case SCOPE_PTP_SYNC:
		return "PTP Sync messages in hardware, all frames in software";
	default:
		return "all frames";
	}
}
