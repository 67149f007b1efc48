/* hwstamp.h: what an interface can stamp, how that is set up now, and what the probe may do about it.
 *
 * The rule: what another program has set up, ptp4l above all, is never changed; and where its driver has
 * one slot for transmit stamps no hardware transmit stamp is asked for beside it, because the other one
 * would then wait in vain for its own. */
#ifndef PROBE_HWSTAMP_H
#define PROBE_HWSTAMP_H

#include <sys/types.h>
#include "err.h"
#include "port.h"

#define HWSTAMP_NAME 16	/* IFNAMSIZ */

struct hwstamp {
	char ifname[HWSTAMP_NAME];
	char driver[32];	/* "" when it does not say */
	int phc_index;		/* -1: none */
	unsigned modes;		/* SOF_TIMESTAMPING_… */
	unsigned tx_types;	/* bits by HWTSTAMP_TX_… */
	unsigned rx_filters;	/* bits by HWTSTAMP_FILTER_… */
	int tx_type, rx_filter;	/* as set up now; off where that cannot be read */
};

/* `fd`: any socket. An interface that answers none of it has no hardware stamps: that is no error.
 * -ENODEV. */
int hwstamp_query(int fd, const char *ifname, struct hwstamp *out, struct err *e);
/* -EPERM without CAP_NET_ADMIN, -ERANGE when the driver cannot. */
int hwstamp_set(int fd, const char *ifname, int tx_type, int rx_filter);

struct hwstamp_plan {
	int set;			/* switch stamps on, with rx_filter */
	int rx_filter;
	enum stamp_kind rx, tx;		/* tx STAMP_NONE: the kernel has none, the process takes its own */
	enum stamp_scope rx_scope;
	int tx_slots;			/* of hardware stamps; 0: no limit */
	int able;			/* the hardware can do it */
	char why[256];			/* one sentence when it is less than the best; else empty */
};

/* `ptp4l`: its process where one uses the interface, else 0. Pure. */
void hwstamp_plan(const struct hwstamp *h, pid_t ptp4l, struct hwstamp_plan *out);
/* A ptp4l has come to the interface that we had set up: what may be done from now on. Pure. */
void hwstamp_plan_yield(const struct hwstamp *h, pid_t ptp4l, struct hwstamp_plan *p);
/* Software stamps after all, for that reason. Pure. */
void hwstamp_plan_software(const struct hwstamp *h, const char *reason, struct hwstamp_plan *p);
/* Which frames are stamped, in words. */
const char *hwstamp_scope_text(const struct hwstamp_plan *p);

#endif
