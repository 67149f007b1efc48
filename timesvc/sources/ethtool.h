/* ethtool.h: what an interface can stamp and which PTP hardware clock it has (ethtool netlink).
 *
 * Needs no privilege. Waits for the kernel's answer, so it is not for the engine. */
#ifndef TIMESVC_ETHTOOL_H
#define TIMESVC_ETHTOOL_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"

struct ethtool_stamping {
	int phc_index;		/* N of /dev/ptpN; -1: it has none */
	uint32_t modes;		/* SOF_TIMESTAMPING_… as a mask */
	uint32_t tx_types;	/* 1 << HWTSTAMP_TX_… */
	uint32_t rx_filters;	/* 1 << HWTSTAMP_FILTER_… */
};

/* 0; -ENODEV no such interface; -EOPNOTSUPP a kernel without ethtool netlink (before 5.7). */
int ethtool_stamping(const char *ifname, struct ethtool_stamping *out, struct err *e);
/* Non-zero when frames are stamped by the NIC in both directions, by a clock that can be read. */
int ethtool_stamps_in_hardware(const struct ethtool_stamping *s);

/* Pure: the attributes of one ETHTOOL_MSG_TSINFO_GET_REPLY (after the generic netlink header).
 * 0, or -EBADMSG. */
int ethtool_stamping_parse(const void *attributes, size_t len, struct ethtool_stamping *out);

#endif
