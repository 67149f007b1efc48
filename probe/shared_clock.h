/* shared_clock.h: is the port's device clock the very clock of this end's page? Pure.
 *
 * Then a hardware stamp is page time as it stands, and no map comes in between: the page's bound is about
 * that clock. It takes both: the clock's identity is made of the port's MAC address (IEEE 1588-2008
 * 7.5.2.2.2.2), and every reading of the device clock agrees with the page. */
#ifndef PROBE_SHARED_CLOCK_H
#define PROBE_SHARED_CLOCK_H

#include "clock.h"

#define SHARED_CLOCK_LOOKS	8		/* in a row that agree */
#define SHARED_CLOCK_SLACK_NS	INT64_C(1000)	/* the page's line may be off its own clock by this */

struct shared_clock {
	int looks;
	int shared;
};

/* The device clock said nic_ns, give or take half_ns, when the page said `page`. Returns s->shared. */
int shared_clock_look(struct shared_clock *s, const uint8_t mac[6], int64_t nic_ns, int64_t half_ns,
	const struct clock_reading *page);

#endif
